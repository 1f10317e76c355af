"""The guard of plans: operators, functions and names of nodes, in the server's own words."""

from __future__ import annotations

import re

import pytest

from kg_neo4j.retrieve.cypher.plan import PlanStep, check_plan, read_plan
from kg_neo4j.retrieve.cypher.tokens import CypherRefused

SCAN = PlanStep("NodeByLabelScan", "a:PERSON")
HELD = PlanStep("Filter", "cache[a.graph] = $graph")
GOOD = (PlanStep("ProduceResults", "name"), PlanStep("Projection", "a.name AS name"), HELD, SCAN)


def test_a_plan_that_reads_one_graph_passes() -> None:
    check_plan("r", GOOD)
    check_plan(
        "r",
        (
            PlanStep("EagerAggregation", "count(*) AS n, collect(DISTINCT b.id) AS anon_1"),
            PlanStep("Filter", "b:Entity|Fact AND (a.graph = $graph AND b.graph = $graph)"),
            PlanStep("Expand(All)", "(a)-[anon_0:MET]->(b)"),
            PlanStep("NodeUniqueIndexSeek", "UNIQUE a:Entity(id) WHERE id = $x"),
        ),
    )
    check_plan("r", (PlanStep("Unwind", "$autolist_0 AS x"),))


def test_a_scan_of_all_nodes_passes_where_they_are_held_to_the_graph() -> None:
    check_plan("r", (PlanStep("Filter", "a.graph = $graph"), PlanStep("AllNodesScan", "a")))
    for details in ("b", "", "a, b", "`b`"):
        with pytest.raises(CypherRefused, match="not held to the graph"):
            check_plan("r", (PlanStep("Filter", "a.graph = $graph"), PlanStep("AllNodesScan", details)))
    with pytest.raises(CypherRefused, match="not held to the graph"):
        check_plan("r", (PlanStep("Filter", "a.graph = $graph OR a:X"), PlanStep("AllNodesScan", "a")))


@pytest.mark.parametrize("query_type", ["w", "rw", "s", "", None])
def test_only_reading_passes(query_type: str | None) -> None:
    with pytest.raises(CypherRefused, match="only read"):
        check_plan(query_type, GOOD)


@pytest.mark.parametrize(
    "operator",
    """Create Delete DetachDelete SetProperty SetLabels Merge LockingMerge Foreach SubqueryForeach TransactionForeach
    TransactionApply ProcedureCall LoadCSV PartitionedAllNodesScan NodeCountFromCountStore
    RelationshipCountFromCountStore VarLengthExpand(All) VarLengthExpand(Pruning) ShortestPath
    NodeByElementIdSeek NodeByIdSeek AdministrationCommand ShowProcedures CommandPrintInfo EmptyResult
    CreateIndex none Unheard""".split(),
)
def test_operators_that_are_not_listed_are_refused(operator: str) -> None:
    with pytest.raises(CypherRefused, match=re.escape(operator)):
        check_plan("r", (*GOOD, PlanStep(operator, "a")))


@pytest.mark.parametrize(
    "details",
    [
        "gds.version() AS v",
        "apoc.load.json($x) AS v",
        "reduce(s = $x, y IN z | s + y) AS v",
        "range($a, $b) AS v",
        "randomUUID() AS v",
        "a.name AS n, datetime() AS v",
        "properties(a) AS p",
    ],
)
def test_functions_that_are_not_listed_are_refused(details: str) -> None:
    with pytest.raises(CypherRefused, match="calls"):
        check_plan("r", (PlanStep("Projection", details), HELD, SCAN))


@pytest.mark.parametrize(
    ("operator", "details", "name"),
    [
        ("NodeByLabelScan", "b:PERSON", "b"),
        ("UnionNodeByLabelsScan", "b:PERSON|PLACE", "b"),
        ("NodeUniqueIndexSeek", "UNIQUE b:Entity(id) WHERE id = $x", "b"),
        ("NodeIndexSeek", "RANGE INDEX b:Entity(name) WHERE name = $x", "b"),
        ("Expand(All)", "(a)-[r:MET]->(b)", "b"),
        ("Expand(All)", "(a)<-[r:MET]-(`anon_0`)", "anon_0"),
        ("OptionalExpand(All)", "(a)-[r]-(b)", "b"),
        ("DirectedRelationshipTypeScan", "(a)-[r:MET]->(b)", "b"),
        ("UndirectedAllRelationshipsScan", "(a)-[r]-(b)", "b"),
        ("Repeat(Trail)", "(a) (...){1, 2} (b)", "b"),
        ("StatefulShortestPath(Into)", "SHORTEST 1 (a) ((`anon_2`)-[`r`]-(`anon_4`)){1, 5} (a)", "anon_2"),
    ],
)
def test_nodes_that_are_not_held_to_the_graph_are_refused(operator: str, details: str, name: str) -> None:
    step = PlanStep(operator, details)
    with pytest.raises(CypherRefused, match=name):
        check_plan("r", (step, HELD, SCAN))
    names = ("b", "anon_0", "anon_2", "anon_4")
    held = PlanStep("Filter", " AND ".join(f"{each}.graph = $graph" for each in names))
    check_plan("r", (held, step, HELD, SCAN))


def test_another_graph_s_name_holds_nothing() -> None:
    for details in (
        *("a.graph = $other", "a.graph = $graph_2", "NOT a.graph = $graph", "b.graph = $graph", "a.graphs = $graph"),
        *("a.graph = $graph OR a:PERSON", "a.name = $x AND (a.graph = $graph OR a.name = $y)", "not(a.graph = $graph)"),
        *("(a.graph = $graph) = $x", "(a.name = $x) OR (a.graph = $graph)"),
        "(a.name = $x AND a.graph = $graph AND a.id = $y) OR (a.id = $z AND a.type = $t)",
    ):
        with pytest.raises(CypherRefused, match="not held"):
            check_plan("r", (PlanStep("Filter", details), SCAN))


def test_plans_are_read_whole_and_bounded() -> None:
    plan = {"operatorType": "A@neo4j", "args": {"Details": "x"}, "children": [{"operatorType": "B", "children": []}]}
    assert read_plan(plan) == (PlanStep("A", "x"), PlanStep("B"))
    deep: dict[str, object] = {"operatorType": "A"}
    for _ in range(500):
        deep = {"operatorType": "A", "children": [deep]}
    with pytest.raises(CypherRefused, match="steps"):
        read_plan(deep)
    with pytest.raises(CypherRefused, match="no plan"):
        check_plan("r", ())
