"""An archive, or an export, becomes a graph again: in batches, each with the mark of how far the import has come.

The mark is on GraphState. It is set before the first node, moved in the transaction of every batch, and removed by the
last one. An import that was killed continues where it was. No other command uses the part.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from kg_neo4j.errors import DatabaseError, SchemaConflict, UsageError
from kg_neo4j.graph import archive, queries
from kg_neo4j.graph.archive import CheckedFile
from kg_neo4j.graph.archive_records import NodeLine, RelationshipLine
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database, Transaction
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.queries import OWN
from kg_neo4j.progress import SILENT, Progress

LINES_A_WRITE = 1_000
BYTES_A_WRITE = 4_000_000  # of lines; vectors are twice as long on their way to the server

Line = NodeLine | RelationshipLine


def check_target(database: Database, checked: CheckedFile) -> int:
    """Return how many lines of the file the graph has: 0 for an empty graph, more where its import was stopped.

    Raises UsageError for a graph that holds anything else.
    """
    graph = checked.header.graph
    reset = f"`kg db reset --graph {graph}` empties it"
    for row in database.read(queries.get("write/unfinished_import"), graph=graph):
        if row["sha256"] != checked.sha256:
            hint = f"run `kg import {row['file']}` again; {reset}"
            raise UsageError(f"graph {graph!r} holds a part of another file, {row['file']!r}", hint=hint)
        return int(row["imported"])
    if database.read(queries.get("write/holds_anything"), graph=graph):
        raise UsageError(f"graph {graph!r} is not empty; an import needs an empty graph", hint=f"{reset} first")
    return 0


def import_lines(database: Database, lease: Lease, checked: CheckedFile, progress: Progress = SILENT) -> int:
    """Write what the file holds and the graph does not have yet; return how many lines that was.

    Raises UsageError as `check_target` does, SchemaConflict, with the graph emptied again, where another graph has one
    of the ids, and BadArchive for a file that has changed since it was checked.
    """
    graph = checked.header.graph
    done = check_target(database, checked)
    mark = {"graph": graph, "sha256": checked.sha256}
    if not done:
        lease.write(queries.get("write/import_begin"), file=checked.path.name, **mark)
    progress.start("import", checked.nodes + checked.relationships)
    progress.advance("import", done)
    written = done
    for batch in _batches(checked, done):
        try:
            database.write_parts([*enumerate(batch, written)], partial(_write, lease=lease, mark=mark))
        except SchemaConflict:
            delete_graph(database, graph)
            raise
        written += len(batch)
        progress.advance("import", len(batch))
    if not lease.write(queries.get("write/import_finish"), state=checked.header.state, **mark):
        raise DatabaseError(f"graph {graph!r} was changed during the import", hint="run the same command again")
    progress.finish("import")
    return written - done


def _write(transaction: Transaction, batch: Sequence[tuple[int, Line]], *, lease: Lease, mark: dict[str, str]) -> None:
    """Write some lines and move the mark, in one transaction; nothing where an earlier try of it was committed."""
    lease.prove(transaction)
    if not transaction.run(queries.get("write/import_advance"), first=batch[0][0], last=batch[-1][0] + 1, **mark):
        return
    nodes: list[dict[str, object]] = []
    relationships: list[dict[str, object]] = []
    for _, each in batch:
        if isinstance(each, NodeLine):
            nodes.append({"labels": [OWN + each.base, *each.labels], "properties": each.properties})
        else:
            ends = {"start": each.start, "end": each.end}
            relationships.append({"type": each.type, **ends, "properties": each.properties})
    written = transaction.run(queries.get("write/import_nodes"), rows=nodes)[0]["written"]
    query = queries.get("write/import_relationships")
    written += transaction.run(query, graph=mark["graph"], rows=relationships)[0]["written"]
    if written != len(batch):
        raise DatabaseError(
            f"{len(batch) - written} of {len(batch)} lines could not be written: nodes are gone from {mark['graph']!r}",
            hint=f"`kg db reset --graph {mark['graph']}`, then import again",
        )


def _batches(checked: CheckedFile, done: int) -> Iterator[list[Line]]:
    """Yield the lines after the first `done` ones, as many at a time as a transaction should write."""
    communities: Counter[int] = Counter()
    batch: list[Line] = []
    size = 0
    for number, line in enumerate(archive.read(checked)):
        whole = line if checked.header.is_archive else _completed(line, communities)
        if number < done:
            continue
        batch.append(whole)
        size += whole.size
        if len(batch) >= LINES_A_WRITE or size >= BYTES_A_WRITE:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _completed(line: Line, communities: Counter[int]) -> Line:
    """Return a line of a plain export with what it lacks, and other commands need; an export leaves it out again.

    `communities` are counted by level.
    """
    if isinstance(line, RelationshipLine):
        return line
    found = line.properties
    if line.base == "Document":
        found = {"source": found["key"], **found}
    elif line.base == "Chunk" and "outcome" in found:
        found = {"recorded": "import", **found}
    elif line.base == "Decision":
        found = {"resolve_run": 0 if found.get("derived") else 1, **found}
    elif line.base == "Community":
        communities[found["level"]] += 1
        found = {"number": communities[found["level"]], **found}
    return replace(line, properties=found)
