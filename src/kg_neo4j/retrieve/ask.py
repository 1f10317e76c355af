"""A question in, an answer with citations out. Nothing in the graph is changed."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kg_neo4j._models.embedding import embed_texts
from kg_neo4j._models.protocols import EmbeddingModel
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.errors import UsageError
from kg_neo4j.graph.database import Database
from kg_neo4j.organise import search_indexes
from kg_neo4j.records import Answer, Filters
from kg_neo4j.retrieve import local, naive
from kg_neo4j.retrieve.assisting import Assist
from kg_neo4j.retrieve.checking.standing import keep_standing
from kg_neo4j.retrieve.filters import resolve
from kg_neo4j.retrieve.interface import Found, Retriever, Scope, Search
from kg_neo4j.retrieve.linking import say_unknown
from kg_neo4j.retrieve.means import Means
from kg_neo4j.retrieve.naive import ChunkChoice
from kg_neo4j.retrieve.nearest import nearest
from kg_neo4j.retrieve.question import Question, fulltext_query, read
from kg_neo4j.retrieve.reply import AnswerFromSources, FurtherSearch

if TYPE_CHECKING:
    from kg_neo4j.retrieve.routing import Routed

MODES = ("auto", "local", "naive")
WORDED = ("Chunk", "Document", "Entity", "Fact")  # whose full-text indexes a search by words needs
NOT_FOUND = "No answer found."
ALL_WAYS = ChunkChoice()  # by words and by vectors


def ask(  # noqa: PLR0913 - what a question needs; most of it by name
    database: Database,
    question: str,
    graph: str,
    how: Means,
    *,
    mode: str = "auto",
    chunks: ChunkChoice = ALL_WAYS,
    filters: Filters | None = None,
    routed: Routed | None = None,
    retriever: Retriever | None = None,
) -> Answer:
    """Answer `question` from `graph`; `found` is False, and the text reports it, where it does not hold an answer.

    "auto" is "local" where the question names something in the graph, else "naive", or as it was `routed`;
    `Answer.routing` says why. A `retriever` searches instead of any mode.
    Nothing but what `filters` leave is found, told of or cited; UsageError for what they name and the graph has not.
    Without a model the answer is made of sentences of the sources. A graph without vectors is searched by words.
    Claims that their sources do not support are marked, or treated as `how` says. Raises UsageError for an empty
    question or an unknown mode, and the model's and the database's errors.
    """
    started = time.monotonic()
    check(question, mode)
    asked = read(question)
    search, notes = prepare(database, asked, graph, how.embedder, how.tokeniser)
    search = replace(search, scope=routed.scope if routed else resolve(database, graph, filters or Filters()))
    if retriever is not None:
        mode, found = "naive", retriever.retrieve(search)
    else:
        routed = (routed or _route(database, search)) if mode == "auto" else routed
        found = retrieve(database, search, mode, routed, chunks)
    again = _searcher(database, search, found, how, retriever)
    assisted = how.door.do(Assist(asked.text, found, how, again))
    found, helped = assisted.found, assisted.model_seconds
    notes += [*_said(search.scope), *found.notes, *assisted.notes]
    if not found.chunks:
        notes.append(_nothing(database, graph, search.scope))
    further = FurtherSearch(database, search, routed.linked if routed else None, again) if mode != "naive" else None
    retrieved = time.monotonic()
    reply = how.door.do(AnswerFromSources(asked, found, how, further))
    reply, gone = keep_standing(database, graph, reply)
    if not reply.text:
        notes += say_unknown(database, search, routed.linked if routed else None)
    return Answer(
        question=asked.text,
        mode=found.mode,
        answer=reply.text or NOT_FOUND,
        found=bool(reply.text),
        citations=reply.citations,
        evidence=reply.evidence,
        usage=assisted.usage + reply.usage,
        seconds=time.monotonic() - started,
        notes=(*notes, *reply.notes, *gone),
        claims=reply.claims,
        short=reply.short,
        path=reply.path,
        retrieval_seconds=retrieved - started - helped,
        model_seconds=reply.model_seconds + helped,
        routing=routed.routing if routed else None,
        limits=reply.limits,
        nearest=() if reply.text else nearest(asked, found),
    )


def _route(database: Database, search: Search) -> Routed:
    from kg_neo4j.retrieve.routing import route  # reaches all modes: a question in a named mode need not pay for them

    return route(database, search)


def _searcher(
    database: Database, search: Search, found: Found, how: Means, retriever: Retriever | None
) -> Callable[[str], Found]:
    """Return what searches for a question that the one asked was taken apart to, within the same filters."""

    def again(text: str) -> Found:
        if text == search.question.text:
            return found
        other, _ = prepare(database, read(text), search.graph, how.embedder, how.tokeniser)
        other = replace(other, scope=search.scope)
        return retriever.retrieve(other) if retriever is not None else local.retrieve(database, other)

    return again


def check(question: str, mode: str) -> None:
    """Raise UsageError for an empty question or an unknown mode; needs no database."""
    if mode not in MODES:
        raise UsageError(f"no mode {mode!r}", hint=f"the modes are {', '.join(MODES)} and global")
    read(question)


def retrieve(
    database: Database,
    search: Search,
    mode: str = "auto",
    routed: Routed | None = None,
    chunks: ChunkChoice = ALL_WAYS,
) -> Found:
    """Return what `mode` finds; "auto" as in `ask`, or as it was `routed`; `chunks` are for the mode "naive"."""
    if mode == "auto":
        routed = routed or _route(database, search)
        mode = routed.routing.mode
    if mode == "naive":
        return naive.retrieve(database, chunks.of(search), chunks.top_k)
    return local.retrieve(database, search, linked=routed.linked if routed else None)


def prepare(
    database: Database,
    question: Question,
    graph: str,
    embedder: EmbeddingModel,
    tokeniser: Tokeniser,
    labels: Sequence[str] = WORDED,
) -> tuple[Search, list[str]]:
    """Return a search with the indexes over `labels`, and notes on what cannot be searched.

    Raises SchemaConflict if an index that the graph needs is missing or not online.
    """
    notes = [f"the question was truncated to its first {len(question.text):,} characters"] if question.cut else []
    indexes = search_indexes.usable_indexes(database, graph, embedder, labels)
    names = {index.name for index in indexes}
    search = Search(graph=graph, question=question)
    if all(search_indexes.fulltext_index_name(label) in names for label in WORDED):
        search = replace(search, words=fulltext_query(question))
    fitting = {index.label: index.name for index in indexes if index.kind == "VECTOR" and index.fits(embedder)}
    if not fitting:
        other = next((index for index in indexes if index.model is not None), None)
        if other is not None:
            notes.append(f"searched by words alone: the vectors are of {other.model!r}, not of {embedder.name!r}")
        return search, notes
    vectors = embed_texts(embedder, list(dict.fromkeys((question.text, question.rest))), tokeniser)
    vector, rest = (tuple(float(value) for value in vectors[place]) for place in (0, -1))
    search = replace(
        search,
        vector=vector,
        rest=rest,
        chunk_index=fitting.get("Chunk"),
        entity_index=fitting.get("Entity"),
        fact_index=fitting.get("Fact"),
        node_index=fitting.get("TreeNode"),
    )
    return search, notes


def _said(scope: Scope | None) -> list[str]:
    return [f"filtered by {scope.said}: {scope.counted}"] if scope is not None else []


def _nothing(database: Database, graph: str, scope: Scope | None) -> str:
    from kg_neo4j.graph.documents import list_documents

    documents = list_documents(database, graph)
    if not documents:
        return f"graph {graph!r} is empty: load something first, for example kg load FILE"
    if scope is not None:
        return f"nothing that the filters select in graph {graph!r} matches the question"
    return f"nothing in the {len(documents)} documents of graph {graph!r} matches the question"
