"""Community reports under filters: what is left of a report when only some documents, types or years count. Pure.

A report rests on everything that its community is mentioned in. Of it only those statements are kept whose references
are all of what the filters leave; a report without one is not read. Headings and summaries, which speak of all, give
way to these statements. So nothing that is read, and nothing that is cited, rests on another document alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from kg_neo4j.organise.report_references import statements, without_marks
from kg_neo4j.organise.stored_reports import CommunityReport, Finding

SUMMARY = 3  # statements that stand for a summary


def cited(reports: Iterable[CommunityReport]) -> Iterator[str]:
    """Yield the ids of the entities and facts that reports cite."""
    for report in reports:
        for finding in report.findings:
            yield from finding.entities.values()
            yield from finding.relationships.values()


def keep(reports: Iterable[CommunityReport], left: frozenset[str]) -> list[CommunityReport]:
    """Return of reports, in their order, what rests on `left` (ids of entities and facts) alone."""
    kept = []
    for report in reports:
        findings = tuple(each for finding in report.findings if (each := _kept(finding, left)).ids)
        if findings:
            first = [each.explanation for each in findings][:SUMMARY]
            kept.append(replace(report, findings=findings, summary=" ".join(map(without_marks, first))))
    return kept


def _kept(finding: Finding, left: frozenset[str]) -> Finding:
    """Return the statements of a finding that rest on `left` alone; without any it has no ids."""
    known = {number: each for number, each in finding.entities.items() if each in left}
    stated = {number: each for number, each in finding.relationships.items() if each in left}
    kept = [
        (text, cited, related)
        for text, cited, related in statements(finding.explanation)
        if (cited or related) and cited <= known.keys() and related <= stated.keys()
    ]
    used = frozenset[int]().union(*(cited for _, cited, _ in kept))
    used_facts = frozenset[int]().union(*(related for _, _, related in kept))
    return replace(
        finding,
        summary="",
        explanation=" ".join(text if _ended(text) else f"{text}." for text, _, _ in kept),
        entities={number: each for number, each in known.items() if number in used},
        relationships={number: each for number, each in stated.items() if number in used_facts},
    )


def _ended(text: str) -> bool:
    """Return whether a statement ends with a full stop before its mark."""
    return without_marks(text).rstrip().endswith((".", "!", "?", "…"))
