"""One name within a family of types is one node with all its types; two lives of one name are two. In any order."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from corpus import Fact, document, extraction, record_document, withdraw_document
from entity_graph import SCHEMA
from fake_llm import FakeLlm
from kg_neo4j.errors import UsageError
from kg_neo4j.extract import schema as schemas
from kg_neo4j.extract.context import ChunkTask
from kg_neo4j.extract.interface import FollowUp
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import LoadConfiguration
from kg_neo4j.graph.export import lines
from kg_neo4j.graph.identity import mention_key
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.recorder import Recorder
from kg_neo4j.graph.resolution.derived import derive_names
from kg_neo4j.graph.resolution.proposals import ProposalVerdict
from kg_neo4j.graph.settler import settle
from kg_neo4j.pipeline.commands.load import load
from kg_neo4j.pipeline.commands.resolve import ResolveOptions, decide_pair, resolve, undo
from kg_neo4j.pipeline.options import LoadOptions
from kg_neo4j.records import ModelAnswer
from kg_neo4j.rooms.namesakes.splitting import split_name
from kg_neo4j.settings import Settings

TEXTS: Mapping[str, Sequence[Fact]] = {
    "tribe.txt": [("Quraysh::TRIBE", "RULED", "Mecca::CITY"), ("Quraysh::TRIBE", "OPPOSED", "Hamza")],
    "clan.txt": [("Quraysh::TRIBE", "MET", "Hamza")],
    "organization.txt": [("Quraysh::ORGANIZATION", "LED", "Mecca::PLACE")],
    "other.txt": [("Quraysh::OTHER", "KNEW", "Jordan::OTHER")],
    "river.txt": [("Jordan::RIVER", "", ""), ("Jordan::PERSON", "", "")],
}
LEAN = schemas.load("lean")
LIVES = {"old.txt": 1810, "new.txt": 1954, "again.txt": 1954}


def put(
    database: Database,
    graph: str,
    texts: Mapping[str, Sequence[Fact]],
    born: Mapping[str, int] = {},
    values: Mapping[str, Mapping[str, str]] = {},
) -> None:
    """Load texts one after the other, with the years of birth that each gives its people, and the values of names."""
    for name, facts in texts.items():
        with Lease(database, graph) as lease:
            source, (chunk,) = document(graph, name, [f"{name}: {facts}"])
            record_document(
                database, lease, source, [chunk], LoadConfiguration("c0", "described", SCHEMA.hash, "words")
            )
            made = extraction(chunk, list(facts))
            years = {"birth_year": born[name]} if name in born else {}
            nodes = tuple(
                replace(row, properties=values.get(row.name) or (years if row.type == "PERSON" else {}))
                for row in made.nodes
            )
            Recorder(database, graph, SCHEMA, lease).record([replace(made, nodes=nodes)])
            settle(database, graph, SCHEMA, lease)
            derive_names(database, graph, lease)


def entities(database: Database, graph: str) -> list[dict[str, Any]]:
    read = (json.loads(line) for line in lines(database, graph))
    found = [each for each in read if "Entity" in each.get("labels", ())]
    return sorted(found, key=lambda each: (each["properties"]["name"], each["properties"]["type"]))


def test_one_name_in_one_family_is_one_node_with_all_its_types(database: Database, graph: str) -> None:
    put(database, graph, TEXTS)
    by_name = {each["properties"]["name"]: each for each in entities(database, graph)}
    quraysh = by_name["Quraysh"]
    assert (quraysh["properties"]["type"], quraysh["properties"]["types"]) == (
        "TRIBE",
        ["TRIBE", "ORGANIZATION", "OTHER"],
    )
    assert quraysh["labels"] == ["Entity", "ORGANIZATION", "OTHER", "TRIBE"]
    assert by_name["Mecca"]["labels"] == ["CITY", "Entity", "PLACE"]
    jordans = [
        each["properties"]["type"] for each in entities(database, graph) if each["properties"]["name"] == "Jordan"
    ]
    assert jordans == ["OTHER", "PERSON", "RIVER"]  # it could be either


def test_labels_go_with_their_evidence(database: Database, graph: str) -> None:
    put(database, graph, {name: TEXTS[name] for name in ("organization.txt", "tribe.txt")})
    with Lease(database, graph) as lease:
        withdraw_document(database, lease, graph, document(graph, "organization.txt", ["x"])[0].id)
        settle(database, graph, SCHEMA, lease)
        derive_names(database, graph, lease)
    (quraysh,) = (each for each in entities(database, graph) if each["properties"]["name"] == "Quraysh")
    assert quraysh["labels"] == ["Entity", "TRIBE"]
    assert "types" not in quraysh["properties"]


@pytest.mark.parametrize("texts", [TEXTS, {name: [("Ann Lee", "LIVED_IN", f"{name}::PLACE")] for name in LIVES}])
def test_every_order_of_loading_gives_one_graph(
    database: Database, graph: str, texts: Mapping[str, Sequence[Fact]]
) -> None:
    found = set()
    for order in itertools.islice(itertools.permutations(texts), 0, 24, 5):
        put(database, graph, {name: texts[name] for name in order}, LIVES)
        found.add("\n".join(lines(database, graph)))
        delete_graph(database, graph)
    assert len(found) == 1


def test_two_lives_of_one_name_are_two_nodes(database: Database, graph: str) -> None:
    texts: dict[str, Sequence[Fact]] = {name: [("Ann Lee", "LIVED_IN", f"{name}::PLACE")] for name in LIVES}
    put(database, graph, texts, LIVES)
    people = [each["properties"] for each in entities(database, graph) if each["properties"]["name"] == "Ann Lee"]
    assert sorted((each["birth_year"], each["evidence_count"]) for each in people) == [(1810, 1), (1954, 2)]
    with Lease(database, graph) as lease:
        assert derive_names(database, graph, lease).changes == 0
        withdraw_document(database, lease, graph, document(graph, "old.txt", ["x"])[0].id)
        settle(database, graph, SCHEMA, lease)
        derive_names(database, graph, lease)
    (left,) = (each["properties"] for each in entities(database, graph) if each["properties"]["name"] == "Ann Lee")
    assert (left["birth_year"], left["evidence_count"]) == (1954, 2)


def test_a_name_is_parted_by_hand_and_later_loads_keep_it(database: Database, graph: str, settings: Settings) -> None:
    here = settings.model_copy(update={"graph": graph})
    texts: Mapping[str, Sequence[Fact]] = {
        "mine.txt": [("Ann Reed", "LED", "Pit::ORGANIZATION")],
        "stage.txt": [("Ann Reed", "SANG_IN", "Opera::WORK"), ("Ann Reed::WRITER", "", "")],
        "tour.txt": [("Ann Reed::WRITER", "VISITED", "Oslo::PLACE")],
        "other.txt": [("Tom Hale", "KNEW", "Oslo::PLACE")],
    }
    put(database, graph, texts)
    before = graph_of(database, graph)
    everybody = ["mine.txt", "stage.txt", "tour.txt"]
    for named in ([], ["other.txt"], everybody):
        with pytest.raises(UsageError, match="which documents mean the other") as refused:
            split_name("ann reed", named, settings=here)
        assert all(each in str(refused.value.hint) for each in everybody)
    with pytest.raises(UsageError, match="no entities"):
        split_name("Nobody", ["mine.txt"], settings=here)
    report = split_name("ann reed", everybody[1:], settings=here, analytics=False)
    split = graph_of(database, graph)
    people = [each["properties"] for each in entities(database, graph) if each["properties"]["name"] == "Ann Reed"]
    assert [(each["evidence_count"], each.get("types")) for each in people] == [(1, None), (3, ["WRITER", "PERSON"])]
    with Lease(database, graph) as lease:
        assert derive_names(database, graph, lease).changes == 0  # no rule joins them again
        withdraw_document(database, lease, graph, document(graph, "stage.txt", ["x"])[0].id)
        settle(database, graph, SCHEMA, lease)
        derive_names(database, graph, lease)
    put(database, graph, {"stage.txt": texts["stage.txt"]})
    assert graph_of(database, graph) == split
    undo(str(report.run), settings=here, analytics=False)
    assert graph_of(database, graph) == before


def graph_of(database: Database, graph: str) -> str:
    """Return the export without decisions, which are remembered also when they are taken back."""
    return "\n".join(line for line in lines(database, graph) if '"Decision"' not in line)


SAID = {
    "mine.txt": {"role": "miner and union leader", "location": "Durham"},
    "stage.txt": {"role": "concert singer", "location": "Vienna"},
    "tour.txt": {"role": "singer", "location": "Oslo and Vienna"},  # the singer of the stage
    "pit.txt": {"role": "leader of the miners", "location": "County Durham"},
    "prize.txt": {},
}


def put_ann(database: Database, graph: str) -> None:
    for name, values in SAID.items():
        facts = [("Ann Reed", "MET", f"Person of {name}")]
        put(database, graph, {name: facts}, values={"Ann Reed": values} if values else {})


def test_where_roles_and_places_differ_there_is_a_question(database: Database, graph: str, settings: Settings) -> None:
    here = settings.model_copy(update={"graph": graph})
    put_ann(database, graph)
    found = resolve(settings=here, options=ResolveOptions(dry_run=True)).proposals
    (asked,) = [each for each in found if each.rule == "conflict"]
    assert asked.verdict is ProposalVerdict.ASK
    assert "`kg resolve --split` parts them" in asked.reason
    assert asked.reason.count("Durham") == 1
    assert "singer" in asked.reason
    assert sorted(len(side.documents) for side in (asked.left, asked.right)) == [2, 2]


def test_a_model_decides_whether_a_name_has_two_bearers(database: Database, graph: str, settings: Settings) -> None:
    put_ann(database, graph)
    before = graph_of(database, graph)
    with FakeLlm() as llm:
        here = settings.model_copy(update={"graph": graph, "openai_base_url": llm.url, "model": "fake"})
        options = ResolveOptions(analytics=False)
        llm.say("pair,same,reason\n1,no,a miner and a singer\n2,yes,why not\n")
        report = resolve(settings=here, options=options)
        (request,) = llm.requests
        shown = re.findall(r"^A: .*?(?=^pair|^=====)", request.user, re.DOTALL | re.MULTILINE)
        one, other = shown[0].split("\nB: ")
        singer, miner = (one, other) if "concert singer" in one else (other, one)
        assert ("concert singer, Vienna" in singer, "'tour.txt'" in singer) == (True, True)
        assert ("miner and union leader, Durham" in miner, "'pit.txt'" in miner) == (True, True)
        assert ["prize.txt" in each for each in shown] == [False, True]
        people = [each["properties"] for each in entities(database, graph) if each["properties"]["name"] == "Ann Reed"]
        assert sorted(each["evidence_count"] for each in people) == [2, 3]  # the prize is of the one that had the name
        split = {each.decision.reason for each in report.decisions if not each.decision.revoked}
        assert split == {"fake: a miner and a singer"}
        assert {each.decision.rule for each in report.decisions} == {"model"}
        assert resolve(settings=here, options=options).decisions == ()
        undo(str(report.run), settings=here, analytics=False)
        assert graph_of(database, graph) == before
        assert resolve(settings=here, options=options).decisions == ()  # what was taken back is not asked again
        assert llm.calls == 1


def test_one_bearer_by_a_model_is_remembered(database: Database, graph: str, settings: Settings) -> None:
    put_ann(database, graph)
    before = graph_of(database, graph)
    with FakeLlm() as llm:
        here = settings.model_copy(update={"graph": graph, "openai_base_url": llm.url, "model": "fake"})
        options = ResolveOptions(analytics=False)
        llm.say("pair,same,reason\n1,unsure,little is known\n2,yes,a prize for singing\n")
        llm.say("pair,same,reason\n1,yes,she sang for miners\n")
        verdicts = [[each.verdict for each in resolve(settings=here, options=options).proposals] for _ in range(3)]
        assert verdicts == [[ProposalVerdict.ASK, ProposalVerdict.JOIN], [ProposalVerdict.JOIN], []]
        assert llm.calls == 2
    assert graph_of(database, graph) == before


@pytest.mark.parametrize(("same", "bearers"), [("no", 3), ("yes", 2), ("unsure", 2)])
def test_those_parted_from_one_name_are_compared_with_each_other(
    database: Database, graph: str, settings: Settings, same: str, bearers: int
) -> None:
    said = {"mine.txt": ("miner", "Durham"), "stage.txt": ("singer", "Vienna"), "prize.txt": ("painter", "Rome")}
    for name, (role, place) in said.items():
        values = {"Ann Reed": {"role": role, "location": place}}
        put(database, graph, {name: [("Ann Reed", "MET", f"Person of {name}")]}, values=values)
    before = graph_of(database, graph)
    with FakeLlm() as llm:
        here = settings.model_copy(update={"graph": graph, "openai_base_url": llm.url, "model": "fake"})
        llm.say("pair,same,reason\n1,no,another\n2,no,another\n")
        llm.say(f"pair,same,reason\n1,{same},why\n")
        report = resolve(settings=here, options=ResolveOptions(analytics=False))
        assert resolve(settings=here, options=ResolveOptions(analytics=False)).decisions == ()
        first, second = (each.user for each in llm.requests)
        assert all(f"in '{title}': {role}, {place}" in first for title, (role, place) in said.items())
        assert second.count("Ann Reed, PERSON") == 2
        assert sum(f"{role}, {place}" in second for role, place in said.values()) == 2
    people = [each for each in entities(database, graph) if each["properties"]["name"] == "Ann Reed"]
    assert len(people) == bearers
    undo(str(report.run), settings=here, analytics=False)
    assert graph_of(database, graph) == before


class SaysVik:
    """An extractor that finds one name in every text, as a harbour or as a jetty."""

    name, config_hash, converses, notes = "vik", "vik", True, ()

    def answer(self, task: ChunkTask, shown_text: str) -> ModelAnswer:
        found = "HARBOUR" if "harbour" in shown_text else "JETTY"
        return ModelAnswer(f"{','.join(LEAN.node_header)}\n1,n1,{found},Vik,,,,,\n", "vik", "p", "stop", around="")

    def follow_up(self, task: ChunkTask, shown_text: str, question: FollowUp) -> ModelAnswer:
        raise NotImplementedError

    def keep(self, answer: ModelAnswer) -> None:
        pass


def test_a_changed_table_of_families_settles_names_again(
    database: Database, graph: str, settings: Settings, tmp_path: Path
) -> None:
    for name, text in (("a.txt", "Vik is a harbour."), ("b.txt", "Vik has a jetty.")):
        (tmp_path / name).write_text(text)
    file = tmp_path / "vik.toml"
    options = LoadOptions(schema=str(file), gleanings=0, wave=0, vectors=False, analytics=False)
    names = []
    for table in ("", '[families]\nPLACE = ["HARBOUR", "JETTY"]\n\n', ""):
        file.write_text(LEAN.text.replace("[example]", f"{table}[example]"))
        sources = [str(tmp_path / name) for name in ("a.txt", "b.txt")]
        load(sources, settings=settings.model_copy(update={"graph": graph}), options=options, extractor=SaysVik())
        names.append([each["properties"].get("types") for each in entities(database, graph)])
    assert names == [[None, None], [["HARBOUR", "JETTY"]], [None, None]]


def test_a_question_about_an_entity_whose_first_name_has_gone(
    database: Database, graph: str, settings: Settings
) -> None:
    here = settings.model_copy(update={"graph": graph})
    keys = sorted((mention_key(graph, name, "PERSON"), name) for name in ("Ann Reed", "Ruth Lowe"))
    (_, gone), (_, left) = keys  # the entity has the id of the first
    put(database, graph, {"gone.txt": [(gone, "", "")], "0.txt": [(left, "", "")]})
    decide_pair((keys[0][0], keys[1][0]), is_one=True, settings=here, analytics=False)
    for name, place in (("a.txt", "Durham"), ("b.txt", "Vienna")):
        put(database, graph, {name: [(left, "MET", f"Person of {name}")]}, values={left: {"location": place}})
    with Lease(database, graph) as lease:
        withdraw_document(database, lease, graph, document(graph, "gone.txt", ["x"])[0].id)
        settle(database, graph, SCHEMA, lease)
        derive_names(database, graph, lease)
    found = resolve(settings=here, options=ResolveOptions(dry_run=True)).proposals
    assert [(each.left.name, each.rule) for each in found if each.rule == "conflict"] == [(left, "conflict")]
