"""The mode tree on a real Neo4j: what is read, what is cited and by which way, and what is said of bad trees."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest
from typer.testing import CliRunner

import kg_neo4j
from fake_llm import FakeLlm
from film_graph import MODEL, TOKENISER
from kg_neo4j import Settings
from kg_neo4j._cli import app as command_line
from kg_neo4j._models.protocols import ChatModel
from kg_neo4j.errors import NotEnoughMemory, UsageError
from kg_neo4j.factory import door_to
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.queries import Query
from kg_neo4j.organise import vectors
from kg_neo4j.records import Filters, TreeStep
from kg_neo4j.retrieve import projection_cache
from kg_neo4j.retrieve.ask import prepare
from kg_neo4j.retrieve.filters import resolve
from kg_neo4j.retrieve.interface import AskOptions, Found, Search
from kg_neo4j.retrieve.question import read
from kg_neo4j.retrieve.tree import search as searching
from kg_neo4j.retrieve.tree.choice import BOTTOM_UP, TOP_DOWN, TRAVERSALS, WALK, TreeChoice
from kg_neo4j.retrieve.tree.search import retrieve
from kg_neo4j.rooms.chat.talk import chat
from kg_neo4j_offline.embedder.hashed_embedding import HashedEmbedding
from narrative_tree import PARAGRAPHS, SUMMARIES, ask, found_by, options_of, texts, write
from small_graph import load


@pytest.fixture(scope="module")
def holm(database: Database) -> Iterator[str]:
    """A graph with a story and its tree over its chunks, for tests that only read."""
    name = f"test-holm-{uuid.uuid4().hex[:12]}"
    write(database, name, MODEL, TOKENISER)
    yield name
    delete_graph(database, name)


@pytest.fixture(scope="module")
def passages(database: Database) -> Iterator[str]:
    """The same story in three chunks, with a tree over six passages."""
    name = f"test-passages-{uuid.uuid4().hex[:12]}"
    write(database, name, MODEL, TOKENISER, passages=True)
    yield name
    delete_graph(database, name)


@pytest.fixture(scope="module")
def several(database: Database) -> Iterator[tuple[str, set[str], set[str]]]:
    """A graph of two documents, one with a second tree; and the nodes of the two trees of the same document."""
    name = f"test-several-{uuid.uuid4().hex[:12]}"
    own = set(write(database, name, MODEL, TOKENISER).values())
    raptor = set(write(database, name, MODEL, TOKENISER, name="raptor").values())
    write(database, name, MODEL, TOKENISER, title="Another")
    yield name, own, raptor
    delete_graph(database, name)


def kinds(found: Found) -> set[str]:
    return {node.kind for node in found.nodes}


# ------------------------------------------------------------------------------------------------- what is read


@pytest.mark.parametrize("text", [PARAGRAPHS[3], SUMMARIES[0][3], SUMMARIES[3][3], "in short: since then the lamp at"])
def test_nodes_of_all_levels_are_found_together(database: Database, holm: str, text: str) -> None:
    found = found_by(database, holm, text)
    assert found.nodes[0].text.startswith(text)
    assert len(found.nodes) == 5
    assert [node.score for node in found.nodes] == sorted((node.score for node in found.nodes), reverse=True)


@pytest.mark.parametrize("name", ["holm", "passages"])
def test_every_node_leads_to_words_of_chunks(database: Database, name: str, request: pytest.FixtureRequest) -> None:
    graph = request.getfixturevalue(name)
    found = found_by(database, graph, "lamp promise strangers brother pardon", TreeChoice(top_k=16))
    known = texts(database, graph)
    assert kinds(found) == {"chunk", "summary", "detail"}
    for node in found.nodes:
        assert node.places
        for place in node.places:
            assert known[place.chunk_id][place.start : place.end]
            assert place.chunk_id in {chunk.id for chunk in found.chunks}
            assert [step.kind for step in place.steps][:1] == ([] if node.kind == "chunk" else [node.kind])[:1] or (
                node.kind == "chunk" and name == "passages"
            )


def test_the_way_down_goes_level_by_level(database: Database, passages: str) -> None:
    found = found_by(database, passages, SUMMARIES[3][3], TreeChoice(top_k=1))
    (top,) = found.nodes
    assert (top.aspect, top.level) == ("character", 2)
    ways = {tuple(step.kind for step in place.steps) for place in top.places}
    assert ways == {("summary", "summary", "passage")}
    assert {[step.level for step in place.steps][1] for place in top.places} == {1}
    assert {step.number for place in top.places for step in place.steps[2:]} == {0, 1, 2, 4}


def test_a_passage_over_two_chunks_is_read_as_a_part_of_each(database: Database, passages: str) -> None:
    answer = ask(database, passages, PARAGRAPHS[3], choice=TreeChoice(top_k=1))
    parts = [each for each in answer.evidence if (each.start is not None and each.score < 1.0) or each.kind == "chunk"]
    assert {each.text for each in parts} >= {PARAGRAPHS[3], "He had come to ask her pardon."}
    assert answer.shares[0].nodes == 1


def test_aspects_kinds_and_the_number_of_details_bound_what_is_read(database: Database, holm: str) -> None:
    every = TreeChoice(top_k=20)
    question = "Mara lamp brother"
    assert {n.aspect for n in found_by(database, holm, question, every).nodes if n.kind == "summary"} == {
        "theme",
        "character",
    }
    theme = found_by(database, holm, question, replace(every, aspects=("theme",)))
    assert {node.aspect for node in theme.nodes if node.kind == "summary"} == {"theme"}
    assert kinds(found_by(database, holm, question, replace(every, kinds=("summary",)))) == {"summary"}
    assert "detail" not in kinds(found_by(database, holm, question, replace(every, details=0)))
    with pytest.raises(UsageError, match="no tree 'narrative' has summaries of 'tone'"):
        found_by(database, holm, question, replace(every, aspects=("tone",)))


def test_whole_nodes_within_the_budget_are_read(database: Database, holm: str) -> None:
    answer = ask(database, holm, "promise strangers lamp", choice=TreeChoice(top_k=20), max_context_tokens=90)
    read_ones = [each for each in answer.evidence if each.score < 1.0]
    assert 0 < sum(each.token_count for each in read_ones) <= 90
    assert sum(share.nodes for share in answer.shares) == len(read_ones)
    assert ask(database, holm, "promise", max_context_tokens=3).found is False


def test_a_node_that_mostly_repeats_what_is_read_is_passed_over(database: Database, graph: str) -> None:
    ids = write(database, graph, MODEL, TOKENISER)
    repeat = Query(
        *("test/repeat", "", "", "write", (), (), "", ""),
        "MATCH (n:Summary {id: $id}) WHERE n.graph = $graph "
        "SET n.text = 'Since then the lamp at Holm\nhas never burned low.'",
    )
    every = TreeChoice(top_k=20)
    before = {node.id for node in found_by(database, graph, PARAGRAPHS[5], every).nodes}
    assert ids["t0"] in before
    database.write(repeat, graph=graph, id=ids["t0"])
    assert before - {node.id for node in found_by(database, graph, PARAGRAPHS[5], every).nodes} == {ids["t0"]}


def test_by_cosine_alone_the_nearest_are_read_and_none_is_passed_over(database: Database, holm: str) -> None:
    """The collapsed tree as it is published. In `choose` a note on a leaf that is read would be left out."""
    found = found_by(database, holm, PARAGRAPHS[5], TreeChoice(top_k=20, cosine=True)).nodes
    scores = [node.score for node in found]
    assert len(found) == 2 * len(PARAGRAPHS) + len(SUMMARIES)
    assert scores == sorted(scores, reverse=True)
    read_ones = {node.id for node in found}
    assert all(node.leaf in read_ones for node in found if node.kind == "detail")
    assert len(found_by(database, holm, PARAGRAPHS[5], TreeChoice(cosine=True)).nodes) == 5


def test_a_note_on_a_leaf_that_is_read_is_passed_over(database: Database, holm: str) -> None:
    found = found_by(database, holm, PARAGRAPHS[5], TreeChoice(top_k=20))
    read_ones = [node.id for node in found.nodes]
    for place, node in enumerate(found.nodes):
        if node.kind == "detail":
            assert node.leaf
            assert node.leaf not in read_ones[:place]
    assert found.nodes[0].text == PARAGRAPHS[5]


def test_other_graphs_that_crowd_the_index_do_not_hide_a_tree(
    database: Database, graph: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = [f"{graph}-{number}" for number in range(3)]
    write(database, graph, MODEL, TOKENISER)
    monkeypatch.setattr(searching, "FETCH", 4)
    monkeypatch.setattr(searching, "SPARE", 1)
    leaves = TreeChoice(top_k=1, kinds=("chunk",), cosine=True)
    question = "Lovelace met Charles Babbage"
    expected = found_by(database, graph, question, leaves).nodes
    try:
        for other in others:
            load(database, other)
            vectors.embed(database, other, MODEL, TOKENISER)
        found = found_by(database, graph, question, leaves)
        assert [node.id for node in found.nodes] == [node.id for node in expected]
        assert len(found.nodes) == 1
    finally:
        for other in others:
            delete_graph(database, other)


def test_another_tree_of_the_same_document_is_left_out(
    database: Database, several: tuple[str, set[str], set[str]]
) -> None:
    graph, own, raptor = several
    every = TreeChoice(top_k=20)
    assert not {node.id for node in found_by(database, graph, PARAGRAPHS[2], every).nodes} & (raptor - own)
    found = {node.id for node in found_by(database, graph, PARAGRAPHS[2], replace(every, name="raptor")).nodes}
    assert found <= raptor
    assert found - own


def test_without_an_index_the_search_is_exact_and_the_same(database: Database, holm: str) -> None:
    search = Search(holm, read(PARAGRAPHS[4]), options=options_of(), mode="tree")
    search, _ = prepare(database, search, MODEL, TOKENISER)
    assert search.node_index
    near = retrieve(database, search)
    exact = retrieve(database, replace(search, node_index=None))
    assert [node.id for node in near.nodes] == [node.id for node in exact.nodes]
    assert [node.score for node in near.nodes] == pytest.approx([node.score for node in exact.nodes], abs=1e-6)


# ---------------------------------------------------------------------------------------------------- traversal


def test_top_down_goes_from_the_roots_to_the_leaves_of_what_is_best(database: Database, holm: str) -> None:
    found = found_by(database, holm, "siblings dutiful pardon", TreeChoice(top_k=1, traversal=TOP_DOWN))
    assert [node.level for node in sorted(found.nodes, key=lambda node: -node.level)] == [2, 1, 0]
    assert {node.aspect for node in found.nodes if node.kind == "summary"} == {"character"}


def test_bottom_up_goes_from_the_leaves_to_their_summaries(database: Database, holm: str) -> None:
    found = found_by(database, holm, PARAGRAPHS[1], TreeChoice(top_k=1, traversal=BOTTOM_UP))
    assert sorted((node.kind, node.level) for node in found.nodes) == [("chunk", 0), ("summary", 1), ("summary", 2)]
    assert found.nodes[0].text == PARAGRAPHS[1]


# ------------------------------------------------------------------------------------------------------ filters


@pytest.mark.parametrize(("given", "beside"), [("holm", {2, 4}), ("passages", {2})])  # half of passage 4 is read
def test_a_walk_reaches_the_leaves_beside_those_that_are_near(
    database: Database, given: str, beside: set[int], request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It starts at one leaf, and comes to its neighbours and to the summaries made from it first."""
    graph = request.getfixturevalue(given)
    monkeypatch.setattr(searching, "SEEDS", 1)
    every = TreeChoice(top_k=20, traversal=WALK)
    found = found_by(database, graph, PARAGRAPHS[3], every)
    leaves = [node.number for node in found.nodes if node.kind == "chunk"]
    assert leaves[0] == 3
    assert set(leaves[1 : 1 + len(beside)]) == beside
    assert SUMMARIES[0][3] in [node.text for node in found.nodes]  # of leaf 3
    assert "detail" not in {node.kind for node in found.nodes}
    assert found_by(database, graph, PARAGRAPHS[3], every) == found
    assert found.nodes[:2] == found_by(database, graph, PARAGRAPHS[3], replace(every, top_k=2)).nodes
    alone = found_by(database, graph, "Mara", replace(every, kinds=("summary",)))
    assert {node.kind for node in alone.nodes} == {"summary"}


