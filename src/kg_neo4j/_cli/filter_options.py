"""Options that say what an answer may rest on."""

from __future__ import annotations

from typing import Annotated

import typer

from kg_neo4j.records import Filters

DocumentOption = Annotated[
    list[str] | None,
    typer.Option("--document", metavar="NAME", help="Only this document: title, id or pattern with *; repeatable."),
]
DocumentLanguageOption = Annotated[
    list[str] | None,
    typer.Option("--language", metavar="CODE", help="Only documents in this language; repeatable."),
]
KindOption = Annotated[
    list[str] | None,
    typer.Option("--kind", metavar="file|wikipedia", help="Only documents of this kind; repeatable."),
]
TypeOption = Annotated[
    list[str] | None,
    typer.Option("--type", metavar="TYPE", help="Only what concerns entities of this type; repeatable."),
]
SinceOption = Annotated[
    int | None, typer.Option("--since", metavar="YEAR", help="Only what is dated in this year or later; BC: negative.")
]
UntilOption = Annotated[
    int | None, typer.Option("--until", metavar="YEAR", help="Only what is dated in this year or earlier.")
]


def filters_of(
    documents: list[str] | None,
    languages: list[str] | None,
    kinds: list[str] | None,
    types: list[str] | None,
    since: int | None,
    until: int | None,
) -> Filters:
    """Return the filters that the options mean."""
    return Filters(tuple(documents or ()), tuple(languages or ()), tuple(kinds or ()), tuple(types or ()), since, until)
