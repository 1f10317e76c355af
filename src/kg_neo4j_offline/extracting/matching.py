"""Sentences that may answer, of whom they speak, and how well they answer a question, without a model. Pure.

A sentence is scored by the share of the question's terms it covers, rare terms counting more, and then by signs that it
answers what is asked: a date for "when", a place for "where", "X was a …" for "who was X", and that what is said is
said of the one who is named. Tried on the articles of examples/.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from kg_neo4j import data_files
from kg_neo4j.retrieve.checking.support import LIFESPAN
from kg_neo4j.retrieve.interface import FoundChunk
from kg_neo4j.retrieve.question import Asks, Question
from kg_neo4j.retrieve.sentences import Sentence, blank_footnotes, split_sentences
from kg_neo4j.retrieve.words import PARTICLES, family, fold, is_stop_word, same_word, split_words, word_spans
from kg_neo4j_offline.extracting.verbs import asked_verbs, has_equal

FAMILY_WEIGHT = 0.8  # "death" where the question says "die"
IMPLIED_WEIGHT = 0.6  # "Charles" where the sentence says "Babbage" alone
CONTEXT_WEIGHT = 0.8  # a name that the sentence refers to by a pronoun
NAMESAKE = 0.35  # off, where the name stands after a first name that is not asked for

LOOK_AHEAD = 300  # characters after a name in which a definition begins
LOOK_BACK = 100  # characters before a name in which a role stands

_DATA = data_files.beside(__file__)
_PARTS = _DATA.parts("parts")
ANSWERS = {Asks(name): re.compile(data_files.fill(each, _PARTS)) for name, each in _DATA.table("answers").items()}
"""What must stand in a sentence that answers a question of this kind."""
_DEFINES = {name: re.compile(data_files.fill(each, _PARTS)) for name, each in _DATA.table("defines").items()}
_MARRY = frozenset("marry married marries wed poslubil ozenil".split())
_KINSHIP = frozenset().union(*(family(word) for word in ("father", "mother", "brother", "marry"))) - _MARRY
_BIRTH, _DEATH = family("born"), family("die")
_OBJECTS = frozenset("him her them it".split())
_PRONOUNS = frozenset("he she it they his her their its hers him them this these on ona oni one jego jej ich".split())
_BEGINNING = frozenset("it they he she this these".split())
_DETERMINERS = frozenset("the a an his her their this that its".split())
_EVENTS = frozenset("birth birthday death deaths marriage".split())
_BEFORE_EVENT = frozenset("after before until since following upon time".split())


@dataclass(frozen=True, slots=True)
class CandidateSentence:
    """A sentence that may answer, prepared for matching."""

    chunk: FoundChunk
    rank: int  # of its chunk
    sentence: Sentence
    spans: tuple[tuple[int, int], ...]  # of its words, in the sentence
    words: tuple[str, ...]  # folded
    capitals: tuple[bool, ...]  # which of the words are written with a capital, beyond the first word's
    context: frozenset[str]  # folded words of names that a pronoun of the sentence may mean, and those side by side
    title: frozenset[str]  # folded words of the document's title
    before: frozenset[str] = frozenset()  # folded words of the sentence before, where a pronoun begins this one

    @property
    def text(self) -> str:
        """The sentence with a space for each line break, as long as it is."""
        return self.sentence.text.replace("\n", " ")


def prepare(chunks: Sequence[FoundChunk]) -> list[CandidateSentence]:
    """Return the sentences of `chunks`, each with the names that its pronouns may refer to."""
    candidates = []
    for rank, chunk in enumerate(chunks):
        title = frozenset(fold(word) for word in split_words(chunk.document))
        context: frozenset[str] = title
        before: frozenset[str] = frozenset()
        for sentence in split_sentences(chunk.text):
            if sentence.text.startswith("#"):  # a heading says nothing
                continue
            spans = tuple(word_spans(sentence.text))
            raw = [sentence.text[start:end] for start, end in spans]
            words = tuple(fold(word) for word in raw)
            capitals = tuple(
                word[0].isupper() and not (index == 0 and is_stop_word(words[0])) for index, word in enumerate(raw)
            )
            refers = any(word in _PRONOUNS for word in words[:6])
            begins = _BEGINNING & set(words[:1])
            candidates.append(
                CandidateSentence(
                    chunk,
                    rank,
                    sentence,
                    spans,
                    words,
                    capitals,
                    context if refers else frozenset(),
                    title,
                    before if begins else frozenset(),
                )
            )
            before = frozenset(words)
            names = {word for word, is_name in zip(words, capitals, strict=True) if is_name}
            for place, ((_, end), (begin, _)) in enumerate(pairwise(spans)):  # two words of one name: "ada lind"
                if capitals[place] and capitals[place + 1] and sentence.text[end:begin] in (" ", "\n"):
                    names.add(f"{words[place]} {words[place + 1]}")
            context = (context if refers else title) | names
    return candidates


@dataclass(frozen=True, slots=True)
class MatchScore:
    """How well a candidate answers."""

    coverage: float  # share of the question's terms, 0 to 1, rare ones counting more
    fitness: float  # coverage and all signs; about 0 to 2.5
    answers: bool  # nothing that the question needs is missing


class Matcher:
    """Scores candidates for one question. `candidates` are all there are: rare and common are counted in them."""

    def __init__(self, question: Question, candidates: Sequence[CandidateSentence]) -> None:
        self.question = question
        vocabulary = frozenset(word for candidate in candidates for word in candidate.words)
        self._forms = {term: frozenset(word for word in vocabulary if same_word(term, word)) for term in question.terms}
        self._families = {term: family(term) & vocabulary for term in question.terms}
        self._verbs = asked_verbs(question)
        self._subjects = question.names or question.terms
        self._weights: dict[str, float] = {}  # how much each term tells: the rarer among the candidates, the more
        for term, forms in self._forms.items():
            count = sum(1 for candidate in candidates if forms.intersection(candidate.words))
            self._weights[term] = math.log(1 + (len(candidates) + 1) / (count + 1))

    def score(self, candidate: CandidateSentence) -> MatchScore:
        """Return how well `candidate` answers the question."""
        matched = self.matched(candidate)
        coverage = self.coverage(matched)
        typed = self.typed(candidate)
        answers = typed > 0 and self._complete(matched) and self._settles(matched, candidate)
        count = len(candidate.words)  # few in headings and fragments; many bury an answer
        penalty = 0.3 if count < 5 else min(1.0, max(0, count - 40) * 0.01)
        fitness = coverage + 0.1 / (1 + candidate.rank) - penalty
        if self.question.asks is Asks.DEFINITION:
            fitness += self._definition(candidate)
        else:
            fitness += 0.5 * typed - 0.2 + self._attribution(candidate)
        fitness -= NAMESAKE if self._is_namesake(candidate) else 0.0
        return MatchScore(coverage, fitness, answers)

    def matched(self, candidate: CandidateSentence) -> dict[str, float]:
        """Return how well each term of the question is found in `candidate`, 0 to 1."""
        found = {term: self._match(term, candidate) for term in self.question.terms}
        self._imply_first_names(found, candidate)
        return found

    def coverage(self, matched: dict[str, float]) -> float:
        """Return the share of the question's terms that is found, 0 to 1, rare ones counting more."""
        total = sum(self._weights.values())
        return sum(self._weights[term] * value for term, value in matched.items()) / total if total else 0.0

    def _match(self, term: str, candidate: CandidateSentence) -> float:
        words = frozenset(candidate.words)
        if term in words or self._forms[term] & words:
            return 1.0
        if self._families[term] & words or has_equal(self._verbs[term], candidate.words):
            return FAMILY_WEIGHT
        if (term in _BIRTH or term in _DEATH) and self.question.asks is not Asks.YES_NO:
            text = blank_footnotes(candidate.text)
            if any(LIFESPAN.match(text[end:]) for _, end in self._mentions(candidate)):
                return FAMILY_WEIGHT  # "Name (1769 – 1859)"
        if self.question.agent and not (_OBJECTS | {"by"}).intersection(candidate.words):
            return 0.0
        if candidate.context and (term in candidate.context or self._forms[term] & candidate.context):
            return CONTEXT_WEIGHT if term in self._subjects else 0.0
        return 0.0

    def _imply_first_names(self, matched: dict[str, float], candidate: CandidateSentence) -> None:
        """Count the first names of somebody who is called by the last one alone, unless that means another.

        In an article on Alexander von Humboldt "Humboldt" alone is Alexander, never Wilhelm; "Wilhelm von Humboldt" is
        never Alexander, whatever a pronoun may mean.
        """
        words = frozenset(candidate.words)
        for run in self.question.full_names:
            absent = [term for term in run[:-1] if term in matched and not self._forms[term] & words]
            if not absent or not matched.get(run[-1]):
                continue
            named = bool(self._forms[run[-1]] & words)  # else meant by a pronoun
            means_title = run[-1] in candidate.title and not candidate.title.issuperset(absent)
            if named and (means_title or self._is_relative(run, candidate)):
                matched |= dict.fromkeys(absent, 0.0)
            elif not means_title:
                matched |= {term: max(matched[term], IMPLIED_WEIGHT) for term in absent}

    def _is_relative(self, run: tuple[str, ...], candidate: CandidateSentence) -> bool:
        """Return whether every mention of the last name of `run` follows a first name that is not in it."""
        places = [index for index, word in enumerate(candidate.words) if word in self._forms[run[-1]]]
        return all(_first_name(candidate, index) - candidate.title - frozenset(run) for index in places)

    def _mentions(self, candidate: CandidateSentence) -> list[tuple[int, int]]:
        """Return the places in the sentence where the question's names stand, neighbours joined."""
        wanted = frozenset(self._subjects).union(*(self._forms[term] for term in self._subjects))
        places: list[tuple[int, int]] = []
        for word, (start, end) in zip(candidate.words, candidate.spans, strict=True):
            if word not in wanted:
                continue
            end -= 2 if candidate.text[start:end].endswith(("'s", "’s")) else 0  # noqa: PLW2901
            if places and start - places[-1][1] <= 5:
                places[-1] = (places[-1][0], end)
            else:
                places.append((start, end))
        return places

    def _complete(self, matched: dict[str, float]) -> bool:
        """Return whether all names and, beside names, half of what else is asked are there."""
        if not all(matched[name] for name in self.question.names):
            return False
        if not self.question.names:
            return True
        others = self.question.others
        there = sum(self._weights[term] * matched[term] for term in others)
        return 2 * there >= sum(self._weights[term] for term in others)

    def _settles(self, matched: dict[str, float], candidate: CandidateSentence) -> bool:
        """Return whether a sentence says all that a yes-or-no question does; of another question True.

        One that leaves something out would answer another question. Whom a pronoun means may be left to it only where
        the document is about them.
        """
        if self.question.asks is not Asks.YES_NO:
            return True
        words = frozenset(candidate.words)
        said = {term: bool((self._forms[term] | self._families[term]) & words) for term in self.question.terms}
        meant = candidate.title if candidate.context else frozenset()
        return all(matched[term] and (said[term] or term in meant) for term in self.question.terms)

    def typed(self, candidate: CandidateSentence) -> float:
        """Return how near to what is said there is something of the kind that is asked for: 0 (nowhere) to 1."""
        if self.question.asks is Asks.PERSON:
            asked = frozenset(self.question.terms).union(*self._forms.values())
            named = (word for word, capital in zip(candidate.words, candidate.capitals, strict=True) if capital)
            return float(any(word not in asked for word in named))
        pattern = ANSWERS.get(self.question.asks)
        if pattern is None:
            return 1.0
        text = blank_footnotes(candidate.text)
        found = [match.start() for match in pattern.finditer(text)]
        said = [candidate.spans[index][0] for index in self._said(candidate)]
        if not found:
            return 0.0
        if not said:
            return 0.5
        gap = min(abs(place - verb) if place > verb else 1.3 * (verb - place) for place in found for verb in said)
        return max(0.1, min(1.0, 1.2 - gap / 100))  # characters: full marks within a few words, little across a clause

    def _said(self, candidate: CandidateSentence) -> list[int]:
        """Return which words of the sentence stand for the question's terms other than names."""
        verbs = frozenset().union(*(self._forms[term] | self._families[term] for term in self.question.others))
        return [index for index, word in enumerate(candidate.words) if word in verbs]

    def _attribution(self, candidate: CandidateSentence) -> float:
        """Return a bonus where what is said is said of the one who is named, a malus where it is of another."""
        names = frozenset(self.question.names).union(*(self._forms[name] for name in self.question.names))
        said = self._said(candidate)
        if not names or not said or _KINSHIP.intersection(candidate.words[index] for index in said):
            return 0.0
        bonus = 0.4
        for term in self.question.others:
            of_term = [index for index in said if candidate.words[index] in self._forms[term] | self._families[term]]
            said_of = _undergoer if self.question.agent else _speaker
            bonus = min(bonus, max((said_of(candidate, index, names) for index in of_term), default=bonus))
        return bonus

    def _is_namesake(self, candidate: CandidateSentence) -> bool:
        """Return whether every mention of the name asked for follows a first name that is not asked for."""
        if len(self.question.names) != 1:
            return False
        own = self.question.names
        return bool(self._forms[own[0]].intersection(candidate.words)) and self._is_relative(own, candidate)

    def _definition(self, candidate: CandidateSentence) -> float:
        text = candidate.text
        signs = [
            defines(text, start, end) - (0.0 if len(word_spans(text[start:end])) >= len(self._subjects) else 0.5)
            for start, end in self._mentions(candidate)
        ]
        return max(signs, default=-0.3)


