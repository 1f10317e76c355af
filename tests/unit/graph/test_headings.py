"""The heading of a chunk, and what is embedded."""

from __future__ import annotations

import pytest

from kg_neo4j.graph.documents import embedded_text, heading_of


@pytest.mark.parametrize(
    ("title", "section", "heading"),
    [
        ("Anna Weber", "", "Anna Weber"),
        ("Anna Weber", "Life > Youth", "Anna Weber > Life > Youth"),
        ("Anna Weber", "Anna Weber", "Anna Weber"),
        ("Anna Weber", "Anna Weber > Life", "Anna Weber > Life"),
        ("Anna", "Anna Weber", "Anna > Anna Weber"),
        ("", "Life", "Life"),
        ("", "", ""),
        ("notes/the_long_winter.txt", "", "notes/the long winter.txt"),
    ],
)
def test_a_heading_is_the_title_and_the_section_once(title: str, section: str, heading: str) -> None:
    assert heading_of(title, section) == heading


def test_a_text_without_a_heading_is_embedded_alone() -> None:
    assert embedded_text(None, "She left.") == embedded_text("", "She left.") == "She left."
    assert embedded_text("Anna Weber", "She left.") == "Anna Weber\nShe left."
