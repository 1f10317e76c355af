"""A layer of the door that answers from a function and keeps what it was asked, and a store of answers in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Request
from kg_neo4j.errors import ContentFiltered
from kg_neo4j.records import Usage


@dataclass
class ScriptedLayer:
    """Answers every request by `reply`; an answer that a filter declined is raised as an error."""

    reply: Callable[[Request], Completion]
    name: str = "scripted"
    window: int = 8_000
    requests: list[Request] = field(default_factory=list)

    def complete(self, request: Request) -> Completion:
        self.requests.append(request)
        said = self.reply(request)
        if said.finish_reason == "content_filter":
            raise ContentFiltered("declined")
        return said

    def keep(self, hash: str, said: Completion) -> None:
        pass


@dataclass
class MemoryStore:
    """Keeps answers and what a filter declined in a dictionary."""

    remembers: frozenset[str] = frozenset({"content_filter"})
    rows: dict[str, tuple[str, str | None]] = field(default_factory=dict)

    def read(self, keys: Sequence[str]) -> Mapping[str, tuple[str, str | None]]:
        return {key: self.rows[key] for key in keys if key in self.rows}

    def write(self, request: Request, said: Completion, model: str) -> None:
        self.rows.setdefault(request.key, (said.text, said.finish_reason))


def said(text: str, finish_reason: str | None = "stop") -> Completion:
    """Return an answer that cost one call."""
    return Completion(text, finish_reason, Usage(1, 10, 10))


def script(*answers: str | Completion) -> Callable[[Request], Completion]:
    """Return a function that gives one answer after the other."""
    queue = [each if isinstance(each, Completion) else said(each) for each in answers]
    return lambda _: queue.pop(0)
