import pytest

from kg_neo4j import Settings, embed
from kg_neo4j._models.tokens import load

pytestmark = pytest.mark.needs("kg_neo4j_offline")


def length(vector: list[float]) -> float:
    return sum(value**2 for value in vector) ** 0.5


def test_a_text_becomes_plain_numbers_of_unit_length() -> None:
    first, again, other = embed(["Where was Ada born?", "Where was Ada born?", "A bell"], settings=Settings())
    assert first == again != other
    assert len(first) == len(other) == 384
    assert {type(value) for value in first} == {float}
    assert length(first) == pytest.approx(1.0)


def test_no_text_needs_no_vector() -> None:
    assert embed([], settings=Settings()) == []


def test_a_long_text_is_the_mean_of_its_pieces() -> None:
    ada, bell = "Ada wrote letters. " * 90, "The bell of Orlen rang. " * 90
    whole, *parts = embed([ada + bell, ada, bell], settings=Settings())
    assert load().count(ada + bell) > 450
    assert length(whole) == pytest.approx(1.0)
    assert max(abs(value - sum(each) / 2) for value, each in zip(whole, zip(*parts, strict=True), strict=True)) < 0.2
