"""What is carried over between chunks, and in which order chunks are asked about (W3)."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from csv_grammar import SCHEMA
from fake_llm import FakeLlm
from kg_neo4j._models.openai_chat import OpenAIChat
from kg_neo4j._models.openai_endpoint import Endpoint
from kg_neo4j.errors import SourceNotFound
from kg_neo4j.extract.context import (
    BEFORE_CHARACTERS,
    KNOWN_CHARACTERS,
    KNOWN_NAMES,
    NO_CONTEXT,
    ChunkTask,
    Context,
    DocumentJob,
    Waves,
    last_sentences,
    rank,
)
from kg_neo4j.extract.engine import ExtractionConfig, extract_all
from kg_neo4j.extract.llm_extractor import LlmExtractor
from kg_neo4j.extract.reading import Reading, without_rows
from kg_neo4j.factory import door_to
from kg_neo4j.records import Chunk, ChunkOutcome, Document, Extraction, NodeRow

READING = Reading(SCHEMA, "flag", "c")


def many(document: Document, count: int) -> tuple[Chunk, ...]:
    texts = [f"Sentence {number} names Person{number} Of{number}." for number in range(count)]
    return tuple(Chunk(f"{i:032x}", document.id, "main", i, text, 5, 0, 9) for i, text in enumerate(texts))


def gave(chunk: Chunk, *names: str) -> Extraction:
    nodes = tuple(NodeRow(1, f"n{place}", "PERSON", "PERSON", name) for place, name in enumerate(names))
    return replace(without_rows(chunk, READING, ChunkOutcome.DONE, ""), nodes=nodes, rows_read=len(nodes))


def configure(llm: FakeLlm, **options: object) -> ExtractionConfig:
    model = OpenAIChat("fake", Endpoint(llm.url, retries=0, sleep=lambda _: asyncio.sleep(0)))
    return ExtractionConfig(SCHEMA, LlmExtractor(door_to(model), SCHEMA), **options)  # type: ignore[arg-type]


def take(waves: Waves) -> ChunkTask:
    task = waves.take()
    assert task is not None
    return task


def test_two_waves_are_under_way_and_the_third_waits_for_the_first(document: Document) -> None:
    chunks = many(document, 7)
    waves = Waves(DocumentJob(document, chunks, chunks), 2)
    first = [take(waves) for _ in range(4)]
    assert waves.take() is None
    waves.finish(gave(chunks[2], "Zoe"))
    waves.finish(gave(chunks[1], "Ben", "Ada"))
    assert waves.take() is None
    waves.finish(gave(chunks[0], "Ada"))
    third = take(waves)
    assert {task.context.known for task in first} == {()}
    assert third.context == Context(chunks[3].text, (("Ada", "PERSON"), ("Ben", "PERSON")))


def test_the_order_of_answers_does_not_matter(document: Document) -> None:
    chunks = many(document, 6)
    known = []
    for order in ((0, 1, 2, 3), (3, 1, 2, 0), (1, 0)):
        waves = Waves(DocumentJob(document, chunks, chunks), 2)
        for _ in range(4):
            take(waves)
        for place in order:
            waves.finish(gave(chunks[place], f"Name {place}"))
        known.append(take(waves).context)
    assert known[0] == known[1] == known[2]


def test_chunks_that_are_done_are_known_to_later_waves_only(document: Document) -> None:
    chunks = many(document, 8)
    mentioned = {chunks[0].id: (("Ada", "PERSON"),), chunks[3].id: (("Ben", "PERSON"),)}
    waves = Waves(DocumentJob(document, chunks, (chunks[2], chunks[4], chunks[6]), {}, mentioned), 2)
    assert take(waves).context.known == ()
    assert take(waves).context.known == (("Ada", "PERSON"),)
    waves.finish(gave(chunks[4], "Dora"))
    assert waves.take() is None
    waves.finish(gave(chunks[2], "Cleo"))
    assert {name for name, _ in take(waves).context.known} == {"Ada", "Ben", "Cleo"}
    assert not waves.is_over
    waves.finish(gave(chunks[6]))
    assert waves.is_over


def test_without_waves_nothing_is_carried_over_and_nothing_waits(document: Document) -> None:
    chunks = many(document, 5)
    waves = Waves(DocumentJob(document, chunks, chunks), 0)
    assert [task.context for task in (waves.take() for _ in chunks) if task] == [NO_CONTEXT] * 5


def test_names_are_ranked_by_mentions_and_bounded() -> None:
    assert rank([[("B", "X"), ("A", "X")], [("B", "X")]]) == (("B", "X"), ("A", "X"))
    assert len(rank([[(f"N{number}", "X") for number in range(500)]])) == KNOWN_NAMES
    long = rank([[(f"{number:0300}", "X") for number in range(50)]])
    assert sum(len(name) for name, _ in long) <= KNOWN_CHARACTERS


def test_the_end_of_a_chunk_is_whole_sentences() -> None:
    assert last_sentences("He came. He saw.") == "He came. He saw."
    text = "A long first sentence without an end here. " * 40 + "He won."
    tail = last_sentences(text)
    assert len(tail) <= BEFORE_CHARACTERS
    assert tail.startswith("A long first")
    assert tail.endswith("He won.")
    assert last_sentences("word " * 400).startswith("word")
    assert len(last_sentences("word " * 400)) <= BEFORE_CHARACTERS
    assert last_sentences("") == ""


@pytest.mark.parametrize("concurrency", [1, 3, 16])
def test_context_does_not_depend_on_the_number_of_workers(llm: FakeLlm, document: Document, concurrency: int) -> None:
    jobs = []
    for number in range(3):
        each = replace(document, id=f"{number:032x}", title=f"Title {number}")
        chunks = tuple(replace(chunk, id=f"{number}{chunk.id}", document_id=each.id) for chunk in many(each, 7))
        jobs.append(DocumentJob(each, chunks, chunks))
    found = list(extract_all(jobs, configure(llm, concurrency=concurrency, wave=2)))
    hashes = {extraction.chunk.id: extraction.answers[0].context_hash for _, extraction in found}
    with FakeLlm() as other:
        alone = list(extract_all(jobs, configure(other, wave=2)))
    assert hashes == {extraction.chunk.id: extraction.answers[0].context_hash for _, extraction in alone}
    assert len(set(hashes.values())) > 3
    assert llm.calls == 21


def test_what_was_complete_is_yielded_before_an_error_of_the_sources(llm: FakeLlm, document: Document) -> None:
    chunks = many(document, 5)

    def jobs():  # type: ignore[no-untyped-def]
        yield DocumentJob(document, chunks, chunks)
        raise SourceNotFound("gone")

    done: list[Extraction] = []
    with pytest.raises(SourceNotFound, match="gone"):
        done.extend(extraction for _, extraction in extract_all(jobs(), configure(llm, concurrency=4)))
    assert [extraction.chunk for extraction in done] == list(chunks)
