"""What a person names: facts and entities of a graph, and the types and values that its schema allows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

from kg_neo4j.errors import UsageError
from kg_neo4j.extract.schema import ColumnKind, Schema, SchemaColumn
from kg_neo4j.extract.values import (
    RESERVED_RELATIONSHIP_TYPES,
    ValueRefused,
    clean_field,
    normalise_type,
    parse_date,
    parse_number,
    parse_year,
)
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Row
from kg_neo4j.graph.identity import mention_key, normalise
from kg_neo4j.graph.resolution.decisions import DecisionKind
from kg_neo4j.graph.resolution.showing import StoredDecision, all_decisions
from kg_neo4j.graph.type_decisions import type_map
from kg_neo4j.pipeline.commands.resolve import SHORTEST_ID
from kg_neo4j.records import PropertyValue
from kg_neo4j.retrieve.linking import bearing
from kg_neo4j.rooms.corrections.statements import MOST_SENTENCES, BoundSentence, Content, End, StatedFact, correct

LONGEST = 300  # characters of a name
LONGEST_REASON = 2_000  # characters of a reason, or an address
T = TypeVar("T")


@dataclass(frozen=True)
class Graph:
    """The graph in which facts and entities are looked up. All methods raise UsageError for what it does not have."""

    database: Database
    schema: Schema
    name: str

    @cached_property
    def stored(self) -> tuple[StoredDecision, ...]:
        """All decisions of the graph."""
        return all_decisions(self.database, self.name)

    def facts(self, named: Sequence[str]) -> list[Row]:
        """Return the facts of one relationship, by its id, or by two names and the type between them."""
        if len(named) not in (1, 3):
            raise UsageError('name a fact by its id, or as "A" TYPE "B"', hint="`kg show NAME` lists facts with ids")
        begins = named[0].lower()
        if len(named) == 3:
            ends = {"source": self.entity(named[0])["id"], "target": self.entity(named[2])["id"]}
            asked = {**ends, "type": self.relationship_type(named[1])}
            found = self.database.read(queries.get("corrections/fact_between"), graph=self.name, **asked)
            if not found:
                why = f"the graph {self.name!r} has no fact {' '.join(named)!r}"
                raise UsageError(why, hint=f"kg show {named[0]!r}")
            begins = found[0]["id"]
        elif len(begins) < SHORTEST_ID:
            raise UsageError(f"{named[0]!r} is too short: give six digits of the id", hint="`kg show NAME` lists ids")
        rows = self.database.read(queries.get("corrections/facts"), graph=self.name, id=begins, most=MOST_SENTENCES)
        if (count := len({row["drawn"] for row in rows})) != 1:
            why = f"{count or 'no'} facts of graph {self.name!r} have an id that begins with {named[0]!r}"
            raise UsageError(why, hint="`kg show NAME` lists facts with ids")
        return rows

    def statement(self, row: Row) -> StatedFact:
        """Return what a fact states, with its sentences."""
        types = sorted({_type(each[3]) for each in row["rows"] if each[3]} - {row["type"], ""})
        ends = (self._end(row["source_key"], row["source"]), self._end(row["target_key"], row["target"]))
        said = tuple(BoundSentence(*each[:3]) for each in row["rows"] if each[4] is None)
        stated = StatedFact(ends[0], row["type"], ends[1], types=tuple(types), sentences=said)
        return replace(self.identified(replace(stated, properties=row["properties"])), properties={})

    def entity(self, name: str) -> Row:
        """Return the one entity that bears a name, or has the id."""
        rows = self._bearers(name)
        if not rows:
            raise UsageError(f"no entity of graph {self.name!r} is called {name!r}", hint=f"kg search {name!r}")
        if len(rows) > 1:
            hint = ", ".join(f"{row['names'][0]} {row['id']}" for row in rows[:5])
            raise UsageError(f"{len(rows)} entities may be called {name!r}: name one by its id", hint=hint)
        return rows[0]

    def _bearers(self, name: str) -> Sequence[Row]:
        if by_id := self.database.read(queries.get("retrieve/entities"), graph=self.name, ids=[name]):
            return by_id
        rows = bearing(self.database, self.name, name)
        return [row for row in rows if normalise(name) in map(normalise, row["names"])] or rows

    def end(self, name: str, new_type: str = "") -> End:
        """Return an entity by a name that documents write; with a type one that is new, where none bears the name."""
        if new_type and not self._bearers(name):
            text, type_ = text_of(name, "name", LONGEST), self.node_type(new_type)
            return End(text, type_, mention_key(self.name, text, type_))
        known = [each for each in self.ends(name) if mention_key(self.name, each.name, each.type) == each.key]
        if not known:
            hint = "`kg resolve --list` shows what parts them"
            raise UsageError(f"no name means {name!r} alone: another one bears it, too", hint=hint)
        return min(known, key=lambda each: (normalise(each.name) != normalise(name), each.key))

    def ends(self, name: str) -> list[End]:
        """Return an entity under all its keys."""
        asked = {"graph": self.name, "id": self.entity(name)["id"]}
        rows = self.database.read(queries.get("corrections/names"), **asked)
        return [self._end(row["key"], row["names"]) for row in rows]

    def _end(self, key: str, names: Sequence[Sequence[Any]]) -> End:
        """Return the name and type whose key this is, the most frequent; of a namesake those that it is shown with."""
        shown = type_map(each.decision for each in self.stored).nodes
        ranked = sorted(names, key=lambda each: (-each[3], each[0], each[1]))
        for name, type_, written, _ in ranked:
            for each in (type_, _type(written), *(old for old, (new, _) in sorted(shown.items()) if new == type_)):
                if each and mention_key(self.name, name, each) == key:
                    return End(name, each, key)
        return End(ranked[0][0], ranked[0][1], key) if ranked else End("", "", key)

    def relationship_type(self, text: str) -> str:
        """Return a type of relationships that the schema allows."""
        return _allowed(text, self.schema.relationship_types, RESERVED_RELATIONSHIP_TYPES)

    def node_type(self, text: str) -> str:
        """Return a type of nodes that the schema allows."""
        return _allowed(text, self.schema.node_types)

    def values(self, given: Mapping[str, str], *, of_nodes: bool = False) -> dict[str, PropertyValue]:
        """Return values of the schema's columns as they are stored."""
        columns = self.schema.node_properties if of_nodes else self.schema.relationship_properties
        known = {each.name: each for each in columns}
        if unknown := sorted(given.keys() - known.keys()):
            raise UsageError(f"the schema {self.schema.name!r} has no column {unknown[0]!r}", hint=", ".join(known))
        return {name: _value(text, known[name]) for name, text in sorted(given.items())}

    def identified(self, stated: StatedFact) -> StatedFact:
        """Return a statement with the values that are part of its identity."""
        columns = [each.name for each in self.schema.relationships if each.identity]
        return replace(stated, identity=tuple(str(stated.properties.get(name, "")) for name in columns))

    def decision(self, kind: DecisionKind, content: Content, because: str) -> StoredDecision:
        """Return a correction with its reason."""
        content = replace(content, url=text_of(content.url, "source", LONGEST_REASON))
        return correct(self.name, kind, content, text_of(because, "because", LONGEST_REASON))


