"""Rows of the tables become the importer's files: evidence as it is, and what it folds to by key.

The work is cut into tasks, by key for what is folded, so that processes share it and a run that was killed goes on
with the tasks that are missing. A task writes its files to a folder that gets its name in the end.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kg_neo4j.extract.schema import ColumnKind, FoldRule, Schema, SchemaColumn
from kg_neo4j.graph.fold import (
    DESCRIPTION,
    QUOTE,
    STATED,
    EvidenceRow,
    fold_drawn,
    fold_entity,
    fold_fact,
    is_stated,
    labels,
)
from kg_neo4j.graph.identity import entity_num
from kg_neo4j.graph.queries import check_type
from kg_neo4j.graph.resolution.decisions import Components
from kg_neo4j.graph.resolution.showing import place
from kg_neo4j_scale.bulk.importer_files import SEPARATOR, Rows, header
from kg_neo4j_scale.bulk.naming import DECISIONS, show_names
from kg_neo4j_scale.bulk.tables import KIND_OF, Columns, columns_of, opened, stream, whole_folder

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_JOINED = {FoldRule.UNION: {"s": "l", "i": "w", "n": "d"}, FoldRule.JOIN: {"s": "s", "i": "s", "n": "s"}}
_ENTITY = (
    "id:ID(Entity)",
    "graph",
    "num:long",
    ":LABEL",
    "type",
    "types:string[]",
    "name",
    "aliases:string[]",
    "evidence_count:long",
)
_FACT = (
    *("id:ID(Fact)", "graph", "source_key", "target_key", "type", "evidence_count:long"),
    *("source_id", "target_id", "relationship_id", "stated:boolean"),
)
_DRAWN = (":START_ID(Entity)", ":END_ID(Entity)", ":TYPE", "fact_id", "evidence_count:long")
_ROWS_A_TASK = 1_000_000  # of evidence that is folded


@dataclass(frozen=True, slots=True)
class FoldTask:
    """One of the tasks: what it writes, and of which keys, from `first` to before `end` in hexadecimal."""

    kind: str
    first: str = ""
    end: str = "g"  # beyond every hexadecimal digit

    @property
    def name(self) -> str:
        """The name of its folder."""
        return f"{self.kind}-{self.first or '0'}"


def tasks(mentions: int, statements: int, workers: int) -> list[FoldTask]:
    """Return the tasks for so many rows of evidence, the longest first."""
    found = []
    for kind, rows in (("entities", mentions), ("facts", statements), ("shared", statements)):
        count = max(workers, -(-rows // _ROWS_A_TASK))
        marks = [f"{0x10000 * number // count:04x}" for number in range(1, count)]  # ranges of keys, about equal
        found += [FoldTask(kind, *span) for span in zip(["", *marks], [*marks, "g"], strict=True)]
    others = "mentioned_in", "stated_in", "chunks", "passages", "documents", "answers"
    return [*found, *map(FoldTask, others)]


def write_task(task: FoldTask, work: Path, graph: str, schema: Schema, memory_mb: int) -> None:
    """Do one task on the tables and names below `work`."""
    with (
        whole_folder(work / "csv" / task.name) as folder,
        opened(work, schema, memory_mb=memory_mb) as connection,
    ):
        show_names(connection, work / "names")
        _Writer(connection, folder, graph, schema, task).write()


@dataclass(frozen=True, slots=True)
class _Writer:
    connection: DuckDBPyConnection
    folder: Path
    graph: str
    schema: Schema
    task: FoldTask

    def write(self) -> None:
        of_nodes, of_facts = self.schema.node_properties, self.schema.relationship_properties
        writers: Mapping[str, Callable[[], None]] = {
            "entities": self._entities,
            "facts": self._facts,
            "shared": self._shared,
            "mentioned_in": lambda: self._evidence("mentioned_in", "mentions", of_nodes),
            "stated_in": lambda: self._evidence("stated_in", "statements", of_facts),
            "chunks": self._chunks,
            "passages": self._passages,
            "documents": self._documents,
            "answers": self._answers,
        }
        writers[self.task.kind]()

    # ------------------------------------------------------------------------------------------------- folded

    def _entities(self) -> None:
        columns = self.schema.node_properties
        names = [column.name for column in columns] + [QUOTE] * self.schema.quotes
        aliases = self._rows(
            "SELECT entity, names FROM aliases WHERE entity >= $first AND entity < $end ORDER BY entity"
        )
        evidence = self._rows(f"""
            SELECT * FROM (
              SELECT coalesce(_root, key) AS _entity, _document, _index, row, name, type {_listed(names)}
              FROM mentions LEFT JOIN roots ON _member = key
            ) WHERE _entity >= $first AND _entity < $end ORDER BY _entity
        """)
        with Rows(self.folder, "entities", _ENTITY, _kinds(columns)) as out:
            for entity, rows in itertools.groupby(evidence, lambda row: row[0]):
                folded = fold_entity((_evidence(row[1:4], row[4], row[5], names, row[6:]) for row in rows), columns)
                of, other_names = next(aliases)
                if of != entity:
                    raise ValueError(f"aliases of {of}, evidence of {entity}")
                types = [check_type(each) for each in labels(folded)]
                own = [entity, self.graph, entity_num(entity), SEPARATOR.join(types), folded["type"]]
                own.append(SEPARATOR.join(types) if len(types) > 1 else "")
                named = [folded["name"], SEPARATOR.join(other_names or ()), folded["evidence_count"]]
                out.write([*own, *named], folded)

    def _facts(self) -> None:
        columns = self.schema.relationship_properties
        names = [column.name for column in columns] + [QUOTE] * self.schema.quotes
        identity = [column.name for column in self.schema.relationships if column.identity]
        evidence = self._rows(f"""
            SELECT _fact, _source, _type, _target, s._root, t._root, _document, _index, row, stated {_listed(names)}
            FROM statements LEFT JOIN roots AS s ON s._member = _source LEFT JOIN roots AS t ON t._member = _target
            WHERE _fact >= $first AND _fact < $end ORDER BY _fact
        """)
        with ExitStack() as stack:
            out = stack.enter_context(Rows(self.folder, "facts", _FACT, _kinds(columns)))
            lines = stack.enter_context(Rows(self.folder, "drawn", _DRAWN, _kinds(columns)))
            for ends, grouped in itertools.groupby(evidence, lambda row: row[:6]):
                fact, source, type_, target, *joined = ends
                rows = [_evidence(row[6:9], "", type_, [STATED, *names], row[9:]) for row in grouped]
                folded = fold_fact(rows, columns)
                where: tuple[str | None, str | None, str | None] = (None, None, None)
                roots = {key: root for key, root in zip((source, target), joined, strict=True) if root is not None}
                if roots:
                    values = [str(rows[0].values.get(name, "")) for name in identity]
                    where = place(Components(roots), (source, type_, target), values)
                count, stated = folded["evidence_count"], is_stated(folded)
                own = [fact, self.graph, source, target, check_type(type_), count, *where, None if stated else "false"]
                out.write(own, folded)
                if stated and not roots:
                    lines.write([source, target, type_, fact, count], folded)

    def _shared(self) -> None:
        """Draw the relationships of facts that a join touches, one for all that are alike between two entities."""
        columns = self.schema.relationship_properties
        names = [column.name for column in columns] + [QUOTE] * self.schema.quotes
        identity = [names.index(column.name) for column in self.schema.relationships if column.identity]
        evidence = self._rows(f"""
            SELECT * FROM (
              SELECT coalesce(s._root, _source) AS _from, _type, coalesce(t._root, _target) AS _to,
                     _fact, _source = _target AS _loop, _document, _index, row, stated {_listed(names)}
              FROM statements LEFT JOIN roots AS s ON s._member = _source LEFT JOIN roots AS t ON t._member = _target
              WHERE s._root IS NOT NULL OR t._root IS NOT NULL
            ) WHERE _from >= $first AND _from < $end
            ORDER BY _from, _type, _to {_listed([names[each] for each in identity])}
        """)

        def alike(row: tuple[Any, ...]) -> tuple[Any, ...]:
            return (*row[:3], *(row[9 + each] for each in identity))

        with Rows(self.folder, "drawn", _DRAWN, _kinds(columns)) as out:
            for (source, type_, target, *_), grouped in itertools.groupby(evidence, alike):
                found = [
                    (row[3], _evidence(row[5:8], "", type_, [STATED, *names], row[8:]))
                    for row in grouped
                    if source != target or row[4]  # where a join made one of both ends, nothing is drawn
                ]
                if folded := fold_drawn(found, columns):
                    own = [source, target, check_type(type_), folded["fact_id"], folded["evidence_count"]]
                    out.write(own, folded)

    # --------------------------------------------------------------------------------------------- as it is

    def _evidence(self, target: str, table: str, columns: Sequence[SchemaColumn]) -> None:
        """Write evidence relationships; those whose numbers are whole, and others, to different files."""
        start = 'coalesce(_root, key) AS ":START_ID(Entity)"' if table == "mentions" else '_fact AS ":START_ID(Fact)"'
        source = "mentions LEFT JOIN roots ON _member = key" if table == "mentions" else table
        numbers = [column.name for column in columns if column.kind is ColumnKind.NUMBER]
        broken = [f'coalesce("{name}" <> trunc("{name}"), false)' for name in numbers]
        mixes = self.connection.execute(f"SELECT DISTINCT [{', '.join(broken)}]::BOOLEAN[] FROM {table}").fetchall()
        for number, (mix,) in enumerate(sorted(mixes)):
            whole = {name for name, is_broken in zip(numbers, mix, strict=True) if not is_broken}
            named = [
                _named(name, "i" if name in whole else kind)
                for name, kind in columns_of(self.schema)[table].items()
                if not name.startswith("_")
            ]
            same = [f"{condition} = {is_broken}" for condition, is_broken in zip(broken, mix, strict=True)]
            ends = [start, '_chunk AS ":END_ID(Chunk)"']
            self._copy(f"{target}-{number}", [*ends, *named], f"{source} WHERE {' AND '.join(['true', *same])}")

    def _passages(self) -> None:
        self._nodes("passages", "Passage")
        self._copy("in_chunk", ['id AS ":START_ID(Passage)"', '_chunk AS ":END_ID(Chunk)"'], "passages")

    def _chunks(self) -> None:
        self._nodes("chunks", "Chunk")
        self._copy("in_document", ['id AS ":START_ID(Chunk)"', 'document_id AS ":END_ID(Document)"'], "chunks")
        following = 'SELECT id, lead(id) OVER (PARTITION BY document_id ORDER BY "index") AS next FROM chunks'
        several = "SELECT document_id FROM chunks GROUP BY document_id HAVING count(*) > 1"
        source = f"({following} WHERE document_id IN ({several})) WHERE next IS NOT NULL"
        self._copy("next_chunk", ['id AS ":START_ID(Chunk)"', 'next AS ":END_ID(Chunk)"'], source)

    def _documents(self) -> None:
        self._nodes("documents", "Document")
        self._nodes("decisions", "Decision", DECISIONS)

    def _answers(self) -> None:
        self._nodes("answers", "Answer")
        self._copy("answers_of", ['id AS ":START_ID(Answer)"', '_chunk AS ":END_ID(Chunk)"'], "answers")

    def _nodes(self, table: str, group: str, columns: Columns | None = None) -> None:
        kinds = columns or columns_of(self.schema)[table]
        properties = [_named(name, kind) for name, kind in kinds.items() if name != "id" and not name.startswith("_")]
        self._copy(table, [f'id AS "id:ID({group})"', *properties], table)

    def _copy(self, name: str, columns: Sequence[str], source: str) -> None:
        relation = self.connection.sql(f"SELECT {', '.join(columns)} FROM {source}")
        relation.write_csv(str(self.folder / f"{name}.csv"), header=True, quoting="ALL")

    def _rows(self, sql: str) -> Iterator[tuple[Any, ...]]:
        return stream(self.connection, sql, first=self.task.first, end=self.task.end)


def _named(name: str, kind: str) -> str:
    """Return what selects a property under the importer's name for it."""
    value = f'array_to_string("{name}", chr(31))' if kind in ("l", "w", "f") else f'"{name}"'
    value = f"CAST({value} AS BIGINT)" if kind == "i" else value
    return f'{value} AS "{header(name, kind)}"'


def _listed(names: Sequence[str]) -> str:
    return "".join(f', "{name}"' for name in names)


def _evidence(order: Sequence[Any], name: str, type_: str, names: Sequence[str], values: Sequence[Any]) -> EvidenceRow:
    document, index, row = order
    present = {key: _number(value) for key, value in zip(names, values, strict=True) if value is not None}
    return EvidenceRow((document, index, row), name, type_, present)


def _number(value: Any) -> Any:
    """Return a value as it was read: a column of numbers has all of them as floats."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _kinds(columns: Sequence[SchemaColumn]) -> Columns:
    kinds = {DESCRIPTION: "s"} | {column.name: KIND_OF[column.kind] for column in columns}
    return kinds | {each.name: _JOINED[each.fold][kinds[each.name]] for each in columns if each.fold in _JOINED}
