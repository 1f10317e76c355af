"""What do graphs in one database take from each other in a vector search: recall and time, with SEARCH and without.

    python benchmarks/search_clause.py FOLDER [--vectors 20000] [--graphs 1,10,100] [--questions 100] [--rounds 2]

FOLDER has sets of questions (corpus.jsonl with `text`, questions.jsonl with `question`). Passages are cut into parts of
25 words, each a chunk with its built-in vector, and dealt to the graphs by turns: a passage and all its parts to one
graph. So all graphs are about the same things, which is the hardest case. Each question is asked of one graph.

Two servers run side by side, one of each line of Neo4j. Each question is put in turn to 5.26 with queryNodes, to 2026
with queryNodes, and to 2026 with SEARCH. The query is that of mode naive, by meaning alone; "index alone" is what the
index gives without the exact search that follows where too few hits are of the graph. Recall is that of the 10
nearest by exact cosine in the graph. The first round warms up and does not count.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]

import server  # noqa: E402 - after the path is set

from kg_neo4j import factory  # noqa: E402
from kg_neo4j._models import tokens  # noqa: E402
from kg_neo4j._models.embedding import Vectors, embed_texts  # noqa: E402
from kg_neo4j._models.protocols import EmbeddingModel  # noqa: E402
from kg_neo4j.graph import queries  # noqa: E402
from kg_neo4j.graph.constraints import ensure_constraints, vector_index_name  # noqa: E402
from kg_neo4j.graph.database import Database, DatabaseAddress, batches  # noqa: E402
from kg_neo4j.organise import search_indexes  # noqa: E402
from kg_neo4j.progress import Silent  # noqa: E402
from kg_neo4j.retrieve.naive import FETCH  # noqa: E402
from kg_neo4j.settings import Settings  # noqa: E402

WORDS, NEAREST, AT_A_TIME = 25, 10, 1_000
OLD, NEW = "5.26", "2026.03"
STORE = """
UNWIND $rows AS row
MERGE (d:KgDocument {id: row.document}) SET d.title = row.document
CREATE (c:KgChunk {id: row.id, text: row.text, token_count: 30, embedding: row.vector})-[:IN_DOCUMENT]->(d)
"""
DEAL = """
UNWIND $rows AS row
MATCH (d:KgDocument {id: row.document}) SET d.graph = row.graph
WITH d MATCH (d)<-[:IN_DOCUMENT]-(c) SET c.graph = d.graph
"""
ALONE = """
CALL db.index.vector.queryNodes($near_index, $fetch, $vector) YIELD node, score
WHERE node.graph = $graph
WITH node ORDER BY score DESC LIMIT $chunks
RETURN collect({id: node.id}) AS chunks
"""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a passage, which is a document."""

    document: str
    text: str


@dataclass(slots=True)
class Way:
    """A way to ask, and how it did: recall of each question, and milliseconds of each."""

    name: str
    database: Database
    query: queries.Query
    recall: list[float] = field(default_factory=list)
    took: list[float] = field(default_factory=list)

    def ask(self, graph: str, vector: Sequence[float], index: str, wanted: frozenset[str], counts: bool) -> None:
        """Search once; `wanted` are the ids of the nearest by exact cosine."""
        began = time.perf_counter()
        row = self.database.read(
            self.query,
            graph=graph,
            vector=list(vector),
            near_index=index,
            fetch=FETCH,
            chunks=NEAREST,
            words=None,
            rest=None,
            average=True,
            fetch_words=FETCH,
        )[0]
        if counts:
            self.took.append(1000 * (time.perf_counter() - began))
            self.recall.append(len(wanted & {each["id"] for each in row["chunks"]}) / len(wanted))


def read_sets(folder: Path, most: int) -> tuple[list[Part], list[str]]:
    """Return the first `most` parts of the passages of all sets, and all questions."""
    parts, questions = [], []
    for corpus in sorted(folder.glob("*/corpus.jsonl")):
        for number, line in enumerate(corpus.read_text(encoding="utf-8").splitlines()):
            words = json.loads(line)["text"].split()
            document = f"{corpus.parent.name}-{number}"
            parts += [Part(document, " ".join(some)) for some in batches(words, WORDS)]
        asked = corpus.with_name("questions.jsonl").read_text(encoding="utf-8").splitlines()
        questions += [json.loads(line)["question"] for line in asked]
    return parts[:most], questions


