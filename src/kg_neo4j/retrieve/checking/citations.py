"""Citations in a model's answer: each is checked to name a source that was in the context, or is removed. Pure.

In the prompt a source has a short mark, [C1]; in the answer that people read a citation is a number, [1], the position
in `Answer.citations`. Its words are the sentences of the source that have
most of what was said.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kg_neo4j.records import Citation
from kg_neo4j.retrieve.checking.support import best_window
from kg_neo4j.retrieve.extracting.sentences import split_sentences
from kg_neo4j.retrieve.interface import FoundChunk

_MARK = re.compile(
    r"\s*[\[【(]\s*(?P<inside>(?:[Cc](?:hunk)?\s?\d+|\d{1,4}|[0-9a-f]{32})"
    r"(?:\s*[,;&]\s*(?:and\s+)?(?:[Cc](?:hunk)?\s?\d+|\d{1,4}|[0-9a-f]{32}))*)\s*[\]】)]"
)
_ONE = re.compile(r"[0-9a-f]{32}|[Cc](?:hunk)?\s?\d+|\d{1,4}")


@dataclass(frozen=True, slots=True)
class Source:
    """A chunk, or some of its sentences, as the model was shown it. `mark` is "C1", "C2", ..."""

    mark: str
    chunk: FoundChunk
    start: int  # of the part that was shown
    end: int


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """An answer whose every mark stands for a citation."""

    text: str
    citations: tuple[Citation, ...]
    invalid: tuple[str, ...]  # marks of sources that were not in the context, as the model wrote them
    uncited: int  # sentences without a valid citation


def check(text: str, sources: Sequence[Source]) -> CheckedAnswer:
    """Replace the marks in `text` by numbers of citations; marks of unknown sources are removed and returned.

    Known are "C1" and a chunk's full id; round brackets count for those alone, because "(632)" may be a year.
    """
    by_mark = {source.mark: source for source in sources} | {source.chunk.id: source for source in sources}
    citations: list[Citation] = []
    invalid: list[str] = []

    def replace(match: re.Match[str]) -> str:
        marks = [_normal(mark) for mark in _ONE.findall(match["inside"])]
        if match[0].strip().startswith("(") and not all(mark in by_mark or mark.startswith("C") for mark in marks):
            return match[0]
        claim = _claim(text, match.start())
        numbers = []
        for mark in dict.fromkeys(marks):
            if mark in by_mark:
                numbers.append(_number(locate(claim, by_mark[mark]), citations))
            else:
                invalid.append(mark)
        return "".join(f" [{number}]" for number in dict.fromkeys(numbers))

    checked = _MARK.sub(replace, text).strip()
    return CheckedAnswer(checked, tuple(citations), tuple(dict.fromkeys(invalid)), _uncited(checked))


def locate(claim: str, source: Source) -> Citation:
    """Return the citation of `source` for `claim`: the sentences shown that have most of it, 3 at most."""
    start, end = _whole_sentences(source)
    first, last = best_window(claim, source.chunk.text[start:end])
    if last > first:
        start, end = start + first, start + last
    return Citation(source.chunk.id, source.chunk.document, start, end, source.chunk.text[start:end])


def _whole_sentences(source: Source) -> tuple[int, int]:
    """Return the place of the sentences that were shown, also those of which only a part was."""
    shown = [each for each in split_sentences(source.chunk.text) if each.start < source.end and source.start < each.end]
    return (shown[0].start, shown[-1].end) if shown else (source.start, source.end)


def quotes_are_in_place(citations: Sequence[Citation], texts: Mapping[str, str]) -> bool:
    """Return whether every citation's words stand where it says, in the chunk it names. `texts`: chunk id -> text."""
    return all(texts.get(each.chunk_id, "")[each.start : each.end] == each.quote for each in citations)


def _normal(mark: str) -> str:
    if len(mark) == 32:
        return mark
    digits = "".join(char for char in mark if char.isdigit())
    return f"C{int(digits)}" if mark[0] in "Cc" else digits


def _claim(text: str, end: int) -> str:
    """Return the sentence that a mark at `end` belongs to: what stands before it, back to the sentence before."""
    before = _MARK.sub(lambda match: " " * len(match[0]), text[:end])
    sentences = split_sentences(before)
    return sentences[-1].text if sentences else text


def _number(citation: Citation, citations: list[Citation]) -> int:
    if citation not in citations:
        citations.append(citation)
    return citations.index(citation) + 1


def _uncited(text: str) -> int:
    """Return how many sentences of a checked answer carry no number."""
    return sum(1 for sentence in split_sentences(text) if not re.search(r"\[\d+\]", sentence.text))
