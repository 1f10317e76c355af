"""HTML keeps headings, lists and tables, and loses what a reader would not see."""

from __future__ import annotations

import contextlib

import pytest

from kg_neo4j.acquire import html_text
from kg_neo4j.acquire.html_text import read_html, read_wiki
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


@pytest.mark.parametrize(
    "head",
    [
        '<meta charset="iso-8859-2">',
        '<meta http-equiv="Content-Type" content="text/html; charset=ISO-8859-1">',
        '<?xml version="1.0" encoding="windows-1252"?>',
        "<meta charset='us-ascii'>",
        "<meta charset=shift_jis>",
    ],
)
def test_stale_declaration_of_a_page_in_utf8_is_ignored(head):
    assert read_html(f"{head}<p>Zoë Ångström, Łódź</p>".encode()).text == "Zoë Ångström, Łódź"


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


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("Rosa Lind&shy;qvist of Har\u00adbour Cli<wbr>nic", "Rosa Lindqvist of Harbour Clinic"),
        ("<h2>Har&shy;bour&nbsp;Clinic</h2><pre>Har&shy;bour&#8239;Clinic</pre>", "Harbour Clinic\n\nHarbour Clinic"),
        ("a&nbsp;b&thinsp;c&#8239;d &emsp; e&#8203;f&NoBreak;g", "a b c d efg"),
        ("O&#146;Brien &amp; Sons, the entity &amp;amp;", "O’Brien & Sons, the entity &amp;"),
        ("<p>Ada <del>met</del><ins>saw</ins> <s>Bob</s><strike>Eve</strike> Carol</p>", "Ada saw Carol"),
        (
            "Ada <i style='color: red; text-decoration: line-through'>Bob</i> <u style='text-decoration: none'>C</u>",
            "Ada C",
        ),
        ("<dialog open><p>shown</dialog><dialog><p>not shown</dialog>", "shown"),
        ("<details><summary>Staff</summary><p>Ada</details><details open>Bob</details>", "Staff\n\nAda\n\nBob"),
        ("a<div><template shadowrootmode=open><p>Ada</template>Bob</div><template>no</template>", "a\n\nAda\n\nBob"),
        ("<p hidden=until-found>Ada</p><p hidden>no</p><p hidden=hidden>no</p>Bob", "Ada\n\nBob"),
        ("Ada<noscript>no</noscript>", "Ada"),
        ("<ul><li>Ada<br>of London<li>Bob</ul>", "- Ada\n  of London\n- Bob"),
    ],
)
def test_page_reads_as_browsers_show_it(written, text):
    assert read_html(f"<body>{written}</body>".encode()).text == text


def test_readings_of_ruby_follow_their_block():
    page = (
        "<p><ruby>東京<rp>(</rp><rt>とうきょう</rt><rp>)</rp></ruby>の<ruby>佐<rt>さ</rt>藤<rt>とう</ruby>さん</p>"
        "<p>終<table><tr><td><ruby>京<rt>きょう</ruby></table>"
    )
    assert read_html(page.encode()).text == "東京の佐藤さん\n東京 (とうきょう)\n佐藤 (さとう)\n\n終\n\n京"


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ("<tr><td rowspan=2>Ada<td>A<tr><td>B<tr><td>Bob<td>C", "Ada | A\nAda | B\nBob | C"),
        ("<tr><td>A<td rowspan='3'>x<tr><td rowspan=2>B<tr><tr><td>C<td>y", "A | x\nB | x\nB | x\nC | y"),
        ("<tr><th>a<th colspan=2>b<th>c<tr><td>1<td>2<td>3<td>4", "a | b | b | c\n1 | 2 | 3 | 4"),
        ("<tr><td colspan=2 rowspan=2>A<td>1<tr><td>2", "A | A | 1\nA | A | 2"),
        ("<tr><th colspan=2>Title<tr><td>a<td>b", "Title\na | b"),
        ("<thead><tr><th rowspan=9>a<th>b<tbody><tr><td>c<td>d", "a | b\nc | d"),
        ("<tr><td rowspan=x colspan=''>a<td rowspan=-1>b<tr><td>c<td>d", "a | b\nc | d"),
        (f"<tr><td rowspan=2>{'x' * 201}<td>1<tr><td>2", f"{'x' * 201} | 1\n | 2"),
    ],
)
def test_cell_stands_in_every_row_and_column_that_it_spans(rows, text):
    assert read_html(f"<table>{rows}</table>".encode()).text == text
    assert read_wiki(f"<table>{rows}</table>".encode()).text == text


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("10<sup>6</sup> people, 10<sup>−6</sup> m<sup>2</sup>", "10^6 people, 10^−6 m^2"),
        ("x<sup>n+1</sup> and e<sup><i>x</i></sup>, 2<sup>0.5</sup>", "x^(n+1) and e^x, 2^0.5"),
        ("the 19<sup>th</sup>, XIX<sup>e</sup>, M<sup>me</sup>, Na<sup>+</sup>", "the 19th, XIXe, Mme, Na+"),
        ("CO<sub>2</sub>", "CO2"),
        ('seen<sup id="r1"><a href="#n1">1</a></sup> here<a href="#n2"><sup>2</sup></a>', "seen here"),
        ("noted<sup>[3]</sup>, <sup></sup><sup><i></i></sup>registered<sup>®</sup>", "noted[3], registered®"),
        ("<table><tr><th>Size</th><td>10<sup>6</sup></td></tr></table>", "Size | 10^6"),
        ("<h2>10<sup>6</sup></h2>", "10^6"),
        ("<pre>10<sup>6</sup></pre>", "10^6"),
    ],
)
def test_powers_are_told_from_footnotes_and_ordinals(written, text):
    assert read_html(f"<body>{written}</body>".encode()).text == text


