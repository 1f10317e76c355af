"""Community reports: what each community is, how much it matters, and what is found in it, with references.

Reports are derived (tier 2), and made when they are asked for, because they are paid for. A report is known by a hash
of its community's members, relationships and what is said of them; where that is unchanged, nothing is asked and
nothing written. What a model says is stored as an Answer before it is used. Finer levels come first: a community that
is too large for one question is shown with reports on its parts. Without a model a report is composed from the graph,
and one that a model wrote is kept as long as its hash stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, cast

from kg_neo4j._models.door import Door, Job
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Complaint, Prompted, Unanswered
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire.sentences import cut_at_word
from kg_neo4j.errors import ModelError
from kg_neo4j.graph import queries
from kg_neo4j.graph.answers import GraphAnswers
from kg_neo4j.graph.database import Database, Row, batches, swept
from kg_neo4j.graph.lease import Lease
from kg_neo4j.organise.report_material import MemberLink, ReportMaterial, ReportMember
from kg_neo4j.organise.report_questions import (
    NOT_ANSWERED,
    SMALLEST,
    Asker,
    WriteReport,
    WrittenReport,
    composed,
    most_findings,
    written,
)
from kg_neo4j.organise.stored_reports import COMPOSED, MODEL, CommunityReport, properties, read_reports
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Usage

PAGE = 100  # communities that are read at a time
DOCUMENTS = 5  # titles that a composed report names
SAMPLE_CHUNKS, SAMPLE_TOKENS = 10, 150  # chunks that show what documents are about, and of each so many tokens
LONGEST_DOMAIN = 200  # characters, named by a person or by a model
STAGE = "reports"
BASE_TOKENS = 200  # of a report without its findings, as a plan assumes it
FINDING_TOKENS = 110  # of a finding: fewer than the words that a report may have


@dataclass(frozen=True, slots=True)
class Wanted:
    """What reports are written for, and on what."""

    domain: str | None = None  # what the documents are about; empty: nothing is said; None: as reports so far
    smallest: int = SMALLEST  # members of a community that a model is asked about


@dataclass(frozen=True, slots=True)
class CommunityReportsReport:
    """What writing community reports did."""

    graph: str
    communities: int
    by_model: int  # of all reports that the graph has now
    flagged: int  # likewise: the model's answer broke rules, also when it was asked once more
    changes: int  # reports that were written; 0 on a repeat
    domain: str  # that the model was given
    usage: Usage
    seconds: float = 0.0
    unfinished: tuple[str, ...] = ()  # one line on what a model should have written and did not
    notes: tuple[str, ...] = ()

    @property
    def composed(self) -> int:
        """Reports of the graph that no model wrote."""
        return self.communities - self.by_model


@dataclass(frozen=True, slots=True)
class CommunityReportsPlan:
    """What writing community reports would take; calls, tokens and price are estimates."""

    graph: str
    model: str | None  # None: they are composed from the graph; nothing is paid
    communities: int
    current: int  # with a report that stands
    composed: int  # that get a report without a model
    usage: Usage  # of the calls that are still to be paid
    measured: int = 0  # answers of this model that the length of a report was measured on; 0: assumed
    assumptions: tuple[str, ...] = ()


def plan_reports(
    database: Database, graph: str, door: Door, tokeniser: Tokeniser, wanted: Wanted | None = None
) -> CommunityReportsPlan:
    """Return what `write_reports` would ask, without a price: the same run, with a door that counts, without writing.

    Calls and tokens are estimates: reports on parts are not written yet.
    """
    run = _ReportsRun(database, graph, door, tokeniser, wanted or Wanted(), None)
    for rows in pages(run.communities):
        run.write(rows)
    return CommunityReportsPlan(graph, door.model, len(run.communities), run.current, run.composed, *run.still_to_pay())


def write_reports(
    database: Database,
    graph: str,
    door: Door,
    tokeniser: Tokeniser,
    wanted: Wanted | None = None,
    progress: Progress = SILENT,
    *,
    lease: Lease,
) -> CommunityReportsReport:
    """Bring the reports on all communities of `graph` up to date. A repeat gives 0 changes and 0 calls.

    Reports on communities with fewer than `wanted.smallest` members are composed from the graph; so are those that a
    model cannot write, or that a budget leaves out. A server that is lost leaves its reports unwritten. `unfinished`
    names what is missing, and the next run asks again. Raises DatabaseError, and LeaseHeld where the lease was lost.
    """
    run = _ReportsRun(database, graph, door, tokeniser, wanted or Wanted(), lease)
    progress.start(STAGE, len(run.communities))
    for rows in pages(run.communities):
        run.write(rows)
        progress.advance(STAGE, len(rows))
    swept(lease.write, queries.get("analytics/sweep_reports"), PAGE * PAGE, graph=graph)
    progress.finish(STAGE)
    return run.report()


def pages(communities: Sequence[Row]) -> Iterator[Sequence[Row]]:
    """Yield communities in pages of one level each, the finest first; a page's reports need no other one of it."""
    for level in sorted({row["level"] for row in communities}, reverse=True):
        yield from batches([row for row in communities if row["level"] == level], PAGE)


