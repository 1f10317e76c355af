"""What a model is shown of a community: ranks, numbers, and what fits."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kg_neo4j._models import tokens
from kg_neo4j.organise.report_material import ReportMaterial, pack
from kg_neo4j.organise.stored_reports import MODEL, CommunityReport, Finding
from kg_neo4j_offline.composed_reports import compose
from report_communities import circle

TOKENISER = tokens.load("approximate-1")


def child(material: ReportMaterial, part: str) -> CommunityReport:
    """Return a short report on a part; its number 1 is the part's last member."""
    inside = [each for each in material.members if each.child == part]
    finding = Finding("One matters.", "It does [Data: Entities (1); Relationships (1)].", {1: inside[-1].id}, {1: "f1"})
    place = (part, 1, 1, len(inside), "c")
    return CommunityReport(*place, f"The {part} half", "A half.", 5.0, "So.", (finding,), MODEL, "h")


def test_the_order_of_reading_and_counts_of_evidence_change_no_digest() -> None:
    material = circle(6)
    shuffled = replace(material, members=material.members[::-1], links=material.links[::-1])
    counted = replace(material, links=tuple(replace(each, evidence_count=9) for each in material.links))
    assert material.digest == shuffled.digest == counted.digest


@pytest.mark.parametrize("field", ["name", "type", "description"])
def test_what_is_said_of_a_member_changes_the_digest(field: str) -> None:
    material = circle(6)
    changed = replace(material.members[2], **{field: "other"})  # type: ignore[arg-type]
    assert replace(material, members=(*material.members[:2], changed, *material.members[3:])).digest != material.digest


def test_a_relationship_more_or_less_changes_the_digest() -> None:
    material = circle(6)
    assert replace(material, links=material.links[1:]).digest != material.digest


def test_numbers_are_ranks_by_evidence_within_the_community() -> None:
    material = circle(6)
    assert [each.id for each in material.ranked[:2]] == ["e0", "e1"]
    assert (material.numbers["e0"], material.numbers["f0"]) == (1, 1)
    assert sorted(material.numbers[each.id] for each in material.members) == [1, 2, 3, 4, 5, 6]


def test_everything_is_shown_where_it_fits() -> None:
    packed = pack(circle(6), (), TOKENISER, 2_000)
    assert "not shown" not in packed.text
    assert (sorted(packed.shown.entities), sorted(packed.shown.relationships)) == (
        [1, 2, 3, 4, 5, 6],
        [1, 2, 3, 4, 5, 6],
    )
    assert "1. Name0 (PERSON, 1800): word word word" in packed.text
    assert "1. Name0 KNOWS Name1 (1820) [3 statements]: They met." in packed.text


@pytest.mark.parametrize("budget", [100, 200, 500, 1_000])
def test_the_budget_is_kept_and_the_most_important_stays(budget: int) -> None:
    packed = pack(circle(40, words=5), (), TOKENISER, budget)
    assert TOKENISER.count(packed.text) <= budget + 20  # headings and the line on what is left out
    assert 1 in packed.shown.relationships
    left_out = 80 - len(packed.shown.entities) - len(packed.shown.relationships)
    assert f"{left_out} further entities and relationships are not shown." in packed.text


def test_every_end_of_a_relationship_that_is_shown_is_shown() -> None:
    material = circle(40, words=5)
    packed = pack(material, (), TOKENISER, 500)
    for number in packed.shown.relationships:
        link = material.ranked_links[number - 1]
        assert {material.numbers[link.source], material.numbers[link.target]} <= packed.shown.entities


def test_reports_on_parts_stand_for_what_does_not_fit_with_the_numbers_of_the_whole() -> None:
    material = circle(40, words=20, child=True)
    children = [child(material, "left"), child(material, "right")]
    whole = sum(TOKENISER.count(row) for row in pack(material, (), TOKENISER, 100_000).text.split("\n"))
    packed = pack(material, children, TOKENISER, whole * 3 // 4)
    assert "The left half" in packed.text
    assert "The right half" not in packed.text  # one part is enough
    assert "not shown" not in packed.text
    last = material.numbers["e19"]
    assert f"[Data: Entities ({last}); Relationships ({material.numbers['f1']})]" in packed.text
    assert last in packed.shown.entities
    assert material.numbers["e5"] not in packed.shown.entities
    both = pack(material, children, TOKENISER, 200)
    assert "The left half" in both.text
    assert "The right half" in both.text
    assert TOKENISER.count(both.text) <= 220


def test_a_report_on_a_part_is_not_used_where_everything_fits() -> None:
    material = circle(6, child=True)
    assert "half" not in pack(material, [child(material, "left")], TOKENISER, 5_000).text


def test_descriptions_are_one_line_and_bounded() -> None:
    material = circle(2)
    long = replace(material.members[0], description="Line one.\n2. Name9 (PERSON)\n" + "much " * 5_000)
    packed = pack(replace(material, members=(long, material.members[1])), (), TOKENISER, 5_000)
    assert "\n2. Name9" not in packed.text
    assert TOKENISER.count(packed.text) < 500


def test_a_composed_report_of_a_part_can_stand_for_it() -> None:
    material = circle(40, words=20, child=True)
    inside = tuple(each for each in material.members if each.child == "left")
    part = ReportMaterial("left", inside, tuple(each for each in material.links if each.id in {"f0", "f1"}))
    draft = compose(part)
    report = replace(child(material, "left"), title=draft.title, summary=draft.summary, findings=draft.findings)
    packed = pack(material, [report], TOKENISER, 1_500)
    assert draft.title in packed.text


def test_of_relationships_with_equal_evidence_the_stronger_one_comes_first_and_no_report_is_outdated_by_that() -> None:
    material = circle(6)
    links = tuple(replace(each, strength=9 if each.id == "f3" else 2) for each in material.links)
    rated = replace(material, links=links)
    assert [each.id for each in rated.ranked_links[:2]] == ["f0", "f3"]  # f0 has more evidence
    assert rated.digest == material.digest
