"""What a study of narrative trees would ask, before anything is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Request
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.eval.answers.comparison import ComparisonOptions, open_run
from kg_neo4j.eval.answers.foreseeing import ANSWER_TOKENS, Foreseeing, Foreseen
from kg_neo4j.eval.answers.plan import STATEMENTS_PROMPT, STATEMENTS_TOKENS, VERDICT_PROMPT, VERDICT_TOKENS
from kg_neo4j.eval.narrative.grid import Way
from kg_neo4j.eval.narrative.questions import NarrativeQuestion, read_narrative, with_keys
from kg_neo4j.eval.narrative.study import NarrativeOptions, aspects_of, building_of
from kg_neo4j.organise.tree.interface import LEAF_TOKENS
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Usage
from kg_neo4j.retrieve.tree.trees import read_trees

if TYPE_CHECKING:
    from kg_neo4j.graph.database import Database
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
    from kg_neo4j.graph.constraints import ensure_constraints
    from kg_neo4j.graph.database import connect
    from kg_neo4j.graph.documents import list_documents

    options = options or NarrativeOptions()
    asked = read_narrative(questions)
    building = building_of(sources, settings, options, progress)
    with connect(settings, progress) as database:
        ensure_constraints(database)
        main = building.of(LEAF_TOKENS)
        steps = building.planned(database)
        aspects = aspects_of(database, main.graph) or _all_aspects()
        ways = options.wanted.ways(aspects)
        is_built = all(
            (trees := read_trees(database, building.of(each.chunk_tokens).graph, each.name))
            and all(one.is_good for one in trees)
            for each in options.wanted.trees()
        )
        if is_built:
            asked = with_keys(asked, list_documents(database, main.graph))
        plan = _Plan(database, {way.chunk_tokens: building.of(way.chunk_tokens) for way in ways}, options)
        answers = plan.answers(ways, asked, searched=is_built)
    return NarrativePlan(len(asked), len(ways), main.graph, steps, answers, plan.judging(ways, asked), is_built)


def _all_aspects() -> tuple[str, ...]:
    from kg_neo4j.organise.tree.aspects import load_aspects

    return tuple(each.name for each in load_aspects(None))


class _Plan:
    def __init__(self, database: Database, graphs: Mapping[int, Settings], options: NarrativeOptions) -> None:
        choice = ComparisonOptions(judge=options.judge)
        self._asking = {length: open_run(settings, database, choice, None, None) for length, settings in graphs.items()}
        self._main = next(iter(self._asking.values()))

    def answers(self, ways: Sequence[Way], asked: Sequence[NarrativeQuestion], *, searched: bool) -> Usage:
        """Return what answers take: one call for each, or, where all is `searched`, those that would be made."""
        door = self._main.answerer.door
        if not door.name:
            return Usage()
        count = len(ways) * len(asked)
        if not searched:
            tokens = sum(way.tokens for way in ways) * len(asked) + 500 * count
            return Usage(count, tokens, ANSWER_TOKENS * count)
        told = _Told(door.name, door.window, self._main.answerer.tokeniser)
        for question in asked:
            for way in ways:
                asking = self._asking[way.chunk_tokens]
                one = replace(asking.answerer, door=replace(door, layer=told))
                try:
                    one.answer(question.asked.text, way.options(asking.filters(question.asked), way.tokens))
                except Foreseen:
                    continue
        return told.usage

    def judging(self, ways: Sequence[Way], asked: Sequence[NarrativeQuestion]) -> Usage:
        """Return what judging takes where no two answers are alike: their statements, the golden ones', comparisons."""
        if self._main.judge.is_proxy:
            return Usage()
        goldens = sum(len(each.asked.held_against) for each in asked)
        statements = goldens + len(ways) * len(asked)
        verdicts = len(ways) * goldens
        return Usage(
            statements + verdicts,
            statements * STATEMENTS_PROMPT + verdicts * VERDICT_PROMPT,
            statements * STATEMENTS_TOKENS + verdicts * VERDICT_TOKENS,
        )


class _Told(Foreseeing):
    """Counts a question once: what was asked before is remembered."""

    def __init__(self, name: str, window: int, tokeniser: Tokeniser) -> None:
        super().__init__(name, window, tokeniser)
        self._known: set[tuple[str, str]] = set()

    def complete(self, request: Request) -> Completion:
        before, asked = self.usage, (request.system, request.user)
        try:
            return super().complete(request)
        finally:
            if asked in self._known:
                self.usage = before
            self._known.add(asked)
