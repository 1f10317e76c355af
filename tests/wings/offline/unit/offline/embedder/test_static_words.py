"""Words as the built-in embedder sees them."""

from __future__ import annotations

import pytest

from kg_neo4j_offline.embedder.static_words import Weighing, cut, ngrams, weigh

PLAIN = Weighing(name=1.0, lead=0.0, reach=20.0)
KNOWN = {piece: number for number, piece in enumerate(["war", "##saw", "##s", "warsaw", "a", "##a", "北", "##京"])}


def test_words_are_folded_and_keep_the_order_of_the_text():
    assert list(weigh("Zażółć, the GĘŚLĄ of Aimé-3!", PLAIN)) == ["zazołc", "the", "gesla", "of", "aime", "3"]


def test_a_repeated_word_counts_for_more_but_not_twice():
    weights = weigh("rose rose thorn", PLAIN)
    assert weights["thorn"] == 1 < weights["rose"] < 2


def test_names_and_numbers_count_for_more_but_not_function_words_with_a_capital():
    weights = weigh("The ship Vesta left in 1802", Weighing(name=2.5, lead=0.0, reach=20.0))
    assert weights == {"the": 1, "ship": 1, "vesta": 2.5, "left": 1, "in": 1, "1802": 2.5}


def test_a_word_that_mostly_stands_without_a_capital_is_no_name():
    assert weigh("House, house, house", Weighing(2.5, 0.0, 20.0)) == weigh("house house house", PLAIN)


def test_the_beginning_counts_for_more():
    weights = list(weigh("one two three four", Weighing(name=1.0, lead=1.5, reach=2.0)).values())
    assert weights[0] == 2.5
    assert weights == sorted(weights, reverse=True)
    assert min(weights) > 1


def test_writing_without_spaces_is_read_as_pairs_of_signs():
    assert list(weigh("我住在北京 and 東", PLAIN)) == ["我住", "住在", "在北", "北京", "and", "東"]


@pytest.mark.parametrize(
    ("word", "pieces"),
    [("warsaw", ["warsaw"]), ("wars", ["war", "##s"]), ("warsaws", ["warsaw", "##s"]), ("北京", ["北", "##京"])],
)
def test_the_longest_pieces_come_first(word: str, pieces: list[str]):
    assert cut(word, KNOWN) == tuple(KNOWN[piece] for piece in pieces)


@pytest.mark.parametrize("word", ["", "zloty", "warq", "a" * 61])
def test_what_cannot_be_cut_has_no_pieces(word: str):
    assert cut(word, KNOWN) == ()


def test_parts_of_words_know_the_borders():
    assert ngrams("ox") == ["<ox", "ox>", "<ox>"]
