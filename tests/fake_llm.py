"""An OpenAI-compatible server on loopback that says what it is told to, and can misbehave in every way a server can.

    with FakeLlm() as llm:
        llm.say("node_id,...")            the next chat completion
        llm.fail(429, retry_after="2")    the one after it
        ... OPENAI_BASE_URL = llm.url ...
        llm.requests                      what was asked, in order

With an empty queue it answers by simple rules: an extraction prompt with valid CSV made from the text, any other prompt
with a sentence of the prompt and its citation, an embedding request with hashed vectors. `python tests/fake_llm.py
--port 8000` runs it for use by hand.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import hashlib
import io
import itertools
import json
import math
import re
import socket
import struct
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

DIMENSION = 64
CACHED = 1_000_000  # tokens of a prompt that are counted apart, so that no prompt seems to be cut


@dataclass(frozen=True)
class Reply:
    """One HTTP answer, and how it misbehaves."""

    status: int = 200
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "application/json"),)
    cut: int | None = None  # send only so many bytes of the body, then close
    reset: bool = False  # close with RST instead of answering
    hang: bool = False  # say nothing until the server stops
    drip_s: float | None = None  # one byte at a time, with this pause
    chunked: bool = False  # transfer in chunks, without a length
    repeat: int = 0  # send the body so many times more
    endless: bool = False  # send the body again and again, in chunks, until the other side closes
    pause_s: float = 0.0  # before each of these
    holds: bool = False  # send no end after the body


@dataclass
class Request:
    """What a client sent."""

    path: str
    headers: dict[str, str]  # names in lower case
    body: dict[str, Any]
    at: float = field(default_factory=time.time)

    @property
    def prompt(self) -> str:
        """All messages of a chat request, one after the other."""
        return "\n".join(str(message["content"]) for message in self.body.get("messages", []))

    @property
    def user(self) -> str:
        """The last message of a chat request."""
        return str(self.body["messages"][-1]["content"])


@dataclass
class FakeLlm:
    """The server. Use as a context manager; `url` is its base URL."""

    port: int = 0
    requests: list[Request] = field(default_factory=list)
    usage: tuple[int, int] = (100, 20)  # tokens that every completion reports
    counts: bool = False  # report the tokens of the messages and of the answer instead, and keep to max_tokens
    counts_streams: bool = True  # the last event of a stream has the usage, where the client asks for it
    rules: Callable[[str, str], str] | None = None  # (all messages, the last one) -> answer; None: `answer`
    faults: Callable[[Request], Reply | None] | None = None  # what a request gets instead of an answer, if anything
    counted: list[tuple[int, int]] = field(
        default_factory=list
    )  # with `counts`: of each answer, heard by anyone or not

    def __post_init__(self) -> None:
        self._queue: deque[Reply | None] = deque()  # None: answer by the rules
        self._lock = threading.Lock()
        self._asked = threading.Condition(self._lock)
        self.stopping = threading.Event()
        self.closed = threading.Event()  # a client closed the connection before the answer was over
        self._server = _Server(("127.0.0.1", self.port), _Handler)
        self._server.fake = self  # type: ignore[attr-defined]
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    @property
    def url(self) -> str:
        """What OPENAI_BASE_URL is set to."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def calls(self) -> int:
        """Requests so far."""
        return len(self.requests)

    def __enter__(self) -> FakeLlm:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def serve(self) -> None:
        """Serve in this thread until interrupted."""
        self._server.serve_forever()

    # -- scripting

    def script(self, *replies: Reply) -> FakeLlm:
        """Queue replies: each request takes one."""
        with self._lock:
            self._queue.extend(replies)
        return self

    def answer(self, times: int) -> FakeLlm:
        """Queue so many answers by the rules."""
        with self._lock:
            self._queue.extend([None] * times)
        return self

    def hang(self) -> FakeLlm:
        """Queue a request that is never answered."""
        return self.script(Reply(hang=True))

    def forget(self) -> FakeLlm:
        """Empty the queue."""
        with self._lock:
            self._queue.clear()
        return self

    def wait_for_calls(self, number: int, timeout_s: float = 60.0) -> None:
        """Return once `number` requests have come."""
        with self._asked:
            assert self._asked.wait_for(lambda: len(self.requests) >= number, timeout_s), "no such request came"

    def say(self, text: str | None, finish_reason: str | None = "stop", **message: Any) -> FakeLlm:
        """Queue a chat completion."""
        return self.script(self.completion(text, finish_reason, **message))

    def completion(self, text: str | None, finish_reason: str | None = "stop", **message: Any) -> Reply:
        """Return the reply of a chat completion."""
        choice = {"index": 0, "message": {"role": "assistant", "content": text, **message}}
        return self.json({"choices": [{**choice, "finish_reason": finish_reason}]})

    def json(self, data: Any, status: int = 200, **options: Any) -> Reply:
        """Return a JSON reply; a dictionary with choices gets id, model and usage."""
        if isinstance(data, dict) and "choices" in data:
            counts = dict(zip(("prompt_tokens", "completion_tokens"), self.usage, strict=True))
            counts["cache_read_input_tokens"] = CACHED
            data = {"id": "fake", "object": "chat.completion", "created": 0, "model": "fake", "usage": counts, **data}
        return Reply(status, json.dumps(data).encode(), **options)

    def fail(
        self,
        status: int,
        *,
        code: str | None = None,
        message: str = "scripted fault",
        param: str | None = None,
        retry_after: str | None = None,
    ) -> FakeLlm:
        """Queue an error as OpenAI words it."""
        error = {"message": message, "type": "scripted", "param": param, "code": code}
        headers = [("Content-Type", "application/json")]
        if retry_after is not None:
            headers.append(("Retry-After", retry_after))
        return self.script(self.json({"error": error}, status, headers=tuple(headers)))

    def vectors(self, vectors: Any, indexes: list[int] | None = None) -> FakeLlm:
        """Queue an embedding answer."""
        order = indexes if indexes is not None else list(range(len(vectors)))
        data = [{"object": "embedding", "index": i, "embedding": v} for i, v in zip(order, vectors, strict=True)]
        return self.script(self.json({"object": "list", "data": data, "model": "fake"}))

    def reply_to(self, request: Request) -> Reply:
        """Return the next scripted reply, or the one that the rules give; the request is logged."""
        with self._lock:
            self.requests.append(request)
            self._asked.notify_all()
            scripted = self._queue.popleft() if self._queue else None
        if self.faults and (fault := self.faults(request)):
            return fault
        if scripted is not None:
            return self._streamed(request, self._counted(request, scripted))
        if request.path.partition("?")[0].endswith("/embeddings"):
            texts = request.body["input"]
            texts = [texts] if isinstance(texts, str) else texts
            data = [{"object": "embedding", "index": i, "embedding": hashed(text)} for i, text in enumerate(texts)]
            return self.json({"object": "list", "data": data, "model": "fake"})
        if request.path.partition("?")[0].endswith("/chat/completions"):
            said = self.completion((self.rules or answer)(request.prompt, request.user))
            return self._streamed(request, self._counted(request, said))
        return self.json({"error": {"message": f"no route {request.path}"}}, 404)

    def _streamed(self, request: Request, reply: Reply) -> Reply:
        """Return a completion as server-sent events, where the request asks for a stream."""
        if not request.body.get("stream") or not reply.body.startswith(b'{"id": "fake"'):
            return reply
        data = json.loads(reply.body)
        choice, head = data["choices"][0], {"id": "fake", "object": "chat.completion.chunk", "model": "fake"}
        events: list[Any] = [
            {**head, "choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]}
            for piece in re.findall(r"\s*\S+|\s+", choice["message"]["content"] or "")
        ]
        if refusal := choice["message"].get("refusal"):
            events.append({**head, "choices": [{"index": 0, "delta": {"refusal": refusal}, "finish_reason": None}]})
        events.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]})
        if self.counts_streams and (request.body.get("stream_options") or {}).get("include_usage"):
            events.append({**head, "choices": [], "usage": data["usage"]})
        lines = [f"data: {json.dumps(event)}\n\n" for event in events]
        body = "".join([": keep the connection\n\n", *lines, "data: [DONE]\n\n"]).encode()
        return replace(reply, body=body, headers=(("Content-Type", "text/event-stream"),))

    def _counted(self, request: Request, reply: Reply) -> Reply:
        """Put into a completion what it took, where that is wanted: our tokeniser's tokens, and 4 for each message."""
        if not self.counts or not reply.body.startswith(b'{"id": "fake"'):
            return reply
        from kg_neo4j._models import tokens

        tokeniser = tokens.load()
        data = json.loads(reply.body)
        read = sum(tokeniser.count(str(message["content"])) + 4 for message in request.body["messages"])
        choice = data["choices"][0]
        text, limit = choice["message"]["content"] or "", request.body.get("max_tokens")
        if limit is not None and len(spans := tokeniser.spans(text)) > limit:
            choice["message"]["content"], choice["finish_reason"] = text[: spans[limit][0]], "length"
        written = tokeniser.count(choice["message"]["content"] or "")
        self.counted.append((read, written))
        data["usage"] = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
        return replace(reply, body=json.dumps(data).encode())


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # of many connections at once, those beyond it are reset

    def __init__(self, *given: Any) -> None:
        self._open: set[socket.socket] = set()
        super().__init__(*given)

    def get_request(self) -> tuple[socket.socket, Any]:
        request, address = super().get_request()
        self._open.add(request)
        return request, address

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a client that was killed."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    def server_close(self) -> None:
        """End the connections that clients keep open, too: their threads wait for a next request."""
        super().server_close()
        for request in list(self._open):
            with contextlib.suppress(OSError):
                request.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or a body waits 40 ms for the acknowledgement of its head

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self._respond({})

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(length)
        if len(body) == length:  # else the client was killed while it sent this
            self._respond(json.loads(body or b"{}"))

    def _respond(self, body: dict[str, Any]) -> None:
        fake: FakeLlm = self.server.fake  # type: ignore[attr-defined]
        reply = fake.reply_to(Request(self.path, {name.lower(): value for name, value in self.headers.items()}, body))
        try:
            self._send(reply, fake.stopping)
        except (ConnectionError, TimeoutError):
            fake.closed.set()

    def _send(self, reply: Reply, stopping: threading.Event) -> None:
        if reply.hang:
            stopping.wait()
        if reply.hang or reply.reset:
            # RST instead of FIN: the other side sees a broken connection, not an end
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
            self.connection.close()
            return
        self.send_response(reply.status)
        for name, value in reply.headers:
            self.send_header(name, value)
        if chunked := reply.chunked or reply.endless or reply.holds:
            self.send_header("Transfer-Encoding", "chunked")
        else:
            self.send_header("Content-Length", str(len(reply.body) * (1 + reply.repeat)))
        self.end_headers()
        for piece in self._pieces(reply, stopping):
            data = b"%x\r\n%s\r\n" % (len(piece), piece) if chunked else piece
            self.wfile.write(data)
            self.wfile.flush()
        if reply.cut is not None:
            self.close_connection = True
        elif reply.holds:
            stopping.wait()
        elif chunked:
            self.wfile.write(b"0\r\n\r\n")

    def _pieces(self, reply: Reply, stopping: threading.Event) -> Iterator[bytes]:
        body = reply.body if reply.cut is None else reply.body[: reply.cut]
        while reply.endless and not stopping.wait(reply.pause_s):
            yield body
        if reply.drip_s is None:
            for _ in range(1 + reply.repeat):
                yield body
            return
        for byte in body:
            if stopping.wait(reply.drip_s):
                return
            yield bytes([byte])


