"""What a model adds to a search: parts of a question, an order of passages; what is no such thing is not used."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kg_neo4j._models import tokens
from kg_neo4j._models.protocols import Completion
from kg_neo4j.errors import ContentFiltered
from kg_neo4j.factory import contradictions, door_to
from kg_neo4j.offline.embedder.hashed_embedding import HashedEmbedding
from kg_neo4j.records import Usage
from kg_neo4j.retrieve.ask_context import AskContext
from kg_neo4j.retrieve.assisting import PARTS, Assist, Assisted, Decompose, fuse
from kg_neo4j.retrieve.interface import AskOptions, Found, FoundChunk, Search
from kg_neo4j.retrieve.question import read

TOKENISER = tokens.load("approximate-1")
COST = Usage(1, 10, 5, 0.1)
QUESTION = "When was the director of Rain Road born?"


class Helper:
    """Says one thing after the other, and remembers what it was asked."""

    name = "helper"

    def __init__(self, *said: str, window: int = 4_000) -> None:
        self.said = list(said)
        self.window = window
        self.asked: list[str] = []

    def complete(
        self, system: str, user: str, *, max_tokens: int | None = None, temperature: float = 0.0
    ) -> Completion:
        self.asked.append(user)
        said = self.said.pop(0)
        if said == "refused":
            raise ContentFiltered("the filter refused it")
        return Completion(said, "stop", COST)


def chunk(name: str, score: float, text: str = "text") -> FoundChunk:
    return FoundChunk(name, text, 1, "", f"About {name}", score)


def found(*chunks: FoundChunk, notes: tuple[str, ...] = ()) -> Found:
    return Found("local", chunks, notes=notes)


def assisted_by(helper: Helper, given: Found, find: Callable[[str], Found], **what: bool) -> Assisted:
    context = AskContext(HashedEmbedding(), TOKENISER, door_to(helper), contradictions())
    search = Search("graph", read(QUESTION), options=AskOptions(**what))  # type: ignore[arg-type]
    return context.door.do(Assist(search, given, context, find))


def ordered(given: Found, helper: Helper) -> Assisted:
    return assisted_by(helper, given, lambda _: given, rerank=True)


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


@pytest.mark.parametrize(
    ("said", "order"),
    [
        ("3, 1", "cab"),
        ("2", "bac"),
        ("[2], [3], [1]", "bca"),
        ("2, 2, 99, 4, 2", "bac"),
        ("0", "abc"),
        ("none of them", "abc"),
        ("", "abc"),
    ],
)
def test_passages_are_put_in_the_order_given_and_none_is_lost(said: str, order: str) -> None:
    ranked = ordered(ABC, Helper(said))
    assert [each.id for each in ranked.found.chunks] == [*order, "rest"]
    assert [each.score for each in ranked.found.chunks] == [0.9, 0.5, 0.1, 0.0]
    assert ranked.usage == COST
    assert bool(ranked.notes) == (order == "abc" and said != "0")


def test_passages_are_shown_within_the_window() -> None:
    many = found(*(chunk(f"c{n}", 1 - n / 100, "word " * 400) for n in range(40)))
    for window, least, most in ((4_000, 15, 20), (1_500, 2, 8)):
        helper = Helper("1", window=window)
        ordered(many, helper)
        shown = helper.asked[0].count("About c")
        assert least <= shown <= most
        assert TOKENISER.count(helper.asked[0]) < window
    helper = Helper(window=900)
    assert ordered(many, helper) == Assisted(many)
    assert helper.asked == []


def test_searches_are_fused_by_rank() -> None:
    fused = fuse([ABC, found(chunk("d", 7.0), chunk("b", 6.0), notes=("slow",))])
    assert [each.id for each in fused.chunks] == ["b", "a", "d", "c", "rest"]
    assert fused.chunks[-1].score == 0
    assert (fused.mode, fused.notes) == ("local", ("slow",))


def test_help_is_counted_and_what_is_of_no_use_is_said() -> None:
    helper = Helper("Who directed Rain Road?", "3, 1")
    asked: list[str] = []

    def search(part: str) -> Found:
        asked.append(part)
        return found(chunk("new", 1.0))

    assisted = assisted_by(helper, ABC, search, decompose=True, rerank=True)
    assert asked == ["Who directed Rain Road?"]
    assert {each.id for each in assisted.found.chunks} == {"a", "b", "c", "new", "rest"}
    assert assisted.usage == COST + COST
    assert assisted.notes == ("also searched for its parts: Who directed Rain Road?",)
    refused = assisted_by(Helper("refused"), ABC, search, decompose=True)
    assert refused.found is ABC
    assert refused.usage.calls == 1
    assert refused.notes == ("decompose: the filter refused it",)
    assert assisted_by(Helper(), ABC, search).usage == Usage()
