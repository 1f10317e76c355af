"""A line of JSON for each request of a server: who asked for what, of which graph, with which outcome and cost."""

from __future__ import annotations

import json
import os
import secrets
import threading
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kg_neo4j import jsonl_log

LONGEST = 2_000  # characters of one text of a request
_ADDING = threading.Lock()


@dataclass(slots=True)
class Record:
    """What becomes the line of one request. Its work notes the graph, and each paid call its cost."""

    file: Path  # is only appended to, and opened for each line, so that another program may move it away
    with_text: bool
    token: str  # its name
    door: str  # api, page or mcp
    action: str
    graph: str = ""
    status: int | None = None  # of what a tool answered; that of HTTP is 200
    usd: float = 0.0
    text: dict[str, str] = field(default_factory=dict)
    id: str = field(default_factory=lambda: secrets.token_hex(6))
    written: float | None = None  # the cost that the file has

    def note(self, text: Mapping[str, Any] | None = None, **said: Any) -> None:
        """Note something of the request; of `text` only what is text, and only where the file is to have it."""
        for name, value in said.items():
            setattr(self, name, value)
        if self.with_text:
            self.text |= {name: each[:LONGEST] for name, each in (text or {}).items() if isinstance(each, str)}

    def write(self, status: int | str, *, after: bool = False) -> None:
        """Write the line; `after` it one for what came to an end, or to cost more. Raises OSError."""
        self.written = self.usd
        line: dict[str, Any] = {"at": datetime.now(UTC).isoformat(timespec="milliseconds"), "id": self.id}
        line |= {"token": self.token, "door": self.door, "action": self.action, "graph": self.graph}
        line |= {"status": status if after else self.status or status, "usd": round(self.usd, 6)}
        line |= {"after": True} if after else {"text": self.text} if self.text else {}
        data = json.dumps(line, ensure_ascii=False).encode("utf-8", "replace")
        jsonl_log.append_to(self.file, data + b"\n", 0o600)


RECORD: ContextVar[Record | None] = ContextVar("kg_audit_record", default=None)  # of the request that is at work


def begun(file: Path, with_text: bool, token: str, path: str) -> Record:
    """Begin the record of a request. Raises OSError where no line could be written."""
    os.close(os.open(file, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600))
    door = path[1:4] if path.startswith(("/api/", "/mcp")) else "page"
    record = Record(file, with_text, token, door, path.removeprefix("/api/")[:200])
    RECORD.set(record)
    return record


def paid(usd: float) -> None:
    """Add what a call cost to the request that made it; loads add to the one that began them."""
    if record := RECORD.get():
        with _ADDING:
            record.usd += usd
