"""A name that was found once is found everywhere in its text, and has one type there."""

from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from kg_neo4j_offline.networks.mention_types import MentionSpan, _places, agree


def spans(text: str, *found: tuple[str, int, str]) -> list[MentionSpan]:
    """Spans of strings: the string, which of its occurrences, and the type."""
    result = []
    for name, number, kind in found:
        start = -1
        for _ in range(number + 1):
            start = text.index(name, start + 1)
        result.append(MentionSpan(start, start + len(name), kind))
    return result


def shown(text: str, found: list[MentionSpan]) -> list[tuple[str, str]]:
    return [(text[span.start : span.end], span.type) for span in agree(text, found)]


def test_the_same_string_is_found_elsewhere():
    text = "Curie slept. Then Curie rose."
    assert shown(text, spans(text, ("Curie", 0, "PER"))) == [("Curie", "PER"), ("Curie", "PER")]


def test_most_mentions_decide_the_type_and_the_first_where_none_has_most():
    text = "Nile, Nile, Nile and Ida, Ida"
    found = spans(
        text, ("Nile", 0, "ORG"), ("Nile", 1, "LOC"), ("Nile", 2, "LOC"), ("Ida", 0, "PER"), ("Ida", 1, "LOC")
    )
    assert [kind for _, kind in shown(text, found)] == ["LOC", "LOC", "LOC", "PER", "PER"]


def test_a_longer_name_is_taken_before_a_shorter_one_within_it():
    text = "Ada Lind, Lind. Ada Lind left."
    found = spans(text, ("Ada Lind", 0, "PER"), ("Lind", 1, "PER"))
    assert shown(text, found) == [("Ada Lind", "PER"), ("Lind", "PER"), ("Ada Lind", "PER")]


def test_parts_of_words_numbers_and_short_or_small_words_do_not_spread():
    text = "Linda, al-Lind and Lind. 1901 and 1901. US and US. lynx and lynx"
    found = spans(text, ("Lind", 2, "PER"), ("1901", 0, "TIME"), ("US", 0, "LOC"), ("lynx", 0, "MISC"))
    assert [name for name, _ in shown(text, found)] == ["Lind", "1901", "US", "lynx"]


@given(st.text("AaB -.", max_size=60), st.data())
def test_what_was_found_stays_and_nothing_overlaps(text, data):
    borders = sorted(set(data.draw(st.lists(st.integers(0, len(text)), max_size=8))))
    found = [MentionSpan(a, b, "PER") for a, b in zip(borders[::2], borders[1::2], strict=False)]
    settled = agree(text, found)
    assert {(span.start, span.end) for span in found} <= {(span.start, span.end) for span in settled}
    assert all(before.end <= after.start for before, after in pairwise(settled))
    assert agree(text, settled) == settled


@given(st.text("AaBé -_1", min_size=1, max_size=4), st.text("AaBé -_1", max_size=80))
def test_a_name_stands_where_whole_words_are_that_string(name, text):
    whole = re.finditer(rf"(?<![\w-]){re.escape(name)}(?!\w)", text)
    assert list(_places(name, text)) == [match.start() for match in whole]
