"""One name, two bearers: told apart by years that no single life has, document by document."""

from __future__ import annotations

import random

from kg_neo4j.graph.identity import mention_key, namesake_key
from kg_neo4j.graph.resolution.bearers import Mentioned, Years, find_namesakes


def named(
    years: dict[str, tuple[int | None, int | None]], name: str = "George Bush", kind: str = "PERSON"
) -> Mentioned:
    """Return a key with the years of birth and death that each document gives; None: it gives none."""
    said: dict[str, Years] = {
        document: (frozenset({born} - {None}), frozenset({died} - {None}))  # type: ignore[arg-type]
        for document, (born, died) in years.items()
        if born or died
    }
    return Mentioned(
        key=mention_key("g", name, kind),
        name=name,
        type=kind,
        count=2 * len(years),
        births=frozenset(year for born, _ in said.values() for year in born),
        deaths=frozenset(year for _, died in said.values() for year in died),
        documents=dict.fromkeys(years, 0),
        years=said,
    )


def told(mentioned: Mentioned) -> dict[str, str]:
    """Return the documents that mean another bearer, with the reason."""
    return {each.document: each.reason for each in find_namesakes([mentioned])[1]}


def test_two_presidents_of_one_name_are_two() -> None:
    father_and_son = named({"a": (1924, 2018), "b": (1946, None), "c": (1924, None), "d": (None, None)})
    assert told(father_and_son) == {"b": "born 1924 and 1946, in different documents"}
    keys, ((namesake),) = find_namesakes([father_and_son])
    by_key = {each.key: each for each in keys}
    assert set(by_key[father_and_son.key].documents) == {"a", "c", "d"}
    assert by_key[father_and_son.key].births == {1924}
    assert namesake.other.key == namesake_key(father_and_son.key, "b")
    assert by_key[namesake.other.key].births == {1946}


def test_years_of_death_tell_apart_too() -> None:
    assert told(named({"a": (None, 1826), "b": (None, 1848), "c": (None, 1826)}, "John Adams")) == {
        "b": "died 1826 and 1848, in different documents"
    }


def test_sources_that_differ_by_a_few_years_mean_one_bearer() -> None:
    assert told(named({"a": (570, 632), "b": (571, 632), "c": (567, None)}, "Muhammad")) == {}
    assert told(named({"a": (1924, None), "b": (1934, None)})) == {}


def test_a_document_without_years_tells_nothing() -> None:
    assert told(named({"a": (1924, None), "b": (None, None)})) == {}


def test_things_that_are_no_people_are_not_told_apart_by_years() -> None:
    assert told(named({"a": (1900, None), "b": (1950, None)}, "Ford", "COMPANY")) == {}


def test_the_order_of_documents_and_keys_changes_nothing() -> None:
    years = {"a": (1924, None), "b": (1946, None), "c": (1946, None), "d": (1924, None), "e": (1850, 1900)}
    items = list(years.items())
    expected = find_namesakes([named(dict(items)), named({"a": (1735, None), "b": (1947, None)}, "John Adams")])
    for seed in range(10):
        random.Random(seed).shuffle(items)
        shuffled = [named({"b": (1947, None), "a": (1735, None)}, "John Adams"), named(dict(items))]
        keys, found = find_namesakes(shuffled)
        assert keys == expected[0]
        assert {each.other.key for each in found} == {each.other.key for each in expected[1]}
