"""Parts of office files and books, which are archives of XML."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from posixpath import dirname, join, normpath
from typing import TYPE_CHECKING

from kg_neo4j.acquire.docx_text import check_archive
from kg_neo4j.errors import UnreadableSource

if TYPE_CHECKING:
    from lxml.etree import _Element

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


class Archive:
    """An archive whose size was checked; parts that are not there are None."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._names = set(archive.namelist())

    def part(self, name: str) -> bytes | None:
        """Return the bytes of a part."""
        return self._archive.read(name) if name in self._names else None

    def xml(self, name: str) -> _Element | None:
        """Return the root of a part. Raises UnreadableSource for what is no XML."""
        from lxml import etree

        if (data := self.part(name)) is None:
            return None
        parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
        try:
            return etree.fromstring(data, parser)
        except etree.XMLSyntaxError as error:
            raise UnreadableSource(f"damaged: {name}: {error}") from error

    def related(self, name: str) -> dict[str, tuple[str, str]]:
        """Return what a part of an Office file refers to: id -> kind, and the name of the part."""
        rels = self.xml(join(dirname(name), "_rels", f"{name.rpartition('/')[2]}.rels"))
        found = {}
        for each in rels if rels is not None else ():
            kind, target = each.get("Type", "").rpartition("/")[2], each.get("Target", "")
            place = target.lstrip("/") if target.startswith("/") else normpath(join(dirname(name), target))
            found[each.get("Id", "")] = (kind, place)
        return found


@contextmanager
def opened(data: bytes) -> Iterator[Archive]:
    """Open an archive. Raises UnreadableSource for what is encrypted, damaged, a zip bomb or no archive."""
    if data.startswith(_OLE):
        raise UnreadableSource("encrypted, or of a former format", hint="remove the password, or save it as a new file")
    check_archive(data)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        yield Archive(archive)
