"""How much of the evidence for questions is read at equal tokens: by flat search, and by each way to read a tree.

    python benchmarks/tree_recall.py TEXT ... --questions FILE

The texts are loaded with their entities into a Neo4j of the benchmark's own, in chunks of at most 200 tokens, with a
narrative tree. For each way: the share of the places that stand in what is read (strict) and in the leaves beneath it,
and the tokens read, as a mean of three budgets and all questions. Then how far the walk is from the collapsed tree and
from flat search, with 95 % intervals by resampling questions. No model is called.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]

import server  # noqa: E402 - after the path is set

from kg_neo4j import LoadOptions, factory, load, tree  # noqa: E402
from kg_neo4j._models import tokens  # noqa: E402
from kg_neo4j.acquire.chunking import target  # noqa: E402
from kg_neo4j.graph.database import Database, DatabaseAddress  # noqa: E402
from kg_neo4j.graph.documents import list_documents  # noqa: E402
from kg_neo4j.organise.search_indexes import WORDED  # noqa: E402
from kg_neo4j.organise.tree.interface import LEAF_TOKENS  # noqa: E402
from kg_neo4j.progress import Silent  # noqa: E402
from kg_neo4j.records import Filters  # noqa: E402
from kg_neo4j.retrieve.ask import prepare  # noqa: E402
from kg_neo4j.retrieve.filters import resolve  # noqa: E402
from kg_neo4j.retrieve.interface import AskOptions, ChunkChoice, Search  # noqa: E402
from kg_neo4j.retrieve.question import read  # noqa: E402
from kg_neo4j.retrieve.tree.choice import BOTTOM_UP, TOP_DOWN, WALK, TreeChoice  # noqa: E402
from kg_neo4j.settings import Settings  # noqa: E402
from kg_neo4j_lab.narrative.questions import (  # noqa: E402
    find_evidence,
    read_narrative,
    with_keys,
    with_quotes,
)

BUDGETS = (1_000, 1_350, 1_700)  # tokens that are read
SAMPLES = 4_000
COLLAPSED = TreeChoice(top_k=100)
CHUNKS = ChunkChoice(60)
WAYS = {
    "flat": AskOptions("naive", chunks=CHUNKS),
    "flat, cosine": AskOptions("naive", chunks=replace(CHUNKS, cosine=True)),
    "collapsed": AskOptions("tree", tree=COLLAPSED),
    "collapsed, cosine": AskOptions("tree", tree=replace(COLLAPSED, cosine=True)),
    "top-down": AskOptions("tree", tree=TreeChoice(traversal=TOP_DOWN)),
    "bottom-up": AskOptions("tree", tree=TreeChoice(traversal=BOTTOM_UP)),
    "walk": AskOptions("tree", tree=replace(COLLAPSED, traversal=WALK)),
    "local": AskOptions("local"),
}


def measured(database: Database, settings: Settings, questions: str) -> dict[str, npt.NDArray[np.float64]]:
    """Return, for each way, rows of strict share, share with what lies beneath, and tokens: (questions, 3)."""
    documents = list_documents(database, settings.graph)
    asked = with_keys(read_narrative(questions), documents)
    asked = with_quotes(database, settings.graph, asked, documents)
    embedder, tokeniser = factory.embedding_model(settings), tokens.load()
    rows: dict[str, list[Sequence[float]]] = {way: [] for way in WAYS}
    for each in asked:
        filters = Filters(documents=(each.asked.document,)) if each.asked.document else Filters()
        scope = resolve(database, settings.graph, filters)
        search = Search(settings.graph, read(each.asked.text), scope=scope)
        search, _ = prepare(database, search, embedder, tokeniser, WORDED)
        for way, options in WAYS.items():
            found = [find_evidence(database, search, each.quotes, options, tokeniser, most) for most in BUDGETS]
            rows[way].append(np.mean([(one.strict, one.beneath, one.tokens) for one in found], axis=0))
    return {way: np.array(values) for way, values in rows.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", nargs="+")
    parser.add_argument("--questions", required=True)
    parser.add_argument("--cache", type=Path, default=HERE.parent / "out" / "bench")
    options = parser.parse_args()
    with server.running(options.cache, Silent()) as running:
        where = {"neo4j_uri": running.uri, "neo4j_username": server.USERNAME, "neo4j_password": running.password}
        settings = Settings(**where, graph="bench")
        load(options.texts, settings=settings, options=LoadOptions(chunk_tokens=target(LEAF_TOKENS), analytics=False))
        tree(settings=settings)
        with Database(DatabaseAddress(running.uri, server.USERNAME, running.password)) as database:
            found = measured(database, settings, options.questions)
    print("| way | strict | beneath | tokens |\n|---|---:|---:|---:|")
    for way, values in found.items():
        strict, beneath, count = values.mean(axis=0)
        print(f"| {way} | {100 * strict:.1f} | {100 * beneath:.1f} | {count:.0f} |")
    chance = np.random.default_rng(7)
    for other in ("collapsed", "flat"):
        gains = 100 * (found["walk"][:, 0] - found[other][:, 0])
        means = [chance.choice(gains, len(gains)).mean() for _ in range(SAMPLES)]
        low, high = np.percentile(means, (2.5, 97.5))
        print(f"walk beyond {other}: {gains.mean():.1f} ({low:.1f} to {high:.1f})")


if __name__ == "__main__":
    main()
