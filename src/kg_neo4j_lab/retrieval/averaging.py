"""What averaging costs: the recall of long texts that are embedded averaged, whole, truncated, and piece by piece.

Most passages of such sets are shorter than what an embedder reads at once, so they would not be averaged. They are
therefore joined in the order of their file; a question needs the texts that hold its passages. The figures choose
nothing, so all questions of a set may be asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from kg_neo4j import factory
from kg_neo4j._models import embedding, tokens
from kg_neo4j._models.prices import price_of
from kg_neo4j._models.protocols import EmbeddingModel
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire import chunking
from kg_neo4j.errors import UnreadableSource, UsageError
from kg_neo4j.graph.report_format import Cell, Report
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.settings import Settings
from kg_neo4j_lab.retrieval import flat
from kg_neo4j_lab.retrieval.questions import CorpusPassage, GoldQuestion, read_passages, read_questions
from kg_neo4j_lab.retrieval.scores import Ranking, RecallDifference, compare, recalls_at, score

AVERAGED, WHOLE, TRUNCATED, BEST = "averaged", "whole", "truncated", "best piece"
DEPTHS = (2, 5)
COMPARED = 5  # depth at which ways are compared


@dataclass(frozen=True, slots=True)
class AveragingOptions:
    """What to measure. The defaults are those of the command line."""

    chunk_tokens: tuple[int, ...] = (chunking.DEFAULT_TOKENS,)  # of the texts that passages are joined to
    whole: bool = False  # embed whole texts also where the embedder reads fewer tokens at once
    words: bool = False  # rank by words, too, and fuse both rankings: vectors are rarely searched alone


@dataclass(frozen=True, slots=True)
class AveragingWay:
    """How well texts are found that are embedded in one way, 0 to 1. Keys are depths."""

    way: str
    recall: Mapping[int, float]
    interval: Mapping[int, tuple[float, float]]  # 95 %, of recall
    beyond_averaged: RecallDifference  # recall at COMPARED


@dataclass(frozen=True, slots=True)
class AveragingResult:
    """One set, its passages joined towards one number of tokens."""

    corpus: str
    questions: int
    passages: int
    chunk_tokens: int
    texts: int
    pieces_per_text: float
    ways: tuple[AveragingWay, ...]


@dataclass(frozen=True, slots=True)
class AveragingStudy:
    """All sets and lengths, with one embedder."""

    embedder: str
    tokeniser: str
    words: bool  # True: every ranking is fused with one by words
    results: tuple[AveragingResult, ...]
    notes: tuple[str, ...] = ()
    compared_at: int = COMPARED


@dataclass(frozen=True, slots=True)
class AveragingPlan:
    """What one set and length would embed."""

    corpus: str
    chunk_tokens: int
    texts: int
    embedded: int  # texts, their pieces, and questions
    tokens: int
    usd: float | None  # None: the price is not known


@dataclass(frozen=True, slots=True)
class _Joined:
    """One set, joined: what each way embeds. The gold of a question is the numbers of its texts."""

    corpus: str
    chunk_tokens: int
    passages: Sequence[CorpusPassage]
    questions: Sequence[GoldQuestion]
    texts: Sequence[str]
    starts: Sequence[str]  # what is left of a text that is truncated
    pieces: Sequence[Sequence[str]]
    is_whole: bool  # True: texts are embedded whole, too

    @property
    def asked(self) -> list[str]:
        """The texts of the questions."""
        return [question.text for question in self.questions]

    @property
    def parts(self) -> list[str]:
        """The pieces of all texts."""
        return [piece for pieces in self.pieces for piece in pieces]


def study_averaging(
    corpora: Sequence[str],
    questions: Sequence[str],
    *,
    settings: Settings,
    options: AveragingOptions,
    progress: Progress = SILENT,
) -> AveragingStudy:
    """Measure each corpus with its questions, one file for each in the same order. No database is needed.

    Raises UsageError, what `read_passages` and `read_questions` raise, and what the embedder raises.
    """
    model, tokeniser = factory.embedding_model(settings), tokens.load()
    progress.start("embed", len(corpora) * len(options.chunk_tokens))
    results = []
    notes = [
        "passages are joined in the order of their file: most by themselves are too short to be averaged",
        "nothing is chosen by these figures: all questions are asked",
    ]
    cut = f"{model.name} is given {model.max_tokens} tokens at most: --whole sends longer texts whole, too"
    for joined in _joined(corpora, questions, options, model, tokeniser):
        results.append(_measure(joined, model, tokeniser, words=options.words))
        notes += [] if joined.is_whole else [cut]
        progress.advance("embed")
    progress.finish("embed")
    return AveragingStudy(model.name, tokeniser.name, options.words, tuple(results), tuple(dict.fromkeys(notes)))


def plan_averaging(
    corpora: Sequence[str], questions: Sequence[str], *, settings: Settings, options: AveragingOptions
) -> tuple[AveragingPlan, ...]:
    """Return what `study_averaging` with the same arguments would embed. No embedder is called. Raises as it does."""
    model, tokeniser = factory.embedding_model(settings), tokens.load()
    price = None if factory.embeds_built_in(settings) else price_of(model.name, settings)
    plans = []
    for joined in _joined(corpora, questions, options, model, tokeniser):
        sent = [*joined.asked, *joined.parts, *(joined.texts if joined.is_whole else ()), *joined.starts]
        count = sum(tokeniser.count(text) for text in sent)
        usd = 0.0 if factory.embeds_built_in(settings) else price.usd(count) if price else None
        plans.append(AveragingPlan(joined.corpus, joined.chunk_tokens, len(joined.texts), len(sent), count, usd))
    return tuple(plans)


def averaging_table(study: AveragingStudy) -> Report:
    """Return one row for each set, length and way; recall in percent, differences in points."""
    columns = ("Set", "Tokens", "Texts", "Pieces", "Way", *(f"R@{depth}" for depth in DEPTHS), f"R@{COMPARED}, 95 %")
    rows: list[tuple[Cell, ...]] = []
    for result in study.results:
        first = (_name(result.corpus), result.chunk_tokens, result.texts, round(result.pieces_per_text, 2))
        for each in result.ways:
            beyond = each.beyond_averaged
            recalls = (round(100 * each.recall[depth], 1) for depth in DEPTHS)
            interval = "-".join(f"{100 * edge:.1f}" for edge in each.interval[COMPARED])
            points = (round(value, 1) for value in (beyond.points, beyond.low, beyond.high))
            rows.append((*first, each.way, *recalls, interval, *points))
    by = f"{study.embedder} and words" if study.words else study.embedder
    title = f"Recall by {by}, and points of R@{COMPARED} beyond averaged vectors with their 95 % interval"
    return Report("averaging", title, (*columns, "Points", "Low", "High"), tuple(rows), study.notes)


def averaging_plan_table(plans: Sequence[AveragingPlan]) -> Report:
    """Return one row for each set and length."""
    columns = ("Set", "Tokens", "Texts", "Embedded", "Input", "USD")
    rows = ((_name(each.corpus), each.chunk_tokens, each.texts, each.embedded, each.tokens, each.usd) for each in plans)
    return Report("plan", "What the study would embed", columns, tuple(rows))


def _name(corpus: str) -> str:
    """Return a short name of a set: that of its folder where the file is called corpus.jsonl."""
    path = Path(corpus)
    return path.resolve().parent.name if path.stem == "corpus" else path.stem


def _joined(
    corpora: Sequence[str],
    questions: Sequence[str],
    options: AveragingOptions,
    model: EmbeddingModel,
    tokeniser: Tokeniser,
) -> Iterator[_Joined]:
    if len(corpora) != len(questions) or not corpora:
        raise UsageError(
            f"files of passages: {len(corpora)}, of questions: {len(questions)}",
            hint="give --questions for each corpus",
        )
    if not options.chunk_tokens or min(options.chunk_tokens) < 1:
        raise UsageError("a text has at least one token", hint="for example --chunk-tokens 600 1200 2000")
    limit = min(embedding.LIMIT_TOKENS, model.max_tokens)
    for corpus, file in zip(corpora, questions, strict=True):
        passages = read_passages(corpus)
        asked = read_questions(file, passages)
        if not asked:
            raise UnreadableSource(f"no question in {file!r}")
        for target in dict.fromkeys(options.chunk_tokens):
            groups = _join(passages, tokeniser, target)
            places = {passage.idx: number for number, group in enumerate(groups) for passage in group}
            texts = ["\n\n".join(map(_text, group)) for group in groups]
            spans = [tokeniser.spans(text) for text in texts]
            yield _Joined(
                corpus,
                target,
                passages,
                [replace(each, gold=frozenset(places[idx] for idx in each.gold)) for each in asked],
                texts,
                [text[: of[limit][0]] if len(of) > limit else text for text, of in zip(texts, spans, strict=True)],
                [embedding.pieces_of(model, text, tokeniser) for text in texts],
                options.whole or max(map(len, spans)) <= model.max_tokens,
            )


def _text(passage: CorpusPassage) -> str:
    return f"{passage.title}\n{passage.text}"


def _join(passages: Sequence[CorpusPassage], tokeniser: Tokeniser, target: int) -> list[list[CorpusPassage]]:
    """Return neighbours in groups of at most `target` tokens; a longer passage stands by itself."""
    groups: list[list[CorpusPassage]] = []
    size = 0
    for passage in passages:
        count = tokeniser.count(_text(passage))
        if not groups or size + count > target:
            groups.append([])
            size = 0
        groups[-1].append(passage)
        size += count
    return groups


def _measure(joined: _Joined, model: EmbeddingModel, tokeniser: Tokeniser, *, words: bool) -> AveragingResult:
    """Embed a set in each way, rank all texts by cosine for each question, and score the rankings."""
    asked = embedding.embed_texts(model, joined.asked, tokeniser)
    counts = [len(each) for each in joined.pieces]
    pieces = embedding.embed_pieces(model, joined.parts)
    near = {AVERAGED: asked @ embedding.average(model, pieces, counts).T}
    if joined.is_whole:
        near[WHOLE] = asked @ embedding.embed_pieces(model, joined.texts).T
    near[TRUNCATED] = asked @ embedding.embed_pieces(model, joined.starts).T
    near[BEST] = np.maximum.reduceat(asked @ pieces.T, np.cumsum([0, *counts[:-1]]), axis=1)
    by_words: list[list[int]] | None = None
    if words:
        search = flat.Bm25([CorpusPassage(number, "", text) for number, text in enumerate(joined.texts)])
        by_words = [search.rank(question) for question in joined.asked]
    ranked = {way: _ranked(each, by_words) for way, each in near.items()}
    recalls = {way: recalls_at(joined.questions, rankings, COMPARED) for way, rankings in ranked.items()}
    ways = []
    for way, rankings in ranked.items():
        found = score(joined.questions, rankings, DEPTHS)
        ways.append(AveragingWay(way, found.recall, found.interval, compare(recalls[way], recalls[AVERAGED])))
    return AveragingResult(
        corpus=joined.corpus,
        questions=len(joined.questions),
        passages=len(joined.passages),
        chunk_tokens=joined.chunk_tokens,
        texts=len(joined.texts),
        pieces_per_text=len(pieces) / len(counts),
        ways=tuple(ways),
    )


def _ranked(near: embedding.Vectors, by_words: Sequence[Sequence[int]] | None) -> list[Ranking]:
    """Return the best texts of each question, given the nearness of shape (questions, texts)."""
    found: list[list[int]] = np.argsort(-near, axis=1, kind="stable").tolist()
    if by_words is not None:
        found = [flat.fuse(words, numbers) for words, numbers in zip(by_words, found, strict=True)]
    return [Ranking(tuple(numbers[: max(DEPTHS)])) for numbers in found]
