"""What a reader of a PDF sees is in its text: whole words, in order, values of forms; pages without text are named."""

from __future__ import annotations

import pytest

from kg_neo4j.acquire.interface import ParsedText, ReadOptions
from kg_neo4j.acquire.readers import kinds
from kg_neo4j.acquire.sandbox import Sandbox
from kg_neo4j.errors import UnreadableSource
from made_files import encrypted_pdf, pdf, pdf_bomb, placed_pdf

LEFT = ("The lamp of the old harbour stood", "in a house of glass on the rock", "until the winter in which the sea")
LEFT += ("took the house and left the lamp", "which was found by two fishermen", "who brought it to the new tower")
RIGHT = (
    "Ivo Brandt lends his copper mill",
    "to the guild for a small rent that",
    "the treasurer pays in the spring of",
)
RIGHT += ("each year by a letter to the bank", "which keeps a copy in its ledger", "and sends another to the town")
FIELD = "/Subtype /Widget /Rect [200 {y} 300 {top}] {entries}"


def parse(data: bytes, **options: str) -> ParsedText:
    with Sandbox() as box:
        return box.parse(kinds()[".pdf"], data, ReadOptions(**options))


def refusal(data: bytes, **options: str) -> str:
    with pytest.raises(UnreadableSource) as caught:
        parse(data, **options)
    return str(caught.value)


def lines_at(x: float, lines: tuple[str, ...], top: float = 700) -> list[tuple[float, float, str]]:
    return [(x, top - 14 * row, line) for row, line in enumerate(lines)]


def field(y: int, entries: str) -> str:
    return FIELD.format(y=y, top=y + 20, entries=entries)


@pytest.mark.parametrize(
    ("entries", "line"),
    [
        ("/FT /Tx /T (a) /V (Ivo Brandt)", "Owner: Ivo Brandt"),  # without an appearance, as many programs fill forms
        ("/FT /Ch /Ff 131072 /T (a) /Opt [[(o1) (Red)] [(o2) (Blue)]] /V (o2)", "Owner: Blue"),
        ("/FT /Ch /T (a) /Opt [(Red) (Blue) (Green)] /Ff 2097152 /V [(Red) (Green)] /I [0 2]", "Owner: Red, Green"),
        ("/FT /Btn /T (a) /V /Yes /AS /Yes /AP << /N << /Yes null /Off null >> >>", "Owner: [x]"),
        ("/FT /Btn /T (a) /V /Off /AS /Off /AP << /N << /Yes null /Off null >> >>", "Owner: [ ]"),
        ("/FT /Tx /T (a) /Ff 8192 /V (secret)", "Owner:"),
        ("/FT /Tx /T (a)", "Owner:"),
        ("/FT /Tx /T (a) /F 2 /V (hidden)", "Owner:"),
    ],
)
def test_value_of_a_form_field_follows_its_label(entries, line):
    texts = [(72, 700, "Owner:"), (72, 660, "Street:"), (72, 620, "The end.")]
    found = parse(placed_pdf([texts], [field(695, entries)])).text
    assert [each for each in found.splitlines() if each] == [line, "Street:", "The end."]


def test_field_without_words_next_to_it_is_named_by_its_hint():
    found = parse(placed_pdf([[(72, 700, "A form")]], [field(100, "/FT /Tx /T (a) /TU (Remarks) /V (None so far)")]))
    assert found.text == "A form\n\nRemarks: None so far"


def test_text_laid_over_a_page_is_kept():
    note = "/Subtype /FreeText /Rect [72 90 300 110] /Contents (Seen by Ivo.) /DA (/F1 11 Tf)"
    assert parse(placed_pdf([[(72, 700, "A letter.")]], [note])).text == "A letter.\n\nSeen by Ivo."


@pytest.mark.parametrize(
    ("pages", "told"),
    [
        (["One.", "", "", "Four."], "pages 2 and 3 of 4 have no text (a scan?)"),
        (["One.", "2"], "page 2 of 2 has no text (a scan?)"),
        (["One.", "Two.", "- iii -", "", "Page 5 of 7", "Six.", ""], "pages 3 to 5, 7 of 7 have no text (a scan?)"),
        (["One.", "Two."], ""),
    ],
)
def test_pages_without_text_are_named(pages, told):
    assert parse(pdf(pages)).left_out == told


