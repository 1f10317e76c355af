"""Narrative trees: built with a scripted model and without one, exactly once, and the same whatever the way there."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from fake_llm import FakeLlm
from kg_neo4j import AbstractSummariser, LoadOptions, Settings, TreeBuildOptions, load, unload
from kg_neo4j.errors import SourceNotFound, UsageError
from kg_neo4j.graph import queries
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.organise.tree.interface import Aspect
from kg_neo4j.organise.tree.upkeep import tree_states
from kg_neo4j.pipeline import TreeReport, plan_tree, tree
from tree_runs import ASPECTS, NAMES, change, count, dump, kind_of, read, saga, say, story, tell

TREE_LABELS = ("Tree", "TreeNode", "Answer")


@pytest.fixture
def llm(llm: FakeLlm) -> FakeLlm:
    """The scripted model writes trees."""
    llm.rules = say
    return llm


def kinds(llm: FakeLlm) -> Counter[str]:
    return Counter(kind_of(request.prompt) for request in llm.requests)


def total(report: TreeReport) -> int:
    return sum(report.summaries.values())


# ---------------------------------------------------------------------------------------------- without a model


def test_a_tree_is_built_without_a_key_and_a_repeat_changes_nothing(
    database: Database, graph: str, offline: Settings
) -> None:
    tell(database, graph, "saga", saga()[:80])
    done = tree(settings=offline)
    assert done.unfinished == ()
    assert done.usage.calls == 0
    assert done.leaves == 80
    assert done.details == done.leaves
    assert done.changes == total(done) + done.details + 1
    assert {level for level, _ in done.summaries} >= {1, 2}
    assert {aspect for _, aspect in done.summaries} <= set(NAMES)
    assert done.trees[0].methods == {"extractive": total(done) + done.details}
    before = dump(database, graph)
    again = tree(settings=offline)
    assert (again.changes, again.usage.calls, again.summaries) == (0, 0, done.summaries)
    assert dump(database, graph) == before


def test_the_graph_of_a_tree_is_whole(database: Database, graph: str, offline: Settings) -> None:
    tell(database, graph, "saga", saga()[:60])
    done = tree(settings=offline)
    rows = read(
        database,
        """
        MATCH (s:Summary) WHERE s.graph = $graph
        RETURN s.level AS level, size(s.embedding) AS dimension, s.token_count AS tokens, s.text AS text,
               EXISTS { (s)-[:IN_TREE]->(:Tree)-[:TREE_OF]->(:Document) } AS placed,
               COLLECT { MATCH (s)-[r:SUMMARISES]->(n) RETURN [n:Chunk, n.level, n.aspect = s.aspect, r.probability] }
                 AS members
        """,
        graph=graph,
    )
    assert len(rows) == total(done)
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
    assert read(database, hanging, graph=graph)[0]["leaves"] == done.leaves
    checks = database.read(queries.get("reports/checks"), graph=graph)
    about = ("narrative trees", "passages, summaries")
    assert [row["Count"] for row in checks if row["Check"].startswith(about)] == [0, 0, 0]
    details = "MATCH (d:Detail)-[:DETAILS]->(c:Chunk) WHERE d.graph = $graph RETURN count(DISTINCT c) AS chunks"
    assert read(database, details, graph=graph)[0]["chunks"] == done.leaves


def test_long_chunks_are_cut_into_passages_that_know_their_chunks(
    database: Database, graph: str, offline: Settings
) -> None:
    tell(database, graph, "lamp", ["\n\n".join(story()[:20]), "\n\n".join(story()[20:])])
    done = tree(settings=offline)
    assert done.trees[0].are_passages
    assert count(database, graph, "Passage") == done.leaves > 4
    rows = read(
        database,
        """
        MATCH (p:Passage)-[o:OVERLAPS]->(c:Chunk) WHERE p.graph = $graph
        RETURN p.text AS text, substring(c.text, o.start, o.end - o.start) AS shared
        """,
        graph=graph,
    )
    assert {row["text"] for row in rows} == {row["text"] for row in rows if row["shared"] in row["text"]}
    assert sum(row["shared"] == row["text"] for row in rows) >= done.leaves - 1
    assert tree(settings=offline).changes == 0


@pytest.mark.parametrize(
    "paragraphs",
    [
        pytest.param(["A single short chunk about a lamp."], id="one chunk"),
        pytest.param(["The same words again."] * 12, id="identical chunks"),
        pytest.param(["One is here.", "Two are there."], id="two chunks"),
        pytest.param(["…", "—", "1 2 3"], id="without words"),
    ],
)
def test_odd_documents_get_a_tree(database: Database, graph: str, offline: Settings, paragraphs: list[str]) -> None:
    tell(database, graph, "odd", paragraphs)
    done = tree(settings=offline)
    assert done.leaves == len(paragraphs)
    assert total(done) >= 1
    assert tree(settings=offline).changes == 0
    rebuilt = tree(settings=offline, options=TreeBuildOptions(rebuild=True))
    assert rebuilt.changes == 0


def test_an_empty_graph_and_a_name_that_is_not_there_are_said(
    database: Database, graph: str, offline: Settings
) -> None:
    with pytest.raises(SourceNotFound, match="holds no documents"):
        tree(settings=offline)
    tell(database, graph, "lamp", story()[:3])
    with pytest.raises(SourceNotFound, match="no document 'bell'"):
        tree(settings=offline, options=TreeBuildOptions(documents=("bell",)))
    with pytest.raises(UsageError, match="details are 0 to 3"):
        tree(settings=offline, options=TreeBuildOptions(details=4))
    assert count(database, graph, "Tree") == 0


# ------------------------------------------------------------------------------------------- the scripted model


@pytest.mark.parametrize("details", [pytest.param(0, marks=pytest.mark.long), 2])
def test_what_was_planned_is_what_is_asked(
    database: Database, graph: str, online: Settings, llm: FakeLlm, details: int
) -> None:
    tell(database, graph, "saga", saga()[:80])
    options = TreeBuildOptions(details=details)
    plan = plan_tree(settings=online, options=options)
    assert llm.calls == 0
    assert count(database, graph, "Tree") == 0
    done = tree(settings=online, options=options)
    asked = kinds(llm)
    assert plan.usage.calls == done.usage.calls == llm.calls
    assert dict(plan.summaries) == dict(done.summaries)
    levels = {step: calls for step, calls in plan.calls.items() if step.startswith("level")}
    assert (plan.calls["aspects"], sum(levels.values()), plan.calls.get("details", 0)) == (
        asked["aspects"],
        asked["summary"],
        asked["detail"],
    )
    assert asked["summary"] == len({request.prompt for request in llm.requests if kind_of(request.prompt) == "summary"})
    assert asked["detail"] == details * 80
    assert max(level for level, _ in done.summaries) >= 3
    after = plan_tree(settings=online, options=options)
    assert (after.usage.calls, dict(after.summaries)) == (0, dict(done.summaries))
    again = tree(settings=online, options=options)
    assert (again.changes, again.usage.calls, llm.calls) == (0, 0, plan.usage.calls)


def test_summaries_are_asked_for_by_aspect_at_half_temperature(
    database: Database, graph: str, online: Settings, llm: FakeLlm
) -> None:
    tell(database, graph, "lamp", story()[:8])
    settings = Settings(**{**online.model_dump(), "aspect_model": "strongest"})
    done = tree(settings=settings)
    by_kind = {kind: [each for each in llm.requests if kind_of(each.prompt) == kind] for kind in kinds(llm)}
    assert {each.body["model"] for each in by_kind["aspects"]} == {"strongest"}
    assert {each.body["model"] for each in by_kind["summary"] + by_kind["detail"]} == {"scripted"}
    assert {each.body["temperature"] for each in by_kind["summary"]} == {0.5}
    assert set(done.trees[0].methods) == {"model"}
    stored = read(
        database,
        "MATCH (a:Answer)-[:ANSWERS]->(:Tree) WHERE a.graph = $graph RETURN a.kind AS kind, count(a) AS answers",
        graph=graph,
    )
    assert {row["kind"]: row["answers"] for row in stored} == kinds(llm)


def test_one_aspect_needs_no_naming(database: Database, graph: str, online: Settings, llm: FakeLlm) -> None:
    tell(database, graph, "lamp", story()[:8])
    done = tree(settings=online, options=TreeBuildOptions(name="raptor"))
    assert {aspect for _, aspect in done.summaries} == {"general"}
    assert done.details == 0
    assert set(kinds(llm)) == {"summary"}


def test_an_aspect_that_is_shown_nowhere_is_looked_for_twice_more_and_reported(
    database: Database, graph: str, online: Settings, llm: FakeLlm
) -> None:
    llm.rules = lambda prompt, user: "plot\ncharacter" if kind_of(prompt) == "aspects" else say(prompt, user)
    tell(database, graph, "saga", saga()[:40])
    done = tree(settings=online)
    assert set(done.trees[0].absent) == set(NAMES) - {"plot", "character"}
    assert any("nothing of it shows" in note for note in done.notes)
    asked = kinds(llm)["aspects"]
    clusters = sum(number for (level, aspect), number in done.summaries.items() if (level, aspect) == (1, "plot"))
    assert clusters < asked <= 3 * max(clusters, asked // 2)
    again = tree(settings=online, options=TreeBuildOptions(rebuild=True))
    assert (again.changes, again.usage.calls) == (0, 0)


def test_bad_names_are_asked_for_once_more_then_cues_decide(
    database: Database, graph: str, online: Settings, llm: FakeLlm
) -> None:
    def rules(prompt: str, user: str) -> str:
        if kind_of(prompt) != "aspects":
            return say(prompt, user)
        return "weather" if "named no aspect" in user else "the mood, the weather"

    llm.rules = rules
    tell(database, graph, "lamp", story()[:3])
    done = tree(settings=online, options=TreeBuildOptions(aspects=ASPECTS[:2]))
    questions = [each for each in llm.requests if kind_of(each.prompt) == "aspects"]
    assert len(questions) == 2
    assert questions[1].user.startswith(questions[0].user.split("Which aspects")[0])
    assert {aspect for _, aspect in done.summaries} <= {"plot", "character"}
    flags = "MATCH (t:Tree) WHERE t.graph = $graph RETURN t.flags AS flags"
    assert "named no aspect of the list" in read(database, flags, graph=graph)[0]["flags"][0]
    assert tree(settings=online, options=TreeBuildOptions(aspects=ASPECTS[:2])).usage.calls == 0


def test_empty_summaries_are_asked_for_once_more_then_the_text_speaks(
    database: Database, graph: str, online: Settings, llm: FakeLlm
) -> None:
    llm.rules = lambda prompt, user: "" if kind_of(prompt) == "summary" else say(prompt, user)
    tell(database, graph, "lamp", story()[:3])
    done = tree(settings=online, options=TreeBuildOptions(details=0))
    assert kinds(llm)["summary"] == 2 * total(done)
    rows = read(
        database,
        "MATCH (s:Summary) WHERE s.graph = $graph RETURN s.method AS m, s.flags AS f, s.text AS t",
        graph=graph,
    )
    assert all(row["m"] == "extractive" and len(row["f"]) == 1 and row["t"] for row in rows)
    assert done.trees[0].flagged == len(rows)
    again = tree(settings=online, options=TreeBuildOptions(details=0, rebuild=True))
    assert (again.changes, kinds(llm)["summary"]) == (0, 2 * total(done))


def test_summaries_longer_than_asked_are_cut_at_a_sentence(
    database: Database, graph: str, online: Settings, llm: FakeLlm
) -> None:
    llm.rules = lambda prompt, user: (
        "Ragna rowed to the rock and saw nothing there. " * 60 if kind_of(prompt) == "summary" else say(prompt, user)
    )
    tell(database, graph, "lamp", story()[:3])
    tree(settings=online, options=TreeBuildOptions(details=0, summary_tokens=50))
    rows = read(
        database,
        "MATCH (s:Summary) WHERE s.graph = $graph RETURN s.text AS text, s.token_count AS tokens, s.flags AS flags",
        graph=graph,
    )
    assert rows
    assert all(row["tokens"] <= 50 and row["text"].endswith("there.") and row["flags"] for row in rows)


class Shouting(AbstractSummariser):
    """A summariser of a user's own."""

    def __init__(self) -> None:
        self.calls = 0

    @property
    def name(self) -> str:
        return "plot"

    @property
    def method(self) -> str:
        return "shouting"

    def summarize(self, context: str, max_tokens: int = 200) -> str:
        self.calls += 1
        return context.partition(".")[0].upper()


