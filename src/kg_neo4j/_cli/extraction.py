"""kg extract, kg quarantine, kg rebuild: answers of the model, without loading."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import typer

from kg_neo4j._cli import PARTLY_DONE
from kg_neo4j._cli.load import extraction_facts, show_load, show_remarks
from kg_neo4j._cli.options import (
    BudgetOption,
    CacheOption,
    GraphOption,
    JsonOption,
    ModelOption,
    Sources,
    load_options,
    settings_for,
    with_groups,
)
from kg_neo4j._cli.terminal import print_facts, print_json, print_table, progress
from kg_neo4j.errors import UsageError


@with_groups
def extract(
    to: Annotated[str, typer.Option("--to", metavar="DIR", help="Where the files of extractions go.")],
    sources: Sources = None,
    options: Annotated[Any, load_options] = None,
    model: ModelOption = None,
    budget_usd: BudgetOption = None,
    cache: CacheOption = True,
    graph: GraphOption = None,
    as_json: JsonOption = False,
) -> None:
    """Extract to files, without a database; `kg load DIR` records them."""
    from kg_neo4j import pipeline

    if not sources and not options.wikipedia:
        raise UsageError("nothing to extract", hint="name files or folders, or --wikipedia TITLE")
    options = replace(options, budget_usd=budget_usd)
    settings = settings_for(graph=graph, model=model, answer_cache=None if cache else False)
    with progress(quiet=as_json) as bars:
        report = pipeline.extract(sources or (), to=to, settings=settings, options=options, progress=bars)
    if as_json:
        print_json(report)
    else:
        facts: dict[str, object] = {
            "folder": report.folder,
            "documents": report.documents,
            "chunks": report.chunks,
            "files": f"{report.files} written or changed",
        }
        print_facts({**facts, **extraction_facts(report), "seconds": f"{report.seconds:.1f}"})
        show_remarks(report)
    if report.failed_chunks or report.skipped:
        raise typer.Exit(PARTLY_DONE)


def quarantine(
    retry: Annotated[bool, typer.Option("--retry", help="Ask the model once more for these rows.")] = False,
    model: ModelOption = None,
    budget_usd: BudgetOption = None,
    graph: GraphOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the rows that were refused and not mended, with chunk, line, text and reason."""
    from kg_neo4j import pipeline

    settings = settings_for(graph=graph, model=model)
    if retry:
        with progress(quiet=as_json) as bars:
            report = pipeline.retry_quarantine(settings=settings, budget_usd=budget_usd, progress=bars)
        show_load(report, as_json=as_json)
        return
    with progress(quiet=as_json) as bars:
        found = pipeline.quarantine(settings=settings, progress=bars)
    if as_json:
        print_json(found)
        return
    rows = [
        (
            row.document,
            row.chunk,
            row.rejection.line,
            str(row.rejection.reason),
            row.rejection.detail,
            row.rejection.text,
        )
        for row in found
    ]
    print_table(["Document", "Chunk", "Line", "Reason", "Detail", "Row"], rows)


def rebuild(graph: GraphOption = None, as_json: JsonOption = False) -> None:
    """Drop what comes from answers and replay the stored ones: nobody is asked, nothing is paid."""
    from kg_neo4j import pipeline

    with progress(quiet=as_json) as bars:
        report = pipeline.rebuild(settings=settings_for(graph=graph), progress=bars)
    show_load(report, as_json=as_json)
