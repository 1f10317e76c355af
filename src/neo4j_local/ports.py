"""Which ports the server gets."""

from __future__ import annotations

import contextlib
import socket

from kg_neo4j.errors import PortTaken
from kg_neo4j.progress import Progress
from kg_neo4j.settings import Settings
from neo4j_local.configuration import HOST

_LOOPBACKS = ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"))
_BOLT_HELLO = bytes.fromhex("6060b017 00000805 00000404 00000304 00000004")  # any 5.x or 4.x


def choose(settings: Settings, progress: Progress) -> tuple[int, int]:
    """Return the Bolt port and the HTTP port for a new server.

    A port that was set is taken as it is, or PortTaken is raised. Where a default port belongs to somebody else, a
    free one is taken and said. 0 means any free one.
    """
    chosen = settings.model_fields_set
    bolt = _choose("bolt", settings.db_bolt_port, "db_bolt_port" in chosen, progress)
    http = _choose("http", settings.db_http_port, "db_http_port" in chosen, progress)
    while http == bolt and settings.db_http_port == 0:
        http = _free_port()
    return bolt, http


def _choose(name: str, port: int, explicit: bool, progress: Progress) -> int:
    if port == 0:
        return _free_port()
    if not is_taken(port):
        return port
    variable = f"KG_DB_{name.upper()}_PORT"
    if explicit:
        raise PortTaken(
            f"{variable}={port}: another program listens on port {port}",
            hint=f"stop that program, choose another port, or set {variable}=0 for any free one",
        )
    free = _free_port()
    progress.note(f"another program listens on port {port}, the default for {name}; taking {free} ({variable} sets it)")
    return free


def is_taken(port: int) -> bool:
    """Say whether anything listens on `port` of this machine's loopback addresses, or hinders us from doing so."""
    if any(_connects(family, address, port) for family, address in _LOOPBACKS):
        return True
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return True
    return False


def speaks_bolt(port: int, timeout_s: float = 5.0) -> bool:
    """Say whether a server at `port` answers the Bolt handshake."""
    with contextlib.suppress(OSError), socket.create_connection((HOST, port), timeout=timeout_s) as connection:
        connection.sendall(_BOLT_HELLO)
        answer = connection.recv(4)
        return len(answer) == 4 and answer != b"HTTP" and answer != bytes(4)
    return False


def _connects(family: socket.AddressFamily, address: str, port: int) -> bool:
    try:
        with socket.socket(family) as probe:
            probe.settimeout(1.0)
            probe.connect((address, port))
    except OSError:
        return False
    return True


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])
