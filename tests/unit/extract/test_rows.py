"""From answers to raw rows: test plan rows 1 to 6 and 12."""

from __future__ import annotations

import re

import pytest
from hypothesis import strategies as st

from csv_grammar import (
    CELLS,
    NODE_HEADER,
    RELATIONSHIP_HEADER,
    SCHEMA,
    TEMPLATES,
    CleanAnswer,
    as_read,
    clean_answers,
    depth,
    fields_of,
    holds,
    reordered_answers,
)
from kg_neo4j.extract import schema as schemas
from kg_neo4j.extract.rows import MAX_ANSWER, MAX_FIELD, MAX_ROWS, SEPARATORS, PartKind, ReadRows, RowKind, read
from kg_neo4j.records import RejectionReason

EXAMPLE = SCHEMA.example_answer
HEADER = ",".join(NODE_HEADER)
RELATIONSHIPS = ",".join(RELATIONSHIP_HEADER)
PLAIN = f"{HEADER}\nn1,PERSON,Ada,1815,,,,,\nn2,PLACE,London,,,,,,\n\n{RELATIONSHIPS}\nr1,n1,LIVED_IN,n2,,,,\n"
ROW = "n1,PERSON,Ada,,,,,,"


def read_done(text: str) -> ReadRows:
    return read(text, SCHEMA, finish_reason="stop")


def reasons(found: ReadRows) -> list[str]:
    return [str(rejection.reason) for rejection in found.rejections]


@pytest.mark.parametrize("name", ["lean", "described", "wikipedia"])
def test_the_worked_example_of_each_schema_is_read_whole(name: str) -> None:
    schema = schemas.load(name)
    found = read(schema.example_answer, schema, finish_reason="stop")
    assert [row.kind for row in found.rows] == [RowKind.NODE] * 5 + [RowKind.RELATIONSHIP] * (
        6 if name == "lean" else 4
    )
    assert found.rejections == ()
    assert [row.line for row in found.rows[:9]] == [2, 3, 4, 5, 6, 9, 10, 11, 12]


@pytest.mark.parametrize(
    ("more", "values", "phrase", "stated"),
    [
        ("", "", "", True),
        (",phrase", ",applaud", "applaud", True),
        (",phrase,stated", ",applaud,false", "applaud", False),
        (",stated,phrase", ",false,applaud", "applaud", False),
        (",stated", ",false", "", False),
    ],
)
def test_a_column_that_no_model_is_asked_for_is_read_where_it_is_there(
    more: str, values: str, phrase: str, stated: bool
) -> None:
    found = read_done(f"{HEADER}\n{ROW}\n\n{RELATIONSHIPS}{more}\nr1,n1,RELATED_TO,n1,,,,{values}\n")
    assert found.rejections == ()
    assert [(row.fields[len(RELATIONSHIP_HEADER) :], row.stated) for row in found.rows[1:]] == [((phrase,), stated)]


@depth
def test_quotes_commas_and_line_breaks_survive(cases: int) -> None:
    def check(answer: CleanAnswer) -> None:
        found = read_done(answer.text)
        assert fields_of(found) == as_read(answer.rows)
        assert found.rejections == ()

    holds(check, clean_answers(), cases)


def test_there_are_at_least_forty_ways_to_wrap_an_answer() -> None:
    assert len(TEMPLATES) >= 40


def test_the_example_is_found_in_every_wrapping() -> None:
    whole = fields_of(read_done(EXAMPLE))
    for before, after in TEMPLATES:
        found = read_done(before + EXAMPLE + after)
        assert (fields_of(found), found.rejections) == (whole, ()), (before, after)


@depth
def test_any_answer_is_found_in_any_wrapping(cases: int) -> None:
    def check(given: tuple[CleanAnswer, tuple[str, str]]) -> None:
        answer, (before, after) = given
        assert fields_of(read_done(before + answer.text + after)) == as_read(answer.rows)

    holds(check, st.tuples(clean_answers(), st.sampled_from(TEMPLATES)), cases)


