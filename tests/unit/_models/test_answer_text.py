"""Thoughts and JSON objects in what models say."""

from __future__ import annotations

import itertools

import pytest

from kg_neo4j._models.answer_text import find_object, has_ended, thoughts, without_thoughts


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("<think>hm\n{}</think>yes", "yes"),
        ("a<think>b</think>c<think>d</think>e", "ace"),
        ("yes <think>but then it was cut", "yes "),
        ("no thought </think> at all", "no thought </think> at all"),
        ("The user asks.\n</think>\nyes", "\nyes"),
        ("plan</think>yes", "yes"),
        ("yes</think>", "yes"),
        ("<think>a<think>b</think>c</think>yes", "yes"),
        ("<think>it may write <think> here</think>yes", "yes"),
        ("<thinking>\nhm\n</thinking>\nyes", "\nyes"),
        ("<THOUGHT>hm</THOUGHT>yes", "yes"),
        ("<reasoning effort='low'>hm</reasoning>yes", "yes"),
        ("[THINK]hm[/THINK]yes", "yes"),
        ("◁think▷hm◁/think▷yes", "yes"),
        ("<seed:think>hm</seed:think>yes", "yes"),
        ("<|begin_of_thought|>hm<|end_of_thought|><|begin_of_solution|>yes<|end_of_solution|>", "yes"),
        ("<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>yes<|return|>", "yes"),
        ("<|channel>thought\nhm<channel|>yes", "yes"),
        ("<unused94>thought\nhm<unused95>yes", "yes"),
        ('<details type="reasoning" done="true">\nhm</details>yes', "yes"),
        ("<think>hm</think><answer>yes</answer>", "yes"),
        ("<think>\nso much to think of", ""),
        ("<|START_THINKING|>hm<|END_THINKING|><|START_RESPONSE|>yes<|END_RESPONSE|>", "yes"),
        ("Here is my thought process:\nhm\nHere is my response:yes", "yes"),
        ("analysisThe user asks.assistantfinalyes", "yes"),
        ("```thinking\nhm\n```\nyes", "\nyes"),
        ("< think >hm</ think >yes", "yes"),
        ("The user asks. </think> Yes", " Yes"),
        ("<think>hm</think><output>yes</output>", "yes"),
    ],
)
def test_thoughts_are_left_out(said: str, left: str) -> None:
    assert without_thoughts(said) == left


@pytest.mark.parametrize(
    "said",
    [
        "Models write <think> before their thoughts [C1].",
        "<think> is a tag [C1].",
        "It puts its thoughts between `<think>` and `</think>` [C1].",
        "It puts them between <think> and </think> [C1].",
        "The end is </think>, the beginning <think>.",
        "In 1990 [THINK] was a magazine of the company.",
    ],
)
def test_an_answer_that_speaks_of_a_tag_stays_as_it_is(said: str) -> None:
    assert without_thoughts(said) == said


def test_thoughts_lie_apart_and_in_order() -> None:
    marks = ("<think>", "</think>", "[THINK]", "[/THINK]", "\n", "a b ", "<|end|>")
    for length in range(1, 6):
        for said in map("".join, itertools.product(marks, repeat=length)):
            places = [place for each in thoughts(said) for place in (each.start, each.end)]
            assert places == sorted(places)
            assert all(each.end > each.start for each in thoughts(said))


@pytest.mark.parametrize(
    ("reason", "ended"),
    [
        *(
            (reason, True)
            for reason in ("stop", "STOP", "end_turn", "eos", "eos_token", "COMPLETE", "FinishReason.STOP")
        ),
        *((reason, False) for reason in ("length", "MAX_TOKENS", "max_output_tokens", "model_length", "error")),
        *((reason, False) for reason in ("model_context_window_exceeded", "runaway", "SAFETY", "abort")),
        *((reason, None) for reason in (None, "", "OTHER", "unknown", "tool_calls")),
    ],
)
def test_a_finish_reason_says_whether_an_answer_ended(reason: str | None, ended: bool | None) -> None:
    assert has_ended(reason) is ended


@pytest.mark.parametrize(
    "said",
    [
        '{"title": "T"}',
        'Here it is:\n```json\n{"title": "T"}\n```\nAnything else?',
        '<think>{"title": "no"}</think>{"title": "T"}',
        'With {braces} and {"other": 1} first: {"title": "T"}',
        '{"inside": {"title": "T"}} is not asked for, what is in it is',
        '[{"title": "first"}, {"title": "T"}]',
        'A draft: {"title": "no"}. Now the answer: {"title": "T"}',
    ],
)
def test_the_last_object_with_a_name_is_found_whatever_is_around_it(said: str) -> None:
    assert find_object(said, {"title", "findings"}) == {"title": "T"}


def test_line_breaks_within_strings_do_no_harm() -> None:
    assert find_object('{"title": "one\ntwo\tthree"}', {"title"}) == {"title": "one\ntwo\tthree"}


@pytest.mark.parametrize(
    "said",
    ["", "no", '{"title": "cut of', '{"other": 1}', "null", "<think>" + '{"title": 1}', "{" * 100_000, '{"a":' * 5_000],
)
def test_where_there_is_none_nothing_is_found(said: str) -> None:
    assert find_object(said, {"title"}) is None
