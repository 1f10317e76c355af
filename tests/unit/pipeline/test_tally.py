"""A model that gives few rows for much text is named in the report; rules and stored answers are not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kg_neo4j.pipeline.tally import Tally
from kg_neo4j.records import Chunk, ChunkOutcome, Document, Extraction, ModelAnswer, NodeRow, RunCounts, Usage

PAID = ModelAnswer("", "m", "", usage=Usage(1, 0, 0))
KEPT = ModelAnswer("", "m", "", kept=Usage(1, 10, 10))
STORED = ModelAnswer("", "m", "")


def document(name: str) -> Document:
    return Document(name, "g", "file", name, name, name, "", "")


def extraction(name: str, tokens: int, rows: int, answer: ModelAnswer = PAID) -> Extraction:
    chunk = Chunk(f"c-{name}", name, "g", 0, "", tokens, 0, 0)
    nodes = tuple(NodeRow(1, f"n{each}", "PERSON", "PERSON", f"Ann {each}") for each in range(rows))
    outcome = ChunkOutcome.DONE if rows else ChunkOutcome.EMPTY
    return Extraction(chunk, (answer,), nodes, (), (), rows, outcome, "")


def report(*found: Extraction) -> RunCounts:
    """Count each extraction in a tally of its own, as workers do."""
    whole = Tally()
    for each in found:
        tally = Tally()
        tally.count(document(each.chunk.document_id), each)
        whole.add(tally)
    return whole.counted(RunCounts())


def few(found: RunCounts) -> list[str]:
    return [note for note in found.notes if note.startswith("few rows")]


@pytest.mark.parametrize("answer", [PAID, KEPT])
def test_a_document_with_fewer_rows_than_one_for_500_tokens_is_named(answer: ModelAnswer) -> None:
    found = report(
        extraction("long", 1_200, 1, answer), extraction("long", 1_200, 2, answer), extraction("rich", 500, 1, answer)
    )
    assert few(found) == ["few rows: 'long' gave 3 for 2,400 tokens of text"]
    assert found.few_rows is True  # 4 rows for 2,900 tokens


def test_one_poor_document_among_rich_ones_is_named_alone() -> None:
    found = report(extraction("empty", 540, 0), extraction("short", 40, 0), extraction("rich", 1_000, 30))
    assert few(found) == ["few rows: 'empty' gave 0 for 540 tokens of text"]
    assert found.few_rows is False


def test_what_no_model_read_now_and_what_failed_is_not_counted() -> None:
    failed = replace(extraction("failed", 1_000, 0), outcome=ChunkOutcome.FAILED)
    found = report(extraction("stored", 1_000, 0, STORED), failed)
    assert few(found) == []
    assert found.few_rows is False
    assert report().few_rows is False


def test_text_of_answers_that_is_no_row_is_reported_with_its_share() -> None:
    found = report(*(replace(extraction(f"d{share}", 10, 1), ignored=share / 10) for share in (5, 1, 2, 8)))
    assert found.notes[-1] == (
        "80% of the answer on chunk 1 of 'd8' was neither row nor header, and was ignored; "
        "so was more than 10% of 2 others"
    )
    alone = report(replace(extraction("d", 10, 1), ignored=0.5))
    assert alone.notes[-1] == "50% of the answer on chunk 1 of 'd' was neither row nor header, and was ignored"
