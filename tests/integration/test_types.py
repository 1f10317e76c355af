"""Decisions on types: shown in the graph, kept by later loads, taken back without a trace. With a real Neo4j."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from fake_llm import FakeLlm
from kg_neo4j.errors import UsageError
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.export import lines
from kg_neo4j.graph.queries import parse
from kg_neo4j.pipeline.commands.load import load, unload
from kg_neo4j.pipeline.commands.rebuild import rebuild
from kg_neo4j.pipeline.options import LoadOptions
from kg_neo4j.rooms.types.deciding import (
    NODE,
    RELATIONSHIP,
    TypeChange,
    decide_types,
    list_types,
    undo_types,
)
from kg_neo4j.rooms.types.proposing import propose_types
from kg_neo4j.settings import Settings

TEXTS = {
    "a.txt": "Ada Byron was guided by Anne Milbanke. Ada Byron wrote the Notes.",
    "b.txt": "Anne Milbanke was the guide of Ada Byron. Mary Somerville authored the Mechanism.",
}
NODES = "sentences,node_id,node_type,name,start_date,end_date,role,location,description\n"
RELATIONSHIPS = "\nsentences,node_id_1,relationship_type,node_id_2,start_date,end_date,phrase\n"
ANSWERS = {
    "Ada Byron was guided": NODES
    + "1,n1,WRITER,Ada Byron,,,,,\n1,n2,PERSON,Anne Milbanke,,,,,\n2,n3,WORK,Notes,,,,,\n"
    + RELATIONSHIPS
    + "1,n1,GUIDED_BY,n2,,,\n2,n1,WROTE,n3,,,\n",
    "Anne Milbanke was the guide": NODES
    + "1,n1,PERSON,Anne Milbanke,,,,,\n1,n2,PERSON,Ada Byron,,,,,\n2,n3,PERSON,Mary Somerville,,,,,\n"
    + "2,n4,WORK,Mechanism,,,,,\n"
    + RELATIONSHIPS
    + "1,n1,GUIDE_OF,n2,,,\n2,n3,AUTHORED,n4,,,in a year\n",
}
"""What a model says of the texts."""
OPTIONS = LoadOptions(gleanings=0)


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    """A model that knows the texts, and says of types what is queued."""
    with FakeLlm(rules=lambda prompt, user: next((ANSWERS[known] for known in ANSWERS if known in user), "")) as server:
        yield server


@pytest.fixture
def here(settings: Settings, graph: str, tmp_path: Path, llm: FakeLlm) -> Settings:
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text)
    return settings.model_copy(update={"graph": graph, "openai_base_url": llm.url, "model": "fake"})


@pytest.fixture
def without_model(settings: Settings, here: Settings) -> Settings:
    return settings.model_copy(update={"graph": here.graph})


def put(here: Settings, tmp_path: Path, *names: str) -> None:
    for name in names or TEXTS:
        load([str(tmp_path / name)], settings=here, options=OPTIONS)


def graph_of(database: Database, settings: Settings) -> str:
    """Return the export without decisions, which are remembered also when they are taken back."""
    return "\n".join(each for each in lines(database, settings.graph) if '"Decision"' not in each)


def shown(settings: Settings) -> dict[str, tuple[int, str]]:
    return {each.type: (each.count, each.example) for each in list_types(settings=settings)}


def evidence(database: Database, graph: str, type_: str) -> list[tuple[Any, ...]]:
    found = database.read(EVIDENCE, graph=graph, type=type_)
    return [(row["source"], row["target"], row["written"], row["phrase"]) for row in found]


EVIDENCE = parse(
    """// title: Evidence
