"""The first page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kg_neo4j._serve.rendering import Page
from kg_neo4j._serve.service import Service


def view(service: Service, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Return the first documents."""
    return {"found": service.documents(cursor=given.get("cursor"))}


PAGES = (Page("/", "home.html", view, title="Home"),)
