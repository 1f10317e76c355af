"""kg report."""

from __future__ import annotations

from typing import Annotated

import typer

from kg_neo4j._cli.options import GraphOption, JsonOption, settings_for
from kg_neo4j._cli.terminal import print_json, print_table, print_text, progress, remark
from kg_neo4j.errors import UsageError


def report(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Name of a report [default: list all].", show_default=False)
    ] = None,
    values: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Parameter of the report; repeatable.")
    ] = None,
    output: Annotated[
        str, typer.Option("--format", metavar="table|csv|json|markdown", help="Output format.")
    ] = "table",
    browser: Annotated[bool, typer.Option("--browser", help="Print its query, to paste into Neo4j Browser.")] = False,
    graph: GraphOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run a canned Cypher report, or list all reports."""
    from kg_neo4j import pipeline
    from kg_neo4j.graph import canned_reports
    from kg_neo4j.graph.report_format import render

    settings = settings_for(graph=graph)
    output = "json" if as_json else output
    if name is None:
        _list(output)
        return
    parameters = dict(_pair(value) for value in values or ())
    if browser:
        print_text(canned_reports.browser_text(name, settings.graph, parameters))
        return
    with progress(quiet=output != "table") as bars:
        found = pipeline.report(name, settings=settings, parameters=parameters, progress=bars)
    remark("note", found.notes)
    if output == "table":
        print_table(found.columns, found.rows, found.title)
        if not found.rows:
            typer.echo(f"note: no results in graph {settings.graph!r}", err=True)
    else:
        print_text(render(found, output))


def _list(output: str) -> None:
    from kg_neo4j.graph import canned_reports

    listed = canned_reports.list_reports()
    if output == "json":
        print_json([{"name": canned_reports.outside_name(each), "purpose": each.purpose} for each in listed])
        return
    rows = []
    for each in listed:
        names = [f"{p.name}={'' if p.default is None else p.default}" for p in each.params if p.name != "graph"]
        rows.append((canned_reports.outside_name(each), each.title, " ".join(names)))
    print_table(["Report", "What it shows", "Parameters"], rows)


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UsageError(f"--set takes NAME=VALUE, not {text!r}")
    return name, value
