"""langchain-neo4j: Neo4jGraph.add_graph_documents with its fast setting (baseEntityLabel), one GraphDocument per chunk.

With `source` it keeps the chunks and MENTIONS from them to the nodes (include_source).
"""

from __future__ import annotations

from collections.abc import Callable

from langchain_core.documents import Document
from langchain_neo4j import Neo4jGraph
from langchain_neo4j.graphs.graph_document import GraphDocument, Node, Relationship

from corpus import STRENGTH, ChunkRows, chunk_rows, quote
from writers.frame import Job, serve


def prepare(job: Job) -> Callable[[], str]:
    """Build the graph documents, connect, and return the write."""
    documents = [_document(rows) for rows in chunk_rows(job.chunks)]
    graph = Neo4jGraph(
        url=job.uri,
        username=job.username,
        password=job.password,
        database="neo4j",
        driver_config={"notifications_min_severity": "OFF"},
    )
    graph.add_graph_documents([], baseEntityLabel=True)  # creates its constraint
    graph.query("CALL db.awaitIndexes()")

    def write() -> str:
        graph.add_graph_documents(documents, include_source=job.source, baseEntityLabel=True)
        return "added"

    return write


def _document(rows: ChunkRows) -> GraphDocument:
    nodes = {
        name: Node(
            id=name, type=kind, properties={"role": role, "description": description, "evidence": quote(description)}
        )
        for name, kind, role, description in rows.nodes
    }
    relationships = [
        Relationship(
            source=nodes[source],
            target=nodes[target],
            type=kind,
            properties={"description": description, "strength": STRENGTH, "evidence": quote(description)},
        )
        for source, kind, target, description in rows.relationships
    ]
    source = Document(page_content=rows.text, metadata={"id": f"chunk {rows.index}", "index": rows.index})
    return GraphDocument(nodes=list(nodes.values()), relationships=relationships, source=source)


if __name__ == "__main__":
    serve(prepare)
