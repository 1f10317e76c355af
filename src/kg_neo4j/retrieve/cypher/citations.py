"""Citations for the rows of a query: from the ids that a row rests on to words of chunks, all of which exist."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.graph.database import Database
from kg_neo4j.records import Citation, Evidence
from kg_neo4j.retrieve.checking.citations import ShownSource, locate
from kg_neo4j.retrieve.interface import FoundChunk, Scope
from kg_neo4j.retrieve.left import read_left

PLACES = 3  # of one entity or fact that are looked at
PER_ROW = 6  # ids of one row that are cited: a path of six steps rests on six facts
MOST_IDS = 1_000  # that are looked up for one answer


@dataclass(frozen=True, slots=True)
class CitedThing:
    """An entity, a fact or a chunk, and where chunks speak of it; at least one place."""

    id: str
    kind: str  # "entity", "fact" or "chunk"
    name: str
    places: tuple[ShownSource, ...]


@dataclass(slots=True)
class RowCitations:
    """Citations as they are made, numbered from 1, and the evidence behind them."""

    things: Mapping[str, CitedThing]
    tokeniser: Tokeniser
    citations: list[Citation] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)

    def cite(self, claim: str, ids: Iterable[str]) -> str:
        """Return the marks of what a row rests on, " [1][2]"; empty where no chunk speaks of any of it."""
        numbers: dict[int, None] = {}
        known = [self.things[each] for each in dict.fromkeys(ids) if each in self.things]
        for thing in known[:PER_ROW]:
            citation = locate(claim, thing.places[0])
            if citation not in self.citations:
                self.citations.append(citation)
            self._add(thing, citation)
            numbers[self.citations.index(citation) + 1] = None
        return " " + "".join(f"[{number}]" for number in numbers) if numbers else ""

    def _add(self, thing: CitedThing, citation: Citation) -> None:
        place = (citation.chunk_id, citation.document, citation.start, citation.end)
        words = Evidence("chunk", citation.chunk_id, citation.quote, 1.0, *place, self.tokeniser.count(citation.quote))
        rows = [words]
        if thing.kind != "chunk":
            rows.insert(0, Evidence(thing.kind, thing.id, thing.name, 1.0, *place, self.tokeniser.count(thing.name)))
        self.evidence += [each for each in rows if each not in self.evidence]


def read_things(
    database: Database, graph: str, rows: Sequence[Sequence[str]], scope: Scope | None = None
) -> dict[str, CitedThing]:
    """Return what the ids of `rows` are, as far as a chunk of `graph`, and of `scope`, speaks of them."""
    ids = list(dict.fromkeys(each for row in rows for each in row[:PER_ROW]))[:MOST_IDS]
    if not ids:
        return {}
    found = read_left(database, scope, "retrieve/row_places", graph=graph, ids=ids, limit=PLACES)
    return {
        row["id"]: CitedThing(row["id"], row["kind"], row["name"] or "", tuple(map(_source, row["places"])))
        for row in found
        if row["places"]
    }


def _source(place: Mapping[str, object]) -> ShownSource:
    text = str(place["text"] or "")
    start, end, tokens = place["start"], place["end"], place["tokens"]
    chunk = FoundChunk(
        id=str(place["chunk_id"]),
        text=text,
        tokens=tokens if isinstance(tokens, int) else 0,
        section=str(place["section"] or ""),
        document=str(place["document"] or ""),
        score=0.0,
    )
    if isinstance(start, int) and isinstance(end, int) and 0 <= start < end <= len(text):
        return ShownSource("", chunk, start, end)
    return ShownSource("", chunk, 0, len(text))
