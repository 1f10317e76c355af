"""The wording by which passages of encyclopaedias state relations: patterns of passage_patterns.toml. Pure; English."""

from __future__ import annotations

import re
from functools import cache

from kg_neo4j import data_files
from kg_neo4j.offline.extractor.lexicon import NATIONS

MONTHS = tuple("January February March April May June July August September October November December".split())
MONTH = f"(?:{'|'.join(MONTHS)})"
_DATA = data_files.beside(__file__)
_PARTS = _DATA.parts("parts", month=MONTH, nations="|".join(sorted(NATIONS)))
NAME, DATE = _PARTS["name"], _PARTS["date"]
PATTERNS = _DATA.lists("patterns")
MORE_COUNTRIES = frozenset(_DATA.lines("countries"))
INVERSE = _DATA.table("inverse")


@cache
def patterns_of(relation: str) -> tuple[re.Pattern[str], ...]:
    """Return the patterns of a relation, the strongest first; empty where it has none. Each takes some milliseconds."""
    return tuple(re.compile(data_files.fill(pattern, _PARTS)) for pattern in PATTERNS.get(relation, ()))
