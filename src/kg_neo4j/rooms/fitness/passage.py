"""Extracts a passage of 25 known facts, as a load does, and counts what is kept and found."""

from __future__ import annotations

import time
from dataclasses import dataclass

from kg_neo4j import data_files, factory
from kg_neo4j._models import tokens
from kg_neo4j.acquire.identity import text_hash
from kg_neo4j.errors import BudgetReached, ModelError
from kg_neo4j.extract.context import ChunkTask
from kg_neo4j.extract.engine import extract_chunk
from kg_neo4j.pipeline.options import LoadOptions, extraction_config
from kg_neo4j.records import Chunk, Document, Extraction
from kg_neo4j.rooms.fitness.probes import LONGEST, Subject

_DATA = data_files.beside(__file__)
_TEXT, FACTS = _DATA.text("text").strip(), _DATA.rows("facts", 4)
_NAMES = {each.strip(): row[0].casefold() for row in _DATA.rows("names", 2) for each in row[1].casefold().split("/")}
_DOCUMENT = Document("fitness", "fitness", "file", "fitness", _DATA.text("title"), "", _TEXT, text_hash(_TEXT))


@dataclass(frozen=True, slots=True)
class PassageRead:
    """What a schema gave on the passage."""

    schema: str
    found: int = 0  # facts that rows state
    missing: tuple[str, ...] = ()  # the others
    read: int = 0  # rows
    accepted: int = 0
    tokens_a_row: float = 0.0  # of output, for each accepted row
    tokens_a_second: float = 0.0  # likewise, over the whole time
    problem: str = ""


def read_passage(subject: Subject, schema: str) -> PassageRead:
    """Extract the passage with a schema. Rejected rows are not asked for again; a cut answer is continued."""
    chunk = Chunk("fitness", "fitness", "fitness", 0, _TEXT, tokens.load().count(_TEXT), 0, len(_TEXT))
    door, started = factory.door(subject.settings, budget=subject.budget), time.monotonic()
    config = extraction_config(subject.settings, LoadOptions(schema=schema), door)
    try:
        found = extract_chunk(ChunkTask(_DOCUMENT, chunk, limit=LONGEST), config)
    except (ModelError, BudgetReached) as error:
        return PassageRead(schema, problem=str(error))
    subject.usage += found.usage
    missing, accepted = missing_facts(found), found.rows_read - len(found.rejections)
    written = found.usage.output_tokens or sum(tokens.load().count(each.text) for each in found.answers)
    figures = (accepted, written / max(accepted, 1), written / max(time.monotonic() - started, 0.001))
    return PassageRead(schema, len(FACTS) - len(missing), missing, found.rows_read, *figures, found.detail)


def missing_facts(found: Extraction) -> tuple[str, ...]:
    """Return the facts that no relationship states, in the order of the file."""
    names = {node.node_id: _name(node.name) for node in found.nodes}
    rows = [(names[row.source_id], names[row.target_id], row.type.upper()) for row in found.relationships]
    return tuple(
        f"{first} - {second}"
        for first, second, forward, turned in FACTS
        if not any(
            (ends == (first.casefold(), second.casefold()) and any(part in kind for part in forward.split()))
            or (ends == (second.casefold(), first.casefold()) and any(part in kind for part in turned.split()))
            for *pair, kind in rows
            for ends in (tuple(pair),)
        )
    )


def _name(name: str) -> str:
    plain = name.casefold().strip(" \"'").removeprefix("the ").strip(" \"'")
    return _NAMES.get(plain, plain)
