"""The one door to a chat model: tasks go in, typed answers come out. No other code asks a model or reads a cache.

    Door ── asks rounds, repairs, halves, several at a time, in order, and counts
      └── Stored ── answers that a graph rests on, read and written by key
            └── Cached ── answers that were paid for on this machine
                  └── Asked ── a ChatModel: within the budget (`budgeted`), throttled and tried again (`openai_chat`)
                Counted ── instead of it in a plan: questions are noted, and none is asked

Layers share one protocol and stand on each other, as the transports of an HTTP client do.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

from kg_neo4j._models.cache import AnswerCache
from kg_neo4j._models.openai_models import DEFAULT_WINDOW
from kg_neo4j._models.protocols import ChatModel, Completion, StreamingChatModel
from kg_neo4j._models.tasks import OF_ONE_TASK, Answer, Complaint, Request, Task, Unanswered
from kg_neo4j._models.workers import Crew
from kg_neo4j.errors import (
    BadModelAnswer,
    BudgetReached,
    ContentFiltered,
    ContextTooLong,
    ModelError,
    ModelUnavailable,
)
from kg_neo4j.records import Usage

FILTERED, TOO_LONG, UNREADABLE = "content_filter", "context_too_long", "unreadable"  # finish reasons of stored errors

T = TypeVar("T")


class Layer(Protocol):
    """Answers requests. Safe to call from several threads."""

    @property
    def name(self) -> str:
        """The model's name, as stored beside its answers."""

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


@dataclass(frozen=True, slots=True)
class Asked:
    """The layer that asks."""

    model: ChatModel

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    @property
    def window(self) -> int:
        """Prompt and answer together, in tokens."""
        return self.model.window

    def complete(self, request: Request) -> Completion:
        """Ask the model; where somebody hears and the model can, word by word."""
        how: dict[str, Any] = {"temperature": request.temperature}
        if request.max_tokens is not None:
            how["max_tokens"] = request.max_tokens
        if request.hear is not None and isinstance(self.model, StreamingChatModel):
            return self.model.stream(request.system, request.user, request.hear, **how)
        return self.model.complete(request.system, request.user, **how)

    def keep(self, hash: str, said: Completion) -> None:
        """Nothing is kept here."""


@dataclass(frozen=True, slots=True)
class Counted:
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

    def keep(self, hash: str, said: Completion) -> None:
        """Nothing is kept here."""


@dataclass(frozen=True, slots=True)
class Unasked:
    """The layer that asks no model: only what is stored or cached is answered."""

    name: str = ""
    window: int = DEFAULT_WINDOW
    error: ModelError | BudgetReached = field(default_factory=lambda: ModelUnavailable("no model is asked"))

    def complete(self, request: Request) -> Completion:
        """Raise the error."""
        raise self.error

    def keep(self, hash: str, said: Completion) -> None:
        """Nothing is kept here."""


class _Upon:
    """A layer on another one, whose model it shares."""

    __slots__ = ()
    beneath: Layer

    @property
    def name(self) -> str:
        """The model's name."""
        return self.beneath.name

    @property
    def window(self) -> int:
        """Prompt and answer together, in tokens."""
        return self.beneath.window


@dataclass(frozen=True, slots=True)
class Cached(_Upon):
    """Answers from the cache of this machine; those of use are put there."""

    beneath: Layer
    cache: AnswerCache

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
class Stored(_Upon):
    """Answers that are stored with what rests on them. Who asks what is being asked waits for the answer."""

    beneath: Layer
    store: AnswerStore
    _known: dict[str, tuple[str, str | None] | None] = field(default_factory=dict)
    _turns: dict[str, threading.Lock] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def prepare(self, keys: Iterable[str]) -> None:
        """Read the stored answers of many requests at once."""
        wanted = sorted({key for key in keys if key and key not in self._known})
        if wanted:
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
            return self._stored(request) or _said(self._asked(request))

    def keep(self, hash: str, said: Completion) -> None:
        """Leave it to the cache; what is stored stays as it is."""
        self.beneath.keep(hash, said)

    def _stored(self, request: Request) -> Completion | None:
        self.prepare([request.key])
        known = self._known[request.key]
        return _said(Completion(*known, Usage())) if known else None

    def _asked(self, request: Request) -> Completion:
        try:
            said = self.beneath.complete(request)
        except OF_ONE_TASK as error:
            said = Completion("", _reason(error), Usage())
            if said.finish_reason not in self.store.remembers:
                raise
        self.store.write(request, said, self.name)
        with self._lock:
            self._known[request.key] = (said.text, said.finish_reason)
        return said


