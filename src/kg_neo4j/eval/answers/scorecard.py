"""`kg eval answers`: questions asked as `kg ask` asks them, and their answers scored against what is right."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.errors import UsageError
from kg_neo4j.eval.answers.asking import given_answer, given_of
from kg_neo4j.eval.answers.questions import documents_of, read_answered, stories_of
from kg_neo4j.eval.answers.recalling import OF_ONE_MODE, RecordFile
from kg_neo4j.eval.answers.scores import AnswerScore, GivenAnswer, score
from kg_neo4j.eval.retrieval.questions import graph_name, read_passages
from kg_neo4j.pipeline.options import LoadOptions
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Answer

if TYPE_CHECKING:
    from kg_neo4j.graph.database import Database
    from kg_neo4j.settings import Settings

VERSION = 1  # of how answers are scored: lines that another version saved are not of use


@dataclass(frozen=True, slots=True)
class AnswersOptions:
    """What to ask. The defaults are those of the command line."""

    corpus: str | None = None  # passages to load first; None: the settings' graph as it is
    mode: str = "auto"
    limit: int | None = None  # questions at most, in the order of the file
    save: str | None = None  # file of the answers given so far
    budget_usd: float | None = None  # what models may cost in this run; None: no limit


@dataclass(frozen=True, slots=True)
class AnswersCard:
    """How well a file of questions was answered."""

    questions: str
    graph: str
    mode: str
    model: str | None
    score: AnswerScore
    halves: tuple[AnswerScore | None, AnswerScore | None]  # by the hash of the question's id, even and odd
    given: tuple[GivenAnswer, ...]
    taken: int  # answers that an earlier run had given
    notes: tuple[str, ...] = ()


def score_answers(
    questions: str, *, settings: Settings, options: AnswersOptions | None = None, progress: Progress = SILENT
) -> AnswersCard:
    """Ask the questions of a file and score the answers; a corpus is loaded into a graph of its own, which stays.

    Raises SourceNotFound, UnreadableSource, UsageError, and what a load and asking raise, BudgetReached among it. A run
    that ends early goes on from `options.save`.
    """
    from kg_neo4j import factory
    from kg_neo4j.graph.connection import connect

    options = options or AnswersOptions()
    asked = read_answered(questions)[: options.limit]
    if not asked:
        raise UsageError(f"no question in {questions!r}")
    settings, notes = _loaded(settings, options, progress)
    door = factory.door(settings)
    run = hash_id(
        f"answers {VERSION}", settings.graph, options.mode, door.name, settings.unsupported,
        str(settings.judge),
    )  # fmt: skip
    file = RecordFile(options.save) if options.save else None
    saved = saved_answers(file, run) if file else {}
    given: list[GivenAnswer] = []
    taken = 0
    progress.start("answers", len(asked))
    with connect(settings, progress) as database:
        ask = _asker(database, settings, options)
        for question in asked:
            known = saved.get(question.id)
            taken += known is not None
            if known is None:
                known = given_answer(database, settings.graph, question, ask(question.text))
                if file:
                    file.append(OF_ONE_MODE, {"run": run, **asdict(known)})
            given.append(known)
            progress.advance("answers")
    progress.finish("answers")
    return AnswersCard(
        questions=questions,
        graph=settings.graph,
        mode=options.mode,
        model=door.model,
        score=score(given),
        halves=(_half(given, 0), _half(given, 1)),
        given=tuple(given),
        taken=taken,
        notes=notes,
    )


def saved_answers(file: RecordFile, run: str) -> dict[str, GivenAnswer]:
    """Return the answers that a run with the same graph, mode and model has saved, by the question's id."""
    return {given.id: given for row in file.rows(OF_ONE_MODE) if row["run"] == run and (given := given_of(row))}


def half_of(question_id: str) -> int:
    """Return 0 or 1: errors are read in half 0 alone, half 1 shows what was learned."""
    return int(hashlib.sha256(question_id.encode()).hexdigest(), 16) % 2


def _half(given: list[GivenAnswer], number: int) -> AnswerScore | None:
    chosen = [each for each in given if half_of(each.id) == number]
    return score(chosen, by_type=False) if chosen else None


def _loaded(settings: Settings, options: AnswersOptions, progress: Progress) -> tuple[Settings, tuple[str, ...]]:
    """Load the corpus, where one is given; return the settings with its graph."""
    if options.corpus is None:
        return settings, ()
    from kg_neo4j.pipeline.commands.load import load

    passages = read_passages(options.corpus)
    graph = graph_name(passages)
    settings = settings.model_copy(update={"graph": graph})
    report = load(
        settings=settings,
        options=LoadOptions(analytics=False, rebuild=True),
        documents=documents_of(stories_of(passages), graph),
        progress=progress,
    )
    return settings, report.notes


def _asker(database: Database, settings: Settings, options: AnswersOptions) -> Callable[[str], Answer]:
    """Return what asks one question: as `kg ask` does, over one connection."""
    from kg_neo4j import factory
    from kg_neo4j._models.budget import Budget
    from kg_neo4j.pipeline.commands.ask import AskOptions, answerer

    budget = None if options.budget_usd is None else Budget(options.budget_usd)
    one = answerer(settings, database, factory.door(settings, budget=budget), budget=budget)
    how = AskOptions(mode=options.mode)
    return lambda question: one.answer(question, how)
