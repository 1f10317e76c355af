"""What writes summaries and notes: an abstract class, one instance for each aspect and one for details (W4).

    class Headlines(AbstractSummariser):
        name = "plot"
        method = "headlines"
        def summarize(self, context: str, max_tokens: int = 200) -> str: ...

Instances of a user's own stand beside those that ship, or instead of those of the same name.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Sequence

from kg_neo4j._models import prompts
from kg_neo4j._models.prompts import Prompt
from kg_neo4j._models.protocols import ChatModel, Completion
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.errors import BadModelAnswer, ContentFiltered, ContextTooLong
from kg_neo4j.organise.description_extracts import cut_at_sentence, cut_at_word
from kg_neo4j.organise.tree import extractive
from kg_neo4j.organise.tree.aspects import prompt_of
from kg_neo4j.organise.tree.interface import SUMMARY_TEMPERATURE, SUMMARY_TOKENS, Aspect, Aspects, Summariser
from kg_neo4j.organise.tree.written import (
    DECLINED,
    EMPTY,
    LONG,
    SHORTENED,
    UNFINISHED,
    Written,
    read_text,
    whole_sentences,
)

DETAIL = "detail"  # name of the summariser of notes
MODEL, EXTRACTIVE = "model", "extractive"  # methods
ROUNDS = 2  # an empty answer is asked for once more
WORDS_A_TOKEN = 0.75  # a model is told words: of tokens it knows nothing
AMPLE_TOKENS = 4_000  # room for an answer in a large window: a model may think before it writes
LARGE_WINDOW = 24_000  # tokens
LEAST_CONTEXT = 200  # tokens of a text in the smallest window
SHORTER = 2  # a note has at most one in so many tokens of its text


class AbstractSummariser(ABC):
    """Writes summaries of one aspect, or notes; safe to call from several threads. Implements `Summariser`."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name of the aspect, or "detail"."""

    @property
    @abstractmethod
    def method(self) -> str:
        """Stored beside what it wrote: "model", "extractive" or a name of the user's own."""

    @abstractmethod
    def summarize(self, context: str, max_tokens: int = SUMMARY_TOKENS) -> str:
        """Return a summary of `context`, of at most `max_tokens` tokens; empty where there is nothing to say."""

    def write(self, context: str, max_tokens: int = SUMMARY_TOKENS, before: Sequence[str] = ()) -> Written:
        """Return what `summarize` does, with how it came about; `before` are the notes that there are already."""
        return Written(self.summarize(context, max_tokens).strip(), self.method)


class ExtractiveSummariser(AbstractSummariser):
    """Sentences of the text, chosen for one aspect (`extractive`). Needs no model."""

    def __init__(self, aspect: Aspect, tokeniser: Tokeniser) -> None:
        self._aspect = aspect
        self._tokeniser = tokeniser

    @property
    def name(self) -> str:
        """Name of the aspect."""
        return self._aspect.name

    @property
    def method(self) -> str:
        """How it works."""
        return EXTRACTIVE

    def summarize(self, context: str, max_tokens: int = SUMMARY_TOKENS) -> str:
        """Return sentences of `context`, in its order."""
        return extractive.summary(context, self._aspect, self._tokeniser, max_tokens)


class ExtractiveDetails(AbstractSummariser):
    """Notes without a model: the most central sentence, key phrases, another sentence."""

    def __init__(self, tokeniser: Tokeniser) -> None:
        self._tokeniser = tokeniser

    @property
    def name(self) -> str:
        """Name of the summariser of notes."""
        return DETAIL

    @property
    def method(self) -> str:
        """How it works."""
        return EXTRACTIVE

    def summarize(self, context: str, max_tokens: int = SUMMARY_TOKENS) -> str:
        """Return the first note on `context`."""
        return self.write(context, max_tokens).text

    def write(self, context: str, max_tokens: int = SUMMARY_TOKENS, before: Sequence[str] = ()) -> Written:
        """Return the note that follows those of `before`."""
        most = shorter(context, self._tokeniser, max_tokens)
        return Written(extractive.note(context, len(before), self._tokeniser, most), EXTRACTIVE)


