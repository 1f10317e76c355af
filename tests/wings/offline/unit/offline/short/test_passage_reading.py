"""What a passage says of its subject by its wording."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_neo4j_offline.short.passage_reading import NAME, PATTERNS, read_inverse, read_relation, when_of


@pytest.mark.parametrize(
    ("relation", "text", "value"),
    [
        ("director", "Salt is a 1931 film written, directed and produced by Ada Lind, with Tom Berg.", "Ada Lind"),
        ("director", "Salt is a film by Ada Lind.", "Ada Lind"),
        ("author", "Salt is a novel by the Danish writer Ada Lind.", "Ada Lind"),
        ("performer", 'Salt is a song by American country singer Tom Berg, from the album "Sea".', "Tom Berg"),
        ("born on", "Ada Lind (4 May 1890 – 3 June 1950) was a director.", "4 May 1890"),
        ("born on", "Ada Lind( born May 4, 1890 in Oslo) is a director.", "May 4, 1890"),
        ("died on", "Ada Lind (4 May 1890 – 3 June 1950) was a director.", "3 June 1950"),
        ("died on", "She died of a fever in Bergen on 3 June 1950.", "3 June 1950"),
        (
            "born in",
            "She was born in Weston-super-Mare, Somerset and grew up elsewhere.",
            "Weston-super-Mare, Somerset",
        ),
        ("died in", "He died on 3 June 1950 in Bergen.", "Bergen"),
        ("father", "She was the daughter of Sir Hugo Lind and his wife, Marie Kov.", "Hugo Lind"),
        ("mother", "Her mother was Marie Kov.", "Marie Kov"),
        ("spouse", "He was married to the actress Ada Lind.", "Ada Lind"),
        ("nationality", "Ada Lind is a Norwegian film director.", "Norwegian"),
        ("citizenship", "Ada Lind is a Norwegian film director.", "Norway"),
        ("made on", "Salt is a 1931 Norwegian film.", "1931"),
        ("school", "He studied law at the University of Oslo.", "University of Oslo"),
    ],
)
def test_relations_are_read_off_usual_wordings(relation: str, text: str, value: str) -> None:
    found = read_relation(text, relation)
    assert found[0].value == value
    if relation != "citizenship":
        assert text[found[0].start : found[0].end].endswith(value)


@pytest.mark.parametrize(
    "name", ["Jean-Paul Sartre", "Abd al-Malik", "J.-P. Belmondo", "Ludwig van der Berg", "Rio-de-Janeiro", "A-C-G-T-A"]
)
def test_a_name_with_hyphens_is_one_name(name: str) -> None:
    assert re.fullmatch(NAME, name)


def test_no_month_and_no_pronoun_is_a_name() -> None:
    assert read_relation("He was born in May 1890.", "born in") == []
    assert read_relation("The book was written by The same hand.", "author") == []


def test_another_passage_says_who_is_related_to_its_subject() -> None:
    text = "Otto Berg was an engineer and the father of Ada Lind."
    assert read_inverse(text, "father", "Ada Lind") is not None
    assert read_inverse(text, "father", "Eva Lind") is None
    assert read_inverse(text, "director", "Ada Lind") is None


@pytest.mark.parametrize("relation", sorted(PATTERNS))
def test_hostile_text_is_read_in_bounded_time(relation: str) -> None:
    texts = ("born (" * 3_000, "Ada of the " * 3_000, "(1890 – " * 3_000, "directed by A" * 3_000, "A " * 9_000)
    texts += (
        "A-" * 40,
        "x born " + "A-" * 60,
        "the son of " + "A-C-G-T-" * 30 + "x",
        "A.-" * 60 + "x",
        "A al-" * 60 + "x",
    )
    started = time.process_time()
    for text in texts:
        read_relation(text, relation)
    assert time.process_time() - started < 20  # s; a pattern that backtracks takes hours, these take milliseconds


@given(st.text(max_size=200), st.sampled_from(sorted(PATTERNS)))
def test_what_is_read_stands_in_the_text(text: str, relation: str) -> None:
    for said in read_relation(text, relation):
        assert 0 <= said.start <= said.end <= len(text)
        assert said.value in text[said.start : said.end]


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("4 May 1890", (1890, 5, 4)),
        ("May 4, 1890", (1890, 5, 4)),
        ("May 1890", (1890, 5)),
        ("1890", (1890,)),
        ("44 BC", (-44,)),
        ("no date", None),
        (f"4 May {'9' * 5_000}", (4, 5)),
    ],
)
def test_dates_are_compared_by_year_month_and_day(text: str, when: tuple[int, ...] | None) -> None:
    assert when_of(text) == when
