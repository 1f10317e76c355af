"""Entities and passages that fit some words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kg_neo4j._serve.rendering import Page
from kg_neo4j._serve.service import Service
from kg_neo4j.retrieve.excerpts import excerpt


def view(service: Service, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Return a page of hits; none before there are words."""
    words, cursor = given.get("words", "").strip(), given.get("cursor")
    found = service.search(words, limit=10, cursor=cursor) if words else None
    return {"words": words, "found": found, "is_first": not cursor}


FUNCTIONS = {"excerpt": excerpt}
PAGES = (Page("/search", "search.html", view, title="Search", rank=20),)
