"""What the words around a name say about its type, its role and its years. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from itertools import takewhile

from kg_neo4j_offline.extractor import lexicon as lex
from kg_neo4j_offline.extractor.dates import DateSpan, life_years
from kg_neo4j_offline.extractor.entities import ORGANIZATION, OTHER, PERSON, PLACE, EntityDraft, name_votes
from kg_neo4j_offline.extractor.parsed_text import ParsedSentence, TextItem, item_at
from kg_neo4j_offline.extractor.relation_patterns import KIN, TRIGGERS, trigger_before

_IN = frozenset({"in", "across", "through", "into", "towards", "toward", "via", "near", "off", "beyond", "around"})
_WATER = frozenset({"up", "down", "along", "on"})
_CERTAIN = 9  # votes that outweigh the type that a trained pipeline gives
_WORKPLACES = frozenset({"shipyard", "farm", "mine", "estate", "spa"})  # which may be firms
_AGE = re.compile(r"[1-9]\d|10\d")
_NO_PEOPLE = (
    lex.PLACE_NOUNS | lex.PLACE_ROLES | lex.OTHER_ROLES | lex.VESSELS | lex.ORGANIZATION_HEADS | lex.ORGANIZATION_ROLES
)
_SURE = 8  # votes that make a place or an organisation of a name, years behind it or not
_SHORT_LIFE = 12  # years; an office or a stay is shorter, a life in an encyclopaedia seldom
_LONG_LIFE = 30  # years that outweigh what else is thought of a name
_ROLE_WORDS = 9


def vote(sentences: list[ParsedSentence]) -> None:
    """Let the neighbours of each name vote on its type, and gather what a parenthesis or an apposition says of it."""
    for sentence in sentences:
        items = sentence.items
        for index, item in enumerate(items):
            if item.kind != "name":
                continue
            draft: EntityDraft = item.entity
            draft.the = draft.the or item_at(items, index - 1).lower == "the"
            draft.votes.update(_before(items, index))
            if draft.votes[PLACE] < 4:
                draft.votes[PLACE] += _placed(items, index)
            draft.votes.update(_after(items, index))
            _read_life(draft, items, index)


def _before(items: list[TextItem], index: int) -> Counter[str]:
    votes: Counter[str] = Counter()
    found = trigger_before(items, index)
    if found and found.likely:
        votes[found.likely] += 2 if found.sure else 1
    if item_at(items, index - 1).kind != "word":
        return votes
    previous, other = items[index - 1].lower, item_at(items, index - 2).lower
    owner = other if previous == "of" else ""
    if previous in lex.ROLE_NOUNS or previous in KIN:
        votes[PERSON] += 4
    votes[PLACE] += 4 * (previous in lex.PLACE_NOUNS)
    votes[ORGANIZATION] += 3 * _is_institution_noun(previous)
    if previous.endswith("year-old"):
        votes[PERSON] += _CERTAIN
    if owner in lex.PLACE_NOUNS:
        votes[PLACE] += 3
    if previous in lex.VESSELS or previous in lex.WORK_NOUNS:
        votes[OTHER] += _CERTAIN
    if previous in ("with", "by", "whom"):
        votes[PERSON] += 1
    before = other if previous == "the" else previous
    if before in lex.SPEECH_VERBS:
        votes[PERSON] += 3
    if before in lex.GROUP_NOUNS or owner in lex.GROUP_NOUNS:
        votes[ORGANIZATION] += 4
    return votes


def _placed(items: list[TextItem], index: int) -> int:
    """Return how much a preposition of place speaks for one."""
    before = item_at(items, index - 1)
    if before.lower == "the":
        word = item_at(items, index - 2).lower
        return 3 if word in _WATER else 1 if word in _IN else 0
    if before.kind == "word" and before.lower in _IN:
        return 3 if before.lower in ("in", "near") else 2
    return 1 if before.kind == "word" and before.lower in ("at", "from", "to") else 0


def _after(items: list[TextItem], index: int) -> Counter[str]:
    votes: Counter[str] = Counter()
    rest = items[index + 1 : index + 9]
    if not rest:
        return votes
    following, second = rest[0].lower, item_at(rest, 1).lower
    before, other = item_at(items, index - 1).lower, item_at(items, index - 2).lower
    if following in lex.PERSON_VERBS or following in ("who", "whose", "himself", "herself"):
        votes[PERSON] += 3
    if following in lex.GROUP_NOUNS:
        votes[ORGANIZATION] += 4
    if following in lex.BE and second in lex.BEFALLEN:
        votes[PERSON] += 6
    votes.update(_told_by_verb(items, index))
    votes[PERSON] += _CERTAIN * _is_aged(rest)
    is_described = following in lex.BE
    if following == "," and len(rest) > 2:
        if second in ("who", "whose", "whom"):
            votes[PERSON] += 3 * (before not in ("of", "in", "at", "near", "from"))
        elif second == "where":
            votes[PLACE] += 2
        is_described = not (before == "of" and other in lex.ROLE_NOUNS)  # "the miller of Vardal, a man"
    if is_described and second in ("a", "an", "the"):
        votes.update(_noun_vote(_head_noun(rest[2:])))
    return votes


def _told_by_verb(items: list[TextItem], index: int) -> dict[str, int]:
    """Return what a verb says that people, or people and places, are no subject of."""
    following = items[index + 1].lower
    if following in lex.THING_VERBS:
        return {OTHER: 6, PERSON: -4, PLACE: -4}
    if following in lex.SAILING_VERBS and index and items[index - 1].lower == "the":
        return {OTHER: _CERTAIN}
    second, third = item_at(items, index + 2).lower, item_at(items, index + 3).lower
    founded = second == "founded" or (second, third) == ("set", "up")  # "was set up in 1968", ", founded by"
    if following in lex.BE:
        founded = founded or second == "established"
    return {ORGANIZATION: 4, PERSON: -_CERTAIN} if founded and (following in lex.BE or following == ",") else {}


def _is_aged(rest: list[TextItem]) -> bool:
    """Tell whether an age follows: "Ada, 38, has", "Ada, aged 38", "Ada, the 38-year-old author"."""
    words = [item.lower for item in rest[:7]] + [""] * 7
    if words[0] != ",":
        return words[0] == "aged"
    is_age = _AGE.fullmatch(words[1].rstrip(",.")) and (words[1][-1] in ",." or words[2] in (",", "."))
    if words[1] == "aged" or is_age:
        return True
    if words[1] not in ("a", "an", "the") or "year-old" not in words[3:5]:
        return False
    noun = next((item.lower for item in rest[5:8] if item.lower in _NO_PEOPLE or item.lower in lex.ROLE_NOUNS), "")
    return noun not in _NO_PEOPLE


def _is_institution_noun(word: str) -> bool:
    return word in lex.ORGANIZATION_HEADS and not word.endswith("s")  # "the brothers Ada and Otto"


def _head_noun(items: list[TextItem]) -> str:
    """Return the first word that says what kind of thing is meant, or nothing."""
    found = ""
    for item in items:
        if item.possessive:
            return ""
        known = item.lower in lex.ROLE_NOUNS or item.lower in lex.PLACE_NOUNS or _is_institution_noun(item.lower)
        if item.kind == "name" or item.text in ",.;:" or not (known or item.lower not in lex.PREPOSITIONS):
            return found
        if found and not known and item.lower not in _NO_PEOPLE:
            return found
        found = item.lower if known or found else ""
    return found


def _noun_vote(noun: str) -> Counter[str]:
    if noun in lex.ROLE_NOUNS:
        return Counter({PERSON: 4 if noun in lex.EITHER_ROLES else _CERTAIN})
    if noun in lex.PLACE_NOUNS:
        return Counter({PLACE: 4 if noun in _WORKPLACES else _CERTAIN})
    return Counter({ORGANIZATION: _CERTAIN}) if noun else Counter()


def _read_life(draft: EntityDraft, items: list[TextItem], index: int) -> None:
    if item_at(items, index + 1).text != "(":
        return
    inside = list(takewhile(lambda item: item.text != ")", items[index + 2 : index + 60]))
    if not any(item.date for item in inside) or item_at(items, index - 1).lower in _IN:
        return
    start, text = inside[0].start, ""
    for item in inside:
        text = text.ljust(item.start - start) + item.text  # offsets stay
    dates = [replace(each, start=each.start - start, end=each.end - start) for item in inside if (each := item.date)]
    birth, death = life_years(text, dates)
    if _is_no_life(draft, birth, death):
        return
    for found, name in ((birth, "birth_year"), (death, "death_year")):
        if found and getattr(draft, name) is None:
            setattr(draft, name, found.year)
            draft.votes[PERSON] += 5


def _is_no_life(draft: EntityDraft, birth: DateSpan | None, death: DateSpan | None) -> bool:
    """Tell whether two years after a name are those of an office, a stay or a firm: too few, or behind a place."""
    if birth is None or death is None or birth.year is None or death.year is None:
        return False
    votes = draft.votes + name_votes(draft)
    elsewhere = max(votes[PLACE], votes[ORGANIZATION]) >= max(_SURE, votes[PERSON] + 1)
    return death.year - birth.year < (_LONG_LIFE if elsewhere else _SHORT_LIFE)


def vote_family(drafts: Collection[EntityDraft]) -> None:
    """Give a full name the type of a person who has the same surname."""
    full = [draft for draft in drafts if not (draft.single or draft.italic or "of" in draft.words)]
    people = set()
    for draft in full:
        votes = draft.votes + name_votes(draft)
        if votes[PERSON] > max(votes[PLACE], votes[ORGANIZATION], votes[OTHER]):
            people.add(draft.words[-1])
    for draft in full:
        if draft.words[-1] in people and len(draft.words) < 4 and not name_votes(draft)[ORGANIZATION]:
            draft.votes[PERSON] += _CERTAIN


def read_roles(sentences: list[ParsedSentence], about: EntityDraft | None = None) -> None:
    """Set the role of what is named: "X was a ...", "X, the ...", "the physicist X".

    `about` is what the document is about: it has the role that its own definition gives, no other.
    """
    for sentence in sentences:
        items = sentence.items
        for index, item in enumerate(items):
            draft = item.entity
            if draft is None or draft.type not in _NOUNS or item.lower in ("his", "him", "her"):
                continue
            role, defining = _role_after(items, index, draft.type)
            if item.kind == "name" and not role:
                role = _role_before(items, index) if draft.type == PERSON else ""
            if draft is about and not (defining and index < 2 and item.kind == "name"):
                continue
            if role and (not draft.role or (defining and draft.defined_by is None)):
                draft.role = role
            if defining and draft.defined_by is None:
                draft.defined_by = sentence


def _role_after(items: list[TextItem], index: int, kind: str) -> tuple[str, bool]:
    """Return the role that follows a name, and whether that defines it: "was a", "is the", "became"."""
    position = _link_of(items, index, kind)
    link, article = item_at(items, position).lower, item_at(items, position + 1).lower
    defining, begin = link in ("was", "is", "became"), position + 2
    is_linked = (defining or link in ("as", ",")) and article in ("a", "an", "the")
    if items[index].possessive or not is_linked:
        return "", False
    last = begin
    for place in range(begin, min(begin + _ROLE_WORDS, len(items))):
        item = items[place]
        dated = item.kind == "date" and kind == OTHER and place == begin  # "a 1994 film"
        if (item.kind in ("name", "date") and not dated) or item.text in ".;:(" or item.lower in _ROLE_STOPS:
            break
        if item.lower in _NOUNS[kind]:
            last = place + 1
    if last == begin or (link == "," and item_at(items, last).kind == "name"):
        return "", False
    if items[last - 1].lower in lex.PLAIN_ROLES:
        return "", defining
    begin = _after_adjectives(items, begin, last)
    role = items[begin : _with_subject_matter(items, last)]
    return "".join(item.text if item.kind == "mark" else f" {item.text}" for item in role).removeprefix(" "), defining


def _after_adjectives(items: list[TextItem], begin: int, last: int) -> int:
    while last - begin > 1 and items[begin].lower in lex.ROLE_ADJECTIVES:
        begin += 1
    return begin


def _link_of(items: list[TextItem], index: int, kind: str) -> int:
    """Return where the word stands that ties a name to its role: "was", "as", a comma."""
    position = index + 1
    if item_at(items, position).text == "(":
        position = next((place + 1 for place in range(position, len(items)) if items[place].text == ")"), len(items))
    following = [item.lower for item in items[position : position + 3]]
    if following[:2] == [",", "who"] and following[2:] in (["was"], ["is"]):
        return position + 2  # "X, who was a painter"
    if following[1:2] == ["as"] and following[0] in _EMPLOYED and kind == PERSON:
        return position + 1  # "X worked as a governess"
    return position


def _with_subject_matter(items: list[TextItem], last: int) -> int:
    """Return the end of a role with "of languages", "of higher learning" and the like."""
    end = last + 1
    while end < min(last + 3, len(items)) and items[last].lower == "of":
        word = items[end]
        if word.kind != "word" or not word.text.islower() or word.lower in lex.BARRIERS | lex.DETERMINERS:
            break
        end += 1
    return end if end > last + 1 else last


_EMPLOYED = frozenset({"worked", "served", "acted", "practised", "practiced", "trained"})
_NOUNS = {
    PERSON: lex.ROLE_NOUNS - KIN.keys(),
    PLACE: lex.PLACE_NOUNS | lex.PLACE_ROLES,
    ORGANIZATION: lex.ORGANIZATION_HEADS | lex.ORGANIZATION_ROLES,
    OTHER: lex.OTHER_ROLES,
}
_ROLE_STOPS = (lex.BARRIERS - {"and", "yet"}) | lex.DETERMINERS


def _role_before(items: list[TextItem], index: int) -> str:
    """Return "French physicist" of "the French physicist Pierre Curie"."""
    begin = index
    while item_at(items, begin - 1).kind == "word" and index - begin < 4:
        word = items[begin - 1]
        if word.lower in _ROLE_STOPS or word.lower in ("and", "yet") or word.possessive:
            break
        if begin == index and (word.lower not in lex.ROLE_NOUNS or word.lower in KIN):
            return ""
        if (word.text[0].isupper() and word.lower not in lex.DEMONYMS) or (word.lower,) in TRIGGERS:
            break
        begin -= 1
    begin = _after_adjectives(items, begin, index)
    bounded = item_at(items, begin - 1).lower in lex.DETERMINERS
    return " ".join(word.text for word in items[begin if bounded else max(begin, index - 1) : index])
