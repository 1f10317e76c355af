"""The one application: API, tools and pages behind one guard, and a service behind them."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
from collections.abc import AsyncIterator
from importlib import import_module
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from kg_neo4j.errors import KgError, UsageError
from kg_neo4j_serve import api, rendering
from kg_neo4j_serve.connection import Turnstile
from kg_neo4j_serve.guard import Access, Guard
from kg_neo4j_serve.refusals import InternalError, NoSuchAddress, Refused
from kg_neo4j_serve.service import Service

LEAVE_S = 3  # that streams may go on when the server ends; the command line leaves after 4

log = logging.getLogger("kg_neo4j.serve")


def build(service: Service, access: Access | None = None) -> ASGIApp:
    """Return the application. The database is opened when it starts, in the background, or by the first request."""
    access, turnstile = access or Access(), Turnstile()
    service.has_callers = access.rights is not None
    mcp = _Mcp(service, turnstile)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        loop = asyncio.get_running_loop()
        warm = turnstile.begin(_warm_up, service)
        warm.add_done_callback(lambda _: loop.call_soon_threadsafe(mcp.wanted.set))
        task = asyncio.create_task(mcp.hold())
        try:
            yield
        finally:
            mcp.over.set()
            mcp.wanted.set()
            await task
            turnstile.close()
            service.close()
            if access.rights is not None:
                access.rights.close()

    metrics = Route("/metrics", lambda _: Response(service.metrics.text(), media_type="text/plain; version=0.0.4"))
    app = Starlette(
        routes=[Route("/healthz", _health), metrics, Route("/mcp", endpoint=mcp), *api.routes(), *rendering.routes()],
        lifespan=lifespan,
        exception_handlers={KgError: _failed, HTTPException: _no_route, Exception: _broken},
    )
    app.state.service, app.state.access, app.state.turnstile = service, access, turnstile
    app.state.templates = rendering.environment()
    return Guard(app, access, rendering.refuse, service.metrics)


def _warm_up(service: Service) -> None:
    """Open the database, so that the first question need not wait for it."""
    try:
        service.open()
    except KgError as error:  # the first request tries again, and shows the same
        log.warning("the database cannot be opened yet: %s", error)


class _Mcp:
    """The endpoint at /mcp. Its import takes a second, so it begins when the database is open, or a client calls."""

    def __init__(self, service: Service, turnstile: Turnstile) -> None:
        self.wanted, self.over, self._begun = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._parts = service, turnstile
        self._manager: Any = None

    async def hold(self) -> None:
        """Import the protocol at its first use, and serve it until the server ends."""
        await self.wanted.wait()
        if self.over.is_set():
            return
        mcp = await asyncio.to_thread(import_module, "kg_neo4j_serve.mcp")
        self._manager = mcp.manager_of(*self._parts)
        async with self._manager.run():
            self._begun.set()
            await self.over.wait()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.wanted.set()
        await self._begun.wait()
        await self._manager.handle_request(scope, receive, send)


async def _health(_: Request) -> Response:
    """Say that the server runs; asks no database."""
    return JSONResponse({"status": "ok"})


async def _failed(request: Request, error: Exception) -> Response:
    assert isinstance(error, KgError)  # noqa: S101 - Starlette's types are wider
    return await rendering.draw_error(request, error)


async def _no_route(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - likewise
    path, refused = request.url.path, Refused(error.detail, error.status_code)
    if error.status_code == 404:
        known = [each.path for each in request.app.routes if "GET" in (each.methods or "GET") and "{" not in each.path]
        same = rendering.is_data(path)  # pages for a page, JSON for JSON
        refused = NoSuchAddress(path, [each for each in known if rendering.is_data(each) == same])
    elif error.status_code == 405:
        takes = (error.headers or {}).get("Allow", "")
        refused = Refused(f"{path[:80]} does not take {request.method}", 405, hint=takes and f"it takes {takes}")
    return await _failed(request, refused)


async def _broken(request: Request, error: Exception) -> Response:
    """Answer where our own code failed; the log has the kind of error."""
    log.error("%s failed: %s", request.url.path, type(error).__name__)
    return rendering.refuse(request, InternalError())


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens there; 0 is any free port. Raises UsageError where that is impossible."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise UsageError(
            f"{host} port {port}: {os.strerror(error.errno or 0)}", hint="--port N, or 0 for a free one"
        ) from error


def run(service: Service, access: Access, listener: socket.socket) -> None:
    """Serve until a signal. Prints nothing; warnings go to the log."""
    import uvicorn

    config = uvicorn.Config(
        build(service, access),
        log_level="warning",
        access_log=False,
        server_header=False,
        lifespan="on",
        timeout_graceful_shutdown=LEAVE_S,
    )
    uvicorn.Server(config).run(sockets=[listener])
