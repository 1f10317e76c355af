"""Answers about communities: what is taken, what is complained about, what is made of those that stay bad."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from fake_llm import FakeLlm
from kg_neo4j._models import tokens
from kg_neo4j._models.cache import AnswerCache
from kg_neo4j._models.door import Door
from kg_neo4j._models.openai_chat import OpenAIChat
from kg_neo4j._models.openai_endpoint import Endpoint
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Complaint, Request
from kg_neo4j.factory import door_to, without_model
from kg_neo4j.organise.community_reports import NameDomain
from kg_neo4j.organise.report_material import ReportMaterial, pack
from kg_neo4j.organise.report_questions import (
    LEAST_INPUT,
    Asker,
    WriteReport,
    WrittenReport,
    composed,
    fewest_findings,
    most_findings,
    read_report,
    written,
)
from kg_neo4j.organise.report_references import check
from kg_neo4j_offline.composed_reports import compose
from report_communities import circle
from report_writer import write_report
from scripted_layer import MemoryStore, ScriptedLayer, script
from scripted_layer import said as completion

TOKENISER = tokens.load("approximate-1")
MATERIAL = circle(20)
ASKER = Asker("g", "m", 8_000, "", TOKENISER)


def asking(material: ReportMaterial, asker: Asker = ASKER) -> WriteReport:
    return WriteReport(asker, material, (), asker.room)


def model_door(llm: FakeLlm, cache: AnswerCache | None = None) -> Door:
    return door_to(OpenAIChat("m", Endpoint(llm.url, retries=0)), cache)


TASK = asking(MATERIAL)
PACKED = TASK.packed


def said(**changes: Any) -> Completion:
    return completion(write_report(*TASK.messages(), **changes))


def draft(answer: Completion) -> Any:
    return read_report(answer, MATERIAL, PACKED.shown, PACKED.text)


def ask(*answers: Completion) -> tuple[WrittenReport, list[Request]]:
    """Return the report that comes of answers, and what was asked; all answers are asked for."""
    layer = ScriptedLayer(script(*answers))
    report = written(Door(layer).storing(MemoryStore()).ask(TASK), without_model())
    assert report
    assert len(layer.requests) == len(answers)
    return report, layer.requests


def finding(explanation: str, summary: str = "One.") -> dict[str, str]:
    return {"summary": summary, "explanation": explanation}


def test_an_answer_that_keeps_to_the_rules_is_a_report() -> None:
    report, _ = ask(said())
    assert (report.method, report.flags, len(report.draft.findings)) == ("model", (), 5)
    assert report.draft.rating == 6.5
    assert (report.draft.findings[0].entities[1], len(report.draft.findings[0].entities)) == ("e0", 20)
    assert report.draft.findings[0].relationships == {1: "f0"}


@pytest.mark.parametrize(
    "wrap", ["```json\n{}\n```", "<think>a {{b}} c</think>{}", "Here it is:\n{}\nDone.", "{{x}} {}"]
)
def test_what_stands_around_the_object_is_no_matter(wrap: str) -> None:
    text = said().text
    wrapped = wrap.replace("{{", "\0").replace("{}", text).replace("\0", "{").replace("}}", "}")
    assert draft(completion(wrapped)).problems == ()


BAD: list[tuple[str, Any, str]] = [
    ("rating high", {"rating": "high"}, "rating is not a number"),
    ("rating 11", {"rating": 11}, "rating is not a number"),
    ("rating true", {"rating": True}, "rating is not a number"),
    ("no rating", {"rating": None}, "rating is not a number"),
    ("no findings", {"findings": []}, "0 findings, not 5 to 10"),
    ("findings a text", {"findings": "many"}, "0 findings, not 5 to 10"),
    ("40 findings", {"findings": [finding(f"It is so, {n} [Data: Entities (1)].") for n in range(40)]}, "40 findings"),
    ("unknown id", {"findings": [finding("So [Data: Entities (1, 77)].")] * 5}, "not in the data: Entities (77)"),
    ("unknown id in the summary", {"summary": "It is [Data: Relationships (99)]."}, "Relationships (99)"),
    ("no reference", {"findings": [finding("So.")] * 5}, "cite no data: 1, 2, 3, 4, 5"),
    ("numbers from nowhere", {"summary": "In 1987 they met."}, "1987"),
    ("no title", {"title": ""}, "title is missing"),
    ("no explanation of the rating", {"rating_explanation": 7}, "rating_explanation is missing"),
]


@pytest.mark.parametrize(("changes", "why"), [case[1:] for case in BAD], ids=[case[0] for case in BAD])
def test_an_answer_that_breaks_a_rule_is_complained_about_once(changes: dict[str, Any], why: str) -> None:
    report, requests = ask(said(**changes), said())
    assert [request.round for request in requests] == [0, 1]
    assert why in requests[1].user
    assert report.flags == ()


@pytest.mark.parametrize(("changes", "why"), [case[1:] for case in BAD], ids=[case[0] for case in BAD])
def test_what_stays_bad_is_flagged_and_everything_kept_is_in_order(changes: dict[str, Any], why: str) -> None:
    report, _ = ask(said(**changes), said(**changes))
    assert any(why in flag for flag in report.flags)
    assert 1 <= len(report.draft.findings) <= 10
    assert report.draft.rating is not None
    assert 0 <= report.draft.rating <= 10
    assert report.draft.rating_explanation
    for each in report.draft.findings:
        checked = check(each.explanation, PACKED.shown)
        assert checked.unknown == []
        assert set(checked.entities) <= each.entities.keys()
        assert each.ids


@pytest.mark.parametrize(
    "answer",
    [
        completion("I'm sorry, I cannot help with that."),
        completion("", "length"),
        completion("{", "length"),
        completion('{"title": "A", "summary": "B", "findings": [{"summ', "length"),
        completion("title,summary\nA,B"),
        completion("[" * 5_000),
        completion('{"answer": {"no": 1}}'),
    ],
    ids=["refusal", "empty", "brace", "cut off", "csv", "nested", "other object"],
)
def test_what_is_no_report_twice_becomes_a_composed_one_that_says_so(answer: Completion) -> None:
    report, requests = ask(answer, answer)
    assert report.method == "composed"
    assert "could not be used" in report.flags[0]
    assert len(report.draft.findings) >= 5
    assert report.answers == tuple(request.key for request in requests)
    assert len(report.answers) == 2


def test_an_answer_that_was_cut_is_told_to_be_shorter() -> None:
    found = TASK.accept(completion('{"title": "A', "length"))
    assert isinstance(found, Complaint)
    assert "truncated: write less" in found.why


def test_what_the_filter_declines_is_not_asked_again() -> None:
    report, _ = ask(completion("", "content_filter"))
    assert (report.method, len(report.answers)) == ("composed", 1)
    assert "declined" in report.flags[0]


def test_what_the_filter_declines_after_a_bad_answer_leaves_that_one() -> None:
    flagged, _ = ask(said(rating="high"), completion("", "content_filter"))
    assert (flagged.method, "rating is not a number" in flagged.flags[0]) == ("model", True)
    unusable, _ = ask(completion("no"), completion("", "content_filter"))
    assert (unusable.method, "not one JSON object" in unusable.flags[0]) == ("composed", True)


def test_the_better_of_two_bad_answers_is_used() -> None:
    little, much = said(rating="high", title="Little"), said(rating="high", summary="In 1987.", title="Much")
    nothing, later = completion("no"), said(rating="high", title="Later")
    pairs = ((little, much), (much, little), (little, nothing), (nothing, much), (little, later))
    titles = [ask(*pair)[0].draft.title for pair in pairs]
    assert titles == ["Little", "Little", "Little", "Much", "Later"]


def test_a_task_that_is_too_long_shows_less_until_there_is_no_less() -> None:
    material = circle(60)
    task, rooms = asking(material), []
    while smaller := task.smaller():
        [less] = smaller
        assert isinstance(less, WriteReport)
        assert len(less.packed.text) < len(task.packed.text)
        task = less
        rooms.append(task.room)
    assert rooms[-1] == LEAST_INPUT
    assert asking(circle(2)).smaller() == ()


@pytest.mark.parametrize(
    ("size", "least", "most"), [(1, 1, 1), (3, 1, 1), (4, 1, 2), (5, 1, 2), (10, 3, 5), (20, 5, 10), (50, 5, 10)]
)
def test_findings_are_in_proportion_to_the_community(size: int, least: int, most: int) -> None:
    material = circle(size)
    assert (fewest_findings(material), most_findings(material)) == (least, most)
    system, _ = asking(material).messages()
    assert (f"{least} to {most}" if least < most else f"exactly {most}") in system


def test_a_question_that_the_model_finds_too_long_is_asked_with_less(llm: FakeLlm) -> None:
    llm.rules = write_report
    llm.fail(400, code="context_length_exceeded")
    door, task = model_door(llm).storing(MemoryStore()), asking(circle(120, words=40))
    assert (door.ask(task).usage.calls, llm.calls) == (1, 2)
    assert len(llm.requests[1].user) < 0.6 * len(llm.requests[0].user)
    assert "further entities and relationships are not shown" in llm.requests[1].user


def test_a_useful_answer_serves_other_graphs_from_the_cache(llm: FakeLlm, tmp_path: Path) -> None:
    llm.rules = write_report
    door = model_door(llm, AnswerCache(tmp_path / "answers.sqlite3"))
    for graph in ("g", "h"):
        found = door.storing(MemoryStore()).ask(asking(MATERIAL, dataclasses.replace(ASKER, graph=graph)))
        assert written(found, without_model()).method == "model"
    assert llm.calls == 1


def test_a_domain_is_one_short_line_that_is_kept(llm: FakeLlm, tmp_path: Path) -> None:
    llm.say('"Village life."').say("One\nTwo").fail(503)
    kept, bare = model_door(llm, AnswerCache(tmp_path / "answers.sqlite3")), model_door(llm)
    task = NameDomain("facts.txt: A met B.")
    first, again, several, failed = (next(door.ask_all([task])) for door in (kept, kept, bare, bare))
    assert (first.value, again.value, again.usage.calls) == ("Village life", "Village life", 0)
    assert (several.value, several.usage.calls, bool(several.problem)) == (None, 1, True)
    assert "503" in failed.problem


def test_another_domain_or_model_is_another_question() -> None:
    keys = {TASK.request("", 0).key}
    for asker in (Asker("g", "m", 8_000, "physics", TOKENISER), Asker("g", "other", 8_000, "", TOKENISER)):
        request = asking(MATERIAL, asker).request("", 0)
        keys.add(request.key)
        assert ("physics" in request.system) == (asker.domain == "physics")
    assert len(keys) == 3


@pytest.mark.parametrize("size", [1, 2, 3, 8, 60])
def test_a_composed_report_keeps_to_the_rules(size: int) -> None:
    material = circle(size)
    report = composed(asking(material), without_model())
    answer = {
        "title": report.draft.title,
        "summary": report.draft.summary,
        "rating": report.draft.rating,
        "rating_explanation": report.draft.rating_explanation,
        "findings": [finding(each.explanation, each.summary) for each in report.draft.findings],
    }
    packed = pack(material, (), TOKENISER, 100_000)
    checked = read_report(completion(json.dumps(answer)), material, packed.shown, packed.text)
    assert [each for each in checked.problems if "findings, not" not in each] == []  # they cost nothing: no limit
    assert len(report.draft.findings) >= fewest_findings(material)
    assert checked.findings == compose(material).findings


def test_a_single_entity_is_said_to_stand_alone() -> None:
    assert "related to nothing else" in compose(circle(1)).summary
