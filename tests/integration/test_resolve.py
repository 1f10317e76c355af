"""kg resolve on a real server: proposals, merging, files of links, the grey band put to a model, taking back."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from corpus import Fact, document, extraction, record_document, withdraw_document
from fake_llm import FakeLlm
from kg_neo4j import Settings, load
from kg_neo4j._models import tokens
from kg_neo4j.errors import ModelRefused, NoSuchGraph, UsageError
from kg_neo4j.extract import schema as schemas
from kg_neo4j.graph import canned_reports, constraints
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import LoadConfiguration
from kg_neo4j.graph.export import lines
from kg_neo4j.graph.identity import mention_key
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.recorder import Recorder
from kg_neo4j.graph.resolution.derived import derive_names, read_sources
from kg_neo4j.graph.resolution.proposals import ProposalVerdict
from kg_neo4j.graph.settler import settle
from kg_neo4j.organise import vectors
from kg_neo4j.pipeline.commands.resolve import ResolveOptions, ResolveReport, decisions, resolve, undo
from kg_neo4j.pipeline.options import LoadOptions
from kg_neo4j_offline.embedder.hashed_embedding import HashedEmbedding
from kg_runner import Kg

SCHEMA = schemas.load("described")
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
TEXT: dict[str, list[Fact]] = {
    "John Watson met Sherlock Holmes in London.": [
        ("John Watson", "MET", "Sherlock Holmes"),
        ("Sherlock Holmes", "LIVED_IN", "London::CITY"),
    ],
    "Dr. Watson liked Holmes. London is large.": [("Dr. Watson", "LIKED", "Holmes"), ("London::PLACE", "", "")],
    "Mycroft Holmes knew Irene. Irene Adler sang.": [("Mycroft Holmes", "KNEW", "Irene"), ("Irene Adler", "", "")],
    "Irene Norton left.": [("Irene Norton", "", "")],
}
Resolve = Callable[..., ResolveReport]
PRICES = '["fake"]\ninput = 1.0\noutput = 1.0\n'


def put(database: Database, graph: str, text: Mapping[str, list[Fact]] = TEXT, name: str = "holmes.txt") -> None:
    source, chunks = document(graph, name, list(text))
    with Lease(database, graph) as lease:
        record_document(database, lease, source, chunks, LoadConfiguration("c0", "described", SCHEMA.hash, "words"))
        Recorder(database, graph, SCHEMA, lease).record([plain(chunk, text[chunk.text]) for chunk in chunks])
        settle(database, graph, SCHEMA, lease)


def plain(chunk: Any, facts: list[Fact]) -> Any:
    """Return an extraction without the years that the shared one makes up."""
    made = extraction(chunk, facts)
    return replace(made, nodes=tuple(replace(row, properties={"description": row.name}) for row in made.nodes))


def dump(database: Database, graph: str) -> str:
    """Return the export without what the first embedding and analysis of a graph add."""
    kept = (line for line in lines(database, graph) if '"labels":["Community"]' not in line)
    return "\n".join(line for line in kept if '"_COMMUNITY"' not in line)


def names(database: Database, graph: str) -> set[str]:
    read = (json.loads(line) for line in lines(database, graph))
    return {each["properties"]["name"] for each in read if "Entity" in each.get("labels", ())}


@pytest.fixture
def run(settings: Settings, graph: str) -> Resolve:
    """Resolve this test's graph, offline unless settings are changed."""

    def resolve_graph(options: ResolveOptions | None = None, **changes: object) -> ResolveReport:
        return resolve(
            settings=settings.model_copy(update={"graph": graph, **changes}),
            options=options or ResolveOptions(analytics=False),
        )

    return resolve_graph


def shown(report: ResolveReport, verdict: ProposalVerdict) -> set[tuple[str, str]]:
    return {(each.left.name, each.right.name) for each in report.proposals if each.verdict is verdict}


def test_a_dry_run_says_why_and_writes_nothing(database: Database, graph: str, run: Resolve) -> None:
    put(database, graph)
    before = dump(database, graph)
    report = run(ResolveOptions(dry_run=True))
    assert shown(report, ProposalVerdict.JOIN) == {("London", "London"), ("Dr. Watson", "John Watson")}
    assert shown(report, ProposalVerdict.ASK) == {("Irene", "Irene Adler"), ("Irene", "Irene Norton")} | {
        ("Holmes", "Sherlock Holmes"),
        ("Holmes", "Mycroft Holmes"),
    }
    assert all(each.reason and 0 < each.score <= 1 for each in report.proposals)
    assert (report.decisions, report.run, report.graph.changes) == ((), 0, 0)
    assert dump(database, graph) == before


