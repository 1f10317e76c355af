"""Scores of answers, by question (a case) and by system, with intervals by resampling; cases as lines and as a table.

Exact match and F1 are those of the multi-hop literature. Normalised: lower case, without punctuation, without a, an and
the, single spaces (SQuAD, Rajpurkar et al. 2016). Where one of both is yes, no or noanswer and they differ, F1 is 0
(HotpotQA, Yang et al. 2018). The best of several counts.
"""

from __future__ import annotations

import csv
import itertools
import re
import string
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from kg_neo4j.errors import UsageError
from kg_neo4j.records import Usage
from kg_neo4j.retrieve.checking.claims import plain_text
from kg_neo4j_lab.answers.questions import AnsweredQuestion
from kg_neo4j_lab.retrieval.scores import interval

NONE_FOUND = "no system answered: passages in place of an answer count as none; KG_MODEL names a model that answers"
SCORED = WHOLE, SHORT = "answer", "short"  # the published measures score the whole answer
CLOSED = frozenset({"yes", "no", "noanswer"})
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_WORDS = re.compile(r"\w+")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """What was answered to one question, and what it took."""

    id: str
    type: str
    said: str  # the short answer, else the text; empty where nothing was found
    short: str
    exact: float
    f1: float
    found: bool
    cited_claims: int  # claims that cite something
    supported: int  # of these, those that the checker supports
    citations: int
    valid: int  # citations whose words stand where they say, in a chunk of the graph
    usage: Usage
    seconds: float
    text: str = ""
    notes: tuple[str, ...] = ()
    context_tokens: int = 0  # of the evidence that the answer was made from
    chosen: int | None = None  # the option, from 1; 0: none of use; None: nothing was chosen from

    def scored(self, how: str) -> str:
        """Return what is held against a golden answer: the whole answer, or the short one (see `SCORED`)."""
        if how == SHORT:
            return self.said
        return plain_text(self.text) if self.found else ""


@dataclass(frozen=True, slots=True)
class AnswerScore:
    """Means over questions, 0 to 1, with 95 % intervals. None where there is nothing to divide by."""

    questions: int
    exact: float
    exact_interval: tuple[float, float]
    f1: float
    f1_interval: tuple[float, float]
    found: float
    exact_of_found: float | None  # how far an answer that is given can be trusted
    claim_precision: float | None  # of the claims that cite something, those that are supported
    claim_precision_interval: tuple[float, float] | None
    citation_validity: float | None
    p50_s: float
    p95_s: float
    usage: Usage
    types: Mapping[str, AnswerScore] = field(default_factory=dict)


