"""From Leiden's labels to a hierarchy of communities with ids that any run gives. Pure.

Leiden's labels are arbitrary numbers and its levels need not nest (a node may leave its community when communities
are merged). Here a finer community is cut where the coarser level cuts it, so that each has exactly one parent, and a
community's id hashes its level and its members. Beside it a community has a number, for people: as long as most of
its members stay together it keeps that number from run to run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.records import Community

Level = tuple[Community, ...]  # a partition: larger communities first, then by smallest member


def hierarchy(graph: str, labels: Mapping[int, tuple[int, ...]]) -> tuple[Level, ...]:
    """Return the levels, coarsest first, of `labels` (num -> label at each level, finest first).

    Every level partitions all nodes; a level that divides nothing further is left out. No nodes give no levels. The
    result depends on which nodes share labels, not on the labels' values or the mapping's order.
    """
    levels: list[Level] = []
    parents: dict[int, str] = dict.fromkeys(sorted(labels), "")
    depth = max((len(each) for each in labels.values()), default=0)
    for index in reversed(range(depth)):
        groups: dict[tuple[str, int], list[int]] = {}
        for num, parent in parents.items():
            groups.setdefault((parent, labels[num][index]), []).append(num)
        if levels and len(groups) == len(levels[-1]):
            continue
        level = _level(graph, len(levels), groups)
        levels.append(level)
        parents.update({num: community.id for community in level for num in community.members})
    return tuple(levels)


def alone(nums: Mapping[int, object]) -> dict[int, tuple[int, ...]]:
    """Return labels that put every node into a community of its own: a graph without relationships."""
    return {num: (num,) for num in nums}


def numbers(levels: Sequence[Level], former: Sequence[Mapping[int, int]]) -> tuple[tuple[int, ...], ...]:
    """Return the numbers of the communities of each level, in the levels' order.

    `former` maps, for each level of the run before, num -> number of its community. Where more than half of a former
    community is in a new one, that one takes its number; of several numbers, that of which it has most members, then
    the smaller. The others get numbers that no community of this level had, from 1 where there were none.
    """
    return tuple(_numbers(level, former[depth] if depth < len(former) else {}) for depth, level in enumerate(levels))


def _numbers(level: Level, former: Mapping[int, int]) -> tuple[int, ...]:
    sizes = Counter(former.values())
    found: list[int | None] = []
    for community in level:
        together = Counter(former[num] for num in community.members if num in former)
        kept = [(-count, number) for number, count in together.items() if 2 * count > sizes[number]]
        found.append(min(kept)[1] if kept else None)
    following = max(sizes, default=0)
    numbered: list[int] = []
    for number in found:
        if number is None:
            following += 1
        numbered.append(following if number is None else number)
    return tuple(numbered)


def _level(graph: str, number: int, groups: Mapping[tuple[str, int], list[int]]) -> Level:
    found = [
        Community(hash_id("community", str(number), *map(str, members)), graph, number, tuple(members), parent or None)
        for (parent, _), members in groups.items()
    ]
    return tuple(sorted(found, key=lambda community: (-len(community.members), community.members[0])))
