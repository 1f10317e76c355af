"""kg documents, kg plot, kg export, kg diff, kg import, kg browse: looking at the graph, and taking it elsewhere."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlencode

import typer

from kg_neo4j._cli.options import GraphOption, JsonOption, settings_for
from kg_neo4j._cli.terminal import print_facts, print_json, print_table, print_text, progress, show

if TYPE_CHECKING:
    from kg_neo4j.settings import Settings

_SIGNS = {"added": "+", "removed": "-", "changed": "~"}
_PLURALS = {"document": "documents", "entity": "entities", "fact": "facts"}


def documents(graph: GraphOption = None, as_json: JsonOption = False) -> None:
    """List the loaded documents and their progress."""
    from kg_neo4j.graph.connection import connect
    from kg_neo4j.graph.documents import list_documents

    settings = settings_for(graph=graph)
    with progress(quiet=as_json) as bars, connect(settings, bars) as database:
        found = list_documents(database, settings.graph)
    if as_json:
        print_json(found)
    else:
        rows = [(document.title, document.source, document.chunks, document.done) for document in found]
        print_table(["Title", "Source", "Chunks", "Done"], rows)


def plot(
    target: Annotated[Path, typer.Argument(metavar="FILE", help="FILE.png, FILE.svg or FILE.html.")],
    colour_by: Annotated[
        str, typer.Option("--colour-by", metavar="type|community", help="What the colour shows.")
    ] = "type",
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", help="Number of nodes to draw, the most connected first.", min=1)
    ] = 150,
    graph: GraphOption = None,
    as_json: JsonOption = False,
) -> None:
    """Draw the graph.

    Node size shows the degree, colour the type or the community.
    """
    from kg_neo4j.graph.connection import connect
    from kg_neo4j.organise import plot as plotting

    settings = settings_for(graph=graph)
    with progress(quiet=as_json) as bars, connect(settings, bars) as database:
        report = plotting.plot(database, settings.graph, target, colour_by=colour_by, limit=limit)
    facts = {"picture": report.path, "nodes": report.nodes, "relationships": report.relationships}
    show(report, facts, as_json=as_json)


def export(
    target: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="FILE.jsonl (sorted, complete), FILE.graphml, or FILE.csv (two files)."),
    ],
    archive: Annotated[
        bool,
        typer.Option(
            "--archive",
            help="Write everything, stored model answers and vectors included, for `kg import`: FILE.jsonl.gz.",
        ),
    ] = False,
    graph: GraphOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write the graph to a file: JSON lines, CSV or GraphML.

    JSON lines are sorted: equal graphs give equal bytes.
    """
    from kg_neo4j.graph import export as exporting
    from kg_neo4j.graph.connection import connect

    settings = settings_for(graph=graph)
    if archive:
        _archive(target, settings, as_json)
        return
    exporting.check_suffix(target)
    with progress(quiet=as_json) as bars, connect(settings, bars) as database:
        if target.suffix.lower() in exporting.TABLES:
            written = exporting.export_tables(database, settings.graph, target)
            show(
                written,
                {
                    "export": ", ".join(map(str, written.paths)),
                    "nodes": written.nodes,
                    "relationships": written.relationships,
                },
                as_json=as_json,
            )
            return
        lines = exporting.export_file(database, settings.graph, target)
    show({"path": target, "lines": lines}, {"export": target, "lines": lines}, as_json=as_json)


def _archive(target: Path, settings: Settings, as_json: bool) -> None:
    from kg_neo4j.pipeline import export_archive

    with progress(quiet=as_json) as bars:
        report = export_archive(target, settings=settings, progress=bars)
    facts = {"archive": report.path, "graph": report.graph, "bytes": report.bytes}
    show(report, {**facts, "nodes": report.nodes, "relationships": report.relationships}, as_json=as_json)
    for note in report.notes if not as_json else ():
        print_text(note)


def diff(
    before: Annotated[Path, typer.Argument(metavar="BEFORE", help="File of `kg export`: FILE.jsonl, or an archive.")],
    after: Annotated[
        Path | None,
        typer.Argument(metavar="AFTER", help="Another one [default: the graph as it is].", show_default=False),
    ] = None,
    exit_status: Annotated[bool, typer.Option("--exit-status", help="Exit with 1 if they differ.")] = False,
    graph: GraphOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare two exports, or an export with the graph.

    Lists added, removed and changed documents, entities, facts and evidence.
    """
    from kg_neo4j import pipeline

    with progress(quiet=as_json) as bars:
        found = pipeline.diff(before, after, settings=settings_for(graph=graph), progress=bars)
    if as_json:
        print_json(found)
    else:
        for each in found:
            print_text(f"{_SIGNS[each.change]} {each.kind} {each.name}{_of_fields(each.fields)}")
            for sign, places in (("+", each.evidence_added), ("-", each.evidence_removed)):
                for place in places:
                    print_text(f"    {sign} {place.document}: {place.quote or '(no quote)'}")
        for kind, plural in _PLURALS.items():
            counts = Counter(each.change for each in found if each.kind == kind)
            if counts:
                print_text(f"{plural}: {', '.join(f'{counts[change]:,} {change}' for change in _SIGNS)}")
        if not found:
            print_text("no difference")
    if exit_status and found:
        raise typer.Exit(1)


def _of_fields(fields: tuple[str, ...]) -> str:
    return f": {', '.join(fields)}" if fields else ""


def import_graph(
    source: Annotated[
        Path, typer.Argument(metavar="FILE", help="An archive (`kg export --archive`), or a plain export.")
    ],
    graph: Annotated[
        str | None, typer.Option("--graph", metavar="NAME", help="Stop unless the file has this graph [default: any].")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Restore a graph from an archive or an export.

    It keeps its name. An interrupted import continues with the same command.
    """
    from kg_neo4j import pipeline

    settings = settings_for()
    with progress(quiet=as_json) as bars:
        report = pipeline.import_graph(source, settings=settings, graph=graph, progress=bars)
    if as_json:
        print_json(report)
        return
    facts = {"imported": report.path, "kind": report.kind, "graph": report.graph}
    print_facts({**facts, "nodes": report.nodes, "relationships": report.relationships})
    if report.graph != settings.graph:
        print_text(f"The file holds graph {report.graph!r}: name it to other commands with --graph {report.graph}")
    for what in report.absent:
        print_text(f"absent: {what}")


def browse(
    open_page: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in a web browser.")] = True,
    graph: GraphOption = None,
    as_json: JsonOption = False,
) -> None:
    """Open Neo4j Browser, and print its address and login."""
    from kg_neo4j import _localdb
    from kg_neo4j.errors import UsageError
    from kg_neo4j.graph.canned_reports import literal

    settings = settings_for(graph=graph)
    if settings.neo4j_uri:
        raise UsageError(
            "NEO4J_URI names a server of your own: open its own Browser page",
            hint="usually http://HOST:7474/browser/; on Aura, the console",
        )
    with progress(quiet=as_json) as bars:
        server = _localdb.start(settings, bars)
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
    print_facts(
        {
            **facts,
            "first query": first_query,
            "captions": "click a label above the drawing, then a property: for Chunk, `text`",
        }
    )
    print_text("The server keeps running; `kg db stop` ends it.")
    if open_page:
        import webbrowser

        webbrowser.open(f"{server.browser_url}?{urlencode({'cmd': 'edit', 'arg': first_query})}")
