"""kg graphs: the named graphs of the database."""

from __future__ import annotations

import typer

from kg_neo4j._cli.options import settings_for, with_options
from kg_neo4j._cli.terminal import print_json, print_table, progress, show
from kg_neo4j.errors import UsageError

app = typer.Typer(help="List, copy and delete graphs.", no_args_is_help=True)


@app.command(name="list")
@with_options
def list_(as_json: bool = False) -> None:
    """List all graphs with their sizes."""
    from kg_neo4j import pipeline

    with progress(quiet=as_json) as bars:
        found = pipeline.graphs(settings=settings_for(), progress=bars)
    if as_json:
        print_json(found)
        return
    rows = [(each.graph, each.documents, each.chunks, each.nodes, each.relationships) for each in found]
    print_table(["Graph", "Documents", "Chunks", "Nodes", "Relationships"], rows)


@app.command()
@with_options
def copy(
    name: str,
    target: str,
    as_json: bool = False,
) -> None:
    """Copy a graph under another name from its stored answers. No model is called."""
    from kg_neo4j import pipeline
    from kg_neo4j._cli.load import show_load

    with progress(quiet=as_json) as bars:
        report = pipeline.copy_graph(target, settings=settings_for(graph=name), progress=bars)
    show_load(report, as_json=as_json)


@app.command()
@with_options
def delete(
    name: str,
    yes: bool = False,
    as_json: bool = False,
) -> None:
    """Delete a graph with its documents, facts and stored answers. Other graphs are kept."""
    from kg_neo4j import pipeline

    settings = settings_for(graph=name)
    with progress(quiet=as_json) as bars:
        known = [each.graph for each in pipeline.graphs(settings=settings, progress=bars)]
        if name not in known:
            raise UsageError(f"no graph is called {name!r}", hint=f"`kg graphs list`: {', '.join(known) or 'none'}")
        confirm(name, yes=yes)
        deleted = pipeline.delete_graph(settings=settings, progress=bars)
    show(deleted, f"{deleted.deleted:,} nodes of graph {name!r} deleted", as_json=as_json)


def confirm(name: str, *, yes: bool) -> None:
    """Ask before a graph is deleted; exit with 1 where the answer is no."""
    if not yes and not typer.confirm(f"Delete graph {name!r}?", err=True):
        typer.echo("nothing was deleted", err=True)
        raise typer.Exit(1)
