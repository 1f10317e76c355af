"""Annotated passages as the documents and chunks of a load, and their extraction with the engine of a load."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kg_neo4j.acquire import chunking
from kg_neo4j.eval.answers.questions import Story, documents_of
from kg_neo4j.eval.extraction.gold import GoldPassage
from kg_neo4j.extract.context import DocumentJob
from kg_neo4j.progress import Progress
from kg_neo4j.records import Document, Extraction

if TYPE_CHECKING:
    from kg_neo4j._models.tokens import Tokeniser
    from kg_neo4j.extract.engine import ExtractionConfig

GRAPH = "scorecard"  # names documents; nothing is stored under it


def extract_passages(
    passages: Sequence[GoldPassage], config: ExtractionConfig, chunk_tokens: int, progress: Progress
) -> tuple[list[list[Extraction]], float]:
    """Return the extractions of every passage, in the order of its chunks, and the seconds that they took.

    What rules and small models need is loaded before the clock starts.
    """
    from kg_neo4j._models import tokens
    from kg_neo4j.extract.engine import extract_all

    tokeniser = tokens.load()
    jobs = [_job(passage, number, tokeniser, chunk_tokens) for number, passage in enumerate(passages)]
    if not config.extractor.converses:
        list(extract_all(jobs[:1], config))
    places = {job.document.id: number for number, job in enumerate(jobs)}
    found: list[list[Extraction]] = [[] for _ in jobs]
    progress.start("extract", sum(len(job.chunks) for job in jobs))
    started = time.monotonic()
    for document, extraction in extract_all(jobs, config):
        found[places[document.id]].append(extraction)
        progress.advance("extract")
    seconds = time.monotonic() - started
    progress.finish("extract")
    return [sorted(each, key=lambda one: one.chunk.index) for each in found], seconds


def document_of(passage: GoldPassage, number: int = 0) -> Document:
    """Return a passage as a document; `number` tells passages of one title apart."""
    story = Story(f"{number}/{passage.title}", passage.title, lambda: passage.text, "")
    return next(documents_of([story], GRAPH))


def _job(passage: GoldPassage, number: int, tokeniser: Tokeniser, chunk_tokens: int) -> DocumentJob:
    document = document_of(passage, number)
    chunks = tuple(chunking.chunk(document, tokeniser, max_tokens=chunk_tokens))
    return DocumentJob(document, chunks, chunks)
