"""Narrative trees in Neo4j: published whole, read again as they were written, and gone with their documents.

What is built and asked is shown without a server: tests/unit/organise/tree/test_tree_building.py.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from fake_llm import FakeLlm
from kg_neo4j import LoadOptions, Settings, TreeBuildOptions, load, unload
from kg_neo4j.errors import NoSuchGraph, SourceNotFound, UsageError
from kg_neo4j.graph import queries
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.pipeline.commands.rebuild import rebuild
from kg_neo4j.pipeline.commands.tree import TreeReport, plan_tree, tree
from tree_runs import NAMES, change, count, dump, kind_of, read, saga, say, story, tell, tree_states

TREE_LABELS = ("Tree", "TreeNode", "Answer")
QUICK = LoadOptions(analytics=False, chunk_tokens=100)
BELL = story("the_bell_of_orlen")


@pytest.fixture
def llm(llm: FakeLlm) -> FakeLlm:
    """The scripted model writes trees."""
    llm.rules = say
    return llm


@pytest.fixture(scope="module")
def built(database: Database, shared: Settings) -> TreeReport:
    """A tree of several levels, for tests that only read."""
    tell(database, shared.graph, "saga", saga()[:40])
    return tree(settings=shared)


def total(report: TreeReport) -> int:
    return sum(report.summaries.values())


# ---------------------------------------------------------------------------------------------- without a model


def test_a_tree_is_built_without_a_key_and_a_repeat_changes_nothing(
    database: Database, shared: Settings, built: TreeReport
) -> None:
    assert built.unfinished == ()
    assert built.usage.calls == 0
    assert built.leaves == built.details == 40
    assert built.changes == total(built) + built.details + 1
    assert {level for level, _ in built.summaries} >= {1, 2}
    assert {aspect for _, aspect in built.summaries} <= set(NAMES)
    assert built.trees[0].methods == {"extractive": total(built) + built.details}
    before = dump(database, shared.graph)
    again = tree(settings=shared)
    assert (again.changes, again.usage.calls, again.summaries) == (0, 0, built.summaries)
    assert dump(database, shared.graph) == before


def test_the_graph_of_a_tree_is_whole(database: Database, shared: Settings, built: TreeReport) -> None:
    rows = read(
        database,
        """
        MATCH (s:Summary) WHERE s.graph = $graph
        RETURN s.level AS level, size(s.embedding) AS dimension, s.token_count AS tokens, s.text AS text,
               EXISTS { (s)-[:IN_TREE]->(:Tree)-[:TREE_OF]->(:Document) } AS placed,
               COLLECT { MATCH (s)-[r:SUMMARISES]->(n) RETURN [n:Chunk, n.level, n.aspect = s.aspect, r.probability] }
                 AS members
        """,
        graph=shared.graph,
    )
    assert len(rows) == total(built)
    for row in rows:
        assert row["dimension"] == 384
        assert 0 < row["tokens"] <= 200
        assert row["placed"]
        assert row["members"]
        for is_chunk, level, same_aspect, probability in row["members"]:
            assert 0 < probability <= 1
            assert is_chunk == (row["level"] == 1)
            assert row["level"] == 1 or (level == row["level"] - 1 and same_aspect)
    hanging = "MATCH (t:Tree) WHERE t.graph = $graph RETURN COUNT { (t)-[:HAS_LEAF]->(:Chunk) } AS leaves"
    assert read(database, hanging, graph=shared.graph)[0]["leaves"] == built.leaves
    checks = database.read(queries.get("reports/checks"), graph=shared.graph)
    about = ("narrative trees", "passages, summaries")
    assert [row["Count"] for row in checks if row["Check"].startswith(about)] == [0, 0, 0]
    details = "MATCH (d:Detail)-[:DETAILS]->(c:Chunk) WHERE d.graph = $graph RETURN count(DISTINCT c) AS chunks"
    assert read(database, details, graph=shared.graph)[0]["chunks"] == built.leaves


def test_long_chunks_are_cut_into_passages_that_know_their_chunks(
    database: Database, graph: str, offline: Settings
) -> None:
    tell(database, graph, "lamp", ["\n\n".join(story()[:20]), "\n\n".join(story()[20:])])
    done = tree(settings=offline)
    assert done.trees[0].are_passages
    assert count(database, graph, "Leaf") == done.leaves > 4
    rows = read(
        database,
        """
        MATCH (p:Leaf)-[o:OVERLAPS]->(c:Chunk) WHERE p.graph = $graph
        RETURN p.text AS text, substring(c.text, o.start, o.end - o.start) AS shared
        """,
        graph=graph,
    )
    assert {row["text"] for row in rows} == {row["text"] for row in rows if row["shared"] in row["text"]}
    assert sum(row["shared"] == row["text"] for row in rows) >= done.leaves - 1
    assert tree(settings=offline).changes == 0


def test_what_cannot_be_built_is_refused_before_anything_is_written(
    database: Database, graph: str, offline: Settings
) -> None:
    with pytest.raises(NoSuchGraph):
        tree(settings=offline)
    tell(database, graph, "lamp", story()[:3])
    with pytest.raises(SourceNotFound, match="no document 'bell'"):
        tree(settings=offline, options=TreeBuildOptions(documents=("bell",)))
    with pytest.raises(UsageError, match="details are 0 to 3"):
        tree(settings=offline, options=TreeBuildOptions(details=4))
    with pytest.raises(UsageError, match="by text or by aspect, not by 'page'"):
        tree(settings=offline, options=TreeBuildOptions(details_by="page"))
    assert count(database, graph, "Tree") == 0


# ------------------------------------------------------------------------------------------------ with a model


def test_a_model_takes_over_asks_what_was_planned_and_its_answers_hang_on_the_tree(
    database: Database, graph: str, offline: Settings, online: Settings, llm: FakeLlm
) -> None:
    tell(database, graph, "lamp", story()[:8])
    tree(settings=offline)
    before = dump(database, graph)
    settings = Settings(**{**online.model_dump(), "aspect_model": "strongest"})
    plan = plan_tree(settings=settings)
    assert llm.calls == 0
    assert dump(database, graph) == before
    done = tree(settings=settings)
    assert "lamp: rebuilt: cues found its aspects, now strongest names them" in done.notes
    assert set(done.trees[0].methods) == {"model"}
    asked = Counter(kind_of(request.prompt) for request in llm.requests)
    assert plan.usage.calls == done.usage.calls == llm.calls
    assert dict(plan.summaries) == dict(done.summaries)
    levels = sum(calls for step, calls in plan.calls.items() if step.startswith("level"))
    assert (plan.calls["aspects"], levels, plan.calls["details"]) == (asked["aspects"], asked["summary"], 8)
    models = {(kind_of(each.prompt), each.body["model"], each.body["temperature"]) for each in llm.requests}
    assert models == {("aspects", "strongest", 0.0), ("summary", "scripted", 0.5), ("detail", "scripted", 0.5)}
    stored = read(
        database,
        "MATCH (a:Answer)-[:ANSWERS]->(:Tree) WHERE a.graph = $graph RETURN a.kind AS kind, count(a) AS answers",
        graph=graph,
    )
    assert {row["kind"]: row["answers"] for row in stored} == asked
    assert plan_tree(settings=settings).usage.calls == 0
    assert (tree(settings=settings).changes, llm.calls) == (0, done.usage.calls)


def test_a_budget_that_is_reached_publishes_nothing_and_the_next_run_goes_on(
    database: Database, graph: str, online: Settings, llm: FakeLlm, tmp_path: Path
) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text('["scripted"]\ninput = 1\noutput = 4\n', "utf-8")
    llm.counts = True
    settings = Settings(**{**online.model_dump(), "prices": prices, "model_concurrency": 1})
    tell(database, graph, "lamp", story()[:12])
    whole = plan_tree(settings=settings)
    assert whole.usage.usd
    stopped = tree(settings=settings, options=TreeBuildOptions(budget_usd=whole.usage.usd / 3))
    assert 0 < stopped.usage.calls < whole.usage.calls
    assert "budget" in stopped.unfinished[0]
    assert (stopped.changes, count(database, graph, "TreeNode")) == (0, 0)
    rest = plan_tree(settings=settings)
    assert rest.usage.calls == whole.usage.calls - stopped.usage.calls
    done = tree(settings=settings)
    assert done.unfinished == ()
    assert stopped.usage.calls + done.usage.calls == llm.calls == whole.usage.calls
    before = dump(database, graph)
    other = f"{graph}-whole"
    try:
        tell(database, other, "lamp", story()[:12])
        tree(settings=settings.model_copy(update={"graph": other}))
        assert shape(dump(database, other)) == shape(before)
    finally:
        delete_graph(database, other)


def shape(exported: str) -> list[str]:
    """Return texts and places of an export without ids, which hash the graph's name."""
    rows = [json.loads(line) for line in exported.splitlines()]
    kept = ("aspect", "level", "number", "text", "method", "probability", "index")
    found = ({name: row["properties"].get(name) for name in kept} | {"t": row.get("type")} for row in rows)
    return sorted(json.dumps(each, sort_keys=True) for each in found)


