"""neo4j-graphrag: Neo4jWriter.run, once for the document, as its pipeline does.

With `source` the graph has what its pipeline adds by default, made by its own LexicalGraphBuilder: the document, the
chunks in order, and FROM_CHUNK from each node.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import neo4j
from neo4j_graphrag.components.kg_writer import Neo4jWriter
from neo4j_graphrag.components.lexical_graph import LexicalGraphBuilder
from neo4j_graphrag.components.types import (
    DocumentInfo,
    Neo4jGraph,
    Neo4jNode,
    Neo4jRelationship,
    TextChunk,
    TextChunks,
)

from corpus import STRENGTH, ChunkRows, chunk_rows, quote
from writers.frame import Job, serve


def prepare(job: Job) -> Callable[[], str]:
    """Build the graph, connect, and return the write."""
    graph = asyncio.run(_graph(job))
    driver = neo4j.GraphDatabase.driver(job.uri, auth=(job.username, job.password), notifications_min_severity="OFF")
    driver.verify_connectivity()
    writer = Neo4jWriter(driver, **({"batch_size": job.batch} if job.batch else {}))
    asyncio.run(writer.run(Neo4jGraph()))  # creates its index
    driver.execute_query("CALL db.awaitIndexes()")

    def write() -> str:
        result = asyncio.run(writer.run(graph))
        return result.status

    return write


async def _graph(job: Job) -> Neo4jGraph:
    rows = list(chunk_rows(job.chunks))
    builder = LexicalGraphBuilder()
    graph = Neo4jGraph()
    chunks = [TextChunk(text=each.text, index=each.index, uid=f"chunk {each.index}") for each in rows]
    if job.source:
        lexical = await builder.run(TextChunks(chunks=chunks), DocumentInfo(path="bench.txt"))
        graph = lexical.graph
    for each, chunk in zip(rows, chunks, strict=True):
        part = _extracted(each)
        if job.source:
            await builder.process_chunk_extracted_entities(part, chunk)
        graph.nodes.extend(part.nodes)
        graph.relationships.extend(part.relationships)
    return graph


def _extracted(rows: ChunkRows) -> Neo4jGraph:
    nodes = [
        Neo4jNode(
            id=name,
            label=kind,
            properties={"name": name, "role": role, "description": description, "evidence": quote(description)},
        )
        for name, kind, role, description in rows.nodes
    ]
    relationships = [
        Neo4jRelationship(
            start_node_id=source,
            end_node_id=target,
            type=kind,
            properties={"description": description, "strength": STRENGTH, "evidence": quote(description)},
        )
        for source, kind, target, description in rows.relationships
    ]
    return Neo4jGraph(nodes=nodes, relationships=relationships)


if __name__ == "__main__":
    serve(prepare)
