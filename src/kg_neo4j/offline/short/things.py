"""What the graph tells of the things that a question names, or that a path leads to: facts and passages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kg_neo4j.graph.database import Database, Row
from kg_neo4j.graph.identity import normalise
from kg_neo4j.retrieve.interface import Scope
from kg_neo4j.retrieve.left import read_left
from kg_neo4j.retrieve.linking import exact_query, look_up, near_query
from kg_neo4j.retrieve.name_fits import bearers, nearly
from kg_neo4j.retrieve.words import kind_of, split_words

CHUNKS = 4  # of a document, and of those that mention a thing
FACTS = 60
HUB = 2_000
AFTER = 80  # characters after a quote
BEARERS = 4  # entities, and documents, of one name
_BRACKETS = re.compile(r"\s*\([^()]*\)\s*$")


@dataclass(frozen=True, slots=True)
class ThingFact:
    """A fact at one of a thing's entities, with the words that state it first."""

    id: str
    type: str
    source: str
    source_id: str
    target: str
    target_id: str
    chunk_id: str
    document: str
    start: int
    end: int
    quote: str
    after: str = ""  # what follows the quote in its chunk, in part


@dataclass(frozen=True, slots=True)
class ThingPassage:
    """A chunk that tells of a thing. `own`: its document bears the thing's name."""

    chunk_id: str
    document: str
    text: str
    own: bool


@dataclass(frozen=True, slots=True)
class Thing:
    """Something in the graph, by one of its names."""

    name: str  # as it was asked for
    entities: tuple[str, ...]  # ids, the best attested first
    facts: tuple[ThingFact, ...]
    passages: tuple[ThingPassage, ...]  # its own first
    exact: bool  # the name is one of the graph's, letter by letter

    @property
    def title(self) -> str:
        """The name of its own document, without the words in brackets; else the name asked for."""
        own = next((each.document for each in self.passages if each.own), self.name)
        return _BRACKETS.sub("", own)


class Things:
    """Looks things up in one graph, each name once."""

    def __init__(self, database: Database, graph: str, scope: Scope | None = None) -> None:
        """`scope` is what filters leave: nothing else is told of."""
        self._database = database
        self._graph = graph
        self._scope = scope
        self._known: dict[tuple[str, str], Thing | None] = {}

    def find(self, name: str, entity_id: str = "", *, nearly_so: bool = True) -> Thing | None:
        """Return the thing of that name (and entity); None where nothing bears it, nor `nearly_so` one like it."""
        key = (name, entity_id)
        if key not in self._known:
            self._known[key] = self._find(name, entity_id)
        found = self._known[key]
        return found if found is None or found.exact or nearly_so else None

    def kinds(self, name: str) -> frozenset[str]:
        """Return the kinds (`retrieve.words`) of the entities of exactly that name; empty where there is none."""
        if not normalise(name):
            return frozenset()
        found = bearers(name, look_up(self._database, self._graph, [exact_query(name)], self._scope)[0])
        return frozenset(kind_of(row["type"] or "") for row in found if row["kind"] == "entity")

    def _find(self, name: str, entity_id: str) -> Thing | None:
        if not normalise(name):
            return None
        found = look_up(self._database, self._graph, sorted({exact_query(name), _literal_query(name)}), self._scope)
        rows = _merged(bearers(name, each) for each in found)
        exact = bool(rows)
        if not rows:
            rows = nearly(name, look_up(self._database, self._graph, [near_query(name)], self._scope)[0])
        if not any(
            row["kind"] == "document" for row in rows
        ):  # "Ada Lind" where the page is "Ada Lind, Countess of Rain"
            near = look_up(self._database, self._graph, [exact_query(name), near_query(name)], self._scope)
            rows += [row for found in near for row in nearly(name, found) if row["kind"] == "document"][:1]
        if not rows and not entity_id:
            return None
        entities = [entity_id] if entity_id else []
        entities += [each["id"] for each in _best(name, rows, "entity") if each["id"] != entity_id]
        documents = [each["id"] for each in _best(name, rows, "document")]
        told = read_left(
            self._database,
            self._scope,
            "retrieve/things",
            graph=self._graph,
            entities=entities[:BEARERS],
            documents=documents,
            facts=FACTS,
            chunks=CHUNKS,
            hub=HUB,
        )[0]
        passages = [_passage(row, documents) for row in told["passages"]]
        passages.sort(key=lambda each: not each.own)
        return Thing(
            name, tuple(entities[:BEARERS]), tuple(_fact(row) for row in told["facts"]), tuple(passages), exact
        )


def _literal_query(name: str) -> str:
    """Return the full-text query for a name with its apostrophes: "Boden's Boy"."""
    return f'"{" ".join(word.lower() for word in split_words(name))}"'


def _merged(found: Iterable[list[Row]]) -> list[Row]:
    return list({row["id"]: row for rows in found for row in rows}.values())


def _best(name: str, rows: list[Row], kind: str) -> list[Row]:
    """Return the bearers of a name, those with exactly this one before those that have words in brackets beside it."""
    wanted = normalise(name)
    of_kind = [row for row in rows if row["kind"] == kind]
    whole = [row for row in of_kind if any(normalise(each) == wanted for each in row["names"])]
    return sorted(whole or of_kind, key=lambda row: (-row["evidence"], row["id"]))[:BEARERS]


def _passage(row: Mapping[str, Any], documents: list[str]) -> ThingPassage:
    return ThingPassage(row["id"], row["document"] or "", row["text"] or "", row["document_id"] in documents)


def _fact(row: Mapping[str, Any]) -> ThingFact:
    text = row["text"] or ""
    start = 0 if row["start"] is None else row["start"]
    end = len(text) if row["end"] is None else row["end"]
    return ThingFact(
        id=row["id"],
        type=row["type"],
        source=row["source"] or "",
        source_id=row["source_id"],
        target=row["target"] or "",
        target_id=row["target_id"],
        chunk_id=row["chunk_id"],
        document=row["document"] or "",
        start=start,
        end=end,
        quote=text[start:end],
        after=text[end : end + AFTER],
    )
