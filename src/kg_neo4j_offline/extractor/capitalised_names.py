"""Finds names: runs of capitalised words with the particles that belong to them; and which of these are no names."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import pairwise

from kg_neo4j_offline.extractor import lexicon as lex
from kg_neo4j_offline.extractor.lexicon import fold
from kg_neo4j_offline.extractor.name_cleanup import is_none
from kg_neo4j_offline.extractor.parsed_text import ParsedSentence, TextItem, is_capitalised, item_at
from kg_neo4j_offline.extractor.word_vectors import CAPITALS, is_common

_ROMAN = re.compile(r"[IVX]{1,5}")
_NEVER = frozenset({"i", "i'm", "i'll", "i've", "i'd", "o", "oh", "ah", "ok"})
# What may stand before "of" inside a name: "University of ...", "Duke of ...", "Frederick II of ...".
_OF_HEADS = lex.HEADS | lex.HONORIFICS
_MAX_WORDS = 10
_NAMING_OPENERS = frozenset("new great old upper lower grand little long big".split())  # New Spain, Great Britain
_ACTING = frozenset("was is had has himself herself who".split())
_OPENING = frozenset(":“\"‘';—–.!?…·|•>")


class ChunkVocabulary:
    """How the chunk writes its words: tells a name at the start of a sentence from a common word."""

    def __init__(self, sentences: list[ParsedSentence]) -> None:
        self.lower: set[str] = set()  # words that stand in lower case somewhere
        self.inside: Counter[str] = Counter()  # capitalised words that do not start a sentence
        self.first: Counter[str] = Counter()  # capitalised words that do
        for sentence in sentences:
            for index, item in enumerate(sentence.items):
                if item.kind == "word" and item.text.islower():
                    self.lower.add(item.lower)
                elif is_capitalised(item):
                    (self.first if starts(sentence.items, index) else self.inside)[item.lower] += 1


def starts(items: list[TextItem], index: int) -> bool:
    """Tell whether a word opens a sentence, direct speech or what follows a colon, so that a capital says nothing."""
    for item in reversed(items[:index]):
        if item.kind != "mark" or item.text in _OPENING:
            return item.kind == "mark"
    return True


def name_sentences(sentences: list[ParsedSentence]) -> None:
    """Replace the items of each name by one item of kind "name"."""
    known = ChunkVocabulary(sentences)
    for sentence in sentences:
        items, index = sentence.items, 0
        named: list[TextItem] = []
        while index < len(items):
            end = _italic_end(items, index) or _name_end(items, index, known)
            named.append(items[index] if end is None else _join(items[index:end]))
            index = end or index + 1
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
            outside = not waiting or item.end <= waiting[0][0] or item.kind == "mark"
            if begun and (item.end <= waiting[0][1] or not outside):
                named[-1] = _join([named[-1], item])
            else:
                named.append(item if outside else _join([item]))
        sentence.items = named


def _join(items: list[TextItem]) -> TextItem:
    first, last = items[0], items[-1]
    text = first.text
    for before, after in pairwise(items):
        owned = "'s" if before.possessive and "'" not in before.text else ""
        text += ("" if before.end == after.start else f"{owned} ") + after.text
    joined = replace(first, kind="name", text=text, lower=fold(text), end=last.end, possessive=last.possessive)
    joined.line_start, joined.date = False, None
    return joined


def _italic_end(items: list[TextItem], index: int) -> int | None:
    """Return the end of a title set in italics, which is one name whatever words it has; stressed words are plain."""
    item = items[index]
    if not item.italic or item.kind == "mark" or not item.text[0].isupper() or item_at(items, index - 1).italic:
        return None
    end = next((place for place in range(index, len(items)) if not items[place].italic), len(items))
    if _is_emphasis(items, index, end):
        for each in items[index:end]:
            each.italic = False
        return None
    return end if end - index <= _MAX_WORDS + 2 else None


def _is_emphasis(items: list[TextItem], index: int, end: int) -> bool:
    """Tell whether words in italics are stressed or a label, and no title: "*I* know", "*Red lamp.* Switch off"."""
    words = [item for item in items[index:end] if item.kind == "word"]
    small = {word.lower for word in words if word.text.islower()}
    if small & (lex.PRONOUNS.keys() | lex.BE) or all(word.lower in lex.OPENERS for word in words):
        return True
    is_apart = items[end - 1].kind == "mark" or item_at(items, end).text in ("", ".", ":")
    return bool(small) and is_apart and starts(items, index)


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
    # in capitals with the number that follows: HP-2, MK3
    number = end + 1 if item_at(items, end).text in ("-", "–") else end
    touching = item_at(items, number).start - items[end - 1].end == number - end
    capitals = items[end - 1].text.isupper() and items[end - 1].text.isalpha()
    end = number + 1 if touching and capitals and items[number].text[0].isdigit() else end
    return end if _is_name(items, index, end, known) else None


def _is_place_then_name(items: list[TextItem], index: int, known: ChunkVocabulary) -> bool:
    """Tell whether two names touch without a comma: "In Paris Humboldt met ..."."""
    place, following = fold(items[index].text), items[index + 1].lower
    if index == 0 or place not in lex.PLACES or place in lex.GIVEN_NAMES:
        return False
    placed = items[index - 1].lower in ("in", "at", "from", "near", "beyond", "to", "the", "through", "after", "of")
    return placed and following not in lex.HEADS and known.inside[following] + known.first[following] > 1


def _may_begin(items: list[TextItem], index: int, known: ChunkVocabulary) -> bool:
    item, following = items[index], item_at(items, index + 1)
    adjacent = is_capitalised(following) and _touches(item, following)
    if item.lower in lex.CALENDAR and item.kind == "word" and item.text[0].isupper():
        return adjacent and item_at(items, index - 1).lower == "the"  # "the March Hare"
    if not is_capitalised(item) or item.lower in _NEVER or item.lower in lex.PRONOUNS or item.lower in lex.BARRIERS:
        return False
    if item.lower.split("-")[0] in lex.OPENERS and "-" in item.lower:
        return False
    if item.lower in lex.DEMONYMS and following.lower in lex.HONORIFICS:
        return False
    if item.lower in lex.OPENERS and not (adjacent and item.lower in _NAMING_OPENERS):
        return False
    if not starts(items, index) or item.lower in lex.HONORIFICS:
        return True
    if adjacent and (item.lower in lex.DEMONYMS or item.lower in lex.PARTICLES):
        return True
    # "Young Goethe": the name begins with the next word
    is_word = item.lower in known.lower and not known.inside[item.lower]
    return not is_word or (adjacent and item.lower in lex.PLACE_HEADS | lex.ORGANIZATION_HEADS)


def _ends_with_subject(items: list[TextItem], index: int, end: int, known: ChunkVocabulary) -> bool:
    """Tell whether the last word is a name of its own: "In Dhu al-Hijjah Muhammad fell ill"."""
    first, last = items[index].lower, items[end - 1].lower
    before = item_at(items, index - 1).lower
    placed = before in ("in", "at", "from", "near", "on")
    placed = placed or (before == "of" and item_at(items, index - 2).text[:1].isdigit())
    named = first in lex.PLACE_STARTS | lex.HONORIFICS or fold(first) in lex.GIVEN_NAMES
    follows_particle = items[end - 2].lower in lex.PARTICLES or items[end - 2].lower == "of"
    return placed and not named and not follows_particle and last not in lex.HEADS and known.first[last] > 2


def _touches(before: TextItem, after: TextItem) -> bool:
    return 0 <= after.start - before.end <= 3


def _extend(items: list[TextItem], begin: int, end: int) -> int | None:
    """Return the new end after one more capitalised word, with the particles before it."""
    crossed_of = False
    for position in range(end, min(end + 3, len(items))):
        item, before = items[position], items[position - 1]
        if item.kind != "word" or not _touches(before, item):
            return None
        is_word = is_capitalised(item) and item.lower not in _NEVER and item.lower not in lex.BARRIERS
        is_month = item.text in ("August", "April", "June", "May") and fold(before.text) in lex.GIVEN_NAMES
        is_first = item.text == "I" and position == end and items[begin].lower in lex.HONORIFICS
        if is_word or is_month or is_first:
            return position + 1
        if (
            item.lower == "of"
            and position == end
            and (
                before.lower in _OF_HEADS
                or items[begin].lower in lex.ORGANIZATION_HEADS
                or _ROMAN.fullmatch(before.text)
            )
        ):
            crossed_of = True
        elif not (item.text in lex.PARTICLES or (item.lower == "the" and crossed_of)):
            return None
    return None


def _is_name(items: list[TextItem], begin: int, end: int, known: ChunkVocabulary) -> bool:
    words = items[begin:end]
    text = " ".join(word.text for word in words)
    if len(text) < 2 or len(text) > 80 or _ROMAN.fullmatch(text) or is_none(text):
        return False
    if len(words) > 1:
        lowered = [word.lower for word in words]
        is_shouted = text.isupper() and any(len(word.text) > 3 for word in words)
        is_plain = all(word in lex.DEMONYMS or word in lex.COMMON_CAPITALISED for word in lowered)
        # words that are common one by one make a name: Prussian Army, Royal Society, Black Sea
        headed = lowered[-1] in lex.ORGANIZATION_HEADS | lex.PLACE_HEADS and lowered[0] not in lex.COMMON_CAPITALISED
        return not is_shouted and (not is_plain or headed)
    word, is_rare = words[0], known.inside[words[0].lower] < 2
    if word.lower in lex.COMMON_CAPITALISED or word.lower in lex.HONORIFICS or word.lower in lex.DEMONYMS:
        return False
    if word.text.endswith(".") or (len(word.text) == 1):
        return False
    if is_rare and item_at(items, begin - 1).lower in ("a", "an"):
        return False  # "a Swede"
    if word.lower in known.lower and (word.line_start or is_rare):
        return False
    if _is_demonym(items, begin, end) or (is_rare and _is_attribute(items, begin, end)):
        return False
    return not starts(items, begin) or _opens_with_name(items, begin, known)


def _is_demonym(items: list[TextItem], begin: int, end: int) -> bool:
    """Tell whether a single word is an adjective of origin: it looks like one and a common noun follows."""
    item = item_at(items, end)
    is_noun = item.kind == "word" and item.text.islower() and item.lower not in lex.BARRIERS | lex.ACTING_VERBS
    return is_noun and re.search(r"(?:ish|ese|ian|ean|ic|ist|ists|ians)$", items[begin].lower) is not None


def _is_attribute(items: list[TextItem], begin: int, end: int) -> bool:
    """Tell whether a single word only describes the common noun after it: "the Inca road"."""
    item = item_at(items, end)
    if item_at(items, begin - 1).lower not in lex.DETERMINERS or items[begin].possessive:
        return False
    verb = item.lower in lex.ACTING_VERBS or item.lower.endswith(("ed", "ly", "s"))
    return item.kind == "word" and item.text.islower() and item.lower not in lex.BARRIERS and not verb


def _opens_with_name(items: list[TextItem], begin: int, known: ChunkVocabulary) -> bool:
    """Tell whether a single word that opens a sentence is a name: the chunk or the next word says so."""
    word, following = items[begin], item_at(items, begin + 1)
    if known.inside[word.lower]:
        return True
    if word.lower in known.lower or re.search(r"(?:ly|ing|ed|tion|ness|ment)$", word.lower):
        return False
    if word.possessive or following.kind == "end":
        return word.possessive
    if following.kind == "mark":
        return following.text == "," and known.first[word.lower] > 1
    acts = following.lower in lex.PERSON_VERBS or following.lower in _ACTING
    return acts or (known.first[word.lower] > 2 and not word.lower.endswith("s"))


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
        if _is_common_text(text, opens=all(opens for _, opens in found)):
            for item, _ in found:
                item.kind, item.lower = "word", item.text.lower()


def _is_common_text(text: str, *, opens: bool) -> bool:
    """Tell whether a text is common words in capitals, or opens sentences and has but one capital: "Blue lamp"."""
    if text.isupper() and max(map(len, text.split())) >= CAPITALS:  # "PASSED", "ANNUAL MEETING"
        return all(map(is_common, text.lower().split()))
    first, _, rest = text.partition(" ")
    return opens and is_common(first.lower()) and (not rest or (rest.islower() and all(map(is_common, rest.split()))))
