"""Citations in a model's answer: each is checked to name sentences that were shown, or is removed. Pure.

In the prompt a sentence has a number, 3.2: the second one of passage 3; a line from the graph has one such as F1. In
the answer that people read a citation is a number, [1], the position in `Answer.citations`. Its words are exactly the
sentences that the model named, neighbours as one citation.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kg_neo4j.records import Citation, TreeStep
from kg_neo4j.retrieve.checking.support import best_window
from kg_neo4j.retrieve.interface import FoundChunk
from kg_neo4j.retrieve.sentences import split_sentences
from kg_neo4j.words import fold, is_stop_word, split_words

PLACES = 3  # beneath a node of a tree that one mark leads to, at most
LOOKED_AT = 8  # leaves beneath a node that have most words of a claim, sentence by sentence
MORE_WORDS = 2  # of a claim that a further place must have

_ONE = r"(?:[CF]|chunk\s)?-?\d+(?:\.\d+)?(?:\s?[-–—]\s?(?:\d+\.)?\d+)?"
_SEVERAL = rf"\s*{_ONE}(?:(?:\s*[,;&]\s*(?:and\s)?|\s+){_ONE})*\s*"
_MARKS = re.compile(rf"(?:\s*(?:\[{_SEVERAL}\]|【{_SEVERAL}】))+|(?:\s*\({_SEVERAL}\))+", re.IGNORECASE)
_MARK = re.compile(
    r"(?P<source>(?:[CF]|chunk\s)?-?\d+)(?:\.(?P<first>\d+))?(?:\s?[-–—]\s?(?:\d+\.)?(?P<last>\d+))?", re.IGNORECASE
)
_LONGEST = 20  # characters of a mark; a longer one is of no source


@dataclass(frozen=True, slots=True)
class ShownSource:
    """Words of a chunk as the model was shown them. `mark` is "1", "2", ..., of a line from the graph "F1", ..."""

    mark: str
    chunk: FoundChunk
    start: int  # of the words
    end: int
    sentences: tuple[tuple[int, int], ...] = ()  # with numbers, from 1; a first one may stand further above
    steps: tuple[TreeStep, ...] = ()  # of a tree, how it leads here
    beneath: tuple[ShownSource, ...] = ()  # a node of a tree: `chunk` is what was shown, this is cited
    line: str = ""  # shown in place of the words

    @property
    def text(self) -> str:
        """The words."""
        return self.chunk.text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """An answer whose every mark stands for a citation."""

    text: str
    citations: tuple[Citation, ...]
    invalid: tuple[str, ...]  # marks of what was not in the context, as the model wrote them
    tree_paths: Mapping[Citation, tuple[TreeStep, ...]] = field(default_factory=dict)  # from what was read


def check(text: str, sources: Sequence[ShownSource]) -> CheckedAnswer:
    """Replace the marks in `text` by numbers of citations; marks of what was not shown are removed and returned.

    "[3.2]" is a sentence, "[3.2-4]" a few, "[3]" the whole passage. In round brackets a mark is known, or is none:
    "(632)" may be a year.
    """
    known = {source.mark: source for source in sources}
    citations: list[Citation] = []
    invalid: list[str] = []
    tree_paths: dict[Citation, tuple[TreeStep, ...]] = {}

    def replace(match: re.Match[str]) -> str:
        marks = list(_MARK.finditer(match[0]))
        places = [list(_places(mark, known)) for mark in marks]
        if "(" in match[0] and not all(places):
            return match[0]
        invalid.extend(mark[0][:_LONGEST] for mark, found in zip(marks, places, strict=True) if not found)
        numbers = []
        for citation, steps in _cited(text[: match.start()], sorted(set(itertools.chain(*places))), known):
            if citation not in citations:
                citations.append(citation)
            numbers.append(citations.index(citation) + 1)
            tree_paths.setdefault(citation, steps)
        return "".join(f" [{number}]" for number in dict.fromkeys(numbers))

    checked = _MARKS.sub(replace, text).strip()
    return CheckedAnswer(checked, tuple(citations), tuple(dict.fromkeys(invalid)), tree_paths)


def _places(mark: re.Match[str], known: Mapping[str, ShownSource]) -> Iterator[tuple[str, int]]:
    """Yield the sentences that a mark names, as (mark of the source, place from 0); none where any was not shown."""
    name = re.sub(r"C(?:HUNK\s)?", "", mark["source"].upper())
    source = known.get(name)
    if source is None or len(mark[0]) > _LONGEST:
        return
    first = int(mark["first"] or 1)
    last = int(mark["last"] or mark["first"] or len(source.sentences))
    if 1 <= first <= last <= len(source.sentences):
        yield from ((name, place) for place in range(first - 1, last))


def _cited(
    before: str, places: Sequence[tuple[str, int]], known: Mapping[str, ShownSource]
) -> Iterator[tuple[Citation, tuple[TreeStep, ...]]]:
    """Yield a citation for each run of neighbours among the sentences named, each with its path in a tree."""
    for mark, group in itertools.groupby(places, key=lambda each: each[0]):
        source = known[mark]
        if source.beneath:
            claims = split_sentences(_MARKS.sub("", before))
            yield from cite(claims[-1].text if claims else before, source)
            continue
        spans = [source.sentences[place] for _, place in group]
        while spans:
            start, end = spans.pop(0)
            while spans and not source.chunk.text[end : spans[0][0]].strip():
                end = spans.pop(0)[1]
            place = (source.chunk.id, source.chunk.document, start, end)
            yield Citation(*place, source.chunk.text[start:end]), source.steps


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
