"""From candidates to proposals: what is joined by rule, what is asked, what is kept apart. Pure.

Sure rules go first, so that later ones see what is one already: "Watson" fits one bearer where "Dr. John Watson" and
"John Watson" are the same. What is joined never joins two that contradict each other, at first or second hand.
"""

from __future__ import annotations

import enum
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kg_neo4j.graph.resolution import parts, rules
from kg_neo4j.graph.resolution.bearers import Mentioned, Namesake, find_namesakes
from kg_neo4j.graph.resolution.candidates import Groups, MentionKeyIndex, MergeCandidate, Rule, Sources
from kg_neo4j.graph.resolution.decisions import Decision

ACCEPTED = 0.8  # from this score on, a rule decides alone
ASKED = 0.5  # from this score on, a model or a person is asked
ROUNDS = 3  # of one phase: what is joined may leave a name with one bearer
MOST_FITS = 2  # entities that a name may fit to be worth a question
SPLIT_SCORE = 0.85  # of a document that means another bearer of a name

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
    document: str = ""  # of SPLIT, and of the question of one name or two: the document that means the right one


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
    groups, block = Groups(keys := tuple(mentioned), decisions), MentionKeyIndex(keys, sources)
    proposals: list[Proposal] = []
    open_: list[MergeCandidate] = []
    for phase in PHASES:
        proposals.extend(_joined(block, groups, phase))
        open_.extend(each for each in _unique(block, groups, phase) if each.score < ACCEPTED)
    return Proposed((*proposals, *_questions(block, groups, open_)), groups)


def sure_proposals(
    mentioned: Iterable[Mentioned], sources: Sources, decisions: Iterable[Decision]
) -> tuple[tuple[Mentioned, ...], tuple[Proposal, ...]]:
    """Return the keys after namesakes were told apart by their years, and what rules decide without a question.

    From the evidence and the decisions of people alone; neighbours by meaning take no part. The same keys, sources and
    decisions give the same proposals, whatever their order.
    """
    given = tuple(decisions)
    taken_back = {key for each in given if each.revoked and each.document for key in (each.left_key, each.right_key)}
    keys, namesakes = find_namesakes(mentioned, taken_back)
    block, groups = MentionKeyIndex(keys, sources), Groups(keys, given)
    splits = [_split(groups, each) for each in namesakes]
    return keys, (*splits, *(each for phase in SURE for each in _joined(block, groups, phase)))


def _split(groups: Groups, found: Namesake) -> Proposal:
    groups.separate(found.mentioned.key, found.other.key)
    verdict = ProposalVerdict.SPLIT
    return Proposal(found.mentioned, found.other, verdict, "years", SPLIT_SCORE, found.reason, found.document)


def _joined(block: MentionKeyIndex, groups: Groups, phase: Sequence[Rule]) -> Iterator[Proposal]:
    """Join what the rules of a phase are sure of, as long as that lets them join more, and yield it."""
    for _ in range(ROUNDS):
        is_last = True
        for each in sorted(_unique(block, groups, phase), key=_order):
            is_new = each.score >= ACCEPTED and groups.entity(each.short) != groups.entity(each.long)
            if is_new and groups.join(each.short, each.long) is None:
                is_last = False
                yield _proposal(block, each, ProposalVerdict.JOIN)
        if is_last:
            return


def judged(proposed: Proposed, answers: Mapping[tuple[str, str], tuple[bool, str]], score: float) -> Proposed:
    """Return the proposals with a model's answers: (left key, right key) -> the same or not, and why.

    "No" goes first; a "yes" that would join what is told apart stays open, with what tells it apart.
    """
    for pair in sorted(pair for pair, (same, _) in answers.items() if not same):
        proposed.groups.separate(*pair)
    result: list[Proposal] = []
    for each in proposed.proposals:
        pair = (each.left.key, each.right.key)
        changed: dict[str, Any] = {}
        if each.verdict is ProposalVerdict.ASK and pair in answers:
            same, reason = answers[pair]
            if same and (apart := proposed.groups.join(*pair, across=each.rule == rules.SAME_NAME)):
                changed = {"reason": f"{each.reason}; the model says yes, but: {apart}"}
            else:
                verdict = ProposalVerdict.JOIN if same else ProposalVerdict.APART
                changed = {"verdict": verdict, "rule": "model", "score": score, "reason": reason}
        result.append(replace(each, **changed))
    return Proposed(tuple(result), proposed.groups)


def _unique(block: MentionKeyIndex, groups: Groups, phase: Sequence[Rule]) -> list[MergeCandidate]:
    """Return what the rules of a phase find; lower the score of names that fit several entities.

    Names that fit many are left out.
    """
    found = [candidate for rule in phase for candidate in rule(block, groups)]
    fits: defaultdict[str, set[str]] = defaultdict(set)
    for each in found:
        if each.unique and groups.against(each.short, each.long) is None:
            fits[each.short].add(groups.entity(each.long))
    kept = []
    for each in found:
        others = len(fits[each.short] - {groups.entity(each.short)}) if each.unique else 1
        if others <= 1:
            kept.append(each)
        elif others <= MOST_FITS:
            reason = f"{each.reason}; it fits {others}"
            kept.append(replace(each, score=min(each.score, ASKED + 0.05), reason=reason))
    return kept


def _order(candidate: MergeCandidate) -> tuple[float, str, str, str]:
    return -candidate.score, candidate.rule, candidate.short, candidate.long


def _questions(block: MentionKeyIndex, groups: Groups, found: Iterable[MergeCandidate]) -> Iterator[Proposal]:
    """Yield the best open candidate for each two entities that nothing tells apart."""
    seen: set[frozenset[str]] = set()
    for each in sorted(found, key=_order):
        pair = frozenset((groups.entity(each.short), groups.entity(each.long)))
        across = each.rule == rules.SAME_NAME
        is_open = len(pair) == 2 and pair not in seen and each.score >= ASKED
        if is_open and groups.against(*sorted(pair), across=across) is None:
            seen.add(pair)
            yield _proposal(block, each, ProposalVerdict.ASK)


def _proposal(block: MentionKeyIndex, candidate: MergeCandidate, verdict: ProposalVerdict) -> Proposal:
    left, right = block.keys[candidate.short], block.keys[candidate.long]
    return Proposal(left, right, verdict, candidate.rule, round(min(candidate.score, 1.0), 3), candidate.reason)