# ------------------------------------------------------------------------------------ several, and the invariant


def test_trees_of_several_documents_and_names_stand_beside_each_other_in_any_order(
    database: Database, graph: str, offline: Settings
) -> None:
    raptor = TreeBuildOptions(name="raptor")
    tell(database, graph, "lamp", story()[:8])
    tell(database, graph, "bell", BELL[:8])
    tree(settings=offline)
    alone = dump(database, graph)
    done = tree(settings=offline, options=raptor)
    assert set(done.summaries) == {(level, "general") for level, _ in done.summaries}
    assert [(state.title, state.name) for state in tree_states(database, graph)] == [
        *(("bell", "narrative"), ("bell", "raptor"), ("lamp", "narrative"), ("lamp", "raptor")),
    ]
    both = dump(database, graph)
    assert set(alone.splitlines()) < set(both.splitlines())
    delete_graph(database, graph)
    tell(database, graph, "bell", BELL[:8])
    tree(settings=offline, options=raptor)
    tree(settings=offline)
    tell(database, graph, "lamp", story()[:8])
    tree(settings=offline, options=TreeBuildOptions(documents=("lamp",)))
    tree(settings=offline, options=raptor)
    assert dump(database, graph) == both


def test_foreign_nodes_and_other_graphs_are_left_alone(database: Database, graph: str, offline: Settings) -> None:
    other = f"{graph}-other"
    mark = "CREATE (:Tree {mark: $graph})<-[:IN_TREE]-(:Summary {mark: $graph, text: 'foreign'})"
    foreign = "MATCH (n) WHERE n.mark = $graph RETURN labels(n) AS labels, properties(n) AS own ORDER BY labels"
    try:
        change(database, mark, graph=graph)
        was = read(database, foreign, graph=graph)
        for name in (graph, other):
            tell(database, name, "lamp", story()[:6])
            tree(settings=offline.model_copy(update={"graph": name}))
        before = dump(database, other)
        delete_graph(database, graph)
        assert [count(database, graph, label) for label in TREE_LABELS] == [0, 0, 0]
        assert dump(database, other) == before
        assert read(database, foreign, graph=graph) == was
    finally:
        delete_graph(database, other)
        change(database, "MATCH (n) WHERE n.mark = $graph DETACH DELETE n", graph=graph)


