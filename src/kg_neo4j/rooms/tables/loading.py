"""Tables to load: the files, queries and DataFrames of a map as documents, whose rows answer for themselves."""

from __future__ import annotations

import hashlib
from collections import Counter
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
from kg_neo4j.records import Document, Section
from kg_neo4j.rooms.tables import reading
from kg_neo4j.rooms.tables.maps import MappedNode, MappedTable, Place, TableMap, read_map
from kg_neo4j.rooms.tables.reading import Table
from kg_neo4j.rooms.tables.rows import KEY, NamedKey, ReadTable, RowWriter, TableDocument, TableExtractor
from kg_neo4j.settings import Settings

KIND, ADOPTED = "table", "adopted"  # of documents; what another graph has is adopted
SHOWN = 200  # characters of a list in an error


@dataclass(frozen=True, slots=True)
class TablePlace:
    """Where a table of the map is, and what it is called in the graph."""

    mapped: MappedTable
    source: str
    read: Callable[[], Table]
    key: str
    title: str
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
    if options.wikipedia or options.refresh:
        raise UsageError("tables are loaded alone", hint="load pages with another command")
    table_map = read_map(given)
    schema = extended(schema, table_map)
    places = list(places_of(sources, table_map, options))
    tables = [(each, read_table(each, table_map)) for each in places]
    known = {each.mapped.named: own for each, own in tables}
    where = {"file", "label", "relationship"}
    said = repr([each.model_dump(exclude=where) for each in table_map.tables])  # wherever the rows are
    extractor = TableExtractor(hashlib.sha256(said.encode()).hexdigest()[:32])
    loaded = ((each, RowWriter(own, known, schema)) for each, own in tables if each.is_loaded)
    documents = (_document(each, writer, settings.graph) for each, writer in loaded)
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
    for mapped in table_map.tables:
        name = mapped.named
        if name in named:
            title = mapped.label or mapped.relationship or name
            yield TablePlace(mapped, name, partial(reading.of_frame, named.pop(name)), name, title)
        elif mapped.query is not None and address is not None:
            yield TablePlace(mapped, name, partial(reading.of_query, address, mapped.query), name, name)
        elif mapped.file is None:
            why = f"{table_map.at('tables', table_map.tables.index(mapped))}: {name} is no file"
            raise UsageError(why, hint="name the address of its database, or pass a DataFrame of this name")
        else:
            path = table_map.folder / mapped.file
            is_for_any = len(table_map.tables) == 1 and files and real_path(path) not in files
            for file in map(Path, [files.pop(own) for own in [*files]] if is_for_any else [path]):
                source, sheet, real = str(file), mapped.sheet, real_path(file)
                if not file.is_file():
                    raise UsageError(f"no such file: {printable(source)}")
                key = options.alias or place(source, None, options.root).key
                called = (f"{key}/{sheet}", f"{key}, sheet {sheet}") if sheet else (key, key)
                read = partial(reading.read_file, file, sheet=sheet, header=mapped.header, encoding=options.encoding)
                is_loaded = bool(is_for_any or not sources or files.pop(real, None) is not None)
                yield TablePlace(mapped, source, read, *called, real, is_loaded)
    if left := [*files.values(), *named]:
        known = ", ".join(each.named for each in table_map.tables)[:SHOWN]
        hint = "`kg map` proposes a map of it"
        raise UsageError(f"{table_map.at()} has no table {printable(left[0])!r}; it has: {known}", hint=hint)


def read_table(where: TablePlace, table_map: TableMap) -> ReadTable:
    """Read a table, and check its columns and what has to be unique. Raises UsageError with its name and the line."""
    source, mapped = printable(where.source), where.mapped
    at = ("tables", table_map.tables.index(mapped))
    try:
        table = where.read()
    except UnreadableSource as error:
        raise UsageError(f"{source}: {error}", hint=error.hint) from error
    own = ReadTable(where.key, mapped, table, {name: place for place, name in enumerate(table.columns)}, {}, {})
    wanted: list[tuple[Place, str]]
    wanted = [((*at, field), name) for field in ("unique", "ignore") for name in getattr(mapped, field)]
    parts = [each for each in table_map.parts() if each[0][:2] == at]
    wanted += [((*outer, *inner), name) for outer, part in parts for inner, name in part.columns]
    for column_at, name in wanted:
        if name not in own.places:
            known = ", ".join(table.columns)[:SHOWN]
            why = f"{table_map.at(*column_at)}: {where.title} has no column {name!r}; it has: {known}"
            raise UsageError(why, hint="correct the map; or name the line that has the names of columns: header = ...")
    whole = [row for row in table.rows if len(row.cells) == len(table.columns) and row.cells != table.columns]
    for column in mapped.unique:
        seen: dict[str, int] = {}
        for row in whole:
            if (value := own.cell(row, column)) and seen.setdefault(value, row.line) != row.line:
                why = f"{source}, line {row.line}: {column} {value!r} is that of line {seen[value]}"
                raise UsageError(why, hint=f"the map says that {column} is unique: correct the table, or the map")
    keys: dict[str, NamedKey] = {}
    faults: dict[int, str] = {}
    if node := mapped.keyed:
        for row in whole:
            key, name = own.cell(row, node.key), own.cell(row, node.name)
            if not key or not name:
                continue
            kind = node.type or own.cell(row, node.type_column)
            first = keys.setdefault(key, NamedKey(name, kind, row.line, name))
            if name != first.name and normalise(name) != normalise(first.name):
                faults[row.line] = f"the key {key!r} is {first.name!r} on line {first.line}, and {name!r} here"
    owners = Counter(normalise(each.name) for each in keys.values())
    shared = {key: each for key, each in keys.items() if owners[normalise(each.name)] > 1}
    keys |= {key: each._replace(shown=f"{each.name} ({key})") for key, each in shared.items()}
    return replace(own, keys=keys, faults=faults)


