"""From documents' chunks to extractions: ask with bounded concurrency, read, validate, and yield in order.

One chunk's trouble stays with that chunk: a refused, cut or useless answer becomes an outcome with a reason, and so
does an error that an extractor raises. A model that refuses the key or does not answer stops the run; what was complete
by then is yielded first.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from kg_neo4j import plugins, tracing
from kg_neo4j._models.workers import Crew
from kg_neo4j.errors import KgError, UsageError
from kg_neo4j.extract import numbering
from kg_neo4j.extract.context import ChunkTask, DocumentJob, Waves
from kg_neo4j.extract.conversation import Conversation
from kg_neo4j.extract.interface import Extractor
from kg_neo4j.extract.reading import RULES_VERSION, USABLE, Reading, Rounds, Shown, interpret
from kg_neo4j.extract.schema import Schema
from kg_neo4j.extract.validation import FLAG, REJECT
from kg_neo4j.interrupts import released
from kg_neo4j.records import EXTRACTION_VERSION, Chunk, Document, Extraction, ModelAnswer

PREPROCESSING = ("none", "stopwords")
AHEAD = 4  # times the concurrency: chunks that may be begun before the oldest one is finished


@dataclass(frozen=True, slots=True)
class ExtractionConfig:
    """How chunks become rows. Pickles where the extractor does; clients are built where they are used."""

    schema: Schema
    extractor: Extractor
    concurrency: int = 1  # chunks asked about at a time; never changes the result
    evidence: str = FLAG  # or "reject": rows whose evidence is not in the text
    preprocess: str = "none"  # or "stopwords": the model sees shortened text (the Wikipedia report's A1)
    gleanings: int = 0  # further rounds that ask what is missing (the length study), at most
    repair: bool = True  # rejected rows are asked for once more
    wave: int = 0  # chunks of a document that are asked about together; 0: nothing is carried over between chunks

    def __post_init__(self) -> None:
        if self.evidence not in (FLAG, REJECT):
            raise UsageError(f"evidence {self.evidence!r}", hint=f"one of {FLAG}, {REJECT}")
        if self.preprocess not in PREPROCESSING:
            raise UsageError(f"preprocess {self.preprocess!r}", hint=f"one of {', '.join(PREPROCESSING)}")
        if self.concurrency < 1:
            raise UsageError(f"concurrency {self.concurrency}", hint="1 or more")
        if self.gleanings < 0 or self.wave < 0:
            raise UsageError(f"gleanings {self.gleanings}, wave {self.wave}", hint="0 or more")

    @property
    def config_hash(self) -> str:
        """Hash of everything that shapes an extraction besides the text: extractor, schema, rules, settings."""
        versions = (RULES_VERSION, EXTRACTION_VERSION)
        rounds = (self.gleanings, self.repair, self.wave) if self.extractor.converses else ()
        parts = (self.extractor.config_hash, self.schema.hash, self.evidence, self.preprocess, rounds, versions)
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:32]

    @property
    def reading(self) -> Reading:
        """How answers become rows."""
        return Reading(self.schema, self.evidence, self.config_hash)


def extract_all(jobs: Iterable[DocumentJob], config: ExtractionConfig) -> Iterator[tuple[Document, Extraction]]:
    """Yield one extraction for each pending chunk; chunks of many documents share the calls in flight.

    Extractions come in the order in which their chunks were begun. Raises ModelRefused, ModelUnavailable, or what
    `jobs` itself raises: nothing is begun after that, and what was complete is yielded first.
    """
    crew: Crew[ChunkTask, Extraction] = Crew(partial(extract_chunk, config=config), config.concurrency)
    try:
        yield from _Flow(iter(jobs), config, crew).run()
    finally:
        crew.stop()


def extract_chunk(task: ChunkTask, config: ExtractionConfig) -> Extraction:
    """Extract one chunk from its stored answers, or by asking; raises ModelRefused or ModelUnavailable."""
    shown = show(
        task.chunk,
        config.preprocess,
        task.document.language,
        config.schema.evidence,
        task.stored,
        numbered=config.extractor.converses,
        repeated=task.repeated,
    )
    if task.stored:
        again = interpret(task.chunk, task.stored, config.reading, shown)
        if again.outcome in USABLE:
            return again
    rounds = Rounds(task.chunk, config.reading, shown)
    with tracing.span("chunk", {"kg_neo4j.document": task.document.id, "kg_neo4j.chunk": task.chunk.index}) as note:
        found = Conversation(task, config.extractor, rounds, config.gleanings, config.repair).hold()
        note({"kg_neo4j.outcome": str(found.outcome), "kg_neo4j.rows": found.rows_read})
        return found


def show(
    chunk: Chunk,
    preprocessing: str,
    language: str | None,
    evidence: str = "words",
    stored: Sequence[ModelAnswer] = (),
    *,
    numbered: bool = True,
    repeated: int = 0,
) -> Shown:
    """Return what the model sees of a chunk: with `evidence` "sentences" a line for each, with its number.

    The numbers are those that `stored` answers were given to, where there are any. Rules see plain text (`numbered` is
    False), and copy words. With `evidence` "none" the text is plain, too, and rows are placed in its sentences. What
    the chunk repeats of the one before, `repeated` characters, gets no numbers a second time.
    """
    numbered = numbered and evidence == "sentences"
    offsets = max((each.offsets for each in stored), key=len, default=())
    if not offsets and (numbered or evidence == "none"):
        own = repeated if numbered else 0
        offsets = tuple(each for each in numbering.number(chunk.text, language) if each[1] > own)
    if preprocessing == "none":
        return Shown(numbering.show(chunk.text, offsets) if numbered else chunk.text, offsets=offsets)
    plugins.need("kg_neo4j_offline", "stop words cannot be left out", "install kg-neo4j again")
    from kg_neo4j_offline import preprocess

    if numbered:
        lines = numbering.show(chunk.text, offsets, lambda sentence: preprocess.shorten(sentence, language).text)
        return Shown(lines, offsets=offsets)
    shortened = preprocess.shorten(chunk.text, language)
    return Shown(shortened.text, shortened.to_source, offsets)


@dataclass(slots=True)
class _Flow:
    """Keeps the crew busy: chunks of open documents, wave by wave, and results in the order of beginning."""

    jobs: Iterator[DocumentJob]
    config: ExtractionConfig
    crew: Crew[ChunkTask, Extraction]
    open: list[Waves] = field(default_factory=list)
    owners: dict[int, tuple[Waves, Document]] = field(default_factory=dict)  # of what is begun and not yielded
    ready: dict[int, Extraction] = field(default_factory=dict)
    running: int = 0
    yielded: int = 0
    error: BaseException | None = None
    source_error: KgError | None = None  # no document can be opened any more; what runs is waited for

    def run(self) -> Iterator[tuple[Document, Extraction]]:
        while True:
            try:
                self._begin()
                if not self.running:
                    break
                done = self.crew.take()
                self.running -= 1
                waves, _ = self.owners[done.number]
                if done.result is None:
                    self.error = done.error
                    break
                self.ready[done.number] = done.result
                waves.finish(done.result)
                if waves.is_over:
                    self.open.remove(waves)
            except KeyboardInterrupt as interrupt:  # what is complete is yielded first: it was paid for
                self.error = interrupt
                break
            while self.yielded in self.ready:
                yield self._next(self.yielded)
        self.crew.stop()  # what is finished is taken, and nothing else
        self.ready |= {done.number: done.result for done in self.crew.finished() if done.result is not None}
        for number in sorted(self.ready):
            yield self._next(number)
        if error := self.error or self.source_error:
            raise error

    def _begin(self) -> None:
        """Begin what is ready, as far as the window goes."""
        window = 1 if self.config.concurrency == 1 else AHEAD * self.config.concurrency
        while self.source_error is None and len(self.owners) < window:
            found = self._ready_task()
            if found is None:
                return
            waves, task = found
            self.owners[self.crew.begin(task)] = waves, task.document
            self.running += 1

    def _ready_task(self) -> tuple[Waves, ChunkTask] | None:
        """Return the next chunk of an open document, else of the next one; None where none is to be had now."""
        for waves in self.open:
            if task := waves.take():
                return waves, task
        while len(self.open) < self.config.concurrency:
            try:
                with released():
                    job = next(self.jobs, None)
            except KgError as error:
                self.source_error = error
                return None
            if job is None:
                return None
            self.open.append(Waves(job, self.config.wave if self.config.extractor.converses else 0))
            if task := self.open[-1].take():
                return self.open[-1], task
        return None

    def _next(self, number: int) -> tuple[Document, Extraction]:
        _, document = self.owners.pop(number)
        self.yielded = number + 1
        return document, self.ready.pop(number)
