"""Where quoted words stand in a text."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st

from csv_grammar import depth, holds
from kg_neo4j.extract.evidence import locate

TEXT = (
    "Khadīja bint Khuwaylid was a merchant of Mecca.\nShe married Muhammad in 595,\n  when he was “twenty-five” years "
    "old – as the sources say – and he was not rich. Straße und Übung; İstanbul."
)


def found(words: str, text: str = TEXT) -> tuple[str, str] | None:
    span = locate(words, text)
    return (text[span.start : span.end], span.method) if span else None


def test_exact_words() -> None:
    assert found("a merchant of Mecca") == ("a merchant of Mecca", "exact")


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("SHE MARRIED MUHAMMAD", "She married Muhammad"),
        ("Khadija bint Khuwaylid", "Khadīja bint Khuwaylid"),
        ("in 595, when he was", "in 595,\n  when he was"),
        ('was "twenty-five" years', "was “twenty-five” years"),
        ("old - as the sources", "old – as the sources"),
        ("strasse und ubung", "Straße und Übung"),
        ('"a merchant of Mecca."', "a merchant of Mecca"),
        ("istanbul", "İstanbul"),
    ],
)
def test_case_accents_space_and_typography_do_not_matter(words: str, place: str) -> None:
    assert found(words) == (place, "folded")


@pytest.mark.parametrize("words", ["Rolf Lindgren works", "Rolf Lind-gren works", "Rolf Lind- gren works"])
@pytest.mark.parametrize(
    "written", ["Rolf Lindgren", "Rolf Lind-\ngren", "Rolf Lind\u00adgren", "Rolf Lind\u2010\n  gren"]
)
def test_hyphens_within_words_do_not_matter(words: str, written: str) -> None:
    text = f"Today {written} works at the mill."
    place = locate(words, text)
    assert place is not None
    assert text[place.start : place.end] == f"{written} works"


@pytest.mark.parametrize(
    "words",
    [
        "She married Muhammad in 596",
        "when he was “twenty-five” years old – as the sources say – and he was rich",
        "She maried Muhammad in 595",  # what is like it is not looked for
        "She divorced Abu Sufyan in Medina",
        "rich merchants",
        "",
        "   ",
        "...",
    ],
)
def test_words_that_are_not_there_have_no_place(words: str) -> None:
    assert locate(words, TEXT) is None


def test_parts_joined_by_dots_are_found_one_after_the_other() -> None:
    span = locate("Khadīja bint Khuwaylid ... married Muhammad", TEXT)
    assert span is not None
    assert [TEXT[start:end] for start, end in ((span.start, span.end), *span.others)] == [
        "Khadīja bint Khuwaylid",
        "married Muhammad",
    ]
    assert locate("married Muhammad ... Khadīja bint Khuwaylid", TEXT) is None


def test_decomposed_text_keeps_its_marks_in_the_span() -> None:
    text = "so Khadi\u0304ja\u0301 spoke"
    assert found("khadīja", text) == ("Khadi\u0304ja\u0301", "folded")


@depth
def test_any_part_of_a_text_is_found_where_it_stands(cases: int) -> None:
    def check(given: tuple[str, int, int]) -> None:
        text, start, length = given
        words = text[start : start + length]
        span = locate(words, text)
        if words.strip():
            assert span is not None
            assert span.method == "exact"
            assert text[span.start : span.end] == words.strip()

    holds(check, st.tuples(st.text(min_size=1, max_size=200), st.integers(0, 150), st.integers(1, 60)), cases)


@depth
def test_a_span_always_lies_within_the_text(cases: int) -> None:
    def check(given: tuple[str, str]) -> None:
        words, text = given
        span = locate(words, text)
        if span is not None:
            assert 0 <= span.start < span.end <= len(text)
            assert text[span.start : span.end].strip()

    folding = st.text(st.sampled_from("aAßẞİıǰé\u0301 \n\t“\"'’…–-.5ﬁ\u200b"), max_size=60)
    holds(check, st.tuples(folding, folding), cases)
