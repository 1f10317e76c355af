"""Which questions a few words can answer."""

from __future__ import annotations

import pytest

from kg_neo4j.retrieve.interface import FoundChunk
from kg_neo4j.retrieve.question import read
from kg_neo4j_offline.passages import prepare
from kg_neo4j_offline.short.reading import asks_for_words, find_stated


@pytest.mark.parametrize(
    ("question", "can"),
    [
        ("Which river flooded the town?", True),
        ("What film did she direct?", True),
        ("Who built the bridge?", True),
        ("What will the repair cost?", False),
        ("What would the ferry carry?", False),
        ("What is the budget?", False),
    ],
)
def test_which_questions_a_few_words_can_answer(question: str, can: bool) -> None:
    assert asks_for_words(read(question)) is can


@pytest.mark.parametrize("between", [" ", "\n"])
def test_a_name_that_goes_over_a_line_break_is_the_whole_answer(between: str) -> None:
    text = (
        "In April of the year in which the war began, Humboldt was taught at Göttingen by "
        f"Georg{between}Christoph Lichtenberg, who lectured on physics."
    )
    [sentence] = prepare((FoundChunk("c", text, 30, "", "Alexander von Humboldt", 1.0),))
    assert find_stated(read("Who taught Humboldt at Göttingen?"), sentence) == "Georg Christoph Lichtenberg"
