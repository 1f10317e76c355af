"""Rules for the scripted model that answers and judges: every answer is told apart, statements are the sentences."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping

import fake_llm

_ANSWER = re.compile(r"^Answer: (.*)\nend of answer \w+", re.DOTALL | re.MULTILINE)
_STATEMENT = re.compile(r"^([AG]\d+): (.*)$", re.MULTILINE)
_OPTION = re.compile(r"^(\d+): (.*)$", re.MULTILINE)
_REPORT = re.compile(r"^Report R(\d+): (.*)$", re.MULTILINE)


def rules(prompt: str, user: str) -> str:
    """Answer a prompt; the same prompt is answered the same, and no two prompts are."""
    if (taken := _ANSWER.search(user)) is not None:
        return json.dumps({"statements": sentences(taken[1])})
    if "The right answer states:" in user:
        found = _STATEMENT.findall(user)
        said, golden = ({name: text for name, text in found if name[0] == letter} for letter in "AG")
        return json.dumps(sort_statements(said, golden))
    if "\nOptions:\n" in user:
        passages, options = user.split("\nOptions:\n")
        named = [int(number) for number, text in _OPTION.findall(options) if text in passages]
        return json.dumps({"option": (named or [1])[-1]})
    if reports := _REPORT.findall(user):
        rows = [{"report": f"R{number}", "score": 60, "answer": f"{title}. [R{number}]"} for number, title in reports]
        return json.dumps({"reports": rows})
    answer = fake_llm.answer(prompt, user)
    if answer.startswith(("node_id", "{")):
        return answer
    mark = hashlib.sha256(prompt.encode()).hexdigest()[:6]
    return re.sub(r"\.?\s*(\[(?:\d+\.|F)\d+\])", rf", as note {mark} has it \1", answer, count=1)


def sentences(text: str) -> list[str]:
    """Return what a text states: its sentences, each once."""
    return list(dict.fromkeys(each.strip() for each in re.split(r"(?<=[.!?])\s+", text) if each.strip()))


def sort_statements(said: Mapping[str, str], golden: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the names of statements by TP, FP and FN: two are the same where one has all words of the other."""
    mine = {name: _words(text) for name, text in said.items()}
    theirs = {name: _words(text) for name, text in golden.items()}
    right = [name for name, words in mine.items() if any(words <= own or own <= words for own in theirs.values())]
    missing = [name for name, own in theirs.items() if not any(own <= words or words <= own for words in mine.values())]
    return {"TP": right, "FP": [name for name in mine if name not in right], "FN": missing}


def is_judging(prompt: str) -> bool:
    """Return whether a prompt is the judge's."""
    return "The right answer states:" in prompt or "take an answer to a question apart" in prompt


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.lower())) - {"the", "a", "an"}
