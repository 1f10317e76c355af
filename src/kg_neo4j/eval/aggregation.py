"""What aggregating small pieces into chunks saves (W5): extraction calls and pieces to embed, with and without."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

from kg_neo4j._models import tokens
from kg_neo4j._models.embedding import LIMIT_TOKENS
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire import chunking, files
from kg_neo4j.errors import UnreadableSource
from kg_neo4j.records import Document


@dataclass(frozen=True, slots=True)
class Aggregation:
    """Counts over one or more documents. A call is one extraction of a piece or a chunk; gleanings are not counted."""

    documents: int
    tokens: int
    tokeniser: str
    pieces: int  # headings, paragraphs, lists, tables
    chunks: int
    calls_without: int  # a call a piece; one that no chunk could hold takes several
    calls_with: int  # a call a chunk
    embedding_pieces_without: int  # ceil(tokens / 450) of each piece
    embedding_pieces_with: int  # of each chunk

    @property
    def calls_saved(self) -> float:
        """Share of the calls that aggregation saves, 0 to 1."""
        return 1 - self.calls_with / self.calls_without if self.calls_without else 0.0


def measure(document: Document, tokeniser: Tokeniser, *, chunk_tokens: int = chunking.DEFAULT_TOKENS) -> Aggregation:
    """Return the counts for one document, chunked towards `chunk_tokens`."""
    most = chunking.largest(chunk_tokens)
    sizes = [tokeniser.count(document.text[piece.start : piece.end]) for piece in chunking.pieces(document)]
    chunks = chunking.chunk(document, tokeniser, max_tokens=chunk_tokens)
    return Aggregation(
        documents=1,
        tokens=sum(sizes),
        tokeniser=tokeniser.name,
        pieces=len(sizes),
        chunks=len(chunks),
        calls_without=sum(_parts(size, most) for size in sizes),
        calls_with=len(chunks),
        embedding_pieces_without=sum(_parts(size, LIMIT_TOKENS) for size in sizes),
        embedding_pieces_with=sum(_parts(chunk.token_count, LIMIT_TOKENS) for chunk in chunks),
    )


def measure_sources(sources: Sequence[str], *, chunk_tokens: int = chunking.DEFAULT_TOKENS) -> Aggregation:
    """Return the counts over files and folders. Raises SourceNotFound, UnreadableSource where nothing can be read."""
    tokeniser = tokens.load()
    found = files.read(sources, graph="study")
    measured = [measure(each, tokeniser, chunk_tokens=chunk_tokens) for each in found if isinstance(each, Document)]
    if not measured:
        raise UnreadableSource(f"nothing to read in {', '.join(sources)}", hint="`kg load` says why")
    return add_up(measured)


def add_up(measured: Iterable[Aggregation]) -> Aggregation:
    """Return the sums over documents that were measured with one tokeniser."""
    each = list(measured)
    numbers = [one.name for one in fields(Aggregation) if one.name != "tokeniser"]
    sums = {name: sum(getattr(one, name) for one in each) for name in numbers}
    return Aggregation(**sums, tokeniser=each[0].tokeniser)


def _parts(size: int, limit: int) -> int:
    return max(1, -(-size // limit))