# ------------------------------------------------------------------------------------------------ pages of a wiki

PROSE = """<div class="mw-parser-output"><p>Anna Weber lived in Vienna. She worked for the Torvanne Works.
</p><p>She died in 1931.
</p>
<h2><span class="mw-headline" id="Life">Life</span><span class="mw-editsection">[edit]</span></h2>
<p>Her father was a clerk. He lived in <a href="/Short" title="Short">Graz</a>.<sup id="cite_ref-1" class="reference"><a
href="#cite_note-1">&#91;1&#93;</a></sup>
</p><p>They moved often.
</p>
<h3><span class="mw-headline" id="School">School</span></h3>
<p>She went to school in Linz.
</p><h2><span class="mw-headline" id="References">References</span></h2>
<div class="mw-references-wrap"><ol class="references"><li id="cite_note-1">Runbook, page 4.</li></ol></div></div>"""


def test_prose_of_a_wiki_reads_as_textextracts_gives_it():
    """The text is what MediaWiki 1.39 with TextExtracts gave of this page, its sections without text left out."""
    parsed = read_wiki(PROSE.encode())
    assert parsed.text == (
        "Anna Weber lived in Vienna. She worked for the Torvanne Works.\nShe died in 1931.\n\nLife\n\n"
        "Her father was a clerk. He lived in Graz.\nThey moved often.\n\nSchool\n\nShe went to school in Linz."
    )
    assert [(s.title, s.level) for s in parsed.sections] == [("Life", 1), ("School", 2)]


def test_headings_of_newer_wikis_are_sections():
    page = (
        '<div class="mw-heading mw-heading2"><h2 id="A">A</h2><span class="mw-editsection">[edit]</span></div>'
        "<p>One.</p><h3>B</h3><h2>C</h2><h3>D</h3><h4>E</h4><p>Two.</p>"
    )
    parsed = read_wiki(page.encode())
    assert parsed.text == "A\n\nOne.\n\nC\n\nD\n\nE\n\nTwo."
    assert [(s.title, s.level) for s in parsed.sections] == [("A", 1), ("C", 1), ("D", 2), ("E", 3)]


WIKI_CASES = [
    (
        '<table class="infobox"><tr><th colspan="2">Anna Weber</th></tr><tr><th>Born</th>'
        "<td>4 May 1890<br />Vienna</td></tr><tr><td><table><tr><th>Sub</th><td>value</td></tr></table></td></tr>"
        "<tr><th>Seat</th><td>Graz</td></tr></table><p>After.</p>",
        "Anna Weber\nBorn | 4 May 1890 Vienna\n\nSub | value\n\nSeat | Graz\n\nAfter.",
    ),
    (
        '<aside class="portable-infobox"><h2 class="pi-title">Anna</h2><div class="pi-item pi-data"><h3 class='
        '"pi-data-label">Born</h3><div class="pi-data-value">1890</div></div></aside><p>Text.</p>',
        "Anna\nBorn | 1890\n\nText.",
    ),
    (
        '<p>Run:</p><div class="mw-highlight" dir="ltr"><pre><span></span><span class="k">def</span> f():\n    '
        "<span>go</span>()\n</pre></div><p>Then <code>kill -9</code>.</p>",
        "Run:\n\ndef f():\n    go()\n\nThen kill -9.",
    ),
    (
        "<p>Owner: Dana<br />Reviewed: 2024</p><ul><li>one<ul><li>below</li></ul></li><li>two</li></ul><p>End.</p>",
        "Owner: Dana\nReviewed: 2024\n\n- one\n- below\n- two\n\nEnd.",
    ),
    (
        "<table><tr><td><pre>a\n  b</pre></td><td>note</td></tr><tr><td>1</td><td>2</td></tr></table>",
        "a\n  b\n\nnote\n\n1 | 2",
    ),
    (
        '<p>Where <span><span style="display: none;"><math alttext="{\\displaystyle E}"></math></span>'
        '<img class="mwe-math-fallback-image-inline" alt="{\\displaystyle E=mc^{2}}"/></span> holds.</p>',
        "Where E=mc^{2} holds.",
    ),
    ('<p>So <math alttext="{\\displaystyle a+b}"><mi>a</mi></math>.</p>', "So a+b."),
    (
        '<div class="hatnote">See also: B</div><p>Text.<span style="display:none">sort</span></p><div class="thumb">'
        '<div class="thumbcaption">Caption</div></div><figure><figcaption>Caption</figcaption></figure><table '
        'class="navbox"><tr><td>links</td></tr></table><div class="toc">Contents</div><style>p{}</style>'
        '<div class="noprint">no</div><div class="reflist"><ol class="references"><li>Note</li></ol></div>',
        "Text.",
    ),
]


@pytest.mark.parametrize(("page", "text"), WIKI_CASES)
def test_page_of_a_wiki_keeps_its_data_and_loses_its_furniture(page, text):
    assert read_wiki(f'<div class="mw-parser-output">{page}</div>'.encode()).text == text


def test_page_of_a_wiki_has_the_limits_of_a_file(monkeypatch):
    with pytest.raises(UnreadableSource, match="nested deeper"):
        read_wiki(b"<div>" * 1_000 + b"text")
    monkeypatch.setattr(html_text, "MAX_BYTES", 10)
    with pytest.raises(UnreadableSource, match="at most 10"):
        read_wiki(b"<p>0123456789")
