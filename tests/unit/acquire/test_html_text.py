"""HTML keeps headings, lists and tables, and loses what a reader would not see."""

from __future__ import annotations

import contextlib

import pytest

from kg_neo4j.acquire import html_text
from kg_neo4j.acquire.html_text import read_html
from kg_neo4j.errors import UnreadableSource

PAGE = """<!doctype html><html><head><title>Ada &amp; the engine</title><style>p{}</style></head><body>
<nav>Home | About</nav><script>var secret = 1</script>
<h1>Ada <em>Lovelace</em></h1>
<p>Ada was a <b>mathematician</b>,
born in London.<br>She wrote notes.<span style="display: none">HIDDEN-1</span></p>
<div hidden>HIDDEN-2</div><p aria-hidden="true">HIDDEN-3</p><!-- HIDDEN-4 -->
<h2>Friends</h2>
<ul><li>Charles Babbage<ul><li>his engine</li></ul></li><li><p>Mary Somerville</p></li></ul>
<h2>Years</h2>
<table><caption>Her life</caption><tr><th>Year</th><th>Event</th></tr>
<tr><td>1815</td><td>born <i>here</i></td></tr></table>
<pre>  code
    stays</pre><p>caf&eacute;&nbsp;5 &euro;</p></body></html>"""


def test_page_reads_as_a_reader_sees_it():
    parsed = read_html(PAGE.encode())
    assert parsed.title == "Ada & the engine"
    assert parsed.text == (
        "Ada Lovelace\n\nAda was a mathematician, born in London.\nShe wrote notes.\n\nFriends\n\n- Charles Babbage\n"
        "- his engine\n- Mary Somerville\n\nYears\n\nHer life\nYear | Event\n1815 | born here\n\n  code\n    stays\n\n"
        "café 5 €"
    )


def test_headings_are_sections():
    parsed = read_html(PAGE.encode())
    assert [(s.title, s.level) for s in parsed.sections] == [("Ada Lovelace", 1), ("Friends", 2), ("Years", 2)]
    assert all(parsed.text[s.start :].startswith(s.title) for s in parsed.sections)


def test_hidden_text_is_dropped():
    text = read_html(PAGE.encode()).text
    assert "HIDDEN" not in text
    assert "secret" not in text
    assert "About" not in text


def test_small_print_is_not_taken_for_hidden():
    assert read_html(b'<p style="font-size:0.9em">seen</p><p style="font-size: 0">unseen</p>').text == "seen"


def test_declared_encoding_is_used():
    page = '<html><head><meta charset="iso-8859-2"></head><body>Łódź</body></html>'
    assert read_html(page.encode("iso8859-2")).text == "Łódź"
    xml = '<?xml version="1.0" encoding="windows-1250"?><html><body><p>Łódź</p></body></html>'
    assert read_html(xml.encode("cp1250")).text == "Łódź"


def test_layout_table_is_read_as_blocks():
    page = b"<table><tr><td>Left</td><td><table><tr><td>in</td><td>ner</td></tr></table></td></tr></table>"
    assert read_html(page).text == "Left\n\nin | ner"


def test_endless_nesting_is_refused():
    with pytest.raises(UnreadableSource, match="nested deeper"):
        read_html(b"<div>" * 100_000 + b"text")


def test_deep_but_possible_nesting_is_read():
    depth = html_text._MAX_DEPTH - 10
    assert read_html(b"<ul><li>" * (depth // 2) + b"text").text == "- text"


def test_page_over_the_limit_is_refused(monkeypatch):
    monkeypatch.setattr(html_text, "MAX_BYTES", 10)
    with pytest.raises(UnreadableSource, match="at most 10"):
        read_html(b"<p>0123456789")


@pytest.mark.parametrize("page", [b"", b"   ", b"<html></html>", b"<!-- only -->"])
def test_page_without_text_gives_none_or_a_reason(page):
    with contextlib.suppress(UnreadableSource):
        assert read_html(page).text == ""


def test_loose_text_and_unclosed_tags_are_kept():
    assert read_html(b"<p>one<p>two<ul><li>three").text == "one\n\ntwo\n\n- three"


@pytest.mark.parametrize(
    "page",
    [
        "<p>Ada.</p><img src='data:image/png;base64,{piece}'>",
        "<p>Ada.</p><script>var picture = '{piece}'</script>",
        "<p>Ada.</p><style>{piece}</style>",
        "<p>Ada.</p><!-- {piece} -->",
        "<p>Ada.</p><svg><path d='{piece}'/></svg>",
        "<title>{piece}</title><p>Ada.</p>",
        "<p>{piece}</p>",
        "<pre>{piece}</pre>",
    ],
)
def test_text_after_a_piece_of_eleven_megabytes_is_kept(page):
    text = read_html(page.format(piece="A" * 11_000_000).encode() + b"<p>SENTINEL</p>").text
    assert text.endswith("SENTINEL")
    assert text.startswith("A")


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<html><body><p>Ada.</p></body></html><p>SENTINEL</p>", "Ada.\n\nSENTINEL"),
        ("<html><body><p>Ada.</p></BODY></HTML >\nSENTINEL", "Ada.\n\nSENTINEL"),
        ("<html><body><p>Ada.</body><p>SENTINEL</p></html>", "Ada.\n\nSENTINEL"),
        (
            "<!doctype html><html><head><title>One</title></head><body><h1>Ada</h1></body></html>\n"
            "<!doctype html><html><head><style>p{}</style></head><body><h1>Bob</h1><p>SENTINEL</p></body></html>",
            "Ada\n\nBob\n\nSENTINEL",
        ),
    ],
)
def test_text_after_the_end_of_the_page_is_kept(page, text):
    assert read_html(page.encode()).text == text


def test_text_in_a_form_is_kept_and_its_fields_are_not():
    page = "<body>Before<form action=x>Name: <input value=no><select><option>no</select><p>SENTINEL</p></form>after"
    assert read_html(page.encode()).text == "Before\n\nName:\n\nSENTINEL\n\nafter"


def test_page_that_the_parser_does_not_read_to_its_end_is_refused(monkeypatch):
    """libxml2 stops at 2,048 elements within each other, and gives a tree of what came before."""
    monkeypatch.setattr(html_text, "_MAX_DEPTH", 1_000_000)
    with pytest.raises(UnreadableSource, match="the parser stopped at line 2: Excessive depth"):
        read_html(b"<p>Ada.</p>\n" + b"<div>" * 3_000 + b"SENTINEL")


def test_declared_utf16_in_single_bytes_is_utf8():
    assert read_html('<meta charset="utf-16"><p>Zażółć gęślą jaźń'.encode()).text == "Zażółć gęślą jaźń"