def test_merging_keeps_aliases_and_taking_it_back_gives_the_former_graph(
    database: Database, graph: str, settings: Settings, run: Resolve
) -> None:
    put(database, graph)
    run()  # what is derived stands now
    undo("1", settings=settings.model_copy(update={"graph": graph}), analytics=False)
    before = dump(database, graph)
    assert run().decisions == ()  # what was taken back is not done again by a rule
    put(database, graph, {"Dr. Watson wrote. The Strand is old.": [("The Strand::PLACE", "", "")]}, "more.txt")
    put(database, graph, {"Strand is near.": [("Strand::PLACE", "", "")]}, "most.txt")
    second = run()
    assert [each.left.name for each in second.proposals if each.verdict is ProposalVerdict.JOIN] in (
        ["Strand"],
        ["The Strand"],
    )
    assert second.run == 2
    found = next(
        each for each in map(json.loads, lines(database, graph)) if each["properties"].get("name") == "The Strand"
    )
    assert found["properties"]["aliases"] == ["Strand"]
    assert before != dump(database, graph)


def test_taking_back_a_run_restores_the_export_byte_for_byte(
    database: Database, graph: str, settings: Settings, tmp_path: Path
) -> None:
    here = settings.model_copy(update={"graph": graph})
    sources = [str(EXAMPLES / name) for name in ("alexander_von_humboldt.md", "the_lamp_at_skarnes.md")]
    load(sources, settings=here)
    before = "\n".join(lines(database, graph))
    assert resolve(settings=here).decisions == ()  # what rules are sure of is derived by the load
    people = sorted(
        each["properties"]["name"]
        for each in map(json.loads, lines(database, graph))
        if "PERSON" in each.get("labels", ())
    )
    links = tmp_path / "links.csv"
    links.write_text(f"name_1,type_1,name_2,type_2\n{people[0]},PERSON,{people[1]},PERSON\n", "utf-8")
    report = resolve(settings=here, options=ResolveOptions(must_link=links))
    assert report.nodes_before - report.graph.nodes == len(report.decisions) == 1
    merged = "\n".join(lines(database, graph))
    assert resolve(settings=here).graph.changes == 0
    assert "\n".join(lines(database, graph)) == merged
    undo("1", settings=here)
    assert "\n".join(lines(database, graph)) == before
    assert load(sources, settings=here).changes == 0


def test_a_decision_that_is_not_there_is_refused(
    database: Database, graph: str, settings: Settings, run: Resolve
) -> None:
    put(database, graph)
    here = settings.model_copy(update={"graph": graph})
    for name in ("1", "abcdef12", "x"):
        with pytest.raises(UsageError, match="no decision or run"):
            undo(name, settings=here)
    run()
    for each in decisions(settings=here):
        undo(each.decision.id, settings=here, analytics=False)
    with pytest.raises(UsageError, match="no decision or run"):
        undo("1", settings=here)


def test_a_graph_without_documents_is_refused(run: Resolve) -> None:
    with pytest.raises(NoSuchGraph):
        run()


def test_files_of_links_win_over_rules(database: Database, graph: str, tmp_path: Path, run: Resolve) -> None:
    put(database, graph)
    header = "name_1,type_1,name_2,type_2\n"
    (tmp_path / "must.csv").write_text(f"{header}Holmes,,Sherlock Holmes,PERSON\nNobody,,Holmes,\n")
    (tmp_path / "cannot.csv").write_text(f"{header}Dr. Watson,,John Watson,\n")
    options = ResolveOptions(must_link=tmp_path / "must.csv", cannot_link=tmp_path / "cannot.csv", analytics=False)
    report = run(options)
    assert report.unknown == ("must.csv, line 3: Nobody",)
    assert ("Holmes", "Sherlock Holmes") in shown(report, ProposalVerdict.JOIN)
    found = names(database, graph)
    assert {"Dr. Watson", "John Watson", "Sherlock Holmes", "Mycroft Holmes"} <= found
    assert "Holmes" not in found
    assert run(options).decisions == ()


