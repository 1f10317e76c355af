"""The mode auto where trees are there, and where there are none: then nothing is chosen otherwise than before."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kg_neo4j import Filters, LoadOptions, Settings, load
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.queries import Query
from kg_neo4j.pipeline.commands.ask import ask
from kg_neo4j.pipeline.commands.tree import TreeBuildOptions, tree
from kg_neo4j.records import Routing
from kg_neo4j.retrieve.filters import resolve
from kg_neo4j.retrieve.interface import AskOptions, Search
from kg_neo4j.retrieve.question import fulltext_query, read
from kg_neo4j.retrieve.routing import route
from kg_neo4j.retrieve.tree.choice import TreeChoice

ROOT = Path(__file__).resolve().parents[2]
ROWS = [json.loads(line) for line in (ROOT / "tests" / "data" / "routing.jsonl").read_text("utf-8").splitlines()]
STORIES = ("The Bell of Orlen", "The Lamp at Skarnes")
LEAST = 0.95  # of the rows


@pytest.fixture(scope="module")
def examples(settings: Settings, database: Database) -> Iterator[Settings]:
    """The texts of examples/, with trees of the two stories, built without a key."""
    own = {"graph": f"test-routing-{uuid.uuid4().hex[:12]}", "openai_api_key": None, "openai_base_url": None}
    offline = settings.model_copy(update={**own, "embedding_model": None})
    names = ("the_bell_of_orlen.md", "the_lamp_at_skarnes.md", "alexander_von_humboldt.md")
    load([str(ROOT / "examples" / name) for name in names], settings=offline, options=LoadOptions(analytics=False))
    tree(settings=offline, options=TreeBuildOptions(documents=STORIES, details=0))
    yield offline
    delete_graph(database, offline.graph)


def routing(
    database: Database,
    graph: str,
    question: str,
    name: str = "narrative",
    filters: Filters | None = None,
) -> Routing:
    asked = read(question)
    scope = resolve(database, graph, filters or Filters())
    options = AskOptions(tree=TreeChoice(name))
    return route(database, Search(graph, asked, fulltext_query(asked), scope=scope, options=options))[0]


def rows(half: str) -> list[dict[str, Any]]:
    return [row for row in ROWS if row["half"] == half]


def test_questions_about_aspects_of_a_narrative_go_to_its_tree(
    examples: Settings, database: Database, record_property: Callable[[str, object], None]
) -> None:
    wrong = []
    for row in rows("tree"):
        found = routing(database, examples.graph, row["question"])
        if found.mode != row["mode"]:
            wrong.append((row["question"], found))
    count = len(rows("tree"))
    record_property("figures", f"auto, trees: {count - len(wrong)} of {count} as a person would choose {wrong or ''}")
    assert len(wrong) <= (1 - LEAST) * count, wrong


def test_where_there_is_no_tree_nothing_is_chosen_otherwise(examples: Settings, database: Database) -> None:
    for row in ROWS:
        assert routing(database, examples.graph, row["question"], name="no-such-tree").mode != "tree"


def test_the_reason_is_said_and_a_tree_that_is_no_good_is_not_chosen(examples: Settings, database: Database) -> None:
    question = "What kind of man is Anselm Quist?"
    assert routing(database, examples.graph, question) == Routing(
        "tree", "the question is about a character, and “The Lamp at Skarnes” has a narrative tree"
    )
    mark = Query(
        *("test/mark", "", "", "write", (), (), "", ""),
        "MATCH (t:Tree)-[:TREE_OF]->(d:Document {title: 'The Lamp at Skarnes'}) WHERE t.graph = $graph "
        "SET t.complete = $complete, t.fingerprint = CASE WHEN $stale THEN 'x' + t.fingerprint ELSE "
        "replace(t.fingerprint, 'x', '') END",
    )
    for complete, stale in ((False, False), (True, True)):
        database.write(mark, graph=examples.graph, complete=complete, stale=stale)
        assert routing(database, examples.graph, question).mode == "local"
    database.write(mark, graph=examples.graph, complete=True, stale=False)
    assert routing(database, examples.graph, question).mode == "tree"


def test_a_question_about_the_whole_goes_to_trees_only_where_each_document_has_one(
    examples: Settings, database: Database
) -> None:
    question = "What are the main themes?"
    assert routing(database, examples.graph, question).mode == "naive"
    assert routing(database, examples.graph, question, filters=Filters(documents=STORIES)).mode == "tree"


def test_filters_that_leave_no_tree_leave_the_mode_as_it_was(examples: Settings, database: Database) -> None:
    question = "What is the tone of the story?"
    assert routing(database, examples.graph, question).mode == "tree"
    humboldt = Filters(documents=("Alexander von Humboldt",))
    assert routing(database, examples.graph, question, filters=humboldt).mode != "tree"


def test_auto_answers_from_the_tree_with_its_reason(examples: Settings) -> None:
    answer = ask("Why does Bruno Lenk strike the anvil?", settings=examples)
    assert (answer.mode, answer.routing.mode if answer.routing else "") == ("tree", "tree")
    assert answer.shares
    told = ask("What is the point of view?", settings=examples)
    assert told.mode == "tree"
    for citation, way in zip(told.citations, told.descents, strict=True):
        assert citation.quote
        assert not way or way[0].kind in ("summary", "detail", "passage")
