"""kg map: a map proposed for tables. The dry run of `kg load --map`: what the first rows become, and counts of all."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kg_neo4j._cli.terminal import print_facts, print_text, remark, show, write_file
from kg_neo4j.errors import UsageError
from kg_neo4j.extract import schema as schemas
from kg_neo4j.extract.reading import USABLE
from kg_neo4j.extract.schema import ColumnKind

if TYPE_CHECKING:
    from kg_neo4j.extract.engine import ExtractionConfig
    from kg_neo4j.pipeline.options import LoadOptions
    from kg_neo4j.records import Document, Extraction
    from kg_neo4j.settings import Settings

SHOWN, FAULTS = 10, 3  # rows of each table that are shown, and rows that fail
_COUNTED = {"rejected": "rejected", "dropped": "left out", "no_dates": "no dates"}  # in words
_ISO = re.compile(r"-?\d{1,4}(-\d\d){0,2}")


def map_tables(
    sources: list[str],
    target: Path | None = None,
    sheet: str | None = None,
    encoding: str | None = None,
    force: bool = False,
    as_json: bool = False,
) -> None:
    """Propose how rows of tables become facts (a map).

    Name tables that belong together in one call: it finds columns with keys of another table.
    """
    from kg_neo4j.rooms.tables import proposing

    tables, sheets = proposing.read_files(sources, target.parent if target else None, sheet, encoding)
    text = proposing.propose(tables, sheets)
    if target is None:
        show({"map": text}, text, as_json=as_json)
        return
    write_file(target, text, force=force)
    show({"file": str(target), "tables": [*tables]}, {"map": target, "tables": len(tables)}, as_json=as_json)
    remark("note", [f"read it, edit it, then: kg load --map {target} --dry-run"])


def show_rows(sources: Sequence[Any], settings: Settings, options: LoadOptions, *, as_json: bool = False) -> None:
    """Print what the first rows of each table become, and counts of all its rows; no database is asked."""
    from kg_neo4j.extract.engine import ExtractionConfig
    from kg_neo4j.rooms.tables.loading import tables_of

    if (given := tables_of(sources, settings, options)) is None:
        raise UsageError("there is no map", hint="`kg map FILE` makes one")
    documents, extractor, options = given
    config = ExtractionConfig(schema=schemas.load(options.schema), extractor=extractor, evidence=options.evidence)
    found = [_tried(each, config) for each in documents]
    show(found, _print, as_json=as_json)


def _tried(document: Document, config: ExtractionConfig) -> dict[str, Any]:
    """Return what the rows of a table become."""
    from kg_neo4j._models import tokens
    from kg_neo4j.acquire.chunking import chunk
    from kg_neo4j.extract.context import DocumentJob
    from kg_neo4j.extract.engine import extract_all
    from kg_neo4j.graph.identity import normalise

    chunks = chunk(document, tokens.load("approximate-1"))
    columns = (*config.schema.node_columns, *config.schema.relationship_columns)
    dates = {each.name for each in columns if each.kind is ColumnKind.DATE}
    counts: dict[str, Counter[str]] = {name: Counter() for name in _COUNTED}
    nodes: set[tuple[str, str]] = set()
    shown: list[dict[str, Any]] = []
    failed: list[str] = []
    relationships = 0
    for _, found in extract_all([DocumentJob(document, chunks, chunks)], config):
        nodes |= {(each.type, normalise(each.name)) for each in found.nodes}
        relationships += len(found.relationships)
        failed += [found.detail] * (found.outcome not in USABLE)
        counts["rejected"].update(str(each.reason) for each in found.rejections)
        counts["dropped"].update(str(each.reason) for each in found.dropped)
        rows: list[Any] = [*found.nodes, *found.relationships]
        values = ((name, str(value)) for each in rows for name, value in each.properties.items() if name in dates)
        counts["no_dates"].update(name for name, value in values if not _ISO.fullmatch(value))
        if len(shown) < SHOWN:
            shown.append(_shown(found))
    sizes = {"rows": len(chunks), "nodes": len(nodes), "relationships": relationships, "failed": len(failed)}
    return {"table": document.title, **sizes, **counts, "failures": failed[:FAULTS], "shown": shown}


def _shown(found: Extraction) -> dict[str, Any]:
    """Return what a row becomes, in words."""
    names = {each.node_id: each.name for each in found.nodes}
    ends = ((each, names[each.source_id], names[each.target_id]) for each in found.relationships)
    rows: list[tuple[Any, str]] = [(each, f"{each.type} {each.name}") for each in found.nodes]
    rows += [(each, f"{source} {each.type} {target}") for each, source, target in ends]
    values = [", ".join(f"{name} {value}" for name, value in each.properties.items()) for each, _ in rows]
    said = [f"{words} ({each})" if each else words for (_, words), each in zip(rows, values, strict=True)]
    place = found.chunk.section or f"line {found.chunk.line}"  # a row of another graph is called as there
    shown = {"nodes": said[: len(found.nodes)], "relationships": said[len(found.nodes) :]}
    return {"line": found.chunk.line, "place": place, **shown}


def _print(tables: Sequence[dict[str, Any]]) -> None:
    for found in tables:
        facts = {name: value for name, value in found.items() if isinstance(value, str | int)}
        counts = {words: found[name].items() for name, words in _COUNTED.items() if found[name]}
        print_facts(facts | {words: ", ".join(f"{n:,} {each}" for each, n in own) for words, own in counts.items()})
        remark("failed", found["failures"])
        for row in found["shown"]:
            print_text("\n  ".join([row["place"], *row["nodes"], *row["relationships"]]))
        print_text("")
