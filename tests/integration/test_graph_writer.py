"""The invariant: the graph is a function of documents and answers, whatever the order, the batches and the repeats."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from corpus import Fact, document, extraction, record_document, withdraw_document
from kg_neo4j import resources
from kg_neo4j.errors import SchemaConflict, UsageError
from kg_neo4j.extract import schema as schemas
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import (
    LoadConfiguration,
    list_documents,
    stored_answers,
)
from kg_neo4j.graph.export import lines
from kg_neo4j.graph.identity import fact_id, mention_key
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.recorder import Recorder
from kg_neo4j.graph.settler import settle
from kg_neo4j.records import Chunk, ChunkOutcome, Document, Extraction, Span

SCHEMA = schemas.load("described")
TEXTS: dict[str, dict[str, list[Fact]]] = {
    "curie.txt": {
        "Marie Curie married Pierre Curie in Paris.": [
            ("Marie Curie", "MARRIED_TO", "Pierre Curie"),
            ("Marie Curie", "LIVED_IN", "Paris::PLACE"),
        ],
        "MARIE CURIE discovered polonium.": [("MARIE CURIE", "DISCOVERED", "polonium::ELEMENT")],
        "Paris was her home. Marie Curie and Pierre Curie taught.": [
            ("Marie Curie", "LIVED_IN", "Paris::PLACE"),
            ("Pierre Curie", "TAUGHT_AT", "Sorbonne::ORGANIZATION"),
            ("Marie Curie", "FRIEND_OF?", "Pierre Curie"),
            ("Pierre Curie", "LIVED_IN", "Paris::PLACE"),
        ],
    },
    "langevin.txt": {
        "Paul Langevin studied with Pierre Curie in Paris.": [
            ("Paul Langevin", "STUDENT_OF", "Pierre Curie"),
            ("Pierre Curie", "LIVED_IN?", "Paris::PLACE"),
        ],
        "He worked in Paris.": [("Paul Langevin", "LIVED_IN", "Paris::PLACE"), ("Sorbonne::ORGANIZATION", "", "")],
    },
    "empty.txt": {"Nothing is said here.": []},
}


def configuration(config_hash: str = "c0", *, rebuild: bool = False) -> LoadConfiguration:
    return LoadConfiguration(config_hash, "described", SCHEMA.hash, "words", rebuild=rebuild)


def corpus(graph: str, texts: dict[str, dict[str, list[Fact]]] = TEXTS) -> list[tuple[Document, list[Extraction]]]:
    made = []
    for name, paragraphs in texts.items():
        source, chunks = document(graph, name, list(paragraphs))
        made.append((source, [extraction(chunk, paragraphs[chunk.text]) for chunk in chunks]))
    return made


def load(
    database: Database,
    graph: str,
    documents: Sequence[tuple[Document, Sequence[Extraction]]],
    *,
    batch: int = 100,
    settled: bool = True,
) -> int:
    """Load like the pipeline does and return the changes."""
    changes = 0
    with Lease(database, graph) as lease:
        recorder = Recorder(database, graph, SCHEMA, lease)
        for source, extractions in documents:
            chunks = [each.chunk for each in extractions]
            recorded = record_document(database, lease, source, chunks, configuration())
            changes += recorded.changes
            pending = {chunk.id for chunk in recorded.pending}
            todo = [each for each in extractions if each.chunk.id in pending]
            for start in range(0, len(todo), batch):
                changes += recorder.record(todo[start : start + batch])
        if settled:
            changes += settle(database, graph, SCHEMA, lease)
    return changes


def dump(database: Database, graph: str) -> str:
    return "\n".join(lines(database, graph))


@pytest.fixture
def expected(database: Database, graph: str) -> str:
    """The export of a plain load; the graph itself is empty again afterwards."""
    load(database, graph, corpus(graph))
    text = dump(database, graph)
    assert text.count('"num":') == 6
    for source, _ in corpus(graph):
        with Lease(database, graph) as lease:
            withdraw_document(database, lease, graph, source.id)
            settle(database, graph, SCHEMA, lease)
    assert dump(database, graph) == ""
    return text


def test_loading_again_writes_nothing(database: Database, graph: str) -> None:
    assert load(database, graph, corpus(graph)) > 0
    before = dump(database, graph)
    assert load(database, graph, corpus(graph)) == 0
    assert dump(database, graph) == before


@pytest.mark.parametrize("seed", range(4))
def test_any_order_and_any_batch_size_give_the_same_bytes(
    database: Database, graph: str, expected: str, seed: int
) -> None:
    documents = corpus(graph)
    draw = random.Random(seed)
    draw.shuffle(documents)
    for _, extractions in documents:
        draw.shuffle(extractions)
    with Lease(database, graph) as lease:
        recorder = Recorder(database, graph, SCHEMA, lease)
        for source, extractions in documents:
            in_order = sorted((each.chunk for each in extractions), key=lambda chunk: chunk.index)
            record_document(database, lease, source, in_order, configuration())
            size = draw.choice([1, 2, 100])
            for start in range(0, len(extractions), size):
                recorder.record(extractions[start : start + size])
            if draw.random() < 0.5:
                settle(database, graph, SCHEMA, lease)
        settle(database, graph, SCHEMA, lease)
    assert dump(database, graph) == expected


def test_a_run_that_ended_before_settling_is_settled_by_the_next(database: Database, graph: str, expected: str) -> None:
    load(database, graph, corpus(graph)[:2], settled=False)
    assert "Unsettled" in dump(database, graph)
    load(database, graph, corpus(graph))
    assert dump(database, graph) == expected


def test_every_entity_and_fact_has_evidence_and_counts_it(database: Database, graph: str) -> None:
    load(database, graph, corpus(graph))
    entity = next(line for line in lines(database, graph) if '"name":"Marie Curie"' in line and '"num":' in line)
    assert '"evidence_count":3' in entity
    assert '"aliases":["MARIE CURIE"]' in entity
    text = dump(database, graph)
    assert text.count('"type":"MENTIONED_IN"') == 15
    assert text.count('"type":"STATED_IN"') == 10
    assert text.count('"type":"LIVED_IN"') == 3 + 3  # a relationship and a fact each; two pieces of evidence for one


def test_a_fact_that_is_only_likely_has_no_relationship_until_it_is_stated(database: Database, graph: str) -> None:
    documents = corpus(graph)
    load(database, graph, [documents[1]])
    likely, drawn = _facts(database, graph, "LIVED_IN"), _drawn(database, graph)
    assert ("pierre curie", False, 1) in likely
    assert ("Pierre Curie", "LIVED_IN") not in drawn
    load(database, graph, documents)
    assert ("pierre curie", None, 1) in _facts(database, graph, "LIVED_IN")  # what is only likely is not counted
    assert ("Pierre Curie", "LIVED_IN") in _drawn(database, graph)
    assert _facts(database, graph, "FRIEND_OF") == [("marie curie", False, 1)]
    assert ("Marie Curie", "FRIEND_OF") not in _drawn(database, graph)
    with Lease(database, graph) as lease:
        withdraw_document(database, lease, graph, documents[0][0].id)
        settle(database, graph, SCHEMA, lease)
    assert (_facts(database, graph, "LIVED_IN"), _drawn(database, graph)) == (likely, drawn)
    checks = {row["Check"]: row["Count"] for row in database.read(queries.get("reports/checks"), graph=graph)}
    assert {name: count for name, count in checks.items() if "fact" in name and count} == {}


def _facts(database: Database, graph: str, kind: str) -> list[tuple[str, bool | None, int]]:
    nodes = [each for each in map(json.loads, lines(database, graph)) if each["kind"] == "node"]
    names = {each["properties"]["id"]: each["properties"].get("name", "") for each in nodes}
    facts = [each["properties"] for each in nodes if "Fact" in each["labels"]]
    found = [fact for fact in facts if fact["type"] == kind]
    return sorted((names[each["source_key"]].lower(), each.get("stated"), each["evidence_count"]) for each in found)


def _drawn(database: Database, graph: str) -> set[tuple[str, str]]:
    query = replace(
        queries.get("reports/checks"),
        text="MATCH (a:Entity {graph: $graph})-[r]->(:Entity) RETURN a.name AS name, type(r) AS type",
    )
    return {(row["name"], row["type"]) for row in database.read(query, graph=graph)}


def test_unloading_removes_exactly_what_lost_its_last_support(database: Database, graph: str) -> None:
    documents = corpus(graph)
    load(database, graph, [documents[1]])
    alone = dump(database, graph)
    load(database, graph, documents)
    assert dump(database, graph) != alone
    with Lease(database, graph) as lease:
        withdraw_document(database, lease, graph, documents[0][0].id)
        withdraw_document(database, lease, graph, documents[2][0].id)
        settle(database, graph, SCHEMA, lease)
    assert dump(database, graph) == alone


def test_an_edited_document_gives_the_graph_of_the_new_text(database: Database, graph: str) -> None:
    first = TEXTS["curie.txt"]
    edited = {
        "A new beginning names Bronisława.": [("Bronisława", "SISTER_OF", "Marie Curie")],
        **dict(list(first.items())[1:]),
    }
    fresh = {"curie.txt": edited}
    load(database, graph, corpus(graph, fresh))
    wanted = dump(database, graph)
    with Lease(database, graph) as lease:
        withdraw_document(database, lease, graph, corpus(graph)[0][0].id)
        settle(database, graph, SCHEMA, lease)
    load(database, graph, corpus(graph, {"curie.txt": first}))
    assert load(database, graph, corpus(graph, fresh)) > 0
    assert dump(database, graph) == wanted


def test_only_new_chunks_of_an_edited_document_are_pending(database: Database, graph: str) -> None:
    load(database, graph, corpus(graph))
    paragraphs = ["A new beginning.", *TEXTS["curie.txt"]]
    source, chunks = document(graph, "curie.txt", paragraphs)
    with Lease(database, graph) as lease:
        recorded = record_document(database, lease, source, chunks, configuration())
    assert [chunk.text for chunk in recorded.pending] == ["A new beginning."]


def test_moved_chunks_change_the_order_of_joined_descriptions(database: Database, graph: str) -> None:
    one, two = "Anna met Ben first.", "Anna met Ben again."
    facts: dict[str, list[Fact]] = {one: [("Anna", "MET", "Ben")], two: [("Anna", "MET", "ben")]}
    load(database, graph, corpus(graph, {"a.txt": facts}))
    load(database, graph, corpus(graph, {"a.txt": dict(reversed(facts.items()))}))
    moved = dump(database, graph)
    with Lease(database, graph) as lease:
        withdraw_document(database, lease, graph, corpus(graph, {"a.txt": facts})[0][0].id)
        settle(database, graph, SCHEMA, lease)
    load(database, graph, corpus(graph, {"a.txt": dict(reversed(facts.items()))}))
    assert dump(database, graph) == moved
    assert "Anna MET ben. Anna MET Ben." in moved


def test_another_configuration_is_refused_and_rebuilt_on_request(database: Database, graph: str) -> None:
    documents = corpus(graph)
    load(database, graph, documents)
    source, extractions = documents[0]
    chunks = [each.chunk for each in extractions]
    with Lease(database, graph) as lease:
        with pytest.raises(UsageError, match="another model"):
            record_document(database, lease, source, chunks, configuration("c1"))
        recorded = record_document(database, lease, source, chunks, configuration("c1", rebuild=True))
        assert len(recorded.pending) == len(chunks)
        settle(database, graph, SCHEMA, lease)
    assert "polonium" not in "".join(line for line in lines(database, graph) if '"num":' in line)


def test_a_chunk_recorded_with_other_rows_replaces_its_evidence(database: Database, graph: str) -> None:
    documents = corpus(graph, {"a.txt": {"Anna met Ben.": [("Anna", "MET", "Ben")]}})
    load(database, graph, documents)
    chunk: Chunk = documents[0][1][0].chunk
    with Lease(database, graph) as lease:
        Recorder(database, graph, SCHEMA, lease).record([extraction(chunk, [("Anna", "KNOWS", "Cleo")])])
        assert settle(database, graph, SCHEMA, lease) > 0
    text = dump(database, graph)
    assert '"name":"Ben"' not in text
    assert '"type":"KNOWS"' in text
    assert '"type":"MET"' not in text


def test_quotes_that_are_no_neighbours_are_kept_apart(database: Database, graph: str) -> None:
    text = "Ada met Ben. It rained. Cleo laughed. Ben met Ada at noon."
    ((source, (found,)),) = corpus(graph, {"a.txt": {text: [("Ada", "MET", "Ben")]}})
    span = Span(0, 12, "sentences", ((38, 58),))
    row = replace(found.relationships[0], evidence="Ada met Ben. ... Ben met Ada at noon.", span=span)
    load(database, graph, [(source, [replace(found, relationships=(row,))])])
    ids = [fact_id(*(mention_key(graph, "Ada", "PERSON"), "MET", mention_key(graph, "Ben", "PERSON")))]
    (fact,) = database.read(queries.get("serve/fact_evidence"), graph=graph, ids=ids, quotes=3)
    assert [quote[1:4] for quote in fact["quotes"]] == [[0, 12, "Ada met Ben."], [38, 58, "Ben met Ada at noon."]]
    for start, cited in ((0, True), (13, False), (40, True)):
        places = [{"chunk": found.chunk.id, "start": start, "end": start + 5}]
        drawn = database.read(queries.get("serve/entities_in_places"), graph=graph, places=places, limit=9)
        assert {each["name"] for each in drawn} == ({"Ada", "Ben"} if cited else set())


def test_answers_are_kept_word_for_word(database: Database, graph: str) -> None:
    documents = corpus(graph)
    load(database, graph, documents)
    source, extractions = documents[0]
    found = stored_answers(database, graph, [source.id], "c0")
    assert set(found) == {each.chunk.id for each in extractions}
    assert {answer.text for answers in found.values() for answer in answers} == {"node_id,..."}
    assert stored_answers(database, graph, [source.id], "c1") == {}


def test_columns_of_a_schema_of_ones_own_are_stored_folded_and_withdrawn(database: Database, graph: str) -> None:
    text = resources.folder("prompts").joinpath("schemas/wikipedia.toml").read_text(encoding="utf-8")
    colour = '[[{}]]\nname = "colour"\nkind = "text"\nfold = "union"\nnote = ""\n'
    at = text.index("[[relationships]]")
    text = text[:at] + colour.format("nodes") + text[at:]
    at = text.index("[example]")
    text = text[:at] + colour.format("relationships") + text[at:]
    for header in ("role,location", "node_id_2,start_date"):
        text = text.replace(f"{header}\n", f"{header},colour\n", 1)
    schema = schemas.parse(text, "own.toml")
    source, chunks = document(graph, "a.txt", ["One.", "Two."])
    facts: list[Fact] = [("Anna", "MET", "Ben")]
    with Lease(database, graph) as lease:
        record_document(database, lease, source, chunks, configuration())
        recorder = Recorder(database, graph, schema, lease)
        for chunk, shade in zip(chunks, ("red", "blue"), strict=True):
            plain = extraction(chunk, facts)
            nodes = tuple(replace(row, properties={"colour": shade, "role": "cook"}) for row in plain.nodes)
            relationships = tuple(replace(row, properties={"colour": shade}) for row in plain.relationships)
            recorder.record([replace(plain, nodes=nodes, relationships=relationships)])
            settle(database, graph, schema, lease)
        both = [json.loads(line) for line in lines(database, graph)]
        record_document(database, lease, source, chunks[1:], configuration())
        settle(database, graph, schema, lease)
    one = [json.loads(line) for line in lines(database, graph)]
    for found, colours in ((both, ["blue", "red"]), (one, ["blue"])):
        folded = [each["properties"] for each in found if "evidence_count" in each["properties"]]
        assert [each["colour"] for each in folded] == [colours] * 4  # two entities, a fact and its relationship
        evidence = [each["properties"] for each in found if each.get("type") in ("MENTIONED_IN", "STATED_IN")]
        assert sorted({each["colour"] for each in evidence}) == colours


def test_rows_of_a_chunk_that_is_gone_are_refused_not_lost(database: Database, graph: str) -> None:
    source, chunks = document(graph, "a.txt", ["One.", "Two."])
    facts: list[Fact] = [("Anna", "MET", "Ben")]
    with Lease(database, graph) as lease:
        record_document(database, lease, source, chunks[:1], configuration())
        recorder = Recorder(database, graph, SCHEMA, lease)
        with pytest.raises(SchemaConflict, match="0 of 2 rows"):
            recorder.record([extraction(chunks[1], facts)])
        recorder.record([extraction(chunks[0], facts)])
        with pytest.raises(SchemaConflict, match="0 of 2 rows"):
            recorder.record([extraction(chunks[1], facts)])
    assert dump(database, graph).count('"num":') == 2


@pytest.mark.parametrize("outcome", [ChunkOutcome.FAILED, ChunkOutcome.REFUSED])
def test_an_answer_of_no_use_is_not_kept_and_its_chunk_is_asked_again(
    database: Database, graph: str, outcome: ChunkOutcome
) -> None:
    source, chunks = document(graph, "a.txt", ["One."])
    with Lease(database, graph) as lease:
        record_document(database, lease, source, chunks, configuration())
        useless = replace(extraction(chunks[0], []), outcome=outcome)
        Recorder(database, graph, SCHEMA, lease).record([useless])
        assert record_document(database, lease, source, chunks, configuration()).pending == chunks
    assert stored_answers(database, graph, [source.id], "c0") == {}


def test_a_chunk_that_comes_twice_in_one_batch_counts_once(database: Database, graph: str) -> None:
    documents = corpus(graph, {"a.txt": {"Anna met Ben.": [("Anna", "MET", "Ben")]}})
    source, extractions = documents[0]
    load(database, graph, [(source, extractions * 2)])
    assert '"evidence_count":2' not in dump(database, graph)


def test_another_file_of_the_same_name_is_refused_unless_its_text_is_the_same(database: Database, graph: str) -> None:
    source, chunks = document(graph, "notes.txt", ["Anna met Ben."])
    other, other_chunks = document(graph, "notes.txt", ["Something else."])
    with Lease(database, graph) as lease:
        record_document(database, lease, replace(source, origin="/a/notes.txt"), chunks, configuration())
        with pytest.raises(UsageError, match="another file"):
            record_document(database, lease, replace(other, origin="/b/notes.txt"), other_chunks, configuration())
        moved = record_document(database, lease, replace(source, origin="/b/notes.txt"), chunks, configuration())
        assert moved.changes == 0
        edited = record_document(database, lease, replace(other, origin="/a/notes.txt"), other_chunks, configuration())
        assert edited.changes > 0


def test_another_spelling_of_the_source_changes_nothing(database: Database, graph: str) -> None:
    source, chunks = document(graph, "notes.txt", ["Anna met Ben."])
    with Lease(database, graph) as lease:
        record_document(database, lease, replace(source, source="notes.txt"), chunks, configuration())
        before = dump(database, graph)
        again = record_document(database, lease, replace(source, source="./notes.txt"), chunks, configuration())
    assert again.changes == 0
    assert dump(database, graph) == before


def test_a_language_that_is_named_later_is_recorded(database: Database, graph: str) -> None:
    source, chunks = document(graph, "notes.txt", ["Anna met Ben."])
    with Lease(database, graph) as lease:
        record_document(database, lease, replace(source, language=None), chunks, configuration())
        named = record_document(database, lease, replace(source, language="de"), chunks, configuration())
    assert named.changes == 1
    assert [each.language for each in list_documents(database, graph)] == ["de"]


def test_author_and_date_are_stored_and_what_a_document_lacks_is_no_property(database: Database, graph: str) -> None:
    source, chunks = document(graph, "notes.txt", ["Anna met Ben."])
    with Lease(database, graph) as lease:
        record_document(database, lease, source, chunks, configuration())
        assert [(each.author, each.date) for each in list_documents(database, graph)] == [("", "")]
        assert '"author"' not in dump(database, graph)
        dated = replace(source, author="Ada Cole, Bob Day", date="05-Jul-2001")
        assert record_document(database, lease, dated, chunks, configuration()).changes == 1
    assert [(each.author, each.date) for each in list_documents(database, graph)] == [
        ("Ada Cole, Bob Day", "05-Jul-2001")
    ]
    assert '"author":"Ada Cole, Bob Day"' in dump(database, graph)


def test_another_tokeniser_is_named_in_the_refusal(database: Database, graph: str) -> None:
    source, chunks = document(graph, "notes.txt", ["Anna met Ben."])
    with Lease(database, graph) as lease:
        record_document(database, lease, source, chunks, configuration())
        other = replace(configuration("c1"), tokeniser="letters")
        with pytest.raises(UsageError, match="words, this run has letters"):
            record_document(database, lease, source, chunks, other)


def test_two_graphs_share_nothing(database: Database, graph: str, expected: str) -> None:
    other = graph + "-other"
    try:
        load(database, other, corpus(other))
        load(database, graph, corpus(graph))
        assert dump(database, graph) == expected
        with Lease(database, other) as lease:
            for source, _ in corpus(other):
                withdraw_document(database, lease, other, source.id)
            settle(database, other, SCHEMA, lease)
        assert dump(database, other) == ""
        assert dump(database, graph) == expected
    finally:
        database.write(queries.get("write/delete_graph"), graph=other, limit=10_000)


def test_documents_are_listed_with_their_progress(database: Database, graph: str) -> None:
    source, extractions = corpus(graph)[0]
    chunks = [each.chunk for each in extractions]
    with Lease(database, graph) as lease:
        record_document(database, lease, source, chunks, configuration())
        Recorder(database, graph, SCHEMA, lease).record(extractions[:1])
    (listed,) = list_documents(database, graph)
    assert (listed.title, listed.chunks, listed.done) == ("curie.txt", 3, 1)


def test_text_from_outside_is_stored_as_data(database: Database, graph: str) -> None:
    """Rows 57 and 58: names, values and file names that look like Cypher."""
    hostile = [
        "x`}) DETACH DELETE (n) //",
        "\\u0060]->() MATCH (n) DELETE n //",
        "'}) RETURN 1; DROP CONSTRAINT kg_own_entity_id //",
        "$graph",
        "{{name}}",
        "`TYPE_PLACEHOLDER`",
        "🙂\u202etxt",
    ]
    facts: list[Fact] = [(name, "KNOWS", "Anna") for name in hostile]
    before = [row["name"] for row in database.read(queries.get("write/standing_indexes"))]
    load(database, graph, corpus(graph, {hostile[0]: {hostile[1]: facts}}))
    rows = [line for line in lines(database, graph) if '"num":' in line]
    assert len(rows) == len(hostile) + 1
    stored = database.read(queries.get("write/documents"), graph=graph)
    assert stored[0]["title"] == hostile[0]
    assert [row["name"] for row in database.read(queries.get("write/standing_indexes"))] == before
    names = {json.loads(line)["properties"]["name"] for line in rows}
    assert names == {*hostile, "Anna"}


@pytest.mark.parametrize(
    "payload",
    ["X`]->() DELETE r //", "X\\u0060", "", "A" * 65, "lower", "É", "1A", "A B", "A\tB", "A\x00", "A-B", "TYPE`"],
)
def test_no_type_outside_the_allow_list_becomes_cypher(payload: str) -> None:
    """Row 56."""
    with pytest.raises(ValueError, match="allow-listed"):
        queries.get("write/settle_facts").for_type(payload)
