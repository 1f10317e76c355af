"""A map proposed for tables, as the text of a TOML file with comments that say what was seen."""

from __future__ import annotations

import html
import itertools
import json
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from kg_neo4j.errors import UnreadableSource, UsageError
from kg_neo4j.extract import schema as schemas
from kg_neo4j.rooms.tables import reading
from kg_neo4j.rooms.tables.columns import LISTS, MOST, SeenColumn, SeenTable, found, relationship, see
from kg_neo4j.rooms.tables.reading import Table
from kg_neo4j.rooms.tables.rows import parts_of
from kg_neo4j.words import fold

_HASH = re.compile(r"[0-9a-f]{32,}")
_HEAD = """# A proposed map. Correct it, try it with `kg load --map FILE --dry-run`, then load.
# docs/how-to/tables.md describes all keys."""
Mapped = dict[str, Any]  # a part of the map, by the keys of a TOML file


def propose(tables: Mapping[str, Table], sheets: Mapping[str, str] | None = None) -> str:
    """Return the map that the values and the headers of tables suggest.

    A table has the name of its file; one of `sheets` has that, a slash, and the name of the sheet.
    """
    seen = {name: see(name, (sheets or {}).get(name), table) for name, table in tables.items()}
    kinds = kinds_of()
    return "\n".join([_HEAD, *(line for each in seen.values() for line in MapMaker(each, seen, kinds).lines())]) + "\n"


def kinds_of() -> dict[bool, dict[str, str]]:
    """Return what properties of nodes (True) and of relationships hold already; "" for names that are taken."""
    schema = schemas.load("lean")
    taken = dict.fromkeys((*schemas.RESERVED_PROPERTIES, *(each.name for each in schema.years)), "")
    return {
        is_node: {**taken, **{each.name: str(each.kind) if each.is_property else "" for each in columns}}
        for is_node, columns in ((True, schema.node_columns), (False, schema.relationship_columns))
    }


class ProposedMap(dict[str, Any]):
    """A map as `load` takes it. Printed, it is the text of its file."""

    def __init__(self, text: str) -> None:
        super().__init__(tomllib.loads(text))
        self.text = text

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"


def proposed(sources: Iterable[Any]) -> ProposedMap:
    """Propose a map of files, DataFrames, and mappings of names to DataFrames: `KnowledgeGraph.map`."""
    given = list(sources)
    tables, sheets = read_files([each for each in given if isinstance(each, str | Path)])
    unnamed = itertools.count(1)
    frames: dict[str, Any] = {}
    for each in given:
        if not isinstance(each, str | Path):
            frames |= each if isinstance(each, Mapping) else {f"table_{next(unnamed)}": each}
    tables |= {name: reading.of_frame(frame) for name, frame in frames.items()}
    if not tables:
        raise UsageError("there is no table to propose a map of", hint="name files, or pass DataFrames")
    text = propose(tables, sheets)
    for name in frames:  # it is no file
        text = text.replace(f"\nfile = {_toml(name)}\n", f"\nname = {_toml(name)}\n")
    return ProposedMap(text)


def read_files(
    sources: Iterable[str | Path], folder: Path | None = None, sheet: str | None = None, encoding: str | None = None
) -> tuple[dict[str, Table], dict[str, str]]:
    """Return the tables of files, by their paths as seen from `folder`, and the sheets that some of them are."""
    tables: dict[str, Table] = {}
    sheets: dict[str, str] = {}
    for source in dict.fromkeys(sources):
        path, name = Path(source), Path(os.path.relpath(source, folder) if folder else source).as_posix()
        try:
            for each in [sheet] if sheet else reading.sheets_of(path):
                own = f"{name}/{each}" if each else name
                tables[own] = reading.read_file(path, sheet=each, encoding=encoding)
                sheets |= {own: each} if each else {}
        except UnreadableSource as error:
            raise UsageError(f"{source}: {error}", hint=error.hint) from error
    return tables, sheets


