"""A file of what a run was given, one JSON object a line, so that a run which was killed goes on where it was.

Each line has a `kind`. A line is on the disk before it is used; one that was being written when the run ended is cut
off and written again.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kg_neo4j.errors import UnreadableSource, UsageError

OF_ONE_MODE = ""  # kind of the answers of a run that compares nothing: each line names its run


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
            whole = data.rfind(b"\n") + 1
            if whole < len(data):
                with self._path.open("r+b") as file:
                    file.truncate(whole)
        except OSError as error:
            raise UnreadableSource(f"{path}: {(error.strerror or str(error)).lower()}") from error
        for number, line in enumerate(data[:whole].split(b"\n")[:-1], 1):
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
        """Write a line, at once on the disk."""
        if not self._is_kept:
            return
        line = {"kind": kind, **row}
        text = json.dumps(line, ensure_ascii=False) + "\n"
        try:
            with self._lock, self._path.open("a", encoding="utf-8") as file:
                self._rows.setdefault(kind, []).append(line)
                file.write(text)
        except OSError as error:
            raise _unwritable(str(self._path), error) from error


def check_writable(path: str) -> None:
    """Raise UsageError where a file cannot be written, before anything is paid; one that is there stays as it is."""
    there = Path(path).exists()
    try:
        with Path(path).open("a", encoding="utf-8"):
            pass
        if not there:
            Path(path).unlink()
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: str, error: OSError) -> UsageError:
    return UsageError(f"cannot write {path!r}: {(error.strerror or str(error)).lower()}", hint="name another file")
