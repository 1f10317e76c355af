"""Whether cited sentences support a claim, judged by their words alone, without a parser. Pure.

A check that accuses only with proof. "supported": the sentences have the claim's names, numbers and dates, nearly all
of its words, in about their order, and deny what it denies; a name may stand in the heading, or next to them where
they say "he". "contradicted": another number, date or name stands in the same place. Else "quoted": its words are
there, no more is known. Every rule pays on right and wrong claims (docs/decisions/0066-citations-and-checks.md).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from kg_neo4j import data_files
from kg_neo4j.retrieve.checking.statement import NameRun, Statement, name_runs, read
from kg_neo4j.retrieve.checking.values import (
    Date,
    agrees,
    dates,
    likeness,
    may_be_year,
    numbers_of,
    other_end,
    words_of_lives,
)
from kg_neo4j.retrieve.sentences import split_sentences
from kg_neo4j.words import MONTHS, family, fold, is_stop_word, same_word, split_words, word_spans

SUPPORTED, QUOTED, CONTRADICTED = "supported", "quoted", "contradicted"
COVERAGE = 0.8  # share of the claim's words, without names, that the cited sentences must have
ORDER = 0.7  # share of its words that must stand in their order in a sentence which has most of them, and at least four
WINDOW = 3  # neighbouring sentences that may support a claim together
PROOF = 0.8  # likeness of the words around two numbers from which on one stands in the place of the other
_FEWEST, _MOST = 4, 0.8
_OPENING = 12  # words of a sentence, in which a pronoun stands for a name
_SUBJECT = 8  # words of a sentence, in which its subject is named
_GOVERNED = 5  # words after a denial: the first content word among them is what it denies
_BY = 3  # words from a verb, in which "by" makes it a passive
_NEARER = 1.1  # times as much as the claim's number another one stands where the claim has it
_DERIVED = 100  # numbers from here on may be the sum or the difference of two that are cited

_YES_NO = re.compile(r"^\W*(?:yes|no)\s*[,:;.–—-]+\s+", re.IGNORECASE)
_DATA = data_files.beside(__file__)
_DENIALS, _PASSED, _PRONOUNS, _RELATIVE = (_DATA.word_set(key) for key in ("denials", "passed", "pronouns", "relative"))
_PERSONAL = _PRONOUNS - _RELATIVE
_ARTICLES = _PRONOUNS | {"the", "a", "an"}
_TURNED = {word: frozenset(others.split()) for word, others in _DATA.rows("turned", 2)}


@dataclass(frozen=True, slots=True)
class CitedPassage:
    """What a claim cites: some sentences, what stands next to them, and the names that one thing goes by."""

    text: str
    title: str = ""  # and heading
    names: tuple[tuple[str, ...], ...] = ()  # a name of an entity with its aliases
    near: str = ""  # the sentences before and after


@dataclass(frozen=True, slots=True)
class Support:
    """How far passages support a claim; if not, `reason` says what they lack or say otherwise."""

    level: str  # SUPPORTED, QUOTED or CONTRADICTED
    reason: str = ""

    @property
    def supported(self) -> bool:
        """Whether they do."""
        return self.level == SUPPORTED


def supports(claim: str, passages: Sequence[CitedPassage]) -> Support:
    """Return how far `passages` together support `claim`."""
    claim = _YES_NO.sub("", claim)
    said = read(claim)
    if not said.content and not said.numbers:
        return Support(QUOTED, "it says nothing that can be checked")
    cited = _Cited(passages)
    if not cited.sentences:
        return Support(QUOTED, "it cites no words")
    if contradicted := cited.other_value(said) or cited.other_name(claim, said):
        return Support(CONTRADICTED, contradicted)
    reason = (
        cited.missing_value(said)
        or cited.missing_name(claim, said)
        or cited.missing_words(said)
        or cited.denial(said)
        or cited.other_subject(claim, said)
        or cited.other_direction(said)
        or cited.other_order(said)
    )
    return Support(QUOTED, reason) if reason else Support(SUPPORTED)


class _Cited:
    """Sentences that one claim cites, and what the claim is held against."""

    def __init__(self, passages: Sequence[CitedPassage]) -> None:
        texts = [" ".join(each.text.split()) for each in passages]
        self._texts = [each.text for text in texts for each in split_sentences(text)]
        self.sentences = [read(text) for text in self._texts]
        is_table = bool(texts) and all(" | " in text for text in texts)
        self._near = read("" if is_table else " ".join(each.near for each in passages))  # other rows say other things
        self._titles = _folded(each.title for each in passages)
        self._words = frozenset().union(*(each.words for each in self.sentences))
        self._passages = passages

    def has(self, word: str) -> bool:
        """Return whether the sentences have a folded word, in any of its forms."""
        return any(has_word(each, word) for each in self.sentences)

    @cached_property
    def _aliases(self) -> list[frozenset[str]]:
        """All words of the names of each thing that is named here by one of them."""
        here = self._near.words | self._titles | self._words
        groups = (group for each in self._passages for group in each.names)
        return [_folded(group) for group in groups if any(_folded([name]) <= here for name in group if name.strip())]

    @cached_property
    def _known(self) -> frozenset[str]:
        """Words next to the sentences, of titles, and of all names of what is named by one of them."""
        return self._near.words.union(self._titles, *self._aliases)

    # --------------------------------------------------------------------------------------------- numbers, dates

    def other_value(self, said: Statement) -> str:
        """Return which number or date stands in the place of one of the claim's; empty where none surely does."""
        for place, number in self._absent(said):
            nearness, theirs = max(self._in_place_of(said, place, number)[1], default=(0.0, ""))
            if nearness >= PROOF:
                return f"the cited text says {theirs}, not {number}"
        if end := other_end(said, self._texts):
            return end
        dated = [date for each in self.sentences for date in dates(each.order)]
        if len(dated) == 1 and any(not agrees(date, dated[0]) for date in self._other_dates(said)):
            return "the cited text gives another date"
        return ""

    def missing_value(self, said: Statement) -> str:
        """Return which number, month or date the sentences lack."""
        missing = [number for _, number in self._absent(said)]
        missing += [
            said.written[word]
            for word in said.words & MONTHS.keys()
            if said.written[word][0].isupper() and not any(MONTHS.get(each) == MONTHS[word] for each in self._words)
        ]
        if missing:
            return f"the cited text does not say {', '.join(sorted(missing))}"
        for place, number in numbers_of(said):
            own, others = self._in_place_of(said, place, number)
            if (
                own is not None
                and not said.words & words_of_lives(*self._texts)
                and max(others, default=(0.0, ""))[0] > _NEARER * own
            ):
                return f"the cited text says {number} of something else"
        return "the cited text gives another date" if self._other_dates(said) else ""

    def _in_place_of(self, said: Statement, place: int, number: str) -> tuple[float | None, list[tuple[float, str]]]:
        """Return how much a number of the claim stands where it stands here, and other numbers that the claim lacks."""
        found = [
            (likeness(said, place, each, other), theirs)
            for each in (*self.sentences, self._near)
            for other, theirs in numbers_of(each)
            if may_be_year(theirs) == may_be_year(number)
        ]
        own = max((nearness for nearness, theirs in found if theirs == number), default=None)
        return own, [each for each in found if each[1] not in said.numbers]

    def _absent(self, said: Statement) -> list[tuple[int, str]]:
        """Return the numbers of a claim that stand neither here nor next to here, nor follow from those that do."""
        there = frozenset().union(self._near.numbers, *(each.numbers for each in self.sentences))
        figures = [float(number) for number in there if number.replace(".", "", 1).isdigit()]
        figures = [figure for figure in figures if figure >= _DERIVED]
        derived = {abs(one + sign * other) for one in figures for other in figures for sign in (1, -1)}
        return [
            (place, number)
            for place, number in numbers_of(said)
            if number not in there and not (number.isdigit() and len(number) > 2 and float(number) in derived)
        ]

    def _other_dates(self, said: Statement) -> list[Date]:
        """Return the dates of the claim with which no date here, or next to here, agrees."""
        there = [date for each in (*self.sentences, self._near) for date in dates(each.order, bare=True)]
        return [date for date in dates(said.order) if not any(agrees(date, other) for other in there)]

    # -------------------------------------------------------------------------------------------------- names, words

    def other_name(self, claim: str, said: Statement) -> str:
        """Return which name stands in the place of one that is named nowhere here; empty where none surely does."""
        for run in name_runs(claim):
            words = [word for word in run.words if word in said.names]
            if not words or any(self.has(word) or _is_among(word, self._known) for word in words):
                continue
            for text, each in zip(self._texts, self.sentences, strict=True):
                for other in name_runs(text):
                    ends = ((run.first, other.first), (run.last, other.last))
                    nearness = max(likeness(said, mine, each, theirs) for mine, theirs in ends)
                    is_new = said.words.isdisjoint(other.words) and not _is_only_first(other, each, said)
                    if is_new and nearness >= PROOF:
                        theirs_written = " ".join(each.written[word] for word in other.words)
                        mine_written = " ".join(said.written[word] for word in words)
                        return f"the cited text says {theirs_written}, not {mine_written}"
        return ""

    def missing_name(self, claim: str, said: Statement) -> str:
        """Return which names the sentences do not have; one may stand next to them, for a pronoun or as the subject."""
        runs = [[word for word in run.words if word in said.names] for run in name_runs(claim)]
        runs = [run for run in runs if run]
        outside = [run for run in runs if not all(map(self.has, run))]
        unknown = [run for run in outside if not all(self.has(word) or _is_among(word, self._known) for word in run)]
        named_near = [run for run in outside if not self._titles.issuperset(run)]
        if not unknown and (
            len(named_near) > 1 or (named_near and named_near[0] != runs[0] and not self._has_pronoun())
        ):
            unknown = named_near[-1:]
        return (
            f"the cited text does not name {', '.join(said.written[word] for run in unknown for word in run)}"
            if unknown
            else ""
        )

    def _has_pronoun(self) -> bool:
        return any(not _PRONOUNS.isdisjoint(each.order[:_OPENING]) for each in self.sentences)

    def missing_words(self, said: Statement) -> str:
        """Return what share of the claim's words the sentences have, where it is too small."""
        content = said.content - frozenset(said.names) or said.content
        lives = words_of_lives(*self._texts)
        found = sum(1.0 if self.has(word) or word in lives else COVERAGE * (word in self._known) for word in content)
        return (
            f"only {found / len(content):.0%} of its words are in the cited text"
            if found + 1e-9 < COVERAGE * len(content)
            else ""
        )

    # -------------------------------------------------------------------------------- denials, order, subject

    def denial(self, said: Statement) -> str:
        """Return which word is denied by the claim alone, or by the sentences alone."""
        mine, near_mine = _denied(said), _denied(said, _GOVERNED)
        theirs = [(each, _denied(each), _denied(each, _GOVERNED)) for each in self.sentences]
        for place in sorted(mine):
            word = said.order[place]
            uses = [other in denied for each, _, denied in theirs for other in _places(each, word)]
            if uses and not any(uses):
                return f"it denies {said.written[word]!r}, the cited text does not"
        for each, denied, _ in theirs:
            for word in (each.order[place] for place in sorted(denied)):
                uses = [place in near_mine for place in _places(said, word)]
                others = [place in other for one, other, _ in theirs for place in _places(one, word)]
                if uses and not any(uses) and all(others):
                    return f"the cited text denies {each.written[word]!r}"
        return ""

    def other_order(self, said: Statement) -> str:
        """Return whether a sentence with most of the claim's words has them in another order: "B taught A"."""
        for each in self.sentences:
            told = [word for word in each.order if word in each.content]
            shared = [
                word for word in said.order if word in said.content and any(same_word(word, other) for other in told)
            ]
            is_most = ("by" in said.order) == ("by" in each.order)  # else one of them is a passive
            is_most = is_most and len(shared) >= max(_FEWEST, _MOST * len(said.content))
            if is_most and _longest_common(shared, told) < ORDER * len(shared):
                return "the cited text has its words in another order"
        return ""

    def other_direction(self, said: Statement) -> str:
        """Return which preposition the sentences have turned round: "from Oslo" beside "to Oslo"."""
        for place, preposition in enumerate(said.order):
            word = next((each for each in said.order[place + 1 : place + 4] if each not in _ARTICLES), None)
            if word is None or preposition not in _TURNED:
                continue
            theirs = [
                next((one for one in reversed(each.order[max(0, at - 3) : at]) if one in _TURNED), "")
                for each in self.sentences
                for at in _places(each, word)
            ]
            if preposition not in theirs and (turned := _TURNED[preposition].intersection(theirs)):
                return f"the cited text says {min(turned)} {said.written[word]}, not {preposition}"
        return ""

    def other_subject(self, claim: str, said: Statement) -> str:
        """Return of whom the sentences say what the claim says of the name that it begins with.

        It is the name before the same word: "Ada left" beside "Ada stayed, and Otto left". A pronoun may be anybody; a
        name after "by" is the subject of a passive.
        """
        subject, word = _subject(claim, said, self)
        if subject is None:
            return ""
        own = frozenset(subject.words).union(*(names for names in self._aliases if names >= set(subject.words)))
        is_passive = _is_passive(said, said.order.index(word, subject.last))
        other = ""
        for text, each in zip(self._texts, self.sentences, strict=True):
            names = [run for run in name_runs(text) if not _is_only_first(run, each, said)]
            for place in _places(each, word) + [at for at, one in enumerate(each.order) if one in family(word)]:
                before = [run for run in names if run.last < place][::-1]
                pronoun = max((at for at in range(place) if each.order[at] in _PERSONAL), default=-1)
                nearest = before[:2] if before and _is_joined(each, before[0]) else before[:1]
                if _is_passive(each, place) != is_passive:
                    nearest = [run for run in names if run.first > place][:1]
                elif not before or pronoun > before[0].last:
                    return ""
                if not nearest or any(own & set(run.words) for run in nearest):
                    return ""
                other = other or " ".join(each.written[one] for one in nearest[0].words)
        return f"the cited text says it of {other}" if other else ""


