"""The mode `global`: a question about the whole, answered from community reports.

With a model: what single reports contribute, scored; then these, best first, combined within a budget of tokens.
Without one: sentences of the reports themselves. Citations lead from the answer to a report, to an entity or a fact
that it cites, to words of a chunk; whatever does not exist is removed, and a note says so.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from kg_neo4j._models.door import Door, Job
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Complaint, Prompted
from kg_neo4j.errors import ContextTooLong
from kg_neo4j.graph.database import Database
from kg_neo4j.organise.community_reports import read_materials
from kg_neo4j.records import Answer, Evidence, Usage
from kg_neo4j.retrieve.ask_context import AskContext
from kg_neo4j.retrieve.checking.standing import paged, read_cited
from kg_neo4j.retrieve.interface import GLOBAL, NOT_IN_GRAPH, UNANSWERED, Found, Search
from kg_neo4j.retrieve.overview import report_citations, report_marks
from kg_neo4j.retrieve.overview.partial_answers import Partial, Partials
from kg_neo4j.retrieve.overview.report_marks import Marked, meanings
from kg_neo4j.retrieve.overview.report_selection import ReportLevel, ReportSelection, choose, report_levels

NOT_FOUND = "The reports on the communities of this graph hold no answer to this."
ANSWER_TOKENS = 1_200  # room for the combined answer
PROMPT_TOKENS = 500
LEAST_TOKENS = 300
BEST = 3  # partial answers that stand in for a combined one that is of no use
WRITE_THEM = "`kg communities --reports` writes them"


@dataclass(frozen=True, slots=True)
class FoundReports(Found):
    """The level whose reports a question is put to; None where no report can be read."""

    target: ReportLevel | None = None


@dataclass(slots=True)
class ReportsReply:
    """An answer on its way. `text` carries marks of `known`."""

    text: str = ""
    known: Mapping[str, Marked] = field(default_factory=dict)
    scores: Mapping[str, float] = field(default_factory=dict)  # community -> score of its report, 0 to 1
    usage: Usage = field(default_factory=Usage)
    notes: list[str] = field(default_factory=list)
    model_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class AnswerFromReports(Job[ReportsReply]):
    """Answers a question from the reports of one level, as far as filters leave them."""

    kind: ClassVar[str] = "from_reports"
    database: Database
    search: Search
    target: ReportLevel
    how: AskContext

    def by_model(self, door: Door) -> ReportsReply:
        """Ask reports one by one, then combine what they contribute."""
        started = time.monotonic()
        target, search = self.target, self.search
        asking = Partials(door, self.how.tokeniser, search.question.text)
        selection = ReportSelection(self.database, search.graph, asking, search.scope)
        partials = selection.ask(target, limited=search.options.level is None)
        reply = ReportsReply(known=meanings(selection.numbered), usage=asking.usage)
        reply.scores = {each.report.id: each.score / 100 for each in partials}
        reply.notes.append(f"{asking.judged} reports were read, down to level {target.level} of communities")
        if selection.unread:
            why = "the reports above them have nothing on the question"
            if target.level == 0:
                why = "they are rated lower, and all together are too long"
            reply.notes.append(f"{selection.unread} reports of level {target.level} were not read: {why}")
        if asking.unjudged:
            why = next(iter(asking.unjudged.values()))
            reply.notes.append(f"the model did not judge {len(asking.unjudged)} reports: {why}")
        if asking.removed:
            reply.notes.append(f"removed citations of findings that do not exist: {', '.join(asking.removed)}")
        if partials:
            _combine(search, partials, self.how, door, reply)
        reply.model_seconds = time.monotonic() - started
        return reply


def choose_reports(database: Database, search: Search) -> FoundReports:
    """Return the level whose reports are read. Raises UsageError for a level that there is not."""
    levels = report_levels(database, search.graph, search.scope)
    if not any(each.reports for each in levels):
        note = f"graph {search.graph!r} has no communities: load something first, for example kg load FILE"
        if search.scope is not None and any(each.reports for each in report_levels(database, search.graph)):
            note = f"no report of graph {search.graph!r} has a source that the filters select"
        elif levels:
            note = f"graph {search.graph!r} has no community reports: {WRITE_THEM}"
        return FoundReports(GLOBAL, notes=(note,))
    target = choose(levels, search.options.level)
    if target.reports == target.communities:
        return FoundReports(GLOBAL, target=target)
    missing = f"{target.communities - target.reports} of {target.communities} communities of level {target.level}"
    return FoundReports(GLOBAL, notes=(f"{missing} have no report: {WRITE_THEM}",), target=target)


def answer_from_reports(database: Database, search: Search, found: FoundReports, how: AskContext) -> Answer:
    """Answer from the reports of a level, with citations that exist; without any, nothing was found.

    With filters only findings are read that rest on something they leave, and only that is cited. Raises the model's
    and the database's errors.
    """
    made = ReportsReply()
    if found.target is not None:
        made = how.door.do(AnswerFromReports(database, search, found.target, how))
    notes = [*made.notes, *found.notes]
    checked = report_marks.check(made.text, made.known)
    used = {mark: made.known[mark] for mark in checked.marks}
    ids = sorted({each for one in used.values() for each in one.ids[: report_citations.WEIGHED]})
    places = ("retrieve/report_places", search.graph, ids, report_citations.PLACES)
    cited = report_citations.cite(checked.text, used, read_cited(database, search.scope, *places))
    if cited.lost:
        notes.append(f"removed {len(cited.lost)} citations of what is no longer in the graph")
    reports = list({each.report.id: each.report for each in used.values()}.values())
    materials = read_materials(database, search.graph, [each.id for each in reports]) if reports else {}
    if old := sum(each.id not in materials or materials[each.id].digest != each.hash for each in reports):
        notes.append(f"{old} of the {len(reports)} reports used are out of date: {WRITE_THEM} again")
    answer = replace(UNANSWERED, answer=NOT_FOUND, usage=made.usage, model_seconds=made.model_seconds)
    if not cited.citations:
        lost = ["nothing that the reports cite is in the graph any more"] if used else []
        return replace(answer, notes=(*notes, *lost))
    shown = [
        Evidence("report", each.id, f"{each.title}: {each.summary}", made.scores.get(each.id, 0.0), token_count=tokens)
        for each in reports
        if (tokens := how.tokeniser.count(each.text))
    ]
    return replace(
        answer,
        answer=cited.text,
        found=True,
        citations=paged(database, search.graph, cited.citations),
        evidence=(*shown, *report_citations.evidence(cited, made.scores, how.tokeniser)),
        notes=tuple(notes),
        paths=tuple(cited.paths),
    )


def _combine(search: Search, partials: Sequence[Partial], how: AskContext, door: Door, reply: ReportsReply) -> None:
    """Put one answer into `reply`: that of the model on partial answers, as many as fit; a single one is the answer."""
    kept = _fitting(search, partials, how, door.window)
    if len(kept) < len(partials):
        reply.notes.append(f"{len(partials) - len(kept)} partial answers of lower score did not fit")
    if len(kept) == 1:
        reply.text = kept[0].text
        return
    answer = door.ask(Combine("\n\n".join(_shown(each) for each in kept), search.question.text))
    reply.usage += answer.charged
    if isinstance(answer.error, ContextTooLong):
        raise answer.error
    if answer.error is not None:
        reply.notes.append(str(answer.error))
    said = answer.value or ""
    if NOT_IN_GRAPH.fullmatch(said):
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
class Combine(Prompted[str]):
    """Asks for one answer from partial ones."""

    kind: ClassVar[str] = "global_answer"
    shown: str
    question: str
    max_tokens: int | None = ANSWER_TOKENS

    def values(self) -> Mapping[str, str]:
        """Return the partial answers and the question."""
        return {"partial": self.shown, "question": self.question}

    def accept(self, said: Completion) -> str | Complaint[str]:
        """Return what was said."""
        text = said.text.strip()
        return text if said.text.strip() else Complaint("it was empty", text)


def _fitting(search: Search, partials: Sequence[Partial], how: AskContext, window: int) -> list[Partial]:
    """Return the best partial answers that fit the budget and the model's window together; at least one."""
    most = search.context_tokens
    room = min(most, window - PROMPT_TOKENS - ANSWER_TOKENS - how.tokeniser.count(search.question.text))
    room = max(LEAST_TOKENS, room) if most >= LEAST_TOKENS else most
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
