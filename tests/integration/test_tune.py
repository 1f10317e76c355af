"""kg tune: what it proposes, and that `kg load --schema` takes it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from typer.testing import CliRunner

import fake_llm
from fake_llm import FakeLlm
from kg_neo4j import LoadOptions, Settings, load
from kg_neo4j._cli import app as command_line
from kg_neo4j.errors import BadModelAnswer, BudgetReached, UnreadableSource, UsageError
from kg_neo4j.extract import schema as schemas
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.queries import Query
from kg_neo4j.organise.tree.aspects import fingerprint, load_aspects
from kg_neo4j.pipeline.commands.tune import EXAMPLE_TOKENS, TuneOptions, plan_tune, tune, write_schema

ASPECTS = {
    "aspects": [
        {"name": name, "title": f"the {name}", "question": f"What of the {name}?", "cues": [name, "Rivers*"]}
        for name in ("route", "plants", "companions", "letters")
    ]
}
ARTICLE = Path(__file__).resolve().parents[2] / "examples" / "alexander_von_humboldt.md"
TYPES = {"entity_types": ["PERSON", "ENTITY_NAME", "PLACE"], "relationship_types": ["RELATED_TO", "LIVES_IN"]}
FOUND = Query(
    *("test/types", "", "", "read", (), (), "", ""),
    "MATCH (e:Entity {graph: $graph}) RETURN collect(DISTINCT e.type) AS types, count(*) AS entities",
)


def proposing(*answers: str) -> Callable[[str, str], str]:
    """Return rules that answer the question for types with `answers` in turn, and extract otherwise."""
    waiting = list(answers)
    return lambda prompt, user: waiting.pop(0) if "\nPropose the " in user else fake_llm.answer(prompt, user)


def unnumbered(prompt: str) -> str:
    """Return a prompt in one line, without the numbers that stand before its sentences."""
    return " ".join(re.sub(r"^\d+ ", "", prompt, flags=re.MULTILINE).split())


@pytest.fixture
def text(tmp_path: Path) -> str:
    (tmp_path / "text.md").write_text(ARTICLE.read_text("utf-8")[:2500], "utf-8")
    return str(tmp_path / "text.md")


def types_of(database: Database, graph: str) -> tuple[set[str], int]:
    [row] = database.read(FOUND, graph=graph)
    return set(row["types"]), row["entities"]


def test_without_a_model_the_rules_propose_and_the_file_loads(
    offline: Settings, database: Database, text: str, tmp_path: Path
) -> None:
    tuned = tune([text], settings=offline, options=TuneOptions(name="humboldt"))
    assert (tuned.method, tuned.model, tuned.usage.calls) == ("rules", "offline-1", 0)
    assert tuned.text.startswith("# Proposed by the built-in rules, most frequent first")
    assert {"PERSON", "PLACE"} <= set(tuned.node_types)
    assert tuned.relationship_types
    target = tmp_path / "humboldt.toml"
    write_schema(tuned, target)
    schema = schemas.load(str(target))
    assert (schema.name, [name for name, _ in schema.preferred_node_types]) == ("humboldt", [*tuned.node_types])
    assert schema.example_text == tuned.example_text
    assert schema.example_text in " ".join(Path(text).read_text("utf-8").split())
    report = load([text], settings=offline, options=LoadOptions(schema=str(target), analytics=False))
    assert report.rows.accepted > 10
    types, entities = types_of(database, offline.graph)
    assert types <= set(tuned.node_types)
    assert entities == report.nodes
    assert tune([text], settings=offline, options=TuneOptions(name="humboldt")) == tuned


def test_a_model_is_asked_for_types_and_for_the_rows_of_a_passage(
    online: Settings, llm: FakeLlm, database: Database, text: str, tmp_path: Path
) -> None:
    llm.rules = proposing(json.dumps(TYPES))
    tuned = tune([text], settings=online, options=TuneOptions(domain="19th-century science"))
    assert (tuned.method, tuned.model, tuned.usage.calls) == ("model", "scripted", 2)
    assert tuned.node_types == ("PERSON", "ENTITY_NAME", "PLACE")
    assert "19th-century science" in llm.requests[0].prompt
    assert re.search(r"Preferred types of nodes.*\nPERSON \(.*\); ENTITY_NAME; PLACE \(", llm.requests[1].prompt)
    assert tuned.example_text in unnumbered(llm.requests[1].user)
    target = tmp_path / "tuned.toml"
    write_schema(tuned, target)
    load([text], settings=online, options=LoadOptions(schema=str(target), analytics=False, gleanings=0))
    assert tuned.example_text in unnumbered(llm.requests[-1].prompt)
    assert "Humboldt" in schemas.load(str(target)).example_answer
    types, entities = types_of(database, online.graph)
    assert types <= set(tuned.node_types)
    assert entities


@pytest.mark.parametrize(
    "bad",
    [
        "I cannot help with that.",
        "",
        '{"entity_types": "PERSON"}',
        json.dumps({**TYPES, "entity_types": ["A`) DELETE", "PERSON"]}),
    ],
    ids=["words", "nothing", "no lists", "an injection"],
)
def test_a_bad_answer_is_asked_for_once_more_with_the_reasons(
    online: Settings, llm: FakeLlm, text: str, bad: str
) -> None:
    llm.rules = proposing(bad or "(none)", json.dumps(TYPES))
    tuned = tune([text], settings=online)
    assert tuned.node_types == ("PERSON", "ENTITY_NAME", "PLACE")
    assert "could not be used as it is" in llm.requests[1].user
    assert tuned.usage.calls == 3


def test_two_bad_answers_leave_what_is_good_or_nothing(online: Settings, llm: FakeLlm, text: str) -> None:
    half = json.dumps({**TYPES, "entity_types": ["PERSON", "ENTITY NAME", "A`) DELETE"]})
    llm.rules = proposing(half, half)
    tuned = tune([text], settings=online)
    assert tuned.node_types == ("PERSON", "ENTITY_NAME")
    assert "A`) DELETE" in tuned.notes[-1]
    llm.rules = proposing("no", "no")
    with pytest.raises(BadModelAnswer, match="proposed no types"):
        tune([text], settings=online)


def test_a_passage_without_relationships_is_passed_over(online: Settings, llm: FakeLlm, text: str) -> None:
    def silent(prompt: str, user: str) -> str:
        answer = proposing(json.dumps(TYPES))(prompt, user)
        return answer.split("\n\n")[0] + "\n\n" if "===== begin" in user and "Propose" not in user else answer

    llm.rules = silent
    tuned = tune([text], settings=online)
    assert tuned.example_text == schemas.load("lean").example_text
    assert "the one that ships" in tuned.notes[-1]
    assert tuned.usage.calls >= 4


def test_an_answer_that_was_paid_for_is_not_paid_for_again(
    online: Settings, llm: FakeLlm, text: str, tmp_path: Path
) -> None:
    llm.rules = proposing(json.dumps(TYPES))
    cached = online.model_copy(update={"answer_cache": True, "cache": tmp_path / "cache"})
    first = tune([text], settings=cached)
    asked = llm.calls
    tune([text], settings=cached)
    assert (first.usage.calls, asked, llm.calls) == (2, 2, 2)


def test_the_plan_asks_nobody_and_the_budget_holds(online: Settings, llm: FakeLlm, text: str, tmp_path: Path) -> None:
    (tmp_path / "prices.toml").write_text('["scripted"]\ninput = 1\noutput = 4\n', "utf-8")
    priced = online.model_copy(update={"prices": tmp_path / "prices.toml"})
    llm.counts, llm.rules = True, proposing(json.dumps(TYPES))
    planned = plan_tune([text], settings=priced)
    assert llm.calls == 0
    used = tune([text], settings=priced).usage
    assert planned.usage.calls == used.calls == 2
    assert planned.usage.input_tokens == pytest.approx(used.input_tokens, rel=0.15)
    assert planned.usage.usd
    with pytest.raises(BudgetReached):
        tune([text], settings=priced, options=TuneOptions(budget_usd=1e-6))


def test_no_key_no_plan_to_pay(offline: Settings, text: str) -> None:
    planned = plan_tune([text], settings=offline, options=TuneOptions(chunks=2))
    assert (planned.model, planned.usage.calls, planned.usage.usd, planned.sampled) == (None, 0, 0.0, 2)
    assert planned.chunks > 2


def test_the_columns_are_those_of_the_schema_named(offline: Settings, text: str) -> None:
    tuned = tune([text], settings=offline, options=TuneOptions(schema="wikipedia", chunks=2))
    schema = schemas.parse(tuned.text, "here")
    assert schema.nodes == schemas.load("wikipedia").nodes
    assert schema.node_header == tuple(schema.example_answer.splitlines()[0].split(","))


def test_the_example_is_short(offline: Settings, text: str) -> None:
    from kg_neo4j._models import tokens

    tuned = tune([text], settings=offline, options=TuneOptions(chunks=2))
    assert 10 < tokens.load().count(tuned.example_text) <= EXAMPLE_TOKENS


def test_what_cannot_be_meant_is_said(offline: Settings, text: str, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text(" ", "utf-8")
    with pytest.raises(UnreadableSource):
        tune([str(tmp_path / "empty.txt")], settings=offline)
    with pytest.raises(UsageError):
        tune([text], settings=offline, options=TuneOptions(chunks=0))
    with pytest.raises(UsageError, match="cannot write"):
        write_schema(tune([text], settings=offline, options=TuneOptions(chunks=1)), tmp_path / "no folder" / "x.toml")


def test_where_no_relationship_is_found_any_type_is_allowed(offline: Settings, tmp_path: Path) -> None:
    """A list closed over the few types that were found would refuse those of the example that ships."""
    (tmp_path / "few.txt").write_text("Anna Kowalska slept. It rained in Berlin.", "utf-8")
    tuned = tune([str(tmp_path / "few.txt")], settings=offline)
    assert schemas.parse(tuned.text, "here").node_types == tuned.node_types == tuned.relationship_types == ()
    assert tuned.example_text == schemas.load("lean").example_text
    assert "any are allowed" in tuned.notes[0]


def test_the_command_writes_a_file_and_never_over_another_one(
    environment: Mapping[str, str], text: str, tmp_path: Path
) -> None:
    def kg(*words: str) -> tuple[int, str]:
        given = {**environment, "OPENAI_API_KEY": "", "OPENAI_BASE_URL": ""}
        result = CliRunner().invoke(command_line.app, ["tune", text, *words], env=given)
        return result.exit_code, result.stdout

    target = tmp_path / "mine.toml"
    assert json.loads(kg("--to", str(target), "--dry-run", "--json")[1])["calls"] == 0
    assert not target.exists()
    code, out = kg("--to", str(target), "--chunks", "2", "--json")
    assert code == 0
    assert json.loads(out)["entity_types"] == [name for name, _ in schemas.load(str(target)).preferred_node_types]
    written = target.read_bytes()
    assert kg("--to", str(target))[0] != 0
    assert kg("--to", str(tmp_path / "no folder" / "x.toml"))[0] != 0
    assert target.read_bytes() == written
    assert kg("--to", str(target), "--chunks", "1", "--force")[0] == 0


def test_without_a_model_the_set_that_fits_is_written(offline: Settings, text: str, tmp_path: Path) -> None:
    tuned = tune([text], aspects=True, settings=offline)
    assert (tuned.method, tuned.chosen, tuned.usage.calls, tuned.notes) == ("cues", "biography", 0, ())
    assert next(iter(tuned.fits)) == "biography"
    write_schema(tuned, tmp_path / "mine.toml")
    assert load_aspects(tmp_path / "mine.toml") == tuned.aspects == load_aspects("biography")
    assert fingerprint(load_aspects(tmp_path / "mine.toml")) == fingerprint(load_aspects("biography"))
    assert tuned.text.startswith("# Proposed by the built-in cues: of the sets that ship, biography fits ")
    (tmp_path / "short.txt").write_text("It rained.", "utf-8")
    assert "the choice is not sure" in tune([str(tmp_path / "short.txt")], aspects=True, settings=offline).notes[-1]


def test_a_model_proposes_aspects_that_a_tree_takes(online: Settings, llm: FakeLlm, text: str, tmp_path: Path) -> None:
    llm.rules = proposing(json.dumps(ASPECTS))
    planned = plan_tune([text], settings=online, aspects=True)
    assert llm.calls == 0
    tuned = tune([text], aspects=True, settings=online, options=TuneOptions(domain="a journey"))
    assert (tuned.method, tuned.model, tuned.usage.calls, tuned.notes) == ("model", "scripted", 1, ())
    assert "they are about a journey" in llm.requests[0].prompt
    assert planned.usage.calls == 1
    write_schema(tuned, tmp_path / "mine.toml")
    found = load_aspects(tmp_path / "mine.toml")
    assert [aspect.name for aspect in found] == ["route", "plants", "companions", "letters"]
    assert found[0].cues == ("route", "rivers*")


def test_a_bad_proposal_of_aspects_is_asked_for_once_more(online: Settings, llm: FakeLlm, text: str) -> None:
    llm.rules = proposing("I would say: the route.", json.dumps(ASPECTS))
    assert tune([text], aspects=True, settings=online).usage.calls == 2
    assert "not one JSON object with a list of aspects" in llm.requests[1].user
    five = {"aspects": [*ASPECTS["aspects"], {"name": "none"}]}
    llm.rules = proposing(json.dumps(five), json.dumps(five))
    tuned = tune([text], aspects=True, settings=online)
    assert len(tuned.aspects) == 4
    assert "'none'" in tuned.notes[-1]
    llm.rules = proposing("no", "no")
    with pytest.raises(BadModelAnswer, match="proposed no aspects"):
        tune([text], aspects=True, settings=online)


def test_the_command_writes_aspects(environment: Mapping[str, str], text: str, tmp_path: Path) -> None:
    given = {**environment, "OPENAI_API_KEY": "", "OPENAI_BASE_URL": ""}
    words = ["tune", text, "--aspects", "--to", str(tmp_path / "mine.toml")]
    assert CliRunner().invoke(command_line.app, [*words, "--schema", "wikipedia"], env=given).exit_code != 0
    shown = CliRunner().invoke(command_line.app, words, env=given)
    assert shown.exit_code == 0, shown.output
    assert "biography" in shown.stdout
    assert load_aspects(tmp_path / "mine.toml") == load_aspects("biography")
    told = json.loads(CliRunner().invoke(command_line.app, [*words, "--force", "--json"], env=given).stdout)
    assert (told["set"], told["calls"], told["aspects"][0]["name"]) == ("biography", 0, "life")