def test_a_row_whose_first_field_is_a_fence_is_a_row() -> None:
    nodes = tuple((f"n{number}", "PERSON", "N", *[""] * 6) for number in (1, 2, 3))
    answer = CleanAnswer(
        nodes,
        (("r1", "n1", "SON_OF", "n1", "", "```", "", ""),),
        relationship_order=(5, 1, 2, 3, 4, 0, 6, 7),
        blank_line=False,
        nodes_first=False,
    )
    assert fields_of(read_done(answer.text)) == as_read(answer.rows)


@depth
def test_the_header_row_decides_the_order_of_columns(cases: int) -> None:
    def check(answer: CleanAnswer) -> None:
        assert fields_of(read_done(answer.text)) == as_read(answer.rows)

    holds(check, reordered_answers(), cases)


@depth
def test_rows_need_the_columns_of_ids_types_and_names_alone(cases: int) -> None:
    def check(given: tuple[CleanAnswer, int, str]) -> None:
        answer, place, change = given
        header, order = list(NODE_HEADER), list(answer.node_order)
        if change == "renamed":
            header[place] = "colour"
        if change == "missing":
            del order[place]
        rows = [(*row, "x") if change == "added" else row for row in [tuple(header), *answer.nodes]]
        order += [len(header)] if change == "added" else []
        found = read_done(answer.write(rows, tuple(order)))
        if change == "added" or NODE_HEADER[place] not in ("node_type", "name"):
            assert (len(found.rows), found.rejections) == (len(answer.nodes), ())
            names = {name for row in found.rows for name, _ in row.others}
            assert names == ({"x"} if change == "added" else {"colour"} if change == "renamed" else set())
            assert change == "added" or {row.fields[place] for row in found.rows} == {""}
        else:
            assert found.rows == ()
            assert reasons(found) == [RejectionReason.COLUMN_COUNT] * len(answer.nodes)

    changes = st.sampled_from(["renamed", "missing", "added"])
    holds(check, st.tuples(clean_answers(), st.integers(1, len(NODE_HEADER) - 1), changes), cases)


@pytest.mark.parametrize("headers_too", [True, False])
@pytest.mark.parametrize("separator", SEPARATORS[1:])
def test_other_separators_are_read_as_well(separator: str, headers_too: bool) -> None:
    plain = PLAIN.replace(",", separator)
    if not headers_too:
        plain = "\n".join(
            line.replace(separator, ",") if line.startswith(("node_id", "relationship_id")) else line
            for line in plain.split("\n")
        )
    assert fields_of(read_done(plain)) == fields_of(read_done(PLAIN))


def test_a_table_in_markdown_is_read() -> None:
    lines = [f"| {' | '.join(line.split(','))} |" if line else "" for line in PLAIN.split("\n")]
    rule = "|" + "---|" * len(NODE_HEADER)
    found = read_done("\n".join((lines[0], rule, *lines[1:])))
    assert [[field.strip() for field in row] for row in fields_of(found)] == [
        [*row] for row in fields_of(read_done(PLAIN))
    ]


@pytest.mark.parametrize(
    "line",
    [
        "n1 - PERSON - Ada",
        "- n1: PERSON Ada",
        "n1 => Ada => PERSON",
        "(n1 / PERSON / Ada)",
        "n1~PERSON~Ada~~~~~~",
        "n1   PERSON   Ada",
        "Ada -> KNEW -> Ben",
    ],
)
def test_what_begins_with_an_id_is_counted_and_not_lost(line: str) -> None:
    found = read_done(f"{HEADER}\n{line}\n\n{RELATIONSHIPS}\n")
    assert (found.rows, reasons(found)) == ((), [RejectionReason.COLUMN_COUNT])


def test_an_answer_that_begins_again_is_corrected_by_its_last_whole_version() -> None:
    final = f"{HEADER}\nn1,PERSON,Ada,,,,,,\nn2,PLACE,London,,,,,,\n\n{RELATIONSHIPS}\nr1,n1,LIVED_IN,n2,,,,\n"
    draft = final.replace("Ada", "Eve").replace("LIVED_IN", "HATED")
    found = read_done(f"```csv\nA draft.\n{draft}No, that is wrong.\n```\n**Final answer**\n```csv\n{final}```\n")
    assert [row[2] for row in fields_of(found)] == ["Ada", "London", "LIVED_IN"]
    assert found.characters(PartKind.IGNORED) >= len(draft)
    cut = read(f"{final}\n{draft[: len(draft) // 3]}", SCHEMA, finish_reason="length")
    assert [row[2] for row in fields_of(cut)] == ["Ada", "London", "LIVED_IN"]


