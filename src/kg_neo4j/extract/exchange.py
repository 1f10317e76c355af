"""Extractions as files of some documents each, written whole or not at all.

A file holds for each document one line with the document (without its text) and the configuration that it was
extracted under, then one line for each `Extraction`, self-contained. The last line sums up the file and has a hash of
the lines before it. What one machine extracts, another one loads.
"""

from __future__ import annotations

import glob
import hashlib
import json
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeVar, cast

from kg_neo4j.errors import UnreadableSource, UsageError, cannot_write
from kg_neo4j.records import EXTRACTION_VERSION, Document, Extraction

if TYPE_CHECKING:
    from pydantic import TypeAdapter

SUFFIX = ".extraction.jsonl"
_AGAIN = "remove it, and run `kg extract` again"
_TAIL = 1_000_000  # bytes; longer than any last line

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ExtractedDocument:
    """The line of a document."""

    document: Document  # its text is left out; `sha256` is of it
    configuration: Mapping[str, str | bool | None]  # the fields of graph.documents.LoadConfiguration
    chunks: int  # lines of extractions that follow
    version: int = EXTRACTION_VERSION


@dataclass(frozen=True, slots=True)
class FileSummary:
    """The last line of a file."""

    documents: int
    chunks: int
    unfinished: int  # documents that could not be read, and chunks without a usable answer


Extracted = tuple[ExtractedDocument, Sequence[Extraction]]


def file_of(folder: Path, name: str) -> Path:
    """Return the position of the file `name` in `folder`."""
    return folder / f"{name}{SUFFIX}"


def files_in(source: Path) -> list[Path]:
    """Return the files of extractions that `source`, a file or a folder, holds itself, by name."""
    if source.is_dir():
        return sorted(path for path in source.iterdir() if path.name.endswith(SUFFIX))
    return [source] if source.name.endswith(SUFFIX) else []


def write(folder: Path, name: str, found: Iterable[Extracted], *, unfinished: int = 0) -> bool:
    """Write documents with their extractions as the file `name` and say whether that changed it.

    An existing file is replaced when the new one is complete. Raises FolderFull or UsageError where that fails; nothing
    is left of the new file then. What a killed writer left of the same file is removed.
    """
    target = file_of(folder, name)
    partial = folder / f".{target.name}.{secrets.token_hex(4)}.partial"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for former in folder.glob(f".{glob.escape(target.name)}.*.partial"):
            former.unlink(missing_ok=True)
        try:
            with partial.open("wb") as out:
                _write_lines(out, found, unfinished)
                out.flush()
                os.fsync(out.fileno())
            if target.exists() and target.read_bytes() == partial.read_bytes():
                return False
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)
    except OSError as error:
        raise cannot_write(folder, error) from error
    return True


def _write_lines(out: IO[bytes], found: Iterable[Extracted], unfinished: int) -> None:
    digest = hashlib.sha256()
    documents = chunks = 0
    for header, extractions in found:
        for line in _lines(header, extractions):
            digest.update(line)
            out.write(line)
        documents += 1
        chunks += header.chunks
    said = {**asdict(FileSummary(documents, chunks, unfinished)), "sha256": digest.hexdigest()}
    out.write(json.dumps(said).encode() + b"\n")


def read(path: Path) -> Iterator[tuple[ExtractedDocument, tuple[Extraction, ...]]]:
    """Yield the documents of a file. Raises UnreadableSource for a torn, changed or foreign file."""
    for header, lines in _blocks(path):
        yield header, tuple(_parsed(path, Extraction, line) for line in lines)


def documents(path: Path) -> Iterator[ExtractedDocument]:
    """Yield the documents of a file without their extractions. Raises what `read` raises."""
    yield from (header for header, _ in _blocks(path))


def refuse_other_graph(path: Path, document: Document, graph: str) -> None:
    """Raise UsageError where a file holds a document of another graph than `graph`."""
    if document.graph != graph:
        raise UsageError(
            f"{path} was extracted for the graph {document.graph!r}, this load is into {graph!r}",
            hint=f"load it with --graph {document.graph}, or extract it with --graph {graph}",
        )


def _blocks(path: Path) -> Iterator[tuple[ExtractedDocument, list[bytes]]]:
    body = _checked_lines(path)
    while body:
        header = _parsed(path, ExtractedDocument, body[0])
        if header.version != EXTRACTION_VERSION:
            raise UnreadableSource(
                f"{path} has version {header.version} of the format, this is {EXTRACTION_VERSION}", hint=_AGAIN
            )
        end = 1 + header.chunks
        yield header, body[1:end]
        del body[:end]


def _parsed(path: Path, kind: type[T], line: bytes) -> T:
    from pydantic import ValidationError

    try:
        return cast("T", _adapter(kind).validate_json(line))  # type: ignore[arg-type]
    except ValidationError as error:
        raise UnreadableSource(f"{path}: {error.errors()[0]['msg']}", hint=_AGAIN) from error


def summary(path: Path) -> FileSummary | None:
    """Return what the last line of a file says; None where there is none, or it is torn.

    Whether the file is whole is not checked: it was written whole, and a load checks it.
    """
    try:
        with path.open("rb") as stream:
            stream.seek(max(0, stream.seek(0, os.SEEK_END) - _TAIL))
            last = stream.read().rstrip(b"\n").rpartition(b"\n")[2]
        said = json.loads(last)
        return FileSummary(int(said["documents"]), int(said["chunks"]), int(said["unfinished"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _checked_lines(path: Path) -> list[bytes]:
    """Return all lines of a file but the last one, which confirms them."""
    try:
        lines = path.read_bytes().splitlines(keepends=True)
    except OSError as error:
        raise UnreadableSource(f"{path}: {error.strerror}") from error
    body, end = lines[:-1], b"".join(lines[-1:])
    digest = hashlib.sha256(b"".join(body)).hexdigest()
    if not body or not end.endswith(b'"%s"}\n' % digest.encode()):
        raise UnreadableSource(f"{path} is not whole, or was changed", hint=_AGAIN)
    return body


def _lines(header: ExtractedDocument, extractions: Iterable[Extraction]) -> Iterator[bytes]:
    plain = replace(header, document=replace(header.document, text="", sections=()))
    yield _adapter(ExtractedDocument).dump_json(plain, exclude={"document": {"left_out"}}) + b"\n"
    for extraction in extractions:
        yield _adapter(Extraction).dump_json(extraction) + b"\n"


@cache
def _adapter(kind: type) -> TypeAdapter:  # type: ignore[type-arg]
    from pydantic import TypeAdapter

    return TypeAdapter(kind)
