"""neo4j-graphrag: Neo4jWriter.run on the same nodes and relationships; with `source` a chunk for each row, too."""

from __future__ import annotations

import asyncio
import resource
from collections.abc import Callable

import neo4j
import table_corpus
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

from writers.frame import Job, serve


def prepare(job: Job) -> Callable[[], str]:
    """Build the graph, connect, and return the write."""
    graph = asyncio.run(_graph(job))
    driver = neo4j.GraphDatabase.driver(job.uri, auth=(job.username, job.password), notifications_min_severity="OFF")
    writer = Neo4jWriter(driver, **({"batch_size": job.batch} if job.batch else {}))
    asyncio.run(writer.run(Neo4jGraph()))  # creates its index
    driver.execute_query("CALL db.awaitIndexes()")

    def write() -> str:
        result = asyncio.run(writer.run(graph))
        peak = f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3:.0f} MB"
        return peak if result.status == "SUCCESS" else result.status

    return write


async def _graph(job: Job) -> Neo4jGraph:
    names = dict(table_corpus.firms(job.chunks))
    rows = list(table_corpus.people(job.chunks))
    chunks = [TextChunk(text=str(vars(each)), index=index, uid=each.id) for index, each in enumerate(rows)]
    builder, graph = LexicalGraphBuilder(), Neo4jGraph()
    if job.source:
        graph = (await builder.run(TextChunks(chunks=chunks), DocumentInfo(path="people.csv"))).graph
    graph.nodes.extend(
        Neo4jNode(id=key, label="ORGANIZATION", properties={"name": name}) for key, name in names.items()
    )
    graph.nodes.extend(Neo4jNode(id=town, label="PLACE", properties={"name": town}) for town in table_corpus.TOWNS)
    for row, chunk in zip(rows, chunks, strict=True):
        own = Neo4jNode(id=row.id + "p", label="PERSON", properties={"name": row.name, "start_date": row.born})
        ends = ((row.firm, "WORKED_FOR", {"start_date": row.since}), (row.town, "LIVED_IN", {}))
        facts = [
            Neo4jRelationship(start_node_id=own.id, end_node_id=end, type=kind, properties=values)
            for end, kind, values in ends
        ]
        part = Neo4jGraph(nodes=[own], relationships=facts)
        if job.source:
            await builder.process_chunk_extracted_entities(part, chunk)
        graph.nodes.extend(part.nodes)
        graph.relationships.extend(part.relationships)
    return graph


if __name__ == "__main__":
    serve(prepare)
