"""What a tree was built with and from, and whether that still holds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

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


@dataclass(frozen=True, slots=True)
class TreeSettings:
    """What a tree is built with, as it is stored with it."""

    options: TreeOptions
    aspects: tuple[Aspect, ...]
    aspects_hash: str
    embedder: str  # model and dimension of the vectors
    tokeniser: str


def tree_states(database: Database, graph: str) -> tuple[TreeState, ...]:
    """Return the state of every tree of `graph`, by title and name."""
    rows = database.read(queries.get("tree/trees"), graph=graph)
    return tuple(
        TreeState(
            row["id"],
            row["name"],
            row["document_id"],
            row["title"],
            row["complete"],
            row["fingerprint"] != fingerprint([(chunk[0], chunk[1], chunk[2]) for chunk in row["chunks"]]),
        )
        for row in rows
    )


def settled(
    choice: TreeBuildChoice, stored: TreeSettings | None, embedder: str, tokeniser: str, *, rebuild: bool, what: str
) -> TreeSettings:
    """Return what to build with. Raises UsageError where a stored tree was built with something else.

    `what` names the tree. What nobody chose stays as the tree has it. Details may always be others.
    """
    wanted = _with(choice, stored)
    wanted = replace(wanted, embedder=embedder, tokeniser=tokeniser)
    if stored is None or rebuild:
        return replace(wanted, options=replace(wanted.options, leaf_limit=None))
    names = ("leaf_tokens", "summary_tokens", "levels", "seed")
    changed = [
        f"{name} {getattr(stored.options, name)}, not {getattr(wanted.options, name)}"
        for name in names
        if getattr(stored.options, name) != getattr(wanted.options, name)
    ]
    if stored.aspects_hash != wanted.aspects_hash:
        changed.append(f"the aspects {', '.join(aspect.name for aspect in stored.aspects)}, not those of this run")
    if stored.tokeniser != tokeniser:
        changed.append(f"the tokeniser {stored.tokeniser}, not {tokeniser}")
    if changed:
        raise UsageError(
            f"{what} was built with {'; '.join(changed)}",
            hint="--rebuild rebuilds it; --name NAME builds another one",
        )
    return wanted


def _with(choice: TreeBuildChoice, stored: TreeSettings | None) -> TreeSettings:
    is_raptor = choice.name == RAPTOR
    usual = stored.options if stored else TreeOptions(details=0) if is_raptor else TreeOptions()
    given = {name: getattr(choice, name) for name in (*_NUMBERS, "details_by")}
    options = replace(usual, name=choice.name, **{name: value for name, value in given.items() if value is not None})
    if choice.aspects is None and stored is not None:
        return replace(stored, options=options)
    aspects = choice.aspects or ((aspect_sets.GENERAL,) if is_raptor else aspect_sets.load_aspects())
    return TreeSettings(options, tuple(aspects), aspect_sets.fingerprint(aspects), "", "")


def clustered_here(settings: TreeSettings) -> TreeSettings:
    """Return the settings of a tree whose clusters are to be found now: RAPTOR's own where umap-learn is installed."""
    clustering = UMAP if settings.options.name == RAPTOR and raptor.is_installed() else SPHERES
    return replace(settings, options=replace(settings.options, clustering=clustering))


def settings_json(settings: TreeSettings) -> str:
    """Return what is stored and exported: no path of a prompt's file."""
    options = settings.options
    data: dict[str, object] = {
        **{name: getattr(options, name) for name in _NUMBERS},
        "aspects": [aspect.name for aspect in settings.aspects],
        "aspects_hash": settings.aspects_hash,
        "embedder": settings.embedder,
        "tokeniser": settings.tokeniser,
    }
    if options.leaf_limit is None:
        data["leaf_limit"] = options.leaf_tokens
    if options.clustering != SPHERES:  # trees of before have none, and a repeat changes nothing
        data["clustering"] = options.clustering
    if options.details_by != BY_TEXT:  # trees of before there was a choice stay as they are
        data["details_by"] = options.details_by
    return json.dumps(data, ensure_ascii=False, sort_keys=True)


def read_settings(text: str, name: str, aspects: Sequence[Aspect]) -> TreeSettings:
    """Return what `settings_json` wrote; the aspects themselves come with the tree's shape."""
    data = json.loads(text)
    numbers = {name: int(data[name]) for name in _NUMBERS}
    limit = None if "leaf_limit" in data else largest(numbers["leaf_tokens"])  # leaves of version 0.1 were longer
    clustering = str(data.get("clustering", SPHERES))
    by = str(data.get("details_by", BY_TEXT))
    options = TreeOptions(name=name, leaf_limit=limit, details_by=by, clustering=clustering, **numbers)
    return TreeSettings(options, tuple(aspects), data["aspects_hash"], data["embedder"], data["tokeniser"])
