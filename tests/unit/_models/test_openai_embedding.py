"""The embedding client against a real HTTP server: test plan row 30."""

from __future__ import annotations

import asyncio
import base64
import math
import struct
from typing import Any

import numpy as np
import pytest

from fake_llm import DIMENSION, FakeLlm, Reply
from kg_neo4j._models.openai_embedding import OpenAIEmbedding
from kg_neo4j._models.openai_endpoint import Endpoint
from kg_neo4j.errors import BadModelAnswer, ContextTooLong, ModelRefused, RequestRefused

TEXTS = ["Ada wrote letters", "Mecca is a city", "the river runs"]


@pytest.fixture
def model(llm: FakeLlm) -> OpenAIEmbedding:
    return OpenAIEmbedding("e", Endpoint(llm.url, retries=2, sleep=lambda _: asyncio.sleep(0)), batch=2)


def test_texts_become_unit_vectors_in_batches(llm: FakeLlm, model: OpenAIEmbedding) -> None:
    vectors = model.embed(TEXTS)
    assert vectors.shape == (3, DIMENSION)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0)
    assert [request.body["input"] for request in llm.requests] == [TEXTS[:2], TEXTS[2:]]
    assert llm.requests[0].body["encoding_format"] == "base64"
    assert np.array_equal(model.embed(TEXTS[2:])[0], vectors[2])


def test_vectors_are_put_in_the_order_of_their_indexes(llm: FakeLlm, model: OpenAIEmbedding) -> None:
    llm.vectors([[0.0, 2.0], [3.0, 0.0]], indexes=[1, 0])
    assert model.embed(TEXTS[:2]).tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_vectors_in_base64_are_those_in_numbers(llm: FakeLlm, model: OpenAIEmbedding) -> None:
    packed = [base64.b64encode(struct.pack("<2f", *each)).decode() for each in ([0.0, 2.0], [3.0, 4.0])]
    llm.vectors(packed).vectors([packed[0], base64.b64encode(struct.pack("<2f", 1.0, math.nan)).decode()])
    assert model.embed(TEXTS[:2]).tolist() == [[0.0, 1.0], [np.float32(0.6), np.float32(0.8)]]
    with pytest.raises(BadModelAnswer, match="not finite"):
        OpenAIEmbedding("e", Endpoint(llm.url, retries=0)).embed(TEXTS[:2])


@pytest.mark.parametrize("said", ["encoding_format: Input should be 'float'", "base64 is not supported"])
def test_a_server_that_refuses_base64_is_asked_for_numbers_from_then_on(llm: FakeLlm, said: str) -> None:
    model = OpenAIEmbedding("e", Endpoint(llm.url, retries=0))
    llm.fail(400, message=said)
    assert model.embed(TEXTS).shape == (3, DIMENSION)
    model.embed(TEXTS)
    assert [request.body["encoding_format"] for request in llm.requests] == ["base64", "float", "float"]


def test_the_dimension_is_asked_for_once_or_known(llm: FakeLlm, model: OpenAIEmbedding) -> None:
    assert (model.dimension, model.dimension, llm.calls) == (DIMENSION, DIMENSION, 1)
    assert OpenAIEmbedding("text-embedding-3-small", Endpoint(llm.url)).dimension == 1536
    assert model.max_tokens == 450
    assert llm.calls == 1


def test_no_texts_give_no_rows_and_empty_ones_are_sendable(llm: FakeLlm, model: OpenAIEmbedding) -> None:
    assert model.embed([]).shape == (0, DIMENSION)
    assert model.embed(["", " \n", "a\ud800"]).shape == (3, DIMENSION)
    assert llm.requests[1].body["input"] == ["-", "-"]


