"""What was decided, with a way back; a fact; and the forms: one whose page shows what is past decides nothing."""

from __future__ import annotations

import hashlib
import json
import threading
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pkgutil import resolve_name
from typing import Any
from urllib.parse import urlencode

from kg_neo4j.errors import KgError, LeaseHeld, UsageError
from kg_neo4j.graph import queries
from kg_neo4j_serve import limits
from kg_neo4j_serve.limits import checked, picked, start_of
from kg_neo4j_serve.refusals import Refused, missing, status_of
from kg_neo4j_serve.rendering import Action, ServedPage
from kg_neo4j_serve.results import Quote
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
REASON = "a person decided"  # where no other one is given
WAIT_S = 20.0  # that a decision waits for the one before it

About = Mapping[str, Any]
_one_at_a_time = threading.Lock()  # from looking whether something has changed until the decision is stored


class NotDecided(Refused):
    """A form that decided nothing: its page shows why, what others decided, and the form again with what it said."""

    def __init__(self, why: str, status: int, hint: str | None = None, **shown: Any) -> None:
        super().__init__(why, status, hint=hint)
        self.shown = {"since": (), **shown}  # form, about (None: it is gone), given, and decisions since


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
        "seen": row["id"][:8] + "-" * row["revoked"],
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

    groups = components(each.decision for each in stored_decisions(service.database(), service.graph))
    ids = {key: groups.entity(key) for key in keys}
    rows = service.database().read(queries.get("serve/to_decide"), graph=service.graph, ids=[*ids.values()], most=1)
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
    found = service.kept("types", lambda: service.schema(limit=limits.MOST_ROWS), limits.CHOICES_S)
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


def pair_at(service: Service, keys: str) -> About | None:
    """Return what the forms on two names, by their keys, show and carry; None where one of them is gone."""
    both = keys.split()
    found = bearers(service, both)
    if len(found) != 2 or not all(each["name"] for each in found.values()):
        return None
    decided = decisions(service, KINDS["names"], both, limit=limits.MOST_ROWS * 10)
    sides = {"left": found[both[0]], "right": found[both[1]]}
    return {
        **sides,
        "keys": tuple(both),
        "decided": decided,
        **pair_of(sides["left"], sides["right"], decided),
    }


def quote(row: Sequence[Any]) -> Quote:
    """Return words that state a fact, as serve/fact_evidence has them."""
    chunk, start, end, words, document, pages, chunk_start, line = row
    page = bisect_right(pages, chunk_start + start) if pages else None
    return Quote(limits.shortened(words), document or "", chunk, start, end, page, line)


