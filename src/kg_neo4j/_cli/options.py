"""Options that several commands share, and the settings that they make."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from kg_neo4j.errors import UsageError

if TYPE_CHECKING:
    from kg_neo4j.settings import Settings

GraphOption = Annotated[
    str | None, typer.Option("--graph", metavar="NAME", help="The named graph to use [default: KG_GRAPH or main].")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object to standard output, nothing else.")]
ModelOption = Annotated[
    str | None,
    typer.Option("--model", metavar="NAME", help="The chat model [default: KG_MODEL]."),
]
YesOption = Annotated[bool, typer.Option("--yes", help="Do not ask.")]


def settings_for(**overrides: Any) -> Settings:
    """Return the settings of the environment with the given ones on top; None leaves a setting alone."""
    from pydantic import ValidationError

    from kg_neo4j.settings import Settings

    given = {name: value for name, value in overrides.items() if value is not None}
    try:
        return Settings(**given)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"{name}: {first['msg']}", hint="check the option or the environment variable") from None
