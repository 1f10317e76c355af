"""What calls to models cost and when they may be made, in a file that many workers share.

A `Ledger` is a file of JSON lines; the last line about a thing holds. Each operation locks the file, reads the lines
of the others, decides, and appends. A reservation is on the disk before its call is made: what is lost with a machine
leaves a reservation that is never given back, so that too much counts as spent, never too little.
"""

from __future__ import annotations

import errno
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from kg_neo4j import jsonl_log, owners
from kg_neo4j._models.books import Books, Clocks, Hold, Record, Seen, State
from kg_neo4j.errors import BudgetReached, FolderFull, KgError

POLL_S = 0.05  # how often a worker looks whether others gave back what it waits for
LONGEST_S = 1_800.0  # a reservation of another machine is waited for at most so long
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


_KINDS: dict[str, type[Record]] = {"id": Hold, "server": Clocks, "model": Seen}  # by the first field


class Ledger(Books):
    """Books in a file, for all threads and processes that name it, on all machines that share its file system.

    Opened at the first use; pickles; a forked child reads it again. Raises FolderFull where there is no space for a
    reservation, and KgError where the file cannot be used.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path).absolute()
        self.where = str(self.path)
        self._forget()

    def __reduce__(self) -> tuple[type[Ledger], tuple[Path]]:
        """Pickle the path alone."""
        return Ledger, (self.path,)

    def __eq__(self, other: object) -> bool:
        """Compare the paths."""
        return isinstance(other, Ledger) and self.path == other.path

    def __hash__(self) -> int:
        """Hash the path."""
        return hash(self.path)

    def _forget(self) -> None:
        self._state = State()
        self._end = 0  # bytes that are folded into the state
        self._lines = 0
        self._owner = ""
        self._pid = os.getpid()
        self._dead: set[str] = set()  # owners

    @contextmanager
    def opened(self) -> Iterator[State]:
        """Lock the file, fold what others wrote, give the state, append what was written to it.

        A reservation is on the disk when this ends.
        """
        import fcntl

        with self._translated():
            file = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o666)
        try:
            with self._translated():
                fcntl.flock(file, fcntl.LOCK_EX)
            try:
                self._fold(file)
                yield self._state
                written = self._append(file)
            except BaseException as error:
                if not isinstance(error, BudgetReached):
                    self._forget()  # what was taken is perhaps not in the file, or not whole
                raise
            finally:
                fcntl.flock(file, fcntl.LOCK_UN)  # closing is not enough where a child was forked meanwhile
            if any(isinstance(record, Hold) and record.held for record in written):
                with self._translated():
                    os.fsync(file)  # others may go on meanwhile: they see the line already
        finally:
            os.close(file)

    def wait(self, version: int) -> None:
        """Wait a moment."""
        time.sleep(POLL_S)

    def new_hold(self, usd: float) -> Hold:
        """Return a reservation that names this process."""
        self._owner = self._owner or owners.this_process()
        return Hold(os.urandom(6).hex(), usd, 0.0, self._owner, round(time.time(), 3))

    def is_lost(self, hold: Hold) -> bool:
        """Return True where the process that made it has ended.

        A process of another machine cannot be seen; its reservation is waited for as long as a question may take.
        """
        if hold.owner not in self._dead and owners.has_ended(hold.owner):
            self._dead.add(hold.owner)
        if hold.owner in self._dead:
            return True
        return not owners.is_here(hold.owner) and time.time() - hold.at > LONGEST_S

    def _fold(self, file: int) -> None:
        """Take the lines that were appended since the last time, and cut a line that a killed worker left unfinished.

        Such a line reserved nothing: the call is made after the line is whole.
        """
        if self._pid != os.getpid():
            self._forget()
        size = os.fstat(file).st_size
        if size < self._end:
            raise KgError(f"{self.path} was replaced while it was in use", hint="run the same command again")
        data = b""
        while piece := os.pread(file, size - self._end - len(data), self._end + len(data)):
            data += piece  # one read may give less than all
        lines, length = jsonl_log.whole_lines(data)
        if length < len(data):
            os.ftruncate(file, self._end + length)
        for line in lines:
            self._lines += 1
            self._state.take(self._read(line))
        self._end += length

    def _read(self, line: bytes) -> Record:
        try:
            fields: dict[str, Any] = json.loads(line)
            return _KINDS[next(iter(fields))](**fields)
        except (ValueError, KeyError, TypeError, AttributeError, StopIteration):
            raise KgError(
                f"{self.path}, line {self._lines}: damaged",
                hint="without it the budget is not known; a new folder begins with nothing spent",
            ) from None

    def _append(self, file: int) -> list[Record]:
        """Append what was written to the state; where there is no space, nothing of it."""
        written, self._state.unwritten = self._state.unwritten, []
        data = "".join(f"{json.dumps(asdict(record), separators=(',', ':'))}\n" for record in written).encode()
        with self._translated():
            try:
                jsonl_log.append(file, data)
            except OSError:
                self._forget()
                raise
        self._end += len(data)
        self._lines += len(written)
        return written

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if error.errno in _FULL:
                raise FolderFull(
                    f"no space left for {self.path}; no call to a model was made that it does not list",
                    hint="free some space, then run the same command again",
                ) from error
            raise KgError(
                f"{self.path} cannot be used: {error.strerror}",
                hint="it needs a file system with file locks that all workers can write to",
            ) from error
