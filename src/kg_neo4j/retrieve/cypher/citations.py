"""Citations for the rows of a query: from the ids that a row rests on to words of chunks, all of which exist."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.graph.database import Database
from kg_neo4j.records import Citation, Evidence
from kg_neo4j.retrieve.checking.citations import locate
from kg_neo4j.retrieve.checking.standing import CitedThing, read_cited
from kg_neo4j.retrieve.interface import Scope

PLACES = 3  # of one entity or fact that are looked at
PER_ROW = 6  # ids of one row that are cited: a path of six steps rests on six facts
MOST_IDS = 1_000  # that are looked up for one answer


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
    return read_cited(database, scope, "retrieve/row_places", graph, ids, PLACES)
