"""Answers that a run has given, one JSON object a line, so that a run which was killed goes on where it was.

A line is of use to a run with the same graph, mode and model; others are left alone. A last line that was cut off is
written again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from kg_neo4j.errors import UnreadableSource
from kg_neo4j.eval.answers.scores import GivenAnswer
from kg_neo4j.records import Usage


class SavedAnswers:
    """The answers in one file; without a file nothing is kept."""

    def __init__(self, path: str | None, run: str) -> None:
        """`run` names what shapes the answers: lines of another one are not of use."""
        self._path = Path(path) if path else None
        self._run = run
        self._known: dict[str, GivenAnswer] = {}
        if self._path and self._path.exists():
            self._read(self._path)

    def get(self, question: str) -> GivenAnswer | None:
        """Return the answer to the question of that id; None where it was not given yet."""
        return self._known.get(question)

    def put(self, given: GivenAnswer) -> None:
        """Append an answer, at once on the disk."""
        self._known[given.id] = given
        if self._path:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"run": self._run, **asdict(given)}, ensure_ascii=False) + "\n")

    def _read(self, path: Path) -> None:
        data = path.read_bytes()
        whole = data.rfind(b"\n") + 1
        if whole < len(data):  # a line that was being written when the run ended
            with path.open("r+b") as file:
                file.truncate(whole)
        for number, line in enumerate(data[:whole].decode("utf-8", "replace").splitlines(), 1):
            try:
                row = json.loads(line)
                if row.pop("run") == self._run:
                    given = _given(row)
                    self._known[given.id] = given
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise UnreadableSource(f"{path}, line {number}: not what `kg eval answers --save` writes") from error


def _given(row: Mapping[str, Any]) -> GivenAnswer:
    return GivenAnswer(**{**row, "usage": Usage(**row["usage"]), "notes": tuple(row["notes"])})
