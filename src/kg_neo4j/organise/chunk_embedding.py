"""Chunks are embedded in parallel with extraction: their text is known long before a model has read it.

What is not done here, because it came too fast or because a run was stopped, `vectors.embed` does at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kg_neo4j._models.protocols import EmbeddingModel
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j._models.workers import Crew, DoneItem
from kg_neo4j.graph import queries
from kg_neo4j.graph.documents import embedded_text
from kg_neo4j.organise import search_indexes
from kg_neo4j.organise.vectors import stale_hash, store_chunks
from kg_neo4j.records import Chunk

if TYPE_CHECKING:
    from kg_neo4j.graph.database import Database

AT_A_TIME = 256  # chunks a task
WAITING = 32  # tasks; what comes faster is left for the end
THREADS = 2


class ChunkEmbedding:
    """Embeds chunks that are recorded, in threads of its own. A context manager.

    Leaving it waits for calls under way, which use the database, but not for long.
    """

    def __init__(self, database: Database, model: EmbeddingModel, tokeniser: Tokeniser) -> None:
        self._database = database
        self._model = model
        self._tokeniser = tokeniser
        self._crew: Crew[Sequence[Chunk], int] = Crew(self._embed, THREADS)
        self._waiting = 0
        self._embedded = 0
        self._error: BaseException | None = None
        self._is_ready = False

    def __enter__(self) -> ChunkEmbedding:
        """Nothing to prepare."""
        return self

    def __exit__(self, *_: object) -> None:
        """Begin nothing any more, and end."""
        self._crew.stop()
        self._crew.wait()

    def begin(self, chunks: Sequence[Chunk]) -> None:
        """Embed chunks that are in the graph, as soon as there is time. Nothing is begun after an error."""
        self._collect()
        if self._error is None and not self._is_ready:
            search_indexes.create_vector(self._database, self._model)
            self._is_ready = True
        for start in range(0, len(chunks), AT_A_TIME):
            if self._error is not None or self._waiting >= WAITING:
                return
            self._crew.begin(chunks[start : start + AT_A_TIME])
            self._waiting += 1

    def finish(self) -> int:
        """Wait for what was begun and return how many chunks have a new vector. Raises the model's errors."""
        while self._waiting and self._error is None:
            self._note(self._crew.take())
        self._collect()
        self._crew.stop()
        if self._error is not None:
            raise self._error
        return self._embedded

    def _collect(self) -> None:
        for done in self._crew.finished():
            self._note(done)

    def _note(self, done: DoneItem[Sequence[Chunk], int]) -> None:
        self._waiting -= 1
        self._embedded += done.result or 0
        self._error = self._error or done.error

    def _embed(self, chunks: Sequence[Chunk]) -> int:
        rows = self._database.read(queries.get("write/vector_hashes_chunk"), ids=[chunk.id for chunk in chunks])
        stored = {row["id"]: row for row in rows}
        stale = []
        for chunk in chunks:
            if chunk.text.strip() and (row := stored.get(chunk.id)) is not None:
                text = embedded_text(row["heading"], chunk.text)
                if (digest := stale_hash(row["hash"], text, chunk.text, self._model)) is not None:
                    stale.append(({"id": chunk.id, "text": text}, digest))
        store_chunks(self._database, chunks[0].graph, self._model, self._tokeniser, stale)
        return len(stale)
