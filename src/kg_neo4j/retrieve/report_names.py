"""The names that a canned report is given, brought to the entities that bear them."""

from __future__ import annotations

from collections.abc import Mapping

from kg_neo4j.errors import UsageError
from kg_neo4j.graph import canned_reports
from kg_neo4j.graph.canned_reports import Value
from kg_neo4j.graph.database import Database, Row
from kg_neo4j.retrieve.linking import can_link, exact_query, look_up, near_query, suggest
from kg_neo4j.retrieve.name_fits import NameFit, fit, say_missing

EVERYBODY = "*"


def known_names(
    database: Database, graph: str, report: str, values: Mapping[str, Value]
) -> tuple[dict[str, Value], list[str]]:
    """Return `values` with each entity by the name that the graph gives it, and notes on what a name was taken to mean.

    A name fits that is the entity's, without its accents, article or title, or the last one of a person's.
    Raises UsageError, with the nearest names, where nothing bears it, and for an unknown report.
    """
    named = [name for name in canned_reports.naming_parameters(report) if values.get(name, EVERYBODY) != EVERYBODY]
    if not named or not can_link(database, graph):
        return dict(values), []
    found, notes = dict(values), []
    for name in named:
        text = str(values[name])
        bearers = bearing(database, graph, text)
        if not bearers:
            hint = "kg report most-connected"
            raise UsageError(say_missing(text, suggest(database, graph, text)), hint=hint)
        if fit(text, bearers[0]) is not NameFit.SAME:
            found[name] = bearers[0]["names"][0]
            others = list(dict.fromkeys(row["names"][0] for row in bearers[1:4]))
            also = f"; it may also be {', '.join(others)}" if others else ""
            notes.append(f"{text!r} was taken to mean {found[name]}{also}")
    return found, notes


def bearing(database: Database, graph: str, text: str) -> list[Row]:
    """Return the entities that bear a name, those that it fits best first, then the best attested."""
    queries = [query for query in (exact_query(text), near_query(text)) if query.strip('" ')]
    rows = {row["id"]: row for found in look_up(database, graph, queries, None) for row in found} if queries else {}
    fits = {each: fit(text, row) for each, row in rows.items() if row["kind"] == "entity"}
    bearing = [(how, -rows[each]["evidence"], each) for each, how in fits.items() if how is not None]
    return [rows[each] for how, _, each in sorted(bearing) if how <= NameFit.LAST]
