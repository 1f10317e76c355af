"""Numbers for the sentences of a chunk, so that a row can name what it rests on without copying it. Pure.

The offsets of the numbered sentences are stored with the answer. Whoever reads the answer again uses those, and never
cuts the text a second time.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import lru_cache

from kg_neo4j.acquire.sentences import sentences, table_head
from kg_neo4j.acquire.structure import stripped
from kg_neo4j.extract.values import ValueRefused
from kg_neo4j.records import RejectionReason, Span

Offsets = tuple[tuple[int, int], ...]

MOST = 120  # numbers for a chunk; of more sentences, neighbours share one
LONGEST = 400  # characters of a sentence; a longer one is parted
ONE_QUOTE = 600  # characters up to which neighbours are one quote
CITED = 3  # sentences that a row may name
NAMED, PLACED = "sentences", "placed by rule"  # how a quote was found
BETWEEN = " ... "  # quotes that are no neighbours

_FENCED = re.compile(r"^(```|~~~).*?^\1[ \t]*$", re.MULTILINE | re.DOTALL)
_CODE_LINES = 8  # of a fenced block, under one number
_PARTS = (re.compile(r";\s+"), re.compile(r",\s+|\n\s*"))  # where a long sentence is parted, the best first
_CITATION = re.compile(r"(\d{1,4})(?:\s*[-–—]\s*(\d{1,4}))?")
PRONOUN = re.compile(
    r"\b(?:he|she|it|they|him|her|them|his|hers|its|their|ona|ono|oni|jego|jej|ich|er|sie|ihn|ihm|ihr|ihre|seine?)\b",
    re.IGNORECASE,
)
_AROUND = re.compile(r"[\s\[\]().,;:#sS&+]+|and\b")  # between numbers, and around them


def number(text: str, language: str | None = None) -> Offsets:
    """Return (start, end) of what gets the numbers 1, 2, ...: at most 120 sentences, parts of long ones, or code."""
    found: list[tuple[int, int]] = []
    at = 0
    for block in _FENCED.finditer(text):
        found += _prose(text, at, block.start(), language)
        found += _code(text, block.start(), block.end())
        at = block.end()
    found += _prose(text, at, len(text), language)
    size = -(-len(found) // MOST) or 1
    groups = [found[place : place + size] for place in range(0, len(found), size)]
    return tuple((group[0][0], group[-1][1]) for group in groups)


def show(text: str, offsets: Offsets, change: Callable[[str], str] = str) -> str:
    """Return one line for each sentence: its number, then its words in one line, as `change` leaves them."""
    lines = (f"{place} {' '.join(change(text[start:end]).split())}" for place, (start, end) in enumerate(offsets, 1))
    return "\n".join(lines)


def cite(written: str, text: str, offsets: Offsets) -> tuple[str, Span] | None:
    """Return the quote of the sentences that a row names, and where it is; None where it names none.

    Raises ValueRefused: TOO_MANY_SENTENCES, or NO_SUCH_SENTENCE, also for words instead of numbers.
    """
    if not written.strip():
        return None
    numbers: set[int] = set()
    for found in _CITATION.finditer(written):
        first, last = int(found[1]), int(found[2] or found[1])
        numbers |= set(range(first, min(last, first + MOST) + 1)) or {first, last}
    if not numbers or _AROUND.sub("", _CITATION.sub("", written)) or 0 in numbers or max(numbers) > len(offsets):
        detail = f"{written[:80]!r}: the numbers of the sentences are 1 to {len(offsets)}"
        raise ValueRefused(RejectionReason.NO_SUCH_SENTENCE, detail)
    if len(numbers) > CITED:
        raise ValueRefused(RejectionReason.TOO_MANY_SENTENCES, f"{written[:80]!r}: at most {CITED} sentences")
    quotes: list[tuple[int, int]] = []
    before = -1
    for each in sorted(numbers):
        start, end = offsets[each - 1]
        if quotes and each == before + 1 and end - quotes[-1][0] <= ONE_QUOTE:
            start = quotes.pop()[0]
        quotes.append((start, end))
        before = each
    heads = {head for start, _ in quotes if (head := table_head(text, start))}
    shown = (head for head in heads if not any(start <= head[0] < end for start, end in quotes))
    others = (*sorted(shown), *quotes[1:])
    return BETWEEN.join(text[start:end] for start, end in sorted((quotes[0], *others))), Span(*quotes[0], NAMED, others)


def place(names: Sequence[str], text: str, offsets: Offsets, *, within: bool = False) -> tuple[str, Span] | None:
    """Return the sentence that a row which names none seems to rest on, and where it is; None where none does.

    It is the first one that holds all names; else one that holds one of them, with a pronoun in it or in the next one
    (not with `within`).
    """
    words = (r"\s+".join(map(re.escape, name.split())) for name in names)
    held = [_having(re.compile(rf"(?<!\w){each}(?!\w)", re.IGNORECASE), text, offsets) for each in words]
    some, spoken = frozenset().union(*held), _having(PRONOUN, text, offsets)
    places = [(at, at) for at in (*sorted(some.intersection(*held)), *sorted(some & spoken))]
    places += [(at, at + 1) for at in sorted(some) if at + 1 in spoken and not within]
    if not places:
        return None
    start, end = offsets[places[0][0]][0], offsets[places[0][1]][1]
    return text[start:end], Span(start, end, PLACED)


@lru_cache(maxsize=4096)
def _having(pattern: re.Pattern[str], text: str, offsets: Offsets) -> frozenset[int]:
    """Return the sentences in which a pattern is found, counted from 0."""
    starts = [start for start, _ in offsets]
    found = ((bisect_right(starts, match.start()) - 1, match.end()) for match in pattern.finditer(text))
    return frozenset(at for at, end in found if at >= 0 and end <= offsets[at][1])


def _prose(text: str, start: int, end: int, language: str | None) -> list[tuple[int, int]]:
    return [part for found in sentences(text, start, end, language) for part in _parts(text, *found)]


def _code(text: str, start: int, end: int) -> list[tuple[int, int]]:
    lines = text[start:end].splitlines(keepends=True)
    found = []
    for first in range(0, len(lines), _CODE_LINES):
        size = sum(map(len, lines[first : first + _CODE_LINES]))
        found.append(stripped(text, start, start + size))
        start += size
    return [each for each in found if each[0] < each[1]]


def _parts(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Part a sentence above 400 characters at semicolons, else commas or line breaks, else at 400."""
    found = []
    while end - start > LONGEST:
        places = ([match.end() for match in border.finditer(text, start, start + LONGEST)] for border in _PARTS)
        place = next((each[-1] for each in places if each), start + LONGEST)
        found.append(stripped(text, start, place))
        start = place
    return [*found, stripped(text, start, end)]
