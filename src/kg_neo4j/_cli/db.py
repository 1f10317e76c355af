"""kg db: the managed local Neo4j."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kg_neo4j._cli.options import GraphOption, JsonOption, YesOption, settings_for
from kg_neo4j._cli.shapes import plain
from kg_neo4j._cli.state import ANALYSED
from kg_neo4j._cli.terminal import print_facts, print_json, print_table, print_text, progress, show

if TYPE_CHECKING:
    from kg_neo4j.pipeline.commands.archive import StoredGraph

app = typer.Typer(
    help="Start, stop, back up and repair the local Neo4j.",
    no_args_is_help=True,
)


@app.command()
def start(
    recover: Annotated[
        bool,
        typer.Option(
            "--recover",
            help="Recover a damaged store: copy it, drop the unreadable end of its log, check it.",
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Start the local server. It keeps running after the command ends."""
    from kg_neo4j import _localdb

    settings = settings_for()
    if recover:
        from kg_neo4j import pipeline

        with progress(quiet=as_json) as bars:
            report = pipeline.recover(settings=settings, progress=bars)
        if as_json:
            print_json(report)
            return
        _print_graphs(report.graphs)
        print_text(f"A copy of the former data is in {report.copy}: delete that folder once the graphs are complete.")
        return
    with progress(quiet=as_json) as bars:
        _localdb.start(settings, bars, check=True)
    status(as_json)


@app.command()
def stop(
    force: Annotated[bool, typer.Option("--force", help="Kill the server if it has not stopped after 20 s.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Stop the local server. Its data is kept."""
    from kg_neo4j import _localdb

    stopped = _localdb.stop(settings_for(), force=force)
    show({"stopped": stopped}, "stopped" if stopped else "it was not running", as_json=as_json)


@app.command()
def status(as_json: JsonOption = False) -> None:
    """Show the local server: its state, address and login."""
    from kg_neo4j import _localdb

    facts = plain(_localdb.status(settings_for()))
    show(facts, {name: value for name, value in facts.items() if value is not None}, as_json=as_json)


@app.command()
def logs(
    lines: Annotated[int, typer.Option("--lines", "-n", metavar="N", help="Number of lines.", min=1)] = 100,
) -> None:
    """Print the end of the local server's log."""
    from kg_neo4j import _localdb

    print_text(_localdb.logs(settings_for(), lines))


@app.command()
def fetch(
    to: Annotated[
        Path | None, typer.Option("--to", metavar="DIR", help="Folder for the jars; use it as KG_JARS_DIR.")
    ] = None,
) -> None:
    """Download the server's jars for a machine without a network."""
    from kg_neo4j import _localdb

    with progress() as bars:
        folder = _localdb.fetch(settings_for(), bars, to)
    print_facts({"jars": folder})


@app.command()
def backup(
    target: Annotated[Path, typer.Argument(metavar="FILE", help="File to write.")],
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Back up the whole store to a file.

    Waits for running loads, then stops the server for some seconds.
    """
    from kg_neo4j import pipeline

    with progress(quiet=as_json) as bars:
        report = pipeline.backup(target, settings=settings_for(), overwrite=yes, progress=bars)
    seconds = round(report.seconds, 1)
    facts = {"backup": report.path, "MB": f"{report.bytes / 1e6:.1f}", "seconds": seconds}
    show({"path": report.path, "bytes": report.bytes, "seconds": seconds}, facts, as_json=as_json)


@app.command()
def restore(
    source: Annotated[Path, typer.Argument(metavar="FILE", help="File that `kg db backup` wrote.")],
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Replace the whole store, with all graphs, by a backup."""
    from kg_neo4j import _localdb, pipeline

    settings = settings_for()
    is_there = not settings.neo4j_uri and _localdb.has_store(settings)
    if is_there and not yes and not typer.confirm(f"Replace all graphs in {settings.home}?", err=True):
        typer.echo("nothing was replaced", err=True)
        raise typer.Exit(1)
    with progress(quiet=as_json) as bars:
        graphs = pipeline.restore(source, settings=settings, overwrite=yes or is_there, progress=bars)
    if as_json:
        print_json({"path": str(source), "graphs": graphs})
    else:
        _print_graphs(graphs)


@app.command()
def reset(
    graph: GraphOption = None,
    schema: Annotated[
        bool,
        typer.Option(
            "--schema", help="Also drop the constraints and indexes of kg-neo4j; only if no other graph is left."
        ),
    ] = False,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Delete what kg-neo4j wrote to a graph, and nothing else."""
    from kg_neo4j import pipeline
    from kg_neo4j._cli.graphs import confirm

    settings = settings_for(graph=graph)
    confirm(settings.graph, yes=yes)
    with progress(quiet=as_json) as bars:
        deleted = pipeline.delete_graph(settings=settings, schema=schema, progress=bars)
    said = [f"{deleted.deleted} nodes of graph {settings.graph!r} deleted", *(f"dropped {n}" for n in deleted.dropped)]
    show(deleted, "\n".join(said), as_json=as_json)


@app.command()
def indexes(as_json: JsonOption = False) -> None:
    """Create missing or failed indexes, for all graphs. No model is called."""
    from kg_neo4j import factory
    from kg_neo4j.graph.connection import connect
    from kg_neo4j.organise import search_indexes

    settings = settings_for()
    with progress(quiet=as_json) as bars, connect(settings, bars, to_write=True) as database:
        made = search_indexes.repair(database, factory.embedding_model(settings))
    show({"created": made}, "\n".join(f"created {name}" for name in made) or "all indexes are online", as_json=as_json)


def _print_graphs(graphs: Sequence[StoredGraph]) -> None:
    rows = [
        (each.graph, each.documents, len(each.unfinished), each.unsettled, ANALYSED[each.as_analysed])
        for each in graphs
    ]
    print_table(["Graph", "Documents", "Unfinished", "Unsettled", "Communities"], rows)
    for each in graphs:
        for source in each.unfinished:
            print_text(f"load again, into the graph {each.graph!r}: {source}")
