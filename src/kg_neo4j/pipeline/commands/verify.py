"""Verify: which claims of a text the graph states, which it contradicts, which are not found. No model is called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from kg_neo4j.errors import UnreadableSource, UsageError
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Citation, Filters, SkippedSource

if TYPE_CHECKING:
    from kg_neo4j._models.protocols import EmbeddingModel
    from kg_neo4j._models.tokens import Tokeniser
    from kg_neo4j.graph.database import Database
    from kg_neo4j.pipeline.commands.ask import Answerer
    from kg_neo4j.retrieve.checking.claim_list import ReadClaim
    from kg_neo4j.retrieve.checking.verdict import Find, Verdict
    from kg_neo4j.retrieve.interface import Found, FoundChunk, Scope
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
    from kg_neo4j.acquire import files

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
    return _checked(asking, _claims(text, ()), text, filters or Filters(), SILENT)


def _verified(
    text: str, headings: Sequence[str], settings: Settings, filters: Filters, progress: Progress
) -> VerifiedText:
    from kg_neo4j import factory
    from kg_neo4j.graph.connection import connect
    from kg_neo4j.pipeline.commands.ask import answerer
    from kg_neo4j.retrieve.filters import check

    check(filters)
    listed = _claims(text, headings)
    if not any(listed):
        return VerifiedText((), len(listed))
    with connect(settings, progress) as database:
        asking = answerer(settings, database, factory.door(settings))
        return _checked(asking, listed, text, filters, progress)


def _claims(text: str, headings: Sequence[str]) -> list[ReadClaim | None]:
    from kg_neo4j.retrieve.checking.claim_list import read_claims

    return list(read_claims(text, headings))


def _checked(
    asking: Answerer, listed: Sequence[ReadClaim | None], text: str, filters: Filters, progress: Progress
) -> VerifiedText:
    from kg_neo4j.graph.documents import list_documents
    from kg_neo4j.retrieve.checking.standing import paged
    from kg_neo4j.retrieve.filters import resolve

    claims = [each for each in listed if each is not None]
    database, graph = asking.database, asking.settings.graph
    scope = resolve(database, graph, filters)
    models = asking.embedder, asking.tokeniser, asking.door.instead
    verifier = _Verifier(database, graph, scope, *models, _is_english(text))
    progress.start(STAGE, len(claims))
    found = []
    for each in claims:
        found.append(verifier.verify(each))
        progress.advance(STAGE)
    progress.finish(STAGE)
    pages = iter(paged(database, graph, [one for each in found for one in each.citations]))
    cited = tuple(replace(each, citations=tuple(next(pages) for _ in each.citations)) for each in found)
    is_empty = not list_documents(database, graph)
    notes = (f"graph {graph!r} is empty: load something first, for example kg load FILE",) if is_empty else ()
    return VerifiedText(cited, len(listed) - len(claims), notes)


@dataclass(frozen=True, slots=True)
class _Verifier:
    """Checks claims, one at a time, over one connection."""

    database: Database
    graph: str
    scope: Scope | None
    embedder: EmbeddingModel
    tokeniser: Tokeniser
    find: Find
    is_english: bool  # the text of the claims

    def verify(self, claim: ReadClaim) -> VerifiedClaim:
        """Return what the graph says of a claim; a passage that states it counts more than one that contradicts it."""
        from kg_neo4j.retrieve.checking.verdict import CONTRADICTED, NOT_FOUND, STATED

        if not claim.read_as:
            return VerifiedClaim(claim.text, NOT_FOUND, f"it is not clear what {claim.unclear!r} means", ())
        found = self._found(claim.read_as)
        verdicts = [(each, self._verdict(claim.read_as, each, found)) for each in found.chunks]
        read_as = claim.read_as if claim.read_as != claim.text else ""
        for kind in (STATED, CONTRADICTED):
            fitting = [(chunk, verdict) for chunk, verdict in verdicts if verdict.verdict == kind]
            if fitting:
                quotes = tuple(_citation(chunk, verdict) for chunk, verdict in fitting[:QUOTES])
                return VerifiedClaim(claim.text, kind, fitting[0][1].reason, quotes, read_as)
        return VerifiedClaim(claim.text, NOT_FOUND, "", (), read_as)

    def _found(self, claim: str) -> Found:
        from kg_neo4j.retrieve import local
        from kg_neo4j.retrieve.ask import prepare
        from kg_neo4j.retrieve.question import read

        search, _ = prepare(self.database, read(claim), self.graph, self.embedder, self.tokeniser)
        return local.retrieve(self.database, replace(search, scope=self.scope))

    def _verdict(self, claim: str, chunk: FoundChunk, found: Found) -> Verdict:
        from kg_neo4j.retrieve.checking.claims import passage_of
        from kg_neo4j.retrieve.checking.verdict import find_quote, judge_claim

        if not (self.is_english and _is_english(chunk.text, chunk.language)):
            return find_quote(claim, chunk.text)
        whole = Citation(chunk.id, chunk.document, 0, len(chunk.text), chunk.text)
        return judge_claim(claim, passage_of(whole, found), self.find)


def _citation(chunk: FoundChunk, verdict: Verdict) -> Citation:
    start, end = verdict.start, verdict.end
    return Citation(chunk.id, chunk.document, start, end, chunk.text[start:end])


def _is_english(text: str, language: str = "") -> bool:
    """Return whether a text is English, as far as can be told: only then denials and clauses are read."""
    from kg_neo4j.acquire.language import detect, primary

    return primary(language or detect(text) or "en") in ENGLISH
