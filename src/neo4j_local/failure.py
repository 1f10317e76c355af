"""Why a server or its database did not come up, in Neo4j's words, as an error that says what to try."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from neo4j_local import errors
from neo4j_local.errors import DatabaseOffline, DiskFull, LocalDatabaseError, StartFailed
from neo4j_local.login import Condition
from neo4j_local.state import Home, ServerRecord

_TAIL_BYTES = 256 * 1024
_SHOWN_LINES = 4
_SHOWN_CHARACTERS = 600
_SPEAKING = re.compile(r"\b(ERROR|Caused by|Error|Exception|insufficient|[Ff]ailed)\b")

_KNOWN = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))["known"]

_RECOVER = "`kg db start --recover` copies the store, drops the unreadable end of its log, and checks what came back"


def explain(home: Home, record: ServerRecord) -> LocalDatabaseError:
    """Return the error for a server that died while it started, with the last useful lines of its logs."""
    said = tail(home.console, 200)
    if home.log.is_file() and home.log.stat().st_mtime >= record.process_start - 1:  # else of an earlier start
        log = tail(home.log, 200)
        said = "\n".join(part for part in (said, log[max(0, log.rfind("INFO  Starting...")) :]) if part)
    for pattern, error, message, hint in _KNOWN.values():
        if lines := [line for line in said.splitlines() if re.search(pattern, line)]:
            raised: type[LocalDatabaseError] = getattr(errors, error)
            return raised(f"{message} ({home.root}): {_short(lines[-1])}", hint=hint)
    lines = [line for line in said.splitlines() if line.strip()]
    speaking = [line for line in lines if _SPEAKING.search(line) and not line.startswith("\tat ")]
    shown = "\n".join(_short(line) for line in (speaking or lines)[-_SHOWN_LINES:])
    return StartFailed(f"the server of {home.root} died while it started\n{shown}", hint=f"the whole log is {home.log}")


def explain_offline(home: Home, found: Condition) -> LocalDatabaseError:
    """Return the error for a server that runs while its database is not open."""
    said = _causes(tail(home.debug_log, 2_000)) or " ".join(found.reason.split())[:_SHOWN_CHARACTERS]
    message = f"Neo4j could not open the store in {home.root} (database {found.status}): {said}"
    if "No space left" in said:
        return DiskFull(message, hint="free some space, then run it again: the store recovers")
    return DatabaseOffline(message, hint=f"{_RECOVER}. A backup comes back with `kg db restore FILE`")


def _causes(log: str) -> str:
    """Return the last two causes that Neo4j gives for a database that it could not open; "" where it gives none."""
    _, opening, after = log.rpartition("Failed to start DatabaseId")
    lines = [line for line in after.splitlines() if line.startswith("Caused by: ")] if opening else []
    causes = [_short(line).partition(" To force the database")[0] for line in lines]
    return " ".join(dict.fromkeys(causes[-2:]))


def tail(path: Path, lines: int) -> str:
    """Return the last `lines` lines of a log (of its last 256 kB), or "" where there is none."""
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _TAIL_BYTES))
        text = file.read().decode("utf-8", errors="replace")
    return "\n".join(text.splitlines()[-lines:]) if lines > 0 else ""


def _short(line: str) -> str:
    """Cut a line, and the names of Java's classes at its beginning."""
    return re.sub(r"^(Caused by: )?([a-z]\w*\.)+\S+: ", "", line)[:300]
