"""kg study narrative: tables of systems, and ablations of the tree, on your text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kg_neo4j._cli.options import BudgetOption, CacheOption, ModelOption, settings_for
from kg_neo4j._cli.shapes import of_record, plain
from kg_neo4j._cli.terminal import print_facts, print_json, print_table, print_text, progress
from kg_neo4j.errors import UsageError

if TYPE_CHECKING:
    from kg_neo4j.eval.narrative.study import NarrativePlan, NarrativeStudy
    from kg_neo4j.graph.report_format import Report


def narrative(
    questions: Annotated[str, typer.Option("--questions", metavar="FILE", help="Questions with answers, JSON lines.")],
    sources: Annotated[list[str] | None, typer.Argument(metavar="SOURCE...", help="Files and folders.")] = None,
    systems: Annotated[
        str | None,
        typer.Option(
            "--systems", metavar="LIST", help="Systems, separated by commas: naive, tree-cosine, ... [default: all]."
        ),
    ] = None,
    ablations: Annotated[
        str | None,
        typer.Option(
            "--ablations",
            metavar="LIST|none",
            help="Ablations, separated by commas: top-k, context, ... [default: all].",
        ),
    ] = None,
    judge: Annotated[str, typer.Option("--judge", metavar="auto|model|words", help="Judge of statements.")] = "auto",
    to: Annotated[
        Path | None, typer.Option("--to", metavar="FOLDER", help="Folder for all tables and pictures.")
    ] = None,
    graph: Annotated[
        str | None, typer.Option("--graph", metavar="NAME", help="Use this graph and its tree, and keep it.")
    ] = None,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the study's graphs in the database.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show calls, tokens and cost; call no model.")] = False,
    budget_usd: BudgetOption = None,
    model: ModelOption = None,
    cache: CacheOption = True,
    output: Annotated[
        str, typer.Option("--format", metavar="table|csv|json|markdown", help="Output format.")
    ] = "table",
) -> None:
    """Compare the narrative tree with other systems.

    Also compares it with variations of itself.
    """
    from kg_neo4j.eval.narrative import tables
    from kg_neo4j.eval.narrative.grid import ABLATIONS, SYSTEMS, StudyScope
    from kg_neo4j.eval.narrative.study import NarrativeOptions, plan_narrative, study_narrative
    from kg_neo4j.graph.report_format import FORMATS

    if output not in FORMATS:
        raise UsageError(f"there is no format {output[:40]!r}", hint=f"one of {', '.join(FORMATS)}")
    if to is not None:
        tables.check(to)
    wanted = StudyScope(_listed(systems, SYSTEMS), _listed(ablations, ABLATIONS))
    options = NarrativeOptions(wanted, judge, graph, budget_usd, keep)
    settings = settings_for(model=model, answer_cache=None if cache else False)
    with progress(quiet=output != "table") as bars:
        if dry_run:
            plan = plan_narrative(sources or (), questions, settings=settings, options=options, progress=bars)
        else:
            found = study_narrative(sources or (), questions, settings=settings, options=options, progress=bars)
    if dry_run:
        _show_plan(plan, output)
    else:
        _show(found, output, to)


def _listed(given: str | None, otherwise: tuple[str, ...]) -> tuple[str, ...]:
    if given is None:
        return otherwise
    return () if given == "none" else tuple(each.strip() for each in given.split(",") if each.strip())


def _show(found: NarrativeStudy, output: str, to: Path | None) -> None:
    from kg_neo4j.eval.narrative import tables
    from kg_neo4j.graph.report_format import render

    made = tables.tables(found)
    if output == "json":
        print_json(study_shape(found))
    for table in made if output != "json" else ():
        if output == "table":
            print_table(table.columns, table.rows, table.title)
        else:
            print_text(_titled(table, output) + render(table, output) + "\n")
    remarks = [f"note: {note}" for note in found.notes]
    building = sum(usage.calls for usage in found.building.values())
    usd = sum((usage.usd or 0.0 for usage in (*found.building.values(), found.paid)), 0.0)
    remarks.append(f"asked: {building} calls to build, {found.paid.calls} to answer and judge, {usd:.4f} USD")
    remarks += [f"{found.taken} answers came from an earlier run"] if found.taken else []
    remarks += [f"kept: {name}" for name in found.kept]
    if to is not None:
        remarks.append(f"written: {len(tables.write(to, made))} files in {to}")
    for remark in remarks:
        typer.echo(remark, err=True)


def _titled(table: Report, output: str) -> str:
    """Return what stands above a table; several in one CSV are told apart by an empty line."""
    return f"\n{table.title}\n\n" if output == "markdown" else "\n"


def study_shape(found: NarrativeStudy) -> dict[str, Any]:
    """Return the shape of `kg study narrative --format json`."""
    shape: dict[str, Any] = plain(found)
    for given, each in zip(shape["results"], found.results, strict=True):
        kinds = {kind: of_record(score, "correctness similarity") for kind, score in each.types.items()}
        usage = plain(each.score.usage + each.score.judging)
        given |= {"ablation": each.way.ablation or None, "value": each.way.value or None, "types": kinds, **usage}
    return shape


def _show_plan(plan: NarrativePlan, output: str) -> None:
    from kg_neo4j.eval.answers.plan import UNBUILT

    if output == "json":
        print_json(plan)
        return
    steps = {**plan.building, "answers": plan.answers, "judging, at most": plan.judging}
    about = "" if plan.is_exact else "about "
    facts = {"questions": plan.questions, "ways of asking": plan.ways, "graph": plan.graph}
    print_facts(facts | {f"calls: {step}": f"{about}{usage.calls}" for step, usage in steps.items()})
    if not plan.is_exact:
        typer.echo(f"note: {UNBUILT}", err=True)
