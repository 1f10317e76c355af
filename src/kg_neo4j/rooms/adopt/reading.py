"""What a map reads of another graph in the same database: the rows of its tables. Every name is a value of a query."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from kg_neo4j.errors import UsageError
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Reader
from kg_neo4j.rooms.tables.maps import MappedTable, TableMap
from kg_neo4j.rooms.tables.reading import MAX_CELLS, Table, TableRow, cell_of

FROM, TO = "from.", "to."  # columns of relationships: the keys of their ends begin so


def check_map(table_map: TableMap) -> None:
    """Raise UsageError, with its line, for a table that is neither a label nor a relationship between two of them."""
    known = {each.named: each for each in table_map.tables}
    for number, mapped in enumerate(table_map.tables):
        where = table_map.at("tables", number)
        if not (mapped.label or mapped.relationship):
            hint = "`kg load --map` loads it; `kg adopt --propose` makes a map of the graph that is there"
            raise UsageError(f"{where}: {mapped.named} is neither a label nor a type of relationships", hint=hint)
        for start, node in zip((FROM, TO), mapped.ends, strict=bool(mapped.ends)):
            other = known[str(node.table)]
            if not other.label or node.key != start + other.unique[0]:
                wanted = start + (other.unique[0] if other.label else "KEY")
                raise UsageError(f"{where}: the key of {other.named} is {wanted!r} here, not {node.key!r}")


def read_tables(reader: Reader, table_map: TableMap, notes: list[str]) -> dict[str, Table]:
    """Return what the map reads, by the names of its tables; rows in the order of their cells.

    What is not there becomes a note. Raises UsageError for a property that no node or relationship has.
    """
    check_map(table_map)
    known = {each.named: each for each in table_map.tables}
    found: dict[str, Table] = {}
    for number, mapped in enumerate(table_map.tables):
        columns = columns_of(mapped)
        most = MAX_CELLS // len(columns)
        rows = sorted(itertools.islice(_cells(reader, mapped, known, columns, most + 1), most + 1))
        if len(rows) > most:
            raise UsageError(f"{mapped.named}: more than {MAX_CELLS:,} cells", hint="map fewer properties")
        if not rows:
            notes.append(f"{mapped.named}: there is none in the database")
        for place, column in enumerate(columns if rows else ()):
            if not any(row[place] for row in rows):
                where = table_map.at("tables", number)
                raise UsageError(f"{where}: no {mapped.named} has the property {column!r}", hint="correct the map")
        found[mapped.named] = Table(columns, tuple(itertools.starmap(TableRow, enumerate(rows, 1))), 0)
    return found


def columns_of(mapped: MappedTable) -> tuple[str, ...]:
    """Return the columns of a table that are read: those that the map names."""
    parts = (*mapped.nodes.values(), *mapped.relationships)
    used = (column for part in parts for _, column in part.columns)
    ends = [str(end.key) for end in mapped.ends]
    return tuple(dict.fromkeys([*ends, *mapped.unique, *used, *mapped.ignore]))


def _cells(
    reader: Reader, mapped: MappedTable, known: dict[str, MappedTable], columns: Sequence[str], limit: int
) -> Iterator[tuple[str, ...]]:
    how: dict[str, Any] = {"label": mapped.label, "properties": [*columns]}
    if mapped.relationship:
        start, end = (known[str(each.table)] for each in mapped.ends)
        how = {"label": start.label, "other": end.label, "key": start.unique[0], "other_key": end.unique[0]}
        how |= {"type": mapped.relationship, "properties": [*columns[2:]]}
    query = queries.get("adopt/relationships" if mapped.relationship else "adopt/nodes")
    for row in reader.stream(query, limit=limit, **how):
        yield tuple(map(cell_of, row["cells"]))