def test_summarisers_of_ones_own_take_the_place_of_those_that_ship(
    database: Database, graph: str, online: Settings, llm: FakeLlm
) -> None:
    tell(database, graph, "lamp", story()[:8])
    own = Shouting()
    done = tree(settings=online, summarisers=[own])
    plots = sum(number for (_, aspect), number in done.summaries.items() if aspect == "plot")
    assert own.calls == plots == done.trees[0].methods["shouting"]
    text = "MATCH (s:Summary {aspect: 'plot'}) WHERE s.graph = $graph RETURN s.text = toUpper(s.text) AS loud"
    assert all(row["loud"] for row in read(database, text, graph=graph))
    again = tree(settings=online, summarisers=[own])
    assert (again.changes, again.usage.calls, own.calls) == (0, 0, plots)
    rebuilt = tree(settings=online, summarisers=[own], options=TreeBuildOptions(rebuild=True))
    assert (rebuilt.changes, own.calls) == (0, plots)


def test_identical_leaves_are_asked_about_once(database: Database, graph: str, online: Settings, llm: FakeLlm) -> None:
    tell(database, graph, "same", ["Ragna Tveit rowed to the rock."] * 6)
    plan = plan_tree(settings=online)
    done = tree(settings=online)
    assert kinds(llm)["detail"] == 1
    assert done.usage.calls == plan.usage.calls == llm.calls
    assert done.details == 6


