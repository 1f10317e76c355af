"""What a model must be able to do: one protocol for chat, one for embeddings. Both are synchronous for the caller."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from kg_neo4j._models.answer_text import has_ended, without_surrogates
from kg_neo4j.records import Usage

Listener = Callable[[str], str | None]  # gets a piece of an answer; a reason that it returns ends the call


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer of a chat model. Its texts can be written as UTF-8: a lone surrogate becomes U+FFFD."""

    text: str
    finish_reason: str | None  # the server's; a listener's reason; "prompt_cut": the server read a part of the prompt
    usage: Usage
    note: str = ""  # what a person should know of how it came
    kept: Usage = field(default_factory=Usage)  # from the cache: what it took when it was paid for, if known

    def __post_init__(self) -> None:
        """Replace surrogates, whatever server the answer comes from."""
        object.__setattr__(self, "text", without_surrogates(self.text))
        if self.finish_reason is not None:
            object.__setattr__(self, "finish_reason", without_surrogates(self.finish_reason))

    @property
    def is_cut(self) -> bool:
        """Return whether something ended the answer before its end: a limit, an error, or our own stop."""
        return has_ended(self.finish_reason) is False


class ChatModel(Protocol):
    """A chat model. Safe to call from several threads."""

    @property
    def name(self) -> str:
        """The model's name, as stored with its answers."""

    @property
    def window(self) -> int:
        """Prompt and answer together, in tokens."""

    def complete(
        self, system: str, user: str, *, max_tokens: int | None = None, temperature: float = 0.0
    ) -> Completion:
        """Answer one prompt.

        Retries what can pass; raises ModelRefused, ModelUnavailable, ContextTooLong, ContentFiltered or
        BadModelAnswer otherwise.
        """


@runtime_checkable
class StreamingChatModel(Protocol):
    """A chat model that can say an answer word by word."""

    def stream(
        self,
        system: str,
        user: str,
        on_token: Listener,
        *,
        max_tokens: int | None = None,
        temperature: float = 0.0,
    ) -> Completion:
        """Answer as `ChatModel.complete` does, and tell `on_token` each piece of the text as it comes.

        A reason that `on_token` returns ends the call at the server: the text so far is the answer, and the reason its
        finish reason. An answer that does not come as a stream is one piece. Where the stream breaks, `on_token` gets
        a line on that, the answer is asked for again as a whole, and `Completion.note` reports it.
        """


@runtime_checkable
class OptionedChatModel(Protocol):
    """A chat model whose requests can have further fields: `complete` and `stream` take `options`, by name."""

    def thoughts(self, options: Mapping[str, Any]) -> int:
        """Return the tokens that its thoughts may take besides an answer of limited length; 0: it has none."""


class EmbeddingModel(Protocol):
    """Turns texts into vectors."""

    @property
    def name(self) -> str:
        """Stored with the vectors: another name means another space."""

    @property
    def dimension(self) -> int:
        """Length of every vector."""

    @property
    def max_tokens(self) -> int:
        """Longer texts are split before they come here (the embedding analysis: 450 of 512)."""

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return an array of shape (len(texts), dimension), rows of unit length, in the order of `texts`.

        Raises the ModelError subclasses of `ChatModel.complete`; BadModelAnswer for a wrong count, a wrong
        dimension, NaN or a zero vector.
        """
