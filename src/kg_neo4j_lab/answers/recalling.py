"""What a run was given, kept in a file as it comes: a run that was killed continues and asks nothing twice.

The file has one JSON object a line, each with a `kind`. A line is on the disk before it is used; one that was being
written when the run ended is cut off and written again. An answer of the file costs what it cost then, for the one it
was given to, and nothing for others, so that costs add up to the same however often a run was stopped.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from kg_neo4j import jsonl_log
from kg_neo4j._models.layers import Layer
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Request
from kg_neo4j.errors import UnreadableSource, UsageError
from kg_neo4j.records import Usage

OF_ONE_MODE = ""  # kind of the answers of a run that compares nothing: each line names its run
COMPLETION = "completion"  # kind of what a model said


class RecordFile:
    """The lines of one file. One that is not there is begun; one process writes at a time."""

    def __init__(self, path: str, *, is_kept: bool = True) -> None:
        """Read it; a plan does not keep what is appended.

        Raises UnreadableSource where a line is none of ours, UsageError where it cannot be written.
        """
        self._path = Path(path)
        self._is_kept = is_kept
        check_writable(path)
        self._lock = threading.Lock()
        self._rows: dict[str, list[dict[str, Any]]] = {}
        try:
            data = self._path.read_bytes() if self._path.exists() else b""
            lines, length = jsonl_log.whole_lines(data)
            if length < len(data):
                os.truncate(path, length)
        except OSError as error:
            raise UnreadableSource(f"{path}: {(error.strerror or str(error)).lower()}") from error
        for number, line in enumerate(lines, 1):
            try:
                row = json.loads(line)
                kind = row["kind"] if "run" not in row else OF_ONE_MODE
                self._rows.setdefault(str(kind), []).append(row)
            except (ValueError, TypeError, KeyError) as error:
                raise UnreadableSource(f"{path}, line {number}: not what `kg eval answers --save` writes") from error

    def rows(self, kind: str) -> tuple[dict[str, Any], ...]:
        """Return the lines of one kind, in their order."""
        return tuple(self._rows.get(kind, ()))

    def append(self, kind: str, row: Mapping[str, Any]) -> None:
        """Write a line; it is on the disk when this returns."""
        if not self._is_kept:
            return
        line = {"kind": kind, **row}
        data = json.dumps(line, ensure_ascii=False).encode() + b"\n"
        try:
            with self._lock:
                jsonl_log.append_to(self._path, data)
                self._rows.setdefault(kind, []).append(line)
        except OSError as error:
            raise _unwritable(str(self._path), error) from error


def check_writable(path: str) -> None:
    """Raise UsageError where a file cannot be written, before anything is paid; one that is there stays as it is."""
    there = Path(path).exists()
    try:
        Path(path).open("a", encoding="utf-8").close()
        if not there:
            Path(path).unlink()
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: str, error: OSError) -> UsageError:
    return UsageError(f"cannot write {path!r}: {(error.strerror or str(error)).lower()}", hint="name another file")


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
        self._known = {row["key"]: _kept(row) for row in file.rows(COMPLETION)} if file else {}  # answer, payer by key
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
            self._known[key] = (done, self._payer)
            self._told.add(key)
            if self._file:
                said = {"text": done.text, "finish_reason": done.finish_reason, "usage": asdict(done.usage)}
                self._file.append(COMPLETION, {"key": key, "owner": self._payer, **said, "note": done.note})
        return done


def _kept(row: Mapping[str, Any]) -> tuple[Completion, str]:
    usage, reason = row["usage"], row["finish_reason"]
    spent = Usage(**usage) if isinstance(usage, dict) else Usage()
    done = Completion(str(row["text"]), None if reason is None else str(reason), spent, str(row["note"]))
    return done, str(row["owner"])
