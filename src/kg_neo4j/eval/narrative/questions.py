"""Questions over narrative texts: as `eval.answers.questions` has them, with the words that answer each, where known.

One JSON object a line: `id`, `question`, `answer`, and maybe `type`, `aspect`, `document` (its key, title or file
name) and `quotes`, the words of the text that answer the question, or `spans`, their places: [start, end], code points
of the document's text.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from kg_neo4j.errors import UnreadableSource, UsageError
from kg_neo4j.eval.answers.questions import AnsweredQuestion, read_answered
from kg_neo4j.eval.retrieval.questions import read_rows
from kg_neo4j.graph.documents import StoredDocument


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
