"""What a model answers with: a query and parameters, or nothing that could be one."""

from __future__ import annotations

from typing import Any

import pytest

from kg_neo4j.retrieve.cypher.model import check_parameters, read_answer
from kg_neo4j.retrieve.cypher.tokens import CypherRefused


@pytest.mark.parametrize(
    ("said", "query", "given"),
    [
        ('{"cypher": "RETURN $n AS n", "parameters": {"n": 1}}', "RETURN $n AS n", {"n": 1}),
        ('<think>{"cypher": "no"}</think>\n```json\n{"cypher": "RETURN 1"}\n```', "RETURN 1", {}),
        ("Here is it:\n```cypher\nMATCH (n) RETURN n\n```", "MATCH (n) RETURN n\n", {}),
        ('{"cypher": "", "parameters": {}}', "", {}),
        ('{"cypher": 5, "parameters": [1]}', "", {}),
        ("I cannot do that.", "", {}),
        ("", "", {}),
    ],
)
def test_the_query_is_found_wherever_it_stands(said: str, query: str, given: dict[str, Any]) -> None:
    assert read_answer(said) == (query, given)


def test_plain_values_pass() -> None:
    given = {"a": "x", "b": 1, "c": 1.5, "d": True, "e": None, "f": ["x", 2]}
    assert check_parameters(given) == given


@pytest.mark.parametrize(
    "given",
    [
        {"graph": "other"},
        {"_1": "x"},
        {"a b": "x"},
        {"a`": "x"},
        {"a": {"nested": 1}},
        {"a": [["nested"]]},
        {"a": "x" * 501},
        {"a": "\ud800"},
        {"a": float("nan")},
        {"a": float("inf")},
        {"a": 2**63},
        {"a": list(range(101))},
        {f"p{n}": n for n in range(21)},
    ],
)
def test_other_parameters_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(CypherRefused):
        check_parameters(given)
