"""Other tools read a graph of ours on the managed server: its schema, and the chunks nearest to a question.

make test-clients
"""

from __future__ import annotations

import io
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from kg_neo4j import Settings, embed, load
from kg_neo4j.graph.export import export
from kg_neo4j.organise.search_indexes import list_indexes
from private_server import PrivateServer

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
LINES = get_args(Settings.model_fields["db_neo4j"].annotation)
QUESTION = "What was the bell called?"
SCHEMAS = ("graphrag_schema", "langchain_schema", "llama_schema")
pytestmark = pytest.mark.timeout(1800)


@pytest.fixture(scope="module", params=LINES)
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateServer]:
    """A managed server with two graphs of the same text, whose chunks share the indexes."""
    unstarted = PrivateServer(tmp_path_factory.mktemp("home"), Settings(db_neo4j=request.param, db_start_timeout_s=600))
    with unstarted as private:
        private.start()
        for graph in ("one", "two"):
            load([str(EXAMPLES / "the_bell_of_orlen.md")], settings=private.aside(graph))
        yield private


def read_by(client: str, server: PrivateServer) -> Any:
    """Return what one client reads, in its own environment."""
    settings = server.aside("one")
    with server.connect() as database:
        index = next(each.name for each in list_indexes(database) if (each.kind, each.label) == ("VECTOR", "Chunk"))
    given = {
        "uri": settings.neo4j_uri,
        "username": settings.neo4j_username,
        "password": settings.neo4j_password.get_secret_value() if settings.neo4j_password else "",
        "graph": "one",
        "index": index,
        "question": QUESTION,
        "vector": embed([QUESTION], settings=settings)[0],
    }
    command = [os.environ["CLIENTS_PYTHON"], str(Path(__file__).with_name("client.py")), client]
    done = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def exported(server: PrivateServer) -> str:
    written = io.StringIO()
    with server.connect() as database:
        export(database, "one", written)
    return written.getvalue()


@pytest.mark.parametrize("client", SCHEMAS)
def test_the_schema_is_read_and_nothing_changes(server: PrivateServer, client: str) -> None:
    before = exported(server)
    schema = read_by(client, server)
    print(f"{server.settings.db_neo4j} {client}: {len(schema):,} characters")
    assert "PERSON" in schema
    assert "STATED_IN" in schema
    assert exported(server) == before


@pytest.mark.parametrize("client", ["graphrag_search", "langchain_search"])
def test_chunks_are_found_with_our_embedder_and_of_one_graph(server: PrivateServer, client: str) -> None:
    with server.connect() as database, database.driver.session() as session:
        ours = {row["text"] for row in session.run("MATCH (c:Chunk {graph: 'one'}) RETURN c.text AS text")}
    texts = read_by(client, server)
    assert 1 <= len(texts) == len(set(texts)) <= len(ours)
    assert set(texts) <= ours
    assert "Agathe" in " ".join(texts)
