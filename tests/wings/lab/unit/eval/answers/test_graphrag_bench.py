"""GraphRAG-Bench: what is read and refused, which questions a sample has, and a model that is asked by itself."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pyarrow import Table, parquet

from fake_llm import FakeLlm
from kg_neo4j._models.openai_chat import OpenAIChat
from kg_neo4j._models.openai_endpoint import Endpoint
from kg_neo4j.errors import SourceNotFound, UnreadableSource, UsageError
from kg_neo4j.factory import door_to
from kg_neo4j.records import Filters
from kg_neo4j_lab.answers.by_heart import by_heart
from kg_neo4j_lab.answers.published_sets import guess, read_set
from kg_neo4j_lab.answers.questions import AnsweredQuestion, StorySelection
from kg_neo4j_lab.answers.scores import rouge_l
from kg_neo4j_lab.answers.systems import systems

TYPES = ("Fact Retrieval", "Complex Reasoning")


def question(number: int, novel: str = "Novel-1", kind: str = TYPES[0]) -> dict[str, str]:
    row = {"id": f"q{number}", "source": novel, "question": f"Who is {number}?", "answer": f"Ada {number}"}
    return {**row, "question_type": kind, "evidence": "It says so."}


def written(folder: Path, rows: list[Any], *novels: str) -> str:
    texts = {"corpus_name": [*novels], "context": [f"{name} begins.\r\nAda is there." for name in novels]}
    parquet.write_table(Table.from_pydict(texts), folder / "novels.parquet")
    (folder / "novel_questions.json").write_text(json.dumps(rows), "utf-8")
    return str(folder)


def test_questions_have_a_type_and_a_text(tmp_path: Path) -> None:
    folder = written(tmp_path, [question(1), question(2, "Novel-9"), question(1)], "Novel-1", "Novel-2")
    assert guess(folder) == "graphrag-bench"
    found = read_set(folder, None, StorySelection())
    assert [(each.key, each.read()) for each in found.stories] == [
        ("graphrag-bench/Novel-1", "Novel-1 begins.\nAda is there.")
    ]
    (one,) = found.questions
    assert (one.id, one.type, one.answers, one.document) == ("q1", TYPES[0], ("Ada 1",), "graphrag-bench/Novel-1")
    assert [each.reason for each in found.refused] == ["no text 'Novel-9'", "it is there twice"]


@pytest.mark.parametrize(("rows", "why"), [([{"id": "q1"}], "it needs id"), ({"id": 1}, "not a list")])
def test_a_file_that_is_no_list_of_questions_is_refused(tmp_path: Path, rows: Any, why: str) -> None:
    with pytest.raises(UnreadableSource, match=why):
        read_set(written(tmp_path, rows, "Novel-1"), None, StorySelection())


def test_a_folder_that_lacks_a_file_is_refused(tmp_path: Path) -> None:
    written(tmp_path, [], "Novel-1")
    (tmp_path / "novel_questions.json").unlink()
    with pytest.raises(SourceNotFound, match="questions"):
        read_set(str(tmp_path), None, StorySelection())


def test_a_sample_has_as_many_questions_of_each_text_and_type(tmp_path: Path) -> None:
    novels = [f"Novel-{number}" for number in range(4)]
    rows = [question(number, novels[number % 4], TYPES[number // 4 % 2]) for number in range(80)]
    folder = written(tmp_path, rows, *novels)
    drawn = read_set(folder, None, StorySelection(sample=16)).questions
    assert set(Counter((each.document, each.type) for each in drawn).values()) == {2}
    again = read_set(folder, None, StorySelection(sample=8)).questions
    assert {each.id for each in again} < {each.id for each in drawn}


def test_a_plain_file_of_questions_has_no_texts_to_draw_from(tmp_path: Path) -> None:
    (path := tmp_path / "q.jsonl").write_text('{"id": "a", "question": "Who?", "answer": "Ada"}\n', "utf-8")
    assert len(read_set(str(path), None, StorySelection()).questions) == 1
    with pytest.raises(UsageError, match="no texts to choose from"):
        read_set(str(path), None, StorySelection(sample=1))


@pytest.mark.parametrize(
    ("said", "golden", "score"),
    [("The cat sat.", "the cat sat", 1.0), ("a b c d", "a x c", 4 / 7), ("", "a", 0.0), ("c b a", "a b c", 1 / 3)],
)
def test_rouge_counts_the_longest_common_subsequence(said: str, golden: str, score: float) -> None:
    assert rouge_l(said, golden) == pytest.approx(score)


@pytest.mark.parametrize(("said", "found"), [("Ada Berg.", True), ("NOT KNOWN", False), ("Not known.", False)])
def test_a_model_answers_by_heart_or_does_not_know(said: str, found: bool) -> None:
    with FakeLlm() as llm:
        llm.say(said)
        door = door_to(OpenAIChat("fake", Endpoint(llm.url, retries=0)))
        answer = by_heart(door, AnsweredQuestion("q", "Who is it?", ("Ada",)))
        assert "Who is it?" in llm.requests[0].user
    assert (answer.found, answer.answer, answer.citations) == (found, said if found else "", ())


def test_a_model_by_itself_is_a_system_whose_options_are_valid() -> None:
    (alone,) = systems(["none"])
    assert alone.options(Filters(), 1_700).max_context_tokens == 1_700
