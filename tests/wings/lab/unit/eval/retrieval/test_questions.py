"""Corpora and questions are read, or refused with the line and the reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kg_neo4j.errors import SourceNotFound, UnreadableSource
from kg_neo4j_lab.answers.questions import documents_of, stories_of
from kg_neo4j_lab.retrieval.questions import CorpusPassage, graph_name, read_passages, read_questions

PASSAGES = (
    CorpusPassage(0, "Oslo", "Oslo is a city."),
    CorpusPassage(7, "Oslo", "Another one."),
    CorpusPassage(9, "Empty", "  "),
)


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


LISTED = [
    {"title": "Oslo", "text": "Oslo is a city. It lies on a fjord."},
    {"title": "Oslo", "text": "Another one."},
    {"title": "Bergen", "text": "Bergen is a town."},
]


def listed(folder: Path, name: str, rows: object) -> str:
    file = folder / name
    file.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return str(file)


def test_a_list_numbers_its_passages_and_counts_a_repeat_once(tmp_path: Path) -> None:
    found = read_passages(listed(tmp_path, "x_corpus.json", [*LISTED[:2], LISTED[0], LISTED[2]]))
    assert [(each.idx, each.title) for each in found] == [(0, "Oslo"), (1, "Oslo"), (2, "Bergen")]


def test_a_list_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    file = tmp_path / "x_corpus.json"
    file.write_text(json.dumps(LISTED), encoding="utf-8-sig")
    assert len(read_passages(str(file))) == 3


@pytest.mark.parametrize("key", ["text", "paragraph_text"])
def test_paragraphs_that_support_are_gold_by_title_and_text(tmp_path: Path, key: str) -> None:
    passages = read_passages(listed(tmp_path, "x_corpus.json", LISTED))
    paragraphs = [
        {"title": each["title"], key: each["text"], "is_supporting": number != 0, "idx": 17}
        for number, each in enumerate(LISTED)
    ]
    row = {"id": "2hop__1", "question": "Which town?", "answer": ["Bergen", "B."], "paragraphs": paragraphs}
    (found,) = read_questions(listed(tmp_path, "x.json", [row]), passages)
    assert (found.id, found.gold, found.answer) == ("2hop__1", frozenset({1, 2}), "Bergen")


@pytest.mark.parametrize(
    "sentences", [["Oslo is a city.", "It lies on a fjord."], ["Oslo is a city. ", "It lies on a fjord."]]
)
def test_a_context_is_gold_where_its_facts_support_however_its_sentences_are_joined(
    tmp_path: Path, sentences: list[str]
) -> None:
    passages = read_passages(listed(tmp_path, "x_corpus.json", LISTED))
    row = {
        "_id": "5a8b",
        "question": "Where?",
        "answer": "on a fjord",
        "type": "bridge",
        "supporting_facts": [["Oslo", 1], ["Oslo", 0]],
        "context": [["Oslo", sentences], ["Bergen", ["Bergen is a town."]]],
    }
    (found,) = read_questions(listed(tmp_path, "x.json", [row]), passages)
    assert (found.id, found.gold, found.type, found.answer) == ("5a8b", frozenset({0}), "bridge", "on a fjord")


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"id": 1, "question": "?", "paragraphs": [{"title": "Rome", "text": "r"}]}, r"entry 1: .* \(Rome\)"),
        ({"id": 1, "question": "?", "paragraphs": []}, "none named"),
        ({"id": 1, "question": "?", "paragraphs": [{"title": "Oslo"}]}, "entry 1: no question"),
        ({"id": 1, "question": "?", "supporting_facts": ["x"], "context": []}, "entry 1: no question"),
        ({"id": 1, "question": "?", "gold": [0]}, "it needs id, question and paragraphs"),
        ({"id": 1, "question": "?", "answer": {}, "paragraphs": "Oslo"}, "entry 1: no question"),
        ("?", "entry 1: not a JSON object"),
    ],
)
def test_a_listed_question_that_cannot_be_scored_is_refused_with_its_place(
    tmp_path: Path, row: object, words: str
) -> None:
    passages = read_passages(listed(tmp_path, "x_corpus.json", LISTED))
    with pytest.raises(UnreadableSource, match=words):
        read_questions(listed(tmp_path, "x.json", [row]), passages)


@pytest.mark.parametrize("text", ["[", "[{]"])
def test_a_list_that_is_no_json_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "x_corpus.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UnreadableSource, match="not JSON"):
        read_passages(str(file))