def read_materials(database: Database, graph: str, ids: Sequence[str]) -> dict[str, ReportMaterial]:
    """Return what reports on communities are made from, by id."""
    wanted = sorted(ids)
    entities = database.read(queries.get("analytics/report_entities"), graph=graph, ids=wanted)
    links = database.read(queries.get("analytics/report_relationships"), graph=graph, ids=wanted)
    documents = database.read(queries.get("analytics/report_documents"), graph=graph, ids=wanted, limit=DOCUMENTS)
    linked = {row["id"]: row["relationships"] for row in links}
    found = {row["id"]: row for row in documents}
    return {
        row["id"]: ReportMaterial(
            row["id"],
            tuple(_member(each) for each in row["entities"]),
            tuple(MemberLink(*each) for each in linked.get(row["id"], ())),
            tuple(found[row["id"]]["documents"]) if row["id"] in found else (),
            found[row["id"]]["total"] if row["id"] in found else 0,
        )
        for row in entities
    }


def usual_domain(communities: Sequence[Row]) -> str:
    """Return the domain that most reports of a graph were written for; empty for none."""
    named = [row["domain"] for row in communities if row["method"] == MODEL and row["domain"]]
    return max(sorted(set(named)), key=named.count) if named else ""


@dataclass(slots=True)
class _ReportsRun:
    """One call of `write_reports`."""

    database: Database
    graph: str
    door: Door
    tokeniser: Tokeniser
    wanted: Wanted
    lease: Lease | None  # None: a plan, which asks and writes nothing
    communities: Sequence[Row] = field(init=False)
    domain: str = field(init=False)  # that a model is given
    reports: int = 0
    changes: int = 0
    by_model: int = 0
    flagged: int = 0
    usage: Usage = field(default_factory=Usage)
    asker: Asker = field(init=False)
    failed: list[str] = field(default_factory=list)  # why, of each report that the model should have written
    current: int = 0  # reports that stand
    composed: int = 0  # reports that no model is asked for
    unasked: dict[str, WriteReport] = field(default_factory=dict)  # of a plan, by key: levels share communities
    drafts: dict[str, CommunityReport] = field(default_factory=dict)  # of a plan, in place of reports to be written

    def __post_init__(self) -> None:
        self.communities = self.database.read(queries.get("analytics/report_communities"), graph=self.graph)
        self.domain = usual_domain(self.communities) if self.wanted.domain is None else self.wanted.domain
        door = self.door.storing(GraphAnswers(self.database, self.graph, self.lease))
        self.door = door if self.lease else door.counting([])
        self.asker = Asker(self.graph, door.name, door.window, self.domain, self.tokeniser)

    def report(self) -> CommunityReportsReport:
        counts = (self.reports, self.by_model, self.flagged, self.changes)
        domain = self.domain if self.door.replaces(COMPOSED) else ""
        done = CommunityReportsReport(self.graph, *counts, domain, self.usage)
        if not self.failed:
            return done
        why = self.door.stopped or self.failed[0]
        return replace(done, unfinished=(f"{len(self.failed)} reports were not written by the model: {why}",))

    def write(self, rows: Sequence[Row]) -> None:
        """Bring the reports of one page up to date."""
        materials = read_materials(self.database, self.graph, [row["id"] for row in rows])
        stored = {each.id: each for each in read_reports(self.database, self.graph, ids=list(materials))}
        known = [row for row in rows if row["id"] in materials]
        current = {  # a model wrote them, and nothing that they were made from has changed
            row["id"]
            for row in known
            if row["method"] == MODEL
            and row["hash"] == materials[row["id"]].digest
            and self.wanted.domain in (None, row["domain"] or "")
        }
        written = self._written([materials[row["id"]] for row in known if row["id"] not in current])
        made = [self._report(row, materials[row["id"]], written[row["id"]]) for row in known if row["id"] in written]
        changed = [each for each in made if each != stored.get(each.id)]
        if self.lease is not None:
            self._store(self.lease, changed, written)
        else:
            self.drafts |= {each.id: each for each in made}
        self.current += len(current)
        standing = [*made, *(stored[each] for each in current)]
        self.reports += len(standing)
        self.by_model += sum(each.method == MODEL for each in standing)
        self.flagged += sum(bool(each.flags) for each in standing)

    def _written(self, wanted: Sequence[ReportMaterial]) -> dict[str, WrittenReport]:
        """Return what each report says; stored answers are not paid for again."""
        tasks = [self._task(material) for material in wanted]
        done = {
            task.material.id: composed(task, self.door)
            for task in tasks
            if len(task.material.members) < self.wanted.smallest
        }
        asked = [task for task in tasks if task.material.id not in done]
        asked.sort(key=lambda task: (-len(task.material.members), task.material.id))  # a budget may end the run
        self.composed += len(done)
        for answer in self.door.ask_all(asked):
            task = cast("WriteReport", answer.task)
            self.usage += answer.usage
            self.composed += answer.stands_in
            report = written(answer, self.door)
            if isinstance(answer.error, Unanswered):
                self.unasked[task.request("", 0).key] = task
            elif report is None:
                self.failed.append(str(answer.error))
                if isinstance(self.door.stopped, ModelError):
                    continue  # the server is lost, not the budget reached: the next run goes on
            done[task.material.id] = report or composed(task, self.door, NOT_ANSWERED)
        return done

    def _task(self, material: ReportMaterial) -> WriteReport:
        children = {each.child for each in material.members}  # None: of those that are alone on the next level
        parts = sorted(each for each in children if each)
        is_divided = len(children) > 1
        reports = read_reports(self.database, self.graph, ids=parts) if is_divided else ()
        if self.drafts and is_divided:
            known = {each.id: each for each in reports} | self.drafts
            reports = tuple(known[each] for each in parts if each in known)
        return WriteReport(self.asker, material, reports, self.asker.room)

    def still_to_pay(self) -> tuple[Usage, int]:
        """Return what the questions of a plan take, and on how many answers the length of a report was measured."""
        query = queries.get("analytics/report_answer_length")
        row = self.database.read(query, graph=self.graph, model=self.door.name)[0]
        measured = round(float(row["output_tokens"] or 0))
        asked = [task.messages() for task in self.unasked.values()]
        read = sum(self.tokeniser.count(message) for messages in asked for message in messages)
        most = [BASE_TOKENS + FINDING_TOKENS * most_findings(task.material) for task in self.unasked.values()]
        return Usage(len(asked), read, len(asked) * measured or sum(most)), int(row["answers"])

    def _report(self, row: Row, material: ReportMaterial, written: WrittenReport) -> CommunityReport:
        draft = written.draft
        return CommunityReport(
            **{name: row[name] for name in ("id", "level", "number", "size", "parent_id")},
            title=draft.title,
            summary=draft.summary,
            rating=draft.rating if draft.rating is not None else 0.0,
            rating_explanation=draft.rating_explanation,
            findings=draft.findings,
            method=written.method,
            hash=material.digest,
            flags=written.flags,
            domain=self.domain if written.method == MODEL else "",
        )

    def _store(self, lease: Lease, reports: Sequence[CommunityReport], written: Mapping[str, WrittenReport]) -> None:
        query = queries.get("analytics/write_reports")
        rows = [
            {"id": each.id, "report": properties(each), "answers": list(written[each.id].answers)} for each in reports
        ]
        lease.write_parts(query, "rows", rows, PAGE, graph=self.graph)
        self.changes += len(rows)


