"""The first page, where one asks; the page of an answer; and the search for entities and passages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, get_args

from kg_neo4j.graph import queries
from kg_neo4j_serve import limits
from kg_neo4j_serve.api import OF_FILTERS, method, with_filters
from kg_neo4j_serve.limits import picked
from kg_neo4j_serve.rendering import ServedPage
from kg_neo4j_serve.results import AskResult
from kg_neo4j_serve.service import Mode, Service

if TYPE_CHECKING:
    from kg_neo4j.retrieve.excerpts import Highlight

FIRST = 12  # entities to begin with
FIRST_CHUNKS = 100  # that are looked at for them
ENTITY = ("id", "name", "type")
CHOSEN = ("types", "languages", "kinds")  # filters whose values are ticked


def begun(service: Service, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Return what the first page shows."""
    query = queries.get("serve/first_entities")
    rows = service.database().read(query, graph=service.graph, chunks=FIRST_CHUNKS, limit=FIRST)
    entities = [picked(row, *ENTITY) for row in rows]
    return {"asked": _asked(service, given), "documents": service.documents(limit=5), "entities": entities}


def answered(service: Service, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Return the checked answer to the question of the form."""
    asked = _asked(service, given)
    query = {"question": [asked["question"]], "mode": [asked["mode"]]}
    for name, text in asked["filters"].items():
        if values := [each.strip() for each in text.split(",") if each.strip()]:
            query[name] = values
    arguments = method("ask").arguments(with_filters(query))
    answer = service.recent.take(arguments) or service.ask(**arguments)
    entities = _in_quotes(service, "serve/entities_in_places", answer, 60)
    facts = _in_quotes(service, "serve/facts_in_places", answer, limits.MOST_ROWS)
    return {"asked": asked, "answer": answer, "entities": entities, "facts": facts}


def _asked(service: Service, given: Mapping[str, str]) -> dict[str, Any]:
    """Return what the form says; several values of a filter have commas between them."""
    known = service.choices()
    chosen = {name: [each.strip() for each in given.get(name, "").split(",")] for name in CHOSEN}
    offered = {name: dict.fromkeys((*known[name], *filter(None, chosen[name]))) for name in CHOSEN}
    return {
        "choices": {name: [(value, value in chosen[name]) for value in offered[name]] for name in CHOSEN},
        "titles": [each.replace(",", "*") for each in known["documents"]],  # a comma would be between two of them
        "question": given.get("question", "").strip(),
        "mode": given.get("mode") or "auto",
        "modes": get_args(Mode),
        "filters": {name: given.get(name, "").strip() for name in OF_FILTERS},
        "streams": service.rights.spend_usd is not None,  # a draft is shown as a model writes it
    }


def _in_quotes(service: Service, query: str, answer: AskResult, most: int) -> list[dict[str, Any]]:
    """Return what the quotes of an answer mention, which its graph shows, or the facts that they state."""
    places = [{"chunk": each.chunk_id, "start": each.start, "end": each.end} for each in answer.quotes]
    asked = {"graph": service.graph, "places": places, "limit": most}
    return [dict(row) for row in service.database().read(queries.get(query), **asked)] if places else []


def searched(service: Service, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Return a page of hits; none before there are words."""
    words, cursor = given.get("words", "").strip(), given.get("cursor")
    found = service.search(words, limit=10, cursor=cursor) if words else None
    return {"words": words, "found": found, "is_first": not cursor}


def _excerpt(text: str, words: str) -> tuple[Highlight, ...]:
    """Return the part of a passage to show. Importing retrieval takes long, so a server starts without it."""
    from kg_neo4j.retrieve.excerpts import excerpt

    return excerpt(text, words)


FUNCTIONS = {"excerpt": _excerpt}
PAGES = (
    ServedPage("/", "home.html", begun, title="Ask", rank=10),
    ServedPage("/ask", "answer.html", answered),
    ServedPage("/search", "search.html", searched, title="Search", rank=20),
)
