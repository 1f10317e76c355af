"""What contradicts a claim: the same claim but for a denial, a number, a date, two names, or an opposite word. Pure."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from kg_neo4j import data_files
from kg_neo4j.retrieve.checking.polarity import OPPOSITES, denied_words
from kg_neo4j.retrieve.checking.statement import number_of, read, ungrouped
from kg_neo4j.retrieve.checking.support import has_word
from kg_neo4j.words import MONTHS, PARTICLES, fold, is_stop_word, same_word, word_spans

MOST_NAMES = 4  # of a claim, that are exchanged in pairs

_DATA = data_files.beside(__file__)
_BOUND = _DATA.word_set("bound")
_DENIAL = re.compile(r"\b(?:not|never)\b\s*|(?<=\w)n['’]t\b", re.IGNORECASE)
_CAN = re.compile(r"\b(can)not\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Counterpart:
    """A claim and a text changed so that, if the text states the claim, the text as it is contradicts the claim."""

    claim: str
    text: str
    reason: str
    is_exchange: bool = False  # of two names


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of a text and its place."""

    start: int
    end: int
    folded: str
    is_capital: bool


def counterparts(claim: str, text: str) -> Iterator[Counterpart]:
    """Yield what would contradict `claim` if `text` states it."""
    yield from _denials(claim, text)
    yield from _dated(claim, text)
    there = {number_of(word.folded) for word in _words(ungrouped(text))}
    if any((number := number_of(word.folded)) and number not in there for word in _words(ungrouped(claim))):
        yield from with_other_numbers(claim, text)
    yield from _exchanged(claim, text)
    yield from _opposites(claim, text)


def _denials(claim: str, text: str) -> Iterator[Counterpart]:
    """Yield the two without a denial that only one of them has, and that nothing bounds ("not only", "not until")."""
    bare_claim, bare_text = _without_denial(claim), _without_denial(text)
    if (bare_claim != claim) == (bare_text != text):
        return
    denying, other = (read(text), read(claim)) if bare_text != text else (read(claim), read(text))
    if _BOUND & denying.words or not any(has_word(other, word) for word in denied_words(denying)):
        return
    reason = "the text denies it" if bare_text != text else "it denies what the text says"
    yield Counterpart(bare_claim, bare_text, reason)


def _without_denial(text: str) -> str:
    return _DENIAL.sub("", _CAN.sub(r"\1", text))


def _dated(claim: str, text: str) -> Iterator[Counterpart]:
    """Yield the claim with a date of the text in place of one of its own."""
    for start, end in _dates(claim):
        for other_start, other_end in _dates(text):
            said, put = claim[start:end], text[other_start:other_end]
            if put.casefold() != said.casefold():
                yield Counterpart(claim[:start] + put + claim[end:], text, f"the text has {put!r}, not {said!r}")


def with_other_numbers(claim: str, text: str) -> Iterator[Counterpart]:
    """Yield the claim with a number that only the text has in place of one of its own; years stand for years alone."""
    claim, text = ungrouped(claim), ungrouped(text)
    own = {number_of(word.folded) for word in _words(claim)}
    for word in _words(claim):
        number = number_of(word.folded)
        for other in _words(text) if number else ():
            their = number_of(other.folded)
            # both may be years, or neither is one
            if number and their and their not in own and (len(number) == 4) == (len(their) == 4):
                said, put = claim[word.start : word.end], text[other.start : other.end]
                changed = claim[: word.start] + put + claim[word.end :]
                yield Counterpart(changed, text, f"the text has {put!r}, not {said!r}")


def _dates(text: str) -> list[tuple[int, int]]:
    """Return the places of dates with a month."""
    words = _words(text)
    found = []
    for index, word in enumerate(words):
        if word.folded not in MONTHS or not word.is_capital:
            continue
        first = last = index
        while first and index - first < 2 and (number_of(words[first - 1].folded) or words[first - 1].folded == "of"):
            first -= 1
        while last + 1 < len(words) and last - index < 2 and number_of(words[last + 1].folded):
            last += 1
        if words[first].folded == "of":
            first += 1
        found.append((words[first].start, words[last].end))
    return found


def _exchanged(claim: str, text: str) -> Iterator[Counterpart]:
    """Yield the claim with two of its names exchanged."""
    names = name_spans(claim)[:MOST_NAMES]
    for (start, end), (other_start, other_end) in itertools.combinations(names, 2):
        one, other = claim[start:end], claim[other_start:other_end]
        changed = claim[:start] + other + claim[end:other_start] + one + claim[other_end:]
        yield Counterpart(changed, text, "the text says it the other way round", is_exchange=True)


def name_spans(text: str) -> list[tuple[int, int]]:
    """Return where names stand: runs of words with a capital, and particles between them."""
    runs: list[list[_Word]] = []
    previous: _Word | None = None
    for word in _words(text):
        joins = previous is not None and text[previous.end : word.start] == " " and bool(runs)
        joins = joins and runs[-1][-1] is previous
        if word.is_capital and word.folded not in MONTHS and not is_stop_word(word.folded):
            runs = [*runs[:-1], [*runs[-1], word]] if joins else [*runs, [word]]
        elif word.folded in PARTICLES and joins:
            runs[-1].append(word)
        previous = word
    found = []
    for run in runs:
        last = next((word for word in reversed(run) if word.folded not in PARTICLES), run[0])  # "Al", "St"
        found.append((run[0].start, last.end))
    return found


def _opposites(claim: str, text: str) -> Iterator[Counterpart]:
    """Yield the claim with a word that the text has in place of its opposite."""
    there = read(text).words
    for word in _words(claim):
        for pair in OPPOSITES:
            for mine, theirs in (pair, pair[::-1]):
                if word.folded in mine and not any(same_word(word.folded, each) for each in there):
                    for other in sorted(theirs & there):
                        reason = f"the text says {other!r}, not {word.folded!r}"
                        yield Counterpart(claim[: word.start] + other + claim[word.end :], text, reason)


def _words(text: str) -> list[_Word]:
    return [_Word(start, end, fold(text[start:end]), text[start].isupper()) for start, end in word_spans(text)]
