"""Files made for tests: PDF and HTML by hand, DOCX by python-docx and by hand, as hostile as they need to be."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field


def pdf(pages: Sequence[str]) -> bytes:
    """Return a PDF with one page for each text; lines are set one below the other."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>"]
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects.append(f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode())
    objects.append(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    for number, text in enumerate(pages):
        lines = "".join(f"({line}) Tj 0 -14 Td " for line in text.splitlines())
        stream = f"BT /F1 12 Tf 72 720 Td {lines} ET".encode("latin-1")
        page = f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * number} 0 R"
        objects.append(f"{page} /Resources << /Font << /F1 3 0 R >> >> >>".encode())
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    return _numbered(objects)


def placed_pdf(
    pages: Sequence[Sequence[tuple[float, float, str]]], widgets: Sequence[str] = (), turn: int = 0
) -> bytes:
    """Return a PDF whose texts are drawn where they are placed, in points from the bottom left, in that order.

    `widgets` are entries of annotations on the first page; `turn` turns all texts and pages by so many degrees.
    """
    cosine, sine = {0: (1, 0), 90: (0, 1)}[turn]
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [%s] >> >>"
        % b" ".join(b"%d 0 R" % (4 + each) for each in range(len(widgets))),
        b"",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        *(f"<< /Type /Annot {widget} >>".encode("latin-1") for widget in widgets),
    ]
    kids = []
    for texts in pages:
        drawn = "".join(
            f"BT /F1 11 Tf 13 TL {cosine} {sine} {-sine} {cosine} {x} {y} Tm ({text}) Tj T* ET\n"
            for x, y, text in texts
        ).encode("latin-1")
        annotations = " ".join(f"{4 + each} 0 R" for each in range(0 if kids else len(widgets)))
        page = f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Rotate {turn} /Contents {len(objects) + 2} 0 R"
        kids.append(len(objects) + 1)
        objects.append(f"{page} /Annots [{annotations}] /Resources << /Font << /F1 3 0 R >> >> >>".encode())
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawn), drawn))
    named = " ".join(f"{kid} 0 R" for kid in kids)
    objects[1] = f"<< /Type /Pages /Kids [{named}] /Count {len(kids)} >>".encode()
    return _numbered(objects)


def pdf_bomb(unpacked: int) -> bytes:
    """Return a PDF whose one page unpacks to that many bytes."""
    packed = zlib.compress(b"BT /F1 9 Tf " + b"(x) Tj " * (unpacked // 7), 9)
    return _numbered(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
            b" /Resources << /Font << /F1 5 0 R >> >> >>",
            b"<< /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream" % (len(packed), packed),
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        ]
    )


def _numbered(objects: Sequence[bytes]) -> bytes:
    out = io.BytesIO(b"%PDF-1.4\n")
    out.seek(0, io.SEEK_END)
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, body))
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    for place in places:
        out.write(b"%010d 00000 n \n" % place)
    out.write(b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, start))
    return out.getvalue()


