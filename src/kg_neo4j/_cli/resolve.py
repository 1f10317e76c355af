"""kg resolve: which entities are one, why, and taking it back."""

from __future__ import annotations

from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING

import typer

from kg_neo4j._cli import PARTLY_DONE, terminal
from kg_neo4j._cli.options import settings_for
from kg_neo4j._cli.process import continues
from kg_neo4j._cli.shapes import plain
from kg_neo4j._cli.terminal import print_facts, print_json, print_text, progress, remark
from kg_neo4j.errors import UsageError

if TYPE_CHECKING:
    from kg_neo4j.graph.resolution.showing import StoredDecision
    from kg_neo4j.pipeline.commands.resolve import ResolveReport


@continues
def resolve(
    dry_run: bool = False,
    undo: str | None = None,
    show: bool = False,
    split: str | None = None,
    documents: list[str] | None = None,
    must_link: Path | None = None,
    cannot_link: Path | None = None,
    model: str | None = None,
    budget_usd: float | None = None,
    analytics: bool = True,
    graph: str | None = None,
    as_json: bool = False,
) -> None:
    """Merge entities that are the same.

    Each merge has a reason and can be undone.
    """
    from kg_neo4j.pipeline.commands import resolve

    if sum((dry_run, undo is not None, show, split is not None)) > 1 or ((undo or show) and (must_link or cannot_link)):
        raise UsageError(
            "--dry-run, --undo, --list and --split are for one thing at a time", hint="see `kg resolve --help`"
        )
    settings = settings_for(graph=graph, model=model)
    with progress(quiet=as_json) as bars:
        if show:
            found = resolve.decisions(settings=settings, progress=bars)
        elif undo is not None:
            report = resolve.undo(undo, settings=settings, analytics=analytics, progress=bars)
        elif split is not None:
            by_hand = resolve_name("kg_neo4j.rooms.namesakes.splitting:split_name")
            report = by_hand(split, documents or (), settings=settings, analytics=analytics, progress=bars)
        else:
            options = resolve.ResolveOptions(dry_run, must_link, cannot_link, analytics, budget_usd)
            report = resolve.resolve(settings=settings, options=options, progress=bars)
    if show:
        terminal.show(found, _print_decisions, as_json=as_json)
        return
    if as_json:
        print_json({"graph": report.graph.graph, "dry_run": dry_run, **plain(report)})
    else:
        _print_summary(report, dry_run=dry_run)
    if report.unknown:
        raise typer.Exit(PARTLY_DONE)


def _print_decisions(found: tuple[StoredDecision, ...]) -> None:
    for each in found:
        decision = each.decision
        run = f"run {decision.run}" if decision.run else "a load"
        standing = f"{decision.kind}{', taken back' if decision.revoked else ''}"
        print_text(f"{run}  {decision.id[:8]}  {standing}  {each.left} ~ {each.right}: {decision.reason}")


def _print_summary(report: ResolveReport, *, dry_run: bool) -> None:
    for proposal in report.proposals:
        pair = f"{proposal.left.shown} ~ {proposal.right.shown}"
        print_text(f"{proposal.verdict:<5}  {proposal.score:.2f}  {proposal.rule:<11}  {pair}: {proposal.reason}")
    verdicts = [str(each.verdict) for each in report.proposals]
    counted = ", ".join(f"{verdicts.count(each)} {each}" for each in ("join", "split", "apart", "ask"))
    facts: dict[str, object] = {"graph": report.graph.graph, "proposals": counted}
    if not dry_run:
        became = f"stored as run {report.run}" if report.proposals or not report.decisions else "taken back"
        facts["decisions"] = f"{len(report.decisions)} {became}"
    facts |= {
        "nodes": report.graph.nodes if dry_run else f"{report.nodes_before} -> {report.graph.nodes}",
        "relationships": report.graph.relationships,
        "changes": report.graph.changes,
        "seconds": f"{report.graph.seconds:.1f}",
    }
    print_facts(facts)
    pairs = [f"{each.decision.kind} {each.left} ~ {each.right}" for each in report.skipped]
    remark("skipped", (f"{pair}: against a stronger decision" for pair in pairs))
    remark("unknown", report.unknown)
    remark("note", report.graph.notes)
