"""From chunks to extractions, against a real HTTP server: test plan rows 5, 6, 25, 26, 29, 60."""

from __future__ import annotations

import asyncio
import pickle
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import cast

import pytest

from csv_grammar import NODE_HEADER, RELATIONSHIP_HEADER, SCHEMA
from fake_llm import FakeLlm, Reply
from kg_neo4j._models.openai_chat import OpenAIChat
from kg_neo4j._models.openai_endpoint import Endpoint
from kg_neo4j.errors import ModelRefused, ModelUnavailable, UsageError
from kg_neo4j.extract.context import ChunkTask, DocumentJob
from kg_neo4j.extract.engine import ExtractionConfig, extract_all
from kg_neo4j.extract.llm_extractor import LlmExtractor
from kg_neo4j.factory import door_to
from kg_neo4j.records import Chunk, ChunkOutcome, Document, Extraction, ModelAnswer, Usage
from kg_neo4j_offline.extractor.extractor import OfflineExtractor

HEADERS = f"{','.join(NODE_HEADER)}\n\n{','.join(RELATIONSHIP_HEADER)}\n"
ONE_NODE = f"{','.join(NODE_HEADER)}\nn1,PERSON,Ada Lovelace,,,,,,Ada Lovelace\n\n{','.join(RELATIONSHIP_HEADER)}\n"


async def no_wait(_seconds: float) -> None:
    await asyncio.sleep(0)


def configure(llm: FakeLlm, concurrency: int = 1, retries: int = 1) -> ExtractionConfig:
    model = OpenAIChat("fake", Endpoint(llm.url, retries=retries, sleep=no_wait))
    return ExtractionConfig(SCHEMA, LlmExtractor(door_to(model), SCHEMA), concurrency=concurrency)


def run(
    document: Document,
    chunks: tuple[Chunk, ...],
    config: ExtractionConfig,
    stored: Mapping[str, tuple[ModelAnswer, ...]] | None = None,
) -> list[Extraction]:
    return [found for _, found in extract_all([DocumentJob(document, chunks, chunks, stored or {})], config)]


def content(extraction: Extraction) -> tuple[object, ...]:
    return (extraction.chunk.id, extraction.nodes, extraction.relationships, extraction.rejections, extraction.outcome)


def test_chunks_become_rows_that_rest_on_their_text(
    llm: FakeLlm, document: Document, chunks: tuple[Chunk, ...]
) -> None:
    found = run(document, chunks, configure(llm))
    assert [each.chunk for each in found] == list(chunks)
    assert {each.outcome for each in found} == {ChunkOutcome.DONE}
    assert [node.name for node in found[0].nodes] == ["Ada Lovelace", "Charles Babbage"]
    assert all(row.span for each in found for row in (*each.nodes, *each.relationships))
    assert found[0].usage == Usage(1, 100, 20)
    assert llm.calls == 4


@pytest.mark.parametrize("concurrency", [2, 4, 16])
def test_workers_change_neither_order_nor_content(
    llm: FakeLlm, document: Document, chunks: tuple[Chunk, ...], concurrency: int
) -> None:
    many = tuple(replace(chunk, id=f"{number}-{chunk.id}") for number in range(10) for chunk in chunks)
    alone = run(document, many, configure(llm))
    together = run(document, many, configure(llm, concurrency))
    assert [content(each) for each in together] == [content(each) for each in alone]
    assert configure(llm).config_hash == configure(llm, concurrency).config_hash


def test_stored_answers_are_used_instead_of_asking(llm: FakeLlm, document: Document, chunks: tuple[Chunk, ...]) -> None:
    config = configure(llm)
    first = run(document, chunks, config)
    stored = {each.chunk.id: each.answers for each in first[:3]}
    again = run(document, chunks, config, stored)
    assert [content(each) for each in again] == [content(each) for each in first]
    assert llm.calls == 4 + 1


def test_a_stored_answer_that_was_useless_is_asked_for_again(
    llm: FakeLlm, document: Document, chunks: tuple[Chunk, ...]
) -> None:
    useless = ModelAnswer("I cannot see any text.", "fake", "p", "stop")
    found = run(document, chunks[:1], configure(llm), {chunks[0].id: (useless,)})
    assert found[0].outcome is ChunkOutcome.DONE
    assert llm.calls == 1


