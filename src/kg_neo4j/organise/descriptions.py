"""Element summaries: the descriptions that many chunks give of one entity or fact become one `summary`.

Where all distinct descriptions of an element are longer than a bound (300 tokens), a model merges them, or, without
one, the most informative sentences are kept; `summary_method` says which, `summary_hash` what it was made from, and
`summary_sources` what each sentence rests on, as "START END CHUNK ROW": its place in the summary, and the evidence. An
element below the bound has none: its `description` is enough. Summaries are derived (tier 2): when evidence comes or
leaves, the hash differs and the summary is made again or removed. What a model says is stored as an Answer before it is
used, by the hash of what it was asked, so a repeat, or a run after one that was killed, pays for nothing twice. A
summary that a model made is kept as long as its descriptions stay, also where another model or none is configured.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from kg_neo4j._models.door import EXTRACTIVE, MODEL, Door
from kg_neo4j._models.layers import AnswerStore, Unasked
from kg_neo4j._models.tasks import TaskAnswer
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.graph import queries
from kg_neo4j.graph.answers import GraphAnswers
from kg_neo4j.graph.database import Database, Reader, Row, pages, swept
from kg_neo4j.graph.lease import Lease
from kg_neo4j.organise.description_merges import DescriptionMerge, Element, Merging, is_unanswered
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Usage

BOUND_TOKENS = 300  # two or three sentences from each of four or five chunks; a summary has half of it
PAGE = 500  # elements read at a time
MOST_PLACES = 20  # of one description that a sentence joins: of words that are everywhere the first places are enough
STAGE = "describe"
_LABELS = ("Entity", "Fact")
_TOKENS_A_CHARACTER = 3  # at most: a token has at least one byte, a UTF-16 unit at most three


@dataclass(frozen=True, slots=True)
class Describing:
    """How to summarise."""

    door: Door
    tokeniser: Tokeniser
    bound_tokens: int = BOUND_TOKENS  # descriptions that are longer together are summarised; 0: none are
    keep_answers: bool = False  # answers about descriptions that have changed stay, for a change that may be undone
    replay: bool = False  # make also what looks up to date again, from stored answers


@dataclass(frozen=True, slots=True)
class Described:
    """What summarising did."""

    summaries: int  # that the graph has now
    changes: int  # elements whose summary was written or removed; 0 on a repeat
    usage: Usage
    unfinished: tuple[str, ...] = ()  # one line on what a model should have done and did not; it is asked again


def describe(
    database: Database, graph: str, how: Describing, progress: Progress = SILENT, *, lease: Lease
) -> Described:
    """Bring the summaries of all entities and facts of `graph` up to date. A repeat gives 0 changes and 0 calls.

    A model that fails, or a budget that is reached, does not stop the load: elements that were to be merged get their
    most informative sentences, `unfinished` says so, and the next run asks again. Raises DatabaseError, and LeaseHeld
    where the lease was lost.
    """
    progress.start(STAGE)
    page = partial(_page, graph, how.bound_tokens // _TOKENS_A_CHARACTER)
    summarising, changes = Summarising(graph, how, GraphAnswers(database, graph, lease)), 0
    is_left, first = database.read_transaction(
        lambda transaction: (
            transaction.run(queries.get("analytics/gone_descriptions"), graph=graph),  # answers about what is gone
            {label: page(transaction, label) for label in _LABELS},
        )
    )
    for label in _LABELS:
        write = queries.get(f"analytics/write_summaries_{label.lower()}")
        for rows in pages(first[label], PAGE, partial(page, database, label)):
            changed = summarising.changes(label, rows)
            lease.write_parts(write, "rows", changed, PAGE, graph=graph, keep=how.keep_answers)
            changes += len(changed)
            progress.advance(STAGE, len(rows))
    if not how.keep_answers and (changes or is_left):
        swept(lease.write, queries.get("analytics/sweep_descriptions"), PAGE, graph=graph)
    progress.finish(STAGE)
    return Described(summarising.summaries, changes, summarising.usage, summarising.unfinished)


def _page(graph: str, characters: int, reader: Reader, label: str, after: str = "") -> Sequence[Row]:
    """Return the elements after an id that may need a summary or have one, ordered by id."""
    query = queries.get(f"analytics/description_evidence_{label.lower()}")
    return reader.read(query, graph=graph, after=after, characters=characters, limit=PAGE)


def distinct_texts(evidence: Sequence[Sequence[Any]]) -> dict[str, list[str]]:
    """Return the distinct descriptions in the order of evidence, each with its places as "CHUNK ROW".

    Case and white space tell none apart.
    """
    found: dict[str, tuple[str, list[str]]] = {}
    for _, _, row, text, chunk in sorted(evidence, key=tuple):
        if line := " ".join(text.split()):
            found.setdefault(line.casefold(), (line, []))[1].append(f"{chunk} {row}")
    return dict(found.values())


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
class Summarising:
    """Decides what becomes of summaries, and asks for new ones; it reads and writes stored answers alone."""

    graph: str
    how: Describing
    store: AnswerStore
    door: Door = field(init=False)
    stored: Door = field(init=False)  # to the answers of a model that is not set any more
    summaries: int = 0
    usage: Usage = field(default_factory=Usage)
    failed: list[str] = field(default_factory=list)  # why single tasks were not answered
    waiting: int = 0  # elements that a model should have merged

    def __post_init__(self) -> None:
        self.door = self.how.door.storing(self.store)
        self.stored = Door(Unasked(), stand_in=self.how.door.stand_in).storing(self.store)

    @property
    def unfinished(self) -> tuple[str, ...]:
        """What a model should have done and did not, in one line."""
        if not self.waiting:
            return ()
        why = str(self.door.stopped) if self.door.stopped else self.failed[0]
        return (f"{self.waiting} descriptions were not merged by the model: {why}",)

    def changes(self, label: str, rows: Sequence[Row]) -> Sequence[dict[str, Any]]:
        """Return the summaries to write or to remove, for rows of `description_evidence` about elements of a label."""
        wanted: list[tuple[Element, str]] = []
        changed: list[dict[str, Any]] = []
        stored = {row["id"]: row for row in rows}
        for row in rows:
            found = distinct_texts(row["evidence"])
            if not is_over(tuple(found), self.how.tokeniser, self.how.bound_tokens):
                if row["hash"] is not None:
                    changed.append(
                        {"id": row["id"], **dict.fromkeys(("summary", "method", "hash", "sources")), "answers": []}
                    )
                continue
            element = Element(label, row["id"], row["name"], tuple(found), tuple(found.values()))
            self.summaries += 1
            better = row["method"] == EXTRACTIVE and self.door.replaces(EXTRACTIVE)
            is_kept = row["method"] == MODEL and element.digest.startswith(row["hash"].partition("-")[0])
            if is_kept and row["model"] is None and not self.how.replay:
                continue  # it came with an archive, without what was said
            if row["hash"] != element.digest or better or self.how.replay:
                is_asked = self.door.replaces(EXTRACTIVE) and not is_kept
                wanted.append((element, self.door.name if is_asked else row["model"] or ""))
        for element, summary in self._merged(wanted):
            values: dict[str, Any] = {"summary": summary.text or None, "method": summary.method, "hash": element.digest}
            if any(stored[element.id][name] != value for name, value in values.items()):
                cited = [(at, element.places[number - 1][:MOST_PLACES]) for at, number in summary.sources]
                values["sources"] = [f"{at} {place}" for at, places in cited for place in places]
                changed.append({"id": element.id, **values, "answers": list(summary.answers)})
        return changed

    def _merged(self, elements: Sequence[tuple[Element, str]]) -> Iterator[tuple[Element, DescriptionMerge]]:
        """Yield a summary for each element, given with the model whose answers count; stored ones are not paid again.

        Without a model to ask, and where one does not answer, the most informative sentences are the summary.
        """
        active: list[Merging] = []
        for element, model in elements:
            if model:
                door = self.door if model == self.door.name else self.stored
                active.append(Merging(element, self.graph, model, door, self.how.tokeniser))
            else:
                yield element, self._extractive(element)
        while active:
            answers = self._answers(active)
            going_on: list[Merging] = []
            for merging in active:
                given = [answers[task.key(0)] for task in merging.tasks]
                if any(map(is_unanswered, given)):
                    self.waiting += merging.door is self.door
                    yield merging.element, self._extractive(merging.element)
                    continue
                merging.take(given)
                if merging.summary:
                    yield merging.element, merging.summary
                else:
                    going_on.append(merging)
            active = going_on

    def _answers(self, active: Sequence[Merging]) -> dict[str, TaskAnswer[str]]:
        """Return the answers to the next tasks by key; elements that are described alike share them."""
        tasks = {task.key(0): task for merging in active for task in merging.tasks}
        keys = sorted(tasks)
        door = active[0].door  # all of a run are of one model, or all of what is stored
        answers = dict(zip(keys, door.ask_all([tasks[key] for key in keys]), strict=True))
        for answer in answers.values():
            self.usage += answer.usage
            if is_unanswered(answer):
                self.failed.append(str(answer.error))
        return answers

    def _extractive(self, element: Element) -> DescriptionMerge:
        return Merging(element, self.graph, self.door.name, self.door, self.how.tokeniser).extract()
