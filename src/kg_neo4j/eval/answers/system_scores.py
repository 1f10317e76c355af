"""Means over the cases of one system. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kg_neo4j.eval.answers.cases import Case
from kg_neo4j.eval.retrieval.scores import interval
from kg_neo4j.records import Usage


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
