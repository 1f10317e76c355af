"""What decisions make of types, whatever their order."""

from __future__ import annotations

import itertools
from dataclasses import replace

from kg_neo4j.extract import schema as schemas
from kg_neo4j.graph.resolution.decisions import Decision, DecisionKind, decide_type
from kg_neo4j.graph.type_decisions import preferring, type_map

RENAMED, INVERSE, NODE = DecisionKind.RELATIONSHIP_TYPE, DecisionKind.INVERSE_TYPE, DecisionKind.NODE_TYPE


def decided(kind: DecisionKind, old: str, new: str) -> Decision:
    return decide_type("main", kind, (old, new), "person")


CHAIN = [
    decided(INVERSE, "CHILD_OF", "PARENT_OF"),
    decided(INVERSE, "PARENT_OF", "DESCENDS_FROM"),
    decided(RENAMED, "SON_OF", "CHILD_OF"),
    decided(NODE, "SON_OF", "PERSON"),
]


def test_a_chain_of_decisions_is_followed_to_its_end_and_inverses_cancel_out() -> None:
    expected = {
        "CHILD_OF": ("DESCENDS_FROM", False),
        "PARENT_OF": ("DESCENDS_FROM", True),
        "SON_OF": ("DESCENDS_FROM", False),
    }
    for order in itertools.permutations(CHAIN):
        found = type_map(order)
        assert found.relationships == expected
        assert found.nodes == {"SON_OF": ("PERSON", False)}


def test_what_is_revoked_and_what_goes_round_changes_nothing() -> None:
    assert type_map(replace(each, revoked=True) for each in CHAIN).relationships == {}
    round_ = [
        decided(RENAMED, "A", "B"),
        decided(RENAMED, "B", "C"),
        decided(RENAMED, "C", "A"),
        decided(RENAMED, "D", "A"),
    ]
    assert type_map(round_).relationships == {}


def test_of_two_decisions_on_one_type_one_holds_whatever_their_order() -> None:
    two = [decided(RENAMED, "A", "B"), decided(RENAMED, "A", "C")]
    assert type_map(two) == type_map(two[::-1])


def test_preferred_types_are_named_once_and_the_hash_stays() -> None:
    schema = schemas.load("lean")
    kinds = (DecisionKind.PREFERRED_RELATIONSHIP, DecisionKind.PREFERRED_NODE)
    more = preferring(schema, [decided(kinds[0], each, each) for each in ("SANG", "WROTE", "BORN_IN")])
    added = more.preferred_relationship_types[len(schema.preferred_relationship_types) :]
    assert added == (("SANG", ""), ("WROTE", ""))
    assert (more.hash, more.preferred_node_types) == (schema.hash, schema.preferred_node_types)
    assert preferring(schema, [replace(decided(kinds[1], "SHIP", "SHIP"), revoked=True)]) == schema
