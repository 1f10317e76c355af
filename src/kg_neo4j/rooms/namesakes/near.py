"""Near names: other forms of one name that share their words, in another order or with others around them."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

from kg_neo4j.graph.resolution.bearers import OTHER, PERSON, TIME, Mentioned
from kg_neo4j.graph.resolution.names import PATRONYMS
from kg_neo4j.graph.resolution.proposals import ASKED, Proposal, ProposalVerdict, Proposed
from kg_neo4j.words import fold, is_stop_word, split_words

STEM = 6  # letters by which words are compared: "Confederacy" and "Confederation", "follower" and "followers"
MOST = 8  # names of one form; more are no names of one thing
KINDS = frozenset(
    "banu clan tribe mount cave city town kingdom river rio lake house company inc ltd hms rms uss ss "
    "peace treaty".split()
)
_BRACKETS = re.compile(r"\s*\([^()]*\)")


def with_near_names(mentioned: Iterable[Mentioned], proposed: Proposed) -> Proposed:
    """Return proposals with questions about near names that no rule asks about; a model decides them, too."""
    return replace(proposed, proposals=(*proposed.proposals, *_questions(mentioned, proposed)))


def _questions(mentioned: Iterable[Mentioned], proposed: Proposed) -> Iterator[Proposal]:
    groups = proposed.groups
    asked = {frozenset((groups.entity(each.left.key), groups.entity(each.right.key))) for each in proposed.proposals}
    alike: defaultdict[tuple[str, frozenset[str]], list[Mentioned]] = defaultdict(list)
    for each in mentioned:
        if each.kind.family not in (OTHER, TIME) and (form := _form(each.name, each.kind.family)):
            alike[each.kind.family, form].append(each)
    for _, names in sorted(alike.items(), key=lambda each: (each[0][0], sorted(each[0][1]))):
        for one, other in itertools.combinations(names if len(names) <= MOST else (), 2):
            pair = frozenset((groups.entity(one.key), groups.entity(other.key)))
            if len(pair) == 2 and pair not in asked and groups.against(*sorted(pair)) is None:
                asked.add(pair)
                reason = f"{one.name!r} and {other.name!r} have the same words, as far as these tell names apart"
                yield Proposal(one, other, ProposalVerdict.ASK, "near-name", ASKED, reason)


def _form(name: str, family: str) -> frozenset[str]:
    """Return how words of a name begin, those of people whole; no brackets, kinds, or father after a whole name."""
    words = [fold(word) for word in split_words(_BRACKETS.sub("", name))]
    father = next((place for place, word in enumerate(words) if word in PATRONYMS and place > 1), len(words))
    kept = (word.removesuffix("'s").removesuffix("’s") for word in words[:father])
    length = None if family == PERSON else STEM
    return frozenset(word[:length] for word in kept if len(word) > 1 and word not in KINDS and not is_stop_word(word))
