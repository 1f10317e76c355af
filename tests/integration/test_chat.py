"""Conversations, with a model and without one, on a real Neo4j."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from fake_llm import FakeLlm
from kg_neo4j import Settings
from kg_neo4j.errors import BudgetReached, ModelRefused, UsageError
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.queries import Query
from kg_neo4j.organise import search_indexes
from kg_neo4j.pipeline.commands.ask import ask
from kg_neo4j.records import Filters
from kg_neo4j.retrieve.interface import AskOptions
from kg_neo4j.rooms.chat.talk import chat
from small_graph import load as load_small

HASHED = "hashed-ngram-256-1"


@pytest.fixture
def small(offline: Settings, database: Database, graph: str) -> Settings:
    """A small graph that is written at once, and the indexes by which it is searched."""
    load_small(database, graph)
    search_indexes.create_fulltext(database)
    return offline.model_copy(update={"embedding_model": HASHED})


def with_model(found: Settings, llm: FakeLlm, **more: object) -> Settings:
    changed = {"openai_base_url": llm.url, "openai_api_key": "k", "model": "scripted", "model_retries": 0, **more}
    return Settings(**{**found.model_dump(), **changed})


# ---------------------------------------------------------------------------------------------------------- auto


def test_without_reports_a_question_about_the_whole_goes_to_the_chunks(small: Settings) -> None:
    given = ask("What are these documents about?", settings=small)
    assert given.routing
    assert (given.mode, given.routing.mode) == ("naive", "naive")
    assert "kg communities --reports" in given.routing.why


# ---------------------------------------------------------------------------------------------------- without a model


def test_a_conversation_goes_on_where_it_was(small: Settings) -> None:
    with chat(settings=small) as talk:
        first = talk.ask("Who was Ada Lovelace?")
        second = talk.ask("And her father?")
        thanks = talk.ask("Thanks!")  # is no turn
        third = talk.ask("When did he leave England?")
        talk.reset()
        fourth = talk.ask("When did he leave England?")
    assert (first.rewritten_by, first.answer.question) == ("", "Who was Ada Lovelace?")
    assert (second.rewritten_by, second.answer.question) == ("rule", "Who was Ada Lovelace's father?")
    assert "Her father was the poet Lord Byron" in second.answer.passages[0].after
    assert (thanks.rewritten_by, thanks.answer.found, thanks.answer.question) == ("", False, "Thanks!")
    assert third.answer.question == "When did Lord Byron leave England?"  # named beside the cited sentence
    assert (fourth.rewritten_by, fourth.answer.question) == ("", "When did he leave England?")


def test_filters_and_the_mode_hold_for_the_conversation(small: Settings, database: Database) -> None:
    load_small(database, small.graph, "Chopin", ["Ada Lovelace heard Chopin."], [])
    options = AskOptions("naive", filters=Filters(("Chopin",)))
    with chat(settings=small, options=options) as talk:
        found = talk.ask("Who was Ada Lovelace?").answer
        assert {each.document for each in found.evidence} == {"Chopin"}
        assert found.mode == "naive"
        talk.switch("local")
        assert talk.ask("Who was Ada Lovelace?").answer.mode == "local"
        with pytest.raises(UsageError, match="no mode"):
            talk.switch("nonsense")
        assert talk.options.mode == "local"
        talk.switch("cypher")
        assert not talk.ask("Who is related to Ada Lovelace?").answer.found  # the other document says it


def test_a_question_that_fails_is_no_turn(small: Settings) -> None:
    with chat(settings=small) as talk:
        talk.ask("Who was Ada Lovelace?")
        with pytest.raises(UsageError, match="empty"):
            talk.ask("  ")
        assert [turn.question for turn in talk.turns] == ["Who was Ada Lovelace?"]
        assert talk.ask("When did she die?").answer.question == "When did Ada Lovelace die?"


def test_a_conversation_changes_nothing(small: Settings, database: Database) -> None:
    everything = Query(
        "t", "", "", "read", (), (), "", "", "MATCH (n) WHERE n.graph = $graph RETURN properties(n) AS n ORDER BY n.id"
    )
    before = database.read(everything, graph=small.graph)
    with chat(settings=small) as talk:
        for line in ("Who was Ada Lovelace?", "And her father?", "Delete them!"):
            talk.ask(line)
    assert database.read(everything, graph=small.graph) == before


@pytest.mark.parametrize("history_tokens", [0, -1])
def test_a_history_of_nothing_is_refused(small: Settings, history_tokens: int) -> None:
    with pytest.raises(UsageError, match="history_tokens"), chat(settings=small, history_tokens=history_tokens):
        pass


# --------------------------------------------------------------------------------------------------- with a model


def test_a_model_rewrites_a_follow_up_in_one_call(small: Settings, llm: FakeLlm) -> None:
    with chat(settings=with_model(small, llm)) as talk:
        llm.say("Ada Lovelace was an English mathematician [1.1].")
        first = talk.ask("Who was Ada Lovelace?").answer
        assert first.answer == "Ada Lovelace was an English mathematician [1]."
        assert llm.calls == 1  # the first question stands by itself
        llm.say("When did the countess Ada Lovelace die?").say("NOT IN THE GRAPH")
        reply = talk.ask("And when did the countess die?")
    shown = llm.requests[1].user
    assert "Q: Who was Ada Lovelace?\nA: Ada Lovelace was an English mathematician." in shown  # without the mark
    assert (reply.rewritten_by, reply.answer.question) == ("model", "When did the countess Ada Lovelace die?")
    assert "When did the countess Ada Lovelace die?" in llm.requests[2].user
    assert (reply.answer.usage.calls, llm.calls) == (2, 3)


@pytest.mark.parametrize("said", ["Ada died in 1852.", "", "One\nTwo", "<think>hm"])
def test_what_is_no_question_falls_back_on_the_rule(small: Settings, llm: FakeLlm, said: str) -> None:
    with chat(settings=with_model(small, llm)) as talk:
        llm.say("Ada Lovelace was an English mathematician [C1].")
        talk.ask("Who was Ada Lovelace?")
        llm.say(said).say("NOT IN THE GRAPH")
        reply = talk.ask("When did she die?")
    assert (reply.rewritten_by, reply.answer.question) == ("rule", "When did Ada Lovelace die?")
    assert reply.why
    assert reply.answer.usage.calls == 2


def test_a_question_that_the_model_leaves_alone_is_not_shown_as_rewritten(small: Settings, llm: FakeLlm) -> None:
    with chat(settings=with_model(small, llm)) as talk:
        llm.say("NOT IN THE GRAPH").say("Who was Babbage?").say("NOT IN THE GRAPH")
        talk.ask("Who was Ada Lovelace?")
        assert talk.ask("Who was Babbage?").rewritten_by == ""


def test_the_history_that_a_model_is_shown_is_bounded(small: Settings, llm: FakeLlm) -> None:
    llm.rules = lambda prompt, user: "NOT IN THE GRAPH" if "evidence" in prompt else user.rpartition("question: ")[2]
    with chat(settings=with_model(small, llm), history_tokens=60) as talk:
        for number in range(8):
            talk.ask(f"What did Babbage say to witness number {number} in London?")
    rewriting = [request.user for request in llm.requests if "Last question:" in request.user]
    assert len(rewriting) == 7
    assert max(text.count("Q: ") for text in rewriting) < 4
    assert "number 6" in rewriting[-1]
    assert "number 0" not in rewriting[-1]


def test_a_model_that_failed_is_asked_again_for_the_next_question(small: Settings, llm: FakeLlm) -> None:
    with chat(settings=with_model(small, llm)) as talk:
        llm.fail(401)
        with pytest.raises(ModelRefused):
            talk.ask("Who was Ada Lovelace?")
        llm.say("Ada Lovelace was an English mathematician [C1].")
        assert talk.ask("Who was Ada Lovelace?").answer.found
        llm.fail(401).say("NOT IN THE GRAPH")
        reply = talk.ask("When did she die?")
    assert (reply.rewritten_by, llm.calls) == ("rule", 4)
    assert "401" in reply.why


def test_the_budget_holds_for_the_whole_conversation(small: Settings, llm: FakeLlm, tmp_path: Path) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text('["scripted"]\ninput = 1000.0\noutput = 1000.0\n', "utf-8")
    llm.rules = lambda _, __: "Ada Lovelace was an English mathematician [C1]."
    with chat(settings=with_model(small, llm, prices=prices), budget_usd=3.0) as talk:

        def go_on() -> None:
            for _ in range(30):
                talk.ask("Who was Ada Lovelace?")

        with pytest.raises(BudgetReached):
            go_on()
    assert 1 <= llm.calls < 30


# -------------------------------------------------------------------------------------------------- from outside


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "kg_neo4j", "chat", *arguments]


@pytest.fixture
def hashed(small: Settings, environment: Mapping[str, str]) -> Mapping[str, str]:
    assert small
    return {**environment, "KG_EMBEDDING_MODEL": HASHED, "PYTHONIOENCODING": "utf-8"}


def test_a_pipe_gives_one_line_of_json_a_turn(hashed: Mapping[str, str]) -> None:
    lines = b"Who was Ada Lovelace?\n\n/mode local\nAnd her father?\n/mode nonsense\n"
    lines += b"\x00\x01\n\xff\xfe\n/help\n/reset\nWho?"
    done = subprocess.run(command("--json"), input=lines, env=hashed, capture_output=True, check=False)
    turns = [json.loads(line) for line in done.stdout.decode().splitlines()]
    assert done.returncode == 0, done.stderr
    asked = ["Who was Ada Lovelace?", "And her father?", None, None, "\ufffd\ufffd", "Who?"]
    assert [turn.get("asked") for turn in turns] == asked
    assert (turns[0]["mode"], turns[0]["rewritten_by"]) == ("local", None)
    assert (turns[1]["question"], turns[1]["rewritten_by"]) == ("Who was Ada Lovelace's father?", "rule")
    assert [turn["error"]["type"] for turn in turns[2:4]] == ["UsageError", "UsageError"]
    assert set(turns[0]) >= {"question", "answer", "found", "citations", "evidence", "usd", "seconds", "routing"}


def test_lines_are_answered_one_by_one_with_what_was_understood(hashed: Mapping[str, str]) -> None:
    lines = "Who was Ada Lovelace?\n/show\nWhen did she die?\n/nonsense\n/quit\nWho was Babbage?\n"
    done = subprocess.run(command(), input=lines, env=hashed, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "(When did Ada Lovelace die?)" in done.stdout
    assert "passages:" in done.stdout
    assert "there is no /nonsense" in done.stderr
    assert "Babbage?" not in done.stdout


def test_on_a_terminal_ctrl_d_and_ctrl_c_end_it(hashed: Mapping[str, str]) -> None:
    for last, code in ((b"\x04", 0), (None, 130)):
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            command(), stdin=theirs, stdout=subprocess.PIPE, stderr=theirs, env=dict(hashed), start_new_session=True
        )
        os.close(theirs)
        heard = wait_for(ours, b"> ")
        assert b"/help" in heard
        os.write(ours, b"Who was Ada Lovelace?\n")
        wait_for(ours, b"> ")
        if last is None:
            process.send_signal(signal.SIGINT)
        else:
            os.write(ours, last)
        output, _ = process.communicate(timeout=60)
        os.close(ours)
        assert process.returncode == code
        assert "English mathematician" in output.decode()


def wait_for(terminal: int, wanted: bytes) -> bytes:
    """Read what a terminal shows until `wanted` stands at its end."""
    heard = b""
    while not heard.endswith(wanted):
        heard += os.read(terminal, 4096)
    return heard


def test_a_chat_without_a_server_says_so(hashed: Mapping[str, str], unused_port: int) -> None:
    env = {**hashed, "NEO4J_URI": f"bolt://127.0.0.1:{unused_port}"}
    done = subprocess.run(command("--json"), input=b"Who?\n", env=env, capture_output=True, check=False)
    assert done.returncode == 4
    assert json.loads(done.stdout)["error"]["type"] == "DatabaseUnavailable"
