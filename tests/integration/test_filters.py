"""Filters on a real Neo4j: everything that is found, told of and cited obeys them, and what obeys them is found."""

from __future__ import annotations

import json
import random
import uuid
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from unittest import mock

import neo4j
import pytest

import film_graph
import filter_graph
from filter_graph import Left, left
from kg_neo4j import Settings
from kg_neo4j._models import tokens
from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.errors import UsageError
from kg_neo4j.factory import without_model
from kg_neo4j.graph import constraints
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.queries import Query
from kg_neo4j.organise import search_indexes, vectors
from kg_neo4j.organise.analytics import refresh
from kg_neo4j.organise.community_reports import write_reports
from kg_neo4j.pipeline.commands.ask import ask
from kg_neo4j.records import Answer, Filters
from kg_neo4j.retrieve import filters, projection_cache
from kg_neo4j.retrieve.filtered import all_left, left_of
from kg_neo4j.retrieve.filters import resolve
from kg_neo4j.retrieve.interface import Found, Search
from kg_neo4j.retrieve.local import retrieve as retrieve_local
from kg_neo4j.retrieve.naive import retrieve as retrieve_naive
from kg_neo4j.retrieve.question import fulltext_query, read
from kg_neo4j_offline.embedder.hashed_embedding import HashedEmbedding
from kg_runner import Kg
from small_graph import OTHER_PARAGRAPHS
from small_graph import load as load_small

TOKENISER = tokens.load("approximate-1")
MODEL = HashedEmbedding()
DOCUMENTS = 12
SEEDS = 1  # of random filters that `make test` tries
QUESTIONS = ("Who met Ada?", "Did Ben leave Oslo?", "Clara, Dora and the Guild", "part 2", "what was seen")


@pytest.fixture(scope="module")
def pages(database: Database) -> Iterator[str]:
    """Twelve documents, three chunks each, with vectors, communities and reports."""
    name = f"test-filters-{uuid.uuid4().hex[:12]}"
    filter_graph.load(database, name, DOCUMENTS, seed=7)
    embed(database, name)
    with Lease(database, name) as lease:
        refresh(database, name, lease=lease)
        write_reports(database, name, without_model(), TOKENISER, lease=lease)
    yield name
    projection_cache.forget(database, name)
    delete_graph(database, name)


def embed(database: Database, graph: str) -> None:
    vectors.prepare(database, MODEL)
    vectors.embed(database, graph, MODEL, TOKENISER)


def search(database: Database, graph: str, question: str, filters: Filters, *, by: str = "both") -> Search:
    asked = read(question)
    vector = tuple(float(value) for value in MODEL.embed([question])[0])
    words = None if by == "meaning" else fulltext_query(asked)
    found = Search(graph, asked, words, scope=resolve(database, graph, filters))
    if by == "words":
        return found
    return replace(found, vector=vector, passage_index=constraints.vector_index_name("Passage", MODEL))


def check_found(found: Found, kept: Left, everything: Left) -> None:
    assert {chunk.id for chunk in found.chunks} <= kept.chunks
    assert {entity.id for entity in found.entities} <= kept.entities
    assert {fact.id for fact in found.facts} <= kept.facts
    places = [place for entity in found.entities for place in entity.mentions]
    places += [place for fact in found.facts for place in fact.statements]
    assert {place.chunk_id for place in places} <= {chunk.id for chunk in found.chunks}
    others = {chunk_id[:6] for chunk_id in everything.chunks - kept.chunks}
    for text in (*(each.description for each in found.entities), *(each.description for each in found.facts)):
        assert not any(mark in text for mark in others)  # each description names the chunk that gave it


def check_answer(answer: Answer, kept: Left) -> None:
    shown = [each for each in answer.evidence if each.kind != "report"]
    assert {citation.chunk_id for citation in answer.citations} <= kept.chunks
    assert {each.chunk_id for each in shown} <= kept.chunks
    facts = [each for each in shown if each.kind == "fact"]
    assert {each.id for each in facts} <= kept.facts
    ends = {each.id for each in shown if each.kind == "entity"} - kept.entities
    names = [each.text.split(" (")[0] for each in shown if each.kind == "entity" and each.id in ends]
    assert all(any(name in fact.text for fact in facts) for name in names)  # the other end of a fact that is left


