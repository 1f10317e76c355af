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
        """Stated relationships as (name, type, name)."""
        return self._named(self.relationships)

    @property
    def likely_facts(self) -> set[tuple[str, str, str]]:
        """Relationships that are only likely, as (name, type, name)."""
        return self._named(self.likely)

    def _named(self, rows: list[dict[str, str]]) -> set[tuple[str, str, str]]:
        ids = {node["node_id"]: node["name"] for node in self.nodes}
        return {(ids[row["node_id_1"]], row["relationship_type"], ids[row["node_id_2"]]) for row in rows}

    def node(self, name: str) -> dict[str, str]:
        """The node of that name; there must be exactly one."""
        (found,) = (node for node in self.nodes if node["name"] == name)
        return found


def document(text: str, title: str = "notes") -> Document:
    """A document of that title."""
    return Document("d" * 32, "g", "file", "notes.txt", title, "notes.txt", text, "0" * 64)


def chunk(text: str, section: str = "") -> Chunk:
    """A chunk of that text."""
    return Chunk("c" * 32, "d" * 32, "g", 0, text, len(text.split()), 0, len(text), section)


def answer(text: str, *, title: str = "notes", schema: Schema | None = None, section: str = "") -> str:
    """The extractor's CSV."""
    extractor = OfflineExtractor(schema or schemas.load("graph"))
    return extractor.answer(ChunkTask(document(text, title), chunk(text, section)), text).text


def read(text: str, *, title: str = "notes", schema: Schema | None = None) -> Reading:
    """The extractor's CSV, read."""
    return parse(answer(text, title=title, schema=schema), schema or schemas.load("graph"))


def parse(text: str, schema: Schema) -> Reading:
    """Split an answer at its two headers."""
    records = [record for record in csv.reader(io.StringIO(text), strict=True) if record]
    header = list(schema.relationship_header)
    split = next(number for number, record in enumerate(records) if record[: len(header)] == header)
    assert records[0] == list(schema.node_header)
    assert records[split][len(header) :] in ([], [STATED])
    nodes = [dict(zip(schema.node_header, record, strict=True)) for record in records[1:split]]
    rows = [dict(zip([*header, STATED], [*record, "true"], strict=False)) for record in records[split + 1 :]]
    likely = [row for row in rows if row.pop(STATED) == "false"]
    return Reading(nodes, [row for row in rows if row not in likely], likely)
