"""What `kg serve` costs beside the library: cold start, time of a question, fifty at once, memory after many requests.

    python benchmarks/serving.py [--requests 10000]

It starts a Neo4j of its own in a temporary folder and loads the article of examples/. Everything runs on this machine.
"""

from __future__ import annotations

import argparse
import itertools
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import psutil

from kg_neo4j import KnowledgeGraph
from kg_neo4j.local_server import local_neo4j
from kg_neo4j.settings import Settings

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "alexander_von_humboldt.md"
QUESTIONS = (
    "When did Aimé Bonpland die?",
    "How are Goethe and Bonpland connected?",
    "Whom did Humboldt meet in Paris?",
    "Where was Humboldt born?",
    "Who was the king of Sweden in 1700?",
)
GRAPH = "serving"


@contextmanager
def database() -> Iterator[Settings]:
    """Yield settings of a Neo4j of its own with the example in it."""
    home = Path(tempfile.mkdtemp(prefix="kg-serving-"))
    offline = {"openai_api_key": None, "openai_base_url": None, "embedding_model": None, "graph": GRAPH}
    managed = Settings().model_copy(
        update={"home": home, "neo4j_uri": None, "db_bolt_port": 0, "db_http_port": 0, "db_heap_mb": 1024, **offline}
    )
    with local_neo4j(managed) as local:
        server = local.start()
    given = {"neo4j_uri": server.uri, "neo4j_username": server.username, "neo4j_password": server.password}
    settings = Settings(**{**managed.model_dump(), **given})
    try:
        with KnowledgeGraph(settings=settings) as kg:
            kg.load(EXAMPLE)
        yield settings
    finally:
        local.stop(force=True)
        shutil.rmtree(home, ignore_errors=True)


@contextmanager
def serving(settings: Settings, path: str = "/healthz") -> Iterator[tuple[httpx.Client, int, float]]:
    """Yield a client of `kg serve`, its process, and the seconds from its start to the first answer of `path`."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    assert settings.neo4j_password
    environment = {
        **os.environ,
        "NEO4J_URI": str(settings.neo4j_uri),
        "NEO4J_PASSWORD": settings.neo4j_password.get_secret_value(),
        "KG_HOME": str(settings.home),
    }
    command = [sys.executable, "-m", "kg_neo4j", "serve", "--graph", GRAPH, "--port", str(port)]
    started = time.monotonic()
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=120, trust_env=False) as client:
            while True:
                try:
                    assert client.get(path).status_code == 200
                    break
                except httpx.TransportError:
                    time.sleep(0.01)
            yield client, process.pid, time.monotonic() - started
    finally:
        process.terminate()
        process.wait(30)


def cold_start(settings: Settings) -> None:
    """Print the seconds from the command to the first answer; of a page it has read the database."""
    for path in ("/healthz", "/", f"/api/ask?question={QUESTIONS[0]}"):
        seconds, busy = [], []
        for _ in range(5):
            with serving(settings, path) as (_, pid, taken):
                used = psutil.Process(pid).cpu_times()
                seconds.append(taken)
                busy.append(used.user + used.system)
        shown = f"{statistics.median(seconds):.2f} s, of a processor {statistics.median(busy):.2f} s"
        print(f"cold start to the first answer of {path}: median of {len(seconds)} {shown}", flush=True)


def one_question(settings: Settings) -> None:
    """Print the time of a question through the server and in the library, in turn."""
    taken: dict[str, list[float]] = {"server": [], "library": []}
    with serving(settings) as (client, _, _), KnowledgeGraph(settings=settings) as kg:
        for number, question in enumerate(itertools.islice(itertools.cycle(QUESTIONS), 205)):
            began = time.perf_counter()
            answer = client.get("/api/ask", params={"question": question}).json()
            between = time.perf_counter()
            known = kg.ask(question)
            ended = time.perf_counter()
            assert answer["answer"] == known.answer, question
            if number >= 5:  # both have opened what they need
                taken["server"].append(between - began)
                taken["library"].append(ended - between)
    server, library = (1_000 * statistics.median(taken[name]) for name in ("server", "library"))
    print(f"ask, median of 200 in turn: server {server:.1f} ms, KnowledgeGraph.ask {library:.1f} ms", flush=True)


def fifty_at_once(settings: Settings) -> None:
    """Print what became of fifty questions that came together."""
    with serving(settings) as (client, _, _), KnowledgeGraph(settings=settings) as kg:
        known = {question: kg.ask(question).answer for question in QUESTIONS}
        client.get("/api/ask", params={"question": QUESTIONS[0]})
        base = str(client.base_url).rstrip("/")

        def ask(question: str) -> str:
            answer = httpx.get(f"{base}/api/ask", params={"question": question}, timeout=120, trust_env=False)
            if answer.status_code != 200:
                return str(answer.status_code)
            return "equal" if answer.json()["answer"] == known[question] else "different"

        with ThreadPoolExecutor(50) as pool:
            began = time.perf_counter()
            found = list(pool.map(ask, itertools.islice(itertools.cycle(QUESTIONS), 50)))
            seconds = time.perf_counter() - began
    counts = ", ".join(f"{found.count(each)} {each}" for each in sorted(set(found)))
    print(f"fifty questions at once: {counts}, in {seconds:.1f} s", flush=True)


def memory(settings: Settings, requests: int) -> None:
    """Print the memory of the server's process after a tenth of the requests and after all of them."""
    with serving(settings) as (client, pid, _):
        kinds = [("/api/ask", {"question": question}) for question in QUESTIONS]
        kinds += [
            ("/", {}),
            ("/api/search", {"words": "Humboldt"}),
            ("/api/entity", {"name": "Alexander von Humboldt"}),
        ]
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "documents", "arguments": {}}}
        headers = {"accept": "application/json, text/event-stream"}
        measured = []
        began = time.perf_counter()
        for number in range(1, requests + 1):
            if number % 9 == 0:
                answer = client.post("/mcp", json=call, headers=headers)
            else:
                path, params = kinds[number % len(kinds)]
                answer = client.get(path, params=params)
            assert answer.status_code == 200, answer.text
            if number in (requests // 10, requests):
                measured.append(psutil.Process(pid).memory_info().rss / 1e6)
        first, last = measured
        print(
            f"memory after request {requests // 10:,}: {first:.0f} MB, after {requests:,}: {last:.0f} MB, "
            f"{last / first:.3f} times as much ({requests / (time.perf_counter() - began):.0f} requests a second)"
        )


def main() -> None:
    """Measure all four."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=10_000)
    given = parser.parse_args()
    with database() as settings:
        cold_start(settings)
        one_question(settings)
        fifty_at_once(settings)
        memory(settings, given.requests)


if __name__ == "__main__":
    main()
