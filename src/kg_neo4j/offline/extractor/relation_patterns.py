"""The words that say how two names are related: a rule a row, in relation_patterns.toml."""

from __future__ import annotations

from dataclasses import dataclass

from kg_neo4j import data_files
from kg_neo4j.offline.extractor.entities import ORGANIZATION, OTHER, PERSON, PLACE

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
