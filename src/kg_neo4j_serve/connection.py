"""What a server has open: the connection of its graphs, recent answers, and the threads that requests run in."""

from __future__ import annotations

import asyncio
import copy
import difflib
import itertools
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from kg_neo4j import errors, factory
from kg_neo4j.graph import queries
from kg_neo4j.progress import SILENT
from kg_neo4j.settings import Settings
from kg_neo4j_serve import limits
from kg_neo4j_serve.addresses import NO_NAMES, prefix_of
from kg_neo4j_serve.jobs import Jobs
from kg_neo4j_serve.refusals import NotServed, Refused, missing
from kg_neo4j_serve.results import AskResult

if TYPE_CHECKING:
    from kg_neo4j._models.budget import Budget
    from kg_neo4j._models.protocols import Completion
    from kg_neo4j.graph.database import Database
    from kg_neo4j.pipeline.commands.ask import Answerer

T = TypeVar("T")
Caller = Any  # a token among several: `kg_neo4j.rooms.rights.tokens.Caller`, which a wing does not import


@dataclass(frozen=True, slots=True)
class Rights:
    """What a server may do beyond reading."""

    write: bool = False  # load documents
    spend_usd: float | None = None  # in the server's life, of a token a day; None: nothing, and no model is called


class Turnstile:
    """Runs the service's methods in threads. A request that takes too long keeps its thread until its work ends."""

    def __init__(self, threads: int = limits.THREADS, most: int = limits.MOST_AT_ONCE) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="kg-serve")
        self._most = most
        self._inside = 0
        self._lock = threading.Lock()

    async def do(self, work: Callable[..., T], *args: Any, **named: Any) -> T:
        """Return what `work` returns. Raises Refused: 429 where too many wait, 504 after `limits.REQUEST_S`."""
        future = self.begin(work, *args, **named)
        try:
            return await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(future)), limits.REQUEST_S)
        except TimeoutError:
            future.cancel()
            raise Refused(f"no answer within {limits.REQUEST_S:.0f} seconds", 504, hint="ask for less") from None
        except errors.NoSuchGraph:  # its hint names graphs that may not be served
            raise missing("the graph has no document yet", "load one first") from None
        except asyncio.CancelledError:  # the caller is gone
            future.cancel()
            raise

    def begin(self, work: Callable[..., T], *args: Any, **named: Any) -> Future[T]:
        """Begin work without waiting for it. Raises Refused with 429 where too many wait."""
        with self._lock:
            if self._inside >= self._most:
                raise Refused(f"{self._most} requests are being answered", 429, hint="try again in a second")
            self._inside += 1
        future = self._pool.submit(copy_context().run, work, *args, **named)
        future.add_done_callback(self._leave)
        return future

    def close(self) -> None:
        """Let what runs end, and begin nothing more."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _leave(self, _: Future[Any]) -> None:
        with self._lock:
            self._inside -= 1


class RecentAnswers:
    """Gives each answer once, to whoever asks the same in the same way within `limits.RECENT_S`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answers: OrderedDict[Hashable, tuple[float, AskResult]] = OrderedDict()

    def put(self, arguments: Mapping[str, Any], answer: AskResult) -> None:
        """Put an answer there; the oldest makes room."""
        with self._lock:
            self._answers[frozenset(arguments.items())] = (time.monotonic(), answer)
            while len(self._answers) > limits.RECENT:
                self._answers.popitem(last=False)

    def take(self, arguments: Mapping[str, Any]) -> AskResult | None:
        """Return the answer to a question, and forget it; None where there is none, or an old one."""
        with self._lock:
            put_at, answer = self._answers.pop(frozenset(arguments.items()), (0.0, None))
        return answer if answer and time.monotonic() - put_at < limits.RECENT_S else None


class Metrics:
    """Counters since the server began, by name and labels. Many threads may add to them."""

    def __init__(self) -> None:
        self._lock, self._counts = threading.Lock(), Counter[str]()

    def add(self, numbers: Mapping[str, float]) -> None:
        """Add to counters."""
        with self._lock:
            self._counts.update(numbers)

    def heard(self, said: Completion) -> None:
        """Count an answer of a model, or of the cache, in whatever work of this process."""
        used = said.usage
        self.add({"model_calls_total": used.calls, "usd_total": used.usd or 0, "cached_answers_total": said.kept.calls})
        self.add({"input_tokens_total": used.input_tokens, "output_tokens_total": used.output_tokens})

    def text(self) -> str:
        """Return the counters as Prometheus reads them."""
        lines = []
        with self._lock:
            for name, each in itertools.groupby(sorted(self._counts), lambda sample: sample.partition("{")[0]):
                lines += [f"# TYPE kg_neo4j_{name} counter", *(f"kg_neo4j_{at} {self._counts[at]}" for at in each), ""]
        return "\n".join(lines)


