"""kg tune: a schema proposed for a text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kg_neo4j._cli.options import BudgetOption, CacheOption, JsonOption, ModelOption, SchemaOption, settings_for
from kg_neo4j._cli.shapes import plain
from kg_neo4j._cli.terminal import cost, print_estimates, print_facts, print_json, progress, remark, show
from kg_neo4j.errors import UsageError


def tune(
    sources: Annotated[list[str], typer.Argument(metavar="FILE...", help="Files and folders.")],
    target: Annotated[Path, typer.Option("--to", metavar="FILE.toml", help="Where to write it.")] = Path("tuned.toml"),
    schema: SchemaOption = "graph",
    domain: Annotated[
        str | None, typer.Option("--domain", metavar="TEXT", help="What the text is about [default: not said].")
    ] = None,
    chunks: Annotated[int, typer.Option("--chunks", metavar="N", help="Chunks of the sample.", min=1)] = 16,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what it would ask and cost; ask nobody.")] = False,
    budget_usd: BudgetOption = None,
    model: ModelOption = None,
    cache: CacheOption = True,
    as_json: JsonOption = False,
) -> None:
    """Propose types and a worked example for a text, as a schema file that `kg load --schema` takes."""
    from kg_neo4j import pipeline

    options = pipeline.TuneOptions(schema, target.stem, domain, chunks, budget_usd)
    settings = settings_for(model=model, answer_cache=None if cache else False)
    if dry_run:
        with progress(quiet=as_json) as bars:
            plan = pipeline.plan_tune(sources, settings=settings, options=options, progress=bars)
        facts = {
            "model": plan.model or "the built-in rules: nothing is paid",
            "sample": f"{plan.sampled} of {plan.chunks} chunks",
            "cost": cost(plan.usage),
        }
        show(plan, facts, as_json=as_json)
        if plan.usage.calls and not as_json:
            print_estimates(["a repair, and a passage in which nothing is found, are one more each"])
        return
    if target.exists() and not force:
        raise UsageError(f"there is a file {target} already", hint="another place with --to, or --force")
    if not target.parent.is_dir():
        raise UsageError(f"there is no folder {target.parent}", hint="create it first")
    with progress(quiet=as_json) as bars:
        tuned = pipeline.tune(sources, settings=settings, options=options, progress=bars)
    pipeline.write_schema(tuned, target)
    if as_json:
        print_json({"path": str(target), **plain(tuned)})
        return
    print_facts(
        {
            "schema": target,
            "proposed by": tuned.model if tuned.method == "model" else "the built-in rules, most frequent first",
            "sample": f"{tuned.sampled} of {tuned.chunks} chunks",
            "entity types": ", ".join(tuned.node_types) or "any",
            "relationship types": ", ".join(tuned.relationship_types) or "any",
            "example": tuned.example_text,
            "cost": cost(tuned.usage),
        }
    )
    remark("note", tuned.notes)
    typer.echo(f"read it, edit it, then: kg load FILE... --schema {target}", err=True)
