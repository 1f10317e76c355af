"""kg study: measured comparisons."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand

from kg_neo4j import data_files
from kg_neo4j._cli.options import settings_for, tokens_of
from kg_neo4j._cli.process import continues
from kg_neo4j._cli.shapes import of_record, plain
from kg_neo4j._cli.terminal import print_facts, print_json, print_table, print_text, progress, remark
from kg_neo4j.errors import UsageError

if TYPE_CHECKING:
    from kg_neo4j.graph.report_format import Report
    from kg_neo4j.records import LoadPlan
    from kg_neo4j_lab.narrative.study import NarrativePlan, NarrativeStudy
    from kg_neo4j_lab.retrieval.averaging import AveragingPlan, AveragingStudy
    from kg_neo4j_lab.variants import ChunkLengthStudy, Variant

app = continues(typer.Typer(help="Measure on your own text what a choice is worth.", no_args_is_help=True))
_SEVERAL = {
    "--tokens": re.compile(r"\d+|max"),
    "--chunk-tokens": re.compile(r"\d+"),
    "--preprocess": re.compile(r"none|stopwords"),
    "--forms": re.compile(r"csv|grammar|rows|objects"),
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


@app.command("chunk-length", cls=SeveralValues)
def chunk_length(
    sources: list[str],
    tokens: list[str] | None = None,
    models: list[str] | None = None,
    prompts: list[str] | None = None,
    preprocess: list[str] | None = None,
    repeats: int = 1,
    schema: str = "lean",
    gleanings: int = 1,
    wave: int = 8,
    plot: Path | None = None,
    keep: bool = False,
    dry_run: bool = False,
    budget_usd: float | None = None,
    output: str = "table",
) -> None:
    """Compare graphs of one text by chunk length."""
    from kg_neo4j_lab import chunk_length as study
    from kg_neo4j_lab.variants import Grid

    _check_format(output)
    grid = Grid(
        tokens=tuple(tokens_of(each) for each in tokens or ("1200", "300")),
        models=tuple(models or (None,)),
        prompts=tuple(prompts or ("none",)),
        preprocess=tuple(preprocess or ("none",)),
        repeats=repeats,
    )
    options = study.ChunkLengthOptions(grid, schema, gleanings, wave, budget_usd, keep, plot)
    settings = settings_for()
    with progress(quiet=output != "table") as bars:
        if dry_run:
            plans = study.plan_chunk_length(sources, settings=settings, options=options, progress=bars)
        else:
            found = study.study_chunk_length(sources, settings=settings, options=options, progress=bars)
    if dry_run:
        _show_plans(plans, output)
    else:
        _show_variants(found, output, plot)


def _show_variants(found: ChunkLengthStudy, output: str, plot: Path | None) -> None:
    from kg_neo4j_lab.variants import ratios_table, variants_table

    if output == "json":
        print_json(found)
        return
    _print_variants(variants_table(found), output)
    if found.ratios and output != "csv":
        _print_variants(ratios_table(found), output)
    remarks = [f"note: {note}" for note in found.notes]
    if found.tuning.calls:
        remarks.append(f"tuned: {found.tuning.calls} calls, not counted above")
    remarks += [f"kept: {graph}" for graph in found.kept]
    if plot is not None:
        remarks.append(f"picture: {plot}")
    _say(remarks)


def _show_plans(plans: Sequence[tuple[Variant, LoadPlan]], output: str) -> None:
    from kg_neo4j.graph.report_format import Report

    if output == "json":
        print_json([{**plain(variant), "chunks": plan.chunks, **plain(plan.usage)} for variant, plan in plans])
        return
    columns = ("Model", "Prompts", "Preprocess", "Tokens", "Chunks", "Calls", "Input", "Output", "USD")
    rows = tuple(
        (
            *(plan.model or "offline", variant.prompts, variant.preprocess, variant.tokens or "max", plan.chunks),
            *(plan.usage.calls, plan.usage.input_tokens, plan.usage.output_tokens, plan.usage.usd),
        )
        for variant, plan in plans
    )
    _print_variants(Report("plan", "What the study would ask: estimated", columns, rows), output)


@app.command()
def narrative(
    questions: str,
    sources: list[str] | None = None,
    systems: str | None = None,
    ablations: str | None = None,
    judge: str = "auto",
    to: Path | None = None,
    graph: str | None = None,
    keep: bool = False,
    dry_run: bool = False,
    budget_usd: float | None = None,
    model: str | None = None,
    output: str = "table",
) -> None:
    """Compare the narrative tree with other systems.

    Also compares it with variations of itself.
    """
    from kg_neo4j_lab.narrative import study, tables
    from kg_neo4j_lab.narrative.grid import ABLATIONS, SYSTEMS, StudyScope

    _check_format(output)
    if to is not None:
        tables.check(to)
    wanted = StudyScope(_listed(systems, SYSTEMS), _listed(ablations, ABLATIONS))
    options = study.NarrativeOptions(wanted, judge, graph, budget_usd, keep)
    settings = settings_for(model=model)
    with progress(quiet=output != "table") as bars:
        if dry_run:
            plan = study.plan_narrative(sources or (), questions, settings=settings, options=options, progress=bars)
        else:
            found = study.study_narrative(sources or (), questions, settings=settings, options=options, progress=bars)
    if dry_run:
        _show_narrative_plan(plan, output)
    else:
        _show_narrative(found, output, to)


def _listed(given: str | None, otherwise: tuple[str, ...]) -> tuple[str, ...]:
    if given is None:
        return otherwise
    return () if given == "none" else tuple(each.strip() for each in given.split(",") if each.strip())


def _show_narrative(found: NarrativeStudy, output: str, to: Path | None) -> None:
    from kg_neo4j_lab.narrative import tables

    made = tables.tables(found)
    if output == "json":
        print_json(_narrative_shape(found))
    for table in made if output != "json" else ():
        # several tables in one CSV are told apart by an empty line
        _print(table, output, above={"markdown": f"\n{table.title}\n\n"}.get(output, "\n"))
    remarks = [f"note: {note}" for note in found.notes]
    building = sum(usage.calls for usage in found.building.values())
    usd = sum((usage.usd or 0.0 for usage in (*found.building.values(), found.paid)), 0.0)
    remarks.append(f"asked: {building} calls to build, {found.paid.calls} to answer and judge, {usd:.4f} USD")
    remarks += [f"{found.taken} answers came from an earlier run"] if found.taken else []
    remarks += [f"kept: {name}" for name in found.kept]
    if to is not None:
        remarks.append(f"written: {len(tables.write(to, made))} files in {to}")
    _say(remarks)


def _narrative_shape(found: NarrativeStudy) -> dict[str, Any]:
    shape: dict[str, Any] = plain(found)
    for given, each in zip(shape["results"], found.results, strict=True):
        kinds = {kind: of_record(score, "correctness similarity") for kind, score in each.types.items()}
        usage = plain(each.score.usage + each.score.judging)
        given |= {"ablation": each.way.ablation or None, "value": each.way.value or None, "types": kinds, **usage}
    return shape


def _show_narrative_plan(plan: NarrativePlan, output: str) -> None:
    from kg_neo4j_lab.answers.plan import UNBUILT

    if output == "json":
        print_json(plan)
        return
    steps = {**plan.building, "answers": plan.answers, "judging, at most": plan.judging}
    about = "" if plan.is_exact else "about "
    facts = {"questions": plan.questions, "ways of asking": plan.ways, "graph": plan.graph}
    print_facts(facts | {f"calls: {step}": f"{about}{usage.calls}" for step, usage in steps.items()})
    if not plan.is_exact:
        _say([f"note: {UNBUILT}"])


@app.command(cls=SeveralValues)
def aggregation(
    sources: list[str],
    chunk_tokens: list[int] | None = None,
    as_json: bool = False,
) -> None:
    """Measure what aggregating small pieces saves.

    Counts the calls and embeddings of several chunk sizes.
    """
    from kg_neo4j_lab import aggregation as study

    measured = study.measure_sources(sources, chunk_tokens=chunk_tokens or study.TARGETS)
    if as_json:
        print_json(measured)
        return
    print_facts(
        {
            "documents": measured.documents,
            "tokens": f"{measured.tokens} ({measured.tokeniser})",
            "pieces": f"{measured.pieces} headings, paragraphs, lists and tables",
        }
    )
    heads = ["Tokens a chunk", *(str(each.chunk_tokens) for each in measured.targets)]
    _print_columns("aggregation", heads, measured.targets)


@app.command(cls=SeveralValues)
def averaging(
    corpora: list[str],
    questions: list[str],
    chunk_tokens: list[int] | None = None,
    whole: bool = False,
    words: bool = False,
    dry_run: bool = False,
    output: str = "table",
) -> None:
    """Measure what averaging vectors of long texts costs.

    Compares recall of texts embedded averaged, whole, truncated, or by pieces.
    """
    from kg_neo4j_lab.retrieval import averaging as study

    _check_format(output)
    options = study.AveragingOptions(tuple(chunk_tokens or study.AveragingOptions().chunk_tokens), whole, words)
    settings = settings_for()
    found: AveragingStudy | tuple[AveragingPlan, ...]
    if dry_run:
        found = study.plan_averaging(corpora, questions, settings=settings, options=options)
        table = study.averaging_plan_table(found)
    else:
        with progress(quiet=output != "table") as bars:
            found = study.study_averaging(corpora, questions, settings=settings, options=options, progress=bars)
        table = study.averaging_table(found)
    if output == "json":
        print_json(found)
    else:
        _print(table, output)
    remark("note", table.notes)


@app.command()
def context(
    sources: list[str],
    chunk_tokens: str = "200",
    wave: int = 8,
    gleanings: int = 0,
    model: str | None = None,
    as_json: bool = False,
) -> None:
    """Measure what context from earlier chunks is worth.

    Counts components, duplicates and links of pronouns.
    """
    from kg_neo4j.pipeline.options import LoadOptions
    from kg_neo4j_lab import context as study

    options = LoadOptions(chunk_tokens=tokens_of(chunk_tokens), wave=wave, gleanings=gleanings)
    with progress(quiet=as_json) as bars:
        found = study.study_context(sources, settings=settings_for(model=model), options=options, progress=bars)
    if as_json:
        print_json(asdict(found))
        return
    named = [f"in waves of {each.wave}" if each.wave else "nothing" for each in found.variants]
    _print_columns("context", ["Carried over", *named], found.variants)
    if not found.uses_context:
        _say([f"note: {found.model} reads each chunk by itself; configure a model to see a difference"])


@app.command("format", cls=SeveralValues)
def rows(
    sources: list[str],
    forms: list[str] | None = None,
    facts: str | None = None,
    schema: str = "lean",
    chunk_tokens: str = "1200",
    limit: int | None = None,
    model: str | None = None,
    output: str = "table",
) -> None:
    """Compare forms of rows.

    These are CSV, CSV under a grammar, JSON arrays and JSON objects.
    """
    from kg_neo4j.pipeline.options import LoadOptions
    from kg_neo4j_lab.formats import study_format

    _check_format(output)
    options = LoadOptions(schema=schema, chunk_tokens=tokens_of(chunk_tokens), wave=0)
    _print(study_format(sources, settings_for(model=model), options, forms or (), facts, limit), output)


def _check_format(output: str) -> None:
    from kg_neo4j.graph.report_format import FORMATS

    if output not in FORMATS:
        raise UsageError(f"there is no format {output[:40]!r}", hint=f"one of {', '.join(FORMATS)}")


def _print(table: Report, output: str, above: str = "") -> None:
    from kg_neo4j.graph.report_format import render

    if output == "table":
        print_table(table.columns, table.rows, table.title)
    else:
        print_text(above + render(table, output) + "\n")


def _print_variants(table: Report, output: str) -> None:
    _print(turned(table) if output == "table" and len(table.columns) > 8 else table, output)


def turned(table: Report) -> Report:
    """Return a table that is read downwards: one column a variant fits a terminal."""
    first, *further = table.columns
    rows = tuple((name, *(row[place] for row in table.rows)) for place, name in enumerate(further, 1))
    return replace(table, columns=(first, *(str(row[0]) for row in table.rows)), rows=rows)


def _print_columns(kind: str, heads: Sequence[str], variants: Sequence[object]) -> None:
    """Print one column a variant, with the rows that study.toml has for this kind of study."""
    forms = data_files.beside(__file__).table(kind)
    print_table(heads, [(name, *(form.format(each) for each in variants)) for name, form in forms.items()])


def _say(remarks: Iterable[str]) -> None:
    for line in remarks:
        typer.echo(line, err=True)
