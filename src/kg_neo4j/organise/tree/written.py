"""What a model wrote of a text, as it is taken: without thoughts and opening remarks, and whole. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kg_neo4j._models.answer_text import without_thoughts

EMPTY = "the model wrote nothing of use: made of sentences of the text"
DECLINED = "the model's provider declined: made of sentences of the text"
LONG = "longer than asked for: cut at a sentence"
UNFINISHED = "the answer broke off: cut at a sentence"
SHORTENED = "the text did not fit the model's window: only its beginning was read"

LONGEST_REFUSAL = 300  # characters; a longer text that begins so is a story

_FENCE = re.compile(r"^\s*```.*$", re.MULTILINE)
_LABEL = re.compile(
    r"\A\s*(?:#+\s+[^\n]{0,80}\n+|\**(?:(?:here (?:is|are)|sure|certainly|of course)\b[^\n]{0,120}?[:.!]\**\s*\n+"
    r"|(?:concise |short |brief )?(?:summary|note|notes)(?: of [^\n:]{0,60})?\s*:\**\s*))",
    re.IGNORECASE,
)
_NOTHING = re.compile(r"\A\W*(?:n/?a|none|null|nothing|no (?:summary|content|details?)|empty)\W*\Z", re.IGNORECASE)
_REFUSAL = re.compile(
    r"(?:(?:i['’]?m|i am) (?:sorry|unable)|(?:sorry|unfortunately),? (?:but )?i|i (?:cannot|can['’]t|could not)"
    r"|as an ai)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Written:
    """A summary or a note, and how it came about."""

    text: str  # of at most the tokens that were asked for; empty: there was nothing to say
    method: str
    flags: tuple[str, ...] = ()  # what a reader should know; empty: all went well


def read_text(said: str) -> str:
    """Return what a model wrote without thoughts, fences and opening remarks; empty where it is none or a refusal."""
    text = _FENCE.sub("", without_thoughts(said)).strip()
    text = _LABEL.sub("", text, count=1).strip()
    if len(text) > 1 and text[0] == text[-1] == '"' and text.count('"') == 2:
        text = text[1:-1].strip()
    is_refusal = len(text) <= LONGEST_REFUSAL and bool(_REFUSAL.match(text))
    if is_refusal or _NOTHING.match(text) or not any(char.isalnum() for char in text):
        return ""
    return re.sub(r"[ \t]*\n\s*", "\n", text)


def whole_sentences(text: str) -> str:
    """Return an answer that broke off without its last, unfinished sentence."""
    end = max(text.rfind(sign) for sign in ".!?…。")
    return text[: end + 1]
