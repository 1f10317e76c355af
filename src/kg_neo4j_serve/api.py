"""The graph as JSON: one route for each method of the service, with its arguments in the query or in a JSON body.

Server-sent events have a draft as a model writes it and the checked answer after it, or how far a load is. The OpenAPI
document is made from the methods and their records.
"""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, get_type_hints

from pydantic import TypeAdapter, ValidationError
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from kg_neo4j import __version__
from kg_neo4j.errors import KgError, UsageError
from kg_neo4j.records import Filters
from kg_neo4j_serve import limits
from kg_neo4j_serve.addresses import CALLER, PREFIX, note
from kg_neo4j_serve.connection import Turnstile
from kg_neo4j_serve.jobs import ENDED, Jobs
from kg_neo4j_serve.refusals import Refused, error_shape
from kg_neo4j_serve.service import Service

METHODS = (
    *("ask", "search", "entity", "connect", "source", "schema", "report", "documents"),
    *("verify", "query", "communities", "corrections", "status", "graphs"),
)
WRITING = ("load", "cancel", "correct")
OF_FILTERS = tuple(each.name for each in fields(Filters))
EVENTS = "text/event-stream"
EVERY_S = 0.25  # between two looks at a load

REF = "#/components/schemas/{model}"
SAID = {"type": {"type": "string"}, "message": {"type": "string"}, "hint": {"type": ["string", "null"]}}
ERROR = {
    "type": "object",
    "properties": {"error": {"type": "object", "properties": SAID, "required": ["type", "message"]}},
    "required": ["error"],
}
ABOUT = (
    "Questions and answers on a graph: the first one of the server, or with `/graphs/NAME` before the path the one of "
    "that name; the argument `graph` does the same. Fields named `source_text` hold text of documents."
)
STREAMS = {
    "/api/ask/events": ("ask", "`draft` for each piece of text that a model writes, then `answer`, or `error`"),
    "/api/jobs/{id}/events": ("", "`job` whenever a load is further, until it has ended"),
}


def plain(value: Any) -> Any:
    """Return a record as JSON values."""
    kind: Any = type(value)
    return adapter(kind).dump_python(value, mode="json")


@cache
def adapter(kind: Any) -> TypeAdapter[Any]:
    """Return what checks and writes values of a type."""
    return TypeAdapter(kind)


