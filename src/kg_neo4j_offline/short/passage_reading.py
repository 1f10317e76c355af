"""What a passage says of its subject, by its wording: who directed it, when they were born. Pure; English."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass, replace
from functools import cache

from kg_neo4j import data_files
from kg_neo4j.graph.identity import normalise
from kg_neo4j_offline.extractor.lexicon import COUNTRIES, NATIONS

MONTHS = tuple("January February March April May June July August September October November December".split())
MONTH = f"(?:{'|'.join(MONTHS)})"
LONGEST_TEXT = 4_000  # characters of a passage that are read
LAST_YEAR = 2_100  # a greater number is no year
FIRST_SENTENCES = 400  # characters in which a definition stands
_DATA = data_files.beside(__file__)
_PARTS = _DATA.parts("parts", month=MONTH, nations="|".join(sorted(NATIONS)))
OF_GENDER = ("father", "mother")
NAME, DATE = _PARTS["name"], _PARTS["date"]
PATTERNS = _DATA.lists("patterns")
_INVERSE = _DATA.table("inverse")
_COUNTRIES = COUNTRIES | frozenset(_DATA.lines("countries"))
_SPLIT = re.compile(r",? and |, (?!\d|Jr|Sr)")
_TITLE = re.compile(
    r"^(?:Sir|Dame|Lord|Lady|Count|Countess|Duke|Duchess|King|Queen|Prince|Princess|Dr\.?|Mr\.?|Mrs\.?|Saint|St\.?|Emperor|"
    r"Baron|Earl|General|Captain|Rev\.?|Professor|Prof\.?) (?=[^\W\d_a-z])"
)
_ACCUSED = frozenset("He She It His Her The They Their In On At After Before A An This That When While".split())
_NO_NAME = re.compile(r"-(?:based|born|language|speaking|trained)$")
_CAPITALISED = re.compile(r"[^\W\d_a-z][a-z]+")
_COUNTRY = re.compile(
    r"(?:United States|United Kingdom|South Korea|North Korea|New Zealand|South Africa|Sri Lanka|Hong Kong|"
    r"Saudi Arabia|[^\W\d_a-z][a-z]+)"
)


@dataclass(frozen=True, slots=True)
class SaidWords:
    """Words of a text, and where they stand: offsets into it."""

    value: str
    start: int
    end: int


@cache
def _patterns(relation: str) -> tuple[re.Pattern[str], ...]:
    """Return the patterns of a relation, the strongest first; empty where it has none. Each takes some milliseconds."""
    return tuple(re.compile(data_files.fill(pattern, _PARTS)) for pattern in PATTERNS.get(relation, ()))


def read_relation(text: str, relation: str) -> list[SaidWords]:
    """Return what `text` says of its subject, the likeliest first; of several in one list each."""
    if relation == "nationality":
        return _nationality(text)
    if relation == "citizenship":
        return [replace(said, value=NATIONS[said.value]) for said in _nationality(text)]
    if relation == "country":
        adjectives = _known(_CAPITALISED, text, NATIONS)
        return [*_known(_COUNTRY, text, _COUNTRIES), *(replace(each, value=NATIONS[each.value]) for each in adjectives)]
    found: list[SaidWords] = []
    patterns = _patterns("child" if relation in ("son", "daughter") else relation)
    if relation in OF_GENDER:  # who is which is told by their names
        patterns += _patterns("mother" if relation == "father" else "father")
    for pattern in patterns:
        for match in pattern.finditer(text, 0, LONGEST_TEXT):
            found += _values(match, relation)
        if found and relation not in OF_GENDER:
            break
    first: dict[str, SaidWords] = {}
    for said in found:
        first.setdefault(normalise(said.value), said)
    return list(first.values())


def read_inverse(text: str, relation: str, subject: str) -> re.Match[str] | None:
    """Return where a passage about something else says that it is the `relation` of `subject`; None where it does not.

    The value is the passage's own subject, which the caller knows.
    """
    wanted = normalise(subject)
    for pattern in _patterns(_INVERSE.get(relation, "")):
        for match in pattern.finditer(text, 0, LONGEST_TEXT):
            if any(normalise(said.value) == wanted for said in _values(match, relation)):
                return match
    return None


def _values(match: re.Match[str], relation: str) -> Iterator[SaidWords]:
    """Yield the value that a pattern found; of a list of names each."""
    text, start = match["a"], match.start("a")
    if relation in ("born on", "died on", "made on", "cause of death"):
        if not (text.isdigit() and int(text) > LAST_YEAR):
            yield SaidWords(re.sub(r"^(?:c\.? ?|ca\.? ?|circa )", "", text).strip(), start, match.end("a"))
        return
    is_place = relation in ("born in", "died in", "buried in", "location", "headquarters", "school")
    for part in [text] if is_place else filter(None, _SPLIT.split(text)):
        at = start + text.find(part)
        value = _TITLE.sub("", part).strip(" .,")
        first = value.split(" ")[0]
        if value and first not in _ACCUSED and first not in MONTHS and not _NO_NAME.search(value):
            yield SaidWords(value, at, at + len(part))


def _nationality(text: str) -> list[SaidWords]:
    """Return the adjective of origin in a passage's first sentences."""
    found = _known(_CAPITALISED, text, NATIONS)
    defining = re.search(r"\b(?:is|was|are|were)\b", text[:FIRST_SENTENCES])
    later = [said for said in found if defining and said.start > defining.start()]
    return (later or found)[:1]


def _known(pattern: re.Pattern[str], text: str, known: Container[str]) -> list[SaidWords]:
    """Return what a pattern finds in a passage's first sentences, if it is known."""
    found = pattern.finditer(text[:FIRST_SENTENCES])
    return [SaidWords(match[0], match.start(), match.end()) for match in found if match[0] in known]


def when_of(text: str) -> tuple[int, ...] | None:
    """Return (year, month, day) of a date, as much of it as is said; negative years BC."""
    numbers = [int(number) for number in re.findall(r"\d+", text) if len(number) < 10]
    years = [number for number in numbers if number > 31] or numbers[-1:]
    if not years:
        return None
    year = -years[-1] if re.search(r"\bB\.?C", text) else years[-1]
    month = next((place for place, name in enumerate(MONTHS, 1) if name in text), 0)
    days = [number for number in numbers if number <= 31 and number != years[-1]]
    if not month:
        return (year,)
    return (year, month, days[0]) if days else (year, month)
