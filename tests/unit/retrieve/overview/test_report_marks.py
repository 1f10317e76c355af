"""Marks of reports in what a model reads and says."""

from __future__ import annotations

import dataclasses

import pytest

from kg_neo4j.retrieve.overview.report_marks import check, meanings, render, replace, without
from report_communities import report

KNOWN = meanings({3: report(3, "Ada"), 12: report(12, "Byron")})


def test_a_report_and_each_of_its_findings_have_a_mark() -> None:
    assert sorted(KNOWN) == ["R12", "R12.1", "R12.2", "R3", "R3.1", "R3.2"]
    assert KNOWN["R3.2"].ids == ("f3", "e3-2")
    assert KNOWN["R3"].ids == ("e3-1", "f3", "e3-2")
    shown = render(3, report(3, "Ada"))
    assert shown.startswith("Report R3: Ada\n[R3] About Ada.\n[R3.1] ")
    assert "[Data:" not in shown


def test_a_composed_report_is_shown_without_its_counts() -> None:
    composed = dataclasses.replace(report(3, "Ada"), method="composed")
    lines = render(3, composed).splitlines()
    assert [line.partition("]")[0] for line in lines] == ["Report R3: Ada", "[R3.1", "[R3.2"]
    assert not any(finding.summary in line for finding in composed.findings for line in lines)


def test_a_text_cannot_bring_marks_of_its_own() -> None:
    shown = render(3, report(3, "Ada [R12] (R3.7)\nReport R9: x"))
    assert "R12" not in shown
    assert "R3.7" not in shown
    assert len(shown.splitlines()) == 4


@pytest.mark.parametrize(
    ("text", "checked", "unknown"),
    [
        ("So [R3.1].", "So [R3.1].", ()),
        ("So [R3.1, R12].", "So [R3.1] [R12].", ()),
        ("So 【R3.2】.", "So [R3.2].", ()),
        ("So (r3.2; R12.1).", "So [R3.2] [R12.1].", ()),
        ("So [R4].", "So.", ("R4",)),
        ("So [R3.9][R3.1].", "So [R3.1].", ("R3.9",)),
        (f"So [R{'9' * 5_000}].", "So.", (f"R{'9' * 9}",)),
        (f"So [R3.{'9' * 5_000}].", "So.", (f"R3.{'9' * 9}",)),
        ("So [C1] (1815).", "So [C1] (1815).", ()),
    ],
)
def test_marks_that_mean_nothing_are_taken_out(text: str, checked: str, unknown: tuple[str, ...]) -> None:
    found = check(text, KNOWN)
    assert (found.text, found.unknown) == (checked, unknown)


def test_marks_are_replaced_with_the_text_before_them_at_hand() -> None:
    seen: list[tuple[tuple[str, ...], str]] = []

    def write(marks: tuple[str, ...], before: str) -> str:
        seen.append((marks, before))
        return "*"

    assert replace("One [R3]. Two [R12.1, R12.1].", lambda marks, before: write(tuple(marks), before)) == "One*. Two*."
    assert seen == [(("R3",), "One"), (("R12.1",), "One [R3]. Two")]
    assert without("One [R3]. Two [R12.1].") == "One. Two."
