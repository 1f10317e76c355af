"""A question, read: what it asks for, its terms and names, and the full-text query that finds them. Pure."""

from __future__ import annotations

import enum
import itertools
import re
from dataclasses import dataclass

from kg_neo4j import data_files
from kg_neo4j.errors import UsageError
from kg_neo4j.words import PARTICLES, family, fold, is_stop_word, split_words, word_spans

MAX_CHARACTERS = 2_000  # a longer question is cut; the answer says so
MAX_TERMS = 48  # Lucene refuses more than 1,024 clauses; a term becomes at most three
MAX_WORD = 60  # letters; a longer one is no word
PREFIX_BOOST = 0.2
PHRASE_BOOST = 2


class Asks(enum.StrEnum):
    """What kind of thing would answer a question."""

    DEFINITION = "definition"  # who or what somebody or something is
    TIME = "time"
    PLACE = "place"
    NUMBER = "number"
    AGE = "age"
    MEASURE = "measure"
    PERSON = "person"
    YES_NO = "yes or no"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Question:
    """A question, read. Terms are folded words without stop words, in order, without repeats."""

    text: str
    asks: Asks
    terms: tuple[str, ...]
    names: tuple[str, ...]  # those of `terms` that are written as names
    full_names: tuple[tuple[str, ...], ...] = ()  # `names` that stand beside each other, together
    cut: bool = False  # the text given was longer

    @property
    def others(self) -> tuple[str, ...]:
        """Terms that are not names."""
        return tuple(term for term in self.terms if term not in self.names)

    @property
    def rest(self) -> str:
        """The text without the words of names; the whole text where no term is left."""
        if not self.others:
            return self.text
        words = split_words(self.text)
        return " ".join(word for word in words if fold(word) not in self.names)


_DATA = data_files.beside(__file__)
_ASKS = tuple((Asks(name), re.compile(pattern, re.IGNORECASE)) for name, pattern in _DATA.table("asks").items())
_WHOLES = _DATA.table("wholes")
_GENERAL = frozenset(map(fold, _DATA.word_set("general")))  # words of questions about the whole
_DEFINITION = re.compile(_WHOLES["definition"], re.IGNORECASE | re.DOTALL)
_QUANTITY = re.compile(_WHOLES["quantity"], re.IGNORECASE)
_YES_NO = re.compile(_WHOLES["yes_no"], re.IGNORECASE)
_OF_ANOTHER = re.compile(r"the (?:[a-z][\w-]* ){1,3}of\b")


def read(text: str) -> Question:
    """Read a question of any length, language and script.

    Raises UsageError for one without any visible character.
    """
    cut = len(text) > MAX_CHARACTERS
    short = " ".join("".join(char if char.isprintable() else " " for char in text[:MAX_CHARACTERS]).split())
    if not short:
        raise UsageError("the question is empty", hint='for example: kg ask "Who was Khadija?"')
    words = [short[start:end] for start, end in word_spans(short)]
    asks, asked = _asks(short)
    folded = dict.fromkeys(fold(word) for word in words)
    terms = [word for word in folded if word and not is_stop_word(word) and word not in asked][:MAX_TERMS]
    terms = terms or [word for word in folded if word][:MAX_TERMS]
    runs = _full_names(words, terms)
    names = tuple(term for term in terms if any(term in run for run in runs))
    return Question(short, asks, tuple(terms), names, runs, cut)


def asked_terms(question: Question) -> tuple[str, ...]:
    """Return the terms of a question that a report must speak of; none for a question about the whole."""
    return tuple(term for term in question.terms if term not in _GENERAL and not is_stop_word(term))


def _full_names(words: list[str], terms: list[str]) -> tuple[tuple[str, ...], ...]:
    """Return the names in a question, each as its folded words; particles between them belong to the name.

    The first word is one only beside another, because every sentence has a capital.
    """
    marked = [word[0].isupper() or word[0].isdigit() for word in words]
    if all(marked) and len(words) > 3:  # a question in capitals
        return ()
    if len(words) > 1 and not marked[1]:
        marked[0] = words[0][0].isdigit()
    runs: list[tuple[str, ...]] = [()]
    for index, word in enumerate(words):
        folded = fold(word)
        joins = folded in PARTICLES and runs[-1] and any(marked[index + 1 : index + 3])
        if (marked[index] and folded in terms) or joins:
            runs[-1] = (*runs[-1], folded)
        elif runs[-1]:
            runs.append(())
    return tuple(run for run in runs if run)


def _asks(text: str) -> tuple[Asks, frozenset[str]]:
    """Return what the question asks for, and the folded words that say so ("which city").

    A definition only where nothing but its subject is named: "the half-life of X" is no subject but something of X.
    """
    if _QUANTITY.match(text):
        return Asks.NUMBER, frozenset({"what", "number", "amount"})
    match = _DEFINITION.match(text)
    if match and _is_subject(match["subject"]):
        return Asks.DEFINITION, frozenset()
    if _YES_NO.match(text):
        return Asks.YES_NO, frozenset()
    found = [(match.start(), asks, match[0]) for asks, pattern in _ASKS if (match := pattern.search(text))]
    if not found:
        return Asks.OTHER, frozenset()
    _, asks, said = min(found, key=lambda each: each[0])  # "How old was X when …" asks for an age
    return asks, frozenset(fold(word) for word in split_words(said))


def _is_subject(text: str) -> bool:
    words = split_words(text)
    if _OF_ANOTHER.match(text):
        return False
    if not 1 <= len(words) <= 8 or re.search(r"['’]s\s|\b(?:that|which|who|when|where|by)\b", text):
        return False
    return not any(family(fold(word)) for word in words)


def fulltext_query(question: Question) -> str | None:
    """Return a Lucene query for the question's terms, or None where it has no word.

    Words stand within quotation marks, or in lower case with one trailing `*`, and are made of letters, digits, marks
    and inner apostrophes alone: nothing in a question is syntax. Adjacent terms count more as a phrase; longer ones
    also match by their beginning.
    """
    words = [word.lower() for word in split_words(question.text)]
    words = [word for word in words if fold(word) in question.terms and len(word) <= MAX_WORD]
    words = list(dict.fromkeys(words))[:MAX_TERMS]
    if not words:
        return None
    clauses = [f'"{word}"' for word in words]
    folded = [fold(word).partition("'")[0] for word in words]  # without accents, as the index has them
    beginnings = dict.fromkeys(each[: -3 if len(each) >= 8 else -2 if len(each) >= 6 else -1] for each in folded)
    clauses += [f"{beginning}*^{PREFIX_BOOST}" for beginning in beginnings if len(beginning) >= 4]
    clauses += [f'"{left} {right}"^{PHRASE_BOOST}' for left, right in itertools.pairwise(words)]
    return " ".join(clauses)
