"""What a person decides on: its state, as a page shows it, and what was decided on it before.

A form carries a hash of that state. Where it has changed since, nothing is decided.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kg_neo4j.graph import queries
from kg_neo4j_serve import limits
from kg_neo4j_serve.limits import picked
from kg_neo4j_serve.refusals import Refused

if TYPE_CHECKING:
    from kg_neo4j_serve.service import Service

KINDS = {
    "names": ("must-link", "cannot-link", "same"),
    "types": ("node-type", "relationship-type", "inverse-type", "preferred-node-type", "preferred-relationship-type"),
    "facts": ("wrong-fact", "added-fact", "edited-fact"),
    "nodes": ("edited-node",),
}
ALL = tuple(kind for kinds in KINDS.values() for kind in kinds)
OF_ENTITIES = tuple(kind for kind in ALL if kind not in KINDS["facts"])
WHOSE = {"person": "a person", "file": "a file of links", "model": "a model"}
MOST = 60  # documents of an entity, and decisions that touch it, in its forms
MARK = 8  # digits of an id

About = Mapping[str, Any]


class NotDecided(Refused):
    """A form that decided nothing: its page shows why, what others decided, and the form again with what it said."""

    def __init__(self, why: str, status: int, hint: str | None = None, **shown: Any) -> None:
        super().__init__(why, status, hint=hint)
        self.shown = shown  # form, about (None: it is gone), given, since


def hash_of(*values: object) -> str:
    """Return a short hash of values."""
    return hashlib.sha256(json.dumps(values, sort_keys=True, default=str).encode()).hexdigest()[:16]


def decisions(
    service: Service, kinds: Iterable[str] = ALL, keys: Sequence[str] = (), skip: int = 0, limit: int = MOST
) -> list[dict[str, Any]]:
    """Return decisions, those that hold first, then the newest; with `keys` those that touch them."""
    asked = {"kinds": [*kinds], "keys": [*keys], "skip": skip, "limit": limit}
    rows = service.database().read(queries.get("serve/decisions"), graph=service.graph, **asked)
    return [_shown(row) for row in rows]


def _shown(row: Mapping[str, Any]) -> dict[str, Any]:
    url = json.loads(row["content"] or "{}").get("url", "")
    return {
        **{name: row[name] for name in row if name not in ("content", "lost")},
        "group": next(name for name, kinds in KINDS.items() if row["kind"] in kinds),
        "by": WHOSE.get(row["rule"], f"the rule {row['rule']}"),
        "state": "taken back" if row["revoked"] else "its sentence has gone" if row["lost"] else "in force",
        "sentences": (),
        "url": url if url.startswith(("https://", "http://")) else "",  # that a browser opens
        "was": hash_of(row["id"], row["revoked"], row["right"], row["reason"]),
        "seen": row["id"][:MARK] + "-" * row["revoked"],
        "touched": row["id"],
    }


def decision_at(service: Service, id: str) -> dict[str, Any] | None:
    """Return a decision as its form shows and carries it; None where there is none."""
    return next((each | {"decided": [each]} for each in decisions(service, keys=[id])), None)


def _seen(rows: Iterable[About], kinds: Sequence[str] = ALL) -> str:
    return " ".join(each["seen"] for each in rows if each["kind"] in kinds)


def since(service: Service, about: About | None, given: Mapping[str, str]) -> list[About]:
    """Return the decisions that the page of a form did not show, or showed in another state."""
    known, keys = {*given.get("seen", "").split()}, {*given.get("touched", "").split()}
    rows = about["decided"] if about else decisions(service, keys=[*keys]) if keys else []
    ends = [(each, keys & {each["left_key"], each["right_key"]}) for each in rows if each["seen"] not in known]
    return [each for each, found in ends if about or each["id"] in keys or len(found) == min(len(keys), 2)]


def bearers(service: Service, keys: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return the entities that keys of names belong to now, by key; one that is not there has no name."""
    from kg_neo4j.graph.resolution.decisions import components
    from kg_neo4j.graph.resolution.showing import stored_decisions

    database, graph = service.database(), service.graph
    groups = components(each.decision for each in stored_decisions(database, graph))
    ids = {key: groups.entity(key) for key in keys}
    rows = database.read(queries.get("serve/to_decide"), graph=graph, ids=[*ids.values()], most=1)
    named = {row["id"]: picked(row, "name", "type") for row in rows}
    return {key: {"key": key, "entity": id, **named.get(id, {"name": "", "type": ""})} for key, id in ids.items()}