def view(service: Service, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Return a page of the decisions, of one kind or of all."""
    kind, skip = given.get("kind", ""), start_of(given.get("cursor"))
    if kind and kind not in KINDS:
        raise UsageError(f"kind is one of {', '.join(KINDS)}, not {kind[:20]!r}")
    found = decisions(service, KINDS.get(kind, ALL), skip=skip, limit=limits.ROWS + 1)
    shown = found[: limits.ROWS]
    if any(each["group"] == "facts" for each in shown):
        known = _room("corrections.deciding:listed")(service.database(), service.graph)
        now = {each.id: {"state": each.state, "sentences": each.sentences} for each in known}
        shown = [each | now.get(each["id"], {}) for each in shown]
    cursor = limits.cursor_at(skip + limits.ROWS) if len(found) > limits.ROWS else None
    return {"decided": shown, "kind": kind, "kinds": list(KINDS), "is_first": skip == 0, "cursor": cursor}


def fact(service: Service, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Return a fact with the words that state it."""
    found = fact_at(service, checked(given.get("id", ""), "id"))
    if found is None:
        raise missing("there is no such fact, or it was called wrong", "the page Decisions lists what was called wrong")
    return {"fact": found | {"quotes": list(map(quote, found["quotes"]))}}


def _cost(service: Service) -> dict[str, Any]:
    return {"settings": service.settings, "analytics": not service.is_large(), "budget": service.budget}


def _room(name: str) -> Any:
    return resolve_name(f"kg_neo4j.rooms.{name}")


def _corrections(service: Service) -> Any:
    return _room("corrections.deciding:Corrections")(**_cost(service))


def _field(given: Mapping[str, str], name: str) -> str:
    return checked(given.get(name, ""), name)


def _type(service: Service, about: About, given: Mapping[str, str]) -> None:
    types = _room("types.deciding")
    value = _field(given, "value").upper().replace(" ", "_")
    if given.get("scope") == "all":
        types.decide_types(
            [types.TypeChange(types.NODE, about["type"], value, reason=given["reason"])], settings=service.settings
        )
    else:
        _corrections(service).edit_node(about["id"], {"type": value}, because=given["reason"])


def _same(service: Service, about: About, given: Mapping[str, str]) -> None:
    value = _field(given, "value")
    other = service.entity(value, limit=1)
    if other.near and (value.casefold() != other.name.casefold() or other.name in other.near):
        names = ", ".join(other.near)
        raise UsageError(f"{value!r} may mean {other.name} or {names}", hint="give the whole name, or the id")
    if (found := entity_at(service, other.id)) is None or other.id == about["id"]:
        raise UsageError(f"{value!r} is this entity already")
    _pair(service, {"keys": (about["keys"][0], found["keys"][0])}, {**given, "verdict": "join"})


def _two(service: Service, about: About, given: Mapping[str, str]) -> None:
    documents = [name.partition(".")[2] for name in given if name.startswith("document.")]
    split = _room("namesakes.splitting:split_name")
    split(about["written"][0], documents, reason=given["reason"] or REASON, **_cost(service))


def _pair(service: Service, about: About, given: Mapping[str, str]) -> None:
    from kg_neo4j.pipeline.commands.resolve import decide_pair

    if (verdict := given.get("verdict", "")) not in ("join", "apart"):
        raise UsageError(f"a verdict is join or apart, not {verdict[:20]!r}")
    decide_pair(about["keys"], is_one=verdict == "join", reason=given["reason"] or REASON, **_cost(service))


def _edit(service: Service, about: About, given: Mapping[str, str]) -> None:
    parts = ("source", "type", "target", "start")
    changes: dict[str, Any] = {name: given[name] for name in parts if given.get(name, about[name]) != about[name]}
    if not changes:
        raise UsageError("nothing is different in the form")
    if "start" in changes:
        changes["values"] = {"start_date": changes.pop("start")}
    _corrections(service).edit(about["id"], because=given["reason"], **changes)


def _add(service: Service, about: About, given: Mapping[str, str]) -> None:
    ends = (about["id"], _field(given, "other"))
    source, target = reversed(ends) if given.get("direction") == "from" else ends
    new_types = (given.get("other_type", ""),) * 2  # of an end that is not there
    values = {"start_date": start} if (start := given.get("start", "")) else {}
    more = {"because": given["reason"], "url": given.get("url", ""), "values": values, "new_types": new_types}
    _corrections(service).add(source, _field(given, "type"), target, **more)


def _undo(service: Service, about: About, given: Mapping[str, str]) -> None:
    if about["group"] == "names":
        from kg_neo4j.pipeline.commands import resolve

        is_split = about["document"] and about["rule"] == resolve.PERSON  # the documents of a split go together
        resolve.undo(str(about["run"]) if is_split else about["id"], **_cost(service))
    elif about["group"] == "types":
        _room("types.deciding:undo_types")(about["id"], settings=service.settings)
    else:
        _corrections(service).undo(about["id"])


def _name(service: Service, about: About, given: Mapping[str, str]) -> None:
    _corrections(service).edit_node(about["id"], {"name": _field(given, "value")}, because=given["reason"])


FORMS: Mapping[str, tuple[str, Callable[[Service, str], Any], Callable[..., object]]] = {  # the first: field of an id
    "name": ("entity", entity_at, _name),
    "type": ("entity", entity_at, _type),
    "same": ("entity", entity_at, _same),
    "two": ("entity", entity_at, _two),
    "add": ("entity", entity_at, _add),
    "wrong": (
        "fact",
        fact_at,
        lambda on, about, given: _corrections(on).wrong(about["id"], because=given["reason"]),
    ),
    "edit": ("fact", fact_at, _edit),
    "undo": ("id", decision_at, _undo),
    "pair": ("pair", pair_at, _pair),
}


def decide(form: str, service: Service, fields: Mapping[str, Any]) -> str:
    """Do what a form says, and return where to go next. Raises NotDecided, with the form, where nothing was decided."""
    given = {"reason": ""} | {name: value.strip() for name, value in fields.items() if isinstance(value, str)}
    field, find, do = FORMS[form]
    is_free = _one_at_a_time.acquire(timeout=WAIT_S)
    try:
        about, shown = find(service, _field(given, field)), given.get("was", "")
        if about is None or about["was_stated" if form == "add" else "was"] != shown:
            found = since(service, about, given)
            raise NotDecided("this has changed", 409, form=form, about=about, given=given, since=found)
        try:
            if not is_free:
                raise LeaseHeld("another decision is being stored")
            do(service, about, given)
        except KgError as error:
            again = {**about, **dict.fromkeys(("was", "was_stated"), shown)}
            raise NotDecided(str(error), status_of(error), error.hint, form=form, about=again, given=given) from error
    finally:
        if is_free:
            _one_at_a_time.release()
    for name in filter(None, (given.get("entity"), about.get("source_id"), about.get("name"), about.get("source"))):
        with suppress(UsageError):
            return f"/entity?{urlencode({'name': service.entity(name, limit=1).id})}#decided"
    return "/merges" if form == "pair" else "/decisions"


PAGES = (
    ServedPage("/fact", "fact.html", fact),
    ServedPage("/decisions", "decisions.html", view, "Decisions", 72, section="decisions"),
)
ACTIONS = tuple(Action(f"/decide/{form}", partial(decide, form)) for form in FORMS)
