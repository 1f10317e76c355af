"""Where sentences end. Pure: rules for languages that end them with a mark, no model that chunks would depend on."""

from __future__ import annotations

import itertools
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cache, lru_cache

from kg_neo4j import data_files
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire.language import abbreviations, languages, primary
from kg_neo4j.acquire.structure import stripped

_OURS = data_files.beside(__file__).table("abbreviations")
_NOTES = r"(?: ?\[(?:[^\]\s]{1,12}|n(?:ote)? \d{1,3}|citation needed)\])*+"
_END = re.compile(
    rf"(?<![.!?…])[.!?…]++[\"'”’»)\]*_]*+{_NOTES}(?=\s)|[.!?…][\"'”’»)]*(?:\[[^\]\s]{{1,12}}\])+(?=[^\W\d_a-z])"
    "|[。！？।॥۔؟።։။។]+[」』”’»）]*"
)
_NUMBER = re.compile(  # of a list item, or of a heading
    r"(?:[#=>*_-]+\s*)*[(\[]?(?:\d{1,3}(?:\.\d{1,3})*|[^\W\d_]|[ivxIVX]{2,4})"
)
_REPORTS = re.compile(r"[—–-]+\s*(?=[^\W\d_])")  # before who says it: "— pyta ojca"
_BREAK = re.compile(r"[ \t]*\n\s*")
_UNDERLINE = re.compile(r"([=\-~^\"'#*+])\1{2,}|[|: +-]*---[|: +-]*")  # below a heading, or the heads of columns
_CELLS = " | "  # between the cells of a row
_SHORT_LINE = 60  # a line this short before a line break is a heading or an item, not wrapped prose
_NUMBERED = frozenset("op no nr vol fig p pp art sec str t bd abb kap poz ust pkt rozdz s".split())  # before a number
_MONTHS = tuple(
    "Januar Februar März April Mai Juni Juli August September Oktober November Dezember Jahrhundert".split()
)
_ORDINAL = re.compile(r"(?<!\d)\d{1,2}$")
_WORD_BEFORE = re.compile(r"[^\W\d_]+(?:\.[^\W\d_]+)*$")
_LOOK_BACK = 24  # characters: longer than any abbreviation
_MARKED = re.compile(r"\s*(?:#|>|\||=|[-*+•–]\s|\d{1,3}[.)]\s)")  # a line that begins something; "2025." is a year
_APART = ("#", "|", "=")  # a line that does not go on: a heading, or the row of a table
_NARROWEST, _WIDEST = 50, 200  # characters of the longest line of a wrapped paragraph
_ALWAYS = frozenset("。！？।॥۔؟።։။។")  # marks that are nothing else than the end of a sentence


