"""How do the clusters of our trees compare with RAPTOR's, over the same leaves and built-in vectors?

    python benchmarks/clusters.py TEXT ... [--seeds 42,1,2] [--questions FILE]

For each text and seed: clusters, memberships a leaf, tokens that the summaries of level 1 are made from, clusters of
one leaf, and seconds; ours ("spheres") and RAPTOR's ("umap", the extra raptor). With --questions the tree named raptor
is built over the first text by either, in a Neo4j of the benchmark's own. Then the share of the words that answer is
measured at equal tokens: in what is read (strict), and with the leaves under it (beneath). No model is called.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from unittest import mock

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]

import server  # noqa: E402 - after the path is set

from kg_neo4j import LoadOptions, TreeBuildOptions, factory, load, tree  # noqa: E402
from kg_neo4j._models import tokens  # noqa: E402
from kg_neo4j.acquire import files  # noqa: E402
from kg_neo4j.acquire.chunking import target  # noqa: E402
from kg_neo4j.extract import schema  # noqa: E402
from kg_neo4j.graph.database import Database, DatabaseAddress  # noqa: E402
from kg_neo4j.graph.documents import list_documents  # noqa: E402
from kg_neo4j.organise.search_indexes import WORDED  # noqa: E402
from kg_neo4j.organise.tree import raptor  # noqa: E402
from kg_neo4j.organise.tree.building import CLUSTER_TOKENS  # noqa: E402
from kg_neo4j.organise.tree.clustering import soft_clusters  # noqa: E402
from kg_neo4j.organise.tree.interface import LEAF_TOKENS, SPHERES, UMAP, Leaf, TreeOptions  # noqa: E402
from kg_neo4j.organise.tree.leaves import leaves_of  # noqa: E402
from kg_neo4j.progress import Silent  # noqa: E402
from kg_neo4j.records import Document  # noqa: E402
from kg_neo4j.retrieve.ask import prepare  # noqa: E402
from kg_neo4j.retrieve.interface import AskOptions, Search  # noqa: E402
from kg_neo4j.retrieve.question import read  # noqa: E402
from kg_neo4j.retrieve.tree.choice import TreeChoice  # noqa: E402
from kg_neo4j.settings import Settings  # noqa: E402
from kg_neo4j_lab.narrative.questions import (  # noqa: E402
    find_evidence,
    read_narrative,
    with_quotes,
)
from kg_neo4j_lab.triples import TripleExtractor  # noqa: E402

BUDGETS = (1_000, 1_350, 1_700)  # tokens that are read
WAYS = {SPHERES: soft_clusters, UMAP: raptor.clusters}


def leaves(text: str) -> Sequence[Leaf]:
    """Return the leaves of a file as `kg tree` cuts them."""
    (document,) = files.read([text], graph="bench")
    assert isinstance(document, Document), document
    tokeniser = tokens.load()
    whole = Leaf("text", document.text, tokeniser.count(document.text), 0, len(document.text))
    return leaves_of("bench", [whole], tokeniser, TreeOptions()).leaves


def clusters(texts: Sequence[str], seeds: Sequence[int]) -> Iterator[Sequence[object]]:
    """Yield one row for each text, way and seed."""
    embedder = factory.built_in_embedder(Settings())
    for text in texts:
        found = leaves(text)
        counts = [leaf.token_count for leaf in found]
        vectors = np.array(embedder.embed([leaf.text for leaf in found]), dtype=np.float32)
        for way, find in WAYS.items():
            for seed in seeds:
                started, used = time.perf_counter(), time.process_time()
                made, _ = find(vectors, counts, most_tokens=CLUSTER_TOKENS, seed=seed)
                took = f"{time.perf_counter() - started:.1f} ({time.process_time() - used:.1f} CPU)"
                members = [row for rows in made.members for row in rows]
                sizes = (len(made.members), f"{len(members) / len(found):.2f}", sum(counts[row] for row in members))
                yield Path(text).stem, len(found), way, seed, *sizes, sum(len(m) == 1 for m in made.members), took


def evidence(text: str, questions: str, seeds: Sequence[int], cache: Path) -> Iterator[Sequence[object]]:
    """Yield one row for each way and seed: summaries by level, and what is read of the words that answer."""
    with server.running(cache, Silent()) as running:
        address = DatabaseAddress(running.uri, server.USERNAME, running.password)
        where = {"neo4j_uri": running.uri, "neo4j_username": server.USERNAME, "neo4j_password": running.password}
        settings = Settings(**where, graph="bench")
        nothing = TripleExtractor(schema.load("described"), {})
        options = LoadOptions(chunk_tokens=target(LEAF_TOKENS), analytics=False)
        load([text], settings=settings, options=options, extractor=nothing)
        embedder, tokeniser = factory.embedding_model(settings), tokens.load()
        with Database(address) as database:
            asked = with_quotes(database, "bench", read_narrative(questions), list_documents(database, "bench"))
            for way in WAYS:
                for seed in seeds:
                    with mock.patch.object(raptor, "is_installed", lambda way=way: way == UMAP):
                        made = tree(settings=settings, options=TreeBuildOptions(name="raptor", seed=seed, rebuild=True))
                    assert made.trees[0].options.clustering == way
                    database.indexes = None  # another connection made them
                    texts = [each.asked.text for each in asked]
                    searches = [prepare(database, Search("bench", read(e)), embedder, tokeniser, WORDED) for e in texts]
                    choice = AskOptions("tree", tree=TreeChoice("raptor", top_k=100))
                    row: list[object] = [way, seed, ", ".join(str(each) for each in made.summaries.values())]
                    for budget in BUDGETS:
                        got = [
                            find_evidence(database, search, each.quotes, choice, tokeniser, budget)
                            for (search, _), each in zip(searches, asked, strict=True)
                        ]
                        shares = sum(each.strict for each in got), sum(each.beneath for each in got)
                        row.append(" / ".join(f"{share / len(got):.3f}" for share in shares))
                    yield row


def show(names: Sequence[str], rows: Iterator[Sequence[object]]) -> None:
    print("| " + " | ".join(names) + " |\n|" + "---|" * len(names))
    for row in rows:
        print("| " + " | ".join(str(each) for each in row) + " |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", nargs="+")
    parser.add_argument("--seeds", default="42,1,2")
    parser.add_argument("--questions")
    parser.add_argument("--cache", type=Path, default=HERE.parent / "out" / "bench")
    options = parser.parse_args()
    seeds = [int(each) for each in options.seeds.split(",")]
    sizes = ("clusters", "memberships a leaf", "tokens", "of one leaf", "seconds")
    show(("text", "leaves", "clusters by", "seed", *sizes), clusters(options.texts, seeds))
    if options.questions:
        columns = ("clusters by", "seed", "summaries by level", *(f"{each} tokens" for each in BUDGETS))
        show(columns, evidence(options.texts[0], options.questions, seeds, options.cache))


if __name__ == "__main__":
    main()
