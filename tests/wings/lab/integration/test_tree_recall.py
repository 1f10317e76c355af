"""At equal tokens what the mode tree reads was made of at least the evidence that the mode naive finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kg_neo4j import LoadOptions, Settings, factory, load
from kg_neo4j._models import tokens
from kg_neo4j.acquire.chunking import target
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.queries import Query
from kg_neo4j.pipeline.commands.tree import tree
from kg_neo4j.retrieve.ask import prepare
from kg_neo4j.retrieve.interface import AskOptions, ChunkChoice, Search
from kg_neo4j.retrieve.question import read
from kg_neo4j.retrieve.tree.choice import TreeChoice
from kg_neo4j_lab.narrative.questions import EvidenceFound, NarrativeQuestion, find_evidence, read_narrative
from private_server import PrivateServer

ROOT = Path(__file__).resolve().parents[4]
QUESTIONS = read_narrative(str(ROOT / "tests" / "data" / "narrative_questions.jsonl"))
STORIES = [str(ROOT / "examples" / name) for name in ("the_bell_of_orlen.md", "the_lamp_at_skarnes.md")]
BUDGETS = (1_000, 1_350, 1_700)  # W4: 1,000 to 1,700 tokens are best
LEAVES = Query(
    *("test/leaves", "", "", "read", (), (), "", ""),
    "MATCH (t:Tree {graph: $graph})-[:HAS_LEAF]->(c:Chunk) RETURN c.text AS text, c.token_count AS tokens",
)
Find = Callable[[AskOptions, int], list[EvidenceFound]]


@pytest.fixture(scope="module")
def database(other_server: PrivateServer) -> Iterator[Database]:
    """A server that holds nothing else: Lucene weighs words over all graphs of one, and figures move with them."""
    with other_server.connect() as connected:
        yield connected


@pytest.fixture(scope="module")
def told(other_server: PrivateServer) -> Settings:
    """The two stories of examples/, in chunks of at most 200 tokens, with their trees, built without a key."""
    offline = other_server.aside("recall").model_copy(update={"embedding_model": None})
    load(STORIES, settings=offline, options=LoadOptions(chunk_tokens=target(200), analytics=False))
    tree(settings=offline)
    return offline


@pytest.fixture(scope="module")
def find(told: Settings, database: Database) -> Find:
    """Returns what is read for each of the questions."""
    embedder, tokeniser = factory.embedding_model(told), tokens.load()
    asked = [Search(told.graph, read(each.asked.text)) for each in QUESTIONS]
    searches = [prepare(database, each, embedder, tokeniser)[0] for each in asked]

    def found(options: AskOptions, budget: int) -> list[EvidenceFound]:
        return [
            find_evidence(database, search, each.quotes, options, tokeniser, budget)
            for search, each in zip(searches, QUESTIONS, strict=True)
        ]

    return found


def mean(found: list[float]) -> float:
    return sum(found) / len(found)


def test_the_questions_are_of_three_kinds_and_their_words_stand_in_the_leaves(
    told: Settings, database: Database
) -> None:
    assert [sum(each.asked.type == kind for each in QUESTIONS) for kind in ("detail", "several", "aspect")] == [10] * 3
    rows = database.read(LEAVES, graph=told.graph)
    assert max(row["tokens"] for row in rows) <= 200
    whole = " ".join(" ".join(row["text"].replace("*", "").split()) for row in rows)
    missing = [
        (each.asked.id, quote) for each in QUESTIONS for quote in each.quotes if " ".join(quote.split()) not in whole
    ]
    assert len(missing) <= 3  # words that a border between chunks cuts in two


def test_what_a_tree_reads_stands_for_at_least_what_naive_finds_at_equal_tokens(
    find: Find, record_property: Callable[[str, object], None]
) -> None:
    many = AskOptions("tree", tree=TreeChoice(top_k=100))
    naive = {budget: find(AskOptions("naive", chunks=ChunkChoice(60)), budget) for budget in BUDGETS}
    ours = {budget: find(many, budget) for budget in BUDGETS}
    for budget in BUDGETS:
        assert all(each.tokens <= budget for each in (*naive[budget], *ours[budget]))
        line = f"evidence recall, 30 questions, {budget} tokens: naive {mean([e.strict for e in naive[budget]]):.3f}"
        strict, beneath = mean([e.strict for e in ours[budget]]), mean([e.beneath for e in ours[budget]])
        record_property("figures", f"{line}, tree {strict:.3f} in the texts read, {beneath:.3f} with what lies beneath")
        assert beneath >= mean([each.strict for each in naive[budget]])


def test_one_question_reads_every_kind_of_node(find: Find) -> None:
    found = find(AskOptions("tree"), 1_700)  # five nodes alone
    assert mean([each.strict for each in found]) > 0.35
    assert mean([each.beneath for each in found]) > 0.5


def test_types_are_those_of_the_file() -> None:
    assert {each.aspect for each in QUESTIONS if each.asked.type == "aspect"} <= {
        *("theme", "character", "setting", "point_of_view", "irony_and_symbol")
    }
    assert all(isinstance(each, NarrativeQuestion) and each.quotes for each in QUESTIONS)
