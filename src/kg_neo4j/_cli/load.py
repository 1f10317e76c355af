"""kg load, kg unload."""

from __future__ import annotations

from typing import Annotated

import typer

from kg_neo4j._cli.options import GraphOption, JsonOption, ModelOption, settings_for
from kg_neo4j._cli.shapes import load_shape
from kg_neo4j._cli.terminal import print_facts, print_json, progress
from kg_neo4j.errors import UsageError
from kg_neo4j.records import LoadReport

PARTLY_DONE = 3


def load(
    sources: Annotated[list[str] | None, typer.Argument(metavar="SOURCE...", help="Files, folders.")] = None,
    wikipedia: Annotated[
        list[str] | None, typer.Option("--wikipedia", metavar="TITLE", help="A Wikipedia page; repeatable.")
    ] = None,
    lang: Annotated[str, typer.Option("--lang", help="Language of the Wikipedia.")] = "en",
    alias: Annotated[
        str | None, typer.Option("--as", metavar="NAME", help="Name the one source given, where its own is taken.")
    ] = None,
    chunk_tokens: Annotated[
        str, typer.Option("--chunk-tokens", metavar="N|max", help="Tokens a chunk; max: what the window allows.")
    ] = "1200",
    chunk_overlap: Annotated[int, typer.Option("--chunk-overlap", metavar="N", help="Tokens repeated.", min=0)] = 0,
    preprocess: Annotated[str, typer.Option("--preprocess", metavar="none|stopwords", help="W1's A2 or A1.")] = "none",
    schema: Annotated[
        str, typer.Option("--schema", metavar="NAME|FILE", help="graph, wikipedia, or a file.")
    ] = "graph",
    evidence: Annotated[
        str, typer.Option("--evidence", metavar="flag|reject", help="Rows whose evidence is not in the text.")
    ] = "flag",
    gleanings: Annotated[
        int, typer.Option("--gleanings", metavar="N", help="Rounds that ask a model what is missing.", min=0)
    ] = 1,
    wave: Annotated[
        int, typer.Option("--wave", metavar="N", help="Chunks asked together; names carry over. 0: none do.", min=0)
    ] = 16,
    output_language: Annotated[
        str, typer.Option("--output-language", metavar="source|en", help="Of roles and descriptions.")
    ] = "source",
    model: ModelOption = None,
    analytics: Annotated[bool, typer.Option(help="Communities, PageRank and degree by GDS.")] = True,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Extract again what another configuration loaded.")
    ] = False,
    graph: GraphOption = None,
    as_json: JsonOption = False,
) -> None:
    """Build the graph: read, extract, record, embed, analyse. A repeat changes nothing."""
    from kg_neo4j import pipeline

    if not sources and not wikipedia:
        raise UsageError("nothing to load", hint="name files or folders, or --wikipedia TITLE")
    options = pipeline.LoadOptions(
        wikipedia=tuple(wikipedia or ()),
        language=lang,
        alias=alias,
        chunk_tokens=None if chunk_tokens == "max" else _number(chunk_tokens),
        chunk_overlap=chunk_overlap,
        preprocess=preprocess,
        schema=schema,
        evidence=evidence,
        gleanings=gleanings,
        wave=wave,
        output_language=output_language,
        analytics=analytics,
        rebuild=rebuild,
    )
    with progress(quiet=as_json) as bars:
        report = pipeline.load(
            sources or (), settings=settings_for(graph=graph, model=model), options=options, progress=bars
        )
    if as_json:
        print_json(load_shape(report))
    else:
        _summary(report)
    if report.failed_chunks or report.skipped:
        raise typer.Exit(PARTLY_DONE)


def unload(
    source: Annotated[str, typer.Argument(help="A document's source, title or key, as `kg documents` lists it.")],
    graph: GraphOption = None,
    as_json: JsonOption = False,
) -> None:
    """Remove one document and exactly what lost its last support."""
    from kg_neo4j import pipeline

    with progress(quiet=as_json) as bars:
        report = pipeline.unload(source, settings=settings_for(graph=graph), progress=bars)
    if as_json:
        print_json(load_shape(report))
    else:
        _summary(report)


def _number(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise UsageError(f"--chunk-tokens takes a number of tokens or max, not {text!r}")
    return int(text)


def _summary(report: LoadReport) -> None:
    rows = report.rows
    facts: dict[str, object] = {
        "graph": report.graph,
        "documents": report.documents,
        "chunks": report.chunks,
        "rows": f"{rows.read} read = {rows.accepted} accepted + {rows.rejected} rejected",
        "nodes": report.nodes,
        "relationships": report.relationships,
        "communities": report.communities,
        "changes": report.changes,
        "model": _cost(report),
        "seconds": f"{report.seconds:.1f}",
    }
    if report.rejections:
        facts["of these"] = f"{report.mended} mended, {rows.rejected - report.mended} in quarantine (kg quarantine)"
        facts["rejected"] = ", ".join(f"{count} {reason}" for reason, count in sorted(report.rejections.items()))
    for step, usage in report.steps.items():
        facts[f"  {step}"] = f"{usage.calls} calls, {usage.input_tokens} + {usage.output_tokens} tokens"
    print_facts(facts)
    for skipped in report.skipped:
        typer.echo(f"skipped: {skipped.source}: {skipped.reason}", err=True)
    for failed in report.failed_chunks:
        typer.echo(f"failed: {failed}", err=True)
    for note in report.notes:
        typer.echo(f"note: {note}", err=True)


def _cost(report: LoadReport) -> str:
    usage = report.usage
    if not usage.calls:
        return "no paid calls"
    price = "price unknown" if usage.usd is None else f"{usage.usd:.4f} USD"
    return f"{usage.calls} calls, {usage.input_tokens} + {usage.output_tokens} tokens, {price}"
