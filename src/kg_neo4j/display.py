"""What people read of a record: text, or a table in a notebook; and what does what a missing attribute may have meant.

All that methods of `KnowledgeGraph` return is `Readable`, or a `Listed` of such. The room `notebooks` draws it.
"""

from __future__ import annotations

import difflib
import functools
import inspect
import reprlib
from collections.abc import Callable, Iterable
from dataclasses import fields
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, TypeVar

from kg_neo4j import data_files

_T = TypeVar("_T")
MOST = 40  # names in an error


class _Hinting(type):
    if not TYPE_CHECKING:  # a type checker knows what there is

        def __getattr__(cls, name: str) -> Any:
            raise missing(cls, name)


class Readable(metaclass=_Hinting):
    """What `str` and notebooks show to people; its `repr` is short where the dataclass makes none."""

    __slots__ = ()

    def __repr__(self) -> str:
        values = (f"{each.name}={reprlib.repr(getattr(self, each.name))}" for each in fields(self))  # type: ignore[arg-type]
        return f"{type(self).__name__}({', '.join(values)})"

    def __str__(self) -> str:
        return _drawn("text", self)

    def _repr_html_(self) -> str:
        return _drawn("page", self)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            raise missing(type(self), name)


class Listed(tuple[_T, ...]):
    """Records in order: in text one a line, in a notebook a table."""

    __slots__ = ()
    __str__, _repr_html_ = Readable.__str__, Readable._repr_html_


def _drawn(how: str, value: Any) -> str:
    return str(resolve_name(f"kg_neo4j.rooms.notebooks.drawing:{how}")(value))


def advising(cls: type[_T]) -> type[_T]:
    """Let the error of an argument that a method does not have name those that it has."""
    for name, method in list(vars(cls).items()):
        if inspect.isfunction(method) and not name.startswith("_"):
            setattr(cls, name, _advised(method))
    return cls


def _advised(method: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(method)

    @functools.wraps(method)
    def call(self: Any, /, *args: Any, **given: Any) -> Any:
        try:
            signature.bind(self, *args, **given)
        except TypeError as error:
            raise TypeError(f"{method.__name__}(): {error}; it takes {str(signature).partition(' -> ')[0]}") from None
        return method(self, *args, **given)

    return call


def missing(kind: type, name: str) -> AttributeError:
    """Return the error of an attribute that a class does not have; it names what does what was meant."""
    said = f"{kind.__name__!r} has no attribute {name!r}"
    if name.startswith("_"):  # asked for by Python and by notebooks
        return AttributeError(said)
    public = [each for each in dir(kind) if not each.startswith("_")]
    return AttributeError(f"{said}; {instead(name, public, kind.__name__.removeprefix('Async'), 'Readable')}")


def instead(name: str, known: Iterable[str], *tables: str) -> str:
    """Return "try X", by the tables of display.toml, where a name has a line in one; else as `near`."""
    said = data_files.beside(__file__).table("instead")
    rows = [line.partition(" | ") for table in tables for line in said.get(table, "").splitlines()]
    return next((f"try {other}" for words, _, other in rows if name.lower() in words.split()), "") or near(name, known)


def near(name: str, known: Iterable[str]) -> str:
    """Return "did you mean X?" with the names that are like `name`; where none is, all names."""
    names, parts = {each.lower(): each for each in known}, name.lower().split("_")
    close = [*(each for each in names if each in parts), *difflib.get_close_matches(name.lower(), names)]
    found = [names[each] for each in dict.fromkeys(close)]
    return f"did you mean {' or '.join(found)}?" if found else f"there are: {', '.join([*names.values()][:MOST])}"
