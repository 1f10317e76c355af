"""Run a canned report, with the names of entities as they are known in the graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pkgutil import resolve_name

from kg_neo4j.graph import canned_reports
from kg_neo4j.graph.canned_reports import Value
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.report_format import Report
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.retrieve.linking import known_names
from kg_neo4j.settings import Settings

SHOWN = {"schema": "kg_neo4j.rooms.types.drawing:by_family"}  # reports that a room makes of what Cypher finds


def report(
    name: str,
    *,
    settings: Settings | None = None,
    parameters: Mapping[str, Value] | None = None,
    progress: Progress = SILENT,
) -> Report:
    """Run the canned report `name`; `to_dataframe()` of the result is a pandas DataFrame.

    A name in `parameters` may be another form of an entity's name; `notes` says what it was taken to mean. Raises
    UsageError for an unknown report or parameter, a value that does not fit, or a name that no entity has.
    """
    settings = settings or Settings()
    given = parameters or {}
    canned_reports.check(name, given)
    with connect(settings, progress) as database:
        known, notes = known_names(database, settings.graph, name, given)
        found = replace(canned_reports.run(database, name, graph=settings.graph, parameters=known), notes=tuple(notes))
        return resolve_name(SHOWN[name])(database, settings.graph, found) if name in SHOWN else found
