"""Tokens become the text that they were cut from, and every token keeps its place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_neo4j_lab.extraction.gold import join


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        ("He won in Rome , Italy .", "He won in Rome, Italy."),
        ('She said " no " twice .', 'She said "no" twice.'),
        ("the men 's team did n't play ( or so )", "the men's team didn't play (or so)"),
        ("1998 – 2002 and Paris – Nice", "1998–2002 and Paris – Nice"),
        ("a two - year deal and / or $ 5 % more", "a two-year deal and/or $5% more"),
        ("– 5", "– 5"),
    ],
)
def test_spaces_stand_where_a_writer_puts_them(tokens: str, text: str) -> None:
    assert join([tokens.split()]).text == text


def test_sentences_are_parted_by_one_space_and_tokens_of_white_space_have_no_width() -> None:
    found = join([["\xa0", "Ada", "."], ["She", "\xa0", "wrote", "."]])
    assert found.text == "Ada. She wrote."
    assert [found.text[start:end] for start, end in found.sentences] == ["Ada.", "She wrote."]
    assert [found.text[start:end] for start, end in found.tokens[1]] == ["She", "", "wrote", "."]


def test_an_empty_sentence_is_nowhere() -> None:
    assert join([[], ["Ada"]]).sentences == ((0, 0), (0, 3))


@given(st.lists(st.lists(st.text(alphabet="ab1\"'-–,(.%", min_size=1, max_size=3), max_size=8), max_size=4))
def test_every_token_is_where_its_place_says(sentences: list[list[str]]) -> None:
    found = join(sentences)
    for words, places in zip(sentences, found.tokens, strict=True):
        assert [found.text[start:end] for start, end in places] == words
    assert found.text.replace(" ", "") == "".join(word for words in sentences for word in words)
    assert "  " not in found.text