def _member(row: Sequence[Any]) -> ReportMember:
    entity, name, kind, description, evidence, born, died, child = row
    years = tuple(year for year in (born, died) if isinstance(year, int))
    return ReportMember(entity, name, kind, description, evidence, years, child)


# -------------------------------------------------------------------------------------------------- domain


@dataclass(frozen=True, slots=True)
class NameDomain(Prompted[str]):
    """Asks for the field of a sample of texts."""

    kind: ClassVar[str] = "domain"
    sample: str
    max_tokens: int | None = 100

    def values(self) -> Mapping[str, str]:
        """Return the sample."""
        return {"sample": self.sample}

    def accept(self, said: Completion) -> str | Complaint[str]:
        """Return the one short line that was said."""
        lines = [line.strip() for line in said.text.splitlines() if line.strip()]
        line = lines[0].strip("\"'*`. ") if len(lines) == 1 else ""
        if line and line.isprintable() and len(line) <= LONGEST_DOMAIN:
            return line
        return Complaint("the model named no field in one short line")


@dataclass(frozen=True, slots=True)
class Domain:
    """The domain that the prompt names: `value` is empty for none, None for that of the reports so far.

    `note` says how it was found.
    """

    value: str | None
    usage: Usage = field(default_factory=Usage)
    note: str = ""


@dataclass(frozen=True, slots=True)
class ChooseDomain(Job[Domain]):
    """Decides which topic of the documents a model is given."""

    kind: ClassVar[str] = "choose_domain"
    database: Database
    graph: str
    tokeniser: Tokeniser
    given: str | None  # by the user
    finds: bool  # where no report has a domain, the model is asked for it

    def by_model(self, door: Door) -> Domain:
        """Take what is given, or what the reports have; else ask about a sample of chunks, always the same one."""
        if not self.finds:
            return Domain(self.given)
        communities = self.database.read(queries.get("analytics/report_communities"), graph=self.graph)
        if stored := usual_domain(communities):
            return Domain(stored, note=f"domain, as in the reports so far: {stored}")
        rows = self.database.read(queries.get("analytics/sample_chunks"), graph=self.graph, limit=SAMPLE_CHUNKS)
        shown = (f"{row['title']}: {cut_at_word(row['text'], self.tokeniser, SAMPLE_TOKENS)}" for row in rows)
        [found] = door.ask_all([NameDomain("\n\n".join(shown))])
        note = f"domain: {found.value}" if found.value else f"no domain was found: {found.problem}"
        return Domain(found.value or "", found.usage, note)
