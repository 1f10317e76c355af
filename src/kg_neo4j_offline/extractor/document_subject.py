"""What a document is about: the name in its title, or the one that its first sentence defines. Pure.

An answer about a chunk may rest on this besides the chunk itself, as it may on the title and the language
(docs/decisions/0015): nothing else of the document reaches into it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from kg_neo4j.acquire.sentences import line_borders
from kg_neo4j.records import Chunk, Document
from kg_neo4j_offline.extractor.entities import Topic, split_name
from kg_neo4j_offline.extractor.lexicon import (
    ORGANIZATION_HEADS,
    ORGANIZATION_ROLES,
    PARTICLES,
    PRONOUNS,
    ROLE_NOUNS,
    fold,
)

OPENING = 3_000  # characters that may say what a document is about
_LINES = 8  # of the opening, before a definition is given up
_WORD = r"[^\W\d_][^\W\d_'’ʿʾ.]*"
_NAME = re.compile(rf"{_WORD}(?:[ '’ʿʾ.–‐-]+{_WORD}){{0,7}}")
_IS = re.compile(r"[\s,;]*(?:was|is)\s+(?:an?|the|one)\b")
_VERB = re.compile(r" (?:was|is) (?:an?|the|one)\b")
_BORN = re.compile(rf"\b(?:born|née|né|known as|called)\s+(?:as\s+)?(?P<name>{_NAME.pattern})")
_CAMEL = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])|[\W\d_]+")
_POST_NOMINALS = re.compile(r"(?: [A-Z]{2,6})+$")
_BREAK = re.compile(r"[ \t]*\n\s*")
_MARKS = re.compile(r"\[[^\[\]\n]{1,14}\]|[*`\u200b]")
_PHRASE_END = re.compile(r"[.;:]\s|\b(?:who|whose|whom|which|of|from|in|for|best|known)\b")
_WAS = re.compile(r"\b(?:[Hh]e|[Ss]he|[Ii]t) (?:was|is) an? ((?:[a-z-]+ ){0,2}[a-z]+)")
_PHRASE = 200  # characters of a definition that say what it defines
_NOUNS = ROLE_NOUNS | ORGANIZATION_HEADS | ORGANIZATION_ROLES
_ARTICLES = ("The", "A", "An", "It", "He", "She", "This", "That", "There")


def topic_of(document: Document, chunk: Chunk) -> Topic | None:
    """Return what `document` is about, where its title, the chunk's first heading or its opening states it."""
    opening = document.text[:OPENING]
    for title in (document.title, chunk.section.split(" > ")[0]):
        name = _plain_name(re.sub(r"\s*\([^()]*\)$", "", title).strip())
        if name is not None:
            return _of_name(name, opening)
    return _of_opening(document.title, opening)


@dataclass(frozen=True, slots=True)
class _Definition:
    """The names that an opening gives to what it defines, and the nouns that say what it is."""

    names: tuple[str, ...]
    roles: frozenset[str]


@lru_cache(maxsize=256)
def _of_name(name: str, opening: str) -> Topic:
    defined = _definition(opening)
    own = split_name(name)[1]
    forms, roles = [own], frozenset[str]()
    if defined is not None and {own[0], own[-1]} <= set(split_name(defined.names[0])[1]):
        forms += [split_name(each)[1] for each in defined.names]
        roles = defined.roles
    return Topic(name, tuple(dict.fromkeys(forms)), _gender(opening), roles)


@lru_cache(maxsize=256)
def _of_opening(title: str, opening: str) -> Topic | None:
    defined = _definition(opening)
    if defined is None:
        return None
    name, words, _ = split_name(defined.names[0])
    # the words that a file's name has as well (marie_curie, MarieCurie), the first and the last one among them
    parts = [fold(part) for part in _CAMEL.split(title) if part]
    whole = re.split(r"[ –‐-]+", name)
    kept = [word for word in whole if fold(word) in parts]
    short = " ".join(kept) if len(kept) > 1 and (kept[0], kept[-1]) == (whole[0], whole[-1]) else name
    forms = [split_name(each)[1] for each in (short, *defined.names)]
    return Topic(short, tuple(dict.fromkeys([*forms, words])), _gender(opening), defined.roles)


def _plain_name(title: str) -> str | None:
    """Return a title that is a name; None for any other."""
    words = title.split(" ")
    named = all(word[:1].isupper() or word in PARTICLES or word == "of" for word in words)
    whole = _NAME.fullmatch(title) is not None and title[0].isupper()
    return title if named and whole and words[0] not in _ARTICLES else None


def unwrap(text: str) -> str:
    """Return a text of the same length with a space for each line break within a sentence."""
    borders = set(line_borders(text))
    return _BREAK.sub(lambda match: match[0] if match.end() in borders else match[0].replace("\n", " "), text)


def _definition(opening: str) -> _Definition | None:
    """Return what the opening defines: "X (...) was a ...". Without brackets only its first line defines something."""
    lines = [line.strip() for line in _MARKS.sub("", unwrap(opening)).splitlines() if len(line.split()) > 3]
    for number, line in enumerate(lines[:_LINES]):
        found = _NAME.match(line)
        if found is None:
            continue
        verb = _VERB.search(line, 0, found.end() + 1)
        end = found.end() if verb is None else verb.start()
        rest, brackets = _skip_brackets(line[end:])
        name, said = _POST_NOMINALS.sub("", line[:end]), _IS.match(rest)
        if said is not None and _plain_name(name) is not None and (verb is None or number == 0):
            others = (match["name"] for match in _BORN.finditer(brackets))
            names = (name, *dict.fromkeys(other for other in others if _plain_name(other) is not None))
            rest = rest[said.end() :]  # "Polish composer and pianist of ...", "he was a prophet"
            phrases = [_PHRASE_END.split(rest[:_PHRASE], maxsplit=1)[0]]
            phrases += (match[1] for match in _WAS.finditer(rest, 0, _PHRASE * 3))
            roles = {word for phrase in phrases for word in re.findall(r"[a-z]+", phrase) if word in _NOUNS}
            return _Definition(names, frozenset(roles))
        if verb is not None:
            return None
    return None


def _skip_brackets(text: str) -> tuple[str, str]:
    """Return what follows the brackets that `text` begins with, and what stands in them."""
    depth = 0
    for position, char in enumerate(text):
        if char in "([":
            depth += 1
        elif char in ")]":
            depth -= 1
        elif depth <= 0 and not char.isspace():
            return text[position:], text[:position]
    return "", text


def _gender(opening: str) -> str:
    counts = {"m": 0, "f": 0}
    for word in re.findall(r"\b(?:[Hh]e|[Hh]is|[Ss]he|[Hh]er)\b", opening):
        counts[PRONOUNS[word.lower()]] += 1
    for gender, other in (("m", "f"), ("f", "m")):
        if counts[gender] > 2 * counts[other]:
            return gender
    return ""
