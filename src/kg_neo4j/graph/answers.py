"""Answers of models, stored in the graph next to what they are about, before anything rests on them."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kg_neo4j._models.layers import FILTERED
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Request
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, present
from kg_neo4j.graph.lease import Lease
from kg_neo4j.records import Usage


@dataclass(frozen=True, slots=True)
class AnswerSubjects:
    """What an answer is about: entities, facts, communities or trees, by id."""

    ids: tuple[str, ...]
    prompt_hash: str | None = None  # None: neither it nor the round is stored


@dataclass(slots=True)
class GraphAnswers:
    """The store of the answers about one graph. `place` of what it writes is a Place, or all of it is `about` one.

    Writing proves the lease: raises LeaseHeld where another run has taken over, and DatabaseError.
    """

    database: Database
    graph: str
    lease: Lease | None = None  # None: nothing can be written
    remembers: frozenset[str] = frozenset({FILTERED})
    about: AnswerSubjects | None = None
    usage: Usage = field(default_factory=Usage)  # of what was written
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def read(self, keys: Sequence[str]) -> Mapping[str, tuple[str, str | None]]:
        """Return text and finish reason of the answers that are there, by key."""
        rows = self.database.read(queries.get("write/answers"), graph=self.graph, ids=list(keys))
        return {row["id"]: (row["text"], row["finish_reason"]) for row in rows}

    def write(self, request: Request, said: Completion, model: str) -> None:
        """Store an answer; the first one of a key stays, and is then about this place, too."""
        place = self.about or request.place
        if self.lease is None or not isinstance(place, AnswerSubjects):
            raise TypeError(f"an answer to {request.kind!r} cannot be stored without a lease and a place")
        answer = {
            "id": request.key,
            "graph": self.graph,
            "kind": request.kind,
            "round": None if place.prompt_hash is None else request.round,
            "text": said.text,
            "model": model,
            "prompt_hash": place.prompt_hash,
            "finish_reason": said.finish_reason,
            "input_tokens": said.usage.input_tokens,
            "output_tokens": said.usage.output_tokens,
        }
        self.lease.write(
            queries.get("write/store_answer"), graph=self.graph, ids=list(place.ids), answer=present(answer)
        )
        with self._lock:
            self.usage += said.usage
