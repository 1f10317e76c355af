"""What a model's answer holds besides words for people: thoughts, which are left out, and JSON objects. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kg_neo4j import data_files

MOST_BRACES = 200  # openings that are tried; an answer of thousands of them is no JSON
RUNAWAY, PROMPT_CUT = "runaway", "prompt_cut"  # our own finish reasons: nothing new came; the server cut the prompt

_DATA = data_files.beside(__file__)
_ENDED = re.compile("|".join(_DATA.lines("ended")), re.IGNORECASE)
_CUT = re.compile("|".join((*_DATA.lines("cut"), RUNAWAY, PROMPT_CUT)), re.IGNORECASE)


def has_ended(finish_reason: str | None) -> bool | None:
    """Return whether a finish reason says that an answer came to its own end; None where it says nothing known."""
    reason = (finish_reason or "").strip()
    if _ENDED.fullmatch(reason):
        return True
    return False if _CUT.search(reason) else None


def without_surrogates(text: str) -> str:
    r"""Return `text` with each pair of surrogates as its character, and each lone one as U+FFFD.

    JSON can carry them: "\ud83d" alone comes from a model that was cut within an emoji. UTF-8 cannot.
    """
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


# ------------------------------------------------------------------------------------------------------- thoughts

_MARK = re.compile(
    "|".join(f"(?P<{kind}>{forms})" for kind, forms in _DATA.parts("marks").items() if kind != "words"),
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)
_QUOTES = frozenset("`'\"‘“«„")
_GOES_ON = frozenset(" ,.;:!?)")  # after a mark that a sentence speaks of
_ASIDE = 4  # words between two marks within a line of an answer that make a thought; fewer only speak of the marks


@dataclass(frozen=True, slots=True)
class Thought:
    """A span of an answer that is no part of it."""

    start: int
    end: int
    is_closed: bool = True  # False: one of its two marks is missing


def thoughts(text: str) -> tuple[Thought, ...]:
    """Return the spans of an answer that are thoughts, with their marks, in order and apart from each other.

    Marks may be nested, and one of a pair may be missing: without the first one, all that comes before is a thought,
    without the last one, all that follows. Marks in quotes, and marks within a sentence, are words of the answer.
    """
    if not any(begins in text for begins in (*"<[◁", "```", "my thought", "analysis")):
        return ()
    found: list[Thought] = []
    opened: list[re.Match[str]] = []
    last_close = 0
    for mark in _MARK.finditer(text):
        start, end = mark.span()
        if start and text[start - 1] in _QUOTES:
            continue
        if mark["open"]:
            opened.append(mark)
        elif not mark["close"]:
            found.append(Thought(start, end))
        elif opened:
            last_close = end
            inside = text[opened[-1].end() : start]
            if _is_meant(text, opened[-1]) or "\n" in inside or len(inside.split()) >= _ASIDE:
                found.append(Thought(opened[-1].start(), end))
            opened.pop()
        elif _is_meant(text, mark) or text[end + 1 : end + 2].isupper():
            found.append(Thought(0 if text[end:].strip() else start, end, is_closed=False))
    for mark in opened:
        if last_close > mark.end():
            found.append(Thought(mark.start(), last_close))
        elif text[mark.end() : mark.end() + 1] not in _GOES_ON:
            found.append(Thought(mark.start(), len(text), is_closed=False))
    return tuple(_apart(sorted(found, key=lambda each: (each.start, -each.end))))


def _is_meant(text: str, mark: re.Match[str]) -> bool:
    """Return whether a mark begins a line, or words follow it at once; else a sentence speaks of it."""
    before = text[text.rfind("\n", 0, mark.start()) + 1 : mark.start()]
    return not before.strip(" \t>*") or text[mark.end() : mark.end() + 1] not in _GOES_ON


def _apart(found: list[Thought]) -> Iterator[Thought]:
    """Yield spans without those that lie within others."""
    end = -1
    for each in found:
        if each.end > end:
            yield Thought(max(each.start, end), each.end, each.is_closed)
            end = each.end


def without_thoughts(text: str) -> str:
    """Return an answer without its thoughts: words for people."""
    place, pieces = 0, []
    for thought in thoughts(text):
        pieces.append(text[place : thought.start])
        place = thought.end
    return "".join((*pieces, text[place:]))


def find_object(text: str, names: Collection[str]) -> Mapping[str, Any] | None:
    """Return the last JSON object in an answer that has one of `names`, thoughts left out; None where there is none.

    Text around it and line breaks within its strings do no harm; an object that is cut off is none.
    """
    said = without_thoughts(text)
    decoder = json.JSONDecoder(strict=False)
    last, place = None, said.find("{")
    for _ in range(MOST_BRACES):
        if place < 0:
            break
        try:
            found, end = decoder.raw_decode(said, place)
        except (ValueError, RecursionError):
            found, end = None, place + 1
        if not isinstance(found, dict) or found.keys().isdisjoint(names):
            end = place + 1
        else:
            last = found
        place = said.find("{", end)
    return last
