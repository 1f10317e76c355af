"""What candidates are made of: mention keys, what the sources say besides, and what is one entity so far. Pure."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kg_neo4j.graph.identity import normalise
from kg_neo4j.graph.resolution.bearers import TIME, Bearer, Mentioned, bearer, contradiction, likeness
from kg_neo4j.graph.resolution.decisions import Decision, DecisionKind, Union, in_order
from kg_neo4j.graph.resolution.names import fold

BLOCK = 40  # keys that share a form of their names: where there are more, the form says nothing
SURE, LIKELY, OPEN = 0.95, 0.85, 0.65  # scores that rules give


@dataclass(frozen=True, slots=True)
class MergeCandidate:
    """A pair of mention keys that may be one entity. `short` is the name that may stand for `long`."""

    short: str  # key
    long: str
    rule: str
    score: float  # 0 to 1
    reason: str  # for people
    unique: bool = False  # holds only where `short` fits one entity


@dataclass(frozen=True, slots=True)
class WikiPage:
    """A loaded page of a wiki, as evidence of identity."""

    document: str  # id
    title: str
    redirects: Sequence[str] = ()  # titles that lead to it
    links: Sequence[str] = ()  # titles that it links to


@dataclass(frozen=True, slots=True)
class Sources:
    """What the graph holds besides names: pages, facts between keys, neighbours by meaning."""

    pages: tuple[WikiPage, ...] = ()
    related: Mapping[frozenset[str], frozenset[str]] = field(default_factory=dict)  # two keys -> types of facts
    neighbours: Mapping[str, tuple[tuple[str, float], ...]] = field(default_factory=dict)  # key -> (key, cosine)


Fact = tuple[str, str, Iterable[str]]  # key, key, types
Pair = tuple[Mentioned, Mentioned]


def related(facts: Iterable[Fact]) -> dict[frozenset[str], frozenset[str]]:
    """Return facts as `Sources` has them; one pair of keys may come several times."""
    found: dict[frozenset[str], frozenset[str]] = {}
    for source, target, types in facts:
        pair = frozenset((source, target))
        found[pair] = found.get(pair, frozenset()).union(types)
    return found


class MentionKeyIndex:
    """The mention keys of a graph, to be found by forms of their names."""

    def __init__(self, mentioned: Iterable[Mentioned], sources: Sources) -> None:
        self.keys = {each.key: each for each in sorted(mentioned, key=lambda each: each.key)}
        self.named = [each for each in self.keys.values() if each.kind.family != TIME]
        self.sources = sources
        self._found: dict[object, list[Pair]] = {}
        # the keys that bear exactly the name of a page, or one that leads to it: normalised name -> keys
        self.by_title: dict[str, list[Mentioned]] = {
            normalise(title): [] for page in sources.pages for title in (*page.redirects, page.title)
        }
        for each in self.keys.values() if self.by_title else ():
            if (found := self.by_title.get(normalise(each.name))) is not None:
                found.append(each)
        # titles by their last word: all their words, folded -> the pages that bear or link to it
        self.linked: defaultdict[str, defaultdict[tuple[str, ...], set[str]]] = defaultdict(lambda: defaultdict(set))
        for page in sources.pages:
            for title in (*page.links, page.title):
                if words := tuple(fold(title.partition(" (")[0]).split()):
                    self.linked[words[-1]][words].add(page.document)

    def once(self, find: Callable[[MentionKeyIndex], Iterable[Pair]]) -> Sequence[Pair]:
        """Return the pairs that `find` yields. They depend on names and documents alone: one look is enough."""
        if find not in self._found:
            self._found[find] = list(find(self))
        return self._found[find]

    def alike(self, form: Callable[[Mentioned], str]) -> Sequence[Pair]:
        """Return the pairs of keys that share a form of their names, the rarer name first; an empty form is none.

        Only pairs of types that one thing can have. Blocks of more than 40 keys are left out.
        """
        if form not in self._found:
            pairs = (
                pair
                for keys in together(self.named, form)
                if len(keys) <= BLOCK
                for pair in itertools.combinations(keys, 2)
            )
            self._found[form] = [rarer_first(*pair) for pair in pairs if likeness(pair[0].kind, pair[1].kind) == 1]
        return self._found[form]

    def are_related(self, one: Mentioned, other: Mentioned) -> bool:
        """Return True where a fact stands between two keys: what is related to itself is rarely one thing."""
        return frozenset((one.key, other.key)) in self.sources.related


def together(keys: Iterable[Mentioned], form: Callable[[Mentioned], str]) -> list[list[Mentioned]]:
    """Return the keys that share a form of their names with others, by this form."""
    blocks: dict[str, Mentioned | list[Mentioned]] = {}  # no list for a key that stands alone, as most do
    for each in keys:
        if not (name := form(each)):
            continue
        before = blocks.setdefault(name, each)
        if isinstance(before, list):
            before.append(each)
        elif before is not each:
            blocks[name] = [before, each]
    return [found for _, found in sorted(blocks.items()) if isinstance(found, list)]


def rarer_first(one: Mentioned, other: Mentioned) -> Pair:
    """Return both, the one that is mentioned less first: its name may stand for that of the other."""
    return (one, other) if (one.count, one.key) <= (other.count, other.key) else (other, one)


class Groups:
    """What is one entity so far: by the stored decisions, then by the candidates that were taken."""

    def __init__(self, mentioned: Iterable[Mentioned], decisions: Iterable[Decision]) -> None:
        """Start from stored decisions. What revoked ones once made one stays apart: it is not proposed again."""
        self._union = Union()
        listed = list(decisions)
        for decision in in_order(listed):
            act = self._union.separate if decision.kind is DecisionKind.CANNOT_LINK else self._union.join
            act(decision.left_key, decision.right_key)
        self.entity = self._union.find  # key -> the smallest key of what it is one with
        self.separate = self._union.separate  # keeps two apart; where they are one already, nothing happens
        joins = [each for each in listed if each.kind is not DecisionKind.CANNOT_LINK]
        once = Union()  # as if no decision were revoked
        for decision in joins:
            once.join(decision.left_key, decision.right_key)
        lost = {once.find(each.left_key) for each in joins if each.revoked}
        # root -> what it was part of; only where that is more than it is part of
        self._formerly = {key: {root} for root, keys in once.sets().items() if root in lost for key in keys}
        for key in list(self._formerly):
            self._formerly.setdefault(self.entity(key), set()).update(self._formerly[key])
        self._keys: dict[str, Mentioned] = {}  # entity -> its key, where it has one; else its first one
        self._joined: dict[str, tuple[Bearer, dict[str, int]]] = {}  # entities of several keys
        for each in sorted(mentioned, key=lambda each: each.key):
            root = self.entity(each.key)
            if self._keys.setdefault(root, each) is not each:
                self._gather(root, bearer(each), each.documents)

    def documents(self, key: str) -> Mapping[str, int]:
        """Return where the entity is mentioned: document id -> index of the first chunk."""
        entity = self.entity(key)
        return self._joined[entity][1] if entity in self._joined else self._keys[entity].documents

    def bearer(self, key: str) -> Bearer:
        """Return what is known of the entity that `key` belongs to."""
        entity = self.entity(key)
        return self._joined[entity][0] if entity in self._joined else bearer(self._keys[entity])

    def against(self, one: str, other: str, *, across: bool = False) -> str | None:
        """Return what tells two entities apart; None where neither a decision nor what is known does.

        With `across` they may be of two families.
        """
        mine, theirs = self.entity(one), self.entity(other)
        if self._union.are_apart(mine, theirs):
            return "a decision keeps them apart"
        if self._formerly.get(mine, set()) & self._formerly.get(theirs, set()):
            return "they were one, and that was taken back"
        return contradiction(self.bearer(mine), self.bearer(theirs), across=across)

    def join(self, one: str, other: str, *, across: bool = False) -> str | None:
        """Make two entities one; where something tells them apart, do nothing and return what."""
        root, gone = sorted((self.entity(one), self.entity(other)))
        if root == gone:
            return None
        if found := self.against(one, other, across=across):
            return found
        self._gather(root, self.bearer(gone), self.documents(gone))
        self._union.join(one, other)
        self._keys.pop(gone)
        self._joined.pop(gone, None)
        if gone in self._formerly:
            self._formerly.setdefault(root, set()).update(self._formerly.pop(gone))
        return None

    def _gather(self, entity: str, more: Bearer, documents: Mapping[str, int]) -> None:
        known, where = self._joined.get(entity) or (bearer(self._keys[entity]), dict(self._keys[entity].documents))
        for document, index in documents.items():
            where[document] = min(index, where.get(document, index))
        self._joined[entity] = (known + more, where)


Rule = Callable[[MentionKeyIndex, Groups], Iterator[MergeCandidate]]
