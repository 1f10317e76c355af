"""Vectors of chunks (heading and text), entities (name and description) and facts (description).

Vectors are stored answers: beside each stands the hash of the text and the model it was made from. Only nodes whose
hash differs are embedded, so a second run embeds nothing and writes nothing. Earlier versions embedded the text of a
chunk alone; such a vector counts as right until it is asked to be made again. An entity without a description is
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
from kg_neo4j._models.workers import Crew, DoneItem
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Reader, Transaction, batches
from kg_neo4j.organise import search_indexes
from kg_neo4j.progress import SILENT, Progress

if TYPE_CHECKING:
    from kg_neo4j.graph.database import Row

check = search_indexes.check
LABELS = search_indexes.LABELS

PAGE = 2_000  # nodes read at a time
TEXTS_A_CALL = 128  # where several calls are in flight
AHEAD = 2  # calls begun, times those in flight
VALUES_A_WRITE = 500_000  # numbers a transaction, about 4 MB: 1,953 vectors of 256, 325 of 1,536

_Slice = tuple[str, Sequence[tuple["Row", str]]]  # a label, and nodes with the hash of their text

_Vector = tuple[str, dict[str, object]]  # a label, and the row that is stored of a node


@dataclass(frozen=True, slots=True)
class VectorReport:
    """What embedding a graph did."""

    embedded: int  # nodes whose vector is new
    reused: int  # nodes whose stored vector is still right
    changes: int  # writes that altered the graph: the same as `embedded`


def prepare(database: Database, model: EmbeddingModel) -> None:
    """Bring all search indexes online, while nothing else writes: an index in the making and a write may hang.

    Vector indexes that stand before the first vector cost less in all than filling them afterwards (20,000 vectors of
    256: 8 s against 14 s), and name the model from then on. Raises SchemaConflict before any write.
    """
    database.indexes = None  # a run of another model may have replaced them since this one began
    search_indexes.check(database, model)
    search_indexes.create_fulltext(database)
    search_indexes.create_vector(database, model)


def embed(  # noqa: PLR0913 - what embedding needs; half of it by name
    database: Database,
    graph: str,
    model: EmbeddingModel,
    tokeniser: Tokeniser,
    progress: Progress = SILENT,
    *,
    concurrency: int = 1,
    labels: Sequence[str] = LABELS,
    again: bool = False,
) -> VectorReport:
    """Give every chunk, entity and fact of `graph`, or those of `labels`, its vector, after `prepare`.

    `concurrency` calls to the model are in flight; what they gave is stored while the next ones run. A repeat gives 0
    changes. With `again`, chunks whose vector is of their text alone are embedded with their heading. Raises
    SchemaConflict before any write, and the model's errors; what was embedded before stays.
    """
    search_indexes.check(database, model)
    progress.start("embed")
    reading = _MissingVectors(database, graph, model, progress, concurrency, labels, again)
    embedded = 0
    for vectors in _embedded(model, tokeniser, reading.slices(), concurrency):
        embedded += _store(database, graph, vectors)
    progress.finish("embed")
    return VectorReport(embedded, reading.reused, embedded)


def text_hash(text: str, model: EmbeddingModel) -> str:
    """Return what a stored vector is known by: text, model, dimension and the limit at which texts are split."""
    seed = f"{model.name}\0{model.dimension}\0{min(LIMIT_TOKENS, model.max_tokens)}\0{text}"
    return hashlib.sha256(seed.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def stale_hash(stored: str | None, text: str, former: str | None, model: EmbeddingModel) -> str | None:
    """Return the hash that a vector is to have; None where the one with the hash `stored` is right.

    It is right as well where it was made from `former`, the text that an earlier version embedded.
    """
    digest = text_hash(text, model)
    if stored == digest or (stored and former is not None and stored == text_hash(former, model)):
        return None
    return digest


@dataclass(slots=True)
class _MissingVectors:
    """The nodes whose vector is missing or of another text."""

    database: Database
    graph: str
    model: EmbeddingModel
    progress: Progress
    concurrency: int
    labels: Sequence[str]
    again: bool  # vectors of the text alone are not right either
    reused: int = 0

    def slices(self) -> Iterator[_Slice]:
        """Yield them, a label after the other, in parts for one call to the model."""
        size = _vectors_a_write(self.model)
        at_once = size if self.concurrency == 1 else min(size, TEXTS_A_CALL)
        labels = self.labels
        first = self.database.read_transaction(lambda reader: {label: self._page(reader, label) for label in labels})
        for label in labels:
            for rows in self._pages(label, first.pop(label)):
                stale = [(row, digest) for row in rows if (digest := self._stale(row)) is not None]
                self.reused += len(rows) - len(stale)
                self.progress.advance("embed", len(rows))
                for part in batches(stale, at_once):
                    yield label, part

    def _stale(self, row: Row) -> str | None:
        """Return the hash that a node's vector is to have; None where its vector is right."""
        former = None if self.again else row.get("former")
        return stale_hash(row["hash"], row["text"], former, self.model)

    def _pages(self, label: str, rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
        """Yield all nodes of a label with a text to embed, in pages ordered by id; `rows` is the first page."""
        yield _with_text(rows)
        while len(rows) == PAGE:
            rows = self._page(self.database, label, rows[-1]["id"])
            yield _with_text(rows)

    def _page(self, reader: Reader, label: str, after: str = "") -> Sequence[Row]:
        return reader.read(
            queries.get(f"write/vector_texts_{label.lower()}"), graph=self.graph, after=after, limit=PAGE
        )


def _with_text(rows: Sequence[Row]) -> Sequence[Row]:
    return [row for row in rows if row["text"] and row["text"].strip()]


def _vectors_a_write(model: EmbeddingModel) -> int:
    return max(1, VALUES_A_WRITE // model.dimension)


def _embedded(
    model: EmbeddingModel, tokeniser: Tokeniser, slices: Iterator[_Slice], concurrency: int = 1
) -> Iterator[list[_Vector]]:
    """Yield nodes with their vectors, as many as fit one transaction; in no order with several calls."""

    def work(some: _Slice) -> list[_Vector]:
        vectors = embed_texts(model, [row["text"] for row, _ in some[1]], tokeniser)
        return [
            (some[0], {"id": row["id"], "vector": vector.tolist(), "hash": digest})
            for (row, digest), vector in zip(some[1], vectors, strict=True)
        ]

    size = _vectors_a_write(model)
    found: list[_Vector] = []
    error: BaseException | None = None
    crew: Crew[_Slice, list[_Vector]] = Crew(work, concurrency)
    try:
        for done in _worked(crew, slices, AHEAD * concurrency):
            found += done.result or []
            error = done.error
            if error is not None:
                break
            if len(found) >= size:
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


def _worked(
    crew: Crew[_Slice, list[_Vector]], slices: Iterator[_Slice], ahead: int
) -> Iterator[DoneItem[_Slice, list[_Vector]]]:
    """Hand the slices to the crew, not more than `ahead` of what is taken, and yield what is finished."""
    under_way = 0
    for some in slices:
        crew.begin(some)
        under_way += 1
        if under_way >= ahead:
            yield crew.take()
            under_way -= 1
    for _ in range(under_way):
        yield crew.take()


def store_chunks(
    database: Database, graph: str, model: EmbeddingModel, tokeniser: Tokeniser, stale: Sequence[tuple[Row, str]]
) -> None:
    """Embed chunks, each given with its id and text, and the hash of that text, and store their vectors."""
    slices = (("Chunk", part) for part in batches(stale, _vectors_a_write(model)))
    for vectors in _embedded(model, tokeniser, slices):
        _store(database, graph, vectors)


def _store(database: Database, graph: str, vectors: Sequence[_Vector]) -> int:
    """Store vectors in one transaction, and return how many."""

    def write(transaction: Transaction, some: Sequence[_Vector]) -> None:
        for label in LABELS:
            if rows := [row for its, row in some if its == label]:
                transaction.run(queries.get(f"write/vector_store_{label.lower()}"), graph=graph, rows=rows)

    database.write_parts(vectors, write)
    return len(vectors)
