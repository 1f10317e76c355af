"""DOCX to text, in the child process of `sandbox`: one page of HTML (docx_text.xsl), which `html_text` reads."""

from __future__ import annotations

import copy
import io
import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from posixpath import join, normpath, split
from typing import TYPE_CHECKING

from kg_neo4j import data_files
from kg_neo4j.acquire.html_text import read_html
from kg_neo4j.acquire.interface import ParsedText
from kg_neo4j.errors import UnreadableSource

if TYPE_CHECKING:
    from lxml.etree import _Element

MAX_MEMBERS = 2_000
MAX_UNPACKED_BYTES = 512_000_000  # images included
MAX_XML_BYTES = 64_000_000  # one part that is parsed
MAX_RATIO = 200  # unpacked to packed, where it matters: XML compresses about 10 to 1
RATIO_FROM_BYTES = 10_000_000

_DATA = data_files.beside(__file__)
_GONE, _WRAPPERS = ([f"{{*}}{name}" for name in _DATA.words(key)] for key in ("gone", "wrappers"))
_SYMBOLS = {font: " " * 32 + "".join(rows) for font, rows in _DATA.lists("symbols").items()}
_PARTS = ("styles", "footnotes", "endnotes", "header"), ("footer",)  # those before the document, those behind it
_NAMES = {"w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main"}
_W = f"{{{_NAMES['w']}}}"


def read_docx(data: bytes) -> ParsedText:
    """Return the text of headers, body and footers; `left_out` counts what cannot be read, such as pictures.

    Tracked changes are accepted. Raises UnreadableSource for what is encrypted, damaged, a zip bomb or no DOCX.
    """
    check_archive(data)
    from lxml import etree

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            root, title = _whole(archive)
        unread: Counter[str] = Counter()
        for name, what in _DATA.table("unread").items():
            unread[what] += sum(1 for _ in root.iter(f"{{*}}{name}"))
            etree.strip_elements(root, f"{{*}}{name}", with_tail=False)
        page = etree.XSLT(etree.parse(Path(__file__).with_suffix(".xsl")))(root)
        unread["hidden character"] = len("".join(page.xpath("//del//text()")))
        text, unread["symbol"] = re.subn("[\uf020-\uf0ff]", "", str(page))  # of fonts that are not Unicode's
    except etree.LxmlError as error:
        if getattr(error, "code", None) == etree.ErrorTypes.ERR_NO_MEMORY:
            raise MemoryError from error  # the sandbox's limit
        raise UnreadableSource(f"damaged DOCX: {error}") from error
    told = ", ".join(f"{count:,} {what}{'s'[: count > 1]}" for what, count in unread.items() if count)
    return replace(read_html(text.encode(), "utf-8"), title=title or None, left_out=told and f"{told} left out")


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
                before = unpacked
                with archive.open(member) as stream:
                    while block := stream.read(1 << 20):  # counted up to the limit and not kept
                        unpacked += len(block)
                        _check_size(unpacked, len(data), "holds")
                if unpacked - before > MAX_XML_BYTES and member.filename.endswith((".xml", ".rels")):
                    raise UnreadableSource(f"{member.filename} unpacks to more than {MAX_XML_BYTES:,} bytes")
    except (zipfile.BadZipFile, NotImplementedError, EOFError, zipfile.zlib.error) as error:  # type: ignore[attr-defined]
        raise UnreadableSource(f"damaged archive: {error}") from error


def _check_size(unpacked: int, packed: int, verb: str) -> None:
    if unpacked > MAX_UNPACKED_BYTES or unpacked > max(RATIO_FROM_BYTES, MAX_RATIO * packed):
        raise UnreadableSource(f"a zip bomb: {packed:,} bytes, the archive {verb} {unpacked:,}")


def _whole(archive: zipfile.ZipFile) -> tuple[_Element, str]:
    """Return one element with the parts that make the text, each header and footer once, and the title of the file."""
    of_file = dict(_links(archive, ""))
    main = of_file.get("officeDocument", "word/document.xml")
    document = _part(archive, main)
    if document.find(f"{_W}body") is None:
        raise UnreadableSource("damaged DOCX: there is no Word document in it")
    links = dict.fromkeys(_links(archive, main))
    before, after = ([_part(archive, name) for kind, name in links if kind in kinds] for kinds in _PARTS)
    whole = document.makeelement("parts")
    known: set[str] = set()
    for part in (*before, document, *after):
        for block in [*part] if part.tag in (f"{_W}hdr", f"{_W}ftr") else ():
            text = " ".join("".join(block.itertext(f"{_W}t")).split())
            if text and (text in known or re.fullmatch(r"\W*\d{1,3}\W*", text)):  # or the number of the page
                part.remove(block)
            known.add(text)
        whole.append(part)
    title = _part(archive, of_file.get("core-properties", "")).findtext("{*}title") or ""
    return copy.deepcopy(whole), " ".join(title.split())  # a tree put together of several finds no keys


