"""`KnowledgeGraph` with coroutines: each method runs in a thread, so that the event loop goes on."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Self

from kg_neo4j.display import Readable
from kg_neo4j.knowledge_graph import KnowledgeGraph


class AsyncKnowledgeGraph(Readable):
    """A `KnowledgeGraph` whose methods are coroutines.

        async with AsyncKnowledgeGraph("notes") as kg:
            print(await kg.ask("Who was Ada Lovelace?"))

    It is made like `KnowledgeGraph`, has its methods, and `graph` is that graph itself. A coroutine that is cancelled
    leaves its thread running to the end.
    """

    def __init__(self, graph: str | None = None, **given: Any) -> None:
        self.graph = KnowledgeGraph(graph, **given)
        self.settings = self.graph.settings

    def __repr__(self) -> str:
        return f"AsyncKnowledgeGraph({self.graph.name!r})"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self.graph.close)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


def _awaited(method: Callable[..., Any]) -> Callable[..., Coroutine[Any, Any, Any]]:
    @functools.wraps(method)
    async def call(self: AsyncKnowledgeGraph, *args: Any, **given: Any) -> Any:
        return await asyncio.to_thread(method, self.graph, *args, **given)

    return call


def _same(member: property) -> property:
    return property(lambda self: member.__get__(self.graph), doc=member.__doc__)


for _name, _member in vars(KnowledgeGraph).items():
    if inspect.isfunction(_member) and (not _name.startswith("_") or _name == "__getitem__"):
        setattr(AsyncKnowledgeGraph, _name, _awaited(_member))
    elif isinstance(_member, property):
        setattr(AsyncKnowledgeGraph, _name, _same(_member))
