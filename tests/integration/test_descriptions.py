"""Element summaries on a real server: what is stored, what a repeat, a withdrawal, or a kill does."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from corpus import document, record_document, withdraw_document
from fake_llm import FakeLlm, answer
from kg_neo4j._models import tokens
from kg_neo4j._models.protocols import ChatModel
from kg_neo4j.extract import schema as schemas
from kg_neo4j.factory import door_to, without_model
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import LoadConfiguration
from kg_neo4j.graph.export import lines
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.queries import parse
from kg_neo4j.graph.recorder import Recorder
from kg_neo4j.graph.settler import settle
from kg_neo4j.organise.descriptions import Described, Describing, describe
from kg_neo4j.records import Chunk, ChunkOutcome, Extraction, NodeRow, RelationshipRow
from kg_runner import Kg

SCHEMA = schemas.load("described")
TOKENISER = tokens.load("approximate-1")
CONFIGURATION = LoadConfiguration("c0", "described", SCHEMA.hash, "approximate-1")
BOUND = 60  # tokens
ADA = [
    "Ada Lovelace was an English mathematician, born in London in 1815.",
    "Ada Lovelace wrote long notes on the Analytical Engine that Charles Babbage had designed.",
    "Ada Lovelace was the only legitimate daughter of the poet Lord Byron and of Annabella Milbanke.",
    "Ada Lovelace died in Marylebone in 1852, thirty-six years old, and was buried beside her father.",
]
GOOD = "Ada Lovelace was an English mathematician who wrote notes on the Analytical Engine."
SAID = GOOD.replace(".", " [1][2].")
NAME = "Ada Lovelace"
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


def load(
    database: Database, graph: str, name: str, descriptions: Sequence[str], *, facts: Sequence[str] = (), of: str = NAME
) -> None:
    """Load a document of one chunk a description of somebody, each with one of `facts` where there are any."""
    loaded, chunks = document(graph, name, [f"{name}: {text}" for text in descriptions])
    given = zip(chunks, descriptions, facts or [""] * len(chunks), strict=True)
    made = [_extraction(chunk, of, text, fact) for chunk, text, fact in given]
    with Lease(database, graph) as lease:
        record_document(database, lease, loaded, chunks, CONFIGURATION)
        Recorder(database, graph, SCHEMA, lease).record(made)
        settle(database, graph, SCHEMA, lease)


def unload(database: Database, graph: str, name: str) -> None:
    with Lease(database, graph) as lease:
        withdraw_document(database, lease, graph, document(graph, name, ["x"])[0].id)
        settle(database, graph, SCHEMA, lease)


def _extraction(chunk: Chunk, name: str, description: str, fact: str) -> Extraction:
    nodes = [NodeRow(2, "n1", "PERSON", "PERSON", name, {"description": description})]
    relationships = []
    if fact:
        nodes.append(NodeRow(3, "n2", "PERSON", "PERSON", "Charles Babbage", {}))
        relationships.append(RelationshipRow(5, "r1", "n1", "MET", "MET", "n2", {"description": fact}))
    rows = len(nodes) + len(relationships)
    return Extraction(chunk, (), tuple(nodes), tuple(relationships), (), rows, ChunkOutcome.DONE, "c0")


def summarise(database: Database, graph: str, model: ChatModel | None, **how: int | bool) -> Described:
    door = door_to(model) if model else without_model()
    with Lease(database, graph) as lease:
        options: dict[str, Any] = {"bound_tokens": BOUND, **how}
        return describe(database, graph, Describing(door, TOKENISER, **options), lease=lease)


def stored(database: Database, graph: str) -> list[tuple[str, str, str]]:
    return [(row["name"], row["text"], row["method"]) for row in database.read(SUMMARIES, graph=graph)]


def dump(database: Database, graph: str) -> str:
    return "\n".join(lines(database, graph))


def test_an_entity_and_a_fact_have_summaries_that_a_repeat_keeps_and_a_replay_makes_again(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel
) -> None:
    facts = [f"{FACT} Letter {n} says so, in many words about their work of {1840 + n}." for n in range(4)]
    load(database, graph, "a", ADA, facts=facts)
    assert summarise(database, f"{graph}-other", model).summaries == 0
    assert (llm.calls, stored(database, graph)) == (0, [])
    llm.say(SAID).say(FACT.replace(".", " [1][2][3][4]."))
    done = summarise(database, graph, model)
    assert (llm.calls, done.usage.calls, done.changes, done.summaries) == (2, 2, 2, 2)
    assert stored(database, graph) == [(NAME, GOOD, "model"), ("MET", FACT, "model")]
    assert all(text.removesuffix(".") in llm.requests[0].prompt for text in ADA)
    assert "Ada Lovelace MET Charles Babbage" in llm.requests[1].prompt
    rows = database.read(queries.get("reports/summaries"), graph=graph, limit=10)
    assert [(row["Name"], row["Sentence"], row["Made"], row["Description"], row["Document"]) for row in rows] == [
        *((NAME, GOOD, "model", text, "a") for text in ADA[:2]),
        *((f"{NAME} MET Charles Babbage", FACT, "model", text, "a") for text in facts),
    ]
    texts = database.read(queries.get("write/vector_texts_entity"), graph=graph, after="", limit=10)
    assert f"{NAME}: {GOOD}" in [row["text"] for row in texts]
    before = dump(database, graph)
    done = summarise(database, graph, model)
    assert (llm.calls, done.changes, done.usage.calls, done.summaries) == (2, 0, 0, 2)
    assert dump(database, graph) == before
    summed_up = "MATCH (n:Entity) WHERE n.graph = $graph AND n.summary IS NOT NULL "
    database.write(query(summed_up + "SET n.summary = 'nonsense' RETURN count(*) AS n", "n INTEGER"), graph=graph)
    assert summarise(database, graph, None, replay=True).changes == 1
    assert dump(database, graph) == before
    assert llm.calls == 2


def test_withdrawn_evidence_rebuilds_the_summary_or_removes_it(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel
) -> None:
    load(database, graph, "a", ADA[:3])
    alone = dump(database, graph)
    load(database, graph, "b", ADA[3:])
    load(database, graph, "c", ["Ada Lovelace liked to ride horses across the hills of Surrey in the early morning."])
    newer = "Ada Lovelace was a mathematician."
    llm.say(SAID).say(newer.replace(".", " [1]."))
    summarise(database, graph, model)
    unload(database, graph, "c")
    summarise(database, graph, model)
    assert stored(database, graph) == [(NAME, newer, "model")]
    assert database.read(ANSWERS, graph=graph) == [{"text": newer.replace(".", " [1]."), "elements": 1}]
    unload(database, graph, "b")
    done = summarise(database, graph, model, bound_tokens=1_000)
    assert (done.changes, done.summaries, llm.calls) == (1, 0, 2)
    assert database.read(ANSWERS, graph=graph) == []
    assert dump(database, graph) == alone


def test_answers_stay_for_a_change_that_may_be_undone_and_leave_with_their_entity(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel
) -> None:
    load(database, graph, "a", ADA)
    llm.say(SAID)
    summarise(database, graph, model)
    before = dump(database, graph)
    load(database, graph, "b", ["Ada Lovelace was a countess."])
    llm.say("Ada Lovelace was a mathematician and a countess [1][5].")
    summarise(database, graph, model, keep_answers=True)
    unload(database, graph, "b")
    summarise(database, graph, model, keep_answers=True)
    assert llm.calls == 2
    assert dump(database, graph) == before
    assert [row["elements"] for row in database.read(ANSWERS, graph=graph)] == [1, 1]
    unload(database, graph, "a")
    summarise(database, graph, model)
    assert database.read(ANSWERS, graph=graph) == []


def test_the_order_of_loading_does_not_matter_offline(database: Database, graph: str) -> None:
    dumps = []
    for order in ("ab", "ba"):
        for letter in order:
            load(database, graph, letter, ADA["ab".index(letter) :: 2])
        summarise(database, graph, None)
        dumps.append(dump(database, graph))
        for letter in order:
            unload(database, graph, letter)
    assert dumps[0] == dumps[1]
    assert "extractive" in dumps[0]


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
    load(database, graph, "other", texts, of="Charles Babbage")
    llm.say(SAID).hang()
    online = {"OPENAI_BASE_URL": llm.url, "OPENAI_API_KEY": "k", "KG_MODEL": "scripted"}
    with subprocess.Popen([sys.executable, "-c", CHILD], env={**environment, **online}) as child:
        llm.wait_for_calls(2)  # one at a time: the first answer is stored by now
        child.send_signal(signal.SIGKILL)
    assert stored(database, graph) == []
    assert len(database.read(ANSWERS, graph=graph)) == 1
    llm.say(SAID)
    done = summarise(database, graph, model)
    assert (llm.calls, done.usage.calls, done.changes) == (3, 1, 2)
    assert llm.requests[2].prompt == llm.requests[1].prompt
    assert [method for *_, method in stored(database, graph)] == ["model", "model"]


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
    code, report = run("The lamp at Skarnes burned, as several descriptions say, and its keeper stayed with it [1][2].")
    assert (code, report["unfinished"], report["rows"]["read"]) == (0, [], 0)
    assert llm.calls > before
    before = llm.calls
    code, report = run("never asked")
    assert (code, report["changes"], report["calls"], llm.calls) == (0, 0, 0, before)
