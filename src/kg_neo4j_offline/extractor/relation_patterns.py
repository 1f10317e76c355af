"""The words that say how two names are related: a rule a row, in the .toml file; and whose verb they are. Pure."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

from kg_neo4j import data_files
from kg_neo4j_offline.extractor import lexicon as lex
from kg_neo4j_offline.extractor.entities import ORGANIZATION, OTHER, PERSON, PLACE
from kg_neo4j_offline.extractor.parsed_text import TextItem, item_at

EVERYTHING = frozenset({PERSON, PLACE, ORGANIZATION, OTHER})
PEOPLE = frozenset({PERSON})
_LETTERS = {"P": PERSON, "L": PLACE, "O": ORGANIZATION, "X": OTHER}
_DATA = data_files.beside(__file__)


@dataclass(frozen=True, slots=True)
class Trigger:
    """One rule of the table."""

    words: tuple[str, ...]
    type: str
    sources: frozenset[str]
    targets: frozenset[str]
    strength: int
    likely: str | None  # what a second name of unknown type probably is
    noun: bool = False
    back: bool = False


def _types(letters: str) -> frozenset[str]:
    return EVERYTHING if letters == "*" else frozenset(_LETTERS[letter] for letter in letters)


def _trigger(words: str, kind: str, sources: str, targets: str, strength: str, flag: str = "") -> Trigger:
    return Trigger(
        words=tuple(words.split()),
        type=kind,
        sources=_types(sources),
        targets=_types(targets),
        strength=int(strength),
        likely=_LETTERS[targets[0]] if (len(targets) == 1 and targets != "*") or targets[0] == "L" else None,
        noun=flag == "noun",
        back=flag == "back",
    )


TRIGGERS = {trigger.words: trigger for trigger in (_trigger(*row) for row in _DATA.rows("rules", 5, optional=1))}
LONGEST = max(map(len, TRIGGERS))
VERBS = frozenset(words[0] for words, trigger in TRIGGERS.items() if not trigger.noun)
KIN = {
    noun: (kind, direction == "back", gender.strip("-")) for noun, kind, direction, gender in _DATA.rows("kin", 4)
}  # noun -> relationship type, whether it points back, gender
_NOUN_LINKS = frozenset({",", "and", "as", "also", "now", "then", "later", "elected", "appointed", "named"})
_NOUN_STOPS = (lex.BARRIERS - lex.BE - lex.DETERMINERS - _NOUN_LINKS - {"of"}) | VERBS | lex.PERSON_VERBS
_MADE = lex.BE | frozenset({",", "as", "named", "appointed", "elected", "became", "become"})
_MAX_GAP = 4
_MAX_DISTANCE = 40  # items between a subject and its verb


def _place_before(items: list[TextItem], index: int) -> int:
    """Return the place before a name, across the comma of its apposition: "of the harbourmaster, Halvor Tveit"."""
    is_apposed = item_at(items, index - 1).text == "," and item_at(items, index - 2).lower in lex.ROLE_NOUNS
    return index - 2 if is_apposed else index - 1


def trigger_before(items: list[TextItem], index: int) -> tuple[Trigger, int] | None:
    """Return the rule whose words stand before the name at `index`, and where they begin.

    Up to four adjectives or nouns may stand between ("married the French physicist Pierre Curie").
    """
    for last in range(_place_before(items, index), max(index - 2 - _MAX_GAP, -1), -1):
        if items[last].kind != "word":
            return None
        for first in range(max(last + 1 - LONGEST, 0), last + 1):
            words = tuple(item.lower for item in items[first : last + 1])
            if words in TRIGGERS:
                return TRIGGERS[words], first
        noun = item_at(items, last - 1).lower
        if items[last].lower == "of" and noun in lex.ROLE_NOUNS and noun not in KIN:
            return _role_trigger(noun), last - 1
        if items[last].lower in lex.BARRIERS or items[last].possessive:
            return None
    return None


@cache
def _role_trigger(noun: str) -> Trigger:
    """Return the rule for a role that the table does not have: "Elias was the miller of Vardal" gives MILLER_OF."""
    kind = noun.upper().replace("-", "_") + "_OF"
    return Trigger((noun, "of"), kind, PEOPLE, EVERYTHING, 8, None, noun=True)


def is_subject(items: list[TextItem], index: int) -> bool:
    """Tell whether a name can be what a verb after it speaks of: no preposition, verb or possessor takes it."""
    if items[index].possessive or items[index].hidden:
        return False
    if item_at(items, index + 1).lower in lex.RELATIVES:
        return True
    for position in range(_place_before(items, index), max(index - 6, -1), -1):
        word = items[position]
        if word.kind != "word":
            break
        if word.lower in lex.PREPOSITIONS:
            return False
        if word.lower in lex.BARRIERS:
            return word.lower not in lex.BE
        if (word.lower,) in TRIGGERS or (word.lower.endswith("ed") and word.text.islower()):
            return False
    return True


def find_subjects(flow: list[TextItem], begin: int, kinds: Collection[str]) -> list[TextItem]:
    """Return whom a verb speaks of: the nearest name or pronoun before it that can be its subject, of some types."""
    for position in range(begin - 1, max(-1, begin - _MAX_DISTANCE), -1):
        item = flow[position]
        if item.text in (";", ":"):
            break
        if item.plural:
            return [replace(item, entity=each) for each in item.plural if each.type in kinds]
        if item.kind == "name" and is_subject(flow, position) and item.entity.type in kinds:
            return _joint(flow, position)
        if item.kind != "word":
            continue
        if item.lower in ("they", "it", "we", "i", "you") and position > begin - 12:
            return []
        if item.lower in lex.NOMINATIVE:
            return [item] if item.entity is not None else []
        if item.lower in ("who", "which"):
            meant = _antecedent(flow, position) or noun_subject(flow, position)
            return [each for each in meant if each.entity.type in kinds]
    return _following_subject(flow, begin) if begin <= 1 else []


def _antecedent(flow: list[TextItem], position: int) -> list[TextItem]:
    """Return the name that "who" or "which" stands for: directly before it, or before the comma."""
    before = item_at(flow, position - 2 if item_at(flow, position - 1).text == "," else position - 1)
    return [before] if before.kind == "name" else []


def _joint(flow: list[TextItem], position: int) -> list[TextItem]:
    """Return the subject, and the one joined to it by "and" where both begin the clause."""
    item, other = flow[position], item_at(flow, position - 2)
    joined = item_at(flow, position - 1).lower == "and" and other.kind == "name"
    is_pair = joined and is_subject(flow, position - 2) and other.entity.type == item.entity.type
    return [other, item] if is_pair else [item]


def _following_subject(flow: list[TextItem], begin: int) -> list[TextItem]:
    """Return the subject after a leading participle: "Born in Warsaw, Curie ..."."""
    for comma, item in pairwise(flow[begin + 1 : begin + 13]):
        if comma.text == ",":
            named = item.kind == "name" or item.lower in lex.NOMINATIVE
            return [item] if named and item.entity is not None and item.entity.type == PERSON else []
    return []


def noun_subject(flow: list[TextItem], begin: int) -> list[TextItem]:
    """Return the name directly before a noun rule: "X was the elder son of Y", "X, a member of Y"."""
    seen_link = False
    for position in range(begin - 1, max(-1, begin - 14), -1):
        item = flow[position]
        if item.entity is not None and (item.kind == "name" or item.lower in lex.NOMINATIVE):
            if item.kind == "name" and not (is_subject(flow, position) or flow[position + 1].text == ","):
                return []
            return [item] if seen_link and not item.possessive else []
        if item.kind == "mark" and item.text != ",":
            return []
        if item.lower in _MADE:
            seen_link = True
        elif item.lower in _NOUN_STOPS:
            return _antecedent(flow, position) if item.lower == "who" and seen_link else []
    return []