def answered(database: Database, graph: str, question: str, filters: Filters, mode: str = "auto") -> Answer:
    return film_graph.answer(database, graph, question, mode, filters)


# ------------------------------------------------------------------------------------------ everything obeys them


@pytest.mark.parametrize(
    "seed", [seed if seed < SEEDS else pytest.param(seed, marks=pytest.mark.long) for seed in range(30)]
)
def test_whatever_is_found_obeys_random_filters(database: Database, pages: str, seed: int) -> None:
    chance = random.Random(seed)
    everything = left(database, pages, Filters())
    for _ in range(2):
        filters = filter_graph.random_filters(chance, DOCUMENTS)
        kept = left(database, pages, filters)
        try:
            scope = resolve(database, pages, filters)
        except UsageError:
            assert not kept.chunks
            continue
        if scope is None:
            assert not filters
            continue
        found = all_left(database, pages, scope)
        assert (set(found.chunks), set(found.entities), set(found.facts)) == (kept.chunks, kept.entities, kept.facts)
        every = everything.chunks | everything.entities | everything.facts
        assert left_of(database, scope, every) == kept.chunks | kept.entities | kept.facts
        question = chance.choice(QUESTIONS)
        for by in ("words", "meaning", "both"):
            made = search(database, pages, question, filters, by=by)
            check_found(retrieve_local(database, made), kept, everything)
            naive = retrieve_naive(database, made)
            check_found(naive, kept, everything)
            if by == "meaning":
                assert len(naive.chunks) == min(12, len(kept.chunks))  # all that is left can be found
        check_answer(answered(database, pages, question, filters), kept)
        check_answer(
            answered(database, pages, "What are the main themes?", filters, "global"),
            kept,
        )


def test_without_filters_nothing_is_left_out(database: Database, pages: str) -> None:
    assert resolve(database, pages, Filters()) is None
    everything = resolve(database, pages, Filters(languages=("en",), kinds=("file",)))
    assert everything
    assert len(all_left(database, pages, everything).chunks) < 3 * DOCUMENTS
    all_of_them = resolve(database, pages, Filters(documents=("*",)))
    assert all_of_them
    assert len(all_left(database, pages, all_of_them).chunks) == 3 * DOCUMENTS


def test_what_another_document_says_of_an_entity_is_not_told(database: Database, graph: str) -> None:
    load_small(database, graph)
    chopin = [[("Ada Lovelace", "HEARD", "Chopin", "Fryderyk Chopin")]]
    load_small(database, graph, "Chopin", OTHER_PARAGRAPHS, chopin)
    embed(database, graph)
    made = search(database, graph, "Whom did Ada Lovelace hear?", Filters(("Chopin",)))
    found = retrieve_local(database, made)
    assert {chunk.document for chunk in found.chunks} == {"Chopin"}
    assert {fact.type for fact in found.facts} == {"HEARD"}
    assert "Chopin" in {entity.name for entity in found.entities}
    given = answered(database, graph, "Who was Ada Lovelace?", Filters(("Chopin",)))
    assert (given.found, given.passages) == (False, ())
    assert "filtered by document Chopin: 2 chunks" in given.notes


def test_a_walk_may_begin_at_somebody_whom_the_filtered_document_does_not_name(database: Database, graph: str) -> None:
    load_small(database, graph, "one", ["Ada Lind met Ben Moe."], [[("Ada Lind", "MET", "Ben Moe", "Ada Lind met")]])
    load_small(database, graph, "two", ["Ben Moe lived in Oslo."], [[("Ben Moe", "LIVED_IN", "Oslo", "Ben Moe lived")]])
    search_indexes.create_fulltext(database)
    asked = read("Ada Lind?")
    scope = resolve(database, graph, Filters(("two",)))
    found = retrieve_local(database, Search(graph, asked, fulltext_query(asked), scope=scope))
    assert [chunk.document for chunk in found.chunks] == ["two"]
    projection_cache.forget(database, graph)


