"""The Model Context Protocol, with the official SDK: tools and resources over HTTP and over standard input and output.

Tools are methods of the service with short schemas, and results that fit an agent's memory.

Importing it takes a second, so the HTTP server does it in the background after its start.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote, unquote

import anyio
import mcp_types as types
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError

from kg_neo4j import __version__, data_files
from kg_neo4j.errors import KgError, UsageError
from kg_neo4j_serve import limits
from kg_neo4j_serve.addresses import CALLER, note
from kg_neo4j_serve.api import adapter, method, plain
from kg_neo4j_serve.connection import Turnstile
from kg_neo4j_serve.refusals import status_of
from kg_neo4j_serve.service import Service

T = TypeVar("T")
LISTED = 50  # documents of one page of resources
MARKDOWN = "text/markdown"
# what resources are read with: the tool, the argument that names the thing, and further ones
KINDS: Mapping[str, tuple[str, str, Mapping[str, Any]]] = {
    "document": ("source", "id", {"limit": limits.ROWS}),
    "entity": ("entity", "name", {}),
    "passage": ("source", "id", {"around": 0}),
    "report": ("report", "name", {}),
}
URI = re.compile(rf"kg://(?:([^/]+)/)?({'|'.join(KINDS)})/(.+)", re.DOTALL)  # without a graph: that of the server

READING = ("ask", "search", "entity", "connect", "source", "schema", "report", "documents", "verify", "query")
WRITING = ("load", "status", "correct", "corrections")
LENGTHS = (4_000, 2_000, 1_000, 500, 250, 120, 60)  # characters that texts of a result are cut to, until it fits
COUNTS = (30, 20, 10, 5, 3, 1)  # elements that lists of a result are cut to, after that
LEFT_OUT = ("$defs", "title", "description", "default")  # of schemas: names say as much


def server_of(service: Service, turnstile: Turnstile) -> Server[Any]:
    """Return the MCP server of a graph."""

    def seen() -> Service:
        """Return what answers the caller of this request. Raises Refused."""
        return service.seen_by(CALLER.get())

    async def list_tools(_: Any, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        note(action="tools/list")
        found = await _or_protocol_error(turnstile, seen)
        return types.ListToolsResult(tools=[tool(name, has_all=service.has_all) for name in names(found)])

    async def call_tool(_: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        note(action=f"tools/call {params.name[:80]}")
        try:
            found = await turnstile.do(lambda: call(seen(), params.name, params.arguments or {}))
        except KgError as error:
            note(status=status_of(error))
            return types.CallToolResult(content=[types.TextContent(text=_said(error))], is_error=True)
        return types.CallToolResult.model_validate(wire(found))

    async def list_resources(_: Any, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        note(action="resources/list")
        cursor = params.cursor if params else None
        return await _or_protocol_error(turnstile, lambda: _resources(seen(), cursor))

    async def list_templates(_: Any, __: types.PaginatedRequestParams | None) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(
            resource_templates=[
                types.ResourceTemplate(name=kind, uri_template=f"kg://{{graph}}/{kind}/{{{key}}}", mime_type=MARKDOWN)
                for kind, (_, key, _) in KINDS.items()
            ]
        )

    async def read(_: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        note(action="resources/read")
        text = await _or_protocol_error(turnstile, lambda: _read(seen(), params.uri))
        return types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=params.uri, mime_type=MARKDOWN, text=text)]
        )

    said = data_files.beside(__file__).table("instructions")
    first = "" if service.has_callers else f"Graph {service.graph!r}. "  # callers differ in which one they see first
    return Server(
        "kg-neo4j",
        version=__version__,
        instructions=f"{first}{said['text']}{said['others'] if service.has_all else ''}".strip(),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read,
    )


def manager_of(service: Service, turnstile: Turnstile) -> StreamableHTTPSessionManager:
    """Return what serves it over HTTP, without sessions. Host and Origin are checked by the guard before."""
    return StreamableHTTPSessionManager(
        server_of(service, turnstile), json_response=True, stateless=True, max_request_body_size=limits.MOST_BODY
    )


def run_stdio(service: Service) -> None:
    """Serve one client over standard input and output until it closes them."""

    async def serve() -> None:
        turnstile = Turnstile()
        turnstile.begin(service.open)
        server = server_of(service, turnstile)
        try:
            async with stdio_server() as (incoming, outgoing):
                await server.run(incoming, outgoing, server.create_initialization_options())
        finally:
            turnstile.close()
            service.close()

    anyio.run(serve)


def _said(error: KgError) -> str:
    return f"{error}\n{error.hint}" if error.hint else str(error)


async def _or_protocol_error(turnstile: Turnstile, work: Callable[..., T], *arguments: Any) -> T:
    try:
        return await turnstile.do(work, *arguments)
    except KgError as error:
        note(status=status_of(error))
        raise MCPError(types.INVALID_PARAMS, _said(error)) from None


def _resources(service: Service, cursor: str | None) -> types.ListResourcesResult:
    """Return the reports and the first documents; with a cursor, further documents. Entities have a template."""
    found = service.documents(limit=LISTED, cursor=cursor)
    listed = [
        types.Resource(uri=address(service, "document", each.id), name=each.title or each.key, mime_type=MARKDOWN)
        for each in found.documents
    ]
    if cursor is None:
        rows = service.report(limit=limits.MOST_ROWS).rows
        listed = [
            types.Resource(uri=address(service, "report", str(row[0])), name=str(row[1]), mime_type=MARKDOWN)
            for row in rows
            if not row[2]
        ] + listed
    return types.ListResourcesResult(resources=listed, next_cursor=found.cursor)


def address(service: Service, kind: str, key: str) -> str:
    """Return the address of a resource of the graph."""
    return f"kg://{quote(service.graph, safe='')}/{kind}/{quote(key, safe='')}"


def _read(service: Service, uri: str) -> str:
    """Return what a resource holds as Markdown, as much of it as the tools would give."""
    if not (match := URI.fullmatch(uri)):
        raise UsageError(
            f"not the address of a resource: {uri[:80]!r}", hint=f"kg://GRAPH/KIND/NAME; kinds: {', '.join(KINDS)}"
        )
    graph, kind, key = (unquote(each or "") for each in match.groups())
    service, (name, named, more) = service.of(graph or service.graph), KINDS[kind]
    note({"uri": uri})
    found = call(service, name, {named: key, **more})
    return templates().get_template("resource.md").render(kind=kind, **found, at=partial(address, service))


@cache
def templates() -> Environment:
    """Return the template engine of resources: no text is escaped, because all lines of one are quoted."""
    folder = FileSystemLoader(Path(__file__).parent)
    return Environment(loader=folder, autoescape=select_autoescape(), undefined=StrictUndefined, trim_blocks=True)


def names(service: Service) -> tuple[str, ...]:
    """Return the tools of a server, in a fixed order; those that write only where writing is allowed."""
    return (*READING, *WRITING) if service.rights.write else READING


@cache
def tool(name: str, *, has_all: bool = False) -> types.Tool:
    """Return a tool as clients see it: of a server that has all graphs, or one."""
    told = data_files.beside(__file__)
    found, said = method(name), told.table("parameters")
    properties = {}
    for each in found.parameters:
        if (name, each) == ("verify", "filters") or (each == "graph" and not has_all):
            continue  # the list is to be short; the API has them
        schema = adapter(found.types[each]).json_schema()
        properties[each] = _short(schema, schema.get("$defs", {}))
        if about := said.get(f"{name}.{each}", said.get(each)):  # what is said of this tool alone goes first
            properties[each]["description"] = about
    required = [each for each, parameter in found.parameters.items() if parameter.default is parameter.empty]
    result = adapter(found.result).json_schema(mode="serialization")
    changes = types.ToolAnnotations(destructive_hint=True, idempotent_hint=True, open_world_hint=False)
    reads = types.ToolAnnotations(read_only_hint=True, open_world_hint=False)
    return types.Tool(
        name=name,
        description=told.table("purposes")[name],
        input_schema={"type": "object", "properties": properties, "required": required},
        output_schema=_terse(_short(result, result.get("$defs", {}))),
        annotations=changes if name in ("load", "correct") else reads,
    )


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
    if not is_outermost and (schema.get("type") not in ("array", "boolean", "integer", "number")):
        kept.pop("type", None)  # of objects, and of what may be null
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
    service = service.of(arguments.pop("graph", "") or service.graph)
    note({**arguments, "text": None}, graph=service.graph)
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
    for length, count in (*((each, 0) for each in LENGTHS), *((LENGTHS[-1], each) for each in COUNTS)):
        if fits(service, found):
            return found
        found = _cut(found, length, count)
        lists = f" and lists after {count} elements" if count else ""
        note = f"truncated to fit {limits.ANSWER_TOKENS:,} tokens: texts after {length} characters{lists}"
        earlier = [each for each in found.get("notes", ()) if not each.startswith("truncated to fit")]
        found = {**found, "notes": [*earlier, note]}
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
