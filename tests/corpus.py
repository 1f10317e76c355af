"""Documents, chunks and extractions made for tests: real records, without a model; and how one is recorded."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import (
    CutDocument,
    LoadConfiguration,
    RecordedDocument,
    delete_document,
    record_documents,
    withdraw_chunks,
)
from kg_neo4j.graph.lease import Lease
from kg_neo4j.records import (
    Chunk,
    ChunkOutcome,
    Document,
    Extraction,
    ModelAnswer,
    NodeRow,
    Rejection,
    RelationshipRow,
)

Fact = tuple[str, str, str]  # source name, type, target name; names may carry a type: "Kraków::PLACE"


def document(graph: str, name: str, paragraphs: list[str]) -> tuple[Document, tuple[Chunk, ...]]:
    """Return a document of one chunk a paragraph."""
    text = "\n\n".join(paragraphs)
    document_id = hash_id("document", graph, "file", name)
    chunks, start = [], 0
    for index, paragraph in enumerate(paragraphs):
        repeats = paragraphs[:index].count(paragraph)
        chunk_id = hash_id("chunk", document_id, paragraph, str(repeats))
        end = start + len(paragraph)
        chunks.append(Chunk(chunk_id, document_id, graph, index, paragraph, len(paragraph.split()), start, end))
        start = end + 2
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    return Document(document_id, graph, "file", name, name, name, text, sha256), tuple(chunks)


def extraction(chunk: Chunk, facts: list[Fact], *, config_hash: str = "c0", rejected: int = 0) -> Extraction:
    """Return the extraction of one chunk that states `facts`.

    A fact ("x", "", "") is a node alone; one whose type ends in "?" is only likely.
    """
    ids: dict[str, str] = {}
    for source, fact_type, target in facts:
        for name in (source, target) if fact_type else (source,):
            ids.setdefault(name, f"n{len(ids) + 1}")
    nodes = tuple(_node(line + 2, local, name, chunk) for line, (name, local) in enumerate(ids.items()))
    relationships = tuple(
        RelationshipRow(
            line=index + 50,
            relationship_id=f"r{index + 1}",
            source_id=ids[source],
            type=fact_type.rstrip("?"),
            original_type=fact_type.lower(),
            target_id=ids[target],
            properties={"description": f"{source} {fact_type} {target}.", "strength": 5.0},
            evidence=chunk.text[:20],
            stated=not fact_type.endswith("?"),
        )
        for index, (source, fact_type, target) in enumerate(facts)
        if fact_type
    )
    rejections = tuple(Rejection(90 + n, "x,y", _reason()) for n in range(rejected))
    answer = ModelAnswer("node_id,...", "test", "p0", "stop")
    return Extraction(
        chunk,
        (answer,),
        nodes,
        relationships,
        rejections,
        len(nodes) + len(relationships) + rejected,
        ChunkOutcome.DONE,
        config_hash,
    )


def record_document(
    database: Database, lease: Lease, source: Document, chunks: Sequence[Chunk], configuration: LoadConfiguration
) -> RecordedDocument:
    """Record one document alone."""
    ((recorded,),) = record_documents(database, lease, [CutDocument(source, tuple(chunks), configuration)])
    return recorded


def _node(line: int, local: str, name: str, chunk: Chunk) -> NodeRow:
    label, _, node_type = name.partition("::")
    return NodeRow(
        line=line,
        node_id=local,
        type=node_type or "PERSON",
        original_type=(node_type or "PERSON").lower(),
        name=label,
        properties={"role": f"role in {chunk.text[:12]}", "birth_year": 1900 + len(label)},
        evidence=label,
    )


def _reason():  # type: ignore[no-untyped-def]
    from kg_neo4j.records import RejectionReason

    return RejectionReason.COLUMN_COUNT


def withdraw_document(database: Database, lease: Lease, graph: str, document_id: str) -> None:
    """Delete a document, its chunks and their evidence; settle afterwards."""
    withdraw_chunks(database, lease, graph, document_id)
    delete_document(lease, graph, document_id)
