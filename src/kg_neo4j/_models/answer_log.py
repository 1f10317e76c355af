"""Answers that were paid for while something is in the making, in files next to it: whoever continues pays once.

Each process appends to a file of its own and reads those of all, so that a shared folder serves many machines.
"""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Sequence
from pathlib import Path

from kg_neo4j import jsonl_log
from kg_neo4j._models.cache import packed, unpacked
from kg_neo4j._models.protocols import Completion
from kg_neo4j.errors import cannot_write


def logs(folder: Path) -> list[tuple[str, Path]]:
    """Return the files of a folder, each with the name that it is for."""
    return [(path.name.partition(".")[0], path) for path in sorted(folder.glob("*.*.jsonl"))]


class AnswerLog:
    """The answers for one thing, by key, as an `AnswerCache` gives them. Reads its files at the first question."""

    notes: tuple[str, ...] = ()

    def __init__(self, folder: Path, name: str, others: Sequence[Path] = ()) -> None:
        """`name` says what the answers are for; it has no dot. `others` are files of other names to read, too."""
        self._folder = folder
        self._name = name
        self._others = others
        self._file = folder / f"{name}.{secrets.token_hex(4)}.jsonl"
        self._lock = threading.Lock()
        self._known: dict[str, str] | None = None

    def get(self, key: str) -> Completion | None:
        """Return the answer, which costs nothing now; None where there is none."""
        with self._lock:
            if self._known is None:
                self._known = self._read()
            value = self._known.get(key)
        return None if value is None else unpacked(value)

    def put(self, key: str, completion: Completion) -> None:
        """Append an answer; it is on the disk when this returns. Raises FolderFull or UsageError."""
        value = packed(completion)
        line = json.dumps([key, value]).encode() + b"\n"
        try:
            with self._lock:
                self._folder.mkdir(parents=True, exist_ok=True)
                jsonl_log.append_to(self._file, line, 0o600)
                if self._known is not None:
                    self._known[key] = value
        except OSError as error:
            raise cannot_write(self._folder, error) from error

    def remove(self) -> None:
        """Delete all files of this name. The folder stays: another process may be about to write there."""
        with self._lock:
            for path in self._files():
                path.unlink(missing_ok=True)

    def _files(self) -> list[Path]:
        return [path for name, path in logs(self._folder) if name == self._name]

    def _read(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for path in (*self._others, *self._files()):
            lines, _ = jsonl_log.whole_lines(path.read_bytes())
            found.update(json.loads(line) for line in lines if line.endswith(b"]"))
        return found
