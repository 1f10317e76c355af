"""Runs the offline extractor on a text and shows its CSV as dictionaries."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field

from kg_neo4j.extract import schema as schemas
from kg_neo4j.extract.context import ChunkTask
from kg_neo4j.extract.rows import STATED
from kg_neo4j.extract.schema import Schema
from kg_neo4j.records import Chunk, Document
from kg_neo4j_offline.extractor.extractor import OfflineExtractor


@dataclass(frozen=True)
class Reading:
    """The rows of one answer."""

    nodes: list[dict[str, str]]
    relationships: list[dict[str, str]]  # those that are stated
    likely: list[dict[str, str]] = field(default_factory=list)  # the others

    @property
    def names(self) -> set[str]:
        """Names of all nodes."""
        return {node["name"] for node in self.nodes}

    @property
    def facts(self) -> set[tuple[str, str, str]]:
        """Stated relationships as (name, type, name), a RELATED_TO with its verb: "RELATED_TO applaud"."""
        return self._named(self.relationships)

    @property
    def likely_facts(self) -> set[tuple[str, str, str]]:
        """Relationships that are only likely, as (name, type, name)."""
        return self._named(self.likely)

    def _named(self, rows: list[dict[str, str]]) -> set[tuple[str, str, str]]:
        ids = {node["node_id"]: node["name"] for node in self.nodes}
        kinds = (f"{row['relationship_type']} {row.get('phrase', '')}".strip() for row in rows)
        return {(ids[row["node_id_1"]], kind, ids[row["node_id_2"]]) for row, kind in zip(rows, kinds, strict=True)}

    @property
    def types(self) -> dict[str, str]:
        """Types of all nodes, by name."""
        return {node["name"]: node["node_type"] for node in self.nodes}

    def node(self, name: str) -> dict[str, str]:
        """The node of that name; there must be exactly one."""
        (found,) = (node for node in self.nodes if node["name"] == name)
        return found


def document(text: str, title: str = "notes", language: str | None = None) -> Document:
    """A document of that title; "en" as its language, where its few words do not tell."""
    return Document("d" * 32, "g", "file", "notes.txt", title, "notes.txt", text, "0" * 64, language=language)


def chunk(text: str) -> Chunk:
    """A chunk of that text."""
    return Chunk("c" * 32, "d" * 32, "g", 0, text, len(text.split()), 0, len(text), "")


def answer(text: str, *, title: str = "notes", schema: Schema | None = None, language: str | None = "en") -> str:
    """The extractor's CSV."""
    extractor = OfflineExtractor(schema or schemas.load("described"))
    return extractor.answer(ChunkTask(document(text, title, language), chunk(text)), text).text


def read(text: str, *, title: str = "notes", schema: Schema | None = None, language: str | None = "en") -> Reading:
    """The extractor's CSV, read."""
    return parse(answer(text, title=title, schema=schema, language=language), schema or schemas.load("described"))


def parse(text: str, schema: Schema) -> Reading:
    """Split an answer at its two headers."""
    records = [record for record in csv.reader(io.StringIO(text), strict=True) if record]
    header = list(schema.relationship_header)
    split = next(number for number, record in enumerate(records) if record[: len(header)] == header)
    assert records[0] == list(schema.node_header)
    more = [*(column.name for column in schema.unasked), STATED]
    assert records[split] == [*header, *(name for name in more if name in records[split])]
    nodes = [dict(zip(schema.node_header, record, strict=True)) for record in records[1:split]]
    rows = [dict(zip(records[split], record, strict=True)) for record in records[split + 1 :]]
    likely = [row for row in rows if row.pop(STATED, "true") == "false"]
    return Reading(nodes, [row for row in rows if row not in likely], likely)
