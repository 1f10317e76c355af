"""A sentence as the check of claims sees it: content words, names and numbers. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from kg_neo4j import data_files
from kg_neo4j.words import MONTHS, PARTICLES, fold, is_stop_word, split_words, word_spans

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_GROUPED = re.compile(r"(?<=\d),(?=\d{3}(?:\D|$))")  # 1,204
_DATA = data_files.beside(__file__)
_WORDS = {word: str(number) for number, word in enumerate(_DATA.words("ordinals"), 1)}
_WORDS |= {word: number for number, words in _DATA.table("numbers").items() for word in words.split()}
_TENS = frozenset(map(str, range(20, 100, 10)))
_UNITS = frozenset(map(str, range(1, 10)))
_VAGUE = frozenset({"one", "once", "both"})  # said without counting


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence, or a few, read. Words are folded."""

    order: tuple[str, ...]
    words: frozenset[str]
    content: frozenset[str]  # neither stop words nor numbers
    names: tuple[str, ...]  # written with a capital, beyond the first word of a sentence
    numbers: frozenset[str]  # in figures, without grouping
    written: Mapping[str, str]  # folded -> as written


@lru_cache(maxsize=4096)
def read(text: str) -> Statement:
    """Return what `text` says, word by word."""
    text = ungrouped(text)
    raw = split_words(text)
    order = tuple(fold(word) for word in raw)
    ends = (match.end() for match in re.finditer(r"[.!?…]\s+", text))
    starts = {0, *(len(split_words(text[:end])) for end in ends)}  # places of words that begin a sentence
    names = []
    numbers = set()
    content = set()
    for index, (word, folded) in enumerate(zip(raw, order, strict=True)):
        number = number_at(order, index)
        if number is not None:
            if folded not in _VAGUE or number != number_of(folded):
                numbers.add(number)
        elif not is_stop_word(folded) and len(folded) > 1:
            content.add(folded)
            if word[0].isupper() and (index not in starts or (index + 1 < len(raw) and raw[index + 1][0].isupper())):
                names.append(folded)
    return Statement(
        order,
        frozenset(order),
        frozenset(content),
        tuple(dict.fromkeys(names)),
        frozenset(numbers),
        dict(zip(order, raw, strict=True)),
    )


def ungrouped(text: str) -> str:
    """Return `text` with 1204 for "1,204"."""
    return _GROUPED.sub("", text)


def number_of(folded: str) -> str | None:
    """Return the figures of a folded word that is a number ("1990s", "5th", "three", "third"); else None."""
    if folded in _WORDS:
        return _WORDS[folded]
    match = _NUMBER.match(folded)
    return (match[0].lstrip("0") or "0") if match else None


def name_spans(text: str) -> list[tuple[int, int]]:
    """Return where names stand: runs of words with a capital, and particles between them."""
    runs: list[list[tuple[int, int]]] = []
    previous: tuple[int, int] | None = None
    for span in word_spans(text):
        word = fold(text[slice(*span)])
        joins = bool(runs) and runs[-1][-1] == previous and text[runs[-1][-1][1] : span[0]] == " "
        if text[span[0]].isupper() and word not in MONTHS and not is_stop_word(word):
            runs = [*runs[:-1], [*runs[-1], span]] if joins else [*runs, [span]]
        elif word in PARTICLES and joins:
            runs[-1].append(span)
        previous = span
    found = []
    for run in runs:
        last = next((each for each in reversed(run) if fold(text[slice(*each)]) not in PARTICLES), run[0])  # "Al", "St"
        found.append((run[0][0], last[1]))
    return found


@dataclass(frozen=True, slots=True)
class NameRun:
    """A name in a text, by the places of its words; a title such as "Dr." is a part of it."""

    first: int
    last: int
    words: tuple[str, ...]  # folded


def name_runs(text: str) -> list[NameRun]:
    """Return the names in a text, in order; months are none."""
    words = word_spans(text)
    folded = [fold(text[start:end]) for start, end in words]
    found: list[NameRun] = []
    for start, end in name_spans(text):
        places = [place for place, (first, last) in enumerate(words) if start <= first and last <= end]
        run = NameRun(places[0], places[-1], tuple(folded[place] for place in places))
        before = text[words[run.first - 1][1] : words[run.first][0]] if run.first else ","
        if found and found[-1].last + 1 == run.first and before in (" ", ". "):
            run = NameRun(found[-1].first, run.last, found.pop().words + run.words)
        found.append(run)
    return found


def number_at(order: tuple[str, ...], index: int) -> str | None:
    """Return the number that a word is or is a part of: 28 for both "twenty" and "eight"."""
    for first in (max(0, index - 1), index):
        tens, *units = (number_of(word) if word.isalpha() else None for word in order[first : first + 2])
        if tens in _TENS and units and units[0] in _UNITS:
            return str(int(tens) + int(units[0]))
    return number_of(order[index])
