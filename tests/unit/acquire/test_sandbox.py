"""PDF and DOCX are parsed in a child process; hostile ones cost one reason, never a hang or a crash."""

from __future__ import annotations

import pytest

from kg_neo4j.acquire import docx_text, sandbox
from kg_neo4j.acquire.sandbox import Limits
from kg_neo4j.errors import UnreadableSource
from made_files import archive, docx, encrypted_pdf, long_docx, lying_archive, pdf, pdf_bomb


def refusal(kind: str, data: bytes, limits: Limits = sandbox.LIMITS) -> str:
    with pytest.raises(UnreadableSource) as caught:
        sandbox.parse(kind, data, limits)
    return str(caught.value)


def test_pdf_pages_begin_where_their_text_does():
    parsed = sandbox.parse("pdf", pdf(["The first page.\nSecond line.", "", "The third page."]))
    assert parsed.text == "The first page.\nSecond line.\n\nThe third page."
    assert len(parsed.pages) == 3
    assert parsed.text[parsed.pages[0] :].startswith("The first")
    assert parsed.text[parsed.pages[2] :].startswith("The third")
    assert list(parsed.pages) == sorted(parsed.pages)


def test_docx_headings_lists_and_tables_are_kept():
    parsed = sandbox.parse("docx", docx())
    assert parsed.title == "Keepers of the light"
    assert [(s.title, s.level) for s in parsed.sections] == [("The keepers", 1), ("His tools", 2)]
    assert "- A lamp\n- A log book" in parsed.text
    assert "Year | Keeper\n1920 | Wzorek" in parsed.text
    assert parsed.text.endswith("He left in 1939.")
    assert all(parsed.text[s.start :].startswith(s.title) for s in parsed.sections)


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
    assert reason in refusal("pdf", data)


def test_pdf_whose_pages_lead_in_a_circle_ends():
    circular = pdf(["a"]).replace(b"/Kids [4 0 R]", b"/Kids [2 0 R]")
    assert "PDF" in refusal("pdf", circular)


def test_docx_bomb_is_refused_by_what_it_declares():
    bomb = lying_archive(b" " * 100_000, declared=1_000_000_000)
    assert "the archive declares 1,000,000,000" in refusal("docx", bomb)


def test_docx_bomb_is_refused_by_its_ratio():
    dense = archive([("word/document.xml", b" " * 20_000_000)])
    assert "zip bomb" in refusal("docx", dense)


def test_archive_that_lies_about_its_size_is_refused():
    assert refusal("docx", lying_archive(b" " * 5_000_000, declared=10))


def test_archive_with_too_many_members_is_refused():
    many = archive([(f"word/{number}.xml", b"") for number in range(10_000)])
    assert "10,000 members" in refusal("docx", many)


def test_archive_in_an_archive_is_not_opened():
    inner = archive([("word/document.xml", b"\0" * 9_000_000)])
    assert "damaged DOCX" in refusal("docx", archive([("inner.zip", inner)]))


@pytest.mark.parametrize("data", [b"no archive", docx()[:500], archive([("a.txt", b"text")])])
def test_docx_that_is_none_has_a_reason(data):
    assert "damaged DOCX" in refusal("docx", data)


def test_entities_in_docx_are_not_expanded():
    levels = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    xml = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e0 "ha">{levels}]><x>&e9;</x>'
    members = [("[Content_Types].xml", xml.encode()), ("_rels/.rels", xml.encode())]
    assert refusal("docx", archive(members))


def test_child_is_killed_at_its_time_limit():
    assert "took longer than 0.01 s" in refusal("pdf", pdf(["a page"]), Limits(seconds=0.01))


def test_child_is_stopped_at_its_memory_limit():
    long = long_docx(400_000)
    assert sandbox.parse("docx", long_docx(40)).text.count("word") == 40
    assert "more than 143 MB" in refusal("docx", long, Limits(memory_bytes=150_000_000))


def test_pdf_bomb_is_stopped():
    bomb = pdf_bomb(200_000_000)
    assert len(bomb) < 1_000_000
    assert "Limit reached" in refusal("pdf", bomb)


def test_real_size_is_counted_where_the_declared_one_is_small(monkeypatch):
    monkeypatch.setattr(docx_text, "MAX_XML_BYTES", 1_000)
    with pytest.raises(UnreadableSource, match="unpacks to more than 1,000 bytes"):
        docx_text.read_docx(docx())
