"""What candidates are made of: mention keys, what the sources say besides, and what is one entity so far. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from kg_neo4j.graph.identity import normalise
from kg_neo4j.graph.resolution.bearers import Bearer, Mentioned, bearer, contradiction, family, likeness
from kg_neo4j.graph.resolution.decisions import Decision, DecisionKind, Union, in_order
from kg_neo4j.graph.resolution.names import fold

BLOCK = 40  # keys that share a form of their names: where there are more, the form says nothing
SURE, LIKELY, OPEN = 0.95, 0.85, 0.65  # scores that rules give


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pair of mention keys that may be one entity. `short` is the name that may stand for `long`."""

    short: str  # key
    long: str
    rule: str
    score: float  # 0 to 1
    reason: str  # for people
    unique: bool = False  # holds only where `short` fits one entity


@dataclass(frozen=True, slots=True)
class Page:
    """A loaded page of a wiki, as evidence of identity."""

    document: str  # id
    title: str
    redirects: tuple[str, ...] = ()  # titles that lead to it
    links: tuple[str, ...] = ()  # titles that it links to


@dataclass(frozen=True, slots=True)
class Sources:
    """What the graph holds besides names: pages, facts between keys, neighbours by meaning."""

    pages: tuple[Page, ...] = ()
    related: Mapping[frozenset[str], frozenset[str]] = field(default_factory=dict)  # two keys -> types of facts
    neighbours: Mapping[str, tuple[tuple[str, float], ...]] = field(default_factory=dict)  # key -> (key, cosine)


class Block:
    """The mention keys of a graph, to be found by forms of their names."""

    def __init__(self, mentioned: Iterable[Mentioned], sources: Sources) -> None:
        self.keys = {each.key: each for each in sorted(mentioned, key=lambda each: each.key)}
        self.named = [each for each in self.keys.values() if family(each.type) != "TIME"]
        self.sources = sources
        self._by_title: defaultdict[str, list[Mentioned]] = defaultdict(list)
        for each in self.keys.values():
            self._by_title[normalise(each.name)].append(each)
        self._linked: defaultdict[tuple[str, str], set[tuple[str, ...]]] = defaultdict(set)
        for page in sources.pages:
            for title in (*page.links, page.title):
                words = tuple(fold(title.partition(" (")[0]).split())
                if words:
                    self._linked[page.document, words[-1]].add(words)

    def called(self, title: str) -> tuple[Mentioned, ...]:
        """Return the keys that bear exactly this name."""
        return tuple(self._by_title.get(normalise(title), ()))

    def linked(self, document: str, last_word: str) -> frozenset[tuple[str, ...]]:
        """Return the titles, in folded words, that a page bears or links to and that end in this word."""
        return frozenset(self._linked.get((document, last_word), ()))

    def alike(self, form: Callable[[Mentioned], str]) -> Iterator[tuple[Mentioned, Mentioned]]:
        """Yield the pairs of keys that share a form of their names, the rarer name first; an empty form is none.

        Only pairs of types that one thing can have. Blocks of more than 40 keys are left out.
        """
        blocks: defaultdict[str, list[Mentioned]] = defaultdict(list)
        for each in self.named:
            blocks[form(each)].append(each)
        blocks.pop("", None)
        for _, keys in sorted(blocks.items()):
            if 1 < len(keys) <= BLOCK:
                yield from _pairs(keys)

    def are_related(self, one: Mentioned, other: Mentioned) -> bool:
        """Return True where a fact stands between two keys: what is related to itself is rarely one thing."""
        return frozenset((one.key, other.key)) in self.sources.related


def _pairs(keys: list[Mentioned]) -> Iterator[tuple[Mentioned, Mentioned]]:
    for index, one in enumerate(keys):
        for other in keys[index + 1 :]:
            if likeness(one.type, other.type) == 1:
                short, long = sorted((one, other), key=lambda each: (each.count, each.key))
                yield short, long


class Groups:
    """What is one entity so far: by the stored decisions, then by the candidates that were taken."""

    def __init__(self, mentioned: Iterable[Mentioned], decisions: Iterable[Decision]) -> None:
        """Start from stored decisions. What revoked ones once made one stays apart: it is not proposed again."""
        self._union = Union()
        listed = list(decisions)
        for decision in in_order(listed):
            act = self._union.separate if decision.kind is DecisionKind.CANNOT_LINK else self._union.join
            act(decision.left_key, decision.right_key)
        self._formerly = _formerly(listed)  # root -> what it was part of
        for key in list(self._formerly):
            self._formerly.setdefault(self._union.find(key), set()).update(self._formerly[key])
        self._bearers: dict[str, Bearer] = {}
        self._documents: dict[str, dict[str, int]] = {}
        for each in sorted(mentioned, key=lambda each: each.key):
            root = self._union.find(each.key)
            found = bearer(each)
            self._bearers[root] = self._bearers[root] + found if root in self._bearers else found
            _earliest(self._documents.setdefault(root, {}), each.documents)

    def entity(self, key: str) -> str:
        """Return the smallest key of what `key` is one with."""
        return self._union.find(key)

    def documents(self, key: str) -> Mapping[str, int]:
        """Return where the entity is mentioned: document id -> index of the first chunk."""
        return self._documents[self.entity(key)]

    def bearer(self, key: str) -> Bearer:
        """Return what is known of the entity that `key` belongs to."""
        return self._bearers[self.entity(key)]

    def separate(self, one: str, other: str) -> None:
        """Keep two entities apart; where they are one already, do nothing."""
        self._union.separate(one, other)

    def may_join(self, one: str, other: str) -> bool:
        """Return True where neither a decision nor what is known tells two entities apart."""
        return self._against(self.entity(one), self.entity(other)) is None

    def join(self, one: str, other: str) -> str | None:
        """Make two entities one; where something tells them apart, do nothing and return what."""
        mine, theirs = self.entity(one), self.entity(other)
        if mine == theirs:
            return None
        if found := self._against(mine, theirs):
            return found
        self._union.join(one, other)
        root, gone = sorted((mine, theirs))
        self._bearers[root] = self._bearers[root] + self._bearers.pop(gone)
        _earliest(self._documents[root], self._documents.pop(gone))
        if gone in self._formerly:
            self._formerly.setdefault(root, set()).update(self._formerly.pop(gone))
        return None

    def _against(self, one: str, other: str) -> str | None:
        if self._union.are_apart(one, other):
            return "a decision keeps them apart"
        if self._formerly.get(one, set()) & self._formerly.get(other, set()):
            return "they were one, and that was taken back"
        return contradiction(self._bearers[one], self._bearers[other])


def _formerly(decisions: Iterable[Decision]) -> dict[str, set[str]]:
    """Return what keys would be part of, were no decision revoked: only where that is more than they are part of."""
    joins = [each for each in decisions if each.kind is not DecisionKind.CANNOT_LINK]
    union = Union()
    for each in joins:
        union.join(each.left_key, each.right_key)
    lost = {union.find(each.left_key) for each in joins if each.revoked}
    return {key: {root} for root, keys in union.sets().items() if root in lost for key in keys}


def _earliest(documents: dict[str, int], more: Mapping[str, int]) -> None:
    for document, index in more.items():
        documents[document] = min(index, documents.get(document, index))


Rule = Callable[[Block, Groups], Iterator[Candidate]]
