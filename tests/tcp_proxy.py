"""A TCP proxy that fails on purpose: it stands before Neo4j or the scripted model, and cuts, delays or drops.

    with TcpProxy(("127.0.0.1", 7687)) as proxy:
        proxy.arm(Fault("cut", COMMIT, reply=True))      the commit arrives, its answer does not
        ... NEO4J_URI = f"bolt://127.0.0.1:{proxy.port}" ...
        proxy.hits                                       how many faults came about

A fault waits for bytes in what the client sends (or, with `of_server`, in what the server sends) and then acts once.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from dataclasses import dataclass

BEGIN = b"\xb1\x11"  # Bolt messages: a structure of so many fields, and its tag
RUN = b"\xb3\x10"
PULL = b"\xb1\x3f"
COMMIT = b"\x00\x02\xb0\x12\x00\x00"  # without fields, so known with its length and its end
RECORD = b"\xb1\x71"

_RESET = struct.pack("ii", 1, 0)  # SO_LINGER: close with RST


@dataclass
class Fault:
    """What goes wrong, and after which bytes."""

    kind: str  # "cut", "half-close", "truncate", "delay", "drip"
    after: bytes = b""  # empty: with the first bytes
    reply: bool = False  # the bytes are passed on; what comes back is lost (cut) or cut short (truncate)
    of_server: bool = False  # the bytes are looked for in what the server sends
    skip: int = 0  # so many times the bytes are let through
    seconds: float = 0.0  # of a delay, or between the bytes of a drip
    size: int = 0  # bytes that a truncated piece keeps


class TcpProxy:
    """Forwards connections to `target`. Use as a context manager; `port` is where it listens on loopback."""

    def __init__(self, target: tuple[str, int], port: int = 0) -> None:
        self.target = target
        self.hits = 0
        self._faults: list[Fault] = []
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._links: list[_Link] = []
        self._listener = socket.create_server(("127.0.0.1", port))
        self.port = int(self._listener.getsockname()[1])
        self._thread = threading.Thread(target=self._accept, daemon=True)

    def __enter__(self) -> TcpProxy:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()
        for link in self._links:
            link.end()

    def arm(self, *faults: Fault) -> TcpProxy:
        """Let these faults come about, each once, each as soon as its bytes pass."""
        with self._lock:
            self._faults.extend(faults)
        return self

    def pause(self, seconds: float) -> None:
        """Wait, but not longer than the proxy stands."""
        self._stopping.wait(seconds)

    def due(self, data: bytes, *, of_server: bool) -> Fault | None:
        """Return the fault whose bytes are in `data`, which counts as having come about."""
        with self._lock:
            for fault in self._faults:
                if fault.of_server == of_server and fault.after in data:
                    if fault.skip:
                        fault.skip -= 1
                        continue
                    self._faults.remove(fault)
                    self.hits += 1
                    return fault
        return None

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(self.target, timeout=10)
            except OSError:
                client.close()
                continue
            server.settimeout(None)
            self._links.append(_Link(self, client, server))


class _Link:
    """One connection through the proxy."""

    def __init__(self, proxy: TcpProxy, client: socket.socket, server: socket.socket) -> None:
        self._proxy = proxy
        self._client, self._server = client, server
        self._losing: Fault | None = None  # applies to the next bytes of the server
        self._threads = [
            threading.Thread(target=self._pump, args=ends, daemon=True)
            for ends in ((client, server, False), (server, client, True))
        ]
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        """Break both sides and wait for the threads."""
        self._break()
        for thread in self._threads:
            thread.join()

    def _break(self) -> None:
        for side in (self._client, self._server):
            with contextlib.suppress(OSError):
                side.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                side.shutdown(socket.SHUT_RDWR)
            side.close()

    def _pump(self, source: socket.socket, sink: socket.socket, of_server: bool) -> None:
        try:
            while data := source.recv(65_536):
                if not self._pass(data, sink, of_server=of_server):
                    break
        except OSError:
            pass
        if self._losing is None or of_server:  # a reply that is to be lost is still waited for
            self._break()

    def _pass(self, data: bytes, sink: socket.socket, *, of_server: bool) -> bool:
        """Send `data` on, as its fault wants; False ends the connection."""
        fault = None
        if of_server:
            fault, self._losing = self._losing, None
        fault = fault or self._proxy.due(data, of_server=of_server)
        if fault is None:
            sink.sendall(data)
            return True
        if fault.reply and not of_server:
            self._losing = fault
            sink.sendall(data)
            return True
        match fault.kind:
            case "delay":
                self._proxy.pause(fault.seconds)
                sink.sendall(data)
            case "drip":
                for byte in data:
                    sink.sendall(bytes([byte]))
                    self._proxy.pause(fault.seconds)
            case "truncate":
                sink.sendall(data[: fault.size])
                return False
            case "half-close":
                self._client.shutdown(socket.SHUT_WR)  # the client sees the end, the server goes on listening
                sink.sendall(data)
            case "cut":
                return False
            case other:
                raise ValueError(other)
        return True