def normalise(text: str) -> str:
    """Return an answer as it is compared."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def exact_match(said: str, answers: Sequence[str]) -> float:
    """Return 1.0 where `said` is one of `answers`, else 0.0."""
    return float(any(normalise(said) == normalise(each) for each in answers))


def f1(said: str, answers: Sequence[str]) -> float:
    """Return the best F1 of the words of `said` against one of `answers`."""
    return max(_f1(normalise(said), normalise(each)) for each in answers)


def _f1(said: str, gold: str) -> float:
    if (said in CLOSED or gold in CLOSED) and said != gold:
        return 0.0
    mine, theirs = said.split(), gold.split()
    shared = sum((Counter(mine) & Counter(theirs)).values())
    if not shared:
        return float(mine == theirs)
    precision, recall = shared / len(mine), shared / len(theirs)
    return 2 * precision * recall / (precision + recall)


def rouge_l(said: str, golden: str) -> float:
    """Return the F1 of the longest common subsequence of words, lower case (Lin 2004), 0 to 1."""
    left, right = (_WORDS.findall(text.lower()) for text in (said, golden))
    longest = [0] * (len(right) + 1)
    for word in left:
        before = 0
        for place, other in enumerate(right, 1):
            before, longest[place] = (
                longest[place],
                before + 1 if word == other else max(longest[place], longest[place - 1]),
            )
    return 2 * longest[-1] / (len(left) + len(right)) if left and right else 0.0


def score(given: Sequence[GivenAnswer], *, by_type: bool = True) -> AnswerScore:
    """Return the scores of `given`, one answer at least."""
    exact, f1s = [each.exact for each in given], [each.f1 for each in given]
    found = [each for each in given if each.found]
    cited, supported = sum(each.cited_claims for each in given), sum(each.supported for each in given)
    citations = sum(each.citations for each in given)
    citing = [each for each in given if each.cited_claims]
    seconds = [each.seconds for each in given]
    kinds = sorted({each.type for each in given if each.type}) if by_type else []
    return AnswerScore(
        questions=len(given),
        exact=float(np.mean(exact)),
        exact_interval=interval(exact),
        f1=float(np.mean(f1s)),
        f1_interval=interval(f1s),
        found=len(found) / len(given),
        exact_of_found=float(np.mean([each.exact for each in found])) if found else None,
        claim_precision=supported / cited if cited else None,
        claim_precision_interval=interval([each.supported / each.cited_claims for each in citing]) if citing else None,
        citation_validity=sum(each.valid for each in given) / citations if citations else None,
        p50_s=float(np.percentile(seconds, 50)),
        p95_s=float(np.percentile(seconds, 95)),
        usage=sum((each.usage for each in given), Usage()),
        types={kind: score([each for each in given if each.type == kind], by_type=False) for kind in kinds},
    )


COLUMNS = tuple(
    """system id document hard question answer ground_truth correctness similarity statements_f1 tp fp fn
    exact_match f1 judge problem ragas_correctness ragas_similarity right_option""".split()
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
    answer: str = ""  # what was scored

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
    def is_chosen(self) -> float | None:
        """1.0 where the right option was chosen, else 0.0; None where nothing was chosen from."""
        if self.given.chosen is None:
            return None
        number, options = self.given.chosen, self.question.options
        return float(0 < number <= len(options) and options[number - 1] in self.question.answers)

    @property
    def ragas(self) -> tuple[float | None, float | None]:
        """The similarity and the correctness that ragas gives, by the golden answer that is met best."""
        similar = [each.ragas_similarity for each in self.goldens if each.ragas_similarity is not None]
        correct = [each.ragas_correctness for each in self.goldens if each.ragas_correctness is not None]
        return max(similar, default=None), max(correct, default=None)


def case_row(case: Case) -> dict[str, Any]:
    """Return a case as it is saved: question, answer, ground truth, scores."""
    return {
        "system": case.system,
        "id": case.question.id,
        "document": case.question.document,
        "hard": case.question.is_hard,
        "question": case.question.text,
        "answer": case.answer,
        "chosen": case.given.chosen,
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
    return Case(row["system"], question, given, tuple(goldens), row["judge"], Usage(**row["judging"]), row["answer"])


def write_cases(path: str, cases: Sequence[Case]) -> None:
    """Write a table, one line a case and golden answer; UTF-8 with a mark, as spreadsheets want it.

    Raises UsageError where it cannot be written. A text that a spreadsheet would take for a formula gets a mark.
    """
    try:
        with Path(path).open("w", encoding="utf-8-sig", newline="") as file:
            table = csv.writer(file)
            table.writerow(COLUMNS)
            for case in cases:
                table.writerows(map(_plain, _cells(case, golden)) for golden in case.goldens)
    except OSError as error:
        raise UsageError(f"cannot write {path!r}: {(error.strerror or str(error)).lower()}") from error


def _cells(case: Case, golden: GoldenScore) -> list[object]:
    question, given = case.question, case.given
    statements = (golden.right, golden.wrong, golden.missing)
    return [
        *(case.system, question.id, question.document, int(question.is_hard)),
        *(question.text, case.answer, golden.golden),
        *map(_round, (golden.correctness, golden.similarity, golden.f1)),
        *("" if golden.f1 is None else len(each) for each in statements),
        *(given.exact, _round(given.f1), case.judge, golden.problem),
        *map(_round, (golden.ragas_correctness, golden.ragas_similarity, case.is_chosen)),
    ]


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
    accuracy: float | None = None  # of the options that were chosen; None: nothing was chosen from
    accuracy_interval: tuple[float, float] | None = None
    rouge_l: float = 0.0  # of the whole answer


def notes_on(cases: Sequence[Case]) -> list[str]:
    """Return what explains a table of zeros without a model: most questions are answered by passages alone."""
    answers = (case.given.found or case.given.usage.calls for case in cases)
    return [] if any(answers) else [NONE_FOUND]


def score_system(cases: Sequence[Case]) -> SystemScore:
    """Return the means over the cases of one system, one at least."""
    given = [case.given for case in cases]
    judged = [case.correctness for case in cases if case.correctness is not None]
    similar = [case.similarity for case in cases]
    cited, supported = sum(each.cited_claims for each in given), sum(each.supported for each in given)
    chosen = [case.is_chosen for case in cases if case.is_chosen is not None]
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
        rouge_l=float(np.mean([max(rouge_l(case.answer, each.golden) for each in case.goldens) for case in cases])),
        found=float(np.mean([each.found for each in given])),
        claim_precision=supported / cited if cited else None,
        context_tokens=float(np.mean([each.context_tokens for each in given])),
        ms=1_000 * float(np.median([each.seconds for each in given])),
        usage=sum((each.usage for each in given), Usage()),
        judging=sum((case.judging for case in cases), Usage()),
        ragas_correctness=_mean([case.ragas[1] for case in cases]),
        ragas_similarity=_mean([case.ragas[0] for case in cases]),
        accuracy=_mean(chosen),
        accuracy_interval=interval(chosen) if chosen else None,
    )


@dataclass(frozen=True, slots=True)
class SystemDifference:
    """How much better one system is than another on the same questions, in points of 100, with its 95 % interval."""

    system: str
    other: str
    measure: str  # "accuracy" or "correctness"
    points: float
    interval: tuple[float, float]

    @property
    def is_decided(self) -> bool:
        """True where the interval does not hold zero."""
        return not self.interval[0] <= 0.0 <= self.interval[1]


def differences(by_system: Mapping[str, Sequence[Case]]) -> tuple[SystemDifference, ...]:
    """Return the differences of each two systems, paired by question; cases without a value in one are left out."""
    found = []
    for measure in ("accuracy", "correctness"):
        values = {
            name: [case.is_chosen if measure == "accuracy" else case.correctness for case in cases]
            for name, cases in by_system.items()
        }
        for one, other in itertools.combinations([*by_system][::-1], 2):
            both = zip(values[one], values[other], strict=True)
            gained = [100 * (mine - theirs) for mine, theirs in both if mine is not None and theirs is not None]
            if gained:
                found.append(SystemDifference(one, other, measure, float(np.mean(gained)), interval(gained)))
    return tuple(found)


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
