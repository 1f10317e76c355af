"""What a narrative tree is worth (the narrative thesis): systems on one set of questions, and varied trees.

The texts are loaded into graphs of the study's own, which are removed in the end, or into one that is named and stays,
with the trees that are there. Whatever was built or said is stored first: a study that was stopped goes on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.errors import UsageError
from kg_neo4j.graph import queries
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import list_documents
from kg_neo4j.organise.search_indexes import WORDED
from kg_neo4j.organise.tree.aspects import load_aspects
from kg_neo4j.organise.tree.interface import LEAF_TOKENS, NAME
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Filters, Usage
from kg_neo4j.retrieve.ask import prepare
from kg_neo4j.retrieve.filters import resolve
from kg_neo4j.retrieve.interface import Search
from kg_neo4j.retrieve.question import read
from kg_neo4j.retrieve.tree.search import read_trees
from kg_neo4j.settings import Settings
from kg_neo4j_lab.answers.asking import Asking, Counting
from kg_neo4j_lab.answers.comparison import ComparisonOptions, open_run
from kg_neo4j_lab.answers.correctness import AUTO, judge_of
from kg_neo4j_lab.answers.recalling import RecordFile
from kg_neo4j_lab.answers.scores import Case, SystemScore, notes_on, score_system
from kg_neo4j_lab.building import saying_what_stays
from kg_neo4j_lab.narrative import questions as question_files
from kg_neo4j_lab.narrative.building import StudyBuild
from kg_neo4j_lab.narrative.grid import CHUNK_LENGTH, LENGTH, StudyScope, Way
from kg_neo4j_lab.narrative.questions import PASSAGE_MODES, NarrativeQuestion, find_evidence, read_narrative

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
    kept: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NarrativePlan:
    """What would be asked. `is_exact`: everything is built, so that each question was searched for."""

    questions: int
    ways: int
    graph: str
    building: Mapping[str, Usage]
    answers: Usage
    judging: Usage  # at most: answers that are alike are judged once
    is_exact: bool


def study_narrative(
    sources: Sequence[str],
    questions: str,
    *,
    settings: Settings,
    options: NarrativeOptions,
    progress: Progress = SILENT,
) -> NarrativeStudy:
    """Load the texts, build the trees, ask every question in every way, score the answers, and remove what was built.

    Where an error or an interrupt ends the study, its graphs stay: the same call goes on. Raises SourceNotFound,
    UnreadableSource, UsageError, and what loading, building and asking raise, BudgetReached among it.
    """
    asked = read_narrative(questions)
    building = _building_of(sources, settings, options, progress)
    judge_of(settings, options.judge)  # an invalid judge is refused before anything is paid
    with connect(settings, progress, to_write=True, makes=[]) as database:
        with saying_what_stays(building.own_graphs, progress):
            building.build(database)
            database.indexes = None  # other connections have made some
            run = _StudyRun(database, building, options, progress)
            found = run.study(asked)
        kept = tuple(building.own_graphs) if options.keep else ()
        for graph in () if options.keep else building.own_graphs:
            delete_graph(database, graph)
    notes = notes_on(run.cases) + ([PROXY] if run.of(LEAF_TOKENS).judge.is_proxy else [])
    notes += [f"trees that stay in graph {options.graph!r}: {', '.join(building.added)}"] if building.added else []
    main = run.of(LEAF_TOKENS)
    return NarrativeStudy(
        questions=len(asked),
        graph=main.answerer.settings.graph,
        model=main.answerer.door.model,
        judge=main.judge.name,
        is_proxy=main.judge.is_proxy,
        embedder=main.answerer.embedder.name,
        results=found,
        building=building.steps,
        paid=sum((each.paid for each in run.asking.values()), Usage()),
        taken=sum(each.taken for each in run.asking.values()),
        cases=tuple(run.cases),
        kept=kept,
        notes=(*notes, *dict.fromkeys(building.notes)),
    )


def plan_narrative(
    sources: Sequence[str],
    questions: str,
    *,
    settings: Settings,
    options: NarrativeOptions,
    progress: Progress = SILENT,
) -> NarrativePlan:
    """Return what `study_narrative` with the same arguments would ask, an earlier run's answers not deducted.

    The same run, with doors that count: no model is asked and nothing is written. Raises as `study_narrative` does
    before it asks.
    """
    asked = read_narrative(questions)
    building = _building_of(sources, settings, options, progress, is_plan=True)
    with connect(settings, progress, to_write=True, makes=[]) as database:
        building.build(database)
        graph = building.of(LEAF_TOKENS).graph
        ways = options.wanted.ways(_aspects_of(database, graph) or [each.name for each in load_aspects(None)])
        if documents := list_documents(database, graph):
            asked = question_files.with_keys(asked, documents)
        counting, how = Counting(), ComparisonOptions(judge=options.judge)
        lengths = dict.fromkeys((LEAF_TOKENS, *(way.chunk_tokens for way in ways)))
        runs = {each: open_run(building.of(each), database, how, None, None, counting) for each in lengths}
        built = {way: building.is_built(database, building.of(way.chunk_tokens).graph, way) for way in ways}
        answers = Usage()
        for question in asked:
            for way in ways:
                answers += counting.answer(runs[way.chunk_tokens], way, question.asked, is_built=built[way])
    judging = counting.judging(runs[LEAF_TOKENS])
    return NarrativePlan(len(asked), len(ways), graph, building.steps, answers, judging, all(built.values()))


def _building_of(
    sources: Sequence[str], settings: Settings, options: NarrativeOptions, progress: Progress, *, is_plan: bool = False
) -> StudyBuild:
    """Return what builds for a study. Raises UsageError where there is nothing to read."""
    if not sources and options.graph is None:
        raise UsageError("nothing to study", hint="name files or folders, or a graph with --graph")
    if not sources and {CHUNK_LENGTH, LENGTH} & set(options.wanted.ablations):
        raise UsageError("chunks of other lengths need the texts", hint="name files; leave out chunk-length and length")
    what = (sources, settings, options.wanted, options.graph)
    return StudyBuild(*what, budget_usd=options.budget_usd, progress=progress, is_plan=is_plan)


def _aspects_of(database: Database, graph: str) -> list[str]:
    """Return the aspects that the narrative trees of a graph have summaries of, in ascending order."""
    return sorted({aspect for each in read_trees(database, graph, NAME) for aspect in each.aspects})


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

    def study(self, asked: Sequence[NarrativeQuestion]) -> tuple[WayScore, ...]:
        """Return the scores of every way; question by question, so that a run that ends early asked all ways alike."""
        graph = self.building.of(LEAF_TOKENS).graph
        ways = self.options.wanted.ways(_aspects_of(self.database, graph))
        documents = list_documents(self.database, graph)
        keyed = question_files.with_quotes(self.database, graph, question_files.with_keys(asked, documents), documents)
        by_way: dict[str, list[Case]] = {way.name: [] for way in ways}
        self.progress.start("answers", len(ways) * len(keyed))
        for question in keyed:
            for way in ways:
                asking = self.of(way.chunk_tokens)
                by_way[way.name].append(asking.case(way, question.asked, asking.given(way, question.asked)))
                self.progress.advance("answers")
        self.progress.finish("answers")
        self.cases = [case for cases in by_way.values() for case in cases]
        return tuple(self._scored(way, by_way[way.name], keyed) for way in ways)

    def of(self, chunk_tokens: int) -> Asking:
        """Return what asks the graph of chunks of a length."""
        if chunk_tokens not in self.asking:
            self._file = self._file or RecordFile(self._path())
            left = self.building.left()
            if left is not None:
                left -= sum((each.paid.usd or 0.0 for each in self.asking.values()), 0.0)
            options = ComparisonOptions(judge=self.options.judge)
            settings = self.building.of(chunk_tokens)
            self.asking[chunk_tokens] = open_run(settings, self.database, options, self._file, left)
        return self.asking[chunk_tokens]

    def _scored(self, way: Way, cases: Sequence[Case], asked: Sequence[NarrativeQuestion]) -> WayScore:
        kinds = sorted({case.question.type for case in cases if case.question.type})
        types = {kind: score_system([case for case in cases if case.question.type == kind]) for kind in kinds}
        return WayScore(way, score_system(cases), types, *self._evidence(way, asked))

    def _evidence(self, way: Way, asked: Sequence[NarrativeQuestion]) -> tuple[float | None, float | None]:
        quoted = [each for each in asked if each.quotes]
        if not quoted or way.mode not in PASSAGE_MODES:
            return None, None
        asking, found = self.of(way.chunk_tokens), []
        one, graph = asking.answerer, asking.answerer.settings.graph
        for each in quoted:
            scope = resolve(self.database, graph, asking.filters(each.asked))
            search = Search(graph, read(each.asked.text), scope=scope)
            search, _ = prepare(self.database, search, one.embedder, one.tokeniser, WORDED)
            options = way.options(Filters(), way.tokens)
            found.append(find_evidence(self.database, search, each.quotes, options, one.tokeniser, way.tokens))
        return sum(each.strict for each in found) / len(found), sum(each.beneath for each in found) / len(found)

    def _path(self) -> str:
        """Return the file of what was said of these texts and trees."""
        graphs = [self.building.of(each).graph for each in sorted(self.building.lengths)]
        query = queries.get("retrieve/tree_texts")
        rows = [row for graph in graphs for row in self.database.read(query, graph=graph)]
        key = hash_id("narrative study", *graphs, *(part for row in rows for part in (row["id"], row["text"] or "")))
        folder = self.building.settings.cache / "studies"
        folder.mkdir(parents=True, exist_ok=True)
        return str(folder / f"narrative-{key[:16]}.jsonl")
