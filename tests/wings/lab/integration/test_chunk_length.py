"""kg study chunk-length on a real Neo4j: what is found with a model that writes a bounded number of rows a call."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

import fake_llm
from bounded_reader import bounded_reader
from fake_llm import FakeLlm
from kg_neo4j import LoadOptions, Settings, load
from kg_neo4j._cli import app as command_line
from kg_neo4j.errors import BudgetReached, ModelRefused, UnreadableSource, UsageError
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import list_documents
from kg_neo4j.graph.export import lines
from kg_neo4j.graph.queries import Query
from kg_neo4j_lab.chunk_length import ChunkLengthOptions, plan_chunk_length, study_chunk_length
from kg_neo4j_lab.variants import Grid
from study_runs import ARTICLE, STORY, left, studying, without_model

ONE = ChunkLengthOptions(Grid(tokens=(300,)), gleanings=0)


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm(rules=bounded_reader(), counts=True) as server:
        yield server


@pytest.fixture
def online(settings: Settings, database: Database, llm: FakeLlm, tmp_path: Path) -> Iterator[Settings]:
    with studying(settings, database, llm, tmp_path) as found:
        yield found


@pytest.fixture
def offline(online: Settings) -> Settings:
    return without_model(online)


@pytest.fixture
def short(tmp_path: Path) -> str:
    """The beginning of an article."""
    (tmp_path / "short.md").write_text(Path(ARTICLE).read_text("utf-8")[:2500], "utf-8")
    return str(tmp_path / "short.md")


def test_shorter_chunks_give_more_nodes_and_edges(online: Settings, database: Database, tmp_path: Path) -> None:
    """Nodes times 2.4 to 6.7, edges times 2.4 to 8, from 1,200 to 300 tokens; the loaded graph is not touched."""
    load([STORY], settings=online, options=LoadOptions(analytics=False))
    before = list(lines(database, online.graph))
    picture = tmp_path / "graphs.png"
    options = ChunkLengthOptions(Grid(tokens=(300, 1200)), gleanings=1, schema="described", plot=picture)
    found = study_chunk_length([ARTICLE], settings=online, options=options)
    (ratio,) = found.ratios
    assert (ratio.first.tokens, ratio.second.tokens) == (1200, 300)
    assert ratio.nodes
    assert ratio.relationships
    assert 2.4 <= ratio.nodes <= 6.7
    assert 2.4 <= ratio.relationships <= 8
    for cell in found.cells:
        (run,) = cell.runs
        assert run.usage.calls == 2 * run.chunks  # asked, and what is missing
        assert run.usage.usd == pytest.approx((run.usage.input_tokens + 4 * run.usage.output_tokens) / 1e6)
        assert run.shape.modularity is not None
        assert 0 < run.shape.density < 1
        assert run.shape.nodes <= 12 * run.chunks
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert left(database, online.graph) == []
    assert list(lines(database, online.graph)) == before


def test_a_study_that_a_budget_or_the_model_stopped_goes_on(online: Settings, llm: FakeLlm, database: Database) -> None:
    options = replace(ONE, grid=Grid(tokens=(1200, 300)))
    whole = study_chunk_length([ARTICLE], settings=online, options=options)
    asked = llm.calls
    long, short = (cell.runs[0] for cell in whole.cells)
    usd = (long.usage.usd or 0) + (short.usage.usd or 0)
    with pytest.raises(BudgetReached):  # the budget is for all variants together
        study_chunk_length([ARTICLE], settings=online, options=replace(options, budget_usd=usd * 0.7))
    assert asked + long.chunks < llm.calls < 2 * asked - 3
    llm.answer(3).fail(401)
    with pytest.raises(ModelRefused):
        study_chunk_length([ARTICLE], settings=online, options=options)
    assert left(database, online.graph) == sorted({long.graph, short.graph})
    again = study_chunk_length([ARTICLE], settings=online, options=options)
    assert llm.calls == 2 * asked + 1  # every chunk once, and the refused call
    assert again == whole
    assert left(database, online.graph) == []


def test_a_repeat_is_asked_anew_and_the_first_comes_from_the_cache(online: Settings, llm: FakeLlm) -> None:
    cached = online.model_copy(update={"answer_cache": True})
    grid = Grid(tokens=(300,), repeats=2)
    first = study_chunk_length([STORY], settings=cached, options=replace(ONE, grid=grid))
    asked = llm.calls
    chunks = first.cells[0].runs[0].chunks
    assert asked == 2 * chunks
    llm.rules = bounded_reader(6, 4)
    second = study_chunk_length([STORY], settings=cached, options=replace(ONE, grid=grid))
    assert llm.calls == asked + chunks
    one, other = second.cells[0].runs
    assert (one.cached, one.usage, other.cached, other.usage.calls) == (chunks, first.cells[0].runs[0].usage, 0, chunks)
    assert one.shape.nodes > other.shape.nodes
    assert second.cells[0].spread[0] > 0
    assert "came from the cache" in " ".join(second.notes)


def test_without_a_model_the_length_hardly_matters_and_that_is_said(offline: Settings, short: str) -> None:
    found = study_chunk_length([short], settings=offline, options=replace(ONE, grid=Grid(tokens=(600, 150))))
    assert 0.8 < (found.ratios[0].nodes or 0) < 1.25
    assert all(run.usage.calls == 0 for cell in found.cells for run in cell.runs)
    assert "hardly matters" in found.notes[0]
    assert not any("English" in note for note in found.notes)
    assert found.model == "offline-1"


def test_that_relationships_are_read_in_english_alone_without_a_model_is_said(
    offline: Settings, tmp_path: Path
) -> None:
    polish = tmp_path / "list.txt"
    polish.write_text(
        "Pan Ignacy Rzecki mieszkał w Warszawie przy ulicy Krakowskie Przedmieście. Był przyjacielem Stanisława "
        "Wokulskiego, który wrócił z Bułgarii i prowadził sklep, a w sklepie pracowali także Lisiecki i Zięba.\n",
        "utf-8",
    )
    found = study_chunk_length([str(polish)], settings=offline, options=ONE)
    assert found.cells[0].nodes > 1
    assert found.cells[0].relationships == 0
    assert "relationships are read only in English: text in 'pl' gives names" in found.notes[1]


def test_shortened_text_is_compared_with_whole_text(offline: Settings, short: str) -> None:
    """Ways of preparing a text are compared as lengths are."""
    grid = Grid(tokens=(600,), preprocess=("none", "stopwords"))
    found = study_chunk_length([short], settings=offline, options=replace(ONE, grid=grid))
    assert [cell.variant.preprocess for cell in found.cells] == ["none", "stopwords"]
    assert found.ratios[0].varied == "preprocess"
    assert found.cells[0].nodes != found.cells[1].nodes


def test_prompts_tuned_on_the_text_are_made_once_and_graphs_are_kept_where_that_is_asked_for(
    offline: Settings, short: str, tmp_path: Path, database: Database
) -> None:
    options = replace(ONE, grid=Grid(tokens=(300,), prompts=("none", "nd")), keep=True)
    found = study_chunk_length([short], settings=offline, options=options)
    (file,) = (tmp_path / "cache" / "studies").iterdir()
    made = file.stat().st_mtime_ns
    assert study_chunk_length([short], settings=offline, options=options).cells == found.cells
    assert file.stat().st_mtime_ns == made
    assert [cell.variant.prompts for cell in found.cells] == ["none", "nd"]
    assert left(database, offline.graph) == sorted(found.kept)
    (document,) = list_documents(database, found.kept[0])
    assert document.done == document.chunks
    embedded = "MATCH (c:Chunk {graph: $graph}) WHERE c.embedding IS NOT NULL RETURN count(c) AS n"
    query = Query(*("test/embedded", "", "", "read", (), (), "", ""), embedded)
    assert database.read(query, graph=found.kept[0])[0]["n"] == 0


def test_prompts_can_be_tuned_by_another_model_than_that_of_the_graph(
    online: Settings, llm: FakeLlm, short: str
) -> None:
    types = json.dumps({"entity_types": ["PERSON", "ENTITY_NAME"], "relationship_types": ["RELATED_TO"]})
    llm.rules = lambda prompt, user: types if "Propose the types" in user else fake_llm.answer(prompt, user)
    grid = Grid(tokens=(1200,), models=("one", "two"), prompts=("nd", "nd:two"))
    found = study_chunk_length([short], settings=online, options=replace(ONE, grid=grid))
    tuned = [request.body["model"] for request in llm.requests if "Propose the types" in request.user]
    assert list(dict.fromkeys(tuned)) == ["one", "two"]
    assert tuned.count("one") == tuned.count("two")  # what the second one made serves its own graph, too
    made = [(cell.variant.model, cell.variant.prompts) for cell in found.cells]
    assert made == [("one", "nd"), ("one", "nd:two"), ("two", "nd"), ("two", "nd:two")]
    assert all(cell.nodes for cell in found.cells)
    with pytest.raises(UsageError, match="nd:MODEL"):
        study_chunk_length(
            [short], settings=without_model(online), options=replace(ONE, grid=Grid(prompts=("nd:two",)))
        )


def test_a_plan_asks_nobody_and_writes_nothing(online: Settings, llm: FakeLlm, database: Database) -> None:
    plans = plan_chunk_length([ARTICLE], settings=online, options=replace(ONE, grid=Grid(repeats=2)))
    assert [variant.tokens for variant, _ in plans] == [1200, 1200, 300, 300]
    assert all(plan.chunks <= plan.usage.calls <= 1.1 * plan.chunks for _, plan in plans)  # some rows are asked again
    assert llm.calls == 0
    assert left(database, online.graph) == []


def test_what_cannot_be_meant_is_said_before_anything_is_built(offline: Settings, tmp_path: Path) -> None:
    for options in (
        replace(ONE, plot=tmp_path / "graphs.svg"),
        replace(ONE, grid=Grid(preprocess=("nonsense",))),
        replace(ONE, grid=Grid(models=("gpt-x",))),
        replace(ONE, grid=Grid(prompts=("no-such-file.toml",))),
    ):
        with pytest.raises(UsageError):
            study_chunk_length([STORY], settings=offline, options=options)
    with pytest.raises(UsageError):
        study_chunk_length([], settings=offline, options=ChunkLengthOptions())
    (tmp_path / "empty.txt").write_text(" \n", "utf-8")
    with pytest.raises(UnreadableSource):
        study_chunk_length([str(tmp_path / "empty.txt")], settings=offline, options=ONE)


def test_the_command_prints_every_format(
    online: Settings, environment: Mapping[str, str], short: str, database: Database
) -> None:
    def kg(*words: str) -> str:
        model = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": str(online.openai_base_url), "KG_MODEL": "scripted"}
        words = ("study", "chunk-length", short, "--tokens", "400", "100", "--gleanings", "0", *words)
        result = CliRunner().invoke(command_line.app, list(words), env={**environment, **model})
        assert result.exit_code == 0, result.output
        return result.stdout

    table = kg()
    assert "Modularity" in table
    assert "100 / 400" in table
    lines = kg("--format", "csv").splitlines()
    assert lines[0].split(",")[:4] == ["Tokens", "Chunks", "Nodes", "Edges"]
    assert [line.split(",")[0] for line in lines[1:]] == ["400", "100"]
    found = json.loads(kg("--format", "json"))
    assert [each["tokens"] for each in found["variants"]] == [400, 100]
    assert found["ratios"][0]["nodes"] > 1
    assert found["variants"][0]["runs"][0]["cached_answers"] > 0  # the runs before
    planned = json.loads(kg("--dry-run", "--format", "json"))
    assert [each["chunks"] for each in planned] == [each["runs"][0]["chunks"] for each in found["variants"]]
    assert left(database, online.graph) == []


def test_totals_of_answers_are_nought_for_a_graph_that_is_not_there(database: Database) -> None:
    [row] = database.read(queries.get("analytics/answer_totals"), graph="no such graph", model="m")
    assert tuple(row.values()) == (0, 0, 0, 0, 0)
