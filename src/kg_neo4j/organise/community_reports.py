"""Community reports (W2): what each community is, how much it matters, and what is found in it, with references.

Reports are derived (tier 2), and made when they are asked for, because they are paid for. A report is known by a hash
of its community's members, relationships and what is said of them; where that is unchanged, nothing is asked and
nothing written. What a model says is stored as an Answer before it is used. Finer levels come first: a community that
is too large for one question is shown with reports on its parts. Without a model a report is composed from the graph,
and one that a model wrote is kept as long as its hash stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kg_neo4j._models import prompts
from kg_neo4j._models.cache import AnswerCache
from kg_neo4j._models.protocols import ChatModel, Completion
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.errors import ContentFiltered, ContextTooLong
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Row, Transaction, batches
from kg_neo4j.graph.lease import Lease
from kg_neo4j.organise.description_merges import Said
from kg_neo4j.organise.inquiry import Inquiry, Reply
from kg_neo4j.organise.report_material import Link, Material, Member, Packed, pack
from kg_neo4j.organise.report_questions import (
    LEAST_INPUT,
    NOT_ANSWERED,
    TINY,
    Asking,
    Question,
    Written,
    ask_or_write,
    asking,
    composed,
    is_useful,
)
from kg_neo4j.organise.stored_reports import MODEL, CommunityReport, properties, read_reports
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Usage

PAGE = 100  # communities that are read at a time
DOCUMENTS = 5  # titles that a composed report names
STAGE = "reports"


@dataclass(frozen=True, slots=True)
class Reporting:
    """How to write reports."""

    model: ChatModel | None  # None: compose them from the graph
    tokeniser: Tokeniser
    concurrency: int = 1  # calls in flight
    cache: AnswerCache | None = None  # answers that were paid for on this machine, in any graph
    domain: str | None = None  # what the documents are about; empty: nothing is said; None: as reports so far


@dataclass(frozen=True, slots=True)
class Reported:
    """What writing reports did."""

    reports: int  # that the graph has now
    changes: int  # reports that were written; 0 on a repeat
    by_model: int  # of the reports that the graph has now
    flagged: int  # likewise
    usage: Usage
    domain: str = ""  # that the model was given
    unfinished: tuple[str, ...] = ()  # one line on what a model should have written and did not


def write_reports(
    database: Database, graph: str, how: Reporting, progress: Progress = SILENT, *, lease: Lease
) -> Reported:
    """Bring the reports on all communities of `graph` up to date. A repeat gives 0 changes and 0 calls.

    A model that fails, or a budget that is reached, does not stop: reports that were to be asked for are composed from
    the graph, `unfinished` says so, and the next run asks again. Raises DatabaseError, and LeaseHeld where the lease
    was lost.
    """
    run = _Run(database, graph, how, lease)
    communities = database.read(queries.get("analytics/report_communities"), graph=graph)
    progress.start(STAGE, len(communities))
    for rows in pages(communities):
        run.write(rows)
        progress.advance(STAGE, len(rows))
    sweep = queries.get("analytics/sweep_reports")
    _proven(database, lease, lambda transaction: transaction.run(sweep, graph=graph))
    progress.finish(STAGE)
    return run.report()


def pages(communities: Sequence[Row]) -> Iterator[Sequence[Row]]:
    """Yield communities in pages of one level each, the finest first; a page's reports need no other one of it."""
    for level in sorted({row["level"] for row in communities}, reverse=True):
        yield from batches([row for row in communities if row["level"] == level], PAGE)


def read_materials(database: Database, graph: str, ids: Sequence[str]) -> dict[str, Material]:
    """Return what reports on communities are made from, by id."""
    wanted = sorted(ids)
    entities = database.read(queries.get("analytics/report_entities"), graph=graph, ids=wanted)
    links = database.read(queries.get("analytics/report_relationships"), graph=graph, ids=wanted)
    documents = database.read(queries.get("analytics/report_documents"), graph=graph, ids=wanted, limit=DOCUMENTS)
    linked = {row["id"]: row["relationships"] for row in links}
    found = {row["id"]: row for row in documents}
    return {
        row["id"]: Material(
            row["id"],
            tuple(_member(each) for each in row["entities"]),
            tuple(Link(*each) for each in linked.get(row["id"], ())),
            tuple(found[row["id"]]["documents"]) if row["id"] in found else (),
            found[row["id"]]["total"] if row["id"] in found else 0,
        )
        for row in entities
    }


