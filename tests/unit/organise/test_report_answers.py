"""Answers about communities: what is taken, what is complained about, what is made of those that stay bad."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kg_neo4j._models import tokens
from kg_neo4j.organise.composed_reports import compose
from kg_neo4j.organise.description_merges import Said
from kg_neo4j.organise.report_answers import better, complaint, fewest_findings, most_findings, read
from kg_neo4j.organise.report_material import pack
from kg_neo4j.organise.report_questions import Asking, Question, Written, ask_or_write, composed
from kg_neo4j.organise.report_references import check
from report_communities import circle
from report_writer import write_report

TOKENISER = tokens.load("approximate-1")
MATERIAL = circle(8)
PACKED = pack(MATERIAL, (), TOKENISER, 4_000)
ASKING = Asking("g", "m", 8_000, "", 3_000)


def question() -> Question:
    found = ask_or_write(MATERIAL, PACKED, {}, ASKING)
    assert isinstance(found, Question)
    return found


def said(**changes: Any) -> Said:
    system, user = question().messages
    return Said(write_report(system, user, **changes), "stop")


def draft(answer: Said) -> Any:
    return read(answer, MATERIAL, PACKED.shown, PACKED.text)


def finding(explanation: str, summary: str = "One.") -> dict[str, str]:
    return {"summary": summary, "explanation": explanation}


def written(*answers: Said) -> Written:
    """Return the report that comes of answers, each given when it is asked for."""
    known: dict[str, Said] = {}
    for answer in answers:
        found = ask_or_write(MATERIAL, PACKED, known, ASKING)
        assert isinstance(found, Question)
        known[found.key] = answer
    found = ask_or_write(MATERIAL, PACKED, known, ASKING)
    assert isinstance(found, Written)
    return found


def test_an_answer_that_keeps_to_the_rules_is_a_report() -> None:
    report = written(said())
    assert (report.method, report.flags, len(report.draft.findings)) == ("model", (), 5)
    assert report.draft.rating == 6.5
    assert report.draft.findings[0].entities == {1: "e0"}
    assert report.draft.findings[0].relationships == {1: "f0"}


@pytest.mark.parametrize(
    "wrap", ["```json\n{}\n```", "<think>a {{b}} c</think>{}", "Here it is:\n{}\nDone.", "{{x}} {}"]
)
def test_what_stands_around_the_object_is_no_matter(wrap: str) -> None:
    text = said().text
    wrapped = wrap.replace("{{", "\0").replace("{}", text).replace("\0", "{").replace("}}", "}")
    assert draft(Said(wrapped, "stop")).problems == ()


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
    bad = said(**changes)
    first = question()
    again = ask_or_write(MATERIAL, PACKED, {first.key: bad}, ASKING)
    assert isinstance(again, Question)
    assert again.round == 1
    assert why in again.messages[1]
    assert written(bad, said()).flags == ()


@pytest.mark.parametrize(("changes", "why"), [case[1:] for case in BAD], ids=[case[0] for case in BAD])
def test_what_stays_bad_is_flagged_and_everything_kept_is_in_order(changes: dict[str, Any], why: str) -> None:
    report = written(said(**changes), said(**changes))
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
        Said("I'm sorry, I cannot help with that.", "stop"),
        Said("", "length"),
        Said("{", "length"),
        Said('{"title": "A", "summary": "B", "findings": [{"summ', "length"),
        Said("title,summary\nA,B", "stop"),
        Said("[" * 5_000, "stop"),
        Said('{"answer": {"no": 1}}', "stop"),
    ],
    ids=["refusal", "empty", "brace", "cut off", "csv", "nested", "other object"],
)
def test_what_is_no_report_twice_becomes_a_composed_one_that_says_so(answer: Said) -> None:
    report = written(answer, answer)
    assert report.method == "composed"
    assert "could not be used" in report.flags[0]
    assert len(report.draft.findings) >= 5
    assert len(report.answers) == 2


def test_an_answer_that_was_cut_is_told_to_be_shorter() -> None:
    assert "cut off: write less" in complaint(draft(Said('{"title": "A', "length")).problems)


def test_what_the_filter_declines_is_not_asked_again() -> None:
    report = written(Said("", "content_filter"))
    assert (report.method, len(report.answers)) == ("composed", 1)
    assert "declined" in report.flags[0]


def test_the_better_of_two_bad_answers_is_used() -> None:
    little, much = draft(said(rating="high")), draft(said(rating="high", summary="In 1987."))
    nothing = draft(Said("no", "stop"))
    assert better(little, much) is little
    assert better(much, little) is little
    assert better(little, nothing) is little
    assert better(nothing, much) is much


@pytest.mark.parametrize(
    ("size", "least", "most"), [(1, 1, 1), (2, 2, 4), (3, 3, 6), (4, 4, 8), (5, 5, 10), (50, 5, 10)]
)
def test_a_tiny_community_has_fewer_findings(size: int, least: int, most: int) -> None:
    material = circle(size)
    assert (fewest_findings(material), most_findings(material)) == (least, most)
    found = ask_or_write(material, pack(material, (), TOKENISER, 4_000), {}, ASKING)
    assert isinstance(found, Question)
    assert (f"{least} to {most}" if least < most else f"exactly {most}") in found.messages[0]
    assert ("tiny" in found.messages[0]) == (least < 5)


def test_another_domain_or_model_is_another_question() -> None:
    keys = {question().key}
    for asking in (Asking("g", "m", 8_000, "physics", 3_000), Asking("g", "other", 8_000, "", 3_000)):
        found = ask_or_write(MATERIAL, PACKED, {}, asking)
        assert isinstance(found, Question)
        keys.add(found.key)
        assert ("physics" in found.messages[0]) == (asking.domain == "physics")
    assert len(keys) == 3


@pytest.mark.parametrize("size", [1, 2, 3, 8, 60])
def test_a_composed_report_keeps_to_the_rules(size: int) -> None:
    material = circle(size)
    report = composed(material)
    answer = {
        "title": report.draft.title,
        "summary": report.draft.summary,
        "rating": report.draft.rating,
        "rating_explanation": report.draft.rating_explanation,
        "findings": [finding(each.explanation, each.summary) for each in report.draft.findings],
    }
    packed = pack(material, (), TOKENISER, 100_000)
    checked = read(Said(json.dumps(answer), "stop"), material, packed.shown, packed.text)
    assert [each for each in checked.problems if "findings" not in each or size > 2] == []
    assert checked.findings == compose(material).findings


def test_a_single_entity_is_said_to_stand_alone() -> None:
    assert "related to nothing else" in compose(circle(1)).summary
