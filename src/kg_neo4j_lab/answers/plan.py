"""What comparing systems would ask, before anything is asked: the same run, with doors that count."""

from __future__ import annotations

from dataclasses import dataclass

from kg_neo4j.graph.connection import connect
from kg_neo4j.pipeline.estimates import REPORTS_A_NAME
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import LoadPlan, Usage
from kg_neo4j.settings import Settings
from kg_neo4j_lab.answers.asking import Counting
from kg_neo4j_lab.answers.comparison import ComparisonOptions, open_run, prepare
from kg_neo4j_lab.answers.recalling import RecordFile
from kg_neo4j_lab.answers.supposed import ANSWER_TOKENS
from kg_neo4j_lab.building import LOAD, REPORTS

UNKNOWN = f"communities are not known yet: {REPORTS_A_NAME} reports for each name of the texts"
UNBUILT = "what is not built yet answers each question in one call, from community reports in two"


@dataclass(frozen=True, slots=True)
class ComparisonPlan:
    """What a run would ask. Calls are those of a run in which every answer is found and no two are alike."""

    questions: int
    texts: int
    graph: str
    model: str | None
    judge: str
    load: LoadPlan | None  # None: there is nothing to load
    building: dict[str, Usage]  # "reports", "tree NAME"
    systems: dict[str, Usage]  # answers, by system
    judging: Usage
    saved: int  # answers that the file has
    estimated: tuple[str, ...]  # of building and systems: what rests on answers that are not there
    assumptions: tuple[str, ...]

    @property
    def usage(self) -> Usage:
        """Answers and judging together; loading is planned apart."""
        return sum(self.systems.values(), Usage()) + self.judging


def plan_comparison(
    questions: str, *, settings: Settings, options: ComparisonOptions, progress: Progress = SILENT
) -> ComparisonPlan:
    """Return what `compare_systems` with the same arguments would ask. Nothing is asked and nothing is written.

    Questions are put to what is built, and the calls are those that would be made; what is not built is estimated.
    Raises as `compare_systems` does before it asks.
    """
    found, building = prepare(questions, settings, options, progress, is_plan=True)
    chosen, graph = building.systems, building.settings.graph
    file = RecordFile(options.save, is_kept=False) if options.save else None
    building.build(found.stories)
    with connect(building.settings, progress, makes=[]) as database:
        counting = Counting()
        run = open_run(building.settings, database, options, file, None, counting)
        built = {each.name: building.is_built(database, graph, each) for each in chosen}
        by_system = dict.fromkeys((each.name for each in chosen), Usage())
        progress.start("plan", len(found.questions) * len(chosen))
        for question in found.questions:
            for system in chosen:
                by_system[system.name] += counting.answer(run, system, question, is_built=built[system.name])
                progress.advance("plan")
        progress.finish("plan")
    steps = {step: usage for step, usage in building.steps.items() if step != LOAD}
    rest = [each.name for each in chosen if not built[each.name]]
    judging = counting.judging(run)
    assumptions = []
    if any(usage.calls for usage in by_system.values()):
        assumptions.append(f"an answer has {ANSWER_TOKENS} tokens, and none is requested again")
        if REPORTS in building.steps:
            assumptions.append("every community report that is read contributes to the answer")
            assumptions += [UNKNOWN] if building.load_plan else []
        assumptions += [UNBUILT] if rest else []
    if judging.calls:
        assumptions.append("every answer is judged separately; those that are alike, or not found, cost less")
    return ComparisonPlan(
        questions=len(found.questions),
        texts=len(found.stories),
        graph=graph,
        model=run.answerer.door.model,
        judge=run.judge.name,
        load=building.load_plan,
        building=steps,
        systems=by_system,
        judging=judging,
        saved=run.taken,
        estimated=(*(step for step, usage in steps.items() if usage.calls), *rest),
        assumptions=tuple(assumptions),
    )
