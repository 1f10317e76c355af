"""Notes by aspect in Neo4j: silence is stored with its answers, and a question reads the notes of its aspect alone.

What is asked and written is shown without a server: tests/unit/organise/tree/test_details_by_aspect.py.
"""

from __future__ import annotations

import json
from collections import Counter

from fake_llm import FakeLlm
from kg_neo4j import Settings, TreeBuildOptions, ask
from kg_neo4j.graph.archive_records import is_key
from kg_neo4j.graph.database import Database
from kg_neo4j.pipeline.commands.tree import plan_tree, tree
from kg_neo4j.retrieve.tree.choice import TreeChoice
from tree_runs import aspect_of_note, read, say_some, story, tell

BY_ASPECT = TreeBuildOptions(details=2, details_by="aspect")


def test_silence_is_stored_with_its_answers_also_where_a_leaf_changes(
    database: Database, graph: str, online: Settings, llm: FakeLlm
) -> None:
    llm.rules = say_some
    paragraphs = story()[:8]
    tell(database, graph, "lamp", paragraphs)
    plan = plan_tree(settings=online, options=BY_ASPECT)
    assert any("there can be no more notes" in line for line in plan.assumptions)
    tree(settings=online, options=BY_ASPECT)
    asked = llm.calls
    assert tree(settings=online).changes == 0
    assert llm.calls == asked
    tell(database, graph, "lamp", (*paragraphs[:3], paragraphs[3] + " The boat was new.", *paragraphs[4:]))
    assert tree(settings=online).unfinished == ()
    assert sum(bool(aspect_of_note(request.prompt)) for request in llm.requests[asked:]) == 2
    kept = read(
        database, "MATCH (t:Tree) WHERE t.graph = $graph RETURN t.silent AS silent, t.answers AS keys", graph=graph
    )
    silent = {key for _, *keys in json.loads(kept[0]["silent"]).values() for key in keys}
    assert silent
    assert silent <= set(kept[0]["keys"])
    stored = read(database, "MATCH (a:Answer)-[:ANSWERS]->(:Tree {graph: $graph}) RETURN a.id AS id", graph=graph)
    assert silent <= {row["id"] for row in stored}
    assert is_key("silent")


def test_a_question_for_an_aspect_reads_its_notes_alone(database: Database, graph: str, offline: Settings) -> None:
    tell(database, graph, "lamp", story())
    tree(settings=offline, options=BY_ASPECT)
    notes = "MATCH (d:Detail)-[:DETAILS]->(:Chunk) WHERE d.graph = $graph RETURN d.id AS id, d.aspect AS aspect"
    named = {row["id"]: row["aspect"] for row in read(database, notes, graph=graph)}
    of = Counter(named.values()).most_common(1)[0][0]
    question = "What happened to the lamp?"
    choice = TreeChoice(kinds=("detail",), aspects=(of,), top_k=8)
    for each in (choice, TreeChoice(kinds=("detail",), aspects=(of,), top_k=8, cosine=True)):
        answer = ask(question, settings=offline, mode="tree", tree=each)
        assert [(share.kind, share.aspect) for share in answer.shares] == [("detail", of)]
        assert {named[found.id] for found in answer.evidence if found.kind == "detail"} == {of}
    every = ask(question, settings=offline, mode="tree", tree=TreeChoice(kinds=("detail",), top_k=9))
    assert len({share.aspect for share in every.shares}) > 1
