"""What a model's answer holds in addition to words for people: thoughts, which are left out, and JSON objects. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from typing import Any

MOST_BRACES = 200  # openings that are tried; an answer of thousands of them is no JSON

_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)


def without_surrogates(text: str) -> str:
    r"""Return `text` with each pair of surrogates as its character, and each lone one as U+FFFD.

    JSON can carry them: "\ud83d" alone comes from a model that was cut within an emoji. UTF-8 cannot.
    """
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def without_thoughts(text: str) -> str:
    """Return an answer without what stands between <think> and </think>, or between <think> and the end."""
    return _THOUGHT.sub("", text)


def find_object(text: str, names: Collection[str]) -> Mapping[str, Any] | None:
    """Return the first JSON object in an answer that has one of `names`, thoughts left out; None where there is none.

    Text around it and line breaks within its strings do no harm; an object that is cut off is none.
    """
    said = without_thoughts(text)
    decoder = json.JSONDecoder(strict=False)
    place = said.find("{")
    for _ in range(MOST_BRACES):
        if place < 0:
            return None
        try:
            found, _end = decoder.raw_decode(said, place)
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, dict) and not found.keys().isdisjoint(names):
            return found
        place = said.find("{", place + 1)
    return None
