"""Canned reports: the list, and one as a table with a form for its parameters and its Cypher."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from kg_neo4j.errors import UsageError
from kg_neo4j.local_server import local_neo4j
from kg_neo4j_serve.limits import checked, start_of
from kg_neo4j_serve.rendering import ServedPage
from kg_neo4j_serve.results import ReportTable
from kg_neo4j_serve.service import Service, without_header

PREFIX = "set."  # of the parameters of a report in an address, as in the API


def listed(service: Service, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Return all reports."""
    return {"reports": _reports({})}


def shown(service: Service, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Return a page of a report. Where a parameter must be given and is not, only what the report is."""
    name = checked(given.get("name", ""), "name")
    values = {key.removeprefix(PREFIX): value for key, value in given.items() if key.startswith(PREFIX) and value}
    report = next((each for each in _reports(values) if each["name"] == name), None)
    table: ReportTable | None = None
    if report is None or all(each["value"] for each in report["parameters"]):
        table = service.report(name, values, cursor=given.get("cursor"))  # says which report is near, where none is
    if report is None:
        raise UsageError(f"there is no report {name[:80]!r}", hint="/reports lists them")
    cypher = without_header(table.cypher) if table else ""  # the header is on the page in other words
    browser = None
    if not service.settings.neo4j_uri:
        with local_neo4j(service.settings) as local:
            browser = local.status().browser
    if browser and cypher:
        browser = f"{browser}?{urlencode({'cmd': 'edit', 'arg': cypher})}"
    address = {"name": name} | {PREFIX + key: value for key, value in values.items()}
    is_first = start_of(given.get("cursor")) == 0
    found = {"report": report, "table": table, "cypher": cypher, "browser": browser}
    return {**found, "address": address, "is_first": is_first}


def _reports(values: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return all reports with their parameters; a value is the given one or the default, empty: it must be given."""
    from kg_neo4j.graph import canned_reports

    found = []
    for query in canned_reports.list_reports():
        parameters = [
            {
                "name": each.name,
                "note": each.note,
                "value": values.get(each.name, "" if each.default is None else str(each.default)),
                "is_number": each.type in ("INTEGER", "FLOAT"),
            }
            for each in query.params
            if each.name != "graph"
        ]
        about = {"name": canned_reports.outside_name(query), "title": query.title, "purpose": query.purpose}
        found.append({**about, "parameters": parameters})
    return found


PAGES = (
    ServedPage("/reports", "reports.html", listed, title="Reports", rank=50),
    ServedPage("/report", "report.html", shown),
)
