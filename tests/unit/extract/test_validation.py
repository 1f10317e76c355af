"""From raw rows to accepted ones: test plan rows 7 to 11, 57."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import strategies as st

from csv_grammar import (
    CELLS,
    NODE_HEADER,
    RELATIONSHIP_HEADER,
    SCHEMA,
    CleanAnswer,
    clean_answers,
    depth,
    holds,
)
from kg_neo4j.extract import numbering
from kg_neo4j.extract import schema as schemas
from kg_neo4j.extract.rows import read
from kg_neo4j.extract.schema import Schema
from kg_neo4j.extract.validation import ValidRows, validate
from kg_neo4j.extract.values import RESERVED_RELATIONSHIP_TYPES, TYPE_PATTERN
from kg_neo4j.records import RejectionReason

TEXT = "Ada Lovelace, born in 1815, wrote to Charles Babbage."


def validated(
    nodes: list[str], relationships: list[str] | None = None, schema: Schema = SCHEMA, evidence: str = "flag"
) -> ValidRows:
    header, second = ",".join(NODE_HEADER), ",".join(RELATIONSHIP_HEADER)
    text = "\n".join([header, *nodes, "", second, *(relationships or [])]) + "\n"
    raw = read(text, schema, finish_reason="stop")
    valid = validate(raw, schema, TEXT, evidence=evidence)
    assert len(valid.nodes) + len(valid.relationships) + len(valid.rejections) == raw.count
    return valid


def reasons(valid: ValidRows) -> list[str]:
    return [str(rejection.reason) for rejection in valid.rejections]


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Rosa O&#39;Brien &amp; Sons", "Rosa O'Brien & Sons"),
        ("R&amp;amp;B", "R&B"),
        ("Caf&eacute;&nbsp;M&uuml;ller", "Café Müller"),
        ("**Rosa Brandt**", "Rosa Brandt"),
        ("***Rosa***", "Rosa"),
        ("**`Rosa`**", "Rosa"),
        ("__Rosa Brandt__", "Rosa Brandt"),
        ("~~Rosa~~", "Rosa"),
        ("'Mill & Sons'", "Mill & Sons"),
        ('"""Mill Works"""', "Mill Works"),
        ("“Mill Works”", "Mill Works"),
        ("„Mühle“", "Mühle"),
        ("« Moulin »", "Moulin"),
        ("<b>Rosa</b>", "Rosa"),
        ("[Rosa Brandt](people/rosa.md)", "Rosa Brandt"),
        ("[[people/rosa|Rosa]]", "Rosa"),
        *((name, name) for name in ("*NSYNC", "_why", "A*", "AT&T", "M*A*S*H", "__init__", "Guns N' Roses", "'N Sync")),
        *((name, name) for name in ("**A** and **B**", "Q&copy", "C#", "[sic]", "***", "rock 'n' roll", "O’Neill’s")),
        ('"""Strong"" Ann ""Lee"""', '"Strong" Ann "Lee"'),
    ],
)
def test_entities_and_marks_around_the_whole_of_a_name_are_no_part_of_it(written: str, name: str) -> None:
    valid = validated([f"n1,PERSON,{written},,,,,R&amp;D,"])
    assert [(row.name, row.properties["description"]) for row in valid.nodes] == [(name, "R&D")]


def test_evidence_stays_as_the_text_has_it() -> None:
    assert validated(["n1,PERSON,Ada,,,,,,a &amp; b"]).nodes[0].evidence == "a &amp; b"


@pytest.mark.parametrize("name", ["lean", "described", "wikipedia"])
def test_the_worked_examples_are_accepted_whole(name: str) -> None:
    schema = schemas.load(name)
    raw = read(schema.example_answer, schema, finish_reason="stop")
    offsets = numbering.number(schema.example_text)
    valid = validate(raw, schema, schema.example_text, evidence="flag", offsets=offsets)
    assert (len(valid.nodes), len(valid.relationships)) == (5, 6 if name == "lean" else 4)
    assert valid.rejections == ()
    assert 1990 in valid.nodes[0].properties.values() or valid.nodes[0].properties["start_date"] == "1990"


def test_the_worked_example_rests_on_its_text_word_for_word() -> None:
    raw = read(SCHEMA.example_answer, SCHEMA, finish_reason="stop")
    valid = validate(raw, SCHEMA, SCHEMA.example_text, evidence="reject")
    assert valid.rejections == ()
    assert {row.span.method for row in (*valid.nodes, *valid.relationships) if row.span} == {"exact"}


def test_a_row_becomes_typed_properties_and_empty_ones_are_left_out() -> None:
    valid = validated(
        ["n1,Person,Ada Lovelace,c. 1815,unknown,writer,n/a,,Ada Lovelace", "n2,PERSON,Charles Babbage,,,,,,"],
        ["r1,n1,wroteTo,n2,,A letter.,8.0,wrote to Charles"],
    )
    ada, letter = valid.nodes[0], valid.relationships[0]
    assert (ada.type, ada.original_type, ada.name) == ("PERSON", "Person", "Ada Lovelace")
    assert dict(ada.properties) == {"birth_year": 1815, "role": "writer"}
    assert ada.span is not None
    assert TEXT[ada.span.start : ada.span.end] == ada.evidence
    assert (letter.type, letter.source_id, letter.target_id) == ("WROTE_TO", "n1", "n2")
    assert dict(letter.properties) == {"description": "A letter.", "strength": 8}


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (",PERSON,Ada,,,,,,", RejectionReason.EMPTY_FIELD),
        ("n1,,Ada,,,,,,", RejectionReason.EMPTY_FIELD),
        ("n1,PERSON,null,,,,,,", RejectionReason.EMPTY_FIELD),
        ("n1,PERSON,N/a,,,,,,", RejectionReason.EMPTY_FIELD),
        ("n1,人物],Ada,,,,,,", RejectionReason.BAD_TYPE),
        ("n1,A`) DETACH DELETE n //,Ada,,,,,,", RejectionReason.BAD_TYPE),
        ("n1,PERSON,A\0da,,,,,,", RejectionReason.BAD_CHARACTER),
        ("n1,PERSON,A\ud800da,,,,,,", RejectionReason.BAD_CHARACTER),
        ("n1,PERSON," + "x" * 40_000 + ",,,,,,", RejectionReason.TOO_LONG),
    ],
)
def test_a_bad_node_row_is_rejected_with_its_reason_and_line(row: str, reason: RejectionReason) -> None:
    valid = validated([row, "n2,PERSON,Bob,,,,,,"], ["r1,n1,KNOWS,n2,,,,"])
    assert [node.node_id for node in valid.nodes] == ["n2"]
    assert reasons(valid) == [reason, RejectionReason.MISSING_END]
    assert valid.rejections[0].line == 2
    assert len(valid.rejections[0].text) <= 500


@pytest.mark.parametrize(
    ("value", "reason"),
    [("12 years", "bad_value"), (str(2**63), "bad_value"), ("6th century", "bad_value"), ("1\0", "bad_character")],
)
def test_an_optional_value_that_cannot_be_read_is_left_out_and_the_row_stays(value: str, reason: str) -> None:
    valid = validated([f"n1,PERSON,Ada,{value},,writer,,,"])
    assert [dict(node.properties) for node in valid.nodes] == [{"role": "writer"}]
    assert [(each.line, each.column, str(each.reason)) for each in valid.dropped] == [(2, "birth_year", reason)]


def test_a_row_that_is_rejected_leaves_no_value_out() -> None:
    valid = validated(["n1,PERSON/BAD,Ada,12 years,,,,,"])
    assert (reasons(valid), valid.dropped) == ([RejectionReason.BAD_TYPE], ())


@pytest.mark.parametrize("strength", ["0", "11", "NaN", "strong", str(2**63)])
def test_a_strength_out_of_range_is_left_out(strength: str) -> None:
    valid = validated(["n1,PERSON,Ada,,,,,,"], [f"r1,n1,KNOWS,n1,,,{strength},"])
    assert [(row.type, dict(row.properties)) for row in valid.relationships] == [("KNOWS", {})]
    assert [(each.column, each.value, each.reason) for each in valid.dropped] == [
        ("strength", strength, RejectionReason.BAD_VALUE)
    ]


def test_a_relationship_needs_both_ends_in_the_same_answer() -> None:
    valid = validated(["n1,PERSON,Ada,,,,,,"], ["r1,n1,KNOWS,n7,,,,", "r2,n7,KNOWS,n1,,,,", "r3,n1,KNOWS,n1,,,,"])
    assert [row.relationship_id for row in valid.relationships] == ["r3"]
    assert reasons(valid) == [RejectionReason.MISSING_END] * 2


@pytest.mark.parametrize(
    ("node", "source", "target"),
    [
        ("- n1", "n1", "N2"),
        ("1. n1", "1. n1", "2. n2"),
        ("`n1`", "`n1`", "[n2]"),
        ("n1", "n1 (Ada Lovelace)", "(n2)"),
        ("n1", "Ada Lovelace", "charles babbage"),
    ],
)
def test_an_end_is_known_by_its_id_with_marks_or_by_its_name(node: str, source: str, target: str) -> None:
    valid = validated(
        [f"{node},PERSON,Ada Lovelace,,,,,,", "n2,PERSON,Charles Babbage,,,,,,"], [f"r1,{source},KNEW,{target},,,,"]
    )
    assert [(row.source_id, row.target_id) for row in valid.relationships] == [("n1", "n2")]


def test_a_name_of_two_nodes_is_no_end() -> None:
    rows = ["n1,PERSON,Ada,,,,,,", "n2,PLACE,Ada,,,,,,"]
    assert reasons(validated(rows, ["r1,Ada,KNEW,n1,,,,"])) == [RejectionReason.MISSING_END]


def test_the_first_row_keeps_its_id() -> None:
    ada = "n1,PERSON,Ada,,,,,,"
    valid = validated(["n1,PERSON/BAD,Bad,,,,,,", ada, ada, "n1,PERSON,Eve,,,,,,"], ["r1,n1,IS,n1,,,,"] * 2)
    assert [node.name for node in valid.nodes] == ["Ada"]
    assert reasons(valid) == [RejectionReason.BAD_TYPE, *[RejectionReason.DUPLICATE_ID] * 3]
    assert [rejection.detail for rejection in valid.rejections[1:]] == [
        "'n1' is the same row, on line 3",
        "'n1' is another row, on line 3",
        "'r1' is the same row, on line 8",
    ]


def test_types_outside_the_schema_are_rejected_and_reserved_ones_renamed() -> None:
    schema = replace(SCHEMA, node_types=("PERSON", "Document"), relationship_types=("KNOWS",))
    valid = validated(
        ["n1,person,Ada,,,,,,", "n2,TRIBE,Quraysh,,,,,,", "n3,DOCUMENT,Will,,,,,,"],
        ["r1,n1,knows,n3,,,,", "r2,n1,LOVES,n3,,,,"],
        schema,
    )
    assert [node.type for node in valid.nodes] == ["PERSON", "DOCUMENT"]
    assert [row.type for row in valid.relationships] == ["KNOWS"]
    assert reasons(valid) == [RejectionReason.BAD_TYPE] * 2


def test_evidence_that_is_not_in_the_text_is_flagged_or_rejected() -> None:
    rows = ["n1,PERSON,Ada,,,,,,Ada Lovelace", "n2,PERSON,Bob,,,,,,Bob was here all day", "n3,PERSON,Cy,,,,,,"]
    flagged = validated(rows)
    assert [node.span is None for node in flagged.nodes] == [False, True, True]
    assert flagged.nodes[1].evidence == "Bob was here all day"
    strict = validated(rows, evidence="reject")
    assert [node.name for node in strict.nodes] == ["Ada"]
    assert reasons(strict) == [RejectionReason.NO_EVIDENCE] * 2


def test_spans_are_mapped_back_to_the_source() -> None:
    raw = read(f"{','.join(NODE_HEADER)}\nn1,PERSON,Ada,,,,,,Ada\n", SCHEMA, finish_reason="stop")
    valid = validate(raw, SCHEMA, TEXT, to_source=lambda start, end: (start + 100, end + 200))
    span = valid.nodes[0].span
    assert span is not None
    assert (span.start, span.end) == (100, 203)


@depth
def test_clean_answers_keep_every_row_and_no_relationship_dangles(cases: int) -> None:
    def check(answer: CleanAnswer) -> None:
        raw = read(answer.text, SCHEMA, finish_reason="stop")
        valid = validate(raw, SCHEMA, TEXT)
        assert len(valid.nodes) == len(answer.nodes)
        assert len(valid.relationships) == len(answer.relationships)

    holds(check, clean_answers(), cases)


@depth
def test_nothing_invalid_passes_whatever_the_fields_hold(cases: int) -> None:
    odd = ["", "null", "NaN", "12 years", str(2**63), '{"a": [1]}', "\0", "\ud800", "\u202e", "x" * 41_000, "`", "n1"]
    fields = st.one_of(st.sampled_from([*odd, "PERSON", "570", "DOCUMENT", "5"]), CELLS, st.text(max_size=12))
    ids = st.sampled_from(["n1", "n2", "n3", ""])
    node = st.tuples(ids, *[fields] * (len(NODE_HEADER) - 1))
    end = st.tuples(fields, ids, fields, ids, *[fields] * (len(RELATIONSHIP_HEADER) - 4))
    answers = st.builds(CleanAnswer, st.lists(node, max_size=5).map(tuple), st.lists(end, max_size=5).map(tuple))

    def check(answer: CleanAnswer) -> None:
        raw = read(answer.text, SCHEMA, finish_reason="stop")
        valid = validate(raw, SCHEMA, TEXT)
        assert len(valid.nodes) + len(valid.relationships) + len(valid.rejections) == raw.count
        ids = {row.node_id for row in valid.nodes}
        assert len(ids) == len(valid.nodes)
        for row in valid.nodes:
            check_row(row.type, frozenset(), [row.node_id, row.name, row.original_type], dict(row.properties))
            assert 0 < len(row.name) <= 500
        for each in valid.relationships:
            assert {each.source_id, each.target_id} <= ids
            check_row(each.type, RESERVED_RELATIONSHIP_TYPES, [each.relationship_id], dict(each.properties))

    holds(check, answers, cases)


def check_row(kind: str, reserved: frozenset[str], texts: list[str], properties: dict[str, str | int | float]) -> None:
    """Check what the database relies on: allow-listed types, the schema's keys, texts and numbers it can hold."""
    assert TYPE_PATTERN.fullmatch(kind)
    assert kind not in reserved
    columns = {column.name for column in (*SCHEMA.node_properties, *SCHEMA.relationship_properties)}
    assert set(properties) <= columns
    for value in [*texts, *properties.values()]:
        if isinstance(value, str):
            value.encode("utf-8")
            assert value
            assert "\0" not in value
        else:
            assert abs(value) < 2**53


@pytest.mark.parametrize(("more", "value", "phrases"), [("", "", {}), (",phrase", ",applaud", {"phrase": "applaud"})])
def test_a_phrase_becomes_a_property_where_it_is_there(more: str, value: str, phrases: dict[str, str]) -> None:
    header = f"{','.join(RELATIONSHIP_HEADER)}{more}"
    text = f"{','.join(NODE_HEADER)}\nn1,PERSON,Ada Lovelace,,,,,,\n\n{header}\nr1,n1,RELATED_TO,n1,,,,{value}\n"
    valid = validate(read(text, SCHEMA, finish_reason="stop"), SCHEMA, TEXT, evidence="flag")
    assert valid.rejections == ()
    assert [row.properties for row in valid.relationships] == [phrases]
