"""Decides which models a run has: those of a server, or those that replace them."""

from __future__ import annotations

import threading
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, TypeVar

from kg_neo4j import plugins
from kg_neo4j.errors import PriceUnknown, UsageError

if TYPE_CHECKING:
    from kg_neo4j._models.books import Books
    from kg_neo4j._models.budget import Budget
    from kg_neo4j._models.cache import AnswerCache
    from kg_neo4j._models.door import Door
    from kg_neo4j._models.model_options import ModelOptions
    from kg_neo4j._models.openai_endpoint import Endpoint
    from kg_neo4j._models.prices import Price
    from kg_neo4j._models.protocols import ChatModel, EmbeddingModel
    from kg_neo4j.settings import Settings

OFFLINE = "kg_neo4j_offline"
_NAME_A_MODEL = "set OPENAI_API_KEY, or OPENAI_BASE_URL and KG_MODEL; or install kg-neo4j again"
Given = TypeVar("Given", "ChatModel", "EmbeddingModel")
DEFAULT_MODEL = "gpt-4o-mini"  # with a key for OpenAI itself and no KG_MODEL: the cheapest one with a large window
HASHED_EMBEDDING = "hashed-ngram-256-1"  # KG_EMBEDDING_MODEL for the former built-in embedder, which learned nothing
PROMPT_TOKENS = 2_000  # the extraction prompt with the longer built-in schema, and some room
MODEL_TOKENS = 1.13  # that a model may count for one of ours (docs/decisions/0002-tokens.md)
ANSWER_TOKENS = 0.5  # of an answer about a large chunk, for a token of the chunk; a longer answer is continued

CHECK_S = 10.0  # for a list of models


def warm_up(settings: Settings) -> None:
    """Begin to import the model's client, half a second of work, while others wait for the database."""
    if (settings.has_server and settings.given.chat is None) or settings.embedding_base_url:
        threading.Thread(target=import_module, args=("openai",), name="kg-import", daemon=True).start()


def chat_model(settings: Settings, *, budget: Budget | None = None, ledger: Books | None = None) -> ChatModel | None:
    """Return the chat model that the settings mean; None where there is neither a key nor a base URL (offline).

    With a budget its calls are paid from it. With a ledger the limits of requests and tokens a minute are those of all
    processes that name it. Raises UsageError for a base URL without KG_MODEL, for a table of prices
    that is none, and for a budget where the model's price is not known.
    """
    if settings.offline:
        return None
    if settings.given.chat is not None:
        return _unpaid(settings.given.chat, budget)
    from kg_neo4j._models.openai_chat import OpenAIChat
    from kg_neo4j._models.prices import price_of

    if settings.model is None and settings.openai_base_url is not None:
        raise UsageError(
            "OPENAI_BASE_URL is set, but no model is named", hint="set KG_MODEL, for example KG_MODEL=qwen2.5:14b"
        )
    name = settings.model or DEFAULT_MODEL
    price = price_of(name, settings)
    model = OpenAIChat(name, _endpoint(settings, ledger), window=settings.model_window, price=price)
    if budget is None:
        return model
    from kg_neo4j._models import tokens
    from kg_neo4j._models.budgeted import BudgetedChat

    return BudgetedChat(model, _known(price, name), budget, tokens.load())


def door(settings: Settings, *, budget: Budget | None = None, ledger: Books | None = None) -> Door:
    """Return the door to the chat model, with the cache of answers; offline, the door to its replacement.

    Takes `budget` and `ledger`, and raises, as `chat_model` does.
    """
    model = chat_model(settings, budget=budget, ledger=ledger)
    if model is None:
        return without_model()
    from kg_neo4j._models import model_options
    from kg_neo4j._models.cache import open_cache

    return door_to(model, open_cache(settings), settings.model_concurrency, model_options.read(settings))


def without_model() -> Door:
    """Return the door to the replacement of a chat model. Raises UsageError where that is not installed."""
    plugins.need(OFFLINE, "no model is set, and nothing replaces it", _NAME_A_MODEL)
    from kg_neo4j_offline.stand_ins import StandInDoor

    return StandInDoor()


def door_to(
    model: ChatModel, cache: AnswerCache | None = None, concurrency: int = 1, options: ModelOptions | None = None
) -> Door:
    """Return the door to a chat model, with the cache of this machine where one is given."""
    from kg_neo4j._models.door import open_door

    if not plugins.is_installed(OFFLINE):
        return open_door(model, cache, concurrency, options=options)
    from kg_neo4j_offline.stand_ins import stand_in

    return open_door(model, cache, concurrency, stand_in, options)


def embedding_model(settings: Settings, *, budget: Budget | None = None) -> EmbeddingModel:
    """Return the embedding model: the given one, KG_EMBEDDING_MODEL where there is a server, else the built-in one.

    Its server is KG_EMBEDDING_BASE_URL, else that of the chat model. Takes `budget` as `chat_model` does; UsageError
    for a budget where its price is not known, and for a server of its own without a name.
    """
    if settings.embedding_base_url and not settings.embedding_model and settings.given.embedding is None:
        why = "KG_EMBEDDING_BASE_URL is set, but no embedding model is named"
        raise UsageError(why, hint="set KG_EMBEDDING_MODEL, for example KG_EMBEDDING_MODEL=bge-m3")
    if embeds_built_in(settings):
        return built_in_embedder(settings)
    if settings.given.embedding is not None:
        return _unpaid(settings.given.embedding, budget)
    from kg_neo4j._models.openai_embedding import OpenAIEmbedding
    from kg_neo4j._models.prices import price_of

    name = str(settings.embedding_model)
    price = price_of(name, settings)
    model = OpenAIEmbedding(name, _endpoint(settings, embeds=True), price=price)
    if budget is None:
        return model
    from kg_neo4j._models import tokens
    from kg_neo4j._models.budgeted import BudgetedEmbedding

    return BudgetedEmbedding(model, _known(price, name), budget, tokens.load())


