"""Answers that were paid for, kept on this machine: the same question to the same model is not paid for again.

A copy that saves money across graphs, never the truth: what a graph was made from is stored in the graph. Only answers
that somebody read and found to be of use are put here. A torn or foreign file is a miss: it is made anew, and a note
says so; a disk that is full or read-only switches the cache off for the run. Safe for several threads and processes.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from kg_neo4j._models.protocols import Completion
from kg_neo4j.records import Usage
from kg_neo4j.settings import Settings

if TYPE_CHECKING:
    from filelock import FileLock

FILE = "answers.sqlite3"
MAX_BYTES = 1 << 30  # some 200,000 answers
BUSY_S = 10.0  # for another process to finish its write
FORMAT = 1  # of the file; another one is made anew
MAKE = f"""
BEGIN;
DROP TABLE IF EXISTS answers;
CREATE TABLE answers (
    number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, value BLOB NOT NULL, digest TEXT NOT NULL
);
PRAGMA user_version = {FORMAT};
COMMIT
"""
_TORN = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_EVICTED_AT_ONCE = 10  # a tenth of the answers, the oldest

T = TypeVar("T")


def open_cache(settings: Settings) -> AnswerCache | None:
    """Return the cache in KG_CACHE; None where KG_ANSWER_CACHE is off."""
    return AnswerCache(settings.cache / FILE) if settings.answer_cache else None


def packed(completion: Completion) -> str:
    """Return an answer as JSON."""
    used = completion.usage
    tokens = (used.input_tokens, used.output_tokens) if used.calls else ()
    return json.dumps([completion.text, completion.finish_reason, *tokens])


def unpacked(value: str | bytes) -> Completion:
    """Return the answer in JSON, which costs nothing now."""
    text, reason, *tokens = json.loads(value)
    return Completion(text, reason, Usage(), kept=Usage(1, *tokens) if tokens else Usage())


@dataclass(slots=True, eq=False)
class AnswerCache:
    """Answers by key. Opens its file at the first use, in every process by itself; pickles."""

    file: Path
    max_bytes: int = field(default=MAX_BYTES, kw_only=True)  # of what is kept; the oldest answers go first
    notes: tuple[str, ...] = ()  # what a person should know: the file was made again, or cannot be used
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _opened: tuple[int, sqlite3.Connection] | None = None  # process id, connection
    _off: bool = False

    def __reduce__(self) -> tuple[Callable[..., AnswerCache], tuple[Path]]:
        """Pickle the place alone."""
        return type(self), (self.file,)

    def get(self, key: str) -> Completion | None:
        """Return the answer, which costs nothing now; None where there is none, or where it cannot be read."""
        row = self._try(lambda file: file.execute("SELECT value, digest FROM answers WHERE key = ?", (key,)).fetchone())
        return unpacked(row[0]) if row is not None and row[1] == _digest(key, row[0]) else None

    def put(self, key: str, completion: Completion) -> None:
        """Keep an answer that was found to be of use; the first one of a key stays."""
        value = packed(completion).encode()
        digest = _digest(key, value)

        def write(file: sqlite3.Connection) -> None:
            stored = file.execute("SELECT value, digest FROM answers WHERE key = ?", (key,)).fetchone()
            if stored is None or stored[1] != _digest(key, stored[0]):
                file.execute(
                    "INSERT OR REPLACE INTO answers (key, value, digest) VALUES (?, ?, ?)", (key, value, digest)
                )
                self._evict(file)

        self._try(write)

    def close(self) -> None:
        """Close the file; a later use opens it again."""
        with self._lock:
            self._shut()

    def _try(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        """Do `work`; once more on a new file where this one is torn; None where the file cannot be used at all."""
        with self._lock:
            for last in (False, True):
                if self._off:
                    return None
                try:
                    return work(self._connection())
                except (sqlite3.Error, OSError) as error:
                    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
                    if code == sqlite3.SQLITE_BUSY:
                        return None
                    if code not in _TORN or last or not self._make_anew():
                        self._off = True
                        self._shut()
                        self.notes += (f"answers are not kept in {self.file}: {error}",)
            return None

    def _connection(self) -> sqlite3.Connection:
        if self._opened is not None and self._opened[0] == os.getpid():
            return self._opened[1]
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            os.close(os.open(self.file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        file = sqlite3.connect(self.file, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
        try:
            if file.execute("PRAGMA user_version").fetchone() != (FORMAT,):
                with self._alone():  # SQLite does not wait for another process that changes the journal's mode
                    file.execute("PRAGMA journal_mode = WAL")
                    if file.execute("PRAGMA user_version").fetchone() != (FORMAT,):  # else another process was first
                        file.executescript(MAKE)
            file.execute("PRAGMA synchronous = NORMAL")  # the last answers may go with the power, the file stays whole
        except sqlite3.Error:
            file.close()
            raise
        self._opened = (os.getpid(), file)
        return file

    def _evict(self, file: sqlite3.Connection) -> None:
        while True:
            (pages,), (free,), (bytes_each,) = (
                file.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "freelist_count", "page_size")
            )
            if (pages - free) * bytes_each <= self.max_bytes:
                return
            (count,) = file.execute("SELECT count(*) FROM answers").fetchone()
            if not count:
                return
            file.execute(
                "DELETE FROM answers WHERE number IN (SELECT number FROM answers ORDER BY number LIMIT ?)",
                (-(-count // _EVICTED_AT_ONCE),),
            )

    def _make_anew(self) -> bool:
        """Remove a torn file, unless another process has just done so; False where that is not possible."""
        self._shut()
        try:
            with self._alone():
                if _is_torn(self.file):
                    for suffix in ("", "-wal", "-shm"):
                        Path(f"{self.file}{suffix}").unlink(missing_ok=True)
                    self.notes += (f"{self.file} was damaged and has been replaced; its answers are lost",)
        except OSError:
            return False
        return True

    def _alone(self) -> FileLock:
        """Return the lock of those who make the file; raises filelock.Timeout, an OSError, after BUSY_S."""
        from filelock import FileLock

        return FileLock(f"{self.file}.lock", timeout=BUSY_S, mode=0o600)

    def _shut(self) -> None:
        if self._opened is not None and self._opened[0] == os.getpid():
            self._opened[1].close()
        self._opened = None


def _is_torn(path: Path) -> bool:
    with contextlib.closing(sqlite3.connect(path, timeout=BUSY_S)) as file:
        try:
            return bool(file.execute("PRAGMA quick_check(1)").fetchone() != ("ok",))
        except sqlite3.DatabaseError as error:
            return error.sqlite_errorcode & 0xFF in _TORN


def _digest(key: str, value: object) -> str:
    data = value if isinstance(value, bytes) else repr(value).encode()
    return hashlib.sha256(key.encode() + b"\0" + data).hexdigest()
