"""Decisions on who is who: any order gives one graph, and revoking gives the former one, byte for byte."""

from __future__ import annotations

import itertools
import json
import random
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import pytest

from corpus import Fact, document, extraction, record_document, withdraw_document
from kg_neo4j.extract import schema as schemas
from kg_neo4j.graph import canned_reports, queries
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database, Transaction
from kg_neo4j.graph.documents import LoadConfiguration
from kg_neo4j.graph.export import lines
from kg_neo4j.graph.identity import mention_key
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.recorder import Recorder
from kg_neo4j.graph.resolution import showing
from kg_neo4j.graph.resolution.decisions import Decision, DecisionKind, decide, tell_apart
from kg_neo4j.graph.settler import settle
from kg_neo4j.organise import search_indexes
from kg_neo4j.settings import Settings

SCHEMA = schemas.load("described")
PAIRED = schemas.parse(
    SCHEMA.text.replace(
        'fold = "mode"\nnote = "when it began', 'fold = "mode"\nidentity = true\nnote = "when it began'
    ),
    "paired.toml",
)
TEXTS: dict[str, dict[str, list[Fact]]] = {
    "study.txt": {
        "Sherlock Holmes met John Watson.": [("Sherlock Holmes", "MET", "John Watson")],
        "Holmes knew Dr. Watson. Watson liked Holmes.": [
            ("Holmes", "MET", "Dr. Watson"),
            ("Watson", "LIKED", "Holmes"),
            ("Watson", "ALSO_CALLED", "Dr. Watson"),
        ],
        "Watson lived in London.": [("Watson", "LIVED_IN", "London::PLACE"), ("Watson", "SAW", "Watson")],
    },
    "sign.txt": {
        "Holmes and John Watson lived in London.": [
            ("Holmes", "LIVED_IN", "London::PLACE"),
            ("John Watson", "LIVED_IN", "London::PLACE"),
            ("John Watson", "LIKED", "Sherlock Holmes"),
        ],
        "Dr. Watson was there.": [("Dr. Watson", "", "")],
    },
}
PAIRS = (
    ("Watson", "Dr. Watson", 0.9),
    ("Dr. Watson", "John Watson", 0.8),
    ("Holmes", "Sherlock Holmes", 0.85),
)


def key(graph: str, name: str) -> str:
    label, _, node_type = name.partition("::")
    return mention_key(graph, label, node_type or "PERSON")


def same(graph: str, left: str, right: str, score: float = 0.9) -> Decision:
    return decide(graph, DecisionKind.SAME, (key(graph, left), key(graph, right)), "test", score, "said so")


def all_same(graph: str) -> list[Decision]:
    return [same(graph, *pair) for pair in PAIRS]


def all_decisions(graph: str) -> list[Decision]:
    """Joins at first and second hand, and a document that means another doctor."""
    other = document(graph, "sign.txt", list(TEXTS["sign.txt"]))[0].id
    return [*all_same(graph), tell_apart(graph, key(graph, "Dr. Watson"), other, "test", 0.9)]


def load(database: Database, graph: str, names: Sequence[str] = tuple(TEXTS), batch: int = 100) -> None:
    with Lease(database, graph) as lease:
        recorder = Recorder(database, graph, SCHEMA, lease)
        for name in names:
            source, chunks = document(graph, name, list(TEXTS[name]))
            record_document(database, lease, source, chunks, LoadConfiguration("c0", "described", SCHEMA.hash, "words"))
            extractions = [extraction(chunk, TEXTS[name][chunk.text]) for chunk in chunks]
            for start in range(0, len(extractions), batch):
                recorder.record(extractions[start : start + batch])
        settle(database, graph, SCHEMA, lease)


def unload(database: Database, graph: str, name: str) -> None:
    with Lease(database, graph) as lease:
        withdraw_document(database, lease, graph, document(graph, name, list(TEXTS[name]))[0].id)
        settle(database, graph, SCHEMA, lease)


def put(database: Database, graph: str, decisions: Sequence[Decision]) -> int:
    with Lease(database, graph) as lease:
        showing.store(lease, [showing.StoredDecision(each, "l", "r", True) for each in decisions])
        return settle(database, graph, SCHEMA, lease)


def revoke(database: Database, graph: str, decisions: Sequence[Decision]) -> int:
    return put(database, graph, [replace(each, revoked=True) for each in decisions])


def dump(database: Database, graph: str) -> str:
    return "\n".join(lines(database, graph))


def entities(database: Database, graph: str) -> dict[str, dict[str, object]]:
    read = (json.loads(line) for line in lines(database, graph))
    return {each["properties"]["name"]: each["properties"] for each in read if "Entity" in each.get("labels", ())}


def drawn(database: Database, graph: str) -> list[tuple[str, str, str, int]]:
    """Relationships between entities: name, type, name, evidence."""
    names = {each["id"]: name for name, each in entities(database, graph).items()}
    read = (json.loads(line) for line in lines(database, graph))
    return sorted(
        (names[each["start"]], each["type"], names[each["end"]], each["properties"]["evidence_count"])
        for each in read
        if each["kind"] == "relationship" and each["start"] in names and each["end"] in names
    )


