"""The Model Context Protocol, with the official SDK: tools and resources over HTTP and over standard input and output.

Importing it takes a second, so the HTTP server does it in the background after its start.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError

from kg_neo4j import __version__
from kg_neo4j._serve import limits, tools
from kg_neo4j._serve.service import Service
from kg_neo4j._serve.turnstile import Turnstile
from kg_neo4j.errors import KgError

T = TypeVar("T")
URI = re.compile(r"kg://(document|entity|report)/([a-z0-9-]{1,64})")
LISTED = 50  # documents of one page of resources
JSON = "application/json"


def server_of(service: Service, turnstile: Turnstile) -> Server[Any]:
    """Return the MCP server of a graph."""

    async def list_tools(_: Any, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_tool(name) for name in tools.names(service)])

    async def call_tool(_: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        try:
            found = await turnstile.do(tools.call, service, params.name, params.arguments or {})
        except KgError as error:
            said = f"{error}\n{error.hint}" if error.hint else str(error)
            return types.CallToolResult(content=[types.TextContent(text=said)], is_error=True)
        return types.CallToolResult.model_validate(tools.wire(found))

    async def list_resources(_: Any, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        cursor = params.cursor if params else None
        return await _or_protocol_error(turnstile, _resources, service, cursor)

    async def list_templates(_: Any, __: types.PaginatedRequestParams | None) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(
            resource_templates=[
                types.ResourceTemplate(name=kind, uri_template=f"kg://{kind}/{{{key}}}", mime_type=JSON)
                for kind, key in (("document", "id"), ("entity", "id"), ("report", "name"))
            ]
        )

    async def read(_: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        found = await _or_protocol_error(turnstile, _read, service, params.uri)
        text = json.dumps(found, ensure_ascii=False)
        return types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=params.uri, mime_type=JSON, text=text)]
        )

    return Server(
        "kg-neo4j",
        version=__version__,
        instructions=f"Graph {service.graph!r}. {tools.instructions()}",
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
    import anyio
    from mcp.server.stdio import stdio_server

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


def _tool(name: str) -> types.Tool:
    shape = tools.shape(name)
    return types.Tool(
        name=name,
        description=shape.purpose,
        input_schema=dict(shape.takes),
        output_schema=dict(shape.gives),
        annotations=types.ToolAnnotations(read_only_hint=True, open_world_hint=False)
        if shape.reads_only
        else types.ToolAnnotations(destructive_hint=True, idempotent_hint=True, open_world_hint=False),
    )


async def _or_protocol_error(turnstile: Turnstile, work: Callable[..., T], *arguments: Any) -> T:
    try:
        return await turnstile.do(work, *arguments)
    except KgError as error:
        raise MCPError(types.INVALID_PARAMS, str(error)) from None


def _resources(service: Service, cursor: str | None) -> types.ListResourcesResult:
    """Return the reports and the first documents; with a cursor, further documents. Entities have a template."""
    found = service.documents(limit=LISTED, cursor=cursor)
    listed = [
        types.Resource(uri=f"kg://document/{each.id}", name=each.title, mime_type=JSON) for each in found.documents
    ]
    if cursor is None:
        rows = service.report(limit=limits.MOST_ROWS).rows
        listed = [
            types.Resource(uri=f"kg://report/{row[0]}", name=str(row[1]), mime_type=JSON) for row in rows if not row[2]
        ] + listed
    return types.ListResourcesResult(resources=listed, next_cursor=found.cursor)


def _read(service: Service, uri: str) -> Mapping[str, Any]:
    """Return what a resource holds, as much of it as the tools would give."""
    match = URI.fullmatch(uri)
    if not match:
        raise KgError(f"not the address of a resource: {uri[:80]!r}")
    kind, key = match.groups()
    if kind == "document":
        return tools.call(service, "source", {"id": key, "limit": limits.ROWS})
    return tools.call(service, kind, {"name": key})
