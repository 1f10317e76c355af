"""A graph that the database has already and documents become one graph; of the other one nothing changes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from cypher_hostile import UNHELD
from fake_llm import FakeLlm
from foreign_graph import ACTED_IN, FILMS, MAP, NOTES, PERSONS, films, foreign, run
from kg_neo4j import LoadOptions, Settings, ask, load
from kg_neo4j.errors import UsageError
from kg_neo4j.extract import schema as schemas
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.export import lines
from kg_neo4j.pipeline.commands.load import unload
from kg_neo4j.pipeline.commands.rebuild import copy_graph, rebuild
from kg_neo4j.pipeline.commands.report import report as run_report
from kg_neo4j.pipeline.commands.resolve import ResolveOptions, resolve
from kg_neo4j.pipeline.commands.search import search, show
from kg_neo4j.retrieve.cypher.guard import guard
from kg_neo4j.retrieve.cypher.run import run as run_guarded
from kg_neo4j.retrieve.cypher.schema import describe, read_schema
from kg_neo4j.retrieve.cypher.tokens import CypherRefused
from kg_neo4j.rooms.adopt import proposing
from kg_neo4j.rooms.adopt.adopting import AdoptReport, adopt, undo
from round_trips import counted

pytestmark = pytest.mark.needs("kg_neo4j_readers", "kg_neo4j_offline")

OPTIONS = LoadOptions(analytics=False)
LINKS = """
MATCH (e:KgEntity {graph: $graph})-[r:SAME_AS]->(n) WHERE NOT n:KgEntity
RETURN e.name AS entity, labels(n)[0] AS label, coalesce(n.title, n.name) AS node, r.key AS key, r.how AS how,
       r.mentions AS mentions
