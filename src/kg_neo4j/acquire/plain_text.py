"""Plain text and Markdown. Pure. The text stays as it is, but for what Project Gutenberg puts around its books."""

from __future__ import annotations

import re

from kg_neo4j.acquire.interface import Heading, ParsedText, close_sections
from kg_neo4j.acquire.structure import lines

_GUTENBERG_START = re.compile(
    r"^[^\S\n]*\*{3} ?START OF (?:THE|THIS) PROJECT GUTENBERG (?:EBOOK|ETEXT)(?:[^*\n]*\n){0,3}?[^*\n]*\*{3}[^\n]*$",
    re.MULTILINE | re.IGNORECASE,
)
_GUTENBERG_END = re.compile(
    r"^[^\S\n]*(?:\*{3} ?END OF (?:THE|THIS) PROJECT GUTENBERG|End of (?:the |this )?Project Gutenberg)[^\n]*$",
    re.MULTILINE | re.IGNORECASE,
)
_OLD_GUTENBERG_START = re.compile(r"^\*END[* ]*THE SMALL PRINT![^\n]*$", re.MULTILINE)
_GUTENBERG_TITLE = re.compile(r"^Title: +(\S[^\n]*(?:\n {3,}\S[^\n]*)*)", re.MULTILINE)
_CREDITS = re.compile(r"\s*(?:Produced by|E-text prepared by|Transcribed from)[^\n]*(?:\n[^\n]*\S[^\n]*)*")
_HEADER_CHARACTERS = 40_000  # the old header, "the small print", is long

_ATX_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.+?)(?:[ \t]+#+)?[ \t]*")
_SETEXT_LINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_NO_PARAGRAPH = re.compile(r"\s*(?:$|#|>|\||[-*+]\s|\d+[.)]\s)")


def read_text(text: str) -> ParsedText:
    """Return plain text, without the header and the licence of Project Gutenberg."""
    title, left_out, whole = None, "", len(text)
    start = _GUTENBERG_START.search(text, 0, _HEADER_CHARACTERS) or _OLD_GUTENBERG_START.search(
        text, 0, _HEADER_CHARACTERS
    )
    if start is not None:
        named = _GUTENBERG_TITLE.search(text, 0, start.start())
        title = " ".join(named[1].split()) if named else None
        text = text[start.end() :]
        end = _GUTENBERG_END.search(text)
        text = text[: end.start()] if end is not None else text
        credits = _CREDITS.match(text)
        text = text[credits.end() if credits else 0 :].strip("\n")
        left_out = f"the Project Gutenberg header and licence were left out ({whole - len(text):,} characters)"
    return ParsedText(text, title, left_out=left_out)


def read_markdown(text: str) -> ParsedText:
    """Return Markdown as it is written; its headings (outside fenced code) become sections."""
    text, front_matter = _split_front_matter(text)
    headings = _markdown_headings(text)
    title = front_matter or next((heading.title for heading in headings if heading.level == 1), None)
    return ParsedText(text, title, close_sections(headings, len(text)))


def _markdown_headings(text: str) -> list[Heading]:
    headings: list[Heading] = []
    fence = ""
    previous, previous_start = "", 0
    for start, end in lines(text, 0, len(text)):
        line = text[start:end] if end - start < 1_000 else ""
        fenced = _FENCE.match(line)
        if fenced and not fence:
            fence = fenced[1]
        elif fenced and fenced[1].startswith(fence) and line.strip() == fenced[1]:
            fence = ""
        elif not fence and (atx := _ATX_HEADING.fullmatch(line)):
            headings.append(Heading(atx[2].strip(), len(atx[1]), start))
        elif not fence and (rule := _SETEXT_LINE.fullmatch(line)) and not _NO_PARAGRAPH.match(previous):
            headings.append(Heading(previous.strip(), 1 if rule[1][0] == "=" else 2, previous_start))
        previous, previous_start = ("" if fence or fenced else line), start
    return headings


def _split_front_matter(text: str) -> tuple[str, str | None]:
    """Return the text after a YAML block at its top, and the title that the block names."""
    match = re.match(r"---[ \t]*\n((?:[^\n]*\n){0,100}?)(?:---|\.\.\.)[ \t]*(?:\n|$)", text)
    if match is None or not re.search(r"^\w[\w-]*:", match[1], re.MULTILINE):
        return text, None
    title = re.search(r"^title:[ \t]*[\"']?(.*?)[\"']?[ \t]*$", match[1], re.MULTILINE | re.IGNORECASE)
    return text[match.end() :].lstrip("\n"), title[1].strip() or None if title else None
