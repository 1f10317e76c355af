"""kg fact, kg node: what a person corrects, the list of it, and taking it back."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import typer

from kg_neo4j._cli.options import settings_for
from kg_neo4j._cli.shapes import plain
from kg_neo4j._cli.terminal import print_facts, print_json, progress, remark, show_table
from kg_neo4j.errors import UsageError

if TYPE_CHECKING:
    from kg_neo4j.rooms.corrections.deciding import CorrectionReport, Corrections

fact = typer.Typer(no_args_is_help=True, help="Correct facts: later loads keep what a person decided.")
node = typer.Typer(no_args_is_help=True, help="Correct names, types and values of entities.")


@fact.command()
def wrong(named: list[str], because: str = "", graph: str | None = None, as_json: bool = False) -> None:
    """Call a fact wrong: answers, reports and pictures leave it out."""
    _run(lambda found: found.wrong(*named, because=because), graph, as_json)


@fact.command()
def add(
    source: str,
    relationship: str,
    target: str,
    because: str,
    address: str = "",
    start: str = "",
    source_type: str = "",
    target_type: str = "",
    graph: str | None = None,
    as_json: bool = False,
) -> None:
    """State a fact that no document states."""
    values = {"start_date": start} if start else {}
    given: dict[str, Any] = {"values": values, "url": address, "new_types": (source_type, target_type)}
    _run(lambda found: found.add(source, relationship, target, because=because, **given), graph, as_json)


@fact.command()
def edit(
    named: list[str],
    relationship_type: str | None = None,
    first: str | None = None,
    second: str | None = None,
    start: str | None = None,
    values: list[str] | None = None,
    because: str = "",
    address: str = "",
    graph: str | None = None,
    as_json: bool = False,
) -> None:
    """State a fact in another way: its ends, its type, its values."""
    columns = _columns(values) | ({} if start is None else {"start_date": start})
    given: dict[str, Any] = {"source": first, "type": relationship_type, "target": second, "values": columns}
    _run(lambda found: found.edit(*named, because=because, url=address, **given), graph, as_json)


@node.command("edit")
def edit_node(
    name: str,
    new_name: str | None = None,
    node_type: str | None = None,
    values: list[str] | None = None,
    because: str = "",
    graph: str | None = None,
    as_json: bool = False,
) -> None:
    """Give an entity another name, another type, or other values."""
    given = _columns(values) | {
        key: each for key, each in (("name", new_name), ("type", node_type)) if each is not None
    }
    _run(lambda found: found.edit_node(name, given, because=because), graph, as_json)


@fact.command()
@node.command()
def undo(decision: str, graph: str | None = None, as_json: bool = False) -> None:
    """Take a correction back."""
    _run(lambda found: found.undo(decision), graph, as_json)


@fact.command("list")
@node.command("list")
def show(graph: str | None = None, as_json: bool = False) -> None:
    """List all corrections, with what became of their sentences."""
    from kg_neo4j.rooms.corrections.deciding import Corrections

    with progress(quiet=as_json) as bars:
        found = Corrections(settings_for(graph=graph), bars).all()
    rows = [(each.id[:8], each.kind, each.what, each.becomes, each.reason, each.state) for each in found]
    show_table(found, ["Id", "Kind", "Corrected", "Becomes", "Because", "State"], rows, as_json=as_json)


def _columns(values: list[str] | None) -> dict[str, str]:
    """Return the values of COLUMN=VALUE."""
    pairs = [each.partition("=") for each in values or ()]
    if bad := next((name for name, equals, _ in pairs if not equals), None):
        raise UsageError(f"{bad!r} gives no value", hint="--set COLUMN=VALUE")
    return {name.strip(): value.strip() for name, _, value in pairs}


def _run(correct: Callable[[Corrections], CorrectionReport], graph: str | None, as_json: bool) -> None:
    from kg_neo4j.rooms.corrections.deciding import Corrections

    with progress(quiet=as_json) as bars:
        report = correct(Corrections(settings_for(graph=graph), bars))
    if as_json:
        print_json(plain(report))
        return
    for each in report.corrections:
        becomes = f" -> {each.becomes}" if each.becomes else ""
        print_facts({"correction": f"{each.id[:8]}, {each.state}", each.kind: each.what + becomes})
    facts = {"corrections": len(report.corrections), "nodes": report.graph.nodes}
    print_facts({**facts, "relationships": report.graph.relationships, "changes": report.graph.changes})
    remark("note", report.graph.notes)
