"""Prompt files: what stands for their placeholders, and the marks around what is shown."""

from __future__ import annotations

import re

import pytest

from kg_neo4j._models import prompts

HEADER = "---\nname: n\nversion: 1\nplaceholders: text, question, complaint, {mark}\nanswer: a\n"
BODY = (
    "temperature: 0\nsource: s\n---\n# System\n{{{{{mark}}}}}\n# User\n{{{{text}}}} {{{{question}}}}{{{{complaint}}}}\n"
)


def prompt(mark: str) -> prompts.Prompt:
    return prompts.parse((HEADER + BODY).format(mark=mark), "n.md")


@pytest.mark.parametrize(("mark", "digits"), [("boundary", 12), ("fence", 8)])
def test_a_mark_changes_with_each_value_but_not_with_a_complaint(mark: str, digits: int) -> None:
    given = {"text": "a", "question": "b"}
    marks = [prompt(mark).render(**given, **more)[0] for more in ({"complaint": ""}, {"complaint": "again"})]
    assert re.fullmatch(rf"[0-9a-f]{{{digits}}}", marks[0])
    assert marks[0] == marks[1]
    changed = {prompt(mark).render(**{**given, name: "c"}, complaint="")[0] for name in given}
    assert len({marks[0], *changed}) == 3


def test_a_text_cannot_hold_its_own_mark() -> None:
    system, _ = prompt("boundary").render(text="a", question="b", complaint="")
    again, user = prompt("boundary").render(text=f"a {system}", question="b \ud800", complaint="")
    assert system in user
    assert again not in user


def test_a_mark_may_be_given_and_other_values_must_be() -> None:
    assert prompt("fence").render(text="a", question="b", complaint="", fence="f")[0] == "f"
    with pytest.raises(ValueError, match="takes"):
        prompt("fence").render(text="a", question="b")
    with pytest.raises(ValueError, match="takes"):
        prompt("fence").render(text="a", question="b", complaint="", other="c")
