"""How long does one retrieval take, beside neo4j-graphrag's, on the same server, indexes and vectors?

    python benchmarks/retrieval.py [--chunks 20000] [--questions 200] [--rounds 3] [--only WAY ...] [--json]

A library of passages (benchmarks/library.py) is loaded by `kg_neo4j.load`: chunks, entities and relationships, all
embedded. Then, in each round, one after the other, every question is searched for by

- local: the whole graph-aware mode: names linked, personalised PageRank over a projection that is kept, and
  - match: flat search and the last query alone, by words, by meaning and one hop with bounds, without walking;
- naive: chunks alone, by words and by meaning;
- graphrag: neo4j-graphrag's HybridCypherRetriever with one hop, in an environment of its own (out/bench, made at the
  first start), and bounded: the same search written by hand, with bounds.

Embedding the question is not timed. Half of the questions name a hub. Targets: local at most 120 ms p50 and 200 ms
p95; match at most 1.5 times graphrag's p50 and 1.0 times its p95. Believe ratios, not seconds; missing them is no
error (exit code 0).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]

import environments  # noqa: E402 - after the path is set
import library  # noqa: E402
import server  # noqa: E402

from kg_neo4j import factory  # noqa: E402
from kg_neo4j._models import tokens  # noqa: E402
from kg_neo4j._models.protocols import EmbeddingModel  # noqa: E402
from kg_neo4j.extract import schema  # noqa: E402
from kg_neo4j.graph import constraints  # noqa: E402
from kg_neo4j.graph.database import Database, DatabaseAddress  # noqa: E402
from kg_neo4j.organise import search_indexes  # noqa: E402
from kg_neo4j.pipeline.commands.load import load  # noqa: E402
from kg_neo4j.pipeline.options import LoadOptions  # noqa: E402
from kg_neo4j.progress import Silent  # noqa: E402
from kg_neo4j.records import LoadReport  # noqa: E402
from kg_neo4j.retrieve import local, naive  # noqa: E402
from kg_neo4j.retrieve.ask import prepare  # noqa: E402
from kg_neo4j.retrieve.interface import CHUNKS, Linked, Search  # noqa: E402
from kg_neo4j.retrieve.pagerank import Reached  # noqa: E402
from kg_neo4j.retrieve.question import read  # noqa: E402
from kg_neo4j.settings import Settings  # noqa: E402

GRAPH = "bench"
CHUNK_TOKENS = 120  # about one passage
TOP = CHUNKS
WAYS = LOCAL, MATCH, NAIVE, BOUNDED, GRAPHRAG = ("local", "match", "naive", "bounded", "graphrag")
WANTED_MS, WANTED_P50, WANTED_P95 = (120.0, 200.0), 1.5, 1.0
BY_HAND = """
CALL {
  CALL db.index.vector.queryNodes($vectors, $top, $vector) YIELD node, score
  RETURN node, score
  UNION
  CALL db.index.fulltext.queryNodes($words, $text, {limit: $top}) YIELD node, score
  RETURN node, score / 10 AS score
}
WITH node, max(score) AS score ORDER BY score DESC LIMIT $top
CALL (node) {
  MATCH (node)<-[:MENTIONED_IN]-(e:Entity)
  WITH e LIMIT 20
  CALL (e) { MATCH (e)-[r:!MENTIONED_IN]-(other:Entity) RETURN type(r) AS kind, other.name AS other LIMIT 20 }
  RETURN collect(e.name + ' ' + kind + ' ' + other)[..50] AS facts
}
RETURN node.text AS text, score, facts
"""


def fill(settings: Settings, chunks: int) -> LoadReport:
    """Load the library."""
    return load(
        settings=settings,
        options=LoadOptions(analytics=False, chunk_tokens=CHUNK_TOKENS),
        documents=library.documents(GRAPH, list(library.passages(chunks))),
        extractor=library.Reader(schema.load("described")),
    )


def ours(database: Database, settings: Settings, asked: Sequence[str]) -> dict[str, Callable[[int], object]]:
    """Return our ways to search for the question of a number."""
    embedder, tokeniser = factory.embedding_model(settings), tokens.load()
    searches: list[Search] = [prepare(database, Search(GRAPH, read(each)), embedder, tokeniser)[0] for each in asked]
    return {
        LOCAL: lambda number: local.retrieve(database, searches[number]),
        MATCH: lambda number: match(database, searches[number]),
        NAIVE: lambda number: naive.retrieve(database, searches[number]),
        BOUNDED: lambda number: database.driver.execute_query(
            BY_HAND,
            vectors=searches[number].chunk_index,
            words=search_indexes.fulltext_index_name("Chunk"),
            vector=list(searches[number].vector or ()),
            text=searches[number].words,
            top=TOP,
        ),
    }


def match(database: Database, search: Search) -> object:
    """Search by words and by meaning, with one hop, as `local` does without linking, walking and ranking."""
    flat = naive.retrieve(database, search).chunks
    return local.match(database, search, Linked(), Reached(), [(each.id, each.score) for each in flat])


class Rival:
    """neo4j-graphrag in a process of its own; None answers where it cannot be installed."""

    def __init__(
        self, cache: Path, running: server.PrivateServer, embedder: EmbeddingModel, asked: Sequence[str]
    ) -> None:
        self._process: subprocess.Popen[str] | None = None
        try:
            python = environments.python_of("neo4j-graphrag", cache)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"without neo4j-graphrag: not installed here ({error})", file=sys.stderr)
            return
        command = [python, HERE / "retrievers" / "graphrag.py"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        job = {
            "uri": running.uri,
            "username": server.USERNAME,
            "password": running.password,
            "vectors": constraints.vector_index_name("Chunk", embedder),
            "words": search_indexes.fulltext_index_name("Chunk"),
            "top": TOP,
            "questions": [
                {"text": text, "vector": vector}
                for text, vector in zip(asked, embedder.embed(asked).tolist(), strict=True)
            ],
        }
        self._say(json.dumps(job))

    def round(self) -> list[float] | None:
        """Return the seconds of each question."""
        return None if self._process is None else self._say("again")["seconds"]

    def stop(self) -> None:
        """End the process."""
        if self._process is not None and self._process.stdin:
            self._process.stdin.close()
            self._process.wait(60)

    def _say(self, line: str) -> dict:
        assert self._process is not None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise SystemExit("neo4j-graphrag's process has ended")
        return json.loads(answer)


def measure(options: argparse.Namespace) -> dict[str, list[list[float]]]:
    """Return the seconds of every question, round by round, by way."""
    seconds: dict[str, list[list[float]]] = {}
    asked = library.questions(options.questions)
    with server.running(options.cache, Silent()) as running:
        address = DatabaseAddress(running.uri, server.USERNAME, running.password)
        settings = Settings(
            neo4j_uri=running.uri, neo4j_username=server.USERNAME, neo4j_password=running.password, graph=GRAPH
        )
        loaded = fill(settings, options.chunks)
        print(
            f"{loaded.chunks:,} chunks, {loaded.nodes:,} entities, {loaded.relationships:,} relationships",
            file=sys.stderr,
        )
        with Database(address) as database:
            database.driver.execute_query("CALL db.awaitIndexes(1200)")
            ways = {way: search for way, search in ours(database, settings, asked).items() if way in options.only}
            rival = None
            if GRAPHRAG in options.only:
                rival = Rival(options.cache, running, factory.embedding_model(settings), asked)
            for number in range(options.rounds + 1):  # the first warms the server up
                found = {way: [timed(search, each) for each in range(len(asked))] for way, search in ways.items()}
                if rival is not None and (theirs := rival.round()) is not None:
                    found[GRAPHRAG] = theirs
                if number:
                    for way, values in found.items():
                        seconds.setdefault(way, []).append(values)
            if rival is not None:
                rival.stop()
    return seconds


def timed(search: Callable[[int], object], number: int) -> float:
    """Return the seconds that one search takes."""
    started = time.perf_counter()
    search(number)
    return time.perf_counter() - started


def shown(seconds: dict[str, list[list[float]]]) -> dict[str, object]:
    """Return everything as plain values: percentiles in ms, ratios to graphrag, what is wanted."""
    ways = {}
    for way, rounds in seconds.items():
        ranked = sorted(1000 * each for values in rounds for each in values)
        hubs = sorted(1000 * each for values in rounds for each in values[1::2])
        ways[way] = {
            "p50": at(ranked, 0.5),
            "p95": at(ranked, 0.95),
            "hubs_p50": at(hubs, 0.5),
            "hubs_p95": at(hubs, 0.95),
        }
    wanted: dict[str, bool] = {}
    if LOCAL in ways:
        for share, most in zip(("p50", "p95"), WANTED_MS, strict=True):
            wanted[f"local: {share} at most {most:g} ms"] = ways[LOCAL][share] <= most
    if MATCH in ways and GRAPHRAG in ways:
        wanted[f"match: p50 at most {WANTED_P50:g} x graphrag's"] = (
            ways[MATCH]["p50"] <= WANTED_P50 * ways[GRAPHRAG]["p50"]
        )
        wanted[f"match: p95 at most {WANTED_P95:g} x graphrag's"] = (
            ways[MATCH]["p95"] <= WANTED_P95 * ways[GRAPHRAG]["p95"]
        )
    rounds = {
        way: [[1000 * at(sorted(values), share) for share in (0.5, 0.95)] for values in each]
        for way, each in seconds.items()
    }
    return {"ways": ways, "rounds_p50_p95_ms": rounds, "wanted": wanted}


def at(ranked: Sequence[float], share: float) -> float:
    """Return the value below which so large a share of sorted values lies."""
    return ranked[min(len(ranked) - 1, int(share * len(ranked)))]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=20_000)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=WAYS, default=WAYS, metavar="WAY")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--cache", type=Path, default=HERE.parent / "out" / "bench")
    options = parser.parse_args()
    load_before = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    result = {"load": load_before, "chunks": options.chunks, **shown(measure(options))}
    if options.json:
        print(json.dumps(result))
        return
    print(f"{options.chunks:,} chunks; {os.cpu_count()} cores, load before {load_before}")
    print(f"{'ms':<10} {'p50':>8} {'p95':>8} {'hubs p50':>8} {'hubs p95':>8}  p50 and p95 of each round")
    for way, each in result["ways"].items():
        rounds = ", ".join(f"{p50:.1f} {p95:.1f}" for p50, p95 in result["rounds_p50_p95_ms"][way])
        print(f"{way:<10} " + " ".join(f"{value:>8.1f}" for value in each.values()) + f"  {rounds}")
    for what, met in result["wanted"].items():
        print(f"{what}: {'met' if met else 'missed'}")


if __name__ == "__main__":
    main()
