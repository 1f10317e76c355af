"""What a model adds to a search: the parts of a question; what is no such thing is not used."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kg_neo4j._models.protocols import Completion
from kg_neo4j.errors import ContentFiltered
from kg_neo4j.factory import door_to
from kg_neo4j.records import Usage
from kg_neo4j.retrieve.assisting import PARTS, Assist, Assisted, Decompose, fuse
from kg_neo4j.retrieve.interface import AskOptions, Found, FoundChunk, Search
from kg_neo4j.retrieve.question import read

COST = Usage(1, 10, 5, 0.1)
QUESTION = "When was the director of Rain Road born?"


class Helper:
    """Says one thing after the other."""

    name = "helper"
    window = 4_000

    def __init__(self, *said: str) -> None:
        self.said = list(said)

    def complete(
        self, system: str, user: str, *, max_tokens: int | None = None, temperature: float = 0.0
    ) -> Completion:
        said = self.said.pop(0)
        if said == "refused":
            raise ContentFiltered("the filter refused it")
        return Completion(said, "stop", COST)


def chunk(name: str, score: float) -> FoundChunk:
    return FoundChunk(name, "text", 1, "", f"About {name}", score)


def found(*chunks: FoundChunk, notes: tuple[str, ...] = ()) -> Found:
    return Found("local", chunks, notes=notes)


def assisted_by(helper: Helper, given: Found, find: Callable[[str], Found], **what: bool) -> Assisted:
    search = Search("graph", read(QUESTION), options=AskOptions(**what))  # type: ignore[arg-type]
    return door_to(helper).do(Assist(search, given, find))


ABC = found(chunk("a", 0.9), chunk("b", 0.5), chunk("c", 0.1), chunk("rest", 0.0))


@pytest.mark.parametrize(
    ("said", "parts"),
    [
        ("Who directed Rain Road?\nWhen was Ada Lind born?", ("Who directed Rain Road?", "When was Ada Lind born?")),
        ("1. Who directed it?\n2) When?\n- Where?", ("Who directed it?", "When?", "Where?")),
        ("<think>two parts\nthen</think>Who directed Rain Road?", ("Who directed Rain Road?",)),
        (f"{QUESTION}\nWho directed Rain Road?\nWho directed Rain Road?", ("Who directed Rain Road?",)),
        (QUESTION.upper(), ()),
        ("", ()),
        ("---\n***", ()),
        ("x" * 501, ()),
        ("Who?\x00\nWhen?", ("When?",)),
        ("\n".join(f"Who is {n}?" for n in range(PARTS + 1)), ()),
    ],
)
def test_a_question_is_taken_apart_into_questions(said: str, parts: tuple[str, ...]) -> None:
    taken = door_to(Helper(said)).ask(Decompose(QUESTION))
    assert (taken.value or (), taken.charged) == (parts, COST)
    assert bool(taken.problem) == (len(said.splitlines()) > PARTS)


def test_searches_are_fused_by_rank() -> None:
    fused = fuse([ABC, found(chunk("d", 7.0), chunk("b", 6.0), notes=("slow",))])
    assert [each.id for each in fused.chunks] == ["b", "a", "d", "c", "rest"]
    assert fused.chunks[-1].score == 0
    assert (fused.mode, fused.notes) == ("local", ("slow",))


def test_help_is_counted_and_what_is_of_no_use_is_said() -> None:
    helper = Helper("Who directed Rain Road?")
    asked: list[str] = []

    def search(part: str) -> Found:
        asked.append(part)
        return found(chunk("new", 1.0))

    assisted = assisted_by(helper, ABC, search, decompose=True)
    assert asked == ["Who directed Rain Road?"]
    assert {each.id for each in assisted.found.chunks} == {"a", "b", "c", "new", "rest"}
    assert assisted.usage == COST
    assert assisted.notes == ("also searched for its parts: Who directed Rain Road?",)
    refused = assisted_by(Helper("refused"), ABC, search, decompose=True)
    assert refused.found is ABC
    assert refused.usage.calls == 1
    assert refused.notes == ("decompose: the filter refused it",)
    assert assisted_by(Helper(), ABC, search).usage == Usage()
