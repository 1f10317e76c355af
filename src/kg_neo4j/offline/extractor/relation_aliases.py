"""What the relations of the model mean in the words of the rules, and which of them say the same from both ends."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from kg_neo4j import data_files

_DATA = data_files.beside(__file__)
_SAME = _DATA.table("same")
NAMES = _DATA.table("names")
INVERSE = _DATA.table("inverse")
SINGLE = _DATA.word_set("single")
PLACING = dict.fromkeys(_DATA.words("places"), "place") | dict.fromkeys(_DATA.words("times"), "time")
LOOSE = "LOCATED_IN"  # what the rules say of places; the model may know better
EXACT = frozenset({"LOCATED_IN_COUNTRY", "DIVISION_OF", "DIVISION_OF_COUNTRY"})
_WITHIN = "LOCATED_IN_THE_ADMINISTRATIVE_TERRITORIAL_ENTITY"


def name_both(kind: str, forth: AbstractSet[str], back: AbstractSet[str]) -> str:
    """Return the name for all that is said of where something is: in a country, or a division of what contains it."""
    if kind not in ("COUNTRY", _WITHIN):
        return kind
    if "CONTAINS_ADMINISTRATIVE_TERRITORIAL_ENTITY" in back:
        return "DIVISION_OF_COUNTRY" if {"COUNTRY", _WITHIN} <= forth else "DIVISION_OF"
    return "LOCATED_IN_COUNTRY" if {"COUNTRY", _WITHIN} <= forth else kind


def same_meaning(kind: str, forth: AbstractSet[str], back: AbstractSet[str]) -> bool:
    """Tell whether the rules' types between two entities, in both directions, already say a relation of the model."""
    same = _SAME.get(kind, "").split()
    return kind in forth or any((each[1:] in back) if each[0] == "^" else (each in forth) for each in same)
