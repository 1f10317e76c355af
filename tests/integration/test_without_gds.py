"""A real Neo4j without the Graph Data Science plugin: the build completes, and says what is missing (row 78)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from tenacity import retry, retry_if_exception_type, stop_after_delay, wait_fixed

import entity_graph
from kg_neo4j.errors import GdsMissing
from kg_neo4j.graph.canned_reports import list_reports, outside_name, run
from kg_neo4j.graph.constraints import ensure_constraints
from kg_neo4j.graph.database import Database, DatabaseAddress
from kg_neo4j.organise.analytics import refresh
from kg_neo4j.organise.gds_client import client
from kg_neo4j.progress import SILENT
from kg_neo4j.settings import Settings
from neo4j_local import LocalNeo4j, launch, login, state
from neo4j_local import errors as local_errors

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """The managed server, launched from its jars without those of GDS."""
    folder, ports = tmp_path_factory.mktemp("bare"), {"bolt_port": 0, "http_port": 0}
    local = LocalNeo4j(folder, Settings().cache, **ports, heap_mb=512, pagecache_mb=64)
    whole = local.parts(SILENT)
    kept = {jar: path for jar, path in zip(whole.lock.jars, whole.jars, strict=True) if not jar.plugin}
    parts = launch.Parts(replace(whole.lock, jars=tuple(kept)), tuple(kept.values()), whole.java)
    home = local.home
    home.prepare()
    bolt, http = local.choose_ports()
    launch.launch(home, parts, local.memory, (bolt, http))
    try:
        await_server(home, bolt)
        with Database(DatabaseAddress(f"bolt://127.0.0.1:{bolt}", login.USERNAME, login.password(home))) as database:
            ensure_constraints(database)
            yield database
    finally:
        local.stop(force=True)


@retry(
    retry=retry_if_exception_type(local_errors.DatabaseUnavailable), wait=wait_fixed(0.5), stop=stop_after_delay(180)
)
def await_server(home: state.Home, port: int) -> None:
    with pytest.raises(local_errors.GdsMissing):
        login.versions(home, port)


def test_the_database_says_what_is_missing(bare: Database) -> None:
    assert bare.verify().startswith("5.26")
    with pytest.raises(GdsMissing, match="not installed") as caught:
        bare.gds_version()
    assert "GDS 2.13 or newer" in (caught.value.hint or "")
    with pytest.raises(GdsMissing):
        client(bare)


class Notes:
    """Progress that keeps its notes."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def start(self, stage: str, total: int | None = None) -> None: ...

    def advance(self, stage: str, units: int = 1) -> None: ...

    def finish(self, stage: str) -> None: ...

    def note(self, message: str) -> None:
        self.notes.append(message)


def test_a_load_completes_without_communities_and_says_so(bare: Database) -> None:
    entity_graph.load(bare, "main", entity_graph.two_cliques())
    progress = Notes()
    report = refresh(bare, "main", progress)
    assert report.skipped
    assert report.skipped.startswith("no communities and centralities: the Graph Data Science plugin is not installed")
    assert (report.communities, report.changes) == (0, 0)
    assert len(progress.notes) == 1
    assert "--no-analytics" in progress.notes[0]


def test_every_report_still_runs(bare: Database) -> None:
    entity_graph.load(bare, "main", entity_graph.two_cliques())
    named, ends = {"name": "A1"}, {"from": "A1", "to": "B2"}
    needed = {"neighbours": named, "shortest-path": ends, "shortest-paths": ends}
    needed |= {"similar-entities": named, "similar-neighbourhoods": named}
    rows = {}
    for query in list_reports():
        name = outside_name(query)
        rows[name] = len(run(bare, name, graph="main", parameters=needed.get(name, {})).rows)
    assert (rows["most-connected"], rows["shortest-path"], rows["bridges"], rows["communities"]) == (5, 3, 0, 0)
    assert (rows["shortest-paths"], rows["similar-neighbourhoods"]) == (5, 5)


def test_an_empty_graph_needs_no_gds(bare: Database) -> None:
    assert refresh(bare, "nothing").skipped is None
