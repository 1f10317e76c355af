"""Adopt what another graph in the same database has: its nodes and relationships become evidence; and undo that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kg_neo4j.errors import UsageError
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.documents import list_documents
from kg_neo4j.pipeline.commands.load import load, remove
from kg_neo4j.pipeline.options import LoadOptions
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import LoadReport
from kg_neo4j.rooms.adopt.links import count_links
from kg_neo4j.rooms.adopt.reading import read_tables
from kg_neo4j.rooms.tables.loading import ADOPTED
from kg_neo4j.rooms.tables.maps import TableMap, read_map
from kg_neo4j.rooms.tables.reading import Table
from kg_neo4j.settings import Settings


@dataclass(frozen=True, slots=True)
class AdoptReport:
    """What adopting did to the graph, and the links to nodes of the other one that there are now, by label."""

    load: LoadReport
    links: Mapping[str, int]


def adopt(
    given: str | Path | Mapping[str, Any] | TableMap,
    *,
    settings: Settings | None = None,
    options: LoadOptions | None = None,
    progress: Progress = SILENT,
) -> AdoptReport:
    """Bring what a map names of another graph into this one; that graph stays as it is.

    A repeat changes exactly what has changed there or in the map: a table that the map has no more is removed. Nothing
    is paid. Raises UsageError, with the line of the map, before anything is stored.
    """
    settings, table_map, notes = settings or Settings(), read_map(given), list[str]()
    tables = read(table_map, settings, notes, progress)
    with connect(settings, progress, to_write=True, makes=[]) as database:
        stored = list_documents(database, settings.graph)
        left = [each for each in stored if each.kind == ADOPTED and each.key not in tables]
        if left:
            notes += remove(database, left, stored, settings, progress).notes
    options = replace(options or LoadOptions(), table_map=table_map)
    report = load([tables], settings=settings, options=options, progress=progress)
    return AdoptReport(replace(report, notes=(*notes, *report.notes)), linked(settings, progress))


def undo(*, settings: Settings | None = None, progress: Progress = SILENT) -> AdoptReport:
    """Remove everything that adopting made, and nothing else. Raises UsageError where nothing was adopted."""
    settings = settings or Settings()
    with connect(settings, progress, to_write=True) as database:
        stored = list_documents(database, settings.graph)
        found = [each for each in stored if each.kind == ADOPTED]
        if not found:
            raise UsageError(f"graph {settings.graph!r} has adopted nothing", hint="`kg adopt --map FILE` adopts")
        return AdoptReport(remove(database, found, stored, settings, progress), {})


def read(table_map: TableMap, settings: Settings, notes: list[str], progress: Progress = SILENT) -> dict[str, Table]:
    """Return the tables that a map names of the graph that is there; see `read_tables`."""
    with connect(settings, progress, as_it_is=True) as database:
        return read_tables(database, table_map, notes)


def linked(settings: Settings, progress: Progress = SILENT) -> dict[str, int]:
    """Return the links of the graph, by label."""
    with connect(settings, progress, as_it_is=True) as database:
        return count_links(database, settings.graph)
