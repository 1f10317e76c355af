"""Who is the same as whom, by decision. Pure: components are recomputed from the stored decisions, never patched.

A decision joins two mention keys or keeps them apart. Any order of the same decisions gives the same components, so the
graph stays a function of documents, answers and decisions; revoking one and computing again is all that undoing takes.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.graph.identity import namesake_key


class DecisionKind(enum.StrEnum):
    """What a decision says, strongest first."""

    MUST_LINK = "must-link"  # a person says: the same
    CANNOT_LINK = "cannot-link"  # a person or a model says: not the same
    SAME = "same"  # a rule or a model says: the same
    NODE_TYPE = "node-type"  # the left type is recorded as the right one
    RELATIONSHIP_TYPE = "relationship-type"  # likewise
    INVERSE_TYPE = "inverse-type"  # likewise, with the ends changed round
    PREFERRED_NODE = "preferred-node-type"  # one that prompts name
    PREFERRED_RELATIONSHIP = "preferred-relationship-type"
    WRONG_FACT = "wrong-fact"  # a person says: what is stated is wrong
    ADDED_FACT = "added-fact"  # a person states it
    EDITED_FACT = "edited-fact"  # both: one statement in the place of another
    EDITED_NODE = "edited-node"  # a person gives a value of an entity


TYPES = frozenset({DecisionKind.NODE_TYPE, DecisionKind.RELATIONSHIP_TYPE, DecisionKind.INVERSE_TYPE})
ON_NAMES = frozenset({DecisionKind.MUST_LINK, DecisionKind.CANNOT_LINK, DecisionKind.SAME})
ON_TYPES = TYPES | {DecisionKind.PREFERRED_NODE, DecisionKind.PREFERRED_RELATIONSHIP}
CORRECTIONS = frozenset(DecisionKind) - ON_NAMES - ON_TYPES
_STRENGTH = {kind: rank for rank, kind in enumerate(DecisionKind)}


@dataclass(frozen=True, slots=True)
class Decision:
    """A stored decision on two mention keys, on types, on a fact (the keys of its ends) or on a value of a node.

    Made by `decide`, `decide_type` and the room of corrections, which compute the id.
    """

    id: str
    graph: str
    kind: DecisionKind
    left_key: str  # the smaller one
    right_key: str
    rule: str  # "file", "person", "model" or the rule's name
    score: float  # 0 to 1
    reason: str = ""  # for people
    revoked: bool = False
    run: int = 0  # of `kg resolve`, from 1 in each graph
    document: str = ""  # id of a document that means a namesake by one of the keys; see `tell_apart`
    content: str = ""  # of a correction: JSON, what is wrong and what is right


def decide(
    graph: str, kind: DecisionKind, keys: tuple[str, str], rule: str, score: float, reason: str = ""
) -> Decision:
    """Return a decision; its id hashes graph, kind and keys, so the same one made twice is one.

    Raises ValueError for a key and itself.
    """
    left, right = sorted(keys)
    if left == right:
        raise ValueError("a mention key is the same as itself without a decision")
    decision_id = hash_id("decision", graph, str(kind), left, right)
    return Decision(decision_id, graph, kind, left, right, rule, score, reason)


def decide_type(graph: str, kind: DecisionKind, types: tuple[str, str], rule: str, reason: str = "") -> Decision:
    """Return the decision that the first type is recorded as the second, or preferred where both are one."""
    return Decision(hash_id("decision", graph, str(kind), *types), graph, kind, *types, rule, 1.0, reason)


def tell_apart(graph: str, key: str, document: str, rule: str, score: float, reason: str = "") -> Decision:
    """Return the decision that `document` means another bearer by the name whose key this is."""
    made = decide(graph, DecisionKind.CANNOT_LINK, (key, namesake_key(key, document)), rule, score, reason)
    return replace(made, document=document)


@dataclass(frozen=True, slots=True)
class Components:
    """Which mention keys are one entity. Only keys that a decision joined are listed; any other stands for itself."""

    roots: Mapping[str, str] = field(default_factory=dict)  # member -> entity id, the smallest member
    members: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # entity id -> members, sorted
    skipped: tuple[Decision, ...] = ()  # against what a stronger decision says, in the order of strength
    namesakes: Mapping[tuple[str, str], str] = field(default_factory=dict)  # document, key -> key of the bearer meant

    def entity(self, key: str) -> str:
        """Return the id of the entity that `key` belongs to."""
        return self.roots.get(key, key)

    def members_of(self, key: str) -> tuple[str, ...]:
        """Return all keys of the entity that `key` belongs to."""
        return self.members.get(self.entity(key), (key,))


@dataclass(slots=True, eq=False)
class Union:
    """Disjoint sets of keys, and which of them must stay apart."""

    _parents: dict[str, str] = field(default_factory=dict)
    _apart: dict[str, set[str]] = field(default_factory=dict)  # root -> roots

    def find(self, key: str) -> str:
        """Return the root of the set that `key` is in."""
        parents = self._parents
        root = key
        while (parent := parents.get(root, root)) != root:
            root = parent
        while (parent := parents.get(key, key)) != root:
            parents[key] = root
            key = parent
        return root

    def join(self, left: str, right: str) -> bool:
        """Make one set of two; return False, and do nothing, where they must stay apart."""
        low, high = sorted((self.find(left), self.find(right)))
        if low == high:
            return True
        if high in self._apart.get(low, ()):
            return False
        self._parents.setdefault(low, low)
        self._parents[high] = low
        for other in self._apart.pop(high, ()):
            self._apart[other].discard(high)
            self._apart[other].add(low)
            self._apart.setdefault(low, set()).add(other)
        return True

    def separate(self, left: str, right: str) -> bool:
        """Keep two sets apart from now on; return False, and do nothing, where they are one."""
        one, other = self.find(left), self.find(right)
        if one == other:
            return False
        self._apart.setdefault(one, set()).add(other)
        self._apart.setdefault(other, set()).add(one)
        return True

    def are_apart(self, left: str, right: str) -> bool:
        """Return True where two sets must stay apart."""
        return self.find(left) in self._apart.get(self.find(right), ())

    def sets(self) -> dict[str, tuple[str, ...]]:
        """Return the sets of two and more keys, smallest member -> members, all sorted."""
        found: dict[str, list[str]] = {}
        for key in sorted(self._parents):
            found.setdefault(self.find(key), []).append(key)
        return {keys[0]: tuple(keys) for keys in sorted(found.values()) if len(keys) > 1}


def in_order(decisions: Iterable[Decision]) -> list[Decision]:
    """Sort by strength: must-link, cannot-link, then by falling score, then by keys. Revoked ones are left out."""
    held = (decision for decision in decisions if not decision.revoked)
    return sorted(held, key=lambda each: (_STRENGTH[each.kind], -each.score, each.left_key, each.right_key))


def components(decisions: Iterable[Decision]) -> Components:
    """Return what the unrevoked decisions make of the keys; a weaker one that contradicts is skipped and listed."""
    union = Union()
    skipped: list[Decision] = []
    namesakes: dict[tuple[str, str], str] = {}
    for decision in in_order(decisions):
        act = union.separate if decision.kind is DecisionKind.CANNOT_LINK else union.join
        if not act(decision.left_key, decision.right_key):
            skipped.append(decision)
        elif decision.document:
            for key, other in ((decision.left_key, decision.right_key), (decision.right_key, decision.left_key)):
                if namesake_key(key, decision.document) == other:
                    namesakes[decision.document, key] = other
    members = union.sets()
    roots = {key: root for root, keys in members.items() for key in keys}
    return Components(roots, members, tuple(skipped), namesakes)
