"""Community reports as records, and as they are stored on Community nodes.

Marks in a report's texts, as in [Data: Entities (5, 7); Relationships (23)], carry short numbers; `entities` and
`relationships` of each finding say which entity and which fact a number means.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, absent_if_empty

MODEL, COMPOSED = "model", "composed"


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding of a report. Both mappings lead from a number in its marks to the id of what is meant."""

    summary: str
    explanation: str
    entities: Mapping[int, str] = field(default_factory=dict)
    relationships: Mapping[int, str] = field(default_factory=dict)  # ids of facts

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of all that the finding rests on: facts first, because they say more."""
        return (*self.relationships.values(), *self.entities.values())


@dataclass(frozen=True, slots=True)
class CommunityReport:
    """What is written about one community. `method`: "model", or "composed" from the graph without one."""

    id: str  # of the community
    level: int  # 0 is the coarsest
    number: int  # what people call the community, within its level
    size: int  # members
    parent_id: str | None
    title: str
    summary: str
    rating: float  # 0 to 10
    rating_explanation: str
    findings: tuple[Finding, ...]
    method: str
    hash: str  # of all that the report is made from
    flags: tuple[str, ...] = ()  # what was wrong with the model's answer, one line each
    domain: str = ""  # that the prompt was given

    @property
    def text(self) -> str:
        """The report as one reads it, without the rating."""
        findings = (f"{each.summary}\n{each.explanation}" for each in self.findings)
        return "\n\n".join((self.title, self.summary, *findings))


def read_reports(
    database: Database, graph: str, *, level: int | None = None, ids: Sequence[str] | None = None
) -> tuple[CommunityReport, ...]:
    """Return the stored reports, by level and number: all, those of one level, or those of some communities."""
    query = queries.get("analytics/community_reports")
    rows = database.read(query, graph=graph, level=level, ids=None if ids is None else list(ids))
    return tuple(_report(row) for row in rows)


def properties(report: CommunityReport) -> dict[str, Any]:
    """Return what is stored on the Community node; null removes a property."""
    found = {name: getattr(report, name) for name in ("title", "summary", "rating", "rating_explanation")}
    found |= {f"report_{name}": getattr(report, name) for name in ("method", "hash", "domain")}
    found |= {"findings": findings_json(report.findings), "report_flags": list(report.flags)}
    return {name: absent_if_empty(value) for name, value in found.items()}


def findings_json(findings: Sequence[Finding]) -> str:
    """Return findings as JSON: a list of {summary, explanation, references: {Entities: {number: id}, ...}}."""
    rows = []
    for each in findings:
        sets = {"Entities": each.entities, "Relationships": each.relationships}
        references = {name: {str(number): its[number] for number in sorted(its)} for name, its in sets.items()}
        rows.append({"summary": each.summary, "explanation": each.explanation, "references": references})
    return json.dumps(rows, ensure_ascii=False)


def _report(row: Mapping[str, Any]) -> CommunityReport:
    said = {
        **row,
        "rating": float(row["rating"]),
        "findings": tuple(_finding(each) for each in json.loads(row["findings"])),
        "flags": tuple(row["flags"] or ()),
        "domain": row["domain"] or "",
    }
    return CommunityReport(**said)


def _finding(row: Mapping[str, Any]) -> Finding:
    entities, relationships = (
        {int(number): each for number, each in row["references"][name].items()}
        for name in ("Entities", "Relationships")
    )
    return Finding(row["summary"], row["explanation"], entities, relationships)
