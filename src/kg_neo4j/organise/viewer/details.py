"""What a click shows: descriptions, and the words of the sources."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Transaction
from kg_neo4j.organise.viewer.view import ViewDetail, ViewQuote

QUOTES = 5  # of one node or relationship, at most
LONGEST = 600  # characters of a quote
Address = Callable[[str, int | None, int | None], str]  # of words in a chunk, by its id and their offsets
_READ = 3 * QUOTES  # rows of one entity often have one quote


def entity_details(
    database: Database, graph: str, nums: Sequence[int], address: Address | None = None
) -> dict[int, ViewDetail]:
    """Return what there is to show of each entity, by its num; an unknown one is left out."""
    return database.read_transaction(
        lambda transaction: _details(
            transaction,
            transaction.run(queries.get("analytics/plot_entity_evidence"), graph=graph, nums=nums, **_SIZES),
            address,
        )
    )


def fact_details(
    database: Database, graph: str, facts: Sequence[str], address: Address | None = None
) -> dict[str, ViewDetail]:
    """Return what there is to show of each fact, by its id; an unknown one is left out."""
    return database.read_transaction(
        lambda transaction: _details(
            transaction,
            transaction.run(queries.get("analytics/plot_fact_evidence"), graph=graph, facts=facts, **_SIZES),
            address,
        )
    )


_SIZES = {"quotes": _READ, "hub": 2_000}


def _details(
    transaction: Transaction, rows: Sequence[Mapping[str, Any]], address: Address | None
) -> dict[Any, ViewDetail]:
    chunks = sorted({quote[0] for row in rows for quote in row["Quotes"]})
    found = transaction.run(queries.get("write/chunk_texts"), ids=chunks)
    texts = {row["id"]: row["text"] or "" for row in found}
    return {
        next(iter(row.values())): ViewDetail(
            row["Description"], row["Evidence"], _quotes(row["Quotes"], texts, address)
        )
        for row in rows
    }


def _quotes(rows: Sequence[Sequence[Any]], texts: Mapping[str, str], address: Address | None) -> tuple[ViewQuote, ...]:
    """Return the words as the sources have them, each once."""
    quotes: dict[tuple[str, str], ViewQuote] = {}
    for chunk, start, end, words, document in rows:
        text = " ".join((texts.get(chunk, "")[start:end] if start is not None else words or "").split())
        if text:
            shown = text if len(text) <= LONGEST else text[:LONGEST].rstrip() + "…"
            href = address(chunk, start, end) if address else ""
            quotes.setdefault((shown, document or ""), ViewQuote(shown, document or "", href))
    return tuple(quotes.values())[:QUOTES]
