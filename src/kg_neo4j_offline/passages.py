"""The passages that answer a question best: sentences of what was found, each with its neighbours. Pure.

A sentence counts by the share of the question's terms that it has, rare ones more. Half as much counts the share with
the sentences beside it, and with the headings above it. The weights were chosen by cross-validation on the questions of
docs/decisions/0061, and tried on other texts.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from kg_neo4j import data_files
from kg_neo4j.records import Citation, Passage
from kg_neo4j.retrieve.interface import FoundChunk
from kg_neo4j.retrieve.question import Asks, Question
from kg_neo4j.retrieve.sentences import Sentence, readable, split_sentences
from kg_neo4j.words import family, fold, is_stop_word, same_word, split_words
from kg_neo4j_offline.extractor.lexicon import CALENDAR

PASSAGES = 3  # at most
WORDS = 80  # of a passage, at most
BESIDE = ABOVE = 0.5  # what terms in the sentences beside, and in the headings above, count
FAMILY = 0.8  # "death" where the question says "die"
KIND = 0.2  # for a date where one is asked for; likewise a number, a place
RANK = 0.1  # for the chunk that was found first
FEWEST_WORDS, HEADING_WORDS = 4, 8  # of a sentence, and of what looks like a heading
LONG, LONGEST = 40, 50  # words; each one beyond counts a hundredth less, up to 50

_DATA = data_files.beside(__file__)
_PARTS = _DATA.parts("parts")
ANSWERS = {Asks(name): re.compile(data_files.fill(each, _PARTS)) for name, each in _DATA.table("answers").items()}
"""What must stand in a sentence that answers a question of this kind."""
_PRONOUNS = _DATA.word_set("pronouns")
_HEADING = re.compile(r"#{1,6}\s+(?P<text>.+)", re.DOTALL)
_CELLS = " | "
_RULE = re.compile(r"[\s|:+-]+")  # between the heads of columns and the rows
_Words = frozenset[str]


@dataclass(frozen=True, slots=True)
class CandidateSentence:
    """A sentence that may answer. Words are folded."""

    chunk: FoundChunk
    rank: int  # of its chunk
    sentence: Sentence
    heading: str  # the nearest one above it
    words: tuple[str, ...]
    title: _Words  # of its document and the headings above it
    context: _Words = frozenset()  # names that a pronoun of the sentence may mean

    @property
    def text(self) -> str:
        """The sentence with a space for each line break, as long as it is."""
        return self.sentence.text.replace("\n", " ")

    @property
    def may_answer(self) -> bool:
        """False for what asks, opens a list, or is no sentence: a heading, a fragment, a row of dashes."""
        text = self.text.rstrip("\"'”’)* ")
        if _CELLS in text:
            return not _RULE.fullmatch(text)
        is_apart = self.chunk.text.startswith("\n\n", self.sentence.end) and text[:1].isalpha() and text[-1:].isalpha()
        fewest = HEADING_WORDS if is_apart else FEWEST_WORDS
        is_titled = all(not word[0].islower() or is_stop_word(fold(word)) for word in split_words(text))
        if len(self.words) < (HEADING_WORDS if is_titled and text.isascii() else fewest):
            return False
        return not (text.endswith((":", "?")) or text.isupper())

    @property
    def citation(self) -> Citation:
        """Where it stands."""
        return Citation(self.chunk.id, self.chunk.document, self.sentence.start, self.sentence.end, self.sentence.text)


def prepare(chunks: Sequence[FoundChunk]) -> list[CandidateSentence]:
    """Return the sentences of chunks in order, without headings."""
    return [each for rank, chunk in enumerate(chunks) for each in _sentences(rank, chunk)]


def _sentences(rank: int, chunk: FoundChunk) -> list[CandidateSentence]:
    document = _folded(chunk.document)
    heading, title, context = chunk.section, document | _folded(chunk.section), document
    found = []
    for sentence in split_sentences(chunk.text):
        if head := _HEADING.match(sentence.text):
            heading, title = head["text"].strip(), document | _folded(head["text"])
            continue
        raw = split_words(sentence.text)
        words = tuple(map(fold, raw))
        refers = bool(_PRONOUNS.intersection(words[:6]))
        found.append(
            CandidateSentence(chunk, rank, sentence, heading, words, title, context if refers else frozenset())
        )
        names = {word for word, each in zip(words, raw, strict=True) if each[0].isupper() and not is_stop_word(word)}
        pairs = itertools.pairwise(raw)  # two words of one name: "ada lind"
        names |= {f"{fold(one)} {fold(two)}" for one, two in pairs if one[0].isupper() and two[0].isupper()}
        context = (context if refers else document) | names
    return found


def best(question: Question, chunks: Sequence[FoundChunk]) -> list[tuple[CandidateSentence, Passage]]:
    """Return the sentences that answer best, each with the passage around it; no two passages overlap.

    None where no sentence or heading has a name of the question, or, of a question without names, one of its words.
    """
    sentences = prepare(chunks)
    terms = {term: _Term(term, sentences) for term in question.terms}
    if not any(_is_named(run, terms, sentences) for run in _asked(question)):
        return []
    worth = _worths(question, sentences, list(terms.values()))
    taken: set[int] = set()
    found: list[tuple[CandidateSentence, Passage]] = []
    for place in sorted(range(len(sentences)), key=lambda place: (-worth[place], place)):
        if len(found) < PASSAGES and place not in taken and worth[place] and sentences[place].may_answer:
            first, last = _around(sentences, place, taken)
            taken.update(range(first, last + 1))
            found.append((sentences[place], _passage(sentences, first, place, last)))
    return found


def _asked(question: Question) -> list[str]:
    """Return the last word of each name of a question, years and months left out; all its terms where it has none."""
    names = [run[-1] for run in question.full_names or ((name,) for name in question.names)]
    return [each for each in names if each not in CALENDAR and not each[0].isdigit()] or list(question.terms)


def _is_named(term: str, terms: Mapping[str, _Term], sentences: Sequence[CandidateSentence]) -> bool:
    forms = terms[term].forms if term in terms else frozenset((term,))
    return any(not forms.isdisjoint(words) for each in sentences for words in (each.words, each.title))


class _Term:
    """A term of a question: the words of the sentences that stand for it, and how much it tells."""

    def __init__(self, term: str, sentences: Sequence[CandidateSentence]) -> None:
        vocabulary = {word for each in sentences for word in (*each.words, *each.title)}
        self.forms = frozenset(word for word in vocabulary if same_word(term, word))
        self.family = family(term) & vocabulary
        count = sum(not self.forms.isdisjoint(each.words) for each in sentences)
        self.weight = math.log(1 + (len(sentences) + 1) / (count + 1))

    def has(self, words: Sequence[str] | _Words) -> float:
        """Return how well words of a sentence have it, 0 to 1."""
        if not self.forms.isdisjoint(words):
            return 1.0
        return 0.0 if self.family.isdisjoint(words) else FAMILY


def _worths(question: Question, sentences: Sequence[CandidateSentence], terms: Sequence[_Term]) -> list[float]:
    total = sum(term.weight for term in terms) or 1.0
    own = [[term.has(each.words) for term in terms] for each in sentences]
    kind = ANSWERS.get(question.asks)
    worths = []
    for place, each in enumerate(sentences):
        near = [at for at in (place - 1, place + 1) if 0 <= at < len(sentences) and sentences[at].rank == each.rank]
        beside = [max(values) for values in zip(own[place], *(own[at] for at in near), strict=True)]
        above = [max(mine, term.has(each.title)) for mine, term in zip(own[place], terms, strict=True)]
        parts = ((own[place], 1.0), (beside, BESIDE), (above, ABOVE))
        covered = sum(
            weight * term.weight * value for values, weight in parts for term, value in zip(terms, values, strict=True)
        )
        worth = covered / total - min(LONGEST, max(0, len(each.words) - LONG)) / 100
        worths.append(worth + RANK / (1 + each.rank) + KIND * bool(kind and kind.search(each.text)) if covered else 0.0)
    return worths


def _around(sentences: Sequence[CandidateSentence], place: int, taken: Set[int]) -> tuple[int, int]:
    """Return the first and last sentence of a passage: those behind and before in turn, under the same heading.

    None of them is `taken`.
    """
    first = last = place
    left = WORDS - len(f"{sentences[place].text} {_head_row(sentences, place)}".split())
    grows = True
    while grows:
        grows = False
        for at in (last + 1, first - 1):
            if at in taken or not 0 <= at < len(sentences) or not _together(sentences[at], sentences[place]):
                continue
            words = len(sentences[at].text.split())
            if words <= left:
                left, grows = left - words, True
                first, last = min(first, at), max(last, at)
    return first, last


def _together(one: CandidateSentence, other: CandidateSentence) -> bool:
    return one.rank == other.rank and one.heading == other.heading


def _passage(sentences: Sequence[CandidateSentence], first: int, place: int, last: int) -> Passage:
    before, after = (
        [readable(each.text) for each in sentences[one:other]] for one, other in ((first, place), (place + 1, last + 1))
    )
    own = sentences[place]
    if (head := _head_row(sentences, place)) and head not in before:
        before.insert(0, head)
    return Passage(own.citation, " ".join(before), " ".join(after), own.heading)


def _head_row(sentences: Sequence[CandidateSentence], place: int) -> str:
    """Return the first row of the table that a sentence is a row of; "" where it is none, or the first."""
    first = place
    while _CELLS in sentences[place].text and first and _together(sentences[first - 1], sentences[place]):
        if _CELLS not in sentences[first - 1].text and not _RULE.fullmatch(sentences[first - 1].text):
            break
        first -= 1
    return readable(sentences[first].text) if first < place else ""


def _folded(text: str) -> _Words:
    return frozenset(word for each in split_words(text) if not is_stop_word(word := fold(each)))
