"""The records that the managed local Neo4j hands out."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Server:
    """A running local server that answers. The password never appears in the repr."""

    uri: str
    browser_url: str
    username: str
    password: str = field(repr=False)
    password_file: Path
    home: Path
    pid: int
    neo4j: str  # version
    gds: str  # version
    started: bool  # True: by this call; False: it already ran


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """What `kg db status --json` prints. What only a running server has is None where none runs."""

    running: bool
    uri: str | None
    browser: str | None
    username: str
    password_file: str
    home: str
    neo4j: str | None
    gds: str | None
    pid: int | None
