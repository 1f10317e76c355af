"""Does a row say what its sentences say? By rule, for the rows of every model. Pure.

A flag is a reason of rejection that is kept with the row; where evidence is asked for strictly, the row is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice

from kg_neo4j.extract import facts, numbering
from kg_neo4j.extract.rows import RowKind
from kg_neo4j.extract.schema import ColumnKind, Schema
from kg_neo4j.extract.values import MAX_YEAR
from kg_neo4j.records import PropertyValue, RejectionReason, Span
from kg_neo4j.words import MONTHS, fold, is_stop_word, same_word, split_words

LONGEST_ENDING = 4  # letters by which forms of a word may differ
FEW, COMMON = 3, 0.2  # sentences, and a share of a chunk's: a name in more of them tells nothing about one
BESIDE = 1  # sentences on each side of the cited ones in which a year or a number may stand

_NUMBER = re.compile(r"\d+")
_GROUPED = re.compile(r"(?<=\d)[.,\u00a0\u202f ](?=\d{3}(?!\d))")  # 1,204
_SHORT_RANGE = re.compile(r"\b(\d{2})(\d{2})\s?[-–—/]\s?(\d{2})\b(?![-./])")  # 1914–18
_ISO = re.compile(r"[-−]?(\d{1,4})(?:-(\d{2}))?(?:-(\d{2}))?(?![\d-])")
_ENDS = re.compile(r"([A-Za-z_]+(?: or [A-Z_]+)*) to ([A-Za-z_]+(?: or [A-Z_]+)*)")
_SPEECH = re.compile(r"\s*(?:[—–-]\s|[„“«»\"])")  # how a line begins that somebody says
_DATES = (ColumnKind.DATE, ColumnKind.YEAR)


@dataclass(slots=True)
class _Words:
    """The words of a passage, folded, and its numbers."""

    text: str = ""
    words: dict[str, set[str]] = field(default_factory=dict)  # by their first three letters
    numbers: set[int] = field(default_factory=set)

    def add(self, text: str) -> _Words:
        folded = list(map(fold, split_words(text)))
        for word in folded:
            self.words.setdefault(word[:3], set()).add(word)
        self.text += f" {' '.join(folded)}"
        self.numbers.update(map(int, _NUMBER.findall(text)), map(int, _NUMBER.findall(_GROUPED.sub("", text))))
        self.numbers.update(int(century + last) for century, _, last in _SHORT_RANGE.findall(text))
        return self

    def has(self, word: str) -> bool:
        """Tell whether a folded word is among them, also within another one, or in another form."""
        near = self.words.get(word[:3], ())
        if word.isdigit():
            return word in near or int(word) in self.numbers
        return word in near or (len(word) > 3 and word in self.text) or any(_alike(word, other) for other in near)


def _alike(left: str, right: str) -> bool:
    """Tell whether two folded words that begin alike are forms of one: also in languages whose names are inflected."""
    shorter, longer = sorted((left, right), key=len)
    common = max(3, len(shorter) - 1)
    return (left[:common] == right[:common] and len(longer) - common <= LONGEST_ENDING) or same_word(left, right)


@dataclass(slots=True)
class RowChecks:
    """What the rows of one answer are held against."""

    schema: Schema
    text: str  # of the chunk
    around: str  # words that were shown with it: of its title and headings, and of what came before
    offsets: numbering.Offsets
    whole: _Words = field(default_factory=_Words)
    beside: _Words = field(default_factory=_Words)  # the words of `around`
    sentences: list[_Words] = field(default_factory=list)
    said: list[bool] = field(default_factory=list)  # whether somebody speaks in a sentence
    places: dict[str, frozenset[int]] = field(default_factory=dict)  # of a name: the sentences that have a part of it
    stated: set[tuple[str, str, str, str | None]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.beside.add(self.around)
        self.whole.add(self.text).add(self.around)
        for start, end in self.offsets:
            self.sentences.append(_Words().add(self.text[start:end]))
            self.said.append(bool(_SPEECH.match(self.text, self.text.rfind("\n", 0, start) + 1)))

    def node(
        self, name: str, values: Mapping[str, PropertyValue], span: Span | None
    ) -> Iterable[tuple[RejectionReason, str]]:
        """Yield what the text does not say of a node, and in which words the row says it."""
        if not self.names(name):
            yield RejectionReason.NAME_NOT_IN_TEXT, name
        yield from self._values(values, span)

    def relationship(
        self,
        ends: Sequence[tuple[str, str, str]],
        kind: str,
        values: Mapping[str, PropertyValue],
        evidence: str | None,
        span: Span | None,
    ) -> Iterable[tuple[RejectionReason, str]]:
        """Yield the same of a relationship; an end is the name of a node, its type and its role."""
        (first, first_type, _), (second, second_type, _) = ends
        words = f"{first} {kind} {second}"
        if (first, first_type) == (second, second_type):
            yield RejectionReason.SELF_LOOP, words
        elif (second, kind, first, evidence) in self.stated:
            yield RejectionReason.INVERSE, words
        self.stated.add((first, kind, second, evidence))
        if found := misfit(self.schema, kind, first_type, second_type):
            yield found, f"{first} ({first_type}) {kind} {second} ({second_type})"
        if span and not self._near(ends, span):
            yield RejectionReason.ENDS_NOT_IN_SENTENCES, words
        yield from self._values(values, span)

    def names(self, name: str) -> bool:
        """Return whether the text has a name: all its proper words, else half of its words."""
        words = [(word, fold(word)) for word in split_words(name)]
        words = [(word, folded) for word, folded in words if len(folded) > 1 and not is_stop_word(folded)]
        proper = [folded for word, folded in words if word[0].isupper() or word[0].isdigit()]
        missing = [each for each in proper or [folded for _, folded in words] if not self.whole.has(each)]
        return not missing if proper else 2 * len(missing) <= len(words)

    def is_example(self, column: str, value: str) -> bool:
        """Return whether a value stands in the prompt's example, and not in the text."""
        if value.casefold() not in _example(self.schema).get(column, ()):
            return False
        if found := _ISO.fullmatch(value):
            return int(found[1]) not in self.whole.numbers
        return not self.names(value)

    def _near(self, ends: Sequence[tuple[str, str, str]], span: Span) -> bool:
        """Return whether one end, by a part of its name or by its role, is in the sentences or the one before.

        Of ends that stand in few sentences of the chunk one has to be there; others tell nothing. Where somebody
        speaks, the lines before belong to it.
        """
        places = [self._places(f"{name} {role}") for name, _, role in ends]
        rare = [each for each in places if each and len(each) <= max(FEW, COMMON * len(self.sentences))]
        cited = self._cited(span)
        if not cited or not any(places):
            return True
        first, last = cited.start, cited.stop - 1
        if any(self.said[place] for place in cited):
            while first and self.said[first]:
                first -= 1
            last += self.said[last]
        near = frozenset(range(max(0, min(first, cited.start) - 1), last + 1))
        return any(each & near for each in rare or places)

    def _places(self, name: str) -> frozenset[int]:
        if name not in self.places:
            words = {folded for folded in map(fold, split_words(name)) if len(folded) > 1 and not is_stop_word(folded)}
            found = (place for place, each in enumerate(self.sentences) if any(map(each.has, words)))
            self.places[name] = frozenset(found)
        return self.places[name]

    def _cited(self, span: Span) -> range:
        """Return the sentences from the first cited one to the last; the head of a table is none of them."""
        last = max([span.end, *(end for _, end in span.others)])
        found = [place for place, (start, end) in enumerate(self.offsets) if start < last and span.start < end]
        return range(found[0], found[-1] + 1) if found else range(0)

    def _values(self, values: Mapping[str, PropertyValue], span: Span | None) -> Iterable[tuple[RejectionReason, str]]:
        """Yield dates and numbers that neither the sentences nor those beside them have, nor a heading, nor the title.

        The last sentence before them that names a year counts as well: a story goes on in it.
        """
        cited = self._cited(span) if span else range(0)
        if not cited:
            return
        dated = (each for each in self.sentences[: cited.start][::-1] if any(map(_is_year, each.numbers)))
        near = [self.beside, *self.sentences[max(0, cited.start - BESIDE) : cited.stop + BESIDE], *islice(dated, 1)]
        own = self.sentences[cited.start : cited.stop]
        kinds = {column.name: column.kind for column in (*self.schema.nodes, *self.schema.relationships)}
        for name, value in values.items():
            kind, text = kinds.get(name), str(value)
            found = _ISO.fullmatch(text) if kind in _DATES else None
            if found is None:
                numbers = _NUMBER.findall(_GROUPED.sub("", text)) if kind in (ColumnKind.TEXT, *_DATES) else ()
                if any(not any(each.has(number) for each in near) for number in numbers):
                    yield RejectionReason.NUMBER_NOT_IN_SENTENCES, f"{name} {text}"
            elif not any(int(found[1]) in each.numbers for each in near) or not _has_day(found, own, near):
                yield RejectionReason.DATE_NOT_IN_SENTENCES, f"{name} {text}"


