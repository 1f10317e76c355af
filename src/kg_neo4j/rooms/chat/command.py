"""kg chat: one line, one turn, on a terminal and in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated

import typer

from kg_neo4j._cli.answers import draft, is_streamed, show_answer, show_notes
from kg_neo4j._cli.options import filters_of, settings_for
from kg_neo4j._cli.shapes import plain
from kg_neo4j._cli.terminal import json_text, print_error, print_text, progress
from kg_neo4j.errors import BudgetReached, DatabaseUnavailable, KgError
from kg_neo4j.records import Filters

if TYPE_CHECKING:
    from kg_neo4j.rooms.chat.talk import Chat, ChatReply

HELP = """\
a line is a question; it may refer to what was said before ("Where did she die?", "And his wife?", "What about Paris?")
/show          what the last answer rests on
/mode [NAME]   the mode, or another one: auto, local, naive, global, tree, cypher
/reset         forget what was said
/help          this
/quit          leave; so does Ctrl-D"""
PROMPT = "> "
LONGEST_LINE = 10_000_000  # characters; what is longer is read in parts


def chat(
    mode: str = "auto",
    filters: Annotated[Filters, filters_of] = Filters(),  # noqa: B008
    budget_usd: float | None = None,
    model: str | None = None,
    graph: str | None = None,
    as_json: bool = False,
) -> None:
    """Ask questions line by line.

    A question may refer to earlier ones.

    With --json each turn is one line of JSON.
    """
    from kg_neo4j.retrieve.interface import AskOptions
    from kg_neo4j.rooms.chat import talk as talks

    options = AskOptions(mode, filters=filters)
    settings = settings_for(graph=graph, model=model)
    with ExitStack() as open_ones:
        with progress(quiet=as_json) as bars:  # while it connects: bars and what is typed do not go together
            conversation = talks.chat(settings=settings, options=options, budget_usd=budget_usd, progress=bars)
            talk = open_ones.enter_context(conversation)
        if _is_terminal():
            typer.echo("ask about the graph; /help lists what else there is", err=True)
        try:
            _talk(talk, as_json)
        except KeyboardInterrupt:
            typer.echo("", err=True)


def _talk(talk: Chat, as_json: bool) -> None:
    """Answer line after line. An error is printed and the next line is read, unless no further line can be answered."""
    last: ChatReply | None = None
    for line in _lines():
        text = line.strip()
        if text in ("/quit", "/exit"):
            return
        try:
            if text.startswith("/"):
                _command(talk, text, last, as_json)
            elif text:
                last = _turn(talk, text, as_json)
        except (BudgetReached, DatabaseUnavailable):
            raise
        except KgError as error:
            print_error(type(error).__name__, str(error), error.hint, as_json=as_json)


def _turn(talk: Chat, line: str, as_json: bool) -> ChatReply:
    with draft(stream=is_streamed(None, as_json)) as on_token:
        reply = talk.ask(line, on_token)
    if as_json:
        typer.echo(json_text({"asked": reply.asked, "rewritten_by": reply.rewritten_by or None, **plain(reply.answer)}))
        return reply
    if reply.rewritten_by:
        print_text(f"({reply.answer.question})")
    show_answer(reply.answer)
    if reply.why:
        typer.echo(f"note: {reply.why}", err=True)
    show_notes(reply.answer)
    return reply


def _command(talk: Chat, text: str, last: ChatReply | None, as_json: bool) -> None:
    """Do what a line that begins with / says. Nothing of it goes to standard output with --json."""
    name, _, argument = text.partition(" ")
    if name == "/help":
        typer.echo(HELP, err=as_json)
    elif name == "/reset":
        talk.reset()
        typer.echo("forgotten", err=True)
    elif name == "/mode":
        if argument.strip():
            talk.switch(argument.strip())
        typer.echo(f"mode {talk.options.mode}", err=True)
    elif name == "/show":
        if last is None:
            typer.echo("nothing was asked yet", err=True)
        elif as_json:
            typer.echo(json_text({"asked": last.asked, **plain(last.answer)}))
        else:
            show_answer(last.answer, evidence=True)
            show_notes(last.answer, evidence=True)
    else:
        typer.echo(f"there is no {name}\n{HELP}", err=True)


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _lines() -> Iterator[str]:
    """Yield what is typed, or what comes through a pipe, line by line. Bytes that are no text are replaced."""
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="replace")
    while True:
        if _is_terminal():
            sys.stderr.write(PROMPT)
            sys.stderr.flush()
        sys.stdout.flush()
        line = sys.stdin.readline(LONGEST_LINE)
        if not line:
            return
        yield line
