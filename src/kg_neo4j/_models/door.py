"""The one door to a chat model: tasks go in, typed answers come out. No other code asks a model or reads a cache.

    Door ── asks rounds, repairs, halves, several at a time, in order, and counts
      └── Stored ── answers that a graph rests on, read and written by key
            └── Cached ── answers that were paid for on this machine
                  └── Asked ── a ChatModel: within the budget (`budgeted`), throttled and tried again (`openai_chat`)
                Counted ── instead of it in a plan: questions are noted, and none is asked

Layers share one protocol and stand on each other, as the transports of an HTTP client do.
"""

from __future__ import annotations

import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Generic, TypeVar, cast

from kg_neo4j._models.cache import AnswerCache
from kg_neo4j._models.layers import (
    Answers,
    AnswerStore,
    Asked,
    Cached,
    Counted,
    Layer,
    Stored,
    Unasked,
    reason_of,
    with_bottom,
)
from kg_neo4j._models.model_options import ModelOptions, shaping
from kg_neo4j._models.protocols import ChatModel, Completion, Listener
from kg_neo4j._models.tasks import OF_ONE_TASK, Complaint, Request, Task, TaskAnswer
from kg_neo4j._models.workers import Crew
from kg_neo4j.errors import BadModelAnswer, BudgetReached, ContextTooLong, ModelError, ModelRefused, RequestRefused
from kg_neo4j.records import Usage

MODEL, EXTRACTIVE = "model", "extractive"  # methods, stored beside results: a model wrote it, or sentences of the text

heard: list[Callable[[Completion], object]] = []  # each gets what any door is answered, paid for or not
FIRST = 3  # requests: if they all end in the same refusal, the run stops
T = TypeVar("T")


class Job(ABC, Generic[T]):
    """Work for which a model is asked several tasks, or one with work around it; a stand-in does it as a whole."""

    kind: ClassVar[str]

    @abstractmethod
    def by_model(self, door: Door) -> T:
        """Do it with a model."""


def _no_stand_in(what: Task[Any] | Job[Any]) -> Any:
    raise BadModelAnswer(f"{what.kind!r} needs a model")


