"""Rebuild: drop everything that comes from answers, and replay the answers. No model is called, nothing is paid."""

from __future__ import annotations

import time
from collections.abc import Iterator

from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import StoredDocument, list_documents, withdraw_evidence
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.recorder import Recorder
from kg_neo4j.graph.replay import replay, schema_of, stored_chunks
from kg_neo4j.graph.settler import settle
from kg_neo4j.pipeline.commands.load import batches
from kg_neo4j.pipeline.derivation import Derivation, derive
from kg_neo4j.pipeline.tally import Tally
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Document, Extraction, LoadReport
from kg_neo4j.settings import Settings


def rebuild(*, settings: Settings, progress: Progress = SILENT) -> LoadReport:
    """Make the graph again from its documents, stored answers and decisions; the sorted export stays the same.

    Repairs a graph whose entities, facts or evidence were changed by hand. The next `kg load` or `kg rebuild` continues
    a rebuild that was killed. Chunks without an answer stay as they are; the next load asks about them.
    """
    started = time.monotonic()
    tally = Tally()
    with connect(settings, progress, to_write=True) as database:
        with Lease(database, settings.graph) as lease:
            stored = list_documents(database, settings.graph)
            progress.start("extract", sum(document.chunks for document in stored))
            for document in stored:
                tally.documents += 1
                tally.chunks += document.chunks
                chunks = stored_chunks(database, settings.graph, document.id)
                withdraw_evidence(lease, [chunk.id for chunk in chunks])
                recorder = Recorder(database, settings.graph, schema_of(document), lease)
                replayed = _replayed(database, settings.graph, document, tally, progress)
                tally.changes += sum(recorder.record_all(batches(replayed)))
            progress.finish("extract")
            if stored:
                tally.changes += settle(database, settings.graph, schema_of(stored[0]), lease, progress)
            communities = derive(Derivation(database, lease, settings, tally, progress, "rebuild"))
        return tally.report(database, settings.graph, communities, time.monotonic() - started)


def _replayed(
    database: Database, graph: str, stored: StoredDocument, tally: Tally, progress: Progress
) -> Iterator[Extraction]:

    document = Document(stored.id, graph, stored.kind, stored.key, stored.title, stored.source, "", "")
    for extraction in replay(database, graph, stored):
        tally.count(document, extraction)
        progress.advance("extract")
        yield extraction
