"""The words that answer a question, where a file of questions gives their places alone and the text stays outside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kg_neo4j.errors import UsageError
from kg_neo4j.eval.narrative.questions import NarrativeQuestion
from kg_neo4j.graph import queries
from kg_neo4j.graph.documents import StoredDocument
from kg_neo4j.organise.tree.leaves import Source, joined

if TYPE_CHECKING:
    from kg_neo4j.graph.database import Database


def with_quotes(
    database: Database, graph: str, questions: Sequence[NarrativeQuestion], documents: Sequence[StoredDocument]
) -> tuple[NarrativeQuestion, ...]:
    """Return the questions with the words that their places mean in the texts of `documents`.

    Raises UsageError for a place outside of its text, and where a question does not say of which of several texts.
    """
    texts: dict[str, str] = {}
    found = []
    for each in questions:
        if not each.spans:
            found.append(each)
            continue
        document = _document(each, documents)
        if document.id not in texts:
            texts[document.id] = _text(database, graph, document.id)
        quotes = [_words(each, texts[document.id], start, end) for start, end in each.spans]
        found.append(replace(each, quotes=(*each.quotes, *quotes), spans=()))
    return tuple(found)


def _document(question: NarrativeQuestion, documents: Sequence[StoredDocument]) -> StoredDocument:
    named = [each for each in documents if each.key == question.asked.document] or list(documents)
    if len(named) != 1:
        raise UsageError(f"question {question.asked.id} has places, and does not say of which document")
    return named[0]


def _text(database: Database, graph: str, document_id: str) -> str:
    rows = database.read(queries.get("tree/chunks"), graph=graph, document_id=document_id)
    return joined([Source(*(row[name] for name in ("id", "text", "token_count", "start", "end"))) for row in rows])


def _words(question: NarrativeQuestion, text: str, start: int, end: int) -> str:
    words = text[start:end] if end <= len(text) else ""
    if not words.strip():
        raise UsageError(f"question {question.asked.id}: its text has no words at {start} to {end}")
    return words
