"""OpenDocument texts and presentations: headings, lists, tables, slides and their notes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from kg_neo4j.acquire.interface import ParsedText, ReadOptions, TextBuilder
from kg_neo4j.errors import UnreadableSource
from kg_neo4j_readers.archives import Archive, opened

if TYPE_CHECKING:
    from lxml.etree import _Element

MAX_REPEATED = 100  # times that a cell or a space stands for; more is the empty rest of a sheet
_GONE = ("tracked-changes", "annotation", "forms", "sequence-decls", "table-of-content", "alphabetical-index")


def read_open_document(data: bytes, options: ReadOptions) -> ParsedText:
    """Return the text; changes are accepted, comments and indexes left out; `left_out` counts pictures.

    Raises UnreadableSource for what is encrypted, damaged, a zip bomb or no OpenDocument.
    """
    with opened(data) as archive:
        if b"manifest:encryption-data" in (archive.part("META-INF/manifest.xml") or b""):
            raise UnreadableSource("encrypted", hint="remove the password first")
        if (root := archive.xml("content.xml")) is None:
            raise UnreadableSource("no OpenDocument")
        title, author, date = _metadata(archive)
    builder = TextBuilder()
    for body in root.iter("{*}body"):
        _OpenWalk(builder).visit(body)
    pictures = sum(1 for _ in root.iter("{*}image"))
    left_out = f"{pictures:,} picture{'s'[: pictures > 1]} left out" if pictures else ""
    return replace(builder.build(title or None), author=author, date=date, left_out=left_out)


def _metadata(archive: Archive) -> tuple[str, str, str]:
    meta = archive.xml("meta.xml")
    names = ("title", "creator", "date")
    title, author, date = ("" if meta is None else meta.findtext(f".//{{*}}{name}") or "" for name in names)
    return " ".join(title.split()), " ".join(author.split()), date


class _OpenWalk:
    """Goes through a body in its order."""

    def __init__(self, builder: TextBuilder) -> None:
        self._builder = builder
        self._slides = 0

    def visit(self, element: _Element) -> None:
        """Add what is within `element`."""
        name = _name(element)
        if name in _GONE:
            return
        if name == "h":
            level = _count(element, "outline-level")
            self._builder.add_heading(_inline(element), level, f"{'#' * min(level, 6)} ")
        elif name == "p":
            self._builder.add(_inline(element))
        elif name == "list":
            listed = element.iter("{*}list-item")
            items = (" ".join(_inline(each) for each in item.iterchildren("{*}p", "{*}h")) for item in listed)
            self._builder.add("\n".join(f"- {item}" for item in items if item.strip()))
        elif name == "table" and element.find(".//{*}table-row") is not None:
            self._builder.add("\n".join(_rows(element)))
        else:
            if name == "page":
                self._slides += 1
                self._builder.add_heading(f"Slide {self._slides}", 1, "# ")
            for child in element:
                self.visit(child)


def _rows(table: _Element) -> Iterator[str]:
    for row in table.iter("{*}table-row"):
        cells: list[str] = []
        for cell in row.iterchildren("{*}table-cell", "{*}covered-table-cell"):
            text = " ".join(filter(None, (_inline(each) for each in cell.iter("{*}p", "{*}h"))))
            cells.extend([text] * (_count(cell, "number-columns-repeated") if text else 1))
        if any(cells):
            yield " | ".join(cells)


def _inline(element: _Element) -> str:
    """Return the words of a paragraph; a note stands in brackets where it is called."""
    return " ".join("".join(_pieces(element)).split())


def _pieces(element: _Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        name = _name(child)
        if name == "s":
            yield " " * _count(child, "c")
        elif name in ("tab", "line-break"):
            yield " "
        elif name == "note":
            body = child.find("{*}note-body")
            yield f" [{''.join(_pieces(body)).strip()}]" if body is not None else ""
        elif name not in _GONE:
            space = " " if name in ("p", "h", "frame", "text-box") else ""  # words of a frame in the paragraph
            yield from (space, *_pieces(child), space)
        yield child.tail or ""


def _count(element: _Element, attribute: str) -> int:
    value = next((text for name, text in element.items() if name.rpartition("}")[2] == attribute), "1")
    return min(int(value), MAX_REPEATED) if value.isdecimal() else 1


def _name(element: _Element) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
