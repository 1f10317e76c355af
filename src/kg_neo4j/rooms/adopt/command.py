"""kg adopt: documents and a graph that the same database has already become one graph; kg schema from-database."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kg_neo4j import plugins
from kg_neo4j._cli.load import print_load
from kg_neo4j._cli.options import settings_for
from kg_neo4j._cli.terminal import print_facts, progress, remark, show, write_file
from kg_neo4j.errors import UsageError

if TYPE_CHECKING:
    from kg_neo4j.rooms.adopt.adopting import AdoptReport


def adopt(
    table_map: str | None = None,
    propose: bool = False,
    undo: bool = False,
    dry_run: bool = False,
    target: Path | None = None,
    force: bool = False,
    schema: str = "lean",
    analytics: bool = True,
    graph: str | None = None,
    as_json: bool = False,
) -> None:
    """Take in a graph that Neo4j has already, unchanged.

    Its rows become evidence, and entities get links (SAME_AS) to its nodes. Repeat it after a change there.
    """
    from kg_neo4j.pipeline.options import TABLES, LoadOptions

    plugins.need(TABLES, "a graph cannot be read by a map", "install kg-neo4j again")
    from kg_neo4j.rooms.adopt import adopting
    from kg_neo4j.rooms.tables.command import show_rows
    from kg_neo4j.rooms.tables.maps import read_map

    settings = settings_for(graph=graph)
    if (table_map is not None) + propose + undo != 1:
        raise UsageError("nothing to adopt", hint="give one of --map FILE, --propose and --undo")
    options = LoadOptions(schema=schema, analytics=analytics)
    if propose:
        _propose(target, force, graph, as_json)
    elif undo:
        with progress(quiet=as_json) as bars:
            report = adopting.undo(settings=settings, progress=bars)
        show(report, _print, as_json=as_json)
    elif dry_run:
        notes: list[str] = []
        found = read_map(str(table_map))
        with progress(quiet=as_json) as bars:
            tables = adopting.read(found, settings, notes, bars)
        show_rows([tables], settings, LoadOptions(schema=schema, table_map=found), as_json=as_json)
        made = [f"{len(tables[each.named].rows):,} {each.label}" for each in found.tables if each.label]
        remark("note", [*notes, f"adopting makes these links to nodes: {', '.join(made)}"])
    else:
        with progress(quiet=as_json) as bars:
            report = adopting.adopt(str(table_map), settings=settings, options=options, progress=bars)
        show(report, _print, as_json=as_json)


def schema_from_database(
    target: Path = Path("database.toml"),
    base: str = "lean",
    force: bool = False,
    graph: str | None = None,
    as_json: bool = False,
) -> None:
    """Make a schema file of the graph that Neo4j has already."""
    from kg_neo4j.extract import schema
    from kg_neo4j.rooms.adopt.proposing import schema_of

    with progress(quiet=as_json) as bars:
        found, made = schema_of(settings_for(graph=graph), schema.load(base), target.stem, bars)
    write_file(target, made, force=force)
    counts = {"node types": len(found.nodes), "relationship types": len(found.relationships)}
    facts: dict[str, object] = {"schema": str(target), **counts}
    show({**facts, "left_out": found.left_out}, facts, as_json=as_json)
    remark("left out", found.left_out)
    remark("note", [f"read it, edit it, then: kg load FILE... --schema {target}"])


def _print(report: AdoptReport) -> None:
    print_facts({"links": ", ".join(f"{count:,} {label}" for label, count in report.links.items()) or "0"})
    print_load(report.load)


def _propose(target: Path | None, force: bool, graph: str | None, as_json: bool) -> None:
    from kg_neo4j.rooms.adopt import proposing

    with progress(quiet=as_json) as bars:
        text = proposing.propose_map(settings_for(graph=graph), bars)
    if target is None:
        show({"map": text}, text, as_json=as_json)
        return
    write_file(target, text, force=force)
    show({"file": str(target)}, {"map": target}, as_json=as_json)
    remark("note", [f"read it, edit it, then: kg adopt --map {target} --dry-run"])
