"""A tree is built: what is asked, what is planned, what stands in for an answer of no use, and what a repeat keeps."""

from __future__ import annotations

from collections import Counter

import pytest

from kg_neo4j import AbstractSummariser
from kg_neo4j.errors import UsageError
from kg_neo4j.organise.tree.interface import Aspect
from kg_neo4j.organise.tree.stored import DETAIL, SUMMARY
from kg_neo4j.organise.tree.trees import BuiltTree
from kg_neo4j.pipeline.commands.tree import notes_on
from memory_trees import NARRATIVE, MemoryTrees, by, scripted
from scripted_layer import ScriptedLayer
from tree_runs import ASPECTS, NAMES, kind_of, saga, say, story


def kinds(model: ScriptedLayer) -> Counter[str]:
    return Counter(request.kind for request in model.requests)


def each_level_is_smaller(done: BuiltTree) -> bool:
    return all(
        number < done.summaries[level - 1, aspect] for (level, aspect), number in done.summaries.items() if level > 1
    )


def total(done: BuiltTree) -> int:
    return sum(done.summaries.values())


@pytest.mark.parametrize(
    "paragraphs",
    [
        pytest.param(["A single short chunk about a lamp."], id="one chunk"),
        pytest.param(["The same words again."] * 12, id="identical chunks"),
        pytest.param(["One is here.", "Two are there."], id="two chunks"),
        pytest.param(["…", "—", "1 2 3"], id="without words"),
    ],
)
def test_odd_documents_get_a_tree(paragraphs: list[str]) -> None:
    trees = MemoryTrees()
    odd = trees.tell("odd", paragraphs)
    done = trees.build(odd)
    assert done.leaves == done.details == len(paragraphs)
    assert total(done) >= 1
    assert done.changes == total(done) + done.details + 1
    assert trees.build(odd).changes == 0
    assert trees.build(odd, rebuild=True).changes == 0


@pytest.mark.parametrize("levels", [1, 2])
def test_a_tree_has_no_more_levels_than_were_chosen(levels: int) -> None:
    trees = MemoryTrees()
    done = trees.build(trees.tell("saga", saga()[:40]), levels=levels)
    assert {level for level, _ in done.summaries} == set(range(1, levels + 1))


def test_summaries_that_do_not_fit_into_one_question_have_no_level_above() -> None:
    model, trees = scripted(window=1_300), MemoryTrees()
    done = trees.build(trees.tell("saga", saga()[:20]), by(model), details=0)
    assert total(done) > len(NAMES)
    assert each_level_is_smaller(done)


# ------------------------------------------------------------------------------------------------- what is asked


@pytest.mark.parametrize("details", [0, 2])
def test_what_was_planned_is_what_is_asked(details: int) -> None:
    model, trees = scripted(), MemoryTrees()
    whole = trees.tell("saga", saga()[:80])
    plan = trees.plan(whole, by(model), details=details)
    assert not model.requests
    assert not trees.trees
    done = trees.build(whole, by(model), details=details)
    assert done.usage.calls == len(plan.open) == len(model.requests)
    assert Counter(each.kind for each in plan.open) == kinds(model)
    assert plan.summaries == done.summaries
    assert len({request.key for request in model.requests}) == len(model.requests)
    assert kinds(model)["detail"] == details * 80
    assert max(level for level, _ in done.summaries) >= 3
    assert each_level_is_smaller(done)
    after = trees.plan(whole, by(model), details=details)
    assert (after.open, after.summaries) == ((), done.summaries)
    again = trees.build(whole, by(model), details=details)
    assert (again.changes, again.usage.calls, len(model.requests)) == (0, 0, done.usage.calls)


def test_aspects_are_named_by_their_own_model_and_texts_written_at_half_temperature() -> None:
    model, naming, trees = scripted(), scripted(name="strongest"), MemoryTrees()
    lamp = trees.tell("lamp", story()[:8])
    done = trees.build(lamp, by(model), aspect_door=by(naming))
    assert set(kinds(naming)) == {"aspects"}
    assert set(kinds(model)) == {"summary", "detail"}
    assert {request.temperature for request in model.requests} == {0.5}
    assert set(done.methods) == {"model"}
    [replies] = trees.replies.values()
    assert replies.keys() == {request.key for request in (*model.requests, *naming.requests)}


