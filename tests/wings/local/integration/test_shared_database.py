"""A database that other programs use, too: their nodes, constraints and indexes under labels of ours.

Theirs are a vector index, two nodes with one id, and what constraints of ours would forbid.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kg_neo4j import LoadOptions, Settings, ask, load, tree, unload
from kg_neo4j.errors import SchemaConflict
from kg_neo4j.graph import canned_reports, queries
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database, Row
from kg_neo4j.graph.export import lines
from kg_neo4j.pipeline.commands.communities import community_reports
from kg_neo4j.pipeline.commands.resolve import resolve
from kg_runner import RunKg, environment_of
from private_server import PrivateServer

EXAMPLES = Path(__file__).resolve().parents[4] / "examples"
STORY = str(EXAMPLES / "the_lamp_at_skarnes.md")
OPTIONS = LoadOptions(chunk_tokens=150)
GRAPH = "shared"
QUESTION = "Who owned the Northern Salvage Company?"

THEIR_SCHEMA = (
    "CREATE CONSTRAINT their_document FOR (n:Document) REQUIRE n.id IS UNIQUE",
    "CREATE INDEX their_fact FOR (n:Fact) ON (n.id)",
    "CREATE FULLTEXT INDEX their_text FOR (n:Chunk) ON EACH [n.text]",
    "CREATE VECTOR INDEX chunk_embedding FOR (n:Chunk) ON n.embedding "
    "OPTIONS {indexConfig: {`vector.dimensions`: 1536, `vector.similarity_function`: 'cosine'}}",
    "CREATE VECTOR INDEX entity_embedding FOR (n:Entity) ON n.embedding "
    "OPTIONS {indexConfig: {`vector.dimensions`: 4, `vector.similarity_function`: 'cosine'}}",
)
# Chunks and entities twice with one id; some have a property `graph`, and even the name of our graph.
THEIR_NODES = """
UNWIND range(1, 100) AS n
CREATE (d:Document {id: 'theirs-' + n, title: 'The lamp at Skarnes', mark: true}),
       (a:Chunk {id: 'one id', text: 'Nils built the lamp.', embedding: [0.1, 0.2, 0.3, 0.4], mark: true}),
       (b:Entity:PERSON {id: 'one id', num: 1, name: 'Nils', embedding: [0.1, 0.2, 0.3, 0.4], mark: true}),
       (f:Fact {id: 'one id', mark: true}), (:Community:Customer {id: 'one id', mark: true}),
       (:Lease {graph: 'a flat', mark: true}), (:Answer:Decision:Tree {id: 'one id', mark: true}),
       (a)-[:FROM_DOCUMENT]->(d), (b)-[:MENTIONED_IN]->(a), (f)-[:STATED_IN]->(a)
FOREACH (node IN [a, b, f, d] | SET node.graph = $graph)
"""
THEIRS = """
MATCH (n) WHERE n.mark OPTIONAL MATCH (n)-[r]->(m)
WITH n, collect([type(r), properties(r), m.id]) AS relationships
RETURN elementId(n) AS element, labels(n) AS labels, properties(n) AS node, relationships ORDER BY element
"""


def query(text: str) -> queries.Query:
    return queries.Query("test", "", "", "write", (), (), "", "", text)


def exported(database: Database, graph: str = GRAPH) -> str:
    return "\n".join(lines(database, graph))


def schema(database: Database) -> dict[str, Row]:
    """All indexes, those of constraints too, but Neo4j's own two."""
    return {row["name"]: row for row in database.read(queries.get("write/standing_indexes"))}


@pytest.fixture
def ours(other_server: PrivateServer) -> Settings:
    return other_server.aside(GRAPH).model_copy(update={"answer_cache": False})


@pytest.fixture
def shared(other_server: PrivateServer) -> Iterator[Database]:
    """A connection to the other server, emptied afterwards."""
    with other_server.connect() as database:
        yield database
    other_server.empty()


