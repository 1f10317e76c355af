"""Entities and passages that fit some words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kg_neo4j._serve.rendering import ServedPage
from kg_neo4j._serve.service import Service

if TYPE_CHECKING:
    from kg_neo4j.retrieve.excerpts import Highlight


def view(service: Service, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Return a page of hits; none before there are words."""
    words, cursor = given.get("words", "").strip(), given.get("cursor")
    found = service.search(words, limit=10, cursor=cursor) if words else None
    return {"words": words, "found": found, "is_first": not cursor}


def _excerpt(text: str, words: str) -> tuple[Highlight, ...]:
    """Return the part of a passage to show. Importing retrieval takes long, so a server starts without it."""
    from kg_neo4j.retrieve.excerpts import excerpt

    return excerpt(text, words)


FUNCTIONS = {"excerpt": _excerpt}
PAGES = (ServedPage("/search", "search.html", view, title="Search", rank=20),)
