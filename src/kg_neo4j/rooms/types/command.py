"""kg types: the types of a graph, and decisions on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from kg_neo4j._cli.options import settings_for, with_options
from kg_neo4j._cli.shapes import plain
from kg_neo4j._cli.terminal import print_facts, print_json, print_table, progress, remark, show_table, usage_facts
from kg_neo4j.errors import UsageError

if TYPE_CHECKING:
    from kg_neo4j.rooms.types.deciding import TypesReport


def types(context: typer.Context, graph: str | None = None, as_json: bool = False) -> None:
    """List types, and decide what they become.

    Without a command: each type with its count and an example. Decisions are kept by later loads.
    """
    if context.invoked_subcommand is not None:
        return
    from kg_neo4j.rooms.types import deciding

    with progress(quiet=as_json) as bars:
        found = deciding.list_types(settings=settings_for(graph=graph), progress=bars)
    rows = [(each.kind, each.type, each.count, each.example, each.preferred or None, each.includes) for each in found]
    show_table(found, ["Kind", "Type", "Count", "Example", "Preferred", "Includes"], rows, as_json=as_json)


app = typer.Typer(invoke_without_command=True, callback=with_options(types))


@app.command()
def promote(name: str, nodes: bool = False, graph: str | None = None, as_json: bool = False) -> None:
    """Prefer a type: later loads and proposals keep it."""
    _decide(name, name, nodes, graph, as_json)


@app.command()
def rename(name: str, becomes: str, nodes: bool = False, graph: str | None = None, as_json: bool = False) -> None:
    """Show a type under a name that no type has yet."""
    _decide(name, becomes, nodes, graph, as_json, is_new=True)


@app.command()
def merge(name: str, becomes: str, nodes: bool = False, graph: str | None = None, as_json: bool = False) -> None:
    """Show a type under another one that there is."""
    _decide(name, becomes, nodes, graph, as_json, is_new=False)


@app.command()
def inverse(name: str, becomes: str, graph: str | None = None, as_json: bool = False) -> None:
    """Show relationships the other way round, under another type."""
    _decide(name, becomes, False, graph, as_json, inverse=True)


@app.command()
def undo(name: str, graph: str | None = None, as_json: bool = False) -> None:
    """Take back what was decided on a type."""
    from kg_neo4j.rooms.types import deciding

    with progress(quiet=as_json) as bars:
        report = deciding.undo_types(name, settings=settings_for(graph=graph), progress=bars)
    _print(report, as_json)


@app.command()
def propose(
    yes: bool = False,
    budget_usd: float | None = None,
    model: str | None = None,
    graph: str | None = None,
    as_json: bool = False,
) -> None:
    """Propose which rare types become common ones; --yes does it."""
    from kg_neo4j.rooms.types import deciding, proposing

    settings = settings_for(graph=graph, model=model)
    with progress(quiet=as_json) as bars:
        found = proposing.propose_types(settings=settings, budget_usd=budget_usd, progress=bars)
        report = None
        if yes and found.changes:
            report = deciding.decide_types(found.changes, settings=settings, rule=found.proposed_by, progress=bars)
    if as_json:
        print_json({**plain(found), "report": plain(report)})
        return
    rows = [(each.kind, each.type, each.becomes, each.inverse or None, each.reason) for each in found.changes]
    print_table(["Kind", "Type", "Becomes", "Turned round", "Reason"], rows)
    print_facts({"proposed by": found.proposed_by, "types": len(rows), **usage_facts(found.usage)})
    if report is not None:
        _print(report, as_json)
    elif rows:
        remark("note", ["nothing is changed: `kg types propose --yes` applies this, `kg types undo TYPE` takes back"])


def _decide(
    name: str,
    becomes: str,
    nodes: bool,
    graph: str | None,
    as_json: bool,
    *,
    inverse: bool = False,
    is_new: bool | None = None,
) -> None:
    from kg_neo4j.rooms.types import deciding
    from kg_neo4j.rooms.types.deciding import NODE, RELATIONSHIP, TypeChange

    settings = settings_for(graph=graph)
    with progress(quiet=as_json) as bars:
        known = deciding.list_types(settings=settings, progress=bars)
        kinds = {each.kind for each in known if name in (each.type, *each.includes)}
        kind = NODE if nodes or (kinds == {NODE} and not inverse) else RELATIONSHIP
        there = any(each.kind == kind and each.type == becomes for each in known)
        if is_new is not None and kinds and there is is_new:
            hint = f"`kg types {'merge' if is_new else 'rename'} {name} {becomes}`"
            raise UsageError(f"there is {'a' if there else 'no'} {kind} type {becomes}", hint=hint)
        change = TypeChange(kind, name, becomes, inverse)
        report = deciding.decide_types([change], settings=settings, progress=bars)
    _print(report, as_json)


def _print(report: TypesReport, as_json: bool) -> None:
    if as_json:
        print_json(plain(report))
        return
    taken_back = sum(each.decision.revoked for each in report.decisions)
    stored = len(report.decisions) - taken_back
    print_facts(
        {
            "graph": report.graph.graph,
            "decisions": f"{taken_back} taken back" if taken_back else f"{stored} stored",
            "chunks": report.chunks,
            "nodes": report.graph.nodes,
            "relationships": report.graph.relationships,
            "changes": report.graph.changes,
        }
    )
    remark("note", report.graph.notes)
