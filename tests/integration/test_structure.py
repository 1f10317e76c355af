"""How the graph hangs together, on the real GDS and through the canned reports: answers known or counted by hand."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from corpus import Fact
from entity_graph import karate, load, projected, two_cliques, villages
from kg_neo4j.graph.canned_reports import run
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.export import lines
from kg_neo4j.graph.queries import Query
from kg_neo4j.organise.analytics import refresh
from kg_neo4j.settings import Settings

Neighbours = dict[str, set[str]]


def cypher(text: str, mode: str = "read") -> Query:
    return Query("test", "test", "test", mode, (), (), "none", "test", text)


def rows(database: Database, graph: str, name: str, /, **parameters: str | int | float) -> list[tuple[Any, ...]]:
    return list(run(database, name, graph=graph, parameters=parameters).rows)


def entities(database: Database, graph: str) -> dict[str, dict[str, Any]]:
    query = cypher("MATCH (e:Entity {graph: $graph}) RETURN e.name AS name, properties(e) AS properties")
    return {row["name"]: dict(row["properties"]) for row in database.read(query, graph=graph)}


def dump(database: Database, graph: str) -> str:
    return "\n".join(lines(database, graph))


# ------------------------------------------------------------------------------------------------ known answers


def test_the_karate_club_has_its_known_structure(database: Database, graph: str) -> None:
    load(database, graph, karate())
    refresh(database, graph)
    found = entities(database, graph)
    assert sum(each["triangles"] for each in found.values()) == 3 * 45
    assert {name: found[name]["triangles"] for name in ("1", "34", "33", "12")} == {
        "1": 18,
        "34": 15,
        "33": 13,
        "12": 0,
    }
    assert sum(each["clustering"] for each in found.values()) / 34 == pytest.approx(0.5706, abs=0.0001)
    assert {each["component"] for each in found.values()} == {1}
    dense = {name for name, each in found.items() if each["core"] == 4}
    assert dense == {"1", "2", "3", "4", "8", "9", "14", "31", "33", "34"}
    assert [row[:3] for row in rows(database, graph, "k-core")] == [(4, 10, 10), (3, 12, 22), (2, 11, 33), (1, 1, 34)]
    assert rows(database, graph, "articulation-points") == [("1", "PERSON", 16, 1, 231.071429)]
    assert rows(database, graph, "bridges") == [("1", "12", ("FRIEND_OF",), 1, 1)]
    assert rows(database, graph, "triangles", limit=2) == [
        ("1", "PERSON", 18, 0.15, 16),
        ("34", "PERSON", 15, 0.110294, 17),
    ]
    assert rows(database, graph, "components") == [(1, 34, 1.0, 78, ("34", "1", "33", "3", "2"))]
    assert [row[0] for row in rows(database, graph, "pagerank", limit=5)] == ["34", "1", "33", "3", "2"]
    assert [row[0] for row in rows(database, graph, "betweenness", limit=3)] == ["1", "34", "33"]


@pytest.fixture(scope="module")
def cliques(database: Database, shared: Settings) -> str:
    """Two cliques, a pair and somebody alone, analysed, for tests that only read."""
    load(database, shared.graph, [*two_cliques(), ("Far", "KNOWS", "Away"), ("Hermit", "", "")])
    refresh(database, shared.graph)
    return shared.graph


def test_two_cliques_hang_together_by_their_bridge(database: Database, cliques: str) -> None:
    found = entities(database, cliques)
    assert rows(database, cliques, "bridges") == [
        ("A5", "B1", ("MET",), 1, 5),
        ("Away", "Far", ("KNOWS",), 1, 1),
    ]
    assert [row[:4] for row in rows(database, cliques, "articulation-points")] == [
        ("A5", "PERSON", 5, 1),
        ("B1", "PERSON", 5, 1),
    ]
    assert (found["A1"]["triangles"], found["A5"]["triangles"]) == (6, 6)
    assert (found["A1"]["clustering"], found["A5"]["clustering"]) == (1.0, 0.6)
    assert {name: found[name]["core"] for name in ("A1", "B1", "Far", "Hermit")} == {
        "A1": 4,
        "B1": 4,
        "Far": 1,
        "Hermit": 0,
    }
    assert {name: found[name]["component"] for name in ("A1", "B5", "Far", "Hermit")} == {
        "A1": 1,
        "B5": 1,
        "Far": 2,
        "Hermit": 3,
    }
    assert (found["A1"]["community_degree"], found["A5"]["community_degree"], found["A5"]["degree"]) == (4, 4, 5)
    assert found["A5"]["bridges"] == [found["B1"]["id"]]
    listed = rows(database, cliques, "components", smallest=1)
    assert [row[:4] for row in listed] == [(1, 10, 0.8333, 21), (2, 2, 0.1667, 1), (0, 1, None, 0)]
    assert listed[2][4] == ("Hermit",)
    assert rows(database, cliques, "components") == listed
    assert [row[0] for row in rows(database, cliques, "components", limit=1)] == [1, 0]
    assert rows(database, cliques, "k-core")[-1] == (0, 1, 13, ("Hermit",))


def test_centrality_within_a_community_counts_its_members_only(database: Database, graph: str) -> None:
    load(database, graph, [*two_cliques(), ("A5", "HELPED", "A1")])
    refresh(database, graph)
    number = entities(database, graph)["A5"]["community"]
    found = {row[0]: row[1:5] for row in rows(database, graph, "community-centrality", community=number)}
    assert found == {
        "A1": ("PERSON", 5, 1.0, 1.0),
        "A5": ("PERSON", 5, 1.0, 0.8333),
        **{f"A{each}": ("PERSON", 4, 1.0, 1.0) for each in (2, 3, 4)},
    }
    assert rows(database, graph, "community-centrality", community=99) == []


def neighbours_of(facts: list[Fact]) -> Neighbours:
    found: Neighbours = {}
    for source, kind, target in facts:
        found.setdefault(source, set())
        if kind and source != target:
            found[source].add(target)
            found.setdefault(target, set()).add(source)
    return found


def components_without(graph: Neighbours, name: str = "", pair: frozenset[str] = frozenset()) -> int:
    """Count the components, one entity or the relationships of one pair away."""
    seen: set[str] = {name}
    count = 0
    for start in graph:
        if start in seen:
            continue
        count += 1
        waiting = [start]
        while waiting:
            at = waiting.pop()
            if at not in seen:
                seen.add(at)
                waiting.extend(other for other in graph[at] if {at, other} != pair)
    return count


def core_of(graph: Neighbours, name: str) -> int:
    for k in itertools.count(1):
        left = {each: set(others) for each, others in graph.items()}
        while few := [each for each, others in left.items() if len(others) < k]:
            for each in few:
                for other in left.pop(each):
                    left.get(other, set()).discard(each)
        if name not in left:
            return k - 1
    raise AssertionError


def test_every_figure_of_a_random_graph_is_what_its_definition_gives(database: Database, graph: str) -> None:
    facts = villages(7, nodes=60, facts=75, near=0.7)
    load(database, graph, facts, per_chunk=10)
    refresh(database, graph)
    known = neighbours_of(facts)
    found = entities(database, graph)
    whole = components_without(known)
    by_id = {each["id"]: name for name, each in found.items()}
    for name, each in found.items():
        around = known[name]
        pairs = [pair for pair in itertools.combinations(sorted(around), 2) if pair[1] in known[pair[0]]]
        assert each["triangles"] == len(pairs)
        possible = len(around) * (len(around) - 1) / 2
        assert each["clustering"] == pytest.approx(len(pairs) / possible if possible else 0, abs=1e-6)
        assert each["articulation"] == (components_without(known, name) > whole)
        cut = {other for other in around if components_without(known, pair=frozenset((name, other))) > whole}
        assert {by_id[each_id] for each_id in each.get("bridges", ())} == cut
        assert each["core"] == core_of(known, name)
    assert {each["component"] for each in found.values()} == set(range(1, whole + 1))
    assert any(each["articulation"] for each in found.values())


# ------------------------------------------------------------------------------------- similar ones, and the ways


def test_similar_neighbourhoods_are_counted_by_jaccard(database: Database, graph: str) -> None:
    facts: list[Fact] = [("A", "KNOWS", "X"), ("A", "MET", "X"), ("A", "KNOWS", "Y"), ("A", "KNOWS", "Z")]
    load(database, graph, [*facts, ("B", "KNOWS", "X"), ("Y", "MET", "B"), ("C", "KNOWS", "Z"), ("D", "KNOWS", "E")])
    assert rows(database, graph, "similar-neighbourhoods", name="a") == [
        ("A", "B", "PERSON", 0.6667, 2, ("X", "Y")),
        ("A", "C", "PERSON", 0.3333, 1, ("Z",)),
    ]
    assert rows(database, graph, "similar-neighbourhoods", name="D") == []


def test_similar_entities_are_the_nearest_by_vector(database: Database, graph: str) -> None:
    load(database, graph, [("A", "KNOWS", "B"), ("C", "KNOWS", "D"), ("E", "KNOWS", "F")])
    assert rows(database, graph, "similar-entities", name="A") == []
    vectors = {"A": [1.0, 0.0], "B": [1.0, 0.0], "C": [0.0, 1.0], "D": [-1.0, 0.0], "E": [1.0, 0.0, 0.0]}
    store = (
        "UNWIND keys($vectors) AS name MATCH (e:Entity {graph: $graph, name: name}) SET e.embedding = $vectors[name]"
    )
    database.write(cypher(store, "write"), graph=graph, vectors=vectors)
    assert rows(database, graph, "similar-entities", name="A") == [
        ("A", "B", "PERSON", 1.0, True),
        ("A", "C", "PERSON", 0.5, False),
        ("A", "D", "PERSON", 0.0, False),
    ]


def test_shortest_paths_are_the_shortest_and_then_the_next(database: Database, cliques: str) -> None:
    found = rows(database, cliques, "shortest-paths", **{"from": "A1", "to": "B2", "k": 20})
    assert found[0] == (1, 3, ("A1", "A5", "B1", "B2"), ("-KNOWS->", "-MET->", "-KNOWS->"), 3)
    counted = [sum(row[1] == steps for row in found) for steps in (3, 4, 5)]
    assert counted == [1, 6, 13]  # one; 3 detours on either side; 6 + 9 + 6 longer ones, of which k leaves 13
    assert [row[0] for row in found] == list(range(1, 21))
    assert all(len(set(row[2])) == len(row[2]) for row in found)
    assert rows(database, cliques, "shortest-paths", **{"from": "A1", "to": "B2"}) == found[:5]
    assert rows(database, cliques, "shortest-paths", **{"from": "A1", "to": "nobody"}) == []


def test_of_parallel_relationships_a_path_shows_the_one_best_known(database: Database, graph: str) -> None:
    load(database, graph, [("A", "MET", "B"), ("B", "KNOWS", "A"), ("B", "KNOWS", "A")])
    assert rows(database, graph, "shortest-paths", **{"from": "a", "to": "b"}) == [(1, 1, ("A", "B"), ("<-KNOWS-",), 2)]


def test_paths_go_over_entities_of_this_graph_only(database: Database, graph: str) -> None:
    load(database, graph, [("A", "KNOWS", "B"), ("C", "KNOWS", "D")])
    assert rows(database, graph, "shortest-paths", **{"from": "A", "to": "C"}) == []  # they share a document


# ----------------------------------------------------------------------------------------- numbers that people see


def test_a_community_keeps_its_number_while_most_of_it_stays(database: Database, graph: str) -> None:
    load(database, graph, two_cliques())
    refresh(database, graph)
    before = {name: each["community"] for name, each in entities(database, graph).items()}
    ring: list[Fact] = [("B1", "KNOWS", "B6"), ("B6", "KNOWS", "B2"), ("B6", "KNOWS", "B3"), ("B6", "KNOWS", "B4")]
    third = [(f"C{left}", "KNOWS", f"C{right}") for left in range(9) for right in range(left)]
    load(database, graph, [*two_cliques(), *ring, *third])
    refresh(database, graph)
    after = {name: each["community"] for name, each in entities(database, graph).items()}
    assert {name: after[name] for name in before} == before
    assert after["B6"] == before["B1"]
    assert {after[f"C{each}"] for each in range(9)} == {3}  # the largest, but the last to come
    sizes = "MATCH (c:Community {graph: $graph, level: 0}) RETURN c.number AS number, c.size AS size ORDER BY number"
    counted = {row["number"]: row["size"] for row in database.read(cypher(sizes), graph=graph)}
    assert counted == {before["A1"]: 5, before["B1"]: 6, 3: 9}


def test_numbers_carried_over_are_not_in_the_export(database: Database, graph: str) -> None:
    third = [(f"C{left}", "KNOWS", f"C{right}") for left in range(9) for right in range(left)]
    load(database, graph, two_cliques())
    refresh(database, graph)
    load(database, graph, [*two_cliques(), *third])
    refresh(database, graph)
    later = dump(database, graph)
    carried = entities(database, graph)["C1"]["community"]
    delete_graph(database, graph)
    load(database, graph, [*two_cliques(), *third])
    refresh(database, graph)
    assert entities(database, graph)["C1"]["community"] != carried
    assert dump(database, graph) == later
    assert '"core":8' in later


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_a_hundred_projections_give_one_structure(database: Database, graph: str) -> None:
    load(database, graph, villages(2, nodes=1_000, facts=2_000, near=0.3), per_chunk=50)
    found = set()
    for _ in range(100):
        with projected(database, graph) as projection:
            found.add((tuple(sorted(projection.structure().items())), projection.bridges()))
    assert len(found) == 1