# ----------------------------------------------------------------------------------- what it says when not told

_HEADER = re.compile(r"^(?:sentences,node_id(?:_1)?|node_id|relationship_id)(?:,[a-z_0-9]+)+$", re.MULTILINE)
_FACTS = re.compile(r"^sentence,first,first_type,[a-z_0-9,]+$", re.MULTILINE)
_NUMBERED = re.compile(r"^(\d+) (.*)$", re.MULTILINE)
_MARKED = re.compile(r"^=+ begin (\w+) =+\n(.*?)\n=+ end \1 =+$", re.DOTALL | re.MULTILINE)
_NAME = re.compile(r"\b[A-ZÀ-Þ][\w'’-]+(?: (?:of|ibn|bint|de|von|van) [A-ZÀ-Þ][\w'’-]+| [A-ZÀ-Þ][\w'’-]+)*")
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]?")
_CITABLE = re.compile(r"^(\d+\.\d+|F\d+) (.+)$", re.MULTILINE)  # of a prompt for an answer
_ASKING = frozenset("what where when which whose does that this there their about".split())
_WORD = re.compile(r"\w{3,}")
_STOP = frozenset("The This That These Those He She It They His Her Its Their In On At By For With After".split())


def answer(prompt: str, user: str) -> str:
    """Return the answer of the rules: CSV for an extraction prompt, a cited sentence for any other."""
    marked = _MARKED.search(user)
    headers = _HEADER.findall(prompt)
    if marked and (one := _FACTS.search(prompt)):
        return facts(marked[2], one[0].split(","))
    if marked and len(headers) >= 2:
        return extract(marked[2], headers[0].split(","), headers[1].split(","))
    return cite(user)


