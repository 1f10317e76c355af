"""What tuning looks at: chunks spread over the documents, and passages that could be the worked example."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from kg_neo4j._models import tokens
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire.sentences import sentences
from kg_neo4j.errors import UnreadableSource, UsageError
from kg_neo4j.pipeline.documents import cut_document, read_documents
from kg_neo4j.pipeline.options import LoadOptions
from kg_neo4j.pipeline.tally import Tally
from kg_neo4j.records import Chunk, Document, Extraction
from kg_neo4j.settings import Settings

SAMPLE_TOKENS = 300  # of a chunk
EXAMPLE_TOKENS = 110  # of the passage in the worked example: it is sent with every question

Score = tuple[int, int]
_NAME = re.compile(r"(?<=[\w,;] )[^\W\d_]\w+")


@dataclass(frozen=True, slots=True)
class Sample:
    """Chunks spread evenly over all documents."""

    places: tuple[tuple[Document, Chunk], ...]
    chunks: int  # of all documents
    tokeniser: Tokeniser
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SampledPassage:
    """A few sentences of a chunk, as a chunk of their own."""

    document: Document
    chunk: Chunk
    score: Score  # the higher, the more there is to show


def read_sample(sources: Sequence[str], settings: Settings, chunks: int) -> Sample:
    """Return `chunks` chunks, fewer where there are not so many; the same ones every time.

    Raises UsageError for less than one, UnreadableSource where there is nothing to read.
    """
    if chunks < 1:
        raise UsageError(f"a sample of {chunks} chunks", hint="one or more")
    tokeniser, tally = tokens.load(), Tally()
    loading = LoadOptions(chunk_tokens=SAMPLE_TOKENS)
    every = [
        (document, chunk)
        for document in read_documents(sources, settings, loading, tally)
        for chunk in cut_document(document, tokeniser, settings, loading)
    ]
    if not every:
        raise UnreadableSource(f"nothing to read in {', '.join(sources)}", hint="`kg load` says why")
    taken = min(chunks, len(every))
    places = [every[place * len(every) // taken] for place in range(taken)]
    skipped = [f"{each.source}: {each.reason}" for each in tally.skipped]
    return Sample(tuple(places), len(every), tokeniser, (*tally.notes, *skipped))


def passages_by_rows(sample: Sample, found: Sequence[Extraction]) -> list[SampledPassage]:
    """Return one passage of each chunk, those first in which an extractor found most: relationships, then nodes."""

    def score(place: int, start: int, end: int) -> Score:
        counts = [
            sum(row.span is not None and start <= row.span.start < end for row in rows)
            for rows in (found[place].relationships, found[place].nodes)
        ]
        return counts[0], counts[1]

    return _best(sample, score)


def passages_by_names(sample: Sample) -> list[SampledPassage]:
    """Return one passage of each chunk, those first with most words that begin with a capital within a sentence."""

    def score(place: int, start: int, end: int) -> Score:
        text = sample.places[place][1].text[start:end]
        return len({word for word in _NAME.findall(text) if word[0].isupper()}), end - start

    return _best(sample, score)


def _best(sample: Sample, score: Callable[[int, int, int], Score]) -> list[SampledPassage]:
    best = []
    for place, (document, chunk) in enumerate(sample.places):
        windows = list(_windows(document, chunk, sample.tokeniser))
        if windows:
            start, end = max(windows, key=lambda each: score(place, *each))
            text = " ".join(chunk.text[start:end].split())
            own = replace(chunk, text=text, token_count=sample.tokeniser.count(text), start=0, end=len(text))
            best.append(SampledPassage(document, own, score(place, start, end)))
    return sorted(best, key=lambda each: each.score, reverse=True)


def _windows(document: Document, chunk: Chunk, tokeniser: Tokeniser) -> Iterator[tuple[int, int]]:
    """Yield runs of whole sentences of at most EXAMPLE_TOKENS, the longest from each sentence on."""
    spans = list(sentences(chunk.text, 0, len(chunk.text), document.language))
    for first, (start, _) in enumerate(spans):
        fitting = [end for _, end in spans[first:] if tokeniser.count(chunk.text[start:end]) <= EXAMPLE_TOKENS]
        if fitting:
            yield start, fitting[-1]
