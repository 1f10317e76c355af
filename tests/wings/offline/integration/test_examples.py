"""Follow-up questions and the mode auto without a model, over the texts of examples/, on a real Neo4j."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from kg_neo4j import Settings
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.pipeline.commands.ask import ask
from kg_neo4j.pipeline.commands.communities import community_reports
from kg_neo4j.pipeline.commands.load import load
from kg_neo4j.records import Filters
from kg_neo4j.retrieve import projection_cache
from kg_neo4j.retrieve.interface import Search
from kg_neo4j.retrieve.question import fulltext_query, read
from kg_neo4j.retrieve.routing import route
from kg_neo4j.rooms.chat.talk import Chat, chat
from kg_neo4j.rooms.chat.turns import Turn
from kg_neo4j_offline.follow_ups import resolve

CHECKOUT = Path(__file__).resolve().parents[4]
TEXTS = [
    str(CHECKOUT / "examples" / f"{name}.md")
    for name in ("alexander_von_humboldt", "the_lamp_at_skarnes", "across_chunks")
]
HASHED = "hashed-ngram-256-1"
LEAST = {"follow_ups": {"rules": 0.90, "figure": 0.90}, "routing": {"rules": 0.95, "figure": 0.90}}


def items(name: str) -> list[Mapping[str, object]]:
    lines = (CHECKOUT / "tests" / "data" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def examples(settings: Settings, database: Database) -> Iterator[Settings]:
    """The three texts of examples/, loaded without a model, with community reports."""
    name = f"test-chat-{uuid.uuid4().hex[:12]}"
    offline = {"graph": name, "openai_api_key": None, "openai_base_url": None, "embedding_model": HASHED}
    found = settings.model_copy(update=offline)
    load(TEXTS, settings=found)
    community_reports(settings=found)
    yield found
    projection_cache.forget(database, name)
    delete_graph(database, name)


@pytest.mark.parametrize("half", ["rules", pytest.param("figure", marks=pytest.mark.slow)])
def test_auto_chooses_the_mode_that_fits(
    examples: Settings, database: Database, half: str, record_property: Callable[[str, object], None]
) -> None:
    asked = [item for item in items("routing") if item["half"] == half]
    wrong = []
    for item in asked:
        question = read(str(item["question"]))
        search = Search(examples.graph, question, fulltext_query(question))
        routing, _ = route(database, search)
        assert routing.why
        if routing.mode != item["mode"]:
            wrong.append((item["id"], routing))
    record_property("figures", f"auto, {half}: {len(asked) - len(wrong)} of {len(asked)} as a person would choose")
    assert len(asked) - len(wrong) >= LEAST["routing"][half] * len(asked), wrong


@pytest.mark.parametrize("half", ["rules", pytest.param("figure", marks=pytest.mark.slow)])
def test_follow_ups_are_understood_by_rule(
    examples: Settings, half: str, record_property: Callable[[str, object], None]
) -> None:
    asked = [item for item in items("follow_ups") if item["half"] == half]
    conversations: dict[str, tuple[Turn, ...]] = {}
    wrong = []
    with chat(settings=examples) as talk:
        for item in asked:
            key = json.dumps(item["turns"])
            if key not in conversations:
                conversations[key] = said(talk, [str(each) for each in item["turns"]])  # type: ignore[attr-defined]
            found = resolve(str(item["follow_up"]), conversations[key]).question
            if plain(found) not in {plain(each) for each in item["expected"]}:  # type: ignore[attr-defined]
                wrong.append((item["id"], found))
    record_property("figures", f"follow-ups by rule, {half}: {len(asked) - len(wrong)} of {len(asked)} understood")
    assert len(asked) - len(wrong) >= LEAST["follow_ups"][half] * len(asked), wrong


def said(talk: Chat, questions: list[str]) -> tuple[Turn, ...]:
    talk.reset()
    for question in questions:
        talk.ask(question)
    return talk.turns


def plain(text: str) -> str:
    return " ".join(text.casefold().replace("’", "'").strip(" ?.!").split())


def test_sets_are_parted_in_halves() -> None:
    for name, least in (("routing", 60), ("follow_ups", 40)):
        rows = [row for row in items(name) if row["half"] != "tree"]  # those are for test_tree_routing
        assert len(rows) >= least
        assert len({row["id"] for row in rows}) == len(rows)
        assert sum(row["half"] == "figure" for row in rows) * 2 >= len(rows)


def test_auto_asks_the_mode_that_it_chose_and_says_so(examples: Settings) -> None:
    for question, mode in (
        ("Where was Alexander von Humboldt born?", "local"),
        ("Who took down three cups?", "naive"),
        ("What are these documents about?", "global"),
        ("How many people are there?", "cypher"),
    ):
        given = ask(question, settings=examples)
        assert given.routing
        assert (given.mode, given.routing.mode) == (mode, mode)
        assert ask(question, settings=examples, mode=mode).routing is None


def test_filtered_questions_are_put_to_the_canned_query_or_the_reports_of_what_is_left(examples: Settings) -> None:
    everybody = ask("How many people are there?", settings=examples)
    given = ask("How many people are there?", settings=examples, filters=Filters(("Ines Aldana",)))
    assert (everybody.mode, given.mode) == ("cypher", "cypher")
    assert everybody.query
    assert given.query
    assert given.query.rows[0][1] < everybody.query.rows[0][1]  # type: ignore[operator]
    assert {citation.document for citation in given.citations} == {"Ines Aldana"}
    whole = ask("What are the main themes?", settings=examples, filters=Filters(("Ines Aldana",)))
    assert whole.mode == "global"
    assert {citation.document for citation in whole.citations} <= {"Ines Aldana"}
