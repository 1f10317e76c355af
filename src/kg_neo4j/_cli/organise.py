"""kg communities: what belongs together, and reports on it; kg tree: summaries of a text by aspect and level."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from kg_neo4j._cli import PARTLY_DONE
from kg_neo4j._cli.options import settings_for
from kg_neo4j._cli.process import continues
from kg_neo4j._cli.shapes import plain
from kg_neo4j._cli.terminal import (
    print_estimates,
    print_facts,
    print_json,
    print_table,
    print_text,
    progress,
    remark,
    show,
    show_table,
    usage_facts,
)
from kg_neo4j.errors import UsageError

if TYPE_CHECKING:
    from kg_neo4j.organise.community_reports import CommunityReportsPlan, CommunityReportsReport
    from kg_neo4j.pipeline.commands.communities import CommunityReportOptions, ListedCommunity
    from kg_neo4j.pipeline.commands.tree import TreePlan, TreeReport
    from kg_neo4j.settings import Settings

NOTES = 12  # on trees that are printed


@continues
def communities(
    reports: bool = False,
    domain: str | None = None,
    dry_run: bool = False,
    singletons: bool | None = None,
    budget_usd: float | None = None,
    show: int | None = None,
    level: int | None = None,
    smallest: int | None = None,
    limit: int = 20,
    model: str | None = None,
    graph: str | None = None,
    as_json: bool = False,
) -> None:
    """List communities, or write a report on each.

    A report has a title, a summary, a rating and cited findings.
    """
    from kg_neo4j.pipeline.commands import communities

    if not reports and (dry_run or (domain, budget_usd, singletons) != (None, None, None)):
        raise UsageError(
            "--domain, --dry-run, --budget-usd and --singletons are for --reports", hint="see `kg communities --help`"
        )
    if reports and show is not None:
        raise UsageError("--reports writes and --show reads", hint="one after the other")
    settings = settings_for(graph=graph, model=model)
    if show is not None:
        _show_report(settings, show, level or 0, as_json=as_json)
    elif reports:
        chosen = {} if smallest is None else {"smallest": smallest}
        options = communities.CommunityReportOptions(domain, budget_usd, singletons=singletons, **chosen)
        _write_reports(settings, options, dry_run=dry_run, as_json=as_json)
    else:
        with progress(quiet=as_json) as bars:
            found = communities.communities(
                settings=settings, level=level, smallest=smallest or 2, limit=limit, progress=bars
            )
        rows = [(each.level, each.number, each.size, each.rating, each.title or "", each.members) for each in found]
        columns = ("Level", "Community", "Size", "Rating", "Title", "Members")
        show_table({"graph": settings.graph, "communities": found}, columns, rows, as_json=as_json)
        if not as_json:
            _print_hints(found, smallest or 2, limit)


def _print_hints(found: tuple[ListedCommunity, ...], smallest: int, limit: int) -> None:
    if not found:
        hint = "`kg report isolated-nodes` lists entities that are alone"
        typer.echo(f"note: no community has {smallest} members or more; {hint}", err=True)
    elif len(found) == limit:
        typer.echo(f"note: the first {limit}; --limit lists more, --level one level", err=True)
    if found and not any(each.title for each in found):
        typer.echo("no reports yet: `kg communities --reports` writes them (--dry-run says what they cost)", err=True)


def _show_report(settings: Settings, number: int, level: int, *, as_json: bool) -> None:
    from kg_neo4j.pipeline.commands.communities import community_report

    with progress(quiet=as_json) as bars:
        report = community_report(number, settings=settings, level=level, progress=bars)
    if as_json:
        print_json(report)
        return
    print_text(f"{report.title}\n\n{report.summary}\n")
    print_text(f"Rating: {report.rating:g} of 10. {report.rating_explanation}\n")
    for place, finding in enumerate(report.findings, 1):
        print_text(f"{place}. {finding.summary}\n{finding.explanation}\n")
    written = "composed from the graph, without a model" if report.method == "composed" else "written by a model"
    typer.echo(f"note: community {number} of level {level}, {report.size} members; {written}", err=True)
    remark("flag", report.flags)


def _write_reports(settings: Settings, options: CommunityReportOptions, *, dry_run: bool, as_json: bool) -> None:
    from kg_neo4j.pipeline.commands import communities

    if dry_run:
        with progress(quiet=as_json) as bars:
            plan = communities.plan_community_reports(settings=settings, options=options, progress=bars)
        show(plan, _print_report_plan, as_json=as_json)
        return
    with progress(quiet=as_json) as bars:
        report = communities.community_reports(settings=settings, options=options, progress=bars)
    show(report, _print_reports, as_json=as_json)
    if report.unfinished:
        raise typer.Exit(PARTLY_DONE)


def _print_reports(report: CommunityReportsReport) -> None:
    flagged = f", {report.flagged} flagged" if report.flagged else ""
    written = f"{report.communities}: {report.by_model} by a model, {report.composed} composed{flagged}"
    facts: dict[str, object] = {"graph": report.graph, "reports": written, "changes": report.changes}
    if report.domain:
        facts["domain"] = report.domain
    if report.usage.calls:
        facts |= {"calls": report.usage.calls, **usage_facts(report.usage)}
    print_facts({**facts, "seconds": f"{report.seconds:.1f}"})
    remark("note", (*report.unfinished, *report.notes))


def _print_report_plan(plan: CommunityReportsPlan) -> None:
    facts: dict[str, object] = {
        "graph": plan.graph,
        "model": plan.model or "none: reports are composed from the graph, nothing is paid",
        "communities": f"{plan.communities}: {plan.current} with a valid report, {plan.composed} without a model",
        "calls": plan.usage.calls,
    }
    print_facts(facts | usage_facts(plan.usage, "unknown: no price of this model"))
    print_estimates(plan.assumptions)


@continues
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
    graph: str | None = None,
    as_json: bool = False,
) -> None:
    """Build or update summaries of texts, by aspect and level.

    A tree has summaries of a text by aspect and level.
    """
    from kg_neo4j.organise.tree.interface import TreeBuildOptions
    from kg_neo4j.pipeline.commands import tree

    settings = settings_for(graph=graph, model=model)
    options = TreeBuildOptions(
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
    if dry_run:
        with progress(quiet=as_json) as bars:
            plan = tree.plan_tree(settings=settings, options=options, progress=bars)
        show(plan, _print_tree_plan, as_json=as_json)
        return
    with progress(quiet=as_json) as bars:
        report = tree.tree(settings=settings, options=options, progress=bars)
    if as_json:
        shape: dict[str, Any] = plain(report)
        for each in shape["trees"]:
            each["leaf_kind"] = "passage" if each["leaf_kind"] else "chunk"
            each["methods"] = dict(sorted(each["methods"].items()))
        print_json(shape)
    else:
        _print_tree(report)
    if report.unfinished:
        raise typer.Exit(PARTLY_DONE)


def _print_table(summaries: Mapping[tuple[int, str], int]) -> None:
    levels = sorted({level for level, _ in summaries})
    aspects = sorted({aspect for _, aspect in summaries})
    rows = [[aspect, *(summaries.get((level, aspect), 0) for level in levels)] for aspect in aspects]
    if rows:
        print_table(["Aspect", *(f"Level {level}" for level in levels)], rows)


def _print_tree(report: TreeReport) -> None:
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


def _print_tree_plan(plan: TreePlan) -> None:
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
