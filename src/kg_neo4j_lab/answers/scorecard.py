"""`kg eval answers`: questions asked as `kg ask` asks them, and their answers scored against what is right."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass

from kg_neo4j import factory
from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.errors import UsageError
from kg_neo4j.graph.connection import connect
from kg_neo4j.pipeline.budget import budget_of
from kg_neo4j.pipeline.commands.ask import answerer
from kg_neo4j.pipeline.commands.load import load
from kg_neo4j.pipeline.options import LoadOptions
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.retrieve.interface import AskOptions
from kg_neo4j.settings import Settings
from kg_neo4j_lab.answers.asking import given_answer, given_of
from kg_neo4j_lab.answers.comparison import ComparisonOptions
from kg_neo4j_lab.answers.questions import documents_of, read_answered, stories_of
from kg_neo4j_lab.answers.recalling import OF_ONE_MODE, RecordFile
from kg_neo4j_lab.answers.scores import AnswerScore, GivenAnswer, score
from kg_neo4j_lab.retrieval.questions import graph_name, read_passages

VERSION = 1  # of how answers are scored: lines that another version saved are not of use


@dataclass(frozen=True, slots=True)
class AnswersCard:
    """How well a file of questions was answered."""

    questions: str
    graph: str
    mode: str
    model: str | None
    score: AnswerScore
    halves: tuple[AnswerScore | None, ...]  # two, by the hash of the question's id, even and odd
    given: tuple[GivenAnswer, ...]
    taken: int  # answers that an earlier run had given
    notes: tuple[str, ...]


def score_answers(
    questions: str, mode: str, *, settings: Settings, options: ComparisonOptions, progress: Progress = SILENT
) -> AnswersCard:
    """Ask the questions of a file and score the answers; a corpus is loaded into a graph of its own, which stays.

    Without a corpus the graph of the settings is asked; of the options only the limits, `corpus` and `save` matter.
    Raises SourceNotFound, UnreadableSource, UsageError, and what a load and asking raise, BudgetReached among it. A run
    that ends early goes on from `options.save`.
    """
    asked = read_answered(questions)[: options.selection.limit]
    if not asked:
        raise UsageError(f"no question in {questions!r}")
    settings, notes = _loaded(settings, options.corpus, progress)
    budget = budget_of(options.budget_usd)
    door = factory.door(settings, budget=budget)
    shaping = (settings.graph, mode, door.name, settings.unsupported, str(settings.judge))
    run = hash_id(f"answers {VERSION}", *shaping)
    file = RecordFile(options.save) if options.save else None
    saved = saved_answers(file, run) if file else {}
    given: list[GivenAnswer] = []
    progress.start("answers", len(asked))
    with connect(settings, progress) as database:
        one = answerer(settings, database, door, budget=budget)
        for question in asked:
            known = saved.get(question.id)
            if known is None:
                answer = one.answer(question.text, AskOptions(mode))
                known = given_answer(database, settings.graph, question, answer)
                if file:
                    file.append(OF_ONE_MODE, {"run": run, **asdict(known)})
            given.append(known)
            progress.advance("answers")
    progress.finish("answers")
    halves = [[each for each in given if half_of(each.id) == number] for number in (0, 1)]
    return AnswersCard(
        questions=questions,
        graph=settings.graph,
        mode=mode,
        model=door.model,
        score=score(given),
        halves=tuple(score(half, by_type=False) if half else None for half in halves),
        given=tuple(given),
        taken=sum(question.id in saved for question in asked),
        notes=notes,
    )


def saved_answers(file: RecordFile, run: str) -> dict[str, GivenAnswer]:
    """Return the answers that a run with the same graph, mode and model has saved, by the question's id."""
    return {given.id: given for row in file.rows(OF_ONE_MODE) if row["run"] == run and (given := given_of(row))}


def half_of(question_id: str) -> int:
    """Return 0 or 1: errors are read in half 0 alone, half 1 shows what was learned."""
    return int(hashlib.sha256(question_id.encode()).hexdigest(), 16) % 2


def _loaded(settings: Settings, corpus: str | None, progress: Progress) -> tuple[Settings, tuple[str, ...]]:
    """Load the corpus, where one is given; return the settings with its graph."""
    if corpus is None:
        return settings, ()
    passages = read_passages(corpus)
    graph = graph_name(passages)
    settings = settings.model_copy(update={"graph": graph})
    documents = documents_of(stories_of(passages), graph)
    options = LoadOptions(analytics=False, rebuild=True)
    return settings, load(settings=settings, options=options, documents=documents, progress=progress).notes
