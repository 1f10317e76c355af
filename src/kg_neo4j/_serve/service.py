"""The one place that answers: API, tools and pages call these methods, and nothing else of theirs reads the graph."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from kg_neo4j import factory
from kg_neo4j._serve import limits, lookups
from kg_neo4j._serve.jobs import Jobs
from kg_neo4j._serve.recent import RecentAnswers
from kg_neo4j._serve.refusals import Refused
from kg_neo4j._serve.results import (
    AskResult,
    CheckedClaim,
    CommunityList,
    Connections,
    DocumentList,
    EntityCard,
    GraphTypes,
    JobList,
    LoadJob,
    PathLink,
    ReadPassages,
    ReportTable,
    Searched,
    SearchHits,
    VerifyResult,
)
from kg_neo4j.errors import UsageError
from kg_neo4j.progress import SILENT
from kg_neo4j.records import Answer, Filters
from kg_neo4j.settings import Settings

Mode = Literal["auto", "local", "naive", "global", "tree", "cypher"]

if TYPE_CHECKING:
    from kg_neo4j._models.budget import Budget
    from kg_neo4j.graph.database import Database
    from kg_neo4j.pipeline.commands.ask import Answerer


@dataclass(frozen=True, slots=True)
class Rights:
    """What a server may do beyond reading."""

    write: bool = False  # load documents
    spend_usd: float | None = None  # in the server's life; None: nothing, and no model is called


class Service:
    """Answers on one graph, over one connection. Its methods may be called by many threads at once."""

    def __init__(self, settings: Settings, rights: Rights | None = None) -> None:
        """Open nothing yet. Raises UsageError for a limit of money where the price of a model is not known."""
        self.rights = rights or Rights()
        self.notes: tuple[str, ...] = ()
        self.budget: Budget | None = None
        self.settings = settings
        if self.rights.spend_usd is None:
            self.settings, notes = factory.without_server(settings)
            self.notes = tuple(notes)
        else:
            from kg_neo4j.pipeline.budget import budget_of

            self.budget = budget_of(self.rights.spend_usd)
            factory.chat_model(settings, budget=self.budget)  # raises where the budget could not be kept
        self.recent = RecentAnswers()
        self.jobs = Jobs(self.settings, self.budget)
        self._lock = threading.RLock()
        self._database: Database | None = None
        self._answerer: Answerer | None = None

    @property
    def graph(self) -> str:
        """The graph's name."""
        return self.settings.graph

    def open(self) -> Answerer:
        """Open the database and what answers questions, at the first call; what failed is tried again by the next."""
        with self._lock:
            if self._answerer is None:
                from kg_neo4j.pipeline.commands.ask import answerer

                door = factory.door(self.settings, budget=self.budget)
                self._answerer = answerer(self.settings, self._opened(), door, budget=self.budget)
            return self._answerer

    def _opened(self) -> Database:
        from kg_neo4j.graph.connection import connect

        with self._lock:
            if self._database is None:
                self._database = connect(self.settings, SILENT)
                self._database.read_timeout_s = limits.QUERY_S
            return self._database

    def close(self) -> None:
        """Begin no further load, and close the connection."""
        self.jobs.close()
        with self._lock:
            if self._database is not None:
                self._database.close()
            self._database = self._answerer = None

    def database(self) -> Database:
        """Return the database for one request."""
        return self._opened().for_another_run()

    def asking(self) -> Answerer:
        """Return what answers one request."""
        return replace(self.open(), database=self.database())

    # ------------------------------------------------------------------------------------------------- answers

    def ask(
        self,
        question: str,
        *,
        mode: Mode = "auto",
        filters: Filters | None = None,
        hear: Callable[[str], None] | None = None,
    ) -> AskResult:
        """Answer a question from the documents, with checked claims and quotes.

        `hear` gets a model's words as they come, before they are checked.
        """
        from kg_neo4j.retrieve.filters import say
        from kg_neo4j.retrieve.interface import AskOptions

        filters = filters or Filters()
        lookups.checked(question, "question")
        _check(filters)
        asking = self.asking()
        answer = asking.answer(question, AskOptions(mode, filters=filters), hear)
        how = f"{answer.routing.mode}: {answer.routing.why}" if answer.routing else answer.mode
        passages = len({each.chunk_id for each in answer.evidence if each.chunk_id})
        what = lookups.searched(asking.database, self.graph, how, say(filters), passages)
        return _told(answer, what, factory.model_and_server(self.settings)[0], self.notes)

    def verify(self, text: str, *, filters: Filters | None = None) -> VerifyResult:
        """Check the claims of a text against the documents: stated, contradicted or not found. No model is called."""
        filters = filters or Filters()
        _check(filters)
        return lookups.verify(self.asking(), text, filters)

    def search(self, words: str, *, limit: int = limits.ROWS, cursor: str | None = None) -> SearchHits:
        """Return entities and passages that fit `words`. No model is called."""
        return lookups.search(self.asking(), words, limit, cursor)

    def entity(self, name: str, *, limit: int = limits.ROWS, cursor: str | None = None) -> EntityCard:
        """Return an entity by one of its names or its id, with a page of its facts."""
        return lookups.entity(self.database(), name, self.graph, limit, cursor)

    def documents(self, words: str = "", *, limit: int = limits.ROWS, cursor: str | None = None) -> DocumentList:
        """Return a page of the documents; with `words` those that have them in title or key."""
        return lookups.documents(self.database(), words, self.graph, limit, cursor)

    def source(self, id: str, *, around: int = 1, limit: int | None = None, cursor: str | None = None) -> ReadPassages:
        """Return a passage and its neighbours by the id of a chunk, or passages by the id of a document."""
        return lookups.source(self.database(), id, self.graph, around, limit, cursor)

    def connect(self, source: str, target: str) -> Connections:
        """Return how two entities are connected."""
        return lookups.connect(self.database(), source, target, self.graph)

    def schema(self, *, limit: int = 40) -> GraphTypes:
        """Return the commonest types of entities and relationships."""
        return lookups.schema(self.database(), self.graph, limit)

    def report(
        self,
        name: str = "",
        values: Mapping[str, str | int | float] | None = None,
        *,
        limit: int = limits.ROWS,
        cursor: str | None = None,
    ) -> ReportTable:
        """Return a page of a canned report; without a name the reports that there are."""
        return lookups.report(self.database(), name, values or {}, self.graph, limit, cursor)

    def communities(self, *, level: int | None = None, limit: int = limits.ROWS) -> CommunityList:
        """Return the largest communities, by level."""
        return lookups.communities(self.database(), self.graph, level, limit)

    # ------------------------------------------------------------------------------------------------- writing

    def load(self, name: str, text: str) -> LoadJob:
        """Begin to load a text as the document `name`; the same name again replaces it. `status` says how far it is."""
        return self.load_files([(name, text.encode("utf-8", "replace"))])

    def load_files(self, files: Sequence[tuple[str, bytes]]) -> LoadJob:
        """Begin to load files by name and content. Raises Refused where the server only reads."""
        self.require_write()
        return self.jobs.begin(files)

    def require_write(self) -> None:
        """Raise Refused where the server only reads."""
        if not self.rights.write:
            raise Refused("this server only reads", 403, hint="kg serve --allow-write")

    def status(self, id: str = "") -> JobList:
        """Return the load of that id, or all loads of this server, the newest first."""
        return JobList((self.jobs.find(id),) if id else self.jobs.listed())


