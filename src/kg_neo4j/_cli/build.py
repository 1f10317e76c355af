"""kg build: from files of extractions to a graph, by Neo4j's importer."""

from __future__ import annotations

import typer

from kg_neo4j._cli import PARTLY_DONE
from kg_neo4j._cli.load import is_partly_done, show_load
from kg_neo4j._cli.options import settings_for
from kg_neo4j._cli.startup import collect_at_exit
from kg_neo4j._cli.terminal import print_facts, print_json, print_table, print_text, progress, remark
from kg_neo4j.records import BuildReport


def build(
    folder: str,
    bulk: bool = False,
    workers: int | None = None,
    vectors: str = "all",
    analytics: bool = True,
    yes: bool = False,
    budget_usd: float | None = None,
    graph: str | None = None,
    as_json: bool = False,
) -> None:
    """Build a graph from extracted files, or in bulk.

    --bulk uses Neo4j's importer and gives the same graph.
    """
    from kg_neo4j import pipeline

    settings, built = settings_for(graph=graph), pipeline.BuildOptions(workers, yes, vectors, analytics, budget_usd)
    if not bulk:
        options = pipeline.LoadOptions(vectors=built.vectors != "none", analytics=analytics, budget_usd=budget_usd)
        with progress(quiet=as_json) as bars:
            loaded = pipeline.load([folder], settings=settings, options=options, progress=bars)
        show_load(loaded, as_json=as_json)
        if is_partly_done(loaded) or loaded.unfinished:
            raise typer.Exit(PARTLY_DONE)
        return
    collect_at_exit()
    with progress(quiet=as_json) as bars:
        report = pipeline.build(folder, settings=settings, options=built, progress=bars)
    if as_json:
        print_json(report)
    else:
        _show(report)
    if report.failed_chunks:
        raise typer.Exit(PARTLY_DONE)


def _show(report: BuildReport) -> None:
    rows = report.rows
    facts: dict[str, object] = {"graph": report.graph, "documents": report.documents, "chunks": report.chunks}
    facts["rows"] = f"{rows.read} read = {rows.accepted} accepted + {rows.rejected} rejected"
    if not report.commands:
        facts |= {"nodes": report.nodes, "relationships": report.relationships, "communities": report.communities}
    print_facts({**facts, "seconds": f"{report.seconds:.1f}"})
    taken = [
        (each.stage, f"{each.seconds:.1f}", f"{each.peak_mb:,.0f}", f"{each.disk_mb:,.0f}") for each in report.stages
    ]
    print_table(["Stage", "Seconds", "Memory MB", "Disk MB"], taken)
    remark("failed", report.failed_chunks)
    remark("note", report.notes)
    if report.commands:
        print_text("Run these where that server is; it must be stopped for the first one, and run for the second:")
        for command in report.commands:
            print_text(command)
