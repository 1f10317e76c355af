"""The walk from what a question names: what it reaches, and when what it walks over is made anew."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kg_neo4j.graph import queries
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.queries import parse
from kg_neo4j.organise import search_indexes
from kg_neo4j.retrieve import local, pagerank, projection_cache
from kg_neo4j.retrieve.interface import Linked, Search
from kg_neo4j.retrieve.linking import link
from kg_neo4j.retrieve.question import fulltext_query, read
from small_graph import load

FILM = ["Rain Road is a film of 1931 that Ada Lind made in Bergen."]
DIRECTOR = ["Lind was a Norwegian maker of films. She grew up with her aunt in Oslo."]
NOISE = ["Many a film is made in Bergen, and many who make a film grew up there."]
PROJECTIONS = parse(
    "// title: T\n// purpose: P\n// mode: read\n// params: none\n"
    "// columns: name STRING\n// order: name\n// source: T\n"
    "CALL gds.graph.list() YIELD graphName AS name RETURN name ORDER BY name",
    "test",
)


@pytest.fixture
def films(database: Database, graph: str) -> Iterator[str]:
    """Two pages that answer together, and others that use the words of the question."""
    load(database, graph, "Rain Road (film)", FILM, [[("Ada Lind", "MADE", "Rain Road", FILM[0])]])
    load(database, graph, "Ada Lind", DIRECTOR, [[("Lind", "GREW_UP_IN", "Oslo", DIRECTOR[0])]])
    for number in range(6):
        load(database, graph, f"Note {number}", NOISE, [[("Bergen", "HAS", f"Maker {number}", "made in Bergen")]])
    search_indexes.create_fulltext(database)
    yield graph
    projection_cache.forget(database, graph)
    delete_graph(database, graph)


def names_of(database: Database, graph: str) -> list[str]:
    prefix = projection_cache.prefix(graph)
    return [row["name"] for row in database.read(PROJECTIONS) if row["name"].startswith(prefix)]


def titles(database: Database, graph: str, question: str, chunks: int = 12) -> list[str]:
    asked = read(question)
    found = local.retrieve(database, Search(graph, asked, fulltext_query(asked)), chunks)
    return [chunk.document for chunk in found.chunks if chunk.score > 0]


def test_the_page_a_second_hop_away_comes_before_those_that_share_words(database: Database, films: str) -> None:
    assert titles(database, films, "Where did the one who made Rain Road grow up?")[:2] == [
        "Rain Road (film)",
        "Ada Lind",
    ]


def test_a_page_is_named_by_its_title_though_no_entity_is(database: Database, films: str) -> None:
    assert titles(database, films, "What does Note 3 say?")[0] == "Note 3"


def test_a_page_on_which_nothing_is_named_is_found_and_not_started_from(database: Database, films: str) -> None:
    load(database, films, "Silence", ["Nothing is said here."], [])
    assert titles(database, films, "What is Silence?") == ["Silence"]
    assert "Ada Lind" in titles(database, films, "What has Silence to do with Rain Road?")


def test_names_are_linked_whatever_their_case_and_with_slips(database: Database, films: str) -> None:
    exact = link(database, films, read("Who made Rain Road?"))
    assert exact.entities
    assert exact.documents
    assert link(database, films, read("who made rain road")).entities == exact.entities
    assert (
        link(database, films, read("Who was Ada Lindd?")).entities == link(database, films, read("Ada Lind?")).entities
    )


def test_of_another_graph_nothing_is_linked(database: Database, films: str, graph: str) -> None:
    assert not link(database, f"{graph}-other", read("Who made Rain Road?"))


def test_the_projection_is_made_once_and_anew_when_the_graph_has_changed(database: Database, films: str) -> None:
    titles(database, films, "Who made Rain Road?")
    first = names_of(database, films)
    titles(database, films, "Where did Ada Lind grow up?")
    assert len(first) == 1
    assert names_of(database, films) == first
    with Lease(database, films):  # took the right to write and wrote nothing
        pass
    titles(database, films, "Who made Rain Road?")
    assert names_of(database, films) == first
    load(database, films, "Bergen", ["Bergen lies by the sea."], [[("Bergen", "LIES_BY", "the sea", "Bergen lies by")]])
    assert "Bergen" in titles(database, films, "Bergen?")
    assert set(names_of(database, films)) > set(first)


def test_a_dropped_projection_is_made_again(database: Database, films: str) -> None:
    before = titles(database, films, "Where did the one who made Rain Road grow up?")
    assert projection_cache.forget(database, films) == 1
    assert titles(database, films, "Where did the one who made Rain Road grow up?") == before


def test_what_another_question_drops_at_the_same_time_is_no_error(
    database: Database, films: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = queries.get
    header = real("retrieve/drop_search").text.split("CALL", 1)[0]
    gone = [parse(f"{header}CALL gds.graph.drop('gone') YIELD graphName AS name RETURN name", "test")]
    is_drop = "retrieve/drop_search".__eq__
    monkeypatch.setattr(queries, "get", lambda name: gone.pop() if gone and is_drop(name) else real(name))
    question = "Where did the one who made Rain Road grow up?"
    assert titles(database, films, question)[:2] == ["Rain Road (film)", "Ada Lind"]
    assert not gone


def test_the_same_question_gives_the_same_answer(database: Database, films: str) -> None:
    start = link(database, films, read("Rain Road and Ada Lind"))
    assert pagerank.spread(database, films, start) == pagerank.spread(database, films, start)


@pytest.mark.parametrize("keep", [1, 2, 4, 60])
def test_how_many_are_looked_at_first_changes_nothing(database: Database, films: str, keep: int) -> None:
    start = link(database, films, read("Rain Road and Bergen"))
    assert pagerank.spread(database, films, start).chunks
    given = {"entities": start.entities, "documents": start.documents, "chunks": [], "most": 3_000, "keep": keep}
    how = {"name": names_of(database, films)[0], "damping": 0.85, "iterations": 20, "tolerance": 1e-4}
    found = [
        database.read(queries.get("retrieve/spread"), **given, **how, first=first) for first in (1, 2, 4, 9, 3_000)
    ]
    assert len(found[-1]) > min(keep, 10)
    assert all(each == found[-1] for each in found)


def test_a_graph_without_entities_is_walked_over_nowhere(database: Database, graph: str) -> None:
    load(database, graph, "plain", ["Nothing is named here."], [])
    assert pagerank.spread(database, graph, Linked(("x",), ("y",))) == pagerank.Reached()
    delete_graph(database, graph)


def test_with_too_little_memory_for_a_projection_the_stored_graph_is_walked_over(
    database: Database, films: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = parse(queries.get("retrieve/estimate_search").text.replace("projection + walk", "2 ^ 50 + walk"), "test")
    real = queries.get
    monkeypatch.setattr(queries, "get", lambda name: small if name == "retrieve/estimate_search" else real(name))
    question = "Where did the one who made Rain Road grow up?"
    assert titles(database, films, question)[:2] == ["Rain Road (film)", "Ada Lind"]
    assert names_of(database, films) == []


@pytest.mark.parametrize("question", ["Rain Road and Ada Lind", "Bergen", "Maker 3", "Oslo and Note 2"])
def test_a_walk_over_the_stored_graph_reaches_what_one_over_a_projection_does(
    database: Database, films: str, question: str
) -> None:
    start = link(database, films, read(question))
    assert start
    projected = pagerank.spread(database, films, start)
    stored = pagerank.walk_stored(database, films, start, (), None, 8)
    assert projected.chunks
    for found, expected in ((stored.chunks, projected.chunks), (stored.entities, projected.entities)):
        assert dict(found) == pytest.approx(dict(expected), abs=0.003)


def test_in_a_large_database_nothing_is_projected(
    database: Database, films: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = titles(database, films, "Where did the one who made Rain Road grow up?")
    projection_cache.forget(database, films)
    monkeypatch.setattr(pagerank, "LARGE", 1)
    assert titles(database, films, "Where did the one who made Rain Road grow up?") == before
    assert names_of(database, films) == []


def test_of_what_very_many_chunks_mention_each_gains_too_little_to_be_told(
    database: Database, films: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is reached by its other names all the same, and one that mentions both comes first."""
    monkeypatch.setattr(pagerank, "LEAST", 0.05)  # of two chunks each gains 0.06, of six 0.02
    hub = link(database, films, read("Bergen"))
    assert pagerank.walk_stored(database, films, hub, (), None, 8).chunks == ()
    both = Linked(hub.entities + link(database, films, read("Maker 3")).entities)
    assert len(pagerank.walk_stored(database, films, both, (), None, 8).chunks) == 1


def test_a_step_walks_on_from_so_many_chunks_and_from_none_of_those_alike_where_all_would_be_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gains = {"a": 0.3, "b": 0.2, "c": 0.2, "entity": 0.1, "faint": 1e-5}
    walked_on = []
    for breadth in (3, 2):
        monkeypatch.setattr(pagerank, "BREADTH", breadth)
        walked_on.append(set(pagerank._walked_on(gains, {"entity"})))
    assert walked_on == [{"a", "b", "c", "entity"}, {"a", "entity"}]
