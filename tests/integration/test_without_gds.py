"""A real Neo4j without the Graph Data Science plugin: loads, questions, communities and reports all the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tenacity import retry, retry_if_exception_type, stop_after_delay, wait_fixed

import entity_graph
import small_graph
from kg_neo4j import KnowledgeGraph
from kg_neo4j.errors import GdsMissing
from kg_neo4j.graph.canned_reports import list_reports, outside_name, run
from kg_neo4j.graph.constraints import ensure_constraints
from kg_neo4j.graph.database import Database, DatabaseAddress
from kg_neo4j.organise import analytics, search_indexes
from kg_neo4j.organise.gds_client import client
from kg_neo4j.pipeline.commands.communities import community_reports
from kg_neo4j.progress import SILENT
from kg_neo4j.retrieve import local
from kg_neo4j.retrieve.interface import Search
from kg_neo4j.retrieve.question import fulltext_query, read
from kg_neo4j.settings import Settings
from neo4j_local import LocalNeo4j, launch, login, state
from neo4j_local import errors as local_errors

pytestmark = pytest.mark.long

FILM = ["Rain Road is a film of 1931 that Ada Lind made in Bergen."]
DIRECTOR = ["Lind was a Norwegian maker of films. She grew up with her aunt in Oslo."]
NOISE = ["Many a film is made in Bergen, and many who make a film grew up there."]
VILLAGE = """# Bergen
Ada Lind was born in Bergen. Ada Lind married Erik Holm. Erik Holm taught Ada Lind in Bergen. Erik Holm worked with
Tove Berg in Oslo. Tove Berg married Nils Dahl. Nils Dahl was born in Oslo. Ada Lind worked with Tove Berg in Oslo.
"""


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


def test_without_packages_a_load_completes_without_communities_and_names_both_ways(
    bare: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analytics, "find_spec", lambda name: None)
    entity_graph.load(bare, "none", entity_graph.two_cliques())
    progress = Notes()
    report = analytics.refresh(bare, "none", progress)
    assert report.skipped
    assert report.skipped.startswith("no communities and centralities: the Graph Data Science plugin is not installed")
    assert (report.communities, report.changes) == (0, 0)
    assert len(progress.notes) == 1
    assert "GDS 2.13 or newer" in progress.notes[0]
    assert "kg-neo4j[analytics]" in progress.notes[0]
    found = reports(bare, "none").items()
    assert found >= {"most-connected": 5, "shortest-path": 3, "shortest-paths": 5}.items()
    assert found >= {"bridges": 0, "communities": 0, "pagerank": 0}.items()


def test_this_machine_computes_and_every_report_has_rows(bare: Database) -> None:
    entity_graph.load(bare, "main", entity_graph.two_cliques())
    first = analytics.refresh(bare, "main")
    assert (first.communities, first.nodes, first.skipped, len(first.notes)) == (2, 10, None, 1)
    assert analytics.refresh(bare, "main").changes == 0
    found = reports(bare, "main").items()
    assert found >= {"communities": 2, "bridges": 1, "articulation-points": 2, "pagerank": 10, "k-core": 1}.items()
    assert found >= {"triangles": 10, "components": 1, "similar-neighbourhoods": 5}.items()


def reports(database: Database, graph: str) -> dict[str, int]:
    """Return name -> rows of every canned report."""
    named, ends = {"name": "A1"}, {"from": "A1", "to": "B2"}
    needed = {"neighbours": named, "shortest-path": ends, "shortest-paths": ends}
    needed |= {"similar-entities": named, "similar-neighbourhoods": named}
    names = [outside_name(query) for query in list_reports()]
    return {name: len(run(database, name, graph=graph, parameters=needed.get(name, {})).rows) for name in names}


def test_a_question_reaches_the_page_a_second_hop_away(bare: Database) -> None:
    small_graph.load(bare, "films", "Rain Road (film)", FILM, [[("Ada Lind", "MADE", "Rain Road", FILM[0])]])
    small_graph.load(bare, "films", "Ada Lind", DIRECTOR, [[("Lind", "GREW_UP_IN", "Oslo", DIRECTOR[0])]])
    for number in range(6):
        fact = ("Bergen", "HAS", f"Maker {number}", "made in Bergen")
        small_graph.load(bare, "films", f"Note {number}", NOISE, [[fact]])
    search_indexes.create_fulltext(bare)
    asked = read("Where did the one who made Rain Road grow up?")
    found = local.retrieve(bare, Search("films", asked, fulltext_query(asked)), 12)
    assert [chunk.document for chunk in found.chunks if chunk.score > 0][:2] == ["Rain Road (film)", "Ada Lind"]
    assert found.notes == ()


def test_a_folder_is_loaded_asked_and_drawn(bare: Database, tmp_path: Path) -> None:
    source = tmp_path / "village.md"
    source.write_text(VILLAGE, "utf-8")
    address = {"neo4j_uri": bare.address.uri, "neo4j_password": bare.address.password, "graph": "village"}
    offline = {"openai_base_url": None, "openai_api_key": None}
    with KnowledgeGraph(settings=Settings(**address, **offline)) as kg:
        first = kg.load(str(source))
        assert [each for each in first.notes if "computed on this machine" in each]
        assert kg.load(str(source)).changes == 0
        assert first.communities
        assert community_reports(settings=kg.settings).changes
        assert community_reports(settings=kg.settings).changes == 0
        for mode in ("naive", "local", "global"):
            answer = kg.ask("Who taught Ada Lind in Bergen?", mode=mode)
            assert answer.evidence, mode
            assert not [each for each in answer.notes if "GDS" in each or "Graph Data Science" in each]
        kg.plot(tmp_path / "village.svg")
        assert (tmp_path / "village.svg").stat().st_size > 1_000


def test_an_empty_graph_needs_no_gds(bare: Database) -> None:
    assert analytics.refresh(bare, "nothing").skipped is None
