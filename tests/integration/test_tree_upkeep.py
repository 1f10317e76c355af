"""Narrative trees over changed documents and killed runs: only what changed is written, nothing is asked twice."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from crash_points import ANSWERED, COMMIT, COMMITTED, CrashPoints, Step
from fake_llm import FakeLlm
from kg_neo4j import LoadOptions, Settings, TreeBuildOptions, load
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.organise.tree.upkeep import tree_states
from kg_neo4j.pipeline import plan_tree, tree
from tree_runs import CHECKOUT, NAMES, count, dump, kind_of, read, saga, say, shown_text, story, tell

FRESH = TreeBuildOptions(rebuild=True)
NODES = """
MATCH (n:TreeNode) WHERE n.graph = $graph
RETURN n.id AS id, n.text AS text, CASE WHEN n:Summary THEN 'Summary' ELSE 'Detail' END AS label ORDER BY id
"""
ABOVE = """
MATCH (s:Summary)-[:SUMMARISES*1..5]->(c:Chunk) WHERE c.graph = $graph AND c.text = $words
RETURN collect(DISTINCT s.id) AS ids
"""
IDLE = """
MATCH (a:Answer)-[:ANSWERS]->(t:Tree) WHERE a.graph = $graph
  AND NOT a.id IN t.answers AND NOT EXISTS { MATCH (n:TreeNode {tree: t.id}) WHERE a.id IN n.answers }
