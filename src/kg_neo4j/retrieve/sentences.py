"""Sentences of a chunk, with their places. Pure.

Rules, not a model: works for every language that ends sentences with a mark, knows common abbreviations, keeps footnote
marks with the sentence before them, and takes headings and list items for sentences of their own.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

_END = re.compile(
    r"(?P<mark>[.!?…]+|[。！？।؟]+)(?P<tail>[\"'”’»)\]]*(?:\s?\[(?:\d{1,4}|[a-z]{1,2}|note \d+|citation needed)\])*)"
)
_SPACE_THEN = re.compile(r"\s+[\"'“„«(\[¿¡*_-]*(?P<next>\S)")
_NEXT = re.compile(r"\s*[\"'“„«(¿¡*_-]*(?P<next>\S)")
_BREAK = re.compile(r"[ \t]*\n\s*")
_FOOTNOTE = re.compile(r"\s?\[(?:\d{1,4}|[a-z]|note \d+|citation needed)\]")
_EMPHASIS = re.compile(r"(?<!\w)[*_]{1,3}(?=\w)|(?<=[\w.,!?)])[*_]{1,3}(?!\w)")
_ABBREVIATIONS = frozenset(
    """adm al approx bp br ca capt cf co col corp dept dr ed eds esp est etc fig fl fr ft gen gov hon inc jan
    feb mar apr jun jul aug sep sept oct nov dec jr lt ltd maj messrs mgr mr mrs ms mt no nos op pl pp pres prof
    pt pvt rev rt sen sgt sr st ste supt trans univ viz vol vols vs wm zob dot hr im inż itp ks lek min nb np nr
    ob oo pkt płk pol por prok red rtm rys św tab tj tzn tzw ul ur wyd zm zw""".split()
)
_SHORT_LINE = 60  # a line this short before a line break is a heading or an item, not wrapped prose
_LONG_LINE = 200  # text with longer lines is not wrapped


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a chunk: `text` is chunk[start:end], word for word."""

    start: int
    end: int
    text: str


def split_sentences(text: str) -> list[Sentence]:
    """Return the sentences of `text` in order, without white space around them."""
    borders = sorted({0, len(text), *_line_borders(text), *_mark_borders(text)})
    sentences = []
    for start, end in itertools.pairwise(borders):
        piece = text[start:end]
        left = len(piece) - len(piece.lstrip())
        stripped = piece.strip()
        if stripped:
            sentences.append(Sentence(start + left, start + left + len(stripped), stripped))
    return sentences


def readable(sentence: str) -> str:
    """Return a sentence for reading: one line, without footnote marks and marks of emphasis."""
    return " ".join(_EMPHASIS.sub("", _FOOTNOTE.sub("", sentence)).split())


def blank_footnotes(sentence: str) -> str:
    """Return a sentence of the same length with spaces in place of footnote marks."""
    return _FOOTNOTE.sub(lambda match: " " * len(match[0]), sentence)


def _mark_borders(text: str) -> list[int]:
    borders = []
    for match in _END.finditer(text):
        end = match.end()
        if match["mark"][0] in "。！？":
            borders.append(end)
            continue
        following = (_NEXT if match["tail"].endswith("]") else _SPACE_THEN).match(text, end)
        if following is None or following["next"].islower():
            continue
        if match["mark"] == "." and not match["tail"] and _is_abbreviation(text, match.start(), following["next"]):
            continue
        borders.append(end)
    return borders


def _is_abbreviation(text: str, dot: int, following: str) -> bool:
    """Return whether the full stop at `dot` belongs to an abbreviation or an initial."""
    start = dot
    while start > 0 and (text[start - 1].isalpha() or text[start - 1] in ".'’"):
        start -= 1
    word = text[start:dot]
    if len(word) == 1 and word.isalpha():
        return word.isupper() or following.isdigit() or word in "cbdr"
    if "." in word:  # e.g, i.e, U.S, m.in
        return all(len(part) <= 3 for part in word.split("."))
    return word.casefold() in _ABBREVIATIONS


def _line_borders(text: str) -> list[int]:
    """Return where a line break ends a sentence: at empty lines, after headings, and in text that is not wrapped."""
    wrapped = max((len(line) for line in text.splitlines()), default=0) <= _LONG_LINE
    borders = []
    for match in _BREAK.finditer(text):
        line_start = text.rfind("\n", 0, match.start()) + 1
        short = len(text[line_start : match.start()].strip()) < _SHORT_LINE
        if match[0].count("\n") > 1 or not wrapped or (short and not text[match.end() : match.end() + 1].islower()):
            borders.append(match.end())
    return borders
