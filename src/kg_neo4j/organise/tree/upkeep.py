"""What a tree was built with and from, and whether that still holds."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from kg_neo4j.errors import UsageError
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Reader
from kg_neo4j.organise.tree import aspects as aspect_sets
from kg_neo4j.organise.tree import raptor
from kg_neo4j.organise.tree.interface import SPHERES, UMAP, Aspect, TreeBuildOptions, TreeOptions
from kg_neo4j.organise.tree.leaves import fingerprint

_NUMBERS = ("leaf_tokens", "summary_tokens", "details", "levels", "seed")  # that are chosen and stored
_TEXTS = ("details_by", "clustering", "aspects_hash", "embedder", "tokeniser")  # that are stored
RAPTOR = "raptor"  # the name of the tree that the narrative one is compared with: one general aspect, no details


def note_stale(reader: Reader, graph: str) -> list[str]:
    """Return a note on trees of a former text. They are paid for, so they are brought up to date when asked for."""
    trees = reader.read(queries.get("tree/trees"), graph=graph)
    stale = sum(row["complete"] and row["fingerprint"] != fingerprint(row["chunks"]) for row in trees)
    what = "narrative tree is" if stale == 1 else "narrative trees are"
    return [f"{stale} {what} of a former text: `kg tree` brings that up to date"] if stale else []


def settled(
    choice: TreeBuildOptions, stored: TreeOptions | None, embedder: str, tokeniser: str, what: str
) -> TreeOptions:
    """Return what to build with. Raises UsageError where a stored tree was built with something else.

    `what` names the tree. What nobody chose stays as the tree has it. Details may always be others.
    """
    is_raptor = choice.name == RAPTOR
    usual = stored or (TreeOptions(details=0) if is_raptor else TreeOptions())
    given = {name: getattr(choice, name) for name in (*_NUMBERS, "details_by")}
    given = {name: value for name, value in given.items() if value is not None}
    wanted = replace(usual, name=choice.name, embedder=embedder, tokeniser=tokeniser, **given)
    if stored is None or choice.aspects is not None:
        is_general = is_raptor and choice.aspects in (None, ())
        aspects = (aspect_sets.GENERAL,) if is_general else aspect_sets.load_aspects(choice.aspects)
        wanted = replace(wanted, aspects=aspects, aspects_hash=aspect_sets.fingerprint(aspects))
    if stored is None or choice.rebuild:
        return wanted
    pairs = [(name, getattr(stored, name), getattr(wanted, name)) for name in _NUMBERS if name != "details"]
    changed = [f"{name} {before}, not {now}" for name, before, now in pairs if before != now]
    if stored.aspects_hash != wanted.aspects_hash:
        changed.append(f"the aspects {', '.join(aspect.name for aspect in stored.aspects)}, not those of this run")
    if stored.tokeniser != tokeniser:
        changed.append(f"the tokeniser {stored.tokeniser}, not {tokeniser}")
    if changed:
        hint = "--rebuild rebuilds it; --name NAME builds another one"
        raise UsageError(f"{what} was built with {'; '.join(changed)}", hint=hint)
    return wanted


def clustered_here(options: TreeOptions) -> TreeOptions:
    """Return the options of a tree whose clusters are to be found now: RAPTOR's own where umap-learn is installed."""
    return replace(options, clustering=UMAP if options.name == RAPTOR and raptor.is_installed() else SPHERES)


def options_json(options: TreeOptions) -> str:
    """Return what is stored and exported: no path of a prompt's file."""
    data: dict[str, object] = {name: getattr(options, name) for name in (*_NUMBERS, *_TEXTS)}
    data["aspects"] = [aspect.name for aspect in options.aspects]
    return json.dumps(data, ensure_ascii=False, sort_keys=True)


def read_options(text: str, name: str, aspects: tuple[Aspect, ...]) -> TreeOptions:
    """Return what `options_json` wrote; the aspects themselves come with the tree's shape."""
    data = json.loads(text)
    numbers: dict[str, Any] = {key: int(data[key]) for key in _NUMBERS}
    return TreeOptions(name=name, aspects=aspects, **numbers, **{key: data[key] for key in _TEXTS})
