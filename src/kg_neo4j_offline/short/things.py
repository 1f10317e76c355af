"""What the graph tells of the things that a question names, or that a path leads to: facts and passages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kg_neo4j.graph.database import Database, Row
from kg_neo4j.graph.identity import normalise
from kg_neo4j.records import Citation, Fact
from kg_neo4j.retrieve.filtered import read_left
from kg_neo4j.retrieve.interface import Scope
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
class ThingFact(Fact):
    """A fact at one of a thing's entities, with the words that state it first."""

    place: Citation
    after: str = ""  # what follows these words in their chunk, in part


@dataclass(frozen=True, slots=True)
class ThingPassage:
    """A chunk that tells of a thing. `own`: its document bears the thing's name."""

    chunk_id: str
    document: str
    text: str
    own: bool

    @property
    def title(self) -> str:
        """The name of its document, without words in brackets at its end."""
        return _BRACKETS.sub("", self.document)

    def cite(self, start: int, end: int) -> Citation:
        """Return the place of some of its words."""
        return Citation(self.chunk_id, self.document, start, end, self.text[start:end])


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
        """The title of its own document; else the name asked for."""
        return next((each.title for each in self.passages if each.own), _BRACKETS.sub("", self.name))


class Things:
    """Looks things up in one graph, each name once."""

    def __init__(self, database: Database, graph: str, scope: Scope | None = None) -> None:
        """`scope` is what filters leave: nothing else is looked at."""
        self._database = database
        self._graph = graph
        self._scope = scope
        self._known: dict[tuple[str, str], Thing | None] = {}

    def find(self, name: str, entity_id: str = "", *, nearly_so: bool = True) -> Thing | None:
        """Return the thing of that name (and entity); None where nothing bears it, nor `nearly_so` one like it."""
        key = (name, entity_id)
        if key not in self._known:
            self._known[key] = self._find(name, entity_id) if normalise(name) else None
        found = self._known[key]
        return found if found is None or found.exact or nearly_so else None

    def kinds(self, name: str) -> frozenset[str]:
        """Return the kinds (`retrieve.words`) of the entities of exactly that name; empty where there is none."""
        found = bearers(name, self._look_up(exact_query(name))[0]) if normalise(name) else []
        return frozenset(kind_of(row["type"] or "") for row in found if row["kind"] == "entity")

    def _look_up(self, *queries: str) -> list[list[Row]]:
        return look_up(self._database, self._graph, queries, self._scope)

    def _find(self, name: str, entity_id: str) -> Thing | None:
        literal = f'"{" ".join(word.lower() for word in split_words(name))}"'  # with apostrophes: "Boden's Boy"
        found = self._look_up(*sorted({exact_query(name), literal}))
        rows = list({row["id"]: row for each in found for row in bearers(name, each)}.values())
        exact = bool(rows)
        if not rows:
            rows = nearly(name, self._look_up(near_query(name))[0])
        if not any(row["kind"] == "document" for row in rows):  # the page of "Ada Lind" is "Ada Lind, Countess of Rain"
            near = self._look_up(exact_query(name), near_query(name))
            rows += [row for found in near for row in nearly(name, found) if row["kind"] == "document"][:1]
        if not rows and not entity_id:
            return None
        entities = [entity_id] if entity_id else []
        entities += [each for each in _best(name, rows, "entity") if each != entity_id]
        documents = _best(name, rows, "document")
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
        passages = [
            ThingPassage(row["id"], row["document"] or "", row["text"] or "", row["document_id"] in documents)
            for row in told["passages"]
        ]
        passages.sort(key=lambda each: not each.own)
        return Thing(name, tuple(entities[:BEARERS]), tuple(map(_fact, told["facts"])), tuple(passages), exact)


def _best(name: str, rows: Sequence[Row], kind: str) -> list[str]:
    """Return the bearers of a name, those with exactly this one before those that have words in brackets beside it."""
    wanted = normalise(name)
    of_kind = [row for row in rows if row["kind"] == kind]
    whole = [row for row in of_kind if any(normalise(each) == wanted for each in row["names"])]
    best = sorted(whole or of_kind, key=lambda row: (-row["evidence"], row["id"]))
    return [row["id"] for row in best[:BEARERS]]


def _fact(row: Row) -> ThingFact:
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
        place=Citation(row["chunk_id"], row["document"] or "", start, end, text[start:end]),
        after=text[end : end + AFTER],
    )
