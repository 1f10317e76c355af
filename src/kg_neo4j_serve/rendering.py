"""Pages: what a page module declares, how it is drawn, and its twin in JSON.

A page is a template and a view: a function of the service that returns records. Text in records is never markup; the
template engine escapes all of it.
"""

from __future__ import annotations

import hashlib
import pkgutil
import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import quote, unquote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from kg_neo4j.errors import DatabaseError, KgError
from kg_neo4j_serve import pages
from kg_neo4j_serve.addresses import CALLER, NO_NAMES, PREFIX, at, note, prefix_of
from kg_neo4j_serve.api import OF_FILTERS, chosen, plain
from kg_neo4j_serve.guard import LOGIN, NEXT, OPEN, SESSION, cookie
from kg_neo4j_serve.refusals import NotServed, Refused, error_response, missing, status_of
from kg_neo4j_serve.service import Service

HERE = Path(pages.__file__).parent
FAR = "public, max-age=31536000, immutable"  # the address of a file has the hash of its bytes
LOCAL = re.compile(r"/(?![/\\])[!-\[\]-~]*")  # printable ASCII without a backslash: a browser stays on this server
LONGEST_NEXT = 2_000  # characters of an address that is kept in a cookie
View = Callable[[Service, Mapping[str, str]], Mapping[str, Any]]
Deed = Callable[[Service, Mapping[str, Any]], str]


@dataclass(frozen=True, slots=True)
class ServedPage:
    """A page: `view` gets the service, and what path and query say; the template gets what it returns."""

    path: str  # as Starlette has it: "/entity/{name}"
    template: str  # in pages/templates
    view: View
    title: str = ""  # in the menu; empty: not there
    rank: int = 50  # in the menu, from left to right
    section: str = ""  # in the menu only where `Service.sections` has it
    writes: bool = False  # only with --allow-write


@dataclass(frozen=True, slots=True)
class Action:
    """A form that changes something: `deed` gets the service and the form, and returns where to go next."""

    path: str
    deed: Deed
    max_files: int = 0
    fields: Mapping[str, str] = field(default_factory=dict)


@cache
def modules() -> tuple[ModuleType, ...]:
    """Return the modules of pages/, by name."""
    return tuple(import_module(f"{pages.__name__}.{each.name}") for each in pkgutil.iter_modules([str(HERE)]))


def declared(name: str) -> Iterator[Any]:
    """Yield what the modules of pages/ list under a name: PAGES or ACTIONS."""
    for module in modules():
        yield from getattr(module, name, ())


@cache
def static_files() -> Mapping[str, Path]:
    """Return the files that pages use, by name: those of pages/static, and what STATIC of a module names elsewhere."""
    own = {path.name: path for path in sorted((HERE / "static").iterdir()) if path.is_file()}
    for module in modules():
        own |= getattr(module, "STATIC", {})
    return own


@cache
def static_address(name: str) -> str:
    """Return the address of a file of a page; it changes with the file's bytes."""
    return f"/static/{hashlib.sha256(static_files()[name].read_bytes()).hexdigest()[:16]}/{name}"


