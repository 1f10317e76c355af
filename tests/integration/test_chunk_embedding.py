"""Chunks embedded beside extraction: once, the same vectors, and nothing left running."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest

from kg_neo4j._models import tokens
from kg_neo4j.errors import ModelUnavailable
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import list_documents
from kg_neo4j.graph.replay import stored_chunks
from kg_neo4j.organise import vectors
from kg_neo4j.organise.vectors import CHUNKS_A_TASK, WAITING, ChunkEmbedding
from kg_neo4j.records import Chunk
from kg_neo4j_offline.embedder.hashed_embedding import HashedEmbedding
from small_graph import load

TOKENISER = tokens.load("approximate-1")


class Refusing(HashedEmbedding):
    """Answers nobody."""

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        raise ModelUnavailable(f"no answer to {len(texts)} texts")


class Waiting(HashedEmbedding):
    """Answers when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.told = threading.Event(), threading.Event()

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.asked.set()
        assert self.told.wait(30)
        return super().embed(texts)


@pytest.fixture
def chunks(database: Database, graph: str) -> tuple[Chunk, ...]:
    load(database, graph)
    found = [stored_chunks(database, graph, each.id) for each in list_documents(database, graph)]
    return tuple(chunk for some in found for chunk in some)


def test_chunks_are_embedded_once_and_the_end_finds_nothing_to_do(
    database: Database, graph: str, chunks: tuple[Chunk, ...]
) -> None:
    with ChunkEmbedding(database, HashedEmbedding(), TOKENISER) as beside:
        beside.begin(chunks)
        assert beside.finish() == len(chunks) > 1
    with ChunkEmbedding(database, HashedEmbedding(), TOKENISER) as beside:
        beside.begin(chunks)
        assert beside.finish() == 0
    assert vectors.embed(database, graph, HashedEmbedding(), TOKENISER, labels=["Chunk"]) == 0


def test_a_model_that_does_not_answer_is_said_at_the_end(database: Database, chunks: tuple[Chunk, ...]) -> None:
    with ChunkEmbedding(database, Refusing(), TOKENISER) as beside:
        for chunk in chunks:
            beside.begin([chunk])
        with pytest.raises(ModelUnavailable, match="no answer"):
            beside.finish()


def test_leaving_waits_for_the_call_under_way(database: Database, chunks: tuple[Chunk, ...]) -> None:
    model = Waiting()
    with ChunkEmbedding(database, model, TOKENISER) as beside:
        beside.begin(chunks)
        assert model.asked.wait(30)
        threading.Timer(0.2, model.told.set).start()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("kg-worker")]


def test_what_comes_too_fast_is_left_for_the_end(database: Database, graph: str, chunks: tuple[Chunk, ...]) -> None:
    model = Waiting()
    with ChunkEmbedding(database, model, TOKENISER) as beside:
        beside.begin(chunks * (CHUNKS_A_TASK * (WAITING + 5)))
        model.told.set()
        beside.finish()
    assert vectors.embed(database, graph, HashedEmbedding(), TOKENISER, labels=["Chunk"]) == 0
