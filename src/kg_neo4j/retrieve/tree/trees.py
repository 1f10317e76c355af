"""Which narrative trees stand, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kg_neo4j.errors import UsageError
from kg_neo4j.graph.database import Database
from kg_neo4j.organise.tree.leaves import fingerprint
from kg_neo4j.retrieve.interface import Scope
from kg_neo4j.retrieve.left import read_left
from kg_neo4j.retrieve.tree.choice import TreeChoice

SHOWN = 3  # titles in a note


@dataclass(frozen=True, slots=True)
class DocumentTree:
    """A document with its tree of one name."""

    document_id: str
    title: str
    tree_id: str | None  # None: it has none
    complete: bool
    stale: bool  # the document has changed since
    aspects: tuple[str, ...]  # of its summaries

    @property
    def is_good(self) -> bool:
        """Return whether it says what the document says."""
        return self.complete and not self.stale


def read_trees(database: Database, graph: str, name: str, scope: Scope | None = None) -> tuple[DocumentTree, ...]:
    """Return the documents of a graph, or of a scope, each with its tree of that name, by title."""
    rows = read_left(database, scope, "retrieve/trees", graph=graph, name=name)
    return tuple(
        DocumentTree(
            row["document"],
            row["title"] or "",
            row["tree"],
            row["complete"],
            row["fingerprint"] != fingerprint([(each, start, end) for each, start, end in row["chunks"]]),
            tuple(row["aspects"]),
        )
        for row in rows
    )


def usable(trees: Sequence[DocumentTree], choice: TreeChoice) -> tuple[list[str], list[str]]:
    """Return the ids of the trees that can be read, and notes on what is missing, incomplete or out of date.

    Raises UsageError for an aspect that no tree has.
    """
    found = [each for each in trees if each.tree_id and each.complete]
    known = sorted({aspect for each in found for aspect in each.aspects})
    if found and (unknown := sorted(set(choice.aspects) - set(known))):
        raise UsageError(
            f"no tree {choice.name!r} has summaries of {unknown[0]!r}", hint=f"there are {', '.join(known) or 'none'}"
        )
    notes = []
    for what, listed in (
        ("have no tree", [each for each in trees if not each.tree_id]),
        ("have a tree that was not finished", [each for each in trees if each.tree_id and not each.complete]),
        ("have changed since their tree was built", [each for each in found if each.stale]),
    ):
        if listed:
            notes.append(_said(what, listed, len(trees), choice.name))
    return [each.tree_id for each in found if each.tree_id], notes


def _said(what: str, listed: Sequence[DocumentTree], total: int, name: str) -> str:
    shown = ", ".join(f"“{each.title}”" for each in listed[:SHOWN])
    more = f" and {len(listed) - SHOWN} more" if len(listed) > SHOWN else ""
    count = f"{len(listed)} of {total} documents" if total > 1 else "1 document"
    verb = what if len(listed) > 1 or total > 1 else what.replace("have ", "has ", 1)
    return f"{count} {verb} ({shown}{more}): `kg tree{'' if name == 'narrative' else f' --name {name}'}` builds it"
