"""People spoken of without a name: "the clerk", "my own father". Pure."""

from __future__ import annotations

from kg_neo4j import data_files
from kg_neo4j.offline.extractor.lexicon import (
    BARRIERS,
    BE,
    CONJUNCTIONS,
    DETERMINERS,
    NOMINATIVE,
    PERSON_VERBS,
    PREPOSITIONS,
    RELATIVES,
    ROLE_NOUNS,
)
from kg_neo4j.offline.extractor.parsed_text import TextItem
from kg_neo4j.offline.extractor.relation_patterns import KIN, VERBS
from kg_neo4j.offline.extractor.told_gender import FEMALE, MALE
from kg_neo4j.offline.extractor.tree import IRREGULAR_PAST

_DATA = data_files.beside(__file__)
_PEOPLE = (ROLE_NOUNS | _DATA.word_set("people") | MALE | FEMALE) - _DATA.word_set("describing")
_NOT_AFTER = BE | frozenset({"am", "as", "called", "elected", "appointed", "named", "like", "than"})
_STOPS = BE | CONJUNCTIONS | RELATIVES | PREPOSITIONS
_ACTS = BE | PERSON_VERBS | VERBS | frozenset(IRREGULAR_PAST.values())
_AFTER = BARRIERS | _ACTS | frozenset({"himself", "herself", "also", "then", "never", "just"})
_ADJECTIVES = 3  # between an article and its noun, at most


def unnamed_from(items: list[TextItem], index: int) -> int | None:
    """Return where the phrase begins that speaks of somebody without a name and ends at `index`, None where none does.

    Not where it says what somebody named is: "was a clerk", "Ada, the captain", "the captain, Ada".
    """
    item = items[index]
    bare = item.lower.removesuffix("-in-law").rpartition("-")[2]
    if item.kind != "word" or item.quoted or item.hidden or not (bare in _PEOPLE or (bare in KIN and bare[-1] != "s")):
        return None
    begin = _begin(items, index)
    if begin is None or _is_named(items, begin, index) or _is_aside(items, begin, index):
        return None
    return None if begin < index and _describes(items, index) else begin


def _begin(items: list[TextItem], index: int) -> int | None:
    """Return the place of the article or owner before a noun; of the noun where it serves as a name: "Mother won't"."""
    for position in range(index - 1, max(-1, index - 2 - _ADJECTIVES), -1):
        item = items[position]
        if item.possessive or item.lower in DETERMINERS:
            owned = item.possessive and position > 0 and items[position - 1].lower in DETERMINERS
            return position - 1 if owned else position
        if item.kind != "word" or item.lower in _STOPS or item.text[:1].isupper():
            break
    bare = items[index].text[:1].isupper() and items[index].lower in KIN and not items[index].possessive
    return index if bare and (index == 0 or items[index - 1].kind != "name") else None


def _describes(items: list[TextItem], index: int) -> bool:
    """Tell whether a noun rather describes the next one: "the first woman gymnast"."""
    if items[index].possessive or index + 1 == len(items) or items[index + 1].kind != "word":
        return False
    word = items[index + 1].lower
    return not (word in _AFTER or word.endswith(("ed", "ly", "'t")))


def _is_aside(items: list[TextItem], begin: int, index: int) -> bool:
    """Tell whether a phrase says what somebody is: "The son of a cooper, he learnt"; "a pilot and a widower"."""
    if begin and items[begin - 1].lower in ("and", "or") and items[begin].lower in ("a", "an", "the"):
        following = items[index + 1].lower if index + 1 < len(items) else ""
        return not (following in _ACTS or following.endswith("ed"))
    comma = next((place for place, item in enumerate(items) if item.text == ","), 0)
    if not index < comma < len(items) - 1:
        return False
    opening = any(item.lower in _ACTS or item.lower.endswith("ed") for item in items[:comma])
    return items[comma + 1].lower in NOMINATIVE and not opening


def _is_named(items: list[TextItem], begin: int, index: int) -> bool:
    """Tell whether a name beside the phrase says who it is."""
    before = items[begin - 1] if begin else None
    if before is not None and before.lower in _NOT_AFTER:
        return True
    told = items[begin - 2] if before is not None and before.text == "," and begin > 1 else None
    if told is not None and (told.kind in ("name", "mark", "date") or told.text[0].isdigit()):
        return True
    if items[index].possessive:
        return False
    following = items[_after_of(items, index + 1) :][:5]
    if following[:1] and (following[0].kind == "name" or following[0].text in ("-", "–")):
        return True
    if following[:1] and (following[0].text in (",", ":", "(") or following[0].lower in BE):
        for each in following[1:]:
            if each.kind == "name":
                return not each.possessive
            if each.kind != "word" or each.lower in PREPOSITIONS:
                return False
    return bool(following[:1]) and following[0].lower in ("called", "named")


def _after_of(items: list[TextItem], index: int) -> int:
    """Return where "is" stands behind a phrase with "of", else `index`: "the president of the club was"."""
    if index < len(items) and items[index].lower == "of":
        for position in range(index + 1, min(index + 6, len(items))):
            if items[position].lower in BE:
                return position
            if items[position].kind == "mark" or items[position].lower in _STOPS:
                break
    return index
