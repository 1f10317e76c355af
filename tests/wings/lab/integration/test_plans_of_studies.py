"""The plans of `kg study narrative` and `kg eval answers`, made before anything is loaded, and what is asked then.

The scripted model names all aspects, extracts capitalised names and finds every community report relevant. A planned
number of calls is within a fifth of what the run makes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

import answer_judge
from fake_llm import FakeLlm
from kg_neo4j import Settings
from kg_neo4j.graph.database import Database
from kg_neo4j.records import Usage
from kg_neo4j_lab.answers.comparison import ComparisonOptions, compare_systems
from kg_neo4j_lab.answers.plan import plan_comparison
from kg_neo4j_lab.narrative.grid import Grids, StudyScope
from kg_neo4j_lab.narrative.study import NarrativeOptions, plan_narrative, study_narrative
from published_sets import quality_line, quality_question, two_articles, write_lines
from report_writer import is_report_prompt, write_report
from study_runs import STORY, story_questions, studying
from tree_runs import kind_of, say

WITHIN = 0.2  # of the calls that a run makes
GRIDS = Grids(chunk_length=(200, 400))


def said(prompt: str, user: str) -> str:
    if is_report_prompt(prompt):
        return write_report(prompt, user)
    return answer_judge.rules(prompt, user) if kind_of(prompt) == "other" else say(prompt, user)


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm(rules=said, counts=True) as server:
        yield server


@pytest.fixture
def online(settings: Settings, database: Database, llm: FakeLlm, tmp_path: Path) -> Iterator[Settings]:
    with studying(settings, database, llm, tmp_path, concurrency=4) as found:
        yield found


def test_a_study_asks_about_as_often_as_was_planned_before_anything_was_loaded(
    online: Settings, llm: FakeLlm, tmp_path: Path
) -> None:
    questions = story_questions(tmp_path)
    wanted = StudyScope(("naive", "raptor", "tree", "local", "global"), ("chunk-length",), GRIDS)
    options = NarrativeOptions(wanted, "model")
    plan = plan_narrative([STORY], questions, settings=online, options=options)
    assert llm.calls == 0
    found = study_narrative([STORY], questions, settings=online, options=options)
    assert trees(plan.building) == trees(found.building)
    planned = sum((*plan.building.values(), plan.answers, plan.judging), Usage())
    assert planned.calls == pytest.approx(llm.calls, rel=WITHIN)


def test_a_comparison_asks_about_as_often_as_was_planned_before_anything_was_loaded(
    online: Settings, llm: FakeLlm, tmp_path: Path
) -> None:
    options = ComparisonOptions(systems=("naive", "raptor", "tree", "local", "global"), graph=online.graph)
    asked = ("Who is Ragna Tveit?", "What did Anselm find?", "Where does the story of Skarnes take place?")
    own = [quality_question(text, [f"{text} 1", "2", "3", "4"], 1, number=each) for each, text in enumerate(asked)]
    path = str(write_lines(tmp_path / "story.dev", [quality_line(Path(STORY).read_text("utf-8"), own)]))
    plan = plan_comparison(path, settings=online, options=options)
    assert llm.calls == 0
    assert plan.load is not None
    found = compare_systems(path, settings=online, options=options)
    assert trees(plan.building) == trees(found.built.steps)
    planned = sum((*plan.building.values(), plan.usage, plan.load.usage), Usage())
    assert planned.calls == pytest.approx(llm.calls, rel=WITHIN)


def test_systems_that_read_passages_pay_for_no_extraction(online: Settings, llm: FakeLlm, tmp_path: Path) -> None:
    """Nor do they take away what was extracted for others."""
    options = ComparisonOptions(systems=("naive", "raptor", "tree"), graph=online.graph)
    asked = str(two_articles(tmp_path))
    plan = plan_comparison(asked, settings=online, options=options)
    assert plan.load is None or plan.load.usage.calls == 0
    compare_systems(asked, settings=online, options=options)
    assert extractions(llm) == []
    compare_systems(asked, settings=online, options=replace(options, systems=("local",)))
    paid = extractions(llm)
    assert paid
    compare_systems(asked, settings=online, options=options)
    compare_systems(asked, settings=online, options=replace(options, systems=("local",)))
    assert extractions(llm) == paid


def trees(steps: Mapping[str, Usage]) -> dict[str, int]:
    return {name: usage.calls for name, usage in steps.items() if name.startswith("tree")}


def extractions(llm: FakeLlm) -> list[str]:
    return [each.prompt for each in llm.requests if "write down the knowledge graph" in each.prompt]