@pytest.mark.parametrize(
    ("text", "finish_reason", "outcome", "detail"),
    [
        (HEADERS, "stop", ChunkOutcome.EMPTY, "found nothing"),
        (ONE_NODE + "r1,n1,KNO", "length", ChunkOutcome.TRUNCATED, "complete rows were kept"),
        (ONE_NODE + "r1,n1,KNO", None, ChunkOutcome.TRUNCATED, "1 complete rows were kept"),
        ("", "length", ChunkOutcome.FAILED, "truncated before its first complete row"),
        ("<think>\nlong thoughts", "length", ChunkOutcome.FAILED, "truncated before its first complete row"),
        (HEADERS, "length", ChunkOutcome.FAILED, "truncated before its first complete row"),
        ("I'm sorry, but I can't help with that.", "stop", ChunkOutcome.REFUSED, "declined: I'm sorry"),
        ("Ada is a person.", "stop", ChunkOutcome.FAILED, "no header row"),
        (HEADERS.replace(",", ";") + "r1;n1", "stop", ChunkOutcome.FAILED, "no usable row"),
        (ONE_NODE.replace("node_type", "kind"), "stop", ChunkOutcome.FAILED, "no usable row"),
    ],
)
def test_every_answer_has_an_outcome_with_a_reason(
    llm: FakeLlm,
    document: Document,
    chunks: tuple[Chunk, ...],
    text: str,
    finish_reason: str | None,
    outcome: ChunkOutcome,
    detail: str,
) -> None:
    for _ in range(8):  # truncated answers are continued, then requested in parts; rejected rows are asked for again
        llm.say(text, finish_reason)
    found = run(document, chunks[:1], configure(llm))[0]
    assert found.outcome is outcome
    assert detail in found.detail
    assert found.answers[0].text == text


@pytest.mark.parametrize(
    "replies",
    [
        lambda llm: llm.fail(400, code="content_filter"),
        lambda llm: llm.say("", "content_filter"),
        lambda llm: llm.say(None, "stop", refusal="No."),
    ],
)
def test_a_filtered_chunk_is_marked_and_the_run_goes_on(
    llm: FakeLlm, document: Document, chunks: tuple[Chunk, ...], replies: object
) -> None:
    assert callable(replies)
    replies(llm)
    outcomes = [each.outcome for each in run(document, chunks, configure(llm))]
    assert outcomes == [ChunkOutcome.FILTERED, *[ChunkOutcome.DONE] * 3]


@pytest.mark.parametrize(
    "reply", [Reply(body=b"{}"), Reply(body=b"[]"), Reply(body=b"<html>"), Reply(body=b'{"error": {"message": "x"}}')]
)
def test_a_chunk_whose_answers_break_the_protocol_fails_alone(
    llm: FakeLlm, document: Document, chunks: tuple[Chunk, ...], reply: Reply
) -> None:
    llm.script(reply, reply, reply, reply)  # twice as a stream, twice as a whole answer
    found = run(document, chunks, configure(llm, retries=4))
    assert [each.outcome for each in found] == [ChunkOutcome.FAILED, *[ChunkOutcome.DONE] * 3]
    assert found[0].detail
    assert llm.calls == 4 + 3


class FailsOnBabbage(OfflineExtractor):
    """The built-in rules, with a fault that one chunk reaches: what they raise, or what they return."""

    def __init__(self, fault: Exception | object) -> None:
        super().__init__(SCHEMA)
        self.fault = fault

    def answer(self, task: ChunkTask, shown_text: str) -> ModelAnswer:
        if not shown_text.startswith("Charles Babbage"):
            return super().answer(task, shown_text)
        if isinstance(self.fault, Exception):
            raise self.fault
        return cast("ModelAnswer", self.fault)


@pytest.mark.parametrize("concurrency", [1, 3])
@pytest.mark.parametrize(
    ("fault", "detail"),
    [
        (IndexError("string index out of range"), r"raised IndexError \(test_engine.py, line \d+\): string index"),
        (RecursionError("too deep"), "raised RecursionError"),
        (MemoryError(), "raised MemoryError"),
        (None, "returned NoneType, not a ModelAnswer"),
        ("node_id,node_type,name", "returned str, not a ModelAnswer"),
    ],
    ids=["index", "recursion", "memory", "none", "text"],
)
def test_a_chunk_on_which_an_extractor_has_a_fault_fails_alone(
    document: Document, chunks: tuple[Chunk, ...], fault: object, detail: str, concurrency: int
) -> None:
    found = run(document, chunks, ExtractionConfig(SCHEMA, FailsOnBabbage(fault), concurrency=concurrency))
    assert [each.chunk for each in found] == list(chunks)
    assert [each.outcome for each in found] == [
        *(ChunkOutcome.FAILED if each.text.startswith("Charles Babbage") else ChunkOutcome.DONE for each in chunks)
    ]
    (failed,) = [each for each in found if each.outcome is ChunkOutcome.FAILED]
    assert re.match(f"offline-1 {detail}", failed.detail), failed.detail
    assert (failed.answers, failed.rows_read) == ((), 0)


