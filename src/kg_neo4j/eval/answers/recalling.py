"""A layer of a door that keeps answers as they come: a run that was killed continues and asks nothing twice.

Every answer is a line of the file, written before it is used. An answer of the file costs what it cost then, for the
one it was given to, and nothing for others, so that costs add up to the same however often a run was stopped.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace

from kg_neo4j._models.layers import Layer
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Request
from kg_neo4j.eval.answers.record_file import RecordFile
from kg_neo4j.records import Usage

KIND = "completion"


class Recalling:
    """A `door.Layer` that remembers. Safe to call from several threads, also with one question at a time."""

    def __init__(self, beneath: Layer, file: RecordFile | None = None) -> None:
        """`file` keeps all answers."""
        self._beneath = beneath
        self._file = file
        self._lock = threading.Lock()
        self._turns: dict[str, threading.Lock] = {}  # by key: a question that is being asked is waited for
        self._owners = threading.local()  # by thread
        self._owner = ""  # of threads that name none
        self._known = {row["key"]: _kept(row) for row in file.rows(KIND)} if file else {}  # answer and payer, by key
        self._told: set[str] = set()  # keys of what this process was told: it cost once
        self.spent = Usage()  # by calls that this process made

    @property
    def name(self) -> str:
        """The model's name."""
        return self._beneath.name

    @property
    def window(self) -> int:
        """Prompt and answer together, in tokens."""
        return self._beneath.window

    @contextmanager
    def paid_by(self, owner: str) -> Iterator[None]:
        """Have what is asked within cost `owner`: in this thread, and in threads that name no owner."""
        before, shared = getattr(self._owners, "name", None), self._owner
        self._owners.name, self._owner = owner, owner
        try:
            yield
        finally:
            self._owners.name, self._owner = before, shared

    @property
    def _payer(self) -> str:
        return getattr(self._owners, "name", None) or self._owner

    def complete(self, request: Request) -> Completion:
        """Answer as the layer beneath does, or as it did. Raises what it raises."""
        key = request.hash(self.name)
        with self._lock:
            turn = self._turns.setdefault(key, threading.Lock())
        with turn:
            return self._recalled(key) or self._asked(key, request)

    def keep(self, hash: str, said: Completion) -> None:
        """Leave it to the cache beneath."""
        self._beneath.keep(hash, said)

    def _recalled(self, key: str) -> Completion | None:
        with self._lock:
            kept = self._known.get(key)
            if kept is None:
                return None
            said, owner = kept
            free = owner != self._payer or key in self._told
            self._told.add(key)
        return replace(said, usage=Usage()) if free else said

    def _asked(self, key: str, request: Request) -> Completion:
        done = self._beneath.complete(request)
        with self._lock:
            self.spent += done.usage
        self._keep(key, done)
        return done

    def _keep(self, key: str, done: Completion) -> None:
        with self._lock:
            self._known[key] = (done, self._payer)
            self._told.add(key)
            if self._file:
                said = {"text": done.text, "finish_reason": done.finish_reason, "usage": asdict(done.usage)}
                self._file.append(KIND, {"key": key, "owner": self._payer, **said, "note": done.note})


def _kept(row: dict[str, object]) -> tuple[Completion, str]:
    usage = row["usage"]
    spent = Usage(**usage) if isinstance(usage, dict) else Usage()
    reason = row["finish_reason"]
    done = Completion(str(row["text"]), None if reason is None else str(reason), spent, str(row["note"]))
    return done, str(row["owner"])