def sentences(text: str, start: int, end: int, language: str | None = None) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of the sentences in `text[start:end]`, without the white space around them.

    Headings, list items and rows of tables are sentences of their own. `language` is a code such as "pl": its
    abbreviations are then known from spaCy's data; None: those of English, Polish, German and French.
    """
    known = _abbreviations(primary(language))
    borders = line_borders(text)
    inside = borders[bisect_right(borders, start) : bisect_left(borders, end)]
    for left, right in itertools.pairwise((start, *inside, end)):
        begin = _skip_space(text, left, right)
        for match in () if _is_row(text, begin, right) else _END.finditer(text, begin, right):
            following = _skip_space(text, match.end(), right)
            if following < right and begin < match.end() and _ends(text, match, begin, following, known):
                yield begin, match.end()
                begin = following
        if (last := stripped(text, begin, right)[1]) > begin:
            yield begin, last


@lru_cache(maxsize=8)
def line_borders(text: str) -> tuple[int, ...]:
    """Return where a line break ends a sentence: at empty lines, after headings, in paragraphs that are not wrapped."""
    wraps, widths = wrapped_breaks(text), list[int]()
    for has_words, block in itertools.groupby(text.split("\n"), key=lambda line: bool(line.strip())):
        lines = list(block)
        widths += [max(map(len, lines)) if has_words else 0] * len(lines)
    found, number, at = [], 0, 0
    for match in _BREAK.finditer(text):
        number += text.count("\n", at, match.start() + match[0].index("\n"))
        at = match.start() + match[0].index("\n")
        line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()].strip()
        following = text[match.end() : match.end() + _SHORT_LINE].partition("\n")[0].strip()
        if match[0].count("\n") == 1 and _UNDERLINE.fullmatch(following) and not _UNDERLINE.fullmatch(line):
            continue  # it belongs to the heading above it
        is_short = len(line) < _SHORT_LINE and not following[:1].islower() and at not in wraps
        is_apart = _UNDERLINE.fullmatch(line) or _CELLS in line or _MARKED.match(following)
        if match[0].count("\n") > 1 or widths[number] > _WIDEST or is_short or is_apart:
            found.append(match.end())
    return tuple(found)


def _is_row(text: str, start: int, end: int) -> bool:
    return _CELLS in text[start:end] and "\n" not in text[start:end].strip()


def table_head(text: str, start: int) -> tuple[int, int] | None:
    """Return where the first row of a table is whose row begins at `start`; None for itself, and elsewhere.

    It names the columns. A table of two columns is taken to have no such row: the first cell of each says what the
    second is.
    """
    first = own = text.rfind("\n", 0, start) + 1
    while first and _CELLS in text[(above := text.rfind("\n", 0, first - 1) + 1) : first]:
        first = above
    head = stripped(text, first, text.find("\n", first))
    is_row = first < own and _CELLS in text[own:].partition("\n")[0]
    return head if is_row and text.count(_CELLS, *head) > 1 else None


@cache
def _abbreviations(language: str | None) -> tuple[frozenset[str], frozenset[str]]:
    """Return abbreviations in lower case, for which case does not count, and others for which it does."""
    if language is None or language not in languages():
        return frozenset(word for words in _OURS.values() for word in words.split()), frozenset()
    return frozenset(_OURS.get(language, "").split()), abbreviations(language)


def _ends(
    text: str, match: re.Match[str], begin: int, following: int, known: tuple[frozenset[str], frozenset[str]]
) -> bool:
    """Say whether a sentence ends at `match`, and not an abbreviation or an initial."""
    if match[0][0] in _ALWAYS:
        return True
    report = _REPORTS.match(text, following)
    said = report is not None and match[0] != "."  # "Stop!" — she cried
    if text[report.end() if report is not None and said else following].islower() or text[following] in "|])":
        return False
    if _NUMBER.fullmatch(text, begin, match.start()) or _UNDERLINE.match(text, following):
        return False
    if match[0] != ".":  # also a footnote mark or a quotation mark after the stop
        return True
    before = unicodedata.normalize("NFC", text[max(begin, match.start() - _LOOK_BACK) : match.start()])
    word = _WORD_BEFORE.search(before)
    if word is None:
        return not (_ORDINAL.search(before) and text.startswith(_MONTHS, following))
    is_initial = len(word[0]) == 1 and word[0].isupper() and (word.start() > 0 or match.start() - _LOOK_BACK > begin)
    folded, exact = known
    if text[following].isdigit() and word[0].lower() in _NUMBERED:
        return False
    if len(word[0]) == 1 and text[following + 1 : following + 2] == ".":  # "z. B."
        return False
    return not is_initial and word[0].lower() not in folded and word[0] not in exact


@lru_cache(maxsize=8)
def wrapped_breaks(text: str) -> frozenset[int]:
    """Return the places of line breaks that only wrap a paragraph: the next word did not fit on the line.

    What fits is told by the longest line of the paragraph. A paragraph whose lines are all short is a list or a verse,
    and one with a very long line is not wrapped.
    """
    found: set[int] = set()
    end = -1
    for has_words, block in itertools.groupby(text.split("\n"), key=lambda line: bool(line.strip())):
        lines = list(block)
        width = max(len(line.rstrip()) for line in lines)
        is_wrapped = has_words and _NARROWEST <= width <= _WIDEST
        for line, following in itertools.pairwise([*lines, ""]):
            end += len(line) + 1
            word = following.split(maxsplit=1)[:1]
            is_full = bool(word) and len(line.rstrip()) + 1 + len(word[0]) > width
            if is_wrapped and is_full and not _MARKED.match(following) and not line.lstrip().startswith(_APART):
                found.add(end)
    return frozenset(found)


def _skip_space(text: str, start: int, end: int) -> int:
    while start < end and text[start].isspace():
        start += 1
    return start


def cut_at_sentence(text: str, tokeniser: Tokeniser, limit_tokens: int) -> str:
    """Return the whole sentences at the beginning of `text` that fit; empty where not even the first one does."""
    end = 0
    for start, stop in sentences(text, 0, len(text)):
        if tokeniser.count(text[:stop]) > limit_tokens:
            break
        if start < stop:
            end = stop
    return text[:end]


def cut_at_word(text: str, tokeniser: Tokeniser, limit_tokens: int) -> str:
    """Return the beginning of `text` that fits, cut at a space where there is one, with an ellipsis."""
    if len(text.encode("utf-8", "surrogatepass")) <= limit_tokens:  # a token has at least one byte
        return text
    spans = tokeniser.spans(text)
    if len(spans) <= limit_tokens:
        return text
    end = spans[max(limit_tokens - 2, 0)][1]
    space = text.rfind(" ", 0, end)
    return text[: space if space > end // 2 else end].rstrip(" ,;:") + "…"
