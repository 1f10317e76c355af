"""Counting tokens: tiktoken where its encoding can be had, otherwise a counted approximation, and which one is said.

tiktoken fetches an encoding on first use. The attempt is short; one that failed is not repeated within the process, and
after one that got no answer at all the next ones are shorter for a day. docs/decisions/0002-tokens.md has the figures
of the approximation.
"""

from __future__ import annotations

import queue
import re
import threading
import time
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Protocol

from kg_neo4j.errors import UsageError

if TYPE_CHECKING:
    import tiktoken

DEFAULT_ENCODING = "o200k_base"  # of the GPT-4o family and later
APPROXIMATION = "approximate-1"
ATTEMPT_S = 5.0  # for fetching an encoding (3.6 MB)
REPEAT_ATTEMPT_S = 1.0  # within a day of an attempt that got no answer: enough where the encoding is on disk by now

_BLOCK = 8_192  # characters encoded at once: keeps a line without spaces linear
_SURROGATE = re.compile("[\ud800-\udfff]")


class Tokeniser(Protocol):
    """Splits text into tokens."""

    @property
    def name(self) -> str:
        """Stored with each document: chunks of one document come from one tokeniser."""

    def count(self, text: str) -> int:
        """Return the number of tokens."""

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return each token's (start, end) in code points; together they cover `text`, in order, without a gap."""


@cache
def load(name: str | None = None) -> Tokeniser:
    """Return the tokeniser `name`: an encoding of tiktoken (default "o200k_base") or "approximate-1".

    Where the encoding cannot be had the approximation is returned; its `.name` says so. The same object is returned
    for the rest of the process. Raises UsageError for a name that is neither.
    """
    if name == APPROXIMATION:
        return Approximation()
    import tiktoken

    known = tiktoken.list_encoding_names()
    if name is not None and name not in known:
        raise UsageError(f"unknown tokeniser {name!r}", hint=f"one of {', '.join([*known, APPROXIMATION])}")
    encoding = _encoding(name or DEFAULT_ENCODING)
    return Approximation() if encoding is None else Encoded(encoding)


class Encoded:
    """An encoding of tiktoken. Text is encoded in blocks cut at spaces, so that time is linear in any text."""

    def __init__(self, encoding: tiktoken.Encoding) -> None:
        self.name = encoding.name
        self._encoding = encoding

    @lru_cache(maxsize=256)  # noqa: B019 - one object for the process; a chunk is counted where it is cut, and after
    def count(self, text: str) -> int:
        """Return the number of tokens."""
        return sum(len(self._encoding.encode_ordinary(text[start:end])) for start, end in _blocks(_clean(text)))

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return each token's (start, end); a token that ends within a character has an empty span."""
        clean = _clean(text)
        starts: list[int] = []
        for start, end in _blocks(clean):
            _, offsets = self._encoding.decode_with_offsets(self._encoding.encode_ordinary(clean[start:end]))
            starts += [start + offset for offset in offsets]
        return list(zip(starts, [*starts[1:], len(text)], strict=False))  # no tokens, no spans


class Approximation:
    """Counts tokens by rules fitted to o200k_base, 3 to 5 percent off on English and Polish prose.

    Words, numbers, punctuation and white space are cut as that encoding cuts them first; then a word of up to 8 letters
    counts 1 and each 6 further ones 1 more, or, where the line has at least one letter in fifty beyond ASCII, each 3.
    """

    name = APPROXIMATION
    _PIECE = re.compile(
        r"(?P<word>[^\r\n\w]?[^\W\d_]+)|(?P<digits>\d{1,3})|(?P<signs> ?(?:[^\s\w]|_)+[\r\n]*)"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+|."
    )
    _LETTER = re.compile(r"[^\W\d_]")
    _FOREIGN_LETTER = re.compile(r"[^\W\d_a-zA-Z]")

    @lru_cache(maxsize=256)  # noqa: B019 - one object for the process; a chunk is counted where it is cut, and after
    def count(self, text: str) -> int:
        """Return the number of tokens."""
        return sum(tokens for _, _, tokens in self._pieces(text))

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return each token's (start, end): words of several tokens are cut evenly."""
        return [
            (start + (end - start) * token // tokens, start + (end - start) * (token + 1) // tokens)
            for start, end, tokens in self._pieces(text)
            for token in range(tokens)
        ]

    def _pieces(self, text: str) -> Iterator[tuple[int, int, int]]:
        for line_start, line in _lines(text):
            foreign = len(self._FOREIGN_LETTER.findall(line))
            is_foreign = foreign > 0 and foreign * 50 >= len(self._LETTER.findall(line))
            for match in self._PIECE.finditer(line):
                kind = match.lastgroup
                tokens = 1
                if kind == "word":
                    tokens = _word_tokens(match[0], is_foreign)
                elif kind == "signs":
                    tokens = max(1, -(-len(match[0].strip()) // 4))
                yield line_start + match.start(), line_start + match.end(), tokens


def _word_tokens(word: str, is_foreign: bool) -> int:
    """Return the tokens of a run of letters, with the one character before it that joins it."""
    letters = len(word) if word[0].isalnum() else len(word) - 1
    if word[-1] >= "\u2e80":  # scripts without spaces between words: a token a character
        return letters
    if is_foreign or not word.isascii():
        return max(1, -(-letters // 3))
    if letters > 3 and word.isupper():
        return -(-letters // 3)
    return 1 if letters <= 8 else 1 + -(-(letters - 8) // 6)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield (start, line with the line breaks after it) of every line, long ones in blocks."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        while end < len(text) and text[end] == "\n":
            end += 1
        for block_start, block_end in _blocks(text[start:end]) if end - start > _BLOCK else ((0, end - start),):
            yield start + block_start, text[start + block_start : start + block_end]
        start = end


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of blocks of at most `_BLOCK` characters, cut before a space where there is one."""
    start = 0
    while len(text) - start > _BLOCK:
        end = text.rfind(" ", start + 1, start + _BLOCK)
        end = end if end > start else start + _BLOCK
        yield start, end
        start = end
    if start < len(text):
        yield start, len(text)


def _clean(text: str) -> str:
    """Replace surrogates one for one: no encoding knows them, and offsets must stay."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def _encoding(name: str) -> tiktoken.Encoding | None:
    """Return tiktoken's encoding, or None where it is neither on this machine nor fetched in `ATTEMPT_S` seconds."""
    import tiktoken

    from kg_neo4j.settings import Settings

    # its age says when fetching the encoding last got no answer
    marker = Settings.model_validate({}).cache / "tokens" / f"{name}.unanswered"
    unanswered = marker.exists() and time.time() - marker.stat().st_mtime < 86_400
    answers: queue.Queue[tiktoken.Encoding | None] = queue.Queue()

    def attempt() -> None:
        try:
            answers.put(tiktoken.get_encoding(name))
        except (OSError, ValueError):  # no network (requests' errors are OSErrors), or not the file that was expected
            answers.put(None)

    # tiktoken asks without a time limit, so a thread of its own waits for it and is left behind
    threading.Thread(target=attempt, name=f"fetch {name}", daemon=True).start()
    try:
        return answers.get(timeout=REPEAT_ATTEMPT_S if unanswered else ATTEMPT_S)
    except queue.Empty:
        if not unanswered:
            marker.parent.mkdir(parents=True, exist_ok=True)
            marker.touch()
        return None
