"""Links from entities to the nodes of another graph that they are: they follow from the evidence, and from it alone."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from kg_neo4j import plugins
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Reader, Row
from kg_neo4j.graph.lease import Lease
from kg_neo4j.pipeline.options import TABLES

ROWS = 2_000  # links that one transaction writes
NAMED = ("label", "property", "key", "how", "mentions", "documents")  # properties of a link, with `graph`
WRITTEN = "written"  # how: a text has the key
Place = tuple[str, str, str]  # of a link: entity, label, key


def keep_links(reader: Reader, graph: str) -> list[str] | Callable[[Lease], list[str]]:
    """Return what brings the links of a graph up to date: `link`. One query where nothing is adopted, and no notes."""
    rows = reader.read(queries.get("adopt/wanted"), graph=graph)
    return partial(link, rows=rows, graph=graph) if rows and plugins.is_installed(TABLES) else []


def link(lease: Lease, rows: Sequence[Row], graph: str) -> list[str]:
    """Make the links that `rows` say, and no others; return a note on rows whose node is gone.

    The nodes of a label are read once, and only where an entity of it has no link yet.
    """
    database, wanted = lease.database, dict[Place, dict[str, Any]]()
    for row in rows:
        if row["entity"] is not None:
            stored = json.loads(row["adopted"])
            place = (row["entity"], stored["label"], row["key"])
            if row["how"] == "name" or place not in wanted:
                own = {"label": stored["label"], "property": stored["key"]}
                wanted[place] = {**own, **{name: row[name] for name in NAMED[2:]}}
    wanted |= _written(database, graph, wanted)
    nodes, links = _compare(database, graph, wanted)
    lease.write_parts(queries.get("adopt/unlink"), "links", links, ROWS, graph=graph)
    missing = {place: each for place, each in wanted.items() if nodes.get(place) != ""}
    nodes |= _found(database, {place: each for place, each in missing.items() if place not in nodes})
    made = [
        {"entity": place[0], "node": nodes[place], "properties": {"graph": graph, **each}}
        for place, each in missing.items()
        if place in nodes
    ]
    lease.write_parts(queries.get("adopt/link"), "rows", made, ROWS)
    lost = len(missing) - len(made)
    what = "1 row has" if lost == 1 else f"{lost:,} rows have"
    return [f"{what} no node any more: `kg adopt --map FILE` reads the other graph again"] if lost else []


def count_links(database: Database, graph: str) -> dict[str, int]:
    """Return how many links a graph has, by label."""
    found = Counter(row["label"] for row in database.stream(queries.get("adopt/links"), graph=graph))
    return dict(sorted(found.items()))


def _written(database: Database, graph: str, wanted: dict[Place, dict[str, Any]]) -> dict[Place, dict[str, Any]]:
    """Return links of entities of texts whose name is the key of one row, where the key has a digit."""
    keys: dict[str, list[dict[str, Any]]] = {}
    for each in wanted.values():
        keys.setdefault(str(each["key"]), []).append(each)
    named = [(row, keys.get(row["name"], [])) for row in database.stream(queries.get("adopt/written"), graph=graph)]
    return {
        (row["entity"], found[0]["label"], row["name"]): {
            **found[0],
            "how": WRITTEN,
            "mentions": row["mentions"],
            "documents": row["documents"],
        }
        for row, found in named
        if len(found) == 1
    }


def _compare(database: Database, graph: str, wanted: dict[Place, dict[str, Any]]) -> tuple[dict[Place, str], list[str]]:
    """Return which node each link leads to, "" for one that stays as it is, and the links that have to go."""
    from kg_neo4j.rooms.tables.reading import cell_of

    nodes: dict[Place, str] = {}
    gone: list[str] = []
    for row in database.stream(queries.get("adopt/links"), graph=graph):
        place = (row["entity"], row["label"], row["key"])
        is_right = place in wanted and row["is_labelled"] and cell_of(row["value"]) == row["key"]
        is_same = is_right and wanted[place] == {name: row[name] for name in NAMED} and place not in nodes
        if not is_same:
            gone.append(row["link"])
        if is_right:
            nodes[place] = "" if is_same or nodes.get(place) == "" else row["node"]
    return nodes, gone


def _found(database: Database, missing: dict[Place, dict[str, Any]]) -> dict[Place, str]:
    """Return the nodes that have the label and the key of each place, as far as there are any."""
    from kg_neo4j.rooms.tables.reading import cell_of

    found: dict[Place, str] = {}
    for label, name in sorted({(each["label"], each["property"]) for each in missing.values()}):
        places: dict[str, list[Place]] = {}
        for place in missing:
            places.setdefault(place[2], []).append(place) if place[1] == label else None
        for row in database.stream(queries.get("adopt/keys"), label=label, key=name):
            found |= dict.fromkeys(places.get(cell_of(row["value"]), ()), str(row["node"]))
    return found
