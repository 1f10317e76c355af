"""Memory and addresses of the model client, whatever the model's server sends.

The client runs in a child process, which has a limit on its memory and reports its own peak.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import pytest
from pydantic import SecretStr

from fake_llm import FakeLlm, Reply
from kg_neo4j._models.openai_chat import OpenAIChat
from kg_neo4j._models.openai_embedding import OpenAIEmbedding
from kg_neo4j._models.openai_endpoint import Endpoint
from kg_neo4j.errors import BadModelAnswer, ModelRefused, ModelUnavailable, RequestRefused

PEAK_MB = 600  # openai, numpy and an answer of the largest size
LIMIT_MB = 3_000  # of the child's address space, so that a failure does not take the machine

CHILD = """
import json, resource, sys
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[3]) << 20,) * 2)
from pydantic import SecretStr
from kg_neo4j._models.openai_chat import OpenAIChat
from kg_neo4j._models.openai_embedding import OpenAIEmbedding
from kg_neo4j._models.openai_endpoint import Endpoint
from kg_neo4j.errors import KgError
endpoint = Endpoint(sys.argv[1], SecretStr("sk-canary-0123456789abcdef"), timeout_s=60, retries=0)
try:
    if sys.argv[2] == "embed":
        said = str(OpenAIEmbedding("m", endpoint).embed(["hello"]).shape)
    elif sys.argv[2] == "stream":
        said = OpenAIChat("m", endpoint).stream("be brief", "hello", lambda piece: None).text
    else:
        said = OpenAIChat("m", endpoint).complete("be brief", "hello").text
    done = {"said": said[:100]}
except KgError as error:
    done = {"error": type(error).__name__, "message": str(error), "hint": error.hint}
with open("/proc/self/status") as status:  # getrusage has the peak of the process that forked, too
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
print(json.dumps({**done, "peak_mb": peak >> 10}))
"""
WAYS = ["chat", "stream", "embed"]


@dataclass(frozen=True)
class Outcome:
    """What a child reports of one call."""

    peak_mb: int
    said: str = ""
    error: str = ""
    message: str = ""
    hint: str | None = None


def call(url: str, way: str) -> Outcome:
    """Make one call in a child process; fails where the child ends with anything but an answer or a KgError."""
    command = [sys.executable, "-c", CHILD, url, way, str(LIMIT_MB)]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2_000:]
    return Outcome(**json.loads(done.stdout))


@cache
def bomb(size_mb: int, layers: int = 1) -> bytes:
    """Return `size_mb` MB of spaces, packed `layers` times; the last blocks, which no reader comes to, are missing."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    first, other = (packer.compress(b" " * (1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    packed = first + other * (size_mb - 1)
    for _ in range(layers - 1):
        packed = gzip.compress(packed)
    return packed


def each_status_or_each_way(statuses: Sequence[int], ways: Sequence[object]) -> list[object]:
    """Return all pairs. In `make test` stay those of the first status or the first way: a child takes a second."""
    return [
        pytest.param(status, way, marks=[] if status == statuses[0] or way == ways[0] else pytest.mark.long)
        for status in statuses
        for way in ways
    ]


PACKED = [*((way, "gzip", 1) for way in WAYS), ("chat", "gzip, gzip", 2)]
TYPES = {200: "BadModelAnswer", 307: "ModelRefused", 400: "RequestRefused", 500: "ModelUnavailable"}


@pytest.mark.parametrize(("status", "way"), each_status_or_each_way(list(TYPES), WAYS))
def test_an_endless_body_takes_bounded_memory(llm: FakeLlm, way: str, status: int) -> None:
    headers = (("Content-Type", "application/json"), ("Location", "/elsewhere")) if status == 307 else ()
    llm.script(*[Reply(status, b"x" * (1 << 20), headers, endless=True)] * 3)
    done = call(llm.url, way)
    assert (done.error, done.peak_mb < PEAK_MB) == (TYPES[status], True), done


@pytest.mark.parametrize(
    ("status", "case"),
    each_status_or_each_way([200, 500], [*((way, "gzip", 1) for way in WAYS), ("chat", "gzip, gzip", 2)]),
)
def test_a_compressed_bomb_takes_bounded_memory(llm: FakeLlm, status: int, case: tuple[str, str, int]) -> None:
    way, encoding, layers = case
    headers = (("Content-Type", "application/json"), ("Content-Encoding", encoding))
    llm.script(*[Reply(status, bomb(2_000, layers), headers)] * 3)
    done = call(llm.url, way)
    assert (done.error, done.peak_mb < PEAK_MB) == (TYPES[status], True), done


def test_a_line_of_a_stream_that_never_ends_takes_bounded_memory(llm: FakeLlm) -> None:
    events = (("Content-Type", "text/event-stream"),)
    llm.script(Reply(200, b"data: " + b"x" * (1 << 20), events, endless=True)).say("Whole.")
    done = call(llm.url, "stream")
    assert (done.said, done.peak_mb < PEAK_MB) == ("Whole.", True), done


@pytest.mark.parametrize("body", [b"[" + b"{}," * 11_000_000 + b"0]", b'{"a": [' + b"[]," * 11_000_000 + b"0]}"])
def test_an_answer_of_millions_of_empty_objects_takes_bounded_memory(llm: FakeLlm, body: bytes) -> None:
    llm.script(*[Reply(200, body)] * 2)
    done = call(llm.url, "chat")
    assert (done.error, done.peak_mb < PEAK_MB) == ("BadModelAnswer", True), done


@pytest.mark.parametrize("way", WAYS)
def test_a_flood_of_headers_takes_bounded_memory(llm: FakeLlm, way: str) -> None:
    llm.script(*[Reply(200, b"{}", tuple((f"X-{number}", "y" * 1_000) for number in range(100_000)))] * 3)
    done = call(llm.url, way)
    assert (done.error, done.peak_mb < PEAK_MB) == ("ModelUnavailable", True), done


