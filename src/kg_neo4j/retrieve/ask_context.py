"""Models, tokeniser and checking options for answering a question: one record for all modes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kg_neo4j._models.door import Door
from kg_neo4j._models.protocols import EmbeddingModel
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.errors import UsageError
from kg_neo4j.retrieve.checking.claims import DROP, MARK


@dataclass(frozen=True, slots=True)
class AskContext:
    """Models, tokeniser and checking options for answering a question. Answering changes none of them."""

    embedder: EmbeddingModel
    tokeniser: Tokeniser
    door: Door
    unsupported: str = MARK  # claims that their sources contradict; or DROP: claims that cite nothing go, too
    judge: bool = False  # a second call to the model, for all claims, instead of the comparison of words
    on_token: Callable[[str], None] | None = None  # gets the model's words as they come, before they are checked

    def __post_init__(self) -> None:
        """Raise UsageError for an unknown way to treat unsupported claims."""
        if self.unsupported not in (MARK, DROP):
            raise UsageError(f"unsupported claims cannot be treated as {self.unsupported!r}", hint="mark or drop")
