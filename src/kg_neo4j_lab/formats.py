"""In which form a model writes rows best, on your text and model: CSV, CSV under a grammar, JSON arrays or objects.

All forms are asked about the same chunks. Nothing comes from the cache, is repaired, or written to a database.
KG_CONSTRAIN says what the server takes; without it there is no grammar, and JSON is asked for by words alone.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from kg_neo4j import factory
from kg_neo4j._models import tokens
from kg_neo4j.acquire.json_lines import read_rows
from kg_neo4j.errors import UnreadableSource, UsageError
from kg_neo4j.extract import schema as schemas
from kg_neo4j.extract.context import DocumentJob
from kg_neo4j.extract.engine import extract_all
from kg_neo4j.extract.llm_extractor import LlmExtractor, constraint_of
from kg_neo4j.extract.schema import Schema
from kg_neo4j.graph.report_format import Cell, Report
from kg_neo4j.pipeline.options import LoadOptions, check_sources, cut_document, extraction_config
from kg_neo4j.pipeline.tally import Tally
from kg_neo4j.records import Extraction, Usage
from kg_neo4j.settings import Settings
from kg_neo4j.words import split_words

FORMS = ("csv", "grammar", "rows", "objects")
OBJECTS = """

Write the rows in JSON instead of CSV, each as an object whose keys are the columns, without keys that would be empty:
{"nodes": [{...}], "relationships": [{...}]}."""
COLUMNS = ("Form", "Chunks", "Rows", "Accepted", "Facts", "False", "Input", "Output", "Tokens a row", "Seconds")


def study_format(
    sources: Sequence[str],
    settings: Settings,
    options: LoadOptions,
    forms: Sequence[str] = (),
    facts: str | None = None,
    limit: int | None = None,
) -> Report:
    """Ask about the first `limit` chunks of each source in each form; without `forms` in all that the server takes.

    `facts` names a file of JSON lines with subject, object and `true`: a fact counts where one row has all its words.
    Raises UsageError without a model or for such a form, UnreadableSource, and what a model raises.
    """
    factory.require_model(settings, "the forms of a model's rows cannot be compared")
    takes = [each for each in FORMS if each != "grammar" or settings.constrain in ("vllm", "llama")]
    if unknown := [each for each in forms if each not in takes]:
        hint = f"one of {', '.join(takes)}; a grammar needs KG_CONSTRAIN=vllm or llama"
        raise UsageError(f"no rows can be asked for as {unknown[0][:40]!r}", hint=hint)
    found = list(check_sources(sources, settings, options, Tally()).documents())
    if not found:
        raise UnreadableSource(f"nothing to read in {', '.join(sources)}", hint="`kg load` says why")
    cut = [(each, cut_document(each, tokens.load(), settings, options)[:limit]) for each in found]
    listed = (
        [(bool(row["true"]), _words(row["subject"], row["object"])) for _, row in read_rows(facts)] if facts else []
    )
    door, schema = factory.door(settings.model_copy(update={"answer_cache": False})), schemas.load(options.schema)
    results = []
    for form in forms or takes:
        how = _constraint(form, schema, settings.constrain)
        extractor = LlmExtractor(door, schema, temperature=settings.temperature, constraint=how)
        config = replace(extraction_config(settings, options, door, extractor=extractor), repair=False)
        started = time.monotonic()
        given = [each for _, each in extract_all([DocumentJob(*each, each[1]) for each in cut], config)]
        results.append((form, *_counts(given, listed), round(time.monotonic() - started, 1)))
    return Report("format", "Forms of rows", COLUMNS, tuple(results))


def _constraint(form: str, schema: Schema, constrain: str) -> Any:
    if form in ("csv", "grammar"):
        return constraint_of(constrain if form == "grammar" else "none", schema)
    rows = constraint_of("ollama" if constrain in ("ollama", "llama") else "json_schema", schema)
    if form == "rows" and constrain != "none":
        return rows
    asks, as_csv = (rows.asks, rows.csv) if form == "rows" else (OBJECTS, str)
    return SimpleNamespace(server=form, asks=asks, csv=as_csv, fields=lambda _: {})


def _counts(found: Sequence[Extraction], listed: Sequence[tuple[bool, set[str]]]) -> tuple[Cell, ...]:
    said = [words for each in found for words in _said(each)]
    stated = [true for true, words in listed if any(words <= own for own in said)]
    usage, read = sum((each.usage for each in found), Usage()), sum(each.rows_read for each in found)
    accepted = read - sum(len(each.rejections) for each in found)
    facts = (sum(stated), len(stated) - sum(stated)) if listed else (None, None)
    written = usage.output_tokens
    return (len(found), read, accepted, *facts, usage.input_tokens, written, round(written / max(1, accepted), 1))


def _said(found: Extraction) -> Iterator[set[str]]:
    names = {node.node_id: node.name for node in found.nodes}
    yield from (_words(node.name, *node.properties.values()) for node in found.nodes)
    for row in found.relationships:
        yield _words(names[row.source_id], names[row.target_id], row.type, *row.properties.values())


def _words(*texts: object) -> set[str]:
    return {word.casefold() for text in texts for word in split_words(str(text).replace("_", " "))}
