"""Flat search: what the graph is compared with is made well itself."""

from __future__ import annotations

from kg_neo4j._models import tokens
from kg_neo4j_lab.retrieval.flat import Bm25, Dense, fuse
from kg_neo4j_lab.retrieval.questions import CorpusPassage
from kg_neo4j_offline.embedder.hashed_embedding import HashedEmbedding

PASSAGES = (
    CorpusPassage(4, "Bergen", "Bergen is a city by the sea. Many films are made in Bergen."),
    CorpusPassage(2, "Rain Road", "Rain Road is a film of 1931."),
    CorpusPassage(9, "Sea", "The sea is wide."),
)


def test_bm25_ranks_by_rare_words_and_reads_titles() -> None:
    assert Bm25(PASSAGES).rank("Which film is Rain Road?")[0] == 2
    assert Bm25(PASSAGES).rank("bergen")[0] == 4


def test_bm25_prefers_the_shorter_of_two_that_say_it_once() -> None:
    assert Bm25(PASSAGES).rank("the sea")[0] == 9


def test_a_question_without_a_known_word_finds_nothing() -> None:
    assert Bm25(PASSAGES).rank("xylophone, and of the") == []


def test_vectors_rank_all_passages() -> None:
    ranked = Dense(PASSAGES, HashedEmbedding(), tokens.load("approximate-1")).rank("Rain Road is a film of 1931.")
    assert ranked[0] == 2
    assert sorted(ranked) == [2, 4, 9]


def test_fusion_prefers_what_both_have() -> None:
    assert fuse([1, 2, 3], [4, 2, 5])[0] == 2