def _links(archive: zipfile.ZipFile, part: str) -> Iterator[tuple[str, str]]:
    """Yield the kind and the name of each part that a part leads to."""
    folder, name = split(part)
    for link in _part(archive, join(folder, "_rels", f"{name}.rels")):
        yield link.get("Type", "").rpartition("/")[2], normpath(join("/", folder, link.get("Target", "")))[1:]


def _part(archive: zipfile.ZipFile, name: str) -> _Element:
    """Return the root of a part with all changes accepted, strict names as the others; an empty one where it lacks."""
    from lxml import etree

    data = archive.read(name) if name in archive.NameToInfo else b"<none/>"
    data = re.sub(rb"http://purl\.oclc\.org/ooxml/(\w+)/", rb"http://schemas.openxmlformats.org/\1/2006/", data)
    root = etree.fromstring(data, etree.XMLParser(resolve_entities=False, remove_comments=True, remove_pis=True))
    for entity in root.iter(etree.Entity):  # stays as it is written
        entity.tail = f"{entity.text}{entity.tail or ''}"
    etree.strip_elements(root, etree.Entity, with_tail=False)
    _accept_changes(root)
    etree.strip_elements(root, *_GONE, with_tail=False)
    etree.strip_tags(root, *_WRAPPERS)
    _drop_codes(root)
    for table in root.xpath("//w:tbl[w:tr/w:tc/w:tcPr/w:vMerge]", namespaces=_NAMES):
        _repeat_merged(table)
    return root


def _accept_changes(root: _Element) -> None:
    """Keep one of alternatives, the first with text; remove deleted rows; join paragraphs whose end is deleted."""
    for choice in [*root.iter("{*}AlternateContent")]:
        choice[:] = [each for each in choice if each.find(".//{*}t") is not None][:1] or choice[:1]
    for deleted in root.xpath("//w:tr[w:trPr/w:del] | //w:tc[w:tcPr/w:cellDel]", namespaces=_NAMES):
        deleted.getparent().remove(deleted)
    joined = "//w:p[w:pPr/w:rPr[w:del or w:moveFrom] and following-sibling::*[1]/self::w:p]"
    for paragraph in root.xpath(joined, namespaces=_NAMES):
        after = paragraph.getnext()
        place = len(after.findall(f"{_W}pPr"))
        after[place:place] = paragraph[1:]


def _drop_codes(root: _Element) -> None:
    """Write the codes of symbols as characters; drop the results of fields within the code of others."""
    fields: list[bool] = []  # the open ones: whether this is their code, not their result
    for node in root.iter(*(_W + name for name in ("p", "fldChar", "t", "sym"))):
        kind = node.get(f"{_W}fldCharType")
        if node.tag == f"{_W}p":
            fields = [False] * len(fields)  # a field that never ends hides no more than a paragraph
        elif kind:
            fields[len(fields) - (kind != "begin") :] = {"begin": [True], "separate": [False]}.get(kind, [])
        elif any(fields[:-1]):
            node.text = None
        elif code := re.fullmatch("[0-9A-Fa-f]{1,4}", node.get(f"{_W}char", "")):
            char = chr(int(code[0], 16))
            symbol = _SYMBOLS.get(node.get(f"{_W}font", "").lower(), "")[ord(char) & 0xFF :][:1].strip()
            node.text = symbol or (char if char.isprintable() else "\uf020")


def _repeat_merged(table: _Element) -> None:
    """Copy a cell that spans rows into each of them; what is wrong with the spans does no harm."""
    above: dict[int, _Element] = {}
    for row in table.iterchildren(f"{_W}tr"):
        column = int(row.xpath("sum(w:trPr/w:gridBefore/@w:val[. < 64])", namespaces=_NAMES))  # Word's most is 63
        for cell in row.iterchildren(f"{_W}tc"):
            if column not in above or not cell.xpath("w:tcPr/w:vMerge[not(@w:val = 'restart')]", namespaces=_NAMES):
                above[column] = cell
            elif not "".join(cell.itertext(f"{_W}t")).strip():
                cell.extend(copy.deepcopy([*above[column]]))
            column += int(cell.xpath("sum(w:tcPr/w:gridSpan/@w:val[. < 64])", namespaces=_NAMES)) or 1
