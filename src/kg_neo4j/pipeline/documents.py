"""The documents that a load was asked for, one by one, and their chunks."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kg_neo4j import plugins
from kg_neo4j.errors import UsageError
from kg_neo4j.pipeline.options import LoadOptions, chunk_tokens
from kg_neo4j.pipeline.tally import Tally
from kg_neo4j.records import Chunk, Document, SkippedSource

if TYPE_CHECKING:
    from kg_neo4j._models.tokens import Tokeniser
    from kg_neo4j.acquire.interface import Source
    from kg_neo4j.acquire.mediawiki import Site
    from kg_neo4j.settings import Settings


def read_documents(
    sources: Sequence[str],
    settings: Settings,
    options: LoadOptions,
    tally: Tally,
    further: Iterable[Document] = (),
    known: Mapping[str, str] | None = None,
) -> Iterator[Document]:
    """Yield the documents one by one; Wikipedia pages, few and checked first, before files, `further` ones last.

    With `refresh` the pages are left to `Sync`, which knows what the graph has of them. `known` holds the files of the
    graph, see `graph.documents.file_keys`; it may be filled until the first document is asked for.
    """
    from kg_neo4j.acquire import files
    from kg_neo4j.acquire.folders import FilePatterns

    if options.refresh and options.links:
        raise UsageError("links are followed from pages that are loaded by title, not from refreshed ones")
    pages = () if options.refresh else read_pages(settings, options, tally)
    plugged = [source for each in sources if (source := plugged_source(each))]
    found = files.read(
        [each for each in sources if not is_plugged(each)],
        graph=settings.graph,
        alias=options.alias,
        language=options.language,
        root=options.root,
        chosen=FilePatterns(options.include, options.exclude),
        known=known,
        encoding=options.encoding,
    )

    def stream() -> Iterator[Document]:
        seen: set[str] = set()
        added = (each for source in plugged for each in documents_of(source, settings, options))
        for each in itertools.chain(pages, found, added, further):
            if isinstance(each, SkippedSource):
                tally.skipped.append(each)
            elif each.id in seen:
                tally.notes.append(f"{each.source}: already read as {each.title!r}")
            else:
                seen.add(each.id)
                take_note(each, settings, tally)
                yield each

    return stream()


def is_plugged(source: str) -> bool:
    """Return whether a source, such as "mail:inbox", is one that another package adds; a file of that name wins."""
    name, colon, _ = source.partition(":")
    return bool(colon) and name in plugins.found(plugins.SOURCES) and not Path(source).exists()


def plugged_source(source: str) -> Source | None:
    """Return the source that another package adds under this name; None where there is none."""
    if not is_plugged(source):
        return None
    name, _, argument = source.partition(":")
    found: Source = plugins.opened(plugins.SOURCES, name, argument)
    return found


def documents_of(source: Source, settings: Settings, options: LoadOptions) -> Iterator[Document]:
    """Yield the texts of a source as documents of the graph."""
    from kg_neo4j.acquire.identity import document_id, text_hash
    from kg_neo4j.acquire.language import detect

    for each in source.texts():
        key = f"{source.name}:{each.key}"
        yield Document(
            id=document_id(settings.graph, "file", key),
            graph=settings.graph,
            kind="file",
            key=key,
            title=each.title or each.key,
            source=key,
            text=each.text,
            sha256=text_hash(each.text),
            url=each.url,
            language=each.language or options.language or detect(each.text),
        )


def site_of(settings: Settings, options: LoadOptions) -> Site:
    """Return the wiki that the settings and the options mean."""
    from kg_neo4j.acquire.mediawiki import Site

    return Site(
        options.wiki_language,
        settings.wikipedia_url,
        settings.wikipedia_former_host,
        settings.wikipedia_username,
        settings.wikipedia_password,
    )


def read_pages(settings: Settings, options: LoadOptions, tally: Tally) -> Iterator[Document]:
    """Return the pages that the options name and those linked to; raises, at once, as `wikipedia.fetch` does."""
    pages = fetch_pages(options.wikipedia, settings, options)
    return itertools.chain(pages, _linked(pages, settings, options, tally))


def fetch_pages(titles: Sequence[str], settings: Settings, options: LoadOptions) -> Sequence[Document]:
    """Return pages of the wiki that the settings and the options mean; raises as `wikipedia.fetch` does."""
    from kg_neo4j.acquire import wikipedia

    if not titles:
        return ()
    site = site_of(settings, options)
    return wikipedia.fetch(titles, graph=settings.graph, site=site, text_language=options.language)


def _linked(pages: Sequence[Document], settings: Settings, options: LoadOptions, tally: Tally) -> Iterator[Document]:
    """Yield the pages that `pages` link to most; what cannot be followed becomes a note."""
    from kg_neo4j.acquire import wikipedia

    if not options.links or not pages:
        return
    found = wikipedia.follow(
        pages,
        options.links,
        graph=settings.graph,
        site=site_of(settings, options),
        text_language=options.language,
    )
    for each in found:
        if isinstance(each, SkippedSource):
            tally.notes.append(f"link to {each.source!r} not followed: {each.reason}")
        else:
            yield each


def take_note(document: Document, settings: Settings, tally: Tally) -> None:
    """Say what of a document is not read; and, once a language, that the built-in rules know English best."""
    from kg_neo4j import factory

    tally.notes += [f"{document.source}: {document.left_out}"] if document.left_out else []
    if factory.extracts_fully(settings, document.language):
        return
    note = (
        f"without a model, text in {document.language!r} gives names and dates only: set OPENAI_API_KEY, or "
        "OPENAI_BASE_URL and KG_MODEL for a local model, and load it again with --rebuild"
    )
    if note not in tally.notes:
        tally.notes.append(note)


def cut_document(
    document: Document, tokeniser: Tokeniser, settings: Settings, options: LoadOptions
) -> tuple[Chunk, ...]:
    """Return the chunks of a document as the options want them."""
    from kg_neo4j.acquire import chunking

    most = chunk_tokens(settings, options)
    limit = most if options.chunk_tokens is None else None
    return chunking.chunk(document, tokeniser, max_tokens=most, overlap=options.chunk_overlap, limit=limit)
