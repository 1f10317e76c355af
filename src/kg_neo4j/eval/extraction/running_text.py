"""Tokens as the running text that they were cut from, and the position of each of them. Pure.

Data sets of annotated tokens do not say where spaces were. Punctuation, quotes, brackets, contractions, hyphens,
slashes and ranges of numbers are joined as a writer of English would; everything else has a space before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

Place = tuple[int, int]

_NOT_BEFORE = frozenset(
    [*",.;:!?)]}%", "'s", "’s", "n't", "'re", "'ve", "'ll", "'d", "'m", "...", "…", "th", "nd", "rd"]
)
_NOT_AFTER = frozenset("([{$£€#")
_JOINTS = frozenset("-/‐‑")


@dataclass(frozen=True, slots=True)
class RunningText:
    """Text with the places of its sentences and tokens (code points, half open)."""

    text: str
    sentences: tuple[Place, ...]
    tokens: tuple[tuple[Place, ...], ...]  # of each sentence; a token of white space has no width


def join(sentences: Sequence[Sequence[str]]) -> RunningText:
    """Return the tokens of sentences as one paragraph."""
    pieces: list[str] = []
    length = 0
    borders: list[Place] = []
    places: list[tuple[Place, ...]] = []
    for sentence in sentences:
        words = [word.replace("\xa0", " ").strip() for word in sentence]
        of_sentence: list[Place] = []
        for word, is_spaced in zip(words, _spaces(words), strict=True):
            if word and is_spaced and length:
                pieces.append(" ")
                length += 1
            of_sentence.append((length, length + len(word)))
            pieces.append(word)
            length += len(word)
        visible = [place for place in of_sentence if place[0] < place[1]]
        borders.append((visible[0][0], visible[-1][1]) if visible else (length, length))
        places.append(tuple(of_sentence))
    return RunningText("".join(pieces), tuple(borders), tuple(places))


def _spaces(words: Sequence[str]) -> Iterator[bool]:
    """Yield for each word of a sentence whether a space stands before it."""
    is_quoting = False
    before = ""
    for index, word in enumerate(words):
        joined = (
            word in _NOT_BEFORE
            or before in _NOT_AFTER
            or _is_contraction(word)
            or (is_quoting and '"' in (word, before))
            or word in _JOINTS
            or before in _JOINTS
            or _is_range(words, index)
        )
        if word == '"':
            is_quoting = not is_quoting
        before = word
        yield index == 0 or not joined


def _is_contraction(word: str) -> bool:
    return 1 < len(word) <= 3 and word[0] == "'" and word[1:].isalpha()


def _is_range(words: Sequence[str], index: int) -> bool:
    """Tell whether a dash between two numbers joins them: 1998–2002."""
    dash = next((place for place in (index, index - 1) if words[place] == "–"), 0)
    return 0 < dash < len(words) - 1 and words[dash - 1][:1].isdigit() and words[dash + 1][:1].isdigit()