// purpose: Rows of a type.
// mode: read
// params: $graph STRING (graph); $type STRING (type)
// columns: source STRING, target STRING, written STRING, phrase STRING
// order: none
// source: kg-neo4j
MATCH (f:KgFact)-[s:STATED_IN]->()
WHERE f.graph = $graph AND f.type = $type
MATCH (a:KgEntity {id: coalesce(f.source_id, f.source_key)}), (b:KgEntity {id: coalesce(f.target_id, f.target_key)})
RETURN a.name AS source, b.name AS target, s.original_type AS written, s.phrase AS phrase
ORDER BY source, target, written
""",
    "test/evidence",
)


def test_types_are_listed_with_counts_and_examples(here: Settings, tmp_path: Path) -> None:
    put(here, tmp_path)
    assert shown(here) == {
        "PERSON": (3, "Ada Byron"),
        "WORK": (2, "Mechanism"),
        "WRITER": (1, "Ada Byron"),
        "AUTHORED": (1, "Mary Somerville -> Mechanism"),
        "GUIDED_BY": (1, "Ada Byron -> Anne Milbanke"),
        "GUIDE_OF": (1, "Anne Milbanke -> Ada Byron"),
        "WROTE": (1, "Ada Byron -> Notes"),
    }


def test_a_merged_type_is_shown_under_the_other_one_and_undo_gives_the_former_bytes(
    database: Database, here: Settings, tmp_path: Path
) -> None:
    put(here, tmp_path)
    before = graph_of(database, here)
    report = decide_types([TypeChange(RELATIONSHIP, "AUTHORED", "WROTE")], settings=here)
    assert (report.chunks, report.unanswered) == (2, 0)  # those with rows of either type
    assert shown(here)["WROTE"] == (2, "Ada Byron -> Notes")
    assert "AUTHORED" not in shown(here)
    assert ("Mary Somerville", "Mechanism", "AUTHORED", "in a year") in evidence(database, here.graph, "WROTE")
    assert decide_types([TypeChange(RELATIONSHIP, "AUTHORED", "WROTE")], settings=here).graph.changes == 0
    undo_types("AUTHORED", settings=here)
    assert graph_of(database, here) == before


def test_an_inverse_type_is_turned_round_and_becomes_one_fact(
    database: Database, here: Settings, tmp_path: Path
) -> None:
    put(here, tmp_path)
    before = graph_of(database, here)
    decide_types([TypeChange(RELATIONSHIP, "GUIDED_BY", "GUIDE_OF", inverse=True)], settings=here)
    assert shown(here)["GUIDE_OF"] == (1, "Anne Milbanke -> Ada Byron")
    assert evidence(database, here.graph, "GUIDE_OF") == [
        ("Anne Milbanke", "Ada Byron", "GUIDED_BY", None),
        ("Anne Milbanke", "Ada Byron", None, None),
    ]
    undo_types("GUIDED_BY", settings=here)
    assert graph_of(database, here) == before


def test_a_type_that_fits_none_keeps_its_words(database: Database, here: Settings, tmp_path: Path) -> None:
    put(here, tmp_path)
    decide_types([TypeChange(RELATIONSHIP, each, "RELATED_TO") for each in ("WROTE", "AUTHORED")], settings=here)
    assert evidence(database, here.graph, "RELATED_TO") == [
        ("Ada Byron", "Notes", "WROTE", "wrote"),
        ("Mary Somerville", "Mechanism", "AUTHORED", "authored: in a year"),
    ]


def test_a_node_of_another_type_keeps_its_key_and_its_evidence(
    database: Database, here: Settings, tmp_path: Path
) -> None:
    put(here, tmp_path)
    before = graph_of(database, here)
    assert '"types":["PERSON","WRITER"]' in before
    decide_types([TypeChange(NODE, "WRITER", "PERSON")], settings=here)
    after = graph_of(database, here)
    assert '"types":' not in after
    assert '"original_type":"WRITER"' in after
    undo_types("WRITER", settings=here)
    assert graph_of(database, here) == before


CHANGES = (
    TypeChange(RELATIONSHIP, "AUTHORED", "WROTE"),
    TypeChange(RELATIONSHIP, "WROTE", "CREATED"),
    TypeChange(RELATIONSHIP, "GUIDED_BY", "GUIDE_OF", inverse=True),
    TypeChange(NODE, "WRITER", "PERSON"),
)


def test_any_order_of_loads_and_decisions_gives_the_same_graph(
    database: Database, here: Settings, tmp_path: Path
) -> None:
    found = set()
    for loads, decided in (
        (("a.txt", "b.txt"), [CHANGES]),
        (("b.txt", "a.txt"), [CHANGES[::-1]]),
        (("a.txt", "b.txt"), [[each] for each in CHANGES]),
        (("b.txt", "a.txt"), [CHANGES[2:], CHANGES[:1], CHANGES[1:2]]),
    ):
        delete_graph(database, here.graph)
        put(here, tmp_path, *loads)
        for each in decided:
            decide_types(each, settings=here)
        found.add(graph_of(database, here))
    assert len(found) == 1
    assert set(shown(here)) == {"PERSON", "WORK", "CREATED", "GUIDE_OF"}
    rebuild(settings=here)
    assert graph_of(database, here) in found
    for each in ("AUTHORED", "GUIDED_BY", "WROTE", "WRITER"):  # in another order than they came
        undo_types(each, settings=here)
    assert {"AUTHORED", "WROTE", "GUIDED_BY", "WRITER"} <= set(shown(here))


def test_later_loads_keep_decisions(database: Database, here: Settings, tmp_path: Path) -> None:
    put(here, tmp_path)
    decide_types(CHANGES[:1], settings=here)
    whole = graph_of(database, here)
    unload(str(tmp_path / "b.txt"), settings=here)
    put(here, tmp_path, "b.txt")
    assert shown(here)["WROTE"] == (2, "Ada Byron -> Notes")
    assert graph_of(database, here) == whole
    assert load([str(tmp_path / "b.txt")], settings=here, options=OPTIONS).changes == 0


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ([TypeChange(RELATIONSHIP, "SANG", "WROTE")], "has no relationship type 'SANG'"),
        ([TypeChange(NODE, "WROTE", "PERSON")], "has no node type 'WROTE'"),
        ([TypeChange(RELATIONSHIP, "WROTE", "wrote it")], "cannot be a type"),
        ([TypeChange(RELATIONSHIP, "WROTE", "X`) DETACH DELETE (n")], "cannot be a type"),
        ([TypeChange(RELATIONSHIP, "WROTE", "MENTIONED_IN")], "cannot be a type"),
        ([CHANGES[0], TypeChange(RELATIONSHIP, "WROTE", "AUTHORED")], "would become itself"),
        ([CHANGES[0], TypeChange(RELATIONSHIP, "AUTHORED", "GUIDE_OF")], "is shown as WROTE already"),
    ],
)
def test_what_cannot_be_decided_is_refused_and_nothing_is_stored(
    database: Database, here: Settings, tmp_path: Path, changes: Sequence[TypeChange], said: str
) -> None:
    put(here, tmp_path)
    before = "\n".join(lines(database, here.graph))
    with pytest.raises(UsageError, match=said):
        decide_types(changes, settings=here)
    with pytest.raises(UsageError, match="no decision on the type"):
        undo_types("WROTE", settings=here)
    assert "\n".join(lines(database, here.graph)) == before


def test_a_preferred_type_is_in_the_prompts_of_later_loads_and_nothing_is_read_again(
    here: Settings, tmp_path: Path, llm: FakeLlm
) -> None:
    put(here, tmp_path, "a.txt")
    decide_types([TypeChange(RELATIONSHIP, "GUIDED_BY", "GUIDED_BY")], settings=here)
    calls = llm.calls
    put(here, tmp_path)
    asked = [each.prompt for each in llm.requests[calls:]]
    assert len(asked) == 1  # about the second text alone
    assert "; GUIDED_BY" in asked[0]
    assert "GUIDED_BY" not in llm.requests[0].prompt
    preferred = {each.type for each in list_types(settings=here) if each.preferred}
    assert preferred == {"GUIDED_BY", "PERSON", "WORK"}


def test_what_a_model_proposes_is_checked_row_by_row(here: Settings, tmp_path: Path, llm: FakeLlm) -> None:
    put(here, tmp_path)
    llm.say(
        "Here it is:\nkind,type,becomes,turned,reason\nrelationship,AUTHORED,WROTE,no,the same\n"
        "relationship,GUIDED_BY,GUIDE_OF,yes,inverse\nrelationship,SANG,WROTE,no,not there\n"
        "node,PERSON,WORK,no,preferred\nnode,WRITER,PERSON,yes,nodes have no direction\n"
        "relationship,WROTE,x y,no,no type\n"
    )
    found = propose_types(settings=here)
    assert [(each.type, each.becomes, each.inverse) for each in found.changes] == [
        ("AUTHORED", "WROTE", False),
        ("GUIDED_BY", "GUIDE_OF", True),
    ]
    assert found.proposed_by.endswith("fake")


def test_without_a_model_synonyms_are_proposed_and_what_was_taken_back_is_not(
    here: Settings, without_model: Settings, tmp_path: Path
) -> None:
    put(here, tmp_path)
    found = propose_types(settings=without_model)
    assert [(each.type, each.becomes, each.inverse) for each in found.changes] == [
        ("WRITER", "PERSON", False),
        ("AUTHORED", "CREATED", False),
        ("WROTE", "CREATED", False),
    ]
    decide_types(found.changes, settings=without_model, rule=found.proposed_by)
    assert propose_types(settings=without_model).changes == ()
    undo_types("WROTE", settings=without_model)
    assert propose_types(settings=without_model).changes == ()
