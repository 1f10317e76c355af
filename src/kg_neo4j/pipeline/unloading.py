"""Unload: remove one document and exactly what lost its last support."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from kg_neo4j.errors import SourceNotFound, UsageError
from kg_neo4j.pipeline.describing import describe
from kg_neo4j.pipeline.tally import Tally
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import LoadReport

if TYPE_CHECKING:
    from kg_neo4j.settings import Settings


def unload(source: str, *, settings: Settings, progress: Progress = SILENT) -> LoadReport:
    """Remove one document, named by its source, title, key or id, and exactly what lost its last support.

    The document itself goes last: an unload that was stopped is ended by the same command. Raises SourceNotFound where
    no document, UsageError where several documents bear that name.
    """
    from kg_neo4j import _models
    from kg_neo4j._models import tokens
    from kg_neo4j.extract import schema as schemas
    from kg_neo4j.graph.database import connect
    from kg_neo4j.graph.documents import delete_document, list_documents, withdraw_chunks
    from kg_neo4j.graph.lease import Lease
    from kg_neo4j.graph.settler import settle
    from kg_neo4j.organise import analytics, vectors

    started = time.monotonic()
    tally = Tally()
    with connect(settings, progress) as database:
        stored = list_documents(database, settings.graph)
        found = [each for each in stored if source in (each.id, each.source, each.title, each.key)]
        if not found:
            raise SourceNotFound(
                f"no document {source!r} in graph {settings.graph!r}", hint="`kg documents` lists what is loaded"
            )
        if len(found) > 1:
            raise UsageError(f"{len(found)} documents are called {source!r}", hint="name one by its id")
        with Lease(database, settings.graph) as lease:
            text = found[0].schema_text
            schema = schemas.parse(text, found[0].schema) if text else schemas.load(found[0].schema)
            tally.documents = 1
            tally.chunks = withdraw_chunks(database, lease, settings.graph, found[0].id)
            tally.changes = 1 + tally.chunks + settle(database, settings.graph, schema, lease, progress)
            describe(database, lease, settings, tally, progress)
            embedder = _models.embedding_model(settings)
            vectors.embed(database, settings.graph, embedder, tokens.load(), progress)
            analysed = analytics.refresh(database, settings.graph, progress, lease=lease)
            tally.changes += analysed.changes
            delete_document(database, lease, settings.graph, found[0].id)
        return tally.report(database, settings.graph, analysed.communities, time.monotonic() - started)