@dataclass(slots=True)
class Door:
    """Asks tasks. `stopped` is the error that concerns every task: after it only known answers are given."""

    layer: Layer
    concurrency: int = 1  # tasks that are asked at a time
    stopped: ModelError | BudgetReached | None = None
    ends: Sequence[str] = ()  # how the first requests ended: empty, or the error
    stand_in: Callable[[Task[Any] | Job[Any]], Any] = _no_stand_in  # takes the place of a model; makes no calls
    options: ModelOptions = field(default_factory=ModelOptions)  # that the user sets

    @property
    def name(self) -> str:
        """The model's name, as stored with its answers."""
        return self.layer.name

    @property
    def model(self) -> str | None:
        """The model's name for people; None where none is set."""
        return self.name

    @property
    def has_stand_in(self) -> bool:
        """Whether something takes the place of a model: the offline wing is installed."""
        return self.stand_in is not _no_stand_in

    @property
    def window(self) -> int:
        """Prompt and answer together, in tokens."""
        return self.layer.window

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the user: on the cache (it was replaced, or cannot be used), and on the model's server."""
        notes: tuple[str, ...] = ()
        layer = self.layer
        while isinstance(layer, Stored | Cached):
            notes += layer.cache.notes if isinstance(layer, Cached) else ()
            layer = layer.beneath
        return (*notes, *getattr(getattr(layer, "beneath", None), "notes", {}).values())

    def storing(self, store: AnswerStore) -> Door:
        """Return a door to the same model that stores its answers; what stopped this one does not stop it."""
        return replace(self, layer=Stored(self.layer, store), stopped=None)

    def logging(self, log: Answers) -> Door:
        """Return a door to the same model that keeps its answers in `log`, too; nothing has stopped it yet."""
        return replace(self, layer=Cached(self.layer, log), stopped=None)

    def counting(self, asked: list[Request], suppose: Callable[[Request], str] | None = None) -> Door:
        """Return a door that asks no model: what is stored or cached answers, all other questions go into `asked`.

        These have no answer, or the one that is supposed; it is kept nowhere.
        """
        layer = with_bottom(self.layer, Counted(self.name, self.window, asked, suppose))
        layer = Stored(layer.beneath, layer.store, writes=False) if isinstance(layer, Stored) else layer
        return replace(self, layer=layer, concurrency=1, stopped=None)

    def again(self) -> Door:
        """Return a door to the same model that nothing has stopped yet."""
        return replace(self, stopped=None)

    @property
    def method(self) -> str:
        """How this door's answers are made, as stored with them."""
        return MODEL

    def replaces(self, method: str) -> bool:
        """Return whether what `method` made is to be made again through this door."""
        return method != self.method

    def planned(self, estimate: Usage) -> Usage:
        """Return what a plan counts for questions that it cannot ask yet."""
        return estimate

    def do(self, job: Job[T]) -> T:
        """Do a job. Raises what it raises."""
        return job.by_model(self)

    def fallback(self, what: Task[T] | Job[T]) -> T:
        """Return what replaces a model's work; no model is called."""
        return cast("T", self.stand_in(what))

    def ask(self, task: Task[T], on_token: Listener | None = None) -> TaskAnswer[T]:
        """Ask one task; `on_token` gets the pieces of its answer. The errors of one task are in the answer.

        A task that is too long is asked as the one smaller task that it names, if any. Raises ModelRefused,
        ModelUnavailable and BudgetReached, which concern every task, and RequestRefused: nothing else was asked.
        """
        spent = Usage()
        while True:
            answer = self._answer(task, on_token)
            if answer.error and (isinstance(answer.error, RequestRefused) or not isinstance(answer.error, OF_ONE_TASK)):
                raise answer.error
            smaller = task.smaller() if isinstance(answer.error, ContextTooLong) else ()
            if len(smaller) != 1:
                return _after(spent, answer)
            task = smaller[0]
            spent += answer.usage

    def ask_all(self, tasks: Sequence[Task[T]]) -> Iterator[TaskAnswer[T]]:
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

    def request(self, task: Task[Any], complaint: str = "", round: int = 0) -> Request:
        """Return what the model gets in one round: the task's own fields of the body, and those of the user."""
        options = {**task.options, **self.options.of(task.kind)}
        shaped = shaping(options, self.options.not_hashed)
        return replace(task.request(complaint, round), options=options, shaping=shaped)

    def keep(self, hash: str, said: Completion) -> None:
        """Cache an answer that was of use, where the caller decides (`Task.caches_accepted` is false)."""
        self.layer.keep(hash, said)

    def _answers(self, tasks: Sequence[Task[T]]) -> Iterator[TaskAnswer[T]]:
        if isinstance(self.layer, Stored):
            self.layer.prepare(task.request("", 0).key for task in tasks)
        crew: Crew[Task[T], TaskAnswer[T]] = Crew(lambda task: self._answer(task, None), self.concurrency)
        ready: dict[int, TaskAnswer[T]] = {}
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

    def _answer(self, task: Task[T], on_token: Listener | None) -> TaskAnswer[T]:
        """Ask a task until an answer is accepted, or its rounds are over."""
        answer: TaskAnswer[T] = TaskAnswer(task, None)
        best: Complaint[T] | None = None
        complaint = ""
        for round in range(task.rounds):
            request = replace(self.request(task, complaint, round), on_token=on_token)
            started = time.monotonic()
            try:
                said = self._complete(request)
            except (ModelError, BudgetReached) as error:
                # the value of an earlier round stays, if the error concerns this task alone
                value = best.value if best and isinstance(error, OF_ONE_TASK) else None
                problem = best.why if best and value is not None else str(error)
                is_stored = isinstance(self.layer, Stored) and reason_of(error) in self.layer.store.remembers
                keys = (*answer.keys, request.key) if request.key and is_stored else answer.keys
                seconds = answer.seconds + time.monotonic() - started
                return replace(answer, value=value, problem=problem, error=error, keys=keys, seconds=seconds)
            answer = replace(
                answer,
                usage=answer.usage + said.usage,
                keys=(*answer.keys, request.key) if request.key else answer.keys,
                notes=(*answer.notes, said.note) if said.note else answer.notes,
                seconds=answer.seconds + time.monotonic() - started,
            )
            found = task.read(said)
            is_of_use = found.keeps if isinstance(found, Complaint) else task.caches_accepted
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
            layer = with_bottom(layer, Unasked(self.name, self.window, self.stopped))
        try:
            said = layer.complete(request)
        except (ModelError, BudgetReached) as error:
            if self._refuses_all(error):
                self.stopped = ModelRefused(f"{error}; the first {FIRST} requests ended in this way")
                raise self.stopped from None
            if not isinstance(error, OF_ONE_TASK):
                self.stopped = error
            raise
        for hear in heard:
            hear(said)
        if said.usage.calls:
            self._refuses_all(None)
        return said

    def _refuses_all(self, error: Exception | None) -> bool:
        """Note how a request ended; return True where the first ones were all refused for the same unknown reason."""
        why = re.sub(r"\d+|'[^']*'|\"[^\"]*\"", "", str(error or ""))  # numbers and quotes differ from chunk to chunk
        self.ends = [*self.ends, why][:FIRST]
        return isinstance(error, RequestRefused) and self.ends == [why] * FIRST


def open_door(
    model: ChatModel,
    cache: AnswerCache | None = None,
    concurrency: int = 1,
    stand_in: Callable[[Task[Any] | Job[Any]], Any] = _no_stand_in,
    options: ModelOptions | None = None,
) -> Door:
    """Return the door to a chat model, with the cache of this machine where one is given."""
    asked = Asked(model)
    layer = Cached(asked, cache) if cache is not None else asked
    return Door(layer, concurrency, stand_in=stand_in, options=options or ModelOptions())


def _after(spent: Usage, answer: TaskAnswer[T]) -> TaskAnswer[T]:
    return replace(answer, usage=spent + answer.usage) if spent.calls else answer


def _better(first: Complaint[T] | None, second: Complaint[T]) -> Complaint[T]:
    if first is None or first.value is None:
        return second
    return first if second.value is None or first.faults < second.faults else second
