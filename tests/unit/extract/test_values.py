"""Types, texts, years and numbers: test plan rows 9 to 11, 56."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import strategies as st

from csv_grammar import depth, holds
from kg_neo4j.extract.schema import ColumnKind, SchemaColumn
from kg_neo4j.extract.values import (
    MAX_YEAR,
    MIN_YEAR,
    RESERVED_RELATIONSHIP_TYPES,
    TYPE_PATTERN,
    ValueRefused,
    clean,
    clean_field,
    normalise_type,
    parse_number,
    parse_year,
)
from kg_neo4j.records import RejectionReason

STRENGTH = SchemaColumn("strength", ColumnKind.NUMBER, "", minimum=1, maximum=10)
ANY_NUMBER = SchemaColumn("amount", ColumnKind.NUMBER, "")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("PERSON", "PERSON"),
        ("person", "PERSON"),
        ("bornIn", "BORN_IN"),
        ("HTTPServer", "HTTP_SERVER"),
        ("son-of", "SON_OF"),
        ("took part  in", "TOOK_PART_IN"),
        ("_private_", "PRIVATE"),
        ("MIEJSCOWOŚĆ", "MIEJSCOWOSC"),
        ("człowiek", "CZLOWIEK"),
        ("Straße", "STRASSE"),
        ("ＰＥＲＳＯＮ", "PERSON"),
        ("Miejscowość", "MIEJSCOWOSC"),
        (unicodedata.normalize("NFD", "Miejscowość"), "MIEJSCOWOSC"),
        ("город", "GOROD"),
        ("ИСТОРИЧЕСКОЕ событие", "ISTORICHESKOE_SOBYTIE"),
        ("местоРождения", "MESTO_ROZHDENIYA"),
        ("Семья", "SEMYA"),
        ("Україна", "UKRAINA"),
        ("Πόλη", "POLI"),
        ("タワー", "TAWA"),
        ("도시", "DOSI"),
        ("人物", "RENWU"),
        ("مدينة", "MDYNH"),
        ("शहर", "SHR"),
    ],
)
def test_types_become_upper_snake_case(written: str, expected: str) -> None:
    assert normalise_type(written) == expected


@pytest.mark.parametrize(
    "payload",
    [
        "A`) DETACH DELETE n //",
        "x\\u0060) RETURN 1 //",
        "A\tB",
        "A]->()",
        "A:B",
        "A'B",
        'A"B',
        "A{b:1}",
        "A\u0000B",
        "$type",
        "１",
        "1ST",
        "人物`",
        "го:род",
        "｀",
        "",
        "_",
        "A" * 65,
        "A" * 70_000,
        "\u202eNOSREP",
    ],
)
def test_what_is_no_type_is_refused_and_never_repaired(payload: str) -> None:
    with pytest.raises(ValueRefused) as refused:
        normalise_type(payload)
    assert refused.value.reason == RejectionReason.BAD_TYPE
    assert len(refused.value.detail) < 500


@pytest.mark.parametrize("name", ["Document", "CHUNK", "Entity", "fact", "Unsettled", "lease"])
def test_types_named_like_structural_labels_keep_their_name(name: str) -> None:
    assert normalise_type(name) == name.upper()


def test_structural_relationship_types_get_a_suffix() -> None:
    assert normalise_type("in document", RESERVED_RELATIONSHIP_TYPES) == "IN_DOCUMENT_TYPE"
    assert normalise_type("document", RESERVED_RELATIONSHIP_TYPES) == "DOCUMENT"


@pytest.mark.parametrize("name", ["H2O", "A0A", "COVID19B"])
def test_a_type_in_capitals_is_one_word(name: str) -> None:
    assert normalise_type(name) == name
    assert normalise_type(name.lower()) == name


def test_a_type_that_its_spelling_makes_too_long_is_cut_and_told_apart() -> None:
    long, longer = (normalise_type("城" * number) for number in (30, 31))
    assert long.startswith("CHENGCHENG")
    assert len(long) == len(longer) == 64
    assert long != longer
    with pytest.raises(ValueRefused):
        normalise_type("城" * 65)


@depth
def test_every_type_that_passes_is_on_the_allow_list_and_stays(cases: int) -> None:
    def check(text: str) -> None:
        try:
            found = normalise_type(text)
        except ValueRefused:
            return
        assert TYPE_PATTERN.fullmatch(found)
        assert normalise_type(found) == found

    alphabet = st.one_of(st.sampled_from("abzAZ09_- `'\"\t\\"), st.characters())
    holds(check, st.text(alphabet, max_size=40), cases)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  Ada \n Lovelace\t", "Ada Lovelace"),
        ("Khadi\u0304ja", "Khadīja"),
        ("A\u200bd\u202ea\ufeff", "Ada"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("A\u200dB", "AB"),
        ("👩\u200d🔬", "👩\u200d🔬"),
        ("Tag\U000e0041s", "Tags"),
    ],
)
def test_texts_are_cleaned(text: str, expected: str) -> None:
    assert clean(text) == expected


@pytest.mark.parametrize("char", ["\0", "\x07", "\x1b", "\x7f", "\x90", "\ud800"])
def test_characters_that_no_text_has_are_refused(char: str) -> None:
    with pytest.raises(ValueRefused, match="name: U\\+") as refused:
        clean_field(f"A{char}B", "name", 500)
    assert refused.value.reason == RejectionReason.BAD_CHARACTER


@pytest.mark.parametrize("text", ["null", "None", "N/A", "n/a", "unknown", "-", "—", " ", "?"])
def test_words_for_nothing_are_nothing(text: str) -> None:
    assert clean_field(text, "role", 500) == ""


def test_names_have_a_limit_after_cleaning() -> None:
    assert len(clean_field("x" * 500 + "   ", "name", 500)) == 500
    for text in ("x" * 501, "x" * 40_000):
        with pytest.raises(ValueRefused) as refused:
            clean_field(text, "name", 500)
        assert refused.value.reason == RejectionReason.TOO_LONG


@depth
def test_a_clean_text_is_sendable_and_stays_clean(cases: int) -> None:
    def check(text: str) -> None:
        try:
            found = clean(text)
        except ValueRefused:
            return
        found.encode("utf-8")
        assert "\0" not in found
        assert unicodedata.is_normalized("NFC", found)
        assert clean(found) == found

    alphabet = st.one_of(st.characters(), st.sampled_from("\u200c\u200d\u200b e\u0301ا\n\t\ud800"))
    holds(check, st.text(alphabet, max_size=40), cases)


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("570", 570),
        ("c. 570", 570),
        ("ca 570", 570),
        ("~570", 570),
        ("570?", 570),
        ("(570)", 570),
        ("570 (disputed)", 570),
        ("570 CE", 570),
        ("AD 570", 570),
        ("4 BC", -4),
        ("44 B.C.", -44),
        ("-44", -44),
        ("-44 BC", -44),
        ("44 p.n.e.", -44),
        ("44 v. Chr.", -44),
        ("10–5 BC", -10),
        ("570/571", 570),
        ("570-573", 570),
        ("between 570 and 573", 570),
        ("early 1800s", 1800),
        ("1990-05-01", 1990),
        ("1990-05-01T00:00:00Z", 1990),
        ("01.05.1990", 1990),
        ("1 May 1990", 1990),
        ("5 maja 1990", 1990),
        ("May 1, 1990", 1990),
        ("May 1990", 1990),
        ("1990.0", 1990),
        ("１９９０", 1990),
        ("٥٧٠", 570),
    ],
)
def test_years_are_read(text: str, year: int) -> None:
    assert parse_year(text, "birth_year") == year


@pytest.mark.parametrize(
    "text",
    [
        "12 years",
        "NaN",
        "inf",
        str(2**63),
        '{"year": 570}',
        "[570]x",
        "6th century",
        "aged 120",
        "10000",
        "-10000",
        "twelve",
        "1e3",
        "0x10",
        "570 571",
        "1" * 500,
        "c." * 500,
        "in " * 20 + "1",
    ],
)
def test_what_is_no_year_is_refused(text: str) -> None:
    with pytest.raises(ValueRefused, match="birth_year") as refused:
        parse_year(text, "birth_year")
    assert refused.value.reason == RejectionReason.BAD_VALUE


@depth
def test_every_year_is_a_small_whole_number(cases: int) -> None:
    def check(text: str) -> None:
        try:
            assert MIN_YEAR <= parse_year(text, "y") <= MAX_YEAR
        except ValueRefused:
            return

    words = st.sampled_from(
        ["c. ", "BC", "AD ", "-", "/", " and ", "May", "1", "44", "570", "1990", "(", ")", "s", "."]
    )
    holds(check, st.one_of(st.text(max_size=20), st.lists(words, max_size=8).map("".join)), cases)


@pytest.mark.parametrize(("text", "number"), [("8", 8), ("8.0", 8), ("8.5", 8.5), ("+1", 1), ("10", 10)])
def test_numbers_are_read(text: str, number: float) -> None:
    found = parse_number(text, STRENGTH)
    assert found == number
    assert isinstance(found, type(number))


@pytest.mark.parametrize(
    "text", ["0", "10.5", "11", "-3", "NaN", "inf", "1e400", "high", "8/10", "٨", "1_0", "", "1" * 400]
)
def test_numbers_out_of_range_or_none_at_all_are_refused(text: str) -> None:
    with pytest.raises(ValueRefused, match="strength") as refused:
        parse_number(text, STRENGTH)
    assert refused.value.reason == RejectionReason.BAD_VALUE


@pytest.mark.parametrize("text", [str(2**63), str(-(2**63)), "9" * 400])
def test_numbers_that_the_database_cannot_hold_are_refused(text: str) -> None:
    with pytest.raises(ValueRefused):
        parse_number(text, ANY_NUMBER)
