"""Element summaries (W3): the descriptions that many chunks give of one entity or fact become one `summary`.

Where all distinct descriptions of an element are longer than a bound (300 tokens), a model merges them, or, without
one, the most informative sentences are kept; `summary_method` says which, `summary_hash` what it was made from. An
element below the bound has none: its `description` is enough. Summaries are derived (tier 2): when evidence comes or
leaves, the hash differs and the summary is made anew or removed. What a model says is stored as an Answer before it is
used, by the hash of what it was asked, so a repeat, or a run after one that was killed, pays for nothing twice. A
summary that a model made is kept as long as its descriptions stay, also where another model or none is configured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kg_neo4j._models.cache import AnswerCache, key_of
from kg_neo4j._models.openai_models import DEFAULT_WINDOW
from kg_neo4j._models.protocols import ChatModel, Completion
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j._models.workers import Crew
from kg_neo4j.errors import BadModelAnswer, BudgetReached, ContentFiltered, ContextTooLong, ModelError
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Row, Transaction, batches
from kg_neo4j.graph.lease import Lease
from kg_neo4j.organise.description_merges import (
    EXTRACTIVE,
    Asking,
    Element,
    Question,
    Said,
    Summary,
    extractive,
    merge,
    messages,
    problem,
)
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Usage

BOUND_TOKENS = 300  # two or three sentences from each of four or five chunks; a summary has half of it
PAGE = 500  # elements read at a time
STAGE = "describe"
_LABELS = ("Entity", "Fact")
_Answer = Completion | ModelError | BudgetReached
_TOKENS_A_CHARACTER = 3  # at most: a token has at least one byte, a UTF-16 unit at most three


@dataclass(frozen=True, slots=True)
class Describing:
    """How to summarise."""

    model: ChatModel | None  # None: the most informative sentences
    tokeniser: Tokeniser
    bound_tokens: int = BOUND_TOKENS  # descriptions that are longer together are summarised; 0: none are
    concurrency: int = 1  # calls in flight
    cache: AnswerCache | None = None  # answers that were paid for on this machine, in any graph
    keep_answers: bool = False  # answers about descriptions that have changed stay, for a change that may be undone
    replay: bool = False  # make also what looks up to date again, from stored answers


@dataclass(frozen=True, slots=True)
class Described:
    """What summarising did."""

    summaries: int  # that the graph has now
    changes: int  # elements whose summary was written or removed; 0 on a repeat
    usage: Usage
    unfinished: tuple[str, ...] = ()  # one line on what a model should have done and did not; it is asked again
    notes: tuple[str, ...] = ()


def describe(
    database: Database, graph: str, how: Describing, progress: Progress = SILENT, *, lease: Lease
) -> Described:
    """Bring the summaries of all entities and facts of `graph` up to date. A repeat gives 0 changes and 0 calls.

    A model that fails, or a budget that is reached, does not stop the load: elements that were to be merged get their
    most informative sentences, `unfinished` says so, and the next run asks again. Raises DatabaseError, and LeaseHeld
    where the lease was lost.
    """
    progress.start(STAGE)
    run = _Run(database, graph, how, lease)
    for label in _LABELS:
        for rows in run.pages(label):
            run.summarise(label, rows)
            progress.advance(STAGE, len(rows))
    if not how.keep_answers:
        sweep = queries.get("analytics/sweep_descriptions")
        _proven(database, lease, lambda transaction: transaction.run(sweep, graph=graph))
    progress.finish(STAGE)
    return run.report()


def distinct_texts(evidence: Sequence[Sequence[Any]]) -> tuple[str, ...]:
    """Return the distinct descriptions in the order of evidence; case and white space tell none apart."""
    found: dict[str, str] = {}
    for *_, text in sorted(evidence, key=tuple):
        line = " ".join(text.split())
        if line:
            found.setdefault(line.casefold(), line)
    return tuple(found.values())


def is_over(texts: Sequence[str], tokeniser: Tokeniser, bound_tokens: int) -> bool:
    """Say whether several texts are longer than the bound together; counts no further than it must."""
    if len(texts) < 2 or not bound_tokens:
        return False
    total = 0
    for text in texts:
        total += tokeniser.count(text)
        if total > bound_tokens:
            return True
    return False


@dataclass(slots=True)
class _Run:
    """One call of `describe`."""

    database: Database
    graph: str
    how: Describing
    lease: Lease
    summaries: int = 0
    changes: int = 0
    usage: Usage = field(default_factory=Usage)
    stopped: ModelError | BudgetReached | None = None  # nobody is asked any more
    failed: list[str] = field(default_factory=list)  # why single questions were not answered
    waiting: int = 0  # elements that a model should have merged

    def report(self) -> Described:
        unfinished: list[str] = []
        if self.waiting:
            why = str(self.stopped) if self.stopped else self.failed[0]
            unfinished.append(f"{self.waiting} descriptions were not merged by the model: {why}")
        return Described(self.summaries, self.changes, self.usage, tuple(unfinished))

    def pages(self, label: str) -> Iterator[Sequence[Row]]:
        """Yield the elements that may need a summary or have one, in pages ordered by id."""
        query = queries.get(f"analytics/description_evidence_{label.lower()}")
        characters = self.how.bound_tokens // _TOKENS_A_CHARACTER
        after, is_last = "", False
        while not is_last:
            rows = self.database.read(query, graph=self.graph, after=after, characters=characters, limit=PAGE)
            is_last = len(rows) < PAGE
            after = "" if is_last else rows[-1]["id"]
            yield rows

    def summarise(self, label: str, rows: Sequence[Row]) -> None:
        """Bring the summaries of one page up to date."""
        wanted: list[tuple[Element, str | None]] = []
        changed: list[dict[str, Any]] = []
        stored = {row["id"]: row for row in rows}
        for row in rows:
            texts = distinct_texts(row["evidence"])
            if not is_over(texts, self.how.tokeniser, self.how.bound_tokens):
                if row["hash"] is not None:
                    changed.append({"id": row["id"], "summary": None, "method": None, "hash": None, "answers": []})
                continue
            element = Element(label, row["id"], row["name"], texts)
            self.summaries += 1
            better = row["method"] == EXTRACTIVE and self.how.model is not None
            if row["hash"] != element.digest or better or self.how.replay:
                wanted.append((element, self.how.model.name if self.how.model else row["model"]))
        for element, summary in self._merged(wanted):
            values = {"summary": summary.text, "method": summary.method, "hash": element.digest}
            if any(stored[element.id][name] != value for name, value in values.items()):
                changed.append({"id": element.id, **values, "answers": list(summary.answers)})
        self._write(label, changed)

    def _merged(self, elements: Sequence[tuple[Element, str | None]]) -> Iterator[tuple[Element, Summary]]:
        """Yield a summary for each element, given with the model whose answers count; stored ones are not paid again.

        Without a model to ask, and where one does not answer, the most informative sentences are the summary.
        """
        window = self.how.model.window if self.how.model else DEFAULT_WINDOW
        said: dict[str, Said | None] = {}  # None: nobody answered
        active = list(elements)
        while active:
            questions: dict[str, Question] = {}
            going_on: list[tuple[Element, str | None]] = []
            for element, model in active:
                found = self._next(element, model, said, window)
                if isinstance(found, Summary):
                    yield element, found
                else:
                    questions |= {question.key: question for question in found}
                    going_on.append((element, model))
            said |= self._stored(sorted(questions))
            self._ask([question for key, question in sorted(questions.items()) if key not in said], said)
            active = going_on

    def _next(
        self, element: Element, model: str | None, said: Mapping[str, Said | None], window: int
    ) -> Summary | tuple[Question, ...]:
        """Return the summary as far as it is known, or what must be answered first."""
        if model is None:
            return extractive(element, self.how.tokeniser)
        asking = Asking(self.graph, model, window, self.how.tokeniser)
        found = merge(element, {key: each for key, each in said.items() if each}, asking)
        if isinstance(found, Summary) or not any(question.key in said for question in found):
            return found
        self.waiting += self.how.model is not None
        return extractive(element, self.how.tokeniser)

    def _stored(self, ids: Sequence[str]) -> dict[str, Said]:
        rows = self.database.read(queries.get("analytics/description_answers"), graph=self.graph, ids=list(ids))
        return {row["id"]: Said(row["text"], row["finish_reason"]) for row in rows}

    def _ask(self, questions: Sequence[Question], said: dict[str, Said | None]) -> None:
        """Ask, store each answer as it comes, and add it to `said`; what is not answered is None there."""
        model = self.how.model
        if model is None:
            said |= dict.fromkeys((question.key for question in questions), None)
            return

        def ask(question: Question) -> _Answer:
            system, user = messages(question, self.how.tokeniser)
            key = key_of(model.name, system, user, temperature=0.0)
            if self.how.cache and (cached := self.how.cache.get(key)):
                return cached
            if self.stopped is not None:
                return self.stopped
            try:
                said = model.complete(system, user)
            except (ContentFiltered, ContextTooLong, BadModelAnswer) as error:  # of this question
                return error
            except (ModelError, BudgetReached) as error:
                self.stopped = error
                return error
            useful = not problem(Said(said.text, said.finish_reason), question.texts, self.how.tokeniser)
            if self.how.cache and useful:
                self.how.cache.put(key, said)
            return said

        crew: Crew[Question, _Answer] = Crew(ask, self.how.concurrency)
        try:
            for question in questions:
                crew.begin(question)
            for _ in questions:
                done = crew.take()
                if done.error is not None:
                    raise done.error
                said[done.item.key] = self._take(done.item, done.result, model.name)
        finally:
            crew.stop()

    def _take(self, question: Question, answer: _Answer | None, model: str) -> Said | None:
        """Store what was said; return None where nothing was."""
        if isinstance(answer, Completion):
            self.usage += answer.usage
            said, usage = Said(answer.text, answer.finish_reason), answer.usage
        elif isinstance(answer, ContentFiltered):
            said, usage = Said("", "content_filter"), Usage()
        else:
            self.failed.append(str(answer))
            return None
        self._store(question, said, usage, model)
        return said

    def _store(self, question: Question, said: Said, usage: Usage, model: str) -> None:
        from kg_neo4j._models import prompts

        answer = {
            "id": question.key,
            "graph": self.graph,
            "kind": "description",
            "round": question.round,
            "text": said.text,
            "model": model,
            "prompt_hash": prompts.load("describe").hash,
            "finish_reason": said.finish_reason,
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
        }
        query = queries.get(f"analytics/store_description_{question.element.label.lower()}")
        _proven(
            self.database,
            self.lease,
            lambda transaction: transaction.run(query, graph=self.graph, id=question.element.id, answer=answer),
        )

    def _write(self, label: str, rows: Sequence[Mapping[str, Any]]) -> None:
        query = queries.get(f"analytics/write_summaries_{label.lower()}")
        for some in batches(rows, PAGE):

            def write(transaction: Transaction, some: Sequence[Mapping[str, Any]] = some) -> None:
                transaction.run(query, graph=self.graph, keep=self.how.keep_answers, rows=list(some))

            _proven(self.database, self.lease, write)
        self.changes += len(rows)


def _proven(database: Database, lease: Lease, work: Callable[[Transaction], object]) -> None:
    """Run `work` in a write transaction that proves the lease."""

    def proven(transaction: Transaction) -> None:
        lease.prove(transaction)
        work(transaction)

    database.write_transaction(proven)
