"""Reads files of JSON lines, one object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kg_neo4j.errors import SourceNotFound, UnreadableSource

LONGEST_LINE = 16_000_000  # bytes; an article of 5,000 words with its questions has 50,000


def read_rows(path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line, object) of a file of JSON lines; raises SourceNotFound and UnreadableSource."""
    if not Path(path).is_file():
        raise SourceNotFound(f"no file {path!r}")
    with Path(path).open("rb") as lines:
        for number, data in enumerate(iter(lambda: lines.readline(LONGEST_LINE + 1), b""), 1):
            if len(data) > LONGEST_LINE:
                raise UnreadableSource(f"{path}, line {number}: longer than {LONGEST_LINE:,} bytes")
            try:
                line = data.decode("utf-8-sig" if number == 1 else "utf-8")
                if not line.strip():
                    continue
                row = json.loads(line)
            except UnicodeDecodeError as error:
                raise UnreadableSource(f"{path}, line {number}: not UTF-8", hint="save it as UTF-8") from error
            except (ValueError, RecursionError) as error:
                raise UnreadableSource(f"{path}, line {number}: not JSON") from error
            if not isinstance(row, dict):
                raise UnreadableSource(f"{path}, line {number}: not a JSON object")
            yield number, row
