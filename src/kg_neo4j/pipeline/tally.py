"""What a load has seen so far, and the report that it becomes."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field, fields, replace
from typing import TypeVar

from kg_neo4j._models.answer_text import has_ended
from kg_neo4j.extract.numbering import PLACED
from kg_neo4j.extract.reading import AGAIN, CONTINUE
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database
from kg_neo4j.records import (
    ChunkOutcome,
    Document,
    Extraction,
    LoadReport,
    NodeRow,
    QuoteCounts,
    RejectionReason,
    RelationshipRow,
    RowCounts,
    RunCounts,
    SkippedSource,
    Usage,
)

MOST_IGNORED = 0.1  # of an answer: more is reported
Report = TypeVar("Report", bound=RunCounts)
FACT_TOKENS = 1_000  # of text, without a model: one that gives fewer relationships than one for so many needs a model
ROW_TOKENS = 500  # of text: a model that gives fewer rows than one for so many has hardly read it


@dataclass(slots=True)
class Tally:
    """What a load has seen so far."""

    documents: int = 0
    chunks: int = 0
    read: int = 0
    recorded: int = 0  # accepted rows, without those that repeat others
    unquoted: int = 0
    unlocated: int = 0
    placed: int = 0  # rows whose sentence was found by rule
    flags: Counter[str] = field(default_factory=Counter)
    flagged: int = 0  # rows
    dropped: Counter[str] = field(default_factory=Counter)
    changes: int = 0
    usage: Usage = field(default_factory=Usage)
    rejections: Counter[str] = field(default_factory=Counter)
    model_tokens: Counter[tuple[str, str]] = field(default_factory=Counter)  # by title and id: text that a model read
    model_rows: Counter[tuple[str, str]] = field(default_factory=Counter)  # read, of that text
    rule_tokens: Counter[str] = field(default_factory=Counter)  # by id: text that was read without a model
    rule_facts: int = 0  # rows of relationships, of that text
    skipped: list[SkippedSource] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    repaired: int = 0
    steps: dict[str, Usage] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    unfinished: list[str] = field(default_factory=list)
    again: int = 0  # chunks whose first answer was not whole
    ignored: list[tuple[float, str]] = field(default_factory=list)  # shares of answers, and their chunks
    started: float = field(default_factory=time.monotonic)

    def count(self, document: Document, extraction: Extraction) -> None:
        """Count one extraction."""
        self.read += extraction.rows_read
        self.usage += extraction.usage
        rows: tuple[NodeRow | RelationshipRow, ...] = (*extraction.nodes, *extraction.relationships)
        quotes = [(row.evidence, row.span) for row in rows]
        self.flags.update(str(flag) for row in rows for flag in row.flags)
        self.flagged += sum(bool(row.flags) for row in rows)
        self.dropped.update(str(each.reason) for each in extraction.dropped)
        self.recorded += len(quotes)
        self.placed += sum(span is not None and span.method == PLACED for _, span in quotes)
        self.unquoted += sum(words is None for words, _ in quotes)
        self.unlocated += sum(words is not None and span is None for words, span in quotes)
        self.repaired += sum(rejection.repaired for rejection in extraction.rejections)
        for answer in extraction.answers:
            if answer.usage.calls:
                self.steps[answer.step] = self.steps.get(answer.step, Usage()) + answer.usage
            if has_ended(answer.finish_reason) is None:
                self.add_note(
                    f"{answer.model} gave no finish reason that is known; its answers were judged by their form"
                )
        self.again += any(answer.step in (CONTINUE, AGAIN) for answer in extraction.answers)
        if extraction.ignored > MOST_IGNORED:
            self.ignored.append((extraction.ignored, f"chunk {extraction.chunk.index + 1} of {document.title!r}"))
        self.rejections.update(str(rejection.reason) for rejection in extraction.rejections)
        if extraction.outcome not in (ChunkOutcome.DONE, ChunkOutcome.EMPTY):
            where = f"chunk {extraction.chunk.index + 1} of {document.title!r}"
            self.failed.append(f"{where}: {extraction.outcome}: {extraction.detail}".rstrip(": "))
        elif any(answer.usage.calls or answer.kept.calls for answer in extraction.answers):
            self.model_tokens[document.title, document.id] += extraction.chunk.token_count
            self.model_rows[document.title, document.id] += extraction.rows_read
        else:
            self.rule_tokens[document.id] += extraction.chunk.token_count
            self.rule_facts += len(extraction.relationships)

    def add_note(self, note: str) -> None:
        """Add a note once."""
        if note not in self.notes:
            self.notes.append(note)

    def add(self, other: Tally) -> None:
        """Add what another tally counted, for example that of a worker."""
        for name in {each.name for each in fields(self)} - {"steps", "notes", "started"}:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for step, usage in other.steps.items():
            self.steps[step] = self.steps.get(step, Usage()) + usage
        for note in other.notes:
            self.add_note(note)

    def report(self, database: Database, graph: str, communities: int, *, by_rules: bool = False) -> LoadReport:
        """Return the report; sizes are those of the graph now. `by_rules`: with a note where these found hardly any."""
        size = database.read(queries.get("write/count_graph"), graph=graph)[0]
        totals = (size["nodes"], size["relationships"], communities, self.changes)
        report = self.counted(LoadReport(graph, *totals, tuple(self.unfinished)))
        tokens = self.rule_tokens.total()
        if not by_rules or tokens < FACT_TOKENS or self.rule_facts * FACT_TOKENS >= tokens:
            return report
        size = database.read(queries.get("write/count_documents"), graph=graph, ids=list(self.rule_tokens))[0]
        counts = ((size["nodes"], "name"), (size["relationships"], "relationship"))
        found = ", ".join(f"{count:,} {what}{'' if count == 1 else 's'}" for count, what in counts)
        note = f"{found}: this kind of text needs a model. `kg ask` and `kg search` work on its passages."
        return replace(report, notes=(*report.notes, note))

    def counted(self, report: Report) -> Report:
        """Return a report with what was counted."""
        rejected, notes = self.rejections.total(), [*self.notes]
        if self.unquoted or self.unlocated:
            counts = ((self.unquoted, "no quote"), (self.unlocated, "a quote that is not in the text"))
            said = " and ".join(f"{count} {'has' if count == 1 else 'have'} {what}" for count, what in counts if count)
            listed = "`kg report checks` counts them, `kg report unsupported-facts` lists facts"
            notes.append(f"of {self.recorded} recorded rows {said}; {listed}")
        if self.flagged:
            notes.append(
                f"{self.flagged} of {self.recorded} recorded rows say what their sentences do not say "
                f"({_counted(self.flags)}); `kg report checks` counts them, --evidence reject refuses them"
            )
        if self.dropped:
            notes.append(f"values dropped: {_counted(self.dropped)}; `kg quarantine --values` lists them")
        if self.placed:
            placed = f"{self.placed / self.recorded:.0%} of the {self.recorded} recorded rows"
            notes.append(f"{placed} got their sentence by rule, from their names")
        if self.again:
            notes.append(f"answers that were cut, or lacked a section, so that the model was asked again: {self.again}")
        for share, where in sorted(self.ignored)[-1:]:
            more = (
                f"; so was more than {MOST_IGNORED:.0%} of {len(self.ignored) - 1} others" if self.ignored[1:] else ""
            )
            notes.append(f"{share:.0%} of the answer on {where} was neither row nor header, and was ignored{more}")
        if self.read and rejected == self.read:
            reason, count = self.rejections.most_common(1)[0]
            why, repair = f"as {reason}", ""
            if reason == RejectionReason.NO_EVIDENCE:
                why = "because their quote is missing or not in the text (no_evidence)"
                repair = ", --evidence flag --rebuild keeps them"
            notes.append(
                f"all {self.read} rows were rejected, {count} of them {why}; `kg quarantine` lists them{repair}"
            )
        for named, tokens in self.model_tokens.items():
            if tokens >= ROW_TOKENS and (rows := self.model_rows[named]) * ROW_TOKENS < tokens:
                notes.append(f"few rows: {named[0]!r} gave {rows} for {tokens:,} tokens of text")
        return replace(
            report,
            documents=self.documents,
            chunks=self.chunks,
            rows=RowCounts(self.read, self.read - rejected, rejected),
            usage=self.usage,
            seconds=time.monotonic() - self.started,
            skipped=tuple(self.skipped),
            failed_chunks=tuple(self.failed),
            rejections=dict(self.rejections),
            repaired=self.repaired,
            steps=dict(self.steps),
            notes=tuple(notes),
            few_rows=self.model_rows.total() * ROW_TOKENS < self.model_tokens.total() >= ROW_TOKENS,
            quotes=QuoteCounts(self.unquoted, self.unlocated),
            flags=dict(self.flags),
            dropped=dict(self.dropped),
        )


def _counted(reasons: Counter[str]) -> str:
    return ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
