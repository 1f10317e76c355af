from __future__ import annotations

from kg_neo4j.graph.database import unprinted


def test_lists_are_what_they_were_but_say_only_how_many() -> None:
    given = {"rows": [1.5, 2.5], "ids": ("a",), "name": "x", "map": {"a": 1}}
    sent = unprinted(given)
    assert sent == {**given, "ids": ["a"]}
    assert repr(sent) == "{'rows': <2 items>, 'ids': <1 items>, 'name': 'x', 'map': {'a': 1}}"
