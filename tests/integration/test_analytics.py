"""Communities and centralities on the real GDS: known answers, any order of loading, repeats, odd graphs, kills."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import pytest

from corpus import Fact
from entity_graph import karate, load, projected, two_cliques, villages
from kg_neo4j.errors import LeaseHeld
from kg_neo4j.graph import queries
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database, Transaction
from kg_neo4j.graph.export import lines
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.queries import Query
from kg_neo4j.organise import communities
from kg_neo4j.organise import projection as projecting
from kg_neo4j.organise.analytics import AnalyticsReport, refresh
from kg_neo4j.organise.entity_pairs import read_entities, read_pairs
from kg_neo4j.organise.gds_client import client
from kg_neo4j.organise.projection import check_memory
from kg_neo4j.settings import Settings

T = TypeVar("T")


def cypher(text: str, mode: str = "read") -> Query:
    return Query("test", "test", "test", mode, (), (), "none", "test", text)


def entities(database: Database, graph: str) -> dict[str, dict[str, Any]]:
    """Return name -> what analytics wrote on the entity."""
    query = cypher("MATCH (e:Entity {graph: $graph}) RETURN e.name AS name, properties(e) AS properties")
    return {row["name"]: dict(row["properties"]) for row in database.read(query, graph=graph)}


def groups(found: dict[str, dict[str, Any]]) -> dict[int, set[str]]:
    together: dict[int, set[str]] = {}
    for name, properties in found.items():
        together.setdefault(properties["community"], set()).add(name)
    return together


def dump(database: Database, graph: str) -> str:
    return "\n".join(lines(database, graph))


@pytest.fixture(scope="module")
def hermits(database: Database, shared: Settings) -> tuple[str, AnalyticsReport]:
    """Villages and six people alone, and the report of their first analysis."""
    load(database, shared.graph, [*villages(4), ("Hermit", "", "")])
    return shared.graph, refresh(database, shared.graph)


# ------------------------------------------------------------------------------------------------ known answers


def test_two_cliques_are_two_communities_and_the_bridge_carries_all_paths(database: Database, graph: str) -> None:
    load(database, graph, two_cliques())
    report = refresh(database, graph)
    assert (report.communities, report.nodes, report.relationships) == (2, 10, 21)
    found = entities(database, graph)
    assert sorted(map(sorted, groups(found).values())) == [[f"{side}{n}" for n in range(1, 6)] for side in "AB"]
    assert {name: each["betweenness"] for name, each in found.items() if each["betweenness"]} == {"A5": 20, "B1": 20}
    assert {name for name, each in found.items() if each["degree"] == 5} == {"A5", "B1"}
    assert len({each["pagerank"] for name, each in found.items() if name in ("A1", "A2", "B4", "B5")}) == 1


def test_the_karate_club_has_its_known_figures(database: Database, graph: str) -> None:
    assert len(karate()) == 78
    load(database, graph, karate())
    report = refresh(database, graph)
    found = entities(database, graph)
    assert (report.nodes, report.relationships) == (34, 78)
    assert {name: found[name]["degree"] for name in ("1", "34", "33", "12")} == {"1": 16, "34": 17, "33": 12, "12": 1}
    shares = {name: found[name]["pagerank"] / 34 for name in ("34", "1", "33", "3")}
    assert shares == pytest.approx({"34": 0.1009, "1": 0.0970, "33": 0.0717, "3": 0.0571}, abs=0.0003)
    assert found["1"]["betweenness"] == pytest.approx(231.0714, abs=0.001)
    assert found["34"]["betweenness"] == pytest.approx(160.5516, abs=0.001)
    together = groups(found)
    assert 3 <= len(together) <= 5
    assert found["1"]["community"] != found["34"]["community"]
    assert found["5"]["community"] == found["11"]["community"]
    assert [len(together[number]) for number in sorted(together)] == sorted(map(len, together.values()), reverse=True)


def test_parallel_and_opposite_relationships_fold_into_one_weighted_pair(database: Database, graph: str) -> None:
    facts: list[Fact] = [("A", "KNOWS", "B"), ("B", "MET", "A"), ("A", "KNOWS", "B"), ("B", "KNOWS", "C")]
    load(database, graph, [*facts, ("A", "PRAISED", "A")])
    pairs = read_pairs(database, graph, read_entities(database, graph))
    folded = sorted(zip(pairs.relationships.tolist(), pairs.instances.tolist(), strict=True))
    assert folded == [(1, 1), (1, 1), (2, 3)]  # of B and C, of A and itself, of A and B
    assert sorted(instances for *_, instances in pairs.rows()) == [1, 3]
    with projected(database, graph) as projection:
        assert set(projection.pagerank()) == set(projection.betweenness(1))
        arcs = client(database).graph.get(projection.name)
        assert (arcs.node_count(), arcs.relationship_count()) == (3, 4)
    assert refresh(database, graph).relationships == 4
    assert {name: each["degree"] for name, each in entities(database, graph).items()} == {"A": 3, "B": 3, "C": 1}


# ------------------------------------------------------------------------------------------------ the invariant


def test_four_orders_of_loading_give_the_same_bytes(database: Database, graph: str) -> None:
    facts = villages(1)
    seen = set()
    for order in range(4):
        load(database, graph, facts, order=order, per_chunk=6)
        assert refresh(database, graph).communities > 5
        seen.add(dump(database, graph))
        delete_graph(database, graph)
    assert len(seen) == 1
    assert '"pagerank":' in seen.pop()


def test_a_repeat_writes_nothing(database: Database, graph: str) -> None:
    load(database, graph, karate())
    first = refresh(database, graph)
    before = dump(database, graph)
    again = refresh(database, graph)
    assert first.changes > 34
    assert again == AnalyticsReport(first.communities, first.levels, 34, 78, changes=0)
    assert dump(database, graph) == before


def test_only_what_changed_is_written(database: Database, graph: str) -> None:
    load(database, graph, [*two_cliques(), ("Far", "KNOWS", "Away")])
    refresh(database, graph)
    stamp = "MATCH (n:Entity|Community {graph: $graph}) SET n.seen = true"
    database.write(cypher(stamp, "write"), graph=graph)
    load(database, graph, [*two_cliques(), ("Far", "KNOWS", "Away"), ("Away", "MET", "Home")])
    assert refresh(database, graph).changes < 10
    fresh = "MATCH (c:Community {graph: $graph}) WHERE c.seen IS NULL RETURN collect(c.size) AS sizes"
    assert database.read(cypher(fresh), graph=graph)[0]["sizes"] == [3]


class Forgetful(Database):
    """Repeats each write once, as it is done after a commit whose answer was lost."""

    def write_transaction(self, work: Callable[[Transaction], T]) -> T:
        super().write_transaction(work)
        return super().write_transaction(work)


def test_a_commit_whose_answer_was_lost_leaves_one_place_for_everybody(database: Database, graph: str) -> None:
    with Forgetful(database.address) as forgetful:
        for facts in (two_cliques(), [*two_cliques(), ("B1", "KNOWS", "C1"), ("C1", "MET", "C2")]):
            load(database, graph, facts)
            refresh(forgetful, graph)
            places = "MATCH (e:Entity {graph: $graph})-[r:IN_COMMUNITY]->() RETURN e.name AS name, count(r) AS count"
            assert {row["count"] for row in database.read(cypher(places), graph=graph)} == {1}
            parents = "MATCH (c:Community {graph: $graph})-[r:CHILD_OF]->() RETURN c.id AS id, count(r) AS count"
            assert all(row["count"] == 1 for row in database.read(cypher(parents), graph=graph))
    before = dump(database, graph)
    delete_graph(database, graph)
    load(database, graph, [*two_cliques(), ("B1", "KNOWS", "C1"), ("C1", "MET", "C2")])
    refresh(database, graph)
    assert dump(database, graph) == before


def test_an_entity_that_lost_what_analytics_wrote_gets_it_back(database: Database, graph: str) -> None:
    load(database, graph, two_cliques())
    refresh(database, graph)
    before = dump(database, graph)
    strip = "MATCH (e:Entity {graph: $graph, name: 'A5'})-[r:IN_COMMUNITY]->() REMOVE e.pagerank DELETE r"
    database.write(cypher(strip, "write"), graph=graph)
    assert refresh(database, graph).changes == 1
    assert dump(database, graph) == before


def partitions(database: Database, graph: str, nodes: int, times: int) -> set[tuple[communities.Level, ...]]:
    """Load a graph without any structure, where chance decides, then project and partition as often as asked."""
    load(database, graph, villages(2, nodes=nodes, facts=4 * nodes, near=0), per_chunk=nodes // 20)
    found = set()
    for _ in range(times):
        with projected(database, graph) as projection:
            found.add(communities.hierarchy(graph, projection.leiden(42)))
    return found


def test_ten_projections_give_one_partition(database: Database, graph: str) -> None:
    assert len(partitions(database, graph, nodes=200, times=10)) == 1


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_a_hundred_projections_give_one_partition(database: Database, graph: str) -> None:
    assert len(partitions(database, graph, nodes=4_000, times=100)) == 1  # as many as more threads split into parts


@pytest.mark.long
def test_estimated_betweenness_repeats_in_a_large_graph(database: Database, graph: str) -> None:
    facts = villages(3, nodes=2_400, facts=7_200)
    seen = set()
    for order in range(2):
        load(database, graph, facts, order=order, per_chunk=100)
        refresh(database, graph)
        seen.add(dump(database, graph))
        delete_graph(database, graph)
    assert len(seen) == 1


# -------------------------------------------------------------------------------------------------- odd graphs


def test_an_empty_graph_is_no_error_and_leaves_nothing(database: Database, graph: str) -> None:
    assert refresh(database, graph) == AnalyticsReport(0, 0, 0, 0, changes=0)
    load(database, graph, two_cliques())
    refresh(database, graph)
    for label in ("Entity", "Fact", "Chunk", "Document"):
        database.write(cypher(f"MATCH (n:{label} {{graph: $graph}}) DETACH DELETE n", "write"), graph=graph)
    assert refresh(database, graph).changes > 0
    left = cypher(
        "MATCH (n:Community|GraphState {graph: $graph}) UNWIND keys(n) AS key "
        "WITH n, key WHERE NOT key IN ['graph', 'version', 'format'] RETURN count(n) AS left"
    )
    assert database.read(left, graph=graph)[0]["left"] == 0
    assert refresh(database, graph).changes == 0


@pytest.mark.parametrize(
    ("facts", "nodes", "relationships"),
    [
        ([("Alone", "", "")], 1, 0),
        ([("One", "", ""), ("Two", "", "")], 2, 0),
        ([("Self", "PRAISED", "Self")], 1, 1),
    ],
    ids=["one node", "no relationships", "self loops only"],
)
def test_graphs_without_pairs_are_no_error(
    database: Database, graph: str, facts: list[Fact], nodes: int, relationships: int
) -> None:
    load(database, graph, facts)
    report = refresh(database, graph)
    assert (report.communities, report.levels, report.nodes, report.relationships) == (0, 1, nodes, relationships)
    assert {each["pagerank"] for each in entities(database, graph).values()} == {0.15}
    assert refresh(database, graph).changes == 0


def test_entities_without_a_relationship_are_not_projected_and_change_no_figure(database: Database, graph: str) -> None:
    load(database, graph, two_cliques())
    first = refresh(database, graph)
    before = entities(database, graph)
    load(database, graph, [*two_cliques(), ("Hermit", "", ""), ("Narcissus", "PRAISED", "Narcissus")])
    with projected(database, graph) as projection:
        assert client(database).graph.get(projection.name).node_count() == 10
    again = refresh(database, graph)
    assert (again.communities, again.levels, again.nodes) == (first.communities, first.levels, 12)
    found = entities(database, graph)
    alone = {name: found.pop(name) for name in ("Hermit", "Narcissus")}
    assert found == before
    written = ("pagerank", "betweenness", "core", "triangles", "clustering", "articulation", "degree")
    assert [alone["Hermit"][name] for name in written] == [0.15, 0.0, 0, 0, 0.0, False, 0]
    assert [alone["Narcissus"][name] for name in written] == [0.15, 0.0, 0, 0, 0.0, False, 1]
    assert {each["component"] for each in alone.values()} == {2, 3}
    assert not any("community" in each for each in alone.values())


def test_no_community_of_one_entity_is_stored_and_every_level_is_a_partition(
    database: Database, hermits: tuple[str, AnalyticsReport]
) -> None:
    graph, report = hermits
    sizes = "MATCH (c:Community {graph: $graph}) RETURN min(c.size) AS least, max(c.level) + 1 AS levels"
    assert database.read(cypher(sizes), graph=graph) == [{"least": 2, "levels": report.levels}]
    members = (
        "MATCH (c:Community {graph: $graph}) "
        "RETURN c.size AS size, COUNT { (c)<-[:CHILD_OF]-{0,20}()<-[:IN_COMMUNITY]-(:Entity) } AS members"
    )
    assert all(row["size"] == row["members"] for row in database.read(cypher(members), graph=graph))
    places = (
        "MATCH (e:Entity {graph: $graph}) RETURN e.name AS name, e.community AS community, "
        "COLLECT { MATCH (e)-[:IN_COMMUNITY]->()-[:CHILD_OF]->{0,20}(c) RETURN c.level ORDER BY c.level } AS levels, "
        "COLLECT { MATCH (e)-[:IN_COMMUNITY]->()-[:CHILD_OF]->{0,20}(c {level: 0}) RETURN c.number } AS numbers"
    )
    found = database.read(cypher(places), graph=graph)
    assert all(row["levels"] == list(range(len(row["levels"]))) for row in found)  # at most one of each level
    assert all(row["numbers"] == ([row["community"]] if row["community"] else []) for row in found)
    alone = sorted(row["name"] for row in found if not row["levels"])
    assert alone == ["Hermit", *(f"Hermit {number}" for number in range(5))]
    assert {row["Check"]: row["Count"] for row in database.read(queries.get("reports/checks"), graph=graph)}[
        "entities without a community"
    ] == 0


def test_communities_of_one_entity_are_stored_when_asked_for_until_they_are_not(
    database: Database, hermits: tuple[str, AnalyticsReport]
) -> None:
    graph, _ = hermits
    without = dump(database, graph)
    report = refresh(database, graph, singletons=True)
    assert refresh(database, graph) == AnalyticsReport(
        report.communities, report.levels, report.nodes, report.relationships, changes=0
    )
    query = "MATCH (c:Community {graph: $graph}) RETURN c.level AS level, sum(c.size) AS nodes ORDER BY level"
    assert [(row["level"], row["nodes"]) for row in database.read(cypher(query), graph=graph)] == [
        (level, report.nodes) for level in range(report.levels)
    ]
    placed = (
        "MATCH (e:Entity {graph: $graph}) RETURN collect(DISTINCT COUNT { "
        "(e)-[:IN_COMMUNITY]->()-[:CHILD_OF]->{0,20}(c:Community WHERE c.level = 0 AND c.number = e.community) }) AS n"
    )
    assert database.read(cypher(placed), graph=graph)[0]["n"] == [1]
    assert refresh(database, graph, singletons=False).changes > 0
    assert dump(database, graph) == without


def test_other_graphs_and_foreign_nodes_are_left_alone(database: Database, graph: str) -> None:
    other = f"{graph}-other"
    try:
        load(database, graph, two_cliques())
        load(database, other, karate())
        refresh(database, other)
        before = dump(database, other)
        foreign = "MATCH (e:Entity {graph: $graph}) CREATE (e)-[:OWNED_BY]->(:Owner {graph: $graph + '-foreign'})"
        database.write(cypher(foreign, "write"), graph=graph)
        assert (refresh(database, graph).nodes, refresh(database, graph).relationships) == (10, 21)
        assert dump(database, other) == before
    finally:
        database.write(cypher("MATCH (n:Owner {graph: $g}) DETACH DELETE n", "write"), g=f"{graph}-foreign")
        delete_graph(database, other)


# --------------------------------------------------------------------------------- failures, kills, what is left


class Interrupted(Exception):
    """Stands for whatever stops a run."""


class Dying(Database):
    """A database whose process dies at the end of a write, before the commit."""

    def write_transaction(self, work: Callable[[Transaction], T]) -> T:
        def killed(transaction: Transaction) -> T:
            work(transaction)
            raise Interrupted

        return super().write_transaction(killed)


def test_a_run_that_dies_while_writing_leaves_the_communities_that_were(database: Database, graph: str) -> None:
    load(database, graph, two_cliques())
    refresh(database, graph)
    load(database, graph, [*two_cliques(), ("B1", "MET", "C"), ("C", "MET", "D")])
    before = dump(database, graph)
    with Dying(database.address) as dying, pytest.raises(Interrupted):
        refresh(dying, graph)
    assert dump(database, graph) == before
    assert refresh(database, graph).changes > 0


def test_a_run_that_lost_its_lease_writes_nothing(database: Database, graph: str) -> None:
    load(database, graph, two_cliques())
    before = dump(database, graph)
    with Lease(database, graph) as lost:
        database.write(cypher("MATCH (l:Lease {graph: $graph}) SET l.token = 'another'", "write"), graph=graph)
        with pytest.raises(LeaseHeld):
            refresh(database, graph, lease=lost)
    assert dump(database, graph) == before


def test_too_small_a_heap_is_a_note_and_not_a_failure(
    database: Database, graph: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    load(database, graph, two_cliques())
    monkeypatch.setattr(projecting, "check_memory", lambda found, *_: check_memory(found, 10**9, 10**10))
    report = refresh(database, graph)
    assert report.changes == 0
    assert "MiB of heap" in (report.skipped or "")
    assert "pagerank" not in entities(database, graph)["A1"]