@pytest.mark.parametrize("pages", [["1", "2", "3"], ["Page 1 of 2", "Page 2 of 2"], ["- 1 -"], ["i", "ii"]])
def test_scan_with_page_numbers_has_no_text(pages):
    with pytest.raises(UnreadableSource, match="no text on"):
        parse(pdf(pages))


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (["Ivo Bran-", "dt keeps the har-", "bour."], "Ivo Brandt keeps the harbour."),
        (["A well-", "known man."], "A well-known man."),
        (["The light-house.", "A light-", "house."], "The light-house.\nA light-house."),
        (["The lighthouse.", "A light-", "house."], "The lighthouse.\nA lighthouse."),
        (["The tower and the keeper.", "A tower-", "keeper."], "The tower and the keeper.\nA tower-keeper."),
        (["Anna Meyer-", "Brandt."], "Anna Meyer-Brandt."),
        (["HAR-", "BOUR"], "HARBOUR"),
        (["pre-", "and post-war"], "pre-\nand post-war"),
        (["1920-", "1939"], "1920-1939"),
        (["at state-of-the-", "art cost"], "at state-of-the-art cost"),
    ],
)
def test_word_that_a_line_end_parts_is_joined(lines, text):
    assert parse(pdf(["\n".join(lines)])).text == text


def test_word_that_a_page_end_parts_is_joined_and_the_page_begins_within_it():
    found = parse(pdf(["The mill of Ivo Bran-", "dt is sold."]))
    assert found.text == "The mill of Ivo Brandt is sold."
    assert found.text[found.pages[1] :] == "dt is sold."


def test_ligatures_and_accents_set_over_letters_are_letters():
    texts = [(72, 700, "The \\256rst \\257at"), (72, 680, "Andr"), (95.2, 680, "\\302"), (95.5, 680, "e")]
    assert parse(placed_pdf([texts])).text == "The first flat\nAndré"


def test_headers_footers_and_page_numbers_are_out_of_the_sentences():
    parts = ("Ivo Brandt lends the mill to the", "Guild of Saint Anne, and he gets", "a rent. The end.")
    pages = [
        [(72, 760, "The mills"), (500, 760, f"{n}"), (72, 700, part), (300, 30, f"Page {n} of 3")]
        for n, part in enumerate(parts, start=1)
    ]
    found = parse(placed_pdf(pages))
    sentences = " ".join(found.text.split())
    assert "Ivo Brandt lends the mill to the Guild of Saint Anne, and he gets a rent. The end." in sentences
    assert found.text.count("The mills") == 1
    assert "Page" not in found.text
    assert [found.text[start:].split()[0] for start in found.pages[1:]] == ["Guild", "a"]


def test_a_line_that_runs_stands_with_the_pages_that_it_is_of():
    owners = ("Patient: Ivo Brandt", "Patient: Ivo Brandt", "Patient: Ada Marsh", "Patient: Ada Marsh")
    pages = [[(72, 760, owner), (72, 700, f"He has illness {n}.")] for n, owner in enumerate(owners)]
    text = parse(placed_pdf(pages)).text
    assert [text.index(each) for each in (*owners[1:3], "illness 2")] == sorted(
        text.index(each) for each in (*owners[1:3], "illness 2")
    )
    assert text.index("illness 1") < text.index("Patient: Ada Marsh")
    totals = [[(72, 700, "Paid."), (72, 60, f"Total: {total} EUR")] for total in (120, 80, 120)]
    assert parse(placed_pdf(totals)).text.count("Total: 120 EUR") == 2
    exhibits = [[(72, 760, f"Exhibit {n}"), (72, 500, "Shown.")] for n in (1, 2, 3)]
    assert "Exhibit 2" in parse(placed_pdf(exhibits)).text


