"""Tables: each cell is read by itself, and what stands in another cell is no part of its sentence."""

from __future__ import annotations

import pytest

from kg_neo4j_offline.extractor.parsed_text import mask, sentences
from offline_reading import read

INFOBOX = """Ada Lind
Born | 7 November 1867 in Oslo, Norway
Died | 4 July 1934 in Bergen, Norway
Alma mater | University of Oslo

Ada Lind was a Norwegian chemist. She married Otto Berg in 1895."""


def test_no_name_and_no_description_goes_over_the_border_of_a_cell() -> None:
    found = read(INFOBOX)
    names = {node["name"] for node in found.nodes}
    assert {"Ada Lind", "Otto Berg"} <= names
    assert not [name for name in names if "Died" in name or "Born" in name or "Alma" in name]
    texts = [row["description"] for row in (*found.nodes, *found.relationships)]
    assert not [text for text in texts if "Died" in text or "Alma" in text]


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("Ines Okafor | Hamburg\nDana Lind | Leeds", ["Ines Okafor", "Hamburg", "Dana Lind", "Leeds"]),
        ("| E7 | Fan is too hot. |\n| E8 | Door open |", ["Fan is too hot.", "Door open"]),
        ("Offices of Lind\nName | Town\n\nThe firm grew.", ["Offices of Lind", "Name", "Town", "The firm grew."]),
        ("The sign a|b stands\nfor either of them.", ["The sign a|b stands\nfor either of them."]),
    ],
)
def test_a_cell_is_a_sentence_of_its_own(text: str, cells: list[str]) -> None:
    assert len(mask(text)) == len(text)
    assert [text[each.start : each.end].strip() for each in sentences(text)] == cells
