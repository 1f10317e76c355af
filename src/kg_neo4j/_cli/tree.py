"""kg tree: summaries of a text by aspect and level, over the text itself."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from kg_neo4j._cli import PARTLY_DONE
from kg_neo4j._cli.options import settings_for
from kg_neo4j._cli.shapes import plain
from kg_neo4j._cli.terminal import (
    print_estimates,
    print_facts,
    print_json,
    print_table,
    progress,
    remark,
    show,
    usage_facts,
)

if TYPE_CHECKING:
    from kg_neo4j.pipeline import TreePlan, TreeReport

NOTES = 12  # that are printed


def tree(
    document: list[str] | None = None,
    name: str = "narrative",
    aspects: str | None = None,
    leaf_tokens: int | None = None,
    summary_tokens: int | None = None,
    details: int | None = None,
    details_by: str | None = None,
    rebuild: bool = False,
    dry_run: bool = False,
    plot: Path | None = None,
    budget_usd: float | None = None,
    model: str | None = None,
    aspect_model: str | None = None,
    cache: bool = True,
    graph: str | None = None,
    as_json: bool = False,
) -> None:
    """Build or update narrative trees.

    A tree has summaries of a text by aspect and level.
    """
    from kg_neo4j import pipeline

    settings = settings_for(graph=graph, model=model, aspect_model=aspect_model, answer_cache=None if cache else False)
    options = pipeline.TreeBuildOptions(
        documents=tuple(document or ()),
        name=name,
        aspects=aspects,
        leaf_tokens=leaf_tokens,
        summary_tokens=summary_tokens,
        details=details,
        details_by=details_by,
        rebuild=rebuild,
        budget_usd=budget_usd,
        plot=plot,
    )
    with progress(quiet=as_json) as bars:
        if dry_run:
            plan = pipeline.plan_tree(settings=settings, options=options, progress=bars)
        else:
            report = pipeline.tree(settings=settings, options=options, progress=bars)
    if dry_run:
        show(plan, _print_plan, as_json=as_json)
        return
    if as_json:
        print_json(tree_shape(report))
    else:
        _print_summary(report)
    if report.unfinished:
        raise typer.Exit(PARTLY_DONE)


def tree_shape(report: TreeReport) -> dict[str, Any]:
    """Return the shape of `kg tree --json`."""
    shape: dict[str, Any] = plain(report)
    for each in shape["trees"]:
        each["leaf_kind"] = "passage" if each["leaf_kind"] else "chunk"
        each["methods"] = dict(sorted(each["methods"].items()))
    return shape


def _print_table(summaries: Mapping[tuple[int, str], int]) -> None:
    levels = sorted({level for level, _ in summaries})
    aspects = sorted({aspect for _, aspect in summaries})
    rows = [[aspect, *(summaries.get((level, aspect), 0) for level in levels)] for aspect in aspects]
    if rows:
        print_table(["Aspect", *(f"Level {level}" for level in levels)], rows)


def _print_summary(report: TreeReport) -> None:
    absent = sorted({aspect for each in report.trees for aspect in each.absent})
    facts: dict[str, object] = {
        "graph": report.graph,
        "tree": report.name,
        "documents": len(report.trees),
        "leaves": report.leaves,
        "summaries": sum(report.summaries.values()),
        "details": report.details,
        "absent": ", ".join(absent) or "no aspect",
        "changes": report.changes,
        "calls": report.usage.calls,
        **usage_facts(report.usage),
    }
    print_facts({**facts, "seconds": f"{report.seconds:.1f}"})
    _print_table(report.summaries)
    lines = (*report.unfinished, *report.notes)
    remark("note", lines[:NOTES])  # of many documents not a line each
    if len(lines) > NOTES:
        remark("note", [f"and {len(lines) - NOTES:,} more notes, which --json has"])


def _print_plan(plan: TreePlan) -> None:
    usage = plan.usage
    facts: dict[str, object] = {
        "graph": plan.graph,
        "tree": plan.name,
        "model": plan.model or "none: summaries are sentences of the text, nothing is paid",
        "documents": plan.documents,
        "leaves": plan.leaves,
        "summaries": sum(plan.summaries.values()),
        "details": plan.details,
        "calls": f"{usage.calls}: {', '.join(f'{count} {step}' for step, count in plan.calls.items())}".rstrip(": "),
    }
    if plan.aspect_model and plan.aspect_model != plan.model:
        facts["aspects by"] = plan.aspect_model
    print_facts(facts | usage_facts(usage, "unknown: no price of this model"))
    _print_table(plan.summaries)
    print_estimates(plan.assumptions)
