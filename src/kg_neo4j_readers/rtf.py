"""RTF to text."""

from __future__ import annotations

import re

from kg_neo4j.acquire.decoding import DAMAGED, normalise_text
from kg_neo4j.acquire.interface import ParsedText, ReadOptions
from kg_neo4j.errors import UnreadableSource


def read_rtf(data: bytes, options: ReadOptions) -> ParsedText:
    """Return the text of an RTF file; the cells of a row stand on one line.

    Raises UnreadableSource for what is no RTF.
    """
    from striprtf.striprtf import rtf_to_text

    if not data.lstrip().startswith(b"{\\rtf"):
        raise UnreadableSource("no RTF")
    latin = data.decode("latin-1")
    text = rtf_to_text(latin, encoding=options.encoding or "cp1252", errors="replace")  # type: ignore[no-untyped-call]
    lines = (" | ".join(cell.strip() for cell in line.rstrip("|").split("|")) for line in text.splitlines())
    found = re.sub(r"\n{3,}", "\n\n", normalise_text("\n".join(lines))).strip()
    lost = 0 if options.encoding else found.count(DAMAGED)  # else the child process counts them
    left_out = f"{lost:,} sign{'s'[: lost > 1]} cannot be read: name the encoding with --encoding" if lost else ""
    return ParsedText(found, left_out=left_out)
