"""An entity with its facts and neighbours; and a part of the graph, drawn."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from markupsafe import Markup

from kg_neo4j.errors import UsageError
from kg_neo4j.graph import queries
from kg_neo4j.organise.viewer import SCRIPT_FILE, STYLE_FILE
from kg_neo4j_serve import limits
from kg_neo4j_serve.addresses import at
from kg_neo4j_serve.limits import picked
from kg_neo4j_serve.pages.decisions import About, entity_at, fact_of, quote
from kg_neo4j_serve.refusals import NoSuchEntity, missing
from kg_neo4j_serve.rendering import ServedPage
from kg_neo4j_serve.results import EntityCard, EntityFact
from kg_neo4j_serve.service import Service

if TYPE_CHECKING:
    from kg_neo4j.graph.database import Database
    from kg_neo4j.organise.viewer.view import GraphView

QUOTES = 3  # of one fact
DRAWN = 40  # neighbours in the picture of an entity; all others on the page of the graph
FACTS = 10  # of a page
LISTED = 60  # neighbours in the list

_ID, _NUM = re.compile(r"\b[0-9a-f]{32}\b"), re.compile(r"\b[0-9a-z]{1,12}\b")  # a num in base 36: addresses stay short


def entity(service: Service, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Return an entity by one of its names or its id."""
    name, cursor = given.get("name") or given.get("id", ""), given.get("cursor")
    database, graph = service.database(), service.graph
    card = _card(service, name, cursor)
    near = _neighbours(database, graph, card.id, limits.NODES)
    about = entity_at(service, card.id) if service.rights.write else None
    return {
        "card": card,
        "deciding": about,  # what its forms carry; None where the server only reads
        "facts": _facts(service, card.facts, about["decided"] if about else ()),
        "neighbours": [_neighbour(row) for row in near[:LISTED]],
        "picture": _draw(database, graph, [card.id, *(row["id"] for row in near[:DRAWN])]) if near else None,
        "drawn": min(len(near), DRAWN),
        "neighbours_in_all": len(near),
        "is_first": not cursor,
    }


