"""The mode `cypher`: a question answered from the rows of a query.

Canned queries come first and need no model. Where none fits and a model is set, the model writes a query, which runs
behind every guard of `model`. The rows become the answer, and cite the chunks that they rest on.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from kg_neo4j._models.door import Door, Job
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.errors import ContextTooLong
from kg_neo4j.graph.database import Database
from kg_neo4j.records import Answer, Citation, Evidence, Filters, QueryTrace, Usage
from kg_neo4j.retrieve.cypher.citations import CitedThing, RowCitations, read_things
from kg_neo4j.retrieve.cypher.model import WrittenQuery, to_write
from kg_neo4j.retrieve.cypher.questions import CannedRows, ask_canned
from kg_neo4j.retrieve.cypher.run import QueryLimits
from kg_neo4j.retrieve.cypher.telling import TOLD, RowsText, TellRows, listed
from kg_neo4j.retrieve.cypher.templates import EXAMPLES
from kg_neo4j.retrieve.filters import resolve
from kg_neo4j.retrieve.interface import Scope
from kg_neo4j.retrieve.question import Question, read

MODE = "cypher"
NOT_FOUND = "No answer found."
REFUSED = "No safe query was found for this question."
SHOWN = 20  # rows in the answer
KEPT = 100  # rows in its trace


@dataclass(frozen=True, slots=True)
class CypherMode:
    """How to answer from queries."""

    tokeniser: Tokeniser
    door: Door
    writes: bool = True  # where no canned query fits, the model writes one
    limits: QueryLimits = field(default_factory=QueryLimits)  # of a query that a model wrote


@dataclass(slots=True)
class QueryReply:
    """An answer on its way."""

    text: str = ""
    citations: tuple[Citation, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    trace: QueryTrace | None = None
    usage: Usage = field(default_factory=Usage)
    notes: list[str] = field(default_factory=list)
    found: bool = False
    model_seconds: float = 0.0


def ask_cypher(
    database: Database, question: str, graph: str, how: CypherMode, filters: Filters | None = None
) -> Answer:
    """Answer `question` from the rows of a query on `graph`; `found` is False where there are none.

    Nothing but what `filters` leave is read, told of or cited, but for the schema, which a model is shown as a whole.
    Nothing in the graph is changed. Raises UsageError for an empty question, and the model's and the database's errors.
    """
    started = time.monotonic()
    asked = read(question)
    scope = resolve(database, graph, filters or Filters())
    reply = _reply(database, asked, graph, how, scope)
    if scope is not None:
        reply.notes.insert(0, f"filtered by {scope.said}: {scope.counted}")
    if asked.cut:
        reply.notes.insert(0, f"the question was truncated to its first {len(asked.text):,} characters")
    return _answer(asked, reply, started)


def _reply(database: Database, asked: Question, graph: str, how: CypherMode, scope: Scope | None) -> QueryReply:
    canned = ask_canned(database, graph, asked, scope)
    if isinstance(canned, CannedRows):
        return _from_rows(canned, read_things(database, graph, canned.ids[:SHOWN], scope), how)
    job = WriteQuery(database, graph, asked, scope, how, canned.reason)
    return how.door.do(job) if how.writes else unmatched(canned.reason)


@dataclass(frozen=True, slots=True)
class WriteQuery(Job[QueryReply]):
    """Answers a question that no canned query fits from a query that the model writes."""

    kind: ClassVar[str] = "write_query"
    database: Database
    graph: str
    question: Question
    scope: Scope | None
    how: CypherMode
    why: str  # no canned query fits

    def by_model(self, door: Door) -> QueryReply:
        """Have the query written and run. Raises the model's and the database's errors."""
        task = to_write(self.database, self.graph, self.question, self.scope, self.how.limits)
        answer = door.ask(task)
        if isinstance(answer.error, ContextTooLong):
            raise answer.error
        reply = QueryReply(usage=answer.charged, model_seconds=answer.seconds)
        if answer.value is None:
            return _unwritten(reply, task.refused, "" if len(task.refused) == task.rounds else answer.problem)
        reply.notes.append(f"answered by a query that the model {door.name} wrote")
        reply.notes += [f"its first query was refused: {reason}" for reason in task.refused]
        things = read_things(self.database, self.graph, answer.value.rows.ids[:TOLD], self.scope)
        return _from_written(reply, self.question, answer.value, things, self.how.tokeniser, door)


def _answer(asked: Question, reply: QueryReply, started: float) -> Answer:
    seconds = time.monotonic() - started
    return Answer(
        question=asked.text,
        mode=MODE,
        answer=reply.text or NOT_FOUND,
        found=reply.found,
        citations=reply.citations,
        evidence=reply.evidence,
        usage=reply.usage,
        seconds=seconds,
        notes=tuple(reply.notes),
        retrieval_seconds=max(0.0, seconds - reply.model_seconds),
        model_seconds=reply.model_seconds,
        query=reply.trace,
    )


def unmatched(reason: str) -> QueryReply:
    """Return the answer to a question that no canned query fits, where no query is written."""
    examples = " ".join(EXAMPLES)
    without = "without a model the mode cypher answers questions of a few forms"
    hint = f"{without}: {examples} OPENAI_API_KEY or OPENAI_BASE_URL sets a model that writes queries"
    return QueryReply(notes=[reason, hint] if reason else [hint])


def _from_rows(canned: CannedRows, things: Mapping[str, CitedThing], how: CypherMode) -> QueryReply:
    """Return the rows of a canned query as a list, each with its citations."""
    reply = QueryReply(text=canned.heading, found=bool(canned.rows))
    reply.notes.append(f"answered by the canned query {canned.query.replace('_', '-')}, without a model")
    for each in canned.named:
        if each.words != each.name:
            others = f"; it may also be {each.others}" if each.others else ""
            reply.notes.append(f"{each.words!r} was taken to mean {each.name}{others}")
    citing = RowCitations(things, how.tokeniser)
    lines, uncited = [], 0
    for line, ids in zip(canned.lines[:SHOWN], canned.ids, strict=False):
        marks = citing.cite(line, ids)
        uncited += not marks
        lines.append(f"- {line}{marks}")
    if (left := len(canned.rows) - SHOWN) > 0:
        more = "at least " if canned.is_full else ""
        lines.append(f"and {more}{left:,} more")
    reply.text = "\n".join([canned.heading, *lines])
    if uncited:
        reply.notes.append(f"{uncited} of the rows shown have no source chunk and cite none")
    reply.citations, reply.evidence = tuple(citing.citations), tuple(citing.evidence)
    reply.trace = QueryTrace(
        cypher=canned.cypher,
        parameters=canned.parameters,
        template=canned.query,
        model=None,
        columns=canned.columns,
        rows=canned.rows[:KEPT],
        rows_cut=max(0, len(canned.rows) - KEPT),
        is_more=canned.is_full,
    )
    return reply


def _unwritten(reply: QueryReply, refused: Sequence[str], silent: str) -> QueryReply:
    """Say that no query ran, and why: the model wrote none, or what it wrote was refused."""
    reply.notes += [silent] if silent else []
    reply.notes += [f"a query that the model wrote was refused: {reason}" for reason in refused]
    if refused and not silent:
        reply.text = REFUSED
    return reply


def _from_written(
    reply: QueryReply,
    asked: Question,
    written: WrittenQuery,
    things: Mapping[str, CitedThing],
    tokeniser: Tokeniser,
    door: Door,
) -> QueryReply:
    """Return what a query that a model wrote gave: told by the model, or as a list where that is of no use."""
    rows = written.rows
    reply.notes += rows.notes
    reply.trace = QueryTrace(
        cypher=written.query.text,
        parameters=written.query.parameters,
        template=None,
        model=door.name,
        columns=rows.columns,
        rows=rows.rows[:KEPT],
        rows_cut=len(rows.rows[KEPT:]) + rows.cut,
        is_more=rows.is_more,
    )
    if not rows.rows:
        reply.notes.append("the query ran and found nothing")
        return reply
    answer = door.ask(TellRows(asked.text, written.query.text, rows, things, tokeniser))
    told = answer.value or RowsText(notes=(answer.problem,))
    reply.usage += answer.charged
    reply.model_seconds += answer.seconds
    reply.notes += told.notes
    if told.is_denied:
        reply.notes.append("the model says that the rows of its query do not answer the question")
        return reply
    citing = told.citing or RowCitations(things, tokeniser)
    reply.text = told.text or "\n".join(listed(rows, SHOWN, citing))
    reply.found = True
    reply.citations, reply.evidence = tuple(citing.citations), tuple(citing.evidence)
    if not reply.citations:
        reply.notes.append("the rows have no source chunk: nothing is cited")
    return reply
