"""Numbers of sentences in a model's answer become citations, or go (test plan, row 86)."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_neo4j.retrieve.checking.citations import ShownSource, check, locate, quotes_are_in_place
from kg_neo4j.retrieve.interface import FoundChunk

A = FoundChunk("a" * 32, "Ada was born in London. She met Babbage in 1833. It rained.", 0, "", "Ada", 1.0)
B = FoundChunk("b" * 32, "Babbage died in 1871.", 0, "", "Babbage", 1.0)
SOURCES = [
    ShownSource("1", A, 0, len(A.text), ((0, 23), (24, 48), (49, 59))),
    ShownSource("2", B, 0, len(B.text), ((0, 21),)),
    ShownSource("F1", A, 24, 48, ((24, 48),), line="Ada MET Babbage"),
]
TEXTS = {A.id: A.text, B.id: B.text}
BORN, MET, RAINED = "Ada was born in London.", "She met Babbage in 1833.", "It rained."


@pytest.mark.parametrize(
    ("said", "shown", "quotes"),
    [
        ("She met Babbage [1.2].", "She met Babbage [1].", [MET]),
        ("She met Babbage [1.2][2.1].", "She met Babbage [1] [2].", [MET, B.text]),
        ("She met Babbage [2.1, 1.2].", "She met Babbage [1] [2].", [MET, B.text]),
        ("She met Babbage [1.2; and 2.1].", "She met Babbage [1] [2].", [MET, B.text]),
        ("She met Babbage 【1.2】.", "She met Babbage [1].", [MET]),
        ("She met Babbage (1.2).", "She met Babbage [1].", [MET]),
        ("She met Babbage [F1].", "She met Babbage [1].", [MET]),
        ("Born in London, and met Babbage [1.1][1.2].", "Born in London, and met Babbage [1].", [f"{BORN} {MET}"]),
        ("Born in London, and met Babbage [1.1-2].", "Born in London, and met Babbage [1].", [f"{BORN} {MET}"]),
        ("Born in London, and met Babbage [1.1–1.2].", "Born in London, and met Babbage [1].", [f"{BORN} {MET}"]),
        ("Born in London; it rained [1.1][1.3].", "Born in London; it rained [1] [2].", [BORN, RAINED]),
        ("All of it [1].", "All of it [1].", [A.text]),
        ("All of it [C1].", "All of it [1].", [A.text]),
        ("She met him [1.2]. Again she met him [1.2].", "She met him [1]. Again she met him [1].", [MET]),
        ("Born in London [1.1]. She met him [1.2].", "Born in London [1]. She met him [2].", [BORN, MET]),
    ],
)
def test_numbers_of_sentences_become_numbers_of_citations(said: str, shown: str, quotes: list[str]) -> None:
    checked = check(said, SOURCES)
    assert checked.text == shown
    assert [each.quote for each in checked.citations] == quotes
    assert checked.invalid == ()
    assert quotes_are_in_place(checked.citations, TEXTS)


@pytest.mark.parametrize(
    ("said", "shown", "invalid"),
    [
        ("She met him [9.1].", "She met him.", ("9.1",)),
        ("She met him [1.4].", "She met him.", ("1.4",)),
        ("She met him [1.0].", "She met him.", ("1.0",)),
        ("She met him [1.3-2].", "She met him.", ("1.3-2",)),
        ("She met him [C-1].", "She met him.", ("C-1",)),
        ("She met him [F2].", "She met him.", ("F2",)),
        (f"She met him [{'9' * 5_000}].", "She met him.", ("9" * 20,)),
        (f"She met him [1.{'1' * 5_000}].", "She met him.", (f"1.{'1' * 18}",)),
        ("She met him [1.2, 9].", "She met him [1].", ("9",)),
        ("She met him [72].", "She met him.", ("72",)),
    ],
)
def test_marks_of_what_was_not_shown_are_removed_and_reported(said: str, shown: str, invalid: tuple[str, ...]) -> None:
    checked = check(said, SOURCES)
    assert (checked.text, checked.invalid) == (shown, invalid)


def test_years_in_round_brackets_are_no_marks() -> None:
    checked = check("He died (1871) [2.1].", SOURCES)
    assert (checked.text, checked.invalid) == ("He died (1871) [1].", ())


def test_a_citation_is_what_the_model_named_and_not_what_has_most_words() -> None:
    citation = check("In 1833 she met Babbage [1.3].", SOURCES).citations[0]
    assert citation.quote == RAINED
    assert (citation.document, A.text[citation.start : citation.end]) == ("Ada", citation.quote)


def test_what_a_report_cites_is_looked_for_within_what_was_shown() -> None:
    shown = ShownSource("1", A, 0, 23)  # the first sentence
    assert locate("She met Babbage in 1833", shown).quote == BORN


@given(st.text(alphabet=st.sampled_from("abCF12 []【】(),;.-\n"), max_size=120))
def test_every_number_in_a_checked_answer_is_a_citation(said: str) -> None:
    checked = check(said, SOURCES)
    numbers = {int(number) for number in re.findall(r"\[(\d+)\]", checked.text)}
    assert numbers <= set(range(1, len(checked.citations) + 1))
    assert quotes_are_in_place(checked.citations, TEXTS)
    assert not re.search(r"\[[CF]?\d+(?:\.\d+)?\]", re.sub(r"\[\d+\]", "", checked.text))
