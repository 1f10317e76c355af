"""What `kg load --dry-run` prints."""

from __future__ import annotations

import typer

from kg_neo4j._cli.terminal import price, print_facts, print_json, remark
from kg_neo4j.records import LoadPlan, Usage

_UNKNOWN = "unknown: no price of this model in the built-in table or in KG_PRICES"


def show_plan(plan: LoadPlan, *, as_json: bool) -> None:
    """Print a plan."""
    if as_json:
        print_json(plan)
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
        facts["price"] = price(plan.usage, _UNKNOWN)
        facts["time"] = f"{_duration(plan.seconds)} with {plan.concurrency} calls at once"
    if plan.embedding.calls:
        facts["embedding"] = f"{_tokens(plan.embedding)}, {price(plan.embedding, _UNKNOWN)}"
    print_facts(facts)
    for assumption in plan.assumptions:
        typer.echo(f"estimated: {assumption}")
    remark("skipped", (f"{each.source}: {each.reason}" for each in plan.skipped))
    remark("note", plan.notes)


def _tokens(usage: Usage) -> str:
    return f"{usage.calls} calls, {usage.input_tokens} + {usage.output_tokens} tokens"


def _duration(seconds: float) -> str:
    minutes = round(seconds / 60)
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 120 else f"{minutes / 60:.1f} h"
