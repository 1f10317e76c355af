"""The last ranking, by what the server tells of the candidates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from kg_neo4j.graph.database import Row
from kg_neo4j.graph.queries import Query
from kg_neo4j.retrieve.interface import Search
from kg_neo4j.retrieve.question import read
from kg_neo4j.retrieve.ranking import rank

ASKED = Search("main", read("Who directed Fist Power?"), rest=(1.0, 0.0), passage_index="vectors")


class Told:
    """Answers the queries with what a test says of `first`, `second` and so on, and of texts and titles."""

    def __init__(
        self,
        near: list[float | None],
        entities: list[tuple[list[int], int]],
        chunks: int = 100,
        texts: Mapping[str, str] | None = None,
    ) -> None:
        told = [{"places": places, "mentions": mentions} for places, mentions in entities]
        self.row: Row = {"chunks": chunks, "near": near, "entities": told}
        self.texts = texts or {}
        self.titled: list[Row] = []
        self.queries: list[list[str]] = []
        self.asked: dict[str, Any] = {}

    def read(self, query: Query, /, **params: Any) -> list[Row]:
        if query.name == "retrieve/cited_chunks":
            return [{"id": each, "text": self.texts[each]} for each in params["ids"] if each in self.texts]
        if query.name == "retrieve/titled":
            self.queries = params["chunks"]
            return self.titled
        self.asked = params
        return [self.row]


def test_nothing_is_ranked_where_nothing_was_found() -> None:
    told = Told([], [])
    assert rank(told, ASKED, [], []) == []
    assert told.asked == {}


def test_walk_and_flat_search_come_together() -> None:
    told = Told([None, None, None], [])
    ranked = rank(told, ASKED, [("a", 1.0), ("b", 0.5)], ["c", "b"])
    assert told.asked["ids"] == ["a", "b", "c"]
    assert [each for each, _ in ranked] == ["a", "b", "c"]
    assert ranked[0][1] == 1.0
    assert all(0 < score <= 1 for _, score in ranked)


def test_what_is_near_to_the_rest_of_the_question_rises() -> None:
    walked = [("a", 1.0), ("b", 0.2), ("c", 0.19)]
    assert [each for each, _ in rank(Told([0.5, 0.1, 0.6], []), ASKED, walked, [])] == ["a", "c", "b"]


def test_what_the_words_of_the_question_find_first_rises() -> None:
    walked = [("a", 1.0), ("b", 0.2), ("c", 0.19)]
    told = Told([None, None, None], [])
    assert [each for each, _ in rank(told, ASKED, walked, [], ["c", "z", "b"])] == ["c", "a", "b"]
    assert told.asked["ids"] == ["a", "b", "c"]  # what words alone find is no candidate


@pytest.mark.parametrize(("mentions", "second"), [(2, "c"), (2_000, "b")])
def test_what_shares_a_rare_entity_with_the_best_rises(mentions: int, second: str) -> None:
    walked = [("a", 1.0), ("b", 0.2), ("c", 0.15), ("d", 0.18), ("e", 0.17)]
    told = Told([0.9, 0.5, 0.5, 0.5, 0.5], [([0, 4], mentions), ([1], 3)])
    assert told.row["entities"][0]["places"] == [0, 4]  # the fifth is "c": the ids are in the order of the walk
    assert [each for each, _ in rank(told, ASKED, walked, [])][:2] == ["a", second]


def test_equal_candidates_are_in_the_order_of_their_ids() -> None:
    told = Told([0.5, 0.5, 0.5], [([0, 1, 2], 3)])
    ranked = rank(told, ASKED, [("c", 1.0), ("a", 1.0), ("b", 1.0)], [])
    assert [each for each, _ in ranked] == ["a", "b", "c"]
    assert {score for _, score in ranked} == {1.0}


@pytest.mark.parametrize("search", [Search("main", ASKED.question), Search("main", ASKED.question, rest=(1.0, 0.0))])
def test_without_vectors_of_chunks_nothing_is_compared(search: Search) -> None:
    told = Told([None], [])
    rank(told, search, [("a", 1.0)], [])
    assert told.asked["rest"] is None


def test_the_first_chunk_of_a_document_whose_title_stands_in_the_best_is_a_candidate() -> None:
    told = Told([None, None, None], [], texts={"a": "He starred in Fist Power (and Speed).", "b": "It was a fist."})
    told.titled = [
        {"chunk": "a", "titled": "t", "names": ["Fist Power (film)"]},
        {"chunk": "a", "titled": "u", "names": ["Power Starred"]},
        {"chunk": "a", "titled": "v", "names": ["Spee", "He", "speed"]},
        {"chunk": "b", "titled": "w", "names": ["Fist"]},
    ]
    ranked = dict(rank(told, ASKED, [("a", 1.0), ("b", 0.5)], []))
    assert told.asked["ids"] == ["a", "b", "t"]
    assert 0 < ranked["t"] < ranked["b"]
    assert told.queries == [["a", '"fist" OR "he" OR "power" OR "speed"'], ["b", '"it"']]
