"""Finds cypher/ and prompts/. Nothing else in the package knows where they are.

A wheel carries both folders inside the package; an editable install or a checkout has them at its root.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_CHECKOUT = _PACKAGE.parent.parent


@cache
def folder(name: str) -> Path:
    """Return the folder `name` ("cypher" or "prompts").

    Raises FileNotFoundError naming both places where it was looked for.
    """
    places = (_PACKAGE / name, _CHECKOUT / name)
    for place in places:
        if place.is_dir():
            return place
    raise FileNotFoundError(f"kg-neo4j is not whole: {name}/ is neither at {places[0]} nor at {places[1]}")
