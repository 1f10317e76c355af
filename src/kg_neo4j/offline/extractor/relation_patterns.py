"""The words that say how two names are related: a rule a row, in the .toml file; and whose verb they are. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from kg_neo4j import data_files
from kg_neo4j.offline.extractor import lexicon as lex
from kg_neo4j.offline.extractor.entities import ORGANIZATION, OTHER, PERSON, PLACE
from kg_neo4j.offline.extractor.parsed_text import TextItem

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


_NOUN_LINKS = (
    lex.BE
    | lex.DETERMINERS
    | frozenset({",", "and", "as", "also", "now", "then", "later", "elected", "appointed", "named"})
)
_MADE = frozenset({"as", "named", "appointed", "elected", "became", "become"})
_MAX_GAP = 4
_MAX_DISTANCE = 40  # items between a subject and its verb


def trigger_before(items: list[TextItem], index: int) -> tuple[Trigger, int] | None:
    """Return the rule whose words stand before the name at `index`, and where they begin.

    Up to four adjectives or nouns may stand between ("married the French physicist Pierre Curie").
    """
    position, skipped = index - 1, 0
    if position > 0 and items[position].text == "," and items[position - 1].lower in lex.ROLE_NOUNS:
        position, skipped = position - 1, 1  # "the daughter of the harbourmaster, Halvor Tveit"
    while position >= 0 and skipped <= _MAX_GAP and items[position].kind == "word":
        for length in range(min(LONGEST, position + 1), 0, -1):
            words = tuple(item.lower for item in items[position - length + 1 : position + 1])
            if words in TRIGGERS:
                return TRIGGERS[words], position - length + 1
        if items[position].lower == "of" and position and items[position - 1].lower in lex.ROLE_NOUNS - KIN.keys():
            return _role_trigger(items[position - 1].lower), position - 1
        if items[position].lower in lex.BARRIERS or items[position].possessive:
            return None
        skipped += 1
        position -= 1
    return None


@cache
def _role_trigger(noun: str) -> Trigger:
    """Return the rule for a role that the table does not have: "Elias was the miller of Vardal" gives MILLER_OF."""
    kind = noun.upper().replace("-", "_") + "_OF"
    return Trigger((noun, "of"), kind, PEOPLE, EVERYTHING, 8, None, noun=True)


def is_subject(items: list[TextItem], index: int) -> bool:
    """Tell whether a name can be what a verb after it speaks of: no preposition, verb or possessor takes it."""
    item = items[index]
    if item.possessive or item.hidden:
        return False
    following = [each.lower for each in items[index + 1 : index + 3]]
    if following[:1] and following[0] in lex.RELATIVES:
        return True
    position = index - 1
    if position > 0 and items[position].text == "," and items[position - 1].lower in lex.ROLE_NOUNS:
        position -= 1  # an apposition: "the archives of the viceroy, José de Iturrigaray"
    while position >= 0 and items[position].kind == "word" and index - position <= 5:
        word = items[position]
        if word.lower in lex.PREPOSITIONS:
            return False
        if word.lower in lex.BARRIERS:
            return word.lower not in lex.BE
        if (word.lower,) in TRIGGERS or (word.lower.endswith("ed") and word.text.islower()):
            return False
        position -= 1
    return True


def find_subjects(flow: list[TextItem], begin: int, trigger: Trigger) -> list[TextItem]:
    """Return whom a verb speaks of: the nearest name or pronoun before it that can be its subject."""
    for position in range(begin - 1, max(-1, begin - _MAX_DISTANCE), -1):
        item = flow[position]
        if item.text in (";", ":"):
            break
        if item.plural:
            return [replace(item, entity=each) for each in item.plural if each.type in trigger.sources]
        if item.kind == "word" and item.lower in ("they", "it", "we", "i", "you") and position > begin - 12:
            return []
        if item.kind == "word" and item.lower in lex.NOMINATIVE:
            return [item] if item.entity is not None else []
        if item.kind == "name" and is_subject(flow, position) and item.entity.type in trigger.sources:
            return joint(flow, position)
        if item.kind == "word" and item.lower in lex.RELATIVES and item.lower != "that":
            antecedent = _antecedent(flow, position)
            if item.lower in ("who", "which"):
                meant = [antecedent] if antecedent is not None else noun_subject(flow, position)
                return [each for each in meant if each.entity.type in trigger.sources]
    if begin <= 1:
        return _following_subject(flow, begin)
    return []


def _antecedent(flow: list[TextItem], position: int) -> TextItem | None:
    """Return the name that "who" or "which" stands for: directly before it, or before the comma."""
    before = position - 1
    if before >= 0 and flow[before].text == ",":
        before -= 1
    return flow[before] if before >= 0 and flow[before].kind == "name" else None


def joint(flow: list[TextItem], position: int) -> list[TextItem]:
    """Return the subject, and the one joined to it by "and" where both begin the clause."""
    joined = position >= 2 and flow[position - 1].lower == "and" and flow[position - 2].kind == "name"
    if joined and is_subject(flow, position - 2) and flow[position - 2].entity.type == flow[position].entity.type:
        return [flow[position - 2], flow[position]]
    return [flow[position]]


def _following_subject(flow: list[TextItem], begin: int) -> list[TextItem]:
    """Return the subject after a leading participle: "Born in Warsaw, Curie ..."."""
    for position in range(begin + 1, min(begin + 12, len(flow))):
        if flow[position].text == "," and position + 1 < len(flow):
            item = flow[position + 1]
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
        if item.lower in lex.BE or item.text == "," or item.lower in _MADE:
            seen_link = True
        elif item.lower in lex.BARRIERS - _NOUN_LINKS - {"of"} or item.lower in VERBS or item.lower in lex.PERSON_VERBS:
            if item.lower in ("who",):
                antecedent = _antecedent(flow, position)
                return [antecedent] if antecedent is not None and seen_link else []
            return []
    return []
