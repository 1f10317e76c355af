"""kg-neo4j: document and chunks, the recorder in the pipeline's batches, then settle; with evidence, facts and answers.

A second run on the same graph asks the writer for everything again: nothing is skipped before the recorder. With the
schema `lean` (ours_lean) rows have no description: each names its sentence, whose words are the quote.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence

from corpus import STRENGTH, ChunkRows, chunk_rows, quote
from kg_neo4j.extract import schema
from kg_neo4j.graph import constraints, documents, settler
from kg_neo4j.graph.database import Database, DatabaseAddress
from kg_neo4j.graph.identity import hash_id
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.recorder import Recorder
from kg_neo4j.pipeline.run import BATCH_ROWS
from kg_neo4j.records import (
    Chunk,
    ChunkOutcome,
    Document,
    Extraction,
    ModelAnswer,
    NodeRow,
    RelationshipRow,
    Span,
)
from writers.frame import Job, serve

GRAPH = "bench"
CONFIGURATION = "bench"


def prepare(job: Job, name: str = "described") -> Callable[[], str]:
    """Build the extractions, connect, and return the write."""
    document = Document(hash_id("d", GRAPH), GRAPH, "file", "bench.txt", "bench", "bench.txt", "", "0")
    extractions = [_extraction(document.id, rows, name) for rows in chunk_rows(job.chunks)]
    columns = schema.load(name)
    configuration = documents.LoadConfiguration(CONFIGURATION, name, columns.hash, "bench")
    cut = documents.CutDocument(document, tuple(extraction.chunk for extraction in extractions), configuration)
    database = Database(DatabaseAddress(job.uri, job.username, job.password))
    database.verify()
    constraints.ensure_constraints(database)

    def write() -> str:
        with Lease(database, GRAPH) as lease:
            list(documents.record_documents(database, lease, [cut]))
            recorder = Recorder(database, GRAPH, columns, lease)
            recorded = sum(recorder.record_all(_batches(extractions, job.batch or BATCH_ROWS)))
            settled = settler.settle(database, GRAPH, columns, lease)
        return f"{recorded + settled} changes"

    return write


def _batches(extractions: Sequence[Extraction], size: int) -> Iterator[list[Extraction]]:
    batch: list[Extraction] = []
    for extraction in extractions:
        batch.append(extraction)
        if sum(each.rows_read for each in batch) >= size:
            yield batch
            batch = []
    if batch:
        yield batch


def _extraction(document_id: str, rows: ChunkRows, schema_name: str) -> Extraction:
    is_lean = schema_name == "lean"
    chunk_id = hash_id("c", document_id, str(rows.index))
    chunk = Chunk(chunk_id, document_id, GRAPH, rows.index, rows.text, len(rows.text) // 4, 0, len(rows.text))
    ids = {name: f"n{number}" for number, (name, *_) in enumerate(rows.nodes)}
    nodes = tuple(
        NodeRow(
            line,
            ids[name],
            node_type,
            node_type,
            name,
            {"role": role} if is_lean else {"role": role, "description": description},
            description if is_lean else quote(description),
            _sentence(rows.text, description) if is_lean else _span(rows.text, description),
        )
        for line, (name, node_type, role, description) in enumerate(rows.nodes, start=2)
    )
    relationships = tuple(
        RelationshipRow(
            line,
            f"r{line}",
            ids[source],
            kind,
            kind,
            ids[target],
            {} if is_lean else {"description": description, "strength": STRENGTH},
            description if is_lean else quote(description),
            _sentence(rows.text, description) if is_lean else _span(rows.text, description),
        )
        for line, (source, kind, target, description) in enumerate(rows.relationships, start=len(nodes) + 3)
    )
    text = _lean_answer(rows, nodes, relationships) if is_lean else _answer(nodes, relationships)
    answer = ModelAnswer(text, "bench", "0", "stop")
    return Extraction(
        chunk,
        (answer,),
        nodes,
        relationships,
        (),
        len(nodes) + len(relationships),
        ChunkOutcome.DONE,
        CONFIGURATION,
    )


def _span(text: str, description: str) -> Span:
    words = quote(description)
    start = text.index(words)
    return Span(start, start + len(words), "exact")


def _sentence(text: str, description: str) -> Span:
    start = text.index(description)
    return Span(start, start + len(description), "sentences")


def _lean_answer(rows: ChunkRows, nodes: Sequence[NodeRow], relationships: Sequence[RelationshipRow]) -> str:
    """Return the CSV with numbers of sentences; a text has each description once, in this order."""
    described = (row[3] for row in (*rows.nodes, *rows.relationships))
    numbers = {sentence: number for number, sentence in enumerate(dict.fromkeys(described), 1)}
    text = io.StringIO()
    table = csv.writer(text)
    lean = schema.load("lean")
    table.writerow(lean.node_header)
    table.writerows(
        [numbers[row.evidence or ""], row.node_id, row.type, row.name, "", "", row.properties["role"], "", ""]
        for row in nodes
    )
    table.writerow(lean.relationship_header)
    table.writerows(
        [numbers[row.evidence or ""], row.source_id, row.type, row.target_id, "", "", ""] for row in relationships
    )
    return text.getvalue()


def _answer(nodes: Sequence[NodeRow], relationships: Sequence[RelationshipRow]) -> str:
    """Return the CSV that a model would have written: the graph keeps answers word for word."""
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(["node_id", "node_type", "name", "role", "description", "evidence"])
    table.writerows([row.node_id, row.type, row.name, *row.properties.values(), row.evidence] for row in nodes)
    table.writerow(["relationship_id", "node_id_1", "type", "node_id_2", "description", "strength", "evidence"])
    table.writerows(
        [row.relationship_id, row.source_id, row.type, row.target_id, *row.properties.values(), row.evidence]
        for row in relationships
    )
    return text.getvalue()


if __name__ == "__main__":
    serve(prepare)
