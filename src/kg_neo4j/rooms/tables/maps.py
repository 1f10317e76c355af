"""The map: which columns of which tables are nodes, properties and relationships. A TOML file, read by pydantic."""

from __future__ import annotations

import json
import re
import tomllib
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from kg_neo4j.errors import UsageError
from kg_neo4j.extract.values import RESERVED_RELATIONSHIP_TYPES, normalise_type

_READS = re.compile(r"(?:--.*\n|[\s(])*(?:select|with|values|from)\b", re.IGNORECASE)
Place = tuple[str | int, ...]  # of a part of the map: keys, and numbers in lists


class _Part(BaseModel):
    """A part of a map; it is not changed, and has no other keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)


class MappedProperty(_Part):
    """A column whose values are a property. `format` is one of strptime's, for dates."""

    column: str
    kind: Literal["text", "number", "date"] = "text"
    format: str | None = Field(default=None, pattern="%[Yy]")
    decimal: Literal[".", ","] = "."

    @model_validator(mode="before")
    @classmethod
    def _is_column(cls, given: Any) -> Any:
        return {"column": given} if isinstance(given, str) else given


class MappedPart(_Part):
    """What has a type, one for all rows or that of a column, and properties."""

    type: Annotated[str, AfterValidator(partial(normalise_type, reserved=RESERVED_RELATIONSHIP_TYPES))] | None = None
    type_column: str | None = None
    properties: dict[str, MappedProperty] = Field(default_factory=dict)

    @cached_property
    def columns(self) -> Sequence[tuple[Place, str]]:
        """The columns that it reads, each with its place in the part."""
        named = {name: getattr(self, name, None) for name in ("name", "key", "type_column")}
        values = [(("properties", name), each.column) for name, each in self.properties.items()]
        return [*(((name,), column) for name, column in named.items() if column), *values]


class MappedNode(MappedPart):
    """A node of each row: by its `name`, or by the `key` of a row of another `table`."""

    name: str | None = None
    key: str | None = None
    table: str | None = None
    split: str | None = None  # parts several names or keys in a cell

    @model_validator(mode="after")
    def _is_whole(self) -> MappedNode:
        if self.table is None and (self.name is None or (self.type is None) == (self.type_column is None)):
            raise ValueError("a node has a name, and a type or a type_column")
        if self.table is not None and (self.key is None or self.name or self.type or self.type_column):
            raise ValueError("a node of another table has a key; its name and type are those of the row there")
        return self


class MappedRelationship(MappedPart):
    """A relationship of each row, between two of its nodes."""

    source: str = Field(alias="from")
    target: str = Field(alias="to")

    @model_validator(mode="after")
    def _is_whole(self) -> MappedRelationship:
        if (self.type is None) == (self.type_column is None):
            raise ValueError("a relationship has a type or a type_column")
        return self


class MappedTable(_Part):
    """One table: a file, a sheet of it, a query, or a DataFrame that is given by name; or what another graph has."""

    file: str | None = None  # as seen from the map
    sheet: str | None = None
    name: str | None = None  # of a query or a DataFrame
    query: str | None = None
    label: str | None = None  # of nodes that are there; the columns are their properties
    relationship: str | None = None  # a type that is there; the columns are its properties, from.KEY and to.KEY
    header: int | None = Field(default=None, ge=1)  # the line with the names of the columns; None: the first one
    unique: tuple[str, ...] = ()  # columns of which no two rows have the same value
    ignore: tuple[str, ...] = ()  # columns that are not read
    nodes: dict[str, MappedNode]
    relationships: tuple[MappedRelationship, ...] = ()

    @property
    def named(self) -> str:
        """The name by which other tables mean it: a file with its sheet, or the name."""
        return self.name or self.label or self.relationship or "/".join(filter(None, (self.file, self.sheet)))

    @property
    def keyed(self) -> MappedNode | None:
        """The node that keys of other tables mean: the first one with a key and a name."""
        return next((each for each in self.nodes.values() if each.key and each.name), None)

    @property
    def ends(self) -> Sequence[MappedNode]:
        """The nodes whose keys are from.KEY and to.KEY: the ends of a relationship that is there."""
        keyed = {str(node.key).partition(".")[0]: node for node in self.nodes.values() if node.table}
        return [keyed[end] for end in ("from", "to") if end in keyed] if self.relationship else []

    @property
    def stored(self) -> str:
        """What is stored of a table of another graph, as JSON; "" for any other table."""
        if self.label and self.keyed:
            columns = {place[-1]: column for place, column in self.keyed.columns if place != ("key",)}
            return json.dumps({"label": self.label, "key": self.unique[0], "columns": columns})
        ends = [end.table for end in self.ends]
        return json.dumps({"relationship": self.relationship, "ends": ends}) if ends else ""

    @model_validator(mode="after")
    def _is_whole(self) -> MappedTable:
        if sum(map(bool, (self.file, self.query, self.label, self.relationship))) > 1:
            raise ValueError("a table has one of file, query, label and relationship")
        if self.label and (len(self.unique) != 1 or self.keyed is None or self.keyed.key != self.unique[0]):
            raise ValueError("a label has one property in unique, which is the key of a node with a name")
        if self.relationship and len(self.ends) < 2:
            raise ValueError("a relationship has two nodes of other tables, whose keys are from.KEY and to.KEY")
        if not self.named or (self.query is not None and not (self.name and _READS.match(self.query))):
            raise ValueError("a table has a file, or a name; a query has a name, too, and begins with SELECT or WITH")
        for each in self.relationships:
            if missing := sorted({each.source, each.target} - set(self.nodes)):
                raise ValueError(f"no node is called {missing[0]!r}; there are: {', '.join(self.nodes)}")
        return self