def test_sections_with_other_ids_belong_together() -> None:
    parts = [f"{HEADER}\nn{i},PERSON,Ada {i},,,,,,\n\n{RELATIONSHIPS}\n" for i in range(3)]
    assert [row[2] for row in fields_of(read_done("\n".join(parts)))] == ["Ada 0", "Ada 1", "Ada 2"]


@depth
def test_the_parts_of_any_answer_add_up_to_it(cases: int) -> None:
    pieces = st.sampled_from(
        [HEADER, RELATIONSHIPS, ROW, "r1,n1,KNEW,n1,,,,",
         "\n", "\r\n", "\n\n", "```", "<think>", "</think>", '"',
         ";", "|", "n1", "Here it is:", "[THINK]", "[/THINK]", "n1;PERSON;Ada;;;;;;", "<|end|>",
         "n2,PLACE", "\ud83d", "\0"]
    )  # fmt: skip

    def check(given: tuple[list[str], str | None]) -> None:
        text = "".join(given[0])
        found = read(text, SCHEMA, finish_reason=given[1])
        plain = text.replace("\r\n", "\n").replace("\r", "\n")
        assert "".join(plain[part.start : part.end] for part in found.parts) == plain
        assert found.characters() == len(plain)
        assert all(part.end > part.start for part in found.parts)
        kinds = [part.kind for part in found.parts]
        assert kinds.count(PartKind.ROW) == len(found.rows)
        assert kinds.count(PartKind.REJECTION) == len(found.rejections)

    whole = st.lists(pieces | st.text(max_size=20), max_size=30)
    holds(check, st.tuples(whole, st.sampled_from(["stop", "length", None])), cases)


@depth
def test_one_stray_quote_costs_one_row_at_most(cases: int) -> None:
    def check(given: tuple[CleanAnswer, float]) -> None:
        answer, where = given
        place = int(where * len(answer.text))
        found = read_done(answer.text[:place] + '"' + answer.text[place:])
        lost = set(as_read(answer.rows)) - set(fields_of(found))
        assert len(lost) <= 1

    holds(check, st.tuples(clean_answers(), st.floats(0, 1)), cases)


def test_a_stray_quote_anywhere_in_the_example_costs_one_row_at_most() -> None:
    whole = set(fields_of(read_done(EXAMPLE)))
    for place in range(len(EXAMPLE) + 1):
        kept = set(fields_of(read_done(EXAMPLE[:place] + '"' + EXAMPLE[place:])))
        assert len(whole - kept) <= 1, place


@pytest.mark.parametrize(
    ("row", "name"),
    [
        ('n1,PERSON,Dwayne "The Rock" Johnson,,,,,,', 'Dwayne "The Rock" Johnson'),
        ('n1,PERSON,"Dwayne "The Rock" Johnson",,,,,,', 'Dwayne "The Rock" Johnson'),
        (r'n1,PERSON,"Dwayne \"The Rock\" Johnson",,,,,,', 'Dwayne "The Rock" Johnson'),
        ('n1, PERSON, "Ali, son of Abu Talib" ,,,,,,', "Ali, son of Abu Talib"),
    ],
)
def test_careless_quotes_in_pairs_are_understood(row: str, name: str) -> None:
    found = read_done(f"{HEADER}\n{row}\n")
    assert [each.fields[2] for each in found.rows] == [name]


@pytest.mark.parametrize(
    "row", ['n1,PERSON,"Ada,,,,,,', 'n1,PERSON,Ada",,,,,,', 'n1,PERSON,"A" and "B,,,,,,', 'n1,PERSON,"a"b",,,,,,']
)
def test_an_unbalanced_quote_is_named_as_the_reason(row: str) -> None:
    found = read_done(f"{HEADER}\n{row}\nn2,PERSON,Bob,,,,,,\n")
    assert [each.fields[0] for each in found.rows] == ["n2"]
    assert reasons(found) == [RejectionReason.UNBALANCED_QUOTE]
    assert found.rejections[0].line == 2


