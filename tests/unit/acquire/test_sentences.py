"""Where sentences end, and where they only seem to."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_neo4j.acquire.sentences import sentences


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


def test_only_the_given_span_is_split():
    text = "One. Two. Three."
    assert [text[start:end] for start, end in sentences(text, 5, 9)] == ["Two."]


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet='aB. !?…\n"”。', max_size=100))
def test_sentences_hold_everything_but_white_space_in_order(text):
    assert "".join(split(text)).replace(" ", "").replace("\n", "") == "".join(text.split())
