"""Finds names: runs of capitalised words with the particles that belong to them; and which of these are no names."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from kg_neo4j.offline.extractor import lexicon as lex
from kg_neo4j.offline.extractor.lexicon import fold
from kg_neo4j.offline.extractor.name_cleanup import is_none
from kg_neo4j.offline.extractor.parsed_text import ParsedSentence, TextItem, is_capitalised
from kg_neo4j.offline.extractor.word_vectors import CAPITALS, is_common

_ROMAN = re.compile(r"[IVX]{1,5}")
_NEVER = frozenset({"i", "i'm", "i'll", "i've", "i'd", "o", "oh", "ah", "ok"})
# What may stand before "of" inside a name: "University of ...", "Duke of ...", "Frederick II of ...".
_OF_HEADS = lex.HEADS | lex.HONORIFICS
_MAX_WORDS = 10
_OPENING = frozenset(":“\"‘';—–.!?…·|•>")


@dataclass(frozen=True, slots=True)
class ChunkVocabulary:
    """How the chunk writes its words: tells a name at the start of a sentence from a common word."""

    lower: frozenset[str]  # words that stand in lower case somewhere
    inside: Counter[str]  # capitalised words that do not start a sentence
    first: Counter[str]  # capitalised words that do


def vocabulary(sentences: list[ParsedSentence]) -> ChunkVocabulary:
    """Count the words of a chunk."""
    lower: set[str] = set()
    inside: Counter[str] = Counter()
    first: Counter[str] = Counter()
    for sentence in sentences:
        for index, item in enumerate(sentence.items):
            if item.kind != "word":
                continue
            if item.text.islower():
                lower.add(item.lower)
            elif is_capitalised(item):
                (first if starts(sentence.items, index) else inside)[item.lower] += 1
    return ChunkVocabulary(frozenset(lower), inside, first)


def starts(items: list[TextItem], index: int) -> bool:
    """Tell whether a word opens a sentence, direct speech or what follows a colon, so that a capital says nothing."""
    for item in reversed(items[:index]):
        if item.kind != "mark":
            return False
        if item.text in _OPENING:
            return True
    return True


def name_sentences(sentences: list[ParsedSentence]) -> None:
    """Replace the items of each name by one item of kind "name"."""
    known = vocabulary(sentences)
    for sentence in sentences:
        items, index = sentence.items, 0
        named: list[TextItem] = []
        while index < len(items):
            end = _italic_end(items, index) or _name_end(items, index, known)
            if end is None:
                named.append(items[index])
                index += 1
            else:
                named.append(_join(items[index:end]))
                index = end
        sentence.items = named


def name_from_spans(sentences: list[ParsedSentence], spans: Sequence[tuple[int, int, str]]) -> None:
    """Replace items by the names that a trained pipeline found: (start, end, type), offsets into the chunk."""
    for sentence in sentences:
        named: list[TextItem] = []
        waiting = [span for span in spans if sentence.start <= span[0] < sentence.end]
        for item in sentence.items:
            while waiting and waiting[0][1] <= item.start:
                waiting.pop(0)
            begun = bool(waiting) and bool(named) and named[-1].kind == "name" and named[-1].start >= waiting[0][0]
            if begun and item.end <= waiting[0][1]:
                named[-1] = _join([named[-1], item])
            elif not waiting or item.end <= waiting[0][0] or item.kind == "mark":
                named.append(item)
            elif begun:
                named[-1] = _join([named[-1], item])
            else:
                named.append(_join([item]))
        sentence.items = named


def _join(items: list[TextItem]) -> TextItem:
    first, last = items[0], items[-1]
    text = items[0].text
    for before, after in pairwise(items):
        owned = "'s" if before.possessive and "'" not in before.text else ""
        text += ("" if before.end == after.start else f"{owned} ") + after.text
    return TextItem(
        "name",
        text,
        fold(text),
        first.start,
        last.end,
        possessive=last.possessive,
        hidden=first.hidden,
        quoted=first.quoted,
        italic=first.italic,
    )


def _italic_end(items: list[TextItem], index: int) -> int | None:
    """Return the end of a title set in italics, which is one name whatever words it has; stressed words are plain."""
    if not items[index].italic or items[index].kind == "mark" or not items[index].text[0].isupper():
        return None
    if index and items[index - 1].italic:
        return None
    end = index
    while end < len(items) and items[end].italic:
        end += 1
    if _is_emphasis(items, index, end):
        for item in items[index:end]:
            item.italic = False
        return None
    return end if end - index <= _MAX_WORDS + 2 else None


def _is_emphasis(items: list[TextItem], index: int, end: int) -> bool:
    """Tell whether words in italics are stressed or a label, and no title: "*I* know", "*Red lamp.* Switch off"."""
    words = [item for item in items[index:end] if item.kind == "word"]
    small = [word.lower for word in words if word.text.islower()]
    if any(word in lex.PRONOUNS or word in lex.BE for word in small) or all(
        word.lower in lex.OPENERS for word in words
    ):
        return True
    label = starts(items, index) and (items[end - 1].kind == "mark" or end == len(items) or items[end].text in ".:")
    return label and bool(small)


def _name_end(items: list[TextItem], index: int, known: ChunkVocabulary) -> int | None:
    """Return where the name that begins at `index` ends, or None where none begins."""
    if not _may_begin(items, index, known):
        return None
    end = index + 1
    while end - index < _MAX_WORDS and not items[end - 1].possessive:
        extended = _extend(items, index, end)
        if extended is None:
            break
        end = extended
    if end - index > 1 and _is_place_then_name(items, index, known):
        end = index + 1
    elif end - index > 1 and _ends_with_subject(items, index, end, known):
        end -= 1
    end = _code_end(items, end)
    return end if _is_name(items, index, end, known) else None


def _code_end(items: list[TextItem], end: int) -> int:
    """Return the end of a name in capitals with the number that follows it: HP-2, MK3."""
    position = end + 1 if end < len(items) and items[end].text in "-–" else end
    touching = position < len(items) and items[position].start - items[end - 1].end == position - end
    capitals = items[end - 1].text.isupper() and items[end - 1].text.isalpha()
    return position + 1 if touching and capitals and items[position].text[0].isdigit() else end


def _is_place_then_name(items: list[TextItem], index: int, known: ChunkVocabulary) -> bool:
    """Tell whether two names touch without a comma: "In Paris Humboldt met ..."."""
    place, following = fold(items[index].text), items[index + 1].lower
    if index == 0 or place not in lex.PLACES or place in lex.GIVEN_NAMES:
        return False
    heads = lex.HEADS
    placed = items[index - 1].lower in ("in", "at", "from", "near", "beyond", "to", "the", "through", "after", "of")
    return placed and following not in heads and known.inside[following] + known.first[following] > 1


def _may_begin(items: list[TextItem], index: int, known: ChunkVocabulary) -> bool:
    item = items[index]
    if item.lower in lex.CALENDAR and item.kind == "word" and item.text[0].isupper():
        return _is_named_month(items, index)
    if not is_capitalised(item) or item.lower in _NEVER or item.lower in lex.PRONOUNS:
        return False
    if item.lower.split("-")[0] in lex.OPENERS and "-" in item.lower:
        return False
    if item.lower in lex.DEMONYMS and index + 1 < len(items) and items[index + 1].lower in lex.HONORIFICS:
        return False
    if item.lower in lex.BARRIERS or (item.lower in lex.OPENERS and not _followed_by_head(items, index)):
        return False
    if not starts(items, index) or item.lower in lex.HONORIFICS:
        return True
    following = items[index + 1] if index + 1 < len(items) else None
    adjacent = following is not None and is_capitalised(following) and _touches(item, following)
    if adjacent and (item.lower in lex.DEMONYMS or item.lower in lex.PARTICLES):
        return True
    if item.lower in known.lower and not known.inside[item.lower]:
        # "Young Goethe": the name begins with the next word
        return adjacent and item.lower in lex.PLACE_HEADS | lex.ORGANIZATION_HEADS
    return True


def _ends_with_subject(items: list[TextItem], index: int, end: int, known: ChunkVocabulary) -> bool:
    """Tell whether the last word is a name of its own: "In Dhu al-Hijjah Muhammad fell ill"."""
    last = items[end - 1]
    first = items[index].lower
    placed = index > 0 and items[index - 1].lower in ("in", "at", "from", "near", "on")
    placed = placed or (index > 1 and items[index - 1].lower == "of" and items[index - 2].text[0].isdigit())
    named = first in lex.PLACE_STARTS | lex.HONORIFICS or fold(first) in lex.GIVEN_NAMES
    heads = lex.HEADS
    follows_particle = items[end - 2].lower in lex.PARTICLES or items[end - 2].lower == "of"
    return placed and not named and not follows_particle and last.lower not in heads and known.first[last.lower] > 2


def _is_named_month(items: list[TextItem], index: int) -> bool:
    """Tell whether a month is a name after all: "the March Hare"."""
    article = index > 0 and items[index - 1].lower == "the"
    return (
        article and index + 1 < len(items) and is_capitalised(items[index + 1]) and _touches(*items[index : index + 2])
    )


def _followed_by_head(items: list[TextItem], index: int) -> bool:
    """Tell whether an opener is part of a name after all: New Spain, Great Britain, South America."""
    if items[index].lower not in ("new", "great", "old", "upper", "lower", "grand", "little", "long", "big"):
        return False
    return index + 1 < len(items) and is_capitalised(items[index + 1]) and _touches(items[index], items[index + 1])


def _touches(before: TextItem, after: TextItem) -> bool:
    return 0 <= after.start - before.end <= 3


def _extend(items: list[TextItem], begin: int, end: int) -> int | None:
    """Return the new end after one more capitalised word, with the particles before it."""
    position = end
    crossed_of = False
    while position < len(items) and position - end < 3:
        item = items[position]
        if item.kind != "word" or not _touches(items[position - 1], item):
            return None
        if is_capitalised(item) and item.lower not in _NEVER and item.lower not in lex.BARRIERS:
            return position + 1
        if item.text in ("August", "April", "June", "May") and fold(items[position - 1].text) in lex.GIVEN_NAMES:
            return position + 1
        if item.text == "I" and position == end and items[begin].lower in lex.HONORIFICS:
            return position + 1
        if item.lower == "of" and position == end and _takes_of(items, begin, end):
            crossed_of = True
        elif not (item.text in lex.PARTICLES or (item.lower == "the" and crossed_of)):
            return None
        position += 1
    return None


def _takes_of(items: list[TextItem], begin: int, end: int) -> bool:
    last = items[end - 1]
    return last.lower in _OF_HEADS or items[begin].lower in lex.ORGANIZATION_HEADS or bool(_ROMAN.fullmatch(last.text))


def _is_name(items: list[TextItem], begin: int, end: int, known: ChunkVocabulary) -> bool:
    words = items[begin:end]
    text = " ".join(word.text for word in words)
    if len(text) < 2 or len(text) > 80 or _ROMAN.fullmatch(text) or is_none(text):
        return False
    if len(words) > 1 and text.isupper() and any(len(word.text) > 3 for word in words):
        return False
    if len(words) > 1:
        lowered = [word.lower for word in words]
        return not all(word in lex.DEMONYMS or word in lex.COMMON_CAPITALISED for word in lowered) or _has_head(lowered)
    word = words[0]
    if word.lower in lex.COMMON_CAPITALISED or word.lower in lex.HONORIFICS or word.lower in lex.DEMONYMS:
        return False
    if word.text.endswith(".") or (len(word.text) == 1):
        return False
    if begin and items[begin - 1].lower in ("a", "an") and known.inside[word.lower] < 2:
        return False  # "a Swede"
    if word.lower in known.lower and (word.line_start or known.inside[word.lower] < 2):
        return False
    if _is_demonym(items, begin, end) or (_is_attribute(items, begin, end) and known.inside[word.lower] < 2):
        return False
    return not starts(items, begin) or _opens_with_name(items, begin, known)


def _has_head(words: list[str]) -> bool:
    """Tell whether words that are common one by one make a name: Prussian Army, Royal Society, Black Sea."""
    return words[-1] in lex.ORGANIZATION_HEADS | lex.PLACE_HEADS and words[0] not in lex.COMMON_CAPITALISED


def _is_demonym(items: list[TextItem], begin: int, end: int) -> bool:
    """Tell whether a single word is an adjective of origin: it looks like one and a common noun follows."""
    if not re.search(r"(?:ish|ese|ian|ean|ic|ist|ists|ians)$", items[begin].lower) or end >= len(items):
        return False
    item = items[end]
    return item.kind == "word" and item.text.islower() and item.lower not in lex.BARRIERS | lex.ACTING_VERBS


def _is_attribute(items: list[TextItem], begin: int, end: int) -> bool:
    """Tell whether a single word only describes the common noun after it: "the Inca road"."""
    if begin == 0 or end >= len(items) or items[begin - 1].lower not in lex.DETERMINERS or items[begin].possessive:
        return False
    item = items[end]
    verb = item.lower in lex.ACTING_VERBS or item.lower.endswith(("ed", "ly", "s"))
    return item.kind == "word" and item.text.islower() and item.lower not in lex.BARRIERS and not verb


def _opens_with_name(items: list[TextItem], begin: int, known: ChunkVocabulary) -> bool:
    """Tell whether a single word that opens a sentence is a name: the chunk or the next word says so."""
    word = items[begin]
    if known.inside[word.lower]:
        return True
    if word.lower in known.lower or re.search(r"(?:ly|ing|ed|tion|ness|ment)$", word.lower):
        return False
    following = items[begin + 1] if begin + 1 < len(items) else None
    if word.possessive or following is None:
        return word.possessive
    if following.kind == "mark":
        return following.text == "," and known.first[word.lower] > 1
    return following.lower in lex.PERSON_VERBS | {"was", "is", "had", "has", "himself", "herself", "who"} or (
        known.first[word.lower] > 2 and not word.lower.endswith("s")
    )


def drop_common(sentences: list[ParsedSentence], roles: Collection[str] = ()) -> None:
    """Let names be words again that are common words in capitals, or that have a capital at a start alone.

    So are offices: "the Clerk", "(Chairman)". `roles` are those of what the document is about: they mean it.
    """
    places: defaultdict[str, list[tuple[TextItem, bool]]] = defaultdict(list)
    offices = lex.ROLE_NOUNS - set(roles)
    for sentence in sentences:
        for index, item in enumerate(sentence.items):
            if item.kind == "name" and not item.italic:
                opens = (starts(sentence.items, index) and not item.possessive) or (
                    item.text.lower() in offices and sentence.items[index - 1].lower in ("the", "(", ",", ";")
                )
                places[item.text].append((item, opens))
    for text, found in places.items():
        if _is_shouted(text) or (_is_plain(text) and all(opens for _, opens in found)):
            for item, _ in found:
                item.kind, item.lower = "word", item.text.lower()


def _is_plain(text: str) -> bool:
    """Tell whether a text is a common word, or several of which the first alone has a capital: "Blue lamp"."""
    first, _, rest = text.partition(" ")
    return is_common(first.lower()) and (not rest or (rest.islower() and all(map(is_common, rest.split()))))


def _is_shouted(text: str) -> bool:
    """Tell whether a text is words in capitals, none of them a name: "PASSED", "ANNUAL MEETING"."""
    words = text.split()
    return text.isupper() and max(map(len, words)) >= CAPITALS and all(map(is_common, text.lower().split()))
