"""Columns of a text say what its tokens say."""

from __future__ import annotations

import numpy as np
import pytest

from kg_neo4j_offline.networks import columns, trained

TEXT = "Ada Lind was born in Bergen in 1871.\n\nShe wrote “The Long Winter”, and the Qxzt left. " * 12


@pytest.fixture(scope="module")
def doc():
    return trained.process(TEXT)


def parts(doc):
    """The text, a long part of it, and one so short that it is read by itself."""
    return [doc, doc[10:200], doc[5:7], doc[3:3]]


def test_strings_and_numbers_are_those_of_the_tokens(doc):
    for words in parts(doc):
        assert columns.strings(words, "LOWER") == [token.lower_ for token in words]
        assert columns.strings(words, "ORTH") == [token.text for token in words]
        assert columns.strings(words, "LEMMA") == [token.lemma_ for token in words]
        assert columns.strings(words, "TAG") == [token.tag_ for token in words]
        assert columns.strings(words, "DEP") == [token.dep_ for token in words]
        assert columns.numbers(words, "IDX").tolist() == [token.idx for token in words]
        assert columns.numbers(words, "IS_SPACE").tolist() == [token.is_space for token in words]


def test_heads_are_counted_from_the_first_word(doc):
    for words in parts(doc):
        start = words[0].i if len(words) else 0
        assert columns.heads(words).tolist() == [token.head.i - start for token in words]


def test_a_word_without_a_vector_has_zeros(doc):
    for words in parts(doc):
        found = columns.vectors(words)
        assert found.shape == (len(words), doc.vocab.vectors_length)
        for token, row in zip(words, found, strict=True):
            lower = doc.vocab[token.lower]
            assert np.array_equal(row, lower.vector if lower.has_vector else np.zeros(len(row)))
    assert not columns.vectors(doc)[[token.lower_ for token in doc].index("qxzt")].any()
