"""How to load, and what that means for extraction and for the configuration that is stored with a document."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields

from kg_neo4j import factory
from kg_neo4j._models.door import Door
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire import chunking
from kg_neo4j.acquire.decoding import check_encoding
from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.extract import schema as schemas
from kg_neo4j.extract.engine import ExtractionConfig
from kg_neo4j.extract.interface import Extractor
from kg_neo4j.extract.llm_extractor import OpenExtractor
from kg_neo4j.extract.schema import BUILT_IN, Schema
from kg_neo4j.graph.documents import LoadConfiguration, StoredDocument
from kg_neo4j.settings import Settings

# What a stored document remembers of the load that made it, besides its schema.
STORED_OPTIONS = (
    *("chunk_tokens", "chunk_overlap", "preprocess", "output_language"),
    *("gleanings", "wave", "evidence"),
)


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """How to load. The defaults are those of the command line."""

    wikipedia: tuple[str, ...] = ()  # titles
    wiki_language: str = "en"  # of the Wikipedia, a code such as "pl"
    links: int = 0  # pages that the titles' pages link to most, to be loaded with them
    refresh: bool = False  # read pages of the graph again whose revision changed; titles limit it to some
    language: str | None = None  # of files and pages, a code such as "pl"; None: found for each
    encoding: str | None = None  # of text files, such as "cp1252"; None: found for each
    prune: bool = False  # remove documents that are gone where they came from
    alias: str | None = None  # a name for the one source given
    root: str | None = None  # folder that keys are relative to; None: that of the nearest kg.toml, else the one given
    include: tuple[str, ...] = ()  # patterns of the files of folders to read, such as "*.md"; empty: all
    exclude: tuple[str, ...] = ()  # patterns of files and folders in them to leave out
    chunk_tokens: int | None = 1200  # the length study's default; None: as many as the model's window allows
    chunk_overlap: int = 0  # tokens
    preprocess: str = "none"  # "none" (the Wikipedia report's A2) or "stopwords" (A1)
    schema: str = "graph"  # "graph", "wikipedia" or a file
    output_language: str = "source"  # or "en": of roles and descriptions; names stay
    gleanings: int = 1  # rounds that ask a model what is missing (the length study), at most; 0: none
    wave: int = 8  # chunks of a document asked about together; what they gave is carried over; 0: nothing is
    evidence: str = "flag"  # or "reject": rows whose evidence is not in the text
    analytics: bool = True
    singletons: bool | None = None  # store a community for an entity that is alone; None: as before, at first not
    vectors: bool = True  # False: nothing is embedded; for graphs that nobody asks
    rebuild: bool = False  # extract again what was loaded under another configuration
    re_embed: bool = False  # replace vectors of another model, or of an earlier version; no text is extracted again
    budget_usd: float | None = None  # what models may cost in this run; None: no limit

    def __post_init__(self) -> None:
        """Refuse an unknown encoding: UsageError."""
        if self.encoding is not None:
            object.__setattr__(self, "encoding", check_encoding(self.encoding))


def chunk_tokens(settings: Settings, options: LoadOptions) -> int:
    """Return the tokens a chunk aims at; for "max", what prompt and answer leave of the model's window."""
    return options.chunk_tokens or factory.largest_chunk(settings)


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
        how = OpenExtractor(schema, options.output_language, settings.temperature, settings.spacy_model)
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
    chunker = f"{chunking.RULES_VERSION}/{chunk_tokens(settings, options)}/{options.chunk_overlap}/{tokeniser.name}"
    return LoadConfiguration(
        config_hash=hash_id("configuration", extraction.config_hash, chunker),
        answers_hash=extraction.config_hash,
        schema=extraction.schema.name,
        schema_hash=extraction.schema.hash,
        schema_text=None if options.schema in BUILT_IN else extraction.schema.text,
        tokeniser=tokeniser.name,
        options=json.dumps({name: getattr(options, name) for name in STORED_OPTIONS}, sort_keys=True),
        rebuild=options.rebuild,
    )


def options_of(stored: StoredDocument) -> LoadOptions:
    """Return the options that a stored document was loaded with; defaults for what it does not remember."""
    known = {each.name for each in fields(LoadOptions)}
    found = {name: value for name, value in json.loads(stored.options or "{}").items() if name in known}
    return LoadOptions(schema=stored.schema, **found)
