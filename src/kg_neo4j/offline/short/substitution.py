"""Takes a question of several steps apart: what a part of it means is put in its place, until one step is left.

"What is the population of the state where Rain Airport is located?" becomes "What is the population of Kansas?", and
"the spouse of Lil Hardin" the spouse's name. Only parts around a name are taken: the name bounds them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kg_neo4j.offline.short.following import StatedStep, follow
from kg_neo4j.offline.short.relations import NOUNS, VERBS
from kg_neo4j.offline.short.things import Things
from kg_neo4j.offline.short.wanted import AskedThing, read_thing

STEPS = 3  # parts of one question that are put in

_NOUN = "|".join(sorted(map(re.escape, NOUNS), key=len, reverse=True))
_VERB = "|".join(VERBS.values())
_KIND = r"(?:country|city|state|place|town|county|region|province|village|location|area|district|continent|island)"
_BE = r"(?:is|was|are|were|has been)"
_HOW = (
    rf"(?:{_BE} (?:born|located|situated|found|based|buried|a citizen|from|in|set|headquartered)|died|"
    rf"passed away|lives|lived|comes from|"
    rf"located|originated|premiered|premiering|took place|occurs?|occurred|was held|is licensed to broadcast|"
    rf"works|worked|studied)"
)
_CLASS = r"(?:(?:the )?(?:film|movie|song|album|book|novel|show|series|single|play|magazine|band|company) )?"


@dataclass(frozen=True, slots=True)
class Reduced:
    """A question with parts put in, and the steps that led to them."""

    text: str
    steps: tuple[StatedStep, ...]
    name: str = ""  # what was put in last


def reduce(question: str, names: Sequence[str], things: Things) -> Reduced:
    """Return `question` with every part that can be followed put in; `names` are those of the graph that it has."""
    reduced = Reduced(question, ())
    known = sorted({re.sub(r"['’]s?$", "", name) for name in names}, key=len, reverse=True)
    for _ in range(STEPS):
        following = next((each for each in _reductions(reduced, known, things)), None)
        if following is None:
            return reduced
        reduced = following
        known = [reduced.name, *known]
    return reduced


def _reductions(reduced: Reduced, names: Sequence[str], things: Things) -> Iterator[Reduced]:
    for name in names:
        for match in _parts(reduced.text, name):
            part = match["part"]
            wanted = _wanted(part, name)
            if wanted is None:
                continue
            found = follow(wanted, things)
            if found and found[0].steps and found[0].value.lower() not in reduced.text.lower():
                value = found[0].value
                text = f"{reduced.text[: match.start('part')]}{value}{reduced.text[match.end('part') :]}"
                yield Reduced(" ".join(text.split()), (*reduced.steps, *found[0].steps), value)


def _parts(text: str, name: str) -> Iterator[re.Match[str]]:
    """Yield the parts of a question that mean something by way of `name`, the longest first."""
    it = re.escape(name)
    for pattern in (
        rf"(?P<part>(?:the )?{_KIND},? (?:where|in which|that|which|"
        rf"of which)? ?{_CLASS}(?:the )?[\"“]?{it}[\"”]? {_HOW}(?: (?:of|in|at))?)(?=\W|$)",
        rf"(?P<part>(?:the )?(?:{_NOUN})s? (?:of|for|from|behind|"
        rf"to) {_CLASS}(?:the )?[\"“]?{it}[\"”]?)(?!['’]s)(?=\W|$)",
        rf"(?P<part>{_CLASS}[\"“]?{it}[\"”]?['’]s? (?:{_NOUN}))(?=\W|$)",
        rf"(?P<part>the (?:[a-z]+ )?(?:who|that|which) (?:{_VERB}) {_CLASS}[\"“]?{it}[\"”]?)(?=\W|$)",
    ):
        yield from re.finditer(pattern, text)


def _wanted(part: str, name: str) -> AskedThing | None:
    wanted = read_thing(part)
    if not wanted.is_path:
        return None
    return wanted if wanted.name.strip('"“”').lower() == name.lower() else AskedThing(name, wanted.relations)
