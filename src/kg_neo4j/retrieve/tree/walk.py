"""A walk over narrative trees and the entity graph beneath them, as one graph.

It starts at the leaves and summaries that the collapsed tree finds and at the entities that the question names, and
goes from a leaf to the one beside it, to summaries made from it, and to the rarer entities in it. So it reaches leaves
that share neither words nor meaning with the question. The widths were chosen by leaving out one text at a time
(docs/decisions/0041-tree-walk.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Reader, Row, Transaction
from kg_neo4j.retrieve.interface import Search
from kg_neo4j.retrieve.kept_projection import KeptProjection
from kg_neo4j.retrieve.linking import named
from kg_neo4j.retrieve.tree.choice import DETAIL

SEEDS = 10  # nodes that the collapsed tree finds: the leaves and summaries among them are started from
KIN = 0.3  # width of the way between a summary and its parts, beside 1 to the next leaf
MENTION = 0.5  # of the way between a leaf and the rarest entities in it
DAMPING = 0.7
ITERATIONS = 20  # at most; the walk ends when no score changes by more than the tolerance
TOLERANCE = 1e-4


def walk(database: Database, search: Search, name: str, seeds: Sequence[Row], shared: Mapping[str, Any]) -> list[Row]:
    """Return leaves and summaries of the trees of that name, where the walk is most often first.

    `seeds` are rows of nodes, best first; the walk does not start from details. `shared` are further parameters of the
    query. Raises GdsMissing and NotEnoughMemory.
    """
    nodes = [row["id"] for row in seeds[:SEEDS] if row["kind"] != DETAIL]

    def make(transaction: Transaction, projection: str) -> bool:
        query = queries.get("retrieve/project_tree")
        made = transaction.run(query, graph=search.graph, name=projection, tree=name, kin=KIN, mention=MENTION)
        return made[0]["projection"] is not None

    def step(reader: Reader, projection: str) -> list[Row]:
        return reader.read(
            queries.get("retrieve/tree_walk"),
            **shared,
            name=projection,
            nodes=nodes,
            entities=list(named(reader, search).entities),
            damping=DAMPING,
            iterations=ITERATIONS,
            tolerance=TOLERANCE,
        )

    return KeptProjection(database, search.graph, f"tree {name}", make, step, name).walk() or []
