"""Aliases that an entity's own name and the titles of documents give: a surname, plain letters, a page's title. Pure.

A short name is an alias of the one entity that it fits; where two bear it, or could, it is an alias of neither.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from kg_neo4j.graph.fold import MAX_ALIASES, ranked_names
from kg_neo4j.graph.identity import normalise
from kg_neo4j.graph.resolution.bearers import PERSON, Mentioned, grouped
from kg_neo4j.graph.resolution.decisions import Components
from kg_neo4j.graph.resolution.names import LETTERS, PATRONYMS, SEVERAL, fold, take_apart

_PLAIN = LETTERS | {
    ord(chr(code).upper()): letters.title() for code, letters in LETTERS.items() if len(chr(code).upper()) == 1
}
SHORTEST = 3  # letters of a surname
_BRACKETS = re.compile(r"\s*\([^()]*\)\s*$")


@dataclass(frozen=True, slots=True)
class EntityNames:
    """An entity by its names, the most frequent first."""

    id: str
    names: tuple[str, ...]
    core: tuple[str, ...]  # the words of its name in folded form, without titles
    is_person: bool


def aliases(
    mentioned: Iterable[Mentioned],
    found: Components,
    titles: Iterable[str],
    named: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, list[str]]:
    """Return the aliases of each entity: the other spellings of its evidence, then those that are derived.

    `named` has the names that entities bear now, by id: a person may have given another one.
    """
    entities = _entities(mentioned, found, named)  # the keys are not kept: they take most of the memory
    given = [(alias, bearers) for alias, bearers in (*_own(entities), *_titled(entities, titles)) if len(bearers) == 1]
    borne: dict[str, set[str]] = {normalise(alias): set() for alias, _ in given}  # -> entities that bear it or could
    for each in entities:
        for name in each.names:
            if (others := borne.get(normalise(name))) is not None:
                others.add(each.id)
    derived: defaultdict[str, list[str]] = defaultdict(list)
    for alias, bearers in given:
        if borne[normalise(alias)] <= bearers:
            derived[min(bearers)].append(alias)
    return {
        each.id: list(dict.fromkeys([*each.names[1 : MAX_ALIASES + 1], *sorted(derived[each.id])]))[:MAX_ALIASES]
        for each in entities
    }


def _entities(mentioned: Iterable[Mentioned], found: Components, named: Mapping[str, str]) -> list[EntityNames]:
    members = grouped(mentioned, lambda each: found.entity(each.key))
    entities = []
    for entity, keys in sorted(members.items()):
        spellings: Counter[str] = Counter()
        for each in keys:
            spellings.update(each.spellings)
        ranked = ranked_names(spellings)
        names = tuple(dict.fromkeys([named.get(entity, ranked[0]), *ranked]))
        form = next((each.form for each in keys if each.name == names[0]), None) or take_apart(names[0])
        entities.append(EntityNames(entity, names, form.core, all(each.kind.family == PERSON for each in keys)))
    return entities


def _own(entities: Sequence[EntityNames]) -> Iterator[tuple[str, set[str]]]:
    """Yield names without their accents, and the last name of each person, with all people whose name ends in it."""
    plain: defaultdict[str, set[str]] = defaultdict(set)
    bearers: defaultdict[str, set[str]] = defaultdict(set)
    written: dict[str, str] = {}
    for each in entities:
        decomposed = unicodedata.normalize("NFKD", each.names[0].translate(_PLAIN))
        name = "".join(char for char in decomposed if not unicodedata.combining(char))
        if name != each.names[0] and name.isascii():
            plain[name].add(each.id)
        core = each.core
        if not each.is_person or not core or SEVERAL & set(core):
            continue
        bearers[core[-1]].add(each.id)
        if last := _surname(each):
            written[core[-1]] = min(last, written.get(core[-1], last))
    for folded, last in sorted(written.items()):
        yield last.strip(".,"), bearers[folded]
    yield from sorted(plain.items())


def _surname(each: EntityNames) -> str:
    """Return the last word of a person's name as it is written; empty where it is none to be called by."""
    core = each.core
    if len(core) < 2 or len(core[-1]) < SHORTEST or core[-2] in PATRONYMS:
        return ""
    last = next((word for word in reversed(each.names[0].split()) if fold(word) == core[-1]), "")
    return last if last[:1].isupper() else ""


def _titled(entities: Sequence[EntityNames], titles: Iterable[str]) -> Iterator[tuple[str, set[str]]]:
    """Yield what the titles of documents give, with the people whom it names. A title is read once, and not kept.

    The surname of the person that a document is named after: relatives are seldom called by it there. A title that has
    words of a person's name: "Ada Lind" of "Ada Berta Lind".
    """
    people = [each for each in entities if each.is_person and len(each.core) > 1]
    by_name = grouped(people, lambda each: "".join(each.core))
    by_ends = grouped((each for each in people if len(each.core) > 2), lambda each: (each.core[0], each.core[-1]))
    found: defaultdict[str, set[str]] = defaultdict(set)
    subjects: defaultdict[str, set[str]] = defaultdict(set)
    for title in (_BRACKETS.sub("", each) for each in titles):
        core = take_apart(title).core
        for each in by_name.get("".join(core), ()):
            if last := _surname(each):
                subjects[last.strip(".,")].add(each.id)
        for each in by_ends.get((core[0], core[-1]), ()) if len(core) > 1 else ():
            if set(core) < set(each.core):
                found[title].add(each.id)
    yield from (*sorted(subjects.items()), *sorted(found.items()))
