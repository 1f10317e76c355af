"""What the parts of the narrative tree hand to each other: aspects, clusters and how a tree is built. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

NAME = "narrative"  # of a tree, where none is given
LEAF_TOKENS = 200  # at most; 200 to 600 work (thesis on narrative text, 2024)
SUMMARY_TOKENS = 200  # the narrative thesis
SUMMARY_TEMPERATURE = 0.5  # the narrative thesis
LEVELS = 5  # the narrative thesis: at most
DETAILS = 1  # for each leaf, by default; the narrative thesis: the first adds most
MOST_DETAILS = 3
SPHERES = "spheres"  # clusters by principal axes and mixtures of spheres: `clustering`
UMAP = "umap"  # clusters by UMAP and mixtures with full covariances, as in RAPTOR: `raptor`
BY_TEXT, BY_ASPECT = "text", "aspect"  # what a note is on: all that its leaf says, or what that says of one aspect
REPEATS = 2  # of clustering and naming, where an aspect is shown nowhere (the narrative thesis)


@dataclass(frozen=True, slots=True)
class Aspect:
    """One way of looking at a text."""

    name: str  # lower-case words joined by "_": unique in its set, stored on the summaries
    title: str  # as people read it
    question: str  # what a summary of this aspect answers
    prompt: str = "summary"  # name of the prompt that asks for its summaries
    cues: tuple[str, ...] = ()  # words that show it where no model is asked, "marr*" for all that begin so


@dataclass(frozen=True, slots=True)
class Leaf:
    """A node of level 0: a chunk of the document, or a passage that was cut for the tree."""

    id: str
    text: str
    token_count: int
    start: int  # in the document's text, as `end`
    end: int


@dataclass(frozen=True, slots=True)
class Clusters:
    """Soft clusters of nodes: a node is in one or more of them."""

    members: tuple[tuple[int, ...], ...]  # positions of nodes, ascending; no cluster is empty
    probabilities: tuple[tuple[float, ...], ...]  # of each member, in the same order, 0 to 1


@dataclass(frozen=True, slots=True)
class TreeBuildOptions:
    """What to build. None: as the tree has it already, else the default (200, 200, 1)."""

    documents: tuple[str, ...] = ()  # ids, titles, keys or sources; none: all
    name: str = NAME
    aspects: str | Path | tuple[Aspect, ...] | None = None  # a set that ships, a file, or aspects; None: the seven
    leaf_tokens: int | None = None
    summary_tokens: int | None = None
    details: int | None = None  # notes for each leaf, 0 to 3
    details_by: str | None = None  # "text": on all that a leaf says; "aspect": on what it says of one aspect each
    levels: int | None = None  # at most, 1 to 5
    seed: int | None = None
    rebuild: bool = False  # clusters and aspects are found again
    budget_usd: float | None = None  # asking stops before it would cost more; None: no limit
    plot: Path | None = None  # .svg or .html: the tree of one document is drawn into it, once it is whole


@dataclass(frozen=True, slots=True)
class TreeOptions:
    """How one tree is built; stored with it, because another choice gives another tree."""

    name: str = NAME
    leaf_tokens: int = LEAF_TOKENS  # of a leaf at most
    summary_tokens: int = SUMMARY_TOKENS
    details: int = DETAILS
    details_by: str = BY_TEXT
    levels: int = LEVELS
    seed: int = 42
    clustering: str = SPHERES  # or UMAP
    aspects: tuple[Aspect, ...] = ()
    aspects_hash: str = ""
    embedder: str = ""  # model and dimension of the vectors
    tokeniser: str = ""
