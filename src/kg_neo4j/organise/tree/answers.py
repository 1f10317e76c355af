"""What a model says while a tree is built, stored beside the tree before it is used.

So a build that was killed asks nothing twice.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kg_neo4j._models.layers import FILTERED, TOO_LONG, UNREADABLE
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Request
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Transaction
from kg_neo4j.graph.lease import Lease
from kg_neo4j.records import Usage


@dataclass(slots=True)
class Answers:
    """The answers about one tree, all read at once. Implements `AnswerStore`."""

    database: Database
    graph: str
    tree_id: str
    lease: Lease | None  # None: nothing is written
    remembers: frozenset[str] = frozenset({FILTERED, TOO_LONG, UNREADABLE})
    usage: Usage = field(default_factory=Usage)
    _known: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        rows = self.database.read(queries.get("tree/answers"), graph=self.graph, tree=self.tree_id)
        self._known = {row["id"]: (row["text"], row["finish_reason"]) for row in rows}

    def read(self, keys: Sequence[str]) -> Mapping[str, tuple[str, str | None]]:
        """Return text and finish reason of the answers that are there, by key."""
        return {key: self._known[key] for key in keys if key in self._known}

    def write(self, request: Request, said: Completion, model: str) -> None:
        """Store an answer; the first one of a key stays."""
        row: dict[str, object] = {
            "id": request.key,
            "graph": self.graph,
            "kind": request.kind,
            "text": said.text,
            "model": model,
            "finish_reason": said.finish_reason,
            "input_tokens": said.usage.input_tokens,
            "output_tokens": said.usage.output_tokens,
        }
        if self.lease is not None:
            store_rows(self.database, self.graph, self.tree_id, self.lease, [row])
        with self._lock:
            self.usage += said.usage
            self._known[request.key] = (said.text, said.finish_reason)


def store_rows(database: Database, graph: str, tree_id: str, lease: Lease, rows: list[dict[str, object]]) -> None:
    """Store answers beside a tree."""
    query = queries.get("tree/store_answers")

    def write(transaction: Transaction) -> None:
        lease.prove(transaction)
        transaction.run(query, graph=graph, tree=tree_id, rows=rows)

    database.write_transaction(write)
