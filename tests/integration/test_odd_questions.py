"""Odd questions in every mode and in a conversation: an answer or none, never a crash; every cited id exists."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest

from fake_llm import FakeLlm
from kg_neo4j import Settings, factory
from kg_neo4j._models import tokens
from kg_neo4j.errors import UsageError
from kg_neo4j.factory import without_model
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.queries import Query
from kg_neo4j.organise import vectors
from kg_neo4j.organise.analytics import refresh
from kg_neo4j.organise.community_reports import write_reports
from kg_neo4j.pipeline.commands.ask import Answerer, answerer, ask
from kg_neo4j.pipeline.commands.tree import tree
from kg_neo4j.records import Answer, Filters
from kg_neo4j.retrieve import projection_cache
from kg_neo4j.retrieve.interface import AskOptions
from kg_neo4j.rooms.chat.turns import Turn, TurnMention
from kg_neo4j_offline.follow_ups import resolve
from odd_questions import EMPTY, odd_questions
from small_graph import OTHER_PARAGRAPHS, load

MODES = ("naive", "local", "global", "cypher", "auto", "tree")
HASHED = "hashed-ngram-256-1"
FEW, ALL = 110, 1_000
IDS = "MATCH (n:Chunk|Entity|Fact|Community|TreeNode) WHERE n.graph = $graph RETURN n.id AS id, n.text AS text"
TURNS = [Turn("Who was Ada Lovelace?", "A countess.", (TurnMention("Ada Lovelace", "person", "f", "Ada Lovelace"),))]


@pytest.fixture(scope="module")
def asked(settings: Settings, database: Database) -> Iterator[Answerer]:
    """What answers questions on a small graph with everything in it: vectors, communities, reports, trees."""
    name = f"test-odd-{uuid.uuid4().hex[:12]}"
    load(database, name)
    load(database, name, "Chopin", OTHER_PARAGRAPHS, [[("Chopin", "BORN_IN", "Żelazowa Wola", "Żelazowej Woli")]])
    offline = {"graph": name, "openai_api_key": None, "openai_base_url": None, "embedding_model": HASHED}
    found = answerer(settings.model_copy(update=offline), database, without_model())
    vectors.prepare(database, found.embedder)
    vectors.embed(database, name, found.embedder, tokens.load("approximate-1"))
    with Lease(database, name) as lease:
        refresh(database, name, lease=lease)
        write_reports(database, name, without_model(), found.tokeniser, lease=lease)
    tree(settings=found.settings)
    yield found
    projection_cache.forget(database, name)
    delete_graph(database, name)


@pytest.fixture(scope="module")
def texts(asked: Answerer, database: Database) -> dict[str, str]:
    """What an answer may cite: id -> text, of chunks alone."""
    rows = database.read(Query("t", "", "", "read", (), (), "", "", IDS), graph=asked.settings.graph)
    return {row["id"]: row["text"] or "" for row in rows}


def check(given: Answer, texts: dict[str, str]) -> None:
    assert given.answer
    shown = [each.citation for each in given.passages]
    assert given.found or [*given.citations] in ([], shown[:1])
    for citation in (*given.citations, *shown):
        assert texts[citation.chunk_id][citation.start : citation.end] == citation.quote
    for evidence in given.evidence:
        assert evidence.id in texts
        assert evidence.chunk_id is None or evidence.chunk_id in texts
    given.answer.encode("utf-8")  # no lone surrogate comes back
    given.question.encode("utf-8")


def is_empty(question: str) -> bool:
    return not any(char.isprintable() and not char.isspace() for char in question[:2_000])


def put(asked: Answerer, texts: dict[str, str], question: str, mode: str, filters: Filters | None = None) -> None:
    options = AskOptions(mode, filters=filters or Filters())
    if is_empty(question):
        with pytest.raises(UsageError, match="empty"):
            asked.answer(question, options)
        return
    check(asked.answer(question, options), texts)


@pytest.mark.parametrize("mode", MODES)
def test_odd_questions_never_crash(asked: Answerer, texts: dict[str, str], mode: str) -> None:
    every = 4 if mode == "auto" else 8  # in `make test` each mode gets its share
    for question in odd_questions(FEW, seed=1)[MODES.index(mode) % every :: every]:
        put(asked, texts, question, mode)


@pytest.mark.long
@pytest.mark.timeout(7_200)
@pytest.mark.parametrize("mode", MODES)
def test_a_thousand_odd_questions_never_crash(asked: Answerer, texts: dict[str, str], mode: str) -> None:
    for question in odd_questions(ALL, seed=2):
        put(asked, texts, question, mode)


@pytest.mark.slow
def test_odd_questions_with_filters_never_crash(asked: Answerer, texts: dict[str, str]) -> None:
    for question in odd_questions(FEW, seed=3)[::18]:
        for mode in ("naive", "local", "global", "tree"):
            put(asked, texts, question, mode, Filters(("Ada",), types=("PERSON",)))


def test_odd_names_of_documents_are_said_not_to_be_there(asked: Answerer) -> None:
    for question in [each for each in odd_questions(FEW, seed=1) if len(each) < 100][::4]:
        for filters in (Filters((question,)), Filters(languages=(question,)), Filters(types=(question,))):
            with pytest.raises(UsageError) as refused:
                asked.answer("Who was Ada?", AskOptions("naive", filters=filters))
            assert refused.value.hint, ascii(filters)


def test_odd_lines_of_a_conversation_never_crash(asked: Answerer, texts: dict[str, str]) -> None:
    from kg_neo4j.rooms.chat.talk import Chat

    talk = Chat(asked, AskOptions())
    for question in odd_questions(FEW, seed=4)[::5]:
        assert isinstance(resolve(question[:3_000], TURNS).question, str)
        if is_empty(question):
            with pytest.raises(UsageError, match="empty"):
                talk.ask(question)
            continue
        check(talk.ask(question).answer, texts)
    assert talk.ask("When was Ada Lovelace born?").answer.short == "10 December 1815"


@pytest.mark.parametrize("mode", MODES)
def test_an_empty_question_is_refused_in_every_mode(asked: Answerer, mode: str) -> None:
    for question in EMPTY:
        with pytest.raises(UsageError, match="empty"):
            pytest.fail(f"{question!a}: {asked.answer(question, AskOptions(mode))}")


def test_a_model_is_sent_text_that_can_be_sent(asked: Answerer, texts: dict[str, str]) -> None:
    with FakeLlm() as llm:
        llm.rules = lambda _, __: "Ada was here [C1][C9999][R1.1]."
        changed = {"openai_base_url": llm.url, "openai_api_key": "k", "model": "scripted", "model_retries": 0}
        online = Settings(**{**asked.settings.model_dump(), **changed})
        found = answerer(online, asked.database, factory.door(online))
        for question in odd_questions(FEW, seed=1)[::8]:
            put(found, texts, question, "naive")
        assert llm.calls > 5


def test_the_library_refuses_and_answers_alike(asked: Answerer) -> None:
    with pytest.raises(UsageError, match="empty"):
        ask("\ud800", settings=asked.settings)
    assert ask("Ada \ud800 Lovelace?", settings=asked.settings).question == "Ada Lovelace?"
