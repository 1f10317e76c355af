"""Checks against the graph: the claims of a text, without a model, and saved answers, by asking again."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kg_neo4j import factory, jsonl_log
from kg_neo4j.acquire import files
from kg_neo4j.acquire.interface import ReadOptions
from kg_neo4j.acquire.json_lines import read_rows
from kg_neo4j.acquire.language import detect, primary
from kg_neo4j.display import Readable
from kg_neo4j.errors import UnreadableSource, UsageError
from kg_neo4j.graph import queries
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import list_documents
from kg_neo4j.graph.export import whole
from kg_neo4j.pipeline.budget import budget_of
from kg_neo4j.pipeline.commands.ask import Answerer, answerer
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Answer, Citation, Filters, SkippedSource
from kg_neo4j.retrieve import local
from kg_neo4j.retrieve.ask import prepare
from kg_neo4j.retrieve.checking.claim_list import ReadClaim, read_claims
from kg_neo4j.retrieve.checking.claims import passage_of
from kg_neo4j.retrieve.checking.standing import paged
from kg_neo4j.retrieve.checking.support import CONTRADICTED, SUPPORTED, best_window, find_quote, supports
from kg_neo4j.retrieve.filters import resolve
from kg_neo4j.retrieve.interface import AskOptions, FoundChunk, Scope, Search, check_filters
from kg_neo4j.retrieve.question import read
from kg_neo4j.settings import Settings

STATED, NOT_FOUND = "stated", "not found"
QUOTES = 3  # of one claim, at most
_Saved = Mapping[str, Any]  # "answer", "found", and "documents": id, key and sha256 of each that is cited
ENGLISH = ("en", "simple")  # codes of the languages whose denials and clauses are read


@dataclass(frozen=True, slots=True)
class VerifiedClaim(Readable):
    """A claim of a text, and what the graph says of it."""

    claim: str
    verdict: str  # "stated", "contradicted" or "not found"
    reason: str  # why it is contradicted, or cannot be checked; else empty
    citations: tuple[Citation, ...]  # the words that state or contradict it; none for one that is not found
    read_as: str = ""  # the claim as it was checked, where a name was put in place of a pronoun


@dataclass(frozen=True, slots=True)
class VerifiedText(Readable):
    """The claims of a text in order."""

    claims: tuple[VerifiedClaim, ...]
    left_out: int  # sentences that claim nothing: questions, headings
    notes: tuple[str, ...] = ()

    def count(self, verdict: str) -> int:
        """Return the number of claims with one verdict."""
        return sum(each.verdict == verdict for each in self.claims)


def verify(
    file: str | Path,
    *,
    settings: Settings,
    filters: Filters | None = None,
    encoding: str | None = None,
    progress: Progress = SILENT,
) -> VerifiedText:
    """Check the claims of a file (txt, md, rst, html, pdf, docx) against the graph of the settings.

    A claim is a sentence. It is "stated" where up to three sentences of a passage support it, "contradicted" where they
    have another number, date or name in its place, else "not found". Filters choose the
    passages. Nothing in the graph is changed. Raises SourceNotFound, UnreadableSource and DatabaseError; UsageError for
    a folder, an unknown encoding, and filters that match nothing.
    """
    if Path(file).is_dir():
        raise UsageError(f"{file} is a folder", hint="name one file")
    (found,) = files.read([str(file)], graph=settings.graph, options=ReadOptions(encoding))
    if isinstance(found, SkippedSource):
        raise UnreadableSource(f"{found.source}: {found.reason}")
    headings = tuple(section.title for section in found.sections)
    return _verified(found.text, headings, settings, filters or Filters(), progress)


def verify_text(
    text: str, *, settings: Settings, filters: Filters | None = None, progress: Progress = SILENT
) -> VerifiedText:
    """Check the claims of a text against the graph, as `verify`. An empty text has no claims."""
    return _verified(text, (), settings, filters or Filters(), progress)


def verify_in(asking: Answerer, text: str, filters: Filters | None = None) -> VerifiedText:
    """Check the claims of a text over an open connection, as `verify_text`."""
    return _checked(asking, list(read_claims(text, ())), text, filters or Filters(), SILENT)


def _verified(
    text: str, headings: Sequence[str], settings: Settings, filters: Filters, progress: Progress
) -> VerifiedText:
    check_filters(filters)
    listed = list(read_claims(text, headings))
    if not any(listed):
        return VerifiedText((), len(listed))
    with connect(settings, progress) as database:
        return _checked(answerer(settings, database, factory.door(settings)), listed, text, filters, progress)


def _checked(
    asking: Answerer, listed: Sequence[ReadClaim | None], text: str, filters: Filters, progress: Progress
) -> VerifiedText:
    claims = [each for each in listed if each is not None]
    database, graph = asking.database, asking.settings.graph
    scope, is_english = resolve(database, graph, filters), _is_english(text)
    progress.start("verify", len(claims))
    found = []
    for each in claims:
        found.append(_verify(asking, each, scope, is_english))
        progress.advance("verify")
    progress.finish("verify")
    pages = iter(paged(database, graph, [one for each in found for one in each.citations]))
    cited = tuple(replace(each, citations=tuple(next(pages) for _ in each.citations)) for each in found)
    is_empty = not list_documents(database, graph)
    notes = (f"graph {graph!r} is empty: load something first, for example kg load FILE",) if is_empty else ()
    return VerifiedText(cited, len(listed) - len(claims), notes)


def _verify(asking: Answerer, claim: ReadClaim, scope: Scope | None, is_english: bool) -> VerifiedClaim:
    """Return what the graph says of a claim; a passage that states it counts more than one that contradicts it.

    `is_english` is the text of the claims: only then denials and clauses are read.
    """
    if not claim.read_as:
        return VerifiedClaim(claim.text, NOT_FOUND, f"it is not clear what {claim.unclear!r} means", ())
    search = Search(asking.settings.graph, read(claim.read_as), scope=scope)
    search, _ = prepare(asking.database, search, asking.embedder, asking.tokeniser)
    found = local.retrieve(asking.database, search)
    rated = []
    for chunk in found.chunks:
        if is_english and _is_english(chunk.text, chunk.language):
            quote = _quoted(chunk, *best_window(claim.read_as, chunk.text))
            support = supports(claim.read_as, [passage_of(quote, found)])
            rated.append((support.level, support.reason, quote))
        elif place := find_quote(claim.read_as, chunk.text):
            rated.append((SUPPORTED, "", _quoted(chunk, *place)))
    read_as = claim.read_as if claim.read_as != claim.text else ""
    for level, verdict in ((SUPPORTED, STATED), (CONTRADICTED, CONTRADICTED)):
        if fitting := [(reason, quote) for found_level, reason, quote in rated if found_level == level]:
            return VerifiedClaim(
                claim.text, verdict, fitting[0][0], tuple(quote for _, quote in fitting[:QUOTES]), read_as
            )
    return VerifiedClaim(claim.text, NOT_FOUND, "", (), read_as)


def _quoted(chunk: FoundChunk, start: int, end: int) -> Citation:
    return Citation(chunk.id, chunk.document, start, end, chunk.text[start:end])


def _is_english(text: str, language: str = "") -> bool:
    return primary(language or detect(text) or "en") in ENGLISH


@dataclass(frozen=True, slots=True)
class DocumentChange:
    """Why a document may have changed an answer."""

    document: str  # its key: a path, an address or a title
    change: str  # "text changed", "removed", "newly cited" or "no longer cited"


@dataclass(frozen=True, slots=True)
class AskedAgain(Readable):
    """A saved question, and what became of its answer."""

    question: str
    change: str  # "right" or "wrong" where the line has `answer`; else "same", "changed", or "new" if none was saved
    before: str  # the expected or the saved answer; "" where there is none
    after: str
    found: bool  # whether the graph holds an answer now
    documents: tuple[DocumentChange, ...] = ()  # of an answer that changed


def check_answers(
    file: str | Path,
    *,
    settings: Settings,
    save: bool = False,
    budget_usd: float | None = None,
    progress: Progress = SILENT,
) -> tuple[AskedAgain, ...]:
    """Ask the questions of a file of JSON lines, and compare the answers with those saved in it.

    A line has `question`, and may have `mode` and `answer`; other fields are kept. With `save` the answers of now are
    written to the file, as `saved` of each line. An answer is the same where its text is, and whether one was found. It
    is right where the short answer, or its text, has the words of `answer`, whole, whatever case and spaces. Raises
    SourceNotFound, UnreadableSource for a line without a question, BudgetReached, and what `ask` raises.
    """
    rows = [row for _, row in read_rows(str(file))]
    if not rows:
        raise UsageError(f"{file} has no questions", hint='a line each: {"question": "..."}')
    asked = [(str(row.get("question") or ""), AskOptions(mode=str(row.get("mode") or "auto"))) for row in rows]
    for number, (question, _) in enumerate(asked, 1):
        if not question:
            raise UnreadableSource(f"{file}, question {number}: no question", hint='{"question": "..."}')
        read(question)
    budget = budget_of(budget_usd)
    found: list[AskedAgain] = []
    with connect(settings, progress) as database:
        answers = answerer(settings, database, factory.door(settings, budget=budget), budget=budget)
        progress.start("ask", len(rows))
        for row, (question, options) in zip(rows, asked, strict=True):
            answer = answers.answer(question, options)
            was = row.get("saved") or {}
            now = _saved(database, settings.graph, answer)
            compared = _compared(question, was, now, _texts(database, settings.graph, was))
            if wanted := row.get("answer"):
                is_met = any(_folded(wanted) in _folded(each) for each in (answer.short, answer.answer))
                compared = replace(compared, change="right" if is_met else "wrong", before=str(wanted), documents=())
            found.append(compared)
            row["saved"] = now
            progress.advance("ask")
        progress.finish("ask")
    if save:
        with whole(Path(file)) as partial:
            partial.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), "utf-8")
        jsonl_log.note_written(settings.home, "answers", settings.graph, Path(file))
    return tuple(found)


def _folded(text: object) -> str:
    """Return the words of a text for comparison, with a space before and after each."""
    return " ".join(["", *re.findall(r"\w+|[^\w\s]", str(text).casefold()), ""])


def _saved(database: Database, graph: str, answer: Answer) -> _Saved:
    chunks = sorted({each.chunk_id for each in answer.citations})
    rows = database.read(queries.get("retrieve/cited_documents"), graph=graph, chunks=chunks, ids=[])
    cited = {row["id"]: {"id": row["id"], "key": row["key"], "sha256": row["sha256"]} for row in rows}
    return {"answer": answer.answer, "found": answer.found, "documents": [cited[id_] for id_ in sorted(cited)]}


def _texts(database: Database, graph: str, saved: _Saved) -> dict[str, str]:
    """Return the hashes that the texts of saved documents have now, by id."""
    ids = [each["id"] for each in saved.get("documents", ())]
    rows = database.read(queries.get("retrieve/cited_documents"), graph=graph, chunks=[], ids=ids) if ids else []
    return {row["id"]: row["sha256"] for row in rows}


def _compared(question: str, was: _Saved, now: _Saved, texts: Mapping[str, str]) -> AskedAgain:
    if not was:
        return AskedAgain(question, "new", "", now["answer"], now["found"])
    if (was["answer"], was["found"]) == (now["answer"], now["found"]):
        return AskedAgain(question, "same", was["answer"], now["answer"], now["found"])
    before, after = ({each["id"]: each for each in one["documents"]} for one in (was, now))
    changes: list[DocumentChange] = []
    for id_, each in sorted((before | after).items(), key=lambda item: item[1]["key"]):
        if id_ not in before:
            changes.append(DocumentChange(each["key"], "newly cited"))
        elif id_ not in texts:
            changes.append(DocumentChange(each["key"], "removed"))
        elif texts[id_] != before[id_]["sha256"]:
            changes.append(DocumentChange(each["key"], "text changed"))
        elif id_ not in after:
            changes.append(DocumentChange(each["key"], "no longer cited"))
    return AskedAgain(question, "changed", was["answer"], now["answer"], now["found"], tuple(changes))
