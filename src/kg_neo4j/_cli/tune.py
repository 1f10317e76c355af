"""kg tune: a schema, or aspects of narrative trees, proposed for a text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from kg_neo4j._cli.options import settings_for
from kg_neo4j._cli.process import continues
from kg_neo4j._cli.shapes import of_record
from kg_neo4j._cli.terminal import print_estimates, print_facts, print_json, progress, remark, show, spent
from kg_neo4j.errors import UsageError

if TYPE_CHECKING:
    from kg_neo4j.pipeline.commands.tune import Tuned

# What --json says, in the terms of shapes.toml.
SCHEMA, ASPECTS = "entity_types=node_types relationship_types example=example_text", "set=chosen fits aspects"
COMMON = "method model sampled chunks *usage notes"


@continues
def tune(
    sources: list[str],
    target: Path = Path("tuned.toml"),
    aspects: bool = False,
    schema: str = "lean",
    domain: str | None = None,
    chunks: int = 16,
    force: bool = False,
    dry_run: bool = False,
    budget_usd: float | None = None,
    model: str | None = None,
    as_json: bool = False,
) -> None:
    """Propose the types to extract from a text (a schema).

    A schema has types and a worked example; aspects are for `kg tree`.
    """
    from kg_neo4j.pipeline.commands import tune

    if aspects and schema != "lean":
        raise UsageError("a file of aspects has no columns", hint="leave out --schema or --aspects")
    options = tune.TuneOptions(schema, target.stem, domain, chunks, budget_usd)
    settings = settings_for(model=model)
    if dry_run:
        with progress(quiet=as_json) as bars:
            plan = tune.plan_tune(sources, settings=settings, options=options, aspects=aspects, progress=bars)
        facts = {
            "model": plan.model or f"{'the built-in cues' if aspects else 'the built-in rules'}: nothing is paid",
            "sample": f"{plan.sampled} of {plan.chunks} chunks",
            "cost": spent(plan.usage),
        }
        show(plan, facts, as_json=as_json)
        if plan.usage.calls and not as_json:
            more = "a repair is" if aspects else "a repair, and a passage in which nothing is found, are"
            print_estimates([f"{more} one more{'' if aspects else ' each'}"])
        return
    if target.exists() and not force:
        raise UsageError(f"there is a file {target} already", hint="another place with --to, or --force")
    if not target.parent.is_dir():
        raise UsageError(f"there is no folder {target.parent}", hint="create it first")
    with progress(quiet=as_json) as bars:
        tuned = tune.tune(sources, settings=settings, options=options, aspects=aspects, progress=bars)
    tune.write_schema(tuned, target)
    if as_json:
        print_json({"path": str(target), **of_record(tuned, f"{ASPECTS if aspects else SCHEMA} {COMMON}")})
        return
    print_facts(_facts(tuned, target))
    remark("note", tuned.notes)
    use = f"kg tree --aspects {target}" if aspects else f"kg load FILE... --schema {target}"
    typer.echo(f"read it, edit it, then: {use}", err=True)


def _facts(tuned: Tuned, target: Path) -> dict[str, object]:
    more: dict[str, object] = {"sample": f"{tuned.sampled} of {tuned.chunks} chunks"}
    by_model = tuned.model if tuned.method == "model" else ""
    if not tuned.aspects:
        more = {"schema": target, "proposed by": by_model or "the built-in rules, most frequent first", **more}
        more["entity types"] = ", ".join(tuned.node_types) or "any"
        more["relationship types"] = ", ".join(tuned.relationship_types) or "any"
        more["example"] = tuned.example_text
    else:
        more = {"file of aspects": target, "proposed by": by_model or "the built-in cues", **more}
        if tuned.chosen:
            more["set"] = tuned.chosen
            more["fits"] = ", ".join(f"{name} {fit:.2f}" for name, fit in tuned.fits.items())
        more["aspects"] = ", ".join(each.name for each in tuned.aspects)
    return more | {"cost": spent(tuned.usage)}
