"""Which ports the server gets."""

from __future__ import annotations

import contextlib
import socket

from neo4j_local.configuration import HOST
from neo4j_local.errors import PortTaken
from neo4j_local.progress import Progress

BOLT, HTTP = 7687, 7474  # the defaults

_LOOPBACKS = ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"))
_BOLT_HELLO = bytes.fromhex("6060b017 00000805 00000404 00000304 00000004")  # any 5.x or 4.x


def choose(bolt_port: int | None, http_port: int | None, progress: Progress) -> tuple[int, int]:
    """Return the Bolt port and the HTTP port for a new server.

    A port that is given is taken as it is, or PortTaken is raised; 0 means any free one. None means the default port,
    or a free one with a note where the default belongs to somebody else.
    """
    bolt = _choose("bolt", bolt_port, BOLT, progress)
    http = _choose("http", http_port, HTTP, progress)
    while http == bolt and http_port == 0:
        http = _free_port()
    return bolt, http


def _choose(name: str, given: int | None, default: int, progress: Progress) -> int:
    if given == 0:
        return _free_port()
    port = default if given is None else given
    if not is_taken(port):
        return port
    variable = f"KG_DB_{name.upper()}_PORT"
    if given is not None:
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