@dataclass(frozen=True, slots=True)
class Method:
    """A method of the service as others call it: its parameters with their types, and its result."""

    name: str
    parameters: Mapping[str, inspect.Parameter]
    types: Mapping[str, Any]
    result: Any
    purpose: str  # first line of its docstring

    def arguments(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return checked arguments; text is brought to the type. Raises UsageError for what does not fit."""
        if unknown := sorted(set(given) - set(self.parameters)):
            raise UsageError(f"{self.name} has no parameter {unknown[0][:80]!r}", hint=", ".join(self.parameters))
        found = {}
        for name, parameter in self.parameters.items():
            if name in given:
                try:
                    found[name] = adapter(self.types[name]).validate_python(given[name])
                except ValidationError as error:
                    raise UsageError(f"{name}: {error.errors()[0]['msg']}") from None
            elif parameter.default is inspect.Parameter.empty:
                raise UsageError(f"{self.name} needs {name}")
        return found


@cache
def method(name: str) -> Method:
    """Return a method of the service, with `graph` for another graph; `on_token` is for programs alone."""
    function: Callable[..., Any] = getattr(Service, name)
    types = get_type_hints(function)
    parameters = dict(inspect.signature(function).parameters)
    for left_out in ("self", "on_token"):
        parameters.pop(left_out, None)
    parameters["graph"] = inspect.Parameter("graph", inspect.Parameter.KEYWORD_ONLY, default="")
    types["graph"] = str
    return Method(name, parameters, types, types["return"], (inspect.getdoc(function) or "").partition("\n")[0])


def routes() -> list[Route]:
    """Return the routes of the API."""
    return [
        Route("/api/ask/events", _ask, methods=["GET", "POST"]),
        Route("/api/jobs/{id}/events", _job),
        *(Route(f"/api/{name}", _endpoint(name), methods=["GET", "POST"]) for name in METHODS),
        Route("/api/load", _load, methods=["POST"]),
        *(Route(f"/api/{name}", _endpoint(name), methods=["POST"]) for name in WRITING[1:]),
        Route("/api/openapi.json", _shown),
    ]


async def chosen(request: Request) -> Service:
    """Return what answers on the graph that an address names, else on the first one. Raises NotServed."""
    state, scope = request.app.state, request.scope
    if "service" not in scope:
        name, caller = scope.get("graph"), CALLER.get()
        is_first = caller is None and name is None
        found = state.service if is_first else await state.turnstile.do(state.service.seen_by, caller, name)
        scope["service"] = found
    service: Service = scope["service"]
    PREFIX.set(service.prefix)
    note(graph=service.graph)
    return service


async def _asked(request: Request, name: str) -> tuple[Service, dict[str, Any]]:
    """Return what answers a request, and its checked arguments. Raises NotServed and UsageError."""
    service, arguments = await chosen(request), method(name).arguments(await given_by(request))
    if graph := arguments.pop("graph", ""):
        service = await request.app.state.turnstile.do(service.of, graph)
    note({**arguments, "text": None}, graph=service.graph)
    return service, arguments


def _endpoint(name: str) -> Callable[[Request], Any]:
    async def answer(request: Request) -> Response:
        service, arguments = await _asked(request, name)
        return JSONResponse(plain(await request.app.state.turnstile.do(getattr(service, name), **arguments)))

    return answer


async def _load(request: Request) -> Response:
    """Begin a load: of a text in JSON, or of files in a form."""
    service = await chosen(request)
    service.require_write()  # before the body is read
    if request.headers.get("content-type", "").startswith("multipart/form-data"):
        job = service.load_files(await uploaded(request))
    else:
        service, arguments = await _asked(request, "load")
        job = service.load(**arguments)
    return JSONResponse(plain(job), 202)


async def uploaded(request: Request) -> list[tuple[str, bytes]]:
    """Return the files of a form, by name. Raises UsageError for what is not a form of files."""
    try:
        async with request.form(max_files=limits.MOST_FILES, max_fields=10) as form:
            files = [each for each in form.getlist("files") if isinstance(each, UploadFile)]
            return [(each.filename or "", await each.read()) for each in files]
    except HTTPException as error:
        raise UsageError(f"the form cannot be read: {error.detail}") from None


async def given_by(request: Request) -> dict[str, Any]:
    """Return the arguments of a request: of a GET in the query, of a POST in a JSON object."""
    if request.method != "POST":
        return with_filters({name: request.query_params.getlist(name) for name in request.query_params})
    if not request.headers.get("content-type", "").startswith("application/json"):
        raise Refused("the body is not JSON", 415, hint="Content-Type: application/json")
    try:
        body = await request.json()
    except (ValueError, RecursionError) as error:
        raise UsageError(f"the body is not JSON: {error}") from None
    if not isinstance(body, dict):
        raise UsageError("the body is not a JSON object")
    return body


def with_filters(query: Mapping[str, list[str]]) -> dict[str, Any]:
    """Return arguments from a query: names of filters go into `filters`, `set.NAME` into `values` of a report."""
    found: dict[str, Any] = {}
    for name, values in query.items():
        if name in OF_FILTERS:
            several = name not in ("since", "until")
            found.setdefault("filters", {})[name] = values if several else values[-1]
        elif name.startswith("set."):
            found.setdefault("values", {})[name.removeprefix("set.")] = values[-1]
        else:
            found[name] = values[-1]
    return found


def event(name: str, data: Any) -> str:
    """Return one event: its name, and JSON in one line."""
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"


async def _ask(request: Request) -> Response:
    service, arguments = await _asked(request, "ask")
    return StreamingResponse(_answering(service, request.app.state.turnstile, arguments), media_type=EVENTS)


async def _answering(service: Service, turnstile: Turnstile, arguments: dict[str, Any]) -> AsyncIterator[str]:
    """Yield `draft` for each piece that a model writes, then `answer`, or `error`."""
    loop = asyncio.get_running_loop()
    pieces: asyncio.Queue[str | None] = asyncio.Queue()

    def on_token(piece: str) -> None:
        loop.call_soon_threadsafe(pieces.put_nowait, piece)

    task = asyncio.ensure_future(turnstile.do(service.ask, **arguments, on_token=on_token))
    task.add_done_callback(lambda _: pieces.put_nowait(None))
    try:
        while (piece := await pieces.get()) is not None:
            yield event("draft", piece)
        answer = await task
        service.recent.put(arguments, answer)
        yield event("answer", plain(answer))
    except KgError as error:
        yield event("error", error_shape(error))
    finally:
        task.cancel()


async def _job(request: Request) -> Response:
    jobs, id = (await chosen(request)).jobs, request.path_params["id"]
    jobs.find(id)  # 404 before the stream begins
    return StreamingResponse(_loading(jobs, id), media_type=EVENTS)


async def _loading(jobs: Jobs, id: str) -> AsyncIterator[str]:
    """Yield `job` whenever the load is further, until it has ended."""
    shown = None
    while True:
        job = jobs.find(id)
        if job != shown:
            yield event("job", plain(job))
        if job.state in ENDED:
            return
        shown = job
        await asyncio.sleep(EVERY_S)


async def _shown(request: Request) -> Response:
    await chosen(request)  # no address of a graph that is not there works
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
        events = {"description": f"Server-sent events: {said}.", "content": {EVENTS: {}}}
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
    status = "202" if each.name == "load" else "200"
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
            kinds = {name: {"type": "integer"} if name in ("since", "until") else listed for name in OF_FILTERS}
            found += [_parameter(kind, schema) for kind, schema in kinds.items()]
        elif name != "values":
            found.append(_parameter(name, known[each.name, name], required=parameter.default is parameter.empty))
    return found


def _parameter(name: str, schema: Mapping[str, Any], *, where: str = "query", required: bool = False) -> dict[str, Any]:
    return {"name": name, "in": where, "required": required or where == "path", "schema": schema}
