"""Files and folders become documents, one at a time. What cannot be read is a SkippedSource with its reason."""

from __future__ import annotations

import errno
import os
import re
import stat
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from kg_neo4j.acquire.decoding import check_encoding
from kg_neo4j.acquire.folders import ALL, FilePatterns, FoundFile, find, places_of
from kg_neo4j.acquire.identity import document_id, text_hash
from kg_neo4j.acquire.interface import PLAIN, Attached, ReadOptions
from kg_neo4j.acquire.language import detect, primary
from kg_neo4j.acquire.readers import NO_READER, kind_of, kinds
from kg_neo4j.acquire.sandbox import Sandbox
from kg_neo4j.errors import UnreadableSource, UsageError
from kg_neo4j.records import Document, SkippedSource

_HEAD = 4_096  # bytes; the first line begins with what tells
_EXPORT = re.compile(rb'\{"kind":"node","labels":\["\w+"(?:,"\w+")*\],"properties":\{')
_ARCHIVE = b'{"format":"kg-neo4j archive",'
MAX_ATTACHED = 3  # mails within each other
MAX_BYTES = 64_000_000  # of one file: its text, decoded and normalised, then stays under 1 GB of memory


def read(
    sources: Sequence[str],
    *,
    graph: str,
    alias: str | None = None,
    root: str | None = None,
    known: Mapping[str, str] | None = None,
    chosen: FilePatterns = ALL,
    options: ReadOptions = PLAIN,
) -> Iterator[Document | SkippedSource]:
    """Return the documents of `sources`, files and folders, one at a time; folders in the order of names.

    Read are those of a suffix in `readers.kinds`, of folders those that are `chosen`; a file named itself is tried as
    text whatever its suffix. What is attached to a mail follows it. `alias` names the one source in place of its own
    name. Keys are relative to `root`, and files of the documents in `known` keep theirs: see `folders.places_of` and
    `folders.find`, which also name the errors for sources. Raises UsageError if the language of `options` is not a
    code, or the encoding is unknown.
    """
    check_language(options.language)
    if options.encoding is not None:
        options = replace(options, encoding=check_encoding(options.encoding))
    places = places_of(sources, alias, root)
    return read_found(find(places, alias, known=known, chosen=chosen), graph, options)


def check_language(language: str | None) -> None:
    """Raise UsageError for what is not the code of a language."""
    if language is not None and primary(language) is None:
        raise UsageError(f"{language[:30]!r} is not the code of a language", hint='such as "en", "pl" or "pt-BR"')


def read_found(
    every: Iterator[FoundFile | SkippedSource], graph: str, options: ReadOptions
) -> Iterator[Document | SkippedSource]:
    """Yield the documents of files that were found, as `read`."""
    with Sandbox() as sandbox:
        for file in every:
            if isinstance(file, SkippedSource):
                yield file
                continue
            try:
                yield from documents(file, read_bytes(file.path), graph, sandbox, options)
            except UnreadableSource as refused:
                yield skipped(file, refused)


def skipped(file: FoundFile, refused: UnreadableSource) -> SkippedSource:
    """Return why a file was not read."""
    return SkippedSource(file.source, f"{refused} ({refused.hint})" if refused.hint else str(refused))


def documents(
    file: FoundFile,
    data: bytes,
    graph: str,
    sandbox: Sandbox,
    options: ReadOptions = PLAIN,
    depth: int = 0,
) -> Iterator[Document | SkippedSource]:
    """Yield the document that a file is, then those of what is attached to it. Raises UnreadableSource for the file."""
    document, attached = _parsed(file, data, graph, sandbox, options)
    yield replace(document, title=f"{document.title} ({file.key})") if depth else document
    for name, contents in attached:
        path = file.path / name
        inner = FoundFile(path, f"{file.real_path}/{name}", f"{file.key}/{name}", f"{file.source}/{name}", named=False)
        suffix = path.suffix.lower()
        if suffix not in kinds():
            yield SkippedSource(inner.source, NO_READER, suffix or "-")
        elif depth == MAX_ATTACHED:
            yield SkippedSource(inner.source, f"attached to what is attached, {MAX_ATTACHED} times over")
        else:
            try:
                yield from documents(inner, contents, graph, sandbox, replace(options, encoding=None), depth + 1)
            except UnreadableSource as refused:
                yield skipped(inner, refused)


def parse(file: FoundFile, data: bytes, graph: str, sandbox: Sandbox, options: ReadOptions = PLAIN) -> Document:
    """Return the document that a file with the contents `data` is; what is attached is counted in `left_out`."""
    document, attached = _parsed(file, data, graph, sandbox, options)
    told = f"{len(attached)} attached file{'s'[: len(attached) > 1]} left out" if attached else ""
    return replace(document, left_out="; ".join(filter(None, (document.left_out, told))))


def _parsed(
    file: FoundFile, data: bytes, graph: str, sandbox: Sandbox, options: ReadOptions
) -> tuple[Document, Attached]:
    if holds_graph(data):
        raise UnreadableSource("a graph, not a text", hint=f"`kg import {file.source}` brings it back")
    if not data.strip():
        raise UnreadableSource("empty" if not data else "only white space")
    parsed = sandbox.parse(kind_of(file.path.suffix, data), data, options)
    if not parsed.text.strip():
        raise UnreadableSource("no text", hint=parsed.left_out)
    document = Document(
        id=document_id(graph, "file", file.key),
        graph=graph,
        kind="file",
        key=file.key,
        title=parsed.title or Path(file.key).stem,
        source=file.source,
        text=parsed.text,
        sha256=text_hash(parsed.text),
        sections=parsed.sections,
        pages=parsed.pages,
        language=options.language or detect(parsed.text),
        origin=file.real_path,
        left_out=parsed.left_out,
        author=parsed.author,
        date=parsed.date,
    )
    return document, parsed.attached


def read_bytes(path: Path) -> bytes:
    """Return the contents of a regular file; refuse devices, pipes and what is over the limit. Never waits."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise UnreadableSource("not a regular file (a pipe, a socket or a device)")
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(descriptor, "rb") as stream:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):  # exchanged in between
                raise UnreadableSource("not a regular file (a pipe, a socket or a device)")
            data = stream.read(MAX_BYTES + 1)
            if data is None:  # some files of /proc
                raise BlockingIOError(errno.EAGAIN, "nothing to read yet")
    except OSError as error:
        raise UnreadableSource((error.strerror or str(error)).lower()) from error
    if len(data) > MAX_BYTES:
        raise UnreadableSource(f"larger than {MAX_BYTES:,} bytes", hint="split it into several files")
    return data


def holds_graph(data: bytes) -> bool:
    """Return whether a file with these contents is an archive or an export of a graph, compressed or not."""
    head = data[:_HEAD]
    if head.startswith(b"\x1f\x8b"):
        try:
            head = zlib.decompressobj(wbits=31).decompress(head, _HEAD)
        except zlib.error:
            return False
    return head.startswith(_ARCHIVE) or _EXPORT.match(head) is not None
