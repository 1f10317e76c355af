"""Lets a text agree with itself: a name that was found once is found everywhere in it, with one type. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_UNNAMED = frozenset({"TIME", "NUM"})  # "2010" may be a year here and a number there
_SHORTEST = 3  # characters; shorter names are too often parts of something else


@dataclass(frozen=True, slots=True, order=True)
class MentionSpan:
    """A mention: offsets in characters, the end exclusive, and its type."""

    start: int
    end: int
    type: str


def agree(text: str, found: Sequence[MentionSpan]) -> tuple[MentionSpan, ...]:
    """Return `found` with the most frequent type for each string, and the same strings elsewhere in `text`.

    Of two types found equally often the one that comes first in the text counts. Spans never overlap, provided that
    those of `found` do not.
    """
    votes: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for span in sorted(found):
        votes[text[span.start : span.end]][span.type] += 1
    types = {name: counts.most_common(1)[0][0] for name, counts in votes.items()}
    spans = [MentionSpan(span.start, span.end, types[text[span.start : span.end]]) for span in found]
    taken = bytearray(len(text))
    for span in spans:
        taken[span.start : span.end] = b"\1" * (span.end - span.start)
    for name in sorted(types, key=lambda each: (-len(each), each)):
        if len(name) < _SHORTEST or types[name] in _UNNAMED or not name[0].isupper():
            continue
        for start in _places(name, text):
            end = start + len(name)
            if not any(taken[start:end]):
                spans.append(MentionSpan(start, end, types[name]))
                taken[start:end] = b"\1" * len(name)
    return tuple(sorted(spans))


def _places(name: str, text: str) -> Iterator[int]:
    """Yield where a name stands in `text` as whole words, and not behind a hyphen."""
    start = text.find(name)
    while start >= 0:
        end = start + len(name)
        is_whole = not (start and _is_joined(text[start - 1])) and not (end < len(text) and _is_word(text[end]))
        if is_whole:
            yield start
        start = text.find(name, end if is_whole else start + 1)


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"


def _is_joined(char: str) -> bool:
    return char == "-" or _is_word(char)
