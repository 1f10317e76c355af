"""An OpenAI-compatible server in a process of its own: every answer is ready, and waits out the latency.

    python benchmarks/chat_server.py '{"passages": 200, "latency_s": 0.3}'       prints its port

The first part of the path says whose form the answer has (/ours/v1, /lightrag/v1, ...); the number of the passage is
in the prompt. A further question ("what is missing?") gets an answer without rows. It does as little as it can per
request, because it shares the machine with what is measured: one thread, no HTTP library, answers made beforehand.
GET /counts says how many requests came, GET /forget starts the count anew.
"""

from __future__ import annotations

import asyncio
import base64
import json
import random
import re
import struct
import sys
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from forms import Graph, as_csv, as_graphrag_json, as_graphrag_tuples, as_lightrag_tuples
from passages import MARK, passages

DIMENSION, VECTORS = 256, 512
# The columns of the product's default schema, prompts/schemas/described.toml
NODE_COLUMNS = ("birth_year", "death_year", "role", "location", "description", "evidence")
RELATIONSHIP_COLUMNS = ("start_date", "description", "strength", "evidence")
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_REPORT = {
    "title": "A group of names",
    "summary": "People and places that the passages name together.",
    "rating": 4.0,
    "rating_explanation": "They are often named.",
    "findings": [{"summary": "They met", "explanation": "Several passages say that they met."}] * 5,
}


def _ours(graph: Graph) -> str:
    return as_csv(graph, NODE_COLUMNS, RELATIONSHIP_COLUMNS)


def _without_evidence(form: Callable[[Graph], str]) -> Callable[[Graph], str]:
    """Peers are not asked for evidence: their answers have a name, a type and a description alone."""

    def made(graph: Graph) -> str:
        kept = ("description", "strength")
        nodes = [type(each)(each.name, each.type, _only(each.properties, kept)) for each in graph.nodes]
        relationships = [
            type(each)(each.source, each.type, each.target, _only(each.properties, kept))
            for each in graph.relationships
        ]
        return form(Graph(nodes, relationships))

    return made


def _only(properties: object, names: tuple[str, ...]) -> dict[str, object]:
    return {name: value for name, value in dict(properties).items() if name in names}  # type: ignore[call-overload]


# peer -> its form, what tells a further question from a first one, the answer to it
PEERS: dict[str, tuple[Callable[[Graph], str], bytes, str]] = {
    "ours": (_ours, b"Read the text once more", _ours(Graph([], []))),
    "neo4j-graphrag": (_without_evidence(as_graphrag_json), b"\0", ""),
    "lightrag": (_without_evidence(as_lightrag_tuples), b"Based on the last extraction task", "<|COMPLETE|>"),
    "nano-graphrag": (_without_evidence(as_graphrag_tuples), b"MANY entities were missed", "<|COMPLETE|>"),
}


@dataclass
class Answers:
    """Everything that the server can say, as bytes."""

    passages: int
    latency_s: float
    made: dict[tuple[str, int], bytes] = field(default_factory=dict)
    nothing: dict[str, bytes] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        every = list(passages(self.passages))
        for peer, (form, _, empty) in PEERS.items():
            for passage in every:
                self.made[peer, passage.index] = _chat(form(passage.graph))
            self.nothing[peer] = _chat(empty or "{}")
        self.report = _chat(json.dumps(_REPORT))
        self.summary = _chat("A person of the town, named in several passages of the account.")
        draw = random.Random(3)
        numbers = [[draw.uniform(-1, 1) for _ in range(DIMENSION)] for _ in range(VECTORS)]
        self.floats = [json.dumps(vector) for vector in numbers]
        self.packed = [json.dumps(base64.b64encode(struct.pack(f"<{DIMENSION}f", *each)).decode()) for each in numbers]

    def to(self, path: str, body: bytes) -> tuple[bytes, float]:
        """Return the answer to a request, and when it is due."""
        if path == "/counts":
            return _http(json.dumps(self.counts).encode()), 0.0
        if path == "/forget":
            self.counts.clear()
            return _http(b"{}"), 0.0
        peer, _, rest = path.lstrip("/").partition("/")
        if rest.endswith("/embeddings"):
            self.counts["embeddings"] += 1
            return self._vectors(json.loads(body)), self.latency_s
        self.counts["chat"] += 1
        return self._said(peer, body), self.latency_s

    def _said(self, peer: str, body: bytes) -> bytes:
        if PEERS[peer][1] in body:
            return self.nothing[peer]
        found = MARK.findall(body)
        if not found:
            self.counts["other chat"] += 1
            return self.report if b"rating" in body else self.summary
        return self.made[peer, int(found[-1])]

    def _vectors(self, asked: dict[str, object]) -> bytes:
        given = asked["input"]
        texts = given if isinstance(given, list) else [given]
        vectors = self.packed if asked.get("encoding_format") == "base64" else self.floats
        items = ",".join(
            f'{{"object":"embedding","index":{place},"embedding":{vectors[zlib.crc32(str(text).encode()) % VECTORS]}}}'
            for place, text in enumerate(texts)
        )
        usage = '"usage":{"prompt_tokens":9,"total_tokens":9}'
        return _http(f'{{"object":"list","model":"scripted","data":[{items}],{usage}}}'.encode())


class Connection(asyncio.Protocol):
    """One kept-alive connection; requests come one after the other."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._received = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        while (end := self._received.find(b"\r\n\r\n")) >= 0:
            head = self._received[:end]
            length = _LENGTH.search(head)
            total = end + 4 + (int(length[1]) if length else 0)
            if len(self._received) < total:
                return
            body, self._received = self._received[end + 4 : total], self._received[total:]
            answer, due = self._answers.to(head.split(b" ", 2)[1].decode(), body)
            asyncio.get_running_loop().call_later(due, self._send, answer)

    def _send(self, answer: bytes) -> None:
        if self._transport and not self._transport.is_closing():
            self._transport.write(answer)


def _chat(text: str) -> bytes:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    asked, said = 5_000, len(text) // 4  # of no prompt here fewer: else kg-neo4j takes it that the server cut it
    usage = {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}
    answer = {"id": "c", "object": "chat.completion", "created": 0, "model": "scripted", "choices": [choice]}
    return _http(json.dumps({**answer, "usage": usage}).encode())


def _http(body: bytes) -> bytes:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


async def serve(answers: Answers) -> None:
    """Listen on a free port of the loopback address, print it, and serve until standard input ends."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(answers), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(serve(Answers(**json.loads(sys.argv[1]))))
