"""Thoughts and JSON objects in what models say."""

from __future__ import annotations

import pytest

from kg_neo4j._models.answer_text import find_object, without_thoughts


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("<think>hm\n{}</think>yes", "yes"),
        ("a<think>b</think>c<think>d</think>e", "ace"),
        ("yes <think>but then it was cut", "yes "),
        ("no thought </think> at all", "no thought </think> at all"),
    ],
)
def test_thoughts_are_left_out(said: str, left: str) -> None:
    assert without_thoughts(said) == left


@pytest.mark.parametrize(
    "said",
    [
        '{"title": "T"}',
        'Here it is:\n```json\n{"title": "T"}\n```\nAnything else?',
        '<think>{"title": "no"}</think>{"title": "T"}',
        'With {braces} and {"other": 1} first: {"title": "T"}',
        '{"inside": {"title": "T"}} is not asked for, what is in it is',
        '[{"title": "T"}, {"title": "second"}]',
    ],
)
def test_the_first_object_with_a_name_is_found_whatever_is_around_it(said: str) -> None:
    assert find_object(said, {"title", "findings"}) == {"title": "T"}


def test_line_breaks_within_strings_do_no_harm() -> None:
    assert find_object('{"title": "one\ntwo\tthree"}', {"title"}) == {"title": "one\ntwo\tthree"}


@pytest.mark.parametrize(
    "said",
    ["", "no", '{"title": "cut of', '{"other": 1}', "null", "<think>" + '{"title": 1}', "{" * 100_000, '{"a":' * 5_000],
)
def test_where_there_is_none_nothing_is_found(said: str) -> None:
    assert find_object(said, {"title"}) is None