def encrypted_pdf(password: str, text: str = "") -> bytes:
    """Return a PDF of one page that asks for a password."""
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter()
    writer.append(PdfReader(io.BytesIO(pdf([text]))))
    writer.encrypt(password, algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def scanned_pdf(pages: Sequence[str], *, turn: int = 0, blur: float = 0.0) -> bytes:
    """Return a PDF whose pages are pictures of texts, turned by so many degrees; an empty text is a white page."""
    import pypdfium2
    from PIL import Image, ImageFilter

    drawn = pypdfium2.PdfDocument(pdf(pages))
    pictures: list[Image.Image] = [page.render(scale=150 / 72).to_pil() for page in drawn]
    first, *others = [
        each.filter(ImageFilter.GaussianBlur(blur)).rotate(turn, expand=True, fillcolor="white") for each in pictures
    ]
    out = io.BytesIO()
    first.save(out, "PDF", resolution=150, save_all=True, append_images=others)
    return out.getvalue()


def joined_pdf(*parts: bytes) -> bytes:
    """Return the pages of several PDFs as one."""
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter()
    for part in parts:
        writer.append(PdfReader(io.BytesIO(part)))
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def page_of_attributes(number: int) -> bytes:
    """Return an HTML page with one element that has so many attributes; libxml2 takes quadratic time."""
    return b"<p " + b" ".join(b"a%d=" % each for each in range(number)) + b">Text.</p>"


def docx() -> bytes:
    """Return a DOCX with a title, headings, paragraphs, a list and a table with merged cells."""
    import docx as library

    document = library.Document()
    document.core_properties.title = "Keepers of the light"
    document.add_heading("The keepers", 1)
    document.add_paragraph("Leon Wzorek kept the light from 1920.")
    document.add_heading("His tools", 2)
    document.add_paragraph("A lamp", style="List Bullet")
    document.add_paragraph("A log book", style="List Bullet")
    table = document.add_table(rows=2, cols=2)
    for cell, text in zip(table._cells, ("Year", "Keeper", "1920", "Wzorek"), strict=True):
        cell.text = text
    document.add_paragraph("He left in 1939.")
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def docx_members() -> dict[str, bytes]:
    """Return the members of `docx`, by name."""
    with zipfile.ZipFile(io.BytesIO(docx())) as file:
        return {name: file.read(name) for name in file.namelist()}


def long_docx(paragraphs: int) -> bytes:
    """Return a DOCX with many paragraphs, not compressed."""
    members = docx_members()
    body = b"<w:body>" + b"<w:p><w:r><w:t>word</w:t></w:r></w:p>" * paragraphs
    members["word/document.xml"] = members["word/document.xml"].replace(b"<w:body>", body)
    return archive(list(members.items()), zipfile.ZIP_STORED)


def archive(members: Sequence[tuple[str, bytes]], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return a zip archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression, compresslevel=9) as file:
        for name, content in members:
            file.writestr(name, content)
    return out.getvalue()


def lying_archive(real: bytes, declared: int) -> bytes:
    """Return an archive whose one member says that it unpacks to `declared` bytes."""
    data = bytearray(archive([("word/document.xml", real)]))
    for signature, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        place = data.index(signature) + offset
        data[place : place + 4] = declared.to_bytes(4, "little")
    return bytes(data)


@dataclass(frozen=True)
class HostileFile:
    """A file, and what must become of it: a document with the words "The end.", or a skipped source with a reason."""

    name: str
    data: bytes = field(repr=False)
    reason: str | None = None


END = b"The end."


def hostile_files() -> Iterator[HostileFile]:
    """Yield files of each kind that broke readers, each of which takes no more than some seconds."""
    yield from _hostile_texts()
    yield from _hostile_pages()
    yield from _hostile_pdfs()
    yield from _hostile_archives()


def _hostile_texts() -> Iterator[HostileFile]:
    reasons = {
        "empty": (b"", "empty"),
        "spaces": (b" \n\t\r\n ", "only white space"),
        "only-mark": (b"\xef\xbb\xbf", "no text"),
        "nul": (bytes(1_000), "binary (NUL bytes)"),
        "all-bytes": (bytes(range(256)) * 20, "binary (NUL bytes)"),
        "controls": (b"\x01\x02\x03" * 400_000, "control characters"),
        "picture": (
            b"\x89PNG\r\n\x1a\n" + bytes(100),
            "binary (an image: put pictures of text into a PDF)",
        ),
        "program": (b"\x7fELF" + bytes(100), "binary (a program)"),
        "half-utf16": (b"\xff\xfea", "damaged UTF-16-LE"),
        "half-utf8": ("Zażółć".encode() + b"\xc5\xff", "damaged UTF-8"),
        "short-latin": ("Café".encode("cp1252"), "the encoding is unsure"),
    }
    for name, (data, reason) in reasons.items():
        yield HostileFile(f"{name}.txt", data, reason)
    kept = {
        "marks": "e" + "\u0301\u0323" * 200_000 + "\n",
        "newlines": "\n" * 500_000,
        "spaces-in-line": " " * 500_000,
        "words-in-line": "word " * 50_000,
        "letters-in-line": "a" * 200_000,
        "short-lines": "x\n" * 20_000,
        "dots": "." * 100_000,
        "quotes": '."""' * 20_000,
        "brackets": ".[a][a]" * 10_000,
        "bars": "| " * 20_000,
        "bidi": "\u202e\u2066\u200b\ufeff" * 1_000,
        "gutenberg": "*** START OF THE PROJECT GUTENBERG EBOOK X ***\n" + "*** END OF " * 20_000,
    }
    for name, text in kept.items():
        yield HostileFile(f"{name}.txt", text.encode() + b"\n" + END)
    yield HostileFile("surrogates.txt", b"a \xed\xa0\x80 b " + END)
    yield HostileFile("utf-16.txt", "\ufeffŁódź. The end.".encode("utf-16-be"))
    yield HostileFile("headings.md", b"# h\n" * 5_000 + END)
    yield HostileFile("hashes.md", b"#" * 100_000 + b"\n" + END)
    yield HostileFile("fences.md", b"```\n" * 5_000 + END)
    yield HostileFile("include.rst", b".. include:: /etc/passwd\n.. raw:: html\n\n   <p hidden>\n\n" + END)
    yield HostileFile("roles.rst", b":no:`such <role>` |x| " * 2_000 + END)
    yield HostileFile("directives.rst", b"".join(b".. no%d:: x\n" % number for number in range(5_000)) + b"\n" + END)
    yield HostileFile("addresses.rst", b"http://a.org a@b.org " * 5_000 + END)
    yield HostileFile("bullets.rst", b"* " * 100_000 + END, "nested too deeply")
    yield HostileFile("front-matter.md", b"---\n" + b"a: b\n" * 20_000 + END)


def _hostile_pages() -> Iterator[HostileFile]:
    for charset in ("undefined", "punycode", "idna", "utf-16", "utf-7", "unicode_escape", "hex", "no-such", "cp037"):
        yield HostileFile(f"charset-{charset}.html", f'<meta charset="{charset}"><p>Ł</p>'.encode() + END)
    piece = b"A" * 11_000_000
    kept = {
        "picture": b"<img src='data:image/png;base64," + piece + b"'>",
        "script": b"<script>" + piece + b"</script>",
        "comment": b"<!-- " + piece + b" -->",
        "after-end": b"<html><body><p>One.</p></body></html>",
        "two-pages": b"<html><body><p>One.</p></body></html><!doctype html><html><body>",
        "form": b"<form action=x><p>Name: <input>",
        "entities": b"&amp;&nope;&#0;&#xD800;&#x110000;&#99999999999;" * 2_000,
        "unclosed": b"<b>bold</i>" * 100,
        "attributes": b"<p " + b" ".join(b"a%d=" % number for number in range(3_000)) + b">",
        "angles": b"<" * 50_000 + b">",
        "tables": b"<table><tr><td>x" * 40,
        "frames": b"<frameset><noframes>",
    }
    for name, start in kept.items():
        yield HostileFile(f"{name}.html", start + b"<p>" + END)
    yield HostileFile("deep.html", b"<div>" * 100_000 + END, "elements nested deeper than 200")
    yield HostileFile("comment-only.html", b"<!-- " + END + b" -->", "no")
    yield HostileFile("nul.html", b"<p>\0\0</p>" + END, "binary (NUL bytes)")
    yield HostileFile("hidden.html", b"<div hidden>" + END + b"</div>", "no text")
    yield HostileFile("huge.html", b"<p>" + b"text " * 3_300_000 + END, "at most 16,000,000 are read")
    yield HostileFile("many-attributes.html", page_of_attributes(40_000) + END)


def _hostile_pdfs() -> Iterator[HostileFile]:
    yield HostileFile("pages.pdf", pdf(["One.", "", "The end."]))
    yield HostileFile("no-pages.pdf", pdf([]), "without pages")
    yield HostileFile("scan.pdf", pdf(["", ""]), "no text on 2 pages")
    yield HostileFile("password.pdf", encrypted_pdf("open sesame"), "encrypted")
    yield HostileFile("cut.pdf", pdf(["a page"])[:200], "damaged PDF")
    yield HostileFile("rubbish.pdf", b"%PDF-1.4\nrubbish", "damaged PDF")
    yield HostileFile("circle.pdf", pdf(["a"]).replace(b"/Kids [4 0 R]", b"/Kids [2 0 R]"), "PDF")
    yield HostileFile("bomb.pdf", pdf_bomb(200_000_000), "reading was stopped")
    yield HostileFile("pdf.txt", pdf(["a page"]), "binary (a PDF: rename it to .pdf)")


def _hostile_archives() -> Iterator[HostileFile]:
    yield HostileFile("lying.docx", lying_archive(b" " * 5_000_000, declared=10), "damaged archive")
    yield HostileFile("declared.docx", lying_archive(b" " * 1_000, declared=1_000_000_000), "zip bomb")
    yield HostileFile("dense.docx", archive([("word/document.xml", b" " * 20_000_000)]), "zip bomb")
    yield HostileFile("members.docx", archive([(f"word/{each}.xml", b"") for each in range(3_000)]), "3,000 members")
    yield HostileFile("nested.docx", archive([("a.zip", archive([("b", b"c")]))]), "damaged DOCX")
    yield HostileFile("cut.docx", docx()[:500], "damaged archive")
    yield HostileFile("no-docx.docx", b"plain text", "damaged archive")
    levels = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    laughs = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e0 "ha">{levels}]><x>&e9;</x>'.encode()
    yield HostileFile("laughs.docx", archive([("[Content_Types].xml", laughs), ("_rels/.rels", laughs)]), "DOCX")
    members = docx_members()
    text = members["word/document.xml"].replace(b"He left in 1939.", b"He left&file;. The end.")
    place = text.index(b"<w:document")
    outer = b'<!DOCTYPE d [<!ENTITY file SYSTEM "file:///etc/passwd">]>'
    members["word/document.xml"] = text[:place] + outer + text[place:]
    yield HostileFile("outer-entity.docx", archive(list(members.items())))
