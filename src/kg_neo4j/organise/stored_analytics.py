"""What analytics wrote before, what is to be written now, and the one transaction that writes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Transaction, batches
from kg_neo4j.graph.lease import Lease
from kg_neo4j.organise.communities import Level

BATCH = 10_000  # rows a statement

Values = tuple[Any, ...]  # of one entity, as cypher/analytics/write_entities.cypher has them after num


@dataclass(frozen=True, slots=True)
class StoredCommunity:
    """A community as it is stored in the graph."""

    level: int
    number: int
    parent_id: str | None


@dataclass(frozen=True, slots=True)
class Result:
    """A complete set: every entity has its values, and is in at most one community of each level, else alone there."""

    levels: tuple[Level, ...]  # the communities to store, coarsest first
    numbers: tuple[tuple[int, ...], ...]  # of the communities of each level, in the levels' order
    values: Mapping[int, Values]  # by num


@dataclass(slots=True)
class Changes:
    """What differs from what is stored; the length is the number of entities and communities it touches."""

    entities: list[list[Any]]
    places: list[tuple[int, str]]  # num of an entity, and its finest community
    moved: list[int]  # those of them that are in another one
    communities: list[list[Any]]
    parents: list[list[str]]
    relinked: list[str]  # communities of these that have another parent
    gone: list[str]
    is_repeat: bool = False  # the transaction was begun before, and it is not known whether it was committed

    def __len__(self) -> int:
        entities = {row[0] for row in self.entities} | {row[0] for row in self.places}
        altered = {row[0] for row in self.communities} | {row[0] for row in self.parents}
        return len(entities) + len(altered) + len(self.gone)


def read_communities(database: Database, graph: str) -> tuple[dict[str, StoredCommunity], dict[int, str]]:
    """Return id -> community of all levels, and num -> id of the finest community of each entity that is in one."""
    rows = database.read(queries.get("analytics/stored_communities"), graph=graph)
    found = {row["id"]: StoredCommunity(row["level"], row["number"], row["parent_id"]) for row in rows}
    return found, {num: row["id"] for row in rows for num in row["members"]}


def former_numbers(stored: Mapping[str, StoredCommunity], places: Mapping[int, str]) -> tuple[dict[int, int], ...]:
    """Return, for each level, num -> number of its community; `places` is num -> id of its finest community."""
    levels = 1 + max((each.level for each in stored.values()), default=-1)
    numbers: tuple[dict[int, int], ...] = tuple({} for _ in range(levels))
    for num, place in places.items():
        found = stored.get(place)
        while found:
            numbers[found.level][num] = found.number
            found = stored.get(found.parent_id or "")
    return numbers


def differences(
    result: Result, stored: Mapping[str, StoredCommunity], entities: Mapping[int, Values], places: Mapping[int, str]
) -> Changes:
    """Compare a new set with what is stored: communities, values of entities, ids of their finest communities."""
    numbered = [
        (number, each)
        for level, numbers in zip(result.levels, result.numbers, strict=True)
        for number, each in zip(numbers, level, strict=True)
    ]
    # of several levels the finest one stays
    now = {num: each.id for level in result.levels for each in level for num in each.members}
    new_places = [(num, place) for num, place in now.items() if places.get(num) != place]
    parents = [
        [each.id, each.parent_id]
        for _, each in numbered
        if each.parent_id and (each.id not in stored or stored[each.id].parent_id != each.parent_id)
    ]
    return Changes(
        entities=[[num, *new] for num, new in result.values.items() if entities[num] != new],
        places=new_places,
        moved=[num for num, _ in new_places if num in places],
        communities=[
            [each.id, each.level, number, len(each.members)]
            for number, each in numbered
            if each.id not in stored or stored[each.id].number != number
        ],
        parents=parents,
        relinked=[each for each, _ in parents if each in stored],
        gone=sorted(set(stored) - {each.id for _, each in numbered}),
    )


def write(
    transaction: Transaction,
    graph: str,
    changes: Changes,
    nodes: Mapping[int, int],
    state: Mapping[str, Any],
    lease: Lease | None = None,
) -> None:
    """Write the new set, then take the old one away, then say which it is: all or nothing.

    `nodes` is num -> the server's own number of an entity. `state` has fingerprint, communities, levels and singletons,
    as cypher/analytics/write_graph_state.cypher takes them. With a `lease`, the transaction proves it.
    """
    if lease:
        lease.prove(transaction)
    for name, rows in steps_of(changes, nodes):
        transaction.run(queries.get(f"analytics/{name}"), graph=graph, rows=rows)
    if state["levels"]:
        transaction.run(queries.get("analytics/write_graph_state"), graph=graph, **state)
    else:
        transaction.run(queries.get("analytics/clear_graph_state"), graph=graph)


def write_parts(lease: Lease, changes: Changes, nodes: Mapping[int, int], state: Mapping[str, Any]) -> None:
    """Write the new set in several transactions. Until the last one, the graph counts as not analysed."""
    lease.write(queries.get("analytics/clear_graph_state"), graph=lease.graph)
    for name, rows in steps_of(replace(changes, is_repeat=True), nodes):
        lease.write_parts(queries.get(f"analytics/{name}"), "rows", rows, graph=lease.graph)
    if state["levels"]:
        lease.write(queries.get("analytics/write_graph_state"), graph=lease.graph, **state)


def steps_of(changes: Changes, nodes: Mapping[int, int]) -> Iterator[tuple[str, Sequence[Any]]]:
    """Yield queries and their rows. First those take leave who have a place; in a repeat anybody may have one."""
    moved = [num for num, _ in changes.places] if changes.is_repeat else changes.moved
    relinked = [each for each, _ in changes.parents] if changes.is_repeat else changes.relinked
    steps: tuple[tuple[str, Sequence[Any]], ...] = (
        ("leave_communities", moved),
        ("unlink_communities", relinked),
        ("write_communities", changes.communities),
        ("link_communities", changes.parents),
        ("write_entities", changes.entities),
    )
    for name, rows in steps:
        for some in batches(rows, BATCH):
            yield name, some
    for places in batches(changes.places, BATCH):
        members: dict[str, tuple[list[int], list[int]]] = {}
        for num, community in places:
            placed, nums = members.setdefault(community, ([], []))
            placed.append(nodes[num])
            nums.append(num)
        yield "place_entities", [[community, *columns] for community, columns in members.items()]
    yield from (("delete_communities", ids) for ids in batches(changes.gone, BATCH))