def run(database: Database, query: str, rows: Sequence[Mapping[str, object]]) -> None:
    """Run a query that writes, with its rows in batches."""
    with database.driver.session() as session:
        for some in batches(rows, AT_A_TIME):
            session.run(query, rows=list(some)).consume()  # type: ignore[arg-type]


def ways(old: Database, new: Database, index: str) -> Iterator[Way]:
    """Yield all ways to ask."""
    naive = queries.get("retrieve/naive")
    alone, inside = replace(naive, text=ALONE), {"near_index": index}
    for name, query in (("naive", naive), ("index alone", alone)):
        yield Way(f"{OLD} queryNodes, {name}", old, query)
        yield Way(f"{NEW} queryNodes, {name}", new, query)
        yield Way(f"{NEW} SEARCH, {name}", new, query.searching(inside))


def measure(
    databases: Mapping[str, Database],
    graphs: int,
    rounds: int,
    parts: Sequence[Part],
    vectors: tuple[Vectors, Vectors],
    model: EmbeddingModel,
) -> list[Way]:
    """Deal the documents to `graphs` graphs, make the indexes again, and ask all questions in all ways."""
    stored, asked = (np.asarray(each, dtype=np.float64) for each in vectors)
    documents = list(dict.fromkeys(part.document for part in parts))
    place = {document: number % graphs for number, document in enumerate(documents)}
    name = vector_index_name("Chunk", model)
    for database in databases.values():
        database.schema(queries.get("write/drop_index"), name=name)
        run(database, DEAL, [{"document": each, "graph": f"g{number}"} for each, number in place.items()])
        search_indexes.create_vector(database, model)
    owners = np.array([place[part.document] for part in parts])
    cosines = (asked / np.linalg.norm(asked, axis=1, keepdims=True)) @ stored.T
    found = list(ways(databases[OLD], databases[NEW], name))
    for count in range(rounds + 1):
        for number, vector in enumerate(asked):
            own = np.flatnonzero(owners == number % graphs)
            best = own[np.argsort(-cosines[number, own], kind="stable")[:NEAREST]]
            wanted = frozenset(f"c{each}" for each in best)
            for way in found if number % 2 else reversed(found):
                way.ask(f"g{number % graphs}", vector.tolist(), name, wanted, counts=count > 0)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--vectors", type=int, default=20_000)
    parser.add_argument("--graphs", default="1,10,100")
    parser.add_argument("--questions", type=int, default=100, help="every n-th, so that so many are left")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--cache", type=Path, default=HERE.parent / "out" / "search_clause")
    given = parser.parse_args()
    parts, questions = read_sets(given.folder, given.vectors)
    questions = questions[:: max(1, len(questions) // given.questions)][: given.questions]
    model, tokeniser = factory.embedding_model(Settings()), tokens.load()
    vectors = tuple(embed_texts(model, texts, tokeniser) for texts in ([each.text for each in parts], questions))
    documents = len({part.document for part in parts})
    print(f"{len(parts):,} vectors of {model.dimension} in {documents:,} documents; {len(questions)} questions")
    with ExitStack() as stack:
        databases = {}
        for line in (OLD, NEW):
            private = stack.enter_context(server.running(given.cache, Silent(), Settings(db_neo4j=line)))
            address = DatabaseAddress(private.uri, server.USERNAME, private.password)
            databases[line] = database = stack.enter_context(Database(address))
            ensure_constraints(database)
            search_indexes.create_fulltext(database)
            search_indexes.create_vector(database, model)
            rows = [
                {"id": f"c{place}", "document": part.document, "text": part.text, "vector": vector.tolist()}
                for place, (part, vector) in enumerate(zip(parts, vectors[0], strict=True))
            ]
            run(database, STORE, rows)
        print("| graphs | way | recall of 10 | ms median | ms p95 |\n|---|---|---|---|---|")
        for graphs in (int(each) for each in given.graphs.split(",")):
            for way in measure(databases, graphs, given.rounds, parts, (vectors[0], vectors[1]), model):
                middle, late = statistics.median(way.took), float(np.percentile(way.took, 95))
                print(f"| {graphs} | {way.name} | {statistics.mean(way.recall):.3f} | {middle:.1f} | {late:.1f} |")


if __name__ == "__main__":
    main()
