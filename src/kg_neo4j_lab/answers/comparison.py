"""Several systems on one set of questions, in one run: asked as `kg ask` asks, scored in one table.

Whatever a model said is in the file of the run before it is used: a run that was killed goes on, asks nothing twice and
ends with the same table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec

from kg_neo4j import factory
from kg_neo4j._models.workers import Crew, DoneItem
from kg_neo4j.acquire.chunking import target
from kg_neo4j.acquire.identity import document_id
from kg_neo4j.errors import UsageError
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.database import Database
from kg_neo4j.organise.tree.interface import LEAF_TOKENS, TreeBuildOptions
from kg_neo4j.pipeline.budget import budget_of
from kg_neo4j.pipeline.commands.ask import answerer
from kg_neo4j.pipeline.options import LoadOptions
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Document, SkippedSource, Usage
from kg_neo4j.settings import Settings
from kg_neo4j_lab.answers.asking import Asking, Counting
from kg_neo4j_lab.answers.correctness import AUTO, ModelJudge, StatementJudge, judge_of
from kg_neo4j_lab.answers.published_sets import read_set
from kg_neo4j_lab.answers.questions import (
    AnsweredQuestion,
    QuestionSet,
    Story,
    StorySelection,
    documents_of,
    graph_of,
    stories_of,
)
from kg_neo4j_lab.answers.ragas_scores import Ragas
from kg_neo4j_lab.answers.recalling import Recalling, RecordFile
from kg_neo4j_lab.answers.scores import (
    SCORED,
    WHOLE,
    Case,
    GivenAnswer,
    SystemDifference,
    SystemScore,
    differences,
    notes_on,
    score_system,
)
from kg_neo4j_lab.answers.supposed import suppose
from kg_neo4j_lab.answers.systems import CONTEXT_TOKENS, GLOBAL, NONE, System, systems
from kg_neo4j_lab.building import LOAD, READERS, Builder, Texts
from kg_neo4j_lab.retrieval.questions import read_passages

LAST_ANSWERS_S = 30.0  # for what is in the air when a run ends early: it is paid for

Asked = tuple[AnsweredQuestion, list[GivenAnswer]]  # a question, and what each system answered


@dataclass(frozen=True, slots=True)
class ComparisonOptions:
    """What to compare. The defaults are those of the command line."""

    form: str | None = None  # of the questions; None: guessed
    selection: StorySelection = field(default_factory=StorySelection)
    systems: tuple[str, ...] = ("auto",)
    whole_graph: bool = False  # a question is kept to the text that it is about, otherwise
    judge: str = AUTO  # "model", "words", or "auto": a model where one is configured
    graph: str | None = None  # to load the texts into; None: one of their own
    corpus: str | None = None  # passages that plain questions are about, as a file
    chunk_tokens: int = target(LEAF_TOKENS)  # of the texts: no chunk is longer than a leaf of a tree (200)
    context_tokens: int = CONTEXT_TOKENS  # of evidence, for every system alike
    score: str = WHOLE  # "answer" or "short": what is held against golden answers
    choose: bool = False  # have a model choose an option where a question has some
    ragas: bool = False  # compute the scores of the package ragas, too
    as_built: bool = False  # read what the graph has: load nothing, and build no tree and no report
    save: str | None = None  # file of what was said so far
    budget_usd: float | None = None  # what models may cost in this run, building and judging included; None: no limit


@dataclass(slots=True)
class SystemsBuild(Builder):
    """Loads stories and builds what systems read. `refused` are texts that could not be read."""

    settings: Settings
    systems: tuple[System, ...]
    chunk_tokens: int
    as_built: bool = False
    refused: list[SkippedSource] = field(default_factory=list)

    def build(self, stories: Sequence[Story]) -> None:
        """Load the texts and build what the systems read. Raises what these raise, BudgetReached among it."""
        graph, texts = self.settings.graph, self._texts(stories)
        if stories and not self.as_built:
            self.load(LOAD, texts)
        gone = {each.source for each in self.refused}
        documents = tuple(document_id(graph, "file", story.key) for story in stories if story.named not in gone)
        for system in () if self.as_built else self.systems:
            if system.name == GLOBAL:
                self.reports(texts)
            if system.tree:  # one named `raptor` has one aspect and no details
                self.tree(f"tree {system.tree}", texts, TreeBuildOptions(documents=documents, name=system.tree))

    def _texts(self, stories: Sequence[Story]) -> Texts:
        """Return the texts; they have communities where a system reads their reports."""
        options = LoadOptions(
            chunk_tokens=self.chunk_tokens,
            analytics=any(system.name == GLOBAL for system in self.systems),
            rebuild=True,  # a graph of an earlier extractor is not what is measured
        )

        def documents() -> Iterator[Document]:
            self.refused.clear()  # each reading finds them
            yield from documents_of(stories, self.settings.graph, self.refused)

        return Texts(self.settings, options, any(each.name in READERS for each in self.systems), (), documents)

    def readable(self, found: QuestionSet) -> list[AnsweredQuestion]:
        """Return the questions whose texts could be read."""
        gone = {each.source for each in self.refused}
        lost = {story.key for story in found.stories if story.named in gone}
        asked = [question for question in found.questions if question.document not in lost]
        if not asked:
            raise UsageError(f"no text could be read: {self.refused[0].source}: {self.refused[0].reason}")
        return asked


@dataclass(frozen=True, slots=True)
class Comparison:
    """How well systems answered one set of questions."""

    questions: str
    form: str
    graph: str
    texts: int
    model: str | None
    judge: str
    is_proxy: bool  # correctness compares words
    embedder: str
    context_tokens: int
    scores: tuple[SystemScore, ...]
    hard: tuple[SystemScore, ...]  # of the hard questions alone; empty where none are marked
    types: Mapping[str, tuple[SystemScore, ...]]  # of the questions of each type; empty where none is named
    differences: tuple[SystemDifference, ...]  # of each two systems, later ones first
    cases: tuple[Case, ...]
    taken: int  # answers that an earlier run had given
    built: SystemsBuild
    paid: Usage  # in this run, building left out
    refused: tuple[SkippedSource, ...]
    notes: tuple[str, ...]


def compare_systems(
    questions: str, *, settings: Settings, options: ComparisonOptions, progress: Progress = SILENT
) -> Comparison:
    """Load the texts of a set, build what the systems read, ask every question of every system and score the answers.

    Raises SourceNotFound, UnreadableSource, UsageError, and what loading, building and asking raise, BudgetReached
    among it. A run that ends early goes on from `options.save`.
    """
    found, built = prepare(questions, settings, options, progress)
    file = RecordFile(options.save) if options.save else None
    judge = judge_of(built.settings, options.judge)  # an invalid judge is refused before anything is paid
    if options.ragas:
        check_ragas(judge)
    built.build(found.stories)
    asked = built.readable(found)
    with connect(built.settings, progress) as database:
        run = open_run(built.settings, database, options, file, built.left())
        cases = _cases(run, built.systems, asked, progress)
    hard = [case for case in cases if case.question.is_hard]
    return Comparison(
        questions=questions,
        form=found.form,
        graph=built.settings.graph,
        texts=len({each.document for each in asked if each.document}),
        model=run.answerer.door.model,
        judge=run.judge.name,
        is_proxy=run.judge.is_proxy,
        embedder=run.answerer.embedder.name,
        context_tokens=options.context_tokens,
        scores=_scores(built.systems, cases),
        hard=_scores(built.systems, hard) if hard else (),
        types={
            kind: _scores(built.systems, [case for case in cases if case.question.type == kind])
            for kind in sorted({case.question.type for case in cases} - {""})
        },
        differences=differences(
            {each.name: [case for case in cases if case.system == each.name] for each in built.systems}
        ),
        cases=tuple(cases),
        taken=run.taken,
        built=built,
        paid=run.paid,
        refused=(*found.refused, *built.refused),
        notes=tuple(dict.fromkeys([*notes_on(cases), *built.notes])),
    )


def prepare(
    questions: str, settings: Settings, options: ComparisonOptions, progress: Progress, *, is_plan: bool = False
) -> tuple[QuestionSet, SystemsBuild]:
    """Return the questions, and what builds the graph that they are asked of. Raises as `compare_systems`."""
    chosen = systems(options.systems)
    if options.context_tokens < 1 or options.chunk_tokens < 1:
        raise UsageError("tokens of context and of chunks are at least 1")
    if options.score not in SCORED:
        raise UsageError(f"no score {options.score!r}", hint=f"what is scored is one of {', '.join(SCORED)}")
    if options.choose or NONE in options.systems:
        factory.require_model(settings, "no model to choose options with, or to ask by itself")
    budget_of(options.budget_usd)  # an invalid one is refused before anything is loaded
    found = read_set(questions, options.form, options.selection)
    if options.corpus is not None:
        found = replace(found, stories=stories_of(read_passages(options.corpus)))
    if not found.questions:
        why = f": {found.refused[0].source}: {found.refused[0].reason}" if found.refused else ""
        raise UsageError(f"no question in {questions!r} is left{why}", hint="check --kind, --set and --limit")
    graph = options.graph or (graph_of(found.stories, str(options.chunk_tokens)) if found.stories else settings.graph)
    own = settings.model_copy(update={"graph": graph})
    build = SystemsBuild(own, chosen, options.chunk_tokens, budget_usd=options.budget_usd, progress=progress)
    return found, replace(build, as_built=options.as_built, is_plan=is_plan)


def open_run(
    settings: Settings,
    database: Database,
    options: ComparisonOptions,
    file: RecordFile | None,
    budget_usd: float | None,
    counting: Counting | None = None,
) -> Asking:
    """Return what asks and judges, paid from one budget; of a plan, what counts instead."""
    budget = budget_of(budget_usd)
    keeps = settings.model_copy(update={"answer_cache": False}) if file else settings  # each run pays for its file
    door = factory.door(keeps, budget=budget)
    door = door.counting(counting.asked, suppose) if counting else door
    told = Recalling(door.layer, file)
    one = answerer(settings, database, replace(door, layer=told), budget=budget)
    judge = judge_of(settings, options.judge, budget=budget, file=file, counted=counting.judged if counting else None)
    ragas = Ragas(check_ragas(judge), one.embedder, one.tokeniser) if options.ragas else None
    how = (options.context_tokens, options.whole_graph, ragas, options.score, options.choose)
    return Asking(one, told, judge, file, *how)


def check_ragas(judge: StatementJudge) -> Recalling:
    """Return the model that ragas asks, too. Raises UsageError where words judge, or it is not installed."""
    if not isinstance(judge, ModelJudge):
        raise UsageError("the scores of ragas need a model as judge", hint="OPENAI_API_KEY or OPENAI_BASE_URL sets one")
    if find_spec("ragas") is None:
        raise UsageError("ragas is not installed", hint="pip install 'kg-neo4j[ragas]'")
    return judge.model


def _cases(run: Asking, chosen: Sequence[System], asked: Sequence[AnsweredQuestion], progress: Progress) -> list[Case]:
    """Ask question by question, so that a run that ends early has asked all systems the same.

    Answers are asked for one after the other, because their times are measured; meanwhile others are judged.
    """
    found: dict[int, list[Case]] = {}

    def judged(each: Asked) -> list[Case]:
        question, answers = each
        return [run.case(system, question, given) for system, given in zip(chosen, answers, strict=True)]

    def keep(done: DoneItem[Asked, list[Case]]) -> None:
        if done.error is not None:
            raise done.error
        found[done.number] = done.result or []
        progress.advance("answers", len(chosen))

    crew: Crew[Asked, list[Case]] = Crew(judged, run.judged_at_once)
    progress.start("answers", len(asked) * len(chosen))
    try:
        for question in asked:
            crew.begin((question, [run.given(system, question) for system in chosen]))
            for done in [crew.take()] if run.judged_at_once == 1 else crew.finished():
                keep(done)
        while len(found) < len(asked):
            keep(crew.take())
    finally:
        crew.stop()
        crew.wait(LAST_ANSWERS_S)
    progress.finish("answers")
    return [case for number in range(len(asked)) for case in found[number]]


def _scores(chosen: Sequence[System], cases: Sequence[Case]) -> tuple[SystemScore, ...]:
    return tuple(score_system([case for case in cases if case.system == system.name]) for system in chosen)