# ----------------------------------------------------------------------------------------- failures and budgets


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


def test_a_model_that_is_down_leaves_the_old_tree_and_says_so(
    database: Database, graph: str, online: Settings, llm: FakeLlm
) -> None:
    paragraphs = list(story()[:10])
    tell(database, graph, "lamp", paragraphs)
    tree(settings=online)
    paragraphs[4] = "Nobody in Skarnes had seen the logbook since the storm."
    tell(database, graph, "lamp", paragraphs)
    before = dump(database, graph)
    answered = llm.calls
    llm.answer(2)
    for _ in range(40):
        llm.fail(503)
    done = tree(settings=online.model_copy(update={"model_concurrency": 1}))
    assert len(done.unfinished) == 1
    assert "are left" in done.unfinished[0]
    assert done.changes == 0
    assert dump(database, graph) == before
    assert llm.calls == answered + 3  # two answers, and the fault: nobody is asked after it
    llm.forget()
    assert tree(settings=online).unfinished == ()


# --------------------------------------------------------------------------------------- several, and the invariant


def test_trees_of_several_documents_do_not_depend_on_their_order(
    database: Database, graph: str, offline: Settings
) -> None:
    tell(database, graph, "lamp", saga()[:60])
    tell(database, graph, "bell", saga()[60:])
    tree(settings=offline)
    first = dump(database, graph)
    delete_graph(database, graph)
    tell(database, graph, "bell", saga()[60:])
    tree(settings=offline)
    tell(database, graph, "lamp", saga()[:60])
    tree(settings=offline, options=TreeBuildOptions(documents=("lamp",)))
    assert dump(database, graph) == first


