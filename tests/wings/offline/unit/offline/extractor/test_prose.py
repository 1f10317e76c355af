"""What of a text is running prose: contents, references and footnote numbers are blanked out, nothing else is."""

from __future__ import annotations

import pytest

from kg_neo4j_offline.extractor.parsed_text import blank_lists

PROSE = "Ada Lind was born in Oslo in 1871. She moved to Bergen with her brother, who taught there."


def read(text: str) -> list[str]:
    blanked = blank_lists(text)
    assert len(blanked) == len(text)
    assert all(one in (other, " ") for one, other in zip(blanked, text, strict=True))
    return [line.strip() for line in blanked.splitlines() if line.strip()]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("the war.42 He returned", "the war.   He returned"),
        ("the war.” 42 He returned", "the war.”    He returned"),
        ("42 He returned", "   He returned"),
        ("to what Lind says,3 it was", "to what Lind says,  it was"),
        ("no payment.5", "no payment. "),
        ("the hospital.4 Judith Lind", "the hospital.  Judith Lind"),
    ],
)
def test_the_number_of_a_footnote_is_no_word(text: str, left: str) -> None:
    assert blank_lists(text) == left


@pytest.mark.parametrize(
    "text",
    [
        "Prelude Op.28 and fig.3 and No.2 of vol.4",
        "It cost 1,200 crowns, 42 more than before.",
        "They were 40. 42 ships followed.",
        "Chapter 4. Lind arrives",
        "in 1810, 28 years later",
        "version 2.5 of the engine",
    ],
)
def test_other_numbers_stay(text: str) -> None:
    assert blank_lists(text) == text


@pytest.mark.parametrize(
    "line",
    [
        "II. Countess Ysolde and the Salt War . . . . . . . . 9",
        "2.1 Intake .......................... 5",
        "1. ^ Lind, K. (2003). The Bottle Post. Halden: Fjord Press, pp. 11–14.",
        "[12] Zamoyski 2010, pp. 4–5.",
        "5 Ibid., p. 96, and Lind, op. cit., p. 3.",
    ],
)
def test_a_line_in_the_form_of_an_entry_is_not_read(line: str) -> None:
    assert read(f"{PROSE}\n{line}\n{PROSE}") == [PROSE, PROSE]


def test_contents_are_not_read_and_what_follows_is() -> None:
    text = f"CONTENTS\nPreface\n1863: Lind died 4.2\nThe war\n\nPREFACE\n{PROSE}"
    assert read(text)[-1] == PROSE
    assert "Lind died" not in " ".join(read(text))


def test_wrapped_prose_after_contents_is_read() -> None:
    wrapped = (
        "Ada Lind was born in Oslo and moved to\nBergen with her brother who taught at\nthe school there for years.\n"
    )
    assert read(f"Contents\n\nThe war 3\nThe peace 7\n\n{wrapped}") == ["Contents", *wrapped.splitlines()]


def test_lines_with_section_numbers_are_a_list_where_they_are_several() -> None:
    entries = ["March 1863: Lind died 4.2", "May 1864: the peace of Oslo 4.3", "June 1865: Berg's election 5.1"]
    assert read("\n".join([PROSE, *entries, "", PROSE])) == [PROSE, PROSE]
    assert read(f"{PROSE}\n{entries[0]}\n{PROSE}") == [PROSE, entries[0], PROSE]


@pytest.mark.parametrize("heading", ["References", "== References ==", "## Bibliography", "WORKS CITED"])
def test_what_a_heading_announces_is_not_read_up_to_the_next_one(heading: str) -> None:
    sources = "Lind, A., The School, Oslo 1938.\n* Berg on bridges\nThe Daily Oslo, 3 May 1904"
    assert read(f"{PROSE}\n\n{heading}\n{sources}\n\n== Legacy ==\n{PROSE}") == [
        *(PROSE, heading, "== Legacy ==", PROSE),
    ]


def test_notes_that_are_prose_are_read() -> None:
    notes = f"Notes\n- Ada Lind was born in 1871.\n1. The committee agreed on the bridge.\n{PROSE}"
    assert read(notes) == notes.splitlines()
    assert read("Notes\n1 Lind, MS. in the museum, fol. 7.\n2 A letter to his mother.") == ["Notes"]


def test_a_dialogue_a_list_and_a_table_are_read() -> None:
    text = "- Ada Lind, mayor\n- Otto Berg, clerk\n\n| Ada | 1871 |\n| Otto | 1873 |\n\n“Good . . .” said Ada. “Yes.”"
    assert read(text) == [line for line in text.splitlines() if line]


def test_lines_with_page_numbers_below_each_other_are_no_prose() -> None:
    pictures = (
        "Ada Lind at the mill                 vi",
        "He gave Otto Berg a ring            11",
        "Oslo in the snow    28-29",
    )
    assert read("\n".join([PROSE, *pictures, PROSE])) == [PROSE, PROSE]
    assert read("\n".join([PROSE, pictures[1], PROSE])) == [PROSE, pictures[1], PROSE]


def test_the_heads_of_columns_are_no_prose() -> None:
    table = "Item  Minimum  Recommended\n --- --- --- \nMemory  4 GiB  8 GiB"
    assert read(f"{PROSE}\n\n{table}") == [PROSE, "--- --- ---", "Memory  4 GiB  8 GiB"]
