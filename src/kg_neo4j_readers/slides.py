"""PowerPoint: each slide is a section with its number and title; tables are lines of cells, notes follow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from kg_neo4j.acquire.interface import ParsedText, ReadOptions, TextBuilder
from kg_neo4j.errors import UnreadableSource
from kg_neo4j_readers.archives import Archive, opened

if TYPE_CHECKING:
    from lxml.etree import _Element

_REFERENCE = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_TITLES = ("title", "ctrTitle")
_RUNNING = ("dt", "ftr", "hdr", "sldNum")  # placeholders that are on every slide
_UNREAD = {"pic": "picture", "chart": "chart", "relIds": "drawing"}


def read_slides(data: bytes, options: ReadOptions) -> ParsedText:
    """Return the text of all slides in their order, and their notes; `left_out` counts pictures, charts and drawings.

    Raises UnreadableSource for what is encrypted, damaged, a zip bomb or no presentation.
    """
    builder, unread = TextBuilder(), Counter[str]()
    with opened(data) as archive:
        main = "ppt/presentation.xml"
        if (root := archive.xml(main)) is None:
            raise UnreadableSource("no presentation")
        parts = archive.related(main)
        for number, each in enumerate(root.iter("{*}sldId"), 1):
            _, name = parts.get(each.get(_REFERENCE, ""), ("", ""))
            if (slide := archive.xml(name)) is None:
                raise UnreadableSource(f"damaged: slide {number} is missing")
            _add(builder, archive, name, slide, number)
            for tag, what in _UNREAD.items():
                unread[what] += sum(1 for _ in slide.iter(f"{{*}}{tag}"))
        core = archive.xml("docProps/core.xml")
        title = None if core is None else core.findtext("{*}title")
        author = "" if core is None else core.findtext("{*}creator") or ""
    told = ", ".join(f"{count:,} {what}{'s'[: count > 1]}" for what, count in unread.items() if count)
    return replace(builder.build(title or None), author=author, left_out=told and f"{told} left out")


def _add(builder: TextBuilder, archive: Archive, name: str, slide: _Element, number: int) -> None:
    shapes = [each for each in slide.iter("{*}sp", "{*}graphicFrame") if _place(each) not in _RUNNING]
    title = next((shape for shape in shapes if _place(shape) in _TITLES), None)
    words = " ".join(_paragraphs(title)) if title is not None else ""
    builder.add_heading(f"Slide {number}: {words}" if words else f"Slide {number}", 1, "# ")
    for shape in shapes:
        if shape is not title:
            builder.add(_text(shape))
    for kind, part in archive.related(name).values():
        if kind == "notesSlide" and (notes := archive.xml(part)) is not None:
            said = [_text(each) for each in notes.iter("{*}sp") if _place(each) == "body"]
            if any(said):
                builder.add(f"Notes: {' '.join(said)}")


def _place(shape: _Element) -> str | None:
    placeholder = shape.find(".//{*}nvPr/{*}ph")
    return None if placeholder is None else placeholder.get("type", "body")


def _text(shape: _Element) -> str:
    if (table := shape.find(".//{*}tbl")) is None:
        return "\n".join(_paragraphs(shape))
    rows = ([" ".join(_paragraphs(cell)) for cell in row.iter("{*}tc")] for row in table.iter("{*}tr"))
    return "\n".join(" | ".join(cells) for cells in rows if any(cells))


def _paragraphs(element: _Element) -> Iterator[str]:
    for paragraph in element.iter("{*}p"):
        parts = paragraph.iter("{*}t", "{*}br")
        text = "".join(each.text or "" if each.tag.endswith("}t") else " " for each in parts)
        if text.strip():
            yield " ".join(text.split())