def test_a_walk_goes_from_an_entity_to_the_leaves_that_mention_it(
    database: Database, graph: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The two leaves have neither words nor a summary in common, and do not stand side by side."""
    ids = write(database, graph, MODEL, TOKENISER)
    mention = Query(
        *("test/mention", "", "", "write", (), (), "", ""),
        "CREATE (e:KgEntity:Entity {id: $graph + 'e', graph: $graph, name: 'Holm Light', key: 'x', num: 1}) "
        "WITH e UNWIND $leaves AS id MATCH (c:KgChunk {id: id}) CREATE (e)-[:MENTIONED_IN {name: 'Holm Light'}]->(c)",
    )
    monkeypatch.setattr(searching, "SEEDS", 1)
    every = TreeChoice(top_k=20, traversal=WALK, kinds=("chunk",))
    before = [node.id for node in found_by(database, graph, PARAGRAPHS[5], every).nodes]
    with Lease(database, graph) as lease:
        lease.write(mention, graph=graph, leaves=[ids["l0"], ids["l5"]])
    after = [node.id for node in found_by(database, graph, PARAGRAPHS[5], every).nodes]
    assert after.index(ids["l0"]) < before.index(ids["l0"])
    assert projection_cache.forget(database, graph) == 2  # that of the former state, too


def test_without_memory_for_a_walk_the_collapsed_tree_is_read(
    database: Database, holm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise NotEnoughMemory("too small")

    monkeypatch.setattr(projection_cache.KeptProjection, "walk", refuse)
    found = found_by(database, holm, PARAGRAPHS[3], TreeChoice(traversal=WALK))
    assert found.nodes == found_by(database, holm, PARAGRAPHS[3], TreeChoice()).nodes
    assert "links were not followed: too small" in found.notes


def test_filters_take_away_every_node_that_rests_on_what_they_do_not_leave(database: Database, graph: str) -> None:
    write(database, graph, MODEL, TOKENISER)
    known = texts(database, graph)
    left = sorted(each for each, text in known.items() if text in (PARAGRAPHS[0], PARAGRAPHS[2]))
    mentioned = (
        "CREATE (e:KgEntity:Entity {id: $graph, graph: $graph, name: 'oil', type: 'STUFF'}) "
        "WITH e MATCH (c:KgChunk) WHERE c.id IN $left CREATE (e)-[:MENTIONED_IN]->(c)"
    )
    database.write(Query("test", "", "", "write", (), (), "", "", mentioned), graph=graph, left=left)
    scope = resolve(database, graph, Filters(types=("stuff",)))
    for traversal in TRAVERSALS:
        choice = TreeChoice(top_k=20, traversal=traversal)
        found = found_by(database, graph, "Mara lamp", choice, scope)
        assert found.nodes
        for node in found.nodes:
            assert {place.chunk_id for place in node.places} <= set(left)
        summaries = [node.text for node in found.nodes if node.kind == "summary"]
        assert set(summaries) <= {SUMMARIES[1][3]}


def test_a_document_filter_leaves_its_own_tree(database: Database, several: tuple[str, set[str], set[str]]) -> None:
    answer = ask(database, several[0], "Mara brother", Filters(documents=("Another",)), choice=TreeChoice(top_k=20))
    assert {each.document for each in answer.evidence} == {"Another"}
    assert "filtered by document Another" in answer.notes[0]


# ------------------------------------------------------------------------------------------------ what is cited


def test_without_a_model_a_sentence_is_cited_with_its_way(database: Database, holm: str) -> None:
    answer = ask(database, holm, "How many men reached the shore?")
    assert (answer.found, answer.answer) == (False, "Four men reached the shore, and one of them was Jonas. [1]")
    (citation,) = answer.citations
    assert answer.passages[0].citation == citation
    assert answer.passages[0].before == "A schooner struck the rocks before midnight."
    assert texts(database, holm)[citation.chunk_id][citation.start : citation.end] == citation.quote
    assert len(answer.descents) == 1
    assert answer.shares
    assert sum(share.share for share in answer.shares) == pytest.approx(1)


def test_without_a_model_a_summary_is_no_answer_and_what_it_sums_up_is_read(database: Database, graph: str) -> None:
    write(database, graph, MODEL, TOKENISER)
    retold = Query(
        *("test/retold", "", "", "write", (), (), "", ""),
        "MATCH (n:Summary {aspect: 'theme'}) WHERE n.graph = $graph SET n.text = $text",
    )
    database.write(retold, graph=graph, text="The theme is that a light is a promise.")
    answer = ask(database, graph, "Which promise is a light?", choice=TreeChoice(kinds=("summary",)))
    assert answer.answer == "Mara says that a light is a promise one makes to strangers. [1]"
    assert [[step.aspect for step in way] for way in answer.descents] == [["theme"]]
    for question in ("What is the theme?", "Who invented the telephone?"):
        none = ask(database, graph, question, choice=TreeChoice(kinds=("summary",)))
        assert (none.found, none.answer, none.passages) == (False, "No answer found.", ())


def test_a_models_mark_of_a_summary_leads_to_the_sentences_of_its_leaves(
    database: Database, holm: str, llm: FakeLlm, model: ChatModel
) -> None:
    def say(prompt: str, user: str) -> str:
        marks = {line.partition("]")[0][1:]: line for line in user.splitlines() if line.startswith("[")}
        mark = next(mark for mark, line in marks.items() if "a summary of its theme" in line)
        return f"A light is a promise that one makes to strangers [{mark}]. Mara sold three horses [{mark}]."

    llm.rules = say
    answer = ask(database, holm, SUMMARIES[0][3], door=door_to(model), choice=TreeChoice(kinds=("summary",)))
    assert answer.answer.startswith("A light is a promise that one makes to strangers [1].")
    assert answer.citations[0].quote.endswith("Mara says that a light is a promise one makes to strangers.")
    assert texts(database, holm)[answer.citations[0].chunk_id] == PARAGRAPHS[5]
    assert answer.descents[0] == (TreeStep("summary", answer.descents[0][0].id, "theme", 1, 0),)
    assert [claim.support for claim in answer.claims] == ["supported", "quoted"]


def test_what_is_cited_may_stand_in_several_leaves(
    database: Database, holm: str, llm: FakeLlm, model: ChatModel
) -> None:
    llm.rules = lambda _, user: (
        "The schooner struck the rocks, and Mara says that a light is a promise one makes to strangers [C1]."
    )
    answer = ask(database, holm, SUMMARIES[0][3], door=door_to(model), choice=TreeChoice(top_k=1, kinds=("summary",)))
    assert len(answer.citations) == 2
    assert {each.quote[:20] for each in answer.citations} == {"A schooner struck th", "Mara says that a lig"}
    assert answer.claims[0].support == "supported"
    assert len(answer.descents) == 2


# --------------------------------------------------------------------------------------- trees that are no good


def test_a_missing_an_unfinished_and_a_stale_tree_are_said_with_what_to_do(database: Database, graph: str) -> None:
    load(database, graph)
    answer = ask(database, graph, "Who was Mara?")
    assert answer.passages == ()
    assert answer.notes[0] == "1 document has no tree (“Ada”): `kg tree` builds it"
    ids = write(database, graph, MODEL, TOKENISER)
    assert "1 of 2 documents have no tree (“Ada”)" in ask(database, graph, "Who was Mara?").notes[0]
    assert "`kg tree --name raptor` builds it" in ask(database, graph, "Mara?", choice=TreeChoice("raptor")).notes[0]
    change = Query(
        *("test/change", "", "", "write", (), (), "", ""),
        "MATCH (c:Chunk {id: $id}) WHERE c.graph = $graph DETACH DELETE c",
    )
    database.write(change, graph=graph, id=ids["l1"])
    stale = ask(database, graph, "How many men reached the shore?")
    assert stale.answer.startswith("Four men reached the shore")
    assert "1 of 2 documents have changed since their tree was built (“Holm”)" in stale.notes[1]
    write(database, graph, MODEL, TOKENISER, complete=False)
    unfinished = ask(database, graph, "How many men reached the shore?")
    assert unfinished.passages == ()
    assert "have a tree that was not finished (“Holm”)" in unfinished.notes[1]


def test_vectors_of_another_model_are_said(database: Database, holm: str) -> None:
    class Other(HashedEmbedding):
        name = "other-1"

    answer = ask(database, holm, "Who was Mara?", embedder=Other())
    assert not answer.found
    assert any("searched by vectors" in note for note in answer.notes)


# ------------------------------------------------------------------------- the command, the library and a talk


@pytest.fixture
def offline_holm(settings: Settings, holm: str) -> Settings:
    """The graph with the story, and settings with the model of its vectors alone."""
    own = {"graph": holm, "openai_api_key": None, "openai_base_url": None, "embedding_model": "hashed-ngram-256-1"}
    return settings.model_copy(update=own)


def test_the_library_and_a_conversation_answer_in_this_mode(offline_holm: Settings) -> None:
    answer = kg_neo4j.ask("How many men reached the shore?", settings=offline_holm, mode="tree")
    assert (answer.mode, len(answer.descents)) == ("tree", 1)
    with chat(settings=offline_holm, options=AskOptions("tree")) as talk:
        assert talk.ask("How many men reached the shore?").answer.shares == answer.shares
        talk.switch("naive")
        talk.switch("tree")
    with pytest.raises(UsageError, match="for the mode tree"):
        kg_neo4j.ask("Who?", settings=offline_holm, mode="naive", tree=TreeChoice(top_k=2))


def test_the_command_shows_shares_and_ways(
    offline_holm: Settings, environment: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    own = {"KG_EMBEDDING_MODEL": "hashed-ngram-256-1", "KG_GRAPH": offline_holm.graph}
    for name, value in {**environment, **own}.items():
        monkeypatch.setenv(name, value)
    words = ["ask", "How many men reached the shore?", "--mode", "tree", "--top-k", "3"]
    told = CliRunner().invoke(command_line.app, [*words, "--stats", "--show"])
    assert told.exit_code == 0, told.output
    assert "3 nodes of the tree: " in told.output
    shape = json.loads(CliRunner().invoke(command_line.app, [*words, "--json", "--aspect", "theme"]).stdout)
    assert shape["mode"] == "tree"
    assert sum(share["nodes"] for share in shape["shares"]) == 3
    assert len(shape["descents"]) == len(shape["citations"])
    down = json.loads(CliRunner().invoke(command_line.app, [*words, "--json", "--traversal", "top-down"]).stdout)
    assert {share["kind"] for share in down["shares"]} >= {"summary"}
