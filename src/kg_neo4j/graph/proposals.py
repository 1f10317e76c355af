"""From candidates to proposals: what is joined by rule, what is asked, what is told apart. Pure.

Sure rules go first, so that later ones see what is one already: "Watson" fits one bearer where "Dr. John Watson" and
"John Watson" are the same. What is joined never joins two that contradict each other, at first or second hand.
"""

from __future__ import annotations

import enum
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kg_neo4j.graph import candidate_parts as parts
from kg_neo4j.graph import candidate_rules as rules
from kg_neo4j.graph.bearers import Mentioned
from kg_neo4j.graph.candidates import Block, Candidate, Groups, Rule, Sources
from kg_neo4j.graph.decisions import Decision

ACCEPTED = 0.8  # from this score on, a rule decides alone
ASKED = 0.5  # from this score on, a model or a person is asked
MOST_FITS = 3  # entities that a name may fit to be worth a question

PHASES: tuple[tuple[Rule, ...], ...] = (
    (rules.same_name, rules.spelling, rules.redirects, rules.stated),
    (parts.shortened, parts.acronym, parts.patronymic, parts.place_kind),
    (parts.surname,),
    (parts.given_name, rules.misspelling, rules.neighbours),
)


class Verdict(enum.StrEnum):
    """What becomes of a proposal."""

    JOIN = "join"  # a rule, a file or a model says that they are one
    ASK = "ask"  # the grey band: open until a model or a person says
    APART = "apart"  # a file or a model says that they are not one


@dataclass(frozen=True, slots=True)
class Proposal:
    """Two mention keys, what is proposed, and why."""

    left: Mentioned
    right: Mentioned
    verdict: Verdict
    rule: str
    score: float
    reason: str


def propose(mentioned: Iterable[Mentioned], sources: Sources, decisions: Iterable[Decision]) -> tuple[Proposal, ...]:
    """Return what the rules propose beyond the decisions that there are, in the order in which it was found.

    The same keys, sources and decisions give the same proposals, whatever their order.
    """
    keys = list(mentioned)
    block, groups = Block(keys, sources), Groups(keys, decisions)
    joined: list[Proposal] = []
    open_: list[Candidate] = []
    for phase in PHASES:
        found = [candidate for rule in phase for candidate in rule(block, groups)]
        for candidate in _in_order(_unique(found, groups)):
            if groups.entity(candidate.short) == groups.entity(candidate.long):
                continue
            if candidate.score < ACCEPTED:
                open_.append(candidate)
            elif groups.join(candidate.short, candidate.long) is None:
                joined.append(_proposal(block, candidate, Verdict.JOIN))
    return (*joined, *_questions(block, groups, open_))


def _unique(found: Sequence[Candidate], groups: Groups) -> Iterator[Candidate]:
    """Lower the score of names that fit several entities; leave out those that fit many, and the general ones."""
    fits: defaultdict[str, set[str]] = defaultdict(set)
    for candidate in found:
        if candidate.unique and groups.may_join(candidate.short, candidate.long):
            fits[candidate.short].add(groups.entity(candidate.long))
    for candidate in found:
        others = len(fits[candidate.short] - {groups.entity(candidate.short)}) if candidate.unique else 1
        if others <= 1:
            yield candidate
        elif others <= MOST_FITS:
            score = min(candidate.score, ASKED + 0.05)
            reason = f"{candidate.reason}; it fits {others}"
            yield Candidate(candidate.short, candidate.long, candidate.rule, score, reason, unique=True)


def _in_order(found: Iterable[Candidate]) -> list[Candidate]:
    return sorted(found, key=lambda each: (-each.score, each.rule, each.short, each.long))


def _questions(block: Block, groups: Groups, found: Iterable[Candidate]) -> Iterator[Proposal]:
    """Yield the best open candidate for each two entities that nothing tells apart."""
    seen: set[frozenset[str]] = set()
    for candidate in _in_order(found):
        pair = frozenset((groups.entity(candidate.short), groups.entity(candidate.long)))
        if len(pair) == 2 and pair not in seen and candidate.score >= ASKED and groups.may_join(*sorted(pair)):
            seen.add(pair)
            yield _proposal(block, candidate, Verdict.ASK)


def _proposal(block: Block, candidate: Candidate, verdict: Verdict) -> Proposal:
    left, right = block.keys[candidate.short], block.keys[candidate.long]
    return Proposal(left, right, verdict, candidate.rule, round(min(candidate.score, 1.0), 3), candidate.reason)