def environment() -> Environment:
    """Return the template engine: all is escaped, and an unknown name is an error."""
    made = Environment(
        loader=FileSystemLoader(HERE / "templates"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    made.globals |= {"static": static_address, "at": at, "prefix_of": prefix_of}
    for module in modules():
        made.globals |= getattr(module, "FUNCTIONS", {})
    return made


def menu(*, write: bool, sections: frozenset[str]) -> list[ServedPage]:
    """Return the pages of the menu in its order: those that have something to show, and may be used."""
    shown = [page for page in declared("PAGES") if page.title and (write or not page.writes)]
    shown = [page for page in shown if not page.section or page.section in sections]
    return sorted(shown, key=lambda page: (page.rank, page.title))


def routes() -> list[Route]:
    """Return the routes of all pages, their twins and actions, and of their files."""
    found = [Route("/static/{hash}/{name}", _static)]
    for page in declared("PAGES"):
        found.append(Route(twin_of(page.path), _shown(page, as_json=True)))
        found.append(Route(page.path, _shown(page, as_json=False)))
    found += [Route(action.path, _done(action), methods=["POST"]) for action in declared("ACTIONS")]
    return [*found, Route("/login", _login, methods=["GET", "POST"])]


def twin_of(path: str) -> str:
    """Return the path of a page's twin in JSON."""
    return "/index.json" if path == "/" else f"{path}.json"


def draw(request: Request, template: str, status: int = 200, **values: Any) -> Response:
    """Return a page about a graph; an error is one about the first graph where no other is known."""
    if "service" not in request.scope and CALLER.get() is not None:  # it may not see the first graph
        return _page(request, template, status, **values)
    service = request.scope.get("service", request.app.state.service)
    sections, graphs = request.scope.get("frame", (frozenset(), ()))
    PREFIX.set(service.prefix)
    about = {"menu": menu(write=service.rights.write, sections=sections), "graph": service.graph, "home": at("/")}
    about |= {"rights": service.rights, "graphs": [(each, prefix_of(each)) for each in graphs if each not in NO_NAMES]}
    return _with_forms(request, template, status, **{**about, **values})


def _with_forms(request: Request, template: str, status: int, **values: Any) -> Response:
    """Return a page, with `csrf` for the tokens of its forms, and the cookie that they belong to."""
    session = cookie(request.headers, SESSION) or secrets.token_urlsafe(24)
    response = _page(request, template, status, csrf=partial(request.app.state.access.form_token, session), **values)
    # "lax": a link from another site keeps the session, so that forms in other tabs still work. It opens no door.
    response.set_cookie(SESSION, session, httponly=True, samesite="lax", path="/")
    return response


def _page(request: Request, template: str, status: int, **values: Any) -> Response:
    """Return a page. It shows nothing of the graph that is not in the values."""
    given = {"menu": (), "graph": "", "graphs": (), "home": "/", "rights": None, "notes": (), **values}
    caller, several = CALLER.get(), request.app.state.access.rights is not None
    given |= {"path": request.scope["path"], "caller": caller.name if caller else "", "has_callers": several}
    return HTMLResponse(request.app.state.templates.get_template(template).render(given), status)


def is_data(path: str) -> bool:
    """Return whether an address is one of JSON."""
    return path.endswith((".json", "/mcp")) or path.startswith(("/api/", "/mcp"))


async def draw_error(request: Request, error: KgError) -> Response:
    """Return an error as a page; as JSON where JSON was asked for."""
    if is_data(request.scope["path"]):
        return error_response(error)
    is_open = request.scope["path"].startswith(OPEN)  # a stranger sees nothing of the graph
    if not is_open and not isinstance(error, NotServed | DatabaseError):
        with suppress(KgError):  # without it the menu is shorter
            await frame(request)
    shown = _page if is_open else draw
    return shown(request, "error.html", status_of(error), error=error, code=status_of(error))


def refuse(request: Request, error: KgError) -> Response:
    """Return the answer to a request that may know nothing of the graph: JSON, for a browser a page or the login."""
    if is_data(request.scope["path"]) or "text/html" not in request.headers.get("accept", ""):
        return error_response(error)
    status = status_of(error)
    if status == 401 and request.method == "GET":
        return _to_login(request)
    return _page(request, "error.html", status, error=error, code=status)


def _to_login(request: Request) -> Response:
    """Lead to the login; a cookie keeps the page to return to, because no other site can set it."""
    query = request.scope["query_string"].decode("ascii", "replace")
    goal = request.scope.get("prefix", "") + quote(request.scope["path"]) + (f"?{query}" if query else "")
    response = RedirectResponse("/login", 303)
    if LOCAL.fullmatch(goal) and len(goal) <= LONGEST_NEXT:
        response.set_cookie(NEXT, quote(goal, safe=""), httponly=True, samesite="strict", path="/login")
    return response


def _shown(page: ServedPage, *, as_json: bool) -> Callable[[Request], Any]:
    async def show(request: Request) -> Response:
        service = await chosen(request)
        if page.writes:
            service.require_write()
        given = {**request.query_params, **{name: str(value) for name, value in request.path_params.items()}}
        given |= {name: ",".join(request.query_params.getlist(name)) for name in OF_FILTERS if name in given}
        note(given)
        values = await request.app.state.turnstile.do(page.view, service, given)
        if as_json:
            return JSONResponse({name: plain(value) for name, value in values.items()})
        await frame(request)
        query = f"?{request.url.query}" if request.url.query else ""
        return draw(request, page.template, twin=at(twin_of(request.scope["path"])) + query, **values)

    return show


async def frame(request: Request) -> None:
    """Find out what stands around a page: the sections that are not empty, and the graphs that one may go to."""
    service, do = await chosen(request), request.app.state.turnstile.do
    request.scope["frame"] = await do(service.sections), list(await do(service.names))


def _done(action: Action) -> Callable[[Request], Any]:
    async def act(request: Request) -> Response:
        service = await chosen(request)
        service.require_write()
        async with request.form(max_files=action.max_files, max_fields=100) as form:
            _check_form(request, form)
            given = {**request.path_params, **form, **{name: form.getlist(name) for name in ("files", "folder")}}
            note({**given, "csrf": None})
            goal = await request.app.state.turnstile.do(action.deed, service, given)
            service.changed()
        return RedirectResponse(at(goal), 303)

    return act


def _check_form(request: Request, form: FormData) -> None:
    """Raise Refused for a form without the token of its own action and session."""
    session, token = cookie(request.headers, SESSION), form.get("csrf")
    access, path = request.app.state.access, request.scope["path"]
    if not session or not isinstance(token, str) or not access.is_form_token(token, session, path):
        why = "the form is not from this server, or from before its last start"
        raise Refused(why, 403, hint="open the page of the form again")


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in static_files() or static_address(name) != request.url.path:
        raise missing(f"there is no file {name[:80]!r}")
    return FileResponse(static_files()[name], headers={"cache-control": FAR})


async def _login(request: Request) -> Response:
    """Ask for the token, and keep in a cookie that it was right; never the token itself."""
    if request.method != "POST":
        return _with_forms(request, "login.html", 200, is_wrong=False)
    access = request.app.state.access
    async with request.form(max_files=0, max_fields=5) as form:
        _check_form(request, form)
        given = form.get("token")
    proof = access.login(given) if isinstance(given, str) else None
    if proof is None:
        wrong = _with_forms(request, "login.html", 401, is_wrong=True)
        wrong.headers["www-authenticate"] = "Bearer"
        return wrong
    goal = unquote(cookie(request.headers, NEXT))
    response = RedirectResponse(goal if LOCAL.fullmatch(goal) else "/", 303)
    response.set_cookie(LOGIN, proof, httponly=True, samesite="strict", path="/")
    response.delete_cookie(NEXT, path="/login", httponly=True, samesite="strict")
    return response
