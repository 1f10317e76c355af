"""Search and show: what the graph has for some words, and all that it has about one entity. No model is called."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kg_neo4j._models.protocols import EmbeddingModel
from kg_neo4j.display import Readable
from kg_neo4j.errors import UsageError
from kg_neo4j.graph import queries
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.database import Database
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.settings import Settings

LIMIT = 10
FACTS, PASSAGES = 20, 5
HUB = 2_000  # relationships of one entity to look at
_ID = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class SearchHit(Readable):
    """An entity or a passage that fits the words of a search."""

    kind: str  # "entity" or "passage"
    name: str  # of the entity, or of the passage's document
    type: str  # of the entity; empty for a passage
    text: str  # its description, or the passage
    evidence: int  # rows that mention the entity; 0 for a passage
    score: float  # of a passage: reciprocal ranks by words and by vector, summed; of an entity: 0
    id: str


@dataclass(frozen=True, slots=True, repr=False)
class SearchResult(Readable):
    """What fits the words of a search: entities by name, then passages by words and by meaning, the best first."""

    words: str
    hits: tuple[SearchHit, ...]
    notes: tuple[str, ...] = ()  # what could not be searched

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[SearchHit]:
        return iter(self.hits)

    def __getitem__(self, number: int) -> SearchHit:
        return self.hits[number]


@dataclass(frozen=True, slots=True)
class ShownFact(Readable):
    """A fact about an entity, with the words that state it."""

    source: str
    type: str
    target: str
    evidence: int  # rows that state it
    quote: str
    document: str  # title
    id: str
    chunk_id: str = ""  # that states it
    in_tables: int = 0  # of the evidence: rows of tables
    line: int | None = None  # of the quote, in a table
    by_hand: int = 0  # of the evidence: statements of a person


@dataclass(frozen=True, slots=True)
class ShownPassage(Readable):
    """A chunk that mentions an entity."""

    document: str  # title
    text: str
    id: str


@dataclass(frozen=True, slots=True, repr=False)
class ShownEntity(Readable):
    """What the graph has about one entity."""

    id: str
    name: str
    type: str
    aliases: tuple[str, ...]
    description: str
    evidence: int  # rows that mention it
    documents: int  # that mention it
    tables: int  # of those
    degree: int  # relationships
    facts: tuple[ShownFact, ...]  # the best attested first, at most 20
    passages: tuple[ShownPassage, ...]  # at most 5
    near: tuple[str, ...]  # names of other entities that the name given may mean

    def __iter__(self) -> Iterator[ShownFact]:
        return iter(self.facts)


def search(words: str, *, settings: Settings, limit: int = LIMIT, progress: Progress = SILENT) -> SearchResult:
    """Return at most `limit` entities and `limit` passages that fit `words`. Raises UsageError for empty words."""
    _check(words, limit)
    with connect(settings, progress) as database:
        return search_in(database, words, settings, limit)


def search_in(
    database: Database, words: str, settings: Settings, limit: int = LIMIT, embedder: EmbeddingModel | None = None
) -> SearchResult:
    """Search in an open database, as `search`; `embedder` is used instead of the one that the settings mean."""
    from kg_neo4j import factory
    from kg_neo4j._models import tokens
    from kg_neo4j.retrieve import naive
    from kg_neo4j.retrieve.ask import prepare
    from kg_neo4j.retrieve.interface import Search
    from kg_neo4j.retrieve.linking import can_link, look_up, near_query
    from kg_neo4j.retrieve.question import read

    _check(words, limit)
    graph = settings.graph
    embedder = embedder or factory.embedding_model(settings)
    prepared, notes = prepare(database, Search(graph, read(words)), embedder, tokens.load())
    query = near_query(words)  # empty where nothing in it is a word: "*"
    named = look_up(database, graph, [query], None)[0] if query and can_link(database, graph) else []
    wanted = [row["id"] for row in named if row["kind"] == "entity"][:limit]
    entities = [
        SearchHit("entity", card["name"], card["type"], card["description"], card["evidence"], 0.0, card["id"])
        for card in _cards(database, graph, wanted)
    ]
    passages = [
        SearchHit("passage", chunk.document, "", chunk.text, 0, chunk.score, chunk.id)
        for chunk in naive.retrieve(database, prepared, limit).chunks[:limit]
    ]
    return SearchResult(words, (*entities, *passages), tuple(notes))


def show(
    name: str, *, settings: Settings, facts: int = FACTS, passages: int = PASSAGES, progress: Progress = SILENT
) -> ShownEntity:
    """Return what the graph has about the entity called `name`, by any of its names or by its id.

    Of several bearers of the name the best attested is shown; `near` lists the others. Raises UsageError, with the
    nearest names, where no entity is called so.
    """
    with connect(settings, progress) as database:
        return show_in(database, name, settings.graph, facts, passages)


def show_in(database: Database, name: str, graph: str, facts: int = FACTS, passages: int = PASSAGES) -> ShownEntity:
    """Show an entity of an open database, as `show`."""
    from kg_neo4j.retrieve.linking import bearing, suggest
    from kg_neo4j.retrieve.name_fits import say_missing

    rows = [{"id": name}] if _ID.fullmatch(name) and _cards(database, graph, [name]) else bearing(database, graph, name)
    if not rows:
        raise UsageError(say_missing(name, suggest(database, graph, name)), hint=f"kg search {name!r}")
    [card] = _cards(database, graph, [rows[0]["id"]])
    told = database.read(
        queries.get("retrieve/things"),
        graph=graph,
        entities=[card["id"]],
        documents=[],
        facts=facts,
        chunks=passages,
        hub=HUB,
        only_chunks=None,
        only_facts=None,
    )[0]
    return ShownEntity(
        **{at: card[at] for at in ("id", "name", "type", "description", "evidence", "documents", "tables", "degree")},
        aliases=tuple(card["aliases"]),
        facts=tuple(map(_fact, told["facts"])),
        passages=tuple(ShownPassage(row["document"] or "", row["text"] or "", row["id"]) for row in told["passages"]),
        near=tuple(dict.fromkeys(row["names"][0] for row in rows[1:])),
    )


def _check(words: str, limit: int) -> None:
    if not words.strip():
        raise UsageError("no words to search for", hint='kg search "steam engine"')
    if limit < 1:
        raise UsageError(f"a search returns at least 1 hit of each kind, not {limit}")


def _cards(database: Database, graph: str, ids: list[str]) -> list[Mapping[str, Any]]:
    return database.read(queries.get("retrieve/entities"), graph=graph, ids=ids) if ids else []


def _fact(row: Mapping[str, Any]) -> ShownFact:
    text = row["text"] or ""
    quote = text[row["start"] : row["end"]] if row["start"] is not None else row["quote"] or text
    texts: dict[str, Any] = {at: row[at] or "" for at in ("source", "target", "document", "chunk_id")}
    own = ("type", "evidence", "id", "in_tables", "line", "by_hand")
    return ShownFact(**{at: row[at] for at in own}, **texts, quote=quote)
