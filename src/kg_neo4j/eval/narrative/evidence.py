"""Whether the words that answer a question are within what would be read: at equal tokens, without a model.

Strict: they stand in a text that is read. Beneath: they stand in a leaf that what is read was made of, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kg_neo4j.errors import UsageError
from kg_neo4j.retrieve import local, naive
from kg_neo4j.retrieve.interface import TREE, AskOptions, Found, Search
from kg_neo4j.retrieve.packing import pack_found
from kg_neo4j.retrieve.tree.search import retrieve

if TYPE_CHECKING:
    from kg_neo4j._models.tokens import Tokeniser
    from kg_neo4j.graph.database import Database

MODES = ("naive", "local", TREE)
CHUNKS = 60  # that are looked at: more than fit a large context


@dataclass(frozen=True, slots=True)
class EvidenceFound:
    """What is read for one question. Shares are of its quotes, 0 to 1."""

    strict: float
    beneath: float
    tokens: int


def find_evidence(
    database: Database, search: Search, quotes: Sequence[str], options: AskOptions, tokeniser: Tokeniser, tokens: int
) -> EvidenceFound:
    """Return how much of `quotes` is read within `tokens` as `options` say. Raises UsageError for another mode."""
    if options.mode not in MODES:
        raise UsageError(f"what the mode {options.mode!r} reads are no passages", hint=f"one of {', '.join(MODES)}")
    search = replace(search, options=replace(options, max_context_tokens=tokens), mode=options.mode)
    if options.mode == TREE:
        found = retrieve(database, search)
    elif options.mode == "local":
        found = local.retrieve(database, search, CHUNKS)
    else:
        found = naive.retrieve(database, search)
    packed = pack_found(found, tokeniser, tokens)
    read = [each.text for each in packed.evidence]
    return EvidenceFound(share(quotes, read), share(quotes, [*read, *_leaves(found)]), packed.tokens)


def share(quotes: Sequence[str], texts: Sequence[str]) -> float:
    """Return the share of quotes that stand within one of the texts, line breaks and marks of emphasis apart."""
    plain = [_plain(text) for text in texts]
    return sum(any(_plain(quote) in text for text in plain) for quote in quotes) / len(quotes)


def _leaves(found: Found) -> list[str]:
    texts = {chunk.id: chunk.text for chunk in found.chunks}
    return [texts[place.chunk_id][place.start : place.end] for node in found.nodes for place in node.places]


def _plain(text: str) -> str:
    return " ".join(text.replace("_", "").replace("*", "").split())
