"""Many pieces of evidence become one value each. Pure.

`fold_entity` and `fold_fact` are the only places where merged values come from. They depend on the set of evidence
alone, not on the order in which it came: evidence is sorted by document, chunk and row first.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from kg_neo4j.extract.schema import FoldRule, SchemaColumn
from kg_neo4j.records import PropertyValue

JOINED_CHARACTERS = 2000  # bound on joined texts; whole values only, the first ones stay
MAX_ALIASES = 50
DESCRIPTION, QUOTE = "description", "quote"  # what a row quotes stands for a description that no row has
QUOTED_CHARACTERS = 600  # of such quotes
STATED = "stated"  # False on evidence and facts that are only likely, or wrong; absent otherwise
BY_HAND = "by_hand"  # of facts: True, where a person states it; of entities: the values that a person gave

V = TypeVar("V", bound=PropertyValue)
Folded = Mapping[str, PropertyValue | list[str] | list[PropertyValue]]


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    """One accepted row, as it is stored on an evidence relationship."""

    order: tuple[str, int, int]  # document id, chunk index, row
    name: str  # empty for facts
    type: str
    values: Mapping[str, PropertyValue | None]  # None: the row has none


def fold_entity(rows: Iterable[EvidenceRow], columns: Sequence[SchemaColumn]) -> Folded:
    """Return an entity's name, type, types, aliases, evidence_count and one value for each column that has any.

    Name: the most frequent spelling, then the longest, then the smallest. Type: the most frequent, then the smallest;
    `types`: all of them in this order, where there are several. Aliases: the other spellings, most frequent first, at
    most 50.
    """
    ordered = sorted(rows, key=lambda row: row.order)
    ranked = ranked_names(Counter(row.name for row in ordered))
    types = _ranked(row.type for row in ordered)
    return {
        "name": ranked[0],
        "type": types[0],
        "aliases": ranked[1 : MAX_ALIASES + 1],
        "evidence_count": len(ordered),
        **({"types": types} if len(types) > 1 else {}),
        **_fold_columns(ordered, columns),
    }


def corrected(folded: Folded, values: Mapping[str, PropertyValue]) -> Folded:
    """Return an entity's values with those that a person gave. A former name stays as an alias; one type is left."""
    if not values:
        return folded
    aliases = folded["aliases"] if isinstance(folded["aliases"], list) else []
    names = [each for each in (str(folded["name"]), *map(str, aliases)) if each != values.get("name", folded["name"])]
    kept = {name: value for name, value in folded.items() if name != "types" or "type" not in values}
    return {**kept, **values, "aliases": names[:MAX_ALIASES], BY_HAND: sorted(values)}


def labels(folded: Folded) -> list[str]:
    """Return all types of a folded entity, the most stated one first."""
    types = folded.get("types")
    return [*map(str, types)] if isinstance(types, list) else [str(folded["type"])]


def ranked_names(spellings: Mapping[str, int]) -> list[str]:
    """Return spellings, given with their counts: the most frequent first, then the longest, then the smallest."""
    if len(spellings) == 1:
        return list(spellings)
    return sorted(spellings, key=lambda name: (-spellings[name], -len(name), _rank(name)))


def fold_fact(rows: Iterable[EvidenceRow], columns: Sequence[SchemaColumn]) -> Folded:
    """Return a fact's evidence_count and one value for each column that has any.

    Rows that are only likely do not count where others state the fact; where none does, it is marked `stated`: False.
    """
    ordered = sorted(rows, key=lambda row: row.order)
    stated = [row for row in ordered if is_stated(row.values)]
    folded = {"evidence_count": len(stated or ordered), **_fold_columns(stated or ordered, columns)}
    if any(row.values.get(BY_HAND) for row in stated):
        folded = {**folded, BY_HAND: True}
    return folded if stated else {**folded, STATED: False}


def fold_drawn(rows: Iterable[tuple[str, EvidenceRow]], columns: Sequence[SchemaColumn]) -> Folded | None:
    """Return the relationship that facts are drawn as, given evidence with each fact's id; None: none is stated."""
    stated = [(fact, row) for fact, row in rows if is_stated(row.values)]
    if not stated:
        return None
    return {**fold_fact((row for _, row in stated), columns), "fact_id": min(fact for fact, _ in stated)}


def is_stated(values: Mapping[str, object]) -> bool:
    """Return whether a row states its fact; a row that is only likely is marked."""
    return values.get(STATED) is not False


def names_of(columns: Sequence[SchemaColumn]) -> list[str]:
    """Return the names of the values that `columns` fold to, a description among them."""
    names = [column.name for column in columns]
    return names if DESCRIPTION in names else [*names, DESCRIPTION]


def _fold_columns(rows: Sequence[EvidenceRow], columns: Sequence[SchemaColumn]) -> Folded:
    folded: dict[str, PropertyValue | list[str] | list[PropertyValue]] = {}
    for column in columns:
        if values := [value for row in rows if (value := row.values.get(column.name)) is not None]:
            folded[column.name] = fold_values(values, column.fold or FoldRule.MODE)
    quotes = [quote for row in rows if (quote := row.values.get(QUOTE))]
    if quotes and DESCRIPTION not in folded:
        folded[DESCRIPTION] = _joined(quotes, QUOTED_CHARACTERS)
    return folded


def fold_values(values: Sequence[PropertyValue], rule: FoldRule) -> PropertyValue | list[PropertyValue]:
    """Fold at least one value, given in the order of evidence."""
    if len(values) == 1 and rule is not FoldRule.UNION and rule is not FoldRule.JOIN:
        return values[0]
    if rule is FoldRule.JOIN:
        return _joined(values, JOINED_CHARACTERS)
    if rule is FoldRule.UNION:
        return sorted(set(values), key=_rank)
    if rule is FoldRule.MODE:
        return _mode(values)
    return min(values, key=_rank) if rule is FoldRule.MIN else max(values, key=_rank)


def _joined(values: Sequence[PropertyValue], most: int) -> str:
    """Join texts without repeats: the first one, and those after it that fit into `most` characters."""
    if len(values) == 1:
        return " ".join(str(values[0]).split())
    joined: list[str] = []
    length = 0
    for text in dict.fromkeys(" ".join(str(value).split()) for value in values):
        if joined and length + len(text) + 1 > most:
            break
        if text:
            joined.append(text)
            length += len(text) + 1
    return " ".join(joined)


def _mode(values: Iterable[V]) -> V:
    return _ranked(values)[0]


def _ranked(values: Iterable[V]) -> list[V]:
    counts = Counter(values)
    return sorted(counts, key=lambda value: (-counts[value], _rank(value)))


def _rank(value: PropertyValue) -> tuple[int, float, str, str]:
    """Order numbers before texts; texts by NFC form, then as written."""
    if isinstance(value, str):
        return 1, 0.0, unicodedata.normalize("NFC", value), value
    return 0, float(value), "", ""
