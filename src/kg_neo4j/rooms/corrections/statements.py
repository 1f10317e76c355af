"""What a correction says, and which facts and entities of a graph it means. Pure.

A correction is bound to what was stated: two names with their types, the type of the relationship, and the sentences.
Names and types are compared as mention keys are: another model that writes the same names is meant, too, and so is
every name that decisions join with one of them. The sentences say when a correction has lost its ground.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache

from pydantic import TypeAdapter

from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.graph.identity import fact_id, mention_key
from kg_neo4j.graph.resolution.bearers import kind_of
from kg_neo4j.graph.resolution.decisions import CORRECTIONS, Components, Decision, DecisionKind
from kg_neo4j.graph.resolution.showing import StoredDecision
from kg_neo4j.graph.type_decisions import ShownTypes
from kg_neo4j.records import PropertyValue

PERSON = "person"  # the rule of such decisions
MOST_SENTENCES = 20  # kept of one statement


@dataclass(frozen=True, slots=True)
class End:
    """An end of a fact, or a node: a name as documents write it, its type, and their mention key."""

    name: str
    type: str
    key: str


@dataclass(frozen=True, slots=True)
class BoundSentence:
    """Words of a document that state something."""

    document: str  # id
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class StatedFact:
    """A fact as it is stated."""

    source: End
    type: str
    target: End
    identity: tuple[str, ...] = ()  # values of the schema's identity columns
    types: tuple[str, ...] = ()  # as documents write the type, where that differs
    properties: Mapping[str, PropertyValue] = field(default_factory=dict)  # of a statement by hand
    sentences: tuple[BoundSentence, ...] = ()

    @property
    def text(self) -> str:
        """The statement in one line."""
        when = f" ({self.properties['start_date']})" if self.properties.get("start_date") else ""
        return f"{self.source.name} {self.type} {self.target.name}{when}"


@dataclass(frozen=True, slots=True)
class Content:
    """What a correction says: a statement is wrong, another one is right, or a node has a value."""

    wrong: tuple[StatedFact, ...] = ()  # several where decisions on names make one fact of them
    right: StatedFact | None = None
    url: str = ""  # where that is written
    node: End | None = None
    column: str = ""  # of the node
    value: PropertyValue | None = None


@lru_cache(maxsize=4096)
def content_of(text: str) -> Content:
    """Return the content of a stored decision."""
    return TypeAdapter(Content).validate_json(text)


def correct(graph: str, kind: DecisionKind, content: Content, reason: str) -> StoredDecision:
    """Return the decision; its id hashes graph, kind and what is corrected, so the same one made twice is one."""
    stated = content.wrong[0] if content.wrong else content.right
    if stated is not None:
        keys = (stated.source.key, stated.target.key)
        named = (stated.text, content.right.text if content.right and content.wrong else "")
        about = (keys[0], stated.type, keys[1], *stated.identity)
    else:
        node = content.node or End("", "", "")
        keys, about = (node.key, content.column), (node.key, content.column)
        named = (f"{node.name} ({node.type})", f"{content.column}: {content.value}")
    written = json.dumps(_plain(asdict(content)), ensure_ascii=False, sort_keys=True)
    id_ = hash_id("decision", graph, str(kind), *about)
    decision = Decision(id_, graph, kind, *keys, PERSON, 1.0, reason, content=written)
    return StoredDecision(decision, *named, pending=True)


def _plain(value: object) -> object:
    """Return a record without what is empty, so that a later field changes no stored text."""
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items() if each not in (None, "", (), [], {})}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value


@dataclass(frozen=True, slots=True)
class Meant:
    """What corrections mean in one graph: `types` are the types of its nodes, `families` those of its schema."""

    graph: str
    types: frozenset[str]
    families: Mapping[str, str]
    found: Components
    shown: ShownTypes  # by decisions on types

    def facts(self, content: Content) -> frozenset[str]:
        """Return the ids that facts with what is wrong may have."""
        return frozenset[str]().union(*map(self._facts, content.wrong))

    def _facts(self, stated: StatedFact) -> frozenset[str]:
        ends = (self._members(stated.source), self._members(stated.target))
        known = {each: self.shown.relationships.get(each, (each, False)) for each in (stated.type, *stated.types)}
        typed = {(stated.type, False), *known.values()}
        return frozenset(
            fact_id(*((other, type_, one) if turned else (one, type_, other)), stated.identity)
            for type_, turned in typed
            for one, other in itertools.product(*ends)
        )

    def entities(self, end: End) -> frozenset[str]:
        """Return the ids that an entity with this name may have."""
        return frozenset(map(self.found.entity, self._keys(end)))

    def _members(self, end: End) -> list[str]:
        return sorted({key for each in self._keys(end) for key in self.found.members_of(each)})

    def _keys(self, end: End) -> Iterator[str]:
        """Yield the keys of a name under all types of its family: another model may write another one of these."""
        family = kind_of(end.type, self.families).family
        yield end.key
        if mention_key(self.graph, end.name, end.type) == end.key:  # else one of several bearers of the name
            for each in sorted(self.types):
                if kind_of(each, self.families).family == family:
                    yield mention_key(self.graph, end.name, each)


def corrections(stored: Iterable[StoredDecision]) -> list[tuple[StoredDecision, Content]]:
    """Return the corrections among decisions with their contents, by id."""
    found = [each for each in stored if each.decision.kind in CORRECTIONS]
    return [(each, content_of(each.decision.content)) for each in sorted(found, key=lambda each: each.decision.id)]


def revoked(stored: StoredDecision) -> StoredDecision:
    """Return a decision as one that is taken back."""
    return replace(stored, decision=replace(stored.decision, revoked=True), pending=True)
