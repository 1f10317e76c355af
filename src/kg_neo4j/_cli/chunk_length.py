"""kg study chunk-length: graphs by length of chunks, model and prompts, of whole and of shortened text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from kg_neo4j._cli.options import (
    BudgetOption,
    CacheOption,
    GleaningsOption,
    SchemaOption,
    WaveOption,
    settings_for,
    tokens_of,
)
from kg_neo4j._cli.shapes import plain
from kg_neo4j._cli.terminal import print_json, print_table, print_text, progress
from kg_neo4j.errors import UsageError

if TYPE_CHECKING:
    from kg_neo4j.eval.variants import ChunkLengthStudy, Variant
    from kg_neo4j.graph.report_format import Report
    from kg_neo4j.records import LoadPlan

_SEVERAL = {
    "--tokens": re.compile(r"\d+|max"),
    "--chunk-tokens": re.compile(r"\d+"),
    "--preprocess": re.compile(r"none|stopwords"),
    "--prompts": re.compile(r"none|nd(:.+)?|.+\.toml"),
}


class SeveralValues(TyperCommand):
    """A command whose options take several values at once: `--tokens 1200 300` is `--tokens 1200 --tokens 300`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Repeat an option's name before each further word that can only be a value of it."""
        return super().parse_args(ctx, spread_values(args))


def spread_values(words: Sequence[str]) -> list[str]:
    """Return the words of a command line with one value after each option."""
    spread: list[str] = []
    option = ""
    for place, word in enumerate(words):
        if word == "--":
            return spread + list(words[place:])
        if option and spread[-1] != option and _SEVERAL[option].fullmatch(word):
            spread.append(option)
        elif not option or spread[-1] != option:
            option = word if word in _SEVERAL else ""
        spread.append(word)
    return spread


def chunk_length(
    sources: Annotated[list[str], typer.Argument(metavar="FILE...", help="Files and folders.")],
    tokens: Annotated[
        list[str] | None,
        typer.Option("--tokens", metavar="N|max ...", help="Chunk sizes in tokens [default: 1200 300]."),
    ] = None,
    models: Annotated[
        list[str] | None, typer.Option("--model", metavar="NAME", help="Chat model; repeatable [default: KG_MODEL].")
    ] = None,
    prompts: Annotated[
        list[str] | None,
        typer.Option(
            "--prompts",
            metavar="none|nd|nd:MODEL|FILE ...",
            help="Prompts as shipped, tuned on the text by the same or another model, or of a schema file.",
        ),
    ] = None,
    preprocess: Annotated[
        list[str] | None,
        typer.Option("--preprocess", metavar="none|stopwords ...", help="Text with stop words (none), or without."),
    ] = None,
    repeats: Annotated[
        int, typer.Option("--repeats", metavar="N", help="Graphs of each kind, to measure variance.", min=1)
    ] = 1,
    schema: SchemaOption = "graph",
    gleanings: GleaningsOption = 1,
    wave: WaveOption = 8,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE.png", help="Draw all graphs on one scale.")
    ] = None,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the graphs in the database.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show calls, tokens and cost; call no model.")] = False,
    budget_usd: BudgetOption = None,
    cache: CacheOption = True,
    output: Annotated[
        str, typer.Option("--format", metavar="table|csv|json|markdown", help="Output format.")
    ] = "table",
) -> None:
    """Compare graphs of one text by chunk length."""
    from kg_neo4j.eval import chunk_length as study
    from kg_neo4j.eval.variants import Grid
    from kg_neo4j.graph.report_format import FORMATS

    if output not in FORMATS:
        raise UsageError(f"there is no format {output[:40]!r}", hint=f"one of {', '.join(FORMATS)}")
    grid = Grid(
        tokens=tuple(tokens_of(each) for each in tokens or ("1200", "300")),
        models=tuple(models or (None,)),
        prompts=tuple(prompts or ("none",)),
        preprocess=tuple(preprocess or ("none",)),
        repeats=repeats,
    )
    options = study.ChunkLengthOptions(grid, schema, gleanings, wave, budget_usd, keep, plot)
    settings = settings_for(answer_cache=None if cache else False)
    with progress(quiet=output != "table") as bars:
        if dry_run:
            plans = study.plan_chunk_length(sources, settings=settings, options=options, progress=bars)
        else:
            found = study.study_chunk_length(sources, settings=settings, options=options, progress=bars)
    if dry_run:
        _show_plans(plans, output)
    else:
        _show(found, output, plot)


def _show(found: ChunkLengthStudy, output: str, plot: Path | None) -> None:
    from kg_neo4j.eval.variants import ratios_table, variants_table

    if output == "json":
        print_json(found)
        return
    _print(variants_table(found), output)
    if found.ratios and output != "csv":
        _print(ratios_table(found), output)
    remarks = [f"note: {note}" for note in found.notes]
    if found.tuning.calls:
        remarks.append(f"tuned: {found.tuning.calls} calls, not counted above")
    remarks += [f"kept: {graph}" for graph in found.kept]
    if plot is not None:
        remarks.append(f"picture: {plot}")
    for remark in remarks:
        typer.echo(remark, err=True)


def _print(table: Report, output: str) -> None:
    from kg_neo4j.graph.report_format import render

    if output == "table":
        columns, rows = turned(table) if len(table.columns) > 8 else (table.columns, table.rows)
        print_table(columns, rows, table.title)
    else:
        print_text(render(table, output) + "\n")


def turned(table: Report) -> tuple[Sequence[str], Sequence[Sequence[object]]]:
    """Return columns and rows of a table that is read downwards: one column a variant fits a terminal."""
    first, *further = table.columns
    heads = [str(row[0]) for row in table.rows]
    return [first, *heads], [[name, *(row[place] for row in table.rows)] for place, name in enumerate(further, 1)]


def _show_plans(plans: Sequence[tuple[Variant, LoadPlan]], output: str) -> None:
    if output == "json":
        print_json([{**plain(variant), "chunks": plan.chunks, **plain(plan.usage)} for variant, plan in plans])
        return
    from kg_neo4j.graph.report_format import Report

    columns = ("Model", "Prompts", "Preprocess", "Tokens", "Chunks", "Calls", "Input", "Output", "USD")
    rows = tuple(
        (
            *(plan.model or "offline", variant.prompts, variant.preprocess, variant.tokens or "max", plan.chunks),
            *(plan.usage.calls, plan.usage.input_tokens, plan.usage.output_tokens, plan.usage.usd),
        )
        for variant, plan in plans
    )
    _print(Report("plan", "What the study would ask: estimated", columns, rows), output)