# ----------------------------------------------------------------------------------------- enough is still found


@pytest.fixture(scope="module")
def two_thousand(database: Database) -> Iterator[str]:
    """One document among two thousand that all use its words."""
    name = f"test-many-{uuid.uuid4().hex[:12]}"
    load_small(database, name)
    texts = [f"Charles Babbage died at his home, said witness {number}." for number in range(2_000)]
    rows = [
        {
            "document": hash_id("document", name, str(number)),
            "chunk": hash_id("chunk", name, str(number)),
            "title": f"Witness {number}",
            "text": text,
            "vector": [float(value) for value in vector],
        }
        for number, (text, vector) in enumerate(zip(texts, MODEL.embed(texts), strict=True))
    ]
    made = (
        "UNWIND $rows AS row CREATE (d:KgDocument:Document {id: row.document, graph: $graph, title: row.title, "
        "key: row.title, kind: 'file', language: 'en'}) "
        "CREATE (:KgChunk:Chunk {id: row.chunk, graph: $graph, document_id: row.document, index: 0, "
        "text: row.text, token_count: 9, section: '', embedding: row.vector, done: true})-[:IN_DOCUMENT]->(d)"
    )
    database.write(Query("test", "", "", "write", (), (), "", "", made), graph=name, rows=rows)
    embed(database, name)
    yield name
    projection_cache.forget(database, name)
    delete_graph(database, name)


@pytest.mark.parametrize("by", [*(pytest.param(by, marks=pytest.mark.slow) for by in ("words", "meaning")), "both"])
@pytest.mark.parametrize("mode", [retrieve_local, retrieve_naive], ids=["local", "naive"])
def test_a_small_document_among_two_thousand_is_found_in_whole(
    database: Database, two_thousand: str, mode: object, by: str
) -> None:
    question = "Where did Charles Babbage die at his home?"
    asked = search(database, two_thousand, question, Filters(("Ada",)), by=by)
    found = mode(database, asked)  # type: ignore[operator]
    assert {chunk.document for chunk in found.chunks} == {"Ada"}
    assert len(found.chunks) == (2 if by == "words" else 3)  # one of its three has no word of the question
    unfiltered = mode(database, replace(asked, scope=None))  # type: ignore[operator]
    if mode is retrieve_naive:
        assert "Ada" not in {chunk.document for chunk in unfiltered.chunks[:5]}  # it would not have been found


def test_the_answer_comes_from_the_small_document(database: Database, two_thousand: str) -> None:
    given = answered(database, two_thousand, "When did Babbage die?", Filters(("Ada",)))
    assert "18 October 1871" in given.answer
    assert {passage.citation.document for passage in given.passages} == {"Ada"}


def test_half_of_the_documents_are_searched_by_the_index(database: Database, two_thousand: str) -> None:
    filters = Filters(("Witness 1*",))
    found = retrieve_naive(database, search(database, two_thousand, "Charles Babbage's home", filters, by="meaning"))
    assert len(found.chunks) == 12
    assert all(chunk.document.startswith("Witness 1") for chunk in found.chunks)


def test_filters_leave_what_is_walked_over_alone(database: Database, two_thousand: str) -> None:
    def version() -> list[str]:
        listed = "CALL gds.graph.list() YIELD graphName AS name RETURN name ORDER BY name"
        rows = database.read(Query("test", "", "", "read", (), (), "", "", listed))
        return [row["name"] for row in rows if row["name"].startswith(projection_cache.prefix(two_thousand))]

    retrieve_local(database, search(database, two_thousand, "Who met Charles Babbage?", Filters()))
    before = version()
    retrieve_local(database, search(database, two_thousand, "Who met Charles Babbage?", Filters(("Ada",))))
    assert len(before) == 1
    assert version() == before


# ------------------------------------------------------------------------------------------- how documents are named


