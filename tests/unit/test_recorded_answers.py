"""Recorded answers are found by chunk, question and claim; where none fits, they raise."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kg_neo4j._models.protocols import Completion
from kg_neo4j.records import Usage
from recorded_answers import NotRecorded, RecordedAnswers, about_of

READ = "You read a text and write down the knowledge graph that it states."
ANSWER = "You answer questions from the evidence that you are given."
JUDGE = "You check whether claims are supported by the passages that they cite."
CHUNK = "===== begin ab =====\n1 {}\n===== from the document ab =====\nDocument: Mill\n"
CLAIMS = "Claim 1: {}\nAsked: Who built it?\nPassage of “Mill”: Ada built it.\n"
EVIDENCE = "[1] Mill\n1.1 {}\n1.2 {}\nfacts\nF1 Ada BUILT the mill\n\nQuestion: Who built it?"
FIRST, SECOND = "Tom sold it.", "Ada built it."


class Large:
    """Says one thing, and counts how often."""

    name, window, calls = "large", 8_000, 0

    def __init__(self, text: str) -> None:
        self.text = text

    def complete(
        self, system: str, user: str, *, max_tokens: int | None = None, temperature: float = 0.0
    ) -> Completion:
        self.calls += 1
        return Completion(self.text, "stop", Usage(calls=1))


def recorded(tmp_path: Path, text: str, system: str, user: str) -> RecordedAnswers:
    """Return what replays the answer `text` to a prompt, once it is recorded."""
    first, path = RecordedAnswers({}, other=Large(text)), tmp_path / "rows.jsonl"
    assert first.complete(system, user).text == text
    path.write_text("".join(json.dumps(row) + "\n" for row in first.new), encoding="utf-8")
    return RecordedAnswers({"all": path})


def test_a_chunk_is_known_by_its_words_and_its_task(tmp_path: Path) -> None:
    model = recorded(tmp_path, "rows", READ, CHUNK.format(FIRST))
    elsewhere = CHUNK.format(FIRST).replace("ab", "cd").replace("Document: Mill", "Document: Mill 2")
    assert model.complete(READ, elsewhere).text == "rows"
    for user in (CHUNK.format(SECOND), f"{CHUNK.format(FIRST)}For this text these nodes stand already"):
        with pytest.raises(NotRecorded, match="no answer is recorded"):
            model.complete(READ, user)


def test_an_answer_cites_the_numbers_that_its_sentences_have_now(tmp_path: Path) -> None:
    model = recorded(tmp_path, "Ada built it [1.2][F1].", ANSWER, EVIDENCE.format(FIRST, SECOND))
    assert model.complete(ANSWER, EVIDENCE.format(SECOND, FIRST)).text == "Ada built it [1.1][F1]."
    with pytest.raises(NotRecorded, match=r"cites what is not shown now: Ada built it\."):
        model.complete(ANSWER, EVIDENCE.format(FIRST, FIRST))
    with pytest.raises(NotRecorded, match="Who sold it"):
        model.complete(ANSWER, EVIDENCE.format(FIRST, SECOND).replace("built it?", "sold it?"))


def test_a_sentence_that_stands_twice_is_known_by_its_passage(tmp_path: Path) -> None:
    twice = f"[1] May\n1.1 {FIRST}\n\n[2] June\n2.1 {FIRST}\n\nQuestion: Who sold it?"
    model = recorded(tmp_path, "Tom sold it [1.1].", ANSWER, twice)
    assert model.complete(ANSWER, twice).text == "Tom sold it [1.1]."
    turned = twice.replace("May", "July").replace("June", "May")
    assert model.complete(ANSWER, turned).text == "Tom sold it [2.1]."


def test_a_mark_that_cannot_be_renumbered_is_not_recorded() -> None:
    for text in ("Ada built it [1.1-1.2].", "Ada built it [1.3]."):
        with pytest.raises(NotRecorded, match="marks"):
            RecordedAnswers({}, other=Large(text)).complete(ANSWER, EVIDENCE.format(FIRST, SECOND))


def test_a_verdict_is_known_by_its_claims(tmp_path: Path) -> None:
    model = recorded(tmp_path, "{}", JUDGE, CLAIMS.format(SECOND))
    assert model.complete(JUDGE, CLAIMS.format(SECOND)).text == "{}"
    with pytest.raises(NotRecorded, match=r"Tom sold it\."):
        model.complete(JUDGE, CLAIMS.format(FIRST))


def test_other_prompts_are_refused() -> None:
    with pytest.raises(NotRecorded, match="such prompts"):
        about_of("You name communities.", "Ada, Tom")


def test_the_other_model_is_asked_once() -> None:
    large = Large("rows")
    model = RecordedAnswers({}, other=large)
    assert [model.complete(READ, CHUNK.format(FIRST)).text for _ in range(2)] == ["rows", "rows"]
    assert (large.calls, len(model.new)) == (1, 1)


def test_all_recorded_answers_are_found_again_and_shape_the_name() -> None:
    model = RecordedAnswers()
    assert model.name.startswith("recorded-")
    assert model.name != RecordedAnswers({}).name
