"""The shape of a tree: its clusters, the aspects they show, which summaries each level puts together. Pure.

It is found once and stored as JSON with the tree (first writer wins, until the tree is built anew). Where leaves
change, those that were there keep their clusters, new ones are put into clusters by the fit, and all above stays.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field, fields
from typing import Any

from kg_neo4j.organise.tree import fitted
from kg_neo4j.organise.tree.fitted import ClusterFit, Floats
from kg_neo4j.organise.tree.interface import Aspect, Clusters, Leaf

VERSION = 1
Share = tuple[int, float]  # the number of a cluster or of a member, and a probability
Cluster = tuple[Share, ...]


@dataclass(frozen=True, slots=True)
class TreeStructure:
    """The shape of one tree."""

    fit: ClusterFit
    aspect_set: tuple[Aspect, ...]
    members: Mapping[str, Cluster]  # id of each leaf that the clusters were made from: its clusters
    aspects: tuple[tuple[str, ...], ...]  # names, of each cluster of leaves
    naming: str  # the model that named them; empty: found by cues
    upper: Mapping[str, tuple[tuple[Cluster, ...], ...]] = field(default_factory=dict)
    # of each aspect: levels from 2; of each level: clusters of numbers of the level beneath
    absent: tuple[str, ...] = ()  # aspects that no cluster shows
    flags: tuple[str, ...] = ()  # what was wrong with answers that name aspects

    def clusters_of(self, leaves: Sequence[Leaf], vectors: Floats) -> Mapping[int, tuple[Share, ...]]:
        """Return the members of each cluster, by positions of leaves; a cluster without members is not there."""
        new = [place for place, leaf in enumerate(leaves) if leaf.id not in self.members]
        assigned = dict(zip(new, self.fit.assign(vectors[new]), strict=True)) if new else {}
        found: dict[int, list[Share]] = {}
        for place, leaf in enumerate(leaves):
            for number, probability in self.members.get(leaf.id) or assigned[place]:
                found.setdefault(number, []).append((place, probability))
        return {number: tuple(found[number]) for number in sorted(found)}

    def aspects_of(self, leaves: Sequence[Leaf], vectors: Floats) -> tuple[tuple[str, ...], ...]:
        """Return, for each leaf, the aspects that its clusters show, those of the most probable cluster first.

        Of equal ones that which fewer clusters show comes first: it says more of this leaf.
        """
        shown = Counter(name for names in self.aspects for name in names)
        order = {aspect.name: place for place, aspect in enumerate(self.aspect_set)}
        found: list[dict[str, float]] = [{} for _ in leaves]
        for number, members in self.clusters_of(leaves, vectors).items():
            for place, probability in members:
                for name in self.aspects[number]:
                    found[place][name] = max(probability, found[place].get(name, 0.0))
        return tuple(tuple(sorted(each, key=lambda name: (-each[name], shown[name], order[name]))) for each in found)

    def new_leaves(self, leaves: Sequence[Leaf]) -> int:
        """Return how many leaves came after the clusters were made."""
        return sum(leaf.id not in self.members for leaf in leaves)


def members_of(leaves: Sequence[Leaf], clusters: Clusters) -> Mapping[str, Cluster]:
    """Return the clusters of each leaf, by its id."""
    found: dict[str, list[Share]] = {}
    for number, (places, shares) in enumerate(zip(clusters.members, clusters.probabilities, strict=True)):
        for place, share in zip(places, shares, strict=True):
            found.setdefault(leaves[place].id, []).append((number, share))
    return {each: tuple(shares) for each, shares in sorted(found.items())}


def write(structure: TreeStructure) -> str:
    """Return a structure as JSON."""
    data = {each.name: getattr(structure, each.name) for each in fields(structure)}
    data |= {
        "version": VERSION,
        "fit": structure.fit.to_json(),
        "aspect_set": [astuple(each) for each in structure.aspect_set],
    }
    return json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def read(text: str) -> TreeStructure:
    """Return the structure that `write` wrote. Raises ValueError for anything else."""
    try:
        data = json.loads(text)
        if data["version"] != VERSION:
            raise ValueError(f"version {data['version']}, not {VERSION}")
        own = {name: _frozen(data[name]) for name in ("members", "aspects", "naming", "upper", "absent", "flags")}
        aspect_set = tuple(Aspect(*each) for each in _frozen(data["aspect_set"]))
        return TreeStructure(fitted.read(data["fit"]), aspect_set, **own)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"the stored shape of a tree cannot be read: {error!r}") from error


def _frozen(value: Any) -> Any:
    """Return a value of JSON with tuples for its lists."""
    if isinstance(value, dict):
        return {key: _frozen(each) for key, each in value.items()}
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
