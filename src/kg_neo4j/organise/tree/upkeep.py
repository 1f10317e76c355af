"""What a tree was built with and from, and whether that still holds."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from kg_neo4j.acquire.chunking import largest
from kg_neo4j.errors import UsageError
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database
from kg_neo4j.organise.tree import aspects as aspect_sets
from kg_neo4j.organise.tree import raptor
from kg_neo4j.organise.tree.interface import BY_TEXT, NAME, SPHERES, UMAP, Aspect, TreeOptions
from kg_neo4j.organise.tree.leaves import fingerprint

_NUMBERS = ("leaf_tokens", "summary_tokens", "details", "levels", "seed")  # that are chosen and stored
RAPTOR = "raptor"  # the name of the tree that the narrative one is compared with: one general aspect, no details


@dataclass(frozen=True, slots=True)
class TreeState:
    """Whether a tree can be searched, and whether it is of the text that its document has now."""

    id: str
    name: str
    document_id: str
    title: str  # of the document
    complete: bool
    stale: bool  # the document's chunks are not those that it was built from


@dataclass(frozen=True, slots=True)
class TreeBuildChoice:
    """What a caller chooses; None: as the tree has it, else the default."""

    name: str = NAME
    leaf_tokens: int | None = None
    summary_tokens: int | None = None
    details: int | None = None
    levels: int | None = None
    seed: int | None = None
    aspects: tuple[Aspect, ...] | None = None
    details_by: str | None = None


def tree_states(database: Database, graph: str) -> tuple[TreeState, ...]:
    """Return the state of every tree of `graph`, by title and name."""
    rows = database.read(queries.get("tree/trees"), graph=graph)
    states = []
    for row in rows:
        is_stale = row["fingerprint"] != fingerprint([(chunk[0], chunk[1], chunk[2]) for chunk in row["chunks"]])
        about = (row["id"], row["name"], row["document_id"], row["title"], row["complete"])
        states.append(TreeState(*about, is_stale))
    return tuple(states)


def note_stale(database: Database, graph: str) -> list[str]:
    """Return a note on trees of a former text. They are paid for, so they are brought up to date when asked for."""
    stale = sum(state.complete and state.stale for state in tree_states(database, graph))
    trees = "narrative tree is" if stale == 1 else "narrative trees are"
    return [f"{stale} {trees} of a former text: `kg tree` brings that up to date"] if stale else []


def settled(
    choice: TreeBuildChoice, stored: TreeOptions | None, embedder: str, tokeniser: str, *, rebuild: bool, what: str
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
        aspects = choice.aspects or ((aspect_sets.GENERAL,) if is_raptor else aspect_sets.load_aspects())
        wanted = replace(wanted, aspects=tuple(aspects), aspects_hash=aspect_sets.fingerprint(aspects))
    if stored is None or rebuild:
        return replace(wanted, leaf_limit=None)
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
    names = (*_NUMBERS, "aspects_hash", "embedder", "tokeniser")
    data: dict[str, object] = {name: getattr(options, name) for name in names}
    data["aspects"] = [aspect.name for aspect in options.aspects]
    if options.leaf_limit is None:
        data["leaf_limit"] = options.leaf_tokens
    if options.clustering != SPHERES:  # trees of before have none, and a repeat changes nothing
        data["clustering"] = options.clustering
    if options.details_by != BY_TEXT:  # trees of before there was a choice stay as they are
        data["details_by"] = options.details_by
    return json.dumps(data, ensure_ascii=False, sort_keys=True)


def read_options(text: str, name: str, aspects: tuple[Aspect, ...]) -> TreeOptions:
    """Return what `options_json` wrote; the aspects themselves come with the tree's shape."""
    data = json.loads(text)
    numbers: dict[str, Any] = {number: int(data[number]) for number in _NUMBERS}
    is_former = "leaf_limit" not in data  # of version 0.1, whose leaves were longer
    return TreeOptions(
        name=name,
        leaf_limit=largest(numbers["leaf_tokens"]) if is_former else None,
        details_by=str(data.get("details_by", BY_TEXT)),
        clustering=str(data.get("clustering", SPHERES)),
        aspects=aspects,
        **{key: data[key] for key in ("aspects_hash", "embedder", "tokeniser")},
        **numbers,
    )
