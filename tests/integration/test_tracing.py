"""The spans of a load and of a question: their tree, what they hold, and what they leave out."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import StatusCode

from fake_llm import FakeLlm
from hidden_package import run_without
from kg_neo4j import KnowledgeGraph, LoadOptions, Settings, ask, load, tracing
from kg_neo4j.errors import ModelRefused
from kg_neo4j.graph.database import Database
from kg_neo4j.records import Usage
from traced import Tree, named, texts_of, traced, trees

OPTIONS = LoadOptions(analytics=False, chunk_tokens=30, gleanings=0, wave=0)
TEXTS = {
    "humboldt.txt": (
        "Alexander Humboldt travelled with Aime Bonpland through Venezuela. Alexander Humboldt was born in Berlin.\n\n"
        "Wilhelm Humboldt founded a university in Berlin. Caroline Dacheroeden married Wilhelm Humboldt in Erfurt.\n\n"
        "Georg Forster taught Alexander Humboldt how to travel. Georg Forster sailed with James Cook round the world."
    ),
    "skarnes.txt": (
        "Ingrid Halvorsen kept the lighthouse at Skarnes for thirty winters. Tobias Berg repaired the lamp.\n\n"
        "Marta Solheim inherited the lighthouse from Ingrid Halvorsen. Marta Solheim sold the lamp to Tobias Berg."
    ),
}
QUESTION = "Who repaired the lamp at Skarnes?"
PROMPTED = "knowledge graph evidence sentences relationship"  # words of prompts
OF_SPANS = frozenset("graph chunk write search reply check scripted embeddings retrieval openai".split())


@pytest.fixture
def traced_settings(online: Settings, tmp_path: Path) -> Settings:
    prices = '["scripted"]\ninput = 1.0\noutput = 4.0\n["vectors"]\ninput = 2.0\n'
    (tmp_path / "prices.toml").write_text(prices, "utf-8")
    changes = {"prices": tmp_path / "prices.toml", "summary_tokens": 0, "judge": True}
    return Settings(**{**online.model_dump(), **changes})


@pytest.fixture
def sources(tmp_path: Path) -> list[str]:
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text, "utf-8")
    return [str(tmp_path / name) for name in TEXTS]


def about(span: ReadableSpan) -> Mapping[str, Any]:
    return dict(span.attributes or {})


def took(spans: Sequence[ReadableSpan]) -> Usage:
    """Return what the spans say that calls of chat models took."""
    calls = [about(each) for each in named(spans, "chat scripted")]
    names = ("kg_neo4j.calls", "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens", "kg_neo4j.usd")
    return Usage(*(sum(each[name] for each in calls) for name in names))


def no_text_is_in(spans: Sequence[ReadableSpan], *more: str) -> None:
    shown = "".join(map(texts_of, spans)).casefold()
    words = set(re.findall(r"[a-z]{5,}", " ".join((*TEXTS.values(), *TEXTS, QUESTION, PROMPTED, *more)).casefold()))
    assert len(words) > 35
    assert {word for word in words - OF_SPANS if re.search(rf"\b{word}\b", shown)} == set()


def test_a_load_is_a_tree_and_its_calls_sum_up_to_the_report(
    database: Database, traced_settings: Settings, llm: FakeLlm, sources: list[str]
) -> None:
    llm.counts = True
    with traced() as spans:
        report = load(sources, settings=traced_settings, options=OPTIONS)
    assert (report.documents, report.chunks, report.failed_chunks) == (2, 5, ())
    ((name, below),) = trees(spans)
    call: tuple[Tree, ...] = (("chat scripted", ()),)
    writes = [("write", ())] * len(named(spans, "write"))  # one, or more where the machine is slow
    assert (name, sorted(below)) == ("load", [("chunk", call)] * 5 + writes)
    assert sum(about(each)["kg_neo4j.chunks"] for each in named(spans, "write")) == 5
    rows, _, _ = database.driver.execute_query(
        "MATCH (d:Document {graph: $graph})<-[:IN_DOCUMENT]-(c:Chunk) RETURN d.id AS document, c.index AS chunk",
        graph=traced_settings.graph,
    )
    chunks = [about(each) for each in named(spans, "chunk")]
    found = sorted((each["kg_neo4j.document"], each["kg_neo4j.chunk"]) for each in chunks)
    assert found == sorted((row["document"], row["chunk"]) for row in rows)
    assert {each["kg_neo4j.outcome"] for each in chunks} == {"done"}
    assert sum(each["kg_neo4j.rows"] for each in chunks) == report.rows.read > 0
    assert about(named(spans, "load")[0]) == {"kg_neo4j.graph": traced_settings.graph}
    assert report.usage.calls == llm.calls
    assert report.usage.usd
    assert took(spans) == replace(report.usage, usd=pytest.approx(report.usage.usd))
    no_text_is_in(spans)


def test_a_second_load_asks_nothing_and_has_no_spans_of_chunks(traced_settings: Settings, sources: list[str]) -> None:
    load(sources, settings=traced_settings, options=OPTIONS)
    with traced() as spans:
        load(sources, settings=traced_settings, options=OPTIONS)
    assert trees(spans) == (("load", ()),)


@pytest.mark.parametrize("is_streamed", [False, True])
def test_a_question_is_searched_replied_to_and_checked(
    traced_settings: Settings, llm: FakeLlm, sources: list[str], *, is_streamed: bool
) -> None:
    settings = Settings(**{**traced_settings.model_dump(), "embedding_model": "vectors"})
    with traced() as loading:
        load(sources, settings=settings, options=OPTIONS)
    ((name, below),) = trees(loading)
    assert (name, {each for each, _ in below}) == ("load", {"chunk", "write", "embeddings vectors"})
    pieces: list[str] = []
    before = llm.calls
    with traced() as spans:
        answer = ask(QUESTION, settings=settings, mode="local", on_token=pieces.append if is_streamed else None)
    assert answer.found
    search = [("embeddings vectors", ())] * sum(each.path.endswith("/embeddings") for each in llm.requests[before:])
    check = ("check", (("chat scripted", ()),))
    assert trees(spans) == (("ask", (("search", tuple(search)), ("reply", (("chat scripted", ()), check)))),)
    assert search
    assert bool(pieces) == is_streamed
    assert answer.usage.usd
    assert (took(spans), answer.usage.calls) == (replace(answer.usage, usd=pytest.approx(answer.usage.usd)), 2)
    assert about(named(spans, "reply")[0]) == {"kg_neo4j.mode": "local"}
    assert about(named(spans, "search")[0]) == {"gen_ai.operation.name": "retrieval"}
    no_text_is_in(spans, answer.answer)


def test_texts_are_shown_where_the_setting_says_so(
    traced_settings: Settings, llm: FakeLlm, sources: list[str], tmp_path: Path
) -> None:
    shown = traced_settings.model_copy(update={"trace_text": True})
    with traced() as spans:
        load(sources[:1], settings=shown, options=OPTIONS)
        load(sources[1:], settings=traced_settings, options=OPTIONS)
    calls = [about(each) for each in named(spans, "chat scripted")]
    asked = [json.loads(each["gen_ai.input.messages"]) for each in calls if "gen_ai.input.messages" in each]
    sent = [[each["content"] for each in request.body["messages"]] for request in llm.requests]
    assert sorted([each["parts"][0]["content"] for each in one] for one in asked) == sorted(sent[: len(asked)])
    assert (len(asked), len(calls)) == (3, 5)
    no_text = [each for each in spans if "gen_ai.input.messages" not in about(each)]
    no_text_is_in(no_text)


def test_an_error_is_the_name_of_its_class(traced_settings: Settings, llm: FakeLlm, sources: list[str]) -> None:
    llm.faults = lambda _: llm.json({"error": {"message": "no lighthouse for this key"}}, 401)
    with traced() as spans, pytest.raises(ModelRefused, match="no lighthouse for this key"):
        load(sources, settings=traced_settings, options=OPTIONS)
    failed = {each.name: each.status.description for each in spans if each.status.status_code is StatusCode.ERROR}
    assert failed == {"load": "ModelRefused", "chunk": "ModelRefused", "chat scripted": "ModelRefused"}
    no_text_is_in(spans)


def test_a_chunk_that_gives_nothing_says_so(traced_settings: Settings, llm: FakeLlm, sources: list[str]) -> None:
    llm.faults = lambda _: llm.completion("I would rather talk about Bonpland.")
    with traced() as spans:
        report = load(sources[1:], settings=traced_settings, options=OPTIONS)
    assert len(report.failed_chunks) == 2
    assert {about(each)["kg_neo4j.outcome"] for each in named(spans, "chunk")} == {"failed"}
    no_text_is_in(spans)


def test_questions_at_once_have_a_tree_each_within_what_asks_them(offline: Settings, sources: list[str]) -> None:
    load(sources, settings=offline, options=OPTIONS)
    with KnowledgeGraph(settings=offline) as graph, traced() as spans:

        def asked(number: int) -> None:
            with tracing.span(f"caller {number}"):
                graph.ask(QUESTION, mode="local")

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(asked, range(8)))
    below = (("ask", (("search", ()), ("reply", ()))),)
    assert sorted(trees(spans)) == [(f"caller {number}", below) for number in range(8)]


def test_a_load_without_the_package_and_one_without_a_tracer_import_nothing_of_it(
    environment: Mapping[str, str], sources: list[str], tmp_path: Path
) -> None:
    ended = "from kg_neo4j._cli.app import main\nimport atexit, sys\n"
    ended += "@atexit.register\ndef end(): print(sorted(each for each in sys.modules if 'opentelemetry' in each))\n"
    for arguments in (["--help"], ["load", sources[0]], ["ask", QUESTION]):
        run = ["-c", f"{ended}sys.argv = ['kg', *{arguments}]\nmain()"]
        for hidden in ("opentelemetry", "nothing"):
            ran = run_without(hidden, tmp_path, run, **environment)
            assert (ran.returncode, ran.stdout.splitlines()[-1]) == (0, "[]"), ran.stderr