def entity_at(service: Service, id: str) -> dict[str, Any] | None:
    """Return what the forms on an entity, or on the one that its name belongs to now, show and carry; None for none."""
    rows = service.database().read(queries.get("serve/to_decide"), graph=service.graph, ids=[id], most=MOST)
    if not rows:
        now = bearers(service, [id])[id]["entity"]
        return entity_at(service, now) if now != id else None
    [row] = rows
    keys = [*dict.fromkeys(key for key, _ in row["names"])] or [id]
    decided = decisions(service, keys=[*keys, row["type"]])
    own = (id, row["name"], row["type"], sorted(keys))
    return {
        **row,
        "keys": keys,
        "written": [*dict.fromkeys(name for _, name in row["names"])] or [row["name"]],
        "decided": decided,
        "was": hash_of(own, _seen(decided, OF_ENTITIES)),
        "was_stated": hash_of(own, _seen(decided)),  # with its facts: of the form that adds one
        "seen": _seen(decided),
        "touched": id,
        **types_of(service),
    }


def types_of(service: Service) -> dict[str, list[str]]:
    """Return the commonest types of the graph, for lists to choose from."""
    found = service.schema(limit=limits.MOST_ROWS)
    kinds = {"node_types": found.entities, "fact_types": found.relationships}
    return {name: [each.type for each in rows] for name, rows in kinds.items()}


def fact_of(row: Mapping[str, Any], decided: Iterable[About]) -> dict[str, Any]:
    """Return what the forms on a fact show and carry; `row` is of serve/fact_evidence."""
    touched = [each for each in (row["source_key"], row["target_key"], row["hand"]) if each]
    own = [each for each in decided if {each["left_key"], each["right_key"]} == {*touched[:2]} or each["id"] in touched]
    names = ("id", "source", "source_id", "type", "target", "target_id", "start", "hand")
    about = {name: row[name] or "" for name in names}
    by_hand = next((each for each in own if each["id"] == row["hand"]), None)
    carried = {"was": hash_of(*about.values()), "seen": _seen(own), "touched": " ".join(touched)}
    return about | carried | {"decided": own, "undo": by_hand}


def fact_at(service: Service, id: str) -> dict[str, Any] | None:
    """Return a fact with its quotes and what its forms carry; None where no words state it any more."""
    query = queries.get("serve/fact_evidence")
    rows = service.database().read(query, graph=service.graph, ids=[id], quotes=limits.ROWS)
    if not rows or not rows[0]["quotes"]:
        return None
    decided = decisions(service, keys=fact_of(rows[0], ())["touched"].split())
    return fact_of(rows[0], decided) | {"quotes": rows[0]["quotes"], **types_of(service)}


def pair_of(left: About, right: About, decided: Iterable[About]) -> dict[str, str]:
    """Return what the forms on two names carry: each has a `key`, the `entity` that it is of now, name and type."""
    keys = {left["key"], right["key"]}
    own = [each for each in decided if keys & {each["left_key"], each["right_key"]}]
    values = [each[name] for each in (left, right) for name in ("key", "entity", "name", "type")]
    carried = {"seen": _seen(own), "touched": f"{left['key']} {right['key']}"}
    return {"was": hash_of(values, carried["seen"]), **carried}
