"""Reports under filters: statements stay whose every reference is left."""

from __future__ import annotations

from kg_neo4j.organise.stored_reports import CommunityReport, Finding
from kg_neo4j.retrieve.overview.report_selection import cited, keep
from report_communities import report

EXPLANATION = (
    "Ada met Ben. They wrote [Data: Entities (1, 2); Relationships (7)]. Clara left [Data: Entities (3)]; "
    "all of them sang [Data: Entities (1, 3)]. And so on."
)


def reports() -> list[CommunityReport]:
    finding = Finding("Friends.", EXPLANATION, {1: "ada", 2: "ben", 3: "clara"}, {7: "met"})
    whole = report(1, "Friends")
    return [CommunityReport(**{name: getattr(whole, name) for name in whole.__slots__} | {"findings": (finding,)})]


def left(*ids: str) -> frozenset[str]:
    return frozenset(ids)


def test_what_reports_cite_are_the_entities_and_facts_of_their_findings() -> None:
    assert set(cited(reports())) == {"ada", "ben", "clara", "met"}


def test_a_statement_stays_where_all_that_it_cites_is_left() -> None:
    (kept,) = keep(reports(), left("ada", "ben", "met"))
    (finding,) = kept.findings
    assert finding.explanation == "Ada met Ben. They wrote [Data: Entities (1, 2); Relationships (7)]."
    assert (dict(finding.entities), dict(finding.relationships)) == ({1: "ada", 2: "ben"}, {7: "met"})
    assert kept.summary == "Ada met Ben. They wrote."
    assert (kept.id, kept.hash) == (reports()[0].id, reports()[0].hash)


def test_a_report_of_which_nothing_is_left_is_not_read() -> None:
    assert keep(reports(), left("ada", "ben")) == []
    assert keep(reports(), left("met")) == []


def test_what_a_heading_says_of_all_is_left_out() -> None:
    (kept,) = keep(reports(), left("clara"))
    assert "Friends." not in (kept.findings[0].summary, kept.summary)
    assert kept.findings[0].explanation == "Clara left [Data: Entities (3)]."


def test_a_statement_that_ends_before_its_mark_gets_no_second_full_stop() -> None:
    whole = reports()[0]
    finding = Finding("Ada.", "Ada sang. [Data: Entities (1)] Ben left [Data: Entities (2)]", {1: "ada", 2: "ben"}, {})
    fields = {name: getattr(whole, name) for name in whole.__slots__} | {"findings": (finding,)}
    (kept,) = keep([CommunityReport(**fields)], left("ada", "ben"))
    assert kept.findings[0].explanation == "Ada sang. [Data: Entities (1)] Ben left [Data: Entities (2)]."
