"""kg load, unload, quarantine, rebuild: from sources to the graph, and what became of the rows."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from pkgutil import resolve_name
from typing import Annotated, Any

import typer

from kg_neo4j import plugins
from kg_neo4j._cli import PARTLY_DONE, of_room, terminal
from kg_neo4j._cli.options import load_options, settings_for
from kg_neo4j._cli.process import continues
from kg_neo4j._cli.terminal import price, print_estimates, print_facts, print_table, progress, remark, show, spent
from kg_neo4j.errors import UnreadableSource, UsageError
from kg_neo4j.records import LoadPlan, LoadReport, QuarantinedRow, RunCounts, SkippedSource, Usage

_UNKNOWN = "unknown: no price of this model in the built-in table or in KG_PRICES; --price gives one"


@continues
def load(
    sources: list[str] | None = None,
    listed: str | None = None,
    table_map: str | None = None,
    options: Annotated[Any, load_options] = None,
    model: str | None = None,
    analytics: bool = True,
    singletons: bool | None = None,
    rebuild: bool = False,
    re_extract: bool = False,
    re_embed: bool = False,
    refresh: bool = False,
    prune: bool = False,
    dry_run: bool = False,
    extractor: str | None = None,
    budget_usd: float | None = None,
    yes: bool = False,
    graph: str | None = None,
    as_json: bool = False,
) -> None:
    """Load files, folders, web and wiki pages into the graph.

    Repeating a load changes nothing.
    """
    from kg_neo4j.pipeline.commands import load, plan
    from kg_neo4j.pipeline.options import TABLES

    sources = [*(sources or ()), *(_listed(listed) if listed else ())]
    if "-" in sources:
        raise UsageError("- is no source", hint="write a text into a file; `kg load --from -` reads a list of sources")
    if not sources and not options.wikipedia and not refresh and not re_embed and not table_map:
        raise UsageError("nothing to load", hint="name files, folders, --from FILE, --wikipedia TITLE or --refresh")
    if singletons is not None and not analytics:
        raise UsageError("--singletons is about communities, and --no-analytics makes none", hint="leave one out")
    options = replace(options, analytics=analytics, singletons=singletons, rebuild=rebuild, refresh=refresh)
    options = replace(options, prune=prune, re_embed=re_embed, re_extract=re_extract, budget_usd=budget_usd)
    options = replace(options, table_map=table_map)
    settings = settings_for(graph=graph, model=model)
    if dry_run and options.table_map:
        plugins.need(TABLES, "tables cannot be read by a map", "install kg-neo4j again")
        resolve_name(f"{TABLES}.command:show_rows")(sources, settings, options, as_json=as_json)
        return
    given = None if extractor is None else plugins.opened(plugins.EXTRACTORS, extractor)
    if not (dry_run or extractor or table_map) and (proposal := of_room("fitness.command:proposal")):
        remark("note", proposal(settings))
    with progress(quiet=as_json) as bars:
        how: dict[str, Any] = {"settings": settings, "options": options, "extractor": given, "progress": bars}
        if re_extract and not dry_run:
            _show_price(plan.plan(sources, **how), yes=yes)
        done: LoadPlan | LoadReport
        done = plan.plan(sources, **how) if dry_run else load.load(sources, **how)
    if isinstance(done, LoadPlan):
        show(done, _print_plan, as_json=as_json)
        return
    show(done, print_load, as_json=as_json)
    if is_partly_done(done) or done.unfinished:
        raise typer.Exit(PARTLY_DONE)


def _listed(name: str) -> list[str]:
    """Return the sources that a file names, one a line; "-" is standard input. Raises UsageError if there are none."""
    from kg_neo4j.acquire.decoding import decode

    try:
        lines = decode(sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()).splitlines()
        if found := [each for line in lines if (each := line.strip()) and not each.startswith("#")]:
            return found
        raise UnreadableSource("it names no source")
    except (OSError, ValueError, UnreadableSource) as error:
        why = f"--from {name}: {getattr(error, 'strerror', None) or error}"
        raise UsageError(why, hint="name a text file that has one file, folder or address a line") from None


def _show_price(planned: LoadPlan, *, yes: bool) -> None:
    """Say what reading again costs, and ask."""
    asked = (
        f"{planned.chunks_to_ask} chunks are asked about: {_tokens(planned.usage)}, {price(planned.usage, _UNKNOWN)}"
    )
    remark("note", [asked])
    terminal.confirm("Go on?", yes=yes or not planned.chunks_to_ask)


@continues
def quarantine(
    retry: bool = False,
    values: bool = False,
    model: str | None = None,
    budget_usd: float | None = None,
    graph: str | None = None,
    as_json: bool = False,
) -> None:
    """List rows of a model that were rejected, and failed chunks.

    Each has its document, chunk, line, text and reason. A failed chunk has line 0.
    """
    from kg_neo4j.pipeline.commands import rebuild

    settings = settings_for(graph=graph, model=model)
    with progress(quiet=as_json) as bars:
        found: Any
        if retry:
            found = rebuild.retry_quarantine(settings=settings, budget_usd=budget_usd, progress=bars)
        else:
            found = rebuild.quarantine(values=values, settings=settings, progress=bars)
    show(found, print_load if retry else _print_quarantine, as_json=as_json)


@continues
def rebuild(graph: str | None = None, as_json: bool = False) -> None:
    """Rebuild the graph from its stored model answers. No model is called."""
    from kg_neo4j.pipeline.commands import rebuild

    with progress(quiet=as_json) as bars:
        report = rebuild.rebuild(settings=settings_for(graph=graph), progress=bars)
    show(report, print_load, as_json=as_json)


@continues
def unload(
    source: str,
    root: str | None = None,
    purge: bool = False,
    yes: bool = False,
    graph: str | None = None,
    as_json: bool = False,
) -> None:
    """Remove a document or a folder from the graph.

    Entities and facts that nothing else supports are removed with it.
    """
    from kg_neo4j.pipeline.commands import load

    if purge:
        plugins.need("kg_neo4j.rooms.erasure", "nothing can be purged", "install kg-neo4j again")
    with progress(quiet=as_json) as bars:
        remove = partial(of_room("erasure.command:purge"), yes=yes) if purge else load.unload
        report = remove(source, root=root, settings=settings_for(graph=graph), progress=bars)
    said, *notes = report.notes
    show(report, said, as_json=as_json)
    for name, lines in () if as_json else (("note", notes), ("unfinished", report.unfinished)):
        remark(name, lines)
    if report.unfinished:
        raise typer.Exit(PARTLY_DONE)


def print_load(report: LoadReport) -> None:
    """Print what a load did."""
    facts: dict[str, object] = {"graph": report.graph, "documents": report.documents, "chunks": report.chunks}
    facts |= extraction_facts(report)
    facts |= {name: getattr(report, name) for name in ("nodes", "relationships", "communities", "changes")}
    print_facts({**facts, "seconds": f"{report.seconds:.1f}"})
    remark("skipped", skipped_lines(report.skipped))
    remark("failed", report.failed_chunks)
    remark("note", report.notes)
    remark("unfinished", report.unfinished)


def is_partly_done(report: RunCounts) -> bool:
    """Return whether a source was refused, a chunk failed, no row was accepted, or a model gave few for all texts."""
    refused = any(not each.kind for each in report.skipped)
    has_rows = report.rows.accepted or not report.rows.read
    return bool(report.failed_chunks or refused or report.few_rows or not has_rows)


def skipped_lines(skipped: Sequence[SkippedSource]) -> list[str]:
    """Return a line for each source that was refused, and one that counts files of kinds that are not read."""
    lines = [f"{each.source}: {each.reason}" for each in skipped if not each.kind]
    if kinds := Counter(sorted(each.kind for each in skipped if each.kind)):
        counts = ", ".join(f"{count:,} {kind}" for kind, count in kinds.most_common())
        lines.append(f"{kinds.total():,} file{'s'[: kinds.total() > 1]} of kinds that are not read ({counts})")
    return lines


def extraction_facts(report: RunCounts) -> dict[str, object]:
    """Return what became of the rows, and what asking cost, round by round."""
    rows = report.rows
    facts: dict[str, object] = {"rows": f"{rows.read} read = {rows.accepted} accepted + {rows.rejected} rejected"}
    if report.rejections:
        reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(report.rejections.items()))
        facts["rejected"] = f"{reasons}; {report.repaired} repaired, {rows.rejected - report.repaired} in quarantine"
    facts["model"] = spent(report.usage)
    if len(report.steps) > 1:
        facts["rounds"] = ", ".join(f"{step} {usage.calls} calls" for step, usage in report.steps.items())
    return facts


def _print_quarantine(found: tuple[QuarantinedRow, ...]) -> None:
    rows = []
    for each in found:
        row = each.rejection
        rows.append((each.document, each.chunk, row.line, str(row.reason), row.detail, row.text))
    print_table(["Document", "Chunk", "Line", "Reason", "Detail", "Row"], rows)


def _print_plan(plan: LoadPlan) -> None:
    asked = f"{plan.chunks_to_ask} to send to the model, {plan.chunks - plan.chunks_to_ask} without a call"
    facts: dict[str, object] = {
        "graph": plan.graph,
        "documents": plan.documents,
        "chunks": f"{plan.chunks}: {asked}",
        "model": plan.model or "the built-in rules: nothing is paid",
    }
    if plan.usage.calls:
        facts["calls"] = plan.usage.calls
        facts |= {f"  {step}": _tokens(usage) for step, usage in plan.steps.items()}
        facts["tokens"] = f"{plan.usage.input_tokens} input + {plan.usage.output_tokens} output"
        facts["price"] = price(plan.usage, _UNKNOWN)
        facts["time"] = f"{terminal.duration(plan.seconds)} with {plan.concurrency} calls at once"
    if plan.embedding.calls:
        facts["embedding"] = f"{_tokens(plan.embedding)}, {price(plan.embedding, _UNKNOWN)}"
    print_facts(facts)
    print_estimates(plan.assumptions)
    remark("skipped", skipped_lines(plan.skipped))
    remark("note", plan.notes)


def _tokens(usage: Usage) -> str:
    thoughts = f" ({usage.reasoning_tokens} of them thoughts)" if usage.reasoning_tokens else ""
    return f"{usage.calls} calls, {usage.input_tokens} + {usage.output_tokens} tokens{thoughts}"
