"""Record files of extractions that `extract` wrote."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kg_neo4j.errors import UsageError
from kg_neo4j.records import Document, Extraction

if TYPE_CHECKING:
    from kg_neo4j.extract.exchange import ExtractedDocument
    from kg_neo4j.graph.database import Database
    from kg_neo4j.graph.documents import CutDocument, LoadConfiguration
    from kg_neo4j.graph.lease import Lease


def recorded_files(
    database: Database, lease: Lease, files: Sequence[Path], graph: str, configuration: LoadConfiguration
) -> Iterator[tuple[Document, tuple[Extraction, ...], int, int]]:
    """Record the documents that files of extractions hold; yield each with the extractions that are not recorded yet.

    The two numbers are its chunks, and the changes that recording them made. Raises UsageError for files of another
    graph or schema, and for a document that the graph has under another key.
    """
    from kg_neo4j.graph.documents import record_documents

    waiting: deque[tuple[Extraction, ...]] = deque()  # of documents that are read and not recorded
    for group in record_documents(database, lease, _of_files(database, files, graph, configuration, waiting)):
        for recorded in group:
            pending = {chunk.id for chunk in recorded.pending}
            found = tuple(each for each in waiting.popleft() if each.chunk.id in pending)
            yield recorded.document, found, len(recorded.chunks), recorded.changes


def _of_files(
    database: Database,
    files: Sequence[Path],
    graph: str,
    configuration: LoadConfiguration,
    waiting: deque[tuple[Extraction, ...]],
) -> Iterator[CutDocument]:
    """Yield the documents of files of extractions, and add the extractions of each to `waiting`."""
    from kg_neo4j.extract.exchange import refuse_other_graph
    from kg_neo4j.graph.documents import CutDocument, LoadConfiguration, file_keys

    known = file_keys(database, graph) if files else {}
    keys = {origin: key for key, origin in reversed(known.items())}
    for path, header, extractions in _each_once(files):
        document = header.document
        refuse_other_graph(path, document, graph)
        stored = LoadConfiguration(**{**header.configuration, "rebuild": configuration.rebuild})  # type: ignore[arg-type]
        if stored.schema_hash != configuration.schema_hash:
            raise UsageError(
                f"{path} was extracted with the schema {stored.schema!r}", hint=f"pass --schema {stored.schema}"
            )
        if document.key not in known:
            _check_key(path, document, keys)
        waiting.append(extractions)
        yield CutDocument(document, tuple(each.chunk for each in extractions), stored)


def _each_once(files: Sequence[Path]) -> Iterator[tuple[Path, ExtractedDocument, tuple[Extraction, ...]]]:
    """Yield the documents of files. Raises UsageError where two files differ about one document."""
    from kg_neo4j.extract import exchange

    seen: dict[str, tuple[Path, str]] = {}  # document -> its file, and a hash of its text and configuration
    for path in files:
        for header, extractions in exchange.read(path):
            document = header.document
            said = f"{document.sha256} {header.configuration.get('config_hash')}"
            first, before = seen.setdefault(document.id, (path, said))
            if before != said:
                raise UsageError(
                    f"{first} and {path} have different extractions of {document.key!r}",
                    hint="run the last `kg extract` again: it removes what is out of date",
                )
            if first == path:
                yield path, header, extractions


def _check_key(path: Path, document: Document, keys: Mapping[str, str]) -> None:
    """Refuse a file that the graph has under another key: it would be in the graph twice. `keys` are by origin."""
    from kg_neo4j.acquire.identity import origin_id

    if document.origin is not None and (stored := keys.get(origin_id(document.origin))) is not None:
        raise UsageError(
            f"{path}: {document.origin} was extracted under the key {document.key!r}; the graph {document.graph!r} has "
            f"it under the key {stored!r}",
            hint=f"load {document.origin} itself, or extract it with the --root DIR or --as NAME that gives this key",
        )
