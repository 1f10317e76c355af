"""A model as judge: it takes answers apart into statements, then sorts them into TP, FP and FN (the narrative thesis).

Two kinds of question, each with an answer that is checked strictly; a bad one is asked for once more, then the case is
not judged. A text that was taken apart once is not taken apart again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, TypeVar

from kg_neo4j._models.answer_text import find_object
from kg_neo4j._models.door import Door
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Complaint, Prompted, Task
from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.eval.answers.judgement import AnswerJudgement, Statements
from kg_neo4j.eval.answers.recalling import Recalling
from kg_neo4j.records import Usage

ROUNDS = 2  # an answer that breaks the rules is asked for once more
MOST_STATEMENTS = 40
LONGEST_STATEMENT = 1_000  # characters
STATEMENT_TOKENS = 1_500  # of an answer with statements
VERDICT_TOKENS = 800  # of an answer with their numbers

T = TypeVar("T")
Parts = tuple[str, ...]


class _Unusable(Exception):
    """An answer that breaks the rules, and how."""


@dataclass(slots=True)
class ModelJudge:
    """A StatementJudge that asks `model`. Its answers stay with `model`, so that nothing is asked twice."""

    model: Recalling
    _parts: dict[tuple[str, str], Parts] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    @property
    def is_proxy(self) -> bool:
        """It reads what is meant."""
        return False

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
        """Return question and answer, within marks that neither contains."""
        return {
            "question": self.question,
            "answer": self.answer,
            "fence": hash_id("fence", self.question, self.answer)[:8],
        }

    def accept(self, said: Completion) -> Parts | Complaint[Parts]:
        """Return the statements."""
        try:
            return _read_statements(said.text, may_be_empty=self.may_be_empty)
        except _Unusable as problem:
            return Complaint(str(problem))


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
        shown = {"answer": _numbered("A", self.said), "golden": _numbered("G", self.wanted)}
        return {"question": self.question, **shown, "fence": hash_id("fence", self.question, *shown.values())[:8]}

    def accept(self, said: Completion) -> Statements | Complaint[Statements]:
        """Return the statements as they are sorted."""
        try:
            return _read_verdict(said.text, self.said, self.wanted)
        except _Unusable as problem:
            return Complaint(str(problem))


def _numbered(letter: str, statements: Sequence[str]) -> str:
    return "\n".join(f"{letter}{number}: {each}" for number, each in enumerate(statements, 1))


def _read_statements(text: str, *, may_be_empty: bool) -> Parts:
    """Return the statements of an answer; raises _Unusable."""
    found = find_object(text, ("statements",))
    listed = found["statements"] if found else None
    if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
        raise _Unusable("it is not one JSON object with a list of statements")
    said = tuple(dict.fromkeys(" ".join(each.split()) for each in listed))
    if "" in said:
        raise _Unusable("a statement is empty")
    if not said and not may_be_empty:
        raise _Unusable("the answer states something, and no statement was given")
    if len(said) > MOST_STATEMENTS:
        raise _Unusable(f"it has {len(said)} statements, at most {MOST_STATEMENTS} are allowed")
    if any(len(each) > LONGEST_STATEMENT for each in said):
        raise _Unusable(f"a statement is longer than {LONGEST_STATEMENT} characters")
    return said


def _read_verdict(text: str, said: Parts, wanted: Parts) -> Statements:
    """Return the statements as an answer sorts them; raises _Unusable."""
    found = find_object(text, ("TP", "FP", "FN"))
    if found is None or not {"TP", "FP", "FN"} <= found.keys():
        raise _Unusable("it is not one JSON object with the lists TP, FP and FN")
    right, wrong, missing = (_numbers(found[name], name) for name in ("TP", "FP", "FN"))
    answer = {f"A{number}": each for number, each in enumerate(said, 1)}
    golden = {f"G{number}": each for number, each in enumerate(wanted, 1)}
    if unknown := sorted({*right, *wrong} - answer.keys()) + sorted(set(missing) - golden.keys()):
        raise _Unusable(f"{', '.join(unknown[:5])} is no statement of that list")
    if both := sorted(set(right) & set(wrong)):
        raise _Unusable(f"{', '.join(both[:5])} is in TP and in FP")
    if left := [name for name in answer if name not in {*right, *wrong}]:
        raise _Unusable(f"{', '.join(left[:5])} is neither in TP nor in FP")
    return Statements(
        tuple(answer[name] for name in answer if name in right),
        tuple(answer[name] for name in answer if name in wrong),
        tuple(golden[name] for name in golden if name in missing),
    )


def _numbers(listed: object, name: str) -> list[str]:
    if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
        raise _Unusable(f"{name} is not a list of numbers such as A1")
    numbers = [each.strip().upper() for each in listed]
    if len(set(numbers)) < len(numbers):
        raise _Unusable(f"{name} names a statement twice")
    return numbers
