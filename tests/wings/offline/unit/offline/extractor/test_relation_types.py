"""The closed table of relationship types: what fits each, what comes once, and what is left as RELATED_TO."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest

from kg_neo4j import data_files
from kg_neo4j_offline.extractor import relation_types
from kg_neo4j_offline.extractor.clause_relations import in_past
from kg_neo4j_offline.extractor.entities import EntityDraft, RelationDraft
from kg_neo4j_offline.extractor.parsed_text import ParsedSentence
from kg_neo4j_offline.extractor.relation_types import RELATED, TYPES, plain
from offline_reading import read

LETTERS = {"P": "PERSON", "L": "PLACE", "O": "ORGANIZATION", "X": "WORK"}
ROWS = {
    kind: row.split() for kind, row in data_files.beside(relation_types.__file__).table("types").items()
}  # type -> letters of both ends, and what is said in its place


def entity(name: str, kind: str) -> EntityDraft:
    return EntityDraft(name, (name.lower(),), type=kind)


def relation(source: EntityDraft, kind: str, target: EntityDraft, *, date: str = "") -> RelationDraft:
    """A relationship of the model, whose verb is nobody's phrase."""
    return RelationDraft(source, kind, target, ParsedSentence(0, 9, 0), 0, 9, 5, date=date, classified=True)


def shown(relations: list[RelationDraft]) -> list[tuple[str, str, str]]:
    return [(each.source.name, each.type, each.target.name) for each in relations]


def test_there_are_at_most_46_types_and_no_word_means_two() -> None:
    assert len(TYPES) <= 46
    words = Counter(word for row in ROWS.values() for word in row[1:])
    assert [word for word, count in words.items() if count > 1] == []


@pytest.mark.parametrize("kind", ROWS)
def test_a_row_takes_the_ends_that_its_letters_allow_and_no_others(kind: str) -> None:
    first, last = (list(LETTERS) if part == "*" else list(part) for part in ROWS[kind][0].split("-"))
    for word in ROWS[kind][1:]:
        for form in {word, in_past(word)} - {"ATTENDED"}:  # a school or a meeting
            for (one, its), (other, others) in product(LETTERS.items(), repeat=2):
                ends = [entity("A", its), entity("B", others)]
                source, target = reversed(ends) if form.startswith("^") else ends
                found = shown(plain([relation(source, form.lstrip("^"), target)]))
                assert found == ([("A", kind, "B")] if one in first and other in last else [])


@pytest.mark.parametrize(
    ("source", "kind", "target"),
    [
        ("PERSON", "BORN_IN", "PERSON"),
        ("PLACE", "MARRIED_TO", "PERSON"),
        ("PERSON", "MET", "ORGANIZATION"),
        ("PERSON", "LOCATED_IN", "PLACE"),
        ("ORGANIZATION", "CITIZEN_OF", "PLACE"),
        ("WORK", "FOUNDED", "ORGANIZATION"),
    ],
)
def test_a_misfit_is_left_out(source: str, kind: str, target: str) -> None:
    assert plain([relation(entity("A", source), kind, entity("B", target))]) == []


@pytest.mark.parametrize("kind", ["MARRIED_TO", "SIBLING_OF", "FRIEND_OF", "MET", "WORKED_WITH", "RELATIVE_OF"])
def test_what_holds_both_ways_is_written_once_with_its_date(kind: str) -> None:
    ada, otto = entity("Ada", "PERSON"), entity("Otto", "PERSON")
    word = ROWS[kind][1]
    [found] = plain([relation(ada, word, otto), relation(otto, word, ada, date="1901")])
    assert (found.source.name, found.type, found.target.name, found.date) == ("Ada", kind, "Otto", "1901")


def test_what_holds_one_way_may_be_written_both_ways() -> None:
    ada, otto = entity("Ada", "PERSON"), entity("Otto", "PERSON")
    assert len(plain([relation(ada, "INFLUENCED", otto), relation(otto, "INFLUENCED", ada)])) == 2


@pytest.mark.parametrize("kind", ["DATE", ""])
def test_a_date_and_what_is_no_name_is_no_end(kind: str) -> None:
    ada, other = entity("Ada", "PERSON"), entity("1901", kind)
    assert plain([relation(ada, "INFLUENCED", other), relation(other, "INFLUENCED", ada)]) == []


def test_countries_in_a_list_are_not_in_each_other() -> None:
    norway, sweden, oslo = (entity(name, "PLACE") for name in ("Norway", "Sweden", "Oslo"))
    found = plain([relation(norway, "LOCATED_IN", sweden), relation(oslo, "LOCATED_IN", norway)])
    assert shown(found) == [("Oslo", "LOCATED_IN", "Norway")]
    text = "The firm has offices in Norway, Sweden, Denmark and Finland, and in the United Kingdom."
    assert read(text).facts | read(text).likely_facts == set()


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Ada Brandt applauded Otto Lind.", {("Ada Brandt", "RELATED_TO applaud", "Otto Lind")}),
        ("Ada Brandt slept. She applauded Otto Lind.", set()),
        ("Ada Brandt, a painter, applauded Otto Lind.", set()),
        ("Ada Brandt's pupil applauded Otto Lind.", set()),
        (  # a type already ties the two
            "Ada Brandt hired Otto Lind. Ada Brandt applauded Otto Lind.",
            {("Otto Lind", "WORKED_FOR", "Ada Brandt")},
        ),
    ],
)
def test_another_verb_is_a_phrase_where_one_clause_ties_two_names(text: str, facts: set[tuple[str, str, str]]) -> None:
    found = read(text)
    assert found.facts == facts
    assert {row.get("phrase", "") for row in found.relationships if row["relationship_type"] != RELATED} <= {""}
