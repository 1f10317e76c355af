"""Tables to load: the files, queries and DataFrames of a map as documents, whose rows answer for themselves."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from kg_neo4j.acquire.folders import place, printable, real_path
from kg_neo4j.acquire.identity import document_id, text_hash
from kg_neo4j.errors import UnreadableSource, UsageError
from kg_neo4j.extract import schema as schemas
from kg_neo4j.extract.schema import ColumnKind, FoldRule, Schema, SchemaColumn
from kg_neo4j.graph.identity import normalise
from kg_neo4j.pipeline.options import LoadOptions
from kg_neo4j.records import Document
from kg_neo4j.rooms.tables import reading
from kg_neo4j.rooms.tables.maps import MappedNode, MappedTable, Place, TableMap, read_map
from kg_neo4j.rooms.tables.reading import Table
from kg_neo4j.rooms.tables.rows import KEY, NamedKey, ReadTable, RowWriter, TableDocument, TableExtractor
from kg_neo4j.settings import Settings

KIND = "table"  # of documents
SHOWN = 200  # characters of a list in an error
_KINDS = {"text": ColumnKind.TEXT, "number": ColumnKind.NUMBER, "date": ColumnKind.DATE}


@dataclass(frozen=True, slots=True)
class TablePlace:
    """Where a table of the map is, and what it is called in the graph."""

    number: int  # in the map, from 0
    mapped: MappedTable
    key: str
    title: str
    source: str
    read: Callable[[], Table]
    origin: str | None = None
    is_loaded: bool = True  # False: only other tables need it


def tables_of(
    sources: Sequence[Any], settings: Settings, options: LoadOptions
) -> tuple[Iterable[Document], TableExtractor, LoadOptions] | None:
    """Return the tables of a map as documents, their extractor, and the options with the schema that they need.

    `sources` are files that the map names, the address of a database, DataFrames, or a mapping of names to DataFrames;
    none mean all files of the map. A map of one table reads any files. Without a map they are the two sections of the
    schema, or no tables: None. Raises UsageError, which names file and line, before anything is loaded.
    """
    schema = schemas.load(options.schema)
    given = options.table_map if options.table_map is not None else section_map(sources, schema)
    if given is None:
        return None
    table_map = read_map(given)
    schema = extended(schema, table_map)
    places = list(places_of(sources, table_map, options))
    tables = [(each, read_table(each, table_map)) for each in places]
    known = {each.mapped.named: own for each, own in tables}
    extractor = TableExtractor(hashlib.sha256(table_map.model_dump_json().encode()).hexdigest()[:32])
    documents = (_document(each, own, known, schema, settings.graph) for each, own in tables if each.is_loaded)
    return documents, extractor, replace(options, schema=schema, table_map=None, alias=None)


def places_of(sources: Sequence[Any], table_map: TableMap, options: LoadOptions) -> Iterator[TablePlace]:
    """Yield the tables that the sources mean, and the others of the map. Raises UsageError for what is not there."""
    frames = [each for each in sources if not isinstance(each, str | Path)]
    named = dict(frames.pop()) if frames and isinstance(frames[0], Mapping) else {}
    named |= dict(zip((each.named for each in table_map.tables), frames, strict=False))
    names = [str(each) for each in sources if isinstance(each, str | Path)]
    address = next((each for each in names if "://" in each), None)
    if len(frames) > len(table_map.tables) or (address and not any(each.query for each in table_map.tables)):
        what = "query for the database" if address else "table for each DataFrame"
        raise UsageError(f"{table_map.at()} has no {what}", hint="`kg map` proposes one")
    files = {real_path(each): each for each in names if each != address}
    for number, mapped in enumerate(table_map.tables):
        called = (number, mapped, mapped.named, mapped.named, mapped.named)
        if mapped.named in named:
            yield TablePlace(*called, partial(reading.of_frame, named.pop(mapped.named)))
        elif mapped.query is not None and address is not None:
            yield TablePlace(*called, partial(reading.of_query, address, mapped.query))
        elif mapped.file is None:
            why = f"{table_map.at('tables', number)}: {mapped.named} is no file"
            raise UsageError(why, hint="name the address of its database, or pass a DataFrame of this name")
        else:
            path = table_map.folder / mapped.file
            is_for_any = len(table_map.tables) == 1 and files and real_path(path) not in files
            for each in [files.pop(own) for own in [*files]] if is_for_any else [path]:
                is_loaded = is_for_any or not sources or files.pop(real_path(each), None) is not None
                yield _file(Path(each), number, mapped, options, is_loaded=bool(is_loaded))
    if left := [*files.values(), *named]:
        known = ", ".join(each.named for each in table_map.tables)[:SHOWN]
        hint = "`kg map` proposes a map of it"
        raise UsageError(f"{table_map.at()} has no table {printable(left[0])!r}; it has: {known}", hint=hint)


def _file(path: Path, number: int, mapped: MappedTable, options: LoadOptions, *, is_loaded: bool) -> TablePlace:
    source, sheet = str(path), mapped.sheet
    if not path.is_file():
        raise UsageError(f"no such file: {printable(source)}")
    key = options.alias or place(source, None, options.root).key
    title, key = (f"{key}, sheet {sheet}", f"{key}/{sheet}") if sheet else (key, key)
    read = partial(reading.read_file, path, sheet=sheet, header=mapped.header, encoding=options.encoding)
    return TablePlace(number, mapped, key, title, source, read, real_path(path), is_loaded)


def read_table(where: TablePlace, table_map: TableMap) -> ReadTable:
    """Read a table, and check its columns and what has to be unique. Raises UsageError with its name and the line."""
    source, mapped = printable(where.source), where.mapped
    try:
        table = where.read()
    except UnreadableSource as error:
        raise UsageError(f"{source}: {error}", hint=error.hint) from error
    places = {name: place for place, name in enumerate(table.columns)}
    whole = [row for row in table.rows if len(row.cells) == len(places) and row.cells != table.columns]
    at = ("tables", where.number)
    wanted: list[tuple[Place, str]]
    wanted = [((*at, field), name) for field in ("unique", "ignore") for name in getattr(mapped, field)]
    for of_part, part in table_map.parts():
        wanted += [((*of_part, *own), name) for own, name in part.columns() if of_part[:2] == at]
    for own, name in wanted:
        if name not in places:
            known = ", ".join(table.columns)[:SHOWN]
            why = f"{table_map.at(*own)}: {where.title} has no column {name!r}; it has: {known}"
            raise UsageError(why, hint="correct the map; or name the line that has the names of columns: header = ...")
    for column in mapped.unique:
        seen: dict[str, int] = {}
        for line, cells in whole:
            if (value := cells[places[column]]) and seen.setdefault(value, line) != line:
                why = f"{source}, line {line}: {column} {value!r} is that of line {seen[value]}"
                raise UsageError(why, hint=f"the map says that {column} is unique: correct the table, or the map")
    keys: dict[str, NamedKey] = {}
    owners: defaultdict[str, set[str]] = defaultdict(set)
    own_table = ReadTable(mapped, table, places, keys, frozenset())
    if node := mapped.keyed:
        for row in whole:
            key, name = own_table.cell(row, node.key), own_table.cell(row, node.name)
            if key and name and key not in keys:
                keys[key] = NamedKey(name, node.type or own_table.cell(row, node.type_column), row.line)
                owners[normalise(name)].add(key)
    return replace(own_table, shared=frozenset(name for name, own in owners.items() if len(own) > 1))


def _document(
    where: TablePlace, own: ReadTable, tables: Mapping[str, ReadTable], schema: Schema, graph: str
) -> TableDocument:
    """Return a table as a document; a row of which nothing is shown is left out."""
    written = zip(own.table.rows, RowWriter(own, tables, schema).rows(), strict=True)
    rows = [(row.line, each) for row, each in written if each.text]
    text = "\n".join(each.text for _, each in rows)
    return TableDocument(
        id=document_id(graph, KIND, where.key),
        graph=graph,
        kind=KIND,
        key=where.key,
        title=where.title,
        source=where.source,
        text=text,
        sha256=text_hash(text),
        origin=where.origin,
        lines=tuple(line for line, _ in rows),
        rows=tuple(each for _, each in rows),
    )


# ------------------------------------------------------------------------------------------------------- the schema


def extended(schema: Schema, table_map: TableMap) -> Schema:
    """Return the schema with the columns of a map that it does not have; no model is asked for them.

    Raises UsageError, with the line of the map, for a name that the graph uses itself, for a column of another kind,
    and for a type that a closed schema does not have.
    """
    own = {True: {each.name: each for each in schema.node_columns}}
    own[False] = {each.name: each for each in schema.relationship_columns}
    taken = {name for columns in own.values() for name, each in columns.items() if not each.is_property}
    taken |= schemas.RESERVED_PROPERTIES | {KEY} | {each.name for each in schema.years}
    more: dict[bool, dict[str, SchemaColumn]] = {True: {}, False: {}}
    for at, part in table_map.parts():
        is_node = isinstance(part, MappedNode)
        allowed = schema.node_types if is_node else schema.relationship_types
        if allowed and part.type is not None and part.type not in allowed:
            raise UsageError(f"{table_map.at(*at, 'type')}: the schema {schema.name!r} has no type {part.type}")
        for name, given in part.properties.items():
            where, wanted = table_map.at(*at, "properties", name), _KINDS[given.kind]
            if name in taken or not name.isidentifier() or name != name.lower():
                raise UsageError(f"{where}: no property may be called {name!r}", hint="choose another lower-case name")
            column = SchemaColumn(name, wanted, "of tables", FoldRule.MODE)
            known = (own[is_node] | more[is_node]).setdefault(name, column)
            if known.kind not in (wanted, ColumnKind.YEAR):
                why = f"{where}: {name} holds a {known.kind}, not a {wanted}"
                raise UsageError(why, hint="choose another name, or this kind")
            if name not in own[is_node]:
                more[is_node][name] = known
    if any(isinstance(part, MappedNode) and part.key for _, part in table_map.parts()):
        more[True][KEY] = SchemaColumn(
            KEY, ColumnKind.TEXT, "of tables: the table and the key of a row", FoldRule.UNION
        )
    if not any(more.values()):
        return schema
    nodes, relationships = (*schema.unasked_nodes, *more[True].values()), (*schema.unasked, *more[False].values())
    wide = replace(schema, unasked_nodes=nodes, unasked=relationships)
    return schemas.parse(schemas.write(wide, ["with columns of tables"]), schema.name)


def section_map(sources: Sequence[Any], schema: Schema) -> Mapping[str, Any] | None:
    """Return the map of two CSV files with the sections of the schema; None where they are others.

    Raises UsageError for a column that the schema does not have.
    """
    files = {str(each): _head(Path(each)) for each in sources if Path(each).is_file()}
    found: list[tuple[str, dict[str, str], dict[str, Any]]] = []
    for columns in (schema.node_columns, schema.relationship_columns):
        kinds = {each.name: each.kind for each in columns}
        needed = {"node_id", "node_type", "name", "node_id_1", "relationship_type", "node_id_2"} & kinds.keys()
        for path, names in files.items():
            if needed <= names.keys():
                if unknown := sorted(names.keys() - kinds.keys()):
                    raise UsageError(f"{path}: the schema {schema.name!r} has no column {unknown[0]!r}")
                given = {kind: name for name, kind in _KINDS.items()} | {ColumnKind.YEAR: "text"}
                kept = [name for name in names if kinds[name] in given]
                values = {name: {"column": names[name], "kind": given[kinds[name]]} for name in kept}
                found.append((path, names, values))
    if len(found) != 2 or len({path for path, *_ in found}) != 2:
        return None
    (nodes, own, values), (facts, names, stated) = found
    node = {"key": own["node_id"], "type_column": own["node_type"], "name": own["name"], "properties": values}
    ends = {end: {"table": nodes, "key": names[f"node_id_{end}"]} for end in ("1", "2")}
    fact = {"from": "1", "to": "2", "type_column": names["relationship_type"], "properties": stated}
    return {
        "tables": [
            {"file": nodes, "unique": [node["key"]], "nodes": {"node": node}},
            {"file": facts, "nodes": ends, "relationships": [fact]},
        ]
    }


def _head(path: Path) -> dict[str, str]:
    """Return the names in the first line of a file as the schema writes them, each with how the file does."""
    with path.open("rb") as file:
        line = file.readline(10_000).decode("utf-8-sig", "replace")
    return {name.strip(' "\r\n').casefold(): name.strip(' "\r\n') for name in line.split(",")}
