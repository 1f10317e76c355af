"""No passage of the test is among those that the relation model learned from."""

from __future__ import annotations

from pathlib import Path

import pytest

from kg_neo4j_lab.partition import TEST_FROM, is_test, place

CHECKOUT = Path(__file__).resolve().parents[5]
LEARNED = [
    float(line) for line in (CHECKOUT / "training" / "relations" / "titles.txt").read_text(encoding="utf-8").split()
]


@pytest.fixture
def passages(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(CHECKOUT))
    from training.relations import passages

    return passages


def test_no_title_that_was_learned_from_falls_into_the_test():
    assert len(LEARNED) > 3_000
    assert max(LEARNED) < TEST_FROM


def test_what_was_learned_from_is_what_the_readers_give(passages, shared_data):
    titles = {each.title for each in passages.annotated(shared_data, "train")}
    titles |= {each.title for each in passages.texts(shared_data)}
    assert not [title for title in titles if is_test(title)]
    assert set(LEARNED) <= {float(f"{place(title):.13f}") for title in titles}


def test_relations_and_mentions_are_those_of_the_annotation(passages, shared_data):
    names = list(passages.relations(shared_data).values())
    found = passages.annotated(shared_data, "validation")
    assert len(found) == 63
    assert sum(len(each.relations) for each in found) == 2_039
    for each in found:
        for source, kind, target in each.relations:
            assert names[kind]
            assert each.entities[source].mentions
            assert each.sentences_of(each.entities[target])