class _Asking(AbstractSummariser):
    """Asks a model; where it writes nothing of use, even when it is asked once more, the text's sentences stand in."""

    def __init__(
        self, model: ChatModel, tokeniser: Tokeniser, temperature: float, fallback: AbstractSummariser
    ) -> None:
        self._model = model
        self._tokeniser = tokeniser
        self._temperature = temperature
        self._fallback = fallback

    @property
    def name(self) -> str:
        """Name of the aspect, or "detail"."""
        return self._fallback.name

    @property
    def method(self) -> str:
        """How it works."""
        return MODEL

    @abstractmethod
    def messages(
        self, context: str, max_tokens: int = SUMMARY_TOKENS, before: Sequence[str] = (), complaint: str = ""
    ) -> tuple[str, str]:
        """Return the system and the user message that a model would get."""

    @abstractmethod
    def limit(self, context: str, max_tokens: int) -> int:
        """Return the tokens that what is written may have."""

    def summarize(self, context: str, max_tokens: int = SUMMARY_TOKENS) -> str:
        """Return what the model writes. Raises the model's errors, but for those that concern this text alone."""
        return self.write(context, max_tokens).text

    def write(self, context: str, max_tokens: int = SUMMARY_TOKENS, before: Sequence[str] = ()) -> Written:
        """Return what the model writes, at most `ROUNDS` questions. Raises as `summarize` does."""
        if not context.strip():
            return Written("", self.method)
        most = self.limit(context, max_tokens)
        shown = self._fitting(context, most, before)
        flags = (SHORTENED,) if shown != context else ()
        reason, complaint = EMPTY, ""
        for _ in range(ROUNDS):
            try:
                said = self._complete(self.messages(shown, max_tokens, before, complaint), most)
            except (ContentFiltered, ContextTooLong) as error:
                reason = DECLINED if isinstance(error, ContentFiltered) else EMPTY
                break
            text = read_text(said.text) if said else ""
            if said and text:
                return self._within(text, most, flags, broke_off=said.finish_reason == "length")
            complaint = "\nYour last answer was empty, or said nothing about the text. Write what is asked for."
        fallback = self._fallback.write(context, max_tokens, before)
        return Written(fallback.text, fallback.method, (*flags, reason))

    def answer_tokens(self, most: int) -> int:
        """Return the room that the model gets for a text of `most` tokens."""
        if self._model.window >= LARGE_WINDOW:
            return AMPLE_TOKENS
        return min(2 * most + 100, self._model.window // 2)

    def _complete(self, messages: tuple[str, str], most: int) -> Completion | None:
        """Ask; None for an answer that the client could not read: one without content, above all."""
        system, user = messages
        try:
            return self._model.complete(
                system, user, max_tokens=self.answer_tokens(most), temperature=self._temperature
            )
        except BadModelAnswer:
            return None

    def _fitting(self, context: str, most: int, before: Sequence[str]) -> str:
        asked = sum(self._tokeniser.count(message) for message in self.messages("", most, before))
        room = self._model.window - asked - self.answer_tokens(most) - 100  # a complaint, and what the server adds
        return cut_at_word(context, self._tokeniser, max(LEAST_CONTEXT, room))

    def _within(self, text: str, most: int, flags: tuple[str, ...], *, broke_off: bool) -> Written:
        """Return an answer of no more tokens than it may have."""
        is_long = self._tokeniser.count(text) > most
        if not is_long and not broke_off:
            return Written(text, MODEL, flags)
        whole = cut_at_sentence(text, self._tokeniser, most) if is_long else whole_sentences(text)
        kept = whole.strip() or cut_at_word(text, self._tokeniser, most)
        return Written(kept, MODEL, (*flags, LONG if is_long else UNFINISHED))


class ModelSummariser(_Asking):
    """Summaries of one aspect by a model (prompts/summary.md, or the aspect's own prompt)."""

    def __init__(
        self, aspect: Aspect, model: ChatModel, tokeniser: Tokeniser, temperature: float = SUMMARY_TEMPERATURE
    ) -> None:
        super().__init__(model, tokeniser, temperature, ExtractiveSummariser(aspect, tokeniser))
        self._aspect = aspect
        self._prompt = prompt_of(aspect)

    def messages(
        self, context: str, max_tokens: int = SUMMARY_TOKENS, before: Sequence[str] = (), complaint: str = ""
    ) -> tuple[str, str]:
        """Return the system and the user message that a model would get."""
        values = {
            "title": self._aspect.title,
            "question": self._aspect.question,
            "words": str(words_for(max_tokens)),
            "complaint": complaint,
        }
        return _rendered(self._prompt, context, values)

    def limit(self, context: str, max_tokens: int) -> int:
        """Return `max_tokens`."""
        return max_tokens


class DetailSummariser(_Asking):
    """Notes by a model (prompts/detail.md): each one after the first is told what those before it say."""

    def __init__(self, model: ChatModel, tokeniser: Tokeniser, temperature: float = SUMMARY_TEMPERATURE) -> None:
        super().__init__(model, tokeniser, temperature, ExtractiveDetails(tokeniser))
        self._prompt = prompts.load("detail")

    def messages(
        self, context: str, max_tokens: int = SUMMARY_TOKENS, before: Sequence[str] = (), complaint: str = ""
    ) -> tuple[str, str]:
        """Return the system and the user message that a model would get."""
        said = "\n".join(f"- {' '.join(note.split())}" for note in before)
        asked = (
            f" There are notes already; yours has other details, or says them in another way:\n{said}" if said else ""
        )
        words = str(words_for(self.limit(context, max_tokens)))
        return _rendered(self._prompt, context, {"words": words, "before": asked, "complaint": complaint})

    def limit(self, context: str, max_tokens: int) -> int:
        """Return half of the text's tokens, at most `max_tokens`."""
        return shorter(context, self._tokeniser, max_tokens)


def summarisers_for(
    aspects: Aspects,
    model: ChatModel | None,
    tokeniser: Tokeniser,
    *,
    own: Sequence[Summariser] = (),
    temperature: float = SUMMARY_TEMPERATURE,
) -> tuple[Summariser, ...]:
    """Return a summariser for each aspect, in their order, and one for details; without a model extractive ones.

    `own` are a user's: each takes the place of the one of the same name.
    """
    given = {each.name: each for each in own}
    found: list[Summariser] = []
    for aspect in aspects:
        ours = (
            ModelSummariser(aspect, model, tokeniser, temperature) if model else ExtractiveSummariser(aspect, tokeniser)
        )
        found.append(given.get(aspect.name, ours))
    details = DetailSummariser(model, tokeniser, temperature) if model else ExtractiveDetails(tokeniser)
    return (*found, given.get(DETAIL, details))


def words_for(max_tokens: int) -> int:
    """Return the words that a model is asked for, where so many tokens are wanted."""
    return max(5, int(max_tokens * WORDS_A_TOKEN))


def shorter(context: str, tokeniser: Tokeniser, max_tokens: int) -> int:
    """Return the tokens of a note: half of its text's, at least 10, at most `max_tokens`."""
    return min(max_tokens, max(10, tokeniser.count(context) // SHORTER))


def _rendered(prompt: Prompt, context: str, values: dict[str, str]) -> tuple[str, str]:
    """Fill a prompt; a user's own need not have every placeholder. The mark hashes the text: it cannot hold its end."""
    boundary = hashlib.sha256(context.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    known = {**values, "text": context, "boundary": boundary}
    return prompt.render(**{name: known[name] for name in prompt.placeholders})
