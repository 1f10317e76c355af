"""Folding depends on the set of evidence, never on the order in which it came."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_neo4j.extract.schema import ColumnKind, FoldRule, SchemaColumn
from kg_neo4j.graph.fold import JOINED_CHARACTERS, EvidenceRow, fold_entity, fold_fact, fold_values
from kg_neo4j.records import PropertyValue

COLUMNS = (
    SchemaColumn("birth_year", ColumnKind.YEAR, "", FoldRule.MODE),
    SchemaColumn("role", ColumnKind.TEXT, "", FoldRule.MODE),
    SchemaColumn("description", ColumnKind.TEXT, "", FoldRule.JOIN),
    SchemaColumn("strength", ColumnKind.NUMBER, "", FoldRule.MAX),
    SchemaColumn("since", ColumnKind.YEAR, "", FoldRule.MIN),
    SchemaColumn("places", ColumnKind.TEXT, "", FoldRule.UNION),
)


def row(number: int, name: str = "Anna", kind: str = "PERSON", **values: PropertyValue) -> EvidenceRow:
    return EvidenceRow(("d", number, 0), name, kind, values)


rows = st.lists(
    st.builds(
        EvidenceRow,
        st.tuples(st.sampled_from(["d1", "d2"]), st.integers(0, 5), st.integers(0, 5)),
        st.sampled_from(["Anna", "ANNA", "Anna M.", "Ánna"]),
        st.sampled_from(["PERSON", "PLACE"]),
        st.fixed_dictionaries(
            {},
            optional={
                "birth_year": st.integers(1900, 1903),
                "role": st.sampled_from(["cook", "poet", "Poet"]),
                "description": st.sampled_from(["One.", "Two.", "Three."]),
                "strength": st.integers(1, 10),
                "since": st.integers(-5, 5),
                "places": st.sampled_from(["b", "a"]),
            },
        ),
    ),
    min_size=1,
    max_size=12,
    unique_by=lambda row: row.order,
)


@given(rows, st.randoms())
def test_any_order_of_evidence_gives_the_same_values(evidence: list[EvidenceRow], draw: random.Random) -> None:
    shuffled = list(evidence)
    draw.shuffle(shuffled)
    assert fold_entity(shuffled, COLUMNS) == fold_entity(evidence, COLUMNS)
    assert fold_fact(shuffled, COLUMNS) == fold_fact(evidence, COLUMNS)


@given(rows)
def test_every_piece_of_evidence_counts(evidence: list[EvidenceRow]) -> None:
    folded = fold_entity(evidence, COLUMNS)
    assert folded["evidence_count"] == len(evidence)
    spellings = {row.name for row in evidence}
    assert {folded["name"], *folded["aliases"]} == spellings  # type: ignore[misc]


def test_the_name_is_the_most_frequent_then_longest_then_smallest_spelling() -> None:
    assert fold_entity([row(1, "B"), row(2, "A"), row(3, "A")], ())["name"] == "A"
    assert fold_entity([row(1, "Anna"), row(2, "Anna Maria")], ())["name"] == "Anna Maria"
    assert fold_entity([row(1, "Bb"), row(2, "Aa")], ())["name"] == "Aa"


def test_aliases_are_the_other_spellings_most_frequent_first() -> None:
    evidence = [row(1, "x"), row(2, "y"), row(3, "y"), row(4, "zz"), row(5, "zz"), row(6, "zz")]
    assert fold_entity(evidence, ())["aliases"] == ["y", "x"]


@pytest.mark.parametrize(
    ("rule", "values", "folded"),
    [
        (FoldRule.MODE, [1900, 1901, 1901], 1901),
        (FoldRule.MODE, [1901, 1900], 1900),
        (FoldRule.MODE, ["b", "a"], "a"),
        (FoldRule.MODE, ["x", 3], 3),
        (FoldRule.MIN, [3, -1, 2], -1),
        (FoldRule.MAX, [3, 9.5, 2], 9.5),
        (FoldRule.UNION, ["b", "a", "b"], ["a", "b"]),
        (FoldRule.UNION, ["b"], ["b"]),
        (FoldRule.JOIN, ["One.", "Two.", "One.", " "], "One. Two."),
    ],
)
def test_fold_rules(rule: FoldRule, values: list[PropertyValue], folded: object) -> None:
    assert fold_values(values, rule) == folded


def test_joined_texts_stay_whole_and_bounded() -> None:
    texts: list[PropertyValue] = [f"{n:04d}" + "x" * 496 for n in range(10)]
    joined = fold_values(texts, FoldRule.JOIN)
    assert isinstance(joined, str)
    assert len(joined) <= JOINED_CHARACTERS
    assert joined.split(" ") == texts[:3]


def test_one_text_longer_than_the_bound_is_kept_whole() -> None:
    assert fold_values(["x" * 5000], FoldRule.JOIN) == "x" * 5000


def test_columns_without_any_value_are_left_out() -> None:
    assert set(fold_fact([row(1, role="cook")], COLUMNS)) == {"evidence_count", "role"}
