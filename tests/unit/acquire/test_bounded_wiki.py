"""Memory of the wiki's client, whatever the wiki sends. It runs in a child process, which reports its own peak."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import zlib
from collections.abc import Iterator
from typing import Any

import pytest

from fake_llm import FakeLlm, Reply

PEAK_MB = 400
CHILD = """
import json, resource, sys
resource.setrlimit(resource.RLIMIT_AS, (3 << 30,) * 2)
from kg_neo4j.acquire import wikipedia
from kg_neo4j.acquire.mediawiki import Site
from kg_neo4j.errors import KgError
try:
    wikipedia.fetch(["Ada"], graph="g", site=Site(url=sys.argv[1]))
    done = {"error": None}
except KgError as error:
    done = {"error": type(error).__name__, "message": str(error)}
with open("/proc/self/status") as status:  # getrusage has the peak of the process that forked, too
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
print(json.dumps({**done, "peak_mb": peak >> 10}))
"""


@pytest.fixture
def server() -> Iterator[FakeLlm]:
    """A server that says what is scripted."""
    with FakeLlm() as started:
        yield started


def fetch(server: FakeLlm) -> dict[str, Any]:
    """Read a page in a child process; fails where the child ends with anything but a KgError."""
    command = [sys.executable, "-c", CHILD, f"{server.url}/api.php"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2_000:]
    said: dict[str, Any] = json.loads(done.stdout)
    return said


@pytest.mark.parametrize("status", [200, 302, 404])
def test_an_endless_body_takes_bounded_memory(server: FakeLlm, status: int) -> None:
    headers = (("Content-Type", "application/json"), ("Location", "/elsewhere")) if status == 302 else ()
    server.script(*[Reply(status, b"x" * (1 << 20), headers, endless=True)] * 3)
    done = fetch(server)
    assert (done["error"], done["peak_mb"] < PEAK_MB) == ("WikipediaUnavailable", True), done


@pytest.mark.parametrize(("encoding", "layers"), [("gzip", 1), ("gzip, gzip", 2)])
def test_a_compressed_bomb_takes_bounded_memory(server: FakeLlm, encoding: str, layers: int) -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    packed = b"".join(packer.compress(b" " * (1 << 20)) for _ in range(1_000)) + packer.flush()
    packed = gzip.compress(packed) if layers == 2 else packed
    server.script(Reply(200, packed, (("Content-Type", "application/json"), ("Content-Encoding", encoding))))
    done = fetch(server)
    assert (done["error"], done["peak_mb"] < PEAK_MB) == ("WikipediaUnavailable", True), done
    assert server.requests[0].headers["accept-encoding"] == "gzip"


def test_a_compressed_answer_is_read(server: FakeLlm) -> None:
    packed = gzip.compress(b'{"error": {"code": "none", "info": "such"}}')
    server.script(Reply(200, packed, (("Content-Type", "application/json"), ("Content-Encoding", "gzip"))))
    assert "none: such" in fetch(server)["message"]
