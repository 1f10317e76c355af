"""Citations in a model's answer: each is checked to name a source that was in the context, or is removed. Pure.

In the prompt a source has a short mark, [C1]; in the answer that people read a citation is a number, [1], the position
in `Answer.citations`. Its words are the sentences of the source that have
most of what was said.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kg_neo4j.records import Citation, TreeStep
from kg_neo4j.retrieve.checking.support import best_window
from kg_neo4j.retrieve.interface import FoundChunk
from kg_neo4j.retrieve.sentences import split_sentences
from kg_neo4j.words import fold, is_stop_word, split_words

PLACES = 3  # beneath a node of a tree that one mark leads to, at most
LOOKED_AT = 8  # leaves beneath a node that have most words of a claim, sentence by sentence
MORE_WORDS = 2  # of a claim that a further place must have

_MARK = re.compile(
    r"\s*[\[【(]\s*(?P<inside>(?:[Cc](?:hunk)?\s?-?\d+|\d{1,4}|[0-9a-f]{32})"
    r"(?:\s*[,;&]\s*(?:and\s+)?(?:[Cc](?:hunk)?\s?-?\d+|\d{1,4}|[0-9a-f]{32}))*)\s*[\]】)]"
)
_ONE = re.compile(r"[0-9a-f]{32}|[Cc](?:hunk)?\s?-?\d+|\d{1,4}")
_LONGEST = 20  # characters of a mark; a longer one is of no source


@dataclass(frozen=True, slots=True)
class ShownSource:
    """A chunk, or some of its sentences, as the model was shown it. `mark` is "C1", "C2", ..."""

    mark: str
    chunk: FoundChunk
    start: int  # of the part that was shown
    end: int
    steps: tuple[TreeStep, ...] = ()  # of a tree, how it leads here
    beneath: tuple[ShownSource, ...] = ()  # a node of a tree: `chunk` is what was shown, this is cited


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """An answer whose every mark stands for a citation."""

    text: str
    citations: tuple[Citation, ...]
    invalid: tuple[str, ...]  # marks of sources that were not in the context, as the model wrote them
    tree_paths: Mapping[Citation, tuple[TreeStep, ...]] = field(default_factory=dict)  # from what was read


def check(text: str, sources: Sequence[ShownSource]) -> CheckedAnswer:
    """Replace the marks in `text` by numbers of citations; marks of unknown sources are removed and returned.

    Known are "C1" and a chunk's full id; round brackets count for those alone, because "(632)" may be a year.
    """
    by_mark = {source.mark: source for source in sources} | {source.chunk.id: source for source in sources}
    citations: list[Citation] = []
    invalid: list[str] = []
    tree_paths: dict[Citation, tuple[TreeStep, ...]] = {}

    def replace(match: re.Match[str]) -> str:
        marks = [_normal(mark) for mark in _ONE.findall(match["inside"])]
        if match[0].strip().startswith("(") and not all(mark in by_mark or mark.startswith("C") for mark in marks):
            return match[0]
        before = split_sentences(_MARK.sub(lambda mark: " " * len(mark[0]), text[: match.start()]))
        claim = before[-1].text if before else text  # the sentence that the mark belongs to
        numbers = []
        for mark in dict.fromkeys(marks):
            if mark in by_mark:
                for citation, steps in cite(claim, by_mark[mark]):
                    if citation not in citations:
                        citations.append(citation)
                    numbers.append(citations.index(citation) + 1)
                    tree_paths.setdefault(citation, steps)
            else:
                invalid.append(mark)
        return "".join(f" [{number}]" for number in dict.fromkeys(numbers))

    checked = _MARK.sub(replace, text).strip()
    return CheckedAnswer(checked, tuple(citations), tuple(dict.fromkeys(invalid)), tree_paths)


def cite(claim: str, source: ShownSource) -> list[tuple[Citation, tuple[TreeStep, ...]]]:
    """Return the citations of `source` for `claim`, each with its path in a tree: one, or of a node of a tree more.

    What lies beneath a node is looked through for the words of the claim; a further place is cited as long as it has
    words of it that those before have not, 3 at most.
    """
    if not source.beneath:
        return [(locate(claim, source), source.steps)]
    wanted = _beginnings(claim)
    ranked = sorted(source.beneath, key=lambda each: -len(wanted & _beginnings(each.chunk.text[each.start : each.end])))
    found = [(locate(claim, each), each.steps) for each in ranked[:LOOKED_AT]]
    chosen: list[tuple[Citation, tuple[TreeStep, ...]]] = []
    for _ in range(PLACES):
        best = max(found, key=lambda each: len(wanted & _beginnings(each[0].quote)))
        gained = wanted & _beginnings(best[0].quote)
        if chosen and len(gained) < MORE_WORDS:
            break
        chosen.append(best)
        wanted -= gained
    return chosen


def _beginnings(text: str) -> frozenset[str]:
    """Return the first letters of the words that say something: forms of one word are alike in them."""
    return frozenset(word[:5] for word in map(fold, split_words(text)) if not is_stop_word(word))


def locate(claim: str, source: ShownSource) -> Citation:
    """Return the citation of `source` for `claim`: the sentences shown that have most of it, 3 at most.

    A sentence of which only a part was shown counts as a whole.
    """
    text, start, end = source.chunk.text, source.start, source.end
    shown = [each for each in split_sentences(text) if each.start < end and start < each.end]
    if shown:
        start, end = shown[0].start, shown[-1].end
    first, last = best_window(claim, text[start:end])
    if last > first:
        start, end = start + first, start + last
    return Citation(source.chunk.id, source.chunk.document, start, end, text[start:end])


def quotes_are_in_place(citations: Sequence[Citation], texts: Mapping[str, str]) -> bool:
    """Return whether every citation's words stand where it says, in the chunk it names. `texts`: chunk id -> text."""
    return all(texts.get(each.chunk_id, "")[each.start : each.end] == each.quote for each in citations)


def _normal(mark: str) -> str:
    if len(mark) == 32:
        return mark
    digits = "".join(char for char in mark if char.isdigit() or char == "-")
    if mark[0] not in "Cc":
        return digits
    return f"C{int(digits)}" if len(digits) < _LONGEST else f"C{digits}"[:_LONGEST]
