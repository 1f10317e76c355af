"""References in a report, as [Data: Entities (5, 7); Relationships (23, +more)]: read, checked and written. Pure.

Numbers that mean nothing are taken out; of more than five of one data set the first five stay, then "+more".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

LARGEST = 5  # numbers a data set in one mark (the length study)
ENTITIES, RELATIONSHIPS = "Entities", "Relationships"

_MARK = re.compile(r"[ \t]*[\[【]\s*Data\s*:(?P<inside>[^\]】]*)[\]】]", re.IGNORECASE)
_SET = re.compile(r"(?P<name>[^\W\d_]+)\s*\((?P<numbers>[^()]*)\)")
_NUMBER = re.compile(r"\d+")
_NAMES = {"entities": ENTITIES, "entity": ENTITIES, "relationships": RELATIONSHIPS, "relationship": RELATIONSHIPS}


@dataclass(frozen=True, slots=True)
class Numbers:
    """Short numbers of entities and of relationships."""

    entities: frozenset[int] = frozenset()
    relationships: frozenset[int] = frozenset()


@dataclass(slots=True)
class CheckedText:
    """A text whose every mark names what there is."""

    text: str = ""
    entities: list[int] = field(default_factory=list)  # cited, in order, each once
    relationships: list[int] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)  # what was taken out, as it was written


def check(text: str, known: Numbers) -> CheckedText:
    """Return `text` with the references that are in `known` alone."""
    checked = CheckedText()

    def choose(name: str, numbers: list[int]) -> list[int]:
        of_set = known.entities if name == ENTITIES else known.relationships
        valid = [number for number in numbers if number in of_set] if name in _NAMES.values() else []
        checked.unknown += [f"{name} ({number})" for number in numbers if number not in valid]
        cited = checked.entities if name == ENTITIES else checked.relationships
        cited += [number for number in valid if number not in cited]
        return valid

    checked.text = _rewritten(text, choose).strip()
    return checked


def mark(entities: Iterable[int] = (), relationships: Iterable[int] = (), *, more: bool = False) -> str:
    """Return a mark for numbers in the order given; empty for none. `more`: there are more relationships."""
    return _mark([(ENTITIES, list(entities), False), (RELATIONSHIPS, list(relationships), more)])


def renumber(text: str, entities: Mapping[int, int], relationships: Mapping[int, int]) -> str:
    """Return `text` with other numbers in its marks; a number without another is left out."""

    def choose(name: str, numbers: list[int]) -> list[int]:
        others = entities if name == ENTITIES else relationships
        return [others[number] for number in numbers if number in others]

    return _rewritten(text, choose)


def statements(text: str) -> list[tuple[str, frozenset[int], frozenset[int]]]:
    """Return each part of `text` up to a mark, with the numbers of entities and of relationships that the mark has.

    What follows the last mark rests on nothing and is left out.
    """
    found = []
    start = 0
    for match in _MARK.finditer(text):
        numbers = {name: frozenset(each) for name, each, _ in _sets(match["inside"])}
        part = text[start : match.end()].strip(" \t.;,")
        found.append((part, numbers.get(ENTITIES, frozenset()), numbers.get(RELATIONSHIPS, frozenset())))
        start = match.end()
    return found


def without_marks(text: str) -> str:
    """Return `text` without any mark."""
    return _MARK.sub("", text)


def _sets(inside: str) -> list[tuple[str, list[int], bool]]:
    """Return (data set, numbers, whether there are more) for each data set of a mark."""
    found = []
    for match in _SET.finditer(inside):
        name = _NAMES.get(match["name"].casefold(), match["name"])
        numbers = list(dict.fromkeys(int(each) for each in _NUMBER.findall(match["numbers"]) if len(each) <= 9))
        found.append((name, numbers, "more" in match["numbers"].casefold()))
    return found


def _rewritten(text: str, choose: Callable[[str, list[int]], list[int]]) -> str:
    """Return `text` with the numbers that are chosen of each data set of each mark."""

    def rewrite(match: re.Match[str]) -> str:
        chosen = _mark([(name, choose(name, numbers), more) for name, numbers, more in _sets(match["inside"])])
        return f" {chosen}" if chosen else ""

    return _MARK.sub(rewrite, text)


def _mark(sets: Sequence[tuple[str, list[int], bool]]) -> str:
    groups = []
    for name, numbers, more in sets:
        shown = [*map(str, numbers[:LARGEST]), *(["+more"] if more or len(numbers) > LARGEST else [])]
        if numbers:
            groups.append(f"{name} ({', '.join(shown)})")
    return f"[Data: {'; '.join(groups)}]" if groups else ""