def test_a_quote_left_open_does_not_swallow_the_rows_up_to_the_next_one() -> None:
    rows = 'n1,"PERSON,Ada,,,,,,\nn2,PERSON,Bob,,,,,,\nn3,PERSON,Cy,,,,"""\nsaid Cy""",,\n'
    found = read_done(f"{HEADER}\n{rows}")
    assert [row.fields[0] for row in found.rows] == ["n2", "n3"]
    assert reasons(found) == [RejectionReason.UNBALANCED_QUOTE]


def test_a_quote_left_open_does_not_make_the_rest_of_a_cut_answer_one_cut_row() -> None:
    rows = 'n1,PERSON,"Ada,,,,,,\nn2,PERSON,Bob,,,,,,\nn3,PERS'
    found = read(f"{HEADER}\n{rows}", SCHEMA, finish_reason="length")
    assert [row.fields[0] for row in found.rows] == ["n2"]
    assert reasons(found) == [RejectionReason.UNBALANCED_QUOTE, RejectionReason.TRUNCATED]


def test_a_header_row_within_quotes_is_data() -> None:
    quoted = f'n1,PERSON,Ada,,,,,"she wrote\n{HEADER}\nn9,PERSON,Eve,,,,,,\nand more",\n'
    found = read_done(f"{HEADER}\n{quoted}")
    assert [row.fields[0] for row in found.rows] == ["n1"]
    assert HEADER in found.rows[0].fields[7]


def test_nodes_may_follow_relationships_and_sections_may_repeat() -> None:
    second = ",".join(RELATIONSHIP_HEADER)
    link = "r{0},n1,KNOWS,n2,,,,"
    text = f"{HEADER}\n{ROW}\n{second}\n{link.format(1)}\n{HEADER}\nn2,PERSON,Bob,,,,,,\n\n{second}\n{link.format(2)}"
    assert [row.fields[0] for row in read_done(text).rows] == ["n1", "r1", "n2", "r2"]


def test_header_rows_may_have_quotes_capitals_and_spaces() -> None:
    header = ", ".join(f'"{name.upper()}"' for name in NODE_HEADER)
    assert len(read_done(f"{header}\n{ROW}").rows) == 1


def test_a_row_with_missing_columns_is_counted_and_prose_is_not() -> None:
    found = read_done(f"{HEADER}\n{ROW}\nn2,PERSON,Bob\nn3\nThat is all.\n\nI hope, dear reader, this helps.\n")
    assert reasons(found) == [RejectionReason.COLUMN_COUNT] * 2
    assert found.rejections[0].detail == "3 fields for 9 columns"
    assert found.count == 3


def test_rows_go_on_after_a_blank_line_or_a_fence() -> None:
    found = read_done(f"```csv\n{HEADER}\n{ROW}\n```\n\n```csv\nn2,PERSON,Bob,,,,,,\n\nn3,PERSON,Cy\n```\n")
    assert [row.fields[0] for row in found.rows] == ["n1", "n2"]
    assert reasons(found) == [RejectionReason.COLUMN_COUNT]


def test_a_reasoning_tag_within_quotes_hides_nothing() -> None:
    found = read_done(
        f'{HEADER}\nn1,PERSON,Ada,,,,,"said\n<think>\nand",\nn2,PERSON,Bob,,,,,,\n<think>\nn3,P,Cy,,,,,,\n'
    )
    assert [row.fields[0] for row in found.rows] == ["n1", "n2", "n3"]


def test_reasoning_that_never_ends_is_no_answer() -> None:
    found = read(f"<think>\n{EXAMPLE}", SCHEMA, finish_reason="length")
    assert found.count == 0
    assert found.sections == frozenset()


