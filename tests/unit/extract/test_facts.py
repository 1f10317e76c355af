"""Rows that are one fact each: what they become, what is refused, and how a model is asked for them."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from pathlib import Path

import pytest

from fake_llm import FakeLlm
from kg_neo4j._models.openai_chat import OpenAIChat
from kg_neo4j._models.openai_endpoint import Endpoint
from kg_neo4j.errors import UsageError
from kg_neo4j.extract import facts, numbering
from kg_neo4j.extract import schema as schemas
from kg_neo4j.extract.context import ChunkTask, Context
from kg_neo4j.extract.engine import ExtractionConfig, extract_chunk
from kg_neo4j.extract.llm_extractor import LlmExtractor
from kg_neo4j.extract.rows import SECTIONS, RowKind
from kg_neo4j.factory import door_to
from kg_neo4j.pipeline.estimates import Estimate, Figures, Fixed
from kg_neo4j.records import Chunk, ChunkOutcome, Document, RejectionReason

SMALL = schemas.load("small")
HEADER = SMALL.headers[0]
TAIL = "," * (len(SMALL.facts) - 6)


def row(*fields: str) -> str:
    return ",".join(fields) + TAIL


def answer(*rows: str) -> str:
    return "\n".join((HEADER, *rows)) + "\n"


def passage(sentences: int) -> Chunk:
    text = " ".join(
        f"Person{number} Alder met Person{number + 1} Alder in Town{number}." for number in range(sentences)
    )
    return Chunk("c", "d", "test", 0, text, 0, len(text), 200)


DOCUMENT = Document("d", "test", "Alders", "", "", "", "", "en")


def configure(llm: FakeLlm) -> ExtractionConfig:
    model = OpenAIChat("fake", Endpoint(llm.url, retries=0, sleep=lambda _: asyncio.sleep(0)))
    return ExtractionConfig(SMALL, LlmExtractor(door_to(model), SMALL), gleanings=1)


def test_a_row_gives_its_ends_once_and_a_relationship() -> None:
    said = answer(
        row("1", "Ada", "PERSON", "KNEW", "Ben", "PERSON"), row("2", "ada", "Person", "VISITED", "Rome", "PLACE")
    )
    found = facts.read(said, SMALL, finish_reason="stop")
    nodes = [each.fields for each in found.rows if each.kind is RowKind.NODE]
    assert nodes == [("1", "n1", "PERSON", "Ada"), ("1", "n2", "PERSON", "Ben"), ("2", "n3", "PLACE", "Rome")]
    links = [each.fields[:4] for each in found.rows if each.kind is RowKind.RELATIONSHIP]
    assert links == [("1", "n1", "KNEW", "n2"), ("2", "n1", "VISITED", "n3")]
    assert found.sections >= SECTIONS
    assert found.rejections == ()


@pytest.mark.parametrize("empty", ["", "-", "UNKNOWN", "n/a", "None"])
@pytest.mark.parametrize("place", [1, 2, 3, 4, 5])
def test_a_row_that_lacks_a_part_is_one_rejection_and_makes_no_node(empty: str, place: int) -> None:
    fields = ["1", "Ada", "PERSON", "KNEW", "Ben", "PERSON"]
    fields[place] = empty
    found = facts.read(answer(row(*fields)), SMALL, finish_reason="stop")
    assert found.rows == ()
    assert [each.reason for each in found.rejections] == [RejectionReason.EMPTY_FIELD]
    assert list(SMALL.facts)[place] in found.rejections[0].detail


def test_a_number_beyond_the_sentences_shown_is_refused() -> None:
    rows = [row(number, "Ada", "PERSON", "KNEW", "Ben", "PERSON") for number in ("3", "11", "2-12", "two")]
    found = facts.read(answer(*rows), SMALL, finish_reason="stop", sentences=10)
    assert [each.reason for each in found.rejections] == [RejectionReason.NO_SUCH_SENTENCE] * 3
    assert len(found.rows) == 3


def test_two_sections_are_read_as_well() -> None:
    sections = schemas.answer_of(replace(SMALL, form="sections"), (), ())
    found = facts.read(f"{sections.splitlines()[0]}\n1,n1,PERSON,Ada\n", SMALL, finish_reason="stop")
    assert [each.kind for each in found.rows] == [RowKind.NODE]


def test_the_worked_example_is_accepted_whole_and_written_again(document: Document) -> None:
    offsets = numbering.number(SMALL.example_text)
    found = facts.read(SMALL.example_answer, SMALL, finish_reason="stop", sentences=len(offsets))
    assert found.rejections == ()
    assert (
        len([each for each in found.rows if each.kind is RowKind.RELATIONSHIP])
        == len(SMALL.example_answer.strip().splitlines()) - 1
    )


def test_ten_sentences_are_asked_about_at_a_time_with_what_came_before(llm: FakeLlm) -> None:
    chunk = passage(23)
    said = [(1, 0), (11, 10), (21, 20)]
    for number, place in said:
        llm.say(answer(row(str(number), f"Person{place} Alder", "PERSON", "MET", f"Person{place + 1} Alder", "PERSON")))
    found = extract_chunk(
        ChunkTask(DOCUMENT, chunk, context=Context("He was old.", (("Eve", "PERSON"),))), configure(llm)
    )
    assert found.outcome is ChunkOutcome.DONE
    assert (found.rows_read, len(found.nodes), len(found.relationships)) == (9, 6, 3)
    shown = [re.findall(r"^(\d+) Person", request.user, re.MULTILINE) for request in llm.requests]
    assert [(each[0], each[-1]) for each in shown] == [("1", "10"), ("11", "20"), ("21", "23")]
    assert "He was old." in llm.requests[0].user
    assert "in Town9.\n" in llm.requests[1].user
    assert "Person1 Alder (PERSON)" in llm.requests[1].user
    assert "Eve (PERSON)" in llm.requests[2].user
    quotes = [chunk.text[each.span.start : each.span.end] for each in found.relationships if each.span]
    assert quotes == [f"Person{place} Alder met Person{place + 1} Alder in Town{place}." for _, place in said]


def test_a_number_of_the_next_part_is_refused_and_a_part_that_fails_leaves_the_others(llm: FakeLlm) -> None:
    llm.say(answer(row("12", "Person11 Alder", "PERSON", "MET", "Person12 Alder", "PERSON")))
    llm.fail(400, code="content_filter", message="filtered")
    llm.say(answer(row("21", "Person20 Alder", "PERSON", "MET", "Person21 Alder", "PERSON")))
    found = extract_chunk(ChunkTask(DOCUMENT, passage(23)), configure(llm))
    assert [each.reason for each in found.rejections] == [RejectionReason.NO_SUCH_SENTENCE]
    assert [each.type for each in found.relationships] == ["MET"]
    assert found.outcome is ChunkOutcome.TRUNCATED
    assert "filter" in found.detail


def test_the_same_answers_give_the_same_rows_again(llm: FakeLlm) -> None:
    config, chunk = configure(llm), passage(12)
    for number in (1, 11):
        llm.say(answer(row(str(number), "Person1 Alder", "PERSON", "MET", f"Person{number} Alder", "PERSON")))
    first = extract_chunk(ChunkTask(DOCUMENT, chunk), config)
    again = extract_chunk(ChunkTask(DOCUMENT, chunk, first.answers), config)
    assert again == first
    assert len(llm.requests) == 2
    assert all(each.text.startswith(HEADER) for each in again.answers)


def test_a_number_of_another_sentence_is_set_right_by_the_names(llm: FakeLlm) -> None:
    """A small model counts its rows instead of the sentences."""
    llm.say(
        answer(
            row("1", "Person2 Alder", "PERSON", "MET", "Person3 Alder", "PERSON"),
            row("2", "Person1 Alder", "PERSON", "MET", "Person2 Alder", "PERSON"),
            row("3", "Person2 Alder", "PERSON", "KNEW", "Person0 Alder", "PERSON"),
        )
    )
    chunk = passage(5)
    found = extract_chunk(ChunkTask(DOCUMENT, chunk), configure(llm))
    placed = [
        (chunk.text[each.span.start : each.span.end][:7], each.span.method) for each in found.relationships if each.span
    ]
    assert placed == [
        ("Person2", numbering.PLACED),
        ("Person1", numbering.NAMED),
        ("Person2", numbering.NAMED),  # no sentence holds both: the number stays
    ]


def with_line(line: str, text: str = SMALL.text) -> str:
    return text.replace('form = "facts"', line)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (with_line('form = "triples"'), "form = 'triples'"),
        (with_line('form = "sections"'), "form = 'sections'"),
        (SMALL.text.replace("sentences_a_call = 10", "sentences_a_call = -1"), "sentences_a_call = -1"),
        (SMALL.text.replace(HEADER, "a,b"), "lacks the header row"),
        (
            SMALL.text.replace(
                "[[relationships]]",
                '[[nodes]]\nname = "role"\nkind = "text"\nfold = "mode"\nnote = ""\n[[relationships]]',
                1,
            ),
            "columns: role",
        ),
    ],
)
def test_a_schema_file_of_facts_is_checked(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "own.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=re.escape(words)):
        schemas.load(str(path))


def test_a_form_is_part_of_what_a_schema_means() -> None:
    other = schemas.parse(SMALL.text.replace("sentences_a_call = 10", "sentences_a_call = 5"), "own")
    assert other.hash != SMALL.hash
    assert schemas.parse(schemas.write(SMALL, ["same"]), "own").hash == SMALL.hash


def test_a_plan_counts_a_call_and_the_prompt_for_each_part() -> None:
    figures = Figures(output=2.0, shown=1.0, gleanings=0.0, gleaned=0.0, repairs=0.0)
    estimate = Estimate(figures, Fixed(whole=100, glean=0, repair=0))
    estimate.ask(150.0, 50, first=True, calls=3)
    whole = estimate.usages(None)["whole"]
    assert (whole.calls, whole.input_tokens, whole.output_tokens) == (3, 350, 100)
