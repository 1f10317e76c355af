"""A real Neo4j with GDS: the one in NEO4J_URI, else a private local one, else a container where Docker runs."""

from __future__ import annotations

import io
import os
import shutil
import socket
import sys
import uuid
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

import hypothesis
import pytest

import hidden_package
from crash_points import CrashPoints
from fake_llm import FakeLlm
from kg_neo4j import factory, plugins
from kg_neo4j._models import openai_client
from kg_neo4j._models.protocols import ChatModel
from kg_neo4j.errors import JavaMissing
from kg_neo4j.extract.context import ChunkTask
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.constraints import delete_graph, ensure_constraints
from kg_neo4j.graph.database import Database, DatabaseAddress
from kg_neo4j.local_server import local_neo4j
from kg_neo4j.progress import SILENT
from kg_neo4j.records import ModelAnswer
from kg_neo4j.settings import Settings
from kg_runner import Kg, Ran, RunKg, environment_of
from report_writer import write_report

pytest.register_assert_rewrite("engine_contract")

if TYPE_CHECKING:
    from kg_neo4j_offline.extractor.extractor import OfflineExtractor
    from private_server import PrivateServer

hypothesis.settings.register_profile("quick", max_examples=60, deadline=None)
hypothesis.settings.register_profile("long", max_examples=600, deadline=None)
hypothesis.settings.load_profile("quick")  # `make test-long` takes the other

# Neo4j plans every query again after an index was made or dropped: 20 s of processor time for the questions. So files
# whose graphs have hashed vectors come first, and those that change indexes after all others that ask the server.
# Before these comes the file that explains every query: most plans are there by then.
HASHED = (
    *("answers", "assisting", "chat", "chunk_embedding", "examples", "filtered_queries", "filters", "odd_questions"),
    *("retrieve", "tree_mode", "vectors"),
)
INDEXING = (
    *("archive", "diagnosing", "empty_values", "extending", "faults_writes", "import", "managed_servers"),
    *("missing_indexes", "pages_run", "shared_database", "tree_vectors"),
)
os.environ["KG_JUDGE"] = "false"  # a further call for each answer: tests that are about it set it
OFFLINE = {"openai_api_key": None, "openai_base_url": None, "embedding_model": None}
DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out files that need a package of ours which is not there; the end of the run says so."""
    return True if hidden_package.missing(collection_path) else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what a missing package takes along, mark what needs a server, and order files by what they index."""
    left_out = [
        item for item in items if any(hidden_package.absent() & {*mark.args} for mark in item.iter_markers("needs"))
    ]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
    asking = {item.path for item in items if "settings" in getattr(item, "fixturenames", ())}
    items.sort(key=lambda item: _stage(item.path, asking))
    for item in items:
        if "settings" in getattr(item, "fixturenames", ()):
            item.add_marker("server")


def _stage(file: Path, asking: set[Path]) -> int:
    name = file.stem.removeprefix("test_")
    if file not in asking:
        return 4
    if name == "first_use":  # needs a server on which nothing was ever loaded
        return -1
    return 0 if name in HASHED else 3 if name in INDEXING else 2 if name == "cypher_headers" else 1


@pytest.fixture(autouse=True)
def connections_are_closed() -> Iterator[None]:
    """Close the connections to models that a test opened: most tests have a model server of their own."""
    yield
    if openai_client._clients:
        openai_client.run(openai_client._close(list(openai_client._clients.values())))
        openai_client._clients.clear()


