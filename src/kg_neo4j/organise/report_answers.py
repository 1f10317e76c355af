"""From a model's answer to a community report: read, checked against what the model was shown, repaired. Pure.

An answer that breaks a rule is asked for once more, with the reasons. What is wrong even then is put right (numbers
that mean nothing, a rating out of range, too many findings) and flagged; where nothing can be used, a report is
composed from the graph and says so.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, replace
from typing import Any

from kg_neo4j._models.answer_text import find_object
from kg_neo4j._models.protocols import Completion
from kg_neo4j.organise.report_material import Material
from kg_neo4j.organise.report_references import Checked, Numbers, check, without_marks
from kg_neo4j.organise.stored_reports import Finding

FEWEST, MOST = 5, 10  # findings (the length study)
ENOUGH = 10  # members and relationships; a community with fewer has fewer findings
LONGEST_TITLE = 200  # characters
LONGEST_TEXT = 6_000  # characters of one summary or explanation
LEAST_RATING, HIGHEST_RATING = 0.0, 10.0

_NUMBER = re.compile(r"(?<!\w)\d{3,}(?!\w)")
_GROUPED = re.compile(r"(?<=\d)[,.\u00a0\u202f ](?=\d{3}\b)")


@dataclass(frozen=True, slots=True)
class Draft:
    """What an answer says, as far as it can be used. `rating` is None where it has none."""

    title: str
    summary: str
    rating: float | None
    rating_explanation: str
    findings: tuple[Finding, ...]
    problems: tuple[str, ...]  # what to complain about, one sentence each

    @property
    def is_usable(self) -> bool:
        """Say whether a report can be made of it."""
        return bool(self.title and self.summary and self.findings)


def fewest_findings(material: Material) -> int:
    """Return how many findings a report has at least: 5, or half of what a tiny community consists of."""
    return FEWEST if material.elements >= ENOUGH else max(1, material.elements // 2)


def most_findings(material: Material) -> int:
    """Return how many findings a report has at most: 10, or as many as there are members and relationships."""
    return min(MOST, max(fewest_findings(material), material.elements))


def read(said: Completion, material: Material, shown: Numbers, text: str) -> Draft:
    """Return what an answer says of `material`; `shown` may be cited, `text` is what the model was shown."""
    found = find_object(said.text, ("title", "findings"))
    if found is None:
        cut = " It was truncated: write less." if said.finish_reason == "length" else ""
        return Draft("", "", None, "", (), (f"it is not one JSON object as asked for.{cut}",))
    problems = ["it was truncated: write less"] if said.finish_reason == "length" else []
    unknown: list[str] = []
    title, summary, explained = (_text(found.get(name)) for name in ("title", "summary", "rating_explanation"))
    problems += [f"{name} is missing" for name, value in (("title", title), ("summary", summary)) if not value]
    rating = _rating(found.get("rating"))
    if rating is None:
        problems.append(f"rating is not a number from 0 to 10 but {json.dumps(found.get('rating'))[:40]}")
    if not explained:
        problems.append("rating_explanation is missing")
    findings = _findings(found.get("findings"), material, shown, unknown, problems)
    checked = [check(each, shown) for each in (summary, explained)]
    unknown += [each for one in checked for each in one.unknown]
    if unknown:
        problems.append(f"it cites numbers that are not in the data: {', '.join(dict.fromkeys(unknown))}")
    said_in_it = " ".join((title, summary, explained, *(f"{each.summary} {each.explanation}" for each in findings)))
    if strange := sorted(_numbers(without_marks(said_in_it)) - _numbers(text)):
        problems.append(f"it names numbers that the data do not have: {', '.join(strange[:5])}")
    title = without_marks(title)[:LONGEST_TITLE]
    return Draft(title, checked[0].text, rating, checked[1].text, findings, tuple(problems))


def within_limits(draft: Draft, material: Material) -> Draft:
    """Return a draft with no more findings than it may have."""
    return replace(draft, findings=draft.findings[: most_findings(material)])


def _findings(
    given: object, material: Material, shown: Numbers, unknown: list[str], problems: list[str]
) -> tuple[Finding, ...]:
    """Return the findings that rest on something, and add what is wrong to `unknown` and `problems`."""
    rows = given if isinstance(given, list) else []
    entities = {number: each.id for number, each in enumerate(material.ranked, 1)}
    links = {number: each.id for number, each in enumerate(material.ranked_links, 1)}
    findings: list[Finding] = []
    baseless: list[str] = []
    for place, row in enumerate(rows, 1):
        fields = row if isinstance(row, dict) else {}
        summary, explanation = (
            check(_text(fields.get("summary")), shown),
            check(_text(fields.get("explanation")), shown),
        )
        unknown += summary.unknown + explanation.unknown
        said = Checked(
            explanation.text,
            list(dict.fromkeys(explanation.entities + summary.entities)),
            list(dict.fromkeys(explanation.relationships + summary.relationships)),
        )
        if not said.text or not (said.entities or said.relationships):
            baseless.append(str(place))
            continue
        findings.append(
            Finding(
                without_marks(summary.text) or said.text.split("\n")[0][:LONGEST_TITLE],
                explanation.text,
                {number: entities[number] for number in said.entities},
                {number: links[number] for number in said.relationships},
            )
        )
    if baseless:
        problems.append(f"these findings are empty or cite no data: {', '.join(baseless[:10])}")
    least, most = fewest_findings(material), most_findings(material)
    if not least <= len(rows) <= most:
        problems.append(f"it has {len(rows)} findings, not {least} to {most}" if most > least else _exactly(rows, most))
    elif len(findings) < least:
        problems.append(f"only {len(findings)} findings rest on data, not {least}")
    return tuple(findings)


def _exactly(rows: list[Any], number: int) -> str:
    return f"it has {len(rows)} findings, not {number}"


def _rating(value: object) -> float | None:
    """Return a rating in range; a number within quotation marks is one."""
    if isinstance(value, str):
        try:
            value = float(value.strip().replace(",", "."))
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return round(float(value), 1) if LEAST_RATING <= value <= HIGHEST_RATING else None


def _text(value: object) -> str:
    """Return a text of paragraphs; a list of texts is joined."""
    if isinstance(value, list):
        value = "\n\n".join(each for each in value if isinstance(each, str))
    if not isinstance(value, str):
        return ""
    clean = "".join(char for char in value if char.isprintable() or char == "\n")
    return clean.encode("utf-8", "replace").decode("utf-8").strip()[:LONGEST_TEXT]


def _numbers(text: str) -> set[str]:
    return set(_NUMBER.findall(_GROUPED.sub("", text)))
