"""`kg status` says what there is; `kg doctor` finds what is wrong and names the repair. Neither changes anything."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fake_llm import FakeLlm
from kg_neo4j import LoadOptions, Settings, load
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.queries import Query
from kg_neo4j.local_server import local_neo4j
from kg_runner import RunKg, environment_of

Doctor = Callable[..., tuple[int, dict[str, str | None]]]


@pytest.fixture(scope="module")
def loaded(shared: Settings, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A graph with one text and communities."""
    text = tmp_path_factory.mktemp("texts") / "a.txt"
    text.write_text("Anna Weber met Karl Braun in Vienna in 1901. Karl Braun lived in Vienna.", "utf-8")
    load([str(text)], settings=shared, options=LoadOptions())
    return shared


@pytest.fixture
def doctor(loaded: Settings, run_kg: RunKg) -> Doctor:
    """Run `kg doctor`; return the exit code, and of each problem what repairs it."""

    def run(**environment: str) -> tuple[int, dict[str, str | None]]:
        code, out, _ = run_kg(["doctor", "--json"], {**environment_of(loaded), **environment})
        return code, {each["subject"]: each["repair"] for each in json.loads(out) if not each["is_ok"]}

    return run


def cypher(text: str) -> Query:
    return Query("test", "test", "test", "write", (), (), "none", "test", text)


@contextmanager
def changed(database: Database, graph: str, change: str, undo: str) -> Iterator[None]:
    """Change the graph within the block."""
    database.write(cypher(change), graph=graph)
    try:
        yield
    finally:
        database.write(cypher(undo), graph=graph)


def test_status_says_what_the_graph_holds(loaded: Settings, run_kg: RunKg) -> None:
    code, out, _ = run_kg(["status", "--json"], environment_of(loaded))
    found = json.loads(out)
    assert code == 0
    assert found["graph"] == loaded.graph
    assert found["chunks"] == 1
    assert found["entities"] >= 3
    assert found["stored"] == {
        "graph": loaded.graph,
        "documents": 1,
        "unfinished": [],
        "unsettled": 0,
        "as_analysed": True,
    }
    code, out, _ = run_kg(["status"], environment_of(loaded))
    assert re.search(r"^chunks +1$", out, re.MULTILINE)
    assert "up to date" in out
    code, _, err = run_kg(["status", "--graph", "nothing-here"], environment_of(loaded))
    assert (code, "no graph is called 'nothing-here'" in err) == (2, True)


def test_status_and_doctor_start_no_server(tmp_path: Path, run_kg: RunKg) -> None:
    here = {"NEO4J_URI": "", "KG_HOME": str(tmp_path / "home"), "KG_DB_BOLT_PORT": "0", "KG_DB_HTTP_PORT": "0"}
    code, out, _ = run_kg(["status"], here)
    assert (code, "`kg db start`" in out) == (0, True)
    code, out, _ = run_kg(["doctor"], here)
    assert (code, "does not run" in out) == (0, True)
    with local_neo4j(Settings(home=tmp_path / "home")) as local:
        assert local.status().pid is None
    assert not (tmp_path / "home").exists()


def test_a_graph_that_is_well_has_no_problem(doctor: Doctor) -> None:
    assert doctor() == (0, {})


def test_a_document_that_is_not_finished_is_named(
    doctor: Doctor, database: Database, loaded: Settings, run_kg: RunKg
) -> None:
    with changed(
        database,
        loaded.graph,
        "MATCH (c:Chunk {graph: $graph}) SET c.done = false",
        "MATCH (c:Chunk {graph: $graph}) SET c.done = true",
    ):
        assert doctor() == (1, {"documents": "`kg status` lists them; load them again"})
        assert "load again: " in run_kg(["status"], environment_of(loaded))[1]


def test_a_count_that_is_wrong_is_named(doctor: Doctor, database: Database, loaded: Settings) -> None:
    wrong = "MATCH (n:Entity {graph: $graph, name: 'Vienna'}) SET n.evidence_count = n.evidence_count "
    with changed(database, loaded.graph, wrong + "+ 1", wrong + "- 1"):
        assert doctor() == (1, {"consistency": "`kg rebuild` makes the graph from its stored answers"})


def test_communities_of_another_graph_are_named(doctor: Doctor, database: Database, loaded: Settings) -> None:
    state = "MATCH (s:GraphState {graph: $graph}) SET s.fingerprint = "
    with changed(
        database, loaded.graph, state + "s.fingerprint + 'x'", state + "left(s.fingerprint, size(s.fingerprint) - 1)"
    ):
        assert doctor() == (1, {"communities": "`kg communities`"})


