"""What a passage says of its subject, by its wording: who directed it, when they were born. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from kg_neo4j.graph.identity import normalise
from kg_neo4j.offline.extractor.lexicon import COUNTRIES, NATIONS
from kg_neo4j.offline.short.passage_patterns import INVERSE, MONTH, MORE_COUNTRIES, patterns_of

LONGEST_TEXT = 4_000  # characters of a passage that are read
LAST_YEAR = 2_100  # a greater number is no year
FIRST_SENTENCES = 400  # characters in which a definition stands
_SPLIT = re.compile(r",? and |, (?!\d|Jr|Sr)")
_TITLE = re.compile(
    r"^(?:Sir|Dame|Lord|Lady|Count|Countess|Duke|Duchess|King|Queen|Prince|Princess|Dr\.?|Mr\.?|Mrs\.?|Saint|St\.?|Emperor|"
    r"Baron|Earl|General|Captain|Rev\.?|Professor|Prof\.?) (?=[^\W\d_a-z])"
)
_ACCUSED = frozenset("He She It His Her The They Their In On At After Before A An This That When While".split())
_NO_NAME = re.compile(r"-(?:based|born|language|speaking|trained)$")
_KIN = {"son": "child", "daughter": "child"}
_MONTHS = re.compile(rf"^{MONTH}$")


@dataclass(frozen=True, slots=True)
class Said:
    """A value that a passage states, and where: offsets into the passage."""

    value: str
    start: int
    end: int


def read_relation(text: str, relation: str) -> list[Said]:
    """Return what `text` says of its subject, the likeliest first; of several in one list each."""
    if relation == "nationality":
        return _nationality(text)
    if relation == "citizenship":
        return [replace(said, value=NATIONS[said.value]) for said in _nationality(text)]
    if relation == "country":
        return _countries(text)
    found: list[Said] = []
    patterns = patterns_of(_KIN.get(relation, relation))
    if relation in ("father", "mother"):  # who is which is told by their names
        patterns += patterns_of("mother" if relation == "father" else "father")
    for pattern in patterns:
        for match in pattern.finditer(text, 0, LONGEST_TEXT):
            found += _values(match, relation)
        if found and relation not in ("father", "mother"):
            break
    first: dict[str, Said] = {}
    for said in found:
        first.setdefault(normalise(said.value), said)
    return list(first.values())


def read_inverse(text: str, relation: str, subject: str) -> Said | None:
    """Return where a passage about something else says that it is the `relation` of `subject`; None where it does not.

    The value is the passage's own subject, which the caller knows.
    """
    wanted = normalise(subject)
    for pattern in patterns_of(INVERSE.get(relation, "")):
        for match in pattern.finditer(text, 0, LONGEST_TEXT):
            if any(normalise(said.value) == wanted for said in _values(match, relation)):
                return Said("", match.start(), match.end())
    return None


def _values(match: re.Match[str], relation: str) -> Iterator[Said]:
    """Yield the value that a pattern found; of a list of names each."""
    text, start = match["a"], match.start("a")
    if relation in ("born on", "died on", "made on", "cause of death"):
        if text.isdigit() and int(text) > LAST_YEAR:
            return
        yield Said(re.sub(r"^(?:c\.? ?|ca\.? ?|circa )", "", text).strip(), start, match.end("a"))
        return
    parts = [text] if relation in ("born in", "died in", "buried in", "location", "headquarters", "school") else []
    if not parts:
        parts = [part for part in _SPLIT.split(text) if part]
    for part in parts:
        at = start + text.find(part)
        value = _TITLE.sub("", part).strip(" .,")
        first = value.split(" ")[0] if value else ""
        if value and first not in _ACCUSED and not _NO_NAME.search(value) and not _MONTHS.match(first):
            yield Said(value, at, at + len(part))


def _nationality(text: str) -> list[Said]:
    """Return the adjective of origin in a passage's first sentences."""
    head = text[:FIRST_SENTENCES]
    found = [
        Said(match[0], match.start(), match.end())
        for match in re.finditer(r"[^\W\d_a-z][a-z]+", head)
        if match[0] in NATIONS
    ]
    defining = re.search(r"\b(?:is|was|are|were)\b", head)
    later = [said for said in found if defining and said.start > defining.start()]
    return (later or found)[:1]


def _countries(text: str) -> list[Said]:
    """Return the countries that a passage's first sentences name, the adjectives of origin among them as countries."""
    head = text[:FIRST_SENTENCES]
    names = [
        Said(match[0], match.start(), match.end())
        for match in re.finditer(
            r"(?:United States|United Kingdom|South Korea|North Korea|New Zealand|South Africa|Sri Lanka|Hong Kong|"
            r"Saudi Arabia|[^\W\d_a-z][a-z]+)",
            head,
        )
        if match[0] in COUNTRIES or match[0] in MORE_COUNTRIES
    ]
    words = [
        Said(NATIONS[match[0]], match.start(), match.end())
        for match in re.finditer(r"[^\W\d_a-z][a-z]+", head)
        if match[0] in NATIONS
    ]
    return [*names, *words]