def best_window(claim: str, text: str) -> tuple[int, int]:
    """Return where in `text` the run of sentences stands that has most of `claim`; the shortest of equal ones."""
    said = read(claim)
    wanted, numbers = sorted(said.content), sorted(said.numbers)
    sentences = split_sentences(text)
    gains = []  # what each sentence has of each content word and number of the claim
    for sentence in sentences:
        told = read(sentence.text)
        words = [1.0 if has_word(told, word) else 0.0 for word in wanted]
        gains.append([0.0, *words, *(2.0 if number in told.numbers else 0.0 for number in numbers)])
    best, best_score = (0, 0), -1.0
    for size, first in itertools.product(range(1, WINDOW + 1), range(len(sentences))):
        if first + size > len(sentences):
            continue
        score = sum(max(each) for each in zip(*gains[first : first + size], strict=True)) - 0.2 * size
        if score > best_score:
            best, best_score = (sentences[first].start, sentences[first + size - 1].end), score
    return best


def find_quote(claim: str, text: str) -> tuple[int, int] | None:
    """Return where a text, in any language, has the claim word for word in one sentence of four words or more."""
    said = _in_order(claim)
    for sentence in split_sentences(text) if len(said) >= _FEWEST else ():
        told = _in_order(sentence.text)
        if said in (told[first : first + len(said)] for first in range(len(told) - len(said) + 1)):
            return sentence.start, sentence.end
    return None


