"""What rows of tables say: the row's name is the subject, a column is a relationship or a property. Pure; English.

A table is known by its cells, which stand between " | ", and by its first row, the heads of its columns. The first cell
of a row is a name where the heads say of what: "Vendor", or "Name" beside "Headquarters".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kg_neo4j import data_files
from kg_neo4j_offline.extractor.dates import find_dates
from kg_neo4j_offline.extractor.entities import PERSON, PLACE, EntityDraft, RelationDraft, split_name
from kg_neo4j_offline.extractor.lexicon import COUNTRIES, PLACES, fold
from kg_neo4j_offline.extractor.parsed_text import ParsedSentence, TextItem

_DATA = data_files.beside(__file__)
_KINDS = {word: kind for kind, words in _DATA.table("kinds").items() for word in words.split()}
_COLUMNS = {word: kind for kind, words in _DATA.table("columns").items() for word in words.split()}
_PROPERTIES = {word: name for name, words in _DATA.table("properties").items() for word in words.split()}
_TARGETS = {"LOCATED_IN": PLACE, "BORN_IN": PLACE, "DIED_IN": PLACE, "LIVED_IN": PLACE, "LED": PERSON}
_CELL = re.compile(r"(?:^|(?<=\|))[^|\n]*", re.MULTILINE)
_RULE = re.compile(r"[\s|:-]*-{2,}[\s|:-]*")
_PART = re.compile(r"[^,;\s][^,;]*")
_NAME = re.compile(r"[^\W_a-z][^|\n]{1,59}")
_STRENGTH = 8
_LONGEST = 8  # words of a name


@dataclass(frozen=True, slots=True)
class _Cell:
    text: str
    start: int
    end: int


def read_tables(text: str) -> tuple[list[EntityDraft], list[RelationDraft]]:
    """Return the names that rows of tables are about, and what their columns say of these."""
    drafts: dict[str, EntityDraft] = {}
    relations: list[RelationDraft] = []
    for heads, rows in _tables(text):
        kind = _kind_of(heads)
        for row in rows if kind else ():
            if (source := _draft(row[0], kind, row, drafts)) is not None:
                relations += _facts(heads, row, source, drafts)
    return list(drafts.values()), relations


def _tables(text: str) -> Iterator[tuple[list[str], list[list[_Cell]]]]:
    """Yield the heads and the rows of each table: lines with as many cells as the first."""
    rows: list[list[_Cell]] = []
    at = 0
    for line in [*text.splitlines(keepends=True), "\n"]:
        cells = _cells(line, at)
        at += len(line)
        if _RULE.fullmatch(line.strip()) and rows:
            continue
        if len(cells) > 1 and (not rows or len(cells) == len(rows[0])):
            rows.append(cells)
            continue
        if len(rows) > 1:
            yield [cell.text for cell in rows[0]], rows[1:]
        rows = [cells] if len(cells) > 1 else []


def _cells(line: str, at: int) -> list[_Cell]:
    if " | " not in line:
        return []
    bare = line.strip().strip("|")
    begin = at + line.index(bare)
    found = []
    for match in _CELL.finditer(bare):
        text = match[0].strip(" *_`")
        start = begin + match.start() + (match[0].index(text) if text else 0)
        found.append(_Cell(text, start, start + len(text)))
    return found


def _words(head: str) -> list[str]:
    return [fold(word) for word in re.findall(r"[^\W\d_]+", head)]


def _kind_of(heads: Sequence[str]) -> str:
    """Return what the rows are about, by the first head, or by what the other columns say of it; "" if unclear."""
    first = next((_KINDS[word] for word in _words(heads[0]) if word in _KINDS), "")
    if first or "name" not in _words(heads[0]):
        return first
    others = {word for head in heads[1:] for word in _words(head)}
    return PERSON if others & {"role", "position", "job", "born", "employer", "birth"} else ""


def _draft(cell: _Cell, kind: str, row: Sequence[_Cell], drafts: dict[str, EntityDraft]) -> EntityDraft | None:
    name = re.sub(r"\s*\([^()]*\)$", "", cell.text)
    if not _NAME.fullmatch(name) or len(name.split()) > _LONGEST or (kind == PLACE and not _is_place(name)):
        return None
    if kind == PERSON and (" " not in name or " and " in name):
        return None
    if name not in drafts:
        sentence = ParsedSentence(row[0].start, row[-1].end, 0)
        item = TextItem("name", name, name.lower(), cell.start, cell.start + len(name))
        sentence.items = [item]
        drafts[name] = EntityDraft(name, split_name(name)[1], mentions=[(sentence, item)], type=kind)
        item.entity = drafts[name]
    return drafts[name]


def _is_place(name: str) -> bool:
    return name in COUNTRIES or bool(PLACES & set(_words(name)))


def _facts(
    heads: Sequence[str], row: Sequence[_Cell], source: EntityDraft, drafts: dict[str, EntityDraft]
) -> Iterator[RelationDraft]:
    sentence = source.mentions[0][0]
    for head, cell in zip(heads[1:], row[1:], strict=True):
        words = _words(head)
        name = next((_PROPERTIES[word] for word in words if word in _PROPERTIES), "")
        dates = find_dates(cell.text)
        if name in ("birth", "death") and dates and source.type == PERSON:
            source.note_year(name, dates[0].year)
        elif name == "role" and not source.role:
            source.role = cell.text
        kind = "" if name or "of" in words else next((_COLUMNS[word] for word in words if word in _COLUMNS), "")
        for part in _parts(cell) if kind else ():
            target = _draft(part, _TARGETS.get(kind, "ORGANIZATION"), row, drafts)
            if target is not None and target is not source:
                one, other = (target, source) if kind == "LED" else (source, target)
                yield RelationDraft(one, kind, other, sentence, row[0].start, row[-1].end, _STRENGTH)


def _parts(cell: _Cell) -> list[_Cell]:
    """Return the cell, or what its commas part where each is a place: "Canada, Iceland"."""
    parts = [
        _Cell(match[0], cell.start + match.start(), cell.start + match.end()) for match in _PART.finditer(cell.text)
    ]
    return parts if all(_is_place(part.text) for part in parts) else [cell]
