"""Questions whose answer was wrong: kept with the right answer in a file of the graph, which `kg test` asks again.

A line is JSON: `kg test` reads `question` and `mode`, and keeps `right`, `wrong` and `filters` as they are.
"""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, get_args

from kg_neo4j.errors import UsageError
from kg_neo4j_serve import limits
from kg_neo4j_serve.api import OF_FILTERS, adapter
from kg_neo4j_serve.limits import checked, page, shortened, start_of
from kg_neo4j_serve.refusals import missing
from kg_neo4j_serve.rendering import Action, ServedPage
from kg_neo4j_serve.service import Mode, Service

Row = dict[str, Any]
BUSY_S = 10.0  # that one writer waits for another one


def listed(service: Service, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Return a page of the questions, the newest first, and the command that asks them."""
    skip, rows = start_of(given.get("cursor")), _read(service.questions)
    shown, cursor = page(list(map(_shown, reversed(rows))), skip, limits.ROWS)
    command = shlex.join(["kg", "test", str(service.questions), "--graph", service.graph])
    return {"questions": shown, "total": len(rows), "command": command, "cursor": cursor, "is_first": skip == 0}


def _shown(row: Row) -> Row:
    """Return a question with what an address says of it; values of a line that a person wrote may be anything."""
    filters = row["filters"] if isinstance(row.get("filters"), dict) else {}
    filters = {name: str(filters[name]) for name in OF_FILTERS if filters.get(name)}
    found = {name: str(row.get(name) or "") for name in ("question", "right", "wrong")}
    found |= {"id": _id(row), "mode": str(row.get("mode") or "auto")}
    asked = {"question": found["question"], "mode": found["mode"], **filters}
    return {**found, "asked": asked, "filtered": ", ".join(f"{name} {value}" for name, value in filters.items())}


def _id(row: Row) -> str:
    """Return what names a question in a form: the same words have the same one."""
    said = [row.get(name) for name in ("question", "mode", "right", "wrong", "filters")]
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:32]


def add(service: Service, form: Mapping[str, Any]) -> str:
    """Keep a question with its wrong answer and the right one, and lead to the list."""
    given = {name: str(form.get(name) or "").replace("\r\n", "\n") for name in ("question", "right", "wrong")}
    mode = form.get("mode") or "auto"
    if mode not in get_args(Mode):
        raise UsageError(f"there is no mode {str(mode)[:20]!r}")
    row: Row = {"question": checked(given["question"], "question").strip(), "mode": mode}
    wrong = checked(given["wrong"], "wrong answer", may_be_empty=True, most=limits.MOST_BODY)
    row |= {"right": checked(given["right"], "right answer").strip(), "wrong": shortened(wrong)}
    if filters := {name: checked(form[name], name) for name in OF_FILTERS if isinstance(form.get(name), str)}:
        row["filters"] = filters

    def added(rows: list[Row]) -> list[Row]:
        others = [each for each in rows if _id(each) != _id(row)]
        if len(others) >= limits.MOST_QUESTIONS:
            raise UsageError(f"{limits.MOST_QUESTIONS:,} questions are kept", hint="/questions removes some")
        return [*others, row]

    _change(service.questions, added)
    return "/questions"


def remove(service: Service, form: Mapping[str, Any]) -> str:
    """Remove a question by its id, and return to the list."""
    id = form.get("id")

    def removed(rows: list[Row]) -> list[Row]:
        left = [each for each in rows if _id(each) != id]
        if len(left) == len(rows):
            raise missing("there is no such question any more", "/questions lists them")
        return left

    _change(service.questions, removed)
    return "/questions"


def _read(path: Path) -> list[Row]:
    """Return the lines of a file; none where there is none. Raises UsageError for a line that is no question."""
    lines = path.read_text("utf-8").splitlines() if path.is_file() else []
    rows: list[Row] = []
    for number, line in enumerate(lines, 1):
        try:
            rows += [adapter(Row).validate_json(line)] if line.strip() else []
        except ValueError:
            hint = "repair or delete that line"
            raise UsageError(f"{path.name}, line {number}: it is not a JSON object", hint=hint) from None
    return rows


def _change(path: Path, change: Callable[[list[Row]], list[Row]]) -> None:
    """Write what `change` makes of the questions, whole or not at all; other servers of this machine wait."""
    from filelock import FileLock, Timeout

    from kg_neo4j.graph.export import whole

    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with FileLock(f"{path}.lock", timeout=BUSY_S):
            text = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in change(_read(path)))
            with whole(path) as partial:
                partial.write_text(text, "utf-8")
    except (OSError, Timeout) as error:
        raise UsageError(f"the questions cannot be kept: {getattr(error, 'strerror', None) or 'busy'}") from error


PAGES = (ServedPage("/questions", "questions.html", listed, title="Questions", rank=78, section="questions"),)
ACTIONS = (Action("/questions/add", add), Action("/questions/remove", remove))
