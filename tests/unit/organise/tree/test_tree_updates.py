"""A text changes and its tree follows: only what rests on the change is written, as a first build would have it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import pytest

from kg_neo4j._models.embedding import Vectors
from kg_neo4j.organise.tree.stored import DETAIL, SUMMARY, StoredTree
from kg_neo4j.pipeline.commands.tree import notes_on
from kg_neo4j_offline.embedder.static_embedding import StaticEmbedding
from memory_trees import NARRATIVE, MemoryTrees, Told, by, scripted
from tree_runs import kind_of, saga, say, shown_text, story


def say_all(prompt: str, user: str) -> str:
    """Say something else wherever a single letter of the text is another."""
    if kind_of(prompt) == "aspects":
        return say(prompt, user)
    digest = hashlib.sha256(shown_text(user).encode()).hexdigest()
    return f"Seal {digest[:8]}. {' '.join(say(prompt, user).split()[:80])}."


def above(trees: MemoryTrees, told: Told, paragraph: str) -> set[str]:
    """Return the summaries that rest on a paragraph, over any levels."""
    reached = {row["id"] for row in trees.chunks(told["id"]) if row["text"] == paragraph}
    assert len(reached) == 1
    for node in sorted(trees.nodes(told, SUMMARY), key=lambda node: node.order):
        if reached & {link[0] for link in node.links}:
            reached.add(node.id)
    return reached & trees.stored(told).nodes.keys()


def of_label(tree: StoredTree, ids: set[str], label: str) -> set[str]:
    return {id for id in ids if tree.nodes[id].label == label}


@pytest.mark.parametrize("place", [0, 40, 79])
def test_exactly_the_ancestors_of_a_changed_paragraph_are_written_again(place: int) -> None:
    model, trees, paragraphs = scripted(say_all), MemoryTrees(), list(saga()[:80])
    lamp = trees.tell("lamp", paragraphs)
    trees.build(lamp, by(model))
    before, asked = trees.stored(lamp), len(model.requests)
    old = above(trees, lamp, paragraphs[place])
    paragraphs[place] = "In the end the harbour of Skarnes burned the whole night, and nobody in the town put it out."
    trees.tell("lamp", paragraphs)
    plan = trees.plan(lamp, by(model))
    done = trees.build(lamp, by(model))
    after, new = trees.stored(lamp), above(trees, lamp, paragraphs[place])
    ancestors = {each for each in old | new if each in after.nodes}
    assert len(old) > 7
    assert len(new) > 7
    assert ancestors < of_label(after, set(after.nodes), SUMMARY)
    changed = {id for id in before.nodes.keys() & after.nodes.keys() if before.nodes[id] != after.nodes[id]}
    came, gone = after.nodes.keys() - before.nodes.keys(), before.nodes.keys() - after.nodes.keys()
    assert changed | of_label(after, came, SUMMARY) == ancestors
    assert [len(of_label(after, came, DETAIL)), len(of_label(before, gone, DETAIL))] == [1, 1]
    assert done.changes == len(changed) + len(came) + len(gone) + 1
    assert done.usage.calls == len(model.requests) - asked == len(ancestors) + 1
    first = sum(after.nodes[id].properties["level"] == 1 for id in ancestors)
    assert sum((each.kind, each.level) == ("summary", 1) for each in plan.open) == first
    again = trees.build(lamp, by(model))
    assert (again.changes, again.usage.calls) == (0, 0)


@pytest.mark.parametrize("edit", ["insert", "remove", "swap", "halve"])
def test_an_edit_and_a_rebuild_give_what_a_first_build_gives(edit: str) -> None:
    door, trees, paragraphs = by(scripted()), MemoryTrees(), list(saga()[20:80])
    lamp = trees.tell("lamp", paragraphs)
    trees.build(lamp, door)
    if edit == "insert":
        paragraphs.insert(5, "A storm came up from the sea, and the bell of Skarnes rang by itself.")
    elif edit == "remove":
        del paragraphs[5]
    elif edit == "swap":
        paragraphs[3], paragraphs[12] = paragraphs[12], paragraphs[3]
    else:
        del paragraphs[12:]
    trees.tell("lamp", paragraphs)
    kept = trees.build(lamp, door)
    assert kept.unfinished == ""
    assert kept.changes
    assert trees.build(lamp, door).changes == 0
    assert trees.build(lamp, door, rebuild=True).unfinished == ""
    after = trees.stored(lamp)
    assert trees.build(lamp, door, rebuild=True).changes == 0
    other = MemoryTrees()
    other.build(other.tell("lamp", paragraphs), door)
    assert other.stored(lamp) == after


def test_an_edit_that_is_taken_back_gives_the_former_tree() -> None:
    trees, paragraphs = MemoryTrees(), list(saga()[:60])
    lamp = trees.tell("lamp", paragraphs)
    trees.build(lamp)
    before = trees.stored(lamp)
    trees.tell("lamp", [*paragraphs[:6], "A sentence of another kind altogether.", *paragraphs[8:]])
    trees.build(lamp)
    assert trees.stored(lamp) != before
    trees.tell("lamp", paragraphs)
    trees.build(lamp)
    assert trees.stored(lamp) == before


def test_a_tree_whose_text_has_not_changed_embeds_nothing() -> None:
    class Counting(StaticEmbedding):
        embedded = 0

        def embed(self, texts: Sequence[str]) -> Vectors:
            Counting.embedded += len(texts)
            return super().embed(texts)

    trees, embedder = MemoryTrees(), Counting()
    lamp = trees.tell("lamp", saga()[:40])
    trees.build(lamp, embedder=embedder)
    assert Counting.embedded >= 40
    Counting.embedded = 0
    assert trees.build(lamp, embedder=embedder).changes == 0
    assert Counting.embedded == 0


def test_a_text_that_is_new_throughout_is_reported_to_need_a_rebuild() -> None:
    trees = MemoryTrees()
    tale = trees.tell("tale", story()[:10])
    assert notes_on(NARRATIVE, [trees.build(tale)]) == []
    trees.tell("tale", story("the_bell_of_orlen")[:10])
    done = trees.build(tale)
    assert any("10 of 10 leaves came after" in note and "--rebuild" in note for note in notes_on(NARRATIVE, [done]))
    assert (done.leaves, done.new_leaves, done.unfinished) == (10, 10, "")
