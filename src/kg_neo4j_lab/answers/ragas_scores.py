"""The scores of the package ragas, where it is installed (the extra "ragas"), with our judge and our embedder.

Its prompts and its arithmetic, our connection: what it asks is counted, kept and paid for like everything else. Nothing
is reported to its makers.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from kg_neo4j._models.answer_text import find_object
from kg_neo4j._models.door import Door
from kg_neo4j._models.embedding import embed_texts
from kg_neo4j._models.protocols import Completion, EmbeddingModel
from kg_neo4j._models.tasks import Complaint, Task
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.errors import BadModelAnswer, ContentFiltered, ContextTooLong, UsageError
from kg_neo4j.records import Usage
from kg_neo4j.settings import forbid_reports_of_use
from kg_neo4j_lab.answers.correctness import ROUNDS, SIMILARITY_WEIGHT, STATEMENTS_WEIGHT
from kg_neo4j_lab.answers.recalling import Recalling

ANSWER_TOKENS = 2_000  # it asks for a reason with every statement

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RagasScore:
    """What ragas says of one answer. None: its judge gave nothing of use."""

    similarity: float
    correctness: float | None
    usage: Usage
    problem: str = ""


class Ragas:
    """Its metrics answer_similarity and answer_correctness, weights 0.25 and 0.75 as the narrative thesis."""

    def __init__(self, model: Recalling, embedder: EmbeddingModel, tokeniser: Tokeniser) -> None:
        """Refuse where the package is not installed, or does not fit: UsageError."""
        forbid_reports_of_use()
        try:
            from ragas.metrics.collections import AnswerCorrectness, SemanticSimilarity
        except ImportError as error:
            raise UsageError(f"ragas is not installed: {error}", hint="pip install 'kg-neo4j[ragas]'") from error
        self._spent = [Usage()]
        llm, embeddings = _llm(model, self._spent), _embeddings(embedder, tokeniser)
        self._similarity = SemanticSimilarity(embeddings=embeddings)
        weights = [STATEMENTS_WEIGHT, SIMILARITY_WEIGHT]
        self._correctness = AnswerCorrectness(llm=llm, embeddings=embeddings, weights=weights)

    def score(self, question: str, answer: str, golden: str) -> RagasScore:
        """Return its scores of an answer; an empty one has 0 without a call, as with ours."""
        if not answer.strip():
            return RagasScore(0.0, 0.0, Usage())
        self._spent[0] = Usage()
        similar = float(_run(self._similarity.ascore(reference=golden, response=answer)).value)
        try:
            asked = self._correctness.ascore(user_input=question, response=answer, reference=golden)
            return RagasScore(similar, float(_run(asked).value), self._spent[0])
        except (BadModelAnswer, ContentFiltered, ContextTooLong) as error:
            return RagasScore(similar, None, self._spent[0], f"ragas: {error}")


@dataclass(frozen=True, slots=True)
class _Form(Task[Any]):
    """A prompt of ragas, and the form of its answer."""

    kind: ClassVar[str] = "ragas"
    rounds: ClassVar[int] = ROUNDS
    max_tokens = ANSWER_TOKENS
    prompt: str
    form: Any

    def messages(self, complaint: str = "") -> tuple[str, str]:
        """Return the prompt; a complaint stands behind it."""
        more = f"\n\nYour last answer could not be used: {complaint}. Keep to the form." if complaint else ""
        return "", self.prompt + more

    def accept(self, said: Completion) -> Any:
        """Return what the form makes of the answer."""
        try:
            return self.form.model_validate(find_object(said.text, self.form.model_fields))
        except ValueError as error:
            return Complaint(" ".join(str(error).split())[:200])


def _llm(model: Recalling, spent: list[Usage]) -> Any:
    """Return our model as ragas asks one: a prompt, and the form of the answer."""
    from ragas.llms.base import InstructorBaseRagasLLM

    class Judge(InstructorBaseRagasLLM):  # type: ignore[misc, unused-ignore]
        is_async = True

        def generate(self, prompt: str, response_model: Any) -> Any:
            answer = Door(model).ask(_Form(prompt, response_model))
            spent[0] += answer.usage
            return answer.result()

        async def agenerate(self, prompt: str, response_model: Any) -> Any:
            return self.generate(prompt, response_model)

    return Judge()


def _embeddings(embedder: EmbeddingModel, tokeniser: Tokeniser) -> Any:
    from ragas.embeddings.base import BaseRagasEmbedding

    class Embeddings(BaseRagasEmbedding):  # type: ignore[misc, unused-ignore]
        def embed_text(self, text: str, **_: Any) -> list[float]:
            return [float(value) for value in embed_texts(embedder, [text], tokeniser)[0]]

        async def aembed_text(self, text: str, **_: Any) -> list[float]:
            return self.embed_text(text)

    return Embeddings()


def _run(work: Coroutine[Any, Any, T]) -> T:
    """Run it to its end in a thread of its own: the caller may be in a notebook, whose loop runs."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()
