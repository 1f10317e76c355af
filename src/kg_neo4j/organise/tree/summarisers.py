"""What writes summaries and notes: an abstract class, one instance for each aspect and one for details.

    class Headlines(AbstractSummariser):
        name = "plot"
        method = "headlines"
        def summarize(self, context: str, max_tokens: int = 200) -> str: ...

Instances of a user's own stand beside those that ship, or instead of those of the same name. Where details are by
aspect, the one called "detail:plot" writes those on the plot, and the one called "detail" those of all other aspects.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from kg_neo4j.organise.tree.interface import SUMMARY_TOKENS
from kg_neo4j.organise.tree.written import WrittenText


class AbstractSummariser(ABC):
    """Writes summaries of one aspect, or notes; safe to call from several threads."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name of the aspect, or "detail", or "detail:" and the name of an aspect."""

    @property
    @abstractmethod
    def method(self) -> str:
        """Stored with its text: "model", "extractive" or a name of the user's own."""

    @abstractmethod
    def summarize(self, context: str, max_tokens: int = SUMMARY_TOKENS) -> str:
        """Return a summary of `context`, of at most `max_tokens` tokens; empty where there is nothing to say."""

    def write(self, context: str, max_tokens: int = SUMMARY_TOKENS, before: Sequence[str] = ()) -> WrittenText:
        """Return what `summarize` does, with how it came about; `before` are the notes that there are already."""
        return WrittenText(self.summarize(context, max_tokens).strip(), self.method)
