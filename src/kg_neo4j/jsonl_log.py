"""Files of JSON lines that are only appended to. A process that is killed may leave its last line torn."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import time
from pathlib import Path

WRITTEN = "written.jsonl"  # in KG_HOME: [kind, graph, path, time] of files with texts of a graph


def whole_lines(data: bytes) -> tuple[list[bytes], int]:
    """Return the lines that end, and how many bytes they have together; what is behind them is torn."""
    *lines, torn = data.split(b"\n")
    return lines, len(data) - len(torn)


def append(file: int, lines: bytes) -> None:
    """Append lines to an open file; where there is no space, nothing of them. Raises OSError."""
    end = os.fstat(file).st_size
    try:
        if os.write(file, lines) < len(lines):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    except OSError:
        os.ftruncate(file, end)
        raise


def append_to(path: Path, lines: bytes, mode: int = 0o666) -> None:
    """Append lines to a file, which is created with `mode`; they are on the disk when this returns. Raises OSError."""
    file = os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, mode)
    try:
        append(file, lines)
        os.fsync(file)
    finally:
        os.close(file)


def note_written(home: Path, kind: str, graph: str, *paths: Path) -> None:
    """Remember where files of a graph are, so that `kg unload --purge` finds them."""
    rows = [[kind, graph, str(path.absolute()), time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())] for path in paths]
    with contextlib.suppress(OSError):  # the file is there, and where KG_HOME is read-only it is not remembered
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        append_to(home / WRITTEN, "".join(f"{json.dumps(row)}\n" for row in rows).encode(), 0o600)
