"""Verify: which claims of a text the graph states, which it contradicts, which are not found. No model is called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kg_neo4j import factory
from kg_neo4j.acquire import files
from kg_neo4j.acquire.language import detect
from kg_neo4j.acquire.language_data import primary
from kg_neo4j.errors import UnreadableSource, UsageError
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.documents import list_documents
from kg_neo4j.pipeline.commands.ask import Answerer, answerer
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Citation, Filters, SkippedSource
from kg_neo4j.retrieve import local
from kg_neo4j.retrieve.ask import prepare
from kg_neo4j.retrieve.checking.claim_list import ReadClaim, read_claims
from kg_neo4j.retrieve.checking.claims import passage_of
from kg_neo4j.retrieve.checking.standing import paged
from kg_neo4j.retrieve.checking.verdict import CONTRADICTED, NOT_FOUND, STATED, find_quote, judge_claim
from kg_neo4j.retrieve.filters import check, resolve
from kg_neo4j.retrieve.interface import Scope
from kg_neo4j.retrieve.question import read
from kg_neo4j.settings import Settings

STAGE = "verify"
QUOTES = 3  # of one claim, at most
ENGLISH = ("en", "simple")  # codes of the languages whose denials and clauses are read


@dataclass(frozen=True, slots=True)
class VerifiedClaim:
    """A claim of a text, and what the graph says of it."""

    claim: str
    verdict: str  # "stated", "contradicted" or "not found"
    reason: str  # why it is contradicted, or cannot be checked; else empty
    citations: tuple[Citation, ...]  # the words that state or contradict it; none for one that is not found
    read_as: str = ""  # the claim as it was checked, where a name was put in place of a pronoun


@dataclass(frozen=True, slots=True)
class VerifiedText:
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
    """Check the claims of a file (txt, md, html, pdf, docx) against the graph of the settings.

    A claim is a sentence. It is "stated" where one or two sentences of a passage say the same of the same,
    "contradicted" where they deny it or have another number, date or direction, else "not found". Filters choose the
    passages. Nothing in the graph is changed. Raises SourceNotFound, UnreadableSource and DatabaseError; UsageError for
    a folder, an unknown encoding, and filters that match nothing.
    """
    if Path(file).is_dir():
        raise UsageError(f"{file} is a folder", hint="name one file")
    (found,) = files.read([str(file)], graph=settings.graph, encoding=encoding)
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
    check(filters)
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
    progress.start(STAGE, len(claims))
    found = []
    for each in claims:
        found.append(_verify(asking, each, scope, is_english))
        progress.advance(STAGE)
    progress.finish(STAGE)
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
    graph = asking.settings.graph
    search, _ = prepare(asking.database, read(claim.read_as), graph, asking.embedder, asking.tokeniser)
    found = local.retrieve(asking.database, replace(search, scope=scope))
    verdicts = []
    for chunk in found.chunks:
        if is_english and _is_english(chunk.text, chunk.language):
            whole = Citation(chunk.id, chunk.document, 0, len(chunk.text), chunk.text)
            verdicts.append((chunk, judge_claim(claim.read_as, passage_of(whole, found), asking.door.instead)))
        else:
            verdicts.append((chunk, find_quote(claim.read_as, chunk.text)))
    read_as = claim.read_as if claim.read_as != claim.text else ""
    for kind in (STATED, CONTRADICTED):
        fitting = [(chunk, verdict) for chunk, verdict in verdicts if verdict.verdict == kind]
        if fitting:
            quotes = tuple(
                Citation(chunk.id, chunk.document, said.start, said.end, chunk.text[said.start : said.end])
                for chunk, said in fitting[:QUOTES]
            )
            return VerifiedClaim(claim.text, kind, fitting[0][1].reason, quotes, read_as)
    return VerifiedClaim(claim.text, NOT_FOUND, "", (), read_as)


def _is_english(text: str, language: str = "") -> bool:
    return primary(language or detect(text) or "en") in ENGLISH
