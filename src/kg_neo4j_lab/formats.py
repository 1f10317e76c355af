"""In which form a model writes rows best, on your text and model: CSV, CSV under a grammar, JSON arrays or objects.

All forms are asked about the same chunks. Nothing comes from the cache, is repaired, or written to a database.
KG_CONSTRAIN says what the server takes; without it there is no grammar, and JSON is asked for by words alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
from kg_neo4j.pipeline.options import LoadOptions, check_sources, cut_document, extraction_config
from kg_neo4j.pipeline.tally import Tally
from kg_neo4j.records import Extraction, Usage
from kg_neo4j.settings import Settings
from kg_neo4j.words import split_words

FORMS = ("csv", "grammar", "rows", "objects")
OBJECTS = """

Write the rows in JSON instead of CSV, each as an object whose keys are the columns, without keys that would be empty:
{"nodes": [{...}], "relationships": [{...}]}."""


@dataclass(frozen=True, slots=True)
class FormResult:
    """What one form gave. A fact counts where one row has the words of its subject and of its object."""

    form: str
    chunks: int
    rows_read: int
    rows_accepted: int
    facts: int  # listed ones that are true
    false_facts: int
    usage: Usage
    tokens_a_row: float  # of output, for one that is accepted
    seconds: float  # of all chunks, one after the other


@dataclass(frozen=True, slots=True)
class _Worded:
    """Asks for a form by words; the server holds the answer to nothing."""

    server: str
    asks: str
    csv: Callable[[str], str] = str

    def fields(self, shown: str) -> Mapping[str, Any]:
        return {}


def study_format(
    sources: Sequence[str],
    settings: Settings,
    options: LoadOptions,
    *,
    forms: Sequence[str] = (),
    facts: str | None = None,
    limit: int | None = None,
) -> Iterator[FormResult]:
    """Ask about the first `limit` chunks of each source in each form; without `forms` in all that the server takes.

    `facts` names a file of JSON lines with subject, object and `true`. Raises UsageError without a model and for a form
    that cannot be asked for, UnreadableSource where there is nothing to read, and what a model raises.
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
    for form in forms or takes:
        how = _constraint(form, schema, settings.constrain)
        extractor = LlmExtractor(door, schema, temperature=settings.temperature, constraint=how)
        config = replace(extraction_config(settings, options, door, extractor=extractor), repair=False)
        started = time.monotonic()
        given = [each for _, each in extract_all([DocumentJob(*each, each[1]) for each in cut], config)]
        yield _result(form, given, listed, time.monotonic() - started)


def _constraint(form: str, schema: Schema, constrain: str) -> Any:
    if form == "grammar":
        return constraint_of(constrain, schema)
    if form == "rows":
        how = constraint_of("ollama" if constrain in ("ollama", "llama") else "json_schema", schema)
        return _Worded(form, how.asks, how.csv) if constrain == "none" else how
    return _Worded(form, OBJECTS) if form == "objects" else None


def _result(form: str, found: list[Extraction], listed: list[tuple[bool, set[str]]], seconds: float) -> FormResult:
    stated = [true for true, words in listed if any(words <= own for each in found for own in _said(each))]
    usage, read = sum((each.usage for each in found), Usage()), sum(each.rows_read for each in found)
    accepted = read - sum(len(each.rejections) for each in found)
    counts = (len(found), read, accepted, sum(stated), len(stated) - sum(stated))
    return FormResult(form, *counts, usage, usage.output_tokens / max(1, accepted), seconds)


def _said(found: Extraction) -> Iterator[set[str]]:
    names = {node.node_id: node.name for node in found.nodes}
    yield from (_words(node.name, *node.properties.values()) for node in found.nodes)
    yield from (
        _words(names[row.source_id], names[row.target_id], row.type, *row.properties.values())
        for row in found.relationships
    )


def _words(*texts: object) -> set[str]:
    return {word.casefold() for text in texts for word in split_words(str(text).replace("_", " "))}
