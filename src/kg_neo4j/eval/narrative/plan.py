"""What a study of narrative trees would ask, before anything is asked: the same run, with doors that count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kg_neo4j.eval.answers.asking import Counting
from kg_neo4j.eval.answers.comparison import ComparisonOptions, open_run
from kg_neo4j.eval.narrative.questions import read_narrative, with_keys
from kg_neo4j.eval.narrative.study import NarrativeOptions, aspects_of, building_of
from kg_neo4j.organise.tree.interface import LEAF_TOKENS
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Usage

if TYPE_CHECKING:
    from kg_neo4j.settings import Settings


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


def plan_narrative(
    sources: Sequence[str],
    questions: str,
    *,
    settings: Settings,
    options: NarrativeOptions | None = None,
    progress: Progress = SILENT,
) -> NarrativePlan:
    """Return what `study_narrative` with the same arguments would ask, an earlier run's answers not deducted.

    Nobody is asked and nothing is written. Raises as `study_narrative` does before it asks.
    """
    from kg_neo4j.graph.connection import connect
    from kg_neo4j.graph.documents import list_documents

    options = options or NarrativeOptions()
    asked = read_narrative(questions)
    building = building_of(sources, settings, options, progress, is_plan=True)
    with connect(settings, progress, to_write=True) as database:
        building.build(database)
        graph = building.of(LEAF_TOKENS).graph
        ways = options.wanted.ways(aspects_of(database, graph) or _all_aspects())
        if documents := list_documents(database, graph):
            asked = with_keys(asked, documents)
        counting, how = Counting(), ComparisonOptions(judge=options.judge)
        lengths = dict.fromkeys((LEAF_TOKENS, *(way.chunk_tokens for way in ways)))
        runs = {each: open_run(building.of(each), database, how, None, None, counting) for each in lengths}
        built = {way: building.is_built(database, building.of(way.chunk_tokens).graph, way) for way in ways}
        answers = Usage()
        for question in asked:
            for way in ways:
                answers += counting.answer(runs[way.chunk_tokens], way, question.asked, is_built=built[way])
    judging = counting.judging(runs[LEAF_TOKENS])
    is_exact = all(built.values())
    return NarrativePlan(len(asked), len(ways), graph, dict(building.steps), answers, judging, is_exact)


def _all_aspects() -> tuple[str, ...]:
    from kg_neo4j.organise.tree.aspects import load_aspects

    return tuple(each.name for each in load_aspects(None))
