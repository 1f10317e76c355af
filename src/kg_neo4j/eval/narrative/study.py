"""What a narrative tree is worth (the narrative thesis): systems on one set of questions, and varied trees.

The texts are loaded into graphs of the study's own, which are removed in the end, or into one that is named and stays,
with the trees that are there. Whatever was built or said is stored first: a study that was stopped goes on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.errors import UsageError
from kg_neo4j.eval.answers.asking import Asking
from kg_neo4j.eval.answers.comparison import ComparisonOptions, open_run
from kg_neo4j.eval.answers.judges import AUTO, judge_of
from kg_neo4j.eval.answers.recalling import RecordFile
from kg_neo4j.eval.answers.scores import Case, SystemScore, score_system
from kg_neo4j.eval.building import saying_what_stays
from kg_neo4j.eval.narrative.building import StudyBuild
from kg_neo4j.eval.narrative.evidence import MODES, find_evidence
from kg_neo4j.eval.narrative.grid import CHUNK_LENGTH, LENGTH, StudyScope, Way
from kg_neo4j.eval.narrative.questions import NarrativeQuestion, read_narrative, with_keys, with_quotes
from kg_neo4j.organise.tree.interface import LEAF_TOKENS, NAME
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Filters, Usage

if TYPE_CHECKING:
    from kg_neo4j.graph.database import Database
    from kg_neo4j.settings import Settings

PROXY = "correctness is a lexical proxy: words of statements are compared, not what they mean; a model judges, if set"


@dataclass(frozen=True, slots=True)
class NarrativeOptions:
    """What to study, and what becomes of it. The defaults are those of the command line."""

    wanted: StudyScope = field(default_factory=StudyScope)
    judge: str = AUTO  # "model", "words", or "auto": a model where one is configured
    graph: str | None = None  # to read, or to load into; it stays. None: the study's own
    budget_usd: float | None = None  # for building, answers and judging together; None: no limit
    keep: bool = False  # leave the study's own graphs in the database


@dataclass(frozen=True, slots=True)
class WayScore:
    """How well one way of asking answered. Evidence is None where no question has quotes, or the way reads none."""

    way: Way
    score: SystemScore
    types: Mapping[str, SystemScore]
    evidence: float | None = None  # share of the quotes that stand in what is read
    beneath: float | None = None  # or in the leaves beneath it


@dataclass(frozen=True, slots=True)
class NarrativeStudy:
    """Everything that was compared."""

    questions: int
    graph: str
    model: str | None
    judge: str
    is_proxy: bool  # correctness compares words
    embedder: str
    results: tuple[WayScore, ...]  # systems first, then each ablation in its order
    building: Mapping[str, Usage]  # what was paid for it in this run
    paid: Usage  # for answers and judging, in this run
    taken: int  # answers that an earlier run had given
    cases: tuple[Case, ...]
    kept: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def study_narrative(
    sources: Sequence[str],
    questions: str,
    *,
    settings: Settings,
    options: NarrativeOptions | None = None,
    progress: Progress = SILENT,
) -> NarrativeStudy:
    """Load the texts, build the trees, ask every question in every way, score the answers, and remove what was built.

    Where an error or an interrupt ends the study, its graphs stay: the same call goes on. Raises SourceNotFound,
    UnreadableSource, UsageError, and what loading, building and asking raise, BudgetReached among it.
    """
    from kg_neo4j.graph.connection import connect
    from kg_neo4j.graph.constraints import delete_graph

    options = options or NarrativeOptions()
    asked = read_narrative(questions)
    building = building_of(sources, settings, options, progress)
    judge_of(settings, options.judge)  # what cannot be meant is said before anything is paid
    with connect(settings, progress, to_write=True) as database:
        with saying_what_stays(building.own_graphs, progress):
            building.build(database)
            database.indexes = None  # other connections have made some
            run = _StudyRun(database, building, options, progress)
            found = run.study(asked)
        kept = tuple(building.own_graphs) if options.keep else ()
        for graph in () if options.keep else building.own_graphs:
            delete_graph(database, graph)
    notes = [PROXY] if run.main.judge.is_proxy else []
    notes += [f"trees that stay in graph {options.graph!r}: {', '.join(building.added)}"] if building.added else []
    return NarrativeStudy(
        questions=len(asked),
        graph=building.of(LEAF_TOKENS).graph,
        model=run.main.answerer.door.model,
        judge=run.main.judge.name,
        is_proxy=run.main.judge.is_proxy,
        embedder=run.main.answerer.embedder.name,
        results=found,
        building=dict(building.steps),
        paid=sum((each.paid for each in run.asking.values()), Usage()),
        taken=sum(each.taken for each in run.asking.values()),
        cases=tuple(run.cases),
        kept=kept,
        notes=(*notes, *dict.fromkeys(building.notes)),
    )


def building_of(
    sources: Sequence[str], settings: Settings, options: NarrativeOptions, progress: Progress, *, is_plan: bool = False
) -> StudyBuild:
    """Return what builds for a study. Raises UsageError where there is nothing to read."""
    if not sources and options.graph is None:
        raise UsageError("nothing to study", hint="name files or folders, or a graph with --graph")
    if not sources and {CHUNK_LENGTH, LENGTH} & set(options.wanted.ablations):
        raise UsageError("chunks of other lengths need the texts", hint="name files; leave out chunk-length and length")
    return StudyBuild(
        *(sources, settings, options.wanted, options.graph),
        budget_usd=options.budget_usd,
        progress=progress,
        is_plan=is_plan,
    )


def aspects_of(database: Database, graph: str) -> tuple[str, ...]:
    """Return the aspects that the narrative trees of a graph have summaries of, in ascending order."""
    from kg_neo4j.retrieve.tree.trees import read_trees

    return tuple(sorted({aspect for each in read_trees(database, graph, NAME) for aspect in each.aspects}))


@dataclass(slots=True)
class _StudyRun:
    """Everything is built; it is asked and scored. `asking` has one for each length of chunks."""

    database: Database
    building: StudyBuild
    options: NarrativeOptions
    progress: Progress
    asking: dict[int, Asking] = field(default_factory=dict)
    cases: list[Case] = field(default_factory=list)
    _file: RecordFile | None = None

    @property
    def main(self) -> Asking:
        """What asks the graph that all systems read."""
        return self._of(LEAF_TOKENS)

    def study(self, asked: Sequence[NarrativeQuestion]) -> tuple[WayScore, ...]:
        """Return the scores of every way; question by question, so that a run that ends early asked all ways alike."""
        from kg_neo4j.graph.documents import list_documents

        graph = self.building.of(LEAF_TOKENS).graph
        ways = self.options.wanted.ways(aspects_of(self.database, graph))
        documents = list_documents(self.database, graph)
        keyed = with_quotes(self.database, graph, with_keys(tuple(asked), documents), documents)
        by_way: dict[str, list[Case]] = {way.name: [] for way in ways}
        self.progress.start("answers", len(ways) * len(keyed))
        for question in keyed:
            for way in ways:
                asking = self._of(way.chunk_tokens)
                by_way[way.name].append(asking.case(way, question.asked, asking.given(way, question.asked)))
                self.progress.advance("answers")
        self.progress.finish("answers")
        self.cases = [case for way in ways for case in by_way[way.name]]
        return tuple(self._scored(way, by_way[way.name], keyed) for way in ways)

    def _scored(self, way: Way, cases: Sequence[Case], asked: Sequence[NarrativeQuestion]) -> WayScore:
        kinds = sorted({case.question.type for case in cases if case.question.type})
        types = {kind: score_system([case for case in cases if case.question.type == kind]) for kind in kinds}
        return WayScore(way, score_system(cases), types, *self._evidence(way, asked))

    def _evidence(self, way: Way, asked: Sequence[NarrativeQuestion]) -> tuple[float | None, float | None]:
        from dataclasses import replace

        from kg_neo4j.organise.search_indexes import WORDED
        from kg_neo4j.retrieve.ask import prepare
        from kg_neo4j.retrieve.filters import resolve
        from kg_neo4j.retrieve.question import read

        quoted = [each for each in asked if each.quotes]
        if not quoted or way.mode not in MODES:
            return None, None
        asking = self._of(way.chunk_tokens)
        one, found = asking.answerer, []
        for each in quoted:
            search, _ = prepare(
                self.database, read(each.asked.text), one.settings.graph, one.embedder, one.tokeniser, WORDED
            )
            filters = asking.filters(each.asked)
            search = replace(search, scope=resolve(self.database, one.settings.graph, filters))
            options = way.options(Filters(), way.tokens)
            found.append(find_evidence(self.database, search, each.quotes, options, one.tokeniser, way.tokens))
        count = len(found)
        return sum(each.strict for each in found) / count, sum(each.beneath for each in found) / count

    def _of(self, chunk_tokens: int) -> Asking:
        if chunk_tokens not in self.asking:
            settings = self.building.of(chunk_tokens)
            self._file = self._file or RecordFile(str(self._path()))
            options = ComparisonOptions(judge=self.options.judge)
            left = self.building.left()
            if left is not None:
                left -= sum((each.paid.usd or 0.0 for each in self.asking.values()), 0.0)
            self.asking[chunk_tokens] = open_run(settings, self.database, options, self._file, left)
        return self.asking[chunk_tokens]

    def _path(self) -> Path:
        """Return the file of what was said of these texts and trees."""
        from kg_neo4j.graph import queries

        lengths = sorted({LEAF_TOKENS, *(each.chunk_tokens for each in self.options.wanted.trees())})
        graphs = [self.building.of(each).graph for each in lengths]
        query = queries.get("retrieve/tree_texts")
        rows = [row for graph in graphs for row in self.database.read(query, graph=graph)]
        key = hash_id("narrative study", *graphs, *(part for row in rows for part in (row["id"], row["text"] or "")))
        folder = self.building.settings.cache / "studies"
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"narrative-{key[:16]}.jsonl"
