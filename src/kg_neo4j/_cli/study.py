"""kg study: measured comparisons."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from kg_neo4j._cli.options import JsonOption
from kg_neo4j._cli.terminal import print_facts, print_json

app = typer.Typer(help="Studies: what a choice is worth, measured on your text.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """Studies: what a choice is worth, measured on your text."""


@app.command()
def aggregation(
    sources: Annotated[list[str], typer.Argument(metavar="SOURCE...", help="Files and folders.")],
    chunk_tokens: Annotated[int, typer.Option("--chunk-tokens", metavar="N", help="Target of a chunk.", min=1)] = 1200,
    as_json: JsonOption = False,
) -> None:
    """Show what aggregating small pieces into chunks saves (W5): calls and embedding pieces."""
    from kg_neo4j.study import aggregation as study

    measured = asdict(study.measure_sources(sources, chunk_tokens=chunk_tokens))
    if as_json:
        print_json(measured)
    else:
        print_facts(measured)
