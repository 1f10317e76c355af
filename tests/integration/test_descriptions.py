"""Element summaries on a real server: when a model is asked, what is stored, what a repeat or a withdrawal does."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from corpus import document, record_document, withdraw_document
from fake_llm import FakeLlm, answer
from kg_neo4j import Settings, factory
from kg_neo4j._models import tokens
from kg_neo4j._models.cache import AnswerCache
from kg_neo4j._models.protocols import ChatModel, Completion
from kg_neo4j.errors import BudgetReached
from kg_neo4j.extract import schema as schemas
from kg_neo4j.factory import door_to, without_model
from kg_neo4j.graph import queries
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import LoadConfiguration
from kg_neo4j.graph.export import lines
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.queries import parse
from kg_neo4j.graph.recorder import Recorder
from kg_neo4j.graph.settler import settle
from kg_neo4j.offline.embedder.hashed_embedding import HashedEmbedding
from kg_neo4j.organise import vectors
from kg_neo4j.organise.descriptions import Described, Describing, describe
from kg_neo4j.records import Chunk, ChunkOutcome, Extraction, NodeRow, RelationshipRow
from kg_runner import Kg

SCHEMA = schemas.load("graph")
TOKENISER = tokens.load("approximate-1")
CONFIGURATION = LoadConfiguration("c0", "graph", SCHEMA.hash, "approximate-1")
BOUND = 60  # tokens
ADA = [
    "Ada Lovelace was an English mathematician, born in London in 1815.",
    "Ada Lovelace wrote long notes on the Analytical Engine that Charles Babbage had designed.",
    "Ada Lovelace was the only legitimate daughter of the poet Lord Byron and of Annabella Milbanke.",
    "Ada Lovelace died in Marylebone in 1852, thirty-six years old, and was buried beside her father.",
]
GOOD = "Ada Lovelace was an English mathematician who wrote notes on the Analytical Engine."
FACT = "Ada Lovelace and Charles Babbage worked together on the Analytical Engine."


def query(cypher: str, columns: str) -> queries.Query:
    header = "// title: T\n// purpose: P\n// mode: read\n// params: $graph STRING (graph)\n"
    return parse(f"{header}// columns: {columns}\n// order: none\n// source: test\n{cypher}", "test")


SUMMARIES = query(
    "MATCH (n:Entity|Fact) WHERE n.graph = $graph AND n.summary_hash IS NOT NULL "
    "RETURN coalesce(n.name, n.type) AS name, n.summary AS text, n.summary_method AS method ORDER BY name",
    "name STRING, text STRING, method STRING",
)
ANSWERS = query(
    "MATCH (a:Answer {kind: 'description'}) WHERE a.graph = $graph "
    "RETURN a.text AS text, COUNT { (a)-[:ANSWERS]->() } AS elements ORDER BY text",
    "text STRING, elements INTEGER",
)


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm() as server:
        yield server


@pytest.fixture
def model(settings: Settings, llm: FakeLlm) -> ChatModel:
    online = {"openai_base_url": llm.url, "openai_api_key": "k", "model": "scripted", "model_retries": 0}
    found = factory.chat_model(Settings(**{**settings.model_dump(), **online}))
    assert found
    return found


def load(
    database: Database, graph: str, name: str, descriptions: Sequence[str], facts: Mapping[int, str] | None = None
) -> None:
    """Load a document of one chunk a description of Ada; `facts` describe in some chunks that she met Babbage."""
    loaded, chunks = document(graph, name, [f"{name}: {text}" for text in descriptions])
    made = [
        _extraction(chunk, text, (facts or {}).get(chunk.index))
        for chunk, text in zip(chunks, descriptions, strict=True)
    ]
    with Lease(database, graph) as lease:
        record_document(database, lease, loaded, chunks, CONFIGURATION)
        Recorder(database, graph, SCHEMA, lease).record(made)
        settle(database, graph, SCHEMA, lease)


def unload(database: Database, graph: str, name: str) -> None:
    with Lease(database, graph) as lease:
        withdraw_document(database, lease, graph, document(graph, name, ["x"])[0].id)
        settle(database, graph, SCHEMA, lease)


def _extraction(chunk: Chunk, description: str, fact: str | None) -> Extraction:
    nodes = [NodeRow(2, "n1", "PERSON", "PERSON", "Ada Lovelace", {"description": description})]
    relationships = []
    if fact:
        nodes.append(NodeRow(3, "n2", "PERSON", "PERSON", "Charles Babbage", {}))
        relationships.append(RelationshipRow(5, "r1", "n1", "MET", "MET", "n2", {"description": fact}))
    rows = len(nodes) + len(relationships)
    return Extraction(chunk, (), tuple(nodes), tuple(relationships), (), rows, ChunkOutcome.DONE, "c0")


def summarise(
    database: Database, graph: str, model: ChatModel | None, *, cache: AnswerCache | None = None, **how: int | bool
) -> Described:
    door = door_to(model, cache) if model else without_model()
    with Lease(database, graph) as lease:
        options = {"bound_tokens": BOUND, **how}
        return describe(database, graph, Describing(door, TOKENISER, **options), lease=lease)  # type: ignore[arg-type]


def stored(database: Database, graph: str) -> list[tuple[str, str, str]]:
    return [(row["name"], row["text"], row["method"]) for row in database.read(SUMMARIES, graph=graph)]


def dump(database: Database, graph: str) -> str:
    return "\n".join(lines(database, graph))


def test_below_the_bound_nobody_is_asked(database: Database, graph: str, llm: FakeLlm, model: ChatModel) -> None:
    load(database, graph, "a", ADA[:2])
    assert summarise(database, graph, model) == Described(0, 0, summarise(database, graph, model).usage)
    assert (llm.calls, stored(database, graph)) == (0, [])


def test_one_long_description_is_no_reason_to_ask(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel
) -> None:
    load(database, graph, "a", [" ".join(ADA), " ".join(ADA).upper()])
    summarise(database, graph, model)
    assert llm.calls == 0


def test_beyond_the_bound_each_entity_and_each_fact_is_asked_about_once(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel
) -> None:
    facts = {
        index: f"{FACT} Letter {index} says so, in many words about their work of {1840 + index}." for index in range(4)
    }
    load(database, graph, "a", ADA, facts)
    llm.say(GOOD).say(FACT)
    done = summarise(database, graph, model)
    assert (llm.calls, done.usage.calls, done.changes, done.summaries) == (2, 2, 2, 2)
    assert stored(database, graph) == [("Ada Lovelace", GOOD, "model"), ("MET", FACT, "model")]
    assert all(text in llm.requests[0].prompt for text in ADA)
    assert "Ada Lovelace MET Charles Babbage" in llm.requests[1].prompt


def test_a_repeat_asks_nobody_and_changes_nothing(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel
) -> None:
    load(database, graph, "a", ADA)
    llm.say(GOOD)
    summarise(database, graph, model)
    before = dump(database, graph)
    done = summarise(database, graph, model)
    assert (llm.calls, done.changes, done.usage.calls, done.summaries) == (1, 0, 0, 1)
    assert dump(database, graph) == before


def test_new_evidence_asks_again_and_the_old_answer_leaves(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel
) -> None:
    load(database, graph, "a", ADA[:3])
    llm.say(GOOD)
    summarise(database, graph, model, bound_tokens=30)
    assert stored(database, graph) == [("Ada Lovelace", GOOD, "model")]
    load(database, graph, "b", ADA[3:])
    newer = "Ada Lovelace was a mathematician who died in Marylebone in 1852."
    llm.say(newer)
    assert summarise(database, graph, model).changes == 1
    assert stored(database, graph) == [("Ada Lovelace", newer, "model")]
    assert database.read(ANSWERS, graph=graph) == [{"text": newer, "elements": 1}]


def test_withdrawn_evidence_rebuilds_the_summary_or_removes_it(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel
) -> None:
    load(database, graph, "a", ADA[:3])
    alone = dump(database, graph)
    load(database, graph, "b", ADA[3:])
    load(database, graph, "c", ["Ada Lovelace liked to ride horses across the hills of Surrey in the early morning."])
    llm.say(GOOD).say("Ada Lovelace was a mathematician.").say("Ada Lovelace was the daughter of Lord Byron.")
    summarise(database, graph, model)
    unload(database, graph, "c")
    summarise(database, graph, model)
    assert stored(database, graph) == [("Ada Lovelace", "Ada Lovelace was a mathematician.", "model")]
    unload(database, graph, "b")
    done = summarise(database, graph, model, bound_tokens=1_000)
    assert (done.changes, done.summaries, llm.calls) == (1, 0, 2)
    assert database.read(ANSWERS, graph=graph) == []
    assert dump(database, graph) == alone


def test_an_entity_that_goes_takes_its_answers_along(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel
) -> None:
    load(database, graph, "a", ADA)
    llm.say(GOOD)
    summarise(database, graph, model)
    unload(database, graph, "a")
    summarise(database, graph, model)
    assert database.read(ANSWERS, graph=graph) == []


def test_answers_can_be_kept_for_a_change_that_may_be_undone(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel
) -> None:
    load(database, graph, "a", ADA)
    llm.say(GOOD)
    summarise(database, graph, model)
    before = dump(database, graph)
    load(database, graph, "b", ["Ada Lovelace was a countess."])
    llm.say("Ada Lovelace was a mathematician and a countess.")
    summarise(database, graph, model, keep_answers=True)
    unload(database, graph, "b")
    summarise(database, graph, model, keep_answers=True)
    assert llm.calls == 2
    assert dump(database, graph) == before


def test_without_a_model_the_most_informative_sentences_are_kept(database: Database, graph: str) -> None:
    load(database, graph, "a", ADA)
    done = summarise(database, graph, None)
    assert (done.changes, done.usage.calls) == (1, 0)
    [(name, text, method)] = stored(database, graph)
    assert (name, method) == ("Ada Lovelace", "extractive")
    assert set(text.split()) <= set(" ".join(ADA).split())
    before = dump(database, graph)
    assert summarise(database, graph, None).changes == 0
    assert dump(database, graph) == before


def test_the_order_of_loading_does_not_matter_offline(database: Database, graph: str) -> None:
    dumps = []
    for order in ("abcd", "dcba"):
        for letter in order:
            load(database, graph, letter, [ADA["abcd".index(letter)]])
            summarise(database, graph, None)
        dumps.append(dump(database, graph))
        for letter in order:
            unload(database, graph, letter)
    assert dumps[0] == dumps[1]
    assert "extractive" in dumps[0]


def test_a_model_takes_over_from_extracts_and_offline_runs_keep_what_it_said(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel
) -> None:
    load(database, graph, "a", ADA)
    summarise(database, graph, None)
    llm.say(GOOD)
    assert summarise(database, graph, model).changes == 1
    assert summarise(database, graph, None).changes == 0
    assert stored(database, graph) == [("Ada Lovelace", GOOD, "model")]


def test_a_replay_makes_damaged_summaries_again_from_stored_answers(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel
) -> None:
    load(database, graph, "a", ADA)
    llm.say(GOOD)
    summarise(database, graph, model)
    before = dump(database, graph)
    damage = "MATCH (n:Entity) WHERE n.graph = $graph SET n.summary = 'nonsense' RETURN count(*) AS nodes"
    database.write(query(damage, "nodes INTEGER"), graph=graph)
    assert summarise(database, graph, None, replay=True).changes == 1
    assert dump(database, graph) == before
    assert llm.calls == 1


def test_a_bad_answer_is_asked_for_once_more_and_both_are_kept(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel
) -> None:
    load(database, graph, "a", ADA)
    llm.say("name,born,died\nAda Lovelace,1815,1852").say(GOOD)
    summarise(database, graph, model)
    assert "CSV" in llm.requests[1].prompt
    assert stored(database, graph) == [("Ada Lovelace", GOOD, "model")]
    assert len(database.read(ANSWERS, graph=graph)) == 2
    assert summarise(database, graph, model).changes == 0
    assert llm.calls == 2


def test_answers_of_no_use_are_paid_once_and_replaced_by_sentences(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel
) -> None:
    load(database, graph, "a", ADA)
    llm.say("I'm sorry, but I cannot assist.").say("- , - , -")
    first = summarise(database, graph, model)
    assert first.unfinished == ()
    again = summarise(database, graph, model)
    assert (llm.calls, again.changes) == (2, 0)
    assert [method for *_, method in stored(database, graph)] == ["extractive"]


def test_what_the_filter_declines_is_not_asked_again(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel
) -> None:
    load(database, graph, "a", ADA)
    llm.say("", "content_filter")
    summarise(database, graph, model)
    summarise(database, graph, model)
    assert llm.calls == 1
    assert [method for *_, method in stored(database, graph)] == ["extractive"]


@pytest.mark.parametrize(("status", "code"), [(503, None), (401, None), (400, "context_length_exceeded")])
def test_a_model_that_fails_leaves_sentences_says_so_and_is_asked_again(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel, status: int, code: str | None
) -> None:
    load(database, graph, "a", ADA)
    llm.fail(status, code=code)
    done = summarise(database, graph, model)
    assert "1 descriptions were not merged" in done.unfinished[0]
    assert [method for *_, method in stored(database, graph)] == ["extractive"]
    llm.say(GOOD)
    assert summarise(database, graph, model).unfinished == ()
    assert stored(database, graph) == [("Ada Lovelace", GOOD, "model")]


def test_what_was_said_before_a_failure_is_kept(database: Database, graph: str, llm: FakeLlm, model: ChatModel) -> None:
    facts = {
        index: f"{FACT} Letter {index} says so, in many words about their work of {1840 + index}." for index in range(4)
    }
    load(database, graph, "a", ADA, facts)
    llm.say(GOOD).fail(503)
    summarise(database, graph, model)
    llm.say(FACT)
    done = summarise(database, graph, model)
    assert (llm.calls, done.usage.calls) == (3, 1)
    assert [method for *_, method in stored(database, graph)] == ["model", "model"]


CHILD = """
import sys
from kg_neo4j import Settings, factory
from kg_neo4j._models import tokens
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.lease import Lease
from kg_neo4j.organise.descriptions import Describing, describe
from kg_neo4j.progress import SILENT
settings = Settings()
with connect(settings, SILENT) as database, Lease(database, settings.graph) as lease:
    how = Describing(factory.door_to(factory.chat_model(settings)), tokens.load("approximate-1"), 60)
    describe(database, settings.graph, how, lease=lease)
