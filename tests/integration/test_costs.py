"""Plan, budget, interrupts: what a load costs is known before, kept to, and paid once. Test plan rows 31, 32, 51."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from fake_llm import FakeLlm
from kg_neo4j import LoadOptions, Settings, load
from kg_neo4j.errors import BudgetReached, UsageError
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.export import lines
from kg_neo4j.pipeline.commands.plan import plan
from kg_neo4j.progress import Silent
from kg_neo4j.records import Usage
from kg_runner import Kg

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
ARTICLE = str(EXAMPLES / "alexander_von_humboldt.md")
STORY = str(EXAMPLES / "the_lamp_at_skarnes.md")
WHOLE = LoadOptions(analytics=False, gleanings=1)
SMALL = LoadOptions(analytics=False, chunk_tokens=150, gleanings=0, wave=0)
PRICES = '["scripted"]\ninput = 1\noutput = 4\n'


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm() as server:
        server.counts = True
        yield server


@pytest.fixture
def online(settings: Settings, graph: str, llm: FakeLlm, tmp_path: Path) -> Settings:
    (tmp_path / "prices.toml").write_text(PRICES, "utf-8")
    changes = {
        "graph": graph,
        "openai_base_url": llm.url,
        "openai_api_key": "k",
        "model": "scripted",
        "embedding_model": None,
        "model_concurrency": 16,
        "model_retries": 0,
        "summary_tokens": 0,
        "prices": tmp_path / "prices.toml",
        "cache": tmp_path / "cache",
        "answer_cache": False,
    }
    return Settings(**{**settings.model_dump(), **changes})


def dump(database: Database, graph: str) -> str:
    return "\n".join(lines(database, graph))


def off_by(planned: Usage, used: Usage) -> dict[str, float]:
    """Return how far a plan was from the run, as shares of the run."""
    assert planned.usd
    assert used.usd
    return {
        "calls": planned.calls / used.calls - 1,
        "input": planned.input_tokens / used.input_tokens - 1,
        "output": planned.output_tokens / used.output_tokens - 1,
        "price": planned.usd / used.usd - 1,
    }


# -- the plan


@pytest.mark.parametrize(
    ("options", "counts"),
    [
        (replace(WHOLE, chunk_tokens=300, gleanings=2, wave=2), True),
        pytest.param(WHOLE, True, marks=pytest.mark.slow),
        pytest.param(replace(WHOLE, gleanings=0), True, marks=pytest.mark.slow),
        pytest.param(replace(WHOLE, schema="wikipedia", chunk_tokens=600), True, marks=pytest.mark.slow),
        pytest.param(WHOLE, False, marks=pytest.mark.slow),
    ],
    ids=["small chunks", "default", "no gleaning", "wikipedia", "a server that counts in its own way"],
)
def test_the_plan_learns_from_the_answers_that_the_graph_has(
    online: Settings, llm: FakeLlm, tmp_path: Path, options: LoadOptions, counts: bool
) -> None:
    llm.counts, llm.usage = counts, (5_000, 77)
    first, second = halves(tmp_path)
    load([first], settings=online, options=options)
    planned = plan([second], settings=online, options=options)
    report = load([second], settings=online, options=options)
    off = off_by(planned.usage, report.usage)
    assert max(map(abs, off.values())) < 0.15, off
    assert "measured on" in planned.assumptions[0]


def halves(tmp_path: Path) -> tuple[str, str]:
    """Return two files with every other paragraph of the article each: texts of one kind."""
    paragraphs = Path(ARTICLE).read_text("utf-8").split("\n\n")
    names = (tmp_path / "first.md", tmp_path / "second.md")
    for place, name in enumerate(names):
        name.write_text("\n\n".join(paragraphs[place::2]), "utf-8")
    return str(names[0]), str(names[1])


def test_the_plan_of_a_first_load_knows_its_calls_and_input_and_that_of_a_second_costs_nothing(
    database: Database, online: Settings, llm: FakeLlm
) -> None:
    planned = plan([ARTICLE], settings=online, options=WHOLE)
    assert (dump(database, online.graph), llm.calls) == ("", 0)
    report = load([ARTICLE], settings=online, options=WHOLE)
    assert (planned.documents, planned.chunks, planned.chunks_to_ask) == (1, report.chunks, report.chunks)
    assert set(planned.steps) == set(report.steps) == {"whole", "glean"}
    repairs = f"the repair of rejected rows takes 0 calls here, at most {planned.chunks_to_ask}: one for each chunk"
    assert planned.assumptions[-1] == repairs
    off = off_by(planned.usage, report.usage)  # how much a large model writes: tests/unit/pipeline/test_estimates.py
    assert max(abs(off["calls"]), abs(off["input"])) < 0.15, off
    assert report.usage.usd == pytest.approx((report.usage.input_tokens + 4 * report.usage.output_tokens) / 1e6)
    assert plan([ARTICLE], settings=online, options=WHOLE).usage == Usage(usd=0.0)


@pytest.mark.parametrize("wave", [pytest.param(0, marks=pytest.mark.slow), 8])
def test_an_edit_costs_what_it_changed_and_a_plan_refuses_what_the_load_would_refuse(
    database: Database, online: Settings, llm: FakeLlm, tmp_path: Path, wave: int
) -> None:
    options, files = replace(SMALL, wave=wave), [str(tmp_path / "note.md")]
    text = Path(ARTICLE).read_text("utf-8")
    Path(files[0]).write_text(text, "utf-8")
    loaded = load(files, settings=online, options=options)
    before, calls = dump(database, online.graph), llm.calls
    again = plan([*files, STORY], settings=online, options=options)
    assert 0 < again.chunks_to_ask == again.chunks - loaded.chunks
    again = plan(files, settings=online, options=options)
    assert (again.chunks, again.chunks_to_ask, again.usage) == (loaded.chunks, 0, Usage(usd=0.0))
    assert (dump(database, online.graph), llm.calls) == (before, calls)
    Path(files[0]).write_text(text.replace("Humboldt", "Bonpland", 1), "utf-8")
    edited = plan(files, settings=online, options=options)
    assert edited.chunks_to_ask == load(files, settings=online, options=options).usage.calls == 1
    with pytest.raises(UsageError, match="loaded with another"):
        plan(files, settings=online, options=replace(options, chunk_tokens=200))
    with pytest.raises(UsageError, match="schema"):
        plan(files, settings=online, options=replace(options, schema="wikipedia"))
    rebuilt = replace(options, chunk_tokens=200, rebuild=True)
    planned = plan(files, settings=online, options=rebuilt)
    assert planned.chunks_to_ask == load(files, settings=online, options=rebuilt).usage.calls > 0


def test_cached_answers_cost_nothing_also_in_another_graph(database: Database, online: Settings, llm: FakeLlm) -> None:
    cached = online.model_copy(update={"answer_cache": True})
    load([STORY], settings=cached, options=replace(WHOLE, gleanings=0))
    elsewhere = cached.model_copy(update={"graph": f"{online.graph}-2"})
    planned = plan([STORY], settings=elsewhere, options=WHOLE)
    try:
        report = load([STORY], settings=elsewhere, options=WHOLE)
        assert set(planned.steps) == set(report.steps) == {"glean"}
        assert planned.usage.calls == report.usage.calls == report.chunks
        calls = llm.calls
        delete_graph(database, elsewhere.graph)
        assert plan([STORY], settings=elsewhere, options=WHOLE).usage.calls == 0
        assert load([STORY], settings=elsewhere, options=WHOLE).usage.calls == 0
    finally:
        delete_graph(database, elsewhere.graph)
    assert llm.calls == calls
    assert plan([STORY], settings=elsewhere.model_copy(update={"answer_cache": False}), options=WHOLE).usage.calls > 0


def test_a_plan_without_a_model_or_without_a_price(online: Settings) -> None:
    offline = online.model_copy(update={"openai_base_url": None, "openai_api_key": None})
    planned = plan([STORY], settings=offline, options=WHOLE)
    assert (planned.model, planned.chunks, planned.chunks_to_ask) == (None, 2, 0)
    assert planned.usage == planned.embedding == Usage(usd=0.0)
    planned = plan([STORY], settings=online.model_copy(update={"prices": None, "model": "nobody-knows"}))
    assert planned.usage.calls > 0
    assert planned.usage.usd is None
    for model, priced in (("text-embedding-3-small", True), ("nobody-knows", False)):
        planned = plan([STORY], settings=online.model_copy(update={"embedding_model": model}), options=WHOLE)
        assert planned.embedding.calls > 0
        assert (planned.embedding.usd is not None) == priced
        assert planned.usage.usd


# -- the budget


def test_a_budget_stops_before_it_is_passed_and_a_larger_one_goes_on(
    database: Database, online: Settings, llm: FakeLlm
) -> None:
    with pytest.raises(UsageError, match="budget needs a price") as unpriced:
        load([STORY], settings=online.model_copy(update={"prices": None}), options=replace(SMALL, budget_usd=1.0))
    assert ("KG_PRICES" in (unpriced.value.hint or ""), llm.calls) == (True, 0)
    whole = load([ARTICLE], settings=online, options=SMALL)
    wanted = dump(database, online.graph)
    delete_graph(database, online.graph)
    assert whole.usage.usd
    limit = whole.usage.usd / 2
    with pytest.raises(BudgetReached, match="chunks of the 1 documents read so far are left") as reached:
        load([ARTICLE], settings=online, options=replace(SMALL, budget_usd=limit))
    assert limit * 0.7 < reached.value.spent_usd <= limit
    assert "Unsettled" not in dump(database, online.graph)
    left = plan([ARTICLE], settings=online, options=SMALL).chunks_to_ask
    assert 0 < left < whole.chunks
    assert f"{left} of {whole.chunks} chunks" in str(reached.value)
    resumed = load([ARTICLE], settings=online, options=replace(SMALL, budget_usd=10.0))
    assert resumed.usage.calls == left
    assert dump(database, online.graph) == wanted


# -- the command line


@pytest.fixture
def child(environment: Mapping[str, str], online: Settings) -> dict[str, str]:
    """The environment of a `kg` that asks the scripted server."""
    return {
        **environment,
        "OPENAI_BASE_URL": str(online.openai_base_url),
        "OPENAI_API_KEY": "k",
        "KG_MODEL": "scripted",
        "KG_MODEL_CONCURRENCY": "16",
        "KG_PRICES": str(online.prices),
        "KG_ANSWER_CACHE": "off",
        "KG_SUMMARY_TOKENS": "0",
    }


def test_the_command_prints_the_plan_and_stops_at_the_budget_with_code_3(
    child: Mapping[str, str], kg: Kg, llm: FakeLlm
) -> None:
    shape = json.loads(kg("load", ARTICLE, "--dry-run", "--json", **child)[1])
    chunks = shape["chunks"]
    assert chunks > 1
    assert (shape["chunks_to_ask"], shape["calls"], shape["concurrency"]) == (chunks, chunks, 16)
    assert set(shape["tokens"]) == {"input", "output"}
    assert shape["usd"] > 0
    assert shape["seconds"] > 0
    code, shown, _ = kg("load", ARTICLE, "--dry-run", **child)
    assert code == 0
    for words in (f"{chunks} to send to the model", "whole", "USD", "with 16 calls at once", "estimated: "):
        assert words in shown
    unknown = kg("load", ARTICLE, "--dry-run", **{**child, "KG_MODEL": "nobody-knows"})[1]
    assert "price      unknown" in unknown
    assert llm.calls == 0
    code, _, err = kg("load", ARTICLE, "--no-analytics", "--budget-usd", "0.05", **child)
    assert code == 3
    assert "the budget of 0.05 USD is used up" in err
    assert "--budget-usd" in err
    assert llm.calls > 0


@pytest.mark.parametrize(
    ("send", "code"),
    [
        (lambda process: process.send_signal(signal.SIGINT), 130),
        pytest.param(lambda process: process.send_signal(signal.SIGTERM), 143, marks=pytest.mark.long),
    ],
    ids=["Ctrl-C", "SIGTERM"],
)
def test_a_signal_with_16_calls_in_flight_ends_the_command_and_the_next_run_goes_on(
    database: Database,
    online: Settings,
    child: Mapping[str, str],
    llm: FakeLlm,
    send: Callable[[subprocess.Popen[str]], None],
    code: int,
) -> None:
    load([ARTICLE], settings=online, options=SMALL)
    wanted = dump(database, online.graph)
    delete_graph(database, online.graph)
    before = llm.calls
    llm.answer(6)
    for _ in range(16):
        llm.hang()
    arguments = ["load", ARTICLE, "--chunk-tokens", "150", "--gleanings", "0", "--wave", "0", "--no-analytics"]
    process = subprocess.Popen(
        [sys.executable, "-m", "kg_neo4j", *arguments], env=child, stderr=subprocess.PIPE, text=True
    )
    with process:
        llm.wait_for_calls(before + 6 + 16)
        send(process)
        _, said = process.communicate(timeout=30)
    assert process.returncode == code
    assert "interrupted" in said
    assert f"continue with `kg load {ARTICLE}" in said
    text = dump(database, online.graph)
    assert "Unsettled" not in text
    llm.forget()
    asked = llm.calls
    resumed = load([ARTICLE], settings=online, options=SMALL)
    assert resumed.usage.calls == llm.calls - asked == resumed.chunks - 6
    assert dump(database, online.graph) == wanted


class Interrupting(Silent):
    """Sends Ctrl-C to this process while it counts its third chunk, when six are answered and two are asked."""

    def __init__(self, llm: FakeLlm) -> None:
        self.llm, self.chunks, self.calls = llm, 0, llm.calls

    def advance(self, stage: str, units: int = 1) -> None:
        self.chunks += stage == "extract"
        if self.chunks == 3:
            self.llm.wait_for_calls(self.calls + 6 + 2)
            signal.raise_signal(signal.SIGINT)


def test_an_interrupt_between_two_answers_loses_none_of_them(online: Settings, llm: FakeLlm) -> None:
    two = online.model_copy(update={"model_concurrency": 2})
    llm.answer(6).hang().hang()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # tests in the background ignore it
    with pytest.raises(KeyboardInterrupt):
        load([ARTICLE], settings=two, options=SMALL, progress=Interrupting(llm))
    signal.signal(signal.SIGINT, before)
    llm.forget()
    asked = llm.calls
    resumed = load([ARTICLE], settings=online, options=SMALL)  # has an endpoint of its own: 16 calls at a time
    assert resumed.usage.calls == llm.calls - asked == resumed.chunks - 6