ROWS = [
    {
        "id": "a" * 32,
        "names": ["Rain Road (film)", "films/rain.md", "The Road"],
        "source": "rain.md",
        "language": "en",
        "kind": "file",
    },
    {"id": "b" * 32, "names": ["Żółw", "notes/ZOLW.txt"], "source": "my/ZOLW.txt", "language": "pl", "kind": "file"},
    {
        "id": "c" * 32,
        "names": ["Who? [draft]", "en.wikipedia.org/1"],
        "source": "Who?",
        "language": None,
        "kind": "wikipedia",
    },
    {"id": "d" * 32, "names": ["Große  Straße", "d.txt"], "source": None, "language": "de", "kind": "file"},
]


@pytest.fixture(scope="module")
def named(database: Database) -> Iterator[str]:
    """A graph of documents alone."""
    name = f"test-named-{uuid.uuid4().hex[:12]}"
    write_documents(database, name, ROWS)
    yield name
    delete_graph(database, name)


def write_documents(database: Database, graph: str, rows: list[dict[str, Any]]) -> None:
    made = (
        "UNWIND $rows AS row CREATE (:KgDocument:Document {id: row.id, graph: $graph, title: row.names[0], "
        "key: row.names[1], redirects: row.names[2..], source: row.source, language: row.language, kind: row.kind})"
    )
    database.write(Query("test", "", "", "write", (), (), "", "", made), graph=graph, rows=rows)


def chosen(database: Database, graph: str, wanted: str) -> list[str]:
    scope = resolve(database, graph, Filters((wanted,)))
    assert scope
    return sorted(each[0] for each in all_left(database, graph, scope).documents)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("rain road (film)", "a"),
        ("The Road", "a"),
        ("rain.md", "a"),
        ("films/rain.md", "a"),
        ("a" * 32, "a"),
        ("films/*", "a"),
        ("RAIN*FILM)", "a"),
        ("große straße", "d"),
        ("GROSSE*", "d"),
        ("*road*", "a"),
        ("ŻÓŁW", "b"),
        ("Z\u0307o\u0301łw", "b"),
        ("zolw.tx?", "b"),
        ("my/*", "b"),
        ("Who? [draft]", "c"),
        ("Who? [*", "c"),
        ("*", "abcd"),
    ],
)
@pytest.mark.parametrize("few", [filters.FEW, 0], ids=["by ids", "by names"])
def test_a_document_is_named_by_id_title_key_file_or_pattern(
    database: Database, named: str, monkeypatch: pytest.MonkeyPatch, wanted: str, found: str, few: int
) -> None:
    monkeypatch.setattr(filters, "FEW", few)
    assert chosen(database, named, wanted) == list(found)


def test_a_name_that_nothing_bears_is_refused_with_what_is_near(database: Database, named: str) -> None:
    with pytest.raises(UsageError, match="'Rain Rood'") as refused:
        resolve(database, named, Filters(("Rain Rood",)))
    assert refused.value.hint == "there are 'Rain Road (film)', and 3 more"
    with pytest.raises(UsageError) as refused:
        resolve(database, named, Filters(("nothing alike",)))
    assert "'Żółw'" in str(refused.value.hint)


def test_a_pattern_of_many_stars_takes_no_time(database: Database, graph: str) -> None:
    write_documents(database, graph, [{**ROWS[0], "id": graph, "names": ["a" * 3_000, "key"]}])
    with pytest.raises(UsageError):
        resolve(database, graph, Filters(("a*" * 40 + "b",)))


# ------------------------------------------------------------------------------------------------- nothing travels


def parameters_of(database: Database, graph: str, filters: Filters, mode: str) -> list[int]:
    """Return the sizes of the parameters of each query that a filtered question sends."""
    sizes = []
    run = neo4j.Transaction.run

    def noted(self: neo4j.Transaction, query: Any, parameters: Any = None, **more: Any) -> Any:
        assert parameters
        assert parameters.keys() == {"given"}  # those of a question are one map
        sizes.append(max((len(each) for each in parameters["given"].values() if isinstance(each, list)), default=0))
        return run(self, query, parameters, **more)

    with mock.patch.object(neo4j.Transaction, "run", noted):
        retrieve = retrieve_local if mode == "local" else retrieve_naive
        found = retrieve(database, search(database, graph, "Where did Charles Babbage die at his home?", filters))
    assert found.chunks
    return sizes


