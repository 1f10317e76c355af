"""What a question carries from step to step: the search that is prepared, and the citations of an answer."""

from __future__ import annotations

from dataclasses import fields, replace

from film_graph import MODEL, TOKENISER, load_films
from kg_neo4j.graph.database import Database
from kg_neo4j.records import Citation, Claim, TreeStep
from kg_neo4j.retrieve.ask import prepare
from kg_neo4j.retrieve.checking.standing import keep_standing
from kg_neo4j.retrieve.interface import UNANSWERED, AskOptions, ChunkChoice, Linked, Scope, Search
from kg_neo4j.retrieve.question import read

PREPARED = {"words", "vector", "rest", "chunk_index", "passage_index", "node_index"}
BORN = "She was born in Oslo, Norway."
STEPS = (TreeStep("summary", "one", "theme", 1, 0),), (TreeStep("summary", "two", "theme", 1, 1),)


def test_a_search_is_prepared_and_keeps_all_else_that_it_has(database: Database, graph: str) -> None:
    load_films(database, graph)
    options = AskOptions("naive", chunks=ChunkChoice(3))
    given = Search(
        graph,
        read("Who directed Rain Road?"),
        scope=Scope((), {}, "nothing"),
        linked=Linked(names=("Rain Road",)),
        options=options,
        mode="naive",
    )
    search, notes = prepare(database, given, MODEL, TOKENISER)
    kept = {each.name for each in fields(Search)} - PREPARED
    assert {name: getattr(search, name) for name in kept} == {name: getattr(given, name) for name in kept}
    assert search.words
    assert search.vector
    assert search.chunk_index
    assert notes == []


def test_an_answer_loses_what_is_gone_and_each_citation_keeps_its_path(database: Database, graph: str) -> None:
    load_films(database, graph)
    rows, _, _ = database.driver.execute_query(
        "MATCH (c:Chunk {graph: $graph}) WHERE c.text CONTAINS $text RETURN c.id AS id, c.text AS text",
        graph=graph,
        text=BORN,
    )
    start = rows[0]["text"].index(BORN)
    there = Citation(rows[0]["id"], "Ada Lind", start, start + len(BORN), BORN)
    gone = Citation("0" * 32, "Salt", 0, 4, "Salt")
    claims = Claim("Salt is a film.", (1,), "supported"), Claim("Ada Lind was born in Oslo.", (2,), "supported")
    text = "Salt is a film [1]. Ada Lind was born in Oslo [2]."
    answer = replace(UNANSWERED, answer=text, found=True, citations=(gone, there), claims=claims, descents=STEPS)
    left = keep_standing(database, graph, answer)
    assert left.answer == "Salt is a film. Ada Lind was born in Oslo [1]."
    assert (left.found, left.citations, left.descents) == (True, (there,), STEPS[1:])
    assert [(claim.support, claim.citations) for claim in left.claims] == [("uncited", ()), ("supported", (1,))]
    lost = keep_standing(database, graph, replace(answer, citations=(gone, replace(gone, end=3, quote="Sal"))))
    assert (lost.found, lost.answer, lost.citations, lost.descents) == (False, "", (), ())