def _unpaid(model: Given, budget: Budget | None) -> Given:
    if budget is not None:
        raise UsageError(
            f"a budget cannot be kept with {model.name!r}: its calls are made by the program that supplied it",
            hint="leave the budget out, or use the model through OPENAI_BASE_URL",
        )
    return model


def _known(price: Price | None, model: str) -> Price:
    if price is None:
        hint = "set --price INPUT,OUTPUT in US dollars per million tokens (KG_PRICE), or a table (KG_PRICES)"
        raise PriceUnknown(f"a budget needs a price, and none is known for {model!r}", hint=hint)
    return price


def built_in_embedder(settings: Settings) -> EmbeddingModel:
    """Return the built-in embedder that the settings mean: it makes no calls. Without one texts get no vectors."""
    if not plugins.is_installed(OFFLINE):
        from kg_neo4j._models.embedding import NoEmbedding

        return NoEmbedding()
    if settings.embedding_model == HASHED_EMBEDDING:
        from kg_neo4j_offline.embedder.hashed_embedding import HashedEmbedding

        return HashedEmbedding()
    from kg_neo4j_offline.embedder.static_embedding import StaticEmbedding

    return StaticEmbedding()


def require_model(settings: Settings, why: str) -> None:
    """Raise UsageError, which says `why`, where there is neither a key nor a base URL."""
    if settings.offline:
        raise UsageError(why, hint="set OPENAI_API_KEY, or OPENAI_BASE_URL and KG_MODEL")


def note_without_model(settings: Settings, note: str) -> list[str]:
    """Return the note; none where a model is set."""
    return [note] if settings.offline else []


def model_and_server(settings: Settings) -> tuple[str, str]:
    """Return the chat model's name and the address of its server, empty for OpenAI's own; both empty offline."""
    if settings.given.chat is not None:
        return settings.given.chat.name, ""
    return ("", "") if settings.offline else (settings.model or DEFAULT_MODEL, settings.openai_base_url or "")


def unserved_models(settings: Settings, *, embeds: bool = False) -> tuple[str, ...]:
    """Return the models of the settings that their server does not list. Calls it, at no cost; raises ModelError.

    The server is that of the chat model; with `embeds` the embedding model's own.
    """
    from kg_neo4j._models.openai_client import served_models

    endpoint = _endpoint(settings, embeds=embeds)
    endpoint = replace(endpoint, timeout_s=min(settings.model_timeout_s, CHECK_S), retries=0)
    wanted = [] if settings.given.chat is not None or embeds else [settings.model or DEFAULT_MODEL]
    is_elsewhere = settings.given.embedding is not None or (settings.embedding_base_url and not embeds)
    wanted += [] if is_elsewhere or embeds_built_in(settings) else [str(settings.embedding_model)]
    if not wanted:
        return ()
    served = served_models(endpoint)
    return tuple(name for name in wanted if not {name, f"{name}:latest"} & served)  # Ollama lists the tag, too


def extracts_fully(settings: Settings, language: str | None) -> bool:
    """Return whether texts in this language give all kinds of rows: the built-in rules know English best."""
    return not settings.offline or language is None or language.split("-")[0].lower() == "en"


def embeds_built_in(settings: Settings) -> bool:
    """Return whether vectors come from an embedder of this package: no server, no price."""
    if settings.given.embedding is not None:
        return False
    has_server = settings.has_server or settings.embedding_base_url is not None
    return not has_server or settings.embedding_model in (None, HASHED_EMBEDDING)


def largest_chunk(settings: Settings) -> int:
    """Return the most tokens a chunk may have, so that prompt, chunk and answer fit the model's window.

    Offline, where there is no window, as for an unknown model (8,000).
    """
    from kg_neo4j._models.openai_models import DEFAULT_WINDOW, window_of

    given = settings.given.chat
    known = DEFAULT_WINDOW if settings.offline else window_of(settings.model or DEFAULT_MODEL)
    room = max((given.window if given else settings.model_window or known) - PROMPT_TOKENS, 512)
    return int(room / (MODEL_TOKENS + ANSWER_TOKENS))


def _endpoint(settings: Settings, ledger: Books | None = None, *, embeds: bool = False) -> Endpoint:
    from kg_neo4j._models.openai_endpoint import OPENAI_URL, Endpoint

    own = settings.embedding_base_url if embeds else None
    return Endpoint(
        base_url=own or settings.openai_base_url or OPENAI_URL,
        api_key=settings.embedding_api_key if own else settings.openai_api_key,
        key_command=None if own else settings.api_key_command,
        headers=() if own else tuple(settings.model_headers.items()),
        proxy=None if own else settings.model_proxy,
        ca_bundle=settings.ca_bundle,
        timeout_s=settings.model_timeout_s,
        retries=settings.model_retries,
        concurrency=settings.model_concurrency,
        rpm=settings.rpm,
        tpm=settings.tpm,
        ledger=ledger,
    )
