"""Vectors of the three things of W5: a chunk's text, an entity's name and description, a fact's description.

Vectors are stored answers: beside each stands the hash of the text and the model it was made from. Only nodes whose
hash differs are embedded, so a second run embeds nothing and writes nothing. An entity without a description is
embedded as its name and role, or its name alone; a fact without one as "source type target" in words.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kg_neo4j._models.embedding import LIMIT_TOKENS, embed_texts
from kg_neo4j._models.protocols import EmbeddingModel
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.extract.workers import Crew
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, batches
from kg_neo4j.organise import search_indexes
from kg_neo4j.progress import SILENT, Progress

if TYPE_CHECKING:
    from kg_neo4j.graph.database import Row

check = search_indexes.check

PAGE = 2_000  # nodes read at a time
TEXTS_A_CALL = 128  # where several calls are in flight
VALUES_A_WRITE = 500_000  # numbers a transaction, about 4 MB: 1,953 vectors of 256, 325 of 1,536


@dataclass(frozen=True, slots=True)
class VectorReport:
    """What embedding a graph did."""

    embedded: int  # nodes whose vector is new
    reused: int  # nodes whose stored vector is still right
    changes: int  # writes that altered the graph: the same as `embedded`


def embed(
    database: Database,
    graph: str,
    model: EmbeddingModel,
    tokeniser: Tokeniser,
    progress: Progress = SILENT,
    *,
    concurrency: int = 1,
) -> VectorReport:
    """Give every chunk, entity and fact of `graph` its vector, and bring the search indexes online.

    Full-text indexes come first, so that a graph whose model does not answer can be searched by words. The vector
    index over chunks stands before the first vector, and names the model from then on; those over entities and facts
    follow the data. `concurrency` calls to the model are in flight. A repeat gives 0 changes. Raises SchemaConflict
    before any write, and the model's errors; what was embedded before stays.
    """
    search_indexes.check(database, model)
    search_indexes.create_fulltext(database)
    search_indexes.create_vector(database, model, ("Chunk",))
    progress.start("embed")
    embedded = reused = 0
    for label in search_indexes.LABELS:
        for rows in _pages(database, graph, label):
            stale = [(row, digest) for row in rows if (digest := text_hash(row["text"], model)) != row["hash"]]
            _store(database, graph, label, _embedded(model, tokeniser, stale, concurrency))
            embedded += len(stale)
            reused += len(rows) - len(stale)
            progress.advance("embed", len(rows))
    progress.finish("embed")
    search_indexes.create_vector(database, model)
    return VectorReport(embedded, reused, embedded)


def text_hash(text: str, model: EmbeddingModel) -> str:
    """Return what a stored vector is known by: text, model, dimension and the limit at which texts are split."""
    seed = f"{model.name}\0{model.dimension}\0{min(LIMIT_TOKENS, model.max_tokens)}\0{text}"
    return hashlib.sha256(seed.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _pages(database: Database, graph: str, label: str) -> Iterator[Sequence[Row]]:
    """Yield all nodes of a label with a text to embed, in pages ordered by id."""
    query = queries.get(f"write/vector_texts_{label.lower()}")
    after = ""
    while rows := database.read(query, graph=graph, after=after, limit=PAGE):
        yield [row for row in rows if row["text"] and row["text"].strip()]
        after = rows[-1]["id"]


def _embedded(
    model: EmbeddingModel, tokeniser: Tokeniser, stale: Sequence[tuple[Row, str]], concurrency: int = 1
) -> Iterator[list[dict[str, object]]]:
    """Yield the stale nodes with their vectors, in slices that fit one transaction; in no order with several calls."""
    size = max(1, VALUES_A_WRITE // model.dimension)
    at_once = size if concurrency == 1 else min(size, TEXTS_A_CALL)

    def work(some: Sequence[tuple[Row, str]]) -> list[dict[str, object]]:
        vectors = embed_texts(model, [row["text"] for row, _ in some], tokeniser)
        return [
            {"id": row["id"], "vector": vector.tolist(), "hash": digest}
            for (row, digest), vector in zip(some, vectors, strict=True)
        ]

    crew: Crew[Sequence[tuple[Row, str]], list[dict[str, object]]] = Crew(work, concurrency)
    found: list[dict[str, object]] = []
    try:
        for some in (parts := list(batches(stale, at_once))):
            crew.begin(some)
        for _ in parts:
            done = crew.take()
            if done.error is not None:
                if found:
                    yield found  # paid for
                raise done.error
            found += done.result or []
            if len(found) >= size:
                yield found
                found = []
    finally:
        crew.stop()
    if found:
        yield found


def store_chunks(
    database: Database, graph: str, model: EmbeddingModel, tokeniser: Tokeniser, stale: Sequence[tuple[Row, str]]
) -> None:
    """Embed chunks, each given with its id and text, and the hash of that text, and store their vectors."""
    _store(database, graph, "Chunk", _embedded(model, tokeniser, stale))


def _store(database: Database, graph: str, label: str, slices: Iterator[list[dict[str, object]]]) -> None:
    query = queries.get(f"write/vector_store_{label.lower()}")
    for rows in slices:
        database.write_parts(rows, lambda transaction, some: transaction.run(query, graph=graph, rows=some))
