"""The mode `cypher`: a question answered from the rows of a query.

Canned queries come first and need no model. Where none fits and a model is set, the model writes a query, which runs
behind every guard of `model`. The rows become the answer, and cite the chunks that they rest on.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import ClassVar

from kg_neo4j._models.door import Door, Job
from kg_neo4j.errors import ContextTooLong
from kg_neo4j.graph.database import Database
from kg_neo4j.records import Answer, QueryTrace
from kg_neo4j.retrieve.ask_context import AskContext
from kg_neo4j.retrieve.checking.standing import paged
from kg_neo4j.retrieve.cypher.model import WrittenQuery, to_write
from kg_neo4j.retrieve.cypher.questions import CannedRows, ask_canned
from kg_neo4j.retrieve.cypher.telling import TOLD, RowCitations, RowsText, TellRows, listed, read_things, words
from kg_neo4j.retrieve.cypher.templates import EXAMPLES
from kg_neo4j.retrieve.interface import CYPHER, UNANSWERED, Found, Search

REFUSED = "No safe query was found for this question."
SHOWN = 20  # rows in the answer
KEPT = 100  # rows in its trace


@dataclass(frozen=True, slots=True)
class FoundRows(Found):
    """The rows of a canned query, or why none fits."""

    canned: CannedRows | str = ""


def retrieve_rows(database: Database, search: Search) -> FoundRows:
    """Return the rows of the first canned query that fits the question."""
    return FoundRows(CYPHER, canned=ask_canned(database, search.graph, search.question, search.scope))


def answer_from_rows(database: Database, search: Search, found: FoundRows, how: AskContext) -> Answer:
    """Answer with the rows of a canned query, or with those of a query that the model writes; else without text.

    A canned query that finds nothing passes the question on to the model. No model writes a query where the mode was
    chosen and not named. A model is shown the schema as a whole. Raises the model's and the database's errors.
    """
    canned = found.canned
    made = _from_rows(database, search, canned, how) if isinstance(canned, CannedRows) else unmatched(canned)
    if search.options.mode == CYPHER and isinstance(canned, str):
        made = how.door.do(WriteQuery(database, search, how, canned))
    elif search.options.mode == CYPHER and not made.found:
        written = how.door.do(WriteQuery(database, search, how, ""))
        if written.usage.calls or written.found:  # else there is no model
            notes = (*made.notes, *written.notes)
            made = replace(written if written.found else made, usage=written.usage, notes=notes)
    return replace(made, citations=paged(database, search.graph, made.citations))


@dataclass(frozen=True, slots=True)
class WriteQuery(Job[Answer]):
    """Answers a question that no canned query fits from a query that the model writes."""

    kind: ClassVar[str] = "write_query"
    database: Database
    search: Search
    how: AskContext
    why: str  # no canned query fits; empty: one fits and finds nothing

    def by_model(self, door: Door) -> Answer:
        """Have the query written and run. Raises the model's and the database's errors."""
        started = time.monotonic()
        task = to_write(self.database, self.search)
        answer = door.ask(task)
        if isinstance(answer.error, ContextTooLong):
            raise answer.error
        made = replace(UNANSWERED, usage=answer.charged, model_seconds=answer.seconds)
        if answer.value is None:
            silent = "" if len(task.refused) == task.rounds else answer.problem
            why = (f"a query that the model wrote was refused: {reason}" for reason in task.refused)
            notes = (*((silent,) if silent else ()), *why)
            made = replace(made, answer=REFUSED if task.refused and not silent else "", notes=notes)
        else:
            first = (f"its first query was refused: {reason}" for reason in task.refused)
            notes = (f"answered by a query that the model {door.name} wrote", *first, *answer.value.rows.notes)
            made = self._told(replace(made, notes=notes), answer.value, door)
        return replace(made, retrieval_seconds=max(0.0, time.monotonic() - started - made.model_seconds))

    def _told(self, made: Answer, written: WrittenQuery, door: Door) -> Answer:
        """Return what the query gave: in the model's words, or as a list where these are of no use."""
        query, rows = written.query, written.rows
        kept = (rows.columns, rows.rows[:KEPT], len(rows.rows[KEPT:]) + rows.cut, rows.is_more)
        trace = QueryTrace(query.text, query.parameters, None, door.name, *kept)
        made = replace(made, query=trace)
        if not rows.rows:
            return replace(made, notes=(*made.notes, "the query ran and found nothing"))
        things = read_things(self.database, self.search.graph, rows.ids[:TOLD], self.search.scope)
        answer = door.ask(TellRows(self.search.question.text, query.text, rows, things, self.how.tokeniser))
        told = answer.value or RowsText(notes=(answer.problem,))
        made = replace(
            made,
            usage=made.usage + answer.charged,
            model_seconds=made.model_seconds + answer.seconds,
            notes=(*made.notes, *told.notes),
        )
        if told.is_denied:
            denied = "the model says that the rows of its query do not answer the question"
            return replace(made, notes=(*made.notes, denied))
        citing = told.citing or RowCitations(things, self.how.tokeniser)
        lines = [words(rows.columns, row) for row in rows.rows[:SHOWN]]
        left = len(rows.rows) - len(lines) + rows.cut
        text = told.text or "\n".join(listed(lines, rows.ids, left, citing, is_more=rows.is_more))
        notes = made.notes if citing.citations else (*made.notes, "the rows have no source chunk: nothing is cited")
        cited, evidence = tuple(citing.citations), tuple(citing.evidence)
        return replace(made, answer=text, found=True, citations=cited, evidence=evidence, notes=notes)


def unmatched(reason: str) -> Answer:
    """Return the answer to a question that no canned query fits, where no query is written."""
    examples = " ".join(EXAMPLES)
    without = "without a model the mode cypher answers questions of a few forms"
    hint = f"{without}: {examples} OPENAI_API_KEY or OPENAI_BASE_URL sets a model that writes queries"
    return replace(UNANSWERED, notes=(reason, hint) if reason else (hint,))


def _from_rows(database: Database, search: Search, canned: CannedRows, how: AskContext) -> Answer:
    """Return the rows of a canned query as a list, each with its citations."""
    notes = [f"answered by the canned query {canned.query.replace('_', '-')}, without a model"]
    for each in canned.named:
        if each.words != each.name:
            others = f"; it may also be {each.others}" if each.others else ""
            notes.append(f"{each.words!r} was taken to mean {each.name}{others}")
    things = read_things(database, search.graph, canned.ids[:SHOWN], search.scope)
    citing, left = RowCitations(things, how.tokeniser), len(canned.rows) - SHOWN
    lines = listed(canned.lines[:SHOWN], canned.ids, left, citing, is_more=canned.is_full)
    if uncited := sum(map(things.keys().isdisjoint, canned.ids[:SHOWN])):
        notes.append(f"{uncited} of the rows shown have no source chunk and cite none")
    kept = (canned.columns, canned.rows[:KEPT], len(canned.rows[KEPT:]), canned.is_full)
    trace = QueryTrace(canned.cypher, canned.parameters, canned.query, None, *kept)
    return replace(
        UNANSWERED,
        answer="\n".join([canned.heading, *lines]),
        found=bool(canned.rows),
        citations=tuple(citing.citations),
        evidence=tuple(citing.evidence),
        notes=tuple(notes),
        query=trace,
    )
