"""Whether a question is about one of a narrative's aspects, and about which. Pure.

English. Each cue is the word that the reason for a choice says, with the words by which aspects of that kind are named.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from kg_neo4j.retrieve.question import Question


@dataclass(frozen=True, slots=True)
class Cue:
    """How one aspect is asked for."""

    said: str  # in a reason: "the question is about a theme"
    aspects: tuple[str, ...]  # parts of the names of aspects that answer it, the best first
    pattern: re.Pattern[str]


_STORY = r"(?:story|tale|novel|narrative|book|text|play|poem|chapter|fable|parable)"
_SAID = r"(?:\w+(?:['’]s)? ){0,4}"  # "Ragna Tveit's "
_ASKED = (
    (
        "a symbol or irony",
        "symbol irony theme",
        rf"symbol\w*|(?:what|which) (?:do|does|did) {_SAID}(?:stand for|represent|signify)\b|iron(?:y|ic|ies|ically)\b|"
        r"metaphor\w*|allegor\w*|foreshadow\w*",
    ),
    (
        "the point of view",
        "point view",
        r"points? of view|narrat(?:or|ors|ed|ion)\b|whose (?:perspective|eyes)|perspectives?\b|"
        rf"who tells (?:the|this) {_STORY}|(?:first|third)[- ]person|(?:is|was) (?:the|this) {_STORY} told\b",
    ),
    (
        "the tone or the style",
        "style language tone",
        r"tone\b|moods?\b|atmospher\w*|styles?\b|diction|imagery|figurative|word choice",
    ),
    (
        "the setting",
        "setting place",
        rf"settings?\b|where and when|(?:where|when) (?:is|does|was|did) (?:the|this|most of the) {_STORY}|"
        r"time and place|backdrop",
    ),
    (
        "a theme",
        "theme moral",
        r"themes?\b|morals?\b|(?:what|which) (?:lesson|message|meaning)|lessons?\b|message of|"
        rf"meaning of (?:the|this) {_STORY}|what is (?:the|this) {_STORY} about",
    ),
    (
        "a character",
        "character",
        r"(?:what|which) (?:kind|sort|type) of (?:a )?(?:man|woman|person|boy|girl|child|character|people)\b|"
        r"personalit(?:y|ies)|traits?\b|characteri[sz]\w*|characters?\b|motiv\w+|relationship between|attitude|"
        rf"how (?:do|does|did|has|have) {_SAID}(?:change|grow|develop|feel|transform)\w*|"
        rf"what (?:is|was|are|were) {_SAID}(?:like|feelings?)\s*\?",
    ),
    (
        "the plot",
        "plot structure",
        rf"plot\b|climax|turning point|(?:central|main) conflict|how (?:is|does|did) (?:it|(?:the|this) {_STORY}) "
        r"(?:end|begin|start|resolve)\w*|resolution of|structure of",
    ),
    ("a reason", "plot character", r"^\W*(?:and )?why\b|for what reason|what (?:made|makes|led|drives|drove) "),
)
CUES = tuple(
    Cue(said, tuple(aspects.split()), re.compile(rf"\b(?:{pattern})", re.IGNORECASE))
    for said, aspects, pattern in _ASKED
)


def asked_cue(question: Question) -> Cue | None:
    """Return how a question asks about an aspect of a narrative; None where it does not."""
    return next((cue for cue in CUES if cue.pattern.search(question.text)), None)


def fitting(cue: Cue, names: Iterable[str]) -> tuple[str, ...]:
    """Return those of the names of aspects that a cue means, the best first."""
    known = sorted(set(names))
    return tuple(dict.fromkeys(name for part in cue.aspects for name in known if part in name))
