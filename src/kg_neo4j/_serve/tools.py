"""The tools of MCP clients: methods of the service with short schemas, and results that fit an agent's memory."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from kg_neo4j import data_files
from kg_neo4j._serve import limits
from kg_neo4j._serve.api import adapter, method, plain
from kg_neo4j._serve.service import Service
from kg_neo4j.errors import UsageError

READING = ("ask", "search", "entity", "connect", "source", "schema", "report", "documents", "verify")
WRITING = ("load", "status")
LENGTHS = (4_000, 2_000, 1_000, 500, 250, 120, 60)  # characters that texts of a result are cut to, until it fits
COUNTS = (30, 20, 10, 5, 3, 1)  # elements that lists of a result are cut to, after that
LEFT_OUT = ("$defs", "title", "description", "default")  # of schemas: names say as much
SAID_OF = {"load": ("name",)}  # parameters whose description holds for one tool alone


@dataclass(frozen=True, slots=True)
class ToolShape:
    """A tool as clients see it."""

    name: str
    purpose: str
    takes: Mapping[str, Any]  # JSON schema
    gives: Mapping[str, Any]  # likewise
    reads_only: bool


def names(service: Service) -> tuple[str, ...]:
    """Return the tools of a server, in a fixed order; those that write only where writing is allowed."""
    return (*READING, *WRITING) if service.rights.write else READING


@cache
def shape(name: str) -> ToolShape:
    """Return the shape of a tool."""
    told = data_files.beside(__file__)
    found, said = method(name), told.table("parameters")
    properties = {}
    for each in found.parameters:
        if (name, each) == ("verify", "filters"):  # the list is to be short; the API has them
            continue
        properties[each] = _short_of(adapter(found.types[each]).json_schema())
        if each in said and (each not in ("name",) or each in SAID_OF.get(name, ())):
            properties[each]["description"] = said[each]
    required = [each for each, parameter in found.parameters.items() if parameter.default is parameter.empty]
    takes = {"type": "object", "properties": properties, "required": required}
    gives = _terse(_short_of(adapter(found.result).json_schema(mode="serialization")))
    return ToolShape(name, told.table("purposes")[name], takes, gives, name != "load")


def instructions() -> str:
    """Return the instructions for clients."""
    return data_files.beside(__file__).table("instructions")["text"].strip()


def _short_of(schema: dict[str, Any]) -> Any:
    return _short(schema, schema.get("$defs", {}))


def _short(schema: Any, defined: Mapping[str, Any]) -> Any:
    """Return a JSON schema without titles, defaults and descriptions; what it refers to is put in its place."""
    if isinstance(schema, list):
        return [_short(each, defined) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _short(defined[schema["$ref"].rpartition("/")[2]], defined)
    if set(schema) >= {"anyOf"} and {"type": "null"} in schema["anyOf"] and len(schema["anyOf"]) == 2:
        other = _short(next(each for each in schema["anyOf"] if each != {"type": "null"}), defined)
        return {**other, "type": [other["type"], "null"]} if "type" in other else {"anyOf": [other, {"type": "null"}]}
    kept = {name: value for name, value in schema.items() if name not in LEFT_OUT}
    return {
        name: {each: _short(inner, defined) for each, inner in value.items()}
        if name == "properties"
        else _short(value, defined)
        for name, value in kept.items()
    }


def _terse(schema: Any, *, is_outermost: bool = True) -> Any:
    """Return the schema of a result without what goes without saying: most values are text."""
    if not isinstance(schema, dict):
        return schema
    kept = {name: value for name, value in schema.items() if name != "required"}
    if not is_outermost and (schema.get("type") == "string" or "properties" in schema):
        kept.pop("type", None)
    kept.pop("anyOf", None)  # a cell of a table is anything
    if "properties" in kept:
        kept["properties"] = {name: _terse(value, is_outermost=False) for name, value in kept["properties"].items()}
    if "items" in kept:
        kept["items"] = _terse(kept["items"], is_outermost=False)
    return kept


def call(service: Service, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result of a tool, cut to `limits.ANSWER_TOKENS` with a cursor or a note. Raises KgError."""
    if name not in names(service):
        raise UsageError(f"there is no tool {name[:80]!r}", hint=f"one of {', '.join(names(service))}")
    arguments = method(name).arguments(given)
    answer = getattr(service, name)
    found = plain(answer(**arguments))
    while not fits(service, found) and (fewer := _fewer(name, arguments)):
        arguments = fewer  # the next page begins where this one ends
        found = plain(answer(**arguments))
    return cut(service, found)


def _fewer(name: str, arguments: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return arguments that ask for fewer rows; None where there are no fewer."""
    takes = method(name).parameters
    rows = arguments.get("limit") or (0 if "around" in takes else limits.ROWS)
    if "cursor" not in takes:
        return None
    if rows > 1:
        return {**arguments, "limit": rows // 2}
    around = arguments.get("around", 1) if "around" in takes and not rows else 0
    return {**arguments, "around": min(around, limits.MOST_AROUND) - 1} if around > 0 else None


def cut(service: Service, found: dict[str, Any]) -> dict[str, Any]:
    """Return a result that fits: long texts are truncated first, then long lists, with a note."""
    length, count = 0, 0
    for length, count in (*((each, 0) for each in LENGTHS), *((LENGTHS[-1], each) for each in COUNTS)):
        if fits(service, found):
            return found
        found = _with_note(_cut(found, length, count), length, count)
    return found


def fits(service: Service, found: Mapping[str, Any]) -> bool:
    """Return whether a result fits, as structured content and as text together."""
    return service.asking().tokeniser.count(json.dumps(wire(found), ensure_ascii=False)) <= limits.ANSWER_TOKENS


def wire(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return a result as it is sent: as it is, and as text for clients that read text alone."""
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    return {"content": [{"type": "text", "text": text}], "structuredContent": found}


def _cut(value: Any, length: int, count: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= length else f"{value[: length - 12]} [truncated]"
    if isinstance(value, list):
        return [_cut(each, length, count) for each in (value[:count] if count else value)]
    if isinstance(value, dict):
        return {name: _cut(each, length, count) for name, each in value.items()}
    return value


def _with_note(found: dict[str, Any], length: int, count: int) -> dict[str, Any]:
    lists = f" and lists after {count} elements" if count else ""
    note = f"truncated to fit {limits.ANSWER_TOKENS:,} tokens: texts after {length} characters{lists}"
    earlier = [each for each in found.get("notes", ()) if not each.startswith("truncated to fit")]
    return {**found, "notes": [*earlier, note]}
