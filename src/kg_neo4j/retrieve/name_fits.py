"""How a name as people write it fits the names of an entity: whole, folded, by the last name alone, in part. Pure.

Names are compared in the forms of the graph (`graph.identity`, `graph.resolution.names`). A short name means the entity
that bears exactly this one, and the one person whose whole name ends in it.
"""

from __future__ import annotations

import difflib
import enum
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from kg_neo4j.graph.identity import normalise
from kg_neo4j.graph.resolution.names import PATRONYMS, NameForm, fold, take_apart
from kg_neo4j.words import PERSON, kind_of

if TYPE_CHECKING:
    from kg_neo4j.graph.database import Row

ALIKE = 0.85  # of the letters, from which on two spellings may be one name
LIKE_A_WORD = 0.75  # of the letters of a word, from which on a name is suggested for another
SHORTEST = 4  # letters of a name whose accents may be left out: "De" is not "Dē"
SUGGESTED = 3  # names, where nothing bears the one asked for
_BRACKETS = re.compile(r"\s*\([^()]*\)\s*$")
_POSSESSIVE = re.compile(r"['’]s?$")


class NameFit(enum.IntEnum):
    """How well a name fits, the best first."""

    SAME = 0  # letter by letter, but for case, punctuation, and words in brackets that tell pages apart
    FOLDED = 1  # but for accents, spaces, an article, a person's title
    LAST = 2  # the last words of a person's name: "Curie" of "Marie Curie"
    PART = 3  # all its words are words of the name
    ALIKE = 4  # nearly all letters agree


def fit(text: str, row: Row) -> NameFit | None:
    """Return how `text` fits the names of an entity or document; None where it does not."""
    if normalise(text) in keys(row["names"]):
        return NameFit.SAME
    asked = plain(text)
    found = [each for name in row["names"] if (each := _fit(asked, name, row.get("type") or "")) is not None]
    return min(found, default=None)


def plain(text: str) -> str:
    """Return a name without a possessive 's at its end."""
    return _POSSESSIVE.sub("", text.strip())


def without_brackets(title: str) -> str:
    """Return a title without the words in brackets that tell pages apart."""
    return _BRACKETS.sub("", title)


def keys(names: Iterable[str]) -> set[str]:
    """Return the forms under which names are compared, titles also without their brackets."""
    forms = ((normalise(name), normalise(without_brackets(name))) for name in names)
    return {key for both in forms for key in both if key}


def bearers(text: str, rows: Sequence[Row]) -> list[Row]:
    """Return the rows of which a name is `text`, and with them those that a form of this name surely means.

    These are other spellings ("Zelazowa", "Żelazowa") of the same kind, and of the people whose names end in it the
    only one. Empty where nothing bears the name itself.
    """
    graded = [(fit(text, row), row) for row in rows]
    same = [row for each, row in graded if each is NameFit.SAME]
    if not same:
        return []
    kinds = {_kind(row) for row in same if row["kind"] == "entity"}
    folded = [row for each, row in graded if each is NameFit.FOLDED and row["kind"] == "entity" and _kind(row) in kinds]
    last = [row for each, row in graded if each is NameFit.LAST] if not kinds or PERSON in kinds else []
    return [*same, *(row for row in [*folded, *(last if len(last) == 1 else [])] if row not in same)]


def nearly(text: str, rows: Sequence[Row]) -> list[Row]:
    """Return what `text` means where nothing bears it: of what fits best the best attested of each kind.

    Other spellings of one name are all meant.
    """
    graded = [(each, row) for row in rows if (each := fit(text, row)) is not None]
    if not graded:
        return []
    best = min(each for each, _ in graded)
    fitting = [row for each, row in graded if each is best]
    if best <= NameFit.FOLDED:
        return fitting
    attested: dict[str, Row] = {}
    for row in fitting:
        if row["kind"] not in attested or row["evidence"] > attested[row["kind"]]["evidence"]:
            attested[row["kind"]] = row
    return list(attested.values())


def nearest(text: str, rows: Iterable[Row]) -> tuple[str, ...]:
    """Return the names of entities that are spelt most like `text`, the likeliest first, three at most."""
    asked = fold(plain(text))
    graded = [
        (round(max(_likeness(asked, fold(name)) for name in row["names"]), 2), row)
        for row in rows
        if row["kind"] == "entity"
    ]
    graded = [(score, row) for score, row in graded if score >= LIKE_A_WORD]
    graded.sort(key=lambda pair: (-pair[0], -pair[1]["evidence"], pair[1]["id"]))
    return tuple(dict.fromkeys(row["names"][0] for _, row in graded))[:SUGGESTED]


def say_missing(text: str, near: Sequence[str]) -> str:
    """Return the sentence that nothing is called `text`, with the names that may be meant."""
    said = f"No entity is called {text!r}."
    if not near:
        return said
    *others, last = map(repr, near)
    return f"{said} Did you mean {', '.join(others)}{' or ' if others else ''}{last}?"


def _kind(row: Row) -> str:
    return kind_of(row.get("type") or "")


def _fit(asked: str, name: str, node_type: str) -> NameFit | None:
    wanted, known = normalise(asked), keys([name])
    if wanted in known:
        return NameFit.SAME
    is_person = kind_of(node_type) == PERSON
    mine, theirs = take_apart(asked), take_apart(name)
    if _is_folded(mine, theirs, is_person=is_person):
        return NameFit.FOLDED
    if is_person and _is_last(mine, theirs):
        return NameFit.LAST
    if set(mine.words) <= set(theirs.words):
        return NameFit.PART
    if (mine.generation, mine.numbers) != (theirs.generation, theirs.numbers) or _titles_differ(mine, theirs):
        return None
    alike = any(difflib.SequenceMatcher(None, wanted, key, autojunk=False).ratio() >= ALIKE for key in known)
    return NameFit.ALIKE if alike else None


def _is_folded(mine: NameForm, theirs: NameForm, *, is_person: bool) -> bool:
    """Return whether two names differ in accents, spaces, an article, or a person's title alone."""
    if mine.qualifier and theirs.qualifier and mine.qualifier != theirs.qualifier:
        return False
    same_core = (mine.core, mine.generation) == (theirs.core, theirs.generation)
    if is_person and same_core and not _titles_differ(mine, theirs):
        return True
    both = (mine.words, theirs.words)
    one, other = ("".join(words[1:] if len(words) > 1 and words[0] == "the" else words) for words in both)
    return one == other and len(one) >= SHORTEST


def _titles_differ(mine: NameForm, theirs: NameForm) -> bool:
    return bool(mine.titles and theirs.titles and not mine.titles & theirs.titles)


def _is_last(mine: NameForm, theirs: NameForm) -> bool:
    """Return whether `mine` is the last words of a person's name: not a father's name, nor another's of the name."""
    size = len(mine.core)
    if size >= len(theirs.core) or theirs.core[-size:] != mine.core or any(mine.initials):
        return False
    return mine.generation in ("", theirs.generation) and theirs.core[-size - 1] not in PATRONYMS


def _likeness(asked: str, name: str) -> float:
    """Return how much of the letters agree, from 0 to 1: of the whole name, or of each word with its likest one."""
    words = name.split()
    if not words or not asked:
        return 0.0
    each = [max(_ratio(word, other) for other in words) for word in asked.split()]
    return max(_ratio(asked, name), 0.95 * sum(each) / len(each))


def _ratio(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one, other, autojunk=False).ratio()
