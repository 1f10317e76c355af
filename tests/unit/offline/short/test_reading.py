"""Which questions a few words can answer."""

from __future__ import annotations

import pytest

from kg_neo4j.offline.short.reading import asks_for_words
from kg_neo4j.retrieve.question import read


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
