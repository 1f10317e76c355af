"""No passage of the test is among those that the embedder learned from, and no question of the multi-hop sets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kg_neo4j_lab.partition import TEST_FROM, is_test, place

CHECKOUT = Path(__file__).resolve().parents[5]
TITLES = CHECKOUT / "training" / "embedder" / "titles.txt"


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(CHECKOUT))
    from training.embedder import questions, texts

    return texts, questions


def test_no_title_that_was_learned_from_falls_into_the_test():
    learned = [float(line) for line in TITLES.read_text(encoding="utf-8").split()]
    assert len(learned) > 300
    assert max(learned) < TEST_FROM


def test_what_was_learned_from_is_what_the_reader_gives(embedder, shared_data):
    read = embedder[0].read(shared_data)
    learned = [float(line) for line in TITLES.read_text(encoding="utf-8").split()]
    assert not [title for title in read.titles if is_test(title)]
    assert sorted(learned) == pytest.approx(sorted(place(title) for title in set(read.titles)), abs=1e-12)


def test_test_passages_stand_in_nothing_that_was_learned_from(embedder, shared_data):
    read = embedder[0].read(shared_data)
    everything = {line for passage in (*read.passages, *read.sentences) for line in passage.split("\n")}
    for name in ("2wiki_dev", "musique_dev", "hotpotqa_dev"):
        rows = read_rows(shared_data / "multihop" / name / "corpus.jsonl")
        held = [row["text"] for row in rows if is_test(row["title"])]
        assert len(held) > 100
        assert not everything & set(held)


def test_no_question_of_the_sets_is_asked_in_training(embedder, shared_data):
    texts, questions = embedder
    asked = {each.text for each in questions.ask(texts.read(shared_data).passages, 5_000, 1)}
    for name in ("2wiki_dev", "musique_dev", "hotpotqa_dev"):
        rows = read_rows(shared_data / "multihop" / name / "questions.jsonl")
        assert not asked & {row["question"] for row in rows}


def read_rows(file: Path) -> list[dict[str, Any]]:
    with file.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def test_questions_are_about_names_of_their_passages_and_always_the_same(embedder):
    _, questions = embedder
    passages = ["Vesta\nThe ship Vesta sailed from Vardal Harbour to Lima.", "Kosmos\nIn Berlin he read Kosmos aloud."]
    asked = questions.ask(passages, 40, 1)
    assert asked == questions.ask(passages, 40, 1)
    assert any("Vardal Harbour" in each.text and 0 in each.passages for each in asked)
    assert all(each.passages and max(each.passages) < 2 for each in asked)
