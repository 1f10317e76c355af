"""Both lines of Neo4j that have a lock do the main job, refuse the same, and give the same bytes."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import get_args

import neo4j
import pytest

from cypher_hostile import LOADS
from kg_neo4j import Settings, ask, factory, load, tree
from kg_neo4j.errors import DatabaseError
from kg_neo4j.graph import queries
from kg_neo4j.graph.canned_reports import list_reports, outside_name, run
from kg_neo4j.graph.constraints import ensure_constraints, vector_index_name
from kg_neo4j.graph.database import Database, can_search
from kg_neo4j.graph.export import export
from kg_neo4j.graph.resolution.derived import read_sources
from kg_neo4j.organise import search_indexes
from kg_neo4j.pipeline.commands.communities import community_reports
from kg_neo4j.pipeline.commands.doctor import diagnose
from neo4j_local import jars
from private_server import PrivateServer

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]

LINES = get_args(Settings.model_fields["db_neo4j"].annotation)
EXAMPLES = Path(__file__).resolve().parents[4] / "examples"
TEXTS = ("alexander_von_humboldt.md", "the_bell_of_orlen.md", "the_lamp_at_skarnes.md")
QUESTIONS = (
    ("local", "Where was Alexander von Humboldt born?"),
    ("local", "Who was the brother of Alexander von Humboldt?"),
    ("local", "Where was Wilhelm von Humboldt born?"),
    ("naive", "What was the bell called?"),
    ("naive", "When was the Alexander von Humboldt Foundation founded?"),
    ("naive", "Who locked the gallery?"),
    ("global", "What are these documents about?"),
    ("tree", "What was the bell called?"),
    ("tree", "Who keeps the lamp at Skarnes?"),
    ("cypher", "How are Humboldt and Bonpland connected?"),
)
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
    results = answers(settings)
    with server.connect() as database:
        for query in list_reports():
            name = outside_name(query)
            results[f"report {name}"] = repr(run(database, name, graph="lines", parameters=NEEDED.get(name, {})).rows)
        written = io.StringIO()
        export(database, "lines", written)
    return {**results, "export": written.getvalue()}


def answers(settings: Settings) -> dict[str, str]:
    """Return what is answered to each of QUESTIONS, and cited, as text."""
    found = {}
    for mode, question in QUESTIONS:
        answer = ask(question, settings=settings.model_copy(update={"answer_cache": False}), mode=mode)
        quotes = [each.quote for each in (*answer.citations, *(one.citation for one in answer.passages))]
        assert quotes, question
        found[f"ask {mode} {question}"] = json.dumps([answer.answer, quotes])
    return found


def vector_indexes(database: Database) -> dict[str, search_indexes.SearchIndex]:
    """Return the vector indexes that stand, by name."""
    database.indexes = None
    return {each.name: each for each in search_indexes.list_indexes(database) if each.kind == "VECTOR"}


def test_the_servers_are_of_the_versions_of_their_locks(servers: Mapping[str, PrivateServer]) -> None:
    for line, server in servers.items():
        with server.connect() as database:
            locked = jars.read_lock(line)
            assert (database.verify(), database.gds_version()) == (locked.neo4j, locked.gds)


def test_the_server_plans_every_query(server: PrivateServer) -> None:
    """In Cypher 25, too, which is the language of databases made by Neo4j 2026: it has all of these queries."""
    offenders = []
    with server.connect() as database:
        language = "CYPHER 25 " if can_search(database.verify()) else ""
        for name in queries.names():
            query = replace(queries.get(name), text=language + queries.get(name).text)
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


def test_a_server_that_can_search_inside_a_graph_is_asked_to(jobs: object, server: PrivateServer) -> None:
    with server.connect() as database:
        can = can_search(database.verify())
        found = vector_indexes(database)
        assert [each.by_graph for each in found.values()] == [can] * len(search_indexes.LABELS)
        if can:
            for name in ("retrieve/naive", "retrieve/tree_search", "write/resolve_neighbours"):
                query = queries.get(name)
                indexes = dict.fromkeys((each.name for each in query.params if each.name.endswith("index")), min(found))
                for filters in ((), ("names", "types", "years")):
                    columns, kind = database.explain(query.held_to(filters).searching(indexes))
                    assert (columns, kind) == (tuple(column.name for column in query.columns), "r")


def test_indexes_of_the_former_kind_answer_until_they_are_made_again(
    jobs: object, servers: Mapping[str, PrivateServer]
) -> None:
    server = servers[LINES[-1]]
    settings = server.aside("lines")
    with server.connect() as database:
        before, found = answers(settings), vector_indexes(database)
        for name, index in found.items():
            database.schema(queries.get("write/drop_index"), name=name)
            make = queries.get(f"write/vector_index_{index.label.lower()}")
            database.schema(make, name=name, dimension=index.dimension)
        search_indexes.create_fulltext(database)  # waits until all of ours are online
        assert sorted(search_indexes.outdated(database)) == sorted(found)
        assert answers(settings) == before
        said = [each.message for each in diagnose(settings=settings) if each.subject == "indexes"]
        assert said == ["online: 9; `kg db indexes` makes 4 again, to search inside a graph"]
        assert sorted(search_indexes.repair(database, factory.embedding_model(settings))) == sorted(found)
        assert search_indexes.outdated(database) == []
        assert vector_indexes(database) == found
    assert answers(settings) == before


def test_another_graph_takes_no_neighbours_of_a_search_inside_a_graph(
    jobs: object, servers: Mapping[str, PrivateServer]
) -> None:
    server = servers[LINES[-1]]
    index = vector_index_name("Entity", factory.embedding_model(server.settings))
    with server.connect() as database, database.driver.session() as session:
        alone = read_sources(database, "lines", index, by_graph=True).neighbours
        assert alone == read_sources(database, "lines", index).neighbours != {}
        crowd = (
            "MATCH (e:KgEntity {graph: 'lines'}) UNWIND range(1, 60) AS number "
            "CREATE (:KgEntity {id: e.id + number, graph: 'crowd', embedding: e.embedding})"
        )
        session.run(crowd).consume()
        session.run("CALL db.awaitIndexes(60)").consume()
        try:
            assert read_sources(database, "lines", index, by_graph=True).neighbours == alone
            assert len(read_sources(database, "lines", index).neighbours) < len(alone)
        finally:
            session.run("MATCH (e:KgEntity {graph: 'crowd'}) DETACH DELETE e").consume()


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
