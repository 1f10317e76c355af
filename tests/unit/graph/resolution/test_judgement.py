"""What is read of a model's answer on pairs: only rows as asked, each pair once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_neo4j.graph.resolution.judgement import read_answer

HEADER = "pair,same,reason\n"


def test_each_row_decides_its_pair() -> None:
    text = HEADER + '1,yes,spelling\n2,NO,"father, not son"\n3, unsure ,too little\n'
    assert read_answer(text, 3) == (
        {0: (True, "spelling"), 1: (False, "father, not son"), 2: (None, "too little")},
        0,
    )


@pytest.mark.parametrize(
    "row",
    [
        *("4,yes,unknown pair", "0,yes,none", "-1,yes,x", "1,maybe,x", "1,yes", "1,yes,a,b", "x,yes,y", "²,yes,y"),
        *("9" * 40, "yes", ",,", "1;yes;x", "Here is my answer:"),
    ],
)
def test_a_row_of_another_shape_is_refused_and_counted(row: str) -> None:
    assert read_answer(f"{HEADER}{row}\n2,yes,right\n", 3) == ({1: (True, "right")}, 1)


def test_the_first_answer_on_a_pair_counts() -> None:
    assert read_answer(HEADER + "1,no,first\n1,yes,second\n", 1) == ({0: (False, "first")}, 1)


def test_rows_without_the_header_row_are_refused() -> None:
    assert read_answer("1,yes,spelling\n", 1) == ({}, 1)
    assert read_answer("```csv\n" + HEADER + "1,yes,x\n```\n", 1) == ({0: (True, "x")}, 2)
    assert read_answer("", 1) == ({}, 0)


def test_an_open_quote_costs_its_row_alone() -> None:
    answers, rejected = read_answer(HEADER + '1,yes,"open\n2,no,closed\n', 2)
    assert answers[1] == (False, "closed")
    assert len(answers) + rejected == 2


@given(st.text(max_size=300), st.integers(0, 5))
def test_no_text_makes_more_than_was_asked(text: str, pairs: int) -> None:
    for whole in (text, HEADER + text):
        answers, rejected = read_answer(whole, pairs)
        assert set(answers) <= set(range(pairs))
        assert rejected >= 0