@dataclass(frozen=True, slots=True)
class _Unwritten:
    """A store that a plan reads."""

    store: AnswerStore

    @property
    def remembers(self) -> frozenset[str]:
        """The errors that are stored."""
        return self.store.remembers

    def read(self, keys: Sequence[str]) -> Mapping[str, tuple[str, str | None]]:
        """Return what is stored."""
        return self.store.read(keys)

    def write(self, request: Request, said: Completion, model: str) -> None:
        """Leave the store as it is."""


@dataclass(slots=True)
class Door:
    """Asks tasks. `stopped` is the error that concerns every task: after it only known answers are given."""

    layer: Layer
    concurrency: int = 1  # tasks that are asked at a time
    stopped: ModelError | BudgetReached | None = None

    @property
    def name(self) -> str:
        """The model's name, as stored beside its answers."""
        return self.layer.name

    @property
    def window(self) -> int:
        """Prompt and answer together, in tokens."""
        return self.layer.window

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the cache for the user: it was replaced, or cannot be used."""
        beneath = self.layer.beneath if isinstance(self.layer, Stored) else self.layer
        return beneath.cache.notes if isinstance(beneath, Cached) else ()

    def storing(self, store: AnswerStore) -> Door:
        """Return a door to the same model that stores its answers; what stopped this one does not stop it."""
        return Door(Stored(self.layer, store), self.concurrency)

    def counting(self, asked: list[Request], suppose: Callable[[Request], str] | None = None) -> Door:
        """Return a door that asks no model: what is stored or cached answers, all other questions go into `asked`.

        These have no answer, or the one that is supposed; it is kept nowhere.
        """
        layer = _upon(self.layer, Counted(self.name, self.window, asked, suppose))
        return Door(Stored(layer.beneath, _Unwritten(layer.store)) if isinstance(layer, Stored) else layer)

    def again(self, *, concurrency: int | None = None) -> Door:
        """Return a door to the same model that nothing has stopped yet."""
        return Door(self.layer, concurrency or self.concurrency)

    def ask(self, task: Task[T], hear: Callable[[str], None] | None = None) -> Answer[T]:
        """Ask one task; `hear` gets the pieces of its answer. The errors of one task are in the answer.

        A task that is too long is asked as the one smaller task that it names, if any. Raises ModelRefused,
        ModelUnavailable and BudgetReached, which concern every task.
        """
        spent = Usage()
        while True:
            answer = self._answer(task, hear)
            if answer.error is not None and not isinstance(answer.error, OF_ONE_TASK):
                raise answer.error
            smaller = task.smaller() if isinstance(answer.error, ContextTooLong) else ()
            if len(smaller) != 1:
                return _after(spent, answer)
            task = smaller[0]
            spent += answer.usage

    def ask_all(self, tasks: Sequence[Task[T]]) -> Iterator[Answer[T]]:
        """Ask tasks several at a time and yield their answers in the order of `tasks`; every error is in an answer.

        A task that is too long is replaced by its smaller ones, which are asked after the others.
        """
        waiting = list(tasks)
        spent = Usage()  # on tasks that were replaced after an answer; the next answer counts it
        while waiting:
            asked, waiting = waiting, []
            for answer in self._answers(asked):
                smaller = answer.task.smaller() if isinstance(answer.error, ContextTooLong) else ()
                waiting += smaller
                if smaller:
                    spent += answer.usage
                else:
                    yield _after(spent, answer)
                    spent = Usage()

    def keep(self, hash: str, said: Completion) -> None:
        """Keep an answer that was of use, where only the caller can tell (`Task.confirms` is false)."""
        self.layer.keep(hash, said)

    def _answers(self, tasks: Sequence[Task[T]]) -> Iterator[Answer[T]]:
        if isinstance(self.layer, Stored):
            self.layer.prepare(task.request("", 0).key for task in tasks)
        crew: Crew[Task[T], Answer[T]] = Crew(lambda task: self._answer(task, None), self.concurrency)
        ready: dict[int, Answer[T]] = {}
        try:
            for task in tasks:
                crew.begin(task)
            for number in range(len(tasks)):
                while number not in ready:
                    done = crew.take()
                    if done.result is None:
                        raise done.error or AssertionError("a task without an answer")
                    ready[done.number] = done.result
                yield ready.pop(number)
        finally:
            crew.stop()

    def _answer(self, task: Task[T], hear: Callable[[str], None] | None) -> Answer[T]:
        """Ask a task until an answer is accepted, or its rounds are over."""
        answer: Answer[T] = Answer(task, None)
        best: Complaint[T] | None = None
        complaint = ""
        for round in range(task.rounds):
            request = replace(task.request(complaint, round), hear=hear)
            started = time.monotonic()
            try:
                said = self._complete(request)
            except (ModelError, BudgetReached) as error:
                return self._failed(answer, best, error, request, time.monotonic() - started)
            answer = replace(
                answer,
                usage=answer.usage + said.usage,
                keys=(*answer.keys, request.key) if request.key else answer.keys,
                notes=(*answer.notes, said.note) if said.note else answer.notes,
                seconds=answer.seconds + time.monotonic() - started,
            )
            found = task.accept(said)
            is_of_use = found.keeps if isinstance(found, Complaint) else task.confirms
            if is_of_use and request.cached:
                self.layer.keep(request.hash(self.name), said)
            if not isinstance(found, Complaint):
                return replace(answer, value=found)
            best, complaint = _better(best, found), found.why
            if not found.repeats:
                break
        return replace(answer, value=best.value, problem=best.why) if best else answer

    def _complete(self, request: Request) -> Completion:
        layer = self.layer
        if self.stopped is not None:
            layer = _upon(layer, Unasked(self.name, self.window, self.stopped))
        try:
            return layer.complete(request)
        except OF_ONE_TASK:
            raise
        except (ModelError, BudgetReached) as error:
            self.stopped = error
            raise

    def _failed(
        self,
        answer: Answer[T],
        best: Complaint[T] | None,
        error: ModelError | BudgetReached,
        request: Request,
        seconds: float,
    ) -> Answer[T]:
        """Return what an error leaves: the value of an earlier round, if the error concerns this task alone."""
        is_stored = isinstance(self.layer, Stored) and _reason(error) in self.layer.store.remembers
        keys = (*answer.keys, request.key) if request.key and is_stored else answer.keys
        value = best.value if best and isinstance(error, OF_ONE_TASK) else None
        problem = best.why if best and value is not None else str(error)
        return replace(answer, value=value, problem=problem, error=error, keys=keys, seconds=answer.seconds + seconds)


def open_door(model: ChatModel, cache: AnswerCache | None = None, concurrency: int = 1) -> Door:
    """Return the door to a chat model, with the cache of this machine where one is given."""
    asked = Asked(model)
    return Door(Cached(asked, cache) if cache is not None else asked, concurrency)


def _upon(layer: Layer, ground: Layer) -> Layer:
    """Return a stack of layers with another ground: what is stored and cached still answers."""
    if isinstance(layer, Stored | Cached):
        return replace(layer, beneath=_upon(layer.beneath, ground))
    return ground


def _after(spent: Usage, answer: Answer[T]) -> Answer[T]:
    return replace(answer, usage=spent + answer.usage) if spent.calls else answer


def _better(first: Complaint[T] | None, second: Complaint[T]) -> Complaint[T]:
    if first is None or first.value is None:
        return second
    if second.value is None or first.faults < second.faults:
        return first
    return second


def _reason(error: Exception) -> str:
    for kind, reason in ((ContentFiltered, FILTERED), (ContextTooLong, TOO_LONG), (BadModelAnswer, UNREADABLE)):
        if isinstance(error, kind):
            return reason
    return ""


def _said(said: Completion) -> Completion:
    """Return an answer, or raise what stands for it; one that could not be read is an empty answer."""
    if not said.text and said.finish_reason == FILTERED:
        raise ContentFiltered("the provider's filter declined to answer")
    if not said.text and said.finish_reason == TOO_LONG:
        raise ContextTooLong("the question did not fit the model's window")
    return said