@pytest.mark.parametrize("mode", ["naive", "local"])
@pytest.mark.parametrize(
    ("fewer", "more"),
    [
        pytest.param(Filters(("Witness 199*",)), Filters(("Witness 1*",)), id="documents"),
        pytest.param(
            *(Filters(("Witness 199*",), languages=("en",)), Filters(languages=("en",))),
            id="language",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            *(Filters(("Witness 199*",), kinds=("file",)), Filters(kinds=("file",))), id="kind", marks=pytest.mark.slow
        ),
    ],
)
def test_no_parameter_grows_with_the_chunks_that_are_left(
    database: Database, two_thousand: str, mode: str, fewer: Filters, more: Filters
) -> None:
    """Of 11 and of more than 1,000 documents: 384 numbers of a vector are the most that is sent."""
    small, large = (max(parameters_of(database, two_thousand, each, mode)) for each in (fewer, more))
    assert small == large == MODEL.dimension


# --------------------------------------------------------------------------------------------- what is not there


@pytest.mark.parametrize(
    ("filters", "said", "hint"),
    [
        (Filters(("Page 99",)), "no document of graph .* is called 'Page 99'", "'Page 9'"),
        (Filters(languages=("de",)), "has the language 'de'", "there are en, pl"),
        (Filters(kinds=("web",)), "has the kind 'web'", "there are file, wikipedia"),
        (Filters(types=("ship",)), "no entities of type 'ship'", "'PERSON'"),
        (Filters(("Page 1",), ("pl",)), "passes all filters", "'Page 0'"),
    ],
    ids=lambda value: str(value)[:30],
)
@pytest.mark.parametrize("mode", ["naive", "local", "auto", "global"])
def test_what_the_graph_has_not_is_said_with_what_it_has(
    database: Database, pages: str, mode: str, filters: Filters, said: str, hint: str
) -> None:
    def attempt() -> Answer:
        if mode == "global":
            return answered(database, pages, "Themes?", filters, "global")
        return answered(database, pages, "Who met Ada?", filters, mode)

    with pytest.raises(UsageError, match=said) as refused:
        attempt()
    assert hint in str(refused.value.hint)


@pytest.mark.slow
def test_years_of_which_nothing_is_told_are_no_error(database: Database, pages: str) -> None:
    given = answered(database, pages, "Who met Ada?", Filters(since=2001))
    assert not given.found
    assert given.evidence == ()
    assert any("that the filters select" in note for note in given.notes)
    whole = answered(database, pages, "Themes?", Filters(since=2001), "global")
    assert not whole.found
    assert any("no report" in note and "filters select" in note for note in whole.notes)


def test_an_empty_graph_is_said_to_be_empty(database: Database, graph: str) -> None:
    given = answered(database, graph, "Who met Ada?", Filters(("Ada",), types=("PERSON",)))
    assert any("is empty" in note for note in given.notes)


# ------------------------------------------------------------------------------------------------ from outside


def test_the_library_and_the_command_line_take_filters(
    database: Database, offline: Settings, graph: str, kg: Kg
) -> None:
    hashed = offline.model_copy(update={"embedding_model": "hashed-ngram-256-1"})
    load_small(database, graph)
    load_small(database, graph, "Chopin", OTHER_PARAGRAPHS, [])
    embed(database, graph)
    given = ask("When did Babbage die?", settings=hashed, filters=Filters(("Ada",), ("pl",)[:0], until=1871))
    assert {citation.document for citation in given.citations} <= {"Ada"}
    command, model = ("ask", "When did Babbage die?", "--json"), {"KG_EMBEDDING_MODEL": "hashed-ngram-256-1"}
    code, out, err = kg(*command, "--document", "ad?", "--type", "person", **model)
    shape = json.loads(out)
    assert (code, shape["found"]) == (0, True), err
    assert {each["document"] for each in shape["citations"]} == {"Ada"}
    assert shape["routing"] == {"mode": "local", "why": "the question names Babbage"}
    code, out, _ = kg(*command, "--document", "Chopine", **model)
    assert code == 2
    assert json.loads(out)["error"]["hint"] == "there are 'Chopin', and 1 more"
