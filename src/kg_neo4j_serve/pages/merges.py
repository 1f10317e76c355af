"""The inbox of merges: which entities may be one, with words of both; what was decided, and taking it back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from kg_neo4j.errors import UsageError
from kg_neo4j.graph import queries
from kg_neo4j_serve import limits
from kg_neo4j_serve.limits import checked, page, picked, shortened, start_of
from kg_neo4j_serve.rendering import Action, ServedPage
from kg_neo4j_serve.results import Quote
from kg_neo4j_serve.service import Service

if TYPE_CHECKING:
    from kg_neo4j.graph.database import Database
    from kg_neo4j.graph.resolution.proposals import Proposal
    from kg_neo4j.graph.resolution.showing import StoredDecision


def view(service: Service, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Return a page of the proposals, or of the decisions."""
    from kg_neo4j.graph.resolution.showing import stored_decisions

    show = given.get("show", "open")
    if show not in ("open", "decided"):
        raise UsageError(f"show is open or decided, not {show[:20]!r}")
    database, skip = service.database(), start_of(given.get("cursor"))
    stored = stored_decisions(database, service.graph)
    is_large = service.is_large()
    found: dict[str, Any] = {"show": show, "is_first": skip == 0, "open": (), "decided": (), "is_large": is_large}
    if show == "decided":
        listed = sorted(map(_decided, stored), key=lambda each: (each["revoked"], -each["run"]))
        found["decided"], found["cursor"] = page(listed, skip, limits.ROWS)
        return found
    shown, found["cursor"] = page(service.proposals(), skip, limits.ROWS)
    found["open"] = _proposed(database, service.graph, shown, stored)
    return found


def _proposed(
    database: Database, graph: str, proposals: Iterable[Proposal], stored: Iterable[StoredDecision]
) -> list[dict[str, Any]]:
    """Return two names each, what is proposed, and why: "ask" is open; `kg resolve` does "join" and "split"."""
    from kg_neo4j.graph.resolution.decisions import components

    shown = list(proposals)
    groups = components(each.decision for each in stored)
    keys = sorted({key for each in shown for key in (each.left.key, each.right.key)})
    query = queries.get("serve/mentions")
    rows = database.read(query, graph=graph, rows=[[key, groups.entity(key)] for key in keys]) if keys else []
    quotes = {
        row["key"]: Quote(shortened(row["quote"]), **picked(row, "document", "chunk_id", "start", "end", "line"))
        for row in rows
        if row["quote"]
    }
    sides = {
        side.key: {
            "key": side.key,  # of its mentions
            "entity": groups.entity(side.key),  # id of the one that they belong to now
            "name": side.name,
            "type": side.type,
            "mentions": side.count,
            "documents": len(side.documents),
            "quote": quotes.get(side.key),
        }
        for each in shown
        for side in (each.left, each.right)
    }
    found = []
    for each in shown:
        why = {"verdict": str(each.verdict), "rule": each.rule, "score": each.score, "reason": each.reason}
        found.append({"left": sides[each.left.key], "right": sides[each.right.key], **why})
    return found


def _decided(stored: StoredDecision) -> dict[str, Any]:
    each = stored.decision  # of run 0: of a load
    found = {"id": each.id, "kind": str(each.kind), "left": stored.left, "right": stored.right}
    return found | {name: getattr(each, name) for name in ("rule", "reason", "run", "revoked")}


def decide(service: Service, form: Mapping[str, Any]) -> str:
    """Store that two names are one, or are not, and return to the inbox."""
    from kg_neo4j.pipeline.commands.resolve import decide_pair

    left, right, verdict = (_field(form, name) for name in ("left", "right", "verdict"))
    if verdict not in ("join", "apart"):
        raise UsageError(f"a verdict is join or apart, not {verdict[:20]!r}")
    decide_pair((left, right), is_one=verdict == "join", **_how(service))
    return "/merges"


def undo(service: Service, form: Mapping[str, Any]) -> str:
    """Take back a decision by its id, and return to the decisions."""
    from kg_neo4j.pipeline.commands import resolve

    id = _field(form, "id")
    if id.isdecimal() and len(id) < resolve.SHORTEST_ID:
        raise UsageError("a decision is taken back by its id")
    resolve.undo(id, **_how(service))
    return f"/merges?{urlencode({'show': 'decided'})}"


def _how(service: Service) -> dict[str, Any]:
    return {"settings": service.settings, "analytics": not service.is_large(), "budget": service.budget}


def _field(form: Mapping[str, Any], name: str) -> str:
    value = form.get(name)
    return checked(value if isinstance(value, str) else "", name)


PAGES = (ServedPage("/merges", "merges.html", view, title="Merges", rank=70, section="merges"),)
ACTIONS = (Action("/merges/decide", decide), Action("/merges/undo", undo))
