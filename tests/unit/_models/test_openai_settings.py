"""Which models the settings mean."""

from __future__ import annotations

from typing import Any

import pytest

from fake_llm import DIMENSION, FakeLlm
from kg_neo4j import factory
from kg_neo4j._models import tokens
from kg_neo4j._models.budget import Budget
from kg_neo4j._models.openai_chat import OpenAIChat
from kg_neo4j._models.openai_embedding import OpenAIEmbedding
from kg_neo4j.errors import PriceUnknown, UsageError
from kg_neo4j.pipeline.options import LoadOptions, cut_document
from kg_neo4j.records import Document
from kg_neo4j.settings import Settings


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "KG_MODEL", "KG_EMBEDDING_MODEL", "KG_MODEL_WINDOW"):
        monkeypatch.delenv(name, raising=False)


def settings(**values: Any) -> Settings:
    return Settings(**values)


@pytest.mark.needs("kg_neo4j_offline")
def test_without_key_and_address_there_is_no_chat_model() -> None:
    assert factory.chat_model(settings()) is None
    assert factory.chat_model(settings(model="gpt-4o")) is None
    assert type(factory.embedding_model(settings(embedding_model="e"))).__name__ == "StaticEmbedding"


def test_a_key_means_openai_itself() -> None:
    chat = factory.chat_model(settings(openai_api_key="sk-x"))
    assert isinstance(chat, OpenAIChat)
    assert (chat.name, chat.window) == ("gpt-4o-mini", 128_000)
    assert repr(chat) == "OpenAIChat('gpt-4o-mini', 'https://api.openai.com/v1')"


def test_an_address_means_that_server_and_needs_a_model() -> None:
    local = {"openai_base_url": "http://127.0.0.1:11434/v1"}
    chat = factory.chat_model(settings(**local, model="qwen2.5:14b", model_window=32_768))
    assert chat is not None
    assert chat.window == 32_768
    with pytest.raises(UsageError, match="no model is named") as error:
        factory.chat_model(settings(**local))
    assert "KG_MODEL" in (error.value.hint or "")


@pytest.mark.needs("kg_neo4j_offline")
def test_embeddings_need_a_name_to_leave_the_machine() -> None:
    key = {"openai_api_key": "sk-x"}
    assert type(factory.embedding_model(settings(**key))).__name__ == "StaticEmbedding"
    assert isinstance(factory.embedding_model(settings(**key, embedding_model="e")), OpenAIEmbedding)


def test_an_embedding_model_of_another_server_gets_its_own_key_or_none() -> None:
    with FakeLlm() as chat, FakeLlm() as vectors:
        at: dict[str, Any] = {"openai_base_url": chat.url, "openai_api_key": "k", "model": "m", "embedding_model": "e"}
        at["model_headers"] = {"X-Team": "secret"}  # of the chat model's gateway alone
        own = {"embedding_base_url": vectors.url}
        for values in ({**at, **own, "embedding_api_key": "v"}, {**at, **own}, {**own, "embedding_model": "e"}):
            found = factory.embedding_model(settings(**values)).embed(["one", "two"])
            assert found.shape == (2, DIMENSION)
        assert [each.headers["authorization"] for each in vectors.requests] == [
            "Bearer v",
            "Bearer none",
            "Bearer none",
        ]
        assert not any("x-team" in each.headers for each in vectors.requests)
        assert chat.calls == 0
        factory.embedding_model(settings(**at, embedding_api_key="v")).embed(["one"])
        sent = chat.requests[-1].headers
        assert (chat.calls, sent["authorization"], sent["x-team"]) == (1, "Bearer k", "secret")


def test_a_server_of_the_embedding_model_alone_leaves_the_chat_model_built_in() -> None:
    alone = settings(embedding_base_url="http://127.0.0.1:9/v1", embedding_model="e")
    assert factory.chat_model(alone) is None
    assert not factory.embeds_built_in(alone)
    with pytest.raises(UsageError, match="no embedding model is named") as error:
        factory.embedding_model(settings(embedding_base_url="http://127.0.0.1:9/v1"))
    assert "KG_EMBEDDING_MODEL" in (error.value.hint or "")
    with pytest.raises(PriceUnknown, match="'e'"):
        factory.embedding_model(alone, budget=Budget(1.0))
    assert factory.embedding_model(alone.model_copy(update={"price": "1,0"}), budget=Budget(1.0)).name == "e"


@pytest.mark.parametrize(
    ("values", "largest"),
    [
        ({}, 3_680),
        ({"openai_api_key": "k", "model": "gpt-4o"}, 77_300),
        ({"model_window": 32_000}, 18_404),
        ({"model_window": 1024}, 314),
    ],
)
def test_the_largest_chunk_leaves_room_for_the_prompt_and_the_answer(values: dict[str, Any], largest: int) -> None:
    assert factory.largest_chunk(settings(**values)) == largest


@pytest.mark.parametrize("window", [8_000, 32_000, 128_000, 1_000_000])
def test_prompt_chunk_and_answer_fit_the_window_also_where_the_model_counts_more(window: int) -> None:
    chunk = factory.largest_chunk(settings(model_window=window))
    assert window - 10 < factory.PROMPT_TOKENS + chunk * 1.13 + chunk / 2 <= window


def test_a_page_of_16_400_tokens_is_one_chunk_in_a_window_of_32_000() -> None:
    tokeniser = tokens.load("approximate-1")
    text = "\n\n".join("The river runs past the old mill and the town. " * 20 for _ in range(82))
    assert tokeniser.count(text) >= 16_400
    page = Document("0" * 32, "g", "file", "x", "x", "x", text, "")
    chunks = [
        cut_document(page, tokeniser, settings(model_window=window), LoadOptions(chunk_tokens=None))
        for window in (8_000, 32_000, 128_000)
    ]
    assert [len(each) for each in chunks] == [6, 1, 1]
