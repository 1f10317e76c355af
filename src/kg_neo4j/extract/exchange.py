"""Extractions as files: one JSON-lines file a document, written whole or not at all.

The first line holds the document (without its text) and the configuration that it was extracted under; every further
line is one `Extraction`, self-contained. What one machine extracts, another one loads; an engine that distributes the
work needs nothing else.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from kg_neo4j.errors import UnreadableSource
from kg_neo4j.records import EXTRACTION_VERSION, Document, Extraction

if TYPE_CHECKING:
    from pydantic import TypeAdapter

SUFFIX = ".extraction.jsonl"


@dataclass(frozen=True, slots=True)
class ExtractedDocument:
    """The first line of a file."""

    document: Document  # its text is left out; `sha256` is of it
    configuration: Mapping[str, str | bool | None]  # the fields of graph.documents.LoadConfiguration
    chunks: int
    version: int = EXTRACTION_VERSION


def file_of(folder: Path, document: Document) -> Path:
    """Return where the extractions of a document stand in `folder`."""
    return folder / f"{document.id}{SUFFIX}"


def files_in(source: Path) -> list[Path]:
    """Return the files of extractions that `source`, a file or a folder, holds itself, by name."""
    if source.is_dir():
        return sorted(path for path in source.iterdir() if path.name.endswith(SUFFIX))
    return [source] if source.name.endswith(SUFFIX) else []


def write(folder: Path, header: ExtractedDocument, extractions: Iterable[Extraction]) -> bool:
    """Write the extractions of one document and say whether that changed its file.

    An existing file is replaced when the new one is complete.
    """
    target = file_of(folder, header.document)
    folder.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    with partial.open("wb") as out:
        digest = hashlib.sha256()
        for line in _lines(header, extractions):
            digest.update(line)
            out.write(line)
        out.write(b'{"sha256":"%s"}\n' % digest.hexdigest().encode())
        out.flush()
        os.fsync(out.fileno())
    if target.exists() and target.read_bytes() == partial.read_bytes():
        partial.unlink()
        return False
    partial.replace(target)
    return True


def read(path: Path) -> tuple[ExtractedDocument, tuple[Extraction, ...]]:
    """Return what a file holds. Raises UnreadableSource for a torn, changed or foreign file."""
    from pydantic import ValidationError

    try:
        lines = path.read_bytes().splitlines(keepends=True)
    except OSError as error:
        raise UnreadableSource(f"{path}: {error.strerror}") from error
    body, end = lines[:-1], lines[-1:]
    digest = hashlib.sha256(b"".join(body)).hexdigest()
    if not body or end != [b'{"sha256":"%s"}\n' % digest.encode()]:
        raise UnreadableSource(f"{path} is not whole, or was changed", hint="write it again with `kg extract`")
    try:
        header = _adapter(ExtractedDocument).validate_json(body[0])
        extractions = tuple(_adapter(Extraction).validate_json(line) for line in body[1:])
    except ValidationError as error:
        raise UnreadableSource(
            f"{path}: {error.errors()[0]['msg']}", hint="write it again with `kg extract`"
        ) from error
    if header.version != EXTRACTION_VERSION:
        raise UnreadableSource(
            f"{path} has version {header.version} of the format, this is {EXTRACTION_VERSION}",
            hint="write it again with `kg extract`",
        )
    return header, extractions


def _lines(header: ExtractedDocument, extractions: Iterable[Extraction]) -> Iterator[bytes]:
    plain = replace(header, document=replace(header.document, text="", sections=()))
    yield _adapter(ExtractedDocument).dump_json(plain, exclude={"document": {"left_out"}}) + b"\n"
    for extraction in extractions:
        yield _adapter(Extraction).dump_json(extraction) + b"\n"


@cache
def _adapter(kind: type) -> TypeAdapter:  # type: ignore[type-arg]
    from pydantic import TypeAdapter

    return TypeAdapter(kind)
