"""Numbered sentences: what gets a number, what a row may name, which quote it gets, and recorded answers read again."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fake_llm import FakeLlm
from kg_neo4j._models.openai_chat import OpenAIChat
from kg_neo4j._models.openai_endpoint import Endpoint
from kg_neo4j._models.tokens import Approximation
from kg_neo4j.acquire import chunking
from kg_neo4j.extract import numbering
from kg_neo4j.extract import schema as schemas
from kg_neo4j.extract.context import ChunkTask, Context, DocumentJob, Waves
from kg_neo4j.extract.engine import ExtractionConfig, extract_chunk, show
from kg_neo4j.extract.llm_extractor import LlmExtractor
from kg_neo4j.extract.reading import Reading, Shown, interpret
from kg_neo4j.extract.values import ValueRefused
from kg_neo4j.factory import door_to
from kg_neo4j.records import Chunk, ChunkOutcome, Document, ModelAnswer, RejectionReason, Span

RECORDED = Path(__file__).parents[2] / "data" / "recorded"
LEAN = schemas.load("lean")
TEXT = "Ada met Ben. They wrote a book. It sold well. Cleo, a printer, knew Ada."
NODES, RELATIONSHIPS = ",".join(LEAN.node_header), ",".join(LEAN.relationship_header)


def csv(nodes: str, relationships: str = "") -> str:
    return f"{NODES}\n{nodes}\n\n{RELATIONSHIPS}\n{relationships}\n"


def chunk_of(text: str) -> Chunk:
    return Chunk("c" * 32, "d" * 32, "main", 0, text, 20, 0, len(text))


def read(answer: str, text: str = TEXT, **options: object) -> object:
    said = ModelAnswer(answer, "m", "p", "stop", offsets=numbering.number(text))
    return interpret(chunk_of(text), [said], Reading(LEAN, str(options.get("evidence", "flag")), "c"), Shown(text))


async def no_wait(_seconds: float) -> None:
    await asyncio.sleep(0)


def configure(llm: FakeLlm, **options: object) -> ExtractionConfig:
    model = OpenAIChat("fake", Endpoint(llm.url, retries=0, sleep=no_wait))
    return ExtractionConfig(LEAN, LlmExtractor(door_to(model), LEAN), **options)  # type: ignore[arg-type]


@pytest.fixture
def task(document: Document) -> ChunkTask:
    return ChunkTask(document, chunk_of(TEXT))


def test_each_sentence_is_a_line_with_its_number() -> None:
    assert numbering.show(TEXT, numbering.number(TEXT)).splitlines() == [
        "1 Ada met Ben.",
        "2 They wrote a book.",
        "3 It sold well.",
        "4 Cleo, a printer, knew Ada.",
    ]


@given(
    st.lists(st.sampled_from("Ada ada Ben Adam she his Ada-Ben x . . ? \n".split(" ")), max_size=60).map(" ".join),
    st.lists(st.sampled_from(["Ada", "Ben", "Ada Ben", "Zoe"]), min_size=1, max_size=2),
    st.booleans(),
)
def test_a_row_without_numbers_is_placed_where_its_names_are(text: str, names: list[str], within: bool) -> None:
    offsets = numbering.number(text)
    shown = [text[slice(*each)] for each in offsets]
    forms = [re.compile(r"(?i)(?<!\w)" + r"\s+".join(name.split()) + r"(?!\w)") for name in names]
    held = [[bool(form.search(each)) for form in forms] for each in shown]
    spoken = [bool(numbering.PRONOUN.search(each)) for each in shown]
    wanted = [(at, at) for at, each in enumerate(held) if all(each)]
    wanted += [(at, at) for at, each in enumerate(held) if any(each) and spoken[at]]
    wanted += [(at, at + 1) for at in range(len(held) - 1) if any(held[at]) and spoken[at + 1] and not within]
    found = numbering.place(names, text, offsets, within=within)
    assert (found and (found[1].start, found[1].end)) == (
        (offsets[wanted[0][0]][0], offsets[wanted[0][1]][1]) if wanted else None
    )


@given(st.text(alphabet="aB.,; \n#|`", max_size=3_000))
def test_numbers_lose_no_word_and_keep_their_limits(text: str) -> None:
    offsets = numbering.number(text)
    assert len(offsets) <= numbering.MOST
    covered = {place for start, end in offsets for place in range(start, end)}
    assert all(char.isspace() for place, char in enumerate(text) if place not in covered)
    assert list(offsets) == sorted(offsets)
    assert all(start < end for start, end in offsets)


def test_a_long_sentence_is_parted_at_its_semicolons_else_commas_else_anywhere() -> None:
    for mark, last in (("; ", ";"), (", ", ","), ("", "x")):
        text = mark.join(["word" * 30 + "x"] * 8) + "."
        parts = [text[start:end] for start, end in numbering.number(text)]
        assert max(map(len, parts)) <= numbering.LONGEST
        assert len(parts) > 1
        if mark:
            assert all(part.endswith(last) for part in parts[:-1])


def test_code_is_numbered_by_groups_of_lines() -> None:
    text = "Run it so.\n\n```sh\n" + "\n".join(f"step {each}" for each in range(1, 15)) + "\n```\n\nThen stop."
    parts = [text[start:end] for start, end in numbering.number(text)]
    assert [part.count("\n") + 1 for part in parts] == [1, 8, 8, 1]


def test_more_than_120_sentences_share_numbers() -> None:
    offsets = numbering.number("\n".join(f"- item {each} of a list" for each in range(300)))
    assert len(offsets) == 100


@pytest.mark.parametrize(
    ("written", "quote"),
    [
        ("1", "Ada met Ben."),
        ("1-2", "Ada met Ben. They wrote a book."),
        ("2 1", "Ada met Ben. They wrote a book."),
        ("[1], [4]", "Ada met Ben. ... Cleo, a printer, knew Ada."),
        ("1 3 4", "Ada met Ben. ... It sold well. Cleo, a printer, knew Ada."),
        ("", "Ada met Ben."),  # the first that holds both names
    ],
)
def test_a_row_gets_the_sentences_that_it_names(written: str, quote: str) -> None:
    found = read(csv("1,n1,PERSON,Ada,,,,,\n1,n2,PERSON,Ben,,,,,", f'"{written}",n1,MET,n2,,,'))
    row = found.relationships[0]  # type: ignore[attr-defined]
    assert row.evidence == quote
    assert row.span.method == ("sentences" if written else "placed by rule")
    places = [(row.span.start, row.span.end), *row.span.others]
    assert [TEXT[start:end] for start, end in places] == quote.split(" ... ")


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("1-4", RejectionReason.TOO_MANY_SENTENCES),
        ("1 2 3 4", RejectionReason.TOO_MANY_SENTENCES),
        ("0", RejectionReason.NO_SUCH_SENTENCE),
        ("5", RejectionReason.NO_SUCH_SENTENCE),
        ("4-9", RejectionReason.NO_SUCH_SENTENCE),
        ("1-9999", RejectionReason.NO_SUCH_SENTENCE),
        ("Ada met Ben", RejectionReason.NO_SUCH_SENTENCE),
        ("1 Ada", RejectionReason.NO_SUCH_SENTENCE),
    ],
)
def test_other_numbers_are_reasons_of_rejection(written: str, reason: RejectionReason) -> None:
    found = read(csv(f"{written},n1,PERSON,Ada,,,,,"))
    assert [each.reason for each in found.rejections] == [reason]  # type: ignore[attr-defined]


def test_neighbours_above_600_characters_are_two_quotes() -> None:
    text = f"{'A' * 350}. {'B' * 350}. End."
    offsets = numbering.number(text)
    found = numbering.cite("1 2", text, offsets)
    assert found is not None
    assert found[0] == f"{'A' * 350}. ... {'B' * 350}."


TABLE = "Ships\n\nName | Built | Owner\nBrage | 1908 | Ada\nTordis | 1949 | Ben\nLomvi | 1957 | Cleo\n\nAda met Ben."


@pytest.mark.parametrize(
    ("written", "quotes"),
    [
        ("4", ["Name | Built | Owner", "Tordis | 1949 | Ben"]),
        ("3 5", ["Name | Built | Owner", "Brage | 1908 | Ada", "Lomvi | 1957 | Cleo"]),
        ("2 5", ["Name | Built | Owner", "Lomvi | 1957 | Cleo"]),  # the head is cited itself
        ("2-4", ["Name | Built | Owner\nBrage | 1908 | Ada\nTordis | 1949 | Ben"]),
        ("6", ["Ada met Ben."]),
    ],
)
def test_a_row_of_a_table_is_quoted_with_the_names_of_its_columns(written: str, quotes: list[str]) -> None:
    found = numbering.cite(written, TABLE, numbering.number(TABLE))
    assert found is not None
    quote, span = found
    assert quote == " ... ".join(quotes)
    assert sorted([(span.start, span.end), *span.others]) == [
        (at, at + len(each)) for each in quotes for at in [TABLE.index(each)]
    ]
    assert TABLE[span.start : span.end].startswith("Name") == (written[0] == "2")  # else the row itself comes first


def test_a_table_of_two_columns_has_no_names_of_columns() -> None:
    text = "Born | 1867\nField | Physics"
    assert numbering.cite("2", text, numbering.number(text)) == ("Field | Physics", Span(12, 27, "sentences"))


def test_what_a_chunk_repeats_gets_no_number_and_is_shown_as_what_came_before(document: Document) -> None:
    text = " ".join(f"Ada met person {each} in town {each}." for each in range(60))
    whole = replace(document, text=text)
    chunks = chunking.chunk(whole, Approximation(), max_tokens=120, overlap=30)
    waves = Waves(DocumentJob(whole, chunks, chunks), 8)
    tasks = [each for each in (waves.take() for _ in chunks) if each]
    assert len(tasks) > 3
    assert any(each.repeated for each in tasks)
    lines: list[str] = []
    for each in tasks:
        shown = show(each.chunk, "none", "en", "sentences", repeated=each.repeated)
        lines += [line.partition(" ")[2] for line in shown.text.splitlines()]
        assert each.chunk.text[: each.repeated].strip() in each.context.before
    assert " ".join(lines) == text


def test_a_chunk_that_begins_within_a_table_is_shown_the_names_of_its_columns(document: Document) -> None:
    rows = "\n".join(f"Ship {each} | 19{each} | Owner {each}" for each in range(10, 70))
    whole = replace(document, text=f"Name | Built | Owner\n{rows}")
    chunks = chunking.chunk(whole, Approximation(), max_tokens=200)
    waves = Waves(DocumentJob(whole, chunks, chunks), 8)
    first, *others = [each for each in (waves.take() for _ in chunks) if each]
    assert others
    assert not first.context.before
    assert all(each.context.before.startswith("Name | Built | Owner\nShip") for each in others)


def test_a_row_without_a_sentence_is_rejected_only_where_that_is_asked() -> None:
    answer = csv(",n1,PERSON,Zoe,,,,,")
    assert read(answer).nodes[0].span is None  # type: ignore[attr-defined]
    rejected = read(answer, evidence="reject").rejections  # type: ignore[attr-defined]
    assert [each.reason for each in rejected] == [RejectionReason.NO_EVIDENCE]


def test_a_name_is_placed_where_it_stands_as_a_word() -> None:
    text = "Benjamin knew Ada. Ben knew ADA, too."
    found = numbering.place(["Ben", "Ada"], text, numbering.number(text))
    assert found is not None
    assert found[0] == "Ben knew ADA, too."


def test_words_that_refuse_numbers_say_so() -> None:
    with pytest.raises(ValueRefused, match="1 to 4"):
        numbering.cite("7", TEXT, numbering.number(TEXT))


# ------------------------------------------------------------------------------------------------ the conversation


def test_a_rejected_row_is_asked_for_once_more_and_the_same_text_is_shown(llm: FakeLlm, task: ChunkTask) -> None:
    two = "1,n1,PERSON,Ada,,,,,\n1,n2,PERSON,Ben,,,,,"
    llm.say(csv(two, "9,n1,MET,n2,,,")).say(csv("", "1,n1,MET,n2,,,"))
    found = extract_chunk(task, configure(llm))
    assert [(row.type, row.evidence) for row in found.relationships] == [("MET", "Ada met Ben.")]
    assert [each.repaired for each in found.rejections] == [True]
    first, second = (request.body["messages"] for request in llm.requests)
    assert "1 Ada met Ben.\n2 They wrote a book." in first[1]["content"]
    assert second[1]["content"].startswith(first[1]["content"])
    assert "no such sentence" in second[1]["content"]


def test_what_is_shown_beside_the_text_is_kept_with_the_answer_as_far_as_it_is_used(
    llm: FakeLlm, task: ChunkTask
) -> None:
    document = replace(task.document, title="Yearbook of Vardnes, 1843")
    given = replace(task, document=document, context=Context("Captain Berg left.", (("Dora Lind", "PERSON"),)))
    llm.say(csv("1,n1,PERSON,Ada,1843-05,,,,\n1,n2,PERSON,Captain Berg,,,,,\n1,n3,PERSON,Zoe,,,,,"))
    found = extract_chunk(given, configure(llm))
    assert found.answers[0].around == "1843 Captain Berg"
    assert [[str(flag) for flag in node.flags] for node in found.nodes] == [[], [], ["name_not_in_text"]]


def test_halves_keep_the_numbers_of_the_whole(llm: FakeLlm, task: ChunkTask) -> None:
    llm.fail(400, code="context_length_exceeded").say(csv("1,n1,PERSON,Ada,,,,,")).say(csv("4,n1,PERSON,Cleo,,,,,"))
    found = extract_chunk(task, configure(llm, repair=False))
    users = [request.body["messages"][1]["content"] for request in llm.requests]
    assert [("1 Ada" in user, "4 Cleo" in user) for user in users] == [(True, True), (True, False), (False, True)]
    assert [node.evidence for node in found.nodes] == ["Ada met Ben.", "Cleo, a printer, knew Ada."]


def test_the_offsets_shown_are_kept_and_the_text_is_not_cut_again(
    llm: FakeLlm, task: ChunkTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    llm.say(csv("4,n1,PERSON,Cleo,,,,,"))
    found = extract_chunk(task, configure(llm))
    assert found.answers[0].offsets == numbering.number(TEXT)
    monkeypatch.setattr(numbering, "sentences", lambda text, start, end, language=None: iter([(0, 3)]))
    again = extract_chunk(replace(task, stored=found.answers), configure(llm))
    assert (again.nodes, again.relationships) == (found.nodes, found.relationships)
    assert llm.calls == 1


@pytest.mark.needs("kg_neo4j_offline")
def test_without_stop_words_lines_are_numbered_and_the_quote_is_the_sentence_of_the_source(
    llm: FakeLlm, task: ChunkTask
) -> None:
    llm.say(csv("2,n1,WORK,book,,,,,"))
    found = extract_chunk(task, configure(llm, preprocess="stopwords"))
    assert "\n2 wrote book.\n" in llm.requests[0].body["messages"][1]["content"]
    assert found.nodes[0].evidence == "They wrote a book."


def test_rules_see_plain_text(task: ChunkTask) -> None:
    shown = show(task.chunk, "none", None, "sentences", numbered=False)
    assert (shown.text, shown.offsets) == (TEXT, ())
    said = ModelAnswer(csv("Cleo,n1,PERSON,Cleo,,,,,"), "rules", "p", "stop")
    found = interpret(task.chunk, [said], Reading(LEAN, "reject", "c"), shown)
    assert found.nodes[0].span is not None
    assert found.nodes[0].span.method == "exact"  # rules copy words


# ------------------------------------------------------------------------------------------------ recorded answers


@pytest.mark.parametrize(
    ("name", "document", "rows"),
    [
        *(("numbered_sentences", *each) for each in (("curie", 1004), ("lalka", 158), ("harbour", 631))),
        *(("unseen", *each) for each in (("chopin", 201), ("copernicus", 130), ("newton", 126), ("muhammad", 87))),
        *(("unseen", *each) for each in (("lalka_b", 79), ("lalka_c", 76))),
        ("names_so_far", "curie", 584),
    ],
)
def test_recorded_answers_are_read(name: str, document: str, rows: int) -> None:
    """No row is rejected, and each has its sentences."""
    lines = (RECORDED / f"extraction_{name}.jsonl").read_text(encoding="utf-8").splitlines()
    accepted = 0
    for line in (line for line in map(json.loads, lines) if line["document"] == document):
        offsets = tuple((start, end) for start, end in line["offsets"])
        text = "".join("x" if any(a <= place < b for a, b in offsets) else " " for place in range(offsets[-1][1]))
        said = ModelAnswer(line["answer"], "m", "p", "stop", offsets=offsets)
        found = interpret(chunk_of(text), [said], Reading(LEAN, "flag", "c"), Shown(text))
        assert (found.outcome, found.rejections) == (ChunkOutcome.DONE, ())
        assert all(row.span is not None for row in (*found.nodes, *found.relationships))
        accepted += len(found.nodes) + len(found.relationships)
    assert accepted == rows
