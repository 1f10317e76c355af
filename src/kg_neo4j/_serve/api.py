"""The graph as JSON: one route for each method of the service, with its arguments in the query or in a JSON body."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, get_type_hints

from pydantic import TypeAdapter, ValidationError
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from kg_neo4j._serve import limits
from kg_neo4j._serve.refusals import Refused
from kg_neo4j._serve.service import Service
from kg_neo4j.errors import UsageError

METHODS = (
    *("ask", "search", "entity", "connect", "source", "schema", "report", "documents"),
    *("verify", "communities", "status"),
)
WRITING = ("load",)
OF_FILTERS = ("documents", "languages", "kinds", "types", "since", "until")


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
                found[name] = _brought(self.types[name], given[name], name)
            elif parameter.default is inspect.Parameter.empty:
                raise UsageError(f"{self.name} needs {name}")
        return found


@cache
def method(name: str) -> Method:
    """Return a method of the service; `hear` is for programs alone."""
    function: Callable[..., Any] = getattr(Service, name)
    types = get_type_hints(function)
    parameters = dict(inspect.signature(function).parameters)
    for left_out in ("self", "hear"):
        parameters.pop(left_out, None)
    return Method(name, parameters, types, types["return"], (inspect.getdoc(function) or "").partition("\n")[0])


def _brought(kind: Any, value: Any, name: str) -> Any:
    try:
        return adapter(kind).validate_python(value)
    except ValidationError as error:
        raise UsageError(f"{name}: {error.errors()[0]['msg']}") from None


def routes() -> list[Route]:
    """Return the routes of the API."""
    found = [Route(f"/api/{name}", _endpoint(name), methods=["GET", "POST"]) for name in METHODS]
    return [*found, Route("/api/load", _load, methods=["POST"])]


def _endpoint(name: str) -> Callable[[Request], Any]:
    async def answer(request: Request) -> Response:
        arguments = method(name).arguments(await given_by(request))
        state = request.app.state
        return JSONResponse(plain(await state.turnstile.do(getattr(state.service, name), **arguments)))

    return answer


async def _load(request: Request) -> Response:
    """Begin a load: of a text in JSON, or of files in a form."""
    service = request.app.state.service
    service.require_write()  # before the body is read
    if request.headers.get("content-type", "").startswith("multipart/form-data"):
        job = service.load_files(await uploaded(request))
    else:
        job = service.load(**method("load").arguments(await given_by(request)))
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
