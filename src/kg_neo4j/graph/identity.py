"""Ids and keys of documents, chunks, mentions and entities.

Pure: ids are computed from content, so that any order of loading gives the same graph.

A mention key names an entity by its graph, its normalised name and its type; an entity's id is the smallest mention key
in its component, which is the key itself until resolution joins several; a decision may say that one document means
another bearer of a name. A fact's id hashes source key, type, target key and the schema's identity columns.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from kg_neo4j.acquire.identity import hash_id

_APOSTROPHES = frozenset(map(ord, "'’‘`´ʼʻʿʾ"))
_KEPT_SYMBOLS = frozenset("#&@%*/")  # they tell names apart (C and C#), although Unicode calls them punctuation


class _Compared(dict[int, str]):
    """Characters as they are compared, each looked at once: apostrophes left out, other punctuation is a space."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        is_left_out = unicodedata.category(char).startswith("P") and char not in _KEPT_SYMBOLS
        self[code] = found = "" if code in _APOSTROPHES else " " if is_left_out else char
        return found


_COMPARED = _Compared()
_SPACE = re.compile(r"\s+")


@lru_cache(maxsize=65536)
def normalise(name: str) -> str:
    """Return the form in which two spellings are compared.

    NFKC, case folded; apostrophes left out, other punctuation and white space collapsed to one space. A name of
    punctuation alone keeps it.
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return _SPACE.sub(" ", folded.translate(_COMPARED)).strip() or _SPACE.sub(" ", folded).strip()


def mention_key(graph: str, name: str, node_type: str) -> str:
    """Return the key under which mentions of one entity meet."""
    return hash_id("mention", graph, normalise(name), node_type)


def namesake_key(key: str, document_id: str) -> str:
    """Return the mention key of the other bearer of a name that one document means, by decision."""
    return hash_id("namesake", key, document_id)


def entity_num(entity_id: str) -> int:
    """Return the 52-bit integer that stands for the entity in GDS projections (the first 13 digits of its id)."""
    return int(entity_id[:13], 16)


def fact_id(source_key: str, relationship_type: str, target_key: str, identity: Iterable[str] = ()) -> str:
    """Return the id of what is stated: `identity` are the values of the schema's identity columns, in its order."""
    return hash_id("fact", source_key, relationship_type, target_key, *identity)
