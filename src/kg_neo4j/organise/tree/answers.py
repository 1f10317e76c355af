"""What a model says while a tree is built, stored beside the tree before anybody uses it.

A `StoredChat` is a chat model whose every answer is read from the graph, from the cache, or asked for and stored, in
this order. So a build that was killed asks nothing twice, and a plan is the same build with nobody to ask.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from kg_neo4j._models.cache import AnswerCache, key_of
from kg_neo4j._models.protocols import ChatModel, Completion
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.errors import BadModelAnswer, ContentFiltered, ContextTooLong
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Transaction
from kg_neo4j.graph.lease import Lease
from kg_neo4j.records import Usage

ASPECTS, SUMMARY, DETAIL = "aspects", "summary", "detail"  # kinds of answers; "vector" is the fourth
FILTERED, TOO_LONG, UNREADABLE = "content_filter", "context_too_long", "unreadable"  # of answers that are empty


class Unanswered(Exception):
    """A question without a stored answer, where nobody is asked."""

    def __init__(self, key: str, tokens: int) -> None:
        super().__init__("not answered yet")
        self.key = key
        self.tokens = tokens  # of the question


@dataclass(slots=True)
class Answers:
    """The answers about one tree. Safe for several threads."""

    database: Database
    graph: str
    tree_id: str
    lease: Lease | None  # None: nothing is written
    usage: Usage = field(default_factory=Usage)
    _known: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _local: threading.local = field(default_factory=threading.local)
    _turns: dict[str, threading.Lock] = field(default_factory=dict)

    def __post_init__(self) -> None:
        rows = self.database.read(queries.get("tree/answers"), graph=self.graph, tree=self.tree_id)
        self._known = {row["id"]: (row["text"], row["finish_reason"]) for row in rows}

    @contextmanager
    def noting(self) -> Iterator[list[str]]:
        """Yield a list to which the keys of all answers are added that this thread uses meanwhile."""
        used: list[str] = []
        self._local.used = used
        try:
            yield used
        finally:
            self._local.used = None

    def alone(self, key: str) -> threading.Lock:
        """Return the lock of one question."""
        with self._lock:
            return self._turns.setdefault(key, threading.Lock())

    def find(self, key: str) -> tuple[str, str | None] | None:
        """Return text and finish reason of a stored answer, and note that it is used."""
        with self._lock:
            found = self._known.get(key)
        if found is not None:
            self._note(key)
        return found

    def store(self, key: str, kind: str, said: Completion, model: str) -> None:
        """Store an answer, which is used now; the first one of a key stays."""
        row: dict[str, object] = {
            "id": key,
            "graph": self.graph,
            "kind": kind,
            "text": said.text,
            "model": model,
            "finish_reason": said.finish_reason,
            "input_tokens": said.usage.input_tokens,
            "output_tokens": said.usage.output_tokens,
        }
        store_rows(self.database, self.graph, self.tree_id, self.lease, [row])
        with self._lock:
            self.usage += said.usage
            self._known[key] = (said.text, said.finish_reason)
        self._note(key)

    def _note(self, key: str) -> None:
        used = getattr(self._local, "used", None)
        if used is not None:
            used.append(key)


def store_rows(
    database: Database, graph: str, tree_id: str, lease: Lease | None, rows: list[dict[str, object]]
) -> None:
    """Store answers beside a tree."""
    query = queries.get("tree/store_answers")

    def write(transaction: Transaction) -> None:
        if lease is not None:
            lease.prove(transaction)
        transaction.run(query, graph=graph, tree=tree_id, rows=rows)

    database.write_transaction(write)


@dataclass(slots=True)
class StoredChat:
    """A chat model that stores what it says before it says it; with `asks` off it raises Unanswered instead of asking.

    That a filter declined, or that a text did not fit the model's window, is stored, too, and raised again; an answer
    that could not be read counts as an empty one.
    """

    model: ChatModel
    answers: Answers
    kind: str
    cache: AnswerCache | None
    tokeniser: Tokeniser
    is_useful: Callable[[str], bool]  # what is of no use is not kept for other graphs
    asks: bool = True

    @property
    def name(self) -> str:
        """The model's name, as stored beside its answers."""
        return self.model.name

    @property
    def window(self) -> int:
        """Prompt and answer together, in tokens."""
        return self.model.window

    def complete(
        self, system: str, user: str, *, max_tokens: int | None = None, temperature: float = 0.0
    ) -> Completion:
        """Answer one prompt as `ChatModel.complete` does, unless it was answered before."""
        asked = (self.model.name, system, user, repr(float(temperature)), str(max_tokens))
        key = hash_id(self.kind, self.answers.graph, self.answers.tree_id, *asked)
        with self.answers.alone(key):  # who asks the same at the same time waits for the answer
            return self._complete(key, system, user, max_tokens, temperature)

    def _complete(self, key: str, system: str, user: str, max_tokens: int | None, temperature: float) -> Completion:
        if (stored := self.answers.find(key)) is not None:
            return _said(Completion(stored[0], stored[1], Usage()))
        kept = key_of(self.model.name, system, user, temperature=temperature, max_tokens=max_tokens)
        said = self.cache.get(kept) if self.cache else None
        if not self.asks:
            if said is not None:
                return said
            raise Unanswered(key, self.tokeniser.count(system) + self.tokeniser.count(user))
        if said is None:
            said = self._ask(system, user, max_tokens, temperature)
            if self.cache and said.finish_reason not in (FILTERED, TOO_LONG, UNREADABLE) and self.is_useful(said.text):
                self.cache.put(kept, said)
        self.answers.store(key, self.kind, said, self.model.name)
        return _said(said)

    def _ask(self, system: str, user: str, max_tokens: int | None, temperature: float) -> Completion:
        try:
            return self.model.complete(system, user, max_tokens=max_tokens, temperature=temperature)
        except ContentFiltered:
            return Completion("", FILTERED, Usage())
        except ContextTooLong:
            return Completion("", TOO_LONG, Usage())
        except BadModelAnswer:  # without content, above all
            return Completion("", UNREADABLE, Usage())


def _said(said: Completion) -> Completion:
    """Return an answer, or raise what stands for it."""
    if said.finish_reason == FILTERED and not said.text:
        raise ContentFiltered("the provider's filter declined to answer")
    if said.finish_reason == TOO_LONG:
        raise ContextTooLong("the question did not fit the model's window")
    return said
