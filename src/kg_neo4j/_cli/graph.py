"""kg documents, plot, export, diff, import, browse, graphs: looking at graphs, and taking them elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import typer

from kg_neo4j import jsonl_log
from kg_neo4j._cli.options import settings_for, with_options
from kg_neo4j._cli.process import continues
from kg_neo4j._cli.terminal import confirm, print_facts, print_json, print_text, progress, show, show_table
from kg_neo4j.errors import NoSuchGraph, UsageError

if TYPE_CHECKING:
    from kg_neo4j.graph.archive import GraphDifference

app = typer.Typer(invoke_without_command=True)

_SIGNS = {"added": "+", "removed": "-", "changed": "~"}
_PLURALS = {"document": "documents", "entity": "entities", "fact": "facts"}


def documents(graph: str | None = None, as_json: bool = False) -> None:
    """List the loaded documents and their progress."""
    from kg_neo4j.graph.connection import connect
    from kg_neo4j.graph.documents import list_documents

    settings = settings_for(graph=graph)
    with progress(quiet=as_json) as bars, connect(settings, bars) as database:
        found = list_documents(database, settings.graph)
    rows = [(document.title, document.source, document.chunks, document.done) for document in found]
    show_table(found, ["Title", "Source", "Chunks", "Done"], rows, as_json=as_json)


def plot(
    target: Path, colour_by: str = "type", limit: int = 150, graph: str | None = None, as_json: bool = False
) -> None:
    """Draw the graph.

    Node size shows the degree, colour the type or the community.
    """
    from kg_neo4j.graph.connection import connect
    from kg_neo4j.organise import plot as plotting

    settings = settings_for(graph=graph)
    with progress(quiet=as_json) as bars, connect(settings, bars) as database:
        report = plotting.plot(database, settings.graph, target, colour_by=colour_by, limit=limit)
    jsonl_log.note_written(settings.home, "picture", settings.graph, target)
    show(report, {"picture": report.path, "shown": report.caption}, as_json=as_json)


def export(target: Path, archive: bool = False, graph: str | None = None, as_json: bool = False) -> None:
    """Write the graph to a file: JSON lines, CSV or GraphML.

    JSON lines are sorted: equal graphs give equal bytes.
    """
    from kg_neo4j.graph import export as exporting
    from kg_neo4j.graph.connection import connect

    settings = settings_for(graph=graph)
    if archive:
        from kg_neo4j.pipeline.commands.archive import export_archive

        with progress(quiet=as_json) as bars:
            report = export_archive(target, settings=settings, progress=bars)
        named = {"archive": report.path, "graph": report.graph, "bytes": report.bytes}
        show(report, {**named, "nodes": report.nodes, "relationships": report.relationships}, as_json=as_json)
        for note in report.notes if not as_json else ():
            print_text(note)
        return
    exporting.check_suffix(target)
    with progress(quiet=as_json) as bars, connect(settings, bars) as database:
        if target.suffix.lower() in exporting.TABLES:
            written = exporting.export_tables(database, settings.graph, target)
            jsonl_log.note_written(settings.home, "table", settings.graph, *written.paths)
            facts = {"export": ", ".join(map(str, written.paths)), "nodes": written.nodes}
            show(written, facts | {"relationships": written.relationships}, as_json=as_json)
            return
        lines = exporting.export_file(database, settings.graph, target)
    jsonl_log.note_written(settings.home, "export", settings.graph, target)
    show({"path": target, "lines": lines}, {"export": target, "lines": lines}, as_json=as_json)


def diff(before: Path, after: Path | None = None, graph: str | None = None, as_json: bool = False) -> None:
    """Compare two graphs: each an export, or one of the database.

    Lists added, removed and changed documents, entities, facts and quotes. Exits with 1 if there are differences.
    """
    from kg_neo4j.pipeline.commands import archive

    with progress(quiet=as_json) as bars:
        found = archive.diff(before, after, settings=settings_for(graph=graph), progress=bars)
    show(found, _print_differences, as_json=as_json)
    if found:
        raise typer.Exit(1)


def _print_differences(found: Sequence[GraphDifference]) -> None:
    for each in found:
        fields = f": {', '.join(each.fields)}" if each.fields else ""
        print_text(f"{_SIGNS[each.change]} {each.kind} {each.name}{fields}")
        for sign, places in (("+", each.evidence_added), ("-", each.evidence_removed)):
            for place in places:
                print_text(f"    {sign} {place.document}: {place.quote or '(no quote)'}")
    for kind, plural in _PLURALS.items():
        if counts := Counter(each.change for each in found if each.kind == kind):
            print_text(f"{plural}: {', '.join(f'{counts[change]:,} {change}' for change in _SIGNS)}")
    if not found:
        print_text("no difference")


@continues
def import_graph(source: Path, graph: str | None = None, as_json: bool = False) -> None:
    """Restore a graph from an archive or an export.

    It keeps its name. An interrupted import continues with the same command.
    """
    from kg_neo4j.pipeline.commands import archive

    settings = settings_for()
    with progress(quiet=as_json) as bars:
        report = archive.import_graph(source, settings=settings, graph=graph, progress=bars)
    if as_json:
        print_json(report)
        return
    facts = {"imported": report.path, "kind": report.kind, "graph": report.graph}
    print_facts({**facts, "nodes": report.nodes, "relationships": report.relationships})
    if report.graph != settings.graph:
        print_text(f"The file holds graph {report.graph!r}: name it to other commands with --graph {report.graph}")
    for what in report.absent:
        print_text(f"absent: {what}")


def browse(open_page: bool = True, graph: str | None = None, as_json: bool = False) -> None:
    """Open Neo4j Browser, and print its address and login."""
    from kg_neo4j.graph.canned_reports import literal
    from kg_neo4j.local_server import local_neo4j

    settings = settings_for(graph=graph)
    if settings.neo4j_uri:
        raise UsageError(
            "NEO4J_URI names a server of your own: open its own Browser page",
            hint="usually http://HOST:7474/browser/; on Aura, the console",
        )
    with progress(quiet=as_json) as bars, local_neo4j(settings) as local:
        server = local.start(bars)
    first_query = f"MATCH p = (:Entity {{graph: {literal(settings.graph)}}})-->(:Entity) RETURN p LIMIT 100"
    facts = {
        "browser": server.browser_url,
        "connect": server.uri,
        "username": server.username,
        "password": f"in {server.password_file}",
    }
    if as_json:
        print_json({**facts, "password_file": str(server.password_file), "first_query": first_query})
        return
    captions = "click a label above the drawing, then a property: for Chunk, `text`"
    print_facts({**facts, "first query": first_query, "captions": captions})
    print_text("The server keeps running; `kg db stop` ends it.")
    if open_page:
        import webbrowser

        webbrowser.open(f"{server.browser_url}?{urlencode({'cmd': 'edit', 'arg': first_query})}")


@app.callback()
@with_options
def all_graphs(context: typer.Context, as_json: bool = False) -> None:
    """List, copy and delete graphs. Without a command: all graphs with their sizes."""
    if context.invoked_subcommand is None:
        list_(as_json)


@app.command(name="list")
def list_(as_json: bool = False) -> None:
    """List all graphs with their sizes."""
    from kg_neo4j.pipeline.commands import graphs

    with progress(quiet=as_json) as bars:
        found = graphs.graphs(settings=settings_for(), progress=bars)
    rows = [(each.graph, each.documents, each.chunks, each.nodes, each.relationships) for each in found]
    show_table(found, ["Graph", "Documents", "Chunks", "Nodes", "Relationships"], rows, as_json=as_json)


@app.command()
def copy(name: str, target: str, as_json: bool = False) -> None:
    """Copy a graph under another name from its stored answers. No model is called."""
    from kg_neo4j._cli.load import print_load
    from kg_neo4j.pipeline.commands import rebuild

    with progress(quiet=as_json) as bars:
        report = rebuild.copy_graph(target, settings=settings_for(graph=name), progress=bars)
    show(report, print_load, as_json=as_json)


@app.command()
def delete(name: str, yes: bool = False, as_json: bool = False) -> None:
    """Delete a graph with its documents, facts and stored answers. Other graphs are kept."""
    from kg_neo4j.pipeline.commands import graphs

    settings = settings_for(graph=name)
    with progress(quiet=as_json) as bars:
        known = [each.graph for each in graphs.graphs(settings=settings, progress=bars)]
        if name not in known:
            raise NoSuchGraph(name, known)
        confirm(f"Delete graph {name!r}?", yes=yes)
        deleted = graphs.delete_graph(settings=settings, progress=bars)
    show(deleted, f"{deleted.deleted:,} nodes of graph {name!r} deleted", as_json=as_json)
