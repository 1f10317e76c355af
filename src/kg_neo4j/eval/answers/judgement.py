"""What an answer states, held against what is right: the records, and who may judge. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from kg_neo4j.records import Usage


@dataclass(frozen=True, slots=True)
class Statements:
    """The statements of an answer and of the golden answer, sorted."""

    right: tuple[str, ...] = ()  # TP: of the answer, and the golden answer supports them
    wrong: tuple[str, ...] = ()  # FP: of the answer, and it does not
    missing: tuple[str, ...] = ()  # FN: of the golden answer, and the answer does not make them

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


class StatementJudge(Protocol):
    """Whoever takes answers apart and compares them."""

    @property
    def name(self) -> str:
        """Stored with its judgements, and shown."""

    @property
    def is_proxy(self) -> bool:
        """Whether words are compared and not what they mean: shown wherever its figures are."""

    def judge(self, question: str, answer: str, golden: str) -> AnswerJudgement:
        """Compare an answer with the golden one; neither is empty. Raises the errors of a model that stop a run."""