def stated_by_hand(rows: Iterable[Row]) -> str | None:
    """Return the decision by which a person states one of the facts, if any."""
    return next((each[4] for row in rows for each in row["rows"] if each[4]), None)


def text_of(text: str, what: str, most: int) -> str:
    """Return a clean text of `most` characters at most; `what` names it in an error."""
    return _accepted(clean_field, text, what, most)


def _accepted(read: Callable[..., T], *given: Any) -> T:
    try:
        return read(*given)
    except ValueRefused as refused:
        raise UsageError(refused.detail) from None


def _value(text: str, column: SchemaColumn) -> PropertyValue:
    if column.kind is ColumnKind.YEAR:
        return _accepted(parse_year, text, column.name)
    if column.kind is ColumnKind.NUMBER:
        return _accepted(parse_number, text, column)
    cleaned = text_of(text, column.name, LONGEST_REASON)
    return parse_date(cleaned) if column.kind is ColumnKind.DATE else cleaned


def _allowed(text: str, types: Sequence[str], reserved: frozenset[str] = frozenset()) -> str:
    found = _accepted(normalise_type, text, reserved)
    if types and found not in types:
        raise UsageError(f"the schema has no type {found}", hint=", ".join(types)[:LONGEST])
    return found


def _type(written: str | None) -> str:
    """Return a type as a model wrote it as the graph has it; empty for none."""
    try:
        return normalise_type(written or "")
    except ValueRefused:
        return ""
