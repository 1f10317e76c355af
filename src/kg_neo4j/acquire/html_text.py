"""HTML to text by a walk over lxml's tree: headings, lists and tables are kept, what a reader would not see is dropped.

Our own because known extractors keep either the page's layout or its main text, and none gives the section tree.
A file is read by `read_html`, the content of a page of a MediaWiki by `read_wiki`, Markdown by `read_rendered`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING

from kg_neo4j import data_files
from kg_neo4j.acquire.decoding import decode, normalise_text
from kg_neo4j.acquire.interface import ParsedText, TextBuilder
from kg_neo4j.errors import UnreadableSource

if TYPE_CHECKING:
    from lxml.etree import _Element

MAX_BYTES = 16_000_000  # lxml's tree takes about ten times the size of the file

_CHARSET = re.compile(rb"""<meta[^>]+charset\s*=\s*["']?([\w.:-]+)|<\?xml[^>]+encoding\s*=\s*["']([\w.:-]+)""", re.I)
_DATA = data_files.beside(__file__)
_DROPPED, _BLOCKS, _FURNITURE = (_DATA.word_set(name) for name in ("dropped", "blocks", "furniture"))
_HEADINGS = {f"h{level}": level for level in range(1, 10)}  # Word has nine
_SHOWN_BY = {"dialog": "open", "template": "shadowrootmode"}  # attributes of what is dropped without them
_HIDDEN_STYLE = re.compile("|".join(_DATA.lines("hidden_styles")))
_HIDING_TAG = re.compile(r"(?is)<(?=({})\b(?!.*?</\1\b))".format("|".join(_DATA.words("hiding"))))
_END_OF_PAGE = re.compile(r"</html\s*>", re.IGNORECASE)
_SPACE = re.compile(r"\s+")
_MAX_DEPTH = 200  # real pages stay under 100; the walk recurses
_POWER = re.compile(r"[+−–-]?\w+(?:[.,]\w+)*[+−–-]?")  # needs no brackets
_FORMULA = re.compile(r"\{\\(?:displaystyle|textstyle|scriptstyle)\s*(.*)\}", re.DOTALL)


def read_html(data: bytes, encoding: str | None = None) -> ParsedText:
    """Return the text of an HTML page; `encoding` wins over what it declares.

    Raises UnreadableSource where its encoding is unsure or it is over the limit.
    """
    found = _CHARSET.search(data[:4_096])
    declared = (found[1] or found[2]).decode("ascii") if found else None
    # libxml2 drops what follows </html>; browsers show it
    root = _tree(_END_OF_PAGE.sub("", normalise_text(decode(data, declared, encoding))))
    title = root.findtext(".//head/title") or root.findtext(".//title")
    return _Walk().read(root, " ".join(normalise_text(title).split()) or None if title else None)


def read_rendered(html: str) -> ParsedText:
    """Return the text of rendered Markdown. A tag that would hide the rest is text: its writer speaks of it."""
    root = _tree(f"<body>{_HIDING_TAG.sub('&lt;', html)}")
    for picture in root.iter("img"):
        picture.tag, picture.text = "span", picture.get("alt")
    return _Walk(has_marks=True).read(root)


def read_wiki(data: bytes) -> ParsedText:
    """Return the text of a page of a MediaWiki, given its content as HTML in UTF-8, as `action=parse` answers it.

    Left out is what is no text of the page: elements of the classes in html_text.toml (lists of references and their
    marks, boxes of links, notices, links to edit) and pictures with their captions; the extension TextExtracts leaves
    them out, too. Tables, lists, code and formulas are kept, sections without text are not. The highest level of
    sections is 1, that of "== Title ==". A page of paragraphs alone gives the text that TextExtracts gives, but for
    lines that are wrapped in the source. Raises as `read_html` does.
    """
    root = _tree(normalise_text(data.decode("utf-8")))
    for element in root.iter("*"):
        if not _FURNITURE.isdisjoint(element.get("class", "").split()) or element.tag == "figure":
            element.set("hidden", "")
    return _WikiWalk().read(root)


def _tree(text: str) -> _Element:
    """Return the root of a page's elements. Raises UnreadableSource where it is no HTML that can be read whole."""
    from lxml import etree

    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True, huge_tree=True)
    data = text.encode("utf-8", "replace")
    if len(data) > MAX_BYTES:
        raise UnreadableSource(f"{len(data):,} bytes of HTML; at most {MAX_BYTES:,} are read")
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        if error.code == etree.ErrorTypes.ERR_NO_MEMORY:
            raise MemoryError from error  # the sandbox's limit
        raise UnreadableSource(f"not HTML: {error.msg}") from error
    if root is None:
        raise UnreadableSource("no text")
    depth = 0
    for event, _ in etree.iterwalk(root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        if depth > _MAX_DEPTH:
            raise UnreadableSource(f"elements nested deeper than {_MAX_DEPTH}")
    if fatal := parser.error_log.filter_from_fatals():  # there is a tree, of what came before
        raise UnreadableSource(f"the parser stopped at line {fatal[0].line}: {fatal[0].message.strip()}")
    return root


class _Walk:
    """Goes through the tree in the order of the text; `flush` ends the block that is being collected."""

    _between = "\n\n"  # paragraphs

    def __init__(self, *, has_marks: bool = False) -> None:
        self.builder = TextBuilder()
        self._has_marks = has_marks  # those of Markdown
        self._inline: list[str] = []
        self._gap = "\n\n"
        self._marker = ""  # of the list item whose first block has not come yet
        self._readings = ""  # of words of the block; they come after it

    def read(self, root: _Element, title: str | None = None) -> ParsedText:
        self.visit(root)
        self.flush()
        return self.builder.build(title)

    def visit(self, element: _Element) -> None:
        tag = element.tag
        if (own := _own_text(element)) is not None:
            self._inline.append(own)
        elif tag in _HEADINGS:
            self.flush()
            self._add_heading(element)
        elif tag == "table":
            self.flush()
            self._visit_table(element)
        elif tag == "pre":
            self.flush()
            self._add("".join(_visible_text(element)))
        elif tag == "br":
            self._inline.append("\0")
        elif tag == "li":
            self._visit_item(element)
        elif tag in _BLOCKS:
            self.flush()
            self._visit_children(element)
            self.flush()
        else:
            if tag == "ruby":
                self._readings += f"\n{_inline_text(element)} ({''.join(map(_inline_text, element.iter('rt')))})"
            self._visit_children(element)

    def flush(self) -> None:
        lines = "".join(self._inline).split("\0")
        self._inline.clear()
        indent = "\n" + " " * len(self._marker)
        if block := indent.join(_SPACE.sub(" ", line).strip() for line in lines).strip():
            self._add(self._marker + block + self._readings, self._gap)
            self._gap, self._marker, self._readings = self._between, "", ""

    def _add(self, block: str, gap: str = "\n\n") -> None:
        """Add a whole block; what follows it without a gap of its own is apart from it."""
        self.builder.add(block, gap=gap)
        self._gap = "\n\n"

    def _add_heading(self, element: _Element) -> None:
        level = _HEADINGS[element.tag]
        self.builder.add_heading(_inline_text(element), level, "#" * level + " " if self._has_marks else "")

    def _visit_children(self, element: _Element) -> None:
        self._inline.append(element.text or "")
        for child in element:
            self.visit(child)
            self._inline.append(child.tail or "")

    def _visit_item(self, element: _Element) -> None:
        self.flush()
        is_first = element.getprevious() is None and next(element.iterancestors("li"), None) is None
        self._gap = "\n\n" if is_first else "\n"
        items, self._marker = element.getparent(), "- "
        if self._has_marks:
            mark = f"{_number(items, 'start') + items.index(element)}. " if items.tag == "ol" else "- "
            self._marker = "  " * len(list(element.iterancestors("li"))) + mark
        self._visit_children(element)
        self.flush()
        self._gap, self._marker = "\n\n", ""

    def _visit_table(self, element: _Element) -> None:
        """Add a table as lines of cells; one with a table inside is layout, and read as blocks."""
        if element.find(".//table") is not None:
            for cell in element.iter("td", "th", "caption"):
                if next(cell.iterancestors("table")) is element:
                    self._visit_children(cell)
                    self.flush()
            return
        self._add_rows(element.iter("caption", "tr"))

    def _add_rows(self, rows: Iterable[_Element]) -> None:
        shown = [row for row in rows if not _is_hidden(row)]
        for row in shown:
            _spread(row)
        self._add("\n".join(filter(None, map(_row_text, shown))))


class _WikiWalk(_Walk):
    """Goes through a page of a wiki: its headings are those of its sections, and its tables hold data."""

    _between = "\n"  # as TextExtracts gives paragraphs: their chunks keep their ids

    def __init__(self) -> None:
        super().__init__()
        self._headings: list[tuple[str, int]] = []  # without text so far

    def visit(self, element: _Element) -> None:
        """Add what is within `element`; a line of a portable infobox is a row of its label and its value."""
        if "pi-data" in element.get("class", "").split() and not _is_hidden(element):
            self.flush()
            self._add(" | ".join(filter(None, map(_inline_text, element))), self._between)
        else:
            super().visit(element)

    def _add(self, block: str, gap: str = "\n\n") -> None:
        if block.strip():
            for title, level in self._headings:
                self.builder.add_heading(title, level)
            self._headings.clear()
            super()._add(block, gap)

    def _add_heading(self, element: _Element) -> None:
        """Keep a heading until there is text below it; that of an infobox is a line of text."""
        if next(element.iterancestors("aside"), None) is not None:
            self._add(_inline_text(element))
            return
        level = max(_HEADINGS[element.tag] - 1, 1)
        while self._headings and self._headings[-1][1] >= level:
            self._headings.pop()
        self._headings.append((_inline_text(element), level))
        self._gap = "\n\n"

    def _visit_table(self, element: _Element) -> None:
        """Add a table as lines of cells; a row with a table, code or headings inside is read as blocks."""
        rows: list[_Element] = []
        for row in element.iter("caption", "tr"):
            if next(row.iterancestors("table")) is not element:
                continue
            if next(row.iter("table", "pre", *_HEADINGS), None) is None:
                rows.append(row)
                continue
            self._add_rows(rows)
            rows.clear()
            for cell in row:
                self.visit(cell)
                self.flush()
        self._add_rows(rows)


def _spread(row: _Element) -> None:
    """Put the text of cells into all rows and columns that they span; one that is alone in its row is in it once."""
    for cell in row.findall("*"):
        columns = _number(cell, "colspan") if len(row) > 1 else 1
        text, place = _inline_text(cell), row.index(cell)
        for other in (row, *islice(row.itersiblings("tr"), _number(cell, "rowspan") - 1)):
            for _ in range(columns - (other is row)):
                copy = cell.makeelement("td")
                copy.text = text if len(text) <= 200 else ""  # characters; no word of a longer one is repeated
                other.insert(place + (other is row), copy)


def _number(element: _Element, name: str) -> int:
    return int((re.match(r"[1-9]\d{0,3}", element.get(name, "")) or "1")[0])


def _row_text(row: _Element) -> str:
    if row.tag == "caption":
        return _inline_text(row)
    cells = [_inline_text(cell) for cell in row if cell.tag in ("td", "th") and not _is_hidden(cell)]
    return " | ".join(cells) if any(cells) else ""


def _inline_text(element: _Element) -> str:
    return _SPACE.sub(" ", "".join(_visible_text(element))).strip()


def _visible_text(element: _Element) -> list[str]:
    pieces = [element.text or ""]
    for child in element:
        if (own := _own_text(child)) is not None:
            pieces.append(own)
        elif child.tag in _BLOCKS or child.tag in ("li", "br", *_HEADINGS):
            pieces += [" ", *_visible_text(child), " "]
        else:
            pieces += _visible_text(child)
        pieces.append(child.tail or "")
    return pieces


def _own_text(element: _Element) -> str | None:
    """Return the text of an element that is not that of its children: none, a power or a formula; else None."""
    if not isinstance(element.tag, str) or _is_hidden(element):
        return ""
    if element.tag == "sup":
        return _superscript(element)
    formula = element.get("alttext") if element.tag == "math" else None
    if element.tag == "img" and "mwe-math-fallback" in element.get("class", ""):
        formula = element.get("alt")
    if formula:
        found = _FORMULA.fullmatch(formula.strip())
        return found[1].strip() if found else formula
    is_shown = element.get(_SHOWN_BY.get(element.tag, "-")) is not None
    return "" if element.tag in _DROPPED and not is_shown else None


def _superscript(element: _Element) -> str:
    """Return a power as "^6" or "^(n+1)", the mark of a footnote as nothing, and "th" of "19th" as it is."""
    text = _inline_text(element)
    links = [*element.iter("a"), *element.iterancestors("a")]
    if any((link.get("href") or "").startswith("#") for link in links):
        return ""
    is_power = any(map(str.isdigit, text)) or element.find(".//i") is not None or element.find(".//var") is not None
    if not is_power or not text or not (text[0].isalnum() or text[0] in "+−–-"):
        return text
    return f"^{text}" if _POWER.fullmatch(text) else f"^({text})"


def _is_hidden(element: _Element) -> bool:
    is_off = element.get("hidden", "until-found").lower() != "until-found"
    is_styled = _HIDDEN_STYLE.search(element.get("style", "").lower()) is not None
    return is_off or is_styled or element.get("aria-hidden", "").lower() == "true"