def test_trees_of_two_names_stand_beside_each_other(database: Database, graph: str, offline: Settings) -> None:
    tell(database, graph, "lamp", story())
    tree(settings=offline)
    before = read(database, "MATCH (n:Summary) WHERE n.graph = $graph RETURN n.id AS id ORDER BY id", graph=graph)
    done = tree(settings=offline, options=TreeBuildOptions(name="raptor"))
    after = read(
        database,
        "MATCH (n:Summary)-[:IN_TREE]->(t {name: 'narrative'}) WHERE n.graph = $graph RETURN n.id AS id ORDER BY id",
        graph=graph,
    )
    assert before == after
    assert {state.name for state in tree_states(database, graph)} == {"narrative", "raptor"}
    assert set(done.summaries) == {(level, "general") for level, _ in done.summaries}


def test_a_stored_tree_is_not_changed_by_other_options_unless_it_is_rebuilt(
    database: Database, graph: str, offline: Settings
) -> None:
    tell(database, graph, "lamp", story()[:10])
    tree(settings=offline, options=TreeBuildOptions(leaf_tokens=100))
    assert tree(settings=offline).changes == 0
    with pytest.raises(UsageError, match="leaf_tokens 100, not 50"):
        tree(settings=offline, options=TreeBuildOptions(leaf_tokens=50))
    mood = Aspect("mood", "mood", "Which mood is there?")
    with pytest.raises(UsageError, match="the aspects plot, character"):
        tree(settings=offline, options=TreeBuildOptions(aspects=(mood, *ASPECTS[:1])))
    more = tree(settings=offline, options=TreeBuildOptions(details=2))
    assert more.changes == len(story()[:10]) + 1
    rebuilt = tree(settings=offline, options=TreeBuildOptions(aspects=(mood,), rebuild=True))
    assert {aspect for _, aspect in rebuilt.summaries} == {"mood"}