def has_word(statement: Statement, word: str) -> bool:
    """Return whether a statement has a folded word, in any of its forms."""
    return word in statement.words or bool(family(word) & statement.words) or _is_among(word, statement.words, 0)


def _subject(claim: str, said: Statement, cited: _Cited) -> tuple[NameRun | None, str]:
    """Return the name that a claim begins with, and the word after it that the sentences have; None where none is."""
    run = next(iter(name_runs(claim)), None)
    if run is None or run.first > 1 or not claim[word_spans(claim)[run.last][1] :].startswith(" "):
        return None, ""
    after = (
        word for word in said.order[run.last + 1 : run.last + 5] if word in said.content and word not in said.names
    )
    word = next(filter(cited.has, after), "")
    return (run, word) if word else (None, "")


def _is_passive(statement: Statement, place: int) -> bool:
    return "by" in statement.order[place + 1 : place + _BY]


def _is_joined(statement: Statement, run: NameRun) -> bool:
    return statement.order[max(0, run.first - 1) : run.first] == ("and",)


def _is_only_first(run: NameRun, told: Statement, said: Statement) -> bool:
    """Return whether a word has its capital from the beginning of a sentence alone."""
    word = run.words[0]
    return run.first == run.last == 0 and word not in told.names and word not in said.names


