"""Who judges answers: a model of the user's choice, or words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from kg_neo4j._models.door import Door, Job
from kg_neo4j.errors import UsageError
from kg_neo4j.eval.answers.judgement import AnswerJudgement, StatementJudge, Statements
from kg_neo4j.eval.answers.model_judge import ModelJudge
from kg_neo4j.eval.answers.recalling import Recalling
from kg_neo4j.eval.answers.scores import normalise
from kg_neo4j.eval.answers.supposed import suppose
from kg_neo4j.offline import word_judge

if TYPE_CHECKING:
    from kg_neo4j._models.budget import Budget
    from kg_neo4j._models.tasks import Request
    from kg_neo4j.eval.answers.record_file import RecordFile
    from kg_neo4j.settings import Settings

AUTO, MODEL, WORDS = "auto", "model", "words"
JUDGES = (AUTO, MODEL, WORDS)


@dataclass(frozen=True, slots=True)
class WordJudge:
    """A StatementJudge that compares words."""

    name: str = WORDS
    is_proxy: bool = True

    def judge(self, question: str, answer: str, golden: str) -> AnswerJudgement:
        """Compare the sentences of two texts."""
        found = word_judge.compare(question, answer, golden, normalise)
        return AnswerJudgement(Statements(found.right, found.wrong, found.missing))


@dataclass(frozen=True, slots=True)
class OpenJudge(Job[StatementJudge]):
    """Chooses who judges: the model where one is set, else words."""

    kind: ClassVar[str] = "open_judge"
    file: RecordFile | None
    counted: list[Request] | None  # gets the questions of a plan
    words: StatementJudge = WordJudge()

    def by_model(self, door: Door) -> StatementJudge:
        """Take the model."""
        asked = door if self.counted is None else door.counting(self.counted, suppose)
        return ModelJudge(Recalling(asked.layer, self.file))


def judge_of(
    settings: Settings,
    wanted: str = AUTO,
    *,
    budget: Budget | None = None,
    file: RecordFile | None = None,
    counted: list[Request] | None = None,
) -> StatementJudge:
    """Return the judge that is `wanted`: "model", "words", or "auto", a model where one is configured.

    The model is KG_JUDGE_MODEL, else the chat model. Its answers are kept in `file` and, where they are of use, in the
    answer cache; of a plan, its questions go into `counted`. Raises UsageError for a model where none is configured,
    and what `chat_model` raises.
    """
    from kg_neo4j import factory

    if wanted not in JUDGES:
        raise UsageError(f"no judge {wanted!r}", hint=f"a judge is one of {', '.join(JUDGES)}")
    asking = settings_of_judge(settings)
    if wanted == WORDS:
        return WordJudge()
    if wanted == MODEL:
        factory.require_model(asking, "no model to judge with; --judge words compares words")
    return factory.door(asking, budget=budget).do(OpenJudge(file, counted))


def settings_of_judge(settings: Settings) -> Settings:
    """Return the settings under which the judge is asked: a server of its own is never sent the other one's key."""
    changed: dict[str, object] = {}
    if settings.judge_base_url is not None:
        if settings.judge_model is None:
            raise UsageError("KG_JUDGE_BASE_URL is set, but no model is named", hint="set KG_JUDGE_MODEL")
        changed |= {"openai_base_url": settings.judge_base_url, "openai_api_key": settings.judge_api_key}
    if settings.judge_model is not None:
        changed |= {"model": settings.judge_model, "model_window": None}
    return settings.model_copy(update=changed) if changed else settings
