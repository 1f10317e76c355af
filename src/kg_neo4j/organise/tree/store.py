"""Where trees are: all that building them reads from Neo4j and writes there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kg_neo4j._models.protocols import EmbeddingModel
from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.graph import queries
from kg_neo4j.graph.answers import AnswerSubjects, GraphAnswers
from kg_neo4j.graph.database import Database, Row
from kg_neo4j.graph.lease import Lease
from kg_neo4j.organise.tree.stored import StoredTree, TreeDraft, publish, read_tree, tree_id


@dataclass(frozen=True, slots=True)
class TreeStore:
    """The trees of one graph, with the chunks, answers and vectors that they rest on."""

    database: Database
    graph: str
    lease: Lease | None = None  # None: nothing is written

    def begin(self, document_id: str, name: str) -> None:
        """Create the node that answers hang on, unless it is there."""
        given = {"graph": self.graph, "document_id": document_id, "id": tree_id(self.graph, document_id, name)}
        self._held().write(queries.get("tree/begin"), name=name, **given)

    def tree(self, id: str) -> StoredTree | None:
        """Return what is stored of a tree; None where there is none."""
        return read_tree(self.database, self.graph, id)

    def publish(self, stored: StoredTree, wanted: TreeDraft) -> int:
        """Write what differs and return how many nodes changed."""
        return publish(self._held(), self.graph, stored, wanted)

    def chunks(self, document_id: str) -> Sequence[Row]:
        """Return the chunks of a document, as tree/chunks.cypher gives them."""
        return self.database.read(queries.get("tree/chunks"), graph=self.graph, document_id=document_id)

    def answers(self, id: str, remembers: frozenset[str]) -> GraphAnswers:
        """Return the store of what is said while a tree is built: beside the tree, before it is used."""
        return GraphAnswers(self.database, self.graph, self.lease, remembers, AnswerSubjects((id,)))

    def text_vectors(self, id: str, hashes: Sequence[str]) -> Mapping[str, list[float]]:
        """Return the vectors of texts that a tree has already, by hash."""
        rows = self.database.read(queries.get("tree/node_vectors"), graph=self.graph, tree=id, hashes=list(hashes))
        return {row["hash"]: row["embedding"] for row in rows}

    def keep_text_vectors(self, id: str, model: EmbeddingModel, made: Mapping[str, list[float]]) -> None:
        """Store vectors, by hash, before their nodes are published."""
        of = {"graph": self.graph, "kind": "vector", "model": model.name}
        rows = [
            {"id": hash_id("vector", self.graph, id, key), **of, "hash": key, "embedding": vector}
            for key, vector in made.items()
        ]
        self._held().write_parts(queries.get("tree/store_vectors"), "rows", rows, graph=self.graph, tree=id)

    def chunk_vectors(self, ids: Sequence[str]) -> Mapping[str, list[float]]:
        """Return the vectors of chunks that have one, by id."""
        rows = self.database.read(queries.get("tree/chunk_vectors"), graph=self.graph, ids=list(ids))
        return {row["id"]: row["embedding"] for row in rows}

    def _held(self) -> Lease:
        if self.lease is None:
            raise TypeError("a tree cannot be written without a lease")
        return self.lease