def extract(text: str, node_header: list[str], relationship_header: list[str]) -> str:
    """Return the two-section CSV for `text`: capitalised names, and a relationship for two in one sentence."""
    nodes: dict[str, dict[str, str]] = {}
    relationships: list[dict[str, str]] = []
    lines = [(found[0].strip(), "") for found in _SENTENCE.finditer(text)]
    if "sentences" in node_header:
        lines = [(line[2], line[1]) for line in _NUMBERED.finditer(text.partition("\n===== from the document")[0])]
    for sentence, number in lines:
        names = list(dict.fromkeys(name for name in _NAME.findall(sentence) if name not in _STOP))
        shown = " ".join(sentence.split()[:20])
        for name in names:
            row = {"node_id": f"n{len(nodes) + 1}", "node_type": "PERSON" if " " in name else "ENTITY_NAME"}
            row["sentences"] = number
            nodes.setdefault(name, {**row, "name": name, "description": sentence, "evidence": shown})
        for first, second in itertools.pairwise(names):
            ends = {"node_id_1": nodes[first]["node_id"], "node_id_2": nodes[second]["node_id"]}
            row = {"relationship_id": f"r{len(relationships) + 1}", "relationship_type": "RELATED_TO", "strength": "5"}
            relationships.append({**row, **ends, "description": sentence, "evidence": shown, "sentences": number})
    return _section(node_header, list(nodes.values())) + "\n" + _section(relationship_header, relationships)