def usual_domain(communities: Sequence[Row]) -> str:
    """Return the domain that most reports of a graph were written for; empty for none."""
    named = [row["domain"] for row in communities if row["method"] == MODEL and row["domain"]]
    return max(sorted(set(named)), key=named.count) if named else ""


def is_current(row: Row, material: Material, domain: str | None) -> bool:
    """Say whether a report that a model wrote stands: nothing that it was made from has changed."""
    kept = domain is None or (row["domain"] or "") == domain
    return bool(row["method"] == MODEL and row["hash"] == material.digest and kept)


@dataclass(slots=True)
class _Run:
    """One call of `write_reports`."""

    database: Database
    graph: str
    how: Reporting
    lease: Lease
    reports: int = 0
    changes: int = 0
    by_model: int = 0
    flagged: int = 0
    usage: Usage = field(default_factory=Usage)
    inquiry: Inquiry[Question] | None = None
    asking: Asking | None = None
    failed: list[str] = field(default_factory=list)
    waiting: int = 0  # reports that the model should have written
    too_long: set[str] = field(default_factory=set)  # questions that did not fit the model's window

    def __post_init__(self) -> None:
        if self.how.model is None:
            return
        communities = self.database.read(queries.get("analytics/report_communities"), graph=self.graph)
        domain = usual_domain(communities) if self.how.domain is None else self.how.domain
        self.asking = asking(self.graph, self.how.model, domain)
        self.inquiry = Inquiry(
            self.how.model,
            self.how.cache,
            self.how.concurrency,
            lambda question, said: is_useful(question, Said(said.text, said.finish_reason)),
            max_tokens=self.asking.max_tokens,
        )

    def report(self) -> Reported:
        unfinished: list[str] = []
        if self.waiting:
            stopped = self.inquiry.stopped if self.inquiry else None
            why = str(stopped) if stopped else self.failed[0]
            unfinished.append(f"{self.waiting} reports were not written by the model: {why}")
        counts = (self.reports, self.changes, self.by_model, self.flagged)
        domain = self.asking.domain if self.asking else ""
        return Reported(*counts, self.usage, domain, tuple(unfinished))

    def write(self, rows: Sequence[Row]) -> None:
        """Bring the reports of one page up to date."""
        materials = read_materials(self.database, self.graph, [row["id"] for row in rows])
        stored = {each.id: each for each in read_reports(self.database, self.graph, ids=list(materials))}
        domain = self.how.domain if self.how.model else None
        current = {
            row["id"] for row in rows if row["id"] in materials and is_current(row, materials[row["id"]], domain)
        }
        wanted = {
            row["id"]: materials[row["id"]] for row in rows if row["id"] in materials and row["id"] not in current
        }
        written = self._written(wanted)
        made = [self._report(row, materials[row["id"]], written[row["id"]]) for row in rows if row["id"] in written]
        changed = [each for each in made if each != stored.get(each.id)]
        self._store(changed, written)
        standing = [*made, *(stored[each] for each in current)]
        self.reports += len(standing)
        self.by_model += sum(each.method == MODEL for each in standing)
        self.flagged += sum(bool(each.flags) for each in standing)

    def _written(self, wanted: Mapping[str, Material]) -> dict[str, Written]:
        """Return what each report says; stored answers are not paid for again."""
        written = {key: composed(each) for key, each in wanted.items() if not self.asking or len(each.members) < TINY}
        active = {key: each for key, each in wanted.items() if key not in written}
        if not active or self.asking is None:
            return written
        rooms = dict.fromkeys(active, self.asking.room)
        packed = {key: self._packed(each, rooms[key]) for key, each in active.items()}
        said: dict[str, Said] = {}
        unanswered: set[str] = set()
        while active:
            questions: dict[str, Question] = {}
            asked: dict[str, list[str]] = {}  # key of a question -> communities: two may consist of the same
            for key, material in list(active.items()):
                found = ask_or_write(material, packed[key], said, self.asking)
                if isinstance(found, Question) and found.key not in unanswered:
                    questions[found.key] = found
                    asked.setdefault(found.key, []).append(key)
                    continue
                if isinstance(found, Question) and found.key in self.too_long and rooms[key] > LEAST_INPUT:
                    rooms[key] = max(LEAST_INPUT, rooms[key] // 2)
                    packed[key] = self._packed(material, rooms[key])
                    continue
                if isinstance(found, Question):
                    self.waiting += 1
                    found = composed(material, NOT_ANSWERED)
                written[key] = found
                del active[key]
            said |= self._answers(questions, asked)
            unanswered |= questions.keys() - said.keys()
        return written

    def _packed(self, material: Material, room: int) -> Packed:
        """Return what is shown of a community; reports on its parts may stand for them where it is too large."""
        children = sorted({each.child for each in material.members if each.child})
        reports = read_reports(self.database, self.graph, ids=children) if len(children) > 1 else ()
        return pack(material, reports, self.how.tokeniser, room)

    def _answers(self, questions: Mapping[str, Question], asked: Mapping[str, list[str]]) -> dict[str, Said]:
        """Return the answers that are stored, and those that come now; each is stored as it comes."""
        rows = self.database.read(queries.get("analytics/report_answers"), graph=self.graph, ids=sorted(questions))
        said = {row["id"]: Said(row["text"], row["finish_reason"]) for row in rows}
        missing = [question for key, question in sorted(questions.items()) if key not in said]
        if self.inquiry is not None and missing:
            for question, reply in self.inquiry.ask(missing):
                if (answer := self._take(question, reply, asked[question.key])) is not None:
                    said[question.key] = answer
        return said

    def _take(self, question: Question, reply: Reply, communities: Sequence[str]) -> Said | None:
        """Store what was said; return None where nothing was."""
        if isinstance(reply, Completion):
            self.usage += reply.usage
            said, usage = Said(reply.text, reply.finish_reason), reply.usage
        elif isinstance(reply, ContentFiltered):
            said, usage = Said("", "content_filter"), Usage()
        else:
            if isinstance(reply, ContextTooLong):
                self.too_long.add(question.key)
            self.failed.append(str(reply))
            return None
        answer = {
            "id": question.key,
            "graph": self.graph,
            "kind": "report",
            "round": question.round,
            "text": said.text,
            "model": self.asking.model if self.asking else "",
            "prompt_hash": prompts.load("community_report").hash,
            "finish_reason": said.finish_reason,
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
        }
        query = queries.get("analytics/store_report_answer")
        ids = list(communities)
        _proven(
            self.database,
            self.lease,
            lambda transaction: transaction.run(query, graph=self.graph, ids=ids, answer=answer),
        )
        return said

    def _report(self, row: Row, material: Material, written: Written) -> CommunityReport:
        draft = written.draft
        by_model = written.method == MODEL and self.asking is not None
        return CommunityReport(
            id=row["id"],
            level=row["level"],
            number=row["number"],
            size=row["size"],
            parent_id=row["parent_id"],
            title=draft.title,
            summary=draft.summary,
            rating=draft.rating if draft.rating is not None else 0.0,
            rating_explanation=draft.rating_explanation,
            findings=draft.findings,
            method=written.method,
            hash=material.digest,
            flags=written.flags,
            domain=self.asking.domain if by_model and self.asking else "",
        )

    def _store(self, reports: Sequence[CommunityReport], written: Mapping[str, Written]) -> None:
        query = queries.get("analytics/write_reports")
        rows = [
            {"id": each.id, "report": properties(each), "answers": list(written[each.id].answers)} for each in reports
        ]
        for some in batches(rows, PAGE):

            def write(transaction: Transaction, some: Sequence[Mapping[str, Any]] = some) -> None:
                transaction.run(query, graph=self.graph, rows=list(some))

            _proven(self.database, self.lease, write)
        self.changes += len(rows)


def _member(row: Sequence[Any]) -> Member:
    entity, name, kind, description, evidence, born, died, child = row
    years = tuple(year for year in (born, died) if isinstance(year, int))
    return Member(entity, name, kind, description, evidence, years, child)


def _proven(database: Database, lease: Lease, work: Callable[[Transaction], object]) -> None:
    """Run `work` in a write transaction that proves the lease."""

    def proven(transaction: Transaction) -> None:
        lease.prove(transaction)
        work(transaction)

    database.write_transaction(proven)