def _neighbour(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entity and at most five ways in which it is related; each leads there or from there."""
    relations = [{"type": kind, "leads_there": leads_there} for kind, leads_there in row["relations"]]
    return picked(row, "id", "name", "type", "evidence") | {"relations": relations}


def _card(service: Service, name: str, cursor: str | None) -> EntityCard:
    """Return what the graph has about an entity. Raises NoSuchEntity with names that are spelt alike."""
    from kg_neo4j.retrieve.linking import can_link, suggest

    limits.checked(name, "name")
    try:
        return service.entity(name, limit=FACTS, cursor=cursor)
    except UsageError as error:
        limits.start_of(cursor)  # raises where it was the cursor
        database = service.database()
        near = suggest(database, service.graph, name) if can_link(database, service.graph) else ()
        raise NoSuchEntity(str(error), name, near) from error


def _facts(service: Service, facts: Sequence[EntityFact], decided: Sequence[About]) -> list[dict[str, Any]]:
    """Return facts with the ids of their ends, the first quotes that state them, and what their forms carry."""
    known, query = {each.id: each for each in facts}, queries.get("serve/fact_evidence")
    rows = service.database().read(query, graph=service.graph, ids=[*known], quotes=QUOTES)
    return [
        fact_of(row, decided)
        | {"evidence": row["evidence"], "quotes": list(map(quote, row["quotes"]))}
        | {name: getattr(known[row["id"]], name) for name in ("in_tables", "by_hand")}
        for row in rows
    ]


def shown(service: Service, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Return the entities of `ids` and `nums`, those around `name` or `around`, or the most connected ones.

    There are at most `limit` of them; `ids` and `nums` come first. `nums` and `around` are nums in base 36.
    """
    limit = _limit(given.get("limit", ""))
    database, graph = service.database(), service.graph
    about, is_more, total = "", False, None
    size: Mapping[str, Any] = {"Alone": 0, "Titles": ()}
    around = [int(num, 36) for num in _listed(given, "around", _NUM)[:1]]
    ids, nums = _listed(given, "ids", _ID), [*around, *(int(num, 36) for num in _listed(given, "nums", _NUM))]
    nums, near = list(dict.fromkeys(nums)), _entity_of(service, given, around)
    if near:
        found = [row for row in _neighbours(database, graph, near[0], limit + 1) if row["num"] not in nums]
        about, ids = near[1], [*ids, *(() if around else near[:1]), *(row["id"] for row in found)]
    elif not given.keys() & {"ids", "nums"}:
        rows = database.read(queries.get("analytics/plot_graph"), graph=graph, least=1, limit=limit)
        size = database.read(queries.get("analytics/plot_total"), graph=graph)[0]
        nums, total = [row["Num"] for row in rows], size["Nodes"] - size["Alone"]
        is_more = total > limit
    nums = nums[:limit]
    is_more = is_more or len(ids) + len(nums) > limit
    ids = list(dict.fromkeys(ids))[: limit - len(nums)]
    picture = _draw(database, graph, ids, nums, total, size["Alone"], dict(size["Titles"]))
    if near and is_more:
        caption = f"{len(picture.nodes):,} nodes: {about} and the neighbours that sources name most; there are more"
        picture = replace(picture, caption=f"{caption}. {len(picture.edges):,} relationships")
    kept = {name: given[name] for name in ("ids", "nums", "name", "around") if name in given}
    is_more = is_more and limit < limits.MOST_NODES
    more = {**kept, "limit": str(min(2 * limit, limits.MOST_NODES))} if is_more else {}
    return {"picture": picture, "about": about, "more": more, "limit": limit}


def _listed(given: Mapping[str, str], name: str, form: re.Pattern[str]) -> list[str]:
    """Return the ids or nums of a parameter; none where it is not given."""
    return form.findall(limits.checked(given[name], name, most=limits.MOST_NODES * 33)) if name in given else []


def _entity_of(service: Service, given: Mapping[str, str], nums: Sequence[int]) -> tuple[str, str] | None:
    """Return id and name of the entity that a picture is around, if there is one."""
    if "around" in given:
        rows = service.database().read(queries.get("serve/drawn_entities"), graph=service.graph, ids=[], nums=nums)
        if not rows:
            raise missing(f"there is no entity {given['around'][:80]!r}", "/search finds entities")
        return rows[0]["id"], rows[0]["name"]
    if "name" in given:
        card = service.entity(given["name"], limit=1)
        return card.id, card.name
    return None


def _neighbours(database: Database, graph: str, id: str, limit: int) -> Sequence[Mapping[str, Any]]:
    """Return the neighbours of an entity, the best attested first."""
    return database.read(queries.get("serve/neighbours"), graph=graph, id=id, limit=limit, hub=limits.HUB)


def _draw(
    database: Database,
    graph: str,
    ids: Sequence[str],
    nums: Sequence[int] = (),
    total: int | None = None,
    alone: int = 0,
    titles: Mapping[str, str] | None = None,
) -> GraphView:
    """Return a picture of entities and of all relationships between them, with what a click shows of each.

    `total` entities have relationships, where it is known. Ids are the same in each picture of a graph, so that one may
    be added to another.
    """
    from kg_neo4j.organise.plot_graph import PlotGraph, PlotNode, drawn_relationships
    from kg_neo4j.organise.viewer.view import read_view

    rows = database.read(queries.get("serve/drawn_entities"), graph=graph, ids=ids, nums=nums)
    nodes = tuple(PlotNode(r["num"], r["name"], r["type"], r["community"], r["connections"]) for r in rows)
    places = {node.num: place for place, node in enumerate(nodes)}
    found = database.read(queries.get("analytics/plot_relationships"), graph=graph, nums=list(places))
    drawn = drawn_relationships(places, found)
    data = PlotGraph(graph, nodes, drawn, len(nodes) if total is None else total, alone, titles or {})
    picture = read_view(database, data, "type", _address)
    named = {f"n{place}": f"n{node.num}" for place, node in enumerate(nodes)}
    named |= {
        f"e{place}": each["Fact"] or f"{each['Source']} {each['Type']} {each['Target']}"
        for place, each in enumerate(found)
    }
    details = {named[id]: detail for id, detail in picture.details.items()}
    for row in rows:
        href = at(f"/entity?{urlencode({'name': row['id']})}")
        details[f"n{row['num']}"] = replace(details[f"n{row['num']}"], href=href)
    return replace(
        picture,
        nodes=tuple(replace(each, id=named[each.id]) for each in picture.nodes),
        edges=tuple(
            replace(each, id=named[each.id], source=named[each.source], target=named[each.target])
            for each in picture.edges
        ),
        details=details,
        more_at=at("/graph.json"),
    )


def _address(chunk: str, start: int | None, end: int | None) -> str:
    """Return the address of words in their passage."""
    place = {} if start is None else {"start": start, "end": end}
    return at(f"/document?{urlencode({'id': chunk, **place})}#here")


def _limit(given: str) -> int:
    if not given:
        return limits.NODES
    if not given.isascii() or not given.isdecimal() or not 0 < int(given[:9]) <= limits.MOST_NODES:
        raise UsageError(f"limit is a number of nodes, at most {limits.MOST_NODES:,}, not {given[:80]!r}")
    return int(given)


def _still(picture: GraphView) -> Any:
    """Return a picture as markup, for where no script runs; the names in it are escaped."""
    from kg_neo4j.organise.viewer.view import draw_still

    return Markup(draw_still(picture))  # noqa: S704 - made by us, with every name escaped


def _data(picture: GraphView) -> Any:
    """Return a picture as JSON that can be within a script element."""
    from kg_neo4j.organise.html_page import as_data

    return Markup(as_data(asdict(picture)))  # noqa: S704 - nothing in it ends the element


PAGES = (
    ServedPage("/entity", "entity.html", entity),
    ServedPage("/graph", "graph.html", shown, title="Graph", rank=35),
)
STATIC = {"viewer.js": SCRIPT_FILE, "viewer.css": STYLE_FILE}
FUNCTIONS = {"still": _still, "graph_data": _data}