def failed_checks(database: Database, graph: str) -> dict[str, int]:
    rows = canned_reports.run(database, "checks", graph=graph, parameters={}).rows
    expected = ("entities without a community", "rows of evidence whose quote is not in the text")
    return {row[0]: row[1] for row in rows if row[1] and row[0] not in expected}


@pytest.fixture(scope="module")
def resolved(database: Database, shared: Settings) -> str:
    """The texts, loaded, with all joins, for tests that only read."""
    load(database, shared.graph)
    put(database, shared.graph, all_same(shared.graph))
    return shared.graph


def test_decisions_make_one_entity_with_all_evidence_and_aliases(database: Database, resolved: str) -> None:
    found = entities(database, resolved)
    assert set(found) == {"John Watson", "Sherlock Holmes", "London"}
    assert found["John Watson"]["aliases"] == ["Dr. Watson", "Watson"]
    assert found["John Watson"]["evidence_count"] == 6
    assert found["John Watson"]["id"] == min(key(resolved, name) for name in ("Watson", "Dr. Watson", "John Watson"))
    assert failed_checks(database, resolved) == {}


def test_relationships_are_folded_from_all_facts_between_the_same_entities(database: Database, resolved: str) -> None:
    assert drawn(database, resolved) == [
        ("John Watson", "LIKED", "Sherlock Holmes", 2),
        ("John Watson", "LIVED_IN", "London", 2),
        ("John Watson", "SAW", "John Watson", 1),  # said of one name; "Watson, also called Dr. Watson" is not drawn
        ("Sherlock Holmes", "LIVED_IN", "London", 1),
        ("Sherlock Holmes", "MET", "John Watson", 2),
    ]
    size = database.read(queries.get("write/count_graph"), graph=resolved)[0]
    assert (size["nodes"], size["relationships"]) == (3, 5)


def test_facts_stay_between_mention_keys(database: Database, graph: str) -> None:
    load(database, graph)
    before = dump(database, graph).count('"labels":["Fact"]')
    put(database, graph, all_same(graph))
    read = [json.loads(line) for line in lines(database, graph)]
    facts = [each["properties"] for each in read if "Fact" in each.get("labels", ())]
    assert len(facts) == before == 9
    ends = {(each["source_key"], each["type"], each["target_key"]) for each in facts}
    assert (key(graph, "Holmes"), "MET", key(graph, "Dr. Watson")) in ends
    assert (key(graph, "Sherlock Holmes"), "MET", key(graph, "John Watson")) in ends


def test_revoking_gives_the_former_graph_byte_for_byte(database: Database, graph: str) -> None:
    load(database, graph)
    before = dump(database, graph)
    put(database, graph, all_same(graph)[:1])
    first = dump(database, graph)
    put(database, graph, all_same(graph)[1:])
    assert len({before, first, dump(database, graph)}) == 3
    revoke(database, graph, all_same(graph)[1:])
    assert dump(database, graph) == first
    revoke(database, graph, all_same(graph)[:1])
    assert dump(database, graph) == before
    assert len(showing.stored_decisions(database, graph)) == 3  # remembered, revoked


def test_a_revoked_link_in_the_middle_leaves_the_two_sides(database: Database, graph: str) -> None:
    load(database, graph)
    put(database, graph, all_same(graph))
    revoke(database, graph, all_same(graph)[1:2])
    assert set(entities(database, graph)) == {"John Watson", "Dr. Watson", "Sherlock Holmes", "London"}
    assert failed_checks(database, graph) == {}


def test_loading_applies_the_stored_decisions(database: Database, graph: str) -> None:
    load(database, graph)
    put(database, graph, all_same(graph))
    resolved = dump(database, graph)
    for name in TEXTS:
        unload(database, graph, name)
    assert dump(database, graph).count("\n") == 2  # the three decisions
    load(database, graph, tuple(reversed(TEXTS)), batch=1)
    assert dump(database, graph) == resolved
    load(database, graph)
    assert dump(database, graph) == resolved


def test_unloading_removes_what_lost_its_last_support_from_a_merged_entity(database: Database, graph: str) -> None:
    load(database, graph, ["sign.txt"])
    put(database, graph, all_same(graph))
    alone = dump(database, graph)
    load(database, graph)
    unload(database, graph, "study.txt")
    assert dump(database, graph) == alone
    assert failed_checks(database, graph) == {}


def test_questions_find_one_fact_with_the_statements_of_all_that_are_drawn_as_it(
    database: Database, resolved: str
) -> None:
    search_indexes.create_fulltext(database)
    parameters = {each.name: each.default for each in queries.get("retrieve/local").params}
    words = {**parameters, "graph": resolved, "words": "Watson OR Holmes OR MET", "filtered": False}
    (row,) = database.read(queries.get("retrieve/local"), **words)
    facts = {(each["source"], each["type"], each["target"]): each for each in row["facts"]}
    assert len(facts) == len(row["facts"])
    met = facts["Sherlock Holmes", "MET", "John Watson"]
    assert (met["evidence_count"], len(met["statements"])) == (2, 2)
    assert ("John Watson", "ALSO_CALLED", "John Watson") not in facts
    assert ("John Watson", "SAW", "John Watson") in facts