def facts(text: str, header: list[str]) -> str:
    """Return the CSV of one section for `text`: a fact for two names in one sentence."""
    rows = []
    for line in _NUMBERED.finditer(text):
        names = list(dict.fromkeys(name for name in _NAME.findall(line[2]) if name not in _STOP))
        kinds = {name: "PERSON" if " " in name else "ENTITY_NAME" for name in names}
        for first, second in itertools.pairwise(names):
            ends = {"first": first, "first_type": kinds[first], "second": second, "second_type": kinds[second]}
            rows.append({"sentence": line[1], "relationship": "RELATED_TO", **ends})
    return _section(header, rows)


def _section(header: list[str], rows: list[dict[str, str]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([row.get(column, "") for column in header] for row in rows)
    return out.getvalue()


def cite(user: str) -> str:
    """Return the numbered sentence that shares most words with the question, with its number."""
    evidence, _, question = user.rpartition("Question:")
    wanted = {word[:5] for word in _WORD.findall(question.casefold())} - _ASKING
    best, best_score = "NOT IN THE GRAPH", 0
    for mark, sentence in _CITABLE.findall(evidence):
        score = len(wanted & {word[:5] for word in _WORD.findall(sentence.casefold())})
        if score > best_score:
            best, best_score = f"{sentence.rstrip('.!?')} [{mark}].", score
    return best


def hashed(text: str) -> list[float]:
    """Return a deterministic vector: hashed words, unit length."""
    vector = [0.0] * DIMENSION
    for word in _WORD.findall(text.casefold()) or [text]:
        digest = hashlib.sha256(word.encode()).digest()
        vector[digest[0] % DIMENSION] += 1.0 if digest[1] % 2 else -1.0
    vector[0] += 0.001
    length = math.sqrt(sum(number * number for number in vector))
    return [number / length for number in vector]


def main() -> None:
    """Run the server by hand."""
    parser = argparse.ArgumentParser(description="an OpenAI-compatible server that answers by simple rules")
    parser.add_argument("--port", type=int, default=8000)
    fake = FakeLlm(parser.parse_args().port)
    print(f"OPENAI_BASE_URL={fake.url} KG_MODEL=fake KG_EMBEDDING_MODEL=fake-embedding", flush=True)  # noqa: T201
    with contextlib.suppress(KeyboardInterrupt):
        fake.serve()


if __name__ == "__main__":
    main()
