"""Answer similarity and answer correctness, as the narrative thesis measures them, and who judges statements.

Similarity: cosine of the embeddings of an answer and the golden answer. Correctness: a quarter of it is similarity,
three quarters F1 of the statements. An empty answer, one that was not found, scores 0 in both without a judgement.

A model of the user's choice judges, or words are compared. A model takes answers apart into statements, then sorts them
into TP, FP and FN. Both kinds of question have an answer that is checked strictly; a bad one is asked for once more,
then the case is not judged. A text that was taken apart once is not taken apart again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, TypeVar

from kg_neo4j import factory
from kg_neo4j._models.answer_text import find_object
from kg_neo4j._models.budget import Budget
from kg_neo4j._models.door import Door, Job
from kg_neo4j._models.embedding import embed_texts
from kg_neo4j._models.protocols import Completion, EmbeddingModel
from kg_neo4j._models.tasks import Complaint, Prompted, Request, Task
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.errors import UsageError
from kg_neo4j.records import Usage
from kg_neo4j.settings import Settings
from kg_neo4j_lab import word_judge
from kg_neo4j_lab.answers.recalling import Recalling, RecordFile
from kg_neo4j_lab.answers.scores import normalise
from kg_neo4j_lab.answers.supposed import suppose

SIMILARITY_WEIGHT, STATEMENTS_WEIGHT = 0.25, 0.75  # the narrative thesis
JUDGES = AUTO, MODEL, WORDS = "auto", "model", "words"
ROUNDS = 2  # an answer that breaks the rules is asked for once more
MOST_STATEMENTS = 40
LONGEST_STATEMENT = 1_000  # characters
STATEMENT_TOKENS = 1_500  # of an answer with statements
VERDICT_TOKENS = 800  # of an answer with their numbers

T = TypeVar("T")
Parts = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Statements:
    """The statements of an answer and of the golden answer, sorted."""

    right: Parts = ()  # TP: of the answer, and the golden answer supports them
    wrong: Parts = ()  # FP: of the answer, and it does not
    missing: Parts = ()  # FN: of the golden answer, and the answer does not make them

    @property
    def f1(self) -> float:
        """TP / (TP + 0.5 (FP + FN)), 0 to 1; 1 where neither states anything."""
        right, others = len(self.right), len(self.wrong) + len(self.missing)
        return right / (right + 0.5 * others) if right + others else 1.0


@dataclass(frozen=True, slots=True)
class AnswerJudgement:
    """One comparison. Without statements it was not judged; `problem` says why."""

    statements: Statements | None
    usage: Usage = field(default_factory=Usage)
    problem: str = ""


@dataclass(frozen=True, slots=True)
class WordJudge:
    """Takes answers apart by words. `is_proxy` is shown wherever its figures are: words are no meaning."""

    name: str = WORDS
    is_proxy: bool = True

    def judge(self, question: str, answer: str, golden: str) -> AnswerJudgement:
        """Compare the sentences of two texts."""
        found = word_judge.compare(question, answer, golden, normalise)
        return AnswerJudgement(Statements(found.right, found.wrong, found.missing))


class _Unusable(Exception):
    """An answer that breaks the rules, and how."""


@dataclass(slots=True)
class ModelJudge:
    """Takes answers apart by asking `model`. Its answers stay with `model`, so that nothing is asked twice."""

    model: Recalling
    is_proxy: bool = False
    _parts: dict[tuple[str, str], Parts] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    def judge(self, question: str, answer: str, golden: str) -> AnswerJudgement:
        """Compare two answers: one call for each that was not taken apart yet, and one for both.

        Raises ModelRefused, ModelUnavailable and BudgetReached.
        """
        spent = [Usage()]
        try:
            said = self._statements(TakeApart(question, answer, may_be_empty=True), spent)
            wanted = self._statements(TakeApart(question, golden, may_be_empty=False), spent)
            if not said:
                return AnswerJudgement(Statements(missing=wanted), spent[0])
            return AnswerJudgement(self._asked(Sort(question, said, wanted), spent), spent[0])
        except _Unusable as problem:
            return AnswerJudgement(None, spent[0], str(problem))

    def _statements(self, task: TakeApart, spent: list[Usage]) -> Parts:
        key = (task.question, task.answer)
        if key not in self._parts:
            self._parts[key] = self._asked(task, spent)
        return self._parts[key]

    def _asked(self, task: Task[T], spent: list[Usage]) -> T:
        """Return the value of a task; what it cost is added to `spent`. Raises _Unusable."""
        answer = Door(self.model).ask(task)
        spent[0] += answer.charged
        if answer.value is None:
            raise _Unusable(f"{task.kind}: {answer.problem}")
        return answer.value


StatementJudge = ModelJudge | WordJudge


@dataclass(frozen=True, slots=True)
class TakeApart(Prompted[Parts]):
    """The question which statements an answer makes."""

    kind: ClassVar[str] = "statements"
    rounds: ClassVar[int] = ROUNDS
    max_tokens = STATEMENT_TOKENS
    question: str
    answer: str
    may_be_empty: bool

    def values(self) -> Mapping[str, str]:
        """Return question and answer."""
        return {"question": self.question, "answer": self.answer}

    def accept(self, said: Completion) -> Parts | Complaint[Parts]:
        """Return the statements."""
        found = find_object(said.text, ("statements",))
        listed = found["statements"] if found else None
        if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
            return Complaint("it is not one JSON object with a list of statements")
        parts = tuple(dict.fromkeys(" ".join(each.split()) for each in listed))
        if "" in parts:
            return Complaint("a statement is empty")
        if not parts and not self.may_be_empty:
            return Complaint("the answer states something, and no statement was given")
        if len(parts) > MOST_STATEMENTS:
            return Complaint(f"it has {len(parts)} statements, at most {MOST_STATEMENTS} are allowed")
        if any(len(each) > LONGEST_STATEMENT for each in parts):
            return Complaint(f"a statement is longer than {LONGEST_STATEMENT} characters")
        return parts


@dataclass(frozen=True, slots=True)
class Sort(Prompted[Statements]):
    """The question which statements of an answer are right, wrong, or missing."""

    kind: ClassVar[str] = "correctness"
    rounds: ClassVar[int] = ROUNDS
    max_tokens = VERDICT_TOKENS
    question: str
    said: Parts
    wanted: Parts

    def values(self) -> Mapping[str, str]:
        """Return the question and both lists of statements, numbered."""
        shown = {
            name: "\n".join(f"{number}: {each}" for number, each in _numbered(letter, statements).items())
            for name, letter, statements in (("answer", "A", self.said), ("golden", "G", self.wanted))
        }
        return {"question": self.question, **shown}

    def accept(self, said: Completion) -> Statements | Complaint[Statements]:
        """Return the statements as they are sorted."""
        found = find_object(said.text, ("TP", "FP", "FN"))
        if found is None or not {"TP", "FP", "FN"} <= found.keys():
            return Complaint("it is not one JSON object with the lists TP, FP and FN")
        try:
            right, wrong, missing = (_numbers(found[name], name) for name in ("TP", "FP", "FN"))
        except _Unusable as problem:
            return Complaint(str(problem))
        answer, golden = _numbered("A", self.said), _numbered("G", self.wanted)
        if unknown := sorted({*right, *wrong} - answer.keys()) + sorted(set(missing) - golden.keys()):
            return Complaint(f"{', '.join(unknown[:5])} is no statement of that list")
        if both := sorted(set(right) & set(wrong)):
            return Complaint(f"{', '.join(both[:5])} is in TP and in FP")
        if left := [name for name in answer if name not in {*right, *wrong}]:
            return Complaint(f"{', '.join(left[:5])} is neither in TP nor in FP")
        return Statements(
            tuple(answer[name] for name in answer if name in right),
            tuple(answer[name] for name in answer if name in wrong),
            tuple(golden[name] for name in golden if name in missing),
        )


def _numbered(letter: str, statements: Sequence[str]) -> dict[str, str]:
    return {f"{letter}{number}": each for number, each in enumerate(statements, 1)}


def _numbers(listed: object, name: str) -> list[str]:
    if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
        raise _Unusable(f"{name} is not a list of numbers such as A1")
    numbers = [each.strip().upper() for each in listed]
    if len(set(numbers)) < len(numbers):
        raise _Unusable(f"{name} names a statement twice")
    return numbers


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
        changed |= {"api_key_command": None, "model_headers": {}}
    if settings.judge_model is not None:
        changed |= {"model": settings.judge_model, "model_window": None}
    return settings.model_copy(update=changed) if changed else settings


@dataclass(frozen=True, slots=True)
class Correctness:
    """How right one answer is, held against one golden answer."""

    score: float | None  # None: it was not judged
    f1: float | None  # of the statements, 0 to 1; likewise
    similarity: float  # -1 to 1
    judgement: AnswerJudgement


def answer_similarity(answer: str, golden: str, embedder: EmbeddingModel, tokeniser: Tokeniser) -> float:
    """Return the cosine of the two texts' embeddings, -1 to 1; 0 where one is empty. Raises the model's errors."""
    if not answer.strip() or not golden.strip():
        return 0.0
    if answer == golden:
        return 1.0
    first, second = embed_texts(embedder, [answer, golden], tokeniser)
    return min(1.0, max(-1.0, float(first.astype("float64") @ second.astype("float64"))))


def answer_correctness(
    question: str, answer: str, golden: str, *, judge: StatementJudge, similarity: float
) -> Correctness:
    """Return 0.25 x `similarity` + 0.75 x F1 of the statements as `judge` sorts them.

    `similarity` is that of `answer_similarity`. Raises the errors of a model that stop a run.
    """
    if not answer.strip():
        return Correctness(0.0, 0.0, 0.0, AnswerJudgement(Statements()))
    judgement = judge.judge(question, answer, golden)
    if judgement.statements is None:
        return Correctness(None, None, similarity, judgement)
    f1 = judgement.statements.f1
    return Correctness(SIMILARITY_WEIGHT * similarity + STATEMENTS_WEIGHT * f1, f1, similarity, judgement)