def test_number_at_the_edge_of_pages_that_does_not_grow_with_them_is_kept():
    found = parse(placed_pdf([[(72, 760, f"Invoice {n}"), (72, 500, "Paid.")] for n in (1920, 1931, 1977)]))
    assert [word for word in found.text.split() if word.isdecimal()] == ["1920", "1931", "1977"]


def test_pages_that_are_all_the_same_are_text():
    assert parse(pdf(["A ticket.", "A ticket."])).text.count("A ticket.") == 2


@pytest.mark.parametrize("by_rows", [True, False])
def test_columns_of_prose_come_one_after_the_other(by_rows):
    columns = lines_at(72, LEFT), lines_at(320, RIGHT)
    drawn = [piece for row in zip(*columns, strict=True) for piece in row] if by_rows else [*columns[0], *columns[1]]
    found = parse(placed_pdf([[(72, 740, "A title that goes over both of the columns of this page"), *drawn]])).text
    assert " ".join(found.split()).endswith(" ".join(LEFT + RIGHT))


@pytest.mark.parametrize("by_rows", [True, False])
def test_table_comes_row_by_row(by_rows):
    names, places = ("Name", "Ivo", "Ada", "Rolf", "Iris"), ("Place", "Oslo", "Lund", "Brno", "Kiel")
    columns = lines_at(72, names), lines_at(200, places)
    drawn = [piece for row in zip(*columns, strict=True) for piece in row] if by_rows else [*columns[0], *columns[1]]
    expected = [f"{name} | {place}" for name, place in zip(names, places, strict=True)]
    assert parse(placed_pdf([drawn])).text.splitlines() == expected


def test_words_that_are_drawn_one_by_one_are_one_line():
    words = [(72 + 40 * place, 700, word) for place, word in enumerate("Ivo Brandt lends his mill.".split())]
    assert parse(placed_pdf([words])).text == "Ivo Brandt lends his mill."


def test_turned_page_is_read_line_by_line():
    texts = [(300 + 14 * row, 72, line) for row, line in enumerate(LEFT)]
    assert parse(placed_pdf([texts], turn=90)).text.splitlines() == list(LEFT)


def test_paragraphs_are_parted_by_an_empty_line():
    texts = [*lines_at(72, ("One line,", "and two.", "And three.")), *lines_at(72, ("A new one.", "It ends."), 640)]
    assert parse(placed_pdf([texts])).text == "One line,\nand two.\nAnd three.\n\nA new one.\nIt ends."


def test_pdf_pages_begin_where_their_text_does():
    parsed = parse(pdf(["The first page.\nSecond line.", "", "The third page."]))
    assert parsed.text == "The first page.\nSecond line.\n\nThe third page."
    assert len(parsed.pages) == 3
    assert parsed.text[parsed.pages[0] :].startswith("The first")
    assert parsed.text[parsed.pages[2] :].startswith("The third")
    assert list(parsed.pages) == sorted(parsed.pages)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (pdf([]), "without pages"),
        (pdf(["", ""]), "no text on 2 pages"),
        (encrypted_pdf("open sesame"), "encrypted"),
        (b"%PDF-1.4\nrubbish that is no PDF at all", "damaged PDF"),
        (pdf(["a page"])[:200], "damaged PDF"),
        (b"\x00" * 10_000, "damaged PDF"),
    ],
)
def test_pdf_that_gives_no_text_has_a_reason(data, reason):
    assert reason in refusal(data)


def test_pdf_whose_pages_lead_in_a_circle_ends():
    circular = pdf(["a"]).replace(b"/Kids [4 0 R]", b"/Kids [2 0 R]")
    assert "PDF" in refusal(circular)


def test_pdf_bomb_is_stopped():
    bomb = pdf_bomb(200_000_000)
    assert len(bomb) < 1_000_000
    assert "more than 1024 MB of memory" in refusal(bomb)


def test_password_opens_a_file():
    locked = encrypted_pdf("open sesame", "Ivo Brandt lends his mill.")
    assert parse(locked, password="open sesame").text == "Ivo Brandt lends his mill."
    assert refusal(locked, password="another") == "encrypted with another password"
