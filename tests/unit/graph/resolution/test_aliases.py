"""Names that are derived: a surname, plain letters, a page's title; never one that two could bear."""

from __future__ import annotations

import random

import pytest

from kg_neo4j.graph.identity import mention_key
from kg_neo4j.graph.resolution.aliases import aliases
from kg_neo4j.graph.resolution.bearers import Mentioned
from kg_neo4j.graph.resolution.decisions import Components, DecisionKind, components, decide

GRAPH = "g"


def mentioned(name: str, node_type: str = "PERSON", *others: str) -> Mentioned:
    spellings = {name: 2, **dict.fromkeys(others, 1)}
    found = (frozenset[int](), frozenset[int]())
    return Mentioned(key(name, node_type), name, node_type, 2, *found, {"d": 0}, {}, spellings)


def key(name: str, node_type: str = "PERSON") -> str:
    return mention_key(GRAPH, name, node_type)


def derived(*known: Mentioned, titles: tuple[str, ...] = (), found: Components | None = None) -> dict[str, list[str]]:
    names = {each.key: each.name for each in known}
    return {names[entity]: found_ for entity, found_ in aliases(known, found or Components(), titles).items()}


@pytest.mark.parametrize(
    ("name", "node_type", "wanted"),
    [
        ("Marie Curie", "PERSON", ["Curie"]),
        ("Frédéric Chopin", "PERSON", ["Chopin", "Frederic Chopin"]),
        ("Józef Łobżowski", "PERSON", ["Jozef Lobzowski", "Łobżowski"]),
        ("Ludwig van Beethoven", "PERSON", ["Beethoven"]),
        ("Madame Curie", "PERSON", []),
        ("Martin Luther King Jr.", "PERSON", ["King"]),
        ("Elizabeth II", "PERSON", []),
        ("Muhammad ibn Ishaq", "PERSON", []),
        ("Peter and Mary", "PERSON", []),
        ("University of Oslo", "ORGANIZATION", []),
        ("Łódź", "PLACE", ["Lodz"]),
        ("Иван Петров", "PERSON", ["Петров"]),
    ],
)
def test_what_a_name_gives(name: str, node_type: str, wanted: list[str]) -> None:
    assert derived(mentioned(name, node_type)) == {name: wanted}


def test_a_surname_of_two_is_an_alias_of_neither() -> None:
    marie, pierre = mentioned("Marie Curie"), mentioned("Pierre Curie")
    assert derived(marie, pierre) == {"Marie Curie": [], "Pierre Curie": []}


@pytest.mark.parametrize("title", ["Marie Curie", "MarieCurie", "Marie Curie (chemist)"])
def test_whom_a_document_is_named_after_has_the_surname_that_relatives_share(title: str) -> None:
    marie, pierre = mentioned("Marie Curie"), mentioned("Pierre Curie")
    assert derived(marie, pierre, titles=(title,)) == {"Marie Curie": ["Curie"], "Pierre Curie": []}
    both = (title, "Pierre Curie")
    assert derived(marie, pierre, titles=both) == {"Marie Curie": [], "Pierre Curie": []}


def test_a_surname_that_something_else_bears_is_no_alias() -> None:
    assert derived(mentioned("George Sand"), mentioned("Sand", "PLACE"))["George Sand"] == []
    assert derived(mentioned("Aimé Diaz"), mentioned("Aime Diaz"))["Aimé Diaz"] == []


def test_people_that_are_one_bear_the_name_once() -> None:
    one, other = mentioned("Marie Curie"), mentioned("Maria Curie")
    joined = components([decide(GRAPH, DecisionKind.SAME, (one.key, other.key), "test", 0.9)])
    (found,) = aliases([one, other], joined, []).values()
    assert found[-1] == "Curie"
    assert set(found) == {"Maria Curie", "Curie"} or set(found) == {"Marie Curie", "Curie"}


def test_the_title_of_a_document_names_the_person_with_all_its_words() -> None:
    whole = mentioned("Aurelia Hedvig Sörlund Batista")
    assert "Aurelia Batista" in derived(whole, titles=("Aurelia Batista (scientist)",))[whole.name]
    assert derived(mentioned("Ada Lind"), titles=("Ada Lind", "Otto Berg")) == {"Ada Lind": ["Lind"]}
    assert "Aurelia Quaye" not in derived(whole, titles=("Aurelia Quaye",))[whole.name]
    assert "Batista" not in derived(whole, mentioned("Aurelia Roux Batista"), titles=("Aurelia Batista",))[whole.name]


def test_spellings_come_first_and_the_order_of_the_evidence_does_not_matter() -> None:
    known = [mentioned("Ada Lind", "PERSON", "ADA LIND"), mentioned("Otto Berg"), mentioned("Zoé Férand")]
    wanted = aliases(known, Components(), ["Otto"])
    assert wanted[known[0].key] == ["ADA LIND", "Lind"]
    for seed in range(5):
        random.Random(seed).shuffle(known)
        assert aliases(known, Components(), ["Otto"]) == wanted
