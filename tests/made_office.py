"""Office files, books and mail, made part by part: what a test reads is what it wrote."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from email.message import EmailMessage
from xml.sax.saxutils import escape

A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
P = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
KIND = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
ODF = 'xmlns:{0}="urn:oasis:names:tc:opendocument:xmlns:{0}:1.0"'
OFFICE = " ".join(ODF.format(name) for name in ("office", "text", "table", "drawing", "presentation"))


def archive(parts: Mapping[str, str | bytes]) -> bytes:
    """Return an archive of these parts; the kind of a book or an OpenDocument stands in it as it is."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as made:
        for name, text in parts.items():
            made.writestr(name, text, zipfile.ZIP_STORED if name == "mimetype" else None)
    return stream.getvalue()


def relations(targets: Mapping[str, tuple[str, str]]) -> str:
    rows = (f'<Relationship Id="{i}" Type="{KIND}/{kind}" Target="{to}"/>' for i, (kind, to) in targets.items())
    namespace = "http://schemas.openxmlformats.org/package/2006/relationships"
    return f'<Relationships xmlns="{namespace}">{"".join(rows)}</Relationships>'


def shape(words: Sequence[str], place: str = "") -> str:
    """Return a shape with paragraphs; `place` is the kind of its placeholder."""
    paragraphs = "".join(f"<a:p><a:r><a:t>{escape(each)}</a:t></a:r></a:p>" for each in words)
    mark = f'<p:ph type="{place}"/>' if place else ""
    return f"<p:sp><p:nvSpPr><p:nvPr>{mark}</p:nvPr></p:nvSpPr><p:txBody>{paragraphs}</p:txBody></p:sp>"


def table(rows: Sequence[Sequence[str]]) -> str:
    cell = "<a:tc><a:txBody><a:p><a:r><a:t>{}</a:t></a:r></a:p></a:txBody></a:tc>"
    made = "".join(f"<a:tr>{''.join(map(cell.format, row))}</a:tr>" for row in rows)
    return f"<p:graphicFrame><a:tbl>{made}</a:tbl></p:graphicFrame>"


def presentation(slides: Sequence[str], notes: Mapping[int, str] = {}, title: str = "") -> bytes:
    """Return a PPTX whose slides are stored against their order."""
    names = [f"slide{len(slides) - number}.xml" for number in range(len(slides))]
    ids = "".join(f'<p:sldId id="{256 + n}" r:id="rId{n}"/>' for n in range(len(slides)))
    targets = {f"rId{n}": ("slide", f"slides/{name}") for n, name in enumerate(names)}
    core = f"<dc:title>{title}</dc:title><dc:creator>Ann</dc:creator>"
    parts: dict[str, str | bytes] = {
        "ppt/presentation.xml": f"<p:presentation {P} {R}><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": relations(targets),
        "docProps/core.xml": f'<core xmlns:dc="http://purl.org/dc/elements/1.1/">{core}</core>',
    }
    for number, (name, slide) in enumerate(zip(names, slides, strict=True)):
        parts[f"ppt/slides/{name}"] = f"<p:sld {P} {A} {R}><p:spTree>{slide}</p:spTree></p:sld>"
        if number in notes:
            note = {"rId1": ("notesSlide", f"../notesSlides/n{number}.xml")}
            parts[f"ppt/slides/_rels/{name}.rels"] = relations(note)
            parts[f"ppt/notesSlides/n{number}.xml"] = f"<p:notes {P} {A}>{shape([notes[number]], 'body')}</p:notes>"
    return archive(parts)


def open_document(body: str, manifest: str = "") -> bytes:
    """Return an ODT with this body."""
    meta = '<m xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Lamp</dc:title><dc:creator>Bo</dc:creator></m>'
    return archive(
        {
            "mimetype": "application/vnd.oasis.opendocument.text",
            "content.xml": f"<office:content {OFFICE}><office:body>{body}</office:body></office:content>",
            "meta.xml": meta,
            "META-INF/manifest.xml": f"<manifest>{manifest}</manifest>",
        }
    )


def book(chapters: Mapping[str, str], extra: Mapping[str, str] = {}) -> bytes:
    """Return an EPUB with a navigation page in front; chapters are HTML by file name."""
    items = "".join(f'<item id="{n}" href="{name}" media-type="x"/>' for n, name in enumerate(chapters))
    spine = "".join(f'<itemref idref="{n}"/>' for n in range(len(chapters)))
    package = (
        '<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>The Bell</dc:title>'
        "<dc:creator>Ann Lee</dc:creator><dc:date>1901</dc:date></metadata>"
        f'<manifest><item id="nav" href="nav.xhtml" properties="nav"/>{items}</manifest>'
        f'<spine><itemref idref="nav"/>{spine}</spine></package>'
    )
    return archive(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<c><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></c>',
            "OPS/book.opf": package,
            "OPS/nav.xhtml": "<html><body><p>Contents</p></body></html>",
            **{f"OPS/{name}": f"<html><body>{html}</body></html>" for name, html in chapters.items()},
            **extra,
        }
    )


def mail(subject: str, text: str, *, html: str = "", attached: Mapping[str, bytes] = {}) -> EmailMessage:
    """Return a message of Jörg to Ann."""
    message = EmailMessage()
    message["From"] = "Jörg Weiß <joerg@example.org>"
    message["To"] = "Ann Lee <ann@example.org>"
    message["Date"] = "Mon, 04 Mar 2024 09:15:00 +0100"
    message["Subject"] = subject
    message.set_content(text)
    if html:
        message.add_alternative(html, subtype="html")
    for name, data in attached.items():
        message.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    return message


def sheets(count: int) -> bytes:
    """Return an ODS with so many empty sheets."""
    tables = "".join(f'<table:table table:name="s{number}"/>' for number in range(count))
    body = f"<office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body>"
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    return archive(
        {
            "mimetype": kind,
            "content.xml": f"<office:document-content {OFFICE}>{body}</office:document-content>",
            "META-INF/manifest.xml": f"<manifest:manifest {ODF.format('manifest')}/>",
        }
    )
