"""kg serve and kg mcp: the graph for programs, people and MCP clients."""

from __future__ import annotations

from pathlib import Path
from pkgutil import resolve_name

import typer

from kg_neo4j._cli.options import settings_for
from kg_neo4j._cli.terminal import progress
from kg_neo4j.errors import UsageError


def serve(
    port: int = 8765,
    host: str = ("127.0.0.1"),
    names: list[str] | None = None,
    token: str | None = None,
    allow_write: bool = False,
    allow_spend: float | None = None,
    rights: Path | None = None,
    audit: Path | None = None,
    new_token: str | None = None,
    model: str | None = None,
    graph: str | None = None,
) -> None:
    """Serve web pages, a JSON API and tools for agents (MCP).

    All graphs, or one with --graph. It only reads, unless --allow-write is given.
    """
    _require()
    from kg_neo4j.graph.connection import locate
    from kg_neo4j_serve.app import listen, run
    from kg_neo4j_serve.connection import Rights
    from kg_neo4j_serve.guard import Access
    from kg_neo4j_serve.service import Service

    settings = settings_for(graph=graph, model=model)
    if new_token is not None:
        made, lines = resolve_name("kg_neo4j.rooms.rights.tokens:new_token")(new_token, [graph] if graph else [])
        typer.echo(f"the token of {new_token}, which is not shown again: {made}", err=True)
        typer.echo(lines, nl=False)
        return
    if token is None and settings.serve_token is not None:
        token = settings.serve_token.get_secret_value()
    file, known = rights or settings.serve_rights, None
    if file is not None:
        if token is not None or allow_write or allow_spend is not None:
            hint = "leave out KG_SERVE_TOKEN, --token, --allow-write and --allow-spend, or the rights"
            raise UsageError(f"{file} says who may ask, write and spend", hint=hint)
        known = resolve_name("kg_neo4j.rooms.rights.tokens:Tokens")(file, settings.home, audit)
    elif audit is not None:
        raise UsageError("an audit names tokens, and there are none", hint="--rights FILE")
    access = Access.to(host, token, names or (), known)
    service = Service(settings, Rights(allow_write, allow_spend), has_all=graph is None)
    for each in known.callers().values() if known else ():
        service.view_of(each)  # a price that is not known is refused now
    listener = listen(host, port)
    with progress() as bars:  # else the first page would wait while the local database starts
        locate(settings, bars)
    shown = f"[{host}]" if ":" in host else host
    base = f"http://{shown}:{listener.getsockname()[1]}"
    shown = "" if graph is not None else "all graphs, first "
    typer.echo(f"{shown}graph {settings.graph!r} at {base}/, MCP at {base}/mcp", err=True)
    for note in service.notes:
        typer.echo(f"note: {note}", err=True)
    run(service, access, listener)


def mcp(
    allow_write: bool = False, allow_spend: float | None = None, model: str | None = None, graph: str | None = None
) -> None:
    """Offer the same tools to one agent, over stdin and stdout (MCP)."""
    _require()
    from kg_neo4j_serve.connection import Rights
    from kg_neo4j_serve.mcp import run_stdio
    from kg_neo4j_serve.service import Service

    rights, settings = Rights(allow_write, allow_spend), settings_for(graph=graph, model=model)
    service = Service(settings, rights, has_all=graph is None)
    for note in service.notes:
        typer.echo(f"note: {note}", err=True)
    run_stdio(service)


def _require() -> None:
    """Raise UsageError where the extra `serve` is not installed."""
    from importlib.util import find_spec

    if not all(find_spec(each) for each in ("mcp", "starlette", "uvicorn", "jinja2", "python_multipart")):
        raise UsageError("the server needs packages that are not installed", hint="pip install 'kg-neo4j[serve]'")
