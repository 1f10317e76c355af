"""The documents that a load was asked for, one by one, and their chunks."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kg_neo4j.pipeline.options import LoadOptions, chunk_tokens
from kg_neo4j.pipeline.tally import Tally
from kg_neo4j.records import Chunk, Document, SkippedSource

if TYPE_CHECKING:
    from kg_neo4j._models.tokens import Tokeniser
    from kg_neo4j.settings import Settings


def read_documents(
    sources: Sequence[str], settings: Settings, options: LoadOptions, tally: Tally
) -> Iterator[Document]:
    """Yield the documents one by one; Wikipedia pages, few and checked first, before files."""
    from kg_neo4j.acquire import files

    pages = [_page(title, settings, options) for title in options.wikipedia]
    found = files.read(sources, graph=settings.graph, alias=options.alias)

    def stream() -> Iterator[Document]:
        seen: set[str] = set()
        for each in itertools.chain(pages, found):
            if isinstance(each, SkippedSource):
                tally.skipped.append(each)
            elif each.id in seen:
                tally.notes.append(f"{each.source}: already read as {each.title!r}")
            else:
                seen.add(each.id)
                yield each

    return stream()


def _page(title: str, settings: Settings, options: LoadOptions) -> Document:
    from kg_neo4j.acquire import wikipedia

    return wikipedia.fetch(title, graph=settings.graph, language=options.language, url=settings.wikipedia_url)


def cut_document(
    document: Document, tokeniser: Tokeniser, settings: Settings, options: LoadOptions
) -> tuple[Chunk, ...]:
    """Return the chunks of a document as the options want them."""
    from kg_neo4j.acquire import chunking

    most = chunk_tokens(settings, options)
    limit = most if options.chunk_tokens is None else None
    return chunking.chunk(document, tokeniser, max_tokens=most, overlap=options.chunk_overlap, limit=limit)
