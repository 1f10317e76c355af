"""Sentences and their places."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_neo4j.retrieve.sentences import readable, split_sentences


def texts(text: str) -> list[str]:
    return [sentence.text for sentence in split_sentences(text)]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("He met St. John. Then he left.", ["He met St. John.", "Then he left."]),
        ("Born c. 570 CE. Died 632.", ["Born c. 570 CE.", "Died 632."]),
        ("He heard J. S. Bach. Dr. Who did not.", ["He heard J. S. Bach.", "Dr. Who did not."]),
        ("It is true.[5][a] He knew.", ["It is true.[5][a]", "He knew."]),
        ("It is true.[5]He knew.", ["It is true.[5]", "He knew."]),
        ('"Go!" she said. He went.', ['"Go!" she said.', "He went."]),
        ("in the U.S. Army. Later", ["in the U.S. Army.", "Later"]),
        ("See No. 5. It is good.", ["See No. 5.", "It is good."]),
        ("Urodził się np. Janek. Potem", ["Urodził się np. Janek.", "Potem"]),
        ("東京です。大阪です。", ["東京です。", "大阪です。"]),
        ("Early life\nHe was born.", ["Early life", "He was born."]),
        ("# Title\n\nText here.", ["# Title", "Text here."]),
        ("A wrapped line of text that goes on for more than sixty letters\nand ends here.",
         ["A wrapped line of text that goes on for more than sixty letters\nand ends here."]),
        ("Born | 7 November 1867 in the old town of Oslo in the kingdom of Norway\nDied | 1934",
         ["Born | 7 November 1867 in the old town of Oslo in the kingdom of Norway", "Died | 1934"]),
        ("J. Mincel met Dr. A. K. Holm in Fort St. John. It rained.",
         ["J. Mincel met Dr. A. K. Holm in Fort St. John.", "It rained."]),
        ("He sent Op. 28 and [Op. 40] to Paris. Next.", ["He sent Op. 28 and [Op. 40] to Paris.", "Next."]),
        ("1. One. Two.\n2. Three\n- four\n* five", ["1. One.", "Two.", "2. Three", "- four", "* five"]),
        ("2.2. Results\n\nA. Terms apply.", ["2.2. Results", "A. Terms apply."]),
        ("## 4. Exhibitions\n\n- 5. of May\n**6.** One.", ["## 4. Exhibitions", "- 5. of May", "**6.** One."]),
        ("— Ja?... — powtarza panna. — Nie. „Stój!” — woła ojciec.",
         ["— Ja?... — powtarza panna.", "— Nie.", "„Stój!” — woła ojciec."]),
        ('"Go." "Stay."\n\n(He left.) She stayed.', ['"Go."', '"Stay."', "(He left.)", "She stayed."]),
        ("Am 3. Mai kam z. B. Prof. Dr. Weber. Er blieb.", ["Am 3. Mai kam z. B. Prof. Dr. Weber.", "Er blieb."]),
        ("| Ship | Yard |\n|---|---|\n| Ada. | It sank. She left. |",
         ["| Ship | Yard |\n|---|---|", "| Ada. | It sank. She left. |"]),
        ("Who votes?\n----------\n\nAll do.", ["Who votes?\n----------", "All do."]),
        ("It was sent from Palma.[89][n 13] The piano came.[90] [n 14] They left.",
         ["It was sent from Palma.[89][n 13]", "The piano came.[90] [n 14]", "They left."]),
        (f"{'x' * 201}\n\nA line of forty letters or so that goes on by\nthe next one.",
         ["x" * 201, "A line of forty letters or so that goes on by\nthe next one."]),
        ("", []),
    ],
)  # fmt: skip
def test_sentences_end_where_a_reader_ends_them(text: str, sentences: list[str]) -> None:
    assert texts(text) == sentences


@given(st.text(alphabet=st.sampled_from("ab AB.!?\n [1]\"'。…"), max_size=200))
def test_sentences_stand_where_they_say_and_nothing_is_lost(text: str) -> None:
    sentences = split_sentences(text)
    for sentence in sentences:
        assert text[sentence.start : sentence.end] == sentence.text
    assert all(left.end <= right.start for left, right in itertools.pairwise(sentences))
    assert "".join(text.split()) == "".join("".join(sentence.text.split()) for sentence in sentences)


def test_footnote_marks_and_emphasis_go_for_reading() -> None:
    assert readable("He was *born*\nin Mecca.[12][a]") == "He was born in Mecca."
    assert readable("snake_case and 2*3*4 stay") == "snake_case and 2*3*4 stay"


def test_a_wrapped_sentence_is_one_though_a_name_begins_the_next_line():
    first = "There he was taught by Georg Christoph Lichtenberg, by\nJohann Friedrich Blumenbach, and by a third man."
    assert texts(f"{first}\nHe left.") == [first, "He left."]
