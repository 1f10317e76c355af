"""DOCX to text with python-docx: headings become sections, lists and tables keep their lines.

Runs in the child process of `sandbox`. What the archive would unpack to is checked before anything is parsed.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping
from typing import TYPE_CHECKING

from kg_neo4j.acquire.decoding import clean, normalise_text
from kg_neo4j.acquire.interface import ParsedText, TextBuilder
from kg_neo4j.errors import UnreadableSource

if TYPE_CHECKING:
    from docx.table import Table
    from docx.text.paragraph import Paragraph
    from lxml.etree import _Element

MAX_MEMBERS = 2_000
MAX_UNPACKED_BYTES = 512_000_000  # images included
MAX_XML_BYTES = 64_000_000  # one part that is parsed
MAX_RATIO = 200  # unpacked to packed, where it matters: XML compresses about 10 to 1
RATIO_FROM_BYTES = 10_000_000

_HEADING_STYLE = re.compile(r"(?:heading|überschrift|nagłówek|titre|título) ([1-9])", re.IGNORECASE)


def read_docx(data: bytes) -> ParsedText:
    """Return the text of the body. Raises UnreadableSource for what is encrypted, damaged, a zip bomb or no DOCX."""
    check_archive(data)
    import docx
    from docx.opc.exceptions import OpcError
    from docx.table import Table
    from lxml.etree import ErrorTypes, LxmlError

    builder = TextBuilder()
    try:
        document = docx.Document(io.BytesIO(data))
        _keep_words_after_entities(document.element)
        styles = {style.style_id: style.name or "" for style in document.styles}  # looking one up costs milliseconds
        in_list = False
        for block in document.iter_inner_content():
            if isinstance(block, Table):
                builder.add(_table_text(block))
                in_list = False
            else:
                in_list = _add_paragraph(builder, block, styles, in_list)
        title = document.core_properties.title
    except LxmlError as error:
        if getattr(error, "code", None) == ErrorTypes.ERR_NO_MEMORY:
            raise MemoryError from error  # the sandbox's limit
        raise UnreadableSource(f"damaged DOCX: {error}") from error
    except (OpcError, KeyError, ValueError, AttributeError, zipfile.BadZipFile) as error:
        raise UnreadableSource(f"damaged DOCX: {error}") from error
    return builder.build(" ".join(title.split()) or None if title else None)


def _keep_words_after_entities(root: _Element) -> None:
    """Put entities, as they are written, and the words after them and after comments into the text around them."""
    from lxml import etree

    for entity in root.iter(etree.Entity):
        entity.tail = f"{entity.text}{entity.tail or ''}"
    etree.strip_elements(root, etree.Entity, etree.Comment, etree.ProcessingInstruction, with_tail=False)


def check_archive(data: bytes) -> None:
    """Refuse what is no archive, or would unpack to too much, by what it declares and by what it really holds."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            if len(members) > MAX_MEMBERS:
                raise UnreadableSource(f"{len(members):,} members in the archive; at most {MAX_MEMBERS:,} are allowed")
            if any(member.flag_bits & 1 for member in members):
                raise UnreadableSource("encrypted", hint="remove the password first")
            _check_size(sum(member.file_size for member in members), len(data), "declares")
            unpacked = 0
            for member in members:
                size = _unpacked_size(archive, member)
                unpacked += size
                _check_size(unpacked, len(data), "holds")
                if size > MAX_XML_BYTES and member.filename.endswith((".xml", ".rels")):
                    raise UnreadableSource(f"{member.filename} unpacks to more than {MAX_XML_BYTES:,} bytes")
    except (zipfile.BadZipFile, NotImplementedError, EOFError, zipfile.zlib.error) as error:  # type: ignore[attr-defined]
        raise UnreadableSource(f"damaged DOCX: {error}") from error


def _check_size(unpacked: int, packed: int, verb: str) -> None:
    too_dense = unpacked > RATIO_FROM_BYTES and unpacked > MAX_RATIO * packed
    if unpacked > MAX_UNPACKED_BYTES or too_dense:
        raise UnreadableSource(f"a zip bomb: {packed:,} bytes, the archive {verb} {unpacked:,}")


def _unpacked_size(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> int:
    """Return what one member really unpacks to, counted up to the limit and not kept."""
    size = 0
    with archive.open(member) as stream:
        while block := stream.read(1 << 20):
            size += len(block)
            if size > MAX_UNPACKED_BYTES:
                break
    return size


def _add_paragraph(builder: TextBuilder, paragraph: Paragraph, styles: Mapping[str, str], in_list: bool) -> bool:
    """Add a paragraph; return whether it is an item of a list."""
    text = clean(normalise_text(paragraph.text)).strip()
    style = styles.get(paragraph._p.style or "", "")
    heading = _HEADING_STYLE.match(style)
    if heading or style == "Title":
        builder.add_heading(text, int(heading[1]) if heading else 1)
        return False
    properties = paragraph._p.pPr
    is_item = style.startswith("List") or (properties is not None and properties.numPr is not None)
    if text:
        builder.add(f"- {text}" if is_item else text, gap="\n" if is_item and in_list else "\n\n")
    return is_item if text else in_list


def _table_text(table: Table) -> str:
    """Return a line for each row; a cell that spans several columns stands once."""
    lines = []
    for row in table.rows:
        cells = list({id(cell._tc): cell for cell in row.cells}.values())
        texts = [" ".join(clean(normalise_text(cell.text)).split()) for cell in cells]
        if any(texts):
            lines.append(" | ".join(texts))
    return "\n".join(lines)
