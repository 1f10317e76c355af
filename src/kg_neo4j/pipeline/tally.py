"""What a load has seen so far, and the report that it becomes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kg_neo4j.records import (
    ChunkOutcome,
    Document,
    Extraction,
    ExtractReport,
    LoadReport,
    RowCounts,
    SkippedSource,
    Usage,
)

if TYPE_CHECKING:
    from kg_neo4j.graph.database import Database


@dataclass(slots=True)
class Tally:
    """What a load has seen so far."""

    documents: int = 0
    chunks: int = 0
    read: int = 0
    changes: int = 0
    usage: Usage = field(default_factory=Usage)
    rejections: Counter[str] = field(default_factory=Counter)
    skipped: list[SkippedSource] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    mended: int = 0
    steps: dict[str, Usage] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    unfinished: list[str] = field(default_factory=list)

    def count(self, document: Document, extraction: Extraction) -> None:
        """Count one extraction."""
        self.read += extraction.rows_read
        self.usage += extraction.usage
        self.mended += sum(rejection.mended for rejection in extraction.rejections)
        for answer in extraction.answers:
            if answer.usage.calls:
                self.steps[answer.step] = self.steps.get(answer.step, Usage()) + answer.usage
        self.rejections.update(str(rejection.reason) for rejection in extraction.rejections)
        if extraction.outcome not in (ChunkOutcome.DONE, ChunkOutcome.EMPTY):
            where = f"chunk {extraction.chunk.index + 1} of {document.title!r}"
            self.failed.append(f"{where}: {extraction.outcome}: {extraction.detail}".rstrip(": "))

    def report(self, database: Database, graph: str, communities: int, seconds: float) -> LoadReport:
        """Return the report; the sizes are those of the graph now."""
        from kg_neo4j.graph import queries

        size = database.read(queries.get("write/count_graph"), graph=graph)[0]
        rejected = self.rejections.total()
        return LoadReport(
            graph=graph,
            documents=self.documents,
            chunks=self.chunks,
            rows=RowCounts(self.read, self.read - rejected, rejected),
            nodes=size["nodes"],
            relationships=size["relationships"],
            communities=communities,
            changes=self.changes,
            usage=self.usage,
            seconds=seconds,
            skipped=tuple(self.skipped),
            failed_chunks=tuple(self.failed),
            rejections=dict(self.rejections),
            mended=self.mended,
            steps=dict(self.steps),
            notes=tuple(self.notes),
            unfinished=tuple(self.unfinished),
        )

    def extract_report(self, folder: str, files: int, seconds: float) -> ExtractReport:
        """Return the report of an extraction to files."""
        rejected = self.rejections.total()
        return ExtractReport(
            folder=folder,
            files=files,
            documents=self.documents,
            chunks=self.chunks,
            rows=RowCounts(self.read, self.read - rejected, rejected),
            usage=self.usage,
            seconds=seconds,
            skipped=tuple(self.skipped),
            failed_chunks=tuple(self.failed),
            rejections=dict(self.rejections),
            mended=self.mended,
            steps=dict(self.steps),
            notes=tuple(self.notes),
        )
