"""The relations that a question may ask for: the nouns that name them, the types of facts that hold them. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from kg_neo4j import data_files


@dataclass(frozen=True, slots=True)
class AskedRelation:
    """A relation from a thing to what a question asks for."""

    name: str  # as a path shows it, where it was read in a passage
    facts: tuple[str, ...] = ()
    gives: str = "name"  # "person", "date", "place", "name", "words"
    hint: str = ""  # a word of passages about what it leads to, where several things share a name
    chain: tuple[str, ...] = ()  # other relations that it consists of, the first one first


_DATA = data_files.beside(__file__)


def _relation(name: str, gives: str, types: str, hint: str = "") -> AskedRelation:
    if gives == "chain":
        return AskedRelation(name, chain=tuple(types.split()))
    return AskedRelation(name, tuple(types.split()), gives, hint)


RELATIONS = {row[0]: _relation(*row) for row in _DATA.rows("relations", 3, optional=1)}
NOUNS = {noun: name for name, nouns in _DATA.table("nouns").items() for noun in nouns.split("|")}
"""What a relation is called -> its name."""
VERBS = _DATA.table("verbs")
"""A relation's name -> its verbs, with | between them."""
MADE = _DATA.table("made")
"""A relation's name -> the verbs of "what did X ...", with | between them."""
