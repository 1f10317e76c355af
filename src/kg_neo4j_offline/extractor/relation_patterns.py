"""The words that say how two names are related: a rule a row, in the .toml file; and whose verb they are. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from kg_neo4j import data_files
from kg_neo4j_offline.extractor import lexicon as lex
from kg_neo4j_offline.extractor.entities import ORGANIZATION, OTHER, PERSON, PLACE
from kg_neo4j_offline.extractor.parsed_text import TextItem, item_at

_LETTERS = {"P": PERSON, "L": PLACE, "O": ORGANIZATION, "X": OTHER}
_DATA = data_files.beside(__file__)


@dataclass(frozen=True, slots=True)
class Trigger:
    """One rule of the table."""

    type: str
    likely: str | None  # what a second name of unknown type probably is
    sure: bool  # that it is: nothing else may stand there
    noun: bool
    back: bool


def _trigger(kind: str, targets: str, flag: str) -> Trigger:
    is_one = len(targets) == 1 and targets != "*"
    likely = _LETTERS[targets[0]] if is_one or targets[0] == "L" else None
    return Trigger(kind, likely, is_one, flag == "noun", flag == "back")


TRIGGERS = {
    tuple(words.split()): _trigger(kind, targets, "".join(flag))
    for words, kind, _, targets, _, *flag in _DATA.rows("rules", 5, optional=1)
}
LONGEST = max(map(len, TRIGGERS))
VERBS = frozenset(words[0] for words, trigger in TRIGGERS.items() if not trigger.noun)
KIN = {
    noun: (kind, direction == "back", gender.strip("-")) for noun, kind, direction, gender in _DATA.rows("kin", 4)
}  # noun -> relationship type, whether it points back, gender
_MAX_GAP = 4


def _place_before(items: list[TextItem], index: int) -> int:
    """Return the place before a name, across the comma of its apposition: "of the harbourmaster, Halvor Tveit"."""
    is_apposed = item_at(items, index - 1).text == "," and item_at(items, index - 2).lower in lex.ROLE_NOUNS
    return index - 2 if is_apposed else index - 1


def trigger_before(items: list[TextItem], index: int) -> Trigger | None:
    """Return the rule whose words stand before the name at `index`.

    Up to four adjectives or nouns may stand between ("married the French physicist Pierre Curie").
    """
    for last in range(_place_before(items, index), max(index - 2 - _MAX_GAP, -1), -1):
        if items[last].kind != "word":
            return None
        for first in range(max(last + 1 - LONGEST, 0), last + 1):
            words = tuple(item.lower for item in items[first : last + 1])
            if words in TRIGGERS:
                return TRIGGERS[words]
        if items[last].lower in lex.BARRIERS or items[last].possessive:
            return None
    return None


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
