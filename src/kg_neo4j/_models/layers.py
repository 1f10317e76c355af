"""The layers between a task and a model, one upon the other, as the transports of an HTTP client: see `door`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from kg_neo4j import tracing
from kg_neo4j._models.answer_log import AnswerLog
from kg_neo4j._models.cache import AnswerCache
from kg_neo4j._models.openai_models import DEFAULT_WINDOW
from kg_neo4j._models.protocols import ChatModel, Completion, OptionedChatModel, StreamingChatModel
from kg_neo4j._models.tasks import OF_ONE_TASK, Request, Unanswered
from kg_neo4j.errors import BadModelAnswer, BudgetReached, ContentFiltered, ContextTooLong, ModelError, ModelUnavailable
from kg_neo4j.records import Usage

FILTERED, TOO_LONG, UNREADABLE = "content_filter", "context_too_long", "unreadable"  # finish reasons of stored errors


class Layer(Protocol):
    """Answers requests. Safe to call from several threads."""

    @property
    def name(self) -> str:
        """The model's name, as stored with its answers."""

    @property
    def window(self) -> int:
        """Prompt and answer together, in tokens."""

    def complete(self, request: Request) -> Completion:
        """Answer one request; raises ModelError or BudgetReached. What was not paid for now has no usage."""

    def keep(self, hash: str, said: Completion) -> None:
        """Keep an answer that was read and found to be of use, by the hash of its request."""


class AnswerStore(Protocol):
    """Where the answers are kept that something rests on. Safe to call from several threads."""

    @property
    def remembers(self) -> frozenset[str]:
        """The errors that are stored, and not asked about again: of FILTERED, TOO_LONG, UNREADABLE."""

    def read(self, keys: Sequence[str]) -> Mapping[str, tuple[str, str | None]]:
        """Return text and finish reason of the answers that are there, by key."""

    def write(self, request: Request, said: Completion, model: str) -> None:
        """Store an answer before it is used; the first one of a key stays."""


Answers = AnswerCache | AnswerLog  # where answers that were paid for are kept


class _Bottom:
    """A layer on no other one: it keeps no answers."""

    __slots__ = ()

    def keep(self, hash: str, said: Completion) -> None:
        """Nothing is kept here."""


class _Wrapper:
    """A layer on another one, or on a model, whose name and window it has."""

    __slots__ = ()
    beneath: Layer | ChatModel

    @property
    def name(self) -> str:
        return self.beneath.name

    @property
    def window(self) -> int:
        return self.beneath.window


@dataclass(frozen=True, slots=True)
class Asked(_Bottom, _Wrapper):
    """The layer that asks."""

    beneath: ChatModel

    def complete(self, request: Request) -> Completion:
        """Ask the model; where somebody hears and the model can, word by word. Thoughts have room beyond the limit."""
        how: dict[str, Any] = {"temperature": request.temperature}
        thoughts = 0
        if isinstance(self.beneath, OptionedChatModel):
            how |= {"options": request.options} if request.options else {}
            thoughts = self.beneath.thoughts(request.options)
        if request.max_tokens is not None:
            how["max_tokens"] = request.max_tokens + thoughts
        with tracing.call("chat", self.beneath) as note:
            if request.on_token is not None and isinstance(self.beneath, StreamingChatModel):
                said = self.beneath.stream(request.system, request.user, request.on_token, **how)
            else:
                said = self.beneath.complete(request.system, request.user, **how)
            note(tracing.spent(said.usage, system=request.system, user=request.user, assistant=said.text))
            return said


@dataclass(frozen=True, slots=True)
class Counted(_Bottom):
    """The layer of a plan: it stands where a model is asked, and notes each question."""

    name: str
    window: int
    asked: list[Request]
    suppose: Callable[[Request], str] | None = None  # gives the answer that a plan goes on from

    def complete(self, request: Request) -> Completion:
        """Note the question. Raises Unanswered where no answer is supposed; without usage, one is kept nowhere."""
        self.asked.append(request)
        if self.suppose is None:
            raise Unanswered("a plan asks no model")
        return Completion(self.suppose(request), "stop", Usage())


@dataclass(frozen=True, slots=True)
class Unasked(_Bottom):
    """The layer that asks no model: only what is stored or cached is answered."""

    name: str = ""
    window: int = DEFAULT_WINDOW
    error: ModelError | BudgetReached = field(default_factory=lambda: ModelUnavailable("no model is asked"))

    def complete(self, request: Request) -> Completion:
        """Raise the error."""
        raise self.error


@dataclass(frozen=True, slots=True)
class Cached(_Wrapper):
    """Answers that were paid for before, on this machine or by this work; those of use are put there."""

    beneath: Layer
    cache: Answers

    def complete(self, request: Request) -> Completion:
        """Return the cached answer, or what comes from beneath."""
        found = self.cache.get(request.hash(self.name)) if request.cached else None
        return self.beneath.complete(request) if found is None else found

    def keep(self, hash: str, said: Completion) -> None:
        """Put an answer that was paid for now into the cache."""
        if said.usage.calls:
            self.cache.put(hash, said)
        self.beneath.keep(hash, said)


@dataclass(slots=True)
class Stored(_Wrapper):
    """Answers that are stored with what rests on them. Who asks what is being asked waits for the answer."""

    beneath: Layer
    store: AnswerStore
    writes: bool = True  # False: a plan reads it
    _known: dict[str, tuple[str, str | None] | None] = field(default_factory=dict)
    _turns: dict[str, threading.Lock] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def prepare(self, keys: Iterable[str]) -> None:
        """Read the stored answers of many requests at once."""
        if wanted := sorted({key for key in keys if key and key not in self._known}):
            found = self.store.read(wanted)
            with self._lock:
                self._known |= {key: found.get(key) for key in wanted}

    def complete(self, request: Request) -> Completion:
        """Return the stored answer, or store what comes from beneath; a stored error is raised again."""
        if not request.key:
            return self.beneath.complete(request)
        with self._lock:
            turn = self._turns.setdefault(request.key, threading.Lock())
        with turn:
            self.prepare([request.key])
            known = self._known[request.key]
            return _said(Completion(*known, Usage()) if known else self._asked(request))

    def keep(self, hash: str, said: Completion) -> None:
        """Leave it to the cache; what is stored stays as it is."""
        self.beneath.keep(hash, said)

    def _asked(self, request: Request) -> Completion:
        try:
            said = self.beneath.complete(request)
        except OF_ONE_TASK as error:
            said = Completion("", reason_of(error), Usage())
            if said.finish_reason not in self.store.remembers:
                raise
        if self.writes:
            self.store.write(request, said, self.name)
        with self._lock:
            self._known[request.key] = (said.text, said.finish_reason)
        return said


def with_bottom(layer: Layer, bottom: Layer) -> Layer:
    """Return a stack of layers with another bottom: what is stored and cached still answers."""
    if isinstance(layer, Stored | Cached):
        return replace(layer, beneath=with_bottom(layer.beneath, bottom))
    return bottom


def reason_of(error: Exception) -> str:
    reasons: dict[type, str] = {ContentFiltered: FILTERED, ContextTooLong: TOO_LONG, BadModelAnswer: UNREADABLE}
    return reasons.get(type(error), "")  # a request that was refused is asked again


def _said(said: Completion) -> Completion:
    """Return an answer, or raise what stands for it; one that could not be read is an empty answer."""
    if not said.text and said.finish_reason == FILTERED:
        raise ContentFiltered("the provider's filter declined to answer")
    if not said.text and said.finish_reason == TOO_LONG:
        raise ContextTooLong("the question did not fit the model's window")
    return said
