"""Marks in a model's answer become citations, or go (test plan, row 86)."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_neo4j.retrieve.checking.citations import ShownSource, check, locate, quotes_are_in_place
from kg_neo4j.retrieve.interface import FoundChunk

A = FoundChunk("a" * 32, "Ada was born in London. She met Babbage in 1833. It rained.", 0, "", "Ada", 1.0)
B = FoundChunk("b" * 32, "Babbage died in 1871.", 0, "", "Babbage", 1.0)
SOURCES = [ShownSource("C1", A, 0, len(A.text)), ShownSource("C2", B, 0, len(B.text))]
TEXTS = {A.id: A.text, B.id: B.text}


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("She met Babbage [C1].", "She met Babbage [1]."),
        ("She met Babbage [C1][C2].", "She met Babbage [1] [2]."),
        ("She met Babbage [C1, C2].", "She met Babbage [1] [2]."),
        ("She met Babbage [c1; chunk 2].", "She met Babbage [1] [2]."),
        ("She met Babbage 【C1】.", "She met Babbage [1]."),
        ("She met Babbage (C2).", "She met Babbage [1]."),
        (f"She met Babbage [{A.id}].", "She met Babbage [1]."),
        ("She met Babbage [C1]. Again she met Babbage [C1].", "She met Babbage [1]. Again she met Babbage [1]."),
        ("Born in London [C1]. She met Babbage [C1].", "Born in London [1]. She met Babbage [2]."),
    ],
)
def test_marks_become_numbers_of_citations(said: str, shown: str) -> None:
    checked = check(said, SOURCES)
    assert checked.text == shown
    assert checked.invalid == ()
    assert quotes_are_in_place(checked.citations, TEXTS)


@pytest.mark.parametrize(
    ("said", "shown", "invalid"),
    [
        ("She met him [C9].", "She met him.", ("C9",)),
        ("She met him [C-1].", "She met him.", ("C-1",)),
        ("She met him [C1, C-2; chunk -3].", "She met him [1].", ("C-2", "C-3")),
        (f"She met him [C{'9' * 5_000}].", "She met him.", (f"C{'9' * 19}",)),
        ("She met him [C1, C9].", "She met him [1].", ("C9",)),
        ("She met him [72].", "She met him.", ("72",)),
        (f"She met him [{'f' * 32}].", "She met him.", ("f" * 32,)),
    ],
)
def test_marks_of_unknown_sources_are_removed_and_reported(said: str, shown: str, invalid: tuple[str, ...]) -> None:
    checked = check(said, SOURCES)
    assert (checked.text, checked.invalid) == (shown, invalid)


def test_years_in_round_brackets_are_no_marks() -> None:
    checked = check("He died (1871) [C2].", SOURCES)
    assert (checked.text, checked.invalid) == ("He died (1871) [1].", ())


def test_the_sentence_that_says_it_is_quoted() -> None:
    citation = check("In 1833 she met Babbage [C1].", SOURCES).citations[0]
    assert citation.quote == "She met Babbage in 1833."
    assert (citation.document, A.text[citation.start : citation.end]) == ("Ada", citation.quote)


def test_only_what_was_shown_is_quoted() -> None:
    shown = ShownSource("C1", A, 0, 23)  # the first sentence
    assert locate("She met Babbage in 1833", shown).quote == "Ada was born in London."


@given(st.text(alphabet=st.sampled_from("abC12 []【】(),;.\n"), max_size=120))
def test_every_number_in_a_checked_answer_is_a_citation(said: str) -> None:
    checked = check(said, SOURCES)
    numbers = {int(number) for number in re.findall(r"\[(\d+)\]", checked.text)}
    assert numbers <= set(range(1, len(checked.citations) + 1))
    assert quotes_are_in_place(checked.citations, TEXTS)
    assert not re.search(r"\[C\d+\]", checked.text)
