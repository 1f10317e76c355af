"""What writing community reports would ask a model; nothing is asked and nothing is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kg_neo4j._models.door import Door
from kg_neo4j._models.tasks import Request
from kg_neo4j.graph import queries
from kg_neo4j.graph.answers import GraphAnswers
from kg_neo4j.graph.database import Database, Row
from kg_neo4j.organise.community_reports import Reporting, is_current, pages, read_materials, usual_domain
from kg_neo4j.organise.report_answers import most_findings
from kg_neo4j.organise.report_material import Material
from kg_neo4j.organise.report_questions import TINY, Asker
from kg_neo4j.organise.stored_reports import COMPOSED, CommunityReport, read_reports
from kg_neo4j.records import Usage

BASE_TOKENS = 200  # of a report without its findings
FINDING_TOKENS = 110  # of a finding: fewer than the words that a report may have


@dataclass(frozen=True, slots=True)
class ReportPlan:
    """What `write_reports` would do. Calls and tokens are estimates: children's reports are not written yet."""

    communities: int
    current: int  # with a report that stands
    composed: int  # that get a report without a model
    usage: Usage  # of the calls that are still to be paid; without a price
    measured: int = 0  # answers of this model that the length of a report was measured on; 0: assumed


def plan_reports(database: Database, graph: str, how: Reporting) -> ReportPlan:
    """Estimate what `write_reports` with the same arguments would ask."""
    communities = database.read(queries.get("analytics/report_communities"), graph=graph)
    domain = usual_domain(communities) if how.domain is None else how.domain
    asker = Asker(graph, how.door.name, how.door.window, domain, how.tokeniser)
    run = _Run(database, how, how.door.storing(GraphAnswers(database, graph)), asker)
    counted = [run.count(rows) for rows in pages(communities)]
    current, composed, calls, read, written = (sum(each) for each in zip(*counted, strict=True)) if counted else [0] * 5
    return ReportPlan(len(communities), current, composed, Usage(calls, read, written), run.measured)


class _Run:
    """One estimate."""

    def __init__(self, database: Database, how: Reporting, door: Door, asker: Asker) -> None:
        self._database = database
        self._graph = asker.graph
        self._how = how
        self._door = door
        self._asker = asker
        query = queries.get("analytics/report_answer_length")
        row = database.read(query, graph=asker.graph, model=door.name)[0]
        self.measured = int(row["answers"])
        self._length = float(row["output_tokens"] or 0)
        self._stand_ins: dict[str, CommunityReport] = {}
        self._counted: set[str] = set()

    def count(self, rows: Sequence[Row]) -> tuple[int, int, int, int, int]:
        """Return (current, composed, calls, input tokens, output tokens) of one page."""
        materials = read_materials(self._database, self._graph, [row["id"] for row in rows])
        current = {
            row["id"]
            for row in rows
            if row["id"] in materials and is_current(row, materials[row["id"]], self._how.domain)
        }
        wanted = {row["id"]: row for row in rows if row["id"] in materials and row["id"] not in current}
        self._stand_ins |= {key: self._stand_in(row, materials[key]) for key, row in wanted.items()}
        asked = {key: materials[key] for key in wanted if len(materials[key].members) >= TINY}
        found = [(each, *self._asked(each)) for each in asked.values()]
        composed = len(wanted) - sum(by_model for _, by_model, _ in found)
        paid = [(each, request) for each, _, request in found if request and request.key not in self._counted]
        self._counted |= {request.key for _, request in paid}  # levels share communities
        count = self._how.tokeniser.count
        read = sum(count(request.system) + count(request.user) for _, request in paid)
        written = sum(self._expected(material) for material, _ in paid)
        return len(current), composed, len(paid), read, written

    def _asked(self, material: Material) -> tuple[bool, Request | None]:
        """Return whether a model writes this report, and what would be paid for; None where the answer is there."""
        asked: list[Request] = []
        answer = self._door.counting(asked).ask(self._asker.task(material, self._children(material)))
        return not answer.stands_in, asked[0] if asked else None

    def _children(self, material: Material) -> Sequence[CommunityReport]:
        children = sorted({each.child for each in material.members if each.child})
        if len(children) < 2:
            return ()
        stored = {each.id: each for each in read_reports(self._database, self._graph, ids=children)}
        return tuple((stored | self._stand_ins)[key] for key in children if key in stored | self._stand_ins)

    def _expected(self, material: Material) -> int:
        if self._length:
            return round(self._length)
        return BASE_TOKENS + FINDING_TOKENS * most_findings(material)

    def _stand_in(self, row: Row, material: Material) -> CommunityReport:
        """Return the report that would be composed, in place of one that is not written yet."""
        draft = self._door.instead(self._asker.task(material, ()))
        place = (row["id"], row["level"], row["number"], row["size"], row["parent_id"])
        return CommunityReport(
            *place, draft.title, draft.summary, 0.0, draft.rating_explanation, draft.findings, COMPOSED, material.digest
        )
