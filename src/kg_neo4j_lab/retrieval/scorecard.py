"""`kg eval retrieval`: a corpus loaded passage by passage, its questions asked, and what was found scored.

Flat search over the same passages, without the graph, is measured in the same run. Nothing is asked of a chat model but
the extraction of the corpus, where the settings name one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from kg_neo4j import factory
from kg_neo4j._models import tokens
from kg_neo4j.acquire.identity import text_hash
from kg_neo4j.errors import UsageError
from kg_neo4j.extract import schema
from kg_neo4j.extract.interface import Extractor
from kg_neo4j.graph import queries
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.database import Database
from kg_neo4j.pipeline.commands.load import load
from kg_neo4j.pipeline.options import LoadOptions
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import LoadReport
from kg_neo4j.retrieve import interface, local, naive
from kg_neo4j.retrieve.ask import prepare
from kg_neo4j.retrieve.question import read
from kg_neo4j.settings import Settings
from kg_neo4j_lab.answers.questions import documents_of, stories_of
from kg_neo4j_lab.retrieval import flat
from kg_neo4j_lab.retrieval.questions import CorpusPassage, GoldQuestion, graph_name, read_passages, read_questions
from kg_neo4j_lab.retrieval.scores import Ranking, RecallDifference, RetrievalScore, compare, recalls_at, score
from kg_neo4j_lab.triples import TripleExtractor, read_triples

MODES = ("naive", "local")
FLAT = ("bm25", "dense", "fusion")
DEPTHS = (1, 2, 5, 10, 20)
COMPARED = 5  # depth at which ways are compared
WHOLE = 10  # depth at which a question counts if all that it needs is there, as the sets with several passages do

Search = Callable[[str], Sequence[int]]  # question -> idx of passages, best first


@dataclass(frozen=True, slots=True)
class RetrievalOptions:
    """What to measure. The defaults are those of the command line."""

    modes: tuple[str, ...] = MODES
    depths: tuple[int, ...] = DEPTHS
    limit: int | None = None  # questions at most, in the order of the file
    triples: str | None = None  # file of what another extractor found in the passages (`extract.triples`)


@dataclass(frozen=True, slots=True)
class RetrievalCard:
    """What was found, way by way: first the flat ones, then the modes."""

    corpus: str
    questions: str
    graph: str
    passages: int
    asked: int
    embedder: str
    load: LoadReport
    scores: Mapping[str, RetrievalScore]
    best_flat: str  # of the highest recall at COMPARED
    differences: Mapping[str, RecallDifference]  # mode -> recall at COMPARED beyond the best flat way
    by_question: Mapping[str, Mapping[str, float]]  # way -> question's id -> recall at COMPARED
    notes: tuple[str, ...] = ()
    compared_at: int = COMPARED


def score_retrieval(
    corpus: str, questions: str, *, settings: Settings, options: RetrievalOptions, progress: Progress = SILENT
) -> RetrievalCard:
    """Load `corpus` into a graph of its own, which stays for the next run, and search it for `questions`.

    Raises SourceNotFound, UnreadableSource, UsageError for options that cannot be meant, and what a load raises.
    """
    if unknown := [mode for mode in options.modes if mode not in MODES]:
        raise UsageError(f"no mode {unknown[0]!r} to measure", hint=f"the modes are {', '.join(MODES)}")
    if not options.depths or min(options.depths) < 1:
        raise UsageError("depths are numbers from 1 on", hint="for example --k 5 --k 20")
    passages = read_passages(corpus)
    asked = read_questions(questions, passages)[: options.limit]
    if not asked:
        raise UsageError(f"no question in {questions!r}")
    extractor, made_by, notes = _extractor(options.triples, passages)
    graph = graph_name(passages, made_by)
    settings = settings.model_copy(update={"graph": graph})
    loaded = load(
        settings=settings,
        options=LoadOptions(analytics=False, rebuild=True),  # a graph of an earlier extractor is not what is measured
        documents=documents_of(stories_of(passages), graph),
        extractor=extractor,
        progress=progress,
    )
    notes += loaded.notes
    embedder, tokeniser, depth = factory.embedding_model(settings), tokens.load(), max(options.depths)
    words, near = flat.Bm25(passages), flat.Dense(passages, embedder, tokeniser)
    ways: dict[str, Search] = {"bm25": words.rank, "dense": near.rank}
    ways["fusion"] = lambda question: flat.fuse(words.rank(question), near.rank(question))
    with connect(settings, progress) as database:
        for mode in options.modes:
            ways[mode] = _mode(database, settings, mode, depth, notes)
        found = {way: _ranked(search, asked, depth, way, progress) for way, search in ways.items()}
    at = {way: recalls_at(asked, rankings, COMPARED) for way, rankings in found.items()}
    best = max(FLAT, key=lambda way: (sum(at[way]), way))
    return RetrievalCard(
        corpus=corpus,
        questions=questions,
        graph=graph,
        passages=len(passages),
        asked=len(asked),
        embedder=embedder.name,
        load=loaded,
        scores={way: score(asked, rankings, options.depths) for way, rankings in found.items()},
        best_flat=best,
        differences={mode: compare(at[mode], at[best]) for mode in options.modes},
        by_question={way: dict(zip((each.id for each in asked), values, strict=True)) for way, values in at.items()},
        notes=tuple(dict.fromkeys(notes)),
    )


def _extractor(triples: str | None, passages: Sequence[CorpusPassage]) -> tuple[Extractor | None, str, list[str]]:
    """Return what stands for the extractor of the settings, what its graph is told apart by, and notes."""
    if triples is None:
        return None, "", []
    known = read_triples(triples)
    missing = sum(text_hash(passage.text) not in known for passage in passages)
    notes = [f"{triples} says nothing of {missing:,} of {len(passages):,} passages"] if missing else []
    extractor = TripleExtractor(schema.load(LoadOptions().schema), known)
    return extractor, extractor.config_hash, notes


def _mode(database: Database, settings: Settings, mode: str, depth: int, notes: list[str]) -> Search:
    """Return a search by `mode`, as `kg ask` makes it but for as many chunks as have the passages to be scored."""
    retriever = {"naive": naive, "local": local}[mode].retrieve
    keys = database.read(queries.get("retrieve/passages"), graph=settings.graph)
    numbers = {row["chunk"]: int(row["key"].partition("/")[0]) for row in keys}
    embedder, tokeniser = factory.embedding_model(settings), tokens.load()

    def search(question: str) -> Sequence[int]:
        prepared, said = prepare(database, interface.Search(settings.graph, read(question)), embedder, tokeniser)
        chunks, passages = depth, list[int]()
        while True:  # a long passage has several chunks
            found = retriever(database, prepared, chunks)
            passages = list(dict.fromkeys(numbers[chunk.id] for chunk in found.chunks if chunk.score > 0))
            if len(passages) >= min(depth, len(set(numbers.values()))) or len(found.chunks) < chunks:
                break
            chunks *= 2
        notes.extend((*said, *found.notes))
        return passages

    return search


def _ranked(
    search: Search, questions: Sequence[GoldQuestion], depth: int, way: str, progress: Progress
) -> list[Ranking]:
    progress.start(way, len(questions))
    search(questions[0].text)  # what is kept for the next question is made before the clock starts
    found = []
    for question in questions:
        started = time.monotonic()
        numbers = tuple(search(question.text)[:depth])
        found.append(Ranking(numbers, time.monotonic() - started))
        progress.advance(way)
    progress.finish(way)
    return found
