"""Questions about a tree: to whom they go, and the key of each stored answer. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

from kg_neo4j._models.tasks import Request, Task
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire.identity import hash_id

ASPECTS, SUMMARY, DETAIL = "aspects", "summary", "detail"  # kinds of answers; "vector" is the fourth

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TreeItem:
    """A summary or a detail to be written."""

    id: str  # of its node
    kind: str  # "summary" or "detail"
    aspect: str  # "detail" for details on all that a leaf says
    context: str
    hash: str  # of all that it is made from
    flags: tuple[str, ...] = ()
    before: tuple[str, ...] = ()  # notes on the same leaf that there are already
    level: int = 0  # of summaries, from 1

    @property
    def may_be_silent(self) -> bool:
        """Return whether its text may say nothing: that of a note on one aspect, which a leaf need not show."""
        return self.kind == DETAIL and self.aspect != DETAIL


@dataclass(frozen=True, slots=True)
class Subject:
    """A tree, and the model that is asked about it."""

    graph: str
    tree_id: str
    model: str
    window: int  # of the model
    tokeniser: Tokeniser

    def key(self, kind: str, *parts: str) -> str:
        """Return the key of an answer about this tree."""
        return hash_id(kind, self.graph, self.tree_id, *parts)


@dataclass(frozen=True, slots=True)
class TreeTask(Task[T]):
    """A question about a tree. Its answer is stored by all that shapes it."""

    subject: Subject

    def request(self, complaint: str, round: int) -> Request:
        """Return what the model gets in one round, with the key of its answer."""
        asked = Task.request(self, complaint, round)
        how = (repr(float(asked.temperature)), str(asked.max_tokens))
        key = self.subject.key(self.kind, self.subject.model, asked.system, asked.user, *how)
        return replace(asked, key=key)
