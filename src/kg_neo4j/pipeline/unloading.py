"""Unload: remove one document and exactly what lost its last support."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from kg_neo4j.errors import SourceNotFound, UsageError
from kg_neo4j.pipeline.deriving import Derivation, derive
from kg_neo4j.pipeline.tally import Tally
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import LoadReport

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kg_neo4j.graph.documents import StoredDocument
    from kg_neo4j.settings import Settings


def unload(source: str, *, settings: Settings, progress: Progress = SILENT) -> LoadReport:
    """Remove one document, named by its source, title, key or id, and exactly what lost its last support.

    Where no document bears the name, all that were loaded from the folder of that name are removed. The documents
    themselves go last: an unload that was stopped is ended by the same command. Raises SourceNotFound where there is no
    such document or folder, UsageError where several documents bear the name.
    """
    from kg_neo4j.extract import schema as schemas
    from kg_neo4j.graph.database import connect
    from kg_neo4j.graph.documents import delete_document, list_documents, withdraw_chunks
    from kg_neo4j.graph.lease import Lease
    from kg_neo4j.graph.settler import settle

    started = time.monotonic()
    tally = Tally()
    with connect(settings, progress) as database:
        stored = list_documents(database, settings.graph)
        found = [each for each in stored if source in (each.id, each.source, each.title, each.key)]
        if len(found) > 1:
            raise UsageError(f"{len(found)} documents are called {source!r}", hint="name one by its id")
        found = found or _of_folder(stored, source.rstrip("/"))
        if not found:
            raise SourceNotFound(
                f"no document {source!r} in graph {settings.graph!r}", hint="`kg documents` lists what is loaded"
            )
        with Lease(database, settings.graph) as lease:
            text = found[0].schema_text
            schema = schemas.parse(text, found[0].schema) if text else schemas.load(found[0].schema)
            tally.documents = len(found)
            tally.chunks = sum(withdraw_chunks(database, lease, settings.graph, each.id) for each in found)
            tally.changes = len(found) + tally.chunks + settle(database, settings.graph, schema, lease, progress)
            communities = derive(Derivation(database, lease, settings, tally, progress, "unload"))
            for each in found:
                delete_document(database, lease, settings.graph, each.id)
        return tally.report(database, settings.graph, communities, time.monotonic() - started)


def _of_folder(stored: Sequence[StoredDocument], folder: str) -> list[StoredDocument]:
    """Return the files that were loaded from a folder, by its name or as it was written then."""
    return [
        each
        for each in stored
        if folder
        and each.kind == "file"
        and (each.key.startswith(f"{folder}/") or each.source.startswith(f"{folder}/"))
    ]
