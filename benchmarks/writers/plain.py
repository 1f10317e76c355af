"""The floor: the driver alone, CREATE batches grouped by type. No evidence, no chunks, no second run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator

import neo4j

from corpus import STRENGTH, chunk_rows, quote
from writers.frame import Job, serve

BATCH = 5_000

CREATE_NODES = """
UNWIND $rows AS row
CREATE (n:Plain:`{type}`)
SET n = row
"""
CREATE_RELATIONSHIPS = """
UNWIND $rows AS row
MATCH (a:Plain {{name: row.source}})
MATCH (b:Plain {{name: row.target}})
CREATE (a)-[r:`{type}`]->(b)
SET r = row.properties
"""

Rows = dict[str, list[dict[str, object]]]


def prepare(job: Job) -> Callable[[], str]:
    """Build the rows by type, connect, and return the write."""
    nodes, relationships = _rows(job.chunks)
    driver = neo4j.GraphDatabase.driver(job.uri, auth=(job.username, job.password), notifications_min_severity="OFF")
    driver.verify_connectivity()
    driver.execute_query("CREATE CONSTRAINT plain_name IF NOT EXISTS FOR (n:Plain) REQUIRE n.name IS UNIQUE")
    driver.execute_query("CALL db.awaitIndexes()")

    def write() -> str:
        with driver.session() as session:
            for query, by_type in ((CREATE_NODES, nodes), (CREATE_RELATIONSHIPS, relationships)):
                for kind, rows in by_type.items():
                    for batch in _batches(rows, job.batch or BATCH):
                        session.execute_write(_run, query.format(type=kind), batch)
        return "created"

    return write


def _run(transaction: neo4j.ManagedTransaction, query: str, rows: list[dict[str, object]]) -> None:
    transaction.run(query, rows=rows).consume()


def _rows(chunks: int) -> tuple[Rows, Rows]:
    nodes: Rows = defaultdict(list)
    relationships: Rows = defaultdict(list)
    for chunk in chunk_rows(chunks):
        for name, kind, role, description in chunk.nodes:
            nodes[kind].append({"name": name, "role": role, "description": description, "evidence": quote(description)})
        for source, kind, target, description in chunk.relationships:
            properties = {"description": description, "strength": STRENGTH, "evidence": quote(description)}
            relationships[kind].append({"source": source, "target": target, "properties": properties})
    return nodes, relationships


def _batches(rows: list[dict[str, object]], size: int) -> Iterator[list[dict[str, object]]]:
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


if __name__ == "__main__":
    serve(prepare)
