"""Files made for tests: PDF and HTML by hand, DOCX by python-docx and by hand, as hostile as they need to be."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Sequence


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


def encrypted_pdf(password: str) -> bytes:
    """Return a PDF that asks for a password."""
    from pypdf import PdfWriter

    writer = PdfWriter()
    writer.add_blank_page(100, 100)
    writer.encrypt(password, algorithm="RC4-128")
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