def _is_year(number: int) -> bool:
    return 1000 <= number <= MAX_YEAR


def _has_day(date: re.Match[str], own: Sequence[_Words], near: Sequence[_Words]) -> bool:
    """Return whether sentences have the day and the month of a date, as far as it has them."""
    months = {MONTHS[word] for each in own for words in each.words.values() for word in words if word in MONTHS}
    month, day = int(date[2] or 0), int(date[3] or 0)
    has_month = not month or not months or month in months or any(month in each.numbers for each in own)
    return has_month and (not day or any(day in each.numbers for each in (*own, near[0])))


@lru_cache(maxsize=32)
def _ends(schema: Schema) -> Mapping[str, tuple[frozenset[str], frozenset[str]]]:
    """Return the node types of both ends, by type of relationship; empty: any."""
    found = {kind: _ENDS.match(meaning) for kind, meaning in schema.preferred_relationship_types}
    return {kind: (_types(ends[1]), _types(ends[2])) for kind, ends in found.items() if ends}


def misfit(schema: Schema, kind: str, first: str, second: str) -> RejectionReason | None:
    """Return how the types of both ends, or their families, break what the schema says of a type of relationships."""
    families = dict(schema.families)
    names = [{each, families.get(each, each)} for each in (first, second)]
    if (wanted := _ends(schema).get(kind)) is None or _fit(wanted, *names):
        return None
    if _fit(wanted, *names[::-1]):
        return RejectionReason.ENDS_SWAPPED
    return RejectionReason.ENDS_DO_NOT_FIT if schema.checks_ends else None


def _types(written: str) -> frozenset[str]:
    return frozenset(each for each in written.split(" or ") if each.isupper())


def _fit(wanted: tuple[frozenset[str], frozenset[str]], first: set[str], second: set[str]) -> bool:
    """Return whether types fit those of the ends. A group stands for persons, and where it acts on anything a firm."""
    more = (("GROUP", "ORGANIZATION") if not wanted[1] else ("GROUP",), ("GROUP",))
    return all(
        not types or names & types or ("PERSON" in types and names & {*others})
        for types, names, others in zip(wanted, (first, second), more, strict=True)
    )


@lru_cache(maxsize=32)
def _example(schema: Schema) -> Mapping[str, frozenset[str]]:
    """Return the values of the schema's example, by column, in lower case."""
    found: dict[str, set[str]] = {}
    for row in facts.read(schema.example_answer, schema, finish_reason="stop").rows:
        columns = schema.node_columns if row.kind is RowKind.NODE else schema.relationship_columns
        for column, value in zip(columns, row.fields, strict=True):
            if column.is_property or column.kind is ColumnKind.NAME:
                found.setdefault(column.name, set()).add(value.strip().casefold())
    return {name: frozenset(values - {""}) for name, values in found.items()}
