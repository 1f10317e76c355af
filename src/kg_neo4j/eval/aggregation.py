"""What aggregating small pieces into chunks saves: extraction calls and pieces to embed, with and without."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kg_neo4j._models import tokens
from kg_neo4j._models.embedding import LIMIT_TOKENS
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire import chunking, files
from kg_neo4j.acquire.structure import pieces
from kg_neo4j.errors import UnreadableSource, UsageError
from kg_neo4j.records import Document

TARGETS = (300, 800, chunking.DEFAULT_TOKENS, 2000)


@dataclass(frozen=True, slots=True)
class Target:
    """Counts for one length of chunks. A call is one extraction of a piece or a chunk; gleanings are not counted."""

    chunk_tokens: int
    pieces: int  # headings, paragraphs, lists, tables
    chunks: int
    calls_without: int  # a call a piece; one that no chunk could hold takes several
    calls_with: int  # a call a chunk
    embedding_pieces_without: int  # ceil(tokens / 450) of each piece
    embedding_pieces_with: int  # of each chunk

    @property
    def chunks_ratio(self) -> float:
        """Chunks for one piece; 1 where there are no pieces, as in the other ratios."""
        return _ratio(self.chunks, self.pieces)

    @property
    def calls_saved(self) -> float:
        """Share of the calls that aggregation saves, below 1."""
        return 1 - _ratio(self.calls_with, self.calls_without)

    @property
    def embedding_ratio(self) -> float:
        """Pieces to embed with aggregation for one without."""
        return _ratio(self.embedding_pieces_with, self.embedding_pieces_without)

    @property
    def total_without(self) -> int:
        """Calls and pieces to embed together."""
        return self.calls_without + self.embedding_pieces_without

    @property
    def total_with(self) -> int:
        """Calls and pieces to embed together."""
        return self.calls_with + self.embedding_pieces_with

    @property
    def total_saved(self) -> float:
        """Share of that total which aggregation saves, below 1."""
        return 1 - _ratio(self.total_with, self.total_without)


@dataclass(frozen=True, slots=True)
class Aggregation:
    """What was counted over one or more documents."""

    documents: int
    tokens: int
    tokeniser: str
    pieces: int
    targets: tuple[Target, ...]


def measure(document: Document, tokeniser: Tokeniser, *, chunk_tokens: Sequence[int] = TARGETS) -> Aggregation:
    """Return the counts for one document, chunked towards each of `chunk_tokens`."""
    sizes = [tokeniser.count(document.text[piece.start : piece.end]) for piece in pieces(document)]
    targets = tuple(_target(document, sizes, tokeniser, each) for each in chunk_tokens)
    return Aggregation(1, sum(sizes), tokeniser.name, len(sizes), targets)


def measure_sources(sources: Sequence[str], *, chunk_tokens: Sequence[int] = TARGETS) -> Aggregation:
    """Return the counts over files and folders, for each length once.

    Raises SourceNotFound; UnreadableSource where nothing can be read; UsageError where a length is below 1.
    """
    lengths = tuple(dict.fromkeys(chunk_tokens))
    if not lengths or min(lengths) < 1:
        raise UsageError("a chunk has at least one token", hint="for example --chunk-tokens 300 1200")
    tokeniser = tokens.load()
    found = files.read(sources, graph="study")
    measured = [measure(each, tokeniser, chunk_tokens=lengths) for each in found if isinstance(each, Document)]
    if not measured:
        raise UnreadableSource(f"nothing to read in {', '.join(sources)}", hint="`kg load` says why")
    return add_up(measured)


def add_up(measured: Sequence[Aggregation]) -> Aggregation:
    """Return the sums over documents that were measured with one tokeniser and the same lengths; one at least."""
    return Aggregation(
        documents=sum(each.documents for each in measured),
        tokens=sum(each.tokens for each in measured),
        tokeniser=measured[0].tokeniser,
        pieces=sum(each.pieces for each in measured),
        targets=tuple(_sum(same) for same in zip(*(each.targets for each in measured), strict=True)),
    )


def _target(document: Document, sizes: Sequence[int], tokeniser: Tokeniser, chunk_tokens: int) -> Target:
    most = chunking.largest(chunk_tokens)
    chunks = chunking.chunk(document, tokeniser, max_tokens=chunk_tokens)
    return Target(
        chunk_tokens=chunk_tokens,
        pieces=len(sizes),
        chunks=len(chunks),
        calls_without=sum(_parts(size, most) for size in sizes),
        calls_with=len(chunks),
        embedding_pieces_without=sum(_parts(size, LIMIT_TOKENS) for size in sizes),
        embedding_pieces_with=sum(_parts(chunk.token_count, LIMIT_TOKENS) for chunk in chunks),
    )


def _sum(same: Sequence[Target]) -> Target:
    return Target(
        chunk_tokens=same[0].chunk_tokens,
        pieces=sum(each.pieces for each in same),
        chunks=sum(each.chunks for each in same),
        calls_without=sum(each.calls_without for each in same),
        calls_with=sum(each.calls_with for each in same),
        embedding_pieces_without=sum(each.embedding_pieces_without for each in same),
        embedding_pieces_with=sum(each.embedding_pieces_with for each in same),
    )


def _parts(size: int, limit: int) -> int:
    return max(1, -(-size // limit))


def _ratio(count: int, base: int) -> float:
    return count / base if base else 1.0
