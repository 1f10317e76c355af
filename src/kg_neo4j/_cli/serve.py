"""kg serve and kg mcp: the graph for programs, people and MCP clients."""

from __future__ import annotations

from typing import Annotated

import typer

from kg_neo4j._cli.options import GraphOption, ModelOption, settings_for
from kg_neo4j.errors import UsageError

WriteOption = Annotated[bool, typer.Option("--allow-write", help="Let callers load documents.")]
SpendOption = Annotated[
    float | None,
    typer.Option("--allow-spend", metavar="USD", help="Let models cost this much in all [default: none is called]."),
]


def serve(
    port: Annotated[int, typer.Option("--port", metavar="N", help="Port; 0: any free one.", min=0, max=65535)] = 8765,
    host: Annotated[str, typer.Option("--host", metavar="ADDRESS", help="Address; not loopback: needs a token.")] = (
        "127.0.0.1"
    ),
    names: Annotated[
        list[str] | None,
        typer.Option("--name", metavar="NAME", help="A further host name that callers use; repeatable."),
    ] = None,
    token: Annotated[
        str | None, typer.Option("--token", metavar="TEXT", help="Callers send it [default: KG_SERVE_TOKEN].")
    ] = None,
    allow_write: WriteOption = False,
    allow_spend: SpendOption = None,
    model: ModelOption = None,
    graph: GraphOption = None,
) -> None:
    """Serve the graph: web pages, a JSON API, and MCP tools at /mcp. Reads only, unless you allow more."""
    _require()
    from kg_neo4j._serve.app import listen, run
    from kg_neo4j._serve.guard import Access
    from kg_neo4j._serve.service import Rights, Service

    settings = settings_for(graph=graph, model=model)
    if token is None and settings.serve_token is not None:
        token = settings.serve_token.get_secret_value()
    access = Access.to(host, token, names or ())
    service = Service(settings, Rights(allow_write, allow_spend))
    listener = listen(host, port)
    shown = f"[{host}]" if ":" in host else host
    base = f"http://{shown}:{listener.getsockname()[1]}"
    typer.echo(f"graph {settings.graph!r} at {base}/, MCP at {base}/mcp", err=True)
    for note in service.notes:
        typer.echo(f"note: {note}", err=True)
    run(service, access, listener)


def mcp(
    allow_write: WriteOption = False,
    allow_spend: SpendOption = None,
    model: ModelOption = None,
    graph: GraphOption = None,
) -> None:
    """Offer the tools of `kg serve` to one MCP client over standard input and output."""
    _require()
    from kg_neo4j._serve.mcp import run_stdio
    from kg_neo4j._serve.service import Rights, Service

    service = Service(settings_for(graph=graph, model=model), Rights(allow_write, allow_spend))
    for note in service.notes:
        typer.echo(f"note: {note}", err=True)
    run_stdio(service)


def _require() -> None:
    """Raise UsageError where the extra `serve` is not installed."""
    from importlib.util import find_spec

    if not all(find_spec(each) for each in ("mcp", "starlette", "uvicorn", "jinja2", "python_multipart")):
        raise UsageError("the server needs packages that are not installed", hint="pip install 'kg-neo4j[serve]'")
