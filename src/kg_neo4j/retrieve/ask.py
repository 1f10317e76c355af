"""A question in, an answer with citations out. Nothing in the graph is changed."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

from kg_neo4j._models.embedding import embed_texts
from kg_neo4j._models.protocols import ChatModel, EmbeddingModel
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.errors import UsageError
from kg_neo4j.graph.database import Database
from kg_neo4j.organise import search_indexes
from kg_neo4j.records import Answer, Citation, Evidence, Usage
from kg_neo4j.retrieve import local, naive
from kg_neo4j.retrieve.answer import ask_model
from kg_neo4j.retrieve.extractive import extract
from kg_neo4j.retrieve.interface import Found, Search
from kg_neo4j.retrieve.packing import pack_found
from kg_neo4j.retrieve.question import Question, fulltext_query, read

MODES = ("auto", "local", "naive")
NOT_FOUND = "The graph holds no answer to this."
WITHOUT_MODEL = "answered without a model: sentences of the sources, word for word"
TRY_A_MODEL = (
    "without a model only a sentence that says it directly is an answer; OPENAI_API_KEY or OPENAI_BASE_URL sets one"
)


@dataclass(frozen=True, slots=True)
class _Reply:
    """An answer before it is told how long it took."""

    text: str
    citations: tuple[Citation, ...]
    evidence: tuple[Evidence, ...]
    usage: Usage = field(default_factory=Usage)
    notes: tuple[str, ...] = ()


def ask(  # noqa: PLR0913 - what a question needs; all but two by name
    database: Database,
    question: str,
    *,
    graph: str,
    mode: str = "auto",
    model: ChatModel | None = None,
    embedder: EmbeddingModel,
    tokeniser: Tokeniser,
    max_context_tokens: int = 6000,
) -> Answer:
    """Answer `question` from `graph`; `found` is False, and the text says so, where it does not hold an answer.

    "auto" is "local" where an entity of the graph is named in the question, else "naive"; `Answer.mode` says which.
    Without a model the answer is made of sentences of the sources. A graph without vectors is searched by words.
    `max_context_tokens` bounds the evidence. Raises UsageError for an empty question or an unknown mode, and the
    model's and the database's errors.
    """
    started = time.monotonic()
    check(question, mode)
    if max_context_tokens < 1:
        raise UsageError(f"max_context_tokens is at least 1, not {max_context_tokens}")
    asked = read(question)
    search, notes = prepare(database, asked, graph, embedder, tokeniser)
    found = retrieve(database, search, mode)
    notes += found.notes
    if not found.chunks:
        notes.append(_nothing(database, graph))
        reply = _Reply("", (), ())
    elif model is None:
        reply = _extractive(asked, found, tokeniser, max_context_tokens)
    else:
        reply = _by_model(asked, found, model, tokeniser, max_context_tokens)
    return Answer(
        question=asked.text,
        mode=found.mode,
        answer=reply.text or NOT_FOUND,
        found=bool(reply.text),
        citations=reply.citations,
        evidence=reply.evidence,
        usage=reply.usage,
        seconds=time.monotonic() - started,
        notes=(*notes, *reply.notes),
    )


def check(question: str, mode: str) -> None:
    """Raise UsageError for an empty question or an unknown mode; needs no database."""
    if mode not in MODES:
        raise UsageError(f"no mode {mode!r}", hint=f"the modes are {', '.join(MODES)} and global")
    read(question)


def retrieve(database: Database, search: Search, mode: str = "auto") -> Found:
    """Return what `mode` finds; "auto" as in `ask`. One round trip, two where "auto" falls back to naive."""
    if mode == "naive":
        return naive.retrieve(database, search)
    found = local.retrieve(database, search)
    if mode == "local" or any(entity.named for entity in found.entities):
        return found
    return naive.retrieve(database, search)


def prepare(
    database: Database, question: Question, graph: str, embedder: EmbeddingModel, tokeniser: Tokeniser
) -> tuple[Search, list[str]]:
    """Return a search with the indexes that are there, and notes on what cannot be searched."""
    notes = [f"the question was cut to its first {len(question.text):,} characters"] if question.cut else []
    indexes = [index for index in search_indexes.list_indexes(database) if index.state == "ONLINE"]
    names = {index.name for index in indexes}
    search = Search(graph=graph, question=question)
    if all(search_indexes.fulltext_index_name(label) in names for label in search_indexes.WORDED):
        search = replace(search, words=fulltext_query(question))
    fitting = {index.label: index.name for index in indexes if index.kind == "VECTOR" and index.fits(embedder)}
    if not fitting:
        other = next((index for index in indexes if index.model is not None), None)
        if other is not None:
            notes.append(f"searched by words alone: the vectors are of {other.model!r}, not of {embedder.name!r}")
        return search, notes
    vector = embed_texts(embedder, [question.text], tokeniser)[0]
    search = replace(
        search,
        vector=tuple(float(value) for value in vector),
        chunk_index=fitting.get("Chunk"),
        entity_index=fitting.get("Entity"),
        fact_index=fitting.get("Fact"),
    )
    return search, notes


def _nothing(database: Database, graph: str) -> str:
    from kg_neo4j.graph.documents import list_documents

    documents = list_documents(database, graph)
    if not documents:
        return f"graph {graph!r} is empty: load something first, for example kg load FILE"
    return f"nothing in the {len(documents)} documents of graph {graph!r} matches the question"


def _extractive(question: Question, found: Found, tokeniser: Tokeniser, budget: int) -> _Reply:
    """Answer with sentences; what they rest on comes first in the evidence."""
    extracted = extract(question, found)
    cited = tuple(_cited(citation, tokeniser) for citation in extracted.citations)
    packed = pack_found(found, tokeniser, budget - sum(each.token_count for each in cited))
    note = WITHOUT_MODEL if extracted.text else TRY_A_MODEL
    return _Reply(extracted.text, extracted.citations, (*cited, *packed.evidence), notes=(note,))


def _cited(citation: Citation, tokeniser: Tokeniser) -> Evidence:
    return Evidence(
        kind="chunk",
        id=citation.chunk_id,
        text=citation.quote,
        score=1.0,
        chunk_id=citation.chunk_id,
        document=citation.document,
        start=citation.start,
        end=citation.end,
        token_count=tokeniser.count(citation.quote),
    )


def _by_model(question: Question, found: Found, model: ChatModel, tokeniser: Tokeniser, budget: int) -> _Reply:
    """Answer with the model; without one valid citation its answer is replaced by sentences of the sources."""
    answer = ask_model(question.text, found, model, tokeniser, budget)
    evidence, usage, checked = answer.packed.evidence, answer.usage, answer.checked
    notes = [f"{answer.packed.left_out} further finds did not fit {budget:,} tokens"] if answer.packed.left_out else []
    if checked is None and not answer.silent:
        return _Reply("", (), evidence, usage, tuple(notes))
    if checked is not None:
        if checked.invalid:
            notes.append(f"removed citations of sources that were not given: {', '.join(checked.invalid)}")
        if checked.citations:
            if checked.uncited:
                notes.append(f"{checked.uncited} sentences of the answer cite no source")
            return _Reply(checked.text, checked.citations, evidence, usage, tuple(notes))
    notes.append(answer.silent or "the model's answer cited no source and was left out")
    instead = _extractive(question, found, tokeniser, budget)
    notes += instead.notes if instead.text else ()
    return replace(instead, usage=usage, notes=tuple(notes))
