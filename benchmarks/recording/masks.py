"""What of a recording is not compared: measured times, places, ids of runs. The rest stays as it was printed."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

TIMES = frozenset(
    "seconds retrieval_seconds model_seconds ms ms_p50 ms_p95 seconds_p50 seconds_p95 words_per_s".split()
)
TIME_COLUMNS = re.compile(r"\b(?:ms|p50|p95|seconds|p50 ms|p95 ms|ms p50|ms p95)\b")
MASKED = {"origin": "<place>", "bytes": "<packed>"}  # keys: a hash of a folder, the size of an archive
PACKED = re.compile(r"^bytes \d+", re.MULTILINE)  # of an archive, which holds ids of runs
TIME = re.compile(r"\b\d[\d,]*(?:\.\d+)? (?:ms|s|words/s|seconds)\b|(?<=seconds )[\d.]+|p(?:50|95) [\d.]+")
LONGEST = 300  # characters of a string in recorded JSON


def normal(text: str, measured: bool) -> str:
    """Return what a command printed: JSON, lines of JSON, or text. Times are masked where they were `measured`."""
    try:
        values = [json.loads(text)]
    except ValueError:
        try:
            values = [json.loads(line) for line in text.splitlines()]
        except ValueError:
            return _normal_table(text) if measured else _narrow(text)
    return "\n".join(json.dumps(_shorter(each, measured), ensure_ascii=False, indent=1) for each in values)


def archive_line(line: str) -> str:
    """Return a line of an archive without the ids of runs, and with its vectors hashed."""
    record = json.loads(line)
    if record["kind"] == "end":
        del record["sha256"]
    properties = record.get("properties", {})
    properties.pop("recorded", None)
    return json.dumps(_shorter(record, False), ensure_ascii=False, sort_keys=True)


def _shorter(value: Any, measured: bool) -> Any:
    """Return a JSON value with its long strings cut and hashed, and what was measured masked."""
    if isinstance(value, dict):
        return {name: _masked(name, each, measured) or _shorter(each, measured) for name, each in value.items()}
    if isinstance(value, list):
        return [_shorter(each, measured) for each in value]
    if isinstance(value, str) and len(value) > LONGEST:
        return f"{value[:100]} ... {len(value)} characters, {hashlib.sha256(value.encode()).hexdigest()[:16]}"
    return value


def _masked(name: str, value: Any, measured: bool) -> str | None:
    return "<time>" if measured and name in TIMES and value is not None else MASKED.get(name)


def _normal_table(text: str) -> str:
    """Return printed text with its times masked: those in columns of times, and numbers with a unit."""
    lines: list[str] = []
    columns: list[tuple[int, int]] = []
    for printed in text.splitlines():
        line = printed
        if re.fullmatch(r"\s*[─━]+[\s─━]*", line) and lines:
            columns = [(each.start(), each.end()) for each in TIME_COLUMNS.finditer(lines[-1])]
            lines.append(line)
            continue
        if not line.strip():
            columns = []
        for cell in [*re.finditer(r"\S+", line)] if columns else []:
            if any(cell.start() == start or cell.end() == end for start, end in columns):
                line = line[: cell.start()] + "#" * len(cell[0]) + line[cell.end() :]
        lines.append(line)
    return PACKED.sub("bytes <packed>", TIME.sub("<time>", _narrow(re.sub("#+", "<time>", "\n".join(lines)))))


def _narrow(text: str) -> str:
    return "\n".join(re.sub("[─━]+", "─", re.sub("[ \t]+", " ", line)).strip() for line in text.splitlines())