def test_a_link_of_a_file_takes_the_place_of_a_rule_that_joined(
    database: Database, graph: str, tmp_path: Path, run: Resolve
) -> None:
    put(database, graph)
    run()
    assert "Dr. Watson" not in names(database, graph) or "John Watson" not in names(database, graph)
    (tmp_path / "cannot.csv").write_text("name_1,type_1,name_2,type_2\nDr. Watson,PERSON,John Watson,PERSON\n")
    report = run(ResolveOptions(cannot_link=tmp_path / "cannot.csv", analytics=False))
    assert {each.decision.rule for each in report.skipped} == {"surname"}
    assert {"Dr. Watson", "John Watson"} <= names(database, graph)


def test_the_grey_band_is_put_to_the_model_and_its_answers_are_kept(
    database: Database, graph: str, settings: Settings, run: Resolve
) -> None:
    put(database, graph)
    with FakeLlm() as llm:
        asked = [each for each in run(ResolveOptions(dry_run=True)).proposals if each.verdict is ProposalVerdict.ASK]
        assert llm.calls == 0
        rows = [
            f"{number},{'yes' if 'Adler' in each.right.name else 'no' if 'Norton' in each.right.name else 'unsure'},why"
            for number, each in enumerate(asked, 1)
        ]
        llm.say("pair,same,reason\n" + "\n".join(rows) + "\n99,yes,none such\n")
        model = {"openai_base_url": llm.url, "model": "fake"}
        report = run(**model)
        assert llm.calls == 1
        assert "John Watson" not in llm.requests[0].user  # rules were sure of him
        assert "Irene Adler, PERSON" in llm.requests[0].user
        assert shown(report, ProposalVerdict.ASK) == {("Holmes", "Sherlock Holmes"), ("Holmes", "Mycroft Holmes")}
        assert shown(report, ProposalVerdict.APART) == {("Irene", "Irene Norton")}
        assert {each.decision.reason for each in report.decisions if each.decision.rule == "model"} == {"fake: why"}
        assert report.graph.usage.calls == 1
        assert any("1 rows of the model's answers" in note for note in report.graph.notes)
        llm.say("no CSV at all")
        again = run(**model)
        assert llm.requests[1].user.count("\npair ") + llm.requests[1].user.count("\npair 1") >= 1
        assert "Irene" not in llm.requests[1].user  # decided: not paid for again
        assert again.decisions == ()
    assert {"Irene Adler", "Irene Norton"} <= names(database, graph)
    assert "Irene" not in names(database, graph)


def test_a_model_that_does_not_answer_leaves_the_grey_band_open(database: Database, graph: str, run: Resolve) -> None:
    put(database, graph)
    with FakeLlm() as llm:
        llm.fail(400, code="content_filter", message="filtered")
        report = run(openai_base_url=llm.url, model="fake")
    assert len(report.decisions) == 2
    assert any("stay open" in note for note in report.graph.notes)


def test_answers_about_the_grey_band_are_paid_for_once(
    database: Database, graph: str, run: Resolve, tmp_path: Path
) -> None:
    put(database, graph)
    with FakeLlm() as llm:
        asked = [each for each in run(ResolveOptions(dry_run=True)).proposals if each.verdict is ProposalVerdict.ASK]
        rows = [f"{number},unsure,why" for number in range(1, len(asked) + 1)]
        for _ in range(2):
            llm.say("pair,same,reason\n" + "\n".join(rows))
        model = {"openai_base_url": llm.url, "model": "fake", "answer_cache": True, "cache": tmp_path / "cache"}
        first, again = run(**model), run(**model)
        assert (first.graph.usage.calls, again.graph.usage.calls, llm.calls) == (1, 0, 1)
        assert shown(again, ProposalVerdict.ASK) == shown(first, ProposalVerdict.ASK)


def test_an_answer_with_a_bad_row_is_asked_for_again(
    database: Database, graph: str, run: Resolve, tmp_path: Path
) -> None:
    put(database, graph)
    with FakeLlm() as llm:
        for _ in range(2):
            llm.say("pair,same,reason\n1,unsure,why\n99,yes,none such\n")
        model = {"openai_base_url": llm.url, "model": "fake", "answer_cache": True, "cache": tmp_path / "cache"}
        run(**model), run(**model)
        assert llm.calls == 2


def test_what_the_budget_does_not_cover_stays_open(
    database: Database, graph: str, run: Resolve, tmp_path: Path
) -> None:
    put(database, graph)
    (tmp_path / "prices.toml").write_text(PRICES, "utf-8")
    with FakeLlm() as llm:
        model = {"openai_base_url": llm.url, "model": "fake", "prices": tmp_path / "prices.toml"}
        report = run(ResolveOptions(analytics=False, budget_usd=1e-6), **model)
        assert llm.calls == 0
    assert any("stay open" in note and "budget" in note for note in report.graph.notes)
    assert len(report.decisions) == 2  # of rules


