"""Questions over narrative texts: as `eval.answers.questions` has them, with the words that answer each, where known.

One JSON object a line: `id`, `question`, `answer`, and maybe `type`, `aspect`, `document` (its key, title or file
name) and `quotes`, the words of the text that answer the question, or `spans`, their places: [start, end], code points
of the document's text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kg_neo4j.acquire.json_lines import read_rows
from kg_neo4j.errors import UnreadableSource, UsageError
from kg_neo4j.eval.answers.questions import AnsweredQuestion, read_answered
from kg_neo4j.graph import queries
from kg_neo4j.graph.documents import StoredDocument
from kg_neo4j.organise.tree.interface import Leaf
from kg_neo4j.organise.tree.leaves import joined

if TYPE_CHECKING:
    from kg_neo4j.graph.database import Database


@dataclass(frozen=True, slots=True)
class NarrativeQuestion:
    """A question, and the words of its text that answer it."""

    asked: AnsweredQuestion
    aspect: str = ""  # that it is about
    quotes: tuple[str, ...] = ()  # none: not known
    spans: tuple[tuple[int, int], ...] = ()  # places of further ones; see `places`


def read_narrative(path: str) -> tuple[NarrativeQuestion, ...]:
    """Return the questions of a file. Raises as `read_answered`; UsageError for a file without any."""
    asked = {question.id: question for question in read_answered(path)}
    found = []
    for line, row in read_rows(path):
        quotes = row.get("quotes") or []
        if not isinstance(quotes, list):
            raise UnreadableSource(f"{path}, line {line}: quotes are a list")
        own = replace(asked[str(row["id"])], document=str(row.get("document") or ""))
        spans = _spans(row.get("spans") or [], f"{path}, line {line}")
        found.append(NarrativeQuestion(own, str(row.get("aspect") or ""), tuple(map(str, quotes)), spans))
    if not found:
        raise UsageError(f"no question in {path!r}")
    return tuple(found)


def _spans(given: object, where: str) -> tuple[tuple[int, int], ...]:
    found = []
    for each in given if isinstance(given, list) else [given]:
        match each:
            case [int(start), int(end)] if 0 <= start < end:
                found.append((start, end))
            case _:
                raise UnreadableSource(f"{where}: spans are a list of [start, end]")
    return tuple(found)


def with_keys(
    questions: tuple[NarrativeQuestion, ...], documents: tuple[StoredDocument, ...]
) -> tuple[NarrativeQuestion, ...]:
    """Return the questions with the keys of the documents that they name. Raises UsageError for an unknown one."""
    found = []
    for each in questions:
        named = each.asked.document
        if not named:
            found.append(each)
            continue
        keys = [one.key for one in documents if named in (one.key, one.title, one.key.rpartition("/")[2])]
        if not keys:
            raise UsageError(f"question {each.asked.id} is about {named!r}, which is not among the texts")
        found.append(replace(each, asked=replace(each.asked, document=keys[0])))
    return tuple(found)


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
    return joined([Leaf(*(row[name] for name in ("id", "text", "token_count", "start", "end"))) for row in rows])


def _words(question: NarrativeQuestion, text: str, start: int, end: int) -> str:
    words = text[start:end] if end <= len(text) else ""
    if not words.strip():
        raise UsageError(f"question {question.asked.id}: its text has no words at {start} to {end}")
    return words