def test_an_index_that_is_missing_is_named(doctor: Doctor, database: Database, loaded: Settings, run_kg: RunKg) -> None:
    database.schema(cypher("DROP INDEX kg_chunk_text"))
    code, found = doctor()
    assert (code, list(found)) == (1, ["indexes"])
    assert "kg db indexes" in str(found["indexes"])
    assert run_kg(["db", "indexes"], environment_of(loaded))[0] == 0
    assert doctor() == (0, {})


def test_a_database_that_does_not_answer_is_named(doctor: Doctor) -> None:
    code, found = doctor(NEO4J_URI="bolt://127.0.0.1:9")
    assert (code, list(found)) == (1, ["database"])
    assert found["database"]


def test_a_model_is_looked_up_at_its_server(doctor: Doctor) -> None:
    with FakeLlm() as llm:
        at = {"OPENAI_BASE_URL": llm.url, "KG_MODEL": "tiny", "OPENAI_API_KEY": "k"}
        listed = llm.json({"object": "list", "data": [{"id": "tiny:latest"}, {"id": "other"}]})
        llm.script(listed)
        assert doctor(**at) == (0, {})
        assert llm.requests[-1].path == "/v1/models"
        assert llm.requests[-1].headers["authorization"] == "Bearer k"
        llm.script(listed)
        assert doctor(**{**at, "KG_MODEL": "large"}) == (1, {"chat model": "check KG_MODEL and KG_EMBEDDING_MODEL"})
        llm.script(listed)
        embedding = {**at, "KG_EMBEDDING_MODEL": "vectors"}
        assert "chat model" in doctor(**embedding)[1]
        assert {each.path for each in llm.requests} == {"/v1/models"}
        assert "end in /v1" in str(doctor(**at)[1]["chat model"])
        llm.fail(401)
        assert "OPENAI_API_KEY" in str(doctor(**at)[1]["chat model"])
    assert "is the server running" in str(doctor(**at)[1]["chat model"])
    assert "KG_MODEL" in str(doctor(**{**at, "KG_MODEL": ""})[1]["chat model"])


def test_the_price_of_a_model_that_is_old_or_unknown_is_no_problem_but_named(
    loaded: Settings, run_kg: RunKg, tmp_path: Path
) -> None:
    def said(model: str, **environment: str) -> dict[str, str]:
        with FakeLlm() as llm:
            llm.script(llm.json({"object": "list", "data": [{"id": model}, {"id": "vectors"}]}))
            at = {"OPENAI_BASE_URL": llm.url, "KG_MODEL": model, "KG_EMBEDDING_MODEL": "vectors", **environment}
            code, out, _ = run_kg(["doctor", "--json"], {**environment_of(loaded), **at})
        assert code == 0
        return {each["subject"]: each["message"] for each in json.loads(out)}

    (tmp_path / "prices.toml").write_text("[old]\ninput = 1\nas_of = 2024-05-06\n[vectors]\ninput = 0\n", "utf-8")
    mine = {"KG_PRICES": str(tmp_path / "prices.toml")}
    assert "its price is of 2024-05-06, over a year old" in said("old", **mine)["chat model"]
    assert "price" not in said("old", **mine)["embedding model"]
    assert "its price is not known" in said("tiny")["chat model"]
    assert "its price is not known" in said("tiny")["embedding model"]
    assert "price" not in said("tiny", KG_PRICE="1,2")["chat model"]


def test_an_embedding_model_is_looked_up_at_its_own_server(doctor: Doctor) -> None:
    with FakeLlm() as chat, FakeLlm() as vectors:
        own = {"KG_EMBEDDING_BASE_URL": vectors.url, "KG_EMBEDDING_API_KEY": "e", "KG_EMBEDDING_MODEL": "bge"}
        at = {"OPENAI_BASE_URL": chat.url, "KG_MODEL": "tiny", "OPENAI_API_KEY": "k", **own}
        for environment in (at, own):  # with a chat model, and with the built-in rules
            chat.script(chat.json({"object": "list", "data": [{"id": "tiny"}]}))
            vectors.script(vectors.json({"object": "list", "data": [{"id": "bge"}]}))
            assert doctor(**environment) == (0, {})
        assert [each.headers["authorization"] for each in vectors.requests] == ["Bearer e", "Bearer e"]
        assert [each.headers["authorization"] for each in chat.requests] == ["Bearer k"]
        vectors.script(vectors.json({"object": "list", "data": [{"id": "other"}]}))
        assert doctor(**own) == (1, {"embedding model": "check KG_MODEL and KG_EMBEDDING_MODEL"})
        assert "KG_EMBEDDING_MODEL" in str(doctor(**{**own, "KG_EMBEDDING_MODEL": ""})[1]["embedding model"])
