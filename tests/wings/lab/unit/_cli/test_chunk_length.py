"""Options that take several values at once."""

from __future__ import annotations

import pytest

from kg_neo4j.graph.report_format import Report
from kg_neo4j_lab._cli.study import spread_values, turned


@pytest.mark.parametrize(
    ("words", "spread"),
    [
        ("a.txt --tokens 1200 300 600", "a.txt --tokens 1200 --tokens 300 --tokens 600"),
        ("--tokens 1200 300 a.txt b.txt", "--tokens 1200 --tokens 300 a.txt b.txt"),
        ("--tokens max 300 --keep", "--tokens max --tokens 300 --keep"),
        ("--preprocess none stopwords a.txt", "--preprocess none --preprocess stopwords a.txt"),
        ("--prompts none nd my.toml a.txt", "--prompts none --prompts nd --prompts my.toml a.txt"),
        ("--prompts nd nd:a/b-70b a.txt", "--prompts nd --prompts nd:a/b-70b a.txt"),
        ("--tokens 300 --model m 12", "--tokens 300 --model m 12"),
        ("--chunk-tokens 600 1200 a.txt", "--chunk-tokens 600 --chunk-tokens 1200 a.txt"),
        ("--tokens 300 -- 1200", "--tokens 300 -- 1200"),
        ("--tokens nonsense 300", "--tokens nonsense --tokens 300"),
        ("--tokens", "--tokens"),
        ("", ""),
    ],
)
def test_values_get_the_name_of_their_option(words: str, spread: str) -> None:
    assert " ".join(spread_values(words.split())) == spread


def test_a_table_is_turned() -> None:
    table = Report("x", "x", ("Tokens", "Nodes", "Edges"), ((1200, 25, 20), (300, 106, 120)))
    assert turned(table) == Report("x", "x", ("Tokens", "1200", "300"), (("Nodes", 25, 106), ("Edges", 20, 120)))
