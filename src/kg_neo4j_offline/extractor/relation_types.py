"""The closed table of relationship types, which is applied last: few types, in one tense, that can be queried. Pure.

What the table does not have is RELATED_TO with the verb as its phrase, where a clause states it of two names. Dates are
properties, never ends of a relationship.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from kg_neo4j import data_files
from kg_neo4j_offline.extractor.clause_relations import in_past
from kg_neo4j_offline.extractor.entities import DATE, ORGANIZATION, PERSON, PLACE, EntityDraft, RelationDraft
from kg_neo4j_offline.extractor.lexicon import COUNTRIES

RELATED = "RELATED_TO"

_ROWS = {name: words.split() for name, words in data_files.beside(__file__).table("types").items()}
_FITTING = {name: tuple(row[0].split("-")) for name, row in _ROWS.items()}
_NAMED = {word: name for name, row in _ROWS.items() for each in row[1:] for word in (each, in_past(each))}
TYPES = (*_ROWS, RELATED)
_LETTERS = {PERSON: "P", PLACE: "L", ORGANIZATION: "O"}
_OF_LETTER = {letter: kind for kind, letter in _LETTERS.items()}
_SYMMETRIC = frozenset({"MARRIED_TO", "SIBLING_OF", "FRIEND_OF", "MET", "WORKED_WITH", "RELATIVE_OF"})


def plain(relations: Iterable[RelationDraft]) -> list[RelationDraft]:
    """Return the relationships under the types of the table, each of two entities once; none with a date or no name."""
    best: dict[tuple[int, str, int], RelationDraft] = {}
    for relation in relations:
        for each in _renamed(relation):
            ends = sorted((id(each.source), id(each.target))) if each.type in _SYMMETRIC else None
            first, last = ends or (id(each.source), id(each.target))
            known = best.setdefault((first, each.type, last), each)
            known.date = known.date or each.date
            known.stated = known.stated or each.stated
    return [each for each in best.values() if not _is_said(each, best)]


def give_types(relations: Iterable[RelationDraft], is_name: Callable[[EntityDraft], bool]) -> None:
    """Set the type of names that have none where a rule's relationship tells it: who is married, is a person."""
    for relation in relations:
        name, turned = (_FITTING.get(_NAMED.get(each, ""), ()) for each in (relation.type, f"^{relation.type}"))
        fitting = () if relation.classified or not relation.stated else name or turned[::-1]
        for end, letters in zip((relation.source, relation.target), fitting, strict=False):
            if not end.type and letters in _OF_LETTER and is_name(end):
                end.type = _OF_LETTER[letters]


def _renamed(relation: RelationDraft) -> Iterator[RelationDraft]:
    source, target, kind = relation.source, relation.target, relation.type
    if DATE in (source.type, target.type) or not (source.type and target.type):
        return
    name, turned = _NAMED.get(kind, ""), _NAMED.get(f"^{kind}", "")
    if turned:
        source, target = target, source
    found = name or turned
    if found and _fits(found, source.type, target.type):
        if not (found == "LOCATED_IN" and {source.name, target.name} <= COUNTRIES):  # a list of countries
            relation.source, relation.target, relation.type = source, target, found
            yield relation
    elif not relation.classified and relation.stated and _is_plain(relation):
        relation.type, relation.phrase = RELATED, kind.lower().replace("_", " ")
        yield relation


def _fits(kind: str, source: str, target: str) -> bool:
    return all(
        letters == "*" or _LETTERS.get(each, "X") in letters
        for letters, each in zip(_FITTING[kind], (source, target), strict=True)
    )


def _is_plain(relation: RelationDraft) -> bool:
    """Tell whether one clause ties two names: no pronoun stands for one, and no mark between them parts them."""
    inside = [item for item in relation.sentence.items if relation.start <= item.start < relation.end]
    named = [item for item in inside if item.kind == "name" and item.entity in (relation.source, relation.target)]
    if {id(item.entity) for item in named} != {id(relation.source), id(relation.target)}:
        return False
    between = inside[inside.index(named[0]) + 1 : inside.index(named[-1])]
    return not named[0].possessive and not any(item.kind == "mark" and item.text not in "'’:" for item in between)


def _is_said(relation: RelationDraft, best: dict[tuple[int, str, int], RelationDraft]) -> bool:
    """Tell whether a type of the table already ties the ends of a RELATED_TO."""
    if relation.type != RELATED:
        return False
    ends = {id(relation.source), id(relation.target)}
    return any(kind != RELATED and {first, last} == ends for first, kind, last in best)
