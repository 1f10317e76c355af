"""What columns of tables are, by their values and by the words of their headers: kinds, keys, names, types of rows."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import PurePath

from kg_neo4j import data_files
from kg_neo4j.extract.values import parse_date
from kg_neo4j.rooms.tables.reading import Table
from kg_neo4j.rooms.tables.rows import date_of, number_of
from kg_neo4j.words import fold

MOST, SAMPLE = 0.9, 200  # share of the filled cells that make a column what it is; cells that are tried first
DIFFER, NAMES_DIFFER, LONG = 0.5, 0.8, 60  # share of names that differ, by header or without; characters of a name
_DATA = data_files.beside(__file__)
_FORM = {name: re.compile(pattern) for name, pattern in _DATA.table("patterns").items()}


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a header or of a file's name, without case, accents and the s of plurals."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[a-z]{3})(?=(?:nr|nummer)\b)", " ", text)
    words = map(fold, re.findall(r"[^\W\d_]+", parted))
    return tuple(re.sub(r"(?<=ch|sh|ss)es$|(?<=..[^su])s$", "", re.sub("ies$", "y", word)) for word in words)


LISTS = {
    section: {name: frozenset("_".join(words_of(each)) for each in text.split()) for name, text in lists.items()}
    for section in ("words", "strong", "weak", "terms", "meanings", "rows", "columns", "signs")
    for lists in [_DATA.table(section)]
}
_WORDS = LISTS["words"]
_FORMS = [line.split(" | ") for line in _DATA.lines("forms")]
_EMPTY = frozenset(_DATA.table("words")["empty"].split())
_RELATIONSHIPS = [
    (one, other, {kind: frozenset(words_of(known))}) for one, other, known, kind in _DATA.rows("relationships", 4)
]  # the last one is for all


def found(words: Iterable[str], lists: Mapping[str, frozenset[str]]) -> str:
    """Return the list that knows the first word it can, whole or by an end of five letters or more; "" for none."""
    for word in words:
        for least in (len(word), 5):
            for name, known in lists.items():
                if any(len(each) >= least and word.endswith(each) for each in known):
                    return name
    return ""


def has(words: Iterable[str], name: str) -> bool:
    """Return whether one of the words is in the list of this name."""
    return bool(found(words, {name: _WORDS[name]}))


@dataclass(frozen=True, slots=True)
class SeenColumn:
    """A column, and what its values are."""

    name: str
    words: tuple[str, ...]  # of its header
    values: tuple[str, ...]  # of filled cells
    rows: int
    kind: str = "text"
    how: Mapping[str, str] = field(default_factory=dict)  # a property is read: format, or decimal
    fit: int = 0  # values of this kind
    remark: str = ""

    @property
    def is_unique(self) -> bool:
        """Whether every row has a value of its own; one of a hundred may be empty."""
        return 0 < len({*self.values}) == len(self.values) >= 0.99 * self.rows

    @property
    def is_keyed(self) -> bool:
        """Whether the header says that it is a key, its own or another one's."""
        return (has(self.words[-1:], "key") and "of" not in self.words) or has(self.words[:1], "before")

    @property
    def rest(self) -> tuple[str, ...]:
        """The words of the header that say what a key or a name is of."""
        return tuple(each for each in self.words if not has([each], "key") and not has([each], "name"))

    @property
    def header_type(self) -> str:
        """The type of what its header says that it names; "" for none."""
        before = self.rest[: self.rest.index("of")] if "of" in self.rest else ()
        return found(("_".join(self.words), *(before or self.rest)[-1:]), LISTS["columns"])

    @property
    def is_naming(self) -> bool:
        """Whether its values look like names: they have letters, and are neither keys nor long."""
        count, worded = len(self.values), sum(bool(_FORM["letters"].search(each)) for each in self.values)
        is_long = sum(map(len, self.values)) >= LONG * max(1, count)
        return self.kind == "text" and not self.is_keyed and not is_long and worded >= MOST * count

    @property
    def split(self) -> str:
        """What parts several names in a cell; "" where cells have one."""
        is_plural = self.name.casefold().endswith("s") or has(self.words, "several")
        marks = (";", "|", ", ") if is_plural else (";", "|")
        return next((mark for mark in marks if sum(mark in each for each in self.values) > 1), "")

    @property
    def seen(self) -> str:
        """What was seen, in words."""
        if not self.values:
            return f"{self.name}: empty"
        kinds = f"{self.kind}{'s'[: self.fit != 1]} of {self.rows:,}"
        return f"{self.name}: {self.fit:,} {kinds}, as {self.values[0][:LONG]}{self.remark}"

    def fits(self, parse: Callable[[str], object]) -> int:
        """Return how many values can be parsed; 0 where most of a sample from all over the column cannot."""
        sample = self.values[:: len(self.values) // SAMPLE + 1]
        is_tried = sum(bool(parse(each)) for each in sample) >= DIFFER * len(sample)
        return sum(bool(parse(each)) for each in self.values) if is_tried else 0


@dataclass(frozen=True, slots=True)
class SeenTable:
    """A table, and what its rows are."""

    name: str
    sheet: str | None
    stem: tuple[str, ...]  # words of its name
    columns: tuple[SeenColumn, ...]
    key: SeenColumn | None
    label: SeenColumn | None  # has the names of the rows
    meant: SeenColumn | None  # by it other tables can mean the rows
    type: str


def see(name: str, sheet: str | None, table: Table) -> SeenTable:
    """Return what the columns and the rows of a table are."""
    words = words_of(PurePath(name.removesuffix(f"/{sheet}")).stem) + words_of(sheet or "")
    kept = (re.sub("(?<=...)(list|liste|tabelle|daten)$", "", each) for each in words if each not in _WORDS["general"])
    begun = itertools.dropwhile(_WORDS["ending"].__contains__, kept)
    stem = tuple(itertools.takewhile(lambda each: each not in _WORDS["ending"], begun))
    cells = [*zip(*(row.cells for row in table.rows if len(row.cells) == len(table.columns)), strict=True)]
    columns = [_column(*each) for each in zip(table.columns, cells or [()] * len(table.columns), strict=True)]
    if any(each.how.get("decimal") or each.how.get("format", "").startswith("%d.") for each in columns):
        unclear = [each for each in columns if each.kind == "number" and any("." in value for value in each.values)]
        commas = [each for each in unclear if each.fits(partial(number_of, decimal=",")) == each.fit]
        columns = [replace(each, how={"decimal": ","}) if each in commas else each for each in columns]
    key = _best(columns, lambda each: _as_key(each, stem, is_first=each is columns[0]))
    kind = found(stem[-1:], LISTS["rows"]) or found(key.rest if key else (), LISTS["rows"])
    label = _best(columns, lambda each: _as_label(each, stem, kind, is_near=each in columns[:2]))
    signs = Counter(filter(None, (found([word], LISTS["signs"]) for each in columns for word in each.words)))
    kind = kind or found(label.rest if label else (), LISTS["rows"]) or max(signs, key=signs.__getitem__, default="")
    meant = key or (label if label and label.is_unique else None)
    return SeenTable(name, sheet, stem, tuple(columns), key, None if label is key else label, meant, kind or "OBJECT")


def _best(columns: Sequence[SeenColumn], score: Callable[[SeenColumn], int]) -> SeenColumn | None:
    best = max(columns, key=score)
    return best if score(best) else None


def relationship(source: str, target: str, words: Sequence[str]) -> str:
    """Return the type of relationship that fits two types and a header; with ~ it leads from the target."""
    rows = [known for one, other, known in _RELATIONSHIPS if one in (source, "*") and other in (target, "*")]
    return next(kind for known in rows for kind, each in known.items() if not each or found(words, known))


def _as_key(column: SeenColumn, stem: Sequence[str], *, is_first: bool) -> int:
    """Return how much a column is like the key of its table; 0: not at all."""
    is_own = not set(column.rest) - {*stem}
    if not column.is_unique or column.kind != "text" or (has(column.words, "text") and not is_own):
        return 0
    is_code = is_first and all(map(_FORM["key"].fullmatch, column.values))
    return 2 + 2 * is_own + is_first if column.is_keyed else int(is_code)


def _as_label(column: SeenColumn, stem: Sequence[str], kind: str, *, is_near: bool) -> int:
    """Return how much a column is like the name of its rows; 0: not at all."""
    words, rest = column.words, tuple(each for each in column.words if not has([each], "name"))
    is_own = not set(rest) - {*stem}
    is_other = has(words, "unnamed") or has(words, "text")
    if not column.is_naming or not column.values or (is_other and not is_own):
        return 0
    differing = len({*column.values}) / len(column.values)
    if differing < DIFFER:  # rows that say something of one thing again
        return int(is_own)
    if set(words) & _WORDS["part"]:
        return 3 if set(words) & _WORDS["surname"] else 2
    named = column.header_type or found(reversed(rest), LISTS["rows"])
    if is_own:
        return 7 - bool(rest)
    if len(rest) < len(words) and named in ("", kind):
        return 5 - (named != kind)
    if differing < NAMES_DIFFER or (named != kind and (named and (kind or not is_near))):
        return 0
    return 1 if not named or named != kind else 5 if is_near and len(words) == 1 else 3


def _column(name: str, cells: Sequence[str]) -> SeenColumn:
    values = tuple(each for each in cells if each and each.casefold() not in _EMPTY)
    column = SeenColumn(name, words_of(name), values, len(cells), fit=len(values))
    is_code = not values or has(column.words, "text") or column.is_keyed
    return column if is_code else _as_date(column) or _as_number(column) or column


def _as_date(column: SeenColumn) -> SeenColumn | None:
    """Return a column of dates, and how they are read; None where it has others."""
    needed = MOST * len(column.values)
    is_dated = any(found(column.words, LISTS[each]) for each in ("strong", "weak")) or has(column.words, "dated")
    is_day = _FORM["day"].fullmatch
    fit = column.fits(is_day)
    if fit >= needed and (is_dated or any("-" in each for each in column.values)):
        return replace(column, kind="date", fit=fit)
    for forms in _FORMS:
        fits = [column.fits(partial(date_of, form=form)) for form in forms]
        if max(fits) >= needed and len({*fits}) == len(fits):
            return replace(column, kind="date", fit=max(fits), how={"format": forms[fits.index(max(fits))]})
        if max(fits) >= needed:
            why = "; no value says whether the day or the month is first: add format = "
            return replace(column, kind="date", fit=max(fits), remark=why + " or ".join(map(json.dumps, forms)))
    parsed = _FORM["parsed"].fullmatch
    fit = column.fits(lambda each: is_dated and (not each.isdecimal() or is_day(each)) and parsed(parse_date(each)))
    return replace(column, kind="date", fit=fit) if is_dated and fit >= needed else None


def _as_number(column: SeenColumn) -> SeenColumn | None:
    """Return a column of numbers of one unit, and how they are read; None where it has others."""
    fits = {mark: column.fits(partial(number_of, decimal=mark)) for mark in ".,"}
    mark = max(fits, key=fits.__getitem__)  # a point where both fit
    units = {_FORM["around"].sub("", each) for each in column.values if number_of(each, mark)} - {""}
    if fits[mark] < MOST * len(column.values) or len(units) > 1 or any(map(_FORM["code"].match, column.values)):
        return None
    return replace(column, kind="number", fit=fits[mark], how={"decimal": mark} if mark != "." else {})
