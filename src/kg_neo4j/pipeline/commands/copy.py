"""Copy a graph under another name: its documents, and what their stored answers give."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from kg_neo4j import factory
from kg_neo4j.acquire.identity import chunk_id, document_id, text_hash
from kg_neo4j.errors import UsageError
from kg_neo4j.graph import queries
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import CutDocument, LoadConfiguration, StoredDocument, list_documents, record_documents
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.queries import Query
from kg_neo4j.graph.recorder import Recorder
from kg_neo4j.graph.replay import replay, schema_of, stored_chunks
from kg_neo4j.graph.settler import settle
from kg_neo4j.pipeline.commands.load import batches
from kg_neo4j.pipeline.derivation import Derivation, derive
from kg_neo4j.pipeline.tally import Tally
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Chunk, Document, Extraction, LoadReport
from kg_neo4j.settings import Settings

LONGEST_NAME = 200  # of a graph, as KG_GRAPH


def copy_graph(target: str, *, settings: Settings, progress: Progress = SILENT) -> LoadReport:
    """Copy the graph of the settings to the graph `target`; the stored answers are replayed, and no model is called.

    A copy that was stopped continues when it is repeated. Decisions of a person, trees and community reports are not
    copied. Raises UsageError where the graph is empty, or `target` holds a document that it does not.
    """
    started, tally = time.monotonic(), Tally()
    own = settings.model_copy(update={"graph": target})
    with connect(own, progress, to_write=True) as database:
        stored = list_documents(database, settings.graph)
        _check(stored, list_documents(database, target), settings.graph, target)
        with Lease(database, settings.graph), Lease(database, target) as lease:
            progress.start("extract", sum(document.chunks for document in stored))
            for each in stored:
                copied, properties = _copied(database, each, settings.graph, target)
                for group in record_documents(database, lease, [copied]):
                    tally.changes += sum(recorded.changes for recorded in group)
                lease.write(_query("merge_documents"), rows=[{"id": copied.document.id, "properties": properties}])
                tally.documents += 1
                tally.chunks += len(copied.chunks)
                recorder = Recorder(database, target, schema_of(each), lease)
                replayed = _replayed(database, settings.graph, each, copied, (tally, progress))
                tally.changes += sum(recorder.record_all(batches(replayed)))
            progress.finish("extract")
            tally.changes += settle(database, target, schema_of(stored[0]), lease, progress)
            is_free = factory.embeds_built_in(own)
            if not is_free:
                tally.notes.append(f"no vectors were made, which are paid for: `kg load --graph {target}` makes them")
            work = Derivation(database, lease, own, tally, progress, "rebuild")
            communities = derive(work, embed=is_free)
        return tally.report(database, target, communities, time.monotonic() - started)


def _check(stored: tuple[StoredDocument, ...], there: tuple[StoredDocument, ...], graph: str, target: str) -> None:
    if not 1 <= len(target) <= LONGEST_NAME:
        raise UsageError(f"the name of a graph has 1 to {LONGEST_NAME} characters")
    if graph == target:
        raise UsageError(f"graph {graph!r} cannot be copied to itself")
    if not stored:
        raise UsageError(f"graph {graph!r} is empty", hint="`kg graphs list` lists the graphs")
    known = {document.key for document in stored}
    if other := next((document.key for document in there if document.key not in known), None):
        raise UsageError(
            f"graph {target!r} holds {other!r}, which graph {graph!r} does not", hint="choose a name that is not used"
        )


def _copied(database: Database, stored: StoredDocument, graph: str, target: str) -> tuple[CutDocument, dict[str, Any]]:
    """Return a document with its chunks as the other graph has them, and all its properties."""
    found = database.read(_query("document_states"), graph=graph, ids=[stored.id])[0]["document"]
    properties = {**found, "id": document_id(target, stored.kind, stored.key), "graph": target}
    fields: dict[str, Any] = {
        **{name: properties[name] for name in ("id", "graph", "kind", "key", "title", "source", "sha256")},
        **{name: properties.get(name) for name in ("url", "language", "page_id", "revision", "licence")},
        **{name: tuple(properties.get(name) or ()) for name in ("pages", "redirects", "links")},
    }
    document = Document(**fields, text="")
    names = ("config_hash", "schema", "schema_hash", "tokeniser", "schema_text", "options", "answers_hash")
    configured: dict[str, Any] = {name: properties.get(name) for name in names}
    chunks = tuple(_chunks(database, graph, stored, document))
    return CutDocument(document, chunks, LoadConfiguration(**configured)), properties


def _chunks(database: Database, graph: str, stored: StoredDocument, copied: Document) -> Iterator[Chunk]:
    """Yield the chunks of a document as its copy has them."""
    seen: Counter[str] = Counter()
    for chunk in stored_chunks(database, graph, stored.id):
        digest = text_hash(chunk.text)
        id_ = chunk_id(copied.id, digest, seen[digest])
        seen[digest] += 1
        yield replace(chunk, id=id_, document_id=copied.id, graph=copied.graph)


def _replayed(
    database: Database, graph: str, stored: StoredDocument, copied: CutDocument, work: tuple[Tally, Progress]
) -> Iterator[Extraction]:
    """Yield what the stored answers say of the copied chunks."""
    tally, progress = work
    chunks = zip(stored_chunks(database, graph, stored.id), copied.chunks, strict=True)
    for extraction in replay(database, graph, stored, copies={chunk.id: copy for chunk, copy in chunks}):
        tally.count(copied.document, extraction)
        progress.advance("extract")
        yield extraction


def _query(name: str) -> Query:

    return queries.get(f"write/{name}")
