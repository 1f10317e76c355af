"""Rows of model answers that were refused, and that asking again did not repair."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from kg_neo4j._serve import limits
from kg_neo4j._serve.lookups import page, start_of
from kg_neo4j._serve.rendering import ServedPage
from kg_neo4j._serve.service import Service


def view(service: Service, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Return a page of the rows in quarantine, by document, chunk and line."""
    from kg_neo4j.pipeline.commands.replay import quarantined

    skip = start_of(given.get("cursor"))
    found = quarantined(service.database(), service.graph)
    rows, cursor = page(list(islice(found, skip + limits.ROWS + 1)), skip, limits.ROWS)
    return {"rows": rows, "cursor": cursor, "is_first": skip == 0}


PAGES = (ServedPage("/quarantine", "quarantine.html", view, title="Quarantine", rank=75),)
