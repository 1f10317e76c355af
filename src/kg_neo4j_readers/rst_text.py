"""reStructuredText to text: docutils makes HTML of it, which `html_text` reads. No file is included, no HTML is raw."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

from docutils import core, nodes
from docutils.parsers import rst
from docutils.parsers.rst import directives, states
from docutils.parsers.rst.languages import en
from docutils.statemachine import StringList
from docutils.writers import html5_polyglot

from kg_neo4j import data_files
from kg_neo4j.acquire.decoding import decode, normalise_text
from kg_neo4j.acquire.html_text import read_rendered
from kg_neo4j.acquire.interface import ParsedText, ReadOptions, with_head
from kg_neo4j.errors import UnreadableSource

MAX_CHARACTERS = 2_000_000  # prose takes 2 s; inline markup in one paragraph takes the square of its length

_DATA = data_files.beside(__file__)
_CODE, _UNREAD, _GONE = (_DATA.word_set(name) for name in ("code", "unread", "gone"))
_DIRECTIVE, _ROLE_MARKS, _LINK_MARKS, _BLOCK_MARKS, _EMPTY_CELL = (
    re.compile(_DATA.text(name)) for name in ("directive", "role_marks", "link_marks", "block_marks", "empty_cell")
)
_SETTINGS: dict[str, Any] = dict.fromkeys(_DATA.words("off"), False)
_SETTINGS |= {"_disable_config": True, "initial_header_level": 1, "syntax_highlight": "none", "stylesheet_path": ""}
_SETTINGS |= {"trim_footnote_reference_space": True, "line_length_limit": MAX_CHARACTERS}
_SETTINGS |= {"report_level": 5, "halt_level": 5}  # the worst level is 4


def read_rst(data: bytes, options: ReadOptions) -> ParsedText:
    """Return what a reader of reStructuredText sees; its headings become sections.

    The marks of headings, lists and fenced code are Markdown's. Fields are lines; those at the top give title, author
    and date. A role or a directive that is not known gives its text. Comments, marks of footnotes, and what other files
    hold are left out. Raises UnreadableSource for what is nested too deeply.
    """
    text = normalise_text(decode(data, encoding=options.encoding))
    if len(text) > MAX_CHARACTERS:
        return ParsedText(text, left_out=f"over {MAX_CHARACTERS:,} characters of reStructuredText: read as plain text")
    for name in {*map(str.lower, _DIRECTIVE.findall(text))} - en.directives.keys() | _CODE | _UNREAD | _GONE:
        directives.register_directive(name, _Directive)
    parser, writer = rst.Parser(rfc2822=True, inliner=_inliner()), html5_polyglot.Writer()
    try:
        text = _EMPTY_CELL.sub(r"\1\2\1\\ ", text)
        tree = core.publish_doctree(text, parser=parser, settings_overrides=_SETTINGS)
        fields = _head(tree)
        unread = sorted({each["unread"] for each in tree.findall(nodes.comment) if each.get("unread") in _UNREAD})
        for each in [*tree.findall(nodes.Element)]:
            if type(each) in _PLAIN and (plain := _PLAIN[type(each)](each)) is not None:
                each.parent.replace(each, plain)
        core.publish_from_doctree(tree, writer=writer, settings_overrides=_SETTINGS)
    except RecursionError as error:
        raise UnreadableSource("blocks nested too deeply") from error
    parsed = with_head(read_rendered(writer.parts["html_body"]), fields)
    return replace(parsed, left_out=f"left out: {', '.join(unread)}" if unread else "")


class _Directive(rst.Directive):  # type: ignore[misc]
    """Reads what docutils does not: gives the argument and the content, or code, or nothing. Any option is allowed."""

    optional_arguments, final_argument_whitespace, has_content = 1, True, True
    option_spec: ClassVar = defaultdict(lambda: str, {"class": str})

    def run(self) -> list[Any]:
        name, argument, lines = self.name.lower(), "".join(self.arguments), self.options.get("caption", "").split("\n")
        if name in _UNREAD | _GONE:
            return [nodes.comment("", "", unread=name)]
        if name not in _CODE:
            lines += ["", *argument.split("\n"), "", *self.content]
        self.state.nested_parse(StringList(lines, ""), self.content_offset, found := nodes.Element())
        code = nodes.literal_block("", "\n".join(self.content), language=argument)
        return [*found.children, *([code] if name in _CODE else [])]


def _inliner() -> Any:
    """Return docutils' reader of inline markup, which gives the text of a role that it does not know, or refuses."""
    inliner = states.Inliner()
    known = inliner.interpreted

    def interpreted(rawsource: str, text: str, role: str, lineno: int) -> tuple[list[Any], list[Any]]:
        found, messages = known(rawsource, text, role, lineno)
        if any(isinstance(each, nodes.problematic) for each in found):
            return [_text(_ROLE_MARKS, nodes.unescape(text))], []
        return found, messages

    # set here, because a class below Inliner does not find its patterns
    inliner.interpreted = interpreted
    inliner.implicit_inline = lambda text, _: [nodes.Text(text)] * bool(text)  # calls itself for each address of a text
    return inliner


def _text(marks: re.Pattern[str], text: str) -> Any:
    return nodes.Text(marks.sub("", text) or text)


def _head(tree: Any) -> dict[str, list[str]]:
    """Return the fields before the first paragraph: the texts of each."""
    first = next((each for each in tree.findall() if isinstance(each, nodes.field_list | nodes.paragraph)), None)
    fields = first if isinstance(first, nodes.field_list) else ()
    return {name.astext(): [each.astext() for each in body.findall(nodes.paragraph)] for name, body in fields}


def _field(field: Any) -> list[Any]:
    name, body = field
    first = body.pop(0).children if body.children and isinstance(body[0], nodes.paragraph) else []
    return [nodes.paragraph("", "", *name.children, nodes.Text(": "), *first), *body.children]


def _lines(block: Any) -> Any:
    found = (each for line in block.findall(nodes.line) for each in (*line, nodes.raw("", "<br>", format="html")))
    return nodes.paragraph("", "", *found)


def _unread(message: Any) -> Any:
    """Return the lines of what docutils could not read, without marks; nothing of what it warns of."""
    source = next(iter(message.findall(nodes.literal_block)), None) if message["level"] > 2 else None
    text = _BLOCK_MARKS.sub("", source.astext()) if source else ""
    return _lines(nodes.line_block("", *(nodes.line("", line) for line in text.split("\n") if line.strip())))


def _fence(block: Any) -> None:
    block[:] = [nodes.Text(f"```{block.get('language', '')}\n{block.astext()}\n```")]


_PLAIN: dict[type, Callable[[Any], Any]] = {  # what is put in the place of a node; None: it stays
    nodes.classifier: lambda node: node.insert(0, nodes.Text(" : ")),
    nodes.doctest_block: _fence,
    nodes.emphasis: lambda node: nodes.inline("", f"*{node.astext()}*"),
    nodes.field: _field,
    nodes.footnote_reference: lambda _: [],
    nodes.image: lambda node: nodes.inline("", f"{node.get('alt', '')} "),
    nodes.label: lambda node: [] if isinstance(node.parent, nodes.footnote) else None,
    nodes.line_block: lambda node: None if isinstance(node.parent, nodes.line_block) else _lines(node),
    nodes.literal_block: _fence,
    nodes.math: lambda node: nodes.inline("", node.astext()),
    nodes.math_block: lambda node: nodes.paragraph("", node.astext()),
    nodes.problematic: lambda node: _text(_LINK_MARKS, node.astext()),
    nodes.system_message: _unread,
}
