"""Joins that settling derives: a function of the evidence and of what people decided, of nothing derived before."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from kg_neo4j.graph.identity import mention_key, namesake_key
from kg_neo4j.graph.resolution.bearers import Mentioned
from kg_neo4j.graph.resolution.candidates import Sources
from kg_neo4j.graph.resolution.decisions import DecisionKind, components, decide
from kg_neo4j.graph.resolution.derived import changed_decisions
from kg_neo4j.graph.resolution.showing import StoredDecision

GRAPH = "g"


def mentioned(name: str, *documents: str, born: int | None = None) -> Mentioned:
    births = frozenset({born} if born else ())
    years = {documents[0]: (births, frozenset[int]())} if born else {}
    places = dict.fromkeys(documents or ("a",), 0)
    return Mentioned(mention_key(GRAPH, name, "PERSON"), name, "PERSON", 2, births, frozenset(), places, years)


KNOWN = [mentioned(name) for name in ("Marie Curie", "Curie", "Marié Curie", "Paul Langevin", "Langevin")]


def joins(known: Sequence[Mentioned], stored: Sequence[StoredDecision] = ()) -> dict[str, StoredDecision]:
    return {each.decision.id: each for each in changed_decisions(GRAPH, known, Sources(), stored)[1]}


def sets(stored: Sequence[StoredDecision]) -> set[tuple[str, ...]]:
    names = {each.key: each.name for each in KNOWN}
    found = components(each.decision for each in stored)
    return {tuple(sorted(names[key] for key in keys)) for keys in found.members.values()}


def test_sure_joins_are_derived_whatever_the_order_of_the_evidence() -> None:
    wanted = joins(KNOWN)
    assert sets(list(wanted.values())) == {("Curie", "Marie Curie", "Marié Curie"), ("Langevin", "Paul Langevin")}
    assert all(each.derived and each.pending for each in wanted.values())
    for seed in range(5):
        assert joins(random.Random(seed).sample(KNOWN, len(KNOWN))) == wanted


def test_a_repeat_changes_nothing_and_what_was_derived_before_takes_no_part() -> None:
    shown = [replace(each, pending=False) for each in joins(KNOWN).values()]
    assert joins(KNOWN, shown) == {}
    other = replace(shown[0], decision=replace(shown[0].decision, score=0.5, reason="as it was before"))
    assert joins(KNOWN, [other, *shown[1:]]) == {other.decision.id: replace(shown[0], pending=True)}


def test_a_join_goes_with_its_evidence() -> None:
    shown = [replace(each, pending=False) for each in joins(KNOWN).values()]
    pierre = mentioned("Pierre Curie")
    gone = joins([*KNOWN, pierre], shown)
    revoked = [each.decision.id for each in gone.values() if each.decision.revoked]
    left = [each for each in shown if each.decision.id not in revoked]
    left += [each for each in gone.values() if not each.decision.revoked]
    assert sets(left) == {("Marie Curie", "Marié Curie"), ("Langevin", "Paul Langevin")}


def test_what_a_person_took_back_or_kept_apart_stays_so() -> None:
    shown = [replace(each, pending=False) for each in joins(KNOWN).values()]
    langevin = mention_key(GRAPH, "Langevin", "PERSON")
    taken = [
        replace(each, decision=replace(each.decision, revoked=True), derived=False)
        if langevin in (each.decision.left_key, each.decision.right_key)
        else each
        for each in shown
    ]
    assert joins(KNOWN, taken) == {}
    assert sets([each for each in taken if not each.decision.revoked]) == {("Curie", "Marie Curie", "Marié Curie")}
    keys = (mention_key(GRAPH, "Marie Curie", "PERSON"), mention_key(GRAPH, "Curie", "PERSON"))
    apart = StoredDecision(decide(GRAPH, DecisionKind.CANNOT_LINK, keys, "file", 1.0), "l", "r", pending=False)
    left = [apart, *joins(KNOWN, [apart]).values()]
    assert ("Curie", "Marie Curie", "Marié Curie") not in sets(left)


BUSH = replace(
    mentioned("George Bush", "a", "b"),
    births=frozenset({1924, 1946}),
    years={"a": (frozenset({1924}), frozenset()), "b": (frozenset({1946}), frozenset())},
)


def test_one_name_with_two_lives_is_two_and_a_short_name_is_the_one_of_its_document() -> None:
    found = joins([BUSH, mentioned("Bush", "b")])
    other = namesake_key(BUSH.key, "b")
    assert components(each.decision for each in found.values()).namesakes == {("b", BUSH.key): other}
    split = next(each.decision for each in found.values() if each.decision.document)
    assert split.reason == "born 1924 and 1946, in different documents"
    (join,) = (each.decision for each in found.values() if not each.decision.document)
    assert {join.left_key, join.right_key} == {other, mention_key(GRAPH, "Bush", "PERSON")}


def test_namesakes_that_somebody_took_back_stay_one() -> None:
    (split,) = joins([BUSH]).values()
    taken = replace(split, decision=replace(split.decision, revoked=True), derived=False, pending=False)
    assert joins([BUSH], [taken]) == {}
