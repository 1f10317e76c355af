"""A follow-up rewritten by a model, in one call, so that it stands by itself; what is no such question is not used."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kg_neo4j._models import prompts
from kg_neo4j._models.answer_text import without_thoughts
from kg_neo4j._models.protocols import ChatModel
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.errors import BadModelAnswer, ContentFiltered, ContextTooLong
from kg_neo4j.records import Usage
from kg_neo4j.retrieve.conversation.turns import HISTORY_TOKENS, Turn, render
from kg_neo4j.retrieve.words import fold, is_stop_word, split_words

ANSWER_TOKENS = 200  # room for one question
PROMPT_TOKENS = 400
LONGEST = 500  # characters of a rewritten question, beyond those of the question itself

_QUOTES = re.compile(r'^["“”\'`]+|["“”\'`]+$')
_MARKS = re.compile("[?\u037e\u061f\uff1f]")
_LABEL = re.compile(r"^(?:(?:rewritten|last|final|standalone)\s+)?question\s*:\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What a model made of a follow-up. `question` is empty where that is of no use, for the reason in `why`."""

    question: str
    usage: Usage
    why: str = ""


def rewrite(
    question: str, turns: Sequence[Turn], model: ChatModel, tokeniser: Tokeniser, max_tokens: int = HISTORY_TOKENS
) -> Rewritten:
    """Ask `model` once for `question` as somebody would ask it who begins the conversation with it.

    Raises the errors of the model that concern every question.
    """
    room = model.window - PROMPT_TOKENS - ANSWER_TOKENS - tokeniser.count(question)
    history = render(turns, tokeniser, max(0, min(max_tokens, room)))
    if not history:
        return Rewritten("", Usage(), "no turn of the conversation fits")
    prompt = prompts.load("follow_up")
    fence = hash_id("fence", history, question)[:8]
    system, user = prompt.render(history=history, fence=fence, question=question)
    try:
        completion = model.complete(system, user, max_tokens=ANSWER_TOKENS, temperature=prompt.temperature)
    except (ContentFiltered, BadModelAnswer, ContextTooLong) as error:
        return Rewritten("", Usage(calls=1), str(error))
    return Rewritten(*_read(question, completion.text, completion.usage))


def _read(asked: str, said: str, usage: Usage) -> tuple[str, Usage, str]:
    """Return the question in an answer, or "" and what is wrong with it."""
    lines = [line.strip() for line in without_thoughts(said).splitlines() if line.strip()]
    if len(lines) != 1:
        return "", usage, f"the model's rewriting has {len(lines)} lines"
    found = _QUOTES.sub("", _LABEL.sub("", _QUOTES.sub("", lines[0]))).strip()
    if not any(char.isalnum() for char in found):
        return "", usage, "the model's rewriting has no words"
    if len(found) > LONGEST + len(asked):
        return "", usage, f"the model's rewriting has {len(found):,} characters"
    if not all(char.isprintable() for char in found):
        return "", usage, "the model's rewriting has characters that are not for reading"
    if not _MARKS.search(found) and (_MARKS.search(asked) or not _terms(asked) <= _terms(found)):
        return "", usage, "the model's rewriting is no question"
    return found, usage, ""


def _terms(text: str) -> frozenset[str]:
    """Return the words of a question that a rewriting must keep: all but those that refer, and other stop words."""
    return frozenset(word for word in map(fold, split_words(text)) if not is_stop_word(word))
