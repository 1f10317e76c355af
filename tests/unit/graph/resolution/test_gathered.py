"""Keys made from evidence: compact, and to every rule the same as plain dictionaries; facts that rules look at."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_neo4j.graph.identity import mention_key
from kg_neo4j.graph.resolution import parts
from kg_neo4j.graph.resolution.aliases import aliases
from kg_neo4j.graph.resolution.bearers import Gathered, Mentioned, shared
from kg_neo4j.graph.resolution.candidates import Groups, MentionKeyIndex, Sources, related
from kg_neo4j.graph.resolution.decisions import Components
from kg_neo4j.graph.resolution.proposals import propose, sure_proposals
from kg_neo4j.graph.resolution.rules import asked_facts

GIVEN = "Ada Anna Berta Carl Clara John Jane Marie Maria".split()
LAST = "Lind Curie Smith Smyth Bush".split()
PLACES = st.lists(st.tuples(st.sampled_from("abcdefgh"), st.integers(0, 5)), max_size=12)


def person(gathered: Gathered, name: str, *documents: str) -> Mentioned:
    return gathered.mentioned(
        mention_key("g", name, "PERSON"), "PERSON", [(name, len(documents))], [(each, 0, (), ()) for each in documents]
    )


def drawn(seed: int) -> tuple[list[Mentioned], list[tuple[str, str, list[str]]]]:
    """Return keys with many shared surnames, initials and acronyms, and facts between them."""
    draw, gathered, known = random.Random(seed), Gathered(), {}
    for _ in range(150):
        one, other, last = draw.choice(GIVEN), draw.choice(GIVEN), draw.choice(LAST[: 1 + seed % 5])
        forms = (
            f"{one} {last}",
            f"{one} {other[0]}. {last}",
            f"{one} {other} {last}",
            f"{one[0]}. {last}",
            f"Dr. {last}",
        )
        people = [(name, "PERSON") for name in (*forms, last, one, f"{one} bint {other}")]
        others = [(f"Mount {last}", "PLACE"), (last, "PLACE"), (f"{one} {last} Society", "ORGANIZATION")]
        name, node_type = draw.choice([*people, *others, (f"{one[0]}{last[0]}S", "ORGANIZATION")])
        places = [(f"d{draw.randrange(8)}", draw.randrange(9), (), ()) for _ in range(draw.choice((1, 2, 9)))]
        key = mention_key("g", name, node_type)
        known[key] = gathered.mentioned(key, node_type, [(name, len(places))], places)
    keys = sorted(known)
    types = ("KNOWS", "LED", "KNOWS", "ALSO_KNOWN_AS")
    facts = [(draw.choice(keys), draw.choice(keys), [draw.choice(types)]) for _ in range(120)]
    return list(known.values()), facts


@given(PLACES, PLACES)
def test_places_are_a_mapping_to_the_first_chunks(mine: list[tuple[str, int]], theirs: list[tuple[str, int]]) -> None:
    gathered = Gathered()
    one, other = (
        gathered.mentioned("k", "PERSON", [("Ada", 1)], [(*each, (), ()) for each in places]).documents
        for places in (mine, theirs)
    )
    firsts = {document: min(index for where, index in mine if where == document) for document, _ in mine}
    assert one == firsts
    assert len(one) == len(firsts)
    assert {document: one.get(document) for document in "abcdefghi"} == {each: firsts.get(each) for each in "abcdefghi"}
    assert set(shared(one, other)) == set(shared(other, one)) == set(one) & set(other)


def test_evidence_that_comes_in_parts_is_added_up() -> None:
    documents = [("a", 3, [1867], []), ("b", 0, [], []), ("a", 1, [1868], [1934]), ("c", 2, [1867], [])]
    found = Gathered().mentioned("k", "PERSON", [("Curie", 2), ("M. Curie", 3), ("Curie", 2)], documents)
    assert (found.name, found.count, found.spellings) == ("Curie", 7, {"Curie": 4, "M. Curie": 3})
    assert found.documents == {"a": 1, "b": 0, "c": 2}
    assert found.years == {
        "a": (frozenset({1867, 1868}), frozenset({1934})),
        "c": (frozenset({1867}), frozenset()),
    }
    assert (found.births, found.deaths) == ({1867, 1868}, {1934})


@pytest.mark.parametrize("seed", range(20))
def test_joins_are_those_of_plain_dictionaries_and_of_all_facts(seed: int) -> None:
    known, facts = drawn(seed)
    plain = [replace(each, documents=dict(each.documents)) for each in known]
    asked = list(asked_facts(known, facts))
    told = [
        (each.left.key, each.right.key, each.reason)
        for each in sure_proposals(known, Sources(related=related(asked)), ())[1]
    ]
    wanted = sure_proposals(plain, Sources(related=related(facts)), ())[1]
    assert told == [(each.left.key, each.right.key, each.reason) for each in wanted]
    assert told
    assert len(asked) < len(facts)
    every = Sources(related=related(facts))
    assert propose(known, every, ()).proposals == propose(plain, every, ()).proposals


def test_of_many_names_that_end_alike_the_first_documents_count() -> None:
    gathered = Gathered()
    names = [f"{one} {other} Watson" for one in "ABCDF" for other in ("Ann", "Bea", "Cleo")]
    longs = [person(gathered, name, f"d{99 - number}") for number, name in enumerate(names)]
    short = person(gathered, "Watson", *(f"d{number}" for number in range(85, 100)))
    keys = [short, *longs]
    found = {
        each.long
        for each in parts.surname(MentionKeyIndex(keys, Sources()), Groups(keys, ()))
        if each.short == short.key
    }
    assert found == {each.key for each in longs[-parts.FITS :]}
    first = person(gathered, "Ann", *(f"d{number}" for number in range(85, 100)))
    begun = [person(gathered, f"Ann {name}", f"d{99 - number}") for number, name in enumerate(names)]
    keys = [first, *begun]
    given_names = parts.given_name(MentionKeyIndex(keys, Sources()), Groups(keys, ()))
    assert {each.long for each in given_names} == {each.key for each in begun[-parts.FITS :]}


def test_titles_are_read_once() -> None:
    ada = person(Gathered(), "Ada Berta Lind", "a")
    titles = (title for title in ("Ada Lind (poet)", "Ada Lind", "Something else", "Ada Berta Lind"))
    assert aliases([ada], Components(), titles)[ada.key] == ["Ada Lind", "Lind"]
