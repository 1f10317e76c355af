"""Names that may be forms of one: what is asked about, and what is not."""

from __future__ import annotations

import pytest

from kg_neo4j.graph.resolution.bearers import Gathered, Mentioned
from kg_neo4j.graph.resolution.candidates import Sources
from kg_neo4j.graph.resolution.proposals import ProposalVerdict, judged, propose
from kg_neo4j.rooms.namesakes.near import with_near_names


def named(*names: str) -> list[Mentioned]:
    """Return keys in documents of their own: "Hira::PLACE"; a GROUP where no type stands there."""
    gathered = Gathered()
    parts = [(*name.split("::"), "GROUP")[:2] for name in names]
    return [
        gathered.mentioned(f"{number:032x}", type_, [(name, 1)], [(f"{number}.txt", 0, [], [])])
        for number, (name, type_) in enumerate(parts)
    ]


@pytest.mark.parametrize(
    "names",
    [
        ("Confederacy", "The Confederation"),
        ("Muhammad's followers", "followers of Muhammad"),
        ("Hashim clan", "Banu Hashim"),
        ("Muslim community", "Muslim community (ummah)"),
        ("Abd al-Muttalib::PERSON", "Abd al-Muttalib ibn Hashim::PERSON"),
        ("Hira::PLACE", "cave of Hira::PLACE"),
    ],
)
def test_other_forms_of_a_name_are_asked_about_and_a_model_joins_them(names: tuple[str, str]) -> None:
    keys = named(*names)
    proposed = with_near_names(keys, propose(keys, Sources(), []))
    assert [(each.verdict, each.rule) for each in proposed.proposals] == [(ProposalVerdict.ASK, "near-name")]
    (asked,) = proposed.open
    after = judged(proposed, {(asked.left.key, asked.right.key): (True, "one")}, 0.8)
    assert [each.verdict for each in after.proposals] == [ProposalVerdict.JOIN]


@pytest.mark.parametrize(
    "names",
    [
        ("Abraha::PERSON", "Abraham::PERSON"),
        ("Muhammad's followers", "Muhammad's family"),
        ("Hashim clan", "Hashim::PERSON"),
        ("the clan", "Banu"),
        tuple(f"guild ({number})" for number in range(9)),  # too many to be one
    ],
)
def test_others_are_not(names: tuple[str, ...]) -> None:
    keys = named(*names)
    rules = propose(keys, Sources(), [])
    assert with_near_names(keys, rules).proposals == rules.proposals


def test_what_a_rule_asks_is_not_asked_twice() -> None:
    keys = named("Irene::PERSON", "Irene (singer)::PERSON", "Irene Adler::PERSON")
    found = with_near_names(keys, propose(keys, Sources(), [])).proposals
    pairs = [frozenset((each.left.key, each.right.key)) for each in found]
    assert len(pairs) == len(set(pairs))
