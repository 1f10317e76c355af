"""What community reports cost: planned, kept to, not paid twice by a killed run."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from entity_graph import load, two_cliques
from fake_llm import FakeLlm, answer
from kg_neo4j._models.protocols import ChatModel
from kg_neo4j.factory import without_model
from kg_neo4j.graph.database import Database
from kg_neo4j.organise.community_reports import Wanted, plan_reports
from kg_neo4j.organise.stored_reports import read_reports
from kg_runner import RunKg
from report_runs import (
    ANSWERS,
    HERMIT,
    TOKENISER,
    door_to,
    report,
    write_only,
    write_parents,
)
from report_writer import is_report_prompt, write_report


def test_a_plan_names_the_calls_that_are_made_then(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel
) -> None:
    load(database, graph, [*two_cliques(), HERMIT])
    report(database, graph, None)
    llm.counts = True
    plan = plan_reports(database, graph, door_to(model), TOKENISER)
    assert (llm.calls, plan.communities, plan.current, plan.composed) == (0, 2, 0, 0)
    done = report(database, graph, model)
    assert plan.usage.calls == done.usage.calls == 2
    assert plan.usage.input_tokens == pytest.approx(done.usage.input_tokens, rel=0.35)  # two tokenisers
    after = plan_reports(database, graph, door_to(model), TOKENISER)
    assert (after.current, after.usage.calls, after.measured) == (2, 0, 2)
    assert plan_reports(database, graph, without_model(), TOKENISER).usage.calls == 0


def test_a_community_that_is_the_same_on_two_levels_is_asked_about_once(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel
) -> None:
    load(database, graph, [("C1", "KNOWS", "C2"), ("C2", "KNOWS", "C3")])
    write_parents(database, graph)
    assert plan_reports(database, graph, door_to(model), TOKENISER).usage.calls == 0  # fewer than five members
    plan = plan_reports(database, graph, door_to(model), TOKENISER, Wanted(smallest=2))
    done = write_only(database, graph, model)
    assert (plan.usage.calls, done.usage.calls, llm.calls, done.communities) == (1, 1, 1, 2)
    assert [row["communities"] for row in database.read(ANSWERS, graph=graph)] == [2]
    coarse, fine = read_reports(database, graph)
    assert (coarse.title, coarse.findings) == (fine.title, fine.findings)


CHILD = """
from kg_neo4j import Settings, factory
from kg_neo4j._models import tokens
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.lease import Lease
from kg_neo4j.organise.community_reports import write_reports
from kg_neo4j.progress import SILENT
settings = Settings()
with connect(settings, SILENT) as database, Lease(database, settings.graph) as lease:
    door = factory.door_to(factory.chat_model(settings))
    write_reports(database, settings.graph, door, tokens.load("approximate-1"), lease=lease)
"""


def test_a_killed_run_keeps_the_reports_that_were_and_pays_for_no_answer_twice(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel, environment: Mapping[str, str]
) -> None:
    load(database, graph, two_cliques())
    report(database, graph, None)
    before = read_reports(database, graph)
    llm.answer(1).hang()
    online = {"OPENAI_BASE_URL": llm.url, "OPENAI_API_KEY": "k", "KG_MODEL": "scripted"}
    with subprocess.Popen([sys.executable, "-c", CHILD], env={**environment, **online}) as child:
        llm.wait_for_calls(2)  # one at a time: the first answer is stored by now
        child.send_signal(signal.SIGKILL)
    assert read_reports(database, graph) == before
    assert len(database.read(ANSWERS, graph=graph)) == 1
    llm.forget()
    done = report(database, graph, model)
    assert (llm.calls, done.usage.calls, done.by_model) == (3, 1, 2)
    assert llm.requests[2].prompt == llm.requests[1].prompt


# --------------------------------------------------------------------------------------------- the command line


def test_the_command_plans_writes_lists_and_shows(
    database: Database, graph: str, llm: FakeLlm, run_kg: RunKg, environment: Mapping[str, str]
) -> None:
    story = Path(__file__).resolve().parents[2] / "examples" / "the_lamp_at_skarnes.md"
    llm.rules = lambda prompt, user: (write_report if is_report_prompt(prompt) else answer)(prompt, user)
    llm.counts = True
    online = {"OPENAI_BASE_URL": llm.url, "OPENAI_API_KEY": "k", "KG_MODEL": "gpt-4o-mini", "KG_SUMMARY_TOKENS": "0"}

    def kg(*arguments: str, **changes: str) -> tuple[int, Any]:
        code, out, _ = run_kg([*arguments, "--json"], {**environment, **changes})
        return code, json.loads(out)

    code, shape = kg("communities", "--reports")
    assert (code, shape["error"]["type"]) == (2, "NoSuchGraph")
    assert kg("load", str(story))[0] == 0
    code, plan = kg("communities", "--reports", "--dry-run", **online)
    assert (code, plan["current"], llm.calls) == (0, 0, 0)
    assert plan["usd"] > 0
    code, shape = kg("communities", "--reports", "--budget-usd", "0.0000001", **online)
    assert (code, shape["calls"], shape["by_model"], llm.calls) == (3, 0, 0, 0)
    assert "budget" in shape["unfinished"][0]
    code, shape = kg("communities", "--reports", "--domain", "lighthouses", **online)
    assert (code, shape["calls"], shape["domain"], shape["flagged"]) == (0, plan["calls"], "lighthouses", 0)
    assert shape["usd"] == pytest.approx(plan["usd"], rel=1.0)
    code, repeat = kg("communities", "--reports", **online)
    assert (code, repeat["calls"], repeat["changes"], repeat["domain"]) == (0, 0, 0, "lighthouses")
    code, listed = kg("communities", "--level", "0")
    first = listed["communities"][0]
    assert (code, first["level"], first["method"], first["rating"]) == (0, 0, "model", 6.5)
    code, shown = kg("communities", "--show", str(first["number"]))
    assert (code, shown["title"]) == (0, first["title"])
    assert shown["findings"][0]["references"]["Entities"]
    assert kg("communities", "--show", "4711")[0] == 2
    assert kg("communities", "--domain", "x")[0] == 2