def test_a_model_takes_over_from_cues_and_what_it_wrote_outlives_its_key(
    database: Database, graph: str, offline: Settings, online: Settings, llm: FakeLlm
) -> None:
    tell(database, graph, "lamp", story()[:8])
    tree(settings=offline)
    done = tree(settings=online)
    assert set(done.trees[0].methods) == {"model"}
    assert any("rebuilt" in note for note in done.notes)
    before = dump(database, graph)
    assert tree(settings=offline).changes == 0
    assert dump(database, graph) == before
    with pytest.raises(UsageError, match="texts that a model wrote"):
        tree(settings=offline, options=TreeBuildOptions(rebuild=True))
    assert dump(database, graph) == before
    other = Settings(**{**online.model_dump(), "model": "another"})
    assert (tree(settings=other).changes, llm.calls) == (0, done.usage.calls)


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
    database: Database, graph: str, offline: Settings, online: Settings, llm: FakeLlm, tmp_path: Path
) -> None:
    file = tmp_path / "lamp.md"
    file.write_text("\n\n".join(story()[:12]), "utf-8")
    kept = tmp_path / "bell.md"
    kept.write_text("\n\n".join(story("the_bell_of_orlen")[:12]), "utf-8")
    quick = LoadOptions(analytics=False, chunk_tokens=100)
    load([str(kept)], settings=offline, options=quick)
    tree(settings=online)
    before = tree_lines(database, graph)
    load([str(file)], settings=offline, options=quick)
    tree(settings=online)
    assert len(tree_states(database, graph)) == 2
    unload(str(file), settings=offline)
    assert tree_lines(database, graph) == before
    unload(str(kept), settings=offline)
    assert [count(database, graph, label) for label in TREE_LABELS] == [0, 0, 0]


def test_a_file_that_is_gone_takes_its_tree_with_it_when_it_is_pruned(
    database: Database, graph: str, offline: Settings, tmp_path: Path
) -> None:
    for name, paragraphs in (("lamp", story()[:6]), ("bell", story("the_bell_of_orlen")[:6])):
        (tmp_path / f"{name}.md").write_text("\n\n".join(paragraphs), "utf-8")
    load([str(tmp_path)], settings=offline, options=LoadOptions(analytics=False))
    tree(settings=offline)
    (tmp_path / "lamp.md").unlink()
    load([str(tmp_path)], settings=offline, options=LoadOptions(analytics=False, prune=True))
    [state] = tree_states(database, graph)
    assert not state.stale
    left = "MATCH (n:TreeNode) WHERE n.graph = $graph RETURN DISTINCT n.document_id AS id"
    assert [row["id"] for row in read(database, left, graph=graph)] == [state.document_id]
    assert tree(settings=offline).changes == 0


def test_rebuilding_the_graph_leaves_trees_as_they_are(
    database: Database, graph: str, offline: Settings, tmp_path: Path
) -> None:
    from kg_neo4j.pipeline import rebuild

    file = tmp_path / "lamp.md"
    file.write_text("\n\n".join(story()[:12]), "utf-8")
    load([str(file)], settings=offline, options=LoadOptions(analytics=False))
    tree(settings=offline)
    before = tree_lines(database, graph)
    rebuild(settings=offline)
    assert tree_lines(database, graph) == before
    assert tree(settings=offline).changes == 0
