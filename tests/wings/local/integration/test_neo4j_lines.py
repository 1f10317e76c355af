"""Both lines of Neo4j that have a lock do the main job, refuse the same, and give the same bytes."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import get_args

import neo4j
import pytest

from cypher_hostile import LOADS
from kg_neo4j import Settings, ask, load, tree
from kg_neo4j.errors import DatabaseError
from kg_neo4j.graph import queries
from kg_neo4j.graph.canned_reports import list_reports, outside_name, run
from kg_neo4j.graph.constraints import ensure_constraints
from kg_neo4j.graph.export import export
from kg_neo4j.organise import search_indexes
from kg_neo4j.pipeline.commands.communities import community_reports
from neo4j_local import jars
from private_server import PrivateServer

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]

LINES = get_args(Settings.model_fields["db_neo4j"].annotation)
EXAMPLES = Path(__file__).resolve().parents[4] / "examples"
TEXTS = ("alexander_von_humboldt.md", "the_bell_of_orlen.md", "the_lamp_at_skarnes.md")
QUESTIONS = {
    "local": "Where was Alexander von Humboldt born?",
    "naive": "What was the bell called?",
    "global": "What are these documents about?",
    "tree": "What was the bell called?",
    "cypher": "How are Humboldt and Bonpland connected?",
}
NEEDED = {
    **{name: {"name": "Humboldt"} for name in ("neighbours", "similar-entities", "similar-neighbourhoods")},
    **{name: {"from": "Humboldt", "to": "Bonpland"} for name in ("shortest-path", "shortest-paths")},
}


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, PrivateServer]]:
    """A managed server of each line."""
    private = {
        line: PrivateServer(tmp_path_factory.mktemp("home"), Settings(db_neo4j=line, db_start_timeout_s=600))
        for line in LINES
    }
    try:
        for each in private.values():
            each.start()
            with each.connect() as database:
                ensure_constraints(database)
                search_indexes.create_fulltext(database)
                with database.driver.session() as session:  # some of LOADS read nothing unless there is an entity
                    session.run("CREATE (:Entity {id: 'canary', graph: 'canary', name: 'x'})").consume()
        yield private
    finally:
        for each in private.values():
            each.stop()


@pytest.fixture(params=LINES)
def server(request: pytest.FixtureRequest, servers: Mapping[str, PrivateServer]) -> PrivateServer:
    return servers[request.param]


@pytest.fixture(scope="module")
def jobs(servers: Mapping[str, PrivateServer]) -> Mapping[str, dict[str, str]]:
    """What each line gives for the main job: every answer, every report, and the export, as text."""
    return {line: job(servers[line]) for line in LINES}


def job(server: PrivateServer) -> dict[str, str]:
    settings = server.aside("lines").model_copy(update={"answer_cache": False})
    sources = [str(EXAMPLES / name) for name in TEXTS]
    first = load(sources, settings=settings)
    assert first.changes > 0
    assert not first.failed_chunks
    built = (community_reports(settings=settings).changes, tree(settings=settings).changes)
    assert all(built)
    again = load(sources, settings=settings)
    assert (again.changes, community_reports(settings=settings).changes) == (0, 0)
    assert tree(settings=settings).changes == 0
    results: dict[str, str] = {}
    for mode, question in QUESTIONS.items():
        answer = ask(question, settings=settings, mode=mode)
        assert answer.citations, mode
        quotes = [each.quote for each in (*answer.citations, *(one.citation for one in answer.passages))]
        results[f"ask {mode}"] = json.dumps([answer.answer, quotes])
    with server.connect() as database:
        for query in list_reports():
            name = outside_name(query)
            results[f"report {name}"] = repr(run(database, name, graph="lines", parameters=NEEDED.get(name, {})).rows)
        written = io.StringIO()
        export(database, "lines", written)
    return {**results, "export": written.getvalue()}


def test_the_servers_are_of_the_versions_of_their_locks(servers: Mapping[str, PrivateServer]) -> None:
    for line, server in servers.items():
        with server.connect() as database:
            locked = jars.read_lock(line)
            assert (database.verify(), database.gds_version()) == (locked.neo4j, locked.gds)


def test_the_server_plans_every_query(server: PrivateServer) -> None:
    offenders = []
    with server.connect() as database:
        for name in queries.names():
            query = queries.get(name)
            try:
                columns, _ = database.explain(query)
            except DatabaseError as error:
                offenders.append(f"{name}: {error}")
            else:
                offenders += [name] * (columns != tuple(column.name for column in query.columns))
    assert offenders == []


def test_the_main_job_gives_the_same_bytes(jobs: Mapping[str, dict[str, str]]) -> None:
    first, *others = (jobs[line] for line in LINES)
    assert len(first["export"].splitlines()) > 500
    for other in others:
        assert {name: (first[name], other[name]) for name in first if other[name] != first[name]} == {}
        assert other.keys() == first.keys()


@pytest.mark.parametrize("query", LOADS)
def test_no_file_no_address_and_no_text_is_read_or_run(server: PrivateServer, query: str) -> None:
    with server.connect() as database, database.driver.session() as session:
        with pytest.raises(neo4j.exceptions.ClientError):
            session.run(query.format(port=9), graph="canary").consume()  # type: ignore[arg-type]
        assert session.run("MATCH (n:Canary) RETURN count(n) AS number").single(strict=True)["number"] == 0


def test_of_plugins_only_gds_and_what_reads_the_schema_can_be_called(server: PrivateServer) -> None:
    own = {"db", "dbms", "gds", "tx"}
    with server.connect() as database, database.driver.session() as session:
        names = [str(row["name"]) for row in session.run("SHOW PROCEDURES YIELD name")]
        assert [name for name in names if name.split(".")[0] not in own] == ["apoc.meta.data", "apoc.meta.subGraph"]
        functions = session.run("SHOW FUNCTIONS YIELD name WHERE name STARTS WITH 'apoc'").values("name")
        assert functions == [["apoc.any.property"]]
        session.run("CALL apoc.meta.data() YIELD label RETURN label").consume()
        schema = "CALL apoc.meta.subGraph({}) YIELD nodes RETURN [n IN nodes | apoc.any.property(n, 'name')] AS names"
        session.run(schema).consume()