def test_a_cut_answer_keeps_whole_rows_whatever_the_place_of_the_cut() -> None:
    text = EXAMPLE + "\n" + re.sub(r"\b([nr])(\d)", r"\g<1>9\2", EXAMPLE)  # about 3 KB, no line breaks within rows
    headers = (HEADER, ",".join(RELATIONSHIP_HEADER))
    for place in range(len(text)):
        whole, _, last = text[:place].rpartition("\n")
        found = read(text[:place], SCHEMA, finish_reason="length")
        assert fields_of(found) == fields_of(read_done(whole)), place
        if len(last) > 2:
            partial = not any(header.startswith(last) for header in headers)
            assert reasons(found) == [RejectionReason.TRUNCATED] * partial, place


@depth
def test_a_cut_in_any_answer_leaves_only_whole_rows(cases: int) -> None:
    def check(given: tuple[CleanAnswer, float]) -> None:
        answer, where = given
        found = read(answer.text[: int(where * len(answer.text))], SCHEMA, finish_reason="length")
        assert set(fields_of(found)) <= set(as_read(answer.rows))

    holds(check, st.tuples(clean_answers(), st.floats(0, 1)), cases)


@pytest.mark.parametrize(
    ("reason", "expected"), [(None, "truncated"), ("length", "truncated"), ("stop", "column_count")]
)
def test_a_last_row_without_all_columns_is_suspect_unless_the_model_says_it_is_done(
    reason: str | None, expected: str
) -> None:
    found = read(f"{HEADER}\n{ROW}\nn2,PERSON,Bo", SCHEMA, finish_reason=reason)
    assert reasons(found) == [expected]


def test_without_a_finish_reason_a_whole_last_row_counts() -> None:
    assert len(read(f"{HEADER}\n{ROW}", SCHEMA, finish_reason=None).rows) == 1
    assert len(read(f"{HEADER}\n{ROW}", SCHEMA, finish_reason="length").rows) == 0


def test_a_cut_within_a_quoted_line_break_is_one_rejection() -> None:
    found = read(f'{HEADER}\n{ROW}\nn2,PERSON,Bob,,,,,"first line\nsecond li', SCHEMA, finish_reason="length")
    assert reasons(found) == [RejectionReason.TRUNCATED]
    assert [row.fields[0] for row in found.rows] == ["n1"]


def test_long_fields_and_nul_bytes_cost_their_row_only() -> None:
    long = "x" * (MAX_FIELD + 1)
    found = read_done(f"{HEADER}\nn1,PERSON,{long},,,,,,\nn2,PERSON,A\0B,,,,,,\n{ROW}\n")
    assert reasons(found) == [RejectionReason.TOO_LONG]
    assert [row.fields[2] for row in found.rows] == ["A\0B", "Ada"]
    assert len(found.rejections[0].text) == 500


def test_rows_beyond_the_cap_are_counted_one_by_one() -> None:
    found = read_done(HEADER + "\n" + f"{ROW}\n" * (MAX_ROWS + 100))
    assert len(found.rows) == MAX_ROWS
    assert reasons(found) == [RejectionReason.ANSWER_TOO_LARGE] * 100


def test_what_lies_beyond_the_cap_on_characters_is_said() -> None:
    row = "n1,PERSON," + "x" * 50_000 + ",,,,,,\n"
    found = read_done(f"{HEADER}\n" + row * (MAX_ANSWER // len(row) + 3))
    assert reasons(found)[-1] == RejectionReason.ANSWER_TOO_LARGE
    assert "were not read" in found.rejections[-1].detail
    assert found.count == len(found.rows) + 1


@depth
def test_no_text_at_all_is_too_strange(cases: int) -> None:
    pieces = st.sampled_from(
        [HEADER, ",".join(RELATIONSHIP_HEADER), ROW, "\n", "\r", '"', "```", "<think>", "</think>"]
    )
    strange = st.lists(st.one_of(pieces, CELLS, st.text(max_size=20)), max_size=30).map("\n".join)

    def check(given: tuple[str, str | None]) -> None:
        found = read(given[0], SCHEMA, finish_reason=given[1])
        assert found.count == len(found.rows) + len(found.rejections)
        assert all(len(row.fields) in (len(NODE_HEADER), len(RELATIONSHIP_HEADER)) for row in found.rows)

    holds(check, st.tuples(strange, st.sampled_from(["stop", "length", None])), cases)
