"""Shards: ranges of a manifest whose documents are extracted by one worker into one file."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kg_neo4j.acquire.identity import document_id, hash_id
from kg_neo4j.acquire.manifest import Entry
from kg_neo4j.errors import KgError, UsageError
from kg_neo4j.pipeline.tally import Tally
from kg_neo4j.records import Document

SHARD_BYTES = 16_000  # of sources: a second or two of the built-in rules, so that workers end at about the same time
LARGE_SHARD_BYTES = 256_000
SHARDS = 2_000  # shards are doubled while there would be more
SHARD_DOCUMENTS = 1_000


@dataclass(frozen=True, slots=True)
class Shard:
    """Documents of one file. Its name hashes them and the configuration, so that a repeat writes the same file."""

    name: str
    entries: tuple[Entry, ...]
    pages: tuple[Document, ...] = ()  # of a wiki, which are read before
    earlier: tuple[Path, ...] = ()  # files with extractions of these documents, by other runs
    answers: tuple[Path, ...] = ()  # paid ones that runs which were stopped left, perhaps about these documents

    @property
    def size(self) -> int:
        """Bytes of the sources."""
        return sum(entry.size for entry in self.entries) + sum(len(page.text) for page in self.pages)

    def ids(self, graph: str) -> Iterator[str]:
        """Yield the ids of the documents."""
        yield from (document_id(graph, "file", entry.key) for entry in self.entries)
        yield from (page.id for page in self.pages)


@dataclass(slots=True)
class ShardReport:
    """What a worker did with one shard."""

    shard: str
    tally: Tally = field(default_factory=Tally)
    written: bool = False  # its file is new or changed
    error: KgError | None = None  # ends the run: every shard would meet it


def limit_of(entries: Iterable[Entry]) -> int:
    """Return the bytes of a shard, by the size of the whole work: doubled now and then, so that it seldom changes."""
    total, limit = sum(entry.size for entry in entries), SHARD_BYTES
    while total > SHARDS * limit and limit < LARGE_SHARD_BYTES:
        limit *= 2
    return limit


def plan(
    entries: Iterable[Entry], pages: Iterable[Document], *, graph: str, shaped_by: str, limit: int
) -> Iterator[Shard]:
    """Yield the shards of entries, in order, then one for each page.

    A shard ends where the next document would make it larger than `limit` bytes; a larger document is alone.
    """

    def shard(some: Sequence[Entry]) -> Shard:
        names = (part for entry in some for part in (entry.key, entry.sha256))
        return Shard(hash_id("shard", graph, shaped_by, *names), tuple(some))

    gathered: list[Entry] = []
    size = 0
    for entry in entries:
        if gathered and (size + entry.size > limit or len(gathered) == SHARD_DOCUMENTS):
            yield shard(gathered)
            gathered, size = [], 0
        gathered.append(entry)
        size += entry.size
    if gathered:
        yield shard(gathered)
    for page in pages:
        yield Shard(hash_id("shard", graph, shaped_by, page.id, page.sha256), (), (page,))


def part_of(text: str | None) -> tuple[int, int]:
    """Return K and N of "K/N", which means every Nth shard from the Kth; (1, 1) for None. Raises UsageError."""
    if text is None:
        return 1, 1
    first, _, count = text.partition("/")
    if not (first.isdecimal() and count.isdecimal() and 1 <= int(first) <= int(count)):
        raise UsageError(f"--part takes K/N, such as 3/16, not {text!r}")
    return int(first), int(count)


def part(shards: Iterable[Shard], numbers: tuple[int, int]) -> Iterator[Shard]:
    """Yield the shards of one part of several."""
    first, count = numbers
    return itertools.islice(shards, first - 1, None, count)
