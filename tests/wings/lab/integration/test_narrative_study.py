"""kg study narrative on a real Neo4j: without a key, and with a scripted model whose calls are counted."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

import fake_llm
from fake_llm import FakeLlm
from kg_neo4j import LoadOptions, Settings, load
from kg_neo4j._cli import app as command_line
from kg_neo4j.errors import BudgetReached, KgError, UnreadableSource, UsageError
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.export import lines
from kg_neo4j.graph.queries import Query
from kg_neo4j.pipeline.commands.tree import TreeBuildOptions, plan_tree, tree
from kg_neo4j_lab.narrative.grid import Grids, StudyScope
from kg_neo4j_lab.narrative.study import (
    NarrativeOptions,
    NarrativeStudy,
    plan_narrative,
    study_narrative,
)
from kg_neo4j_lab.narrative.tables import tables
from study_runs import STORY, left, story_questions, studying, without_model
from tree_runs import kind_of, say

GRIDS = Grids((1, 5), (400, 1_500), (0, 1), (100, 200), (100, 200), (100, 200))
SMALL = NarrativeOptions(StudyScope(("naive", "raptor", "tree"), ("top-k", "details", "chunk-length"), GRIDS), "words")
OF_STORY = Query(
    *("test/studies", "", "", "read", (), (), "", ""),
    "MATCH (n:Document) WHERE n.graph STARTS WITH 'study-' AND n.source = $source RETURN DISTINCT n.graph AS name",
)


def said(prompt: str, user: str) -> str:
    """What the scripted model says: of trees as the tests of trees have it, else a cited sentence."""
    return fake_llm.answer(prompt, user) if kind_of(prompt) == "other" else say(prompt, user)


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm(rules=said, counts=True) as server:
        yield server


@pytest.fixture
def online(settings: Settings, database: Database, llm: FakeLlm, tmp_path: Path) -> Iterator[Settings]:
    with studying(settings, database, llm, tmp_path) as found:
        yield found


@pytest.fixture
def offline(online: Settings) -> Settings:
    return without_model(online)


@pytest.fixture
def questions(tmp_path: Path) -> str:
    return story_questions(tmp_path)


def test_without_a_key_it_compares_systems_and_varies_the_tree(
    offline: Settings, database: Database, questions: str
) -> None:
    load([STORY], settings=offline, options=LoadOptions(analytics=False))
    before = list(lines(database, offline.graph))
    wanted = StudyScope(("naive", "tree", "local", "global"), ("context", "single-aspect", "all-but-one"), GRIDS)
    found = study_narrative([STORY], questions, settings=offline, options=NarrativeOptions(wanted))
    made = {table.name: table for table in tables(found)}
    assert list(made) == ["correctness", "similarity", "context", "single-aspect", "all-but-one"]
    assert found.is_proxy
    without_model, proxy, *_ = found.notes
    assert "no system answered" in without_model
    assert "lexical proxy" in proxy
    assert "lexical proxy" in made["correctness"].title
    assert found.paid.calls == 0 == sum(usage.calls for usage in found.building.values())
    by_name = {each.way.name: each for each in found.results}
    for each in found.results:
        assert each.score.cases == found.questions == 4
        assert 0 <= (each.score.correctness or 0) <= 1
        assert each.score.context_tokens <= each.way.tokens
    assert by_name["naive"].evidence is not None
    assert by_name["global"].evidence is None
    low, high = by_name["tree context 400"].evidence, by_name["tree context 1500"].evidence
    assert low is not None
    assert high is not None
    assert low <= high
    assert set(by_name["tree"].types) == {"aspect", "detail", "several"}
    assert left(database, offline.graph) == []
    assert list(lines(database, offline.graph)) == before


def test_what_was_planned_is_what_was_made(online: Settings, llm: FakeLlm, questions: str, database: Database) -> None:
    """Trees by `plan_tree`, answers once everything is built: exact counts of calls."""
    unbuilt = plan_narrative([STORY], questions, settings=online, options=SMALL)
    assert (llm.calls, left(database, online.graph)) == (0, [])
    assert not unbuilt.is_exact
    assert unbuilt.ways * unbuilt.questions == 9 * 4
    assert unbuilt.answers.calls == 8 * 4  # one way asks what another one asks
    found = study_narrative([STORY], questions, settings=online, options=replace(SMALL, keep=True))
    built = sum(usage.calls for usage in found.building.values())
    assert llm.calls == built + found.paid.calls
    assert found.paid.calls <= unbuilt.answers.calls
    assert found.paid.usd == pytest.approx((found.paid.input_tokens + 4 * found.paid.output_tokens) / 1e6)
    plan = plan_narrative([STORY], questions, settings=online, options=SMALL)
    assert plan.is_exact
    assert sum(usage.calls for usage in plan.building.values()) == 0
    assert plan.answers.calls == found.paid.calls
    assert plan.judging.calls == 0
    asked = llm.calls
    again = study_narrative([STORY], questions, settings=online, options=SMALL)
    assert llm.calls == asked
    assert again.taken == len(again.cases) == 9 * 4
    assert tables(again) == tables(found)
    assert left(database, online.graph) == []


def test_building_asks_what_the_plan_of_each_tree_says(online: Settings, llm: FakeLlm, questions: str) -> None:
    options = NarrativeOptions(StudyScope(("raptor", "tree"), ()), "words", keep=True)
    load([STORY], settings=online.model_copy(update={"openai_base_url": None, "openai_api_key": None}))
    named = replace(options, graph=online.graph)
    planned = plan_tree(settings=online, options=TreeBuildOptions()).usage.calls
    study = plan_narrative([], questions, settings=online, options=named)
    assert study.building["tree narrative"].calls == planned
    found = study_narrative([], questions, settings=online, options=named)
    assert found.building["tree narrative"].calls <= planned  # every cluster may show every aspect
    assert found.building["tree raptor"].calls == study.building["tree raptor"].calls
    assert "raptor: the clusters of one tree are by UMAP and full covariances, as in RAPTOR" in found.notes


def assert_same_tables(found: NarrativeStudy, whole: NarrativeStudy) -> None:
    """Lucene weighs words over all graphs of a server, so one run may read another passage than the other."""
    for ours, theirs in zip(tables(found), tables(whole), strict=True):
        tokens = ours.columns.index("Tokens read") if "Tokens read" in ours.columns else len(ours.columns)
        assert [row[:tokens] for row in ours.rows] == [row[:tokens] for row in theirs.rows]
        for row, other in zip(ours.rows, theirs.rows, strict=True):
            assert row[tokens:] == pytest.approx(other[tokens:], rel=0.01)


def test_a_study_that_was_stopped_goes_on_and_asks_nothing_twice(
    online: Settings, llm: FakeLlm, questions: str, database: Database
) -> None:
    whole = study_narrative([STORY], questions, settings=online, options=SMALL)
    built = sum(usage.calls for usage in whole.building.values())
    asked = llm.calls
    elsewhere = online.model_copy(update={"cache": online.cache / "other"})
    for stopped_at in (built // 2, built + 5):
        llm.answer(max(0, stopped_at - (llm.calls - asked))).fail(401)
        with pytest.raises(KgError):
            study_narrative([STORY], questions, settings=elsewhere, options=SMALL)
        llm.forget()
        assert left(database, online.graph)
    again = study_narrative([STORY], questions, settings=elsewhere, options=SMALL)
    assert llm.calls == 2 * asked + 2  # every call once, and the two that were refused
    assert_same_tables(again, whole)
    assert left(database, online.graph) == []


def test_a_graph_that_is_named_is_read_with_its_tree_and_stays(
    offline: Settings, database: Database, questions: str
) -> None:
    load([STORY], settings=offline, options=LoadOptions(analytics=False, chunk_tokens=200))
    tree(settings=offline, options=TreeBuildOptions(details=2))
    before = list(lines(database, offline.graph))
    options = NarrativeOptions(StudyScope(("naive", "tree"), ("top-k",), GRIDS), graph=offline.graph)
    found = study_narrative([], questions, settings=offline, options=options)
    assert found.graph == offline.graph
    with pytest.raises(UsageError, match="need the texts"):
        study_narrative([], questions, settings=offline, options=replace(SMALL, graph=offline.graph))
    assert list(lines(database, offline.graph)) == before
    assert left(database, offline.graph) == []


@pytest.mark.slow
def test_the_budget_is_for_building_and_asking_together(
    online: Settings, llm: FakeLlm, questions: str, database: Database
) -> None:
    whole = study_narrative([STORY], questions, settings=online, options=SMALL)
    usd = sum((usage.usd or 0.0 for usage in (*whole.building.values(), whole.paid)), 0.0)
    asked = llm.calls
    elsewhere = online.model_copy(update={"cache": online.cache / "other"})
    for share in (0.3, 0.3):  # of what each run may spend
        with pytest.raises(BudgetReached):
            study_narrative([STORY], questions, settings=elsewhere, options=replace(SMALL, budget_usd=usd * share))
        assert left(database, online.graph)
    assert llm.calls < 2 * asked
    resumed = study_narrative([STORY], questions, settings=elsewhere, options=SMALL)
    assert_same_tables(resumed, whole)
    bodies = [json.dumps(each.body, sort_keys=True) for each in llm.requests[asked:]]
    assert len(set(bodies)) == len(bodies)  # nothing is asked twice
    assert llm.calls - asked == pytest.approx(asked, abs=2)


def test_what_cannot_be_meant_is_said_before_anything_is_built(
    offline: Settings, database: Database, questions: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="nothing to study"):
        study_narrative([], questions, settings=offline, options=NarrativeOptions())
    with pytest.raises(UsageError, match="no model to judge with"):
        study_narrative([STORY], questions, settings=offline, options=replace(SMALL, judge="model"))
    (tmp_path / "empty.jsonl").write_text("\n", "utf-8")
    with pytest.raises(UsageError, match="no question"):
        study_narrative([STORY], str(tmp_path / "empty.jsonl"), settings=offline, options=NarrativeOptions())
    assert left(database, offline.graph) == []
    (tmp_path / "empty").mkdir()
    with pytest.raises(UnreadableSource):
        study_narrative([str(tmp_path / "empty")], questions, settings=offline, options=SMALL)
    row = {"id": "1", "question": "Who?", "answer": "Nobody", "document": "nowhere.md"}
    (tmp_path / "elsewhere.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    with pytest.raises(UsageError, match="is not among the texts"):
        study_narrative([STORY], str(tmp_path / "elsewhere.jsonl"), settings=offline, options=SMALL)


def test_the_command_prints_and_writes_tables(
    offline: Settings, environment: Mapping[str, str], questions: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    words = ["study", "narrative", STORY, "--questions", questions, "--systems", "naive,tree", "--ablations", "details"]
    plan = CliRunner().invoke(command_line.app, [*words, "--dry-run", "--format", "json"])
    assert plan.exit_code == 0, plan.output
    assert json.loads(plan.stdout)["ways"] == 6
    (tmp_path / "tables").mkdir()
    told = CliRunner().invoke(command_line.app, [*words, "--to", str(tmp_path / "tables"), "--format", "markdown"])
    assert told.exit_code == 0, told.output
    assert "Answer correctness by system, % (lexical proxy)" in told.stdout
    assert "| System | All |" in told.stdout
    assert len(list((tmp_path / "tables").iterdir())) == 12
    shape = json.loads(CliRunner().invoke(command_line.app, [*words, "--format", "json"]).stdout)
    assert [each["name"] for each in shape["results"]][:2] == ["naive", "tree"]
    assert shape["proxy"] is True
    wrong = CliRunner().invoke(command_line.app, [*words, "--ablations", "weather"])
    assert isinstance(wrong.exception, UsageError)


@pytest.mark.long
@pytest.mark.parametrize("answered", [7, -3])
def test_a_study_killed_anywhere_gives_the_same_tables_and_pays_for_nothing_twice(
    environment: Mapping[str, str], llm: FakeLlm, questions: str, tmp_path: Path, database: Database, answered: int
) -> None:
    """While the tree is built, and while questions are answered."""
    story = tmp_path / "the_lamp_at_skarnes.md"
    story.write_text(Path(STORY).read_text("utf-8"), "utf-8")
    words = ["study", "narrative", str(story), "--questions", questions, "--systems", "raptor,tree"]
    command = [sys.executable, "-m", "kg_neo4j", *words, "--ablations", "none", "--judge", "words", "--format", "csv"]
    asked = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": llm.url, "KG_MODEL": "scripted", "KG_MODEL_RETRIES": "0"}
    own = {**environment, **asked, "KG_MODEL_CONCURRENCY": "1"}
    try:
        undisturbed = {**own, "KG_CACHE": str(tmp_path / "undisturbed")}
        whole = subprocess.run(command, env=undisturbed, capture_output=True, text=True, check=True).stdout
        calls = llm.calls
        answered %= calls
        llm.answer(answered).hang()
        with subprocess.Popen(command, env=own, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
            llm.wait_for_calls(calls + answered + 1)
            child.send_signal(signal.SIGKILL)
        llm.forget()
        assert subprocess.run(command, env=own, capture_output=True, text=True, check=True).stdout == whole
        assert llm.calls == 2 * calls + 1  # and the one that was waited for
    finally:
        for row in database.read(OF_STORY, source=str(story)):
            delete_graph(database, row["name"])
