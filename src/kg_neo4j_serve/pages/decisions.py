"""What people, rules and models decided, with a way back; the forms that decide; and a fact with its forms."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from kg_neo4j.errors import KgError, LeaseHeld, UsageError
from kg_neo4j_serve import deciding, limits
from kg_neo4j_serve.deciding import ALL, KINDS, About, NotDecided, decisions
from kg_neo4j_serve.limits import checked, start_of
from kg_neo4j_serve.pages.graph import quote
from kg_neo4j_serve.pages.merges import pair_at
from kg_neo4j_serve.refusals import missing, status_of
from kg_neo4j_serve.rendering import Action, ServedPage
from kg_neo4j_serve.service import Service

if TYPE_CHECKING:
    from kg_neo4j.rooms.corrections.deciding import Corrections

REASON = "a person decided"  # where no other one is given
WAIT_S = 20.0  # that a decision waits for the one before it
_one_at_a_time = threading.Lock()  # from looking whether something has changed until the decision is stored


def view(service: Service, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Return a page of the decisions, of one kind or of all."""
    kind, skip = given.get("kind", ""), start_of(given.get("cursor"))
    if kind and kind not in KINDS:
        raise UsageError(f"kind is one of {', '.join(KINDS)}, not {kind[:20]!r}")
    found = decisions(service, KINDS.get(kind, ALL), skip=skip, limit=limits.ROWS + 1)
    shown = found[: limits.ROWS]
    if any(each["group"] == "facts" for each in shown):
        from kg_neo4j.rooms.corrections.deciding import listed

        states = {each.id: each for each in listed(service.database(), service.graph)}
        for each in (each for each in shown if each["id"] in states):
            each |= {"state": states[each["id"]].state, "sentences": states[each["id"]].sentences}
    cursor = limits.cursor_at(skip + limits.ROWS) if len(found) > limits.ROWS else None
    return {"decided": shown, "kind": kind, "kinds": list(KINDS), "is_first": skip == 0, "cursor": cursor}


def fact(service: Service, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Return a fact with the words that state it."""
    found = deciding.fact_at(service, checked(given.get("id", ""), "id"))
    if found is None:
        raise missing("there is no such fact, or it was called wrong", "the page Decisions lists what was called wrong")
    return {"fact": found | {"quotes": list(map(quote, found["quotes"]))}}


def _cost(service: Service) -> dict[str, Any]:
    return {"settings": service.settings, "analytics": not service.is_large(), "budget": service.budget}


def _corrections(service: Service) -> Corrections:
    from kg_neo4j.rooms.corrections.deciding import Corrections

    return Corrections(**_cost(service))


def _field(given: Mapping[str, str], name: str) -> str:
    return checked(given.get(name, ""), name)


def _type(service: Service, about: About, given: Mapping[str, str]) -> None:
    from kg_neo4j.rooms.types.deciding import NODE, TypeChange, decide_types

    value = _field(given, "value").upper().replace(" ", "_")
    if given.get("scope") == "all":
        decide_types([TypeChange(NODE, about["type"], value, reason=given["reason"])], settings=service.settings)
    else:
        _corrections(service).edit_node(about["id"], {"type": value}, because=given["reason"])


def _same(service: Service, about: About, given: Mapping[str, str]) -> None:
    value = _field(given, "value")
    other = service.entity(value, limit=1)
    if other.near and (value.casefold() != other.name.casefold() or other.name in other.near):
        names = ", ".join(other.near)
        raise UsageError(f"{value!r} may mean {other.name} or {names}", hint="give the whole name, or the id")
    if (found := deciding.entity_at(service, other.id)) is None or other.id == about["id"]:
        raise UsageError(f"{value!r} is this entity already")
    _pair(service, {"keys": (about["keys"][0], found["keys"][0])}, {**given, "verdict": "join"})


def _two(service: Service, about: About, given: Mapping[str, str]) -> None:
    from kg_neo4j.rooms.namesakes.splitting import split_name

    documents = [name.partition(".")[2] for name in given if name.startswith("document.")]
    split_name(about["written"][0], documents, reason=given["reason"] or REASON, **_cost(service))


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
    new = dict.fromkeys(("source_type", "target_type"), given.get("other_type", ""))  # of an end that is not there
    more = {"because": given["reason"], "url": given.get("url", ""), "start": given.get("start", "")}
    _corrections(service).add(source, _field(given, "type"), target, **new, **more)


def _undo(service: Service, about: About, given: Mapping[str, str]) -> None:
    if about["group"] == "names":
        from kg_neo4j.pipeline.commands import resolve

        is_split = about["document"] and about["rule"] == resolve.PERSON  # the documents of a split go together
        resolve.undo(str(about["run"]) if is_split else about["id"], **_cost(service))
    elif about["group"] == "types":
        from kg_neo4j.rooms.types.deciding import undo_types

        undo_types(about["id"], settings=service.settings)
    else:
        _corrections(service).undo(about["id"])


def _name(service: Service, about: About, given: Mapping[str, str]) -> None:
    _corrections(service).edit_node(about["id"], {"name": _field(given, "value")}, because=given["reason"])


FORMS: Mapping[str, tuple[str, Callable[[Service, str], Any], Callable[..., object]]] = {  # the first: field of an id
    "name": ("entity", deciding.entity_at, _name),
    "type": ("entity", deciding.entity_at, _type),
    "same": ("entity", deciding.entity_at, _same),
    "two": ("entity", deciding.entity_at, _two),
    "add": ("entity", deciding.entity_at, _add),
    "wrong": (
        "fact",
        deciding.fact_at,
        lambda on, about, given: _corrections(on).wrong(about["id"], because=given["reason"]),
    ),
    "edit": ("fact", deciding.fact_at, _edit),
    "undo": ("id", deciding.decision_at, _undo),
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
            since = deciding.since(service, about, given)
            raise NotDecided("this has changed", 409, form=form, about=about, given=given, since=since)
        try:
            if not is_free:
                raise LeaseHeld("another decision is being stored")
            do(service, about, given)
        except KgError as error:
            status = 503 if isinstance(error, LeaseHeld) else status_of(error)
            again = {**about, **dict.fromkeys(("was", "was_stated"), shown)}
            raise NotDecided(str(error), status, error.hint, form=form, about=again, given=given, since=()) from error
    finally:
        if is_free:
            _one_at_a_time.release()
    for name in filter(None, (given.get("entity"), about.get("source_id"), about.get("name"), about.get("source"))):
        with suppress(UsageError):
            return f"/entity?{urlencode({'name': service.entity(name, limit=1).id})}#decided"
    return "/merges" if form == "pair" else "/decisions"


PAGES = (
    ServedPage("/decisions", "decisions.html", view, title="Decisions", rank=72),
    ServedPage("/fact", "fact.html", fact),
)
ACTIONS = tuple(Action(f"/decide/{form}", partial(decide, form)) for form in FORMS)
