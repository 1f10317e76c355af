"""Passages of chunks, and vectors of these (heading and text), of entities (name and description) and of facts.

A chunk's vector is the mean of its passages' vectors; a fact's is that of its description.

Vectors are stored answers: beside each stands the hash of the text and the model it was made from. Only nodes whose
hash differs are embedded, so a second run embeds nothing and writes nothing. An entity without a description is
embedded as its name and role, or its name alone; a fact without one as "source type target" in words.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from kg_neo4j._models.embedding import LIMIT_TOKENS, average, embed_texts
from kg_neo4j._models.protocols import EmbeddingModel
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j._models.workers import Crew, DoneItem
from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.acquire.passages import cut
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Reader, Row, Transaction, batches, pages
from kg_neo4j.graph.documents import embedded_text
from kg_neo4j.organise import search_indexes
from kg_neo4j.progress import SILENT, Progress

LABELS = ("Chunk", "Entity", "Fact", "TreeNode")  # whose texts are embedded; with chunks their passages
PAGE = 2_000  # nodes read at a time
TEXTS_A_CALL = 128  # where several calls are in flight, and of a tree
AHEAD = 2  # calls begun, times those in flight
PASSAGES = 4  # of a chunk, more or less: 600 tokens in passages of 150 to 200
VALUES_A_WRITE = 150_000  # numbers a transaction: 585 vectors of 256; the model is asked for more meanwhile

_Slice = tuple[str, Sequence[tuple[Row, str]]]  # a label, and nodes with the hash of their text

_Vector = tuple[str, dict[str, Any]]  # a label, and the row that is stored of a node


def prepare(database: Database, model: EmbeddingModel) -> None:
    """Bring all search indexes online, while nothing else writes: an index in the making and a write may hang.

    Vector indexes that stand before the first vector cost less in all than filling them afterwards (20,000 vectors of
    256: 8 s against 14 s), and name the model from then on. Raises SchemaConflict before any write.
    """
    database.indexes = None  # a run of another model may have replaced them since this one began
    search_indexes.check(database, model)
    search_indexes.create_fulltext(database)
    search_indexes.create_vector(database, model)


def embed(
    database: Database,
    graph: str,
    model: EmbeddingModel,
    tokeniser: Tokeniser,
    progress: Progress = SILENT,
    *,
    concurrency: int = 1,
    labels: Sequence[str] = LABELS,
) -> int:
    """Give every chunk, entity and fact of `graph`, or those of `labels`, its vector; return how many are new.

    Call `prepare` first. `concurrency` calls to the model are in flight; what they gave is stored while the next ones
    run. Raises SchemaConflict before any write, and the model's errors; what was embedded before stays.
    """
    search_indexes.check(database, model)
    progress.start("embed")
    size = _vectors_a_write(model)
    at_once = size if concurrency == 1 else TEXTS_A_CALL
    sizes = {"Chunk": max(1, at_once // PASSAGES)}
    page = partial(_page, graph)
    embedded = 0

    def slices() -> Iterator[_Slice]:
        """Yield nodes whose vector is missing or of another text, a label after the other, in parts for one call."""
        first = database.read_transaction(lambda reader: {label: page(reader, label) for label in labels})
        for label in labels:
            for found in pages(first.pop(label), PAGE, partial(page, database, label)):
                rows = [row for row in found if row["text"] and row["text"].strip()]
                hashed = [(row, node_hash(row, model)) for row in rows]
                stale = [(row, digest) for row, digest in hashed if row["hash"] != digest]
                progress.advance("embed", len(rows))
                for part in batches(stale, sizes.get(label, at_once)):
                    yield label, part

    for vectors in _embedded(model, tokeniser, slices(), concurrency):
        database.write_parts(vectors, partial(_store, graph=graph))
        embedded += len(vectors)
    progress.finish("embed")
    return embedded


def text_hash(text: str, model: EmbeddingModel) -> str:
    """Return what a stored vector is known by: text, model, dimension and the limit at which texts are split."""
    seed = f"{model.name}\0{model.dimension}\0{min(LIMIT_TOKENS, model.max_tokens)}\0{text}"
    return hashlib.sha256(seed.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def node_hash(row: Row, model: EmbeddingModel) -> str:
    """Return what the vector of a node is known by; of a chunk its heading counts, too."""
    return text_hash(embedded_text(row.get("heading"), row["text"]), model)


def _page(graph: str, reader: Reader, label: str, after: str = "") -> Sequence[Row]:
    return reader.read(queries.get(f"write/vector_texts_{label.lower()}"), graph=graph, after=after, limit=PAGE)


def _vectors_a_write(model: EmbeddingModel) -> int:
    return max(1, VALUES_A_WRITE // model.dimension)


def _made(model: EmbeddingModel, tokeniser: Tokeniser, some: _Slice) -> list[_Vector]:
    """Return the nodes of a slice with their vectors, chunks with their passages, too."""
    label, rows = some
    if label == "Chunk":
        made = with_passages(model, tokeniser, [row for row, _ in rows])
    else:
        vectors = embed_texts(model, [row["text"] for row, _ in rows], tokeniser)
        made = [{"id": row["id"], "vector": one.tolist()} for (row, _), one in zip(rows, vectors, strict=True)]
    return [(label, {**one, "hash": digest}) for one, (_, digest) in zip(made, rows, strict=True)]


def _embedded(
    model: EmbeddingModel, tokeniser: Tokeniser, slices: Iterator[_Slice], concurrency: int = 1
) -> Iterator[list[_Vector]]:
    """Yield nodes with their vectors, as many as fit one transaction; in no order with several calls."""

    def worked() -> Iterator[DoneItem[_Slice, list[_Vector]]]:
        """Hand the slices to the crew, not more than so many ahead of what is taken, and yield what is finished."""
        under_way = 0
        for some in slices:
            crew.begin(some)
            under_way += 1
            if under_way >= AHEAD * concurrency:
                yield crew.take()
                under_way -= 1
        for _ in range(under_way):
            yield crew.take()

    size = _vectors_a_write(model)
    found: list[_Vector] = []
    error: BaseException | None = None
    crew: Crew[_Slice, list[_Vector]] = Crew(partial(_made, model, tokeniser), concurrency)
    try:
        for done in worked():
            found += done.result or []
            error = done.error
            if error is not None:
                break
            if sum(1 + len(row.get("passages", ())) for _, row in found) >= size:
                yield found
                found = []
    finally:
        crew.stop()
    if error is not None:
        crew.wait()
        found += [vector for done in crew.finished() for vector in done.result or []]
    if found:
        yield found  # also after an error: it is paid for
    if error is not None:
        raise error


def with_passages(model: EmbeddingModel, tokeniser: Tokeniser, chunks: Sequence[Row]) -> list[dict[str, Any]]:
    """Return for each of `chunks` (id, heading, text) its passages with vectors, their mean and its hash."""
    passages = [[*passages_of(chunk["id"], chunk["text"], tokeniser.count)] for chunk in chunks]
    found = [(chunk["heading"], each) for chunk, its in zip(chunks, passages, strict=True) for each in its]
    vectors = embed_texts(model, [embedded_text(heading, each["text"]) for heading, each in found], tokeniser)
    for (_, each), vector in zip(found, vectors, strict=True):
        each["vector"] = vector.tolist()
    means = average(model, vectors, [len(its) for its in passages])
    return [
        {"id": chunk["id"], "vector": mean.tolist(), "passages": its, "hash": node_hash(chunk, model)}
        for chunk, mean, its in zip(chunks, means, passages, strict=True)
    ]


def passages_of(chunk_id: str, text: str, count: Callable[[str], int]) -> Iterator[dict[str, Any]]:
    """Yield the passages of a chunk's text as they are stored; there is at least one. `count` counts tokens."""
    for spans in cut(text, count) or [((0, len(text)),)]:
        start, end = spans[0][0], spans[-1][1]
        yield {"id": hash_id("passage", chunk_id, str(start)), "text": text[start:end], "start": start, "end": end}


def _store(transaction: Transaction, vectors: Sequence[_Vector], *, graph: str) -> None:
    for label in LABELS:
        if rows := [row for its, row in vectors if its == label]:
            transaction.run(queries.get(f"write/vector_store_{label.lower()}"), graph=graph, rows=rows)
