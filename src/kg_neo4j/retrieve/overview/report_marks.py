"""Marks of reports and findings, [R3] and [R3.2], in what a model is shown and in what it answers. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from kg_neo4j.organise.report_references import without_marks
from kg_neo4j.organise.stored_reports import COMPOSED, CommunityReport, Finding

_MARK = re.compile(
    r"\s*[\[【(]\s*(?P<inside>R\d+(?:\.\d+)?(?:\s*[,;&]\s*(?:and\s+)?R\d+(?:\.\d+)?)*)\s*[\]】)]", re.IGNORECASE
)
_ONE = re.compile(r"R(\d+)(?:\.(\d+))?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Marked:
    """What a mark means: a report, and one of its findings, or None for the report as a whole."""

    report: CommunityReport
    finding: Finding | None

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of what it rests on."""
        if self.finding is not None:
            return self.finding.ids
        return tuple(dict.fromkeys(each for finding in self.report.findings for each in finding.ids))


@dataclass(frozen=True, slots=True)
class CheckedMarks:
    """A text without the marks that mean nothing."""

    text: str
    marks: tuple[str, ...]  # that it has, each once, in order
    unknown: tuple[str, ...]  # that were taken out


def render(number: int, report: CommunityReport) -> str:
    """Return a report as the model is shown it, as report `number`; of a composed one without its counts."""
    lines = [f"Report R{number}: {_line(report.title)}"]
    if report.method == COMPOSED:
        told = [_line(finding.explanation) for finding in report.findings]
    else:
        lines.append(f"[R{number}] {_line(report.summary)}")
        told = [f"{_line(finding.summary)} {_line(finding.explanation)}" for finding in report.findings]
    return "\n".join((*lines, *(f"[R{number}.{place}] {text}" for place, text in enumerate(told, 1))))


def meanings(reports: Mapping[int, CommunityReport]) -> dict[str, Marked]:
    """Return mark -> what it means, for reports by number."""
    found = {f"R{number}": Marked(report, None) for number, report in reports.items()}
    for number, report in reports.items():
        found |= {f"R{number}.{place}": Marked(report, each) for place, each in enumerate(report.findings, 1)}
    return found


def check(text: str, known: Mapping[str, object]) -> CheckedMarks:
    """Return `text` with marks that are in `known` alone, each within brackets of its own."""
    marks: list[str] = []
    unknown: list[str] = []

    def rewrite(inside: Sequence[str], _: str) -> str:
        valid = [each for each in inside if each in known]
        unknown.extend(each for each in inside if each not in known)
        marks.extend(valid)
        return "".join(f" [{each}]" for each in valid)

    checked = replace(text, rewrite)
    return CheckedMarks(checked, tuple(dict.fromkeys(marks)), tuple(dict.fromkeys(unknown)))


def replace(text: str, write: Callable[[Sequence[str], str], str]) -> str:
    """Return `text` with each group of marks replaced by what `write` makes of them and of the text before them."""

    def rewrite(match: re.Match[str]) -> str:
        found = _ONE.finditer(match["inside"])
        inside = [f"R{int(each[1][:9])}" + (f".{int(each[2][:9])}" if each[2] else "") for each in found]
        return write(tuple(dict.fromkeys(inside)), text[: match.start()])

    return _MARK.sub(rewrite, text).strip()


def without(text: str) -> str:
    """Return `text` without any mark."""
    return _MARK.sub("", text)


def _line(text: str) -> str:
    """Return one line without references to data and without anything that looks like a mark of ours."""
    return " ".join(without(without_marks(text)).split())
