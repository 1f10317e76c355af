"""No passage of the test is among those that the English pipeline learned from."""

from __future__ import annotations

from pathlib import Path

import pytest

from kg_neo4j_lab.partition import TEST_FROM, is_test, place

CHECKOUT = Path(__file__).resolve().parents[5]
LEARNED = [float(line) for line in (CHECKOUT / "training" / "ner" / "titles.txt").read_text(encoding="utf-8").split()]


@pytest.fixture
def passages(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(CHECKOUT))
    from training.ner import passages

    return passages


def test_no_title_that_was_learned_from_falls_into_the_test():
    assert len(LEARNED) > 3_000
    assert max(LEARNED) < TEST_FROM


def test_what_was_learned_from_is_what_the_reader_gives(passages, shared_data):
    titles = {each.title for each in passages.annotated(shared_data, "train", "validation")}
    titles |= {each.title for each in passages.unannotated(shared_data)}
    assert not [title for title in titles if is_test(title)]
    assert sorted(LEARNED) == pytest.approx(sorted(place(title) for title in titles), abs=1e-12)


def test_no_test_passage_hides_among_the_passages_under_another_title(passages, shared_data):
    learned = set()
    for each in [*passages.annotated(shared_data, "train", "validation"), *passages.unannotated(shared_data)]:
        learned |= runs(each.text)
    for each in passages.annotated(shared_data, "test"):
        own = runs(each.text)
        assert len(own & learned) < 0.05 * len(own), each.title


def runs(text: str) -> set[tuple[str, ...]]:
    """All runs of eight words."""
    words = text.lower().split()
    return {tuple(words[start : start + 8]) for start in range(len(words) - 7)}


def test_spans_are_the_annotated_words(passages, shared_data):
    for each in passages.annotated(shared_data, "validation"):
        for start, end, label in each.spans:
            assert label in passages.LABELS
            assert each.text[start:end].strip() == each.text[start:end] != ""
