"""Jupyter notebooks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from kg_neo4j.acquire.decoding import normalise_text
from kg_neo4j.acquire.interface import ParsedText, ReadOptions
from kg_neo4j.acquire.plain_text import read_markdown
from kg_neo4j.errors import UnreadableSource

MAX_OUTPUT = 20_000  # characters of one output; more is a log


def read_notebook(data: bytes, options: ReadOptions) -> ParsedText:
    """Return the cells of a notebook, and what they printed: pictures, tables in HTML and errors are left out.

    Raises UnreadableSource for what is no notebook.
    """
    try:
        found = json.loads(data.decode("utf-8-sig"))
        cells = found["cells"] if "cells" in found else [c for sheet in found["worksheets"] for c in sheet["cells"]]
        language = found.get("metadata", {}).get("kernelspec", {}).get("language", "python")
        text = "\n\n".join(part for cell in cells for part in _parts(cell, str(language)))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        told = f"{type(error).__name__}: {' '.join(str(error).split())[:100]}"
        raise UnreadableSource("no notebook", hint=told) from error
    return read_markdown(normalise_text(text))


def _parts(cell: Mapping[str, Any], language: str) -> Iterator[str]:
    """Yield a cell as Markdown, then its outputs that are text."""
    source = _joined(cell.get("source", cell.get("input", "")))
    kind = cell["cell_type"]
    if kind == "heading":
        source = f"{'#' * int(cell.get('level', 1))} {source}"
    if kind != "code":
        yield source
        return
    if source.strip():
        yield _fenced(source, language)
    for output in cell.get("outputs", ()):
        said = output.get("text", output.get("data", {}).get("text/plain", ""))
        if text := _joined(said).strip():
            yield _fenced(text[:MAX_OUTPUT], "")


def _joined(lines: Any) -> str:
    return lines if isinstance(lines, str) else "".join(map(str, lines))


def _fenced(text: str, language: str) -> str:
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"
