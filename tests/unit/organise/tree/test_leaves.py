"""Leaves of a tree: chunks where they are short, else passages, and the text put together from overlapping chunks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_neo4j._models import tokens
from kg_neo4j.acquire.chunking import chunk
from kg_neo4j.organise.tree.interface import Leaf, TreeOptions
from kg_neo4j.organise.tree.leaves import fingerprint, joined, leaves_of
from kg_neo4j.records import Document

TOKENISER = tokens.load("approximate-1")
TEXT = "\n\n".join(
    f"Paragraph {number} tells of the keeper {number} times. He lit the lamp. Nobody came to see it."
    for number in range(40)
)


def sources(text: str, max_tokens: int, overlap: int = 0) -> list[Leaf]:
    document = Document("d1", "g", "file", "k", "t", "s", text, "h")
    found = chunk(document, TOKENISER, max_tokens=max_tokens, overlap=overlap)
    return [Leaf(each.id, each.text, each.token_count, each.start, each.end) for each in found]


@pytest.mark.parametrize("overlap", [0, 60])
def test_passages_stand_at_their_offsets_and_know_their_chunks(overlap: int) -> None:
    chunks = sources(TEXT, 300, overlap)
    found = leaves_of("t1", chunks, TOKENISER, TreeOptions(leaf_tokens=100))
    assert found.are_passages
    by_id = {each.id: each for each in chunks}
    for leaf in found.leaves:
        assert TEXT[leaf.start : leaf.end] == leaf.text
        assert leaf.token_count <= 100
        covered: set[int] = set()
        for chunk_id, start, end in found.overlaps[leaf.id]:
            source = by_id[chunk_id]
            assert source.text[start:end] == TEXT[source.start + start : source.start + end]
            covered |= set(range(source.start + start, source.start + end))
        assert all(place in covered or TEXT[place].isspace() for place in range(leaf.start, leaf.end))
    assert "".join(leaf.text.replace(" ", "").replace("\n", "") for leaf in found.leaves) == "".join(TEXT.split())


def test_short_chunks_are_the_leaves() -> None:
    chunks = sources(TEXT, 80)
    found = leaves_of("t1", chunks, TOKENISER, TreeOptions(leaf_tokens=100))
    assert not found.are_passages
    assert [leaf.id for leaf in found.leaves] == [each.id for each in chunks]
    assert found.overlaps == {}


def test_one_chunk_that_is_longer_than_a_leaf_makes_passages() -> None:
    fits, long = Leaf("a", "one", 100, 0, 3), Leaf("b", "two", 101, 5, 8)
    assert not leaves_of("t1", [fits], TOKENISER, TreeOptions(leaf_tokens=100)).are_passages
    assert leaves_of("t1", [fits, long], TOKENISER, TreeOptions(leaf_tokens=100)).are_passages


def test_passages_of_two_trees_and_of_equal_texts_have_ids_of_their_own() -> None:
    chunks = sources("\n\n".join(["The same words stand here again and again."] * 60), 300)
    first = [leaf.id for leaf in leaves_of("t1", chunks, TOKENISER, TreeOptions(leaf_tokens=50)).leaves]
    second = [leaf.id for leaf in leaves_of("t2", chunks, TOKENISER, TreeOptions(leaf_tokens=50)).leaves]
    assert len(set(first)) == len(first) > 3
    assert not {*first} & {*second}
    assert first == [leaf.id for leaf in leaves_of("t1", chunks, TOKENISER, TreeOptions(leaf_tokens=50)).leaves]


@given(st.lists(st.text("ab \n", min_size=1, max_size=30), max_size=8), st.integers(0, 5))
def test_a_text_is_put_together_again_but_for_white_space(parts: list[str], shared: int) -> None:
    """Chunks overlap by some letters, or leave white space between them."""
    text, chunks = "", []
    for number, part in enumerate(parts):
        start = max(0, len(text) - shared) if number % 2 else len(text)
        text += part + "  "
        chunks.append(Leaf(str(number), text[start:-2], 1, start, len(text) - 2))
    found = joined(chunks)
    assert [letter for letter in found if not letter.isspace()] == [letter for letter in text if not letter.isspace()]
    for each in chunks:
        assert found[each.start : each.end] == each.text


def test_a_fingerprint_changes_with_chunks_their_order_and_their_place() -> None:
    one = [("a", 0, 5), ("b", 6, 9)]
    others = [one[:1], one[::-1], [("a", 0, 5), ("b", 7, 10)], [("a", 0, 5), ("c", 6, 9)], []]
    assert len({fingerprint(each) for each in [one, *others]}) == 6
    assert fingerprint(one) == fingerprint(list(one))