"""


def test_a_run_killed_between_storing_and_using_an_answer_does_not_pay_for_it_again(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel, environment: Mapping[str, str]
) -> None:
    load(database, graph, "a", ADA)
    texts = [text.replace("Ada Lovelace", "Charles Babbage") for text in ADA]
    load_other(database, graph, texts)
    llm.answer(0).say(GOOD).hang()
    online = {"OPENAI_BASE_URL": llm.url, "OPENAI_API_KEY": "k", "KG_MODEL": "scripted"}
    with subprocess.Popen([sys.executable, "-c", CHILD], env={**environment, **online}) as child:
        llm.wait_for_calls(2)  # one at a time: the first answer is stored by now
        child.send_signal(signal.SIGKILL)
    assert stored(database, graph) == []
    assert len(database.read(ANSWERS, graph=graph)) == 1
    llm.say(GOOD)
    done = summarise(database, graph, model)
    assert (llm.calls, done.usage.calls, done.changes) == (3, 1, 2)
    assert llm.requests[2].prompt == llm.requests[1].prompt
    assert [method for *_, method in stored(database, graph)] == ["model", "model"]


def load_other(database: Database, graph: str, texts: Sequence[str]) -> None:
    loaded, chunks = document(graph, "other", list(texts))
    made = []
    for chunk, text in zip(chunks, texts, strict=True):
        node = NodeRow(2, "n1", "PERSON", "PERSON", "Charles Babbage", {"description": text})
        made.append(Extraction(chunk, (), (node,), (), (), 1, ChunkOutcome.DONE, "c0"))
    with Lease(database, graph) as lease:
        record_document(database, lease, loaded, chunks, CONFIGURATION)
        Recorder(database, graph, SCHEMA, lease).record(made)
        settle(database, graph, SCHEMA, lease)


def test_a_useful_answer_is_kept_on_the_machine_and_serves_other_graphs(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel, tmp_path: Path
) -> None:
    cache = AnswerCache(tmp_path / "answers.sqlite3")
    other = f"{graph}-other"
    try:
        for name in (graph, other):
            load(database, name, "a", ADA)
        llm.say("N/A").say(GOOD)
        assert summarise(database, graph, model, cache=cache).usage.calls == 2
        llm.say("N/A")  # what was of no use is not kept
        assert summarise(database, other, model, cache=cache).usage.calls == 1
        assert llm.calls == 3
        assert [text for _, text, _ in stored(database, other)] == [GOOD]
    finally:
        delete_graph(database, other)


def test_a_budget_that_is_reached_leaves_sentences_and_the_load_goes_on(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel
) -> None:
    load(database, graph, "a", ADA)

    class Spent:
        name, window = model.name, model.window

        def complete(
            self, system: str, user: str, *, max_tokens: int | None = None, temperature: float = 0.0
        ) -> Completion:
            raise BudgetReached("the budget of 1 USD is used up", limit_usd=1.0, spent_usd=1.0)

    done = summarise(database, graph, Spent())
    assert "budget" in done.unfinished[0]
    assert [method for *_, method in stored(database, graph)] == ["extractive"]
    assert llm.calls == 0


def test_the_summary_is_what_is_embedded(database: Database, graph: str, llm: FakeLlm, model: ChatModel) -> None:
    load(database, graph, "a", ADA)
    embedder = HashedEmbedding()
    vectors.embed(database, graph, embedder, TOKENISER)
    llm.say(GOOD)
    summarise(database, graph, model)
    assert vectors.embed(database, graph, embedder, TOKENISER).embedded == 1
    rows = database.read(queries.get("write/vector_texts_entity"), graph=graph, after="", limit=10)
    assert [row["text"] for row in rows] == [f"Ada Lovelace: {GOOD}"]


def test_a_load_whose_descriptions_fail_is_partly_done_and_the_next_one_goes_on(
    database: Database, graph: str, llm: FakeLlm, kg: Kg
) -> None:
    story = Path(__file__).resolve().parents[2] / "examples" / "the_lamp_at_skarnes.md"
    online = {"OPENAI_BASE_URL": llm.url, "OPENAI_API_KEY": "k", "KG_MODEL": "scripted", "KG_MODEL_RETRIES": "0"}
    online |= {"KG_SUMMARY_TOKENS": "40", "KG_ANSWER_CACHE": "false"}

    def run(said: str) -> tuple[int, dict[str, Any]]:
        llm.rules = lambda prompt, user: said if "You merge several descriptions" in prompt else answer(prompt, user)
        code, out, _ = kg("load", str(story), "--chunk-tokens", "200", "--no-analytics", "--json", **online)
        return code, json.loads(out)

    code, report = run("")
    assert code == 3
    assert report["nodes"] > 0
    assert report["unfinished"]
    assert {method for *_, method in stored(database, graph)} == {"extractive"}
    before = llm.calls
    code, report = run("The lamp at Skarnes burned, as several descriptions say, and its keeper stayed with it.")
    assert (code, report["unfinished"], report["rows"]["read"]) == (0, [], 0)
    assert llm.calls > before
    before = llm.calls
    code, report = run("never asked")
    assert (code, report["changes"], report["calls"], llm.calls) == (0, 0, 0, before)


def test_other_graphs_are_left_alone(database: Database, graph: str, llm: FakeLlm, model: ChatModel) -> None:
    load(database, graph, "a", ADA)
    assert summarise(database, f"{graph}-other", model).summaries == 0
    assert (llm.calls, stored(database, graph)) == (0, [])
