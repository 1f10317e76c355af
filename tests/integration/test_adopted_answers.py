"""Questions on documents and on a graph that the database has: what both sides say is shown; nothing changes there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import adopted
from foreign_graph import foreign, run
from kg_neo4j import LoadOptions, Settings, factory, load
from kg_neo4j._models import tokens
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.database import Database
from kg_neo4j.progress import SILENT
from kg_neo4j.retrieve import local
from kg_neo4j.retrieve.ask import prepare
from kg_neo4j.retrieve.interface import AskOptions, Search
from kg_neo4j.retrieve.packing import pack_found
from kg_neo4j.retrieve.question import read
from kg_neo4j.rooms.adopt.adopting import adopt
from kg_neo4j.rooms.adopt.proposing import propose_map

pytestmark = [pytest.mark.long, pytest.mark.needs("kg_neo4j_readers", "kg_neo4j_offline")]

OPTIONS = LoadOptions(analytics=False, gleanings=0)


@pytest.fixture
def movies(database: Database) -> Iterator[Database]:
    """A database that has the graph of films of tests/data/adopt."""
    graph = adopted.movies()
    adopted.write(database, graph)
    try:
        yield database
    finally:
        adopted.remove(database, graph)


def shown_rows(settings: Settings, question: str) -> set[str]:
    """Return the rows of the other graph that a model is shown for a question: label or type, and key."""
    embedder, tokeniser = factory.embedding_model(settings), tokens.load()
    with connect(settings, SILENT, as_it_is=True) as database:
        search = Search(settings.graph, read(question), options=AskOptions(), mode="local")
        search, _ = prepare(database, search, embedder, tokeniser)
        found = local.retrieve(database, search)
        packed = pack_found(found, search.question, tokeniser, search.context_tokens)
    return {f"{each.chunk.document} {each.chunk.section}" for each in packed.sources if each.chunk.row is not None}


def test_rows_that_a_question_needs_are_shown_where_only_a_text_leads_to_them(
    movies: Database, offline: Settings, tmp_path: Path
) -> None:
    before = foreign(movies)
    texts = tmp_path / "texts"
    texts.mkdir()
    for name, text in adopted.documents().items():
        if adopted.graph_of(name) == "movies":
            (texts / name).write_text(text, "utf-8")
    load([str(texts)], settings=offline.with_models(adopted.reader(), None), options=OPTIONS)
    path = tmp_path / "map.toml"
    path.write_text(propose_map(offline), "utf-8")
    adopt(path, settings=offline, options=OPTIONS)
    links = run(movies, "MATCH (e {graph: $graph})-[r:SAME_AS]->(n) RETURN r.how AS how", graph=offline.graph)
    assert sum(row["how"] != "key" for row in links) > 80
    missing: dict[str, set[str]] = {}
    for file in ("questions.toml", "questions_unseen.toml"):
        for each in adopted.questions(file):
            if each["graph"] == "movies" and each["links"]:
                shown = shown_rows(offline, each["question"])
                missing[each["question"]] = {_as_row(link) for link in each["links"]} - shown
    assert {question: rows for question, rows in missing.items() if rows} == {}
    assert foreign(movies) == before


def _as_row(link: str) -> str:
    """Return what the row of a relationship is called, of "Joel Coen DIRECTED Fargo"."""
    start, kind, end = re.split(r" ([A-Z]{5,}|ACTED_IN) ", link)
    return f"{kind} {start} -> {end}"
