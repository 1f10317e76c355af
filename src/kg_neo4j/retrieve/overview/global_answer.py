"""The mode `global`: a question about the whole, answered from community reports (the length study).

With a model: what single reports contribute, scored; then these, best first, combined within a budget of tokens.
Without one: sentences of the reports themselves. Citations lead from the answer to a report, to an entity or a fact
that it cites, to words of a chunk; whatever does not exist is taken out and said.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from kg_neo4j._models import prompts
from kg_neo4j._models.answer_text import without_thoughts
from kg_neo4j._models.door import Door, Job
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Complaint, Task
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.errors import ContextTooLong, UsageError
from kg_neo4j.graph.database import Database
from kg_neo4j.organise.community_reports import read_materials
from kg_neo4j.organise.stored_reports import CommunityReport
from kg_neo4j.records import Answer, Evidence, Filters, Usage
from kg_neo4j.retrieve.filters import resolve
from kg_neo4j.retrieve.interface import Scope
from kg_neo4j.retrieve.overview import report_citations, report_marks
from kg_neo4j.retrieve.overview.partial_answers import Partial, Partials
from kg_neo4j.retrieve.overview.report_marks import Marked, meanings
from kg_neo4j.retrieve.overview.report_selection import ReportLevel, ReportSelection, choose, report_levels
from kg_neo4j.retrieve.question import Question, read

MODE = "global"
NOT_FOUND = "The reports on the communities of this graph hold no answer to this."
ANSWER_TOKENS = 1_200  # room for the combined answer
PROMPT_TOKENS = 500
LEAST_TOKENS = 300
BEST = 3  # partial answers that stand in for a combined one that is of no use
WRITE_THEM = "`kg communities --reports` writes them"

_NOT_IN_GRAPH = re.compile(r"\W*not in the graph\W*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class GlobalMode:
    """How to answer from reports."""

    tokeniser: Tokeniser
    door: Door
    level: int | None = None  # of communities, 0 is the coarsest; None: chosen by what can be read
    max_context_tokens: int = 6000  # of partial answers that are combined


@dataclass(slots=True)
class ReportsReply:
    """An answer on its way. `text` carries marks of `known`. `scope`: what filters leave."""

    text: str = ""
    known: Mapping[str, Marked] = field(default_factory=dict)
    scores: Mapping[str, float] = field(default_factory=dict)  # community -> score of its report, 0 to 1
    usage: Usage = field(default_factory=Usage)
    notes: list[str] = field(default_factory=list)
    scope: Scope | None = None


@dataclass(frozen=True, slots=True)
class AnswerFromReports(Job[ReportsReply]):
    """Answers a question from the reports of one level, as far as `scope` leaves them."""

    kind: ClassVar[str] = "from_reports"
    database: Database
    graph: str
    scope: Scope | None
    target: ReportLevel
    question: Question
    how: GlobalMode

    def by_model(self, door: Door) -> ReportsReply:
        """Ask reports one by one, then combine what they contribute."""
        target = self.target
        asking = Partials(door, self.how.tokeniser, self.question.text)
        selection = ReportSelection(self.database, self.graph, asking, self.scope)
        partials = selection.ask(target, limited=self.how.level is None)
        reply = ReportsReply(known=meanings(selection.numbered), usage=asking.usage)
        reply.scores = {each.report.id: each.score / 100 for each in partials}
        reply.notes.append(f"{asking.judged} reports were read, down to level {target.level} of communities")
        if selection.unread:
            unread = f"{selection.unread} reports of level {target.level} were not read"
            reply.notes.append(f"{unread}: {_why_unread(target)}")
        if asking.unjudged:
            why = next(iter(asking.unjudged.values()))
            reply.notes.append(f"the model did not judge {len(asking.unjudged)} reports: {why}")
        if asking.removed:
            reply.notes.append(f"removed citations of findings that do not exist: {', '.join(asking.removed)}")
        if partials:
            _combine(self.question, partials, self.how, door, reply)
        return reply


def ask_global(
    database: Database, question: str, graph: str, how: GlobalMode, filters: Filters | None = None
) -> Answer:
    """Answer `question` from the community reports of `graph`; `found` is False where they hold no answer.

    With `filters` only findings are read that rest on something they leave, and only that is cited. Raises UsageError
    for an empty question, a level that there is not or what filters name in vain, and the model's and the database's
    errors.
    """
    started = time.monotonic()
    asked = read(question)
    if how.max_context_tokens < 1:
        raise UsageError(f"max_context_tokens is at least 1, not {how.max_context_tokens}")
    scope = resolve(database, graph, filters or Filters())
    levels = report_levels(database, graph, scope)
    if not any(each.reports for each in levels):
        reply = ReportsReply(notes=[_no_reports(database, graph, levels, scope)])
    else:
        target = choose(levels, how.level)
        reply = how.door.again().do(AnswerFromReports(database, graph, scope, target, asked, how))
        if target.reports < target.communities:
            missing = (
                f"{target.communities - target.reports} of {target.communities} communities of level {target.level}"
            )
            reply.notes.append(f"{missing} have no report: {WRITE_THEM}")
    if asked.cut:
        reply.notes.insert(0, f"the question was truncated to its first {len(asked.text):,} characters")
    if scope is not None:
        reply.scope = scope
        reply.notes.insert(0, f"filtered by {scope.said}: {scope.counted}, and statements that rest on them")
    return _answer(database, asked, graph, reply, how.tokeniser, started)


def _no_reports(database: Database, graph: str, levels: Sequence[ReportLevel], scope: Scope | None) -> str:
    if scope is not None and any(each.reports for each in report_levels(database, graph)):
        return f"no report of graph {graph!r} has a source that the filters select"
    if levels:
        return f"graph {graph!r} has no community reports: {WRITE_THEM}"
    return f"graph {graph!r} has no communities: load something first, for example kg load FILE"


def _answer(
    database: Database, asked: Question, graph: str, reply: ReportsReply, tokeniser: Tokeniser, started: float
) -> Answer:
    """Turn marks into citations that exist; without any, nothing was found."""
    checked = report_marks.check(reply.text, reply.known)
    used = {mark: reply.known[mark] for mark in checked.marks}
    elements = report_citations.read_elements(database, graph, used.values(), reply.scope) if used else {}
    cited = report_citations.cite(checked.text, used, elements)
    notes = list(reply.notes)
    if cited.lost:
        notes.append(f"removed {len(cited.lost)} citations of what is no longer in the graph")
    reports = list({each.report.id: each.report for each in used.values()}.values())
    notes += _outdated(database, graph, reports)
    found = bool(cited.citations)
    if used and not found:
        notes.append("nothing that the reports cite is in the graph any more")
    shown = [
        Evidence("report", each.id, f"{each.title}: {each.summary}", reply.scores.get(each.id, 0.0), token_count=tokens)
        for each in reports
        if (tokens := tokeniser.count(each.text))
    ]
    return Answer(
        question=asked.text,
        mode=MODE,
        answer=cited.text if found else NOT_FOUND,
        found=found,
        citations=tuple(cited.citations),
        evidence=(*shown, *report_citations.evidence(cited, reply.scores, tokeniser)) if found else (),
        usage=reply.usage,
        seconds=time.monotonic() - started,
        notes=tuple(notes),
        paths=tuple(cited.paths),
    )


def _outdated(database: Database, graph: str, reports: Sequence[CommunityReport]) -> list[str]:
    """Say how many of the reports that an answer rests on are older than what they speak of."""
    materials = read_materials(database, graph, [each.id for each in reports]) if reports else {}
    old = sum(each.id not in materials or materials[each.id].digest != each.hash for each in reports)
    return [f"{old} of the {len(reports)} reports used are out of date: {WRITE_THEM} again"] if old else []


def _why_unread(target: ReportLevel) -> str:
    if target.level == 0:
        return "they are rated lower, and all together are too long"
    return "the reports above them have nothing on the question"


def _combine(asked: Question, partials: Sequence[Partial], how: GlobalMode, door: Door, reply: ReportsReply) -> None:
    """Put one answer into `reply`: that of the model on partial answers, as many as fit; a single one is the answer."""
    kept = _fitting(asked, partials, how, door.window)
    if len(kept) < len(partials):
        reply.notes.append(f"{len(partials) - len(kept)} partial answers of lower score did not fit")
    if len(kept) == 1:
        reply.text = kept[0].text
        return
    said = _said(door, Combine("\n\n".join(_shown(each) for each in kept), asked.text), reply)
    if _NOT_IN_GRAPH.fullmatch(said):
        return
    given = {mark for each in kept for mark in report_marks.check(each.text, reply.known).marks}
    checked = report_marks.check(said, {mark: reply.known[mark] for mark in given})
    if checked.unknown:
        reply.notes.append(f"removed citations that were not given: {', '.join(checked.unknown)}")
    reply.text = checked.text
    if not checked.marks:
        reply.notes.append("the combined answer cited nothing and was left out; these are the best partial answers")
        reply.text = "\n\n".join(each.text for each in kept[:BEST])


@dataclass(frozen=True, slots=True)
class Combine(Task[str]):
    """Asks for one answer from partial ones."""

    kind: ClassVar[str] = "global_answer"
    shown: str
    question: str
    max_tokens: int | None = ANSWER_TOKENS

    def messages(self, complaint: str = "") -> tuple[str, str]:
        """Return the messages."""
        fence = hash_id("fence", self.shown, self.question)[:8]
        return prompts.load("global_answer").render(partial=self.shown, fence=fence, question=self.question)

    def accept(self, said: Completion) -> str | Complaint[str]:
        """Return what was said."""
        text = without_thoughts(said.text).strip()
        return text if said.text.strip() else Complaint("it was empty", text)


def _said(door: Door, task: Combine, reply: ReportsReply) -> str:
    """Return the combined answer, empty where there is none."""
    answer = door.ask(task)
    reply.usage += answer.charged
    if isinstance(answer.error, ContextTooLong):
        raise answer.error
    if answer.error is not None:
        reply.notes.append(str(answer.error))
    return answer.value or ""


def _fitting(asked: Question, partials: Sequence[Partial], how: GlobalMode, window: int) -> list[Partial]:
    """Return the best partial answers that fit the budget and the model's window together; at least one."""
    room = min(how.max_context_tokens, window - PROMPT_TOKENS - ANSWER_TOKENS - how.tokeniser.count(asked.text))
    room = max(LEAST_TOKENS, room) if how.max_context_tokens >= LEAST_TOKENS else how.max_context_tokens
    kept: list[Partial] = []
    filled = 0
    for each in partials:
        tokens = how.tokeniser.count(_shown(each)) + 2
        if not kept or filled + tokens <= room:
            kept.append(each)
            filled += tokens
    return kept


def _shown(partial: Partial) -> str:
    return f"({partial.score} of 100) {partial.text}"