def test_one_aspect_needs_no_naming() -> None:
    model, trees = scripted(), MemoryTrees()
    done = trees.build(trees.tell("lamp", story()[:8]), by(model), name="raptor")
    assert {aspect for _, aspect in done.summaries} == {"general"}
    assert done.details == 0
    assert set(kinds(model)) == {"summary"}


def test_an_aspect_that_is_shown_nowhere_is_looked_for_twice_more_and_reported() -> None:
    model, trees = (
        scripted(lambda prompt, user: "plot\ncharacter" if names(prompt) else say(prompt, user)),
        MemoryTrees(),
    )
    whole = trees.tell("saga", saga()[:40])
    done = trees.build(whole, by(model))
    assert set(done.absent) == set(NAMES) - {"plot", "character"}
    assert f"saga: nothing of it shows {', '.join(done.absent)}" in notes_on(NARRATIVE, [done])
    asked, clusters = kinds(model)["aspects"], done.summaries[1, "plot"]
    assert clusters < asked <= 3 * max(clusters, asked // 2)
    again = trees.build(whole, by(model), rebuild=True)
    assert (again.changes, again.usage.calls) == (0, 0)


def names(prompt: str) -> bool:
    return kind_of(prompt) == "aspects"


def test_identical_leaves_are_asked_about_once() -> None:
    model, trees = scripted(), MemoryTrees()
    same = trees.tell("same", ["Ragna Tveit rowed to the rock."] * 6)
    plan = trees.plan(same, by(model))
    done = trees.build(same, by(model))
    assert kinds(model)["detail"] == 1
    assert done.usage.calls == len(plan.open) == len(model.requests)
    assert done.details == 6


# --------------------------------------------------------------------------------------------- answers of no use


def test_bad_names_are_asked_for_once_more_then_cues_decide() -> None:
    def rules(prompt: str, user: str) -> str:
        if not names(prompt):
            return say(prompt, user)
        return "weather" if "named no aspect" in user else "the mood, the weather"

    model, trees = scripted(rules), MemoryTrees()
    lamp = trees.tell("lamp", story()[:3])
    done = trees.build(lamp, by(model), aspects=ASPECTS[:2])
    first, second = [request for request in model.requests if request.kind == "aspects"]
    assert second.user.startswith(first.user.split("Which aspects")[0])
    assert {aspect for _, aspect in done.summaries} <= {"plot", "character"}
    assert "named no aspect of the list" in trees.stored(lamp).properties["flags"][0]
    assert trees.build(lamp, by(model), aspects=ASPECTS[:2]).usage.calls == 0


def test_empty_summaries_are_asked_for_once_more_then_the_text_speaks() -> None:
    model, trees = (
        scripted(lambda prompt, user: "" if kind_of(prompt) == "summary" else say(prompt, user)),
        MemoryTrees(),
    )
    lamp = trees.tell("lamp", story()[:3])
    done = trees.build(lamp, by(model), details=0)
    assert kinds(model)["summary"] == 2 * total(done)
    written = [node.properties for node in trees.nodes(lamp, SUMMARY)]
    assert all(each["method"] == "extractive" and len(each["flags"]) == 1 and each["text"] for each in written)
    assert done.flagged == len(written)
    assert f"lamp: {len(written)} texts are flagged (property `flags`)" in notes_on(NARRATIVE, [done])
    again = trees.build(lamp, by(model), details=0, rebuild=True)
    assert (again.changes, kinds(model)["summary"]) == (0, 2 * total(done))


def test_summaries_longer_than_asked_are_cut_at_a_sentence() -> None:
    long = "Ragna rowed to the rock and saw nothing there. " * 60
    model, trees = (
        scripted(lambda prompt, user: long if kind_of(prompt) == "summary" else say(prompt, user)),
        MemoryTrees(),
    )
    lamp = trees.tell("lamp", story()[:3])
    trees.build(lamp, by(model), details=0, summary_tokens=50)
    written = [node.properties for node in trees.nodes(lamp, SUMMARY)]
    assert written
    assert all(
        each["token_count"] <= 50 and each["text"].endswith("there.") and len(each["flags"]) == 1 for each in written
    )


def test_a_model_that_is_down_leaves_the_old_tree_and_says_so() -> None:
    trees, paragraphs = MemoryTrees(), list(story()[:10])
    lamp = trees.tell("lamp", paragraphs)
    trees.build(lamp, by(scripted()))
    paragraphs[4] = "Nobody in Skarnes had seen the logbook since the storm."
    trees.tell("lamp", paragraphs)
    before = trees.stored(lamp)
    failing = scripted(answers=2)
    stopped = trees.build(lamp, by(failing))
    assert stopped.unfinished.endswith("are left: the model is down")
    assert (stopped.changes, stopped.usage.calls, stopped.written) == (0, 2, 0)
    assert len(failing.requests) == 3  # two answers, and the fault: nobody is asked after it
    assert trees.stored(lamp) == before
    model = scripted()
    done = trees.build(lamp, by(model))
    assert done.unfinished == ""
    assert not {request.key for request in model.requests} & {request.key for request in failing.requests[:2]}


# --------------------------------------------------------------------------------------- who writes, and with what


class Shouting(AbstractSummariser):
    """A summariser of a user's own."""

    name = "plot"
    method = "shouting"

    def __init__(self) -> None:
        self.calls = 0

    def summarize(self, context: str, max_tokens: int = 200) -> str:
        self.calls += 1
        return context.partition(".")[0].upper()


def test_summarisers_of_ones_own_take_the_place_of_those_that_ship() -> None:
    trees, own, model = MemoryTrees(), Shouting(), scripted()
    lamp = trees.tell("lamp", story()[:8])
    done = trees.build(lamp, by(model), own=[own])
    plots = sum(number for (_, aspect), number in done.summaries.items() if aspect == "plot")
    assert own.calls == plots == done.methods["shouting"]
    loud = [node.properties["text"] for node in trees.nodes(lamp, SUMMARY) if node.properties["aspect"] == "plot"]
    assert loud == [text.upper() for text in loud]
    again = trees.build(lamp, by(model), own=[own])
    assert (again.changes, again.usage.calls, own.calls) == (0, 0, plots)
    rebuilt = trees.build(lamp, by(model), own=[own], rebuild=True)
    assert (rebuilt.changes, own.calls) == (0, plots)


def test_a_stored_tree_is_not_changed_by_other_options_unless_it_is_rebuilt() -> None:
    trees = MemoryTrees()
    lamp = trees.tell("lamp", story()[:10])
    trees.build(lamp, leaf_tokens=100)
    assert trees.build(lamp).changes == 0
    with pytest.raises(UsageError, match="'narrative' of 'lamp' was built with leaf_tokens 100, not 50"):
        trees.build(lamp, leaf_tokens=50)
    mood = Aspect("mood", "mood", "Which mood is there?")
    with pytest.raises(UsageError, match="the aspects plot, character"):
        trees.build(lamp, aspects=(mood, *ASPECTS[:1]))
    more = trees.build(lamp, details=2)
    assert more.changes == len(story()[:10]) + 1
    assert {node.properties["number"] for node in trees.nodes(lamp, DETAIL)} == {0, 1}
    rebuilt = trees.build(lamp, aspects=(mood,), rebuild=True)
    assert {aspect for _, aspect in rebuilt.summaries} == {"mood"}


def test_a_model_takes_over_from_cues_and_what_it_wrote_outlives_its_key() -> None:
    model, trees = scripted(), MemoryTrees()
    lamp = trees.tell("lamp", story()[:8])
    trees.build(lamp)
    done = trees.build(lamp, by(model))
    assert set(done.methods) == {"model"}
    assert "lamp: rebuilt: cues found its aspects, now scripted names them" in notes_on(NARRATIVE, [done])
    before = trees.stored(lamp)
    assert trees.build(lamp).changes == 0
    assert trees.stored(lamp) == before
    with pytest.raises(UsageError, match="texts that a model wrote"):
        trees.build(lamp, rebuild=True)
    assert trees.stored(lamp) == before
    other = scripted(name="another")
    assert (trees.build(lamp, by(other)).changes, other.requests) == (0, [])