def _is_among(word: str, words: Iterable[str], shortest: int = 4) -> bool:
    return any(word == other or (len(other) >= shortest and same_word(word, other)) for other in words)


def _folded(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(word for text in texts for word in _in_order(text))


def _in_order(text: str) -> list[str]:
    return [fold(word) for word in split_words(text)]


def _places(statement: Statement, word: str) -> list[int]:
    return [place for place, other in enumerate(statement.order) if same_word(word, other)]


def _denied(statement: Statement, most: int = 1) -> frozenset[int]:
    """Return the places of the first words, at most so many, after each denial; "not only" and "or not" are none."""
    found: set[int] = set()
    order = statement.order
    for place, word in enumerate(order):
        if word not in _DENIALS and not word.endswith("n't"):
            continue
        if word == "not" and (order[place + 1 : place + 2] == ("only",) or order[max(0, place - 1) : place] == ("or",)):
            continue
        before = range(max(0, place - 2), place) if word == "no" and most > 1 else ()  # the verb: "made no changes"
        after = (*before, *range(place + 1, min(place + _GOVERNED, len(order))))
        says = (each for each in after if order[each] not in _PASSED and not is_stop_word(order[each]))
        found.update(itertools.islice(says, most))
    return frozenset(found)


def _longest_common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the length of the longest common subsequence of words, in any of their forms."""
    lengths = [0] * (len(other) + 1)
    for word in one:
        before = 0
        for place, theirs in enumerate(other, 1):
            last, lengths[place] = lengths[place], max(lengths[place], lengths[place - 1])
            if same_word(word, theirs):
                lengths[place] = max(lengths[place], before + 1)
            before = last
    return lengths[-1]
