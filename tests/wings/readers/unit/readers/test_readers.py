"""What each reader makes of a file: text in its order, headings as sections, tables as lines, what is left out."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from datetime import date, datetime

import openpyxl
import pytest

from kg_neo4j.acquire.interface import ParsedText, ReadOptions
from kg_neo4j.acquire.readers import kind_of, kinds
from kg_neo4j.acquire.sandbox import Sandbox
from kg_neo4j.errors import UnreadableSource
from made_office import archive, book, mail, open_document, presentation, shape, sheets, table

Read = Callable[..., ParsedText]


@pytest.fixture(scope="module")
def read() -> Iterator[Read]:
    """Read bytes under a suffix, in the child process that reads files."""
    with Sandbox() as sandbox:
        yield lambda suffix, data, **options: sandbox.parse(kind_of(suffix, data), data, ReadOptions(**options))


def workbook(*sheets: tuple[str, list[list[object]]], hidden: str = "", merged: str = "") -> bytes:
    book, stream = openpyxl.Workbook(), io.BytesIO()
    book.remove(book.active)
    for name, rows in sheets:
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
        if merged:
            sheet.merge_cells(merged)
        sheet.sheet_state = "hidden" if name == hidden else "visible"
    book.save(stream)
    return stream.getvalue()


def titles(parsed: ParsedText) -> list[str]:
    return [each.title for each in parsed.sections]


def test_slides_are_sections_in_the_order_of_the_presentation(read: Read) -> None:
    first = shape(["Crew"], "title") + shape(["Ann Lee leads.", "Bo cooks."]) + shape(["7"], "sldNum")
    second = shape(["Since 2019"]) + table([["Name", "Role"], ["Ann", "surveyor"]]) + "<p:pic/>"
    parsed = read(".pptx", presentation([first, second], {0: "Thank them."}, "Report"))
    assert parsed.text == (
        "# Slide 1: Crew\n\nAnn Lee leads.\nBo cooks.\n\nNotes: Thank them.\n\n"
        "# Slide 2\n\nSince 2019\n\nName | Role\nAnn | surveyor"
    )
    assert (titles(parsed), parsed.title, parsed.author) == (["Slide 1: Crew", "Slide 2"], "Report", "Ann")
    assert parsed.left_out == "1 picture left out"


def test_sheets_are_sections_and_each_row_ends_with_its_number(read: Read) -> None:
    rows: list[list[object]] = [
        ["Crew of the north"],
        [],
        ["Name", "Role", "Since", "Share"],
        ["Ann", "surveyor", date(2019, 5, 1), 0.25],
        ["Bo", "cook\nand baker", datetime.fromisoformat("2020-01-02T18:30"), 1234.0],
        [None, "a|b", None, True],
    ]
    parsed = read(".xlsx", workbook(("Crew", rows), ("Empty", []), ("Old", [["x"]]), hidden="Old"))
    assert parsed.text.splitlines() == [
        "# Crew",
        "",
        "Crew of the north | 1",
        "Name | Role | Since | Share | Row",
        "Ann | surveyor | 2019-05-01 | 0.25 | 4",
        "Bo | cook and baker | 2020-01-02 18:30:00 | 1234 | 5",
        " | a/b |  | true | 6",
    ]
    assert titles(parsed) == ["Crew"]
    assert parsed.left_out == "1 hidden sheet left out"


def test_a_cell_over_several_rows_is_in_each_of_them(read: Read) -> None:
    rows: list[list[object]] = [["Town", "Firm"], ["Oslo", "Vik"], [None, "Nord"], ["Bergen", "Sol"]]
    parsed = read(".xlsx", workbook(("Firms", rows), merged="A2:A3"))
    assert parsed.text.splitlines()[3:] == ["Oslo | Vik | 2", "Oslo | Nord | 3", "Bergen | Sol | 4"]


@pytest.mark.parametrize(
    ("suffix", "data", "encoding"),
    [
        (".csv", 'Name,Town\n"Lee, Ann",Köln\n\nBo,Oslo\n'.encode(), None),
        (".csv", "Name;Town\r\nLee, Ann;Köln\r\n\r\nBo;Oslo\r\n".encode("cp1252"), "cp1252"),
        (".csv", "Name\tTown\nLee, Ann\tKöln\n\nBo\tOslo\n".encode("utf-16"), None),
        (".tsv", "Name\tTown\nLee, Ann\tKöln\n\nBo\tOslo\n".encode(), None),
    ],
)
def test_csv_of_any_delimiter_is_rows_of_cells(read: Read, suffix: str, data: bytes, encoding: str | None) -> None:
    assert read(suffix, data, encoding=encoding).text == "Name | Town | Row\nLee, Ann | Köln | 2\nBo | Oslo | 4"


def test_rows_without_heads_have_their_numbers_from_the_first(read: Read) -> None:
    assert read(".csv", b"1,2\n3,4\n").text == "1 | 2 | 1\n3 | 4 | 2"


def test_an_open_document_keeps_headings_lists_tables_and_notes(read: Read) -> None:
    body = (
        '<text:h text:outline-level="2">Crew</text:h>'
        "<text:tracked-changes><text:p>gone</text:p></text:tracked-changes>"
        '<text:p>Ann<text:s text:c="2"/>Lee<text:note><text:note-citation>1</text:note-citation><text:note-body>'
        "<text:p>Born 1901.</text:p></text:note-body></text:note> leads.<office:annotation><text:p>hm</text:p>"
        "</office:annotation></text:p>"
        "<text:list><text:list-item><text:p>cook</text:p></text:list-item></text:list>"
        "<table:table><table:table-row><table:table-cell><text:p>Name</text:p></table:table-cell>"
        "<table:table-cell><text:p>Town</text:p></table:table-cell></table:table-row>"
        '<table:table-row><table:table-cell table:number-columns-repeated="2"><text:p>Oslo</text:p></table:table-cell>'
        "</table:table-row></table:table>"
    )
    parsed = read(".odt", open_document(body))
    assert parsed.text == "## Crew\n\nAnn Lee [Born 1901.] leads.\n\n- cook\n\nName | Town\nOslo | Oslo"
    assert [(each.title, each.level) for each in parsed.sections] == [("Crew", 2)]
    assert (parsed.title, parsed.author) == ("Lamp", "Bo")


def test_a_book_is_its_chapters_without_the_contents(read: Read) -> None:
    chapters = {
        "one%20a.xhtml": "<h1>One</h1><p>Ann rang.</p>",
        "two.xhtml": "<h1>Two</h1><h2>Night</h2><p>Bo slept.</p>",
    }
    parts = {name.replace("%20", " "): html for name, html in chapters.items()}
    data = book(chapters, {f"OPS/{name}": f"<html><body>{html}</body></html>" for name, html in parts.items()})
    parsed = read(".epub", data)
    assert parsed.text == "# One\n\nAnn rang.\n\n# Two\n\n## Night\n\nBo slept."
    assert titles(parsed) == ["One", "Two", "Night"]
    assert parsed.text[parsed.sections[0].start : parsed.sections[0].end].strip() == "# One\n\nAnn rang."
    assert (parsed.title, parsed.author, parsed.date) == ("The Bell", "Ann Lee", "1901")


def test_a_mail_has_its_heads_its_text_and_what_is_attached(read: Read) -> None:
    inner = mail("Old plan", "We met in Oslo.", attached={"plan.txt": b"Plan."})
    message = mail(
        "Plan für März", "See the plan.\n", html="<p>See the <b>plan</b>.</p>", attached={"../a.csv": b"a,b\n"}
    )
    message.add_attachment(inner)
    parsed = read(".eml", message.as_bytes())
    assert parsed.text == (
        "# Plan für März\n\nFrom: Jörg Weiß <joerg@example.org>\nTo: Ann Lee <ann@example.org>\n"
        "Date: Mon, 04 Mar 2024 09:15:00 +0100\n\nSee the plan."
    )
    assert (parsed.title, parsed.author, parsed.date) == ("Plan für März", "Jörg Weiß", "2024-03-04")
    assert [name for name, _ in parsed.attached] == ["_a.csv", "message 3.eml"]
    again = read(".eml", parsed.attached[1][1])
    assert (again.title, [name for name, _ in again.attached]) == ("Old plan", ["plan.txt"])


def test_all_texts_of_a_mail_are_read_and_of_alternatives_one(read: Read) -> None:
    head = b"From: a@example.org\nSubject: Three\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n"
    russian = b"Content-Type: text/plain; charset=koi8-r\nContent-Transfer-Encoding: base64\n\n8NLJ18XU\n"
    either = b"Content-Type: multipart/alternative; boundary=y\n\n--y\n\nPlain.\n--y\n"
    html = b"Content-Type: text/html\n\n<p>HTML.</p>\n--y--\n"
    parsed = read(".eml", b"\n--x\n".join((head, b"\nFirst.", russian, either + html)) + b"--x--\n")
    assert parsed.text == "# Three\n\nFrom: a@example.org\n\nFirst.\n\nПривет\n\nPlain."


def test_attachments_of_one_name_are_two_and_parts_without_a_name_are_counted(read: Read) -> None:
    message = mail("Plans", "Two plans.")
    for text in (b"One.", b"Two."):
        message.add_attachment(text, maintype="text", subtype="plain", filename="plan.txt")
    message.add_attachment(b"\x89PNG", maintype="image", subtype="png")
    parsed = read(".eml", message.as_bytes())
    assert parsed.attached == (("plan.txt", b"One."), ("2 plan.txt", b"Two."))
    assert parsed.left_out == "1 part without a name left out"


def test_a_mail_in_html_alone_is_read_as_people_see_it(read: Read) -> None:
    message = mail("News", "")
    message.set_content("<h1>Fair</h1><style>p{}</style><p>Ann sings.</p>", subtype="html")
    assert read(".eml", message.as_bytes()).text.endswith("Fair\n\nAnn sings.")


@pytest.mark.parametrize("sheets", [False, True], ids=["version 4", "version 3"])
def test_a_notebook_is_its_cells_and_what_they_printed(read: Read, sheets: bool) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Tides\n", "\n", "Ann measured *twice*."]},
        {"cell_type": "code", "source": "print(2)", "outputs": [{"text": "2\n"}, {"data": {"image/png": "iVBOR"}}]},
    ]
    if sheets:
        cells[1] = {"cell_type": "code", "input": ["print(2)"], "outputs": [{"text": ["2\n"]}]}
    data = json.dumps({"worksheets": [{"cells": cells}]} if sheets else {"cells": cells}).encode()
    parsed = read(".ipynb", data)
    assert titles(parsed) == ["Tides"]
    assert "Ann measured *twice*." in parsed.text
    assert "```python\nprint(2)\n```" in parsed.text
    assert "```\n2\n```" in parsed.text
    assert "iVBOR" not in parsed.text


def test_rtf_keeps_paragraphs_letters_and_the_cells_of_a_row(read: Read) -> None:
    data = (
        rb"{\rtf1\ansi\ansicpg1250{\fonttbl{\f0 Arial;}}{\*\generator X;}\f0 Za\'bf\'f3\'b3\'e6 \u23376?.\par "
        rb"\trowd\cellx100\cellx200\intbl Name\cell Town\cell\row Bye\par}"
    )
    assert read(".rtf", data).text == "Zażółć 子.\nName | Town\nBye"


def test_kinds_are_found_by_what_a_file_holds_where_its_name_does_not_say(read: Read) -> None:
    for data, word in (
        (presentation([shape(["Ann"])]), "Ann"),
        (workbook(("S", [["Bo"]])), "Bo"),
        (book({"a.x": "Cy"}), "Cy"),
    ):
        assert word in read("", data).text
    assert {".pptx", ".xlsx", ".xls", ".ods", ".odt", ".epub", ".eml", ".ipynb", ".rtf", ".csv"} < kinds().keys()


OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)


@pytest.mark.parametrize(
    ("suffix", "data", "reason"),
    [
        (".pptx", presentation([shape(["Ann"])])[:300], "damaged archive"),
        (".pptx", archive({"word/document.xml": "<w/>"}), "no presentation"),
        (".pptx", archive({"ppt/presentation.xml": "<p"}), "damaged"),
        (".pptx", OLE, "encrypted, or of a former format"),
        (".pptx", archive({"ppt/presentation.xml": b" " * 20_000_000}), "a zip bomb"),
        (".xlsx", workbook(("S", [["x"]]))[:200], "damaged"),
        (".xlsx", b"plain words", "damaged workbook"),
        (".xlsx", OLE, "damaged workbook"),
        (".odt", open_document("", "<e>manifest:encryption-data</e>"), "encrypted"),
        (".odt", archive({"a": "b"}), "no OpenDocument"),
        (".epub", archive({"a": "b"}), "no book"),
        (".epub", book({"a.x": "b"}, {"META-INF/rights.xml": "<r/>"}), "protected"),
        (".eml", b"just words, no head\n\nmore", "no mail"),
        (".ipynb", b"[]", "no notebook"),
        (".ipynb", b"{", "no notebook"),
        (".rtf", b"words", "no RTF"),
        (".csv", b"\x00\x01\x02\xff" * 50, ""),
        (".csv", b",".join([b"x"] * 6_000), "6,000 columns"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_line(read: Read, suffix: str, data: bytes, reason: str) -> None:
    with pytest.raises(UnreadableSource) as refused:
        read(suffix, data)
    assert reason in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("suffix", [".pptx", ".odt", ".epub"])
def test_no_entity_of_xml_is_resolved(read: Read, suffix: str) -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname"><!ENTITY b "12">]><x>&a;&b;</x>'
    names = {".pptx": "ppt/presentation.xml", ".odt": "content.xml", ".epub": "META-INF/container.xml"}
    try:
        text = read(suffix, archive({names[suffix]: bomb})).text
    except UnreadableSource:
        return
    assert text.strip() == ""


def test_10_000_sheets_are_refused(read: Read) -> None:
    with pytest.raises(UnreadableSource, match="10,000 sheets; at most 1,000"):
        read(".ods", sheets(10_000))


def test_signs_of_rtf_that_its_encoding_lacks_are_counted(read: Read) -> None:
    parsed = read(".rtf", rb"{\rtf1\ansi Ada\'81 and Bo.\par}")
    assert parsed.left_out == "1 sign cannot be read: name the encoding with --encoding"
