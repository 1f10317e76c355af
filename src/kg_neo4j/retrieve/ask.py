"""A question in, an answer with citations out. Nothing in the graph is changed.

Every mode has one shape: `retrieve` finds, `answer` answers from what was found. `ask` completes the answer.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kg_neo4j import tracing
from kg_neo4j._models.embedding import NO_EMBEDDING, embed_texts
from kg_neo4j._models.protocols import EmbeddingModel
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import list_documents
from kg_neo4j.organise import search_indexes
from kg_neo4j.records import Answer, KindShare, Routing
from kg_neo4j.retrieve import local, naive
from kg_neo4j.retrieve.ask_context import AskContext
from kg_neo4j.retrieve.checking.standing import keep_standing, with_corrections
from kg_neo4j.retrieve.cypher.answer import answer_from_rows, retrieve_rows
from kg_neo4j.retrieve.filters import resolve
from kg_neo4j.retrieve.interface import AUTO, CYPHER, GLOBAL, LOCAL, NAIVE, TREE, AskOptions, Found, Search
from kg_neo4j.retrieve.linking import can_link, say_unknown
from kg_neo4j.retrieve.overview.global_answer import answer_from_reports, choose_reports
from kg_neo4j.retrieve.question import Question, fulltext_query
from kg_neo4j.retrieve.reply import AnswerFromSources, FurtherSearch
from kg_neo4j.retrieve.routing import is_about_the_whole, route
from kg_neo4j.retrieve.tree import search as tree_search

WORDED = ("Chunk", "Document", "Entity", "Fact")  # whose full-text indexes a search by words needs
NOT_FOUND = "No answer found."


@dataclass(frozen=True, slots=True)
class AnswerMode:
    """How a mode finds what an answer is made from, and makes it."""

    retrieve: Callable[[Database, Search], Found]
    answer: Callable[[Database, Search, Any, AskContext], Answer]  # from what `retrieve` found
    labels: Sequence[str] = ()  # whose indexes it searches by words and vectors; none: it searches none


def ask(
    database: Database, question: Question, graph: str, how: AskContext, options: AskOptions | None = None
) -> Answer:
    """Answer `question` from `graph`; `found` is False, and the text reports it, where it does not hold an answer.

    The mode "auto" chooses by rule, and `Answer.routing` says what and why. Nothing but what the filters leave is
    found, mentioned or cited. Without a model the answer is made of sentences of the sources, of reports or of rows. A
    graph without vectors is searched by words. Claims that their sources contradict are marked, or treated as `how`
    says. Raises UsageError for a filter value, an aspect or a level that the graph does not have, and the model's and
    the database's errors.
    """
    started = time.monotonic()
    options = options or AskOptions()
    with tracing.span("search", {"gen_ai.operation.name": "retrieval"}):
        scope = resolve(database, graph, options.filters)
        search = Search(graph, question, scope=scope, options=options, mode=options.mode)
        routing: Routing | None = None
        if options.retriever is not None:
            search = replace(search, mode=NAIVE)
        elif options.mode == AUTO:
            search = replace(search, words=fulltext_query(question) if can_link(database, graph) else None)
            routing, linked = route(database, search)
            search = replace(search, mode=routing.mode, linked=linked, is_overview=is_about_the_whole(question))
        mode = MODES[search.mode]
        notes = _cut(question)
        if mode.labels:
            search, notes = prepare(database, search, how.embedder, how.tokeniser, mode.labels)
        if scope is not None:
            notes.append(f"filtered by {scope.said}: {scope.counted}")
        found = options.retriever.retrieve(search) if options.retriever else mode.retrieve(database, search)
    retrieved = time.monotonic()
    with tracing.span("reply", {"kg_neo4j.mode": found.mode}):
        made = mode.answer(database, search, found, how)
    return replace(
        made,
        question=question.text,
        mode=found.mode,
        answer=made.answer or NOT_FOUND,
        seconds=time.monotonic() - started,
        notes=(*notes, *made.notes),
        retrieval_seconds=retrieved - started + made.retrieval_seconds,
        routing=routing,
    )


def answer_from_passages(database: Database, search: Search, found: Found, how: AskContext) -> Answer:
    """Answer from chunks, entities, facts and nodes of trees."""
    notes = list(found.notes)
    if not found.chunks and search.mode != TREE:
        notes.append(_nothing(database, search))
    goes_on = search.options.mode in (AUTO, LOCAL) and search.options.retriever is None and search.mode != TREE
    further = FurtherSearch(database, search) if goes_on else None  # where "naive" was named, chunks are all
    if how.door.has_stand_in and found.nodes:  # a model reads them; other modes have asked already
        found = replace(found, chunks=with_corrections(database, search.graph, found.chunks))
    job = AnswerFromSources(search, found, how, further)
    made = how.door.do(job)
    if not made.answer and how.door.has_stand_in:  # of a model
        made = replace(made, passages=how.door.fallback(replace(job, further=None)).passages)
    made = keep_standing(database, search.graph, made)
    if not made.answer and search.mode != TREE:
        notes += say_unknown(database, search)
    descents = made.descents or tuple(found.tree_path(each.chunk_id, each.start, each.end) for each in made.citations)
    kinds = Counter((node.kind, node.aspect) for node in found.nodes)
    ranked = sorted(kinds.items(), key=lambda each: (-each[1], each[0]))
    shares = tuple(KindShare(kind, aspect, n, n / len(found.nodes)) for (kind, aspect), n in ranked)
    return replace(
        made,
        notes=(*notes, *made.notes),
        descents=descents if found.nodes else (),
        shares=shares,
    )


MODES: dict[str, AnswerMode] = {
    LOCAL: AnswerMode(local.retrieve, answer_from_passages, WORDED),
    NAIVE: AnswerMode(naive.retrieve, answer_from_passages, WORDED),
    TREE: AnswerMode(tree_search.retrieve, answer_from_passages, search_indexes.WORDED),
    GLOBAL: AnswerMode(choose_reports, answer_from_reports),
    CYPHER: AnswerMode(retrieve_rows, answer_from_rows),
}


def prepare(
    database: Database, search: Search, embedder: EmbeddingModel, tokeniser: Tokeniser, labels: Sequence[str] = WORDED
) -> tuple[Search, list[str]]:
    """Return `search` with its words, its vectors and the indexes over `labels`, and notes on what cannot be searched.

    Raises SchemaConflict if an index that the graph needs is missing or not online.
    """
    question, notes = search.question, _cut(search.question)
    indexes = search_indexes.usable_indexes(database, search.graph, embedder, labels)
    names = {index.name for index in indexes}
    has_words = all(search_indexes.fulltext_index_name(label) in names for label in WORDED)
    search = replace(search, words=fulltext_query(question) if has_words else None)
    fitting = {index.label: index.name for index in indexes if index.kind == "VECTOR" and index.fits(embedder)}
    if not fitting:
        other = next((index for index in indexes if index.model is not None), None)
        if not embedder.dimension:
            notes.append(f"searched by words alone: {NO_EMBEDDING}")
        elif other is not None:
            notes.append(f"searched by words alone: the vectors are of {other.model!r}, not of {embedder.name!r}")
        return search, notes
    vectors = embed_texts(embedder, list(dict.fromkeys((question.text, question.rest))), tokeniser)
    vector, rest = (tuple(float(value) for value in vectors[place]) for place in (0, -1))
    search = replace(
        search,
        vector=vector,
        rest=rest,
        chunk_index=fitting.get("Chunk"),
        passage_index=fitting.get("Passage"),
        node_index=fitting.get("TreeNode"),
        by_graph=frozenset(index.name for index in indexes if index.by_graph),
    )
    return search, notes


def _cut(question: Question) -> list[str]:
    return [f"the question was truncated to its first {len(question.text):,} characters"] if question.cut else []


def _nothing(database: Database, search: Search) -> str:
    documents = list_documents(database, search.graph)
    if not documents:
        return f"graph {search.graph!r} is empty: load something first, for example kg load FILE"
    if search.scope is not None:
        return f"nothing that the filters select in graph {search.graph!r} matches the question"
    return f"nothing in the {len(documents)} documents of graph {search.graph!r} matches the question"
