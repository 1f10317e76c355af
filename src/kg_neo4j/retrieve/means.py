"""With what a question is answered from what was found, and how: one record for all modes that read passages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kg_neo4j._models.door import Door
from kg_neo4j._models.protocols import EmbeddingModel
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.errors import UsageError
from kg_neo4j.retrieve.checking.claims import DROP, MARK


@dataclass(frozen=True, slots=True)
class Means:
    """With what a question is answered. Nothing of it is changed by answering."""

    embedder: EmbeddingModel
    tokeniser: Tokeniser
    door: Door
    max_context_tokens: int = 6000  # of evidence
    unsupported: str = MARK  # claims that their sources do not support; or DROP: claims that cite nothing go, too
    judge: bool = False  # a second call to the model, for all claims, instead of the comparison of words
    decompose: bool = False  # the model takes the question apart before the search
    rerank: bool = False  # the model puts the passages in order after it
    hear: Callable[[str], None] | None = None  # gets the model's words as they come, before they are checked

    def __post_init__(self) -> None:
        """Refuse what is invalid: UsageError."""
        if self.max_context_tokens < 1:
            raise UsageError(f"max_context_tokens is at least 1, not {self.max_context_tokens}")
        if self.unsupported not in (MARK, DROP):
            raise UsageError(f"unsupported claims cannot be treated as {self.unsupported!r}", hint="mark or drop")
