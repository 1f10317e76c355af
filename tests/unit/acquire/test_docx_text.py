"""Nothing that a reader of a Word file sees is lost, and what cannot be read is named."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from kg_neo4j.acquire import files
from kg_neo4j.acquire.docx_text import read_docx
from kg_neo4j.errors import UnreadableSource
from kg_neo4j.records import Document, SkippedSource
from made_files import archive, docx_members
from word_files import FEATURES, MARGINS, box, fill, math, mr, p, r, tbl, tc, tr, word_file


def text_of(body: str, *parts: tuple[str, str]) -> str:
    return read_docx(word_file(body, parts)).text


def left_out(body: str) -> str:
    return read_docx(word_file(p("Rosa.") + body)).left_out


@pytest.mark.parametrize("feature", [*FEATURES, *MARGINS])
def test_each_word_of_a_feature_is_read_once(feature: str) -> None:
    chance = random.Random(feature)
    kept: list[str] = []
    dropped: list[str] = []
    of_notes: list[str] = []
    parts = {kind: fill(text, kept if kind == feature else of_notes, dropped, chance) for kind, text in MARGINS.items()}
    body = fill(FEATURES.get(feature, FEATURES["footnote"] + FEATURES["endnote in a table"]), kept, dropped, chance)
    text = text_of(body, *parts.items())
    twice = {kept[1]: 2} if feature == "reading" else {}  # "word (reading)" follows the sentence of the word
    assert {word: text.count(word) for word in kept} == dict.fromkeys(kept, 1) | twice
    assert not [word for word in dropped if word in text]


def test_a_strict_file_reads_as_any_other() -> None:
    body = fill("".join(FEATURES.values()), [], [], random.Random(44))
    parts = [(kind, fill(text, [], [], random.Random(kind))) for kind, text in MARGINS.items()]
    strict, plain = (word_file(body, parts, strict=each) for each in (True, False))
    assert b"purl.oclc.org" not in plain
    assert read_docx(strict) == read_docx(plain)
    assert len(read_docx(strict).text) > 500


def test_changes_are_accepted_up_to_the_ends_of_paragraphs() -> None:
    gone = "<w:rPr><w:del/></w:rPr>"
    assert text_of(p("Rosa works at ", gone) + p("<w:ins>" + r("Harbour Clinic.") + "</w:ins>")) == (
        "Rosa works at Harbour Clinic."
    )
    assert text_of(p("Rosa ", gone) + p("works ", gone) + p("here.") + p("Milo.")) == "Rosa works here.\n\nMilo."
    assert text_of(p("Rosa", gone) + tbl(tr("Milo"))) == "Rosa\n\nMilo"
    assert text_of(tbl(tr("Rosa", tc("gone", "<w:cellDel/>"), "Milo"))) == "Rosa | Milo"


def test_a_control_around_a_cell_does_not_shift_its_row() -> None:
    cell = f"<w:sdt><w:sdtPr/><w:sdtContent>{tc('Rosa')}</w:sdtContent></w:sdt>"
    assert text_of(tbl(tr("Name", "Place", "Since"), tr(cell, "Harbour", "1931"))) == (
        "Name | Place | Since\nRosa | Harbour | 1931"
    )


def test_what_spans_rows_stands_in_each_and_what_spans_columns_once() -> None:
    rows = (
        tr(tc("Harbour", '<w:vMerge w:val="restart"/>'), "Rosa", "1931"),
        tr(tc("", "<w:vMerge/>"), "Milo", "1932"),
        tr(tc("", '<w:vMerge w:val="continue"/>'), tc("unknown", '<w:gridSpan w:val="2"/>')),
        tr("Ines", "1933", properties='<w:gridBefore w:val="1"/>'),
    )
    lines = ["Harbour | Rosa | 1931", "Harbour | Milo | 1932", "Harbour | unknown", " | Ines | 1933"]
    assert text_of(tbl(*rows)).split("\n") == lines


@pytest.mark.parametrize(
    "cell",
    [
        tc("Milo", '<w:gridSpan w:val="-3"/>'),
        tc("Milo", '<w:gridSpan w:val="99999999999"/>'),
        tc("Milo", '<w:gridSpan w:val="2.5"/><w:vMerge w:val="continue"/>'),
        tc("Milo", '<w:gridSpan/><w:vMerge w:val="odd"/>'),
        "<w:tc>" + p("Milo") + "</w:tc>",
    ],
)
@pytest.mark.parametrize("before", ["", '<w:gridBefore w:val="x"/>', '<w:gridBefore w:val="-1"/>'])
def test_one_odd_row_costs_no_word(cell: str, before: str) -> None:
    table = tbl(tr("Name", "Place"), tr(cell, "Harbour", properties=before), tr(), tr("Ines"))
    assert text_of(p("Before.") + table + p("Behind.")) == "Before.\n\nName | Place\nMilo | Harbour\nInes\n\nBehind."


def test_a_row_with_a_table_inside_is_read_as_blocks() -> None:
    inner = tbl(tr("Rosa", "Harbour"), tr("Milo", "Quarry"))
    assert text_of(tbl(tr("Head", "1931"), tr("Staff", tc(p("These:") + inner + p("")))) + p("End.")) == (
        "Head | 1931\n\nStaff\n\nThese:\n\nRosa | Harbour\nMilo | Quarry\n\nEnd."
    )


def test_text_boxes_and_notes_follow_their_paragraph_and_in_a_table_notes_stand_in_brackets() -> None:
    note, end = (f'<w:r><w:{kind}noteReference w:id="7"/></w:r>' for kind in ("foot", "end"))
    notes = ("footnotes", f'<w:footnote w:id="7">{p(" Milo founded it.")}{p("In 1931.")}</w:footnote>')
    ends = ("endnotes", f'<w:endnote w:id="7">{p("See the log.")}</w:endnote>')
    body = p(r("Rosa runs") + note + r(" the clinic.") + box(p("A box.") + tbl(tr("a", "b")))) + p("Then.")
    assert text_of(body, notes, ends) == (
        "Rosa runs the clinic.\n\nMilo founded it.\n\nIn 1931.\n\nA box.\n\na | b\n\nThen."
    )
    assert text_of(tbl(tr(tc(p(r("Harbour") + note)), tc(p(r("1931") + end)))), notes, ends) == (
        "Harbour (Milo founded it. In 1931.) | 1931 (See the log.)"
    )


def test_headers_and_footers_stand_once_and_page_numbers_nowhere() -> None:
    parts = [("header", p("Harbour Board")), ("header", p("Harbour Board") + p("Minutes")), ("footer", p("- 3 -"))]
    assert text_of(p("They met."), *parts, ("footer", p("Approved"))) == (
        "Harbour Board\n\nMinutes\n\nThey met.\n\nApproved"
    )


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (f"<m:sSup><m:e>{mr('mc')}</m:e><m:sup>{mr('2')}</m:sup></m:sSup>", "mc^2"),
        (f"<m:f><m:num>{mr('a+b')}</m:num><m:den>{mr('2')}</m:den></m:f>", "(a+b)/2"),
        (f"<m:sSubSup><m:e>{mr('x')}</m:e><m:sub>{mr('i+1')}</m:sub><m:sup>{mr('2')}</m:sup></m:sSubSup>", "x_(i+1)^2"),
        (f"<m:rad><m:radPr/><m:deg/><m:e>{mr('x')}</m:e></m:rad>", "√x"),
        (f"<m:rad><m:deg>{mr('3')}</m:deg><m:e>{mr('x+1')}</m:e></m:rad>", "^3√(x+1)"),
        (
            f'<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>{mr("i")}</m:sub><m:sup>{mr("n")}</m:sup>'
            f"<m:e>{mr('i')}</m:e></m:nary>",
            "∑_i^n i",
        ),
        (f"<m:nary><m:sub/><m:sup/><m:e>{mr('f')}</m:e></m:nary>", "∫ f"),
        (f"<m:d><m:e>{mr('a')}</m:e><m:e>{mr('b')}</m:e></m:d>", "(a|b)"),
        (
            '<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val=""/></m:dPr><m:e><m:m>'
            f"<m:mr><m:e>{mr('1')}</m:e><m:e>{mr('2')}</m:e></m:mr><m:mr><m:e>{mr('3')}</m:e></m:mr></m:m></m:e></m:d>",
            "[1, 2; 3",
        ),
        (f"<m:func><m:fName>{mr('sin')}</m:fName><m:e>{mr('x')}</m:e></m:func>", "sin x"),
        (f"<m:acc><m:e>{mr('a')}</m:e></m:acc>", "â"),
        (f"<m:limLow><m:e>{mr('lim')}</m:e><m:lim>{mr('n→∞')}</m:lim></m:limLow>", "lim_(n→∞)"),
        (f"<w:del>{mr('old')}</w:del><w:ins>{mr('new')}</w:ins>", "new"),
    ],
)
def test_formulas_are_text_in_a_line(formula: str, text: str) -> None:
    assert text_of(p(r("It is ") + math(formula) + r(" here."))) == f"It is {text} here."


def test_symbols_and_signs_are_characters() -> None:
    symbols = {("Symbol", "F061"): "α", ("Symbol", "62"): "β", ("Symbol", "F0B3"): "≥", ("Wingdings", "F0FC"): "✓"}
    signs = "".join(f'<w:r><w:sym w:font="{font}" w:char="{code}"/></w:r>' for font, code in symbols)
    assert text_of(p(r("a") + signs + r("b"))) == f"a{''.join(symbols.values())}b"
    assert text_of(p("<w:r><w:t>Anna</w:t><w:noBreakHyphen/><w:t>Lena</w:t><w:softHyphen/><w:t>s</w:t></w:r>")) == (
        "Anna-Lenas"
    )
    assert text_of(p('<w:r><w:sym w:font="Arial" w:char="2022"/><w:sym w:font="Arial" w:char="D800"/></w:r>')) == "•"


def test_powers_and_ticks_are_told() -> None:
    raised = '<w:vertAlign w:val="superscript"/>'
    assert text_of(p(r("10") + r("3", raised) + r(" and 19") + r("th", raised))) == "10^3 and 19th"
    tick = '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox>{}</w:checkBox></w:ffData></w:fldChar></w:r>'
    end = '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    ticks = ("<w:checked/>", '<w:default w:val="1"/><w:checked w:val="0"/>', '<w:default w:val="1"/>', "")
    assert text_of(p("".join(tick.format(each) + end for each in ticks))) == "☒☐☒☐"


def test_what_is_left_out_is_named() -> None:
    picture = "<w:r><w:drawing><a:graphic><pic:pic/></a:graphic></w:drawing></w:r>"
    chart = '<w:r><w:drawing><c:chart r:id="r9"/></w:drawing></w:r>'
    diagram = '<w:r><w:drawing><dgm:relIds r:dm="r9"/></w:drawing></w:r>'
    thing = "<w:r><w:object><v:shape><v:imagedata/></v:shape><o:OLEObject/></w:object></w:r>"
    both = f"<mc:Choice>{picture}</mc:Choice><mc:Fallback>{picture}</mc:Fallback>"
    both = f"<mc:AlternateContent>{both}</mc:AlternateContent>"
    assert left_out("") == ""
    assert left_out(p(picture + chart + diagram)) == "1 picture, 1 chart, 1 diagram left out"
    assert left_out(p(thing + both)) == "1 embedded object, 1 picture left out"
    assert left_out('<w:altChunk r:id="r9"/><w:altChunk r:id="r8"/>') == "2 embedded documents left out"
    assert left_out(p(r("secret", "<w:vanish/>"))) == "6 hidden characters left out"
    assert left_out(p('<w:r><w:sym w:font="Bookshelf" w:char="F041"/></w:r>')) == "1 symbol left out"
    assert left_out(p(f"<w:del>{picture}</w:del>")) == ""


def test_the_note_reaches_the_document_and_the_reason_of_what_has_no_text(tmp_path: Path) -> None:
    chunk = '<w:altChunk r:id="r9"/>'
    (tmp_path / "a.docx").write_bytes(word_file(p("Rosa.") + chunk))
    (tmp_path / "b.docx").write_bytes(word_file(chunk))
    whole, refused = files.read([str(tmp_path)], graph="g")
    assert isinstance(whole, Document)
    assert whole.left_out == "1 embedded document left out"
    assert isinstance(refused, SkippedSource)
    assert refused.reason == "no text (1 embedded document left out)"


def test_a_file_whose_parts_are_elsewhere_or_missing_is_read() -> None:
    members = docx_members()
    members["word/document2.xml"] = members.pop("word/document.xml")
    members["_rels/.rels"] = members["_rels/.rels"].replace(b'"word/document.xml"', b'"/word/document2.xml"')
    del members["word/_rels/document.xml.rels"]
    assert "Leon Wzorek" in read_docx(archive(list(members.items()))).text


def test_deep_files_are_read_or_refused() -> None:
    deep = p("Rosa.")
    for _ in range(60):
        deep = tbl(tr(tc(deep)))
    assert text_of(deep) == "Rosa."
    with pytest.raises(UnreadableSource, match="damaged DOCX: Excessive depth"):
        text_of("<w:sdt>" * 300 + "</w:sdt>" * 300)
