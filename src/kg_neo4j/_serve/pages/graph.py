"""A part of the graph, drawn: around an entity, of an answer, or what is connected most."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from kg_neo4j._serve import limits, lookups
from kg_neo4j._serve.rendering import ServedPage
from kg_neo4j._serve.service import Service
from kg_neo4j.errors import UsageError
from kg_neo4j.graph import queries
from kg_neo4j.organise.viewer import SCRIPT_FILE, STYLE_FILE

if TYPE_CHECKING:
    from kg_neo4j.graph.database import Database
    from kg_neo4j.organise.viewer.view import GraphView

_ID = re.compile(r"\b[0-9a-f]{32}\b")


def shown(service: Service, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Return the entities of `ids`, those around `name`, or the most connected ones; `limit` of them."""
    limit = _limit(given.get("limit", ""))
    database, graph = service.database(), service.graph
    about, ids, nums = "", [], []
    if "ids" in given:
        ids = _ID.findall(lookups.checked(given["ids"], "ids", most=limits.MOST_NODES * 33))
    elif "name" in given:
        card = service.entity(given["name"], limit=1)
        about, found = card.name, neighbours(database, graph, card.id, limit)
        ids = [card.id, *(row["id"] for row in found)]
    else:
        rows = database.read(queries.get("analytics/plot_graph"), graph=graph, limit=limit + 1)
        related = [row for row in rows if row["Connections"]]
        nums = [row["Num"] for row in related or rows]
    picture = draw(database, graph, ids=ids[:limit], nums=nums[:limit])
    kept = {name: given[name] for name in ("ids", "name") if name in given}
    is_more = max(len(ids), len(nums)) > limit and limit < limits.MOST_NODES
    more = {**kept, "limit": str(min(2 * limit, limits.MOST_NODES))} if is_more else {}
    return {"picture": picture, "about": about, "more": more, "limit": limit}


def neighbours(database: Database, graph: str, id: str, limit: int) -> Sequence[Mapping[str, Any]]:
    """Return the neighbours of an entity, the best attested first."""
    return database.read(queries.get("serve/neighbours"), graph=graph, id=id, limit=limit, hub=limits.HUB)


def draw(database: Database, graph: str, ids: Sequence[str] = (), nums: Sequence[int] = ()) -> GraphView:
    """Return a picture of entities and of all relationships between them, with what a click shows of each."""
    from kg_neo4j.organise.plot_graph import PlotGraph, PlotNode, PlotRelationship
    from kg_neo4j.organise.viewer.view import entity_details, fact_details, view

    rows = database.read(queries.get("serve/drawn_entities"), graph=graph, ids=ids, nums=nums)
    nodes = tuple(PlotNode(r["num"], r["name"], r["type"], r["community"], r["connections"]) for r in rows)
    places = {node.num: place for place, node in enumerate(nodes)}
    found = database.read(queries.get("analytics/plot_relationships"), graph=graph, nums=list(places))
    drawn = tuple(
        PlotRelationship(places[r["Source"]], r["Type"], places[r["Target"]], r["Evidence"], r["Fact"]) for r in found
    )
    data = PlotGraph(graph, nodes, drawn, len(nodes))
    entities = entity_details(database, graph, list(places), address)
    facts = fact_details(database, graph, [each.fact for each in drawn if each.fact], address)
    details = {
        f"n{place}": replace(entities[row["num"]], href=f"/entity?{urlencode({'name': row['id']})}")
        for place, row in enumerate(rows)
    }
    details |= {f"e{place}": facts[each.fact] for place, each in enumerate(drawn) if each.fact in facts}
    return replace(view(data, "type"), details=details)


def address(chunk: str, start: int | None, end: int | None) -> str:
    """Return the address of words in their passage."""
    place = {} if start is None else {"start": start, "end": end}
    return f"/document?{urlencode({'id': chunk, **place})}#here"


def _limit(given: str) -> int:
    if not given:
        return limits.NODES
    if not given.isascii() or not given.isdecimal() or not 0 < int(given[:9]) <= limits.MOST_NODES:
        raise UsageError(f"limit is a number of nodes, at most {limits.MOST_NODES:,}, not {given[:80]!r}")
    return int(given)


def _still(picture: GraphView) -> Any:
    """Return a picture as markup, for where no script runs; the names in it are escaped."""
    from markupsafe import Markup

    from kg_neo4j.organise.viewer.view import draw_still

    return Markup(draw_still(picture))  # noqa: S704 - made by us, with every name escaped


def _data(picture: GraphView) -> Any:
    """Return a picture as JSON that can be within a script element."""
    from dataclasses import asdict

    from markupsafe import Markup

    from kg_neo4j.organise.html_page import as_data

    return Markup(as_data(asdict(picture)))  # noqa: S704 - nothing in it ends the element


PAGES = (ServedPage("/graph", "graph.html", shown, title="Graph", rank=35),)
STATIC = {"viewer.js": SCRIPT_FILE, "viewer.css": STYLE_FILE}
FUNCTIONS = {"still": _still, "graph_data": _data}
