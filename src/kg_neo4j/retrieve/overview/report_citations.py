"""From marks of reports in an answer to citations of chunks: report, then entity or fact, then words. All exist.

A mark leads to what its finding cites, and from there to the place in a chunk that shares most words with what is
said. A mark behind which nothing is found in the graph any more is taken out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.records import Citation, CitationPath, Evidence
from kg_neo4j.retrieve.checking.citations import locate
from kg_neo4j.retrieve.checking.standing import CitedThing
from kg_neo4j.retrieve.overview import report_marks
from kg_neo4j.retrieve.overview.report_marks import Marked
from kg_neo4j.retrieve.sentences import split_sentences
from kg_neo4j.words import fold, is_stop_word, same_word, split_words

PLACES = 5  # of each entity or fact that are looked at
WEIGHED = 40  # entities and facts of one mark that are looked at


@dataclass(slots=True)
class CitedAnswer:
    """An answer whose every number stands for a citation, with the way to each."""

    text: str = ""
    citations: list[Citation] = field(default_factory=list)
    paths: list[CitationPath] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)  # marks behind which nothing is in the graph any more

    def number(self, citation: Citation, path: CitationPath) -> int:
        """Return the number of a citation, from 1."""
        for place, known in enumerate(zip(self.citations, self.paths, strict=True), 1):
            if known == (citation, path):
                return place
        self.citations.append(citation)
        self.paths.append(path)
        return len(self.citations)


def cite(text: str, known: Mapping[str, Marked], elements: Mapping[str, CitedThing]) -> CitedAnswer:
    """Replace the marks in `text`, which are all `known`, by numbers of citations."""
    answer = CitedAnswer()

    def write(marks: Sequence[str], before: str) -> str:
        sentences = split_sentences(report_marks.without(before))
        claim = sentences[-1].text if sentences else before
        numbers = []
        for mark in marks:
            if (best := _best(claim, known[mark], elements)) is None:
                answer.lost.append(mark)
                continue
            citation, element = best
            report = known[mark].report
            where = (report.id, report.level, report.number, report.title)
            numbers.append(answer.number(citation, CitationPath(*where, element.kind, element.id, element.name)))
        return "".join(f" [{number}]" for number in dict.fromkeys(numbers))

    answer.text = report_marks.replace(text, write)
    return answer


def evidence(answer: CitedAnswer, scores: Mapping[str, float], tokeniser: Tokeniser) -> tuple[Evidence, ...]:
    """Return each citation's entity or fact with the words that it rests on. `scores`: community -> score."""
    rows = []
    for citation, path in zip(answer.citations, answer.paths, strict=True):
        place = (citation.chunk_id, citation.document, citation.start, citation.end)
        score = scores.get(path.community_id, 0.0)
        rows.append(Evidence(path.kind, path.id, path.name, score, *place, tokeniser.count(path.name)))
        tokens = tokeniser.count(citation.quote)
        rows.append(Evidence("chunk", citation.chunk_id, citation.quote, score, *place, tokens))
    return tuple(dict.fromkeys(rows))


def _best(claim: str, marked: Marked, elements: Mapping[str, CitedThing]) -> tuple[Citation, CitedThing] | None:
    """Return the place that shares most words with the claim; facts come before entities where it is the same."""
    wanted = frozenset(word for word in map(fold, split_words(claim)) if not is_stop_word(word))
    best: tuple[int, Citation, CitedThing] | None = None
    for element in (elements[each] for each in marked.ids[:WEIGHED] if each in elements):
        for source in element.places:
            citation = locate(claim, source)
            shared = _shared(wanted, citation.quote)
            if best is None or shared > best[0]:
                best = (shared, citation, element)
    return None if best is None else best[1:]


def _shared(wanted: frozenset[str], quote: str) -> int:
    words = frozenset(map(fold, split_words(quote)))
    return sum(1 for word in wanted if word in words or any(same_word(word, other) for other in words))
