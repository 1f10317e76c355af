"""Narrative trees in Neo4j over changed documents and killed runs: nothing idle stays, nothing is asked twice.

What an edit writes again is shown without a server: tests/unit/organise/tree/test_tree_updates.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from crash_points import ANSWERED, COMMIT, COMMITTED, CrashPoints, Step
from fake_llm import FakeLlm
from kg_neo4j import LoadOptions, Settings, TreeBuildOptions, load
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.pipeline.commands.tree import tree
from tree_runs import ASPECTS, CHECKOUT, NAMES, count, dump, kind_of, read, say, story, tell, tree_states

QUICK = LoadOptions(analytics=False)
IDLE = """
MATCH (a:Answer)-[:ANSWERS]->(t:Tree) WHERE a.graph = $graph
  AND NOT a.id IN t.answers AND NOT EXISTS { MATCH (n:TreeNode {tree: t.id}) WHERE a.id IN n.answers }
RETURN count(a) AS answers
"""


@pytest.fixture
def llm(llm: FakeLlm) -> FakeLlm:
    """The scripted model writes trees."""
    llm.rules = say
    return llm


def test_an_edit_leaves_no_idle_answers_and_a_rebuild_gives_what_a_first_build_gives(
    database: Database, graph: str, online: Settings
) -> None:
    options = TreeBuildOptions(aspects=ASPECTS[:2])
    fresh = TreeBuildOptions(aspects=ASPECTS[:2], rebuild=True)
    paragraphs = list(story()[:16])
    tell(database, graph, "lamp", paragraphs)
    tree(settings=online, options=options)
    paragraphs[5:7] = ["A storm came up from the sea, and the bell of Skarnes rang by itself."]
    tell(database, graph, "lamp", paragraphs)
    [state] = tree_states(database, graph)
    assert (state.complete, state.stale) == (True, True)
    kept = tree(settings=online, options=options)
    assert kept.unfinished == ()
    assert kept.changes
    [state] = tree_states(database, graph)
    assert (state.complete, state.stale) == (True, False)
    assert read(database, IDLE, graph=graph)[0]["answers"] == 0
    assert tree(settings=online, options=options).changes == 0
    assert tree(settings=online, options=fresh).unfinished == ()
    after = dump(database, graph)
    delete_graph(database, graph)
    tell(database, graph, "lamp", paragraphs)
    tree(settings=online, options=options)
    assert dump(database, graph) == after


def test_a_load_reports_that_a_tree_is_of_a_former_text(
    database: Database, graph: str, offline: Settings, tmp_path: Path
) -> None:
    file = tmp_path / "lamp.md"
    file.write_text("\n\n".join(story()[:4]), "utf-8")
    load([str(file)], settings=offline, options=QUICK)
    tree(settings=offline)
    assert load([str(file)], settings=offline, options=QUICK).notes == ()
    file.write_text("\n\n".join(story()[:3]), "utf-8")
    notes = load([str(file)], settings=offline, options=QUICK).notes
    assert notes == ("1 narrative tree is of a former text: `kg tree` brings that up to date",)
    tree(settings=offline)
    assert load([str(file)], settings=offline, options=QUICK).notes == ()


# -------------------------------------------------------------------------------------------------------- kill -9


@dataclass
class Bench:
    """What a kill needs."""

    runner: CrashPoints
    llm: FakeLlm
    database: Database
    graph: str
    environment: dict[str, str]
    aspects: Path

    def tree(self, *words: str, kill_at: Step | None = None) -> tuple[Step, ...]:
        """Build in a process that is killed at a step, or comes to its end; return its steps."""
        words = ("--summary-tokens", "40", "--aspects", str(self.aspects), *words)
        run = self.runner.run(["tree", *words], self.environment, kill_at=kill_at)
        assert run.killed == (kill_at is not None), (kill_at, run.output)
        assert run.killed or run.exit_code == 0, run.output
        return run.steps

    def begin(self, paragraphs: tuple[str, ...]) -> None:
        """Start from a graph with the story alone."""
        delete_graph(self.database, self.graph)
        self.tell(paragraphs)
        self.llm.requests.clear()

    def tell(self, paragraphs: tuple[str, ...]) -> None:
        """Record what the story has become."""
        tell(self.database, self.graph, "lamp", paragraphs)

    def dump(self) -> str:
        """Return the export."""
        return dump(self.database, self.graph)


@pytest.fixture
def bench(
    runner: CrashPoints, database: Database, graph: str, llm: FakeLlm, environment: Mapping[str, str], tmp_path: Path
) -> Bench:
    """Two aspects, a small window and short summaries: several clusters and levels of few questions."""
    llm.rules = say_briefly
    aspects = tmp_path / "two.toml"
    own = (CHECKOUT / "prompts" / "aspects" / "narrative.toml").read_text("utf-8").split("[[aspects]]")
    aspects.write_text("[[aspects]]".join(own[:3]), "utf-8")
    online = {"OPENAI_BASE_URL": llm.url, "OPENAI_API_KEY": "k", "KG_MODEL": "scripted", "KG_MODEL_CONCURRENCY": "1"}
    Path(environment["KG_CACHE"]).mkdir(parents=True, exist_ok=True)
    given = {**environment, **online, "KG_MODEL_WINDOW": "1300", "KG_ANSWER_CACHE": "off"}
    return Bench(runner, llm, database, graph, given, aspects)


def say_briefly(prompt: str, user: str) -> str:
    return "\n".join(NAMES[:2]) if kind_of(prompt) == "aspects" else " ".join(say(prompt, user).split()[:25])


SOME = story()[:16]
FIRST = "first answer"
EDITED = (*SOME[3:6], "Nobody in Skarnes had seen the logbook since the storm.", *SOME[7:])


def steps_at(quick: object, slow: object, more: object) -> pytest.MarkDecorator:
    """Kill at few steps in `make test`, at others in `make test-all`, at the rest in `make test-long`."""
    marks = pytest.mark.slow, pytest.mark.long
    rest = [pytest.param(at, marks=mark, id=mark.name) for at, mark in zip((slow, more), marks, strict=True)]
    return pytest.mark.parametrize("names", [pytest.param(quick, id="quick"), *rest])


def chosen(steps: tuple[Step, ...], name: str) -> Step:
    """Return the step in the middle of those of one name; FIRST: of the first answer."""
    own = [step for step in steps if step.name == (ANSWERED if name == FIRST else name)]
    assert own, name
    return own[0] if name == FIRST else own[len(own) // 2]


def asked_once(llm: FakeLlm, in_flight: int = 0) -> bool:
    """Say whether no question was asked twice, but for those whose answer was not stored yet."""
    prompts = [request.prompt for request in llm.requests]
    return len(prompts) - len(set(prompts)) <= in_flight


@steps_at(
    (COMMITTED + "tree/write_summaries",),
    (
        *(FIRST, ANSWERED, COMMITTED + "write/store_answer", COMMITTED + "tree/open"),
        *(COMMITTED + "tree/link_leaves", COMMIT + "tree/finish"),
    ),
    (
        *(COMMITTED + "tree/begin", COMMIT + "write/store_answer", COMMITTED + "tree/write_details"),
        COMMITTED + "tree/finish",
    ),
)
def test_a_killed_build_goes_on_to_the_same_tree_and_asks_nothing_twice(bench: Bench, names: tuple[str, ...]) -> None:
    bench.begin(SOME)
    steps = bench.tree()
    whole, calls = bench.dump(), bench.llm.calls
    assert asked_once(bench.llm)
    assert '"level":2' in whole
    for name in names:
        step = chosen(steps, name)
        bench.begin(SOME)
        bench.tree(kill_at=step)
        lost = step.name in (ANSWERED, COMMIT + "write/store_answer")  # it came, and was not stored
        states = tree_states(bench.database, bench.graph)
        assert all(not state.complete for state in states) or step.name == COMMITTED + "tree/finish", step
        bench.tree()
        assert bench.dump() == whole, step
        assert asked_once(bench.llm, 1 if lost else 0), step
        assert bench.llm.calls == calls + lost, step


@pytest.mark.long
def test_a_build_killed_at_every_step_goes_on_to_the_same_tree(bench: Bench) -> None:
    paragraphs = SOME[:7]
    bench.begin(paragraphs)
    steps = bench.tree()
    whole = bench.dump()
    for step in steps:
        bench.begin(paragraphs)
        bench.tree(kill_at=step)
        bench.tree()
        assert bench.dump() == whole, step
        assert asked_once(bench.llm, 1), step


@steps_at(
    [(ANSWERED, COMMITTED + "tree/write_summaries")],
    [
        (FIRST, COMMITTED + "tree/open"),
        (COMMITTED + "tree/open", COMMITTED + "tree/open"),
        (COMMIT + "tree/finish", COMMITTED + "tree/open"),
    ],
    [(COMMITTED + "tree/write_summaries", COMMITTED + "tree/write_details")],
)
def test_a_killed_update_and_a_killed_rebuild_go_on_to_the_same_trees(
    bench: Bench, names: list[tuple[str, str]]
) -> None:
    bench.begin(SOME)
    bench.tree()
    bench.tell(EDITED)
    updating = bench.tree()
    updated, calls = bench.dump(), bench.llm.calls
    rebuilding = bench.tree("--rebuild")
    rebuilt = bench.dump()
    assert rebuilt != updated
    for update, rebuild in names:
        bench.begin(SOME)
        bench.tree()
        bench.tell(EDITED)
        bench.tree(kill_at=chosen(updating, update))
        [state] = tree_states(bench.database, bench.graph)
        assert state.stale
        lost = update in (FIRST, ANSWERED)
        assert state.complete == lost, update  # the old tree, else one that readers leave alone
        bench.tree()
        assert bench.dump() == updated, update
        assert bench.llm.calls == calls + lost, update
        bench.tree("--rebuild", kill_at=chosen(rebuilding, rebuild))
        bench.tree()
        assert bench.dump() == rebuilt, rebuild


def test_a_killed_unload_is_ended_by_the_same_command(bench: Bench, offline: Settings, tmp_path: Path) -> None:
    file = tmp_path / "lamp.md"
    file.write_text("\n\n".join(SOME[:4]), "utf-8")
    load([str(file)], settings=offline, options=QUICK)
    tree(settings=offline)
    labels = ("Document", "Tree", "TreeNode")
    words, environment = ["unload", str(file)], {**bench.environment, "OPENAI_BASE_URL": "", "OPENAI_API_KEY": ""}
    assert bench.runner.run(words, environment, kill_at=Step(COMMITTED + "tree/delete_trees", 0)).killed
    assert [count(bench.database, bench.graph, label) for label in labels] == [1, 0, 0]
    assert bench.runner.run(words, environment).exit_code == 0
    assert [count(bench.database, bench.graph, label) for label in labels] == [0, 0, 0]