RETURN count(a) AS answers
"""
LEVELS = "MATCH (s:TreeNode) WHERE s.graph = $graph AND s.id IN $ids RETURN 'level ' + s.level AS level"


@pytest.fixture
def llm(llm: FakeLlm) -> FakeLlm:
    """The scripted model writes trees."""
    llm.rules = say
    return llm


def nodes(database: Database, graph: str) -> dict[str, tuple[str, str]]:
    return {row["id"]: (row["text"], row["label"]) for row in read(database, NODES, graph=graph)}


def above(database: Database, graph: str, paragraph: str) -> set[str]:
    return set(read(database, ABOVE, graph=graph, words=paragraph)[0]["ids"])


def levels(database: Database, graph: str, ids: set[str]) -> list[str]:
    return [row["level"] for row in read(database, LEVELS, graph=graph, ids=sorted(ids))]


def say_all(prompt: str, user: str) -> str:
    """Say something else wherever a single letter of the text is another."""
    if kind_of(prompt) == "aspects":
        return say(prompt, user)
    digest = hashlib.sha256(shown_text(user).encode()).hexdigest()
    return f"Seal {digest[:8]}. {' '.join(say(prompt, user).split()[:80])}."


@pytest.mark.parametrize("place", [pytest.param(0, marks=pytest.mark.long), 40, 79])
def test_exactly_the_ancestors_of_a_changed_paragraph_are_written_again(
    database: Database, graph: str, online: Settings, llm: FakeLlm, place: int
) -> None:
    llm.rules = say_all
    paragraphs = list(saga()[:80])
    tell(database, graph, "lamp", paragraphs)
    tree(settings=online)
    before, asked = nodes(database, graph), llm.calls
    old = above(database, graph, paragraphs[place])
    paragraphs[place] = "In the end the harbour of Skarnes burned the whole night, and nobody in the town put it out."
    tell(database, graph, "lamp", paragraphs)
    [state] = tree_states(database, graph)
    assert (state.complete, state.stale) == (True, True)
    plan = plan_tree(settings=online)
    done = tree(settings=online)
    assert not tree_states(database, graph)[0].stale
    after, new = nodes(database, graph), above(database, graph, paragraphs[place])
    ancestors = {each for each in old | new if each in after}
    assert len(old) > 7
    assert len(new) > 7
    assert ancestors < {each for each, (_, label) in after.items() if label == "Summary"}
    changed = {each for each in before.keys() & after.keys() if before[each] != after[each]}
    came, gone = after.keys() - before.keys(), before.keys() - after.keys()
    assert {*changed, *(each for each in came if after[each][1] == "Summary")} == ancestors
    assert [after[each][1] for each in came - ancestors] == ["Detail"]
    assert [before[each][1] for each in gone if before[each][1] == "Detail"] == ["Detail"]
    assert done.usage.calls == llm.calls - asked == len(ancestors) + 1
    assert plan.calls["level 1"] == sum(each.endswith("1") for each in levels(database, graph, ancestors))
    again = tree(settings=online)
    assert (again.changes, again.usage.calls) == (0, 0)


@pytest.mark.parametrize("edit", ["insert", "remove", "swap", "halve"])
def test_an_edit_and_a_rebuild_give_what_a_first_build_gives(
    database: Database, graph: str, online: Settings, llm: FakeLlm, edit: str
) -> None:
    paragraphs = list(saga()[20:80])
    tell(database, graph, "lamp", paragraphs)
    tree(settings=online)
    if edit == "insert":
        paragraphs.insert(5, "A storm came up from the sea, and the bell of Skarnes rang by itself.")
    elif edit == "remove":
        del paragraphs[5]
    elif edit == "swap":
        paragraphs[3], paragraphs[12] = paragraphs[12], paragraphs[3]
    else:
        del paragraphs[12:]
    tell(database, graph, "lamp", paragraphs)
    kept = tree(settings=online)
    assert kept.unfinished == ()
    assert read(database, IDLE, graph=graph)[0]["answers"] == 0
    assert tree(settings=online).changes == 0
    rebuilt = tree(settings=online, options=FRESH)
    assert rebuilt.unfinished == ()
    after = dump(database, graph)
    assert tree(settings=online, options=FRESH).changes == 0
    delete_graph(database, graph)
    tell(database, graph, "lamp", paragraphs)
    tree(settings=online)
    assert dump(database, graph) == after


def test_a_raptor_tree_keeps_its_clusters_until_it_is_rebuilt_and_is_updated_without_umap(
    database: Database, graph: str, offline: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    paragraphs = list(saga()[:60])
    tell(database, graph, "lamp", paragraphs)
    raptor = TreeBuildOptions(name="raptor")
    with monkeypatch.context() as hidden:
        hidden.setitem(sys.modules, "umap", None)  # as on a machine without the extra
        first = tree(settings=offline, options=raptor)
        assert first.trees[0].clustering == "spheres"
        assert any("`pip install 'kg-neo4j[raptor]'`" in note for note in first.notes)
    kept = tree(settings=offline, options=raptor)
    assert (kept.changes, kept.trees[0].clustering) == (0, "spheres")
    assert any("--rebuild uses UMAP" in note for note in kept.notes)
    rebuilt = tree(settings=offline, options=replace(raptor, rebuild=True))
    assert rebuilt.trees[0].clustering == "umap"
    assert any("as in RAPTOR" in note for note in rebuilt.notes)
    assert rebuilt.summaries != first.summaries
    before = dump(database, graph)
    assert tree(settings=offline, options=replace(raptor, rebuild=True)).changes == 0
    paragraphs[7:9] = ["The bell of Skarnes rang by itself, and a storm came up from the sea."]
    tell(database, graph, "lamp", paragraphs)
    with monkeypatch.context() as hidden:
        hidden.setitem(sys.modules, "umap", None)
        updated = tree(settings=offline, options=raptor)
        assert (updated.unfinished, updated.trees[0].clustering, updated.trees[0].new_leaves) == ((), "umap", 1)
        assert len(read(database, ABOVE, graph=graph, words=paragraphs[7])[0]["ids"]) >= 1
        assert tree(settings=offline, options=raptor).changes == 0
    tell(database, graph, "lamp", saga()[:60])
    tree(settings=offline, options=raptor)
    assert dump(database, graph) == before


def test_an_edit_that_is_taken_back_gives_the_former_tree(database: Database, graph: str, offline: Settings) -> None:
    paragraphs = list(saga()[:90])
    tell(database, graph, "lamp", paragraphs)
    tree(settings=offline)
    before = dump(database, graph)
    tell(database, graph, "lamp", [*paragraphs[:6], "A sentence of another kind altogether.", *paragraphs[8:]])
    tree(settings=offline)
    assert dump(database, graph) != before
    tell(database, graph, "lamp", paragraphs)
    tree(settings=offline)
    assert dump(database, graph) == before


def test_a_load_says_that_a_tree_is_of_a_former_text(
    database: Database, graph: str, offline: Settings, tmp_path: Path
) -> None:
    file = tmp_path / "lamp.md"
    file.write_text("\n\n".join(story()[:9]), "utf-8")
    quick = LoadOptions(analytics=False)
    load([str(file)], settings=offline, options=quick)
    tree(settings=offline)
    assert load([str(file)], settings=offline, options=quick).notes == ()
    file.write_text("\n\n".join(story()[:8]), "utf-8")
    notes = load([str(file)], settings=offline, options=quick).notes
    assert notes == ("1 narrative tree is of a former text: `kg tree` brings that up to date",)
    tree(settings=offline)
    assert load([str(file)], settings=offline, options=quick).notes == ()


def test_a_text_that_is_new_throughout_is_said_to_need_a_rebuild(
    database: Database, graph: str, offline: Settings
) -> None:
    tell(database, graph, "tale", story()[:10])
    tree(settings=offline)
    tell(database, graph, "tale", story("the_bell_of_orlen")[:10])
    done = tree(settings=offline)
    assert any("--rebuild" in note for note in done.notes)
    assert done.leaves == 10
    assert done.unfinished == ()


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

    def tree(self, *words: str, kill_at: Step | None = None) -> tuple[bool, tuple[Step, ...]]:
        words = ("--no-cache", "--summary-tokens", "40", "--aspects", str(self.aspects), *words)
        run = self.runner.run(["tree", *words], self.environment, kill_at=kill_at)
        assert run.killed or run.exit_code == 0, run.output
        return run.killed, run.steps

    def begin(self, paragraphs: tuple[str, ...]) -> None:
        delete_graph(self.database, self.graph)
        tell(self.database, self.graph, "lamp", paragraphs)
        self.llm.requests.clear()


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
    given = {**environment, **online, "KG_MODEL_WINDOW": "1300"}
    return Bench(runner, llm, database, graph, given, aspects)


def say_briefly(prompt: str, user: str) -> str:
    return "\n".join(NAMES[:2]) if kind_of(prompt) == "aspects" else " ".join(say(prompt, user).split()[:25])


SOME = story()[:16]
BUILD = (
    *(ANSWERED, COMMITTED + "write/store_answer", COMMITTED + "tree/open", COMMITTED + "tree/write_summaries"),
    *(COMMITTED + "tree/link_leaves", COMMIT + "tree/finish"),
)
MORE = (
    *(COMMITTED + "tree/begin", COMMIT + "write/store_answer", COMMITTED + "tree/write_details"),
    COMMITTED + "tree/finish",
)
UPDATE = (ANSWERED, COMMITTED + "tree/open", COMMIT + "tree/finish")
REBUILD = (COMMITTED + "tree/open", COMMITTED + "tree/write_summaries")


def some_or(more: tuple[str, ...]) -> pytest.MarkDecorator:
    """Kill at some steps in `make test`, also at those of `more` in `make test-long`."""
    return pytest.mark.parametrize("more", [(), pytest.param(more, marks=pytest.mark.long)], ids=["some", "more"])


def chosen(steps: tuple[Step, ...], names: tuple[str, ...]) -> list[Step]:
    """Return of each name one step in the middle; of answers also the first one."""
    found = []
    for name in names:
        own = [step for step in steps if step.name == name]
        assert own, name
        found += [own[0], own[len(own) // 2]] if name == ANSWERED else [own[len(own) // 2]]
    return found


def asked_once(llm: FakeLlm, in_flight: int = 0) -> bool:
    """Say whether no question was asked twice, but for those whose answer was not stored yet."""
    prompts = [request.prompt for request in llm.requests]
    return len(prompts) - len(set(prompts)) <= in_flight


@some_or(MORE)
def test_a_killed_build_goes_on_to_the_same_tree_and_asks_nothing_twice(bench: Bench, more: tuple[str, ...]) -> None:
    bench.begin(SOME)
    _, steps = bench.tree()
    whole, calls = dump(bench.database, bench.graph), bench.llm.calls
    assert asked_once(bench.llm)
    assert '"level":2' in whole
    for step in chosen(steps, BUILD + more):
        bench.begin(SOME)
        killed, _ = bench.tree(kill_at=step)
        assert killed, step
        lost = step.name in (ANSWERED, COMMIT + "write/store_answer")  # it came, and was not stored
        states = tree_states(bench.database, bench.graph)
        assert all(not state.complete for state in states) or step.name == COMMITTED + "tree/finish", step
        bench.tree()
        assert dump(bench.database, bench.graph) == whole, step
        assert asked_once(bench.llm, 1 if lost else 0), step
        assert bench.llm.calls == calls + lost, step


@pytest.mark.long
def test_a_build_killed_at_every_step_goes_on_to_the_same_tree(bench: Bench) -> None:
    paragraphs = SOME[:7]
    bench.begin(paragraphs)
    _, steps = bench.tree()
    whole = dump(bench.database, bench.graph)
    for step in steps:
        bench.begin(paragraphs)
        bench.tree(kill_at=step)
        bench.tree()
        assert dump(bench.database, bench.graph) == whole, step
        assert asked_once(bench.llm, 1), step


@some_or((COMMITTED + "tree/write_summaries",))
def test_a_killed_update_goes_on_to_the_same_tree(bench: Bench, more: tuple[str, ...]) -> None:
    edited = (*SOME[:4], "Nobody in Skarnes had seen the logbook since the storm.", *SOME[5:])
    bench.begin(SOME)
    bench.tree()
    tell(bench.database, bench.graph, "lamp", edited)
    _, steps = bench.tree()
    whole, calls = dump(bench.database, bench.graph), bench.llm.calls
    for step in chosen(steps, UPDATE + more):
        bench.begin(SOME)
        bench.tree()
        tell(bench.database, bench.graph, "lamp", edited)
        bench.tree(kill_at=step)
        [state] = tree_states(bench.database, bench.graph)
        assert state.stale
        assert state.complete == (step.name == ANSWERED), step  # the old tree, else one that readers leave alone
        bench.tree()
        assert dump(bench.database, bench.graph) == whole, step
        assert bench.llm.calls == calls + (step.name == ANSWERED), step


@some_or((*REBUILD, COMMITTED + "tree/write_details"))
def test_a_killed_rebuild_goes_on_with_the_new_clusters(bench: Bench, more: tuple[str, ...]) -> None:
    bench.begin(SOME)
    bench.tree()
    tell(bench.database, bench.graph, "lamp", SOME[3:])
    bench.tree()
    _, steps = bench.tree("--rebuild")
    whole = dump(bench.database, bench.graph)
    for step in [each for each in steps if each.name in more] or chosen(steps, REBUILD):
        bench.begin(SOME)
        bench.tree()
        tell(bench.database, bench.graph, "lamp", SOME[3:])
        bench.tree()
        bench.tree("--rebuild", kill_at=step)
        bench.tree()
        assert dump(bench.database, bench.graph) == whole, step


def test_a_killed_unload_is_ended_by_the_same_command(bench: Bench, tmp_path: Path) -> None:
    file = tmp_path / "lamp.md"
    file.write_text("\n\n".join(SOME), "utf-8")

    def run(*words: str, kill_at: Step | None = None) -> tuple[Step, ...]:
        offline = {**bench.environment, "OPENAI_BASE_URL": "", "OPENAI_API_KEY": ""}
        return bench.runner.run(words, offline, kill_at=kill_at).steps

    run("load", str(file), "--no-analytics")
    run("tree")
    steps = run("unload", str(file))
    step = next(each for each in steps if each.name == COMMITTED + "tree/delete_trees")
    run("load", str(file), "--no-analytics")
    run("tree")
    assert count(bench.database, bench.graph, "Tree") == 1
    run("unload", str(file), kill_at=step)
    assert count(bench.database, bench.graph, "Document") == 1
    run("unload", str(file))
    assert [count(bench.database, bench.graph, label) for label in ("Document", "Tree", "TreeNode")] == [0, 0, 0]