def tree_lines(database: Database, graph: str) -> list[str]:
    """Return what an export has of trees; analytics may be of another moment."""
    types = ("TREE_OF", "HAS_LEAF", "IN_TREE", "OVERLAPS", "SUMMARISES", "DETAILS")
    found = [(line, json.loads(line)) for line in dump(database, graph).splitlines()]
    return [line for line, row in found if row.get("type") in types or {"Tree", "TreeNode"} & {*row.get("labels", ())}]


def test_unloading_a_document_takes_its_tree_and_answers_with_it(
    database: Database, graph: str, offline: Settings, online: Settings, tmp_path: Path
) -> None:
    file, kept = tmp_path / "lamp.md", tmp_path / "bell.md"
    file.write_text("\n\n".join(story()[:4]), "utf-8")
    kept.write_text("\n\n".join(BELL[:4]), "utf-8")
    load([str(kept)], settings=offline, options=QUICK)
    tree(settings=online)
    before = tree_lines(database, graph)
    load([str(file)], settings=offline, options=QUICK)
    tree(settings=online)
    assert len(tree_states(database, graph)) == 2
    unload(str(file), settings=offline)
    assert tree_lines(database, graph) == before
    unload(str(kept), settings=offline)
    assert [count(database, graph, label) for label in TREE_LABELS] == [0, 0, 0]


def test_a_file_that_is_pruned_takes_its_tree_with_it_and_a_rebuilt_graph_keeps_the_others(
    database: Database, graph: str, offline: Settings, tmp_path: Path
) -> None:
    for name, paragraphs in (("lamp", story()[:4]), ("bell", BELL[:4])):
        (tmp_path / f"{name}.md").write_text("\n\n".join(paragraphs), "utf-8")
    load([str(tmp_path)], settings=offline, options=QUICK)
    tree(settings=offline)
    (tmp_path / "lamp.md").unlink()
    load([str(tmp_path)], settings=offline, options=LoadOptions(analytics=False, chunk_tokens=100, prune=True))
    [state] = tree_states(database, graph)
    assert not state.stale
    left = "MATCH (n:TreeNode) WHERE n.graph = $graph RETURN DISTINCT n.document_id AS id"
    assert [row["id"] for row in read(database, left, graph=graph)] == [state.document_id]
    before = tree_lines(database, graph)
    assert before
    rebuild(settings=offline)
    assert tree_lines(database, graph) == before
    assert tree(settings=offline).changes == 0
