"""kg extract, kg manifest: the half of a load that needs no database, on one machine or many."""

from dataclasses import replace
from typing import Annotated, Any

import typer

from kg_neo4j._cli import PARTLY_DONE
from kg_neo4j._cli.load import extraction_facts, is_partly_done, show_remarks
from kg_neo4j._cli.options import load_options, settings_for
from kg_neo4j._cli.terminal import print_facts, print_json, progress, remark
from kg_neo4j.errors import UsageError
from kg_neo4j.records import SkippedSource


def engine_options(
    engine: str | None = None,
    workers: int | None = None,
    address: str | None = None,
    part: str | None = None,
) -> Any:
    """Return where to extract."""
    from kg_neo4j import pipeline

    return pipeline.EngineOptions(engine, workers, address, part)


def extract(
    to: str,
    sources: list[str] | None = None,
    manifest: str | None = None,
    engine: Annotated[Any, engine_options] = None,
    options: Annotated[Any, load_options] = None,
    model: str | None = None,
    budget_usd: float | None = None,
    rpm: int | None = None,
    tpm: int | None = None,
    cache: bool = True,
    graph: str | None = None,
    as_json: bool = False,
) -> None:
    """Extract to files, without a database. `kg load DIR` loads them later."""
    from kg_neo4j import pipeline

    if not sources and not options.wikipedia and manifest is None:
        raise UsageError("nothing to extract", hint="name files or folders, --manifest FILE or --wikipedia TITLE")
    options = replace(options, budget_usd=budget_usd)
    settings = settings_for(graph=graph, model=model, rpm=rpm, tpm=tpm, answer_cache=None if cache else False)
    with progress(quiet=as_json) as bars:
        report = pipeline.extract(
            sources or (), to=to, settings=settings, options=options, manifest=manifest, engine=engine, progress=bars
        )
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
    from kg_neo4j import pipeline

    listed, left_out = 0, 0
    for each in pipeline.write_manifest(sources, alias=alias, root=root, include=include or (), exclude=exclude or ()):
        if isinstance(each, SkippedSource):
            remark("skipped", [f"{each.source}: {each.reason}"])
            left_out += 1
        else:
            typer.echo(each.line)
            listed += 1
    remark("listed", [f"{listed} documents"])
    if left_out:
        raise typer.Exit(PARTLY_DONE)
