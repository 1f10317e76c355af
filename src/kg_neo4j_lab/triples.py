"""An extractor that says what another one said: entities and triples read from a file.

So a graph of a large model is built without asking one. The file is JSON, or JSON within gzip, as HippoRAG publishes
it: {"docs": [{"text": "...", "extracted_entities": ["..."], "extracted_triples": [["subject", "predicate", "object"],
...]}, ...]}. A passage is recognised by its text.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kg_neo4j.acquire.identity import text_hash
from kg_neo4j.acquire.sentences import sentences
from kg_neo4j.errors import SourceNotFound, UnreadableSource
from kg_neo4j.extract.context import ChunkTask
from kg_neo4j.extract.interface import FollowUp
from kg_neo4j.extract.schema import ColumnKind, Schema, SchemaColumn
from kg_neo4j.records import ModelAnswer

RULES_VERSION = 1  # raised with every change that changes answers
UNTYPED = "OTHER"  # the file does not say what its entities are
_SIZE = 3


@dataclass(frozen=True, slots=True)
class Triples:
    """What was found in one passage. A triple may have any number of parts; only those of three are accepted."""

    entities: tuple[str, ...]
    triples: tuple[tuple[str, ...], ...]


def read_triples(path: str) -> Mapping[str, Triples]:
    """Return what a file holds, by the hash of the passage's text. Raises SourceNotFound and UnreadableSource."""
    file = Path(path)
    if not file.is_file():
        raise SourceNotFound(f"no file {path!r}")
    try:
        content = file.read_bytes()
        plain = gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content
        docs = json.loads(plain)["docs"]
        return {
            text_hash(str(doc["text"])): Triples(
                tuple(map(str, doc.get("extracted_entities", ()))),
                tuple(tuple(map(str, triple)) for triple in doc["extracted_triples"]),
            )
            for doc in docs
        }
    except (ValueError, KeyError, TypeError, EOFError, OSError) as error:
        raise UnreadableSource(f"{path} holds no triples", hint='{"docs": [{"text", "extracted_triples"}]}') from error


class TripleExtractor:
    """Answers chunks from triples that were read before. Deterministic; pickles."""

    def __init__(self, schema: Schema, known: Mapping[str, Triples]) -> None:
        self._schema = schema
        self._known = known
        digest = hashlib.sha256(f"{RULES_VERSION}\0{schema.hash}".encode())
        for key in sorted(known):
            digest.update(repr((key, known[key].entities, known[key].triples)).encode("utf-8", "surrogatepass"))
        self.name = "triples"  # stored with every answer
        self.config_hash = digest.hexdigest()[:32]  # of the schema, of these rules and of all triples
        self.converses = False  # the file says everything at once
        self.notes: tuple[str, ...] = ()

    def answer(self, task: ChunkTask, shown_text: str) -> ModelAnswer:
        """Return as CSV what the file says of the chunk's document; of a chunk among several, what it names itself."""
        said = self._known.get(task.document.sha256, Triples((), ()))
        whole = task.chunk.start == 0 and task.chunk.end >= len(task.document.text)
        text = _csv(self._schema, said if whole else _within(said, shown_text), shown_text, task.document.language)
        return ModelAnswer(text=text, model=self.name, prompt_hash=self.config_hash, finish_reason="stop")

    def follow_up(self, task: ChunkTask, shown_text: str, question: FollowUp) -> ModelAnswer:
        """Answer again; never called, because `converses` is false."""
        return self.answer(task, shown_text)

    def keep(self, answer: ModelAnswer) -> None:
        """Nothing to do: answers cost nothing."""


def _within(said: Triples, text: str) -> Triples:
    """Return the entities that `text` names, and the triples both ends of which it names."""
    entities = tuple(name for name in said.entities if name in text)
    return Triples(entities, tuple(each for each in said.triples if each[0] in text and each[-1] in text))


def _csv(schema: Schema, said: Triples, text: str, language: str | None) -> str:
    names = dict.fromkeys([*said.entities, *(end for triple in said.triples for end in (triple[0], triple[-1]))])
    ids = {name: f"n{number}" for number, name in enumerate(names, start=1)}
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n" if "\r" in text else "\n")
    writer.writerow(schema.node_header)
    for name in names:
        cells = {ColumnKind.ID: ids[name], ColumnKind.TYPE: UNTYPED, ColumnKind.NAME: name, ColumnKind.EVIDENCE: name}
        writer.writerow([_cell(column, cells, "") for column in schema.nodes])
    buffer.write("\n")
    writer.writerow(schema.relationship_header)
    spans = [text[start:end] for start, end in sentences(text, 0, len(text), language)]
    for number, triple in enumerate(said.triples, start=1):
        cells = {
            ColumnKind.ID: f"r{number}",
            ColumnKind.SOURCE: ids[triple[0]],
            ColumnKind.TYPE: " ".join(triple[1:-1]) if len(triple) == _SIZE else "",  # refused, and counted, without
            ColumnKind.TARGET: ids[triple[-1]],
            ColumnKind.EVIDENCE: _evidence(spans, triple),
        }
        writer.writerow([_cell(column, cells, " ".join(triple)) for column in schema.relationships])
    return buffer.getvalue()


def _cell(column: SchemaColumn, cells: Mapping[ColumnKind, str], description: str) -> str:
    return cells.get(column.kind, description if column.name == "description" else "")


def _evidence(spans: Sequence[str], triple: Sequence[str]) -> str:
    """Return the sentence that names both ends, else the first that names one; empty where none does."""
    ends = (triple[0].casefold(), triple[-1].casefold())
    counts = [sum(end in span.casefold() for end in ends) for span in spans]
    best = max(counts, default=0)
    return spans[counts.index(best)] if best else ""
