"""The inbox of merges: which entities may be one, with words of both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from kg_neo4j.graph import queries
from kg_neo4j_serve import limits
from kg_neo4j_serve.limits import page, picked, shortened, start_of
from kg_neo4j_serve.pages.decisions import KINDS, bearers, decisions, pair_of
from kg_neo4j_serve.rendering import ServedPage
from kg_neo4j_serve.results import Quote
from kg_neo4j_serve.service import Service

if TYPE_CHECKING:
    from kg_neo4j.graph.database import Database
    from kg_neo4j.graph.resolution.proposals import Proposal


def view(service: Service, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Return a page of the proposals."""
    database, skip = service.database(), start_of(given.get("cursor"))
    shown, cursor = page(service.proposals(), skip, limits.ROWS)
    found = {"is_first": skip == 0, "is_large": service.is_large(), "cursor": cursor}
    return found | {"open": _proposed(service, database, shown)}


def _proposed(service: Service, database: Database, proposals: Iterable[Proposal]) -> list[dict[str, Any]]:
    """Return two names each, what is proposed, and why: "ask" is open; `kg resolve` does "join" and "split"."""
    shown, graph = list(proposals), service.graph
    keys = sorted({key for each in shown for key in (each.left.key, each.right.key)})
    borne = bearers(service, keys)
    asked = [[key, borne[key]["entity"]] for key in keys]
    rows = database.read(queries.get("serve/mentions"), graph=graph, rows=asked) if keys else []
    quotes = {
        row["key"]: Quote(shortened(row["quote"]), **picked(row, "document", "chunk_id", "start", "end", "line"))
        for row in rows
        if row["quote"]
    }
    sides = {
        side.key: {
            "key": side.key,  # of its mentions
            "entity": borne[side.key]["entity"],  # id of the one that they belong to now
            "name": side.name,
            "type": side.type,
            "mentions": side.count,
            "documents": len(side.documents),
            "quote": quotes.get(side.key),
        }
        for each in shown
        for side in (each.left, each.right)
    }
    decided = decisions(service, KINDS["names"], keys, limit=limits.MOST_ROWS * 10) if keys else []
    found = []
    for each in shown:
        why = {"verdict": str(each.verdict), "rule": each.rule, "score": each.score, "reason": each.reason}
        carried = pair_of(borne[each.left.key], borne[each.right.key], decided)
        found.append({"left": sides[each.left.key], "right": sides[each.right.key], **why, **carried})
    return found


PAGES = (ServedPage("/merges", "merges.html", view, title="Merges", rank=70, section="merges"),)
