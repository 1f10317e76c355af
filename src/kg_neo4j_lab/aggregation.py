"""What aggregating small pieces into chunks saves: extraction calls and pieces to embed, with and without."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
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
    pieces: int = 0  # headings, paragraphs, lists, tables
    chunks: int = 0
    calls_without: int = 0  # a call a piece; one that no chunk could hold takes several
    calls_with: int = 0  # a call a chunk
    embedding_pieces_without: int = 0  # ceil(tokens / 450) of each piece
    embedding_pieces_with: int = 0  # of each chunk

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


def measure(
    documents: Iterable[Document], tokeniser: Tokeniser, *, chunk_tokens: Sequence[int] = TARGETS
) -> Aggregation:
    """Return the counts over documents, one at a time, chunked towards each of `chunk_tokens`."""
    counts: dict[int, Counter[str]] = {each: Counter() for each in chunk_tokens}
    totals: Counter[str] = Counter()
    for document in documents:
        sizes = [tokeniser.count(document.text[piece.start : piece.end]) for piece in pieces(document)]
        totals.update(documents=1, tokens=sum(sizes), pieces=len(sizes))
        for length, counted in counts.items():
            most = chunking.largest(length)
            chunks = [each.token_count for each in chunking.chunk(document, tokeniser, max_tokens=length)]
            counted.update(
                pieces=len(sizes),
                chunks=len(chunks),
                calls_without=sum(_parts(size, most) for size in sizes),
                calls_with=len(chunks),
                embedding_pieces_without=sum(_parts(size, LIMIT_TOKENS) for size in sizes),
                embedding_pieces_with=sum(_parts(size, LIMIT_TOKENS) for size in chunks),
            )
    targets = tuple(Target(length, **counted) for length, counted in counts.items())
    return Aggregation(totals["documents"], totals["tokens"], tokeniser.name, totals["pieces"], targets)


def measure_sources(sources: Sequence[str], *, chunk_tokens: Sequence[int] = TARGETS) -> Aggregation:
    """Return the counts over files and folders, for each length once.

    Raises SourceNotFound; UnreadableSource where nothing can be read; UsageError where a length is below 1.
    """
    if not chunk_tokens or min(chunk_tokens) < 1:
        raise UsageError("a chunk has at least one token", hint="for example --chunk-tokens 300 1200")
    found = files.read(sources, graph="study")
    documents = (each for each in found if isinstance(each, Document))
    measured = measure(documents, tokens.load(), chunk_tokens=chunk_tokens)
    if not measured.documents:
        raise UnreadableSource(f"nothing to read in {', '.join(sources)}", hint="`kg load` says why")
    return measured


def _parts(size: int, limit: int) -> int:
    return max(1, -(-size // limit))


def _ratio(count: int, base: int) -> float:
    return count / base if base else 1.0
