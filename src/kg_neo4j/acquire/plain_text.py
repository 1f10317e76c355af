"""Plain text and Markdown. Pure. Plain text stays as it is, but for what Project Gutenberg puts around its books."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any

from kg_neo4j import data_files
from kg_neo4j.acquire.html_text import read_rendered
from kg_neo4j.acquire.interface import ParsedText, with_head

_DATA = data_files.beside(__file__)
_GUTENBERG_START, _OLD_GUTENBERG_START, _GUTENBERG_END, _GUTENBERG_TITLE, _CREDITS = (
    re.compile(_DATA.text(name)) for name in ("start", "old_start", "end", "title", "credits")
)
_DATA_URI, _FOOTNOTE, _ADDED = (re.compile(_DATA.text(name)) for name in ("data_uri", "footnote", "added"))
_HEAD, _YAML_FIELD, _YAML_ITEM, _YAML_PIECE, _YAML_TEXT = (
    re.compile(_DATA.text(name)) for name in ("head", "yaml_field", "yaml_item", "yaml_piece", "yaml_text")
)
_HEADER_CHARACTERS = 40_000  # the old header, "the small print", is long

MAX_MARKDOWN = 4_000_000  # characters: what is all markup takes 15 s a million; a novel has less than one


def read_text(text: str) -> ParsedText:
    """Return plain text, without the header and the licence of Project Gutenberg."""
    title, left_out, whole = None, "", len(text)
    starts = (each.search(text, 0, _HEADER_CHARACTERS) for each in (_GUTENBERG_START, _OLD_GUTENBERG_START))
    start = next(filter(None, starts), None)
    if start is not None:
        named = _GUTENBERG_TITLE.search(text, 0, start.start())
        title = " ".join(named[1].split()) if named else None
        book = _GUTENBERG_END.split(text[start.end() :], maxsplit=1)[0]
        text = _CREDITS.sub("", book).strip("\n")
        left_out = f"the Project Gutenberg header and licence were left out ({whole - len(text):,} characters)"
    return ParsedText(text, title, left_out=left_out)


def read_markdown(text: str) -> ParsedText:
    """Return what a reader of Markdown sees; its headings become sections.

    The ends of lines stay, and the marks of headings, lists, fenced code and italics, for titles are in italics. A
    picture is its alternative text. Comments, struck words, data URIs and front matter are left out: see `with_head`.
    """
    text, fields = _split_front_matter(text)
    if len(text) > MAX_MARKDOWN:
        told = f"over {MAX_MARKDOWN:,} characters of Markdown: read as plain text"
        return with_head(ParsedText(text, left_out=told), fields)
    from markdown_it import MarkdownIt
    from markdown_it.common.utils import escapeHtml

    parser = MarkdownIt("commonmark", {"breaks": True, "maxNesting": 400}).enable(["table", "strikethrough"])
    parser.validateLink = lambda url: True  # type: ignore[method-assign]  # any link is one: none is opened
    words, code = r"\1\2", "{0.markup}{0.info}\n{0.content}{0.markup}"
    parser.add_render_rule("text", lambda _, all_, at, *__: escapeHtml(_ADDED.sub(words, all_[at].content)))
    for rule in ("em_open", "em_close"):
        parser.add_render_rule(rule, lambda _, all_, at, *__: all_[at].markup)
    parser.add_render_rule("fence", lambda _, all_, at, *__: f"<pre>{escapeHtml(code.format(all_[at]))}</pre>")
    return with_head(read_rendered(parser.render(_FOOTNOTE.sub("", _DATA_URI.sub("data:", text)))), fields)


def _split_front_matter(text: str) -> tuple[str, Mapping[str, Any]]:
    """Return the text after a block of YAML or TOML at its top, and the fields of the block."""
    match = _HEAD.match(text)
    if match is None or not re.search(r"^\w[\w-]*(?::| *=)", match[2], re.MULTILINE):
        return text, {}
    try:
        fields = tomllib.loads(match[2]) if match[1] == "+++" else _yaml_fields(match[2])
    except tomllib.TOMLDecodeError:
        return text, {}  # text between two lines of "+++"
    return text[match.end() :].lstrip("\n"), fields


def _yaml_fields(block: str) -> dict[str, list[str]]:
    """Return the texts of each key at the left: its value, the items of its list, or their names."""
    fields = {}
    for key, value, below in _YAML_FIELD.findall(block):
        listed = (
            _YAML_PIECE.findall(value) if value.startswith("[") else ["".join(x) for x in _YAML_ITEM.findall(below)]
        )
        texts = (text.strip() for text in listed or [f"{value.lstrip('|>-+ ')} {' '.join(below.split())}"])
        fields[key] = [_YAML_TEXT.sub(r"\2\3", text).replace('\\"', '"').replace("''", "'") for text in texts]
    return fields
