"""When a model is asked for a summary, and what is to be written; rows stand in for the graph."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from fake_llm import FakeLlm
from kg_neo4j._models import tokens
from kg_neo4j._models.budget import Budget
from kg_neo4j._models.budgeted import BudgetedChat
from kg_neo4j._models.cache import AnswerCache
from kg_neo4j._models.openai_chat import OpenAIChat
from kg_neo4j._models.openai_endpoint import Endpoint
from kg_neo4j._models.prices import Price
from kg_neo4j._models.protocols import ChatModel
from kg_neo4j.factory import door_to, without_model
from kg_neo4j.organise.descriptions import Describing, Summarising, distinct_texts
from scripted_layer import MemoryStore

pytestmark = pytest.mark.needs("kg_neo4j_offline")

TOKENISER = tokens.load("approximate-1")
BOUND = 60  # tokens
ADA = (
    "Ada Lovelace was an English mathematician, born in London in 1815.",
    "Ada Lovelace wrote long notes on the Analytical Engine that Charles Babbage had designed.",
    "Ada Lovelace was the only legitimate daughter of the poet Lord Byron and of Annabella Milbanke.",
    "Ada Lovelace died in Marylebone in 1852, thirty-six years old, and was buried beside her father.",
)
PLAIN = "Ada Lovelace was an English mathematician who wrote notes on the Analytical Engine."
GOOD = f"{PLAIN.removesuffix('.')} [1][2]."
CHARLES = tuple(text.replace("Ada Lovelace", "Charles Babbage") for text in ADA)


@pytest.fixture
def model(llm: FakeLlm) -> OpenAIChat:
    return OpenAIChat("scripted", Endpoint(llm.url, retries=0))


class Summaries:
    """The rows of a graph and its stored answers: each run changes them as a load changes the graph."""

    def __init__(self, *elements: Sequence[str]) -> None:
        self.store = MemoryStore()
        self.rows: list[dict[str, Any]] = [
            {"id": f"e{number}", "name": " ".join(texts[0].split()[:2]), "model": None, "evidence": evidence(texts)}
            | dict.fromkeys(("summary", "method", "hash"))
            for number, texts in enumerate(elements)
        ]

    def run(
        self, model: ChatModel | None, *, graph: str = "g", cache: AnswerCache | None = None, **how: int | bool
    ) -> tuple[Summarising, Sequence[dict[str, Any]]]:
        """Bring the rows up to date; return what was decided, and the changes."""
        door = door_to(model, cache) if model else without_model()
        options: dict[str, Any] = {"bound_tokens": BOUND, **how}
        found = Summarising(graph, Describing(door, TOKENISER, **options), self.store)
        changes = found.changes("Entity", self.rows)
        rows = {row["id"]: row for row in self.rows}
        for change in changes:
            asked = "scripted" if change["answers"] else None
            rows[change["id"]].update(
                {"model": asked, **{name: change[name] for name in ("summary", "method", "hash")}}
            )
        return found, changes

    @property
    def methods(self) -> list[str | None]:
        """Return how each summary was made."""
        return [row["method"] for row in self.rows]


def evidence(texts: Sequence[str]) -> list[list[Any]]:
    return [["document", index, 2, text, f"c{index}"] for index, text in enumerate(texts)]


@pytest.mark.parametrize(
    "texts", [ADA[:2], (" ".join(ADA), " ".join(ADA).upper())], ids=["below the bound", "one long description"]
)
def test_nobody_is_asked_about(texts: Sequence[str], llm: FakeLlm, model: ChatModel) -> None:
    found, changes = Summaries(texts).run(model)
    assert (llm.calls, changes, found.summaries, found.usage.calls) == (0, [], 0, 0)


def test_a_bound_of_zero_makes_no_summaries(llm: FakeLlm, model: ChatModel) -> None:
    assert Summaries(ADA).run(model, bound_tokens=0)[1] == []
    assert llm.calls == 0


def test_descriptions_stand_in_the_order_of_the_text_whatever_the_server_returned() -> None:
    found = [distinct_texts(some) for some in permutations(evidence(ADA))]
    assert {tuple(each) for each in found} == {ADA}
    assert {tuple(map(tuple, each.values())) for each in found} == {(("c0 2",), ("c1 2",), ("c2 2",), ("c3 2",))}
    shouted = [*evidence(ADA[:1]), ["later", 0, 5, ADA[0].upper(), "d0"]]
    assert distinct_texts(shouted) == {ADA[0]: ["c0 2", "d0 5"]}


def test_each_element_is_asked_about_once_and_a_repeat_changes_nothing(llm: FakeLlm, model: ChatModel) -> None:
    llm.say(GOOD).say(GOOD.replace("Ada Lovelace", "Charles Babbage"))
    graph = Summaries(ADA, CHARLES)
    found, changes = graph.run(model)
    assert (llm.calls, found.usage.calls, len(changes), found.summaries) == (2, 2, 2, 2)
    shown = llm.requests[0].prompt + llm.requests[1].prompt
    assert all(f"{text.removesuffix('.')} [{number}]." in shown for number, text in enumerate(ADA, 1))
    found, changes = graph.run(model)
    assert (llm.calls, found.usage.calls, changes, found.summaries) == (2, 0, [], 2)


def test_each_sentence_has_the_evidence_that_it_rests_on(llm: FakeLlm, model: ChatModel) -> None:
    graph = Summaries(ADA)
    graph.rows[0]["evidence"].append(["later", 0, 5, ADA[1].upper(), "d0"])
    llm.say("Ada Lovelace was a mathematician [1]. She wrote notes [2][1].")
    (change,) = graph.run(model)[1]
    assert change["summary"] == "Ada Lovelace was a mathematician. She wrote notes."
    assert change["sources"] == ["0 33 c0 2", "34 50 c1 2", "34 50 d0 5", "34 50 c0 2"]
    graph.rows[0]["evidence"][4][-1] = "d1"  # the same words, in another chunk
    (change,) = graph.run(model)[1]
    assert (change["sources"][2], llm.calls) == ("34 50 d1 5", 1)
    graph.rows[0]["evidence"] += [["later", n, 5, ADA[1], f"x{n}"] for n in range(1, 40)]
    (change,) = graph.run(model)[1]
    places = ["c1", "d1", *(f"x{n}" for n in range(1, 19))]
    assert [source.split()[2] for source in change["sources"]] == ["c0", *places, "c0"]


def test_the_same_words_in_another_place_cost_nothing(llm: FakeLlm, model: ChatModel) -> None:
    graph = Summaries(ADA)
    llm.say(GOOD)
    graph.run(model)
    graph.rows[0]["evidence"].append(["later", 0, 5, ADA[0], "d0"])
    other = OpenAIChat("other", Endpoint(llm.url, retries=0))
    (change,) = graph.run(other)[1]
    assert (change["summary"], f"0 {len(PLAIN)} d0 5" in change["sources"], llm.calls) == (PLAIN, True, 1)
    graph.store.rows.clear()
    graph.rows[0] |= {"model": None, "evidence": [*graph.rows[0]["evidence"], ["later", 1, 5, ADA[0], "d1"]]}
    assert graph.run(None)[1] == []  # it came with an archive: the text of the model stays
    assert graph.methods == ["model"]


def test_new_evidence_is_a_new_question_and_the_summary_rests_on_its_answer_alone(
    llm: FakeLlm, model: ChatModel
) -> None:
    graph = Summaries(ADA[:3])
    llm.say(GOOD)
    ((before,), (row,)) = graph.run(model, bound_tokens=30)[1], graph.rows
    row["evidence"] = evidence(ADA)
    newer = "Ada Lovelace was a mathematician who died in Marylebone in 1852."
    llm.say(newer.replace(".", " [4]."))
    (change,) = graph.run(model, bound_tokens=30)[1]
    assert (change["summary"], llm.calls) == (newer, 2)
    assert len(change["answers"]) == 1
    assert change["answers"] != before["answers"]
    assert change["hash"] != before["hash"]


def test_a_summary_that_is_not_needed_any_more_is_removed(llm: FakeLlm, model: ChatModel) -> None:
    graph = Summaries(ADA)
    llm.say(GOOD)
    graph.run(model)
    found, (change,) = graph.run(model, bound_tokens=1_000)
    assert change == {"id": "e0", **dict.fromkeys(("summary", "method", "hash", "sources")), "answers": []}
    assert (found.summaries, llm.calls) == (0, 1)


def test_without_a_model_the_most_informative_sentences_are_kept() -> None:
    graph = Summaries(ADA)
    found, (change,) = graph.run(None)
    assert (change["method"], change["answers"], found.usage.calls) == ("extractive", [], 0)
    assert {*str(change["summary"]).split()} <= {*" ".join(ADA).split()}
    for start, end, chunk, row in map(str.split, change["sources"]):
        assert (change["summary"][int(start) : int(end)], row) == (ADA[int(chunk[1:])], "2")
    assert graph.run(None)[1] == []


def test_a_model_takes_over_from_extracts_and_offline_runs_keep_what_it_answered(
    llm: FakeLlm, model: ChatModel
) -> None:
    graph = Summaries(ADA)
    graph.run(None)
    llm.say(GOOD)
    assert len(graph.run(model)[1]) == 1
    assert graph.run(None)[1] == []
    assert (graph.rows[0]["summary"], graph.methods) == (PLAIN, ["model"])


def test_a_replay_makes_a_damaged_summary_again_from_the_stored_answer(llm: FakeLlm, model: ChatModel) -> None:
    graph = Summaries(ADA)
    llm.say(GOOD)
    graph.run(model)
    graph.rows[0]["summary"] = "nonsense"
    found, changes = graph.run(None, replay=True)
    assert ([change["summary"] for change in changes], found.unfinished, llm.calls) == ([PLAIN], (), 1)


def test_a_summary_rests_on_the_bad_answer_and_on_the_one_after_it(llm: FakeLlm, model: ChatModel) -> None:
    graph = Summaries(ADA)
    llm.say("name,born,died\nAda Lovelace,1815,1852").say(GOOD)
    (change,) = graph.run(model)[1]
    assert (change["summary"], change["method"]) == (PLAIN, "model")
    assert {*change["answers"]} == {*graph.store.rows}
    assert len(change["answers"]) == 2
    assert (graph.run(model)[1], llm.calls) == ([], 2)


def test_answers_of_no_use_are_paid_once_and_replaced_by_sentences(llm: FakeLlm, model: ChatModel) -> None:
    graph = Summaries(ADA)
    llm.say("I'm sorry, but I cannot assist.").say("- , - , -")
    assert graph.run(model)[0].unfinished == ()
    assert graph.methods == ["extractive"]
    assert (graph.run(model)[1], llm.calls) == ([], 2)


def test_what_the_filter_declines_is_not_asked_again(llm: FakeLlm, model: ChatModel) -> None:
    graph = Summaries(ADA)
    llm.say("", "content_filter")
    assert graph.run(model)[0].unfinished == ()
    assert graph.methods == ["extractive"]
    assert (graph.run(model)[1], llm.calls) == ([], 1)


@pytest.mark.parametrize(("status", "code"), [(503, None), (401, None), (400, "context_length_exceeded")])
def test_a_model_that_fails_leaves_sentences_and_is_asked_again(
    llm: FakeLlm, model: ChatModel, status: int, code: str | None
) -> None:
    graph = Summaries(ADA)
    llm.fail(status, code=code)
    assert "1 descriptions were not merged" in graph.run(model)[0].unfinished[0]
    assert graph.methods == ["extractive"]
    llm.say(GOOD)
    assert graph.run(model)[0].unfinished == ()
    assert (graph.rows[0]["summary"], graph.methods) == (PLAIN, ["model"])


def test_an_answer_before_a_failure_is_kept(llm: FakeLlm, model: ChatModel) -> None:
    graph = Summaries(ADA, ADA[::-1])
    llm.say(GOOD).fail(503)
    graph.run(model)
    assert {*graph.methods} == {"extractive", "model"}
    llm.say(GOOD)
    found, _ = graph.run(model)
    assert (llm.calls, found.usage.calls, graph.methods) == (3, 1, ["model", "model"])


def test_a_useful_answer_is_kept_on_the_machine_and_serves_other_graphs(
    llm: FakeLlm, model: ChatModel, tmp_path: Path
) -> None:
    cache, other = AnswerCache(tmp_path / "answers.sqlite3"), Summaries(ADA)
    llm.say("N/A").say(GOOD)
    assert Summaries(ADA).run(model, cache=cache)[0].usage.calls == 2
    llm.say("N/A")  # what was of no use is not kept
    assert other.run(model, graph="h", cache=cache)[0].usage.calls == 1
    assert (llm.calls, other.rows[0]["summary"]) == (3, PLAIN)


def test_a_budget_that_is_reached_leaves_sentences(llm: FakeLlm, model: OpenAIChat) -> None:
    graph = Summaries(ADA)
    spent = BudgetedChat(model, Price(1.0, 1.0), Budget(1e-9), TOKENISER)
    assert "budget" in graph.run(spent)[0].unfinished[0]
    assert (graph.methods, llm.calls) == (["extractive"], 0)
