"""Components are a function of the set of decisions: no order, no repeat and no revoked one changes them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_neo4j.graph.resolution.decisions import Components, Decision, DecisionKind, components, decide

KEYS = "abcdefgh"


def made(kind: DecisionKind, left: str, right: str, score: float = 1.0) -> Decision:
    return decide("g", kind, (left, right), "test", score)


def same(left: str, right: str, score: float = 0.9) -> Decision:
    return made(DecisionKind.SAME, left, right, score)


PAIRS = st.tuples(st.sampled_from(KEYS), st.sampled_from(KEYS)).filter(lambda pair: pair[0] != pair[1])
DECISIONS = st.lists(
    st.builds(
        lambda kind, pair, score, revoked: replace(made(kind, *pair, score), revoked=revoked),
        st.sampled_from(DecisionKind),
        PAIRS,
        st.sampled_from([0.8, 0.85, 0.9, 0.95]),
        st.booleans(),
    ),
    max_size=20,
    unique_by=lambda each: each.id,
)


def test_nothing_decided_means_that_every_key_stands_for_itself() -> None:
    assert components([]) == Components()
    assert Components().entity("a") == "a"
    assert Components().members_of("a") == ("a",)


def test_an_entity_is_its_smallest_key() -> None:
    found = components([same("c", "b"), same("d", "c")])
    assert {key: found.entity(key) for key in "abcd"} == {"a": "a", "b": "b", "c": "b", "d": "b"}
    assert found.members_of("d") == ("b", "c", "d")


def test_an_id_is_of_graph_kind_and_keys_in_any_order() -> None:
    assert same("a", "b").id == same("b", "a", 0.1).id
    assert same("a", "b").id != made(DecisionKind.MUST_LINK, "a", "b").id
    assert same("a", "b").id != decide("h", DecisionKind.SAME, ("a", "b"), "test", 1.0).id
    assert (same("b", "a").left_key, same("b", "a").right_key) == ("a", "b")
    with pytest.raises(ValueError, match="itself"):
        same("a", "a")


def test_what_must_stay_apart_is_not_joined_at_second_hand() -> None:
    apart = made(DecisionKind.CANNOT_LINK, "a", "c")
    found = components([same("b", "c", 0.8), same("a", "b", 0.9), apart])
    assert found.members == {"a": ("a", "b")}
    assert found.skipped == (same("b", "c", 0.8),)


def test_a_person_who_joins_wins_over_one_who_keeps_apart() -> None:
    apart = made(DecisionKind.CANNOT_LINK, "a", "b")
    found = components([apart, made(DecisionKind.MUST_LINK, "a", "b")])
    assert found.members == {"a": ("a", "b")}
    assert found.skipped == (apart,)


def test_the_better_score_goes_first() -> None:
    apart = made(DecisionKind.CANNOT_LINK, "a", "c")
    assert components([same("a", "b", 0.8), same("b", "c", 0.9), apart]).members == {"b": ("b", "c")}


@given(DECISIONS, st.randoms(use_true_random=False))
def test_any_order_of_the_same_decisions_gives_the_same_components(decisions: list[Decision], draw) -> None:  # type: ignore[no-untyped-def]
    shuffled = list(decisions)
    draw.shuffle(shuffled)
    assert components(shuffled) == components(decisions)


@given(DECISIONS)
def test_a_revoked_decision_is_none(decisions: list[Decision]) -> None:
    assert components(decisions) == components(each for each in decisions if not each.revoked)


@given(DECISIONS)
def test_no_component_holds_two_keys_that_are_kept_apart_unless_that_was_skipped(decisions: list[Decision]) -> None:
    found = components(decisions)
    for each in decisions:
        if each.revoked or each in found.skipped:
            continue
        joined = found.entity(each.left_key) == found.entity(each.right_key)
        assert joined == (each.kind is not DecisionKind.CANNOT_LINK)
    for root, keys in found.members.items():
        assert keys == tuple(sorted(keys))
        assert root == keys[0]
        assert len(keys) > 1
        assert {found.roots[key] for key in keys} == {root}
