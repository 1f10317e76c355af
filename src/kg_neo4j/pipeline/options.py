"""How to load, and what is stored of that; and the documents that are to be loaded, one by one, and their chunks."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from kg_neo4j import factory, plugins
from kg_neo4j._models.door import Door
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire import chunking, files, wikipedia
from kg_neo4j.acquire.decoding import check_encoding
from kg_neo4j.acquire.folders import FilePatterns, SourcePlace, find, places_of
from kg_neo4j.acquire.identity import document_id, hash_id, text_hash
from kg_neo4j.acquire.interface import ReadOptions, Source
from kg_neo4j.acquire.language import detect
from kg_neo4j.acquire.mediawiki import Site
from kg_neo4j.errors import UsageError
from kg_neo4j.extract import schema as schemas
from kg_neo4j.extract.engine import ExtractionConfig
from kg_neo4j.extract.interface import Extractor
from kg_neo4j.extract.llm_extractor import OpenExtractor
from kg_neo4j.extract.schema import BUILT_IN, Schema
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import LoadConfiguration, StoredDocument, file_keys
from kg_neo4j.graph.replay import earlier_schemas
from kg_neo4j.graph.resolution.showing import all_decisions
from kg_neo4j.graph.type_decisions import preferring
from kg_neo4j.pipeline.tally import Tally
from kg_neo4j.records import Chunk, Document, SkippedSource
from kg_neo4j.settings import Settings

# What a stored document remembers of the load that made it, besides its schema.
Given = Document | SkippedSource  # what a source gives: a text, or why there is none
WEB = ("http://", "https://")  # what the keys of web pages begin with
TABLES = "kg_neo4j.rooms.tables"
STORED_OPTIONS = "chunk_tokens chunk_overlap preprocess output_language gleanings wave evidence".split()


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """How to load. The defaults are those of the command line."""

    wikipedia: tuple[str, ...] = ()  # titles
    wiki_language: str = "en"  # of the Wikipedia, a code such as "pl"
    links: int = 0  # pages that the titles' pages link to most, to be loaded with them
    refresh: bool = False  # read pages of the graph again that changed; titles and addresses limit it to some
    language: str | None = None  # of files and pages, a code such as "pl"; None: found for each
    encoding: str | None = None  # of text files, such as "cp1252"; None: found for each
    password: str | None = field(default=None, repr=False)  # that opens PDF files
    prune: bool = False  # remove documents that are gone where they came from
    alias: str | None = None  # a name for the one source given
    root: str | None = None  # folder that keys are relative to; None: that of the nearest kg.toml, else the one given
    include: tuple[str, ...] = ()  # patterns of the files of folders to read, such as "*.md"; empty: all
    exclude: tuple[str, ...] = ()  # patterns of files and folders in them to leave out
    chunk_tokens: int | None = 1200  # the length study's default; None: as many as the model's window allows
    chunk_overlap: int = 0  # tokens
    preprocess: str = "none"  # "none" (the Wikipedia report's A2) or "stopwords" (A1)
    schema: str | Schema = "lean"  # a built-in schema or a file
    table_map: Any = None  # how tables become rows: a file, or what it would hold (docs/how-to/tables.md)
    output_language: str = "source"  # or "en": of roles and descriptions; names stay
    gleanings: int = 0  # rounds that ask a model what is missing (the length study), at most; 0: none
    wave: int = 8  # chunks of a document asked about together; what they gave is carried over; 0: nothing is
    evidence: str = "flag"  # or "reject": rows whose evidence is not in the text
    analytics: bool = True
    singletons: bool | None = None  # store a community for an entity that is alone; None: as before, at first not
    vectors: bool = True  # False: nothing is embedded; for graphs that nobody asks
    rebuild: bool = False  # extract again what was loaded under another configuration; replace another format
    re_extract: bool = False  # extract again what was loaded with an earlier version of the schema
    re_embed: bool = False  # replace vectors of another model; no text is extracted again
    budget_usd: float | None = None  # what models may cost in this run; None: no limit

    def __post_init__(self) -> None:
        """Refuse an unknown encoding: UsageError."""
        if self.encoding is not None:
            object.__setattr__(self, "encoding", check_encoding(self.encoding))

    def reading(self, home: Path) -> ReadOptions:
        """Return what of this concerns the readers of files, which keep pages of scans in the folder `home`."""
        return ReadOptions(self.encoding, self.language, self.password, str(home))


def extraction_config(
    settings: Settings,
    options: LoadOptions,
    door: Door,
    *,
    schema: Schema | None = None,
    extractor: Extractor | None = None,
) -> ExtractionConfig:
    """Return how chunks become rows: by the model that `door` leads to, else by the built-in rules.

    `schema` stands for the file that `options.schema` names, where that is gone; `extractor` for the door, and is in
    this process.
    """
    schema = schema or schemas.load(options.schema)
    concurrency = 1
    if extractor is None:
        how = OpenExtractor(
            *(schema, options.output_language, settings.temperature, settings.spacy_model), settings.constrain
        )
        extractor, concurrency = door.do(how), door.concurrency
    return ExtractionConfig(
        schema=schema,
        extractor=extractor,
        concurrency=concurrency,
        evidence=options.evidence,
        preprocess=options.preprocess,
        gleanings=options.gleanings,
        wave=options.wave,
    )


def load_configuration(
    settings: Settings, options: LoadOptions, extraction: ExtractionConfig, tokeniser: Tokeniser
) -> LoadConfiguration:
    """Return what is stored with every document of this load; another one later is refused."""
    most = options.chunk_tokens or factory.largest_chunk(settings)
    chunker = f"{chunking.RULES_VERSION}/{most}/{options.chunk_overlap}/{tokeniser.name}"
    return LoadConfiguration(
        config_hash=hash_id("configuration", extraction.config_hash, chunker),
        answers_hash=extraction.config_hash,
        schema=extraction.schema.name,
        schema_hash=extraction.schema.hash,
        schema_text=None if options.schema in BUILT_IN else extraction.schema.text,
        tokeniser=tokeniser.name,
        options=json.dumps({name: getattr(options, name) for name in STORED_OPTIONS}, sort_keys=True),
        rebuild=options.rebuild,
        re_extract=options.re_extract,
    )


def with_older_versions(
    database: Database,
    settings: Settings,
    options: LoadOptions,
    door: Door,
    extractor: Extractor | None,
    tokeniser: Tokeniser,
) -> tuple[LoadConfiguration, dict[str, str], Schema, Schema]:
    """Return the configuration of a load, with those that differ in the version of the schema alone; and `file_keys`.

    Then come the schema with the types that decisions prefer, and that of the graph. Raises UsageError where the schema
    means something else.
    """
    schema, graph = schemas.load(options.schema), settings.graph
    earlier, known, decided = database.read_transaction(
        lambda reader: (earlier_schemas(reader, graph, schema), file_keys(reader, graph), all_decisions(reader, graph))
    )
    now, *older = (
        load_configuration(
            settings, options, extraction_config(settings, options, door, schema=each, extractor=extractor), tokeniser
        )
        for each in (schema, *earlier)
    )
    older_hashes = " ".join(each.config_hash for each in older)
    prompted = preferring(schema, (each.decision for each in decided))
    return replace(now, older=older_hashes), known, prompted, schemas.widest((schema, *earlier))


def tables_of(
    sources: Sequence[Any], settings: Settings, options: LoadOptions
) -> tuple[Iterable[Document], Extractor, LoadOptions] | None:
    """Return tables as documents, what reads their rows, and the options with their schema; None where there are none.

    With a map all sources are tables; without one they may be two CSV files with the sections of the schema.
    """
    if options.table_map is None and not (len(sources) == 2 and all(str(each).endswith(".csv") for each in sources)):
        return None
    if options.table_map is None and not plugins.is_installed(TABLES):
        return None
    plugins.need(TABLES, "tables cannot be read by a map", "install kg-neo4j again")
    found: tuple[Iterable[Document], Extractor, LoadOptions] | None
    found = resolve_name(f"{TABLES}.loading:tables_of")(sources, settings, options)
    return found


def options_of(stored: StoredDocument) -> LoadOptions:
    """Return the options that a stored document was loaded with; defaults for what it does not remember."""
    known = {each.name for each in fields(LoadOptions)}
    found = {name: value for name, value in json.loads(stored.options or "{}").items() if name in known}
    return LoadOptions(schema=stored.schema, **found)


@dataclass(frozen=True, slots=True)
class CheckedSources:
    """Sources that are there, and how they are read. Pages of a wiki are few, so they are fetched already."""

    settings: Settings
    options: LoadOptions
    tally: Tally
    pages: Iterable[Document]
    places: Sequence[SourcePlace]  # of files and folders
    plugged: Sequence[Source]  # of other packages
    addresses: Sequence[str] = ()  # of web pages to refresh

    def documents(self, known: Mapping[str, str] | None = None, further: Iterable[Given] = ()) -> Iterator[Document]:
        """Yield the documents one by one: pages, files, those of other packages, `further` ones.

        `known` holds the files of the graph, see `graph.documents.file_keys`.
        """
        graph, options = self.settings.graph, self.options
        found = find(self.places, options.alias, known=known, chosen=FilePatterns(options.include, options.exclude))
        read = files.read_found(found, graph, options.reading(self.settings.home))
        added = (each for source in self.plugged for each in documents_of(source, self.settings, options))
        seen: set[str] = set()
        for each in itertools.chain(self.pages, read, added, further):
            if isinstance(each, SkippedSource):
                self.tally.skipped.append(each)
            elif each.id in seen:
                self.tally.notes.append(f"{each.source}: already read as {each.title!r}")
            else:
                seen.add(each.id)
                take_note(each, self.settings, self.tally)
                yield each


def check_sources(sources: Sequence[str], settings: Settings, options: LoadOptions, tally: Tally) -> CheckedSources:
    """Refuse sources that are not there, before a server is started for them. Raises as `places_of` and `read_pages`.

    With `refresh` pages and addresses are left to `Sync`, which knows what the graph has of them.
    """
    if options.refresh and options.links:
        raise UsageError("links are followed from pages that are loaded by title, not from refreshed ones")
    pages = read_pages(settings, options, tally) if options.wikipedia and not options.refresh else ()
    others = [each for each in sources if is_plugged(each)]
    now = [each for each in others if not (options.refresh and each.startswith(WEB))]
    plugged: list[Source] = [plugins.opened(plugins.SOURCES, *each.split(":", 1)) for each in now]
    files.check_language(options.language)
    places = places_of([each for each in sources if each not in others], options.alias, options.root)
    return CheckedSources(settings, options, tally, pages, places, plugged, sorted({*others} - {*now}))


def is_plugged(source: str) -> bool:
    """Return whether a source, such as "mail:inbox", is one that another package adds; a file of that name wins."""
    name, colon, _ = source.partition(":")
    return bool(colon) and name in plugins.found(plugins.SOURCES) and not Path(source).exists()


def documents_of(source: Source, settings: Settings, options: LoadOptions) -> Iterator[Given]:
    """Yield the texts of a source as documents of the graph."""
    for each in source.texts():
        if isinstance(each, SkippedSource):
            yield each
            continue
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
            **each.details,
        )


def site_of(settings: Settings, options: LoadOptions) -> Site:
    """Return the wiki that the settings and the options mean."""
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
    return itertools.chain(pages, _linked(pages, settings, options, tally) if options.links and pages else ())


def fetch_pages(titles: Sequence[str], settings: Settings, options: LoadOptions) -> Sequence[Document]:
    """Return pages of the wiki that the settings and the options mean; raises as `wikipedia.fetch` does."""
    if not titles:
        return ()
    site = site_of(settings, options)
    return wikipedia.fetch(titles, graph=settings.graph, site=site, text_language=options.language)


def _linked(pages: Sequence[Document], settings: Settings, options: LoadOptions, tally: Tally) -> Iterator[Document]:
    """Yield the pages that `pages` link to most; what cannot be followed becomes a note."""
    site = site_of(settings, options)
    for each in wikipedia.follow(pages, options.links, graph=settings.graph, site=site, text_language=options.language):
        if isinstance(each, SkippedSource):
            tally.notes.append(f"link to {each.source!r} not followed: {each.reason}")
        else:
            yield each


def take_note(document: Document, settings: Settings, tally: Tally) -> None:
    """Say what of a document is not read; and, once a language, that the built-in rules know English best."""
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
    """Return the chunks of a document as the options want them; "max" is what the model's window has room for."""
    most = options.chunk_tokens or factory.largest_chunk(settings)
    limit = most if options.chunk_tokens is None else None
    return chunking.chunk(document, tokeniser, max_tokens=most, overlap=options.chunk_overlap, limit=limit)
