"""`kg eval extraction`: the extractor of a load, asked about annotated passages, and scored.

Every passage is one document and, unless it is long, one chunk; engine, prompts, CSV parser and validation are those of
a load. Nothing is written to a database, and no decisions of a graph are applied: entities are joined by name and type.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kg_neo4j import factory
from kg_neo4j._models import tokens
from kg_neo4j.acquire import chunking
from kg_neo4j.errors import UsageError
from kg_neo4j.extract.context import DocumentJob
from kg_neo4j.extract.engine import ExtractionConfig, extract_all
from kg_neo4j.pipeline.budget import budget_of
from kg_neo4j.pipeline.options import LoadOptions, extraction_config
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import ChunkOutcome, Extraction, RowCounts, Usage
from kg_neo4j.settings import Settings
from kg_neo4j_lab import partition
from kg_neo4j_lab.extraction import gold as gold_files
from kg_neo4j_lab.extraction import type_map
from kg_neo4j_lab.extraction.gold import GoldPassage, GoldSet
from kg_neo4j_lab.extraction.judging import Judged, document_of, judge
from kg_neo4j_lab.extraction.offers import OffersMentions
from kg_neo4j_lab.extraction.scores import Score, score

SPLITS = ("all", *partition.PARTS)


@dataclass(frozen=True, slots=True)
class ScorecardOptions:
    """What to score. The defaults are those of the command line."""

    split: str = "all"  # or "train", "validation", "test": by the hash of the title, see `partition`
    limit: int | None = None  # passages at most, in the order of the file
    types: str | None = None  # a TOML file on top of the built-in types.toml
    schema: str = "lean"
    gleanings: int = 1
    budget_usd: float | None = None


@dataclass(frozen=True, slots=True)
class Scorecard:
    """What an extractor finds, against an annotation. Scores by the names that `judging` gives them."""

    gold: str
    sha256: str  # of the file
    split: str
    documents: int
    words: int
    extractor: str
    config_hash: str  # of the extractor: two of one name need not be the same
    gives_mentions: bool  # the extractor says itself where its mentions are; compare it with others by name
    judged: Judged
    scores: Mapping[str, Score]
    rows: RowCounts
    rejections: Mapping[str, int]
    usage: Usage
    seconds: float  # of extraction, models loaded before
    unscored: Mapping[str, int]  # relationship type without a meaning in the annotation -> rows, most frequent first
    failed: tuple[str, ...]
    notes: tuple[str, ...]
    relation_names: Mapping[str, str]

    @property
    def words_per_s(self) -> float:
        """Words of the passages, by white space, for each second of extraction."""
        return self.words / self.seconds if self.seconds else 0.0

    @property
    def usd_per_right_fact(self) -> float | None:
        """None where no price is known, or nothing was right."""
        usd = self.usage.usd if self.usage.calls else 0.0
        return None if usd is None or not self.judged.right_facts else usd / self.judged.right_facts


def score_extraction(
    gold: str, *, settings: Settings, options: ScorecardOptions, progress: Progress = SILENT
) -> Scorecard:
    """Extract the passages of a file in the format of Re-DocRED and score what comes back.

    Raises SourceNotFound, UnreadableSource, UsageError for invalid options, and what a model raises.
    """
    whole = gold_files.read(gold)
    passages = select(whole, options)
    types = type_map.load(whole, options.types)
    load = LoadOptions(schema=options.schema, gleanings=options.gleanings)
    door = factory.door(settings, budget=budget_of(options.budget_usd))
    config = extraction_config(settings, load, door)
    if isinstance(config.extractor, OffersMentions):
        config = replace(config, extractor=config.extractor.unfiltered())
    extractions, seconds = extract_passages(passages, config, chunking.DEFAULT_TOKENS, progress)
    validation = [each for each in whole.passages if partition.part(each.title) == partition.VALIDATION]
    judged = judge(passages, extractions, types, config.extractor, validation)
    flat = [each for of_one in extractions for each in of_one]
    rejections = Counter(str(rejection.reason) for each in flat for rejection in each.rejections)
    read, rejected = sum(each.rows_read for each in flat), rejections.total()
    return Scorecard(
        gold=gold,
        sha256=hashlib.sha256(Path(gold).read_bytes()).hexdigest(),
        split=options.split,
        documents=len(passages),
        words=sum(len(each.text.split()) for each in passages),
        extractor=config.extractor.name,
        config_hash=config.extractor.config_hash,
        gives_mentions=isinstance(config.extractor, OffersMentions),
        judged=judged,
        scores={name: score(counts) for name, counts in judged.counts.items()},
        rows=RowCounts(read, read - rejected, rejected),
        rejections=dict(rejections.most_common()),
        usage=sum((each.usage for each in flat), Usage()),
        seconds=seconds,
        unscored=dict(judged.unscored.most_common()),
        failed=tuple(_failures(passages, extractions)),
        notes=(*config.extractor.notes, *_cached(flat)),
        relation_names=whole.relation_names,
    )


def select(gold: GoldSet, options: ScorecardOptions) -> tuple[GoldPassage, ...]:
    """Return the passages that the options mean. Raises UsageError for an unknown split, and where none is left."""
    if options.split not in SPLITS:
        raise UsageError(f"split {options.split!r}", hint=f"one of {', '.join(SPLITS)}")
    if options.limit is not None and options.limit < 1:
        raise UsageError(f"limit {options.limit}", hint="1 or more")
    kept = [each for each in gold.passages if options.split in ("all", partition.part(each.title))]
    if not kept:
        raise UsageError(f"{gold.path} has no passage in the split {options.split!r}", hint="--split all")
    return tuple(kept[: options.limit])


def extract_passages(
    passages: Sequence[GoldPassage], config: ExtractionConfig, chunk_tokens: int, progress: Progress
) -> tuple[list[list[Extraction]], float]:
    """Return the extractions of every passage, in the order of its chunks, and the seconds that they took.

    What rules and small models need is loaded before the clock starts.
    """
    tokeniser = tokens.load()
    jobs: list[DocumentJob] = []
    for number, passage in enumerate(passages):
        document = document_of(passage, number)
        chunks = tuple(chunking.chunk(document, tokeniser, max_tokens=chunk_tokens))
        jobs.append(DocumentJob(document, chunks, chunks))
    if not config.extractor.converses:
        list(extract_all(jobs[:1], config))
    found: dict[str, list[Extraction]] = {job.document.id: [] for job in jobs}
    progress.start("extract", sum(len(job.chunks) for job in jobs))
    started = time.monotonic()
    for document, extraction in extract_all(jobs, config):
        found[document.id].append(extraction)
        progress.advance("extract")
    seconds = time.monotonic() - started
    progress.finish("extract")
    return [sorted(each, key=lambda one: one.chunk.index) for each in found.values()], seconds


def _failures(passages: Sequence[GoldPassage], extractions: Sequence[Sequence[Extraction]]) -> Iterator[str]:
    for passage, of_one in zip(passages, extractions, strict=True):
        for each in of_one:
            if each.outcome not in (ChunkOutcome.DONE, ChunkOutcome.EMPTY):
                yield f"{passage.title!r}: {each.outcome}: {each.detail}".rstrip(": ")


def _cached(extractions: Sequence[Extraction]) -> Iterator[str]:
    asked = [answer for each in extractions for answer in each.answers if answer.request_hash]
    if kept := sum(not answer.usage.calls for answer in asked):
        paid = f"{kept} of {len(asked)} answers were paid for before"
        yield f"{paid}: calls, tokens and price leave them out, and the speed is not the model's"
