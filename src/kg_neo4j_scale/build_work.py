"""What the workers of a build do: read parts of the extractions, derive the names, write the importer's files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from kg_neo4j import factory
from kg_neo4j._models import tokens
from kg_neo4j.errors import KgError, WorkerLost, cannot_write
from kg_neo4j.extract.schema import Schema
from kg_neo4j.organise.vectors import with_passages
from kg_neo4j.settings import Settings
from kg_neo4j_scale.bulk.folding import FoldTask, write_task
from kg_neo4j_scale.bulk.naming import write_names
from kg_neo4j_scale.bulk.tables import Embed, opened, write_tables
from kg_neo4j_scale.engines.local import Work

PART_BYTES = 16_000_000  # of files of extractions, read by one worker at a time
DUCKDB_MB = 250  # of one process; the rest is spilled to disk. A million documents fail with 180 (docs/scale.md)


@dataclass(frozen=True, slots=True)
class BuildPart:
    """Files of extractions that one worker reads."""

    name: str
    files: tuple[tuple[int, Path], ...]


@dataclass(frozen=True, slots=True)
class Names:
    """The names of all parts. A task, so that the process which held them ends with it."""

    threads: int
    name: str = "names"  # of its folder


BuildTask = BuildPart | Names | FoldTask


@dataclass(frozen=True, slots=True)
class BuildOutcome:
    """What became of a task."""

    shard: str
    error: KgError | None = None


@dataclass(frozen=True)
class BuildWork(Work[BuildTask, BuildOutcome]):
    """What every worker of a build has to know. Pickles."""

    folder: Path
    graph: str
    schema: Schema
    embedding: Settings | None = None  # of the built-in model that gives chunks their vectors; None: none does

    @cached_property
    def _embed(self) -> Embed | None:
        return _embedding(self.embedding) if self.embedding is not None else None

    def run(self, task: BuildTask) -> BuildOutcome:
        """Read a part, derive the names, or write the files of a task."""
        try:
            if isinstance(task, BuildPart):
                write_tables(task.files, self.folder / "tables" / task.name, self.graph, self.schema, self._embed)
            elif isinstance(task, Names):
                with opened(self.folder, self.schema, memory_mb=DUCKDB_MB, threads=task.threads) as connection:
                    write_names(connection, self.folder / task.name, self.graph, self.schema)
            else:
                write_task(task, self.folder, self.graph, self.schema, DUCKDB_MB)
        except KgError as error:
            return BuildOutcome(task.name, error)
        except OSError as error:
            return BuildOutcome(task.name, cannot_write(self.folder, error))
        return BuildOutcome(task.name)

    def given_up(self, task: BuildTask, reason: str) -> BuildOutcome:
        """End the run: a graph without a part of it is none."""
        lost = WorkerLost(f"{task.name}: {reason}", hint="see whether memory ran out; --workers 1 needs the least")
        return BuildOutcome(task.name, lost)


def _embedding(settings: Settings) -> Embed:
    """Return what gives chunks the passages, vectors and hashes that a load stores."""
    model, tokeniser = factory.embedding_model(settings), tokens.load()

    def embed(chunks: Sequence[Mapping[str, Any]]) -> Iterable[Mapping[str, Any]]:
        return with_passages(model, tokeniser, chunks)

    return embed


def parts(files: Sequence[Path]) -> Iterator[BuildPart]:
    """Yield the files in parts of about one size, in order."""
    gathered: list[tuple[int, Path]] = []
    size = number = 0
    for place, path in enumerate(files):
        gathered.append((place, path))
        size += path.stat().st_size
        if size >= PART_BYTES:
            yield BuildPart(f"{number:05}", tuple(gathered))
            gathered, size, number = [], 0, number + 1
    if gathered:
        yield BuildPart(f"{number:05}", tuple(gathered))