@pytest.fixture(scope="module")
def decided(database: Database) -> tuple[str, str]:
    """The name of a graph, and the export that its texts and all decisions give."""
    graph = f"test-decided-{uuid.uuid4().hex[:12]}"
    load(database, graph)
    put(database, graph, all_decisions(graph))
    text = dump(database, graph)
    delete_graph(database, graph)
    return graph, text


@pytest.mark.parametrize("seed", range(6))
def test_any_order_of_loading_deciding_and_revoking_gives_one_graph(
    database: Database, decided: tuple[str, str], seed: int
) -> None:
    graph, expected = decided
    draw = random.Random(seed)
    decisions = all_decisions(graph)
    passing = same(graph, "Sherlock Holmes", "London::PLACE", 0.99)  # revoked again on the way
    steps: list[Callable[[], object]] = [
        *(lambda name=name: load(database, graph, [name], draw.choice([1, 2, 9])) for name in TEXTS),
        *(lambda each=each: put(database, graph, [each]) for each in decisions),
    ]
    draw.shuffle(steps)
    at = draw.randrange(len(steps) + 1)
    steps.insert(at, lambda: put(database, graph, [passing]))
    steps.insert(draw.randrange(at + 1, len(steps) + 1), lambda: revoke(database, graph, [passing]))
    try:
        for step in steps:
            step()
        assert dump(database, graph) == expected
        assert failed_checks(database, graph) == {}
    finally:
        delete_graph(database, graph)


def test_facts_told_apart_by_an_identity_column_stay_parallel(database: Database, graph: str) -> None:
    source, chunks = document(graph, "a.txt", ["One.", "Two.", "Three."])
    configuration = LoadConfiguration("c0", "paired", PAIRED.hash, "words")
    with Lease(database, graph) as lease:
        record_document(database, lease, source, chunks, configuration)
        recorder = Recorder(database, graph, PAIRED, lease)
        for chunk, who, year in zip(chunks, ("Watson", "Dr. Watson", "Watson"), ("1888", "1888", "1902"), strict=True):
            plain = extraction(chunk, [(who, "MARRIED_TO", "Mary")])
            dated = tuple(replace(row, properties={"start_date": year}) for row in plain.relationships)
            recorder.record([replace(plain, relationships=dated)])
        settle(database, graph, PAIRED, lease)
        before = dump(database, graph)
        one = same(graph, "Watson", "Dr. Watson")
        showing.store(lease, [showing.StoredDecision(one, "l", "r", True)])
        settle(database, graph, PAIRED, lease)
        assert [row[3] for row in drawn(database, graph)] == [1, 2]
        assert failed_checks(database, graph) == {}
        showing.store(lease, [showing.StoredDecision(replace(one, revoked=True), "l", "r", True)])
        settle(database, graph, PAIRED, lease)
    assert dump(database, graph) == before


class Killed(Exception):
    """Stands for kill -9: nothing after it runs."""


@pytest.fixture
def kill_at(database: Database, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int | None], None]]:
    """Let so many write transactions through, then end the run before the next one."""
    written = itertools.count()
    limit: list[int | None] = [None]
    real = database.write_transaction

    def write_transaction(work: Callable[[Transaction], object]) -> object:
        if limit[0] is not None and next(written) >= limit[0]:
            raise Killed
        return real(work)

    def arm(number: int | None) -> None:
        nonlocal written
        written = itertools.count()
        limit[0] = number

    monkeypatch.setattr(database, "write_transaction", write_transaction)
    yield arm
    arm(None)


@pytest.mark.parametrize("page", [1, 500])
def test_a_run_killed_while_it_applies_decisions_is_finished_by_the_next(
    database: Database,
    graph: str,
    kill_at: Callable[[int | None], None],
    monkeypatch: pytest.MonkeyPatch,
    page: int,
) -> None:
    monkeypatch.setattr(showing, "PAGE", page)
    load(database, graph)
    before = dump(database, graph)
    put(database, graph, all_decisions(graph))
    resolved = dump(database, graph)
    for kills, (act, wanted) in enumerate([(revoke, before), (put, resolved)] * 6):
        kill_at(2 + kills // 2)  # the lease and the decisions themselves are written
        try:
            act(database, graph, all_decisions(graph))
        except Killed:
            kill_at(None)
            release(database, graph)
            load(database, graph)
        kill_at(None)
        assert dump(database, graph) == wanted


def release(database: Database, graph: str) -> None:
    """The lease of a killed run runs out."""
    rows = database.read(queries.get("write/read_lease"), graph=graph)
    for row in rows:
        database.write(queries.get("write/release_lease"), graph=graph, token=row["token"])
