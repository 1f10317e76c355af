"""How trees are built, and what building or planning one gave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kg_neo4j._models.door import Door
from kg_neo4j._models.protocols import EmbeddingModel
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.organise.tree.interface import SPHERES, Summariser
from kg_neo4j.organise.tree.upkeep import TreeBuildChoice
from kg_neo4j.records import Usage


@dataclass(frozen=True, slots=True)
class TreeBuilding:
    """How to build trees."""

    choice: TreeBuildChoice
    door: Door  # to what writes summaries and notes
    aspect_door: Door  # to what names aspects
    embedder: EmbeddingModel
    plan_embedder: EmbeddingModel  # for a plan, which pays for nothing
    tokeniser: Tokeniser
    concurrency: int = 1  # summarisers at work at a time
    own: Sequence[Summariser] = ()  # of the caller's, for the aspects that they name
    rebuild: bool = False  # clusters, aspects and texts anew; stored answers are used again
    keeps_vectors: bool = False  # before they are published: they are paid for


@dataclass(frozen=True, slots=True)
class BuiltTree:
    """What building one tree did."""

    id: str
    document_id: str
    title: str
    leaves: int
    are_passages: bool
    new_leaves: int  # that came after the clusters were made
    summaries: Mapping[tuple[int, str], int]  # (level, aspect) -> how many
    details: int
    methods: Mapping[str, int]  # of summaries and details
    absent: tuple[str, ...]
    flagged: int  # summaries and details with a flag
    written: int  # texts that are new or other than before
    changes: int  # nodes that were written or deleted, the tree itself counted
    usage: Usage
    notes: tuple[str, ...] = ()
    unfinished: str = ""  # why nothing was published
    clustering: str = SPHERES  # or UMAP: how its clusters were found


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question that a plan counts: neither the tree nor the cache has an answer."""

    kind: str
    level: int
    tokens: int


@dataclass(frozen=True, slots=True)
class PlannedTree:
    """What building one tree would ask."""

    document_id: str
    title: str
    leaves: int
    are_passages: bool
    summaries: Mapping[tuple[int, str], int]
    details: int
    open: tuple[OpenQuestion, ...]
    is_simulated: bool  # stand-ins were embedded by another embedder than that of the graph
    details_by: str
