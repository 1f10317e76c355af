"""kg status, kg doctor, kg config: what is there, what is wrong, what is set; kg db: the managed local Neo4j."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING

import typer

from kg_neo4j import plugins
from kg_neo4j._cli import of_room
from kg_neo4j._cli.options import settings_for
from kg_neo4j._cli.shapes import plain
from kg_neo4j._cli.terminal import confirm, print_facts, print_json, print_table, print_text, progress, show

if TYPE_CHECKING:
    from kg_neo4j.pipeline.commands.archive import StoredGraph

app = typer.Typer(help="Start, stop, back up and repair the local Neo4j.", no_args_is_help=True)

ANALYSED = {True: "up to date", False: "older than the graph: `kg communities`", None: "not computed"}


def status(graph: str | None = None, as_json: bool = False) -> None:
    """Show what the graph contains, and what is unfinished.

    Also names the database and the model.
    """
    from kg_neo4j.pipeline.commands import doctor

    with progress(quiet=as_json) as bars:
        found = doctor.status(settings=settings_for(graph=graph), progress=bars)
    if as_json:
        print_json(found)
        return
    none = "the local one, which does not run: `kg db start`"
    server = f"{found.server}, Neo4j {found.neo4j}" if found.server else none
    facts: dict[str, object] = {
        "graph": found.graph,
        "database": server,
        "model": found.model or "none: built-in rules",
    }
    stored = found.stored
    if stored:
        facts |= {"documents": f"{stored.documents:,}", "chunks": f"{found.chunks:,}"}
        facts |= {"entities": f"{found.entities:,}", "relationships": f"{found.relationships:,}"}
        facts["communities"] = ANALYSED[stored.as_analysed]
    elif found.server:
        facts["documents"] = "none: `kg load FILE` adds some"
    print_facts(facts)
    for source in stored.unfinished if stored else ():
        print_text(f"not finished, load again: {source}")
    if stored and stored.unsettled:
        print_text(f"entities and facts that the next `kg load` brings up to date: {stored.unsettled:,}")


def doctor(
    graph: str | None = None, model: bool = False, budget_usd: float | None = None, as_json: bool = False
) -> None:
    """Check the machine, the database, the graph and the models.

    Prints the command that repairs each problem. Exits with 1 if there is one, or if the tested model is not fit.
    """
    from kg_neo4j.pipeline.commands import doctor

    if model:
        plugins.need("kg_neo4j.rooms.fitness", "the model cannot be tested", "install kg-neo4j again")
        test = resolve_name("kg_neo4j.rooms.fitness.command:show_fitness")
        raise typer.Exit(not test(settings_for(graph=graph), budget_usd, as_json=as_json))
    with progress(quiet=as_json) as bars:
        found = tuple(doctor.diagnose(settings=settings_for(graph=graph), progress=bars))
    if as_json:
        print_json(found)
    else:
        for each in found:
            print_text(f"{'ok     ' if each.is_ok else 'PROBLEM'}  {each.subject}: {each.message}")
            if each.repair:
                print_text(f"         try: {each.repair}")
    if not all(each.is_ok for each in found):
        raise typer.Exit(1)


def config(everything: bool = False, as_json: bool = False) -> None:
    """List the settings that are not defaults, and their origin."""
    from kg_neo4j.settings import config_files, configured, user_config_file

    shown = [each for each in configured(settings_for()) if everything or each.origin != "default"]
    if as_json:
        print_json(shown)
        return
    if shown:
        rows = [(each.name, each.variable, each.value, each.origin) for each in shown]
        print_table(["Name in kg.toml", "Variable", "Value", "From"], rows)
    else:
        print_text("all settings have their defaults; `kg config --all` lists them")
    own = user_config_file()
    print_facts({"your own file": f"{own}{'' if own in config_files() else ' (not there)'}"})


@app.command()
def start(recover: bool = False, as_json: bool = False) -> None:
    """Start the local server. It keeps running after the command ends."""
    from kg_neo4j.local_server import local_neo4j

    settings = settings_for()
    if recover:
        from kg_neo4j.pipeline.commands import archive

        with progress(quiet=as_json) as bars:
            report = archive.recover(settings=settings, progress=bars)
        if as_json:
            print_json(report)
            return
        _print_graphs(report.graphs)
        print_text(f"A copy of the former data is in {report.copy}: delete that folder once the graphs are complete.")
        return
    with progress(quiet=as_json) as bars, local_neo4j(settings) as local:
        local.start(bars, check=True)
    server_status(as_json=as_json)


@app.command()
def stop(force: bool = False, as_json: bool = False) -> None:
    """Stop the local server. Its data is kept."""
    from kg_neo4j.local_server import local_neo4j

    with local_neo4j(settings_for()) as local:
        stopped = local.stop(force=force)
    show({"stopped": stopped}, "stopped" if stopped else "it was not running", as_json=as_json)


@app.command(name="status")
def server_status(as_json: bool = False) -> None:
    """Show the local server: its state, address and login."""
    from kg_neo4j.local_server import local_neo4j

    with local_neo4j(settings_for()) as local:
        facts = plain(local.status())
    show(facts, {name: value for name, value in facts.items() if value is not None}, as_json=as_json)


@app.command()
def logs(lines: int = 100) -> None:
    """Print the end of the local server's log."""
    from kg_neo4j.local_server import local_neo4j

    with local_neo4j(settings_for()) as local:
        print_text(local.logs(lines))


