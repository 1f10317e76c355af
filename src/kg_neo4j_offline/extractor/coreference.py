"""Which names of a text mean the same one: short forms, abbreviations, other names in brackets. Pure.

Each rule was kept because it is right more often than not on annotated passages (docs/decisions/0015 has the figures),
and none is followed where two names fit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from kg_neo4j_offline.extractor.entities import DATE, ORGANIZATION, OTHER, PERSON, PLACE, EntityDraft
from kg_neo4j_offline.extractor.lexicon import NATIONS, PARTICLES, fold
from kg_neo4j_offline.extractor.mentions import EntityMentions, Place
from kg_neo4j_offline.networks.mention_types import MentionSpan

_BETWEEN = re.compile(r"[\s‐–-]+")
_IN_BRACKETS = re.compile(r"\s*[(\[](?:[^()]{0,24}[ :])?[\"“'‘]?")
_AFTER_BRACKETS = re.compile(r"[\"”'’]?\s*[,;)\]]")
_CALLED = re.compile(
    r",?\s*\(?\s*(?:(?:also|formerly|better|commonly|originally|previously|sometimes|later)\s+)?"
    r"(?:known|referred to|called|abbreviated|nicknamed|renamed|born)\s+(?:as\s+|to\s+)?(?:the\s+)?[\"“]?"
)
_BORN = re.compile(r"\((?:born|née|né)\s|\b(?:known|called|nicknamed)\b")
_STATES = frozenset({"us", "usa", "united states", "united states of america"})
_TITLED = (PLACE, OTHER)  # "the" before these is no part of what they are called
_BRACKETED = (ORGANIZATION, OTHER, PERSON)


def unite(text: str, found: Sequence[EntityMentions]) -> tuple[EntityMentions, ...]:
    """Return `found` with the entities joined that are one; each has the fullest of its names."""
    owners = _owners(text, found)
    places: dict[int, list[Place]] = {}
    for number, each in enumerate(found):
        places.setdefault(owners[number], []).extend(each.mentions)
    return tuple(
        EntityMentions(found[number].name, found[number].type, tuple(sorted(mentions)))
        for number, mentions in places.items()
    )


def unite_drafts(text: str, drafts: Sequence[EntityDraft], about: EntityDraft | None) -> list[EntityDraft]:
    """Join typed drafts that are one, as `unite` does; the names in the sentences point to the one that stays.

    Bare surnames and first names are left as they are: drafting has decided about them. So is the name of what the
    document is about, which a parent may bear with another one inside.
    """
    named = [EntityMentions(draft.name, draft.type, _places(draft)) for draft in drafts]
    owners = _owners(text, named, single=False)
    if about in drafts:
        owners[drafts.index(about)] = drafts.index(about)
    for number, draft in enumerate(drafts):
        if owners[number] != number:
            _absorb(drafts[owners[number]], draft)
    return [draft for number, draft in enumerate(drafts) if owners[number] == number]


def _places(draft: EntityDraft) -> tuple[Place, ...]:
    return tuple((item.start, item.end) for _, item in draft.mentions)


def _absorb(full: EntityDraft, short: EntityDraft) -> None:
    for _, item in short.mentions:
        item.entity = full
    full.mentions = sorted([*full.mentions, *short.mentions], key=lambda mention: mention[1].start)
    full.gender = full.gender or short.gender
    full.note_year("birth", short.birth_year)
    full.note_year("death", short.death_year)


def _owners(text: str, found: Sequence[EntityMentions], *, single: bool = True) -> list[int]:
    """Return for each entity the number of the one that it is, its own where it stands for itself."""
    bracketed = _other_names(text, found)
    words = [_words(each.name) for each in found]
    owners = list(range(len(found)))
    by_type: dict[str, list[int]] = {}
    for number, each in enumerate(found):
        by_type.setdefault(each.type, []).append(number)
    for number, each in enumerate(found):
        if each.type == DATE or (each.type == PERSON and len(words[number]) == 1 and not single):
            continue
        fitting = [
            other
            for other in by_type[each.type]
            if other != number
            and ((number, other) in bracketed or _is_short(each, found[other], words[number], words[other]))
        ]
        if len(fitting) == 1:
            owners[number] = fitting[0]
    return [_root(owners, number) for number in range(len(found))]


def _root(owners: list[int], number: int) -> int:
    seen = {number}
    while owners[number] != number and owners[number] not in seen:
        number = owners[number]
        seen.add(number)
    return min(seen) if owners[number] != number else number


def _other_names(text: str, found: Sequence[EntityMentions]) -> set[tuple[int, int]]:
    """Return (other name, name) for "World Health Organization (WHO)" and "Ada Roux (born Ada Lind)"."""
    mentions = sorted((start, end, number) for number, each in enumerate(found) for start, end in each.mentions)
    pairs = set()
    for (_, before, full), (start, end, short) in pairwise(mentions):
        kind = found[short].type
        if start - before > 60 or kind != found[full].type or kind not in _BRACKETED or full == short:
            continue
        if kind == PERSON and _words(text[start:end]) != _words(found[short].name):
            continue  # "Ada Berg (née Lind)" is not "her father, Otto Lind"
        between = text[before:start]
        if _CALLED.fullmatch(between):
            pairs.add((short, full))
        elif _IN_BRACKETS.fullmatch(between) and _AFTER_BRACKETS.match(text, end):
            shares = set(_words(found[short].name)) & set(_words(found[full].name))
            if kind != PERSON or shares or _BORN.search(between):
                pairs.add((short, full))
    return pairs


def _is_short(one: EntityMentions, other: EntityMentions, short: tuple[str, ...], full: tuple[str, ...]) -> bool:
    """Tell whether `one` may be a shorter form of the name `other`, both of one type."""
    if one.type == PERSON and len(short) == 1 and len(full) > 1:
        first = short == full[:1] and other.mentions[:1] < one.mentions[:1]
        return short == full[-1:] or (first and "of" not in full)
    if one.type == PERSON:
        rest = iter(full)
        ends = len(short) < len(full) and short[0] == full[0] and short[-1] == full[-1]
        return ends and all(word in rest for word in short)
    if one.type in _TITLED and short[0] == "the" and short[1:] == full:
        return True
    if one.type == PLACE and _is_state(short) and _is_state(full):
        return len(one.name) < len(other.name)
    letters = one.name.replace(".", "")
    initials = (word[0] for word in _BETWEEN.split(other.name) if word[:1].isupper() and word not in PARTICLES)
    return len(letters) > 1 and letters.isupper() and len(full) > 1 and letters == "".join(initials)


def _is_state(words: tuple[str, ...]) -> bool:
    return " ".join(words[1:] if words[0] == "the" else words).replace(".", "") in _STATES


def _words(name: str) -> tuple[str, ...]:
    return tuple(fold(word) for word in _BETWEEN.split(name) if word) or ("",)


_NODE_TYPES = {"PER": PERSON, "LOC": PLACE, "ORG": "ORGANIZATION", "MISC": OTHER, "TIME": DATE, "NUM": "NUMBER"}


def group_spans(text: str, spans: Sequence[MentionSpan]) -> tuple[EntityMentions, ...]:
    """Return the entities of `spans`: equal strings of a type are one, and so are other forms of one name."""
    places: dict[tuple[str, str], list[Place]] = {}
    for span in spans:
        name = " ".join(text[span.start : span.end].split())
        name = NATIONS.get(name, name) if span.type == "LOC" else name
        places.setdefault((name, span.type), []).append((span.start, span.end))
    return unite(
        text, [EntityMentions(name, _NODE_TYPES[kind], tuple(sorted(found))) for (name, kind), found in places.items()]
    )


def places_of(drafts: Sequence[EntityDraft]) -> tuple[EntityMentions, ...]:
    """Return the entities that the rules found, with the places of their names."""
    return tuple(EntityMentions(each.name, each.type, tuple(sorted(_places(each)))) for each in drafts if each.mentions)
