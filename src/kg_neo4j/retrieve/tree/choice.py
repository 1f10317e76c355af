"""Which narrative tree is read for a question, and how much of it. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from kg_neo4j.errors import UsageError
from kg_neo4j.organise.tree.interface import MOST_DETAILS, NAME

MODE = "tree"
COLLAPSED, TOP_DOWN, BOTTOM_UP, WALK = "collapsed", "top-down", "bottom-up", "walk"
TRAVERSALS = (COLLAPSED, TOP_DOWN, BOTTOM_UP, WALK)
BY_LEVEL = (TOP_DOWN, BOTTOM_UP)
CHUNK, SUMMARY, DETAIL = "chunk", "summary", "detail"
KINDS = (CHUNK, SUMMARY, DETAIL)
TOP_K = 5  # the narrative thesis: 4 to 6 are best
CONTEXT_TOKENS = 1_700  # the narrative thesis: 1,000 to 1,700 are best; five leaves of the greatest length (250) fit


@dataclass(frozen=True, slots=True)
class TreeChoice:
    """What of a tree is read. `kinds` and `details` leave out what a study compares with."""

    name: str = NAME
    top_k: int = TOP_K  # nodes; a traversal keeps so many at each level
    traversal: str = COLLAPSED
    aspects: tuple[str, ...] = ()  # of summaries, and of details by aspect; none: all
    kinds: tuple[str, ...] = KINDS
    details: int = MOST_DETAILS  # of each leaf at most
    cosine: bool = False  # the collapsed tree as published: the nearest nodes by vectors alone, none passed over

    def __post_init__(self) -> None:
        """Raise UsageError for invalid values."""
        if self.top_k < 1:
            raise UsageError(f"top_k is at least 1, not {self.top_k}", hint="--top-k 5")
        if self.traversal not in TRAVERSALS:
            raise UsageError(f"a tree cannot be read {self.traversal!r}", hint=f"one of {', '.join(TRAVERSALS)}")
        if not self.kinds or set(self.kinds) - set(KINDS):
            raise UsageError("no such kind of node", hint=f"some of {', '.join(KINDS)}")
