"""Asks and judges as a run does, with doors that count, and adds up what the run would take."""

from __future__ import annotations

from dataclasses import dataclass, field

from kg_neo4j._models.tasks import Request
from kg_neo4j.eval.answers.asking import Asking
from kg_neo4j.eval.answers.correctness import answer_correctness
from kg_neo4j.eval.answers.judges import settings_of_judge
from kg_neo4j.eval.answers.questions import AnsweredQuestion
from kg_neo4j.eval.answers.supposed import ANSWER_TOKENS, priced, usage_of
from kg_neo4j.eval.answers.systems import GLOBAL, System
from kg_neo4j.records import Usage

PROMPT_TOKENS = 500  # of a question without its evidence
JUDGED = Usage(1, 600, 80)  # a judgement of the claims of an answer that is not there
GLOBAL_CALLS = 2  # one reads reports, one combines
RAGAS_PROMPT, RAGAS_TOKENS = 1_200, 150  # its prompts have examples, its answers reasons


@dataclass(slots=True)
class Counting:
    """Asks and judges as a run does, and counts the questions."""

    asked: list[Request] = field(default_factory=list)
    judged: list[Request] = field(default_factory=list)
    _unbuilt: set[str] = field(default_factory=set)  # what was estimated: the same question is asked once

    def answer(self, run: Asking, system: System, question: AnsweredQuestion, *, is_built: bool) -> Usage:
        """Return what an answer takes, and count what judging it does."""
        answerer = run.answerer
        before = len(self.asked)
        known, is_judged = run.knows(system, question)
        if known is None and not is_built:
            said, usage = self._estimated(run, system, question)
        else:
            said = run.given(system, question).said
            usage = usage_of(self.asked[before:], answerer.tokeniser, answerer.settings)
            said = said or (f"{system.name}: {question.text}" if usage.calls else "")
        if not is_judged and not run.judge.is_proxy:
            for golden in question.held_against:
                answer_correctness(question.text, said, golden, judge=run.judge, similarity=0.0)
        return usage

    def judging(self, run: Asking) -> Usage:
        """Return what judging takes."""
        if run.judge.is_proxy:
            return Usage()
        settings = settings_of_judge(run.answerer.settings)
        ours = usage_of(self.judged, run.answerer.tokeniser, settings)
        if not run.ragas:
            return ours
        return ours + priced(Usage(ours.calls, ours.calls * RAGAS_PROMPT, ours.calls * RAGAS_TOKENS), settings)

    def _estimated(self, run: Asking, system: System, question: AnsweredQuestion) -> tuple[str, Usage]:
        """Return an answer that stands for the one of a system that is not built, and about what it takes."""
        options = system.options(run.filters(question), run.context_tokens)
        said = f"{run.answerer.settings.graph} {options}"
        if run.answerer.door is None or (key := f"{said} {question.text}") in self._unbuilt:
            return said, Usage(usd=0.0)
        self._unbuilt.add(key)
        calls = GLOBAL_CALLS if system.name == GLOBAL else 1
        usage = Usage(calls, calls * ((options.max_context_tokens or 0) + PROMPT_TOKENS), calls * ANSWER_TOKENS)
        judged = JUDGED if run.answerer.settings.judge and system.name != GLOBAL else Usage()
        return said, priced(usage + judged, run.answerer.settings)
