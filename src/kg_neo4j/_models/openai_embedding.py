"""An embedding model behind an OpenAI-compatible server."""

from __future__ import annotations

import base64
import contextlib
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from kg_neo4j import tracing
from kg_neo4j._models import openai_client, openai_faults, tokens
from kg_neo4j._models.books import Seen
from kg_neo4j._models.budget import UNLIMITED, Account
from kg_neo4j._models.embedding import LIMIT_TOKENS, Vectors
from kg_neo4j._models.openai_client import Data, ModelCall, read_count
from kg_neo4j._models.openai_endpoint import Endpoint
from kg_neo4j._models.openai_models import DIMENSIONS
from kg_neo4j._models.prices import Price
from kg_neo4j.errors import BadModelAnswer, ContextTooLong, RequestRefused
from kg_neo4j.records import Usage

BATCH = 128  # texts in one call; of 450 tokens each, far below every server's limit


class OpenAIEmbedding:
    """An EmbeddingModel. Safe to call from several threads; pickles (connections are made where it is used)."""

    def __init__(self, name: str, endpoint: Endpoint, *, batch: int = BATCH, price: Price | None = None) -> None:
        self.name, self.address = name, endpoint.address
        self.batch = batch  # texts in one call
        self.notes: dict[str, str] = {}  # what was learnt of the server
        self.max_tokens = LIMIT_TOKENS
        self._endpoint = endpoint
        self._price = price
        self._dimension = DIMENSIONS.get(name)  # None: the server is asked
        self._form = "base64"  # a quarter of the bytes; a server that does not know it sends numbers, or refuses it

    def __repr__(self) -> str:
        return f"OpenAIEmbedding({self.name!r}, {self._endpoint.address!r})"

    @property
    def dimension(self) -> int:
        """Length of every vector. Asks the server once where the model is not in the table."""
        if self._dimension is None:
            self._dimension = self._request(["dimension"], None, UNLIMITED).shape[1]
        return self._dimension

    def embed(self, texts: Sequence[str], *, account: Account = UNLIMITED) -> Vectors:
        """Return an array of shape (len(texts), dimension), rows of unit length, in the order of `texts`.

        A batch that the server finds too large is halved, for the rest of the run. `account` pays. Raises ModelRefused,
        ModelUnavailable, ContextTooLong, ContentFiltered or RequestRefused; BadModelAnswer for a wrong count, a wrong
        order, a wrong dimension, NaN or a zero vector.
        """
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        parts: list[Vectors] = []
        start = 0
        while start < len(texts):
            part = texts[start : start + self.batch]
            try:
                parts.append(self._request(part, self._dimension, account))
            except (RequestRefused, ContextTooLong) as refused:
                if len(part) == 1 or (
                    isinstance(refused, RequestRefused) and refused.fault.kind != openai_faults.BATCH
                ):
                    raise
                self.batch = min(self.batch, (len(part) + 1) // 2)  # kept for the run
                self.notes["batch"] = f"{self.batch} texts are sent in a call: the server of {self.name} refuses more"
                continue
            self._dimension = parts[0].shape[1]
            start += len(part)
        return np.concatenate(parts)

    def _request(self, texts: Sequence[str], dimension: int | None, account: Account) -> Vectors:
        sent = [text.encode("utf-8", "replace").decode("utf-8") if text.strip() else "-" for text in texts]
        openai_client.client(self._endpoint)  # made by the thread that asks: it may import, or run a command

        def opened(own: Any) -> Any:
            asked = {"model": self.name, "input": sent, "encoding_format": self._form}
            return own.embeddings.with_streaming_response.create(**asked)

        def parse(data: Data) -> Vectors:
            found = data.get("usage")
            read = read_count(found.get("prompt_tokens")) if isinstance(found, dict) else 0
            account.paid(usage := Usage(1, read, 0, self._price.usd(read) if self._price else None))
            note(tracing.spent(usage))
            try:
                return _checked(data.get("data"), len(sent), dimension)
            except BadModelAnswer as error:
                raise openai_faults.bad_answer(str(error), self._endpoint) from None

        expected = Seen(self.name).prompt(sum(map(tokens.load().count, sent))) if self._endpoint.tpm else 0.0
        question = ModelCall(self._endpoint, self.name, opened, account, expected)
        try:
            with tracing.call("embeddings", self) as note:
                return openai_client.run(openai_client.call(question, parse))
        except RequestRefused as refused:
            if self._form == "float" or not re.search("encoding|base64", refused.fault.said):
                raise
            self._form = "float"
        return self._request(texts, dimension, account)


def _checked(items: object, count: int, dimension: int | None) -> Vectors:
    """Return the vectors by index, normalised; BadModelAnswer says what is wrong with them."""
    if not isinstance(items, list) or len(items) != count:
        found = len(items) if isinstance(items, list) else "no"
        raise BadModelAnswer(f"{found} vectors for {count} texts")
    ordered: dict[int, npt.NDArray[np.float64]] = {}
    for place, item in enumerate(items):
        fields = item if isinstance(item, dict) else {}
        index, vector = fields.get("index", place), fields.get("embedding")
        if not isinstance(index, int) or not 0 <= index < count or index in ordered:
            raise BadModelAnswer(f"index {index!r} of a vector, for {count} texts")
        ordered[index] = _numbers(vector)
    expected = dimension or len(ordered[0])
    for index in range(count):
        if len(ordered[index]) != expected:
            raise BadModelAnswer(f"a vector of {len(ordered[index])} numbers where {expected} are expected")
    vectors = np.array([ordered[index] for index in range(count)], dtype=np.float64)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or (lengths < 1e-12).any():
        raise BadModelAnswer("a vector of length zero, or with a number that is not finite")
    unit: Vectors = (vectors / lengths).astype(np.float32)
    return unit


def _numbers(vector: object) -> npt.NDArray[np.float64]:
    if isinstance(vector, str):
        with contextlib.suppress(ValueError):  # not base64, or not of whole numbers
            return np.frombuffer(base64.b64decode(vector, validate=True), "<f4").astype(np.float64)
    if not isinstance(vector, list) or not vector:
        raise BadModelAnswer("a vector that is no list of numbers")
    if {*map(type, vector)} <= {int, float}:
        with contextlib.suppress(OverflowError):  # a whole number that no float holds
            numbers = np.array(vector, dtype=np.float64)
            if np.isfinite(numbers).all():
                return numbers
    raise BadModelAnswer("a vector with something that is not a finite number")