ORDER BY label, node
"""


@pytest.fixture
def there(database: Database) -> Iterator[Database]:
    """A database that has the graph of films."""
    with films(database):
        yield database


@pytest.fixture
def table_map(tmp_path: Path) -> Path:
    path = tmp_path / "films.toml"
    path.write_text(MAP, encoding="utf-8")
    return path


@pytest.fixture
def notes(tmp_path: Path) -> str:
    path = tmp_path / "notes.md"
    path.write_text(NOTES, encoding="utf-8")
    return str(path)


def adopted(table_map: Path, settings: Settings) -> AdoptReport:
    return adopt(table_map, settings=settings, options=OPTIONS)


def links(database: Database, settings: Settings) -> dict[str, tuple[str, str, int]]:
    """Return the links by the name of the node: the entity, how it was found, and mentions in texts."""
    rows = run(database, LINKS, graph=settings.graph)
    found = {row["node"]: (row["entity"], row["how"], row["mentions"]) for row in rows}
    assert len(found) == len(rows)
    assert all(row["node"] == row["key"] for row in rows)
    return found


def exported(database: Database, graph: str) -> list[str]:
    return list(lines(database, graph))


def test_nothing_of_the_other_graph_changes_and_undoing_leaves_what_texts_say(
    there: Database, offline: Settings, table_map: Path, notes: str
) -> None:
    before = foreign(there)
    load([notes], settings=offline)  # with communities, as an undo makes them
    texts_alone = exported(there, offline.graph)
    report = adopted(table_map, offline)
    assert report.links == {"Movie": len(FILMS), "Person": len(PERSONS)}
    assert (report.load.rows.rejected, report.load.usage.calls) == (0, 0)
    assert foreign(there) == before
    resolve(settings=offline, options=ResolveOptions(analytics=False))
    for mode in ("local", "naive", "auto"):
        assert ask("Who directed Blade Runner?", settings=offline, mode=mode).passages
    counted_people = ask("How many people acted in Chinatown?", settings=offline)
    assert counted_people.answer.startswith("People related to Chinatown in this way: 2")
    assert {each.titled for each in counted_people.citations} == {
        "ACTED_IN Faye Dunaway -> Chinatown",
        "ACTED_IN Jack Nicholson -> Chinatown",
    }
    unload(notes, settings=offline)
    load([notes], settings=offline, options=OPTIONS)
    assert foreign(there) == before
    assert undo(settings=offline).links == {}
    assert exported(there, offline.graph) == texts_alone
    assert links(there, offline) == {}
    assert foreign(there) == before
    with pytest.raises(UsageError, match="has adopted nothing"):
        undo(settings=offline)


def test_a_link_says_how_it_was_found_and_leads_to_the_sentences(
    there: Database, offline: Settings, table_map: Path, notes: str
) -> None:
    adopted(table_map, offline)
    assert set(links(there, offline).values()) == {
        (name, "key", 0) for name in [*PERSONS, *(film[0] for film in FILMS)]
    }
    load([notes], settings=offline, options=OPTIONS)
    found = links(there, offline)
    assert found["Ridley Scott"] == ("Ridley Scott", "name", 1)
    assert found["Frances McDormand"][1] == "name"
    assert found["Harrison Ford"] == ("Harrison Ford", "key", 0)
    rows = run(
        there,
        "MATCH (:Person {name: 'Joel Coen'})<-[:SAME_AS]-(e {graph: $graph})"
        "-[m:MENTIONED_IN]->(:Chunk)-[:IN_DOCUMENT]->(d) WHERE d.adopted IS NULL RETURN m.quote AS quote",
        graph=offline.graph,
    )
    assert [row["quote"] for row in rows] == ["Frances McDormand married Joel Coen in 1984."]
    unload(notes, settings=offline)
    assert links(there, offline)["Ridley Scott"] == ("Ridley Scott", "key", 0)


def test_a_repeat_changes_nothing_and_a_change_there_changes_its_facts_alone(
    there: Database, offline: Settings, table_map: Path
) -> None:
    adopted(table_map, offline)
    before = exported(there, offline.graph)
    again = adopted(table_map, offline)
    assert (again.load.changes, again.load.rows.read) == (0, 0)
    run(there, "MATCH (m:Movie {title: 'Alien'}) SET m.released = 1980")
    changed = adopted(table_map, offline)
    assert changed.load.rows.read == 1
    entity = run(
        there, "MATCH (e:KgEntity {graph: $graph, name: 'Alien'}) RETURN e.start_date AS date", graph=offline.graph
    )
    assert entity == [{"date": "1980"}]
    run(there, "MATCH (m:Movie {title: 'Alien'}) SET m.released = 1979")
    run(there, "MATCH (m:Movie {title: 'Fargo'}) SET m.title = 'Fargo, North Dakota'")
    renamed = adopted(table_map, offline)
    assert renamed.load.rows.read == 1 + 1 + 3 * (2 + 1)  # two films, and the three relationships of one of them
    assert "Fargo, North Dakota" in links(there, offline)
    run(there, "MATCH (m:Movie {title: 'Fargo, North Dakota'}) SET m.title = 'Fargo'")
    adopted(table_map, offline)
    assert exported(there, offline.graph) == before


def test_a_node_that_is_gone_loses_its_link_and_its_key_on_another_node_gets_it(
    there: Database, offline: Settings, table_map: Path, notes: str
) -> None:
    adopted(table_map, offline)
    run(there, "MATCH (m:Movie {title: 'Gladiator'}) DETACH DELETE m")
    run(there, "MATCH (m:Movie {title: 'Alien'}) SET m.title = 'Alien 1'")
    report = load([notes], settings=offline, options=OPTIONS)
    assert "2 rows have no node any more: `kg adopt --map FILE` reads the other graph again" in report.notes
    assert {"Alien", "Alien 1", "Gladiator"}.isdisjoint(links(there, offline))
    run(there, "MATCH (m:Movie {title: 'Alien 1'}) SET m.title = 'Alien'")
    report = adopted(table_map, offline).load
    assert not any("no node" in note for note in report.notes)
    assert "Alien" in links(there, offline)
    names = run(there, "MATCH (e:KgEntity {graph: $graph, name: 'Gladiator'}) RETURN e.id", graph=offline.graph)
    assert names == []


def keyed(name: str) -> str:
    """Return the map with another property as the key of persons."""
    text = MAP.replace('unique = ["name"]', f'unique = ["{name}"]').replace("from.name", f"from.{name}")
    return text.replace('key = "name"', f'key = "{name}"')


def test_namesakes_are_joined_with_neither_and_decisions_are_links_too(
    there: Database, offline: Settings, table_map: Path, tmp_path: Path
) -> None:
    run(there, "CREATE (:Person {name: 'Ridley  Scott', born: 1901})")
    table_map.write_text(keyed("born"), encoding="utf-8")
    with pytest.raises(UsageError, match="born '1937' is that of line"):  # two persons of one year: no key
        adopted(table_map, offline)
    run(there, "MATCH (p:Person) SET p.id = 'p-' + p.name + p.born")
    table_map.write_text(keyed("id"), encoding="utf-8")
    adopted(table_map, offline)
    notes = tmp_path / "notes.md"
    notes.write_text(NOTES, encoding="utf-8")
    load([str(notes)], settings=offline, options=OPTIONS)
    rows = run(there, LINKS, graph=offline.graph)
    assert {row["how"] for row in rows if row["key"].startswith("p-Ridley")} == {"key"}
    assert next(row["how"] for row in rows if row["key"] == "p-Joel Coen1954") == "name"
    same = tmp_path / "same.csv"
    same.write_text("name_1,type_1,name_2,type_2\nRidley Scott,PERSON,Ridley Scott (p-Ridley Scott1937),PERSON\n")
    resolve(settings=offline, options=ResolveOptions(must_link=same, analytics=False))
    rows = run(there, LINKS, graph=offline.graph)
    assert [row["how"] for row in rows if row["key"] == "p-Ridley Scott1937"] == ["decision"]


def test_rows_are_cited_by_label_and_key(there: Database, offline: Settings, table_map: Path, notes: str) -> None:
    adopted(table_map, offline)
    load([notes], settings=offline, options=OPTIONS)
    answer = ask("Who acted in Blade Runner?", settings=offline, mode="naive")
    assert "ACTED_IN Harrison Ford -> Blade Runner" in {each.citation.titled for each in answer.passages}
    assert all(not each.section for each in answer.passages if "->" in each.citation.titled)
    card = show("Ridley Scott", settings=offline)
    documents = {each.document for each in card.facts}
    assert {"DIRECTED Ridley Scott -> Alien", "notes"} <= documents
    assert {each.line for each in card.facts} == {None}
    assert card.tables == 2
    found = search("Ripley", settings=offline)
    assert "Ripley" in repr(found.hits)
    path = run_report("shortest-path", settings=offline, parameters={"from": "Frances McDormand", "to": "Ethan Coen"})
    assert [row[1] for row in path.rows] == ["Frances McDormand", "Fargo"]


def test_a_copy_has_the_rows_and_gets_links_of_its_own(
    there: Database, offline: Settings, table_map: Path, notes: str
) -> None:
    adopted(table_map, offline)
    before = foreign(there)
    other = offline.model_copy(update={"graph": f"{offline.graph}-copy"})
    try:
        copy_graph(other.graph, settings=offline)
        load([notes], settings=other, options=OPTIONS)
        assert len(links(there, other)) == len(links(there, offline)) == len(FILMS) + len(PERSONS)
        assert adopted(table_map, other).load.rows.read == 0
        rebuild(settings=other)
        assert len(links(there, other)) == len(FILMS) + len(PERSONS)
        assert undo(settings=other).load.nodes
    finally:
        delete_graph(there, other.graph)
    assert len(links(there, offline)) == len(FILMS) + len(PERSONS)
    unload("ACTED_IN", settings=offline)
    assert len(links(there, offline)) == len(FILMS) + len(PERSONS)
    unload("Person", settings=offline)
    assert len(links(there, offline)) == len(FILMS)
    assert foreign(there) == before


def test_a_table_that_leaves_the_map_is_removed(there: Database, offline: Settings, table_map: Path) -> None:
    adopted(table_map, offline)
    table_map.write_text(MAP.partition('[[tables]]\nrelationship = "DIRECTED"')[0], encoding="utf-8")
    report = adopted(table_map, offline)
    assert any(note.startswith("removed 1 document, 7 chunks") for note in report.load.notes)
    assert report.load.documents == 3
    assert report.load.relationships == len(ACTED_IN)


def test_what_the_map_does_not_name_is_not_read(there: Database, offline: Settings, table_map: Path) -> None:
    adopted(table_map, offline)
    text = "\n".join(exported(there, offline.graph))
    assert "Ripley" in text
    assert "never shown" not in text
    assert "one more mouth" not in text


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('column = "released"', 'column = "relased"', "line 2: no Movie has the property 'relased'"),
        ('key = "to.title"', 'key = "to.name"', "line 20: the key of Movie is 'to.title' here, not 'to.name'"),
        ('label = "Movie"\n', 'file = "a.csv"\nname = "Movie"\n', "line 2: Movie is neither a label nor a type"),
    ],
)
def test_a_wrong_map_is_refused_with_its_line(
    there: Database, offline: Settings, table_map: Path, old: str, new: str, why: str
) -> None:
    del there
    table_map.write_text(MAP.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(UsageError, match=why.replace("(", r"\(")):
        adopted(table_map, offline)


def test_a_label_without_nodes_is_a_note(there: Database, offline: Settings, table_map: Path) -> None:
    run(there, "MATCH (:Person)-[r:DIRECTED]->() DELETE r")
    report = adopted(table_map, offline)
    assert "DIRECTED: there is none in the database" in report.load.notes
    assert report.load.relationships == len(ACTED_IN)


def test_a_proposed_map_needs_no_edit(there: Database, offline: Settings, tmp_path: Path) -> None:
    path = tmp_path / "proposed.toml"
    path.write_text(proposing.propose_map(offline), encoding="utf-8")
    before = foreign(there)
    report = adopted(path, offline)
    assert report.links == {"Document": 1, "Entity": 1, "Movie": len(FILMS), "Person": len(PERSONS)}
    assert report.load.rows.rejected == 0
    assert foreign(there) == before
    rows = run(
        there,
        "MATCH (:Person)<-[:SAME_AS]-(a {graph: $graph})-[r]->(b:Entity) RETURN DISTINCT type(r) AS type, b.type AS to",
        graph=offline.graph,
    )
    assert {(row["type"], row["to"]) for row in rows} == {("ACTED_IN", "WORK"), ("DIRECTED", "WORK")}


def test_a_schema_prefers_the_types_that_are_there(
    there: Database, offline: Settings, notes: str, tmp_path: Path
) -> None:
    del there
    ontology, text = proposing.schema_of(offline, schemas.load("lean"), "films")
    assert ("MOVIE", "WORK") in ontology.families
    assert ("ACTED_IN", "PERSON to MOVIE") in ontology.relationships
    path, proposed = tmp_path / "films.toml", tmp_path / "map.toml"
    path.write_text(text, encoding="utf-8")
    proposed.write_text(proposing.propose_map(offline), encoding="utf-8")
    options = LoadOptions(schema=str(path), analytics=False)
    load([notes], settings=offline, options=options)
    report = adopt(proposed, settings=offline, options=options)
    assert report.load.rows.rejected == 0
    assert report.links["Movie"] == len(FILMS)


def test_a_graph_that_has_adopted_nothing_asks_one_query_more(offline: Settings, notes: str) -> None:
    load([notes], settings=offline, options=OPTIONS)
    with counted() as trips:
        load([notes], settings=offline, options=OPTIONS)
    assert trips.naming("Which entities are nodes of another graph") == 1
    assert trips.naming("Links to nodes of another graph") == 0


def test_a_model_sees_rows_as_evidence(there: Database, offline: Settings, table_map: Path) -> None:
    adopted(table_map, offline)
    with FakeLlm() as llm:
        given = {"openai_base_url": llm.url, "openai_api_key": "k", "model": "scripted"}
        ask("Who directed Fargo?", settings=Settings(**{**offline.model_dump(), **given}), mode="local")
        prompts = "\n".join(each.prompt for each in llm.requests)
    assert "DIRECTED > Ethan Coen -> Fargo" in prompts


READS = {
    "MATCH (m:Movie) RETURN m.name": {(title,) for title, _, _ in FILMS},
    "MATCH (m:Movie {start_date: '1979'}) RETURN m.name, m.table_key": {("Alien", ("Movie: Alien",))},
    "MATCH (p:Person)-[:DIRECTED]->(:Movie {name: 'Fargo'}) RETURN p.name": {("Joel Coen",), ("Ethan Coen",)},
    "MATCH (p:Person)-[r:ACTED_IN]->(w:Entity:Movie WHERE w.name = 'Fargo') RETURN p.name, r.role": {
        ("Frances McDormand", "Marge Gunderson")
    },
    "MATCH (p:PERSON)-[r:ACTED_IN]->(w:WORK {name: 'Fargo'}) RETURN p.name": {("Frances McDormand",)},
    "MATCH (a:Person {name: 'Ridley Scott'})-[]-(b:Entity) WHERE b:Movie RETURN count(DISTINCT b)": {(3,)},
    "MATCH (a:Person) WHERE NOT EXISTS { (a)-[:DIRECTED]->(:Movie) } RETURN count(a)": {(len(ACTED_IN),)},
    "MATCH (e:Entity) WHERE NOT e:Movie AND NOT e:Person RETURN e.name": {("London",), ("New York",)},
    "MATCH (a:Entity) WHERE head([x IN [a] WHERE x:Movie]):Movie RETURN count(a)": {(6,)},
    "MATCH p = shortestPath((a:Person {name: 'Ethan Coen'})-[*1..4]-(b:Person {name: 'Joel Coen'})) RETURN length(p)": {
        (2,)
    },
}


def test_a_query_that_a_model_wrote_reads_labels_of_the_other_graph_as_rows_and_nothing_through_a_link(
    there: Database, offline: Settings, table_map: Path, notes: str
) -> None:
    load([notes], settings=offline, options=OPTIONS)
    adopted(table_map, offline)
    schema = read_schema(there, offline.graph)
    assert "(:Movie {name (there title), start_date (there released)})  6 of the Entity" in describe(schema)

    def rows(query: str) -> tuple[tuple[object, ...], ...]:
        return run_guarded(there, guard(query, {}, schema, offline.graph)).rows

    assert {query: {*rows(query)} for query in READS} == READS
    for query in (
        *UNHELD,
        "MATCH (e:Entity {name: 'Alien'})-[r]->(x) RETURN type(r)",
        "MATCH (e:Movie {name: 'Alien'})-[*1..2]-(x) RETURN labels(x)",
        "MATCH p = shortestPath((a:Movie {name: 'Alien'})-[*1..4]-(b:Document)) RETURN length(p)",
        "MATCH (e:Movie {name: 'Alien'}) RETURN COUNT { (e)--() }",
    ):
        try:
            found = repr(rows(query))
        except CypherRefused:  # its types are those of another graph
            continue
        assert not re.search("SAME_AS|never shown|contract 7|theirs", found)
        assert "labels(" not in query or "Movie" not in found


def test_rows_of_a_query_that_a_model_wrote_are_cited_by_label_and_key(
    there: Database, offline: Settings, table_map: Path
) -> None:
    adopted(table_map, offline)
    question = "In which year did the film of the hungry crew come out?"
    query = {
        "cypher": "MATCH (p:Person)-[:DIRECTED]->(m:Movie {name: 'Alien'}) RETURN p.name AS name, m.start_date AS y"
    }

    def rules(prompt: str, _: str) -> str:
        return "Ridley Scott directed it [R1]." if "rows" in prompt and "[R1]" in prompt else json.dumps(query)

    with FakeLlm(rules=rules) as llm:
        given = {"openai_base_url": llm.url, "openai_api_key": "k", "model": "scripted"}
        answer = ask(question, settings=Settings(**{**offline.model_dump(), **given}), mode="cypher")
    assert "(:Movie {name (there title)" in llm.requests[0].prompt
    assert answer.answer == "Ridley Scott directed it [1]."
    assert [each.titled for each in answer.citations] == ["DIRECTED Ridley Scott -> Alien"]
    assert answer.query is not None
    assert answer.query.rows == (("Ridley Scott", "1979"),)
