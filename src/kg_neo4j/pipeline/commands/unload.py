"""Unload: remove one document and exactly what lost its last support."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from kg_neo4j.errors import SourceNotFound, UsageError
from kg_neo4j.pipeline.derivation import Derivation, derive
from kg_neo4j.pipeline.tally import Tally
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import LoadReport

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kg_neo4j.graph.documents import StoredDocument
    from kg_neo4j.settings import Settings


def unload(
    source: str, *, root: str | None = None, settings: Settings | None = None, progress: Progress = SILENT
) -> LoadReport:
    """Remove one document, or those of a folder, and exactly what lost its last support.

    `source` is a document's source, title, key or id, or the path of its file, which need not be there any more. If it
    is none of these, it is a folder: all documents that were read from it are removed. If none was, those whose keys
    are below it, relative to `root` as in `load`. The documents themselves go last: an unload that was stopped is
    ended by the same command. Raises SourceNotFound if there is no such document or folder, UsageError if several
    documents have the name, and for `root` as `load`.
    """
    from kg_neo4j.extract import schema as schemas
    from kg_neo4j.graph.connection import connect
    from kg_neo4j.graph.documents import delete_document, list_documents, withdraw_chunks
    from kg_neo4j.graph.lease import Lease
    from kg_neo4j.graph.settler import settle
    from kg_neo4j.settings import Settings

    settings = settings or Settings()
    started = time.monotonic()
    tally = Tally()
    with connect(settings, progress, to_write=True) as database:
        stored = list_documents(database, settings.graph)
        found = _named(stored, source, root)
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
                delete_document(lease, settings.graph, each.id)
        return tally.report(database, settings.graph, communities, time.monotonic() - started)


def _named(stored: Sequence[StoredDocument], source: str, root: str | None) -> list[StoredDocument]:
    """Return the document that `source` names, else those of the folder that it names."""
    from kg_neo4j.acquire.folders import LoadedFolder, real_path
    from kg_neo4j.acquire.identity import origin_id

    name = source.rstrip("/")
    if not name.strip() or "\0" in name:
        return []
    origin = origin_id(real_path(name))
    found = [each for each in stored if each.origin == origin or source in (each.id, each.source, each.title, each.key)]
    if len(found) > 1:
        raise UsageError(f"{len(found)} documents are called {source!r}", hint="name one by its id")
    if found:
        return found
    folder = LoadedFolder(name, root=root)
    files = [each for each in stored if each.kind == "file"]
    key = folder.place.key
    begins = tuple(f"{each}/" for each in (key, name) if each)
    return (
        [each for each in files if each.key == key]
        or [each for each in files if folder.find(each.origin, each.key, each.source) is not None]
        or [each for each in files if each.key.startswith(begins) or each.source.startswith(f"{name}/")]
    )
