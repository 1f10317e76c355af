"""Answer similarity and answer correctness, as the narrative thesis measures them.

Similarity: cosine of the embeddings of an answer and the golden answer. Correctness: a quarter of it is similarity,
three quarters F1 of the statements. An empty answer, one that was not found, scores 0 in both, and nobody is asked.
"""

from __future__ import annotations

from dataclasses import dataclass

from kg_neo4j._models.embedding import embed_texts
from kg_neo4j._models.protocols import EmbeddingModel
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.eval.answers.judges import AnswerJudgement, StatementJudge, Statements

SIMILARITY_WEIGHT = 0.25  # the narrative thesis
STATEMENTS_WEIGHT = 0.75  # the narrative thesis


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
