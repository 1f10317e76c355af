"""Notes by aspect: one for each aspect that a leaf's clusters show, none where the leaf says nothing of it."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from kg_neo4j import AbstractSummariser
from kg_neo4j.errors import UsageError
from kg_neo4j.organise.tree.aspects import load_aspects
from kg_neo4j.organise.tree.interface import Aspect
from kg_neo4j.organise.tree.stored import DETAIL, SUMMARY, Node
from kg_neo4j_offline import cues
from memory_trees import MemoryTrees, Told, by, scripted
from tree_runs import ASPECTS, aspect_of_note, say_some, story

BY_ASPECT = {"details": 2, "details_by": "aspect"}


def leaf_of(note: Node) -> str:
    [(leaf,)] = note.links
    return leaf


def notes(trees: MemoryTrees, told: Told) -> list[Node]:
    """Return the notes of a tree, by leaf and number."""
    return sorted(trees.nodes(told, DETAIL), key=lambda note: (leaf_of(note), note.properties["number"]))


def aspects(found: list[Node]) -> set[str | None]:
    return {note.properties.get("aspect") for note in found}


def test_without_a_model_a_note_is_the_sentence_with_most_cues() -> None:
    trees = MemoryTrees()
    lamp = trees.tell("lamp", story())
    done = trees.build(lamp, **BY_ASPECT)
    found = notes(trees, lamp)
    assert 0 < done.details == len(found)
    assert max(Counter(leaf_of(note) for note in found).values()) == 2
    own = {aspect.name: aspect for aspect in ASPECTS}
    shown = {(link[0], node.properties["aspect"]) for node in trees.nodes(lamp, SUMMARY) for link in node.links}
    for note in found:
        text, aspect = note.properties["text"], note.properties["aspect"]
        assert (leaf_of(note), aspect) in shown
        if not text.endswith("…"):  # what was cut may have lost its cue
            assert sum(cues.weight(each, own[aspect]) for each in cues.sentences_of(text)) > 0
    for leaf in {leaf_of(note) for note in found}:
        numbers = [note.properties["number"] for note in found if leaf_of(note) == leaf]
        assert numbers == list(range(len(numbers)))
    before = trees.stored(lamp)
    again = trees.build(lamp)
    assert (again.changes, again.details) == (0, done.details)
    assert trees.stored(lamp) == before


def test_what_notes_are_on_may_change_at_any_time() -> None:
    trees = MemoryTrees()
    lamp = trees.tell("lamp", story())
    trees.build(lamp)
    first = trees.stored(lamp)
    assert aspects(notes(trees, lamp)) == {None}
    assert trees.build(lamp, details_by="aspect").details
    assert None not in aspects(notes(trees, lamp))
    trees.build(lamp, details_by="text")
    assert trees.stored(lamp) == first


def test_a_model_is_asked_for_each_aspect_and_its_silence_is_kept() -> None:
    model, trees = scripted(say_some), MemoryTrees()
    lamp = trees.tell("lamp", story()[:20])
    planned = trees.plan(lamp, by(model), **BY_ASPECT)
    done = trees.build(lamp, by(model), **BY_ASPECT)
    about = [request for request in model.requests if request.kind == "detail"]
    assert len(about) == sum(each.kind == "detail" for each in planned.open) == planned.details == 40
    assert planned.options.details_by == "aspect"
    found = notes(trees, lamp)
    assert 0 < done.details == len(found) < 40
    assert all(note.properties["text"].startswith(f"{note.properties['aspect']}: ") for note in found)
    assert {note.properties["method"] for note in found} == {"model"}
    assert {request.temperature for request in about} == {0.5}
    assert all("answer with the one word NONE" in request.system + request.user for request in about)
    before, asked = trees.stored(lamp), len(model.requests)
    assert trees.plan(lamp, by(model)).open == ()
    assert trees.build(lamp, by(model)).changes == 0
    other = scripted(name="another")
    assert (trees.build(lamp, by(other)).changes, other.requests) == (0, [])
    assert trees.build(lamp, by(model), rebuild=True).unfinished == ""
    assert trees.stored(lamp) == before
    fewer = trees.build(lamp, by(model), details=1)
    assert fewer.details == len(notes(trees, lamp)) < done.details
    assert len(model.requests) == asked
    trees.build(lamp, by(model), details=2)
    assert trees.stored(lamp) == before


def test_the_notes_of_a_changed_leaf_are_asked_for_again() -> None:
    model, trees, paragraphs = scripted(say_some), MemoryTrees(), story()[:16]
    lamp = trees.tell("lamp", paragraphs)
    trees.build(lamp, by(model), **BY_ASPECT)
    before = len(model.requests)
    trees.tell("lamp", (*paragraphs[:7], paragraphs[7] + " The boat was new.", *paragraphs[8:]))
    assert trees.build(lamp, by(model)).unfinished == ""
    asked = [aspect_of_note(f"{each.system}\n{each.user}") for each in model.requests[before:] if each.kind == "detail"]
    assert len(asked) == 2
    assert all(asked)
    assert trees.build(lamp, by(model)).changes == 0


class Words(AbstractSummariser):
    """Writes the first words of a text; nothing of a short one."""

    method = "words"

    def __init__(self, name: str, count: int) -> None:
        self._name, self.count = name, count

    @property
    def name(self) -> str:
        return self._name

    def summarize(self, context: str, max_tokens: int = 200) -> str:
        return " ".join(context.split()[: self.count]) if len(context) > 150 else ""


def test_summarisers_of_ones_own_write_notes_by_aspect() -> None:
    trees, paragraphs = MemoryTrees(), story()[:12]
    lamp = trees.tell("lamp", paragraphs)
    options = {"details": 3, "details_by": "aspect", "own": [Words("detail", 5), Words("detail:plot", 2)]}
    done = trees.build(lamp, **options)
    found = notes(trees, lamp)
    assert len(found) == done.details > 0
    on_plot = [note for note in found if note.properties["aspect"] == "plot"]
    others = [note for note in found if note.properties["aspect"] != "plot"]
    assert {len(note.properties["text"].split()) for note in on_plot} == {2}
    assert {len(note.properties["text"].split()) for note in others} == {5}
    assert {note.properties["method"] for note in found} == {"words"}
    assert len({leaf_of(note) for note in found}) == sum(len(text) > 150 for text in paragraphs)
    assert set(Counter(leaf_of(note) for note in others).values()) == {1}  # a note that repeats another is none
    assert trees.build(lamp, **options).changes == 0


def test_cues_of_a_file_find_notes_and_their_change_asks_for_no_rebuild() -> None:
    light = Aspect("light", "light", "What gives light?", cues=("lamp*", "light*", "flame*"))
    sea = Aspect("sea", "the sea", "What of the sea?", cues=("sea", "boat*", "wave*"))
    trees = MemoryTrees()
    lamp = trees.tell("lamp", story())
    trees.build(lamp, aspects=(light, sea), **BY_ASPECT)
    found = notes(trees, lamp)
    assert aspects(found) == {"light", "sea"}
    texts = [note.properties["text"] for note in found if note.properties["aspect"] == "light"]
    whole = [text for text in texts if not text.endswith("…")]
    assert whole  # what was cut may have lost its cue
    assert all(re.search(r"\b(lamp|light|flame)", text, re.I) for text in whole)
    other = Aspect("sea", "the sea", "What of the sea?", cues=("harbour*",))
    assert trees.build(lamp, aspects=(light, other)).unfinished == ""
    assert trees.build(lamp).changes == 0
    with pytest.raises(UsageError, match="the aspects light, sea"):
        trees.build(lamp, aspects=load_aspects("law"))
