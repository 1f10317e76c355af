"""Notes by aspect: one for each aspect that a leaf's clusters show, none where the leaf says nothing of it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from fake_llm import FakeLlm
from kg_neo4j import AbstractSummariser, Settings, TreeBuildOptions, ask
from kg_neo4j.errors import UsageError
from kg_neo4j.graph.archive_records import is_key
from kg_neo4j.graph.database import Database
from kg_neo4j.offline import cues
from kg_neo4j.organise.tree.aspects import load_aspects
from kg_neo4j.organise.tree.interface import Aspect
from kg_neo4j.pipeline import TreeChoice, plan_tree, tree
from tree_runs import ASPECTS, NAMES, dump, read, say, shown_text, story, tell

BY_ASPECT = TreeBuildOptions(details=2, details_by="aspect")
_OF = re.compile(r"of one aspect alone into a note: (.*)\.$", re.MULTILINE)


def aspect_of_note(prompt: str) -> str:
    """Return the aspect that a note is asked for; empty for another question."""
    found = _OF.search(prompt)
    return next(aspect.name for aspect in ASPECTS if aspect.title == found[1]) if found else ""


def say_some(prompt: str, user: str) -> str:
    """Say something of two aspects where the text is long, of the others nothing."""
    aspect = aspect_of_note(prompt)
    if not aspect:
        return say(prompt, user)
    text = shown_text(user)
    return f"{aspect}: {' '.join(text.split()[:4])}" if aspect in NAMES[:2] and len(text) % 2 else "NONE"


def notes(database: Database, graph: str) -> Sequence[Mapping[str, Any]]:
    return read(
        database,
        """
        MATCH (d:Detail)-[:DETAILS]->(leaf:Chunk) WHERE d.graph = $graph
        RETURN d.id AS id, d.text AS text, d.aspect AS aspect, d.number AS number, d.method AS method, leaf.id AS leaf,
               COLLECT { MATCH (leaf)<-[:SUMMARISES]-(s:Summary) RETURN DISTINCT s.aspect } AS shown
        ORDER BY leaf, number
        """,
        graph=graph,
    )


def about_notes(llm: FakeLlm) -> Counter[str]:
    return Counter(aspect_of_note(request.prompt) for request in llm.requests if aspect_of_note(request.prompt))


def test_without_a_model_a_note_is_the_sentence_with_most_cues(
    database: Database, graph: str, offline: Settings
) -> None:
    tell(database, graph, "lamp", story())
    done = tree(settings=offline, options=BY_ASPECT)
    found = notes(database, graph)
    assert 0 < done.details == len(found)
    assert max(Counter(row["leaf"] for row in found).values()) == 2
    own = {aspect.name: aspect for aspect in ASPECTS}
    for row in found:
        assert row["aspect"] in row["shown"]
        if not row["text"].endswith("…"):  # what was cut may have lost its cue
            assert sum(cues.weight(each, own[row["aspect"]]) for each in cues.sentences_of(row["text"])) > 0
    for leaf in {row["leaf"] for row in found}:
        assert [row["number"] for row in found if row["leaf"] == leaf] == list(
            range(sum(row["leaf"] == leaf for row in found))
        )
    before = dump(database, graph)
    again = tree(settings=offline)
    assert (again.changes, again.details) == (0, done.details)
    assert dump(database, graph) == before


def test_what_notes_are_on_may_change_at_any_time(database: Database, graph: str, offline: Settings) -> None:
    tell(database, graph, "lamp", story())
    tree(settings=offline)
    first = dump(database, graph)
    assert {row["aspect"] for row in notes(database, graph)} == {None}
    assert tree(settings=offline, options=TreeBuildOptions(details_by="aspect")).details
    assert None not in {row["aspect"] for row in notes(database, graph)}
    tree(settings=offline, options=TreeBuildOptions(details_by="text"))
    assert dump(database, graph) == first
    with pytest.raises(UsageError, match="by text or by aspect, not by 'page'"):
        tree(settings=offline, options=TreeBuildOptions(details_by="page"))


def test_a_model_is_asked_for_each_aspect_and_its_silence_is_kept(
    database: Database, graph: str, online: Settings, llm: FakeLlm
) -> None:
    llm.rules = say_some
    tell(database, graph, "lamp", story()[:20])
    planned = plan_tree(settings=online, options=BY_ASPECT)
    done = tree(settings=online, options=BY_ASPECT)
    assert sum(about_notes(llm).values()) == planned.calls["details"] == planned.details == 40
    assert any("there can be no more notes" in line for line in planned.assumptions)
    found = notes(database, graph)
    assert 0 < done.details == len(found) < 40
    assert all(row["text"].startswith(f"{row['aspect']}: ") and row["method"] == "model" for row in found)
    [request] = [each for each in llm.requests if aspect_of_note(each.prompt)][:1]
    assert request.body["temperature"] == 0.5
    assert "answer with the one word NONE" in request.prompt
    before = dump(database, graph)
    llm.requests.clear()
    assert plan_tree(settings=online).usage.calls == 0
    assert tree(settings=online).changes == 0
    assert tree(settings=online.model_copy(update={"model": "another"})).changes == 0
    assert tree(settings=online, options=TreeBuildOptions(rebuild=True)).unfinished == ()
    assert llm.calls == 0
    assert dump(database, graph) == before
    fewer = tree(settings=online, options=TreeBuildOptions(details=1))
    assert (llm.calls, fewer.details) == (0, len({row["id"] for row in notes(database, graph)}))
    tree(settings=online, options=TreeBuildOptions(details=2))
    assert dump(database, graph) == before


def test_the_notes_of_a_changed_leaf_are_asked_for_again(
    database: Database, graph: str, online: Settings, llm: FakeLlm
) -> None:
    llm.rules = say_some
    paragraphs = story()[:16]
    tell(database, graph, "lamp", paragraphs)
    tree(settings=online, options=BY_ASPECT)
    llm.requests.clear()
    tell(database, graph, "lamp", (*paragraphs[:7], paragraphs[7] + " The boat was new.", *paragraphs[8:]))
    assert tree(settings=online).unfinished == ()
    assert sum(about_notes(llm).values()) == 2
    assert tree(settings=online).changes == 0
    kept = read(
        database, "MATCH (t:Tree) WHERE t.graph = $graph RETURN t.silent AS silent, t.answers AS keys", graph=graph
    )
    silent = json.loads(kept[0]["silent"])
    assert {key for _, *keys in silent.values() for key in keys} <= set(kept[0]["keys"])
    stored = read(database, "MATCH (a:Answer)-[:ANSWERS]->(:Tree {graph: $graph}) RETURN a.id AS id", graph=graph)
    assert {key for _, *keys in silent.values() for key in keys} <= {row["id"] for row in stored}
    assert is_key("silent")


class Words(AbstractSummariser):
    """Says the first words of a text; nothing of a short one."""

    method = "words"

    def __init__(self, name: str, count: int) -> None:
        self._name, self.count = name, count

    @property
    def name(self) -> str:
        return self._name

    def summarize(self, context: str, max_tokens: int = 200) -> str:
        return " ".join(context.split()[: self.count]) if len(context) > 150 else ""


def test_summarisers_of_ones_own_write_notes_by_aspect(database: Database, graph: str, offline: Settings) -> None:
    paragraphs = story()[:12]
    tell(database, graph, "lamp", paragraphs)
    options = TreeBuildOptions(details=3, details_by="aspect")
    own = [Words("detail", 5), Words("detail:plot", 2)]
    done = tree(settings=offline, options=options, summarisers=own)
    found = notes(database, graph)
    assert len(found) == done.details > 0
    assert {len(row["text"].split()) for row in found if row["aspect"] == "plot"} == {2}
    assert {len(row["text"].split()) for row in found if row["aspect"] != "plot"} == {5}
    assert {row["method"] for row in found} == {"words"}
    long = {text for text in paragraphs if len(text) > 150}
    assert len({row["leaf"] for row in found}) == len(long)
    assert all(len([row for row in found if row["leaf"] == leaf and row["aspect"] != "plot"]) <= 1 for leaf in found)
    assert tree(settings=offline, options=options, summarisers=own).changes == 0


def test_cues_of_a_file_find_notes_and_their_change_asks_for_no_rebuild(
    database: Database, graph: str, offline: Settings
) -> None:
    light = Aspect("light", "light", "What gives light?", cues=("lamp*", "light*", "flame*"))
    sea = Aspect("sea", "the sea", "What of the sea?", cues=("sea", "boat*", "wave*"))
    tell(database, graph, "lamp", story())
    tree(settings=offline, options=TreeBuildOptions(aspects=(light, sea), details=2, details_by="aspect"))
    found = notes(database, graph)
    assert {row["aspect"] for row in found} == {"light", "sea"}
    whole = [row["text"] for row in found if row["aspect"] == "light" and not row["text"].endswith("…")]
    assert whole  # what was cut may have lost its cue
    assert all(re.search(r"\b(lamp|light|flame)", text, re.I) for text in whole)
    other = Aspect("sea", "the sea", "What of the sea?", cues=("harbour*",))
    assert tree(settings=offline, options=TreeBuildOptions(aspects=(light, other))).unfinished == ()
    assert tree(settings=offline).changes == 0
    with pytest.raises(UsageError, match="the aspects light, sea"):
        tree(settings=offline, options=TreeBuildOptions(aspects=load_aspects("law")))


def test_a_question_for_an_aspect_reads_its_notes_alone(database: Database, graph: str, offline: Settings) -> None:
    tell(database, graph, "lamp", story())
    tree(settings=offline, options=BY_ASPECT)
    named = {row["id"]: row["aspect"] for row in notes(database, graph)}
    of = Counter(named.values()).most_common(1)[0][0]
    for choice in (
        TreeChoice(kinds=("detail",), aspects=(of,), top_k=8),
        TreeChoice(kinds=("detail",), aspects=(of,), top_k=8, cosine=True),
    ):
        answer = ask("What happened to the lamp?", settings=offline, mode="tree", tree=choice)
        assert [(share.kind, share.aspect) for share in answer.shares] == [("detail", of)]
        assert {named[each.id] for each in answer.evidence if each.kind == "detail"} == {of}
    every = ask(
        "What happened to the lamp?", settings=offline, mode="tree", tree=TreeChoice(kinds=("detail",), top_k=9)
    )
    assert len({share.aspect for share in every.shares}) > 1
