"""A graph of another program: six films, who made them, labels that are also ours; and a hash of what is not ours."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator
from typing import Any

from kg_neo4j.graph.database import Database
from kg_neo4j.graph.queries import BASE_LABELS

OURS = "|".join(f"Kg{label}" for label in (*BASE_LABELS, "Lease", "GraphState"))
FILMS = [
    ("Chinatown", 1974, "Follow the water."),
    ("Alien", 1979, "The crew has one more mouth to feed."),
    ("Blade Runner", 1982, "He hunts those who want one more year."),
    ("The Piano", 1993, "She speaks with her hands."),
    ("Fargo", 1996, "A small crime in a lot of snow."),
    ("Gladiator", 2000, "A general, sold for the sand."),
]
PERSONS = {
    "Jack Nicholson": 1937,
    "Faye Dunaway": 1941,
    "Roman Polanski": 1933,
    "Sigourney Weaver": 1949,
    "Ridley Scott": 1937,
    "Harrison Ford": 1942,
    "Rutger Hauer": 1944,
    "Holly Hunter": 1958,
    "Jane Campion": 1954,
    "Frances McDormand": 1957,
    "Joel Coen": 1954,
    "Ethan Coen": 1957,
    "Russell Crowe": 1964,
}
ACTED_IN = [
    ("Jack Nicholson", "Chinatown", ["Jake Gittes"]),
    ("Faye Dunaway", "Chinatown", ["Evelyn Mulwray"]),
    ("Sigourney Weaver", "Alien", ["Ripley"]),
    ("Harrison Ford", "Blade Runner", ["Rick Deckard"]),
    ("Rutger Hauer", "Blade Runner", ["Roy Batty"]),
    ("Holly Hunter", "The Piano", ["Ada McGrath"]),
    ("Frances McDormand", "Fargo", ["Marge Gunderson"]),
    ("Russell Crowe", "Gladiator", ["Maximus", "The Spaniard"]),
]
DIRECTED = [
    *(("Roman Polanski", "Chinatown"), ("Ridley Scott", "Alien"), ("Ridley Scott", "Blade Runner")),
    *(("Jane Campion", "The Piano"), ("Joel Coen", "Fargo"), ("Ethan Coen", "Fargo"), ("Ridley Scott", "Gladiator")),
]
CREATE = """
UNWIND $films AS film CREATE (:Movie {title: film[0], released: film[1], tagline: film[2], secret: 'never shown'})
WITH count(*) AS films
UNWIND $persons AS person CREATE (:Person {name: person[0], born: person[1]})
WITH count(*) AS persons
UNWIND $acted AS row
MATCH (p:Person {name: row[0]}) MATCH (m:Movie {title: row[1]}) CREATE (p)-[:ACTED_IN {roles: row[2]}]->(m)
WITH count(*) AS acted
UNWIND $directed AS row MATCH (p:Person {name: row[0]}) MATCH (m:Movie {title: row[1]}) CREATE (p)-[:DIRECTED]->(m)
WITH count(*) AS directed
MATCH (m:Movie {title: 'Alien'})
CREATE (:Document {id: 'contract 7', graph: 'theirs'})-[:ABOUT]->(m), (:Entity {name: 'Alien', id: '1'})
"""


def run(database: Database, query: str, **given: Any) -> list[dict[str, Any]]:
    """Run a query of the other program."""
    return [each.data() for each in database.driver.execute_query(query, given).records]


@contextlib.contextmanager
def films(database: Database) -> Iterator[None]:
    """Have the graph of films in the database for a while."""
    made = {"films": FILMS, "persons": [*PERSONS.items()], "acted": ACTED_IN, "directed": DIRECTED}
    run(database, "CREATE CONSTRAINT foreign_movie IF NOT EXISTS FOR (m:Movie) REQUIRE m.title IS UNIQUE")
    run(database, CREATE, **made)
    try:
        yield
    finally:
        run(database, "MATCH (n:Movie|Person) WHERE NOT n:KgEntity DETACH DELETE n")
        run(database, "MATCH (n:Document {id: 'contract 7', graph: 'theirs'}) DELETE n")
        run(database, "MATCH (n:Entity {name: 'Alien', id: '1'}) DELETE n")
        run(database, "DROP CONSTRAINT foreign_movie IF EXISTS")


def foreign(database: Database) -> str:
    """Return a hash of all nodes that are not ours, of their relationships, and of rules and indexes without ours."""
    nodes = (
        f"MATCH (n) WHERE NOT n:{OURS} RETURN elementId(n) AS id, labels(n) AS labels, properties(n) AS all ORDER BY id"
    )
    ties = (
        f"MATCH (n)-[r]->(m) WHERE NOT n:{OURS} AND NOT m:{OURS} RETURN elementId(r) AS id, type(r) AS type, "
        "elementId(n) AS start, elementId(m) AS end, properties(r) AS all ORDER BY id"
    )
    standing = "YIELD name, type, labelsOrTypes, properties WHERE NOT name STARTS WITH 'kg_' RETURN * ORDER BY name"
    rules = (f"SHOW {what} {standing}" for what in ("CONSTRAINTS", "INDEXES"))
    found = [run(database, query) for query in (nodes, ties, *rules)]
    return hashlib.sha256(repr([[sorted(row.items()) for row in rows] for rows in found]).encode()).hexdigest()


MAP = """
[[tables]]
label = "Movie"
unique = ["title"]
[tables.nodes.work]
type = "WORK"
name = "title"
key = "title"
properties.start_date = { column = "released", kind = "date" }

[[tables]]
label = "Person"
unique = ["name"]
[tables.nodes.person]
type = "PERSON"
name = "name"
key = "name"
properties.start_date = { column = "born", kind = "date" }

[[tables]]
relationship = "ACTED_IN"
[tables.nodes.from]
table = "Person"
key = "from.name"
[tables.nodes.to]
table = "Movie"
key = "to.title"
[[tables.relationships]]
from = "from"
type = "ACTED_IN"
to = "to"
properties.role = "roles"

[[tables]]
relationship = "DIRECTED"
[tables.nodes.from]
table = "Person"
key = "from.name"
[tables.nodes.to]
table = "Movie"
key = "to.title"
[[tables.relationships]]
from = "from"
type = "DIRECTED"
to = "to"
"""
NOTES = """Ridley Scott met Sigourney Weaver in London in 1978. Alien won an award in 1980.

Frances McDormand married Joel Coen in 1984. Frances McDormand lived in New York.
"""
