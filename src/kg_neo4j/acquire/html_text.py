"""HTML to text by a walk over lxml's tree: headings, lists and tables are kept, what a reader would not see is dropped.

Our own because known extractors keep either the page's layout or its main text, and none gives the section tree.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kg_neo4j.acquire.decoding import decode, normalise_text
from kg_neo4j.acquire.interface import ParsedText, TextBuilder
from kg_neo4j.errors import UnreadableSource

if TYPE_CHECKING:
    from lxml.etree import _Element

MAX_BYTES = 16_000_000  # lxml's tree takes about ten times the size of the file

_CHARSET = re.compile(rb"""<meta[^>]+charset\s*=\s*["']?([\w.:-]+)|<\?xml[^>]+encoding\s*=\s*["']([\w.:-]+)""", re.I)
_DROPPED = frozenset(
    "head script style noscript template svg math canvas iframe object embed audio video button select option "
    "input textarea nav dialog datalist map".split()
)
_BLOCKS = frozenset(
    "address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer form header "
    "hgroup hr html main p section summary ul ol".split()
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_HIDDEN_STYLE = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?:px|pt|em|%)?\s*(?:;|$))")
_END_OF_PAGE = re.compile(r"</html\s*>", re.IGNORECASE)
_SPACE = re.compile(r"[ \t\n\r\f\v\xa0]+")
_MAX_DEPTH = 200  # real pages stay under 100; the walk recurses


def read_html(data: bytes) -> ParsedText:
    """Return the text of an HTML page. Raises UnreadableSource where its encoding is unsure or it is over the limit."""
    from lxml import etree

    if len(data) > MAX_BYTES:
        raise UnreadableSource(f"{len(data):,} bytes of HTML; at most {MAX_BYTES:,} are read")
    found = _CHARSET.search(data[:4_096])
    declared = (found[1] or found[2]).decode("ascii") if found else None
    # libxml2 drops what follows </html>; browsers show it
    text = _END_OF_PAGE.sub("", normalise_text(decode(data, declared)))
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True, huge_tree=True)
    try:
        root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError as error:
        if error.code == etree.ErrorTypes.ERR_NO_MEMORY:
            raise MemoryError from error  # the sandbox's limit
        raise UnreadableSource(f"not HTML: {error.msg}") from error
    if root is None:
        raise UnreadableSource("no text")
    if _depth(root) > _MAX_DEPTH:
        raise UnreadableSource(f"elements nested deeper than {_MAX_DEPTH}")
    if fatal := parser.error_log.filter_from_fatals():  # there is a tree, of what came before
        raise UnreadableSource(f"the parser stopped at line {fatal[0].line}: {fatal[0].message.strip()}")
    walk = _Walk()
    walk.visit(root)
    walk.flush()
    title = root.findtext(".//head/title") or root.findtext(".//title")
    return walk.builder.build(" ".join(title.split()) or None if title else None)


class _Walk:
    """Goes through the tree in the order of the text; `flush` ends the block that is being collected."""

    def __init__(self) -> None:
        self.builder = TextBuilder()
        self._inline: list[str] = []
        self._gap = "\n\n"
        self._marker = ""  # of the list item whose first block has not come yet

    def visit(self, element: _Element) -> None:
        """Add what is within `element`."""
        tag = element.tag
        if not isinstance(tag, str) or tag in _DROPPED or _is_hidden(element):
            return
        if tag in _HEADINGS:
            self.flush()
            self.builder.add_heading(_inline_text(element), _HEADINGS[tag])
        elif tag == "table":
            self._visit_table(element)
        elif tag == "pre":
            self.flush()
            self.builder.add("".join(_visible_text(element)))
        elif tag == "br":
            self._inline.append("\0")
        elif tag == "li":
            self._visit_item(element)
        elif tag in _BLOCKS:
            self.flush()
            self._visit_children(element)
            self.flush()
        else:
            self._visit_children(element)

    def flush(self) -> None:
        """End the block that is being collected."""
        lines = "".join(self._inline).split("\0")
        self._inline.clear()
        block = "\n".join(_SPACE.sub(" ", line).strip() for line in lines).strip()
        if block:
            self.builder.add(self._marker + block, gap=self._gap)
            self._gap, self._marker = "\n\n", ""

    def _visit_children(self, element: _Element) -> None:
        self._inline.append(element.text or "")
        for child in element:
            self.visit(child)
            self._inline.append(child.tail or "")

    def _visit_item(self, element: _Element) -> None:
        """Add a list item as a line of its own."""
        self.flush()
        is_first = element.getprevious() is None and next(element.iterancestors("li"), None) is None
        self._gap = "\n\n" if is_first else "\n"
        self._marker = "- "
        self._visit_children(element)
        self.flush()
        self._gap, self._marker = "\n\n", ""

    def _visit_table(self, element: _Element) -> None:
        """Add a table as lines of cells; one with a table inside is layout, and read as blocks."""
        self.flush()
        if element.find(".//table") is not None:
            for cell in element.iter("td", "th", "caption"):
                if next(cell.iterancestors("table")) is element:
                    self._visit_children(cell)
                    self.flush()
            return
        rows = [_row_text(row) for row in element.iter("caption", "tr") if not _is_hidden(row)]
        self.builder.add("\n".join(row for row in rows if row))


def _depth(root: _Element) -> int:
    """Return how deep elements are nested."""
    from lxml import etree

    depth = deepest = 0
    for event, _ in etree.iterwalk(root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        deepest = max(deepest, depth)
    return deepest


def _row_text(row: _Element) -> str:
    if row.tag == "caption":
        return _inline_text(row)
    cells = [_inline_text(cell) for cell in row if cell.tag in ("td", "th") and not _is_hidden(cell)]
    return " | ".join(cells) if any(cells) else ""


def _inline_text(element: _Element) -> str:
    return _SPACE.sub(" ", "".join(_visible_text(element))).strip()


def _visible_text(element: _Element) -> list[str]:
    """Return the pieces of text that a reader sees within `element`."""
    pieces = [element.text or ""]
    for child in element:
        if isinstance(child.tag, str) and child.tag not in _DROPPED and not _is_hidden(child):
            pieces += (
                [" ", *_visible_text(child), " "]
                if child.tag in _BLOCKS or child.tag in ("li", "br")
                else (_visible_text(child))
            )
        pieces.append(child.tail or "")
    return pieces


def _is_hidden(element: _Element) -> bool:
    if element.get("hidden") is not None or (element.get("aria-hidden") or "").lower() == "true":
        return True
    return bool(_HIDDEN_STYLE.search((element.get("style") or "").lower()))
