"""Rows in words."""

from __future__ import annotations

import pytest

from kg_neo4j._models import tokens
from kg_neo4j.records import Cell
from kg_neo4j.retrieve.checking.citations import ShownSource
from kg_neo4j.retrieve.checking.standing import CitedThing
from kg_neo4j.retrieve.cypher.telling import RowCitations, listed, words
from kg_neo4j.retrieve.interface import FoundChunk

CHUNK = FoundChunk("c" * 32, "Ada met Babbage in 1833. They spoke.", 8, "", "Ada", 0.0)
THING = CitedThing("f" * 32, "fact", "Ada MET Babbage", (ShownSource("", CHUNK, 0, 24),))


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        (3, "3"),
        (True, "yes"),
        (0.123456789, "0.123457"),
        (("a", None, "b"), "a, b"),
        ({"id": "1", "name": "Ada", "type": "PERSON"}, "Ada (PERSON)"),
        ({"id": "1", "title": "Diary"}, "Diary"),
        ({"type": "MET", "source": "Ada", "target": "Babbage", "start_date": "1833"}, "Ada -MET-> Babbage (1833)"),
        (
            {
                "nodes": ("Ada", "Babbage", "Byron"),
                "relationships": ({"type": "MET", "source": "Ada"}, {"type": "KNEW", "source": "Byron"}),
            },
            "Ada -MET-> Babbage <-KNEW- Byron",
        ),
        ({"a": 1, "b": None}, "a: 1"),
        (None, "nothing"),
    ],
)
def test_cells(cell: Cell, said: str) -> None:
    assert words(("x",), (cell,)) == (said if cell is None else f"x: {said}")


def test_several_columns_are_named_and_empty_ones_left_out() -> None:
    assert words(("name", "born", "n"), ("Ada", None, 0)) == "name: Ada, n: 0"
    assert words(("a", "b"), (None, None)) == "nothing"


def test_a_list_of_rows_cites_what_each_rests_on_and_counts_the_rest() -> None:
    citing = RowCitations({THING.id: THING}, tokens.load("approximate-1"))
    ids = ((THING.id,), ("0" * 32,), ())
    shown = listed(["name: Babbage", "name: Byron"], ids, 5, citing, is_more=False)
    assert shown == ["- name: Babbage [1]", "- name: Byron", "and 5 more"]
    assert [each.quote for each in citing.citations] == ["Ada met Babbage in 1833."]
    assert [each.kind for each in citing.evidence] == ["fact", "chunk"]
    assert listed(["name: Babbage"], ((),), 900, citing, is_more=True)[-1] == "and at least 900 more"
    assert listed(["name: Babbage"], ((),), 0, citing, is_more=False) == ["- name: Babbage"]
