"""Settings of a load: with the built-in models, and with a scripted one behind HTTP."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from unittest import mock

import pytest

from crash_points import CrashPoints
from fake_llm import FakeLlm
from kg_neo4j import factory
from kg_neo4j._models.protocols import ChatModel
from kg_neo4j.extract.context import ChunkTask
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.offline.extractor.extractor import OfflineExtractor
from kg_neo4j.offline.extractor.ner import is_english
from kg_neo4j.records import ModelAnswer
from kg_neo4j.settings import Settings
from report_writer import write_report

OFFLINE = {"openai_api_key": None, "openai_base_url": None, "embedding_model": None}


@pytest.fixture(scope="session", autouse=True)
def answers_are_remembered() -> Iterator[None]:
    """Read an English text once: many tests load the same one. Unit tests show that an answer rests on these alone."""
    answer = OfflineExtractor.answer
    known: dict[object, ModelAnswer] = {}

    def remembered(extractor: OfflineExtractor, task: ChunkTask, shown_text: str) -> ModelAnswer:
        document = task.document
        if not is_english(document.text or shown_text, document.language):
            return answer(extractor, task, shown_text)  # which counts the document for a note
        read = (document.title, document.text, document.language, task.chunk.section, shown_text)
        key = (extractor.config_hash, *read)
        if key not in known:
            known[key] = answer(extractor, task, shown_text)
        return known[key]

    with mock.patch.object(OfflineExtractor, "answer", remembered):
        yield


@pytest.fixture(autouse=True)
def each_test_is_a_run_of_its_own(request: pytest.FixtureRequest) -> None:
    """List the indexes again: one connection serves all tests of a process, and a run remembers what it listed."""
    if "database" in request.fixturenames:
        request.getfixturevalue("database").indexes = None


@pytest.fixture(scope="session")
def runner() -> Iterator[CrashPoints]:
    """A program that runs `kg` in children of its own and kills them where it is told to."""
    with CrashPoints() as found:
        yield found


@pytest.fixture
def offline(settings: Settings, graph: str) -> Settings:
    """The built-in models, and this test's graph."""
    return settings.model_copy(update={"graph": graph, **OFFLINE})


@pytest.fixture(scope="module")
def shared(settings: Settings, database: Database) -> Iterator[Settings]:
    """The built-in models, and a graph for all tests of a file, deleted at the end."""
    name = f"shared-{uuid.uuid4().hex[:12]}"
    yield settings.model_copy(update={"graph": name, **OFFLINE})
    delete_graph(database, name)


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    """A model server of this test's own."""
    with FakeLlm() as server:
        yield server


@pytest.fixture
def online(offline: Settings, llm: FakeLlm) -> Settings:
    """The scripted model, three calls at a time, nothing asked twice."""
    changed = {
        "openai_base_url": llm.url,
        "openai_api_key": "canary-key-5f1c",
        "model": "scripted",
        "model_retries": 0,
        "model_concurrency": 3,
    }
    return Settings(**{**offline.model_dump(), **changed})


@pytest.fixture
def model(settings: Settings, llm: FakeLlm) -> ChatModel:
    """The scripted model, which writes community reports."""
    llm.rules = write_report
    online = {"openai_base_url": llm.url, "openai_api_key": "k", "model": "scripted", "model_retries": 0}
    found = factory.chat_model(Settings(**{**settings.model_dump(), **online}))
    assert found
    return found