def _document(where: TablePlace, writer: RowWriter, graph: str) -> TableDocument:
    """Return a table as a document; a row of which nothing is shown is left out."""
    rows = tuple(each for each in writer.rows() if each.text)
    text = "\n".join(each.text for each in rows)
    stored, lines = where.mapped.stored, tuple(each.line for each in rows)
    named = (graph, ADOPTED if stored else KIND, where.key)
    found = TableDocument(document_id(*named), *named, where.title, where.source, text, text_hash(text), rows=rows)
    sections = tuple(Section(each.label, 1, 0, len(text)) for each in rows) if stored else ()
    return replace(found, origin=where.origin, lines=lines, adopted=stored, sections=sections)


# ------------------------------------------------------------------------------------------------------- the schema


def extended(schema: Schema, table_map: TableMap) -> Schema:
    """Return the schema with the columns of a map that it does not have; no model is asked for them.

    Raises UsageError, with the line of the map, for a name that the graph uses itself, for a column of another kind,
    and for a type that a closed schema does not have.
    """
    both = (schema.relationship_columns, schema.node_columns)
    taken = {each.name for columns in both for each in columns if not each.is_property}
    taken |= schemas.RESERVED_PROPERTIES | {KEY} | {each.name for each in schema.years}
    relationships, nodes = known = [{each.name: each for each in columns} for columns in both]
    for at, part in table_map.parts():
        is_node = isinstance(part, MappedNode)
        allowed = schema.node_types if is_node else schema.relationship_types
        if allowed and part.type is not None and part.type not in allowed:
            raise UsageError(f"{table_map.at(*at, 'type')}: the schema {schema.name!r} has no type {part.type}")
        for name, given in part.properties.items():
            where, kind = partial(table_map.at, *at, "properties", name), ColumnKind(given.kind)
            if name in taken or not name.isidentifier() or name != name.lower():
                why = f"{where()}: no property may be called {name!r}"
                raise UsageError(why, hint="choose another lower-case name")
            column = known[is_node].setdefault(name, SchemaColumn(name, kind, "of tables", FoldRule.MODE))
            if column.kind not in (kind, ColumnKind.YEAR):
                why = f"{where()}: {name} holds a {column.kind}, not a {kind}"
                raise UsageError(why, hint="choose another name, or this kind")
    if any(isinstance(part, MappedNode) and part.key for _, part in table_map.parts()):
        note = "of tables: the table and the key of a row"
        nodes[KEY] = SchemaColumn(KEY, ColumnKind.TEXT, note, FoldRule.UNION)
    more = ([*nodes.values()][len(schema.nodes) :], [*relationships.values()][len(schema.relationships) :])
    wide = replace(schema, unasked_nodes=tuple(more[0]), unasked=tuple(more[1]))
    return schema if wide == schema else schemas.parse(schemas.write(wide, ["with columns of tables"]), schema.name)


def section_map(sources: Sequence[Any], schema: Schema) -> Mapping[str, Any] | None:
    """Return the map of two CSV files with the sections of the schema; None where they are others.

    Raises UsageError for a column that the schema does not have.
    """
    files = {str(each): _head(Path(each)) for each in sources if Path(each).is_file()}
    found: list[tuple[str, dict[str, str], dict[str, Any]]] = []
    for columns in (schema.node_columns, schema.relationship_columns):
        known = {each.name: each for each in columns}
        needed = {"node_id", "node_type", "name", "node_id_1", "relationship_type", "node_id_2"} & known.keys()
        path = next((path for path, names in files.items() if needed <= names.keys()), None)
        if path is None:
            return None
        names = files.pop(path)
        if unknown := sorted(names.keys() - known.keys()):
            raise UsageError(f"{path}: the schema {schema.name!r} has no column {unknown[0]!r}")
        kinds = {name: known[name].kind for name in names if known[name].is_property}
        texts = {ColumnKind.YEAR: "text"}
        values = {name: {"column": names[name], "kind": str(texts.get(kind, kind))} for name, kind in kinds.items()}
        found.append((path, names, values))
    (nodes, own, values), (facts, names, stated) = found
    node = {"key": own["node_id"], "type_column": own["node_type"], "name": own["name"], "properties": values}
    ends = {end: {"table": "nodes", "key": names[f"node_id_{end}"]} for end in ("1", "2")}
    fact = {"from": "1", "to": "2", "type_column": names["relationship_type"], "properties": stated}
    own_table = {"file": nodes, "name": "nodes", "unique": [node["key"]], "nodes": {"node": node}}
    return {"tables": [own_table, {"file": facts, "nodes": ends, "relationships": [fact]}]}


def _head(path: Path) -> dict[str, str]:
    """Return the names in the first line of a file as the schema writes them, each with how the file does."""
    with path.open("rb") as file:
        line = file.readline(10_000).decode("utf-8-sig", "replace")
    names = (name.strip(' "\r\n') for name in line.split(","))
    return {name.casefold(): name for name in names}
