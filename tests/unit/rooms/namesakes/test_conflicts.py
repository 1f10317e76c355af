"""Which documents may mean another bearer of a name, and of how many there is a question."""

from __future__ import annotations

import string
from collections.abc import Sequence

import pytest

from kg_neo4j.graph.resolution.bearers import Gathered
from kg_neo4j.graph.resolution.proposals import ASKED
from kg_neo4j.rooms.namesakes.conflicts import JUDGED, MOST, questions

Said = tuple[str, str]  # role and place of one document
MINER = ("miner", "Durham")


def asked(said: Sequence[Said]) -> list[tuple[set[str], set[str], float]]:
    """Return the documents on both sides of each question, and its score; documents are 0, 1 and so on."""
    documents = [(str(number), 0, [], []) for number in range(len(said))]
    name = Gathered().mentioned("00", "PERSON", [("Ann Reed", len(said))], documents)
    rows = [[str(number), f"{number}.txt", *([each] if each else [] for each in of)] for number, of in enumerate(said)]
    found = questions([{"key": "00", "said": rows}], [name], [])
    return [({*each.left.documents}, {*each.right.documents}, each.score) for each in found]


@pytest.mark.parametrize(
    ("other", "score"),
    [
        (("singer", "Vienna"), ASKED),
        (("", "Vienna"), ASKED),
        (("miners' leader", "Vienna"), ASKED),
        (("singer", "County Durham"), ASKED),
        (("miners' leader", ""), JUDGED),
        (("", ""), JUDGED),
        (("the miner", "County Durham"), None),
    ],
)
def test_other_roles_or_places_are_asked_about_and_what_cannot_be_compared_is_for_a_model(
    other: Said, score: float | None
) -> None:
    found = [({"0"}, {"1"}, score)] if score else []
    assert asked([MINER, other]) == found


def test_documents_that_agree_are_one_side_and_most_documents_come_first() -> None:
    singer = ("singer", "Vienna")
    assert asked([singer, MINER, MINER, singer, singer]) == [({"0", "3", "4"}, {"1", "2"}, ASKED)]


def test_a_name_of_many_documents_is_asked_about_some_times() -> None:
    said = [("", ""), *((letter * 4, letter * 5) for letter in string.ascii_lowercase)]
    found = asked(said)
    assert len(found) == MOST
    assert {score for _, _, score in found} == {ASKED}  # what says something goes first
