"""Files in the CSV of `neo4j-admin database import`: header lines, values, and the arguments that name them.

An empty field is an absent property; the graph holds no empty text and no empty list. Neo4j gives a column one type, so
rows whose numbers are whole and rows whose numbers are not go to different files.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kg_neo4j.errors import cannot_write
from kg_neo4j.graph.lease import GRAPH_FORMAT
from kg_neo4j_scale.bulk.tables import Columns

SEPARATOR = "\x1f"  # of the values of a list
ARGUMENTS = (
    *("--id-type=string", "--multiline-fields=true", "--trim-strings=false", "--array-delimiter=U+001F"),
    *("--bad-tolerance=0", "--normalize-types=false"),
)
BUFFER_BYTES = 32_000_000  # the longest value that the importer reads; it holds several buffers of twice as many bytes
SMALLEST_BUFFER = 4_000_000  # Neo4j's default
_TYPES = {"s": "string", "i": "long", "n": "double", "b": "boolean", "l": "string[]", "w": "long[]", "d": "double[]"}
_TYPES["f"] = "float[]"  # a vector


def header(name: str, kind: str) -> str:
    """Return the header field of a property of a kind."""
    return f"{name}:{_TYPES[kind]}"


# What the rows of a file become, as the importer's argument says it: labels of nodes, or a relationship type.
TARGETS = {
    "documents": "--nodes=KgDocument:Document",
    "chunks": "--nodes=KgChunk:Chunk",
    "passages": "--nodes=KgPassage:Passage",
    "answers": "--nodes=KgAnswer:Answer",
    "decisions": "--nodes=KgDecision:Decision",
    "entities": "--nodes=KgEntity:Entity",
    "facts": "--nodes=KgFact:Fact",
    "state": "--nodes=KgGraphState:GraphState",
    "in_chunk": "--relationships=IN_CHUNK",
    "in_document": "--relationships=IN_DOCUMENT",
    "next_chunk": "--relationships=NEXT_CHUNK",
    "answers_of": "--relationships=ANSWERS",
    "mentioned_in": "--relationships=MENTIONED_IN",
    "stated_in": "--relationships=STATED_IN",
    "drawn": "--relationships",  # a column has the type
}


def arguments(folder: Path) -> list[str]:
    """Return the importer's arguments for all files below `folder`; a file's name begins with that of its target."""
    files = sorted(folder.glob("*/*.csv"))
    longest = min(max((path.stat().st_size for path in files), default=0), BUFFER_BYTES)
    buffer = f"--read-buffer-size={max(longest, SMALLEST_BUFFER)}"
    return [*ARGUMENTS, buffer, *(f"{TARGETS[path.stem.split('-')[0]]}={path}" for path in files)]


def write_mark(folder: Path, graph: str, sha256: str, command: str) -> None:
    """Write the node that says that the graph is not whole until `command` ends; other commands refuse it by that."""
    state = folder / "state-0"
    state.mkdir(exist_ok=True)
    fixed = (":ID(State)", "graph", "format:long", "importing", "import_file", "import_command")
    with Rows(state, "state", fixed, {}) as out:
        out.write(["state", graph, GRAPH_FORMAT, sha256, "extractions", command], {})


@dataclass(slots=True)
class Rows:
    """Writes rows of one target, in Python's own values. A context manager."""

    folder: Path
    target: str
    fixed: Sequence[str]  # header fields of the first values
    columns: Columns  # properties, with their kinds; numbers ("n") may be whole in one row and not in another
    _files: ExitStack = field(default_factory=ExitStack)
    _writers: dict[tuple[str, ...], Any] = field(default_factory=dict)

    def __enter__(self) -> Rows:
        """Return self."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the files."""
        self._files.close()

    def write(self, first: Sequence[Any], values: Mapping[str, Any]) -> None:
        """Write a row: the fixed values, then those of the columns that `values` has."""
        given = [values.get(name) for name in self.columns]
        kinds = tuple(map(_kind, self.columns.values(), given))
        try:
            writer = self._writers.get(kinds) or self._open(kinds)
            writer.writerow([*first, *map(text, given)])
        except OSError as error:
            raise cannot_write(self.folder, error) from error

    def _open(self, kinds: tuple[str, ...]) -> Any:
        path = self.folder / f"{self.target}-{len(self._writers)}.csv"
        file = self._files.enter_context(path.open("w", encoding="utf-8", newline=""))
        self._writers[kinds] = writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*self.fixed, *map(header, self.columns, kinds)])
        return writer


def _kind(kind: str, value: Any) -> str:
    """Return the kind of a column for this value: numbers are integers ("i", "w") where all of them are whole."""
    if kind == "n":
        return "n" if isinstance(value, float) else "i"
    if kind == "d":
        return "d" if value and any(isinstance(each, float) for each in value) else "w"
    return kind


def text(value: Any) -> Any:
    """Return a value as it is written in a file."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return SEPARATOR.join(map(str, value))
    return value
