"""kg extract, manifest, build: extraction to files on one machine or many, and graphs built of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kg_neo4j._cli import PARTLY_DONE
from kg_neo4j._cli.load import extraction_facts, is_partly_done, print_load
from kg_neo4j._cli.options import load_options, settings_for
from kg_neo4j._cli.process import collect_at_exit, continues
from kg_neo4j._cli.terminal import print_facts, print_table, print_text, progress, remark, show
from kg_neo4j.errors import UsageError
from kg_neo4j.records import SkippedSource

if TYPE_CHECKING:
    from kg_neo4j_scale.build import BuildReport
    from kg_neo4j_scale.extract import ExtractReport


def engine_options(
    engine: str | None = None, workers: int | None = None, address: str | None = None, part: str | None = None
) -> Any:
    """Return where to extract."""
    from kg_neo4j_scale.engines.choice import EngineOptions

    return EngineOptions(engine, workers, address, part)


@continues
def extract(
    to: str,
    sources: list[str] | None = None,
    manifest: str | None = None,
    engine: Annotated[Any, engine_options] = None,
    options: Annotated[Any, load_options] = None,
    model: str | None = None,
    budget_usd: float | None = None,
    graph: str | None = None,
    as_json: bool = False,
) -> None:
    """Extract to files, without a database. `kg load DIR` loads them later."""
    from kg_neo4j_scale import extract

    if not sources and not options.wikipedia and manifest is None:
        raise UsageError("nothing to extract", hint="name files or folders, --manifest FILE or --wikipedia TITLE")
    options = replace(options, budget_usd=budget_usd)
    settings = settings_for(graph=graph, model=model)
    with progress(quiet=as_json) as bars:
        report = extract.extract(
            sources or (), to=to, settings=settings, options=options, manifest=manifest, engine=engine, progress=bars
        )
    show(report, _print_extract, as_json=as_json)
    if is_partly_done(report):
        raise typer.Exit(PARTLY_DONE)


def manifest(
    sources: list[str],
    root: str | None = None,
    alias: str | None = None,
    include: list[str] | None = None,
    exclude: list[str] | None = None,
) -> None:
    """List documents for `kg extract --manifest`.

    Prints a JSON line with the key, address, size and hash of each document.
    """
    from kg_neo4j_scale import extract

    listed, left_out = 0, 0
    for each in extract.write_manifest(sources, alias=alias, root=root, include=include or (), exclude=exclude or ()):
        if isinstance(each, SkippedSource):
            remark("skipped", [f"{each.source}: {each.reason}"])
            left_out += 1
        else:
            typer.echo(each.line)
            listed += 1
    remark("listed", [f"{listed} documents"])
    if left_out:
        raise typer.Exit(PARTLY_DONE)


@continues
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
    from kg_neo4j.pipeline.commands import load
    from kg_neo4j.pipeline.options import LoadOptions
    from kg_neo4j_scale import build

    settings, built = settings_for(graph=graph), build.BuildOptions(workers, yes, vectors, analytics, budget_usd)
    if not bulk:
        options = LoadOptions(vectors=built.vectors != "none", analytics=analytics, budget_usd=budget_usd)
        with progress(quiet=as_json) as bars:
            loaded = load.load([folder], settings=settings, options=options, progress=bars)
        show(loaded, print_load, as_json=as_json)
        if is_partly_done(loaded) or loaded.unfinished:
            raise typer.Exit(PARTLY_DONE)
        return
    collect_at_exit()
    with progress(quiet=as_json) as bars:
        report = build.build(folder, settings=settings, options=built, progress=bars)
    show(report, _print_build, as_json=as_json)
    if report.failed_chunks:
        raise typer.Exit(PARTLY_DONE)


def _print_extract(report: ExtractReport) -> None:
    facts: dict[str, object] = {"folder": report.folder, "documents": report.documents, "chunks": report.chunks}
    facts["files"] = f"{report.files} written or changed"
    print_facts({**facts, **extraction_facts(report), "seconds": f"{report.seconds:.1f}"})
    remark("skipped", (f"{each.source}: {each.reason}" for each in report.skipped))
    remark("failed", report.failed_chunks)
    remark("note", report.notes)


def _print_build(report: BuildReport) -> None:
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
