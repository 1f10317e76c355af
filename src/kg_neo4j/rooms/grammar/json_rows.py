"""Rows as JSON arrays, where a server takes a JSON schema and no grammar, and the CSV that they become. Pure."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any

from kg_neo4j.extract.schema import ColumnKind, Schema
from kg_neo4j.rooms.grammar.frame import LONGEST, OPTIONAL, Frame, SectionFrame, frame

_FORM = re.compile(r'"([^"]+)"|\s(?![^\[]*\])')  # of a grammar: words in quotes, a space outside brackets
_BETWEEN = re.compile(r"[\s,]*")


def json_schema(given: Frame, *, typed: bool) -> dict[str, Any]:
    """Return the JSON schema of all answers on a text; with `typed` a pattern for each column, which OpenAI refuses."""
    rows = {}
    for each in given.sections:
        row: dict[str, Any] = {"type": "array", "minItems": len(each.kinds), "maxItems": len(each.kinds)}
        row |= {"prefixItems": [_field(each, kind) for kind in each.kinds]} if typed else {"items": {"type": "string"}}
        rows[each.name] = {"type": "array", "items": row, "maxItems": given.rows}
    return {"type": "object", "properties": rows, "required": [*rows], "additionalProperties": False}


def _field(section: SectionFrame, kind: ColumnKind) -> dict[str, Any]:
    if kind in LONGEST:
        return {"type": "string", "minLength": int(kind not in OPTIONAL), "maxLength": LONGEST[kind]}
    pattern = _FORM.sub(lambda found: (found[1] or "").replace(".", r"\."), section.forms[kind])
    return {"type": "string", "pattern": f"^({pattern})?$" if kind in OPTIONAL else f"^({pattern})$"}


def as_csv(text: str, schema: Schema) -> str:
    """Return an answer in JSON rows as the two-section CSV, of a cut one the whole rows; other text as it is."""
    written = []
    for each in frame(schema, "").sections:
        if begin := re.search(rf'"{each.name}"\s*:\s*\[', text):
            rows = _values(text, begin.end())
            if not all(isinstance(row, list) for row in rows):
                return text  # the reader knows objects
            csv.writer(file := io.StringIO(), lineterminator="\n").writerows([each.header, *rows])
            written.append(file.getvalue())
    return "\n".join(written) or text


def _values(text: str, place: int) -> list[Any]:
    """Return the values of a JSON list whose first one is at `place`, as far as they are whole."""
    decoder, found = json.JSONDecoder(strict=False), list[Any]()
    while True:
        between = _BETWEEN.match(text, place)
        try:
            value, place = decoder.raw_decode(text, between.end() if between else place)
        except (ValueError, RecursionError):
            return found
        found.append(value)
