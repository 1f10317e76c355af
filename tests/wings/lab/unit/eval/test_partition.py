"""One rule says which passages may be learned from; it never changes, or figures could not be compared."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_neo4j_lab import partition

CHECKOUT = Path(__file__).resolve().parents[5]


@pytest.mark.parametrize(
    ("title", "part"),
    [("Marie Curie", "train"), ("Żelazowa Wola", "train"), ("Chopin", "validation"), ("Rome", "test")],
)
def test_titles_keep_their_part(title: str, part: str) -> None:
    assert partition.part(title) == part
    assert partition.place(title) == pytest.approx(
        int(hashlib.sha1(title.encode()).hexdigest(), 16) / 2**160, abs=1e-12
    )


@given(st.text())
def test_every_title_has_one_part_and_the_borders_are_as_stated(title: str) -> None:
    where = partition.place(title)
    assert 0 <= where < 1
    expected = "train" if where < 0.68 else "validation" if where < 0.8 else "test"
    assert partition.part(title) == expected
    assert partition.is_test(title) == (expected == "test")


def test_a_fifth_of_many_titles_is_test_and_an_eighth_validation() -> None:
    parts = [partition.part(f"title {number}") for number in range(5_000)]
    assert parts.count("test") / 5_000 == pytest.approx(0.20, abs=0.02)
    assert parts.count("validation") / 5_000 == pytest.approx(0.12, abs=0.02)


def test_training_has_no_rule_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(CHECKOUT))
    sys.modules.pop("training.split", None)
    from training import split

    assert split.part is partition.part
    assert split.is_test is partition.is_test
    assert split.place is partition.place
