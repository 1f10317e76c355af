"""A card on one thing: the sentence that says what it is, key facts, and two more passages, each with its words.

English. Whose sentences they are is told by the names in them (`mentions.bearers`); where several bear the name,
there is no card.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kg_neo4j import data_files
from kg_neo4j.offline.short.following import WordPlace
from kg_neo4j.offline.short.lives import KIN, life_of
from kg_neo4j.offline.short.mentions import Line, SentenceName, bearers
from kg_neo4j.offline.short.roles import is_trade, roles_of
from kg_neo4j.offline.short.short_answer import CitedShortAnswer
from kg_neo4j.offline.short.things import Thing, ThingFact
from kg_neo4j.records import Citation, Claim
from kg_neo4j.retrieve.checking.claims import SUPPORTED
from kg_neo4j.retrieve.checking.support import CitedPassage, supports
from kg_neo4j.retrieve.sentences import readable
from kg_neo4j.retrieve.words import fold, is_stop_word, split_words

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
_FIRST = _DATA.words("first")


@dataclass(frozen=True, slots=True)
class _CardPart:
    """A sentence on a thing, maybe with the next one."""

    place: WordPlace
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
    return any(who.has(each) and any(True for _ in roles_of(each)) for each in named)


def make_card(
    name: str, read: Sequence[Line], named: Sequence[SentenceName], thing: Thing | None
) -> CitedShortAnswer | None:
    """Return the card on the bearer of a name; None if no entity has it, or several have. `read` are all sentences."""
    who = bearers(KIN.sub("", name), named)
    parts = _parts(read, [each for each in named if who.has(each)], named)
    if not parts:
        return None
    best = max(parts, key=lambda each: (each.worth, -each.order))
    others = [each for each in parts if each is not best]
    more = sorted(others, key=lambda each: (-each.worth, each.order))[:PASSAGES]
    places = [best.place]
    lines = [f"{readable(best.place.quote)} [1]"]
    claims = [Claim(readable(best.place.quote), (1,), SUPPORTED)]
    for said, place in _facts(thing, [best.place, *(each.place for each in more)]):
        places += [place] if place not in places else []
        number = places.index(place) + 1
        lines.append(f"- {said} [{number}]")
        claims.append(Claim(said, (number,), SUPPORTED))
    for each in sorted(more, key=lambda part: part.order):
        places.append(each.place)
        lines.append(f"{readable(each.place.quote)} [{len(places)}]")
        claims.append(Claim(readable(each.place.quote), (len(places),), SUPPORTED))
    citations = tuple(Citation(each.chunk_id, each.document, each.start, each.end, each.quote) for each in places)
    return CitedShortAnswer("\n".join(lines), citations, tuple(claims), ())


def _parts(read: Sequence[Line], own: Sequence[SentenceName], named: Sequence[SentenceName]) -> list[_CardPart]:
    """Return the sentences that name a thing, each with its worth and maybe with one that goes on about it."""
    order = {id(line): index for index, line in enumerate(read)}
    found: dict[int, _CardPart] = {}
    for mention in own:
        index = order[id(mention.line)]
        text = mention.line.text
        if index in found or not _is_prose(text):
            continue
        following = read[index + 1] if index + 1 < len(read) else None
        goes_on = following is not None and _goes_on(mention, following, named)
        place = _joined(mention.line, following) if following and goes_on else mention.line.place
        found[index] = _CardPart(place, _worth(mention) + goes_on, index)
    return [each for each in found.values() if each.worth >= 0]


def _is_prose(text: str) -> bool:
    return (
        len(split_words(text)) >= SHORTEST and not text.endswith(("?", ":")) and re.search(r"[a-z]", text) is not None
    )


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


def _joined(first: Line, second: Line) -> WordPlace:
    start, end = first.place.start, second.place.end
    return replace(first.place, end=end, quote=first.chunk[start:end])


def _facts(thing: Thing | None, shown: Sequence[WordPlace]) -> list[tuple[str, WordPlace]]:
    """Return key facts that their words state, as "born in: Oslo", each with its place; none that is shown already."""
    found = []
    for fact in sorted(thing.facts if thing else (), key=_rank):
        place = WordPlace(fact.chunk_id, fact.document, fact.start, fact.end, fact.quote)
        inside = any(each.chunk_id == place.chunk_id and each.start <= place.start < each.end for each in shown)
        said = f"{fact.source} {fact.type.lower().replace('_', ' ')} {fact.target}"
        if fact.type in _WEAK or inside or not thing or not _names(thing, fact):
            continue
        if supports(said, [CitedPassage(fact.quote)]).supported:
            found.append((said, place))
    return found[:FACTS]


def _rank(fact: ThingFact) -> int:
    return _FIRST.index(fact.type) if fact.type in _FIRST else len(_FIRST)


def _names(thing: Thing, fact: ThingFact) -> bool:
    """Return whether the words of a fact name both its ends, if only by a part."""
    words = {fold(word) for word in split_words(fact.quote)}
    return all(words & {fold(word) for word in split_words(name)} for name in (fact.source, fact.target))
