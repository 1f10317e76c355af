"""From candidates to proposals: what is joined by rule, what is asked, what is kept apart. Pure.

Sure rules go first, so that later ones see what is one already: "Watson" fits one bearer where "Dr. John Watson" and
"John Watson" are the same. What is joined never joins two that contradict each other, at first or second hand.
"""

from __future__ import annotations

import enum
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kg_neo4j.graph.resolution import parts, rules
from kg_neo4j.graph.resolution.bearers import Mentioned
from kg_neo4j.graph.resolution.candidates import Groups, MentionKeyIndex, MergeCandidate, Rule, Sources
from kg_neo4j.graph.resolution.decisions import Decision
from kg_neo4j.graph.resolution.namesakes import SCORE, find_namesakes

ACCEPTED = 0.8  # from this score on, a rule decides alone
ASKED = 0.5  # from this score on, a model or a person is asked
ROUNDS = 3  # of one phase: what is joined may leave a name with one bearer
MOST_FITS = 2  # entities that a name may fit to be worth a question

PHASES: tuple[tuple[Rule, ...], ...] = (
    (rules.same_name, rules.spelling, rules.redirects, rules.stated),
    (parts.shortened, parts.acronym, parts.patronymic, parts.place_kind),
    (parts.surname,),
    (parts.given_name, rules.misspelling, rules.neighbours),
)
SURE = PHASES[:-1]  # those whose rules decide alone


class ProposalVerdict(enum.StrEnum):
    """What becomes of a proposal."""

    JOIN = "join"  # a rule, a file or a model says that they are one
    ASK = "ask"  # the grey band: open until a model or a person says
    APART = "apart"  # a file or a model says that they are not one
    SPLIT = "split"  # one name has two bearers: a document means the right one


@dataclass(frozen=True, slots=True)
class Proposal:
    """Two mention keys, what is proposed, and why."""

    left: Mentioned
    right: Mentioned
    verdict: ProposalVerdict
    rule: str
    score: float
    reason: str
    document: str = ""  # of SPLIT: the document that means the right one


@dataclass(frozen=True, slots=True)
class Proposed:
    """What the rules propose, and the groups that come of it, to which `judged` adds."""

    proposals: tuple[Proposal, ...]
    groups: Groups

    @property
    def open(self) -> tuple[Proposal, ...]:
        """The grey band."""
        return tuple(each for each in self.proposals if each.verdict is ProposalVerdict.ASK)


def propose(mentioned: Iterable[Mentioned], sources: Sources, decisions: Iterable[Decision]) -> Proposed:
    """Return what the rules propose beyond the decisions that there are, in the order in which it was found.

    The same keys, sources and decisions give the same proposals, whatever their order.
    """
    keys, namesakes = find_namesakes(mentioned)
    split = [
        Proposal(each.mentioned, each.other, ProposalVerdict.SPLIT, "years", SCORE, each.reason, each.document)
        for each in namesakes
    ]
    block, groups = MentionKeyIndex(keys, sources), Groups(keys, decisions)
    for each in namesakes:
        groups.separate(each.mentioned.key, each.other.key)
    joined: list[Proposal] = []
    open_: list[MergeCandidate] = []
    for phase in PHASES:
        joined.extend(_proposal(block, each, ProposalVerdict.JOIN) for each in _joined(block, groups, phase))
        found = [candidate for rule in phase for candidate in rule(block, groups)]
        open_.extend(each for each in _unique(found, groups) if each.score < ACCEPTED)
    return Proposed((*split, *joined, *_questions(block, groups, open_)), groups)


def sure_joins(mentioned: Iterable[Mentioned], sources: Sources, decisions: Iterable[Decision]) -> tuple[Proposal, ...]:
    """Return what rules join without a question, from the evidence and the decisions of people alone.

    Names with several bearers take no part: which document means whom is a decision. Neither do neighbours by meaning.
    The same keys, sources and decisions give the same joins, whatever their order.
    """
    known = tuple(mentioned)
    shared = {each.mentioned.key for each in find_namesakes(known)[1]}
    keys = [each for each in known if each.key not in shared]
    block, groups = MentionKeyIndex(keys, sources), Groups(keys, decisions)
    return tuple(
        _proposal(block, each, ProposalVerdict.JOIN) for phase in SURE for each in _joined(block, groups, phase)
    )


def _joined(block: MentionKeyIndex, groups: Groups, phase: Iterable[Rule]) -> Iterator[MergeCandidate]:
    """Join what the rules of a phase are sure of, as long as that lets them join more, and yield it."""
    for _ in range(ROUNDS):
        found = [candidate for rule in phase for candidate in rule(block, groups)]
        taken = [each for each in _in_order(_unique(found, groups)) if _take(groups, each)]
        yield from taken
        if not taken:
            return


def judged(proposed: Proposed, answers: Mapping[tuple[str, str], tuple[bool, str]], score: float) -> Proposed:
    """Return the proposals with a model's answers: (left key, right key) -> the same or not, and why.

    "No" goes first; a "yes" that would join what is told apart stays open, with what tells it apart.
    """
    keep = {pair: reason for pair, (same, reason) in answers.items() if not same}
    for left, right in sorted(keep):
        proposed.groups.separate(left, right)
    result: list[Proposal] = []
    for each in proposed.proposals:
        pair = (each.left.key, each.right.key)
        if each.verdict is not ProposalVerdict.ASK or pair not in answers:
            result.append(each)
        elif pair in keep:
            result.append(replace(each, verdict=ProposalVerdict.APART, rule="model", score=score, reason=keep[pair]))
        elif apart := proposed.groups.join(*pair):
            result.append(replace(each, reason=f"{each.reason}; the model says yes, but: {apart}"))
        else:
            result.append(
                replace(each, verdict=ProposalVerdict.JOIN, rule="model", score=score, reason=answers[pair][1])
            )
    return Proposed(tuple(result), proposed.groups)


def _take(groups: Groups, candidate: MergeCandidate) -> bool:
    """Join what a rule is sure of; return False where it is not, or where it is one already or told apart."""
    if candidate.score < ACCEPTED or groups.entity(candidate.short) == groups.entity(candidate.long):
        return False
    return groups.join(candidate.short, candidate.long) is None


def _unique(found: Sequence[MergeCandidate], groups: Groups) -> Iterator[MergeCandidate]:
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
            yield MergeCandidate(candidate.short, candidate.long, candidate.rule, score, reason, unique=True)


def _in_order(found: Iterable[MergeCandidate]) -> list[MergeCandidate]:
    return sorted(found, key=lambda each: (-each.score, each.rule, each.short, each.long))


def _questions(block: MentionKeyIndex, groups: Groups, found: Iterable[MergeCandidate]) -> Iterator[Proposal]:
    """Yield the best open candidate for each two entities that nothing tells apart."""
    seen: set[frozenset[str]] = set()
    for candidate in _in_order(found):
        pair = frozenset((groups.entity(candidate.short), groups.entity(candidate.long)))
        if len(pair) == 2 and pair not in seen and candidate.score >= ASKED and groups.may_join(*sorted(pair)):
            seen.add(pair)
            yield _proposal(block, candidate, ProposalVerdict.ASK)


def _proposal(block: MentionKeyIndex, candidate: MergeCandidate, verdict: ProposalVerdict) -> Proposal:
    left, right = block.keys[candidate.short], block.keys[candidate.long]
    return Proposal(left, right, verdict, candidate.rule, round(min(candidate.score, 1.0), 3), candidate.reason)
