"""Where sentences end, and where they only seem to."""

from __future__ import annotations

import textwrap
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_neo4j.acquire.sentences import sentences, wrapped_breaks


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text, 0, len(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four…", ["One.", "Two!", "Three?", "Four…"]),
        ("He met Dr. Brown. They talked.", ["He met Dr. Brown.", "They talked."]),
        ("It was by J. R. Tolkien. It sold.", ["It was by J. R. Tolkien.", "It sold."]),
        ("Born c. 570 in Mecca. Died 632.", ["Born c. 570 in Mecca.", "Died 632."]),
        ("It cost 3.50 pounds. Not more.", ["It cost 3.50 pounds.", "Not more."]),
        ("“Stop.” He stopped.", ["“Stop.”", "He stopped."]),
        ("He died.[12] She lived.[a][3] They rest.", ["He died.[12]", "She lived.[a][3]", "They rest."]),
        ("Wait... what? No.", ["Wait... what?", "No."]),
        ("Mieszkał tam np. Wokulski. Potem wyjechał.", ["Mieszkał tam np. Wokulski.", "Potem wyjechał."]),
        ("東京は首都です。人が多い。", ["東京は首都です。", "人が多い。"]),
        ("  spaces around  ", ["spaces around"]),
        ("no mark at all", ["no mark at all"]),
        ("", []),
        (" \n ", []),
    ],
)
def test_sentences(text, expected):
    assert split(text) == expected


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("pl", "Był tam hr. Litwiński. Wyszedł.", ["Był tam hr. Litwiński.", "Wyszedł."]),
        ("pl", "Kupił dom. Ale nie ul. Nowa.", ["Kupił dom.", "Ale nie ul. Nowa."]),
        ("pl", unicodedata.normalize("NFD", "Ulica św. Jana. Dom."), ["Ulica św. Jana.", "Dom."]),
        ("de", "Sie kam am Hbf. Köln an. Er nicht.", ["Sie kam am Hbf. Köln an.", "Er nicht."]),
        ("de-AT", "Er wohnte z.B. Wien näher. Sie nicht.", ["Er wohnte z.B. Wien näher.", "Sie nicht."]),
        ("en", "They sailed to St. Helena. It rained.", ["They sailed to St. Helena.", "It rained."]),
        ("en", "She fell ill. He wrote.", ["She fell ill.", "He wrote."]),  # Ill. is Illinois, ill is not
        ("fr", "Il partit en janv. 1901. Elle non.", ["Il partit en janv. 1901.", "Elle non."]),
        ("ru", "Он жил в г. Москва. Она тоже.", ["Он жил в г. Москва.", "Она тоже."]),
        ("hi", "वह घर गया। वह सो गया।", ["वह घर गया।", "वह सो गया।"]),
        ("xx", "He met Dr. Brown. They talked.", ["He met Dr. Brown.", "They talked."]),
    ],
)
def test_abbreviations_are_those_of_the_language(language, text, expected):
    assert [unicodedata.normalize("NFC", text[a:b]) for a, b in sentences(text, 0, len(text), language)] == expected


def test_an_abbreviation_of_another_language_ends_a_sentence():
    text = "He said no. Then he left."
    assert len(list(sentences(text, 0, len(text), "pl"))) == 2
    assert len(list(sentences(text, 0, len(text)))) == 1  # nothing is known of the language: rather too long


def test_only_the_given_span_is_split():
    text = "One. Two. Three."
    assert [text[start:end] for start, end in sentences(text, 5, 9)] == ["Two."]


@given(st.text(alphabet='aB. !?…\n"”。', max_size=100))
def test_sentences_hold_everything_but_white_space_in_order(text):
    assert "".join(split(text)).replace(" ", "").replace("\n", "") == "".join(text.split())


def wrapped(text: str) -> list[str]:
    """Return the words on both sides of each line break that wraps."""
    places = sorted(wrapped_breaks(text))
    return [f"{text[:at].rsplit(maxsplit=1)[-1]}/{text[at:].split(maxsplit=1)[0]}" for at in places]


PARAGRAPH = (
    "There he was taught by Georg Christoph Lichtenberg, who lectured on experimental physics, and by Johann "
    "Friedrich Blumenbach, who lectured on anatomy."
)


@pytest.mark.parametrize("columns", [52, 60, 72, 100])
def test_line_breaks_of_a_wrapped_paragraph_are_known(columns):
    text = textwrap.fill(PARAGRAPH, columns)
    assert len(wrapped(text)) == text.count("\n")


def test_a_year_at_the_beginning_of_a_line_is_no_item_of_a_list():
    text = (
        "The council gave the work to Dunmore Steel for 171,500 euros, beginning on 1 September\n"
        "2025. Ruth Hallam voted against it, and the engineer will supervise the work for the town."
    )
    assert wrapped(text) == ["September/2025."]


@pytest.mark.parametrize(
    "text",
    [
        "Ada Lovelace\nCharles Babbage\nMary Somerville",
        "# A heading that is as long as the text that follows it\nThe text of the section begins on the line after it.",
        "- an item of a list that fills its line to the very end\n- another item that fills its line to the very end",
        "one line\n\nanother",
        "x" * 300 + "\nThe next paragraph of a text that is not wrapped",
    ],
)
def test_line_breaks_that_begin_something_do_not_wrap(text):
    assert wrapped(text) == []
