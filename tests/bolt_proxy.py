"""A proxy that knows Bolt: it stands before Neo4j and answers some messages itself, as other servers would.

    with BoltProxy(("127.0.0.1", 7687)) as proxy:
        proxy.refuse("Neo.ClientError.Cluster.NotALeader", COMMIT, times=1)
        proxy.cut_at(40, 90)                             the connection breaks at these messages of the client
        ... NEO4J_URI = f"bolt://127.0.0.1:{proxy.port}" ...
        proxy.sent, proxy.refused                        what the client sent, and how often it was refused

It agrees with both sides on Bolt 5.6 or older, whose failures are a code and a message.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from dataclasses import dataclass

BEGIN, RUN, COMMIT, RESET, GOODBYE, ROUTE = b"\x11", b"\x10", b"\x12", b"\x0f", b"\x02", b"\x66"  # tags of messages
_SUMMARIES = (0x70, 0x7E, 0x7F)  # of SUCCESS, IGNORED and FAILURE: one answers each message
_VERSIONS = b"\x60\x60\xb0\x17" + b"\x00\x06\x06\x05" + 12 * b"\x00"
_IGNORED = b"\xb0\x7e"


@dataclass
class Refusal:
    """Which messages are answered with an error: those with this tag that hold one of these words."""

    code: str
    tag: bytes
    words: tuple[str, ...] = ()
    message: str = "refused by a test"
    times: int | None = None  # None: always

    def meets(self, message: bytes) -> bool:
        """Return True for a message to refuse."""
        is_meant = message[1:2] == self.tag and (not self.words or any(word.encode() in message for word in self.words))
        return is_meant and self.times != 0


class BoltProxy:
    """Forwards connections to `target`. Use as a context manager; `port` is where it listens on loopback."""

    def __init__(self, target: tuple[str, int]) -> None:
        self.target = target
        self.sent: list[bytes] = []  # messages of all clients, in order
        self.answered: list[bytes] = []  # summaries of the server
        self.refused = 0
        self.cuts = 0
        self._refusals: list[Refusal] = []
        self._places: dict[int, bool] = {}  # number of a message -> whether the server still gets it
        self._lock = threading.Lock()
        self._links: list[_Link] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._thread = threading.Thread(target=self._accept, daemon=True)

    def __enter__(self) -> BoltProxy:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()
        for link in self._links:
            link.end()

    def refuse(self, code: str, tag: bytes, *words: str, message: str = "", times: int | None = None) -> Refusal:
        """Answer such messages with an error from now on, `times` of them."""
        with self._lock:
            self._refusals.append(Refusal(code, tag, words, message or "refused by a test", times))
            return self._refusals[-1]

    def cut_at(self, *places: int, reply: bool = False) -> None:
        """Break the connection at these messages, counted from now; with `reply`, the server still gets them."""
        with self._lock:
            self._places = {len(self.sent) + place: reply for place in places}

    def due(self, message: bytes) -> tuple[Refusal | None, bool | None]:
        """Note a message of a client; return what refuses it, and whether the server gets it before a cut, if any."""
        with self._lock:
            self.sent.append(message)
            is_given = self._places.pop(len(self.sent), None)
            self.cuts += is_given is not None
            refusal = next((each for each in self._refusals if each.meets(message)), None)
            if refusal is not None:
                self.refused += 1
                refusal.times = None if refusal.times is None else refusal.times - 1
            return refusal, is_given

    def note(self, summary: bytes) -> None:
        """Note a summary of the server."""
        with self._lock:
            self.answered.append(summary)

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

    def __init__(self, proxy: BoltProxy, client: socket.socket, server: socket.socket) -> None:
        self._proxy, self._client, self._server = proxy, client, server
        self._waiting = 0  # messages that the server has not answered
        self._answered = threading.Condition()
        self._has_failed = False  # until the client resets, it is answered that its messages are ignored
        self._threads = [threading.Thread(target=self._up, daemon=True)]
        self._threads[0].start()

    def end(self) -> None:
        """Break both sides and wait for the threads."""
        self._break()
        for thread in self._threads:
            thread.join()

    def _break(self) -> None:
        for side in (self._client, self._server):
            with contextlib.suppress(OSError):
                side.shutdown(socket.SHUT_RDWR)
            side.close()
        with self._answered:
            self._waiting = 0
            self._answered.notify_all()

    def _up(self) -> None:
        try:
            _exactly(self._client, 20)
            self._server.sendall(_VERSIONS)
            self._client.sendall(_exactly(self._server, 4))
            self._threads.append(threading.Thread(target=self._down, daemon=True))
            self._threads[1].start()
            while self._pass(*_message(self._client)):
                pass
        except OSError:
            pass
        self._break()

    def _pass(self, raw: bytes, message: bytes) -> bool:
        """Send a message on, or answer it; False ends the connection."""
        refusal, is_given = self._proxy.due(message)
        tag = message[1:2]
        self._has_failed = self._has_failed and tag not in (RESET, GOODBYE)
        if is_given is False:
            return False
        if refusal is None and not self._has_failed:
            with self._answered:
                self._waiting += tag != GOODBYE
            self._server.sendall(raw)
            if is_given:
                self._wait()  # the server has done it; nothing of what it said since has reached the client for sure
                return False
            return True
        self._wait()
        self._client.sendall(_framed(_IGNORED if self._has_failed or refusal is None else _failure(refusal)))
        self._has_failed = True
        return True

    def _wait(self) -> None:
        with self._answered:
            self._answered.wait_for(lambda: not self._waiting, timeout=60)

    def _down(self) -> None:
        try:
            while True:
                raw, message = _message(self._server)
                if message[1] in _SUMMARIES:
                    self._proxy.note(message)
                self._client.sendall(raw)
                with self._answered:
                    self._waiting -= message[1] in _SUMMARIES
                    self._answered.notify_all()
        except OSError:
            self._break()


def _exactly(side: socket.socket, size: int) -> bytes:
    found = bytearray()
    while len(found) < size:
        if not (data := side.recv(size - len(found))):
            raise ConnectionResetError
        found += data
    return bytes(found)


def _message(side: socket.socket) -> tuple[bytes, bytes]:
    """Return the next message as it came, in chunks, and put together."""
    raw, message = bytearray(), bytearray()
    while True:
        head = _exactly(side, 2)
        raw += head
        if size := struct.unpack(">H", head)[0]:
            chunk = _exactly(side, size)
            raw += chunk
            message += chunk
        elif message:  # an empty chunk alone says only that the server is there
            return bytes(raw), bytes(message)


def _framed(message: bytes) -> bytes:
    return struct.pack(">H", len(message)) + message + b"\x00\x00"


def _failure(refusal: Refusal) -> bytes:
    fields = ("code", refusal.code, "message", refusal.message)
    return b"\xb1\x7f\xa2" + b"".join(
        b"\xd1" + struct.pack(">H", len(each.encode())) + each.encode() for each in fields
    )
