"""Reading a question, and the full-text query made of it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_neo4j.errors import UsageError
from kg_neo4j.retrieve.question import MAX_CHARACTERS, Asks, fulltext_query, read

SAFE = re.compile(r'(?:"[^"\\]*"(?:\^2)?|[^\W_][^\s"\\*]*\*\^0\.2)(?: |\Z)')


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Who was Khadija?", Asks.DEFINITION),
        ("What is the Constitution of Medina?", Asks.DEFINITION),
        ("What is the half-life of polonium?", Asks.OTHER),
        ("Who was the first treasurer of the fund?", Asks.PERSON),
        ("Kim był Wokulski?", Asks.DEFINITION),
        ("Who was Muhammad's wife?", Asks.PERSON),
        ("Who was the wife of Muhammad?", Asks.PERSON),
        ("When was she born?", Asks.TIME),
        ("In which year did he die?", Asks.TIME),
        ("Kiedy urodził się Chopin?", Asks.TIME),
        ("Where did he die?", Asks.PLACE),
        ("In which city did he die?", Asks.PLACE),
        ("How many children had he?", Asks.NUMBER),
        ("How old was he when he died?", Asks.AGE),
        ("How high is Chimborazo?", Asks.MEASURE),
        ("Why did he leave?", Asks.OTHER),
        ("What is the place of birth of Ada Lind?", Asks.PLACE),
        ("What is the date of death of Ada Lind?", Asks.TIME),
        ("Which state is Ada Lind from?", Asks.PLACE),
        ("Was Ada Lind born in Oslo?", Asks.YES_NO),
        ("Czy Chopin urodził się w Warszawie?", Asks.YES_NO),
    ],
)
def test_what_is_asked_for_is_known(text: str, asks: Asks) -> None:
    assert read(text).asks is asks


def test_names_are_kept_together_with_their_particles() -> None:
    question = read("When did Alexander von Humboldt meet Goethe?")
    assert question.full_names == (("alexander", "von", "humboldt"), ("goethe",))
    assert question.others == ("meet",)


def test_the_first_word_is_no_name_because_it_has_a_capital() -> None:
    assert read("Name the wife of Muhammad").names == ("muhammad",)
    assert read("Abu Talib died when?").names == ("abu", "talib")


def test_words_that_only_say_what_is_asked_for_are_no_terms() -> None:
    assert read("In which city was Chopin born?").terms == ("chopin", "born")
    assert read("How old was Chopin?").terms == ("chopin",)


def test_a_question_of_stop_words_keeps_them() -> None:
    assert read("who was it").terms == ("who", "was", "it")


def test_a_long_question_is_cut() -> None:
    question = read("Babbage " * 200_000)
    assert question.cut
    assert len(question.text) <= MAX_CHARACTERS
    assert question.terms == ("babbage",)


@pytest.mark.parametrize("text", ["", " \n", "\x00", "\ud800"])
def test_an_empty_question_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="empty"):
        read(text)


def test_a_query_has_words_beginnings_and_phrases() -> None:
    assert fulltext_query(read("Who was Abu Talib?")) == '"abu" "talib" tali*^0.2 "abu talib"^2'


def test_a_question_without_a_word_gives_no_query() -> None:
    assert fulltext_query(read("😀 ?!")) is None


@given(st.text(min_size=1, max_size=300) | st.text(alphabet="ANDORT ab([~\"*\\/:^{}]!&|+-'", min_size=1))
def test_nothing_in_a_question_is_syntax(text: str) -> None:
    try:
        query = fulltext_query(read(text))
    except UsageError:
        return
    if query is not None:
        assert "".join(match[0] for match in SAFE.finditer(query)) == query
        assert query.count(" ") < 1_000


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("Where was the director of Fist Power born?", "Where was the director of born"),
        ("Who was Khadija?", "Who was Khadija?"),  # nothing else is asked
        ("who taught humboldt?", "who taught humboldt"),  # without capitals there is no name
    ],
)
def test_rest_of_a_question_has_no_names(text: str, rest: str) -> None:
    assert read(text).rest == rest
