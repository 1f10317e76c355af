"""Files that hold a graph, not a text: archives and exports, known by how they begin."""

from __future__ import annotations

import re
import zlib

_HEAD = 4_096  # bytes; the first line begins with what tells
_EXPORT = re.compile(rb'\{"kind":"node","labels":\["\w+"(?:,"\w+")*\],"properties":\{')
_ARCHIVE = b'{"format":"kg-neo4j archive",'


def holds_graph(data: bytes) -> bool:
    """Return whether a file with these contents is an archive or an export of a graph, compressed or not."""
    head = data[:_HEAD]
    if head.startswith(b"\x1f\x8b"):
        try:
            head = zlib.decompressobj(wbits=31).decompress(head, _HEAD)
        except zlib.error:
            return False
    return head.startswith(_ARCHIVE) or _EXPORT.match(head) is not None