@pytest.mark.parametrize(
    "stop", [UsageError("no pipeline"), ModelUnavailable("gone"), ModelRefused("no key")], ids=repr
)
def test_an_error_of_the_protocol_still_stops_the_run(
    document: Document, chunks: tuple[Chunk, ...], stop: Exception
) -> None:
    config = ExtractionConfig(SCHEMA, FailsOnBabbage(stop))
    with pytest.raises(type(stop), match=str(stop)):
        run(document, chunks, config)


@pytest.mark.parametrize("concurrency", [1, 4])
@pytest.mark.parametrize("status", [401, 403, 404, 400])
def test_a_refused_request_stops_the_run(
    llm: FakeLlm, document: Document, chunks: tuple[Chunk, ...], status: int, concurrency: int
) -> None:
    many = tuple(replace(chunk, id=f"{number}-{chunk.id}") for number in range(25) for chunk in chunks)
    for _ in range(100):
        llm.fail(status)
    with pytest.raises(ModelRefused):
        run(document, many, configure(llm, concurrency))
    # the key or the model stops it at once; any other refusal if the first three chunks have it, each asked in two ways
    assert llm.calls <= (2 * (3 + concurrency) if status == 400 else concurrency)


@pytest.mark.parametrize("concurrency", [1, 2])
def test_what_was_complete_is_yielded_before_an_unavailable_model_stops_the_run(
    llm: FakeLlm, document: Document, chunks: tuple[Chunk, ...], concurrency: int
) -> None:
    good = llm.completion(ONE_NODE)
    llm.script(good, good)
    for _ in range(20):
        llm.fail(503)
    many = tuple(replace(chunk, id=f"{number}-{chunk.id}") for number in range(5) for chunk in chunks)
    extractions = extract_all([DocumentJob(document, many, many)], configure(llm, concurrency, retries=0))
    done: list[tuple[Document, Extraction]] = []
    with pytest.raises(ModelUnavailable, match="503"):
        done.extend(extractions)
    assert len(done) == 2 or (concurrency == 2 and len(done) == 1)  # the second may be the other worker's, in flight
    assert {each.outcome for _, each in done} == {ChunkOutcome.DONE}
    assert llm.calls <= 2 + 2 * concurrency


def test_a_closed_iterator_asks_no_more(llm: FakeLlm, document: Document, chunks: tuple[Chunk, ...]) -> None:
    many = tuple(replace(chunk, id=f"{number}-{chunk.id}") for number in range(25) for chunk in chunks)
    extractions = extract_all([DocumentJob(document, many, many)], configure(llm, concurrency=2))
    next(extractions)
    extractions.close()  # type: ignore[attr-defined]
    assert llm.calls <= 6


def test_a_configuration_pickles_and_its_hash_covers_what_shapes_rows(llm: FakeLlm) -> None:
    config = configure(llm)
    assert pickle.loads(pickle.dumps(config)).config_hash == config.config_hash
    changed = ({"evidence": "reject"}, {"preprocess": "stopwords"}, {"gleanings": 1}, {"wave": 4}, {"repair": False})
    others = [replace(config, **change) for change in changed]  # type: ignore[arg-type]
    assert len({each.config_hash for each in (config, *others)}) == 6
    rules = ExtractionConfig(SCHEMA, OfflineExtractor(SCHEMA))
    assert replace(rules, gleanings=2, wave=3).config_hash == rules.config_hash


@pytest.mark.parametrize(
    "wrong", [{"evidence": "ignore"}, {"preprocess": "stemming"}, {"concurrency": 0}, {"gleanings": -1}, {"wave": -1}]
)
def test_settings_that_cannot_be_meant_are_refused(llm: FakeLlm, wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        replace(configure(llm), **wrong)  # type: ignore[arg-type]
