"""The systems that are compared: a mode of asking each, some with a narrative tree of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kg_neo4j.errors import UsageError
from kg_neo4j.organise.tree.interface import NAME as NARRATIVE
from kg_neo4j.organise.tree.upkeep import RAPTOR
from kg_neo4j.pipeline.answering import AskOptions
from kg_neo4j.records import Filters
from kg_neo4j.retrieve.tree.choice import MODE as TREE
from kg_neo4j.retrieve.tree.choice import TreeChoice

__all__ = ["CONTEXT_TOKENS", "GLOBAL", "RAPTOR", "SYSTEMS", "System", "systems"]

GLOBAL = "global"
CONTEXT_TOKENS = 1_700  # of evidence, for every system alike; W4: 1,000 to 1,700 are best


@dataclass(frozen=True, slots=True)
class System:
    """One way to answer. `tree` names the tree that it reads; empty: none."""

    name: str
    mode: str
    tree: str = ""

    def options(self, filters: Filters, context_tokens: int) -> AskOptions:
        """Return how a question is asked."""
        if not self.tree:
            return AskOptions(mode=self.mode, filters=filters, max_context_tokens=context_tokens)
        choice = TreeChoice(name=self.tree)
        return AskOptions(mode=self.mode, filters=filters, max_context_tokens=context_tokens, tree=choice)


SYSTEMS = {
    each.name: each
    for each in (
        System("naive", "naive"),
        System(RAPTOR, TREE, RAPTOR),
        System(TREE, TREE, NARRATIVE),
        System("local", "local"),
        System(GLOBAL, GLOBAL),
        System("auto", "auto"),
    )
}


def systems(names: Sequence[str]) -> tuple[System, ...]:
    """Return the systems of these names, each once, in their order. Raises UsageError for one that there is not."""
    if not names:
        raise UsageError("no system to compare", hint=f"the systems are {', '.join(SYSTEMS)}")
    for name in names:
        if name not in SYSTEMS:
            raise UsageError(f"no system {name!r}", hint=f"the systems are {', '.join(SYSTEMS)}")
    return tuple(SYSTEMS[name] for name in dict.fromkeys(names))
