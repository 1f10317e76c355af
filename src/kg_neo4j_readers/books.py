"""EPUB: the chapters of a book in the order of reading."""

from __future__ import annotations

from dataclasses import replace
from posixpath import dirname, join, normpath
from urllib.parse import unquote

from kg_neo4j.acquire.html_text import read_html
from kg_neo4j.acquire.interface import Heading, ParsedText, ReadOptions, close_sections
from kg_neo4j.errors import UnreadableSource
from kg_neo4j_readers.archives import opened


def read_epub(data: bytes, options: ReadOptions) -> ParsedText:
    """Return the text of all chapters, without the table of contents; title, author and date are those of the book.

    Raises UnreadableSource for what is protected, damaged, a zip bomb or no book.
    """
    with opened(data) as archive:
        container = archive.xml("META-INF/container.xml")
        named = None if container is None else container.find(".//{*}rootfile")
        package = "" if named is None else named.get("full-path", "")
        if (root := archive.xml(package)) is None:
            raise UnreadableSource("no book")
        if archive.part("META-INF/rights.xml") is not None:
            raise UnreadableSource("protected by its seller (DRM)")
        items = {each.get("id"): each for each in root.iter("{*}item")}
        chapters: list[ParsedText] = []
        for each in root.iter("{*}itemref"):
            item = items.get(each.get("idref"))
            if item is None or "nav" in (item.get("properties") or "").split():
                continue
            path = normpath(join(dirname(package), unquote(item.get("href", ""))))
            if (page := archive.part(path)) is None:
                raise UnreadableSource(f"damaged: {path} is missing")
            chapters.append(read_html(page, None))
        told = {name: root.findtext(f".//{{*}}{name}") or "" for name in ("title", "creator", "date")}
    text, headings = "", list[Heading]()
    for chapter in filter(lambda each: each.text.strip(), chapters):
        text, at = text and f"{text}\n\n", 0
        for section in chapter.sections:  # with marks, so that a passage is known by the heading above it
            text += chapter.text[at : section.start]
            headings.append(Heading(section.title, section.level, len(text)))
            text, at = f"{text}{'#' * section.level} ", section.start
        text += chapter.text[at:]
    title = " ".join(told["title"].split()) or None
    found = ParsedText(text, title, close_sections(headings, len(text)))
    return replace(found, author=told["creator"].strip(), date=told["date"].strip())
