"""A manifest: key, address, size and hash of each document, one JSON object a line. It fixes what a run reads.

The key is what gives a document its id. So any range of the lines, on any machine, gives the documents that the whole
folder would have given. Addresses are absolute paths, or URLs of objects in a store that fsspec knows.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kg_neo4j.acquire import files
from kg_neo4j.acquire.folders import ALL, FilePatterns, FoundFile, find, places_of, printable, real_path
from kg_neo4j.acquire.interface import PLAIN, ReadOptions
from kg_neo4j.errors import SourceNotFound, UnreadableSource, UsageError
from kg_neo4j.records import Document, SkippedSource
from kg_neo4j_scale import remote

if TYPE_CHECKING:
    from kg_neo4j.acquire.sandbox import Sandbox

_HINT = "`kg manifest SOURCE > work.jsonl` writes one"


@dataclass(frozen=True, slots=True)
class Entry:
    """One document that a run is to read."""

    key: str  # its name within the graph
    address: str  # absolute path of a file, or URL of an object
    size: int  # bytes
    sha256: str  # of these bytes
    source: str = ""  # as the user named it; in no manifest

    @property
    def line(self) -> str:
        """The line of a manifest, without its end."""
        fields = {"key": self.key, "address": self.address, "size": self.size, "sha256": self.sha256}
        return json.dumps(fields, ensure_ascii=False)


def entries(
    sources: Sequence[str], *, alias: str | None = None, root: str | None = None, chosen: FilePatterns = ALL
) -> Iterator[Entry | SkippedSource]:
    """Yield what files, folders and URLs hold, in the order of `files.read`; each file is read once for its hash.

    Raises what `files.read` raises for sources; UsageError for a URL of a store whose client is not installed.
    """
    local = [source for source in sources if not remote.is_remote(source)]
    if len(local) < len(sources) and (root is not None or alias is not None or chosen != ALL):
        raise UsageError(
            "--root, --as, --include and --exclude are for files of this machine",
            hint="name the URL of the folder itself",
        )
    stored = [remote.find(source) for source in sources if remote.is_remote(source)]
    return _entries(find(places_of(local, alias, root), alias, chosen=chosen), stored)


def _entries(
    found: Iterator[FoundFile | SkippedSource], stored: Iterable[Iterator[FoundFile | SkippedSource]]
) -> Iterator[Entry | SkippedSource]:
    keys: dict[str, str] = {}  # key -> address
    for each in itertools.chain(found, *stored):
        if isinstance(each, SkippedSource):
            yield each
            continue
        address = each.real_path if remote.is_remote(each.real_path) else str(each.path.absolute())
        if keys.setdefault(each.key, address) != address:
            yield SkippedSource(each.source, f"{keys[each.key]} has the same key {each.key!r}")
            continue
        try:
            data = _bytes(address)
        except UnreadableSource as refused:
            yield SkippedSource(each.source, str(refused))
        else:
            yield Entry(each.key, address, len(data), hashlib.sha256(data).hexdigest(), each.source)


def read(path: str) -> Iterator[Entry]:
    """Yield the entries of a manifest. Raises SourceNotFound; UsageError for a line that is none or repeats a key."""
    keys: dict[str, int] = {}
    try:
        with Path(path).open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                entry = _parsed(line, f"{printable(path)}, line {number}")
                if (first := keys.setdefault(entry.key, number)) != number:
                    raise UsageError(f"{printable(path)}: lines {first} and {number} both have the key {entry.key!r}")
                yield entry
    except FileNotFoundError as error:
        raise SourceNotFound(f"no such manifest: {printable(path)}", hint=_HINT) from error
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{printable(path)} cannot be read as a manifest: {error}", hint=_HINT) from error


def _parsed(line: str, where: str) -> Entry:
    try:
        fields = json.loads(line)
        entry = Entry(fields["key"], fields["address"], fields["size"], fields["sha256"])
    except (ValueError, TypeError, KeyError) as error:
        raise UsageError(f"{where} is not an entry of a manifest", hint=_HINT) from error
    texts = all(isinstance(text, str) and text for text in (entry.key, entry.address, entry.sha256))
    if not texts or isinstance(entry.size, bool) or not isinstance(entry.size, int) or entry.size < 0:
        raise UsageError(f"{where} is not an entry of a manifest", hint=_HINT)
    return entry


def document(entry: Entry, *, graph: str, sandbox: Sandbox, options: ReadOptions = PLAIN) -> Document | SkippedSource:
    """Return the document of an entry; what cannot be read, or is not what was listed, is a SkippedSource."""
    is_remote = remote.is_remote(entry.address)
    real = entry.address if is_remote else real_path(entry.address)
    file = FoundFile(Path(entry.address), real, entry.key, entry.source or entry.address, named=True)
    try:
        data = _bytes(entry.address)
        if hashlib.sha256(data).hexdigest() != entry.sha256:
            raise UnreadableSource("changed since the manifest was written", hint="write the manifest again")
        return files.parse(file, data, graph, sandbox, options)
    except UnreadableSource as refused:
        return files.skipped(file, refused)


def _bytes(address: str) -> bytes:
    return remote.read(address) if remote.is_remote(address) else files.read_bytes(Path(address))
