"""kg db: the managed local Neo4j."""

from __future__ import annotations

import contextlib
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from kg_neo4j._cli.options import GraphOption, JsonOption, YesOption, settings_for
from kg_neo4j._cli.terminal import print_facts, print_json, print_text, progress
from kg_neo4j.errors import GdsMissing

app = typer.Typer(help="The managed local Neo4j: start, stop, status, logs, fetch, reset.", no_args_is_help=True)


@app.command()
def start(as_json: JsonOption = False) -> None:
    """Start the local server, or say that it runs. It keeps running after the command ends."""
    from kg_neo4j import _localdb

    with progress(quiet=as_json) as bars:
        _localdb.start(settings_for(), bars)
    status(as_json)


@app.command()
def stop(
    force: Annotated[bool, typer.Option("--force", help="Kill it where it does not stop in 20 s.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Stop the local server. Data stay."""
    from kg_neo4j import _localdb

    stopped = _localdb.stop(settings_for(), force=force)
    if as_json:
        print_json({"stopped": stopped})
    else:
        print_text("stopped" if stopped else "it was not running")


@app.command()
def status(as_json: JsonOption = False) -> None:
    """Say whether the local server runs, where, and how to log in."""
    from kg_neo4j import _localdb

    facts = {name: _plain(value) for name, value in asdict(_localdb.status(settings_for())).items()}
    if as_json:
        print_json(facts)
    else:
        print_facts({name: value for name, value in facts.items() if value is not None})


@app.command()
def logs(
    lines: Annotated[int, typer.Option("--lines", "-n", metavar="N", help="How many, from the end.", min=1)] = 100,
) -> None:
    """Print the end of the local server's log."""
    from kg_neo4j import _localdb

    print_text(_localdb.logs(settings_for(), lines))


@app.command()
def fetch(
    to: Annotated[Path | None, typer.Option("--to", metavar="DIR", help="A folder to use as KG_JARS_DIR.")] = None,
) -> None:
    """Download the server's jars, for a machine without a network."""
    from kg_neo4j import _localdb

    with progress() as bars:
        folder = _localdb.fetch(settings_for(), bars, to)
    print_facts({"jars": folder})


@app.command()
def reset(graph: GraphOption = None, yes: YesOption = False, as_json: JsonOption = False) -> None:
    """Delete what kg-neo4j wrote under the named graph, and nothing else."""
    from kg_neo4j.graph.constraints import delete_graph, ensure_constraints
    from kg_neo4j.graph.database import connect
    from kg_neo4j.graph.lease import Lease
    from kg_neo4j.retrieve import spreading

    settings = settings_for(graph=graph)
    if not yes and not typer.confirm(f"Delete graph {settings.graph!r}?", err=True):
        typer.echo("nothing was deleted", err=True)
        raise typer.Exit(1)
    with progress(quiet=as_json) as bars, connect(settings, bars) as database:
        ensure_constraints(database)
        with Lease(database, settings.graph):
            deleted = delete_graph(database, settings.graph)
        with contextlib.suppress(GdsMissing):  # then there is none to drop
            spreading.forget(database, settings.graph)
    if as_json:
        print_json({"graph": settings.graph, "deleted": deleted})
    else:
        print_text(f"{deleted} nodes of graph {settings.graph!r} deleted")


def _plain(value: object) -> object:
    return str(value) if isinstance(value, Path) else value
