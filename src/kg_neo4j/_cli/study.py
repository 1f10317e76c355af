"""kg study: measured comparisons."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from kg_neo4j._cli.chunk_length import SeveralValues, chunk_length
from kg_neo4j._cli.narrative import narrative
from kg_neo4j._cli.options import ChunkTokensOption, GleaningsOption, JsonOption, ModelOption, settings_for, tokens_of
from kg_neo4j._cli.terminal import print_json, print_table, progress, show

app = typer.Typer(help="Studies: what a choice is worth, measured on your text.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """Studies: what a choice is worth, measured on your text."""


app.command("chunk-length", cls=SeveralValues)(chunk_length)
app.command("narrative")(narrative)


@app.command()
def aggregation(
    sources: Annotated[list[str], typer.Argument(metavar="SOURCE...", help="Files and folders.")],
    chunk_tokens: Annotated[int, typer.Option("--chunk-tokens", metavar="N", help="Target of a chunk.", min=1)] = 1200,
    as_json: JsonOption = False,
) -> None:
    """Show what aggregating small pieces into chunks saves (W5): calls and embedding pieces."""
    from kg_neo4j.eval import aggregation as study

    measured = asdict(study.measure_sources(sources, chunk_tokens=chunk_tokens))
    show(measured, measured, as_json=as_json)


@app.command()
def context(
    sources: Annotated[list[str], typer.Argument(metavar="SOURCE...", help="Files and folders.")],
    chunk_tokens: ChunkTokensOption = "200",
    wave: Annotated[int, typer.Option("--wave", metavar="N", help="Chunks asked together.", min=1)] = 8,
    gleanings: GleaningsOption = 0,
    model: ModelOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what carrying context over between chunks is worth (W3): components, duplicates, pronoun links."""
    from kg_neo4j.eval import context as study
    from kg_neo4j.pipeline import LoadOptions

    options = LoadOptions(chunk_tokens=tokens_of(chunk_tokens), wave=wave, gleanings=gleanings)
    with progress(quiet=as_json) as bars:
        found = study.study_context(sources, settings=settings_for(model=model), options=options, progress=bars)
    if as_json:
        print_json(asdict(found))
        return
    measures: dict[str, list[object]] = {
        "Chunks": [each.chunks for each in found.variants],
        "Nodes": [each.nodes for each in found.variants],
        "Relationships": [each.relationships for each in found.variants],
        "Components": [each.components for each in found.variants],
        "Nodes in the largest": [f"{each.largest:.0%}" for each in found.variants],
        "Duplicates": [each.duplicates for each in found.variants],
        "Pronoun links": [each.pronoun_links for each in found.variants],
        "Calls": [each.usage.calls for each in found.variants],
        "Input tokens": [each.usage.input_tokens for each in found.variants],
    }
    named = [f"in waves of {each.wave}" if each.wave else "nothing" for each in found.variants]
    print_table(["Carried over", *named], [(name, *values) for name, values in measures.items()])
    if not found.uses_context:
        typer.echo(f"note: {found.model} reads each chunk by itself; configure a model to see a difference", err=True)
