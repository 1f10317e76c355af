"""What is done where no model is set: a stand-in for each kind of task and job. None makes calls or costs anything.

Each is imported when it is needed: a load has no use for what answers questions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from kg_neo4j._models.door import EXTRACTIVE, Door, Job
from kg_neo4j._models.layers import Answers, AnswerStore, Layer, Unasked
from kg_neo4j._models.protocols import Listener
from kg_neo4j._models.tasks import Request, Task, TaskAnswer
from kg_neo4j.records import Answer, Usage

if TYPE_CHECKING:
    from kg_neo4j.extract.interface import Extractor
    from kg_neo4j.extract.llm_extractor import OpenExtractor
    from kg_neo4j.graph.resolution.judgement import CompareEntities, Judgements
    from kg_neo4j.organise.community_reports import ChooseDomain, Domain
    from kg_neo4j.organise.description_merges import Merge
    from kg_neo4j.organise.report_questions import ReportDraft, WriteReport
    from kg_neo4j.organise.tree.interface import Aspect
    from kg_neo4j.organise.tree.naming import ClusterAspects, NameClusters
    from kg_neo4j.organise.tree.written import WriteDetail, WriteSummary, WrittenText
    from kg_neo4j.retrieve.cypher.answer import WriteQuery
    from kg_neo4j.retrieve.overview.global_answer import AnswerFromReports, ReportsReply
    from kg_neo4j.retrieve.reply import AnswerFromSources
    from kg_neo4j.rooms.chat.turns import ReadTurn, Turn, Understand, Understood

UNBOUNDED = 10**9  # tokens: there is no window

T = TypeVar("T")


def stand_in(what: Task[Any] | Job[Any]) -> Any:
    """Return what replaces a model's work on a task or a job."""
    return _STAND_INS[what.kind](what)


@dataclass(slots=True)
class StandInDoor(Door):
    """The door of a run without a model."""

    layer: Layer = field(default_factory=lambda: Unasked(window=UNBOUNDED))
    stand_in: Callable[[Task[Any] | Job[Any]], Any] = stand_in

    @property
    def model(self) -> None:
        """None."""
        return

    @property
    def method(self) -> str:
        """Sentences of the texts."""
        return EXTRACTIVE

    def storing(self, store: AnswerStore) -> Door:
        """Return this door: replacements are made again, not stored."""
        return self

    def logging(self, log: Answers) -> Door:
        """Return this door: nothing is paid for."""
        return self

    def counting(self, asked: list[Request], suppose: Callable[[Request], str] | None = None) -> Door:
        """Return this door: nothing is asked."""
        return self

    def planned(self, estimate: Usage) -> Usage:
        """Return nothing: that costs nothing."""
        return Usage(usd=0.0)

    def replaces(self, method: str) -> bool:
        """Return False: what a model wrote stays."""
        return False

    def do(self, job: Job[T]) -> T:
        """Have the stand-in do it."""
        return self.fallback(job)

    def _answer(self, task: Task[T], on_token: Listener | None) -> TaskAnswer[T]:
        return TaskAnswer(task, self.fallback(task), stands_in=True)


# ------------------------------------------------------------------------------------------------- loading


def _open_extractor(job: OpenExtractor) -> Extractor:
    from kg_neo4j_offline.extractor.extractor import OfflineExtractor

    return OfflineExtractor(job.schema, spacy_model=job.spacy_model)


def _compare(job: CompareEntities) -> Judgements:
    from kg_neo4j.graph.resolution.judgement import Judgements

    return Judgements({}, Usage(), 0, ())  # what rules leave open stays open


# ------------------------------------------------------------------------------------------------- derived texts


def _describe(task: Merge) -> str:
    from kg_neo4j.organise.description_merges import SUMMARY_TOKENS
    from kg_neo4j_offline.description_extracts import extract

    return extract(task.texts, task.tokeniser, SUMMARY_TOKENS, task.element.name)


def _report(task: WriteReport) -> ReportDraft:
    from kg_neo4j_offline.composed_reports import compose

    return compose(task.material)


def _choose_domain(job: ChooseDomain) -> Domain:
    from kg_neo4j.organise.community_reports import Domain

    return Domain(None)


def _summarise(task: WriteSummary) -> WrittenText:
    from kg_neo4j.organise.tree.written import WrittenText
    from kg_neo4j_offline.tree_texts import summary

    return WrittenText(summary(task.item.context, task.aspect, task.subject.tokeniser, task.most), EXTRACTIVE)


def _detail(task: WriteDetail) -> WrittenText:
    from kg_neo4j.organise.tree.written import WrittenText
    from kg_neo4j_offline.tree_texts import aspect_note, note

    if task.aspect is not None:
        text = aspect_note(task.item.context, task.aspect, task.subject.tokeniser, task.most)
        return WrittenText(text, EXTRACTIVE)
    return WrittenText(note(task.item.context, len(task.item.before), task.subject.tokeniser, task.most), EXTRACTIVE)


def _name_clusters(job: NameClusters) -> Sequence[ClusterAspects]:
    from kg_neo4j.organise.tree.naming import ClusterAspects
    from kg_neo4j_offline.cues import cued_clusters

    typical = _typical(job.by.leaves, job.by.aspects)
    if job.texts == ("\n\n".join(job.by.leaves),):  # one cluster: nothing to compare it with
        names = tuple(each.name for each in job.by.aspects if typical[each.name])
        return [ClusterAspects(names or (job.by.aspects[0].name,))]
    return [ClusterAspects(names) for names in cued_clusters(job.texts, job.by.aspects, typical)]


def _fits(texts: Sequence[str]) -> Mapping[str, float]:
    from kg_neo4j_offline.cues import fits

    return fits(texts)


@lru_cache(maxsize=4)  # a model may leave many clusters of one tree unnamed
def _typical(leaves: tuple[str, ...], aspects: tuple[Aspect, ...]) -> Mapping[str, float]:
    from kg_neo4j_offline.cues import typical_densities

    return typical_densities(leaves, aspects)


# ------------------------------------------------------------------------------------------------- questions


def _from_sources(job: AnswerFromSources) -> Answer:
    from kg_neo4j_offline.from_sources import answer

    return answer(job)


def _from_reports(job: AnswerFromReports) -> ReportsReply:
    from kg_neo4j_offline.report_extracts import answer

    return answer(job)


def _write_query(job: WriteQuery) -> Answer:
    from kg_neo4j.retrieve.cypher.answer import unmatched

    return unmatched(job.why)


def _understand(job: Understand) -> Understood:
    from kg_neo4j_offline.follow_ups import resolve

    return resolve(job.question, job.turns)


def _read_turn(job: ReadTurn) -> Turn:
    from kg_neo4j_offline.spoken_of import turn_of

    return turn_of(job.database, job.graph, job.answer)


_STAND_INS: dict[str, Callable[[Any], Any]] = {
    "open_extractor": _open_extractor,
    "compare": _compare,
    "propose": lambda job: job.by_fits(_fits) if job.aspects else job.by_counting(StandInDoor()),
    "tune": lambda _: None,
    "tune_aspects": lambda _: None,
    "description": _describe,
    "report": _report,
    "choose_domain": _choose_domain,
    "summary": _summarise,
    "detail": _detail,
    "name_clusters": _name_clusters,
    "from_sources": _from_sources,
    "from_reports": _from_reports,
    "write_query": _write_query,
    "understand": _understand,
    "read_turn": _read_turn,
    "open_judge": lambda job: job.words,
    "plan_tree": lambda _: Usage(usd=0.0),
}
