"""A case: one question, answered by one system, with its scores; and how cases are saved and written as a table."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from kg_neo4j.errors import UsageError
from kg_neo4j.eval.answers.questions import AnsweredQuestion
from kg_neo4j.eval.answers.scores import GivenAnswer
from kg_neo4j.eval.retrieval.scores import interval
from kg_neo4j.records import Usage

COLUMNS = tuple(
    """system id document hard question answer ground_truth correctness similarity statements_f1 tp fp fn
    exact_match f1 judge problem ragas_correctness ragas_similarity""".split()
)


@dataclass(frozen=True, slots=True)
class GoldenScore:
    """An answer held against one golden answer. None: it was not judged."""

    golden: str
    similarity: float
    f1: float | None
    correctness: float | None
    right: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    problem: str = ""
    ragas_similarity: float | None = None  # None: ragas was not asked
    ragas_correctness: float | None = None  # likewise, or its judge gave nothing of use


@dataclass(frozen=True, slots=True)
class Case:
    """One question, answered by one system. The better golden answer counts; both are recorded."""

    system: str
    question: AnsweredQuestion
    given: GivenAnswer
    goldens: tuple[GoldenScore, ...]  # one at least
    judge: str
    judging: Usage

    @property
    def similarity(self) -> float:
        """The similarity to the golden answer that is most alike."""
        return max(each.similarity for each in self.goldens)

    @property
    def correctness(self) -> float | None:
        """The correctness by the golden answer that is met best; None where none was judged."""
        judged = [each.correctness for each in self.goldens if each.correctness is not None]
        return max(judged) if judged else None

    @property
    def ragas(self) -> tuple[float | None, float | None]:
        """The similarity and the correctness that ragas gives, by the golden answer that is met best."""
        similar = [each.ragas_similarity for each in self.goldens if each.ragas_similarity is not None]
        correct = [each.ragas_correctness for each in self.goldens if each.ragas_correctness is not None]
        return max(similar, default=None), max(correct, default=None)

    @property
    def best(self) -> GoldenScore:
        """The golden answer that counts: of those judged the one met best, else the most alike; the first of equals."""
        return max(
            self.goldens, key=lambda each: (each.correctness is not None, each.correctness or 0, each.similarity)
        )


def case_row(case: Case) -> dict[str, Any]:
    """Return a case as it is saved: question, answer, ground truth, scores."""
    return {
        "system": case.system,
        "id": case.question.id,
        "document": case.question.document,
        "hard": case.question.is_hard,
        "question": case.question.text,
        "answer": case.given.said,
        "ground_truth": list(case.question.held_against),
        "correctness": _round(case.correctness),
        "similarity": _round(case.similarity),
        "exact_match": case.given.exact,
        "f1": _round(case.given.f1),
        "judge": case.judge,
        "golden": [asdict(each) for each in case.goldens],
        "judging": asdict(case.judging),
    }


def read_case(row: Mapping[str, Any], question: AnsweredQuestion, given: GivenAnswer) -> Case:
    """Return a saved case. Raises KeyError and TypeError where it is none."""
    goldens = [
        GoldenScore(**{**each, **{name: tuple(each[name]) for name in ("right", "wrong", "missing")}})
        for each in row["golden"]
    ]
    return Case(row["system"], question, given, tuple(goldens), row["judge"], Usage(**row["judging"]))


def write_cases(path: str, cases: Sequence[Case]) -> None:
    """Write a table, one line a case and golden answer; UTF-8 with a mark, as spreadsheets want it.

    Raises UsageError where it cannot be written. A text that a spreadsheet would take for a formula gets a mark.
    """
    try:
        with Path(path).open("w", encoding="utf-8-sig", newline="") as file:
            table = csv.writer(file)
            table.writerow(COLUMNS)
            for case in cases:
                table.writerows(_cells(case, golden) for golden in case.goldens)
    except OSError as error:
        raise UsageError(f"cannot write {path!r}: {(error.strerror or str(error)).lower()}") from error


def _cells(case: Case, golden: GoldenScore) -> list[object]:
    question, given = case.question, case.given
    counts = ("", "", "") if golden.f1 is None else (len(golden.right), len(golden.wrong), len(golden.missing))
    texts = [case.system, question.id, question.document]
    asked = [question.text, given.said, golden.golden]
    scores = [_round(golden.correctness), _round(golden.similarity), _round(golden.f1)]
    cells = [*texts, int(question.is_hard), *asked, *scores, *counts, given.exact, _round(given.f1), case.judge]
    ragas = (_round(golden.ragas_correctness), _round(golden.ragas_similarity))
    return [_plain(cell) for cell in (*cells, golden.problem, *ragas)]


def _plain(cell: object) -> object:
    if isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t", "\r")):
        return f"'{cell}"
    return "" if cell is None else cell


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


@dataclass(frozen=True, slots=True)
class SystemScore:
    """Plain means over cases, 0 to 1, with 95 % intervals. None where there is nothing to divide by."""

    system: str
    cases: int
    unjudged: int  # left out of the mean of correctness
    correctness: float | None
    correctness_interval: tuple[float, float] | None
    similarity: float
    similarity_interval: tuple[float, float]
    exact: float
    f1: float
    found: float
    claim_precision: float | None  # of the claims that cite something, those that are supported
    context_tokens: float
    ms: float  # median
    usage: Usage  # of the answers, whenever they were paid for
    judging: Usage
    ragas_correctness: float | None = None  # None: ragas was not asked
    ragas_similarity: float | None = None


def score_system(cases: Sequence[Case]) -> SystemScore:
    """Return the means over the cases of one system, one at least."""
    import numpy as np

    given = [case.given for case in cases]
    judged = [case.correctness for case in cases if case.correctness is not None]
    similar = [case.similarity for case in cases]
    cited, supported = sum(each.cited_claims for each in given), sum(each.supported for each in given)
    return SystemScore(
        system=cases[0].system,
        cases=len(cases),
        unjudged=len(cases) - len(judged),
        correctness=float(np.mean(judged)) if judged else None,
        correctness_interval=interval(judged) if judged else None,
        similarity=float(np.mean(similar)),
        similarity_interval=interval(similar),
        exact=float(np.mean([each.exact for each in given])),
        f1=float(np.mean([each.f1 for each in given])),
        found=float(np.mean([each.found for each in given])),
        claim_precision=supported / cited if cited else None,
        context_tokens=float(np.mean([each.context_tokens for each in given])),
        ms=1_000 * float(np.median([each.seconds for each in given])),
        usage=sum((each.usage for each in given), Usage()),
        judging=sum((case.judging for case in cases), Usage()),
        ragas_correctness=_mean([case.ragas[1] for case in cases]),
        ragas_similarity=_mean([case.ragas[0] for case in cases]),
    )


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
