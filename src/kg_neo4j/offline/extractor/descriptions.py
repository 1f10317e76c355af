"""Whom "the physicist" or "the university" means: who was called so before, where that is one alone. Pure.

A description that refers becomes a name in its sentence, so that pronouns and relationships read it as one. Where two
fit and both were spoken of lately, or an unnamed one stands between, nobody is meant.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from kg_neo4j.offline.extractor.entities import ORGANIZATION, PERSON, EntityDraft
from kg_neo4j.offline.extractor.lexicon import (
    BE,
    CONJUNCTIONS,
    ORGANIZATION_HEADS,
    ORGANIZATION_ROLES,
    PERSON_VERBS,
    PLAIN_ROLES,
    PREPOSITIONS,
    RELATIVES,
    ROLE_ADJECTIVES,
    ROLE_NOUNS,
)
from kg_neo4j.offline.extractor.parsed_text import Item, Sentence
from kg_neo4j.offline.extractor.relation_patterns import KIN, VERBS
from kg_neo4j.offline.extractor.type_votes import role_nouns

NEAR = 4  # sentences in which one of two that fit must have been named, and the other not
_PEOPLE = ROLE_NOUNS - KIN.keys() - PLAIN_ROLES - {"general", "man", "woman", "child"}
_GROUPS = ORGANIZATION_HEADS | ORGANIZATION_ROLES
_NARROWING = RELATIVES | frozenset({"of", "in", "from", "at", "for", "to", "on"})
_AFTER = (
    BE
    | CONJUNCTIONS
    | PERSON_VERBS
    | VERBS
    | (PREPOSITIONS - _NARROWING)
    | frozenset("had has did would could".split())
)
_NOT_AFTER = BE | frozenset({"became", "remained", "as", "called", "elected", "appointed", "named", "like"})
_A = ("a", "an", "another", "one", "every", "each")


@dataclass(slots=True)
class _Known:
    """Who was called so, and in which sentence each was named last; `unnamed` is where somebody without a name was."""

    last: dict[int, int] = field(default_factory=dict)
    drafts: dict[int, EntityDraft] = field(default_factory=dict)
    topic: EntityDraft | None = None
    unnamed: int = -2


def resolve_descriptions(sentences: list[Sentence], about: EntityDraft | None, roles: Collection[str]) -> None:
    """Turn definite descriptions that refer to a person or an organisation into names of it, outside direct speech.

    `roles` are the nouns by which the document's opening defines `about`, what the document is about.
    """
    nouns = _nouns(sentences, about, roles)
    known: dict[str, _Known] = {}
    for number, sentence in enumerate(sentences):
        for index, item in enumerate(sentence.items):
            if item.kind == "name" and item.entity is not None:
                for noun in nouns.get(id(item.entity), ()):
                    _note(known.setdefault(noun, _topical(about, roles, noun)), item.entity, number)
            elif item.kind == "word" and (item.lower in _PEOPLE or item.lower in _GROUPS):
                _read(sentence.items, index, known.setdefault(item.lower, _topical(about, roles, item.lower)), number)


def _topical(about: EntityDraft | None, roles: Collection[str], noun: str) -> _Known:
    known = _Known()
    if about is not None and noun in roles:
        _note(known, about, -1)
        known.topic = about
    return known


def _note(known: _Known, draft: EntityDraft, number: int) -> None:
    known.last[id(draft)] = number
    known.drafts[id(draft)] = draft


def _nouns(sentences: list[Sentence], about: EntityDraft | None, roles: Collection[str]) -> dict[int, tuple[str, ...]]:
    """Return for each person and organisation the nouns that it was called by, in the order of the alphabet."""
    found: dict[int, set[str]] = {}
    for sentence in sentences:
        for index, item in enumerate(sentence.items):
            if item.kind != "name" or item.entity is None or item.entity.type not in (PERSON, ORGANIZATION):
                continue
            draft: EntityDraft = item.entity
            own = found.setdefault(id(draft), set(roles) if draft is about else set())
            own |= role_nouns(sentence.items, index, draft.type)
            own |= draft.titles & _PEOPLE if draft.type == PERSON else set(draft.words) & _GROUPS
    return {key: tuple(sorted(each)) for key, each in found.items()}


def _read(items: list[Item], index: int, known: _Known, number: int) -> None:
    """Link the description that ends at `index`, where it is one and means one."""
    begin = _begin(items, index)
    if begin is None:
        return
    if items[begin].lower in _A and not _names(items, begin, index):
        known.unnamed = number
        return
    if not _refers(items, begin, index):
        return
    meant = _meant(known, number, PERSON if items[index].lower in _PEOPLE else ORGANIZATION)
    if meant is not None:
        items[index].kind, items[index].entity = "name", meant
        _note(known, meant, number)


def _begin(items: list[Item], index: int) -> int | None:
    """Return where the article stands: before the noun, or before one adjective of it."""
    for position in range(index - 1, max(-1, index - 3), -1):
        word = items[position]
        if word.lower == "the" or word.lower in _A:
            return position
        if word.lower not in ROLE_ADJECTIVES:
            return None
    return None


def _names(items: list[Item], begin: int, index: int) -> bool:
    """Tell whether a name stands before or after: "Ada Roux was a painter", "a painter, Ada Roux"."""
    following = [item.kind for item in items[index + 1 : index + 3]]
    before = begin > 0 and (items[begin - 1].lower in _NOT_AFTER or items[begin - 1].text == ",")
    return before or "name" in following


def _refers(items: list[Item], begin: int, index: int) -> bool:
    """Tell whether a description stands for somebody: nothing narrows it down, and it says nothing of another one."""
    item = items[index]
    if items[begin].lower != "the" or item.quoted or item.hidden:
        return False
    if begin and (items[begin - 1].lower in _NOT_AFTER or (items[begin - 1].text == "," and _lists(items, begin))):
        return False
    following = items[index + 1] if index + 1 < len(items) else None
    if following is None or item.possessive:
        return following is None or following.kind == "word"
    if following.kind != "word":
        apposition = following.text == "," and index + 2 < len(items) and items[index + 2].kind == "name"
        return following.kind == "mark" and following.text not in ("-", "–", "(", "/", "“") and not apposition
    dated = following.lower in ("in", "on") and index + 2 < len(items) and items[index + 2].kind == "date"
    return dated or following.lower in _AFTER or following.lower.endswith(("ed", "ly"))


def _lists(items: list[Item], begin: int) -> bool:
    """Tell whether a comma before the article may make it an apposition: a name stands before the comma."""
    return begin > 1 and items[begin - 2].kind in ("name", "mark")


def _meant(known: _Known, number: int, kind: str) -> EntityDraft | None:
    """Return who is meant: the only one called so, or the only one named lately.

    Nobody where an unnamed one came in between, or where the last mention is long ago: what the document is about alone
    needs none.
    """
    fitting = [(last, key) for key, last in known.last.items() if known.drafts[key].type == kind]
    if not fitting:
        return None
    latest, key = max(fitting, key=lambda each: each[0])
    others = [last for last, other in fitting if other != key]
    if others and (number - latest > NEAR or any(number - last <= NEAR for last in others)):
        return None
    meant = known.drafts[key]
    far = number - latest > NEAR and meant is not known.topic
    return None if far or known.unnamed > latest else meant
