"""Signs in a sentence's wording: that it holds a date, a place, an age, or says what something is. Pure.

Rules of thumb for European languages, strongest in English. Every pattern looks at a bounded stretch of text.
"""

from __future__ import annotations

import re

from kg_neo4j.retrieve.question import Asks

LOOK_AHEAD = 300  # characters after a name in which a definition begins
LOOK_BACK = 100  # characters before a name in which a role stands

_MONTHS = (
    r"January|February|March|April|May|June|July|August|September|October|November|December|stycznia|lutego|marca|"
    r"kwietnia|maja|czerwca|lipca|sierpnia|września|października|listopada|grudnia"
)
_TIME = re.compile(
    rf"\b(?:1\d{{3}}|20\d{{2}})(?:s|\b)|\b\d{{1,4}}\s?(?:BC|BCE|AD|CE|AH)\b|"
    rf"\b(?:in|year|about|circa|since|until|around|by|after|before|{_MONTHS})\s[1-9]\d{{2}}\b|\bc\.\s?[1-9]\d{{2}}\b|"
    rf"\b(?:{_MONTHS})\b|\b(?:century|centuries|wieku)\b",
)
_AGE = re.compile(
    r"\b(?:aged?(?:\s+of)?\s+(?:only\s+)?\w+|\w+[\s-]years?[\s-]old|was\s+\w+\s+years|wieku\s+\w+|"
    r"(?:he|she)\s+was\s+\d+)\b"
)
_MEASURE = re.compile(
    r"(?:\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|hundred|thousand|million|several))\W+"
    r"(?:(?:hundred|thousand|million|and|\w+ty)\W+){0,3}(?:years?|months?|weeks?|days?|hours?|k?m|kilomet\w+|met(?:re|er)s?|"
    r"feet|foot|miles?|acres?|hectares?|kg|kilogram\w*|tons?|tonnes?|pounds?|lat|dni|godzin\w*)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|"
    r"thousand|several|dwa|dwie|trzy|cztery|pięć|sześć|siedem|osiem|dziewięć|dziesięć)\b",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"\b(?:in|at|near|from|(?<!ccording )to|into|outside|around|w|we|z|do|pod|koło)\s+(?:the\s+)?"
    r"(?!(?:" + _MONTHS + r")\b)[^\W\d_a-z]\w+\b(?!['’]s)"
)  # fmt: skip

ANSWERS = {Asks.TIME: _TIME, Asks.AGE: _AGE, Asks.MEASURE: _MEASURE, Asks.NUMBER: _NUMBER, Asks.PLACE: _PLACE}
"""What must stand in a sentence that answers a question of this kind."""

_KIN = "wife|husband|son|daughter|uncle|aunt|cousin|brother|sister|father|mother|king|queen|founder|leader"
_BRACKETS = r"(?:\[[\w ]{1,12}\]|\s|,?\s*\([^()]*(?:\([^()]*\)[^()]*)*\),?)*"
_IS = r"\b(?:is|was|were|are|became|remains|był[aoy]?|byli|(?:to\s+)?jest)\b"
_A = r"(?:\w+ly\s+)?(?:an?|the|one|his|her|its|their|\w+['’]s)\b"
_IS_A = re.compile(rf"^{_BRACKETS}\s*{_IS}\s+{_A}")
_IS_A_LATER = re.compile(rf"^(?:\s+[\w’'-]+){{1,4}}{_BRACKETS}\s*{_IS}\s+{_A}")  # further names between
_IS_ANYTHING = re.compile(rf"^{_BRACKETS}\s*{_IS}\s+(?!said|believed|known|thought|reported|not)")
_APPOSITION = re.compile(rf"^{_BRACKETS},\s+(?:{_A}|(?:\w+\s){{0,2}}(?:{_KIN})\b)")
_KIN_BEFORE = re.compile(rf"(?:\b(?:his|her|their|the|an?)|['’]s)\s+(?:[a-z][\w-]*\s+){{0,2}}(?:{_KIN}),?\s+$")
_ROLE_BEFORE = re.compile(
    r"(?:\b(?:his|her|their|the|an?)|['’]s)\s+(?:[a-z][\w-]*\s+){0,2}"
    r"(?!(?:of|to|in|by|with|and|from|at|for|before|after|on|as|that|among|when|while)\b)[a-z][\w-]+\s+$"
)
_NAME_GOES_ON = re.compile(r"\s+[^\W\d_a-z]")  # "the Humboldt University"
_INSERTED = re.compile(r",\s+the\s+$")  # "This event, the Hijra, marks …"
_REPORTED = re.compile(r"\b(?:that|whether|if)\s+$")
_CALLED = re.compile(r"\b(?:known|called|named|referred\s+to)\s+(?:as\s+)?(?:the\s+)?$")


def defines(text: str, start: int, end: int) -> float:
    """Return how much the sentence looks like a definition of what stands at text[start:end]."""
    after, before = text[end : end + LOOK_AHEAD], text[max(0, start - LOOK_BACK) : start]
    early = 0.3 if start <= 5 else 0.15 if start < 0.3 * len(text) else 0.0
    signs = (
        (_IS_A, after, 1.0),
        (_APPOSITION, after, 0.8),
        (_KIN_BEFORE, before, 0.7),
        (_ROLE_BEFORE, before, 0.0 if _NAME_GOES_ON.match(after) else 0.25),
        (_CALLED, before, 0.0 if _NAME_GOES_ON.match(after) else 0.7),
        (_IS_ANYTHING, after, 0.3),
        (_IS_A_LATER, after, 0.5),
    )
    if after[:2] in ("'s", "’s"):
        return early - 0.2
    if _INSERTED.search(before) and after.startswith(","):
        return early + 0.7
    if _REPORTED.search(before):
        return early
    return early + max((value for pattern, where, value in signs if pattern.search(where)), default=0.0)
