"""The OpenAPI document of the JSON API, made from the methods of the service and their records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from pydantic import TypeAdapter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from kg_neo4j import __version__
from kg_neo4j._serve.api import METHODS, WRITING, Method, adapter, method
from kg_neo4j.records import Filters

REF = "#/components/schemas/{model}"
ERROR = {
    "type": "object",
    "properties": {
        "error": {
            "type": "object",
            "properties": {
                "type": {"type": "string"},
                "message": {"type": "string"},
                "hint": {"type": ["string", "null"]},
            },
            "required": ["type", "message"],
        }
    },
    "required": ["error"],
}
ABOUT = "Questions and answers on one graph. Fields named `source_text` hold text of documents."
STREAMS = {
    "/api/ask/events": ("ask", "`draft` for each piece of text that a model writes, then `answer`, or `error`"),
    "/api/jobs/{id}/events": ("", "`job` whenever a load is further, until it has ended"),
}


def routes() -> list[Route]:
    """Return the route of the document."""
    return [Route("/api/openapi.json", _shown)]


async def _shown(_: Request) -> Response:
    return JSONResponse(document())


def document() -> dict[str, Any]:
    """Return the document: OpenAPI 3.1."""
    methods = [method(name) for name in (*METHODS, *WRITING)]
    wanted: list[Any] = [((each.name, ""), "serialization", adapter(each.result)) for each in methods]
    for each in methods:
        wanted += [((each.name, name), "validation", adapter(each.types[name])) for name in each.parameters]
    schemas, shared = TypeAdapter.json_schemas(wanted, ref_template=REF)
    known = {key: schema for (key, _), schema in schemas.items()}
    paths: dict[str, Any] = {}
    for each in methods:
        operation = _operation(each, known)
        posted = {**operation, "operationId": f"{each.name}_post", "requestBody": _body(each, known)}
        asked = {**operation, "operationId": each.name, "parameters": _parameters(each, known)}
        paths[f"/api/{each.name}"] = {"post": posted} if each.name in WRITING else {"get": asked, "post": posted}
    for path, (name, said) in STREAMS.items():
        parameters = _parameters(method(name), known) if name else [_parameter("id", {"type": "string"}, where="path")]
        events = {"description": f"Server-sent events: {said}.", "content": {"text/event-stream": {}}}
        paths[path] = {"get": {"summary": said, "parameters": parameters, "responses": {"200": events}}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "kg-neo4j", "version": __version__, "description": ABOUT},
        "paths": paths,
        "components": {
            "schemas": {**shared.get("$defs", {}), "Error": ERROR},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(each: Method, known: Mapping[Any, Any]) -> dict[str, Any]:
    failed = {"description": "The error.", "content": _json({"$ref": REF.format(model="Error")})}
    result = {"description": "The result.", "content": _json(known[each.name, ""])}
    status = "202" if each.name in WRITING else "200"
    return {"summary": each.purpose, "responses": {status: result, "default": failed}}


def _json(schema: Any) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _body(each: Method, known: Mapping[Any, Any]) -> dict[str, Any]:
    required = [name for name, parameter in each.parameters.items() if parameter.default is parameter.empty]
    properties = {name: known[each.name, name] for name in each.parameters}
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return {"required": bool(required), "content": _json(schema)}


def _parameters(each: Method, known: Mapping[Any, Any]) -> list[dict[str, Any]]:
    """Return the parameters of a query; filters are one parameter each, values of a report are `set.NAME`."""
    found = []
    for name, parameter in each.parameters.items():
        if name == "filters":
            listed = {"type": "array", "items": {"type": "string"}}
            found += [
                _parameter(kind.name, {"type": "integer"} if kind.name in ("since", "until") else listed)
                for kind in fields(Filters)
            ]
        elif name != "values":
            found.append(_parameter(name, known[each.name, name], required=parameter.default is parameter.empty))
    return found


def _parameter(name: str, schema: Mapping[str, Any], *, where: str = "query", required: bool = False) -> dict[str, Any]:
    return {"name": name, "in": where, "required": required or where == "path", "schema": schema}