@pytest.mark.parametrize(
    ("vectors", "indexes", "detail"),
    [
        ([[1.0, 0.0]], None, "1 vectors for 2 texts"),
        ([[1.0, 0.0]] * 3, None, "3 vectors for 2 texts"),
        ([[1.0, 0.0]] * 2, [0, 0], "index 0"),
        ([[1.0, 0.0]] * 2, [1, 2], "index 2"),
        ([[1.0, 0.0], [1.0]], None, "a vector of 1 numbers"),
        ([[1.0, 0.0], [0.0, 0.0]], None, "length zero"),
        ([[1.0, 0.0], [float("nan"), 1.0]], None, "not a finite number"),
        ([[1.0, 0.0], [float("inf"), 1.0]], None, "not a finite number"),
        ([[1.0, 0.0], [1e308, 1e308]], None, "not finite"),
        ([[1.0, 0.0], "AAAA"], None, "no list"),
        ([[1.0, 0.0], []], None, "no list"),
        ([[1.0, 0.0], ["1", "2"]], None, "not a finite number"),
        ([[1.0, 0.0], None], None, "no list"),
    ],
)
@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_vectors_that_cannot_be_used_are_refused_after_one_more_try(
    llm: FakeLlm, model: OpenAIEmbedding, vectors: list[Any], indexes: list[int] | None, detail: str
) -> None:
    llm.vectors(vectors, indexes).vectors(vectors, indexes)
    with pytest.raises(BadModelAnswer, match=detail):
        model.embed(TEXTS[:2])
    assert llm.calls == 2


def test_another_dimension_in_mid_run_is_refused(llm: FakeLlm, model: OpenAIEmbedding) -> None:
    good, other = [[1.0, 0.0]] * 2, [[1.0, 0.0, 0.0]]
    llm.vectors(good).vectors(other).vectors(other)
    with pytest.raises(BadModelAnswer, match="3 numbers where 2"):
        model.embed(TEXTS)


def test_no_data_at_all(llm: FakeLlm, model: OpenAIEmbedding) -> None:
    llm.script(Reply(body=b'{"data": null}'), Reply(body=b'{"data": ["x", "y"]}'))
    with pytest.raises(BadModelAnswer):
        model.embed(TEXTS[:2])


SMALLER = ["at most 2 inputs are allowed", "batch size 5 > maximum allowed batch size 2", "the input is too long"]


@pytest.mark.parametrize(
    ("status", "message"), [*((400, each) for each in SMALLER), (413, "too large"), (422, SMALLER[1])]
)
def test_a_batch_that_is_too_large_is_halved_for_the_run(llm: FakeLlm, status: int, message: str) -> None:
    model = OpenAIEmbedding("e", Endpoint(llm.url), batch=8)
    texts = [f"text {number}" for number in range(5)]
    llm.fail(status, message=message).fail(status, message=message)
    vectors = model.embed(texts)
    assert [len(request.body["input"]) for request in llm.requests] == [5, 3, 2, 2, 1]
    assert np.array_equal(vectors, OpenAIEmbedding("e", Endpoint(llm.url)).embed(texts))
    llm.requests.clear()
    model.embed(texts)
    assert [len(request.body["input"]) for request in llm.requests] == [2, 2, 1]
    assert tuple(model.notes.values()) == ("2 texts are sent in a call: the server of e refuses more",)


def test_one_text_that_is_too_long_is_an_error(llm: FakeLlm, model: OpenAIEmbedding) -> None:
    llm.fail(413).fail(413)
    with pytest.raises(ContextTooLong):
        model.embed(TEXTS)
    assert llm.calls == 2


def test_another_refusal_halves_nothing(llm: FakeLlm, model: OpenAIEmbedding) -> None:
    llm.fail(400, message="strange")
    with pytest.raises(RequestRefused):
        model.embed(TEXTS)
    assert (llm.calls, tuple(model.notes.values())) == (1, ())


def test_a_wrong_model_is_refused_at_once(llm: FakeLlm, model: OpenAIEmbedding) -> None:
    llm.fail(404)
    with pytest.raises(ModelRefused, match="has no model 'e'"):
        model.embed(TEXTS)
    assert llm.calls == 1
