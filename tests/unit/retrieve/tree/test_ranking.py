"""Nodes in one order by meaning and by words, and what repeats too much."""

from __future__ import annotations

from typing import Any

import pytest

from kg_neo4j.retrieve.question import read
from kg_neo4j.retrieve.tree.search import RANKS, fuse
from kg_neo4j.retrieve.wording import plain, repeats


def row(name: str, text: str) -> dict[str, Any]:
    return {"id": name, "kind": "chunk", "text": text}


def test_a_node_that_is_first_both_ways_comes_first() -> None:
    lamp, boat = row("lamp", "The lamp went out at midnight."), row("boat", "A boat came in.")
    other = row("other", "The keeper slept.")
    found = fuse(read("Who put out the lamp?"), [lamp, other, boat], [lamp])
    assert [each["id"] for each in found] == ["lamp", "other", "boat"]
    assert found[0]["score"] == pytest.approx(2 / (RANKS + 1))
    assert found[2]["score"] == pytest.approx(1 / (RANKS + 3))


def test_words_alone_bring_in_a_node_that_is_not_near() -> None:
    near = [row(f"n{place}", "Nothing of it.") for place in range(3)]
    found = fuse(read("Who stole the silver candlesticks?"), near, [row("w", "He stole silver candlesticks.")])
    assert found[0]["id"] in ("n0", "w")
    assert "w" in [each["id"] for each in found[:2]]


def test_a_short_note_and_a_page_are_weighed_by_their_lengths() -> None:
    note = row("note", "The anvil rang.")
    page = row("page", "The anvil rang. " + "Snow fell upon the orchards and nobody spoke of it again. " * 12)
    found = fuse(read("Which anvil rang?"), [], [page, note])
    assert [each["id"] for each in found] == ["note", "page"]


def test_rare_words_count_more_than_common_ones() -> None:
    rows = [row(f"c{place}", "the bell the tower") for place in range(6)]
    found = fuse(read("bell clapper"), [], [*rows, row("rare", "the clapper the tower")])
    assert found[0]["id"] == "rare"


def test_other_forms_of_a_word_are_the_same_word() -> None:
    found = fuse(read("Who hammered?"), [], [row("a", "He was hammering."), row("b", "He was sleeping.")])
    assert [each["id"] for each in found] == ["a"]


@pytest.mark.parametrize(
    ("text", "said", "expected"),
    [
        ("One stood. Two fell.", "", False),
        ("One stood. Two fell.", " One stood. ", True),
        ("One stood. Two fell. Three ran.", " One stood. ", False),
        ("One\nstood.", " One stood. ", True),
        ("", " One stood. ", False),
    ],
)
def test_half_of_the_sentences_repeat(text: str, said: str, expected: bool) -> None:
    assert repeats(text, plain(said) if said else "") is expected
