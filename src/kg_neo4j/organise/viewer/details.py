"""What a click shows: descriptions, and the words of the sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Transaction
from kg_neo4j.organise.viewer.view import ViewDetail, ViewQuote

QUOTES = 5  # of one node or relationship, at most
LONGEST = 600  # characters of a quote
_READ = 3 * QUOTES  # rows of one entity often have one quote


def entity_details(database: Database, graph: str, nums: Sequence[int]) -> dict[int, ViewDetail]:
    """Return what there is to show of each entity, by its num; an unknown one is left out."""
    return database.read_transaction(
        lambda transaction: _details(
            transaction,
            transaction.run(queries.get("analytics/plot_entity_evidence"), graph=graph, nums=nums, **_SIZES),
        )
    )


def fact_details(database: Database, graph: str, facts: Sequence[str]) -> dict[str, ViewDetail]:
    """Return what there is to show of each fact, by its id; an unknown one is left out."""
    return database.read_transaction(
        lambda transaction: _details(
            transaction,
            transaction.run(queries.get("analytics/plot_fact_evidence"), graph=graph, facts=facts, **_SIZES),
        )
    )


_SIZES = {"quotes": _READ, "hub": 2_000}


def _details(transaction: Transaction, rows: Sequence[Mapping[str, Any]]) -> dict[Any, ViewDetail]:
    chunks = sorted({quote[0] for row in rows for quote in row["Quotes"]})
    found = transaction.run(queries.get("write/chunk_texts"), ids=chunks)
    texts = {row["id"]: row["text"] or "" for row in found}
    return {
        next(iter(row.values())): ViewDetail(row["Description"], row["Evidence"], _quotes(row["Quotes"], texts))
        for row in rows
    }


def _quotes(rows: Sequence[Sequence[Any]], texts: Mapping[str, str]) -> tuple[ViewQuote, ...]:
    """Return the words as the sources have them, each once."""
    quotes: dict[ViewQuote, None] = {}
    for chunk, start, end, words, document in rows:
        text = " ".join((texts.get(chunk, "")[start:end] if start is not None else words or "").split())
        if text:
            quotes[ViewQuote(text if len(text) <= LONGEST else text[:LONGEST].rstrip() + "…", document or "")] = None
    return tuple(quotes)[:QUOTES]
