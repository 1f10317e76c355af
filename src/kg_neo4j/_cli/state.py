"""kg status, kg doctor, kg config: what is there, what is wrong, and what is set."""

from __future__ import annotations

import typer

from kg_neo4j._cli.options import settings_for
from kg_neo4j._cli.terminal import print_facts, print_json, print_table, print_text, progress

ANALYSED = {True: "up to date", False: "older than the graph: `kg communities`", None: "not computed"}


def status(graph: str | None = None, as_json: bool = False) -> None:
    """Show what the graph contains, and what is unfinished.

    Also names the database and the model.
    """
    from kg_neo4j import pipeline

    with progress(quiet=as_json) as bars:
        found = pipeline.status(settings=settings_for(graph=graph), progress=bars)
    if as_json:
        print_json(found)
        return
    server = (
        f"{found.server}, Neo4j {found.neo4j}" if found.server else "the local one, which does not run: `kg db start`"
    )
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


def doctor(graph: str | None = None, as_json: bool = False) -> None:
    """Check the machine, the database, the graph and the models.

    Prints the command that repairs each problem. Exits with 1 if there is one.
    """
    from kg_neo4j import pipeline

    with progress(quiet=as_json) as bars:
        found = tuple(pipeline.diagnose(settings=settings_for(graph=graph), progress=bars))
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

    found = configured(settings_for())
    shown = [each for each in found if everything or each.origin != "default"]
    if as_json:
        print_json(shown)
        return
    if shown:
        print_table(
            ["Name in kg.toml", "Variable", "Value", "From"],
            [(each.name, each.variable, each.value, each.origin) for each in shown],
        )
    else:
        print_text("all settings have their defaults; `kg config --all` lists them")
    files = config_files()
    own = user_config_file()
    print_facts({"your own file": f"{own}{'' if own in files else ' (not there)'}"})
