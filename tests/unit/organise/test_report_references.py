"""References in reports: what is kept, what is taken out, how they are written."""

from __future__ import annotations

import pytest

from kg_neo4j.organise.report_references import Numbers, check, mark, renumber, without_marks

KNOWN = Numbers(frozenset(range(1, 11)), frozenset({23, 24}))


def test_valid_references_stay_as_they_are() -> None:
    text = "She wrote notes [Data: Entities (5, 7); Relationships (23)]."
    checked = check(text, KNOWN)
    assert (checked.text, checked.entities, checked.relationships, checked.unknown) == (text, [5, 7], [23], [])


@pytest.mark.parametrize(
    ("written", "kept", "unknown"),
    [
        ("[Data: Entities (99)]", "", ["Entities (99)"]),
        ("[Data: Entities (5, 99); Relationships (1)]", "[Data: Entities (5)]", ["Entities (99)", "Relationships (1)"]),
        ("[Data: Reports (1); Entities (5)]", "[Data: Entities (5)]", ["Reports (1)"]),
        ("[Data: entity (5); relationship(23)]", "[Data: Entities (5); Relationships (23)]", []),
        ("[Data: Entities (1, 2, 3, 4, 5, 6, 7)]", "[Data: Entities (1, 2, 3, 4, 5, +more)]", []),
        ("[Data: Entities (1, 2, +more)]", "[Data: Entities (1, 2, +more)]", []),
        ("[Data: Entities (5, 5, 5)]", "[Data: Entities (5)]", []),
        ("[Data: Entities ()]", "", []),
        ("[Data: Entities (99999999999999999999)]", "", []),
        ("[Data: nonsense]", "", []),
    ],
)
def test_what_means_nothing_is_taken_out(written: str, kept: str, unknown: list[str]) -> None:
    checked = check(f"Said {written} so.", KNOWN)
    assert checked.text == (f"Said {kept} so." if kept else "Said so.")
    assert checked.unknown == unknown


def test_more_than_five_are_all_cited_but_five_are_shown() -> None:
    checked = check("[Data: Entities (1, 2, 3, 4, 5, 6)]", KNOWN)
    assert checked.entities == [1, 2, 3, 4, 5, 6]
    assert checked.text.count(",") == 5


def test_a_mark_is_written_as_it_is_read() -> None:
    assert mark([5, 7], [23]) == "[Data: Entities (5, 7); Relationships (23)]"
    assert mark() == ""
    assert check(mark([5], [23, 24], more=True), KNOWN).text == "[Data: Entities (5); Relationships (23, 24, +more)]"


def test_numbers_of_a_part_become_those_of_the_whole() -> None:
    text = "A [Data: Entities (1, 2); Relationships (3)] and B [Data: Entities (9)]."
    assert renumber(text, {1: 11, 2: 12}, {3: 33}) == "A [Data: Entities (11, 12); Relationships (33)] and B."
    assert without_marks(text) == "A and B."
