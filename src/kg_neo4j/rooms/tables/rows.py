"""Rows as text, and as the answers that a model would give about them: the schema's two sections, with cited cells."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple, cast

from kg_neo4j import data_files
from kg_neo4j.errors import BadModelAnswer
from kg_neo4j.extract.context import ChunkTask
from kg_neo4j.extract.interface import FollowUp
from kg_neo4j.extract.numbering import CITED
from kg_neo4j.extract.schema import Schema
from kg_neo4j.records import Document, ModelAnswer
from kg_neo4j.rooms.tables.maps import MappedNode, MappedPart, MappedProperty, MappedRelationship, MappedTable
from kg_neo4j.rooms.tables.reading import Number, Table, TableRow

MODEL = "table map"  # stored with answers as what gave them
BETWEEN = " | "
KEY = "table_key"  # the column of nodes with the table and the key of their row
_TIME = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d")  # a day has ten characters
_MARKS = re.compile(r"[ .,'\u2019\u00a0\u202f]")  # between thousands
_DATA = data_files.beside(__file__)
_NUMBER = {
    decimal: re.compile(_DATA.parts("number", decimal=re.escape(decimal), marks=marks)["number"])
    for decimal, marks in _DATA.table("marks").items()
}


class NamedKey(NamedTuple):
    """What a key of a table means: its name, its type, and the first line with it."""

    name: str
    type: str
    line: int
    shown: str  # its name; with the key where several keys have the name


@dataclass(frozen=True, slots=True)
class ReadTable:
    """A table with its part of the map; `keys` are those of its own node with a key."""

    key: str  # of its document
    mapped: MappedTable
    table: Table
    places: Mapping[str, int]  # of columns
    keys: Mapping[str, NamedKey]
    faults: Mapping[int, str]  # by line: why a row cannot have its key

    def cell(self, row: TableRow, column: str | None) -> str:
        """Return the value of a column in a row; "" for no column."""
        return row.cells[self.places[column]] if column is not None else ""


@dataclass(frozen=True, slots=True)
class TableDocument(Document):
    """A table as a document: each row is a line of its text, and a chunk."""

    rows: tuple[WrittenRow, ...] = ()


@dataclass(frozen=True, slots=True)
class WrittenRow:
    """What a row says: an answer, and the cells that its numbers mean; or why it cannot be read."""

    line: int
    text: str
    answer: str
    offsets: tuple[tuple[int, int], ...]
    fault: str = ""
    label: str = ""  # of a row of another graph


class TableExtractor:
    """An Extractor whose answers are those of the rows themselves."""

    name = MODEL
    converses = False
    notes = ()

    def __init__(self, map_hash: str) -> None:
        self.config_hash = map_hash

    def answer(self, task: ChunkTask, shown_text: str) -> ModelAnswer:
        """Return what the row says. Raises BadModelAnswer for one that cannot be read; it fails alone."""
        document = cast("TableDocument", task.document)  # no other one comes here
        row = document.rows[task.chunk.index]
        if row.fault:
            raise BadModelAnswer(f"line {task.chunk.line}: {row.fault}")
        return ModelAnswer(row.answer, MODEL, self.config_hash, "stop", offsets=row.offsets)

    def follow_up(self, task: ChunkTask, shown_text: str, question: FollowUp) -> ModelAnswer:
        """Answer as before: a row says all at once."""
        return self.answer(task, shown_text)

    def keep(self, answer: ModelAnswer) -> None:
        """Keep nothing: a row costs nothing."""


class _Piece(NamedTuple):
    """A node of one row."""

    id: str
    type: str
    name: str
    key: str = ""  # of a row: its table and its key
    is_missing: bool = False  # a key that no row of the other table has


class RowWriter:
    """Writes the rows of one table for one schema; `tables` are by name those that keys mean."""

    def __init__(self, own: ReadTable, tables: Mapping[str, ReadTable], schema: Schema) -> None:
        self.own, self.tables, self.schema = own, tables, schema
        self._headers: list[tuple[str, list[str]]] = []  # of both sections: the line, and the keys of the values
        mapped = own.mapped
        both = ((mapped.nodes.values(), schema.node_columns), (mapped.relationships, schema.relationship_columns))
        for parts, columns in both:
            named = {KEY, *(name for part in parts for name in part.properties)}
            used = [each for each in columns if not each.is_property or each.name in named]
            keys = [each.name if each.is_property else each.kind.name for each in used]  # NAME, but name of a property
            self._headers.append((",".join(each.name for each in used) + "\n", keys))

    def rows(self) -> Iterator[WrittenRow]:
        """Yield the rows in order."""
        names = self.own.table.columns
        for row in self.own.table.rows:
            if len(row.cells) != len(names) or row.cells == names:
                fault = "the names again" if row.cells == names else f"{len(row.cells)} cells for {len(names)} columns"
                text = (
                    fault if self.own.mapped.ignore else BETWEEN.join(filter(None, row.cells))
                )  # whose cells are not known
                yield WrittenRow(row.line, text, "", (), fault)
                continue
            text, cells = self._text(row)
            fault = self.own.faults.get(row.line, "")
            answer = "" if fault else self._answer(row, text, cells)
            yield WrittenRow(row.line, text, answer, (*cells.values(), (0, len(text))), fault, self._label(row))

    def _label(self, row: TableRow) -> str:
        """Return what a row of another graph is called there: the key of a node, or both ends of a relationship."""
        if self.own.mapped.label:
            return self.own.cell(row, self.own.mapped.unique[0])
        ends = ((self.tables[str(end.table)].keys, self.own.cell(row, end.key)) for end in self.own.mapped.ends)
        return " -> ".join(keys[key].shown if key in keys else key for keys, key in ends)

    def _text(self, row: TableRow) -> tuple[str, dict[str, tuple[int, int]]]:
        """Return a row in words, and where each column is in it: a key is shown with what it means."""
        shown: dict[str, str] = {}
        for node in self.own.mapped.nodes.values():
            key = self.own.cell(row, node.key)
            if node.table is not None:
                known, keys = self.tables[node.table].keys, parts_of(key, node.split)
                said = ((known[each].shown if each in known else each, each) for each in keys)
                shown[str(node.key)] = "; ".join(name if name == each else f"{name} [{each}]" for name, each in said)
            elif key in self.own.keys:
                shown[str(node.name)] = self.own.keys[key].shown
        ends = {str(end.key): f"{str(end.key).partition('.')[0]} {end.table}" for end in self.own.mapped.ends}
        pieces: list[str] = []
        cells: dict[str, tuple[int, int]] = {}
        at = 0
        for column, value in zip(self.own.table.columns, row.cells, strict=True):
            if value and column not in self.own.mapped.ignore:
                pieces.append(f"{ends.get(column, column)}: {shown.get(column, value)}".replace("|", "/"))
                cells[column] = (at, at + len(pieces[-1]))
                at += len(pieces[-1]) + len(BETWEEN)
        return BETWEEN.join(pieces), cells

    def _answer(self, row: TableRow, text: str, cells: Mapping[str, tuple[int, int]]) -> str:
        """Return what a row says, in the two sections of the schema."""
        numbers = {column: str(number) for number, column in enumerate(cells, 1)}
        file = io.StringIO()
        writer = csv.writer(file, lineterminator="\n")

        def write(part: MappedPart, special: dict[str, str], naming: Iterable[str] = ()) -> None:
            used = dict.fromkeys([*naming, *(column for _, column in part.columns)])
            cited = [numbers[column] for column in used if column in numbers]
            where = " ".join(cited) if len(cited) <= CITED else str(len(cells) + 1)  # the whole row
            special["EVIDENCE"] = text if self.schema.evidence == "words" else where
            values = special | {name: self._value(row, each) for name, each in part.properties.items()}
            writer.writerow(map(values.get, self._headers[isinstance(part, MappedRelationship)][1]))

        file.write(self._headers[0][0])
        known: dict[str, list[_Piece]] = {}
        nodes = self.own.mapped.nodes
        for name, node in nodes.items():
            known[name] = list(self._pieces(row, node, len(known)))
            for piece in known[name]:
                if not piece.is_missing:
                    write(node, {"ID": piece.id, "TYPE": piece.type, "NAME": piece.name, KEY: piece.key})
        file.write(f"\n{self._headers[1][0]}")
        count = itertools.count(1)
        for each in self.own.mapped.relationships:
            kind = each.type or self.own.cell(row, each.type_column)
            ends = (nodes[each.source], nodes[each.target])
            naming = [column for end in ends for column in (end.name or end.key, end.type_column) if column]
            for source, target in itertools.product(known[each.source], known[each.target]):
                write(each, {"ID": f"r-{next(count)}", "SOURCE": source.id, "TYPE": kind, "TARGET": target.id}, naming)
        return file.getvalue()

    def _pieces(self, row: TableRow, node: MappedNode, number: int) -> Iterator[_Piece]:
        """Yield the nodes that a row has for one of the map; none where its cells are empty."""
        kind, key = node.type or self.own.cell(row, node.type_column), self.own.cell(row, node.key)
        if node.table is None and key:
            name = self.own.keys[key].shown if key in self.own.keys else self.own.cell(row, node.name)
            yield _Piece(f"n-{number}", kind, name, f"{self.own.key}: {key}")
            return
        for place, part in enumerate(parts_of(key or self.own.cell(row, node.name), node.split)):
            own_id, table = f"n-{number}x{place}", node.table
            if table is None:
                yield _Piece(own_id, kind, part)
            elif meant := self.tables[table].keys.get(part):
                yield _Piece(own_id, meant.type, meant.shown, f"{self.tables[table].key}: {part}")
            else:
                yield _Piece(f"key {part} of {self.tables[table].key}", "", "", is_missing=True)

    def _value(self, row: TableRow, given: MappedProperty) -> str:
        """Return a value in the form that the schema's columns have; as it is where it has none."""
        text = self.own.cell(row, given.column)
        if given.kind == "number":
            return f"{Decimal(text):f}" if isinstance(text, Number) else number_of(text, given.decimal) or text
        day = date_of(text, given.format) if given.kind == "date" and given.format else ""
        return day or (text[:10] if given.kind == "date" and _TIME.match(text) else text)


def parts_of(cell: str, split: str | None) -> list[str]:
    """Return the names or keys in a cell."""
    parts = cell.split(split) if split else [cell]
    return [part for each in parts if (part := each.strip())]


def number_of(text: str, decimal: str = ".") -> str:
    """Return a number with its unit, or with marks between its thousands, as digits; "" where it is none."""
    found = _NUMBER[decimal].fullmatch(text.replace("\u2212", "-"))
    if found is None or text.startswith("(") != text.endswith(")"):
        return ""
    digits = _MARKS.sub("", found["whole"]) + (f".{found['rest']}" if found["rest"] else "")
    return f"-{digits}" if found["sign"] == "-" or text.startswith("(") else digits


def date_of(text: str, form: str) -> str:
    """Return a date in a form of strptime as ISO 8601 has it, as exact as the form is; "" where it has another form."""
    try:
        found = datetime.strptime(text, form)  # noqa: DTZ007 (a date has no zone)
    except ValueError:
        return ""
    exact = "%Y-%m-%d" if re.search("%[djxcD]", form) else "%Y-%m" if re.search("%[mbB]", form) else "%Y"
    return found.strftime(exact)
