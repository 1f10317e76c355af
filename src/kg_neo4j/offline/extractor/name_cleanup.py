"""Names without what stands around them: marks, the start of a sentence, item numbers, dates, half of a number. Pure.

A recogniser marks "Miss Tarrow!", "But Miss Tarrow", "19/03 Police", "Oporto 21 March 1923" and "Prelude Op". A name is
what is left; where nothing is left, there is none. No name ends in punctuation.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from kg_neo4j import data_files
from kg_neo4j.offline.extractor.lexicon import HONORIFICS, MONTHS, fold

Span = tuple[int, int, str]  # start, end, type

_DATA = data_files.beside(__file__)
_BEFORE = _DATA.word_set("before")  # words that begin a sentence or a letter, and no name
_NEVER = _DATA.word_set("never")  # what is cited, abbreviated or said, and is nobody's name
_WORK_NUMBER = r"(?:[Oo]p|[Oo]pp|[Nn]o|[Nn]os|[Vv]ol|[Vv]ols|[Pp]p?|[Cc]h|[Ff]ig)"
_HALF = re.compile(rf"(?:\A|[\s,])(?:{_WORK_NUMBER})\Z")
_REST = re.compile(rf"\.?[ ]{{0,2}}\d{{1,4}}(?:,?\s{_WORK_NUMBER}\.?\s?\d{{1,3}})?(?!\w)")
_DIVIDERS = re.compile(r"\s*(?:[;!?|·\"“”]|:(?=\s)|['’]:|\.(?=\s+\S))\s*")
_ABBREVIATED = re.compile(
    r"(?:\A|[\s.&-])(?:[^\W\d_]|[Ss]t|[Mm]rs?|[Mm]s|[Dd]r|[Pp]rof|[Cc]o|[Jj]r|[Ss]r|Capt|Col|Gen|Rev|Hon|Lt|Sgt|Mt)\Z"
)
_DATE = re.compile(rf"[\s,]+\d{{1,2}}(?:st|nd|rd|th)?\s(?:{'|'.join(MONTHS)})\b.*\Z", re.IGNORECASE | re.DOTALL)
_ITEM = re.compile(r"(?:\d{1,3}[/.]\d{1,3}|\d{1,3}\))[\s.]")  # the number of an item or a section
_YEAR = re.compile(r"[\s,]+\d{4}\Z")
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_INITIALS = re.compile(r"[^\W\d_]\.?(?:[ ][^\W\d_]\.?){0,2}")  # not "U.S.", which is a name
_LETTER_MARKS = "'’ʿʾ"  # which may begin a name: 's-Hertogenbosch, ʿAbd
_PERSON, _TITLE = "PERSON", "OTHER"


def clean_names(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    """Yield the names of `text` that are in `spans`, cut to what they are, in their order."""
    for start, end, kind in spans:
        for part in _parts(text, start, end, kind):
            first, last = _cut(text, *part, kind)
            if not is_none(text[first:last]):
                yield first, last, _PERSON if _begins_with_title(text, part[0], first) else kind


def _parts(text: str, start: int, end: int, kind: str) -> Iterator[tuple[int, int]]:
    """Yield what stands between marks that no name has within; a dot ends one only behind a whole word."""
    first = start
    for mark in _DIVIDERS.finditer(text, start, end):
        sign = mark[0].strip()
        if (sign == "." and _ABBREVIATED.search(text[start : mark.start()])) or (sign == ":" and kind == _TITLE):
            continue
        yield first, mark.start()
        first = mark.end()
    yield first, end


def _cut(text: str, start: int, end: int, kind: str) -> tuple[int, int]:
    """Return a name without what stands before and behind it; empty where nothing is left."""
    start, end = _without_marks(text, start, end)
    while (
        (word := _WORD.match(text, start, end))
        and fold(word[0]) in _BEFORE
        and _may_go(text, word.end(), end, kind, is_small=word[0].islower())
    ):
        start, end = _without_marks(text, word.end(), end)
    if (date := _DATE.search(text, start, end)) is not None:
        end = date.start()
    if kind == _PERSON and (year := _YEAR.search(text, start, end)) is not None:
        end = year.start()
    if half := _HALF.search(text[start:end]):
        rest = _REST.match(text, end) if half.start() > 0 else None
        end = rest.end() if rest else start + half.start()
    return _without_marks(text, start, end)


def _may_go(text: str, start: int, end: int, kind: str, *, is_small: bool) -> bool:
    """Return whether what follows a first word is a name by itself: a person's, one with a title, or after "dear"."""
    following = _WORD.search(text, start, end)
    if following is None or not following[0][0].isupper():
        return False
    return kind == _PERSON or is_small or fold(following[0]) in HONORIFICS


def _begins_with_title(text: str, start: int, first: int) -> bool:
    """Return whether words before a title were left out: what follows is a person."""
    word = _WORD.match(text, first)
    return first > start and word is not None and fold(word[0]) in HONORIFICS


def _without_marks(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and not (text[start].isalnum() or _begins_word(text, start, end) or _is_closed(text, start, end)):
        start += 1
    while end > start and not (text[end - 1].isalnum() or _is_mark(text[end - 1]) or _is_opened(text, start, end)):
        end -= 1
    return start, end


def _begins_word(text: str, start: int, end: int) -> bool:
    return (
        text[start] in _LETTER_MARKS
        and start + 1 < end
        and text[start + 1].isalpha()
        and text.count("'", start, end) == 1
    )


def _is_mark(char: str) -> bool:
    """Return True for a mark that belongs to the letter before it, as in Indian scripts, and for symbols: C#, C++."""
    return unicodedata.category(char)[0] in "MS" or char == "#"


def _is_opened(text: str, start: int, end: int) -> bool:
    return text[end - 1] == ")" and "(" in text[start:end]


def _is_closed(text: str, start: int, end: int) -> bool:
    return text[start] == "(" and ")" in text[start:end]


def is_none(name: str) -> bool:
    """Return whether a text is nobody's name: a number, initials alone, a word of citations, an item's number."""
    words = [fold(word).replace(".", "") for word in _WORD.findall(name)]
    if not any(char.isalpha() for char in name) or _ITEM.match(name):
        return True
    if all(word in _NEVER or word in HONORIFICS or word.isdigit() for word in words):
        return True
    return bool(_INITIALS.fullmatch(name)) or all(word in _BEFORE for word in words)