@pytest.fixture(scope="module")
def wanted(other_server: PrivateServer) -> str:
    """The export of a load into an empty database."""
    load([STORY], settings=other_server.aside(GRAPH), options=OPTIONS)
    with other_server.connect() as database:
        text = exported(database)
        delete_graph(database, GRAPH)
    return text


def test_a_database_full_of_another_program_is_used_by_both(
    wanted: str, shared: Database, ours: Settings, run_kg: RunKg
) -> None:
    for text in THEIR_SCHEMA:
        shared.schema(query(text))
    shared.write(query(THEIR_NODES), graph=GRAPH)
    before = [dict(row) for row in shared.read(query(THEIRS))]
    rules = {name: row for name, row in schema(shared).items() if not name.startswith("kg_")}
    assert len(rules) == len(THEIR_SCHEMA)
    assert len(before) == 700
    load([STORY], settings=ours, options=OPTIONS)
    assert exported(shared) == wanted
    assert load([STORY], settings=ours, options=OPTIONS).changes == 0
    tree(settings=ours)
    resolve(settings=ours)
    community_reports(settings=ours)
    for mode in ("naive", "local", "global", "tree"):
        answer = ask(QUESTION, settings=ours, mode=mode)
        told = str((answer.answer, answer.citations, answer.passages))
        assert not [words for words in ("one id", "Nils built the lamp") if words in told]
    found = {
        name: canned_reports.run(shared, name, graph=GRAPH, parameters={})
        for name in ("nodes-by-type", "database-info")
    }
    assert {row[0]: row[1] for row in found["nodes-by-type"].rows}["PERSON"] < 100
    assert not [name for _, name, _ in found["database-info"].rows if str(name).startswith("Kg")]
    unload(STORY, settings=ours)
    load([STORY], settings=ours, options=OPTIONS)
    assert [dict(row) for row in shared.read(query(THEIRS))] == before
    assert {name: row for name, row in schema(shared).items() if name in rules} == rules
    for label in ("Answer", "Chunk", "Community", "Decision", "Entity", "Fact", "GraphState", "Lease", "Tree"):
        shared.write(query(f"UNWIND [1, 2] AS n CREATE (:{label} {{id: 1, num: 1, graph: 'x', mark: false}})"))
    code, out, err = run_kg(["db", "reset", "--schema", "--yes", "--json"], environment_of(ours))
    assert code == 0, err
    assert "kg_own_chunk_id" in out
    assert schema(shared) == rules
    assert [dict(row) for row in shared.read(query(THEIRS))] == before


def test_the_schema_stays_while_another_graph_needs_it(shared: Database, ours: Settings, run_kg: RunKg) -> None:
    other = ours.model_copy(update={"graph": "another"})
    for each in (ours, other):
        load([STORY], settings=each, options=LoadOptions(analytics=False, vectors=False))
    code, _, err = run_kg(["db", "reset", "--schema", "--yes"], environment_of(ours))
    assert code == 2
    assert "another" in err
    assert exported(shared)
    assert run_kg(["db", "reset", "--yes"], environment_of(other))[0] == 0
    assert run_kg(["db", "reset", "--schema", "--yes"], environment_of(ours))[0] == 0
    assert not schema(shared)
    assert shared.read(query("MATCH (n) RETURN count(n) AS nodes"))[0]["nodes"] == 0


def test_a_constraint_of_others_that_our_values_break_is_named_and_nothing_is_half_written(
    shared: Database, ours: Settings
) -> None:
    shared.schema(query("CREATE CONSTRAINT one_section FOR (n:Chunk) REQUIRE n.document_id IS UNIQUE"))
    with pytest.raises(SchemaConflict, match="document_id") as refused:
        load([STORY], settings=ours, options=OPTIONS)
    assert "SHOW CONSTRAINTS" in str(refused.value.hint)
    shared.schema(query("DROP CONSTRAINT one_section"))
    load([STORY], settings=ours, options=OPTIONS)