def test_a_model_that_refuses_the_key_stops_before_anything_is_written(
    database: Database, graph: str, run: Resolve
) -> None:
    put(database, graph)
    before = dump(database, graph)
    with FakeLlm() as llm:
        llm.fail(401)
        with pytest.raises(ModelRefused):
            run(openai_base_url=llm.url, model="fake")
    assert dump(database, graph) == before


OASES = ("Yathrib, the green oasis in the desert", "Yathrib, a green oasis in the desert")


def test_neighbours_by_meaning_are_of_one_graph_and_near(database: Database, graph: str) -> None:
    other = f"{graph}-other"
    near: dict[str, list[Fact]] = {"One.": [(f"{name}::PLACE", "", "") for name in OASES]}
    far: dict[str, list[Fact]] = {"Two.": [("Quantum chromodynamics::FIELD", "", "")]}
    embedder = HashedEmbedding()
    vectors.prepare(database, embedder)
    try:
        for name in (graph, other):
            put(database, name, near)
            put(database, name, far, "far.txt")
            vectors.embed(database, name, embedder, tokens.load())
        index = constraints.vector_index_name("Entity", embedder)
        found = read_sources(database, graph, index).neighbours
        keys = sorted(mention_key(graph, name, "PLACE") for name in OASES)
        assert {key: [each for each, _ in near] for key, near in found.items()} == {keys[0]: [keys[1]]}
        assert read_sources(database, graph).neighbours == {}
    finally:
        delete_graph(database, other)


BUSHES = {
    "father.txt": ("George Bush", 1924, [("George Bush", "BORN_IN", "Milton::CITY"), ("George Bush", "MET", "Ford")]),
    "son.txt": ("George Bush", 1946, [("George Bush", "BORN_IN", "New Haven::CITY"), ("George Bush", "MET", "Ford")]),
    "son too.txt": ("George Bush", 1946, [("George Bush", "MARRIED_TO", "Laura Bush"), ("Ford", "MET", "George Bush")]),
    "father too.txt": ("George Bush", 1924, [("George Bush", "MARRIED_TO", "Barbara Bush")]),
    "undated.txt": ("George Bush", None, [("George Bush", "LIKED", "Texas::STATE")]),
}


def put_bushes(database: Database, graph: str, sources: Sequence[str] = tuple(BUSHES)) -> None:
    for name in sources:
        who, born, facts = BUSHES[name]
        source, chunks = document(graph, name, [f"{name}: a life of {who}."])
        with Lease(database, graph) as lease:
            record_document(database, lease, source, chunks, LoadConfiguration("c0", "described", SCHEMA.hash, "words"))
            made = plain(chunks[0], facts)
            dated = {"birth_year": born} if born else {}
            nodes = tuple(replace(row, properties=dated if row.name == who else {}) for row in made.nodes)
            Recorder(database, graph, SCHEMA, lease).record([replace(made, nodes=nodes)])
            settle(database, graph, SCHEMA, lease)
            derive_names(database, graph, lease)


def relationships(database: Database, graph: str) -> set[tuple[str, int | None, str, str]]:
    """Source and its year of birth, type, target and, of namesakes, its year."""
    read = [json.loads(line) for line in lines(database, graph)]
    found = {each["properties"]["id"]: each["properties"] for each in read if "Entity" in each.get("labels", ())}
    return {
        (found[each["start"]]["name"], found[each["start"]].get("birth_year"), each["type"], found[each["end"]]["name"])
        for each in read
        if each["kind"] == "relationship" and each["start"] in found and each["end"] in found
    }


