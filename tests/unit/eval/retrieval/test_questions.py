"""Corpora and questions are read, or refused with the line and the reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kg_neo4j.errors import SourceNotFound, UnreadableSource
from kg_neo4j.eval.answers.stories import documents_of, stories_of
from kg_neo4j.eval.retrieval.questions import Passage, graph_name, read_passages, read_questions

PASSAGES = (Passage(0, "Oslo", "Oslo is a city."), Passage(7, "Oslo", "Another one."), Passage(9, "Empty", "  "))


def write(folder: Path, *rows: object) -> str:
    file = folder / "rows.jsonl"
    file.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), encoding="utf-8")
    return str(file)


def test_passages_are_read_blank_lines_left_out(tmp_path: Path) -> None:
    rows = [{"idx": each.idx, "title": each.title, "text": each.text} for each in PASSAGES]
    assert read_passages(write(tmp_path, rows[0], "", *rows[1:])) == PASSAGES


@pytest.mark.parametrize("line", ["{", "[]", '{"idx": "x", "title": "t", "text": "t"}', '{"title": "t", "text": "t"}'])
def test_what_is_no_passage_is_refused_with_its_line(tmp_path: Path, line: str) -> None:
    with pytest.raises(UnreadableSource, match="line 2"):
        read_passages(write(tmp_path, {"idx": 0, "title": "t", "text": "t"}, line))


def test_a_passage_that_comes_twice_is_refused(tmp_path: Path) -> None:
    row = {"idx": 0, "title": "t", "text": "t"}
    with pytest.raises(UnreadableSource, match="twice"):
        read_passages(write(tmp_path, row, row))


@pytest.mark.parametrize("gold", [[], [1], [0, 99], "x", None])
def test_a_question_needs_passages_of_the_corpus(tmp_path: Path, gold: object) -> None:
    with pytest.raises(UnreadableSource, match="line 1"):
        read_questions(write(tmp_path, {"id": "q", "question": "?", "gold": gold}), PASSAGES)


def test_a_question_may_have_a_type_and_an_answer(tmp_path: Path) -> None:
    (found,) = read_questions(
        write(tmp_path, {"id": 1, "question": "Where?", "gold": [7, 0], "type": "bridge"}), PASSAGES
    )
    assert (found.id, found.gold, found.type, found.answer) == ("1", frozenset({0, 7}), "bridge", "")


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(SourceNotFound, match=r"nowhere\.jsonl"):
        read_passages("nowhere.jsonl")


def test_two_passages_of_one_title_are_two_documents_and_one_without_text_is_none() -> None:
    found = list(documents_of(stories_of(PASSAGES), "g"))
    assert [each.title for each in found] == ["Oslo", "Oslo"]
    assert len({each.id for each in found}) == 2


def test_the_graph_is_named_by_what_is_in_the_corpus() -> None:
    assert graph_name(PASSAGES) == graph_name(PASSAGES)
    assert graph_name(PASSAGES) != graph_name(PASSAGES[:2])
