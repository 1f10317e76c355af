"""From Leiden's labels to a hierarchy of communities with ids that any run gives. Pure.

Leiden's labels are arbitrary numbers and its levels need not nest (a node may leave its community when communities
are merged). Here a finer community is cut where the coarser level cuts it, so that each has exactly one parent, and a
community's id hashes its level and its members. Beside it a community has a number, for people: as long as most of
its members stay together it keeps that number from run to run.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence

from kg_neo4j.acquire.identity import hash_parts, id_part
from kg_neo4j.records import Community

Level = tuple[Community, ...]  # a partition: larger communities first, then by smallest member
Cells = Mapping[tuple[int, ...], Sequence[int]]  # labels, finest level first -> nums of the nodes with these labels


def hierarchy(graph: str, cells: Cells) -> tuple[Level, ...]:
    """Return the levels, coarsest first, of nodes that share their labels on all levels.

    Every level partitions all nodes; a level that divides nothing further is left out. No nodes give no levels. The
    result depends on which nodes share labels, not on the labels' values or the mapping's order.
    """
    parts = {num: id_part(str(num)) for nums in cells.values() for num in nums}  # each goes into an id on every level
    levels: list[Level] = []
    parents: dict[tuple[int, ...], str] = dict.fromkeys(cells, "")
    for index in reversed(range(max(map(len, cells), default=0))):
        groups: dict[tuple[str, int], list[tuple[int, ...]]] = {}
        for cell, parent in parents.items():
            groups.setdefault((parent, cell[index]), []).append(cell)
        if levels and len(groups) == len(levels[-1]):
            continue
        level = []
        for (parent, _), together in groups.items():
            members = sorted(itertools.chain.from_iterable(cells[cell] for cell in together))
            begun = map(id_part, ("community", str(len(levels))))
            found_id = hash_parts([*begun, *map(parts.__getitem__, members)])
            level.append(Community(found_id, graph, len(levels), tuple(members), parent or None))
            parents.update(dict.fromkeys(together, found_id))
        levels.append(tuple(sorted(level, key=lambda community: (-len(community.members), community.members[0]))))
    return tuple(levels)


def numbers(levels: Sequence[Level], former: Sequence[Mapping[int, int]]) -> tuple[tuple[int, ...], ...]:
    """Return the numbers of the communities of each level, in the levels' order.

    `former` maps, for each level of the run before, num -> number of its community. Where more than half of a former
    community is in a new one, that one takes its number; of several numbers, that of which it has most members, then
    the smaller. The others get numbers that no community of this level had, from 1 where there were none.
    """
    return tuple(_numbers(level, former[depth] if depth < len(former) else {}) for depth, level in enumerate(levels))


def _numbers(level: Level, former: Mapping[int, int]) -> tuple[int, ...]:
    if not former:
        return tuple(range(1, len(level) + 1))
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
