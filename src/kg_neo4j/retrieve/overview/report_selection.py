"""Which community reports a question is put to: a level that can be read within a budget, from the coarsest one down.

Where a whole level is no more than one question to a model, it is read as it is. A longer one is reached from the
coarsest level: a report whose parent says nothing about the question is not read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from kg_neo4j.errors import UsageError
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database
from kg_neo4j.organise.report_references import statements, without_marks
from kg_neo4j.organise.stored_reports import CommunityReport, Finding, read_reports
from kg_neo4j.retrieve.filtered import left_of
from kg_neo4j.retrieve.interface import Scope
from kg_neo4j.retrieve.overview.partial_answers import CALL_TOKENS, Partial, Partials

READ_TOKENS = 24_000  # of the reports of a level that is chosen; four questions to a model
CHARACTERS_A_TOKEN = 4
SMALLEST = 2  # members; an entity that stands alone is no community here
SUMMARY = 3  # statements that stand for a summary


@dataclass(frozen=True, slots=True)
class ReportLevel:
    """A level of communities with two or more members."""

    level: int
    communities: int
    reports: int
    tokens: int  # of the reports; an estimate


def report_levels(database: Database, graph: str, scope: Scope | None = None) -> tuple[ReportLevel, ...]:
    """Return the levels of a graph, the coarsest first; of their reports those that `scope` leaves something of."""
    levels = []
    for row in database.read(queries.get("retrieve/report_levels"), graph=graph):
        communities, reports, characters = row["communities"], row["reports"], row["characters"]
        if scope is not None:
            kept = read_level(database, graph, row["level"], scope)
            communities, reports = communities - (reports - len(kept)), len(kept)
            characters = sum(len(report.text) for report in kept)
        levels.append(ReportLevel(row["level"], communities, reports, characters // CHARACTERS_A_TOKEN))
    return tuple(levels)


def choose(levels: Sequence[ReportLevel], wanted: int | None, read_tokens: int = READ_TOKENS) -> ReportLevel:
    """Return the level that is `wanted`, or the finest one whose reports are within `read_tokens`, else the coarsest.

    `levels` is not empty. Raises UsageError for a level that there is not.
    """
    if wanted is not None:
        for each in levels:
            if each.level == wanted:
                return each
        raise UsageError(
            f"there is no level {wanted} of communities", hint=f"the levels are 0 (coarsest) to {levels[-1].level}"
        )
    written = [each for each in levels if each.reports] or list(levels)
    complete = [each for each in written if each.reports == each.communities] or written
    fitting = [each for each in complete if each.tokens <= read_tokens]
    return fitting[-1] if fitting else complete[0]


def read_level(database: Database, graph: str, level: int, scope: Scope | None = None) -> list[CommunityReport]:
    """Return what `scope` leaves of the reports of one level on communities with two or more members."""
    reports = [each for each in read_reports(database, graph, level=level) if each.size >= SMALLEST]
    return reports if scope is None else keep(reports, left_of(database, scope, cited(reports)))


def most_important(reports: Sequence[CommunityReport], read_tokens: int = READ_TOKENS) -> list[CommunityReport]:
    """Return the reports of highest rating that are within `read_tokens` together; at least one."""
    kept: list[CommunityReport] = []
    filled = 0
    for report in sorted(reports, key=lambda each: (-each.rating, -each.size, each.number)):
        tokens = len(report.text) // CHARACTERS_A_TOKEN
        if kept and filled + tokens > read_tokens:
            break
        kept.append(report)
        filled += tokens
    return sorted(kept, key=lambda each: each.number)


@dataclass(slots=True)
class ReportSelection:
    """Puts a question to the reports of one level, as far as their parents have something to say about it."""

    database: Database
    graph: str
    partials: Partials
    scope: Scope | None = None
    numbered: dict[int, CommunityReport] = field(default_factory=dict)  # every report that was asked about
    unread: int = 0  # reports of the level whose parents say nothing about the question

    def ask(self, target: ReportLevel, *, limited: bool) -> list[Partial]:
        """Return what reports contribute, best first. `limited`: where all are too many, those rated highest alone."""
        if target.level == 0 or target.tokens <= CALL_TOKENS:
            reports = read_level(self.database, self.graph, target.level, self.scope)
            kept = most_important(reports) if limited and target.tokens > READ_TOKENS else reports
            self.unread = len(reports) - len(kept)
            return self._ask(kept)
        return self._descend(target)

    def _descend(self, target: ReportLevel) -> list[Partial]:
        """Ask about the coarsest level, then about the parts of what is relevant, down to the target.

        What is relevant without any of its parts being so counts itself.
        """
        final: list[Partial] = []
        asked_last = 0
        relevant = [(each.report.id, each) for each in self._ask(read_level(self.database, self.graph, 0, self.scope))]
        for level in range(1, target.level + 1):
            parts: dict[str, list[CommunityReport]] = {}
            for report in read_level(self.database, self.graph, level, self.scope):
                parts.setdefault(report.parent_id or "", []).append(report)
            carried: list[tuple[str, Partial]] = []
            questions: list[CommunityReport] = []
            for community, partial in relevant:
                children = parts.get(community, [])
                if [each.hash for each in children] == [partial.report.hash]:
                    carried.append((children[0].id, partial))  # the same community: it is not asked about again
                elif children:
                    questions += children
                else:
                    final.append(partial)
            found = self._ask(questions)
            speaking = {each.report.parent_id for each in found}
            carried_from = {partial.number for _, partial in carried}
            final += [
                partial
                for community, partial in relevant
                if parts.get(community) and community not in speaking and partial.number not in carried_from
            ]
            relevant = [*carried, *((each.report.id, each) for each in found)]
            asked_last = len(questions) + len(carried)
        self.unread = target.reports - asked_last
        return sorted(
            [*final, *(partial for _, partial in relevant)],
            key=lambda each: (-each.score, -each.report.rating, each.number),
        )

    def _ask(self, reports: Sequence[CommunityReport]) -> list[Partial]:
        new = dict(enumerate(reports, len(self.numbered) + 1))
        self.numbered |= new
        return self.partials.ask(new) if new else []


def cited(reports: Iterable[CommunityReport]) -> Iterator[str]:
    """Return the ids of the entities and facts that reports cite."""
    return (each for report in reports for finding in report.findings for each in finding.ids)


def keep(reports: Iterable[CommunityReport], left: frozenset[str]) -> list[CommunityReport]:
    """Return of reports, in their order, what rests on `left` (ids of entities and facts) alone."""
    kept = []
    for report in reports:
        findings = tuple(each for finding in report.findings if (each := _kept(finding, left)).ids)
        if findings:
            first = [each.explanation for each in findings][:SUMMARY]
            kept.append(replace(report, findings=findings, summary=" ".join(map(without_marks, first))))
    return kept


def _kept(finding: Finding, left: frozenset[str]) -> Finding:
    """Return the statements of a finding that rest on `left` alone; without any it has no ids."""
    known = {number: each for number, each in finding.entities.items() if each in left}
    stated = {number: each for number, each in finding.relationships.items() if each in left}
    kept = [
        (text, cited, related)
        for text, cited, related in statements(finding.explanation)
        if (cited or related) and cited <= known.keys() and related <= stated.keys()
    ]
    used = frozenset[int]().union(*(cited for _, cited, _ in kept))
    used_facts = frozenset[int]().union(*(related for _, _, related in kept))
    return replace(
        finding,
        summary="",
        explanation=" ".join(text if _ended(text) else f"{text}." for text, _, _ in kept),
        entities={number: each for number, each in known.items() if number in used},
        relationships={number: each for number, each in stated.items() if number in used_facts},
    )


def _ended(text: str) -> bool:
    """Return whether a statement ends with a full stop before its mark."""
    return without_marks(text).rstrip().endswith((".", "!", "?", "…"))