@app.command()
def fetch(to: Path | None = None) -> None:
    """Download Neo4j (172 MB), for a machine without a network."""
    from kg_neo4j.local_server import local_neo4j

    with progress() as bars, local_neo4j(settings_for()) as local:
        folder = local.fetch(bars, to)
    print_facts({"jars": folder})


@app.command()
def backup(target: Path, yes: bool = False, as_json: bool = False) -> None:
    """Back up the whole store to a file.

    Waits for running loads, then stops the server for some seconds.
    """
    from kg_neo4j.pipeline.commands import archive

    with progress(quiet=as_json) as bars:
        report = archive.backup(target, settings=settings_for(), overwrite=yes, progress=bars)
    seconds = round(report.seconds, 1)
    facts = {"backup": report.path, "MB": f"{report.bytes / 1e6:.1f}", "seconds": seconds}
    show({"path": report.path, "bytes": report.bytes, "seconds": seconds}, facts, as_json=as_json)


@app.command()
def restore(source: Path, yes: bool = False, as_json: bool = False) -> None:
    """Replace the whole store, with all graphs, by a backup."""
    from kg_neo4j.local_server import has_store
    from kg_neo4j.pipeline.commands import archive

    settings = settings_for()
    is_there = has_store(settings)
    confirm(f"Replace all graphs in {settings.home}?", yes=yes or not is_there)
    with progress(quiet=as_json) as bars:
        graphs = archive.restore(source, settings=settings, overwrite=yes or is_there, progress=bars)
    show({"path": source, "graphs": graphs}, lambda _: _print_graphs(graphs), as_json=as_json)


@app.command()
def compact(yes: bool = False, as_json: bool = False) -> None:
    """Write the local store again, without what was deleted."""
    plugins.need("kg_neo4j.rooms.erasure", "no store can be compacted", "install kg-neo4j again")
    of_room("erasure.command:compact")(settings_for(), yes, as_json)


@app.command()
def reset(graph: str | None = None, schema: bool = False, yes: bool = False, as_json: bool = False) -> None:
    """Delete what kg-neo4j wrote to a graph, and nothing else."""
    from kg_neo4j.pipeline.commands import graphs

    settings = settings_for(graph=graph)
    confirm(f"Delete graph {settings.graph!r}?", yes=yes)
    with progress(quiet=as_json) as bars:
        deleted = graphs.delete_graph(settings=settings, schema=schema, progress=bars)
    said = [f"{deleted.deleted} nodes of graph {settings.graph!r} deleted", *(f"dropped {n}" for n in deleted.dropped)]
    show(deleted, "\n".join(said), as_json=as_json)


@app.command()
def indexes(facts: bool = False, as_json: bool = False) -> None:
    """Create missing, failed or outdated indexes. No model is called."""
    from kg_neo4j import factory
    from kg_neo4j.graph.connection import connect
    from kg_neo4j.organise import search_indexes

    settings = settings_for()
    with progress(quiet=as_json) as bars, connect(settings, bars, to_write=True, as_it_is=True) as database:
        made = search_indexes.repair(database, factory.embedding_model(settings), facts=facts)
    show({"created": made}, "\n".join(f"created {name}" for name in made) or "all indexes are online", as_json=as_json)


@app.command()
def schema(as_json: bool = False) -> None:
    """Print the Cypher of all constraints and indexes."""
    from kg_neo4j import factory
    from kg_neo4j.organise import search_indexes

    made = search_indexes.statements(factory.embedding_model(settings_for()))
    show({"statements": made}, "\n".join(f"{each};" for each in made), as_json=as_json)


def _print_graphs(graphs: Sequence[StoredGraph]) -> None:
    rows = [
        (each.graph, each.documents, len(each.unfinished), each.unsettled, ANALYSED[each.as_analysed])
        for each in graphs
    ]
    print_table(["Graph", "Documents", "Unfinished", "Unsettled", "Communities"], rows)
    for each in graphs:
        for source in each.unfinished:
            print_text(f"load again, into the graph {each.graph!r}: {source}")
