"""What an extractor gets in addition to the chunk itself: how the chunk before ended, and who has been named so far.

A document's chunks are asked about in waves, two at a time, so that no worker waits for the slowest chunk. The names
come from accepted rows of finished waves only, and the size of a wave is a recorded setting: the context of a chunk
depends on the document and the answers, never on the number of workers or the order in which answers arrive.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from kg_neo4j.acquire.sentences import sentences, table_head
from kg_neo4j.records import Chunk, Document, Extraction, ModelAnswer

BEFORE_CHARACTERS = 500  # about 120 tokens: two or three sentences
KNOWN_NAMES = 60
KNOWN_CHARACTERS = 1_600  # about 400 tokens
UNDER_WAY = 2  # waves

Name = tuple[str, str]  # name, type


@dataclass(frozen=True, slots=True)
class Context:
    """What is carried over to one chunk."""

    before: str = ""  # the last sentences of the chunk before
    known: tuple[Name, ...] = ()  # most mentioned first

    @property
    def hash(self) -> str:
        """Stored with the answer; no part of its key. Empty where nothing is carried over."""
        if not self.before and not self.known:
            return ""
        return hashlib.sha256(repr((self.before, self.known)).encode("utf-8", "surrogatepass")).hexdigest()[:32]


NO_CONTEXT = Context()


@dataclass(frozen=True, slots=True)
class DocumentJob:
    """The chunks of one document that are still to be extracted, and what is known of the others.

    `stored` are answers already paid for, by chunk; where they are of use, nothing is asked. `mentioned` are the names
    that the chunks outside `pending` gave, by chunk. Pickles.
    """

    document: Document
    chunks: tuple[Chunk, ...]  # all of the document, in order
    pending: tuple[Chunk, ...]  # in order
    stored: Mapping[str, tuple[ModelAnswer, ...]] = field(default_factory=dict)
    mentioned: Mapping[str, tuple[Name, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ChunkTask:
    """One chunk to extract, with its context."""

    document: Document
    chunk: Chunk
    stored: tuple[ModelAnswer, ...] = ()
    context: Context = NO_CONTEXT
    limit: int | None = None  # tokens that an answer may take, where less than usual
    repeated: int = 0  # characters of the chunk before, at its beginning


class Waves:
    """Hands out the chunks of one document, wave by wave; two waves are under way at most."""

    def __init__(self, job: DocumentJob, size: int) -> None:
        """`size` chunks are a wave, counted over all chunks of the document; 0 carries nothing over, in one wave."""
        self._job = job
        self._size = size
        self._place = {chunk.id: place for place, chunk in enumerate(job.chunks)}
        self._waiting = list(reversed(job.pending))
        self._running = 0
        self._unfinished = Counter(self._wave_of(chunk.id) for chunk in job.pending)
        self._wave = -1
        self._names: list[tuple[int, Sequence[Name]]] = sorted(
            ((self._wave_of(chunk_id), names) for chunk_id, names in job.mentioned.items()), key=lambda each: each[0]
        )
        self._known: tuple[Name, ...] = ()

    @property
    def is_over(self) -> bool:
        """True where every chunk is finished."""
        return not self._waiting and not self._running

    def take(self) -> ChunkTask | None:
        """Return the next chunk; None where none is left, or the next wave has to wait."""
        if not self._waiting:
            return None
        chunk = self._waiting[-1]
        wave = self._wave_of(chunk.id)
        if wave != self._wave:
            if any(earlier <= wave - UNDER_WAY for earlier in self._unfinished):
                return None
            self._wave = wave
            self._known = rank(names for earlier, names in self._names if earlier <= wave - UNDER_WAY)
        self._waiting.pop()
        self._running += 1
        context = NO_CONTEXT
        place, document = self._place[chunk.id], self._job.document
        repeated = max(0, self._job.chunks[place - 1].end - chunk.start) if place else 0
        if self._size:
            before = last_sentences(self._job.chunks[place - 1].text, document.language) if place else ""
            before = max(before, chunk.text[:repeated].strip(), key=len)
            if head := table_head(document.text, chunk.start):
                before = f"{document.text[slice(*head)]}\n{before}"
            context = Context(before, self._known)
        return ChunkTask(document, chunk, self._job.stored.get(chunk.id, ()), context, repeated=repeated)

    def finish(self, extraction: Extraction) -> None:
        """Note what a chunk gave."""
        self._running -= 1
        wave = self._wave_of(extraction.chunk.id)
        self._unfinished[wave] -= 1
        self._unfinished += Counter()  # keeps what is above zero
        if self._size:
            self._names.append((wave, [(node.name, node.type) for node in extraction.nodes]))

    def _wave_of(self, chunk_id: str) -> int:
        return self._place[chunk_id] // self._size if self._size else 0


def rank(mentions: Iterable[Sequence[Name]]) -> tuple[Name, ...]:
    """Return the names mentioned most often, bounded in number and length; equal ones in alphabetical order."""
    counts = Counter(name for names in mentions for name in names)
    known: list[Name] = []
    left = KNOWN_CHARACTERS
    for name, kind in sorted(counts, key=lambda name: (-counts[name], name))[:KNOWN_NAMES]:
        left -= len(name) + len(kind) + 5
        if left < 0:
            break
        known.append((name, kind))
    return tuple(known)


def last_sentences(text: str, language: str | None = None) -> str:
    """Return the last whole sentences of `text` that have at most 500 characters together; else its last words."""
    tail = max(0, len(text) - 2 * BEFORE_CHARACTERS)
    spans = list(sentences(text, tail, len(text), language))
    start = len(text)
    for place, (begin, _) in enumerate(reversed(spans)):
        if len(text) - begin > BEFORE_CHARACTERS or (tail and place == len(spans) - 1):
            break
        start = begin
    if start == len(text):
        start = max(0, len(text) - BEFORE_CHARACTERS)
        start = text.find(" ", start) + 1 if start else 0
    return text[start:].strip()
