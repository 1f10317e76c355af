"""What `kg load --dry-run` prints."""

from __future__ import annotations

import typer

from kg_neo4j._cli.shapes import plan_shape
from kg_neo4j._cli.terminal import print_facts, print_json
from kg_neo4j.records import LoadPlan, Usage


def show_plan(plan: LoadPlan, *, as_json: bool) -> None:
    """Print a plan."""
    if as_json:
        print_json(plan_shape(plan))
        return
    asked = f"{plan.chunks_to_ask} to ask about, {plan.chunks - plan.chunks_to_ask} without asking"
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
        facts["price"] = _price(plan.usage)
        facts["time"] = f"{_duration(plan.seconds)} with {plan.concurrency} calls at once"
    if plan.embedding.calls:
        facts["embedding"] = f"{_tokens(plan.embedding)}, {_price(plan.embedding)}"
    print_facts(facts)
    for assumption in plan.assumptions:
        typer.echo(f"estimated: {assumption}")
    for skipped in plan.skipped:
        typer.echo(f"skipped: {skipped.source}: {skipped.reason}", err=True)
    for note in plan.notes:
        typer.echo(f"note: {note}", err=True)


def _tokens(usage: Usage) -> str:
    return f"{usage.calls} calls, {usage.input_tokens} + {usage.output_tokens} tokens"


def _price(usage: Usage) -> str:
    if usage.usd is None:
        return "unknown: no price of this model in the built-in table or in KG_PRICES"
    return f"{usage.usd:.4f} USD"


def _duration(seconds: float) -> str:
    minutes = round(seconds / 60)
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 120 else f"{minutes / 60:.1f} h"
