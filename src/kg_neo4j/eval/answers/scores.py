"""Exact match and F1 of answers, as the multi-hop literature counts them, with intervals by resampling. Pure.

Normalised: lower case, without punctuation, without a, an and the, single spaces (SQuAD, Rajpurkar et al. 2016). Where
one of both is yes, no or noanswer and they differ, F1 is 0 (HotpotQA, Yang et al. 2018). The best of several counts.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kg_neo4j.eval.retrieval.scores import interval
from kg_neo4j.records import Usage

CLOSED = frozenset({"yes", "no", "noanswer"})
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """What was answered to one question, and what it took."""

    id: str
    type: str
    said: str  # what is scored: the short answer, else the text; empty where nothing was found
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


def score(given: Sequence[GivenAnswer], *, by_type: bool = True) -> AnswerScore:
    """Return the scores of `given`, one answer at least."""
    import numpy as np

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