def _check(filters: Filters) -> None:
    for values in (filters.documents, filters.languages, filters.kinds, filters.types):
        if len(values) > limits.MOST_ROWS:
            raise UsageError(f"a filter may name {limits.MOST_ROWS} values, not {len(values)}")


def _told(answer: Answer, what: Searched, model: str, notes: tuple[str, ...]) -> AskResult:
    """Return an answer as the server gives it."""
    return AskResult(
        question=answer.question,
        found=answer.found,
        answer=lookups.shortened(answer.answer),
        short=answer.short,
        claims=tuple(
            CheckedClaim(each.text, each.support, each.citations, each.reason, each.judged_by) for each in answer.claims
        ),
        quotes=tuple(map(lookups.quoted, answer.citations)),
        path=tuple(PathLink(step.source, step.relation, step.target, step.citation) for step in answer.path),
        nearest=tuple(map(lookups.quoted, answer.nearest)),
        searched=what,
        cypher=_statement(answer.query.cypher) if answer.query else "",
        model=model if answer.usage.calls else "",
        usd=answer.usage.usd if answer.usage.calls else 0.0,
        seconds=round(answer.seconds, 3),
        notes=(*notes, *answer.limits, *answer.notes),
    )


def _statement(cypher: str) -> str:
    """Return a query without the header of its file."""
    return "\n".join(line for line in cypher.splitlines() if not line.startswith("//")).strip()
