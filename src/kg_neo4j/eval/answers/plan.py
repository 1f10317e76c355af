"""What comparing systems would ask, before anything is asked: calls, tokens and price."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from kg_neo4j.eval.answers.asking import Asking
from kg_neo4j.eval.answers.building import Building
from kg_neo4j.eval.answers.comparison import ComparisonOptions, open_run, prepare
from kg_neo4j.eval.answers.foreseeing import ANSWER_TOKENS, Foreseeing, Foreseen
from kg_neo4j.eval.answers.judges import settings_of_judge
from kg_neo4j.eval.answers.questions import AnsweredQuestion
from kg_neo4j.eval.answers.record_file import RecordFile
from kg_neo4j.eval.answers.stories import Story
from kg_neo4j.eval.answers.systems import GLOBAL, System, systems
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import LoadPlan, Usage
from kg_neo4j.retrieve.tree.trees import read_trees

if TYPE_CHECKING:
    from kg_neo4j.settings import Settings

STATEMENTS_PROMPT, VERDICT_PROMPT = 420, 480  # tokens of the prompts of the judge, with a question and short answers
STATEMENTS_TOKENS, VERDICT_TOKENS = 60, 30  # of its answers
RAGAS_PROMPT, RAGAS_TOKENS = 1_200, 150  # its prompts have examples, its answers reasons
UNREPORTED = "what `global` asks is known when there are community reports"


@dataclass(frozen=True, slots=True)
class ComparisonPlan:
    """What a run would ask. Calls are those of a run in which every answer is found and no two are alike."""

    questions: int
    texts: int
    graph: str
    model: str | None
    judge: str
    load: LoadPlan | None  # None: there is nothing to load
    building: dict[str, Usage] = field(default_factory=dict)  # "reports", "tree NAME"; where the texts are there
    systems: dict[str, Usage] = field(default_factory=dict)  # answers, by system
    judging: Usage = field(default_factory=Usage)
    saved: int = 0  # answers that the file has
    assumptions: tuple[str, ...] = ()

    @property
    def usage(self) -> Usage:
        """Answers and judging together; loading is planned apart."""
        return sum(self.systems.values(), Usage()) + self.judging


def plan_comparison(
    questions: str, *, settings: Settings, options: ComparisonOptions | None = None, progress: Progress = SILENT
) -> ComparisonPlan:
    """Return what `compare_systems` with the same arguments would ask. Nothing is asked and nothing is written.

    Where the texts are in the graph, every question is searched for, and the calls are those that would be made. Raises
    as `compare_systems` does before it asks.
    """
    from kg_neo4j.graph.database import connect
    from kg_neo4j.graph.documents import list_documents

    options = options or ComparisonOptions()
    chosen = systems(options.systems)
    found, settings = prepare(questions, settings, options)
    building = Building(settings, chosen, options.chunk_tokens, options.budget_usd, progress)
    file = RecordFile(options.save) if options.save else None
    with connect(settings, progress) as database:
        there = {each.key for each in list_documents(database, settings.graph)}
        asking = open_run(settings, database, options, file, None)
        is_loaded = all(story.key in there for story in found.stories) and bool(there)
        plan = _Plan(asking, chosen, found.questions, is_loaded=is_loaded)
        by_system = plan.answers(progress)
    return ComparisonPlan(
        questions=len(found.questions),
        texts=len(found.stories),
        graph=settings.graph,
        model=asking.answerer.door.model,
        judge=asking.judge.name,
        building=building.planned(found.stories) if is_loaded else {},
        load=None if is_loaded or not found.stories else _load_plan(building, found.stories, progress),
        systems={name: _priced(usage, settings) for name, usage in by_system.items()},
        judging=_priced(plan.judging(), settings_of_judge(settings)) if not asking.judge.is_proxy else Usage(),
        saved=plan.saved,
        assumptions=tuple(plan.assumptions),
    )


def _load_plan(building: Building, stories: Sequence[Story], progress: Progress) -> LoadPlan:
    from kg_neo4j.eval.answers.stories import documents_of
    from kg_neo4j.pipeline.planning import plan

    documents = documents_of(stories, building.settings.graph, [])
    return plan(settings=building.settings, options=building.load_options(), documents=documents, progress=progress)


def _priced(usage: Usage, settings: Settings) -> Usage:
    from kg_neo4j import factory
    from kg_neo4j._models.prices import price_of

    price = price_of(settings.model or factory.DEFAULT_MODEL, settings)
    return replace(usage, usd=price.usd(usage.input_tokens, usage.output_tokens) if price else None)


class _Plan:
    """Searches for every question and counts."""

    def __init__(
        self, asking: Asking, chosen: Sequence[System], questions: Sequence[AnsweredQuestion], *, is_loaded: bool
    ) -> None:
        self.saved = 0
        self.assumptions: list[str] = []
        self._asking = asking
        self._chosen = chosen
        self._questions = questions
        self._is_loaded = is_loaded
        self._unbuilt: set[str] = set()  # what is assumed because it is not built
        self._built: dict[str, bool] = {}  # tree's name -> whether it is there, for all texts
        self._answered: list[tuple[System, AnsweredQuestion]] = []  # what is still to be asked, and will be judged

    def answers(self, progress: Progress) -> dict[str, Usage]:
        """Return what answers take, by system; nothing without a model."""
        found = {system.name: Usage() for system in self._chosen}
        progress.start("plan", len(self._questions) * len(self._chosen))
        for question in self._questions:
            for system in self._chosen:
                known, is_judged = self._asking.knows(system, question)
                if known is not None:
                    self.saved += 1
                    if known.said and not is_judged:
                        self._answered.append((system, question))
                else:
                    usage = self._foreseen(system, question)
                    found[system.name] += usage
                    if usage.calls or not self._asking.answerer.door.name:
                        self._answered.append((system, question))
                progress.advance("plan")
        progress.finish("plan")
        if self._asking.answerer.door.name:
            self.assumptions.append(f"an answer has {ANSWER_TOKENS} tokens, and none is asked for once more")
        if not self._is_loaded:
            self.assumptions.append("the texts are not in the graph yet: one call for each question and system")
            if any(system.name == GLOBAL for system in self._chosen):
                self.assumptions.append(UNREPORTED)
        elif any(system.name == GLOBAL for system in self._chosen):
            self.assumptions.append("every community report that is read contributes to the answer")
        self.assumptions += sorted(self._unbuilt)
        return found

    def judging(self) -> Usage:
        """Return what judging takes: statements of each answer and golden answer once, and one comparison each."""
        goldens = {(question.id, golden) for _, question in self._answered for golden in question.held_against}
        statements = len(goldens) + len(self._answered)
        verdicts = sum(len(question.held_against) for _, question in self._answered)
        self.assumptions.append("every answer is judged apart; those that are alike, or not found, cost less")
        ours = Usage(
            statements + verdicts,
            statements * STATEMENTS_PROMPT + verdicts * VERDICT_PROMPT,
            statements * STATEMENTS_TOKENS + verdicts * VERDICT_TOKENS,
        )
        if not self._asking.ragas:
            return ours
        return ours + Usage(ours.calls, ours.calls * RAGAS_PROMPT, ours.calls * RAGAS_TOKENS)

    def _foreseen(self, system: System, question: AnsweredQuestion) -> Usage:
        answerer = self._asking.answerer
        if not answerer.door.name:
            return Usage()
        model = Foreseeing(answerer.door.name, answerer.door.window, answerer.tokeniser)
        judged = Usage(1, 600, 80) if answerer.settings.judge and system.name != GLOBAL else Usage()
        if not self._is_loaded:
            return Usage(1, self._asking.context_tokens + 500, ANSWER_TOKENS) + judged
        filters = self._asking.filters(question)
        if system.tree and not self._is_built(system.tree):
            self._unbuilt.add(f"the tree {system.tree} is not there yet: one call for each question")
            return Usage(1, self._asking.context_tokens + 500, ANSWER_TOKENS) + judged
        one = replace(answerer, door=replace(answerer.door, layer=model))
        options = system.options(filters, self._asking.context_tokens)
        try:
            one.answer(question.text, options)
        except Foreseen:
            return model.usage + judged
        if system.name == GLOBAL and not model.usage.calls:
            self._unbuilt.add(UNREPORTED)
        return model.usage

    def _is_built(self, tree: str) -> bool:
        """Return whether all trees of that name are whole."""
        if tree not in self._built:
            one = self._asking.answerer
            trees = read_trees(one.database, one.settings.graph, tree)
            self._built[tree] = bool(trees) and all(each.is_good for each in trees)
        return self._built[tree]
