"""The systems that are compared: a mode of asking each, some with a narrative tree of their own.

Each fills the same budget of tokens, so that none reads more than another. Beside them stand naive RAG, RAPTOR and the
narrative tree as they are published: the five nearest texts by cosine alone, within the same budget.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kg_neo4j.errors import UsageError
from kg_neo4j.organise.tree.interface import NAME as NARRATIVE
from kg_neo4j.organise.tree.upkeep import RAPTOR
from kg_neo4j.records import Filters
from kg_neo4j.retrieve.interface import NAIVE, AskOptions, ChunkChoice
from kg_neo4j.retrieve.tree.choice import COLLAPSED, TOP_K, WALK, TreeChoice
from kg_neo4j.retrieve.tree.choice import MODE as TREE

GLOBAL, NONE = "global", "none"
CONTEXT_TOKENS = 1_700  # of evidence, for every system alike; of a tree 1,000 to 1,700 are best
MANY = 100  # texts: tokens alone bound what is read


@dataclass(frozen=True, slots=True)
class System:
    """One way to answer. `tree` names the tree that it reads; empty: none."""

    name: str
    mode: str
    tree: str = ""
    is_cosine: bool = False  # the five nearest by cosine alone
    traversal: str = COLLAPSED  # of the tree

    def options(self, filters: Filters, context_tokens: int) -> AskOptions:
        """Return how a question is asked."""
        mode = NAIVE if self.mode == NONE else self.mode  # of a system that is asked nothing of the graph
        found = AskOptions(mode=mode, filters=filters, max_context_tokens=context_tokens)
        top_k = TOP_K if self.is_cosine else MANY
        if self.tree:
            return replace(found, tree=TreeChoice(self.tree, top_k, self.traversal, cosine=self.is_cosine))
        if self.mode == NAIVE:
            embedding = "average" if self.is_cosine else "passage"
            return replace(found, chunks=ChunkChoice(top_k, self.is_cosine, embedding))
        return found


SYSTEMS = {
    each.name: each
    for each in (
        System("naive-cosine", NAIVE, is_cosine=True),
        System("raptor-cosine", TREE, RAPTOR, is_cosine=True),
        System("tree-cosine", TREE, NARRATIVE, is_cosine=True),
        System(NAIVE, NAIVE),
        System(RAPTOR, TREE, RAPTOR),
        System(TREE, TREE, NARRATIVE),
        System("tree-walk", TREE, NARRATIVE, traversal=WALK),
        System("local", "local"),
        System(GLOBAL, GLOBAL),
        System("auto", "auto"),
        System(NONE, NONE),  # the model alone, without a passage
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
