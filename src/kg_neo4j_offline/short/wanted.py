"""What a question wants, as a path: "the place of birth of the director of film X" is born in (director (X)). Pure.

English forms alone; a question of another form has no path, and is answered otherwise.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from kg_neo4j import data_files
from kg_neo4j.data_files import fill

LONGEST = 400  # characters of a question that may have a path
DEEPEST = 4  # relations within each other

_DATA = data_files.beside(__file__)
FACTS = {name: tuple(types.split()) for name, types in _DATA.table("facts").items()}
_CHAINS = {name: tuple(relations.split()) for name, relations in _DATA.table("chains").items()}
NOUNS = {noun: name for name, nouns in _DATA.table("nouns").items() for noun in nouns.split("|")}
"""What a relation is called -> its name."""
VERBS = _DATA.table("verbs")
"""A relation's name -> its verbs, with | between them."""
MADE = _DATA.table("made")
"""A relation's name -> the verbs of "what did X ...", with | between them."""
NOUN = "|".join(sorted(map(re.escape, NOUNS), key=len, reverse=True))
VERB = "|".join(VERBS.values())
_PARTS = _DATA.parts("parts", noun=NOUN, verb=VERB)
_PATTERNS = {name: re.compile(fill(each, _PARTS)) for name, each in _DATA.table("patterns").items()}
_HOW = {"born": "born in", "from": "citizenship", "died": "died in", "away": "died in", "buried": "buried in"}
_WHAT_IS = re.compile(r"^(?:what|who|which|where|when) (?:is|was|are|were|does|did) (?P<np>.+?)\??$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AskedThing:
    """A thing by its name, or what relations lead to from there."""

    name: str
    relations: tuple[str, ...] = ()  # names of relations, the first one first

    def then(self, relation: str) -> AskedThing:
        """Return what a relation leads to from here."""
        return AskedThing(self.name, (*self.relations, *_CHAINS.get(relation, (relation,))))


def read_thing(text: str, depth: int = 0) -> AskedThing:
    """Return what a noun phrase means: "Ada's father" is father (Ada); anything else is a name."""
    text = " ".join(text.split()).strip(" ,?.!")
    plain = _PATTERNS["class"].sub("", text)
    if plain != text or depth >= DEEPEST or len(text) > LONGEST:
        return _named(plain)
    for form in ("of", "possessive"):
        match = _PATTERNS[form].match(text)
        if match and match["of"].strip():
            return read_thing(match["of"], depth + 1).then(NOUNS[match["noun"]])
    if match := _PATTERNS["who"].match(text):
        return read_thing(match["of"], depth + 1).then(relation_of(match["verb"], VERBS))
    if match := _PATTERNS["where"].match(text):
        how = next((name for word, name in _HOW.items() if word in match["how"]), "")
        if not how or (how == "citizenship" and match["kind"] != "country"):
            how = "country" if match["kind"] == "country" else "location"
        return read_thing(match["of"], depth + 1).then(how)
    return _named(text)


def _named(text: str) -> AskedThing:
    return AskedThing(re.sub(r"^(?:the )(?=[^\W\d_a-z])", "", text).strip(" \"“”'"))


def relation_of(verb: str, verbs: dict[str, str]) -> str:
    """Return the relation that has a verb in a table like `VERBS`."""
    return next(name for name, each in verbs.items() if verb in each.split("|"))


@cache
def _forms() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the relations that questions ask for, each with a form of the question."""
    found = []
    for line in _DATA.lines("forms"):
        name, form = line.split(": ", 1)
        found.append((name, fill(form, _PARTS).replace("(", "(?:").replace("NP", "(?P<np>.+?)")))
    found += [(name, rf"who (?:\w+ly )?(?:{verbs}) (?P<np>.+?)") for name, verbs in VERBS.items()]
    return tuple((name, re.compile(rf"^{form}\??$", re.IGNORECASE)) for name, form in found)


def read_wanted(question: str) -> AskedThing | None:
    """Return the path that a question asks for; None where it has none of the known forms."""
    text = " ".join(question.split())
    if len(text) > LONGEST:
        return None
    for relation, pattern in _forms():
        match = pattern.match(text)
        if match and (thing := read_thing(match["np"])).name:
            return thing.then(relation)
    match = _WHAT_IS.match(text)
    thing = read_thing(match["np"]) if match else AskedThing("")
    return thing if thing.relations and thing.name else None