def defines(text: str, start: int, end: int) -> float:
    """Return how much the sentence looks like a definition of what stands at text[start:end]."""
    after, before = text[end : end + LOOK_AHEAD], text[max(0, start - LOOK_BACK) : start]
    early = 0.3 if start <= 5 else 0.15 if start < 0.3 * len(text) else 0.0
    if after[:2] in ("'s", "’s"):
        return early - 0.2
    if _DEFINES["inserted"].search(before) and after.startswith(","):
        return early + 0.7
    if _DEFINES["reported"].search(before):
        return early
    goes_on = _DEFINES["name_goes_on"].match(after)
    signs = (
        ("is_a", after, 1.0),
        ("apposition", after, 0.8),
        ("kin_before", before, 0.7),
        ("role_before", before, 0.0 if goes_on else 0.25),
        ("called", before, 0.0 if goes_on else 0.7),
        ("is_anything", after, 0.3),
        ("is_a_later", after, 0.5),
    )
    return early + max((worth for sign, where, worth in signs if _DEFINES[sign].search(where)), default=0.0)


def _speaker(candidate: CandidateSentence, index: int, names: frozenset[str]) -> float:
    """Return how likely the word at `index` is said of `names`, by the nearest name or pronoun before it."""
    words = candidate.words
    if index >= 2 and words[index - 2] in _DETERMINERS and not candidate.capitals[index - 1]:
        return -0.3  # "the child died", "his father died"
    if words[index] in _EVENTS and _BEFORE_EVENT.intersection(words[max(0, index - 4) : index]):
        return -0.4  # "after Muhammad's death"
    for before in range(index - 1, max(-1, index - 14), -1):
        word = words[before]
        if word in names:
            return 0.4
        if word in ("he", "she", "it", "they", "who", "on", "ona"):
            return 0.3 if names & candidate.context or names & frozenset(words[:before]) else -0.4
        if candidate.capitals[before]:
            return -0.4
    return 0.2 if names & candidate.context else 0.0


def _first_name(candidate: CandidateSentence, index: int) -> frozenset[str]:
    """Return the capitalised words directly before the word at `index`, particles between them left out."""
    found = set()
    end = candidate.spans[index][0]
    for before in range(index - 1, max(-1, index - 5), -1):
        start, stop = candidate.spans[before]
        word = candidate.words[before]
        if candidate.text[stop:end] not in (" ", "-"):
            break
        if (candidate.capitals[before] and before > 0) or (candidate.capitals[before] and index - before > 1):
            found.add(word)
        elif candidate.capitals[before] or word not in PARTICLES:
            break
        end = start
    return frozenset(found)


def _undergoer(candidate: CandidateSentence, index: int, names: frozenset[str]) -> float:
    """Return how likely what the word at `index` says was done to `names`, or together with them."""
    words = candidate.words
    after = words[index + 1 : index + 9]
    if (
        "by" in after[:2]
        or names.intersection(after)
        or (_OBJECTS.intersection(after[:2]) and names & candidate.context)
    ):
        return 0.4
    return -0.3 if names.intersection(words[max(0, index - 3) : index]) else 0.0
