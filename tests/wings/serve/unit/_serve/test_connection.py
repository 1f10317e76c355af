"""Streamed answers that wait for their page."""

from __future__ import annotations

from unittest import mock

import pytest

from kg_neo4j import Settings, factory
from kg_neo4j.records import Filters
from kg_neo4j_serve import limits
from kg_neo4j_serve.connection import RecentAnswers, without_server
from kg_neo4j_serve.results import AskResult

ANSWER = mock.create_autospec(AskResult, instance=True)


def asked(question: str, *types: str) -> dict[str, object]:
    return {"question": question, "filters": Filters(types=types)}


def test_an_answer_is_given_once_and_to_the_same_question_alone() -> None:
    recent = RecentAnswers()
    recent.put(asked("Who?", "PERSON"), ANSWER)
    assert recent.take(asked("Who?")) is None
    assert recent.take(asked("Who?", "PERSON")) is ANSWER
    assert recent.take(asked("Who?", "PERSON")) is None


def test_old_answers_and_too_many_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    recent = RecentAnswers()
    for number in range(limits.RECENT + 1):
        recent.put(asked(str(number)), ANSWER)
    assert recent.take(asked("0")) is None
    assert recent.take(asked("1")) is ANSWER
    monkeypatch.setattr(limits, "RECENT_S", 0.0)
    assert recent.take(asked("2")) is None


def test_without_a_server_no_embedding_model_is_called_either() -> None:
    quiet, notes = without_server(Settings(embedding_base_url="http://127.0.0.1:9/v1", embedding_model="e"))
    assert (quiet.embedding_base_url, len(notes)) == (None, 1)
    assert factory.embeds_built_in(quiet)