@pytest.fixture(scope="session")
def settings(answers_are_remembered: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """Settings that mean a running server. A server that was started for the tests is stopped after them."""
    ours = {"answer_cache": False, "home": tmp_path_factory.mktemp("kg-own")}  # each test pays for its own answers
    found = Settings().model_copy(update=ours)
    if found.neo4j_uri:
        yield found
        return
    from private_server import short_lived

    home = tmp_path_factory.mktemp("kg-home")
    private = found.model_copy(update={"home": home, "db_bolt_port": 0, "db_http_port": 0, "db_heap_mb": 1024})
    try:
        with short_lived(), local_neo4j(private) as local:
            server = local.start()
    except JavaMissing:
        yield from _container(found)
        return
    try:
        yield _of(found, server.uri, server.username, server.password)
    finally:
        local.stop(force=True)
        shutil.rmtree(home, ignore_errors=True)


def _container(found: Settings) -> Iterator[Settings]:
    """The last step of the ladder: platforms for which there is no Java runtime, but Docker."""
    import neo4j_container

    with neo4j_container.container() as server:
        yield _of(found, server.get_connection_url(), server.username, server.password)


def _of(found: Settings, uri: str, username: str, password: str) -> Settings:
    return Settings(**{**found.model_dump(), "neo4j_uri": uri, "neo4j_username": username, "neo4j_password": password})


@pytest.fixture(scope="session")
def database(settings: Settings) -> Iterator[Database]:
    """A connection to the server that the ladder finds; the constraints stand."""
    with connect(settings, SILENT, as_it_is=True) as found:
        ensure_constraints(found)
        yield found


@pytest.fixture(scope="session")
def second_server(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateServer]:
    """A server beside the one of `settings`, started when it is first asked for. Use `other_server`."""
    from private_server import PrivateServer

    with PrivateServer(tmp_path_factory.mktemp("second-server"), settings) as server:
        yield server.start()


@pytest.fixture(scope="module")
def other_server(second_server: PrivateServer) -> Iterator[PrivateServer]:
    """An empty server for a file that needs another database; it is emptied at the end of the file."""
    yield second_server
    second_server.empty()


@pytest.fixture
def graph(database: Database) -> Iterator[str]:
    """A graph name of this test's own; everything under it is deleted afterwards."""
    name = f"test-{uuid.uuid4().hex[:12]}"
    yield name
    delete_graph(database, name)


@pytest.fixture
def address(database: Database) -> DatabaseAddress:
    """Where the server is."""
    return database.address


@pytest.fixture(scope="session")
def answers_are_remembered() -> Iterator[None]:
    """Read an English text once: many tests load the same one. Unit tests show that an answer rests on these alone."""
    if not plugins.is_installed("kg_neo4j_offline"):
        yield
        return
    from kg_neo4j_offline.extractor.extractor import OfflineExtractor
    from kg_neo4j_offline.extractor.ner import is_english

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


@pytest.fixture
def environment(settings: Settings, graph: str, tmp_path: Path) -> Mapping[str, str]:
    """The environment for a child process that is to use the tests' server, offline, and this test's graph."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("KG_", "NEO4J_", "OPENAI_"))}
    return {
        **kept,
        "KG_JUDGE": os.environ["KG_JUDGE"],
        **environment_of(settings.model_copy(update={"graph": graph})),
        "KG_HOME": str(tmp_path / "kg-home"),
        "KG_CACHE": str(tmp_path / "kg-cache"),
    }


@pytest.fixture
def run_kg(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> RunKg:
    """Run the command line in this process, with more in its environment: exit code, standard output and error."""

    def run(arguments: Sequence[str], environment: Mapping[str, str], typed: str = "") -> Ran:
        from kg_neo4j._cli import app

        capsys.readouterr()
        with monkeypatch.context() as changed:
            for name, value in {"OPENAI_API_KEY": "", "OPENAI_BASE_URL": "", **environment}.items():
                changed.setenv(name, value)
            changed.setattr(sys, "argv", ["kg", *arguments])
            changed.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(typed.encode()), "utf-8"))
            with pytest.raises(SystemExit) as exit_:
                app.main()
        output = capsys.readouterr()
        return int(exit_.value.code or 0), output.out, output.err

    return run


@pytest.fixture
def kg(run_kg: RunKg, environment: Mapping[str, str]) -> Kg:
    """Run the command line in this process, on the tests' server and this test's graph."""
    return lambda *arguments, **changes: run_kg(arguments, {**environment, **changes})


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real texts that are not part of the repository; the only reason for which a test may be skipped."""
    if not DATA.is_dir():
        pytest.skip(f"{os.path.relpath(DATA)} is absent")
    return DATA


@pytest.fixture
def unused_port() -> int:
    """A loopback port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what was left out, and the figures that tests measured: `record_property("figures", ...)`."""
    if absent := hidden_package.absent():
        terminalreporter.section(f"NOT RUN: tests that need {' and '.join(sorted(absent))}")
    reports = [
        report for found in terminalreporter.stats.values() for report in found if hasattr(report, "user_properties")
    ]
    figures = [str(value) for report in reports for name, value in report.user_properties if name == "figures"]
    if figures:
        terminalreporter.section("figures")
        for line in dict.fromkeys(figures):
            terminalreporter.line(line)