# -- what can be read, and what cannot


def chat(llm: FakeLlm, retries: int = 0) -> OpenAIChat:
    return OpenAIChat("m", Endpoint(llm.url, SecretStr("sk-canary-0123456789abcdef"), timeout_s=60, retries=retries))


def ask(llm: FakeLlm, way: str) -> str:
    """Ask in one of the ways, in this process; returns the text."""
    if way == "embed":
        return str(OpenAIEmbedding("m", chat(llm)._endpoint).embed(["a secret text"]).shape)
    if way == "stream":
        return chat(llm).stream("be brief", "a secret text", lambda _: None).text
    return chat(llm).complete("be brief", "a secret text").text


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "x-gzip", "identity", "GZIP"])
def test_a_compressed_answer_is_read(llm: FakeLlm, encoding: str) -> None:
    body = llm.completion("Packed.").body
    packed = {"deflate": zlib.compress, "identity": bytes}.get(encoding, gzip.compress)(body)
    llm.script(Reply(200, packed, (("Content-Type", "application/json"), ("Content-Encoding", encoding))))
    assert ask(llm, "chat") == "Packed."
    assert llm.requests[0].headers["accept-encoding"] == "gzip"


@pytest.mark.parametrize("way", WAYS)
def test_a_compressed_error_is_read(llm: FakeLlm, way: str) -> None:
    packed = gzip.compress(b'{"error": {"message": "no such thing"}}')
    llm.script(*[Reply(400, packed, (("Content-Type", "application/json"), ("Content-Encoding", "gzip")))] * 2)
    with pytest.raises(RequestRefused, match="no such thing"):
        ask(llm, way)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("encoding", "body"),
    [("br", b"\x0b\x02\x80{}\x03"), ("gzip", b"no gzip"), ("gzip", gzip.compress(b"{}" * 99, mtime=0)[:-9])],
)
def test_an_answer_that_cannot_be_unpacked_is_a_bad_answer(llm: FakeLlm, way: str, encoding: str, body: bytes) -> None:
    llm.script(*[Reply(200, body, (("Content-Encoding", encoding),))] * 2)
    with pytest.raises(BadModelAnswer):
        ask(llm, way)


@pytest.mark.parametrize("way", WAYS)
def test_an_error_that_cannot_be_unpacked_keeps_its_status(llm: FakeLlm, way: str) -> None:
    llm.script(*[Reply(401, b"no gzip", (("Content-Encoding", "gzip"),))] * 2)
    with pytest.raises(ModelRefused, match="refused the key"):
        ask(llm, way)


@pytest.mark.parametrize("charset", ["undefined", "zlib", "idna", "nonsense"])
@pytest.mark.parametrize("status", [200, 400])
@pytest.mark.parametrize("way", WAYS)
def test_a_character_set_that_is_none_does_no_harm(llm: FakeLlm, way: str, status: int, charset: str) -> None:
    kind = "text/event-stream" if way == "stream" and status == 200 else "application/json"
    body = json.dumps({"error": {"message": "żaden"}}, ensure_ascii=False).encode()
    body = b"data: " + body if kind == "text/event-stream" else body
    llm.script(*[Reply(status, body, (("Content-Type", f"{kind}; charset={charset}"),))] * 2)
    with pytest.raises((ModelRefused, BadModelAnswer), match="żaden"):
        ask(llm, way)


def test_an_error_that_drips_ends_at_the_deadline(llm: FakeLlm) -> None:
    model = OpenAIChat("m", Endpoint(llm.url, timeout_s=1, retries=0))
    llm.script(*[Reply(500, b"x" * 1_000, drip_s=0.5)] * 2)
    with pytest.raises(ModelUnavailable, match="did not answer within"):
        model.stream("be brief", "hello", lambda _: None)


# -- where a prompt is sent

REDIRECTS = [301, 302, 303, 307, 308]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("status", REDIRECTS)
def test_no_redirect_is_followed(llm: FakeLlm, way: str, status: int) -> None:
    with FakeLlm() as other:
        elsewhere = f"{other.url}/chat/completions?key=sk-canary-0123456789abcdef"
        llm.script(*[Reply(status, b"{}", (("Location", elsewhere),))] * 2)
        with pytest.raises(ModelRefused, match="redirects to") as refused:
            ask(llm, way)
        assert other.calls == 0
    assert llm.calls == 1
    assert llm.url in str(refused.value)
    assert f"{other.url}/chat/completions?key=***;" in str(refused.value)
    assert "OPENAI_BASE_URL" in (refused.value.hint or "")


def test_a_redirect_is_not_repeated(llm: FakeLlm) -> None:
    llm.script(*[Reply(307, b"{}", (("Location", "/v2"),))] * 4)
    with pytest.raises(ModelRefused, match=f"{llm.url[:-3]}/v2"):
        chat(llm, retries=3).complete("be brief", "hello")
    assert llm.calls == 1


@pytest.mark.parametrize(
    "location",
    [
        *(
            "",
            "file:///etc/passwd",
            "http://",
            "http://[::1",
            "http://xn--a/",
            "http://h:99999999/",
            "//",
            "?",
            "\x9b31m",
        ),
        *("http://user:hunter22@host/", "http://host/\xff\xfe", "javascript:alert(1)", "http://" + "a" * 60_000),
    ],
)
def test_an_odd_address_of_a_redirect_is_shown_in_one_printable_line(llm: FakeLlm, location: str) -> None:
    llm.script(Reply(307, b"{}", (("Location", location),)))
    with pytest.raises(ModelRefused, match="redirects to") as refused:
        ask(llm, "chat")
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 500
