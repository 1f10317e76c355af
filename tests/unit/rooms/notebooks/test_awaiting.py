"""The graph with coroutines: the methods, signatures and docstrings of `KnowledgeGraph`."""

from __future__ import annotations

import asyncio
import inspect

import pytest

from hidden_package import needs_room
from kg_neo4j import AsyncKnowledgeGraph, KnowledgeGraph


def test_every_method_is_there_as_a_coroutine_with_its_docstring() -> None:
    methods = [name for name, each in vars(KnowledgeGraph).items() if inspect.isfunction(each) and name[0] != "_"]
    assert {"ask", "load", "search", "entities", "close", "to_pandas"} <= {*methods}
    for name in methods:
        plain, awaited = getattr(KnowledgeGraph, name), getattr(AsyncKnowledgeGraph, name)
        assert inspect.iscoroutinefunction(awaited), name
        assert inspect.signature(awaited) == inspect.signature(plain), name
        assert awaited.__doc__ == plain.__doc__, name
    assert {*methods} <= {*dir(AsyncKnowledgeGraph)}


def test_what_is_no_method_is_that_of_the_graph() -> None:
    kg = AsyncKnowledgeGraph("notes")
    assert (kg.name, kg.settings.graph, repr(kg)) == ("notes", "notes", "AsyncKnowledgeGraph('notes')")
    with pytest.raises(AttributeError, match=r"await AsyncKnowledgeGraph"):
        kg.aask  # noqa: B018


@needs_room("corrections")
def test_corrections_are_those_of_the_graph() -> None:
    assert AsyncKnowledgeGraph("notes").corrections.settings.graph == "notes"


def test_it_is_awaited_and_closed() -> None:
    async def work() -> list[str]:
        async with AsyncKnowledgeGraph("notes") as kg:
            return list((await kg.reports())["name"])

    assert "most-connected" in asyncio.run(work())
