"""A row says what its sentences say; and answers in other forms are read where nothing is lost."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from kg_neo4j.extract import numbering
from kg_neo4j.extract import schema as schemas
from kg_neo4j.extract.reading import Reading, Shown, interpret
from kg_neo4j.extract.rows import PartKind, read
from kg_neo4j.extract.schema import Schema
from kg_neo4j.extract.values import clean_field, parse_date
from kg_neo4j.records import Chunk, ChunkOutcome, Extraction, ModelAnswer

LEAN, DESCRIBED, WIKIPEDIA, _ = map(schemas.load, schemas.BUILT_IN)
TEXT = (
    "Zofia Wilk was born in Torun on 3 May 1901. Her father kept a mill. She studied in Lwow from 1919. "
    "The war of 1914–18 had closed the school. In June she met Otto Lind. The barge Heron carried 1,204 sacks. "
    "Nobody knew why. Otto Lind founded the Brass Choir in Bergen."
)
NODES, RELATIONSHIPS = ",".join(LEAN.node_header), ",".join(LEAN.relationship_header)
PEOPLE = ("1,n1,PERSON,Zofia Wilk,,,,,", "1,n2,PLACE,Torun,,,,,", "5,n3,PERSON,Otto Lind,,,,,")


def extract(
    *rows: str, evidence: str = "flag", around: str | None = "", text: str = TEXT, schema: Schema = LEAN
) -> Extraction:
    """Return what an answer with these rows gives; relationships have the fewer columns."""
    nodes = [row for row in rows if row.count(",") == NODES.count(",")]
    others = [row for row in rows if row not in nodes]
    return heard("\n".join([NODES, *nodes, "", RELATIONSHIPS, *others, ""]), evidence, around, text, schema)


def heard(
    answer: str, evidence: str = "flag", around: str | None = "", text: str = TEXT, schema: Schema = LEAN
) -> Extraction:
    chunk = Chunk("c" * 32, "d" * 32, "main", 0, text, 90, 0, len(text))
    said = ModelAnswer(answer, "m", "p", "stop", offsets=numbering.number(text), around=around)
    return interpret(chunk, [said], Reading(schema, evidence, "c"), Shown(text))


def flags(found: Extraction) -> list[str]:
    return [str(flag) for row in (*found.nodes, *found.relationships) for flag in row.flags]


@pytest.mark.parametrize(
    ("row", "flag"),
    [
        ("1,n9,PERSON,Napoleon Bonaparte,,,,,", "name_not_in_text"),
        ("1,n9,PERSON,Zofia Lind,,,,,", ""),
        ("2,n9,PERSON,father of Zofia,,,,,", ""),
        ("2,n9,OBJECT,windmill,,,,,", "name_not_in_text"),
        ("3,n9,PLACE,Lwów,,,,,", ""),  # accents
        ("1,n9,PERSON,Zofia Wilk,1901-05-03,,,,", ""),
        ("1,n9,PERSON,Zofia Wilk,1812,,,,", "date_not_in_sentences"),
        ("1,n9,PERSON,Zofia Wilk,1901-06-03,,,,", "date_not_in_sentences"),
        ("1,n9,PERSON,Zofia Wilk,1901-05-04,,,,", "date_not_in_sentences"),
        ("4,n9,EVENT,war,1914,1918,,,", ""),
        ("5,n9,PERSON,Otto Lind,1919-06,,,,", "date_not_in_sentences"),  # the year stands two sentences before
        ("4,n9,EVENT,war,1919,,,,", ""),  # beside the sentence
        ("6,n9,PRODUCT,Heron,,,barge,,carried 1204 sacks", ""),
        ("6,n9,PRODUCT,Heron,,,barge,,carried 1304 sacks", "number_not_in_sentences"),
    ],
)
def test_a_name_a_date_and_a_number_stand_where_the_row_says(row: str, flag: str) -> None:
    found = extract(row)
    assert flags(found) == [flag] * bool(flag)
    strict = extract(row, evidence="reject")
    assert [str(each.reason) for each in strict.rejections] == [flag] * bool(flag)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("1,n1,BORN_IN,n2,,,", ""),
        ("2,n1,BORN_IN,n2,,,", ""),  # the sentence before names both
        ("6,n1,BORN_IN,n2,,,", "ends_not_in_sentences"),
        ("5,n1,MET,n3,,,", ""),  # one end
        ("1,n2,BORN_IN,n1,,,", "ends_swapped"),
        ("1,n1,KNEW,n1,,,", "self_loop"),
        ("1,n1,WALKED_IN,n2,,,", ""),  # a type of the model's own
    ],
)
def test_the_ends_of_a_relationship_stand_in_its_sentences(row: str, expected: str) -> None:
    assert flags(extract(*PEOPLE, row)) == [expected] * bool(expected)


@pytest.mark.parametrize(
    ("row", "ends", "expected"),
    [
        ("1,n1,BORN_IN,n2,,,", ("n1", "n2"), ""),
        ("1,n2,BORN_IN,n1,,,", ("n1", "n2"), ""),  # turned round
        ("5,n1,BORN_IN,n3,,,", ("n1", "n3"), "ends_do_not_fit"),
        ("1,n1,WALKED_IN,n2,,,", ("n1", "n2"), ""),
    ],
)
def test_a_schema_that_checks_ends_turns_rows_round_or_flags_them(
    row: str, ends: tuple[str, str], expected: str
) -> None:
    families = (("TOWN", "PLACE"), ("PLACE", "PLACE"))
    schema = replace(LEAN, checks_ends=True, families=families)
    found = extract(*PEOPLE, row, schema=schema)
    assert flags(found) == [expected] * bool(expected)
    assert [(each.source_id, each.target_id) for each in found.relationships] == [ends]
    towns = [each.replace(",PLACE,", ",TOWN,") for each in PEOPLE]
    assert flags(extract(*towns, row, schema=schema)) == [expected] * bool(expected)
    strict = extract(*PEOPLE, row, schema=schema, evidence="reject")
    assert [str(each.reason) for each in strict.rejections] == [expected] * bool(expected)


def test_an_inverse_row_of_the_same_sentence_is_found() -> None:
    rows = ("5,n1,MET,n3,,,", "5,n3,MET,n1,,,")
    assert flags(extract(*PEOPLE, *rows)) == ["inverse"]
    assert flags(extract(*PEOPLE, rows[0], "8,n3,MET,n1,,,")) == []


def test_words_that_were_shown_beside_the_text_count() -> None:
    row = "2,n9,PERSON,Captain Berg,1893,,,,"
    assert set(flags(extract(row))) == {"name_not_in_text", "date_not_in_sentences"}
    assert flags(extract(row, around="Captain Berg 1893")) == []


def test_rows_of_rules_are_not_checked() -> None:
    assert flags(extract("1,n9,PERSON,Napoleon Bonaparte,1812,,,,", around=None)) == []


def test_forms_of_inflected_names_are_names() -> None:
    text = "Wokulskiego znano w Krakowie. Rzecki rozmawiał z Heleną o Turcji."
    rows = [f"1,n{n},PERSON,{name},,,,," for n, name in enumerate(("Wokulski", "Kraków", "Helena", "Turcja"), 1)]
    assert flags(extract(*rows, text=text)) == []


def test_in_speech_the_speaker_may_be_named_before() -> None:
    text = (
        "The miller turned to Ada.\n\n— You are late. The bread is cold. We have eaten.\n\nThe snow fell. It was dark."
    )
    rows = ("1,n1,PERSON,miller,,,,,", "1,n2,PERSON,Ada,,,,,")
    assert flags(extract(*rows, "4,n1,SAID_OF,n2,,,is late", text=text)) == []
    assert flags(extract(*rows, "6,n1,SAID_OF,n2,,,is late", text=text)) == ["ends_not_in_sentences"]


def test_what_stands_in_the_example_alone_is_refused() -> None:
    found = extract(
        "1,n1,PERSON,Ines Okafor,,,,,",
        "1,n2,PLACE,flat at Lindenstrasse 12,,,,,",
        "1,n3,PERSON,Zofia Wilk,1990,,cook,,",
    )
    assert [str(each.reason) for each in found.rejections] == ["from_example"] * 2
    assert [dict(node.properties) for node in found.nodes] == [{}]
    assert [(each.column, str(each.reason)) for each in found.dropped] == [
        ("start_date", "from_example"),
        ("role", "from_example"),
    ]
    kept = extract("1,n1,PERSON,Ines Okafor,1990,,architect,,", text="Ines Okafor, an architect born in 1990, left.")
    assert (kept.rejections, kept.dropped) == ((), ())


@pytest.mark.parametrize("schema", [DESCRIBED, WIKIPEDIA])
def test_the_other_schemas_are_checked_too(schema: schemas.Schema) -> None:
    rows = {
        "described": "n1,PERSON,Napoleon Bonaparte,1812,,,,,born in Torun",
        "wikipedia": "n1,PERSON,Napoleon Bonaparte,1812,,,",
    }
    answer = f"{','.join(schema.node_header)}\n{rows[schema.name]}\n\n{','.join(schema.relationship_header)}\n"
    chunk = Chunk("c" * 32, "d" * 32, "main", 0, TEXT, 90, 0, len(TEXT))
    said = ModelAnswer(
        answer, "m", "p", "stop", offsets=numbering.number(TEXT) if schema is WIKIPEDIA else (), around=""
    )
    for evidence in ("flag", "reject"):
        found = interpret(chunk, [said], Reading(schema, evidence, "c"), Shown(TEXT, offsets=said.offsets))
        assert ("name_not_in_text" in flags(found)) is (evidence == "flag")
        assert len(found.rejections) == (evidence == "reject")


# ------------------------------------------------------------------------------------------------ forgiving reading


@pytest.mark.parametrize(
    ("row", "name", "role"),
    [
        ("1,n1,PERSON,Wilk, Zofia,,,,,", "Wilk, Zofia", None),
        ("1,n1,PERSON,Zofia Wilk,,,miller, farmer,,", "Zofia Wilk", "miller, farmer"),
        ("1, 2,n1,PERSON,Zofia Wilk,,,miller,,", "Zofia Wilk", "miller"),
        ("1,n1,PERSON,Zofia Wilk,1901-05-03,,miller,farmer,Torun,", None, None),  # two places fit
    ],
)
def test_one_comma_too_many_is_within_a_field_where_one_place_fits(
    row: str, name: str | None, role: str | None
) -> None:
    found = heard(f"{NODES}\n{row}\n\n{RELATIONSHIPS}\n")
    assert [node.name for node in found.nodes] == ([name] if name else [])
    assert [str(each.reason) for each in found.rejections] == ([] if name else ["column_count"])
    assert all(node.properties.get("role") == role for node in found.nodes)


def test_columns_that_an_answer_leaves_out_or_adds_cost_no_row() -> None:
    found = heard(
        "node_id,node_type,name,mood\nn1,PERSON,Zofia Wilk,glad\nn2,PLACE,Torun,\n\n"
        "node_id_1,relationship_type,node_id_2\nn1,BORN_IN,n2\n"
    )
    assert [row.type for row in found.relationships] == ["BORN_IN"]
    assert found.relationships[0].span is not None
    assert found.relationships[0].span.method == "placed by rule"
    assert [(each.column, each.value, str(each.reason)) for each in found.dropped] == [
        ("mood", "glad", "unknown_column")
    ]


def rows_as(form: str) -> str:
    nodes = [row.split(",") for row in PEOPLE]
    relationships = ["1,n1,BORN_IN,n2,1901-05-03,,".split(",")]
    heads = (LEAN.node_header, LEAN.relationship_header)
    if form == "json":
        objects = [
            [dict(zip(head, row, strict=True)) for row in rows]
            for head, rows in zip(heads, (nodes, relationships), strict=True)
        ]
        written = json.dumps(dict(zip(("nodes", "relationships"), objects, strict=True)), indent=1)
        return f"Here it is:\n```json\n{written}\n```\n"
    if form == "table":
        lines = [
            [f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), *rows)]
            for head, rows in zip(heads, (nodes, relationships), strict=True)
        ]
    else:
        lines = [
            [",".join(head), *(f"({', '.join(map(json.dumps, row))})" for row in rows)]
            for head, rows in zip(heads, (nodes, relationships), strict=True)
        ]
    return "\n\n".join("\n".join(each) for each in lines) + "\n"


@pytest.mark.parametrize("form", ["json", "table", "tuples"])
def test_other_forms_with_our_columns_are_read(form: str) -> None:
    answer = rows_as(form)
    found = heard(answer)
    assert (found.outcome, found.rejections, found.dropped) == (ChunkOutcome.DONE, (), ())
    assert [node.name for node in found.nodes] == ["Zofia Wilk", "Torun", "Otto Lind"]
    assert [dict(row.properties) for row in found.relationships] == [{"start_date": "1901-05-03"}]
    parts = read(answer, LEAN, finish_reason="stop").parts
    assert "".join(answer[part.start : part.end] for part in parts) == answer
    assert sum(part.kind is PartKind.ROW for part in parts) == 4


def test_json_that_was_cut_is_not_whole() -> None:
    answer = rows_as("json")
    assert heard(answer[: answer.index('"relationships"')]).outcome is ChunkOutcome.TRUNCATED


@pytest.mark.parametrize(
    ("written", "date"),
    [
        ("1867-11-07", "1867-11-07"),
        ("1867-11", "1867-11"),
        ("1867", "1867"),
        ("-44", "-44"),
        ("44 BC", "-44"),
        ("circa 500 BC", "-500"),
        ("7 November 1867", "1867-11-07"),
        ("7. November 1867", "1867-11-07"),
        ("November 7, 1867", "1867-11-07"),
        ("Nov 1867", "1867-11"),
        ("1st of May 1901", "1901-05-01"),
        ("1 maja 1863", "1863-05-01"),
        ("12-12-1996", "1996-12-12"),
        ("02-03-1999", "1999-03-02"),
        ("12.12.1996", "1996-12-12"),
        ("25/12/1996", "1996-12-25"),
        ("12/25/1996", "1996-12-25"),
        ("3/4/1996", "1996"),  # the third of April, or the fourth of March
        ("2023-13-45", "2023"),
        ("1990-05-01T10:00:00Z", "1990-05-01"),
        ("c. 570", "570"),
        ("ca. 1850", "1850"),
        ("~1900", "1900"),
        ("570?", "570"),
        ("(1867)", "1867"),
        ("b. 570", "570"),
        ("d. 632", "632"),
        ("fl. 1200", "1200"),
        ("born 1815", "1815"),
        ("ur. 1867", "1867"),
        ("geb. 1867", "1867"),
        ("† 1906", "1906"),
        ("632 CE", "632"),
        ("AD 79", "79"),
        ("1990s", "1990"),
        ("1911–1913", "1911"),
        ("between 570 and 573", "570"),
        ("spring 1901", "1901"),
        ("6th century", "6th century"),
        ("20th c.", "20th c."),
        ("11 AH", "11 AH"),
        ("May 28", "May 28"),
        ("Monday", "Monday"),
    ],
)
def test_a_date_is_as_exact_as_it_is_certain(written: str, date: str) -> None:
    assert parse_date(written) == date
    assert parse_date(date) == date


@pytest.mark.parametrize("nothing", ["not stated", "Unknown", "N/A", "unspecified", "-", "nie podano", "unbekannt"])
def test_words_for_nothing_are_nothing(nothing: str) -> None:
    assert clean_field(nothing, "role", 100) == ""


def test_a_chunk_that_is_read_again_has_the_same_flags() -> None:
    found = extract(*PEOPLE, "6,n1,BORN_IN,n2,,,")
    assert flags(found) == ["ends_not_in_sentences"]
    again = interpret(found.chunk, found.answers, Reading(LEAN, "flag", "c"), Shown(TEXT))
    assert again == replace(found)
