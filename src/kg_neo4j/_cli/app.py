"""The command `kg`: groups the commands, turns errors into one or two lines and an exit code."""

from __future__ import annotations

import logging
import sys
from typing import Annotated

import typer
from typer.exceptions import TyperException

from kg_neo4j._cli import (
    ask,
    chat,
    communities,
    db,
    evaluation,
    extraction,
    graph,
    load,
    reports,
    resolve,
    study,
    tree,
    tune,
)
from kg_neo4j._cli.interrupts import Interrupts
from kg_neo4j._cli.terminal import json_text
from kg_neo4j.errors import KgError

app = typer.Typer(
    name="kg",
    help="Text to a knowledge graph in Neo4j, with evidence for every fact, and answers that cite it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.callback(invoke_without_command=True)
def version(
    show: Annotated[bool, typer.Option("--version", help="Show the version and exit.", is_eager=True)] = False,
) -> None:
    """Text to a knowledge graph in Neo4j, with evidence for every fact, and answers that cite it."""
    if show:
        from kg_neo4j import __version__

        typer.echo(f"kg-neo4j {__version__}")
        raise typer.Exit


app.command("load")(load.load)
app.command("unload")(load.unload)
app.command("extract")(extraction.extract)
app.command("tune")(tune.tune)
app.command("quarantine")(extraction.quarantine)
app.command("rebuild")(extraction.rebuild)
app.command("resolve")(resolve.resolve)
app.command("documents")(graph.documents)
app.command("communities")(communities.communities)
app.command("tree")(tree.tree)
app.command("ask")(ask.ask)
app.command("chat")(chat.chat)
app.command("report")(reports.report)
app.command("plot")(graph.plot)
app.command("export")(graph.export)
app.command("import")(graph.import_graph)
app.command("browse")(graph.browse)
app.add_typer(db.app, name="db")
app.add_typer(study.app, name="study")
app.add_typer(evaluation.app, name="eval")


def main() -> None:
    """Run the command line.

    Exits 0 done, 1 failed, 2 usage, 3 partly done, 4 database, 5 model, 130 interrupted, 143 terminated.
    """
    logging.getLogger("neo4j").addHandler(logging.NullHandler())  # its warnings come as our errors, too
    interrupts = Interrupts()
    try:
        with interrupts.handled():
            code = app(standalone_mode=False)
    except KgError as error:
        _show(type(error).__name__, str(error), error.hint)
        code = error.exit_code
    except typer.Abort:  # a question that nobody answers
        code = interrupts.exit_code
    except typer.Exit as done:
        code = done.exit_code
    except TyperException as error:  # every usage error of the option parser
        _show("UsageError", error.format_message(), "`kg --help` and `kg COMMAND --help` list what there is")
        code = error.exit_code
    if interrupts.received:
        typer.echo("interrupted: what was recorded is kept; run the same command again to go on", err=True)
        code = interrupts.exit_code
    sys.exit(code if isinstance(code, int) else 0)


def _show(kind: str, message: str, hint: str | None) -> None:
    """Print an error: for a person to standard error, with --json as an object to standard output."""
    arguments = sys.argv[1:]
    if "--json" in arguments or ("json" in arguments and "--format" in arguments) or "--format=json" in arguments:
        typer.echo(json_text({"error": {"type": kind, "message": message, "hint": hint}}))
        return
    typer.echo(f"error: {message}", err=True)
    if hint:
        typer.echo(f"  try: {hint}", err=True)