class TableMap(_Part):
    """A map, read."""

    tables: tuple[MappedTable, ...] = Field(min_length=1)
    _text: str = ""
    _where: str = "the map"

    @model_validator(mode="after")
    def _is_whole(self) -> TableMap:
        known = {each.named: each for each in self.tables}
        if len(known) < len(self.tables):
            raise ValueError("two tables have one name")
        for _, part in self.parts():
            name = getattr(part, "table", None)
            if name is not None and name not in known:
                raise ValueError(f"no table is called {name!r}; there are: {', '.join(known)}")
            if name is not None and known[name].keyed is None:
                raise ValueError(f"{name} has no node with a key and a name")
        return self

    @property
    def folder(self) -> Path:
        """Where its files are."""
        return Path(self._where).parent if self._text else Path()

    def at(self, *place: str | int) -> str:
        """Return the file and the line of a part of the map."""
        return self._where + _line_of(self._text, place)

    def parts(self) -> Iterator[tuple[Place, MappedPart]]:
        """Yield the nodes and relationships of all tables with their places: "tables", a number, and so on."""
        for number, table in enumerate(self.tables):
            yield from ((("tables", number, "nodes", name), each) for name, each in table.nodes.items())
            yield from ((("tables", number, "relationships", at), each) for at, each in enumerate(table.relationships))


def read_map(given: str | Path | Mapping[str, Any] | TableMap) -> TableMap:
    """Return the map in a file, or in what a file would hold.

    Raises UsageError, with the line of the file, for what is no map.
    """
    path = Path(given) if isinstance(given, str | Path) else None
    text, where = "", str(given) if path else "the map"
    try:
        text = path.read_text(encoding="utf-8") if path else ""
        found = TableMap.model_validate(tomllib.loads(text) if path else given)
    except OSError as error:
        raise UsageError(f"cannot read the map {given}: {error.strerror}", hint="`kg map FILE` makes one") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        why = f"{place}: " * bool(place) + first["msg"].removeprefix("Value error, ")
        raise UsageError(f"{where}{_line_of(text, first['loc'])}: {why}") from error
    except ValueError as error:  # no UTF-8, or no TOML: it names line and column
        raise UsageError(f"{where} is not a map: {error}", hint="docs/how-to/tables.md describes it") from error
    found._text, found._where = text, where
    return found


def _line_of(text: str, place: Place) -> str:
    """Return ", line N" of the key of a TOML text that is at `place`, or of the nearest one around it."""
    lines = text.splitlines()

    def depth(count: int) -> int:
        """Return how many keys of the place are in the first lines, and in what the last one of them begins."""
        try:
            part: Any = tomllib.loads("\n".join(lines[:count]))
        except tomllib.TOMLDecodeError:
            return depth(count + 1)
        found = 0
        with suppress(LookupError, TypeError):
            for key in place:
                part, found = part[key], found + 1
        return found

    at = bisect_left(range(len(lines)), depth(len(lines)), key=depth)
    return f", line {at}" if at else ""
