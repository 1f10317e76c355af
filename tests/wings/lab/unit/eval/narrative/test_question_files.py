"""The questions over real texts, written before any search saw them: their mix, and the places that answer them."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from kg_neo4j.acquire import files
from kg_neo4j.records import Document
from kg_neo4j_lab.narrative.questions import NarrativeQuestion, read_narrative

DATA = Path(__file__).resolve().parents[5] / "data"
CAROL = "a_christmas_carol_gutenberg.txt"
MIX = {  # detail, multi, overview
    "biography_questions": (18, 16, 10),
    "biography_held_out": (18, 16, 10),
    "alice_questions": (12, 10, 8),
    "christmas_carol_held_out": (12, 10, 8),
}
TEXTS = {"alice_questions": "alice_in_wonderland.txt", "christmas_carol_held_out": CAROL}
PLACES = {"detail": (1, 1), "multi": (2, 3), "overview": (3, 5)}  # of a question of that type
LENGTHS = (20, 250)  # characters of a place
APART = 1_500  # characters between the first and last place: more than a chunk of 200 tokens
WORD = re.compile(r"\w{4,}|\d+")


def read(name: str) -> tuple[NarrativeQuestion, ...]:
    return read_narrative(str(DATA / f"{name}.jsonl"))


def text_of(shared_data: Path, name: str) -> str:
    """Return the text of a document as the product reads it: places count in it, and not in the file."""
    (document,) = files.read([str(next(shared_data.rglob(name)))], graph="questions")
    assert isinstance(document, Document)
    return document.text


def words(text: str) -> set[str]:
    return set(WORD.findall(text.lower()))


@pytest.mark.parametrize("name", MIX)
def test_a_file_has_its_mix_of_types_each_with_its_number_of_places(name: str) -> None:
    questions = read(name)
    kinds = Counter(each.asked.type for each in questions)
    assert kinds == dict(zip(("detail", "multi", "overview"), MIX[name], strict=True))
    for each in questions:
        least, most = PLACES[each.asked.type]
        assert least <= len(each.spans) <= most, each.asked.id
        assert each.asked.text.endswith("?"), each.asked.id
        assert bool(each.asked.document) is (name not in TEXTS), each.asked.id


def test_no_question_or_id_comes_twice_and_no_document_is_in_two_biography_files() -> None:
    every = [each for name in (*MIX, "christmas_carol_questions") for each in read(name)]
    for column in ([each.asked.id for each in every], [each.asked.text for each in every]):
        assert len(set(column)) == len(column)
    seen, held_out = ({each.asked.document for each in read(f"biography_{part}")} for part in ("questions", "held_out"))
    assert (len(seen), len(held_out), seen & held_out) == (2, 2, set())


@pytest.mark.parametrize("name", MIX)
def test_places_are_whole_words_of_the_text_and_answer_the_question(shared_data: Path, name: str) -> None:
    texts: dict[str, str] = {}
    for each in read(name):
        asked, document = each.asked, TEXTS.get(name) or each.asked.document
        text = texts[document] = texts.get(document) or text_of(shared_data, document)
        for start, end in each.spans:
            assert end <= len(text), asked.id
            assert LENGTHS[0] <= end - start <= LENGTHS[1], asked.id
            assert text[start:end] == text[start:end].strip(), asked.id
            assert not re.match(r"\w\w", text[start - 1 : start + 1]), (asked.id, text[start:end])
            assert not re.match(r"\w\w", text[end - 1 : end + 1]), (asked.id, text[start:end])
        proof = " ".join(text[start:end] for start, end in each.spans).lower()
        if asked.type == "detail":
            assert any(word[:4] in proof for word in words(asked.answers[0])), (asked.id, proof)
        else:
            assert max(each.spans)[0] - min(each.spans)[0] >= APART, asked.id
        assert len(words(asked.text) & words(proof)) <= len(words(asked.text)) / 2, (asked.id, "copies its text")


def test_no_two_questions_share_a_place() -> None:
    taken: dict[str, list[tuple[int, int]]] = {}
    for name in (*MIX, "christmas_carol_questions"):
        for each in read(name):
            taken.setdefault(each.asked.document or TEXTS.get(name, CAROL), []).extend(each.spans)
    for document, spans in taken.items():
        ordered = sorted(spans)
        for (_, end), (start, _) in pairwise(ordered):
            assert end <= start, (document, start)