@dataclass(eq=False, slots=True)
class _Opened:
    """What all graphs of a server share."""

    lock: threading.RLock = field(default_factory=threading.RLock)
    queries: threading.BoundedSemaphore = field(default_factory=lambda: threading.BoundedSemaphore(limits.QUERIES))
    database: Database | None = None
    answerers: dict[Caller, Answerer] = field(default_factory=dict)  # each with the money of its caller
    views: dict[str, Any] = field(default_factory=dict)  # of callers, by name


def without_server(settings: Settings) -> tuple[Settings, list[str]]:
    """Return settings under which no server of models is called, and a note where they named one."""
    keys = [f"{of}_{what}" for of in ("openai", "judge", "embedding") for what in ("api_key", "base_url")]
    named = settings.has_server or settings.embedding_base_url
    note = "a model is configured, and is not called: the server runs without --allow-spend"
    return settings.model_copy(update=dict.fromkeys((*keys, "api_key_command"))), [note] if named else []


class Connection:
    """What a server has open: the database, what answers questions, the budget, the loads. Many threads may use it.

    Each graph has an object of its own, which `of` gives; all of them share the connection, the budget and the queue of
    loads.
    """

    def __init__(self, settings: Settings, rights: Rights | None = None, *, has_all: bool = False) -> None:
        """Open nothing yet. With `has_all`, graphs other than that of the settings are served, too.

        Raises UsageError for a limit of money where the price of a model is not known.
        """
        self.rights = rights or Rights()
        self.notes: tuple[str, ...] = ()
        self.budget: Budget | None = None
        self.settings, self.has_all = settings, has_all
        self.caller, self.has_callers = cast("Caller", None), False  # with callers, only their views answer
        self._configured = settings
        if self.rights.spend_usd is None:
            self.settings, notes = without_server(settings)
            self.notes = tuple(notes)
        else:
            from kg_neo4j.pipeline.budget import budget_of

            self.budget = budget_of(self.rights.spend_usd)
            factory.chat_model(settings, budget=self.budget)  # raises where the budget could not be kept
            factory.embedding_model(settings, budget=self.budget)
        self.recent, self.metrics = RecentAnswers(), Metrics()
        self.jobs = Jobs(self.settings, self.budget)
        self._opened, self._others = _Opened(), dict[str, Self]()
        self._first = cast("Self", self)
        self._is_fit, self._kept = False, dict[str, tuple[float, Any]]()

    @property
    def graph(self) -> str:
        """The graph's name."""
        return self.settings.graph

    @property
    def prefix(self) -> str:
        """How the addresses of this graph begin; empty where no other graph is served."""
        return prefix_of(self.graph) if self.has_all and self.graph not in NO_NAMES else ""

    def seen_by(self, caller: Caller, graph: str | None = None) -> Self:
        """Return what answers a caller on a graph, or on the first one that it sees. Raises Refused as `of` does."""
        view = self if caller is None else self.view_of(caller)
        if graph is None and not view.sees(view.graph):
            graph = next(iter(view.names()), None)
            if graph is None:
                raise missing("there is no graph that this token may see")
        return view if graph is None else view.of(graph)

    def view_of(self, caller: Caller) -> Self:
        """Return what answers a caller: its graphs, rights and money. Raises UsageError for a price that is unknown."""
        with self._opened.lock:
            view: Self | None = self._opened.views.get(caller.name)
            if view is None or view.caller != caller:
                view = copy.copy(self)
                view.caller, view._first, view.recent = caller, view, RecentAnswers()
                view._others, view._kept, view._is_fit = {}, {}, False
                view.rights, view.budget = Rights(caller.writes, caller.usd), caller.budget()
                view.notes = ("a model is configured, and this token may spend nothing",) if self.notes else ()
                if view.budget is not None:
                    view.settings, view.notes = self._configured, ()
                    factory.chat_model(view.settings, budget=view.budget)
                    factory.embedding_model(view.settings, budget=view.budget)
                view.jobs = self.jobs.of(view.settings, view.budget)
                self._opened.views[caller.name] = view
            return view

    def require_write(self) -> None:
        """Raise Refused where the server, or the token, only reads."""
        if not self.rights.write and self.caller is None:
            raise Refused("this server only reads", 403, hint="kg serve --allow-write")
        if not self.rights.write:
            raise Refused("this token only reads", 403, hint='may = ["read", "write"] in the file of the rights')

    def sees(self, graph: str) -> bool:
        """Return whether a graph exists for who asks."""
        return not self.has_callers if self.caller is None else bool(self.caller.sees(graph))

    def of(self, graph: str) -> Self:
        """Return what answers on another graph of the database. Raises NotServed; never makes a graph."""
        first = self._first
        if graph == first.graph and first.sees(graph):
            return first
        if graph not in first.names():  # it may be new
            first._kept.pop("names", None)
            if graph not in (known := list(first.names())):
                near = difflib.get_close_matches(graph, known, limits.NEAR_GRAPHS) or known[: limits.NEAR_GRAPHS]
                raise NotServed(graph, tuple(near))
        with self._opened.lock:
            if graph not in self._others:
                self._others[graph] = other = copy.copy(first)
                other.settings = first.settings.model_copy(update={"graph": graph})
                other.jobs, other.recent = first.jobs.of(other.settings, first.budget), RecentAnswers()
                other._is_fit, other._kept = False, {}
            return self._others[graph]

    def names(self) -> dict[str, int]:
        """Return the graphs that are served, the first one first, and how many documents each has."""
        first = self._first

        def read() -> dict[str, int]:
            database, only = first._connected().for_another_run(), "" if self.has_all else first.graph
            return {row["graph"]: row["documents"] for row in database.read(queries.get("serve/graphs"), only=only)}

        found = {first.graph: 0, **first.kept("names", read)}
        return {name: found[name] for name in found if self.sees(name)}

    def kept(self, name: str, read: Callable[[], T], seconds: float | None = None) -> T:
        """Return what `read` returned at most so many seconds ago (`limits.KEPT_S`), else what it returns now."""
        found = self._kept.get(name)
        if found is None or time.monotonic() - found[0] > (limits.KEPT_S if seconds is None else seconds):
            found = self._kept[name] = time.monotonic(), read()
        value: T = found[1]
        return value

    def changed(self) -> None:
        """Let the next page look again at which sections have something: a person has just written."""
        self._kept.pop("sections", None)

    def open(self) -> Answerer:
        """Open the database and what answers questions, at the first call; what failed is tried again by the next."""
        with self._opened.lock:
            if self.caller not in self._opened.answerers:
                from kg_neo4j._models.door import heard
                from kg_neo4j.pipeline.commands.ask import answerer

                door = factory.door(self.settings, budget=self.budget)
                made = answerer(self.settings, self._connected(), door, budget=self.budget)
                if not self._opened.answerers:
                    heard.append(self.metrics.heard)
                self._opened.answerers[self.caller] = made
            return self._opened.answerers[self.caller]

    def _connected(self) -> Database:
        from kg_neo4j.graph.connection import connect

        with self._opened.lock:
            if self._opened.database is None:
                self._opened.database = connect(self.settings, SILENT, as_it_is=True)
                self._opened.database.read_timeout_s = limits.QUERY_S
            return self._opened.database

    def close(self) -> None:
        """Begin no further load, and close the connection."""
        self.jobs.close()
        with self._opened.lock:
            if self._opened.database is not None:
                self._opened.database.close()
            self._opened.database = None
            self._opened.answerers.clear()

    def database(self) -> Database:
        """Return the database for one request. Raises a DatabaseError for a graph that cannot be used."""
        from kg_neo4j.graph.connection import refuse

        if not self.sees(self.graph):  # a second lock: no view of such a graph is given out
            raise NotServed(self.graph, tuple(self.names()))
        database = self._connected().for_another_run()
        if not self._is_fit:
            refuse(database, self.graph)
            self._is_fit = True
        return database

    def asking(self) -> Answerer:
        """Return what answers one request."""
        return replace(self.open(), settings=self.settings, database=self.database())
