"""Rules for the scripted model that answers and judges: every answer is told apart, statements are the sentences."""

from __future__ import annotations

import hashlib
import json
import re

import fake_llm

_ANSWER = re.compile(r"^Answer: (.*)\nend of answer \w+", re.DOTALL | re.MULTILINE)
_STATEMENT = re.compile(r"^([AG]\d+): (.*)$", re.MULTILINE)
_REPORT = re.compile(r"^Report R(\d+): (.*)$", re.MULTILINE)


def rules(prompt: str, user: str) -> str:
    """Answer a prompt; the same prompt is answered the same, and no two prompts are."""
    if (taken := _ANSWER.search(user)) is not None:
        said = [each.strip() for each in re.split(r"(?<=[.!?])\s+", taken[1]) if each.strip()]
        return json.dumps({"statements": said})
    if "The right answer states:" in user:
        return _verdict(user)
    if reports := _REPORT.findall(user):
        rows = [{"report": f"R{number}", "score": 60, "answer": f"{title}. [R{number}]"} for number, title in reports]
        return json.dumps({"reports": rows})
    said = fake_llm.answer(prompt, user)
    if said.startswith(("node_id", "{")):
        return said
    mark = hashlib.sha256(prompt.encode()).hexdigest()[:6]
    return re.sub(r"\.?\s*(\[C\d+\])", rf", as note {mark} has it \1", said, count=1)


def _verdict(user: str) -> str:
    """Sort statements: two are the same where one of them has all words of the other."""
    found = _STATEMENT.findall(user)
    said = {name: _words(text) for name, text in found if name.startswith("A")}
    golden = {name: _words(text) for name, text in found if name.startswith("G")}
    right = [name for name, words in said.items() if any(words <= own or own <= words for own in golden.values())]
    missing = [name for name, own in golden.items() if not any(own <= words or words <= own for words in said.values())]
    return json.dumps({"TP": right, "FP": [name for name in said if name not in right], "FN": missing})


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.lower())) - {"the", "a", "an"}


def is_judging(prompt: str) -> bool:
    """Return whether a prompt is the judge's."""
    return "The right answer states:" in prompt or "take an answer to a question apart" in prompt
