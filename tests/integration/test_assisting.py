"""A model that helps to search: it takes the question apart, on a real Neo4j."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest
from pydantic import SecretStr

from fake_llm import FakeLlm
from film_graph import by_model, load_films, mark
from kg_neo4j import Settings
from kg_neo4j.errors import UsageError
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.pipeline.commands.ask import ask


@pytest.fixture(scope="module")
def films(database: Database) -> Iterator[str]:
    """A small graph of films, for tests that only read."""
    graph = f"test-films-{uuid.uuid4().hex[:12]}"
    load_films(database, graph)
    yield graph
    delete_graph(database, graph)


def test_a_model_helps_to_search_where_it_is_asked_to(database: Database, films: str) -> None:
    def helps(prompt: str, user: str) -> str:
        if "take questions apart" in prompt:
            return "Who directed the film Salt?\nWhere can 45 rooms be seen?"
        return f"He was born on 1 March 1902 [{mark(user, '1 March 1902')}]."

    question = "When was the director of Salt born?"
    with FakeLlm() as llm:
        llm.rules = helps
        given = by_model(database, films, llm, question, decompose=True)
        prompts = [request.prompt for request in llm.requests]
    assert (len(prompts), given.usage.calls) == (2, 2)
    assert given.notes[0] == "also searched for its parts: Who directed the film Salt? | Where can 45 rooms be seen?"
    assert given.citations[0].document == "Tom Berg"


def test_only_a_model_helps(database: Database, films: str) -> None:
    address = database.address
    settings = Settings(
        neo4j_uri=address.uri, neo4j_username=address.username, neo4j_password=SecretStr(address.password), graph=films
    )
    for mode, message in (("local", "only a model"), ("global", "searches in its own way")):
        with pytest.raises(UsageError, match=message):
            ask("Who directed Salt?", settings=settings, mode=mode, decompose=True)
