"""The first page, where one asks, and the page of an answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from kg_neo4j._serve.api import method, with_filters
from kg_neo4j._serve.rendering import ServedPage
from kg_neo4j._serve.results import AskResult
from kg_neo4j._serve.service import Mode, Service
from kg_neo4j.graph import queries

FIRST = 12  # entities to begin with
FIRST_CHUNKS = 100  # that are looked at for them
FIELDS = ("documents", "languages", "kinds", "types", "since", "until")


@dataclass(frozen=True, slots=True)
class AskForm:
    """What the form says; texts as they were typed."""

    question: str
    mode: str
    modes: tuple[str, ...]
    filters: Mapping[str, str]  # by name, all of them; several values have commas between them
    streams: bool  # a draft is shown as a model writes it


@dataclass(frozen=True, slots=True)
class NamedEntity:
    """An entity to begin with."""

    id: str
    name: str
    type: str


def begun(service: Service, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Return what the first page shows."""
    database, graph = service.database(), service.graph
    rows = database.read(queries.get("serve/first_entities"), graph=graph, chunks=FIRST_CHUNKS, limit=FIRST)
    return {
        "asked": _asked(service, given),
        "documents": service.documents(limit=5),
        "entities": tuple(NamedEntity(**row) for row in rows),
    }


def answered(service: Service, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Return the checked answer to the question of the form."""
    asked = _asked(service, given)
    query = {name: _values(value) for name, value in asked.filters.items() if value}
    arguments = method("ask").arguments(with_filters({"question": [asked.question], "mode": [asked.mode], **query}))
    answer = service.recent.take(arguments) or service.ask(**arguments)
    return {"asked": asked, "answer": answer, "entities": _mentioned(service, answer)}


def _asked(service: Service, given: Mapping[str, str]) -> AskForm:
    filters = {name: given.get(name, "").strip() for name in FIELDS}
    streams = service.rights.spend_usd is not None  # without a model there is no draft
    return AskForm(given.get("question", "").strip(), given.get("mode") or "auto", get_args(Mode), filters, streams)


def _values(text: str) -> list[str]:
    return [each for each in map(str.strip, text.split(",")) if each]


def _mentioned(service: Service, answer: AskResult) -> tuple[NamedEntity, ...]:
    """Return the entities that the quotes of an answer mention: what its graph shows."""
    places = [{"chunk": each.chunk_id, "start": each.start, "end": each.end} for each in answer.quotes]
    query = queries.get("serve/entities_in_places")
    rows = service.database().read(query, graph=service.graph, places=places, limit=60) if places else []
    return tuple(NamedEntity(row["id"], row["name"], row["type"]) for row in rows)


PAGES = (ServedPage("/", "home.html", begun, title="Ask", rank=10), ServedPage("/ask", "answer.html", answered))