def test_a_load_parts_two_bearers_of_one_name_by_years_and_that_is_undone(
    database: Database, graph: str, settings: Settings, run: Resolve
) -> None:
    here = settings.model_copy(update={"graph": graph})
    put_bushes(database, graph)
    parted = [each for each in decisions(settings=here) if each.decision.document]
    assert [each.derived for each in parted] == [True, True]
    apart = relationships(database, graph)
    assert ("George Bush", 1924, "BORN_IN", "Milton") in apart
    assert ("George Bush", 1924, "MARRIED_TO", "Barbara Bush") in apart
    assert ("George Bush", 1924, "LIKED", "Texas") in apart  # who is not told stays with the name
    assert ("George Bush", 1946, "BORN_IN", "New Haven") in apart
    assert ("George Bush", 1946, "MARRIED_TO", "Laura Bush") in apart  # two documents, one son
    assert {("George Bush", 1924, "MET", "Ford"), ("George Bush", 1946, "MET", "Ford")} <= apart
    checks = canned_reports.run(database, "checks", graph=graph, parameters={}).rows
    assert {row[0] for row in checks if row[1]} <= {
        "entities without a community",
        "rows of evidence whose quote is not in the text",
    }
    told = dump(database, graph)
    assert run().decisions == ()
    assert dump(database, graph) == told
    for each in parted:
        undo(each.decision.id, settings=here, analytics=False)
    mixed = {row[1] for row in relationships(database, graph) if row[0] == "George Bush"}
    assert mixed == {1924}  # one node
    assert run().decisions == ()  # what was taken back is not done again
    delete_graph(database, graph)
    put_bushes(database, graph, tuple(BUSHES)[::-1])
    assert dump(database, graph) == told


@pytest.mark.parametrize("first", [0, 2, 4])
def test_loading_gives_each_document_the_bearer_that_it_means(
    database: Database, graph: str, run: Resolve, first: int
) -> None:
    put_bushes(database, graph)
    told = dump(database, graph)
    order = [*list(BUSHES)[first:], *list(BUSHES)[:first]]
    with Lease(database, graph) as lease:
        for name in order[:3]:
            source, _ = document(graph, name, [f"{name}: a life of George Bush."])
            withdraw_document(database, lease, graph, source.id)
            settle(database, graph, SCHEMA, lease)
            derive_names(database, graph, lease)
    put_bushes(database, graph, order)
    assert dump(database, graph) == told


def without_decisions(text: str) -> list[str]:
    return [line for line in text.splitlines() if '"labels":["Decision"]' not in line]


def test_documents_of_another_graph_are_never_touched(database: Database, graph: str, run: Resolve) -> None:
    other = f"{graph}-other"
    try:
        put(database, other)
        put(database, graph)
        before = dump(database, other)
        run()
        assert dump(database, other) == before
    finally:
        delete_graph(database, other)


@pytest.mark.long
def test_namesakes_of_a_loaded_text_stay_apart(
    database: Database, graph: str, settings: Settings, shared_data: Path
) -> None:
    here = settings.model_copy(update={"graph": graph})
    texts = [str(shared_data / "wikipedia" / f"kirito_{name}.txt") for name in ("Muhammad", "MarieCurie")]
    load(texts, settings=here, options=LoadOptions(analytics=False))
    joined = {frozenset((each.left, each.right)) for each in decisions(settings=here) if each.derived}
    pairs = (("Ali", "Ali ibn Abi Talib"), ("Tabari", "Al-Tabari"))
    assert {frozenset(f"{name} (PERSON)" for name in pair) for pair in pairs} <= joined
    found = names(database, graph)
    assert {"Marie Curie", "Pierre Curie", "Irène Joliot-Curie", "Muhammad"} <= found


def test_the_command_line_resolves_lists_and_takes_back(database: Database, graph: str, tmp_path: Path, kg: Kg) -> None:
    put(database, graph)
    code, out, _ = kg("resolve", "--dry-run", "--json")
    planned = json.loads(out)
    assert (code, planned["dry_run"], planned["run"], planned["changes"]) == (0, True, 0, 0)
    assert {each["verdict"] for each in planned["proposals"]} == {"join", "ask"}
    code, out, _ = kg("resolve", "--no-analytics")
    assert code == 0
    assert "2 join, 0 split, 0 apart, 4 ask" in out
    assert "2 stored as run 1" in out
    code, out, _ = kg("resolve", "--list", "--json")
    listed = json.loads(out)
    assert [each["kind"] for each in listed] == ["same", "same"]
    code, out, _ = kg("resolve", "--undo", listed[0]["id"][:10], "--json", "--no-analytics")
    assert (code, json.loads(out)["decisions"][0]["revoked"]) == (0, True)
    code, out, _ = kg("resolve", "--list")
    assert "taken back" in out
    (tmp_path / "must.csv").write_text("name_1,type_1,name_2,type_2\nNobody,,Holmes,\n")
    code, out, err = kg("resolve", "--must-link", str(tmp_path / "must.csv"), "--no-analytics")
    assert (code, "must.csv, line 2: Nobody" in err) == (3, True)
    assert kg("resolve", "--undo", "99")[0] == 2
    assert kg("resolve", "--undo", "1", "--dry-run")[0] == 2
    assert kg("resolve", "--must-link", str(tmp_path / "none.csv"))[0] == 2