class MapMaker:
    """The map of one table; `kinds` has what properties of nodes (True) and relationships hold in all tables."""

    def __init__(self, own: SeenTable, tables: Mapping[str, SeenTable], kinds: Mapping[bool, dict[str, str]]) -> None:
        self.own, self.kinds = own, kinds
        self.nodes: dict[str, Mapped] = {}
        self.relationships: list[Mapped] = []
        free = [each for each in own.columns if each not in (own.key, own.label)]
        left = [each for each in free if not _is_useless(each)]
        linked = [(each, table, kind) for each in left for table, kind in [_meant(each, own, tables)] if kind]
        named = own.label or own.key
        if named is None and len(linked) < 2:
            named = next((each for each in left if each.kind == "text"), (left or own.columns)[0])
        self.ignored = [each.name for each in free if each not in left and each is not named]
        linked = [each for each in linked if each[0] is not named]
        if named is None:  # the first relationship has the properties: between references, to a place last
            linked.sort(key=lambda each: (each[1] is None, each[2] == "PLACE"))
        ties = self._link(named, linked)
        owner = self.nodes[next(iter(self.nodes))] if named else self.relationships[0]
        if named is not own.key and own.key:
            self._add(owner, own.key)
        for column in left:
            if column is not named and column not in [each for each, *_ in linked]:
                is_tied = column.kind == "date" and found(column.words, LISTS["terms"]) and own.type != "EVENT"
                self._add(ties[0] if is_tied and len(ties) == 1 else owner, column)

    def _link(self, named: SeenColumn | None, linked: list[tuple[SeenColumn, SeenTable | None, str]]) -> list[Mapped]:
        """Add the nodes and their relationships; return those that dates such as "since" may belong to."""
        centre, kind = self.own.type.lower(), self.own.type
        if named:
            keyed = {"key": self.own.meant.name} if self.own.meant else {}
            self.nodes[centre] = {"type": kind, "name": named.name, **keyed}
        ties: list[tuple[str, bool, Mapped]] = []
        for column, table, other in linked:
            names = _numbered(_identifier("_".join(column.rest) or other))
            name = next(each for each in names if each not in self.nodes)
            ends = {"table": table.name, "key": column.name} if table else {"type": other, "name": column.name}
            self.nodes[name] = {**ends, "split": column.split.strip()}
            if len(self.nodes) == 1:
                centre, kind = name, other
                continue
            fits = relationship(kind, other, column.words)
            source, target = (name, centre) if fits.startswith("~") else (centre, name)
            self.relationships.append({"from": source, "type": fits.removeprefix("~"), "to": target})
            ties.append((other, table is not None, self.relationships[-1]))
        firms = [each for other, _, each in ties if other == "ORGANIZATION"]
        return firms or [each for _, is_key, each in ties if is_key]

    def _add(self, part: Mapped, column: SeenColumn) -> None:
        """Add a column to the properties of a node or a relationship."""
        is_node, plain, kinds = "from" not in part, _identifier(column.name), self.kinds["from" not in part]
        of_dates = (["strong"] if self.own.type == "PERSON" else ["strong", "weak"]) if is_node else ["terms"]
        lists = of_dates if column.kind == "date" else ["meanings"] * is_node
        wanted = next(filter(None, (found(column.words, LISTS[each]) for each in lists)), plain)
        tries = itertools.chain([wanted, plain, f"{self.own.type.lower()}_{plain}"], _numbered(plain))
        free = (each for each in tries if f"properties.{_key(each)}" not in part)
        name = next(each for each in free if kinds.setdefault(each, column.kind) == column.kind)
        value = {"column": column.name, "kind": column.kind, **column.how}
        part[f"properties.{_key(name)}"] = value if column.kind != "text" else column.name

    def lines(self) -> Iterator[str]:
        """Yield the lines of the map."""
        own = self.own
        yield ""
        size = f"{own.columns[0].rows:,} rows, {len(own.columns):,} columns"
        for each in (f"{own.name}: {size}", *(column.seen for column in own.columns)):
            yield "# " + "".join(char if char.isprintable() else " " for char in each)
        unique = [own.key.name] if own.key else []
        file = {"file": own.name.removesuffix(f"/{own.sheet}"), "sheet": own.sheet, "unique": unique}
        parts = [("[[tables]]", file | {"ignore": self.ignored})]
        parts += [(f"[tables.nodes.{_key(name)}]", node) for name, node in self.nodes.items()]
        for header, part in parts + [("[[tables.relationships]]", each) for each in self.relationships]:
            yield f"\n{header}"
            yield from (f"{name} = {_toml(value)}" for name, value in part.items() if value)


def _meant(column: SeenColumn, own: SeenTable, tables: Mapping[str, SeenTable]) -> tuple[SeenTable | None, str]:
    """Return the table whose rows the values of a column mean, and the type of what they mean; "" for nothing."""
    best, meant = (False, False, 0.0), None
    split = column.split
    parts = [part for each in column.values for part in parts_of(each, split)]
    for table in tables.values() if column.kind != "date" else ():
        keys = set(table.meant.values) if table.meant and table.meant is not column else set()
        share = sum(each in keys for each in parts) / max(1, len(parts))
        words = {*table.stem, *(table.meant.words if table.meant else ())} - LISTS["words"]["generic"]
        rank = (not words.isdisjoint(column.words), column.header_type == table.type, share)
        is_code = not all(each.isdecimal() for each in parts)
        if share >= MOST and rank > best and (is_code or any(rank[:2])):
            best, meant = rank, table
    return meant, meant.type if meant else column.header_type if column.is_naming else ""


def _is_useless(column: SeenColumn) -> bool:
    """Return whether a column is empty, has hashes, or one address for all rows."""
    is_constant = len({*column.values}) == 1 and column.rows > 1
    return all(map(_HASH.fullmatch, column.values)) or (is_constant and "://" in column.values[0])


def _identifier(text: str) -> str:
    """Return a text as a name of nodes or properties."""
    plain = re.sub(r"\W+", "_", fold(text)).strip("_").lower()
    return plain if plain.isidentifier() else f"column_{plain}" if f"x{plain}".isidentifier() and plain else "column"


def _numbered(name: str) -> Iterator[str]:
    """Yield a name, then the same with numbers."""
    return itertools.chain([name], (f"{name}_{number}" for number in itertools.count(2)))


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{name} = {_toml(each)}' for name, each in value.items())} }}"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(name: str) -> str:
    return name if name.isascii() else _toml(name)
