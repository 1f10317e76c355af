"""Finds names: runs of capitalised words with the particles that belong to them; and which of these are no names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from kg_neo4j_offline.extractor import lexicon as lex
from kg_neo4j_offline.extractor.lexicon import fold
from kg_neo4j_offline.extractor.name_cleanup import is_none
from kg_neo4j_offline.extractor.parsed_text import ParsedSentence, TextItem, is_capitalised, item_at

_NO_NAMES = lex.OPENERS | lex.BARRIERS | lex.PRONOUNS.keys() | frozenset({"i", "o", "oh", "ah", "ok"})
_COMMON = lex.COMMON_CAPITALISED | lex.HONORIFICS | lex.DEMONYMS
_OF_HEADS = lex.HEADS | lex.HONORIFICS  # what may stand before "of" inside a name
_MAX_WORDS = 10
_LONGEST = 80  # characters
_NEAR = 3  # characters between two words of a name
_OPENING = frozenset(":“\"‘';—–.!?…·|•>")


def starts(items: list[TextItem], index: int) -> bool:
    """Tell whether a word opens a sentence, direct speech or what follows a colon, so that a capital marks no name."""
    for item in reversed(items[:index]):
        if item.kind != "mark" or item.text in _OPENING:
            return item.kind == "mark"
    return True


def name_sentences(sentences: list[ParsedSentence]) -> None:
    """Replace the items of each name by one item of kind "name".

    A single word that opens a sentence is one only where it stands elsewhere inside a sentence, never in lower case.
    """
    inside, lower = set[str](), set[str]()
    for sentence in sentences:
        for index, item in enumerate(sentence.items):
            if item.kind == "word" and item.text.islower():
                lower.add(item.lower)
            elif is_capitalised(item) and not starts(sentence.items, index):
                inside.add(item.lower)
    for sentence in sentences:
        items, index = sentence.items, 0
        named: list[TextItem] = []
        while index < len(items):
            end = _italic_end(items, index) or _name_end(items, index, inside - lower)
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


def _name_end(items: list[TextItem], index: int, sure: set[str]) -> int | None:
    """Return where the name that begins at `index` ends, or None where none begins."""
    if not is_capitalised(items[index]) or items[index].lower in _NO_NAMES:
        return None
    end = index + 1
    while end - index < _MAX_WORDS and not items[end - 1].possessive and (further := _extend(items, end)) is not None:
        end = further
    words = items[index:end]
    text = " ".join(word.text for word in words)
    if not 1 < len(text) <= _LONGEST or is_none(text) or all(word.lower in _COMMON for word in words):
        return None
    if len(words) == 1 and (text.endswith(".") or (starts(items, index) and words[0].lower not in sure)):
        return None
    return end


def _extend(items: list[TextItem], end: int) -> int | None:
    """Return the new end after one more capitalised word, with the particles before it."""
    of = False
    for position in range(end, min(end + 3, len(items))):
        item, before = items[position], items[position - 1]
        if item.kind != "word" or not 0 <= item.start - before.end <= _NEAR:
            return None
        if is_capitalised(item) and item.lower not in lex.BARRIERS:
            return position + 1
        of = of or (item.lower == "of" and position == end and before.lower in _OF_HEADS)
        if not (item.text in lex.PARTICLES or (of and item.lower in ("of", "the"))):
            return None
    return None
