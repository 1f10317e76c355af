"""Communities and figures without GDS: those of this machine, beside those of GDS on the same graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from corpus import Fact
from entity_graph import karate, load, projected, two_cliques, villages
from kg_neo4j.errors import GdsMissing
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.export import lines
from kg_neo4j.organise import analytics, communities
from kg_neo4j.organise.analytics import AnalyticsReport, refresh
from kg_neo4j.organise.client_analytics import VERSIONS, ClientProjection
from kg_neo4j.organise.entity_pairs import read_entities, read_pairs


class WithoutGds(Database):
    """The server as one on which GDS is not installed."""

    def gds_version(self) -> str:
        raise GdsMissing("the Graph Data Science plugin is not installed", hint="install it")


@pytest.mark.parametrize("facts", [two_cliques, karate, lambda: villages(4)], ids=["cliques", "karate", "villages"])
def test_the_figures_are_those_of_gds(database: Database, graph: str, facts: Callable[[], Sequence[Fact]]) -> None:
    load(database, graph, facts(), per_chunk=20)
    here = ClientProjection(read_pairs(database, graph, read_entities(database, graph)))
    with projected(database, graph) as gds:
        assert here.pagerank() == pytest.approx(gds.pagerank(), abs=1e-4)
        assert here.betweenness(42) == pytest.approx(gds.betweenness(42), abs=1e-6)
        assert here.bridges() == gds.bridges()
        ours, theirs = here.structure(), gds.structure()
    assert figures(ours) == figures(theirs)
    assert parts(ours) == parts(theirs)


def figures(found: dict[int, Any]) -> dict[int, tuple[Any, ...]]:
    return {
        num: (each.core, each.triangles, round(each.clustering, 9), each.articulation) for num, each in found.items()
    }


def parts(found: dict[int, Any]) -> set[frozenset[int]]:
    labels = {each.component for each in found.values()}
    return {frozenset(num for num, each in found.items() if each.component == label) for label in labels}


def test_clear_communities_are_those_of_gds(database: Database, graph: str) -> None:
    cliques = [
        (f"{ring}{left}", "KNOWS", f"{ring}{right}") for ring in "ABCDEF" for left in range(7) for right in range(left)
    ]
    ways = [(f"{ring}0", "MET", f"{following}1") for ring, following in zip("ABCDEF", "BCDEFA", strict=True)]
    load(database, graph, [*cliques, *ways], per_chunk=20)
    here = ClientProjection(read_pairs(database, graph, read_entities(database, graph)))
    with projected(database, graph) as gds:
        found, expected = (communities.hierarchy(graph, each.leiden(42))[0] for each in (here, gds))
    assert [each.members for each in found] == [each.members for each in expected]
    assert len(found) == 6


def test_without_gds_this_machine_computes_and_a_repeat_changes_nothing(database: Database, graph: str) -> None:
    load(database, graph, two_cliques())
    with WithoutGds(database.address) as without:
        first = refresh(without, graph)
        assert (first.communities, first.nodes, first.relationships, first.skipped) == (2, 10, 21, None)
        assert first.notes == (f"communities were computed on this machine, without GDS ({VERSIONS})",)
        before = list(lines(database, graph))
        assert refresh(without, graph) == AnalyticsReport(2, first.levels, 10, 21, changes=0)
        assert list(lines(database, graph)) == before
        assert analytics.is_current(without, graph)
        assert analytics.is_current(database, graph) is False  # GDS was not what computed
        refresh(database, graph)
        assert analytics.is_current(database, graph)
        assert refresh(without, graph).notes == first.notes


def test_the_order_of_loading_changes_nothing(database: Database, graph: str) -> None:
    seen = set()
    with WithoutGds(database.address) as without:
        for order in (None, 1):
            load(database, graph, villages(1), order=order, per_chunk=40)
            assert refresh(without, graph).communities > 5
            seen.add("\n".join(lines(database, graph)))
            delete_graph(database, graph)
    assert len(seen) == 1


def test_without_gds_and_without_the_packages_both_ways_are_named(
    database: Database, graph: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    load(database, graph, two_cliques())
    monkeypatch.setattr(analytics, "find_spec", lambda name: None)
    with WithoutGds(database.address) as without:
        report = refresh(without, graph)
        assert analytics.is_current(without, graph) is None
        refresh(database, graph)
        assert analytics.is_current(without, graph) is False
    assert report.skipped == "no communities and centralities: the Graph Data Science plugin is not installed"
    assert report.notes == (report.skipped,)
    assert report.changes == 0
