"""Our similarity and correctness beside those of ragas: the same judge behind a real server, the same embedder.

    make test-ragas

The judge is scripted: it takes both kinds of prompts apart and sorts statements by the same rule, so that what differs
is the arithmetic, the way of asking, and what is done with the answers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

import answer_judge
from fake_llm import FakeLlm
from kg_neo4j import factory
from kg_neo4j._models import tokens
from kg_neo4j.settings import Settings
from kg_neo4j_lab.answers.correctness import ModelJudge, answer_correctness, answer_similarity, judge_of
from kg_neo4j_lab.answers.ragas_scores import Ragas

WITHIN = 0.02
CASES = [  # question, answer, golden answer: right, half right, wrong, longer, shorter, in other words
    ("Who was Marley?", "Marley was a partner.", "Marley was a partner."),
    ("Who was Marley?", "Marley was a partner. Marley was rich.", "Marley was a partner. Marley is dead."),
    ("Who was Marley?", "A baker in the next street.", "Marley was a partner. Marley is dead."),
    ("Who opened the sluice?", "Ines opened the sluice by night.", "Ines."),
    ("Who opened the sluice?", "Ines.", "Ines, the daughter of Bram. She did it by night."),
    ("What did Bram burn?", "He burned the book of debts. It was spring. He said nothing.", "The book of debts."),
    ("What did Bram burn?", "The mill.", "The book of debts."),
    ("What did Ada light?", "A lamp of brass. A fire on the mole.", "The lamp of brass. She lit it in the storm."),
    ("Where does Scrooge live?", "Alone. In old rooms. In London.", "In old rooms. In London. Alone. They are dark."),
    ("Is the ghost kind?", "No.", "Yes."),
    ("When did it happen?", "In 1843. At Christmas.", "At Christmas. In 1843."),
    ("What is the dog called?", "Rusk, as the fishermen say.", "Rusk"),
]
_INPUT = re.compile(r"input: (\{(?:(?!input: \{).)*\})\s*Output:\s*\Z", re.DOTALL)


def rules(prompt: str, user: str) -> str:
    """Answer our prompts, and those of ragas, by the same rule."""
    given = _INPUT.search(user)
    if given is None:
        return answer_judge.rules(prompt, user)
    asked = json.loads(given[1])
    if "ground_truth" not in asked:
        return json.dumps({"statements": answer_judge.sentences(asked["answer"])})
    said = {f"A{n}": text for n, text in enumerate(asked["answer"], 1)}
    golden = {f"G{n}": text for n, text in enumerate(asked["ground_truth"], 1)}
    sorted_ = answer_judge.sort_statements(said, golden)
    named = {**said, **golden}
    return json.dumps(
        {
            kind: [{"statement": named[name], "reason": "by the script"} for name in names]
            for kind, names in sorted_.items()
        }
    )


@pytest.fixture(scope="module")
def llm() -> Iterator[FakeLlm]:
    with FakeLlm(rules=rules) as server:
        yield server


@pytest.fixture(scope="module")
def settings(llm: FakeLlm) -> Settings:
    return Settings(openai_base_url=llm.url, model="scripted", model_retries=0, answer_cache=False, judge_model=None)


@pytest.fixture(scope="module", params=["built-in", "served"])
def scores(request: pytest.FixtureRequest, settings: Settings, llm: FakeLlm) -> list[dict[str, Any]]:
    """Both scores of each case, with the built-in embedder and with one behind the same server."""
    if request.param == "served":
        settings = settings.model_copy(update={"embedding_model": "scripted-embedding"})
    embedder, tokeniser, judge = factory.embedding_model(settings), tokens.load(), judge_of(settings)
    assert isinstance(judge, ModelJudge)
    theirs = Ragas(judge.model, embedder, tokeniser)
    found = []
    for question, answer, golden in CASES:
        similar = answer_similarity(answer, golden, embedder, tokeniser)
        ours = answer_correctness(question, answer, golden, judge=judge, similarity=similar)
        found.append({"ours": (similar, ours.score), "ragas": theirs.score(question, answer, golden)})
    return found


def test_the_scores_agree_case_by_case(scores: list[dict[str, Any]], record_property: Any) -> None:
    far = []
    for (question, answer, _), each in zip(CASES, scores, strict=True):
        ours, ragas = each["ours"], each["ragas"]
        assert ours[1] is not None
        assert ragas.correctness is not None, ragas.problem
        far += [abs(ours[0] - ragas.similarity), abs(ours[1] - ragas.correctness)]
        assert max(far[-2:]) <= WITHIN, (question, answer, ours, ragas)
    record_property("figures", f"largest difference between ours and ragas, {len(CASES)} cases: {max(far):.6f}")
    print(f"largest difference: {max(far):.6f}")


def test_the_cases_tell_right_from_wrong(scores: list[dict[str, Any]]) -> None:
    """Agreement means something only where the scores spread."""
    correct = [each["ours"][1] for each in scores]
    assert max(correct) > 0.95
    assert min(correct) < 0.2
    assert len({round(value, 2) for value in correct}) >= 6


def test_what_ragas_asks_is_counted(settings: Settings, llm: FakeLlm) -> None:
    judge = judge_of(settings)
    assert isinstance(judge, ModelJudge)
    theirs = Ragas(judge.model, factory.embedding_model(settings), tokens.load())
    before = llm.calls
    assert theirs.score("Who?", "Ada was here.", "Ada").usage.calls == llm.calls - before == 3
    assert theirs.score("Who?", "Ada was here.", "Bram").usage.calls == 2  # the answer's statements are known


def test_a_judge_that_makes_no_sense_leaves_the_case_without_a_score(settings: Settings, llm: FakeLlm) -> None:
    judge = judge_of(settings)
    assert isinstance(judge, ModelJudge)
    theirs = Ragas(judge.model, factory.embedding_model(settings), tokens.load())
    llm.say("nonsense").say('{"statements": 3}')
    found = theirs.score("Who was it?", "Nobody.", "Ada")
    assert (found.correctness, found.usage.calls) == (None, 2)
    assert found.problem.startswith("ragas: ")
    assert -1 <= found.similarity <= 1


def test_an_answer_that_states_nothing_is_where_the_two_part(settings: Settings, llm: FakeLlm) -> None:
    """Ragas gives it full marks for its statements, we give none: it says nothing that is right."""
    judge = judge_of(settings)
    assert isinstance(judge, ModelJudge)
    embedder = factory.embedding_model(settings)
    question, answer, golden = "Who was it?", "I cannot tell you that.", "Ada Lind."
    similar = answer_similarity(answer, golden, embedder, tokens.load())
    llm.say('{"statements": []}').answer(1)
    ours = answer_correctness(question, answer, golden, judge=judge, similarity=similar)
    llm.say('{"statements": []}').answer(1)
    theirs = Ragas(judge.model, embedder, tokens.load()).score(question, answer, golden)
    assert ours.score == pytest.approx(0.25 * similar)
    assert theirs.correctness == pytest.approx(0.25 * similar + 0.75)
