"""A card on one thing: the sentence that says what it is, key facts, and two more passages, each with its words.

English. Whose sentences they are is told by the names in them (`mentions.bearers`); where several bear the name,
there is no card.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kg_neo4j import data_files
from kg_neo4j.records import Answer, Citation, Claim
from kg_neo4j.retrieve.checking.claims import SUPPORTED
from kg_neo4j.retrieve.checking.support import CitedPassage, supports
from kg_neo4j.retrieve.interface import UNANSWERED
from kg_neo4j.retrieve.sentences import readable
from kg_neo4j.retrieve.words import fold, is_stop_word, split_words
from kg_neo4j_offline.short.lives import KIN, life_of
from kg_neo4j_offline.short.mentions import Line, SentenceName, bearers
from kg_neo4j_offline.short.roles import is_trade, roles_of
from kg_neo4j_offline.short.things import Thing

FACTS = 5
PASSAGES = 2  # besides the first sentence
SHORTEST = 5  # words of a sentence
NEXT = 2  # characters between a sentence and the next one

_DATA = data_files.beside(__file__)
_ABOUT = re.compile(_DATA.text("about"), re.IGNORECASE)
_WHO = re.compile(_DATA.text("who"), re.IGNORECASE)
_GOES_ON = re.compile(_DATA.text("goes_on"))
_PRONOUN = re.compile(r"\b(?:he|she|him|her|his)\b", re.IGNORECASE)
_ASIDE = re.compile(r"\b(?:because|since|as|that|if|when|while|although|though|for)\s*$")  # before "Lind was a cook"
_LIST = re.compile(_DATA.text("list"), re.IGNORECASE)
_WEAK = _DATA.word_set("weak")
_RANKS = {kind: rank for rank, kind in enumerate(_DATA.words("first"))}


@dataclass(frozen=True, slots=True)
class _CardPart:
    """A sentence on a thing, maybe with the next one."""

    place: Citation
    worth: float
    order: int


def asks_about(question: str) -> str:
    """Return the name that a question asks for all of ("Tell me about X"); empty where it asks otherwise."""
    match = _ABOUT.match(" ".join(question.split()))
    return match["np"] if match else ""


def asks_who(question: str) -> str:
    """Return the name in "Who was X?" and "What is X?"; empty where it asks otherwise."""
    match = _WHO.match(" ".join(question.split()))
    return match["np"] if match else ""


def has_role(name: str, named: Sequence[SentenceName]) -> bool:
    """Return whether a sentence has next to a name what its bearer is: "our foreman"."""
    who = bearers(KIN.sub("", name), named)
    return any(True for each in named if who.has(each) for _ in roles_of(each))


def make_card(name: str, read: Sequence[Line], named: Sequence[SentenceName], thing: Thing | None) -> Answer | None:
    """Return the card on the bearer of a name; None if no entity has it, or several have. `read` are all sentences."""
    who = bearers(KIN.sub("", name), named)
    parts = _parts(read, [each for each in named if who.has(each)], named)
    if not parts:
        return None
    first, *others = sorted(parts, key=lambda each: (-each.worth, each.order))
    more = sorted(others[:PASSAGES], key=lambda part: part.order)
    citations: list[Citation] = []
    lines: list[str] = []
    claims: list[Claim] = []

    def add(said: str, place: Citation, lead: str = "") -> None:
        if place not in citations:
            citations.append(place)
        number = citations.index(place) + 1
        lines.append(f"{lead}{said} [{number}]")
        claims.append(Claim(said, (number,), SUPPORTED))

    add(readable(first.place.quote), first.place)
    for said, place in _facts(thing, [first.place, *(each.place for each in more)]):
        add(said, place, "- ")
    for each in more:
        add(readable(each.place.quote), each.place)
    return replace(UNANSWERED, answer="\n".join(lines), found=True, citations=tuple(citations), claims=tuple(claims))


def _parts(read: Sequence[Line], own: Sequence[SentenceName], named: Sequence[SentenceName]) -> list[_CardPart]:
    """Return the sentences that name a thing, each with its worth and maybe with one that goes on about it."""
    order = {id(line): index for index, line in enumerate(read)}
    found: dict[int, _CardPart] = {}
    for mention in own:
        index, line = order[id(mention.line)], mention.line
        prose = len(split_words(line.text)) >= SHORTEST and re.search(r"[a-z]", line.text)
        if index in found or not prose or line.text.endswith(("?", ":")):
            continue
        place, worth = line.place, _worth(mention)
        for after in read[index + 1 : index + 2]:
            if _goes_on(mention, after, named):
                end = after.place.end
                place = Citation(place.chunk_id, place.document, place.start, end, line.chunk[place.start : end])
                worth += 1
        found[index] = _CardPart(place, worth, index)
    return [each for each in found.values() if each.worth >= 0]


def _worth(mention: SentenceName) -> float:
    worth = 1.0 * (not mention.before.strip(' "“‘') or mention.before.rstrip().endswith(":"))
    worth += max((2.0 if is_trade(role) else 0.5 for role in roles_of(mention)), default=0.0)
    worth += 1.5 * (life_of(mention) is not None)
    worth += 1.0 * bool(re.match(r"^(?: ?\([^()]*\))?,? (?:is|was|were|are) (?:an?|the)\b", mention.after))
    worth += 1.0 * bool(re.match(r"^,? (?:(?:is|was|has|had|will)\b|\w+ed\b)", mention.after))
    worth += 0.5 * (len(mention.words) > 1)
    worth -= 3.0 * bool(_ASIDE.search(mention.before))
    return worth - 3.0 * bool(_LIST.match(mention.line.text))


def _goes_on(mention: SentenceName, following: Line, named: Sequence[SentenceName]) -> bool:
    """Return whether the next sentence speaks of the same: a pronoun comes first, and nobody came between."""
    place, after = mention.line.place, following.place
    begins = _GOES_ON.match(following.text)
    if begins is None or place.chunk_id != after.chunk_id or after.start - place.end > NEXT:
        return False
    if begins["first"] and not is_stop_word(fold(begins["first"])):
        return False
    others = [each for each in named if each.line is mention.line and each.start > mention.end and len(each.words) > 1]
    return not others and not _PRONOUN.search(mention.before)  # "He was helped by X. His ..."


def _facts(thing: Thing | None, shown: Sequence[Citation]) -> list[tuple[str, Citation]]:
    """Return key facts that their words state, as "born in: Oslo", each with its place; none that is shown already."""
    found = []
    for fact in sorted(thing.facts if thing else (), key=lambda each: _RANKS.get(each.type, len(_RANKS))):
        place = fact.place
        if any(each.chunk_id == place.chunk_id and each.start <= place.start < each.end for each in shown):
            continue
        said = f"{fact.source} {fact.type.lower().replace('_', ' ')} {fact.target}"
        ends_named = all(_words(place.quote) & _words(name) for name in (fact.source, fact.target))  # if only by a part
        if fact.type not in _WEAK and ends_named and supports(said, [CitedPassage(place.quote)]).supported:
            found.append((said, place))
    return found[:FACTS]


def _words(text: str) -> set[str]:
    return {fold(word) for word in split_words(text)}
