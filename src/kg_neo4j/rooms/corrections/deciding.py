"""A person says which fact is wrong, states another one, gives an entity another value, and takes that back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kg_neo4j._models.budget import Budget
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
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.database import Database, Row
from kg_neo4j.graph.identity import mention_key, normalise
from kg_neo4j.graph.resolution.decisions import DecisionKind
from kg_neo4j.graph.resolution.showing import StoredDecision, all_decisions
from kg_neo4j.graph.type_decisions import type_map
from kg_neo4j.pipeline.commands.resolve import SHORTEST_ID, Decided, decided
from kg_neo4j.pipeline.run import Run
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import LoadReport, PropertyValue
from kg_neo4j.retrieve.linking import bearing
from kg_neo4j.rooms.corrections.applying import Ground, grounds
from kg_neo4j.rooms.corrections.statements import (
    MOST_SENTENCES,
    Content,
    End,
    Sentence,
    Statement,
    content_of,
    correct,
    corrections,
    revoked,
)
from kg_neo4j.settings import Settings

LONGEST = 300  # characters of a name
LONGEST_REASON = 2_000  # characters of a reason, or an address
START = "start_date"


@dataclass(frozen=True, slots=True)
class Correction:
    """A correction as people see it."""

    id: str
    kind: str  # "wrong-fact", "added-fact", "edited-fact" or "edited-node"
    what: str  # the statement; of a node its name and type
    becomes: str  # the right statement; of a node the column and its value; empty where nothing takes its place
    reason: str
    url: str
    revoked: bool
    state: str  # whether it is in force, and what became of its sentences
    facts: tuple[str, ...]  # ids of the facts that it is about, as they were named
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class CorrectionReport:
    """What a correction, or taking one back, did."""

    corrections: tuple[Correction, ...]  # stored or taken back now; none where nothing changed
    graph: LoadReport


@dataclass(frozen=True, slots=True)
class Corrections:
    """Corrections of one graph: `KnowledgeGraph.corrections`.

    A fact is named by its id, or how that begins (six digits or more), or by the two names and the type between them. A
    repeat changes nothing. All raise UsageError for what the graph does not have, and LeaseHeld.
    """

    settings: Settings
    progress: Progress = SILENT
    analytics: bool = True
    budget: Budget | None = None

    def __iter__(self) -> Any:
        """Iterate over all corrections, those that were taken back, too."""
        return iter(self.all())

    def all(self) -> tuple[Correction, ...]:
        """Return all corrections by id, those that were taken back, too."""
        with connect(self.settings, self.progress) as database:
            return listed(database, self.settings.graph)

    def wrong(self, *fact: str, because: str = "") -> CorrectionReport:
        """Call a fact wrong: it is hidden from answers, reports and pictures, and kept."""
        return self._decide(
            lambda run, schema: _wrong(_Graph(run.database, schema, self.settings.graph), fact, because)
        )

    def add(
        self,
        source: str,
        type: str,
        target: str,
        *,
        because: str,
        url: str = "",
        start: str = "",
        source_type: str = "",
        target_type: str = "",
    ) -> CorrectionReport:
        """State a fact. A name that no entity bears makes one, of `source_type` or `target_type`."""

        def work(run: Run, schema: Schema) -> StoredDecision:
            graph = _Graph(run.database, schema, self.settings.graph)
            given = {START: start} if start else {}
            ends = (graph.end(source, source_type), graph.end(target, target_type))
            stated = Statement(ends[0], graph.relationship_type(type), ends[1], (), properties=graph.values(given))
            content = Content(right=graph.identified(stated), url=_text(url, "source", LONGEST_REASON))
            if not because.strip():
                raise UsageError("say why: a fact by hand has a reason", hint="--because TEXT")
            return correct(graph.name, DecisionKind.ADDED_FACT, content, _text(because, "because", LONGEST_REASON))

        return self._decide(work)

    def edit(
        self,
        *fact: str,
        because: str = "",
        source: str | None = None,
        type: str | None = None,
        target: str | None = None,
        values: Mapping[str, str] | None = None,
        url: str = "",
    ) -> CorrectionReport:
        """State a fact in another way: other ends, another type, other values; an empty value is taken away."""

        def work(run: Run, schema: Schema) -> Sequence[StoredDecision]:
            graph = _Graph(run.database, schema, self.settings.graph)
            return _edited(graph, fact, because, (source, type, target), values or {}, url)

        return self._decide(work)

    def edit_node(self, name: str, values: Mapping[str, str], *, because: str = "") -> CorrectionReport:
        """Give an entity, by its name or id, another "name" or "type", or other values of the schema's columns."""
        return self._decide(
            lambda run, schema: _values(_Graph(run.database, schema, self.settings.graph), name, values, because)
        )

    def undo(self, id: str) -> CorrectionReport:
        """Take a correction back by its id, or how it begins; the graph is what it was without it."""

        def work(run: Run, _: Schema) -> StoredDecision:
            stored = corrections(all_decisions(run.database, self.settings.graph))
            found = [
                each for each, _ in stored if not each.decision.revoked and each.decision.id.startswith(id.lower())
            ]
            if len(id) < SHORTEST_ID or len(found) != 1:
                count = len(found) if len(id) >= SHORTEST_ID else "no"
                why = f"{count} corrections of graph {self.settings.graph!r} have an id that begins with {id!r}"
                raise UsageError(why, hint="`kg fact list` shows them; give six digits of the id at least")
            return revoked(found[0])

        return self._decide(work)

    def _decide(self, work: Callable[[Run, Schema], StoredDecision | Sequence[StoredDecision]]) -> CorrectionReport:
        """Store what `work` decides, and show it in the graph; what stands already changes nothing."""
        made: list[StoredDecision] = []

        def decide(run: Run, schema: Schema) -> Decided:
            run.settle(schema)  # what a killed run left
            new = work(run, schema)
            stored = all_decisions(run.database, self.settings.graph)
            number = max((each.decision.run for each in stored), default=0) + 1
            standing = {each.decision.id: each.decision for each in stored}
            for each in (new,) if isinstance(new, StoredDecision) else new:
                before = standing.get(each.decision.id)
                if before is None or replace(before, run=0) != replace(each.decision, run=0):
                    made.append(replace(each, decision=replace(each.decision, run=number)))
            return Decided(decisions=tuple(made))

        report = decided(decide, self.settings, self.analytics, self.budget, self.progress)
        shown = tuple(_shown(each, content_of(each.decision.content), None) for each in made)
        return CorrectionReport(shown, report.graph)


def listed(database: Database, graph: str) -> tuple[Correction, ...]:
    """Return all corrections of an open database, as `Corrections.all`."""
    given = corrections(all_decisions(database, graph))
    found = grounds(database, graph, given)
    return tuple(_shown(each, content, found.get(each.decision.id)) for each, content in given)


def _shown(stored: StoredDecision, content: Content, ground: Ground | None) -> Correction:
    decision = stored.decision
    state = "taken back" if decision.revoked else "in force"
    if ground and not decision.revoked:
        if not ground.sentences:
            state = "its sentence has gone"
        elif not ground.statements:
            state = "no row states it now, but its sentence is there"
        if ground.others:
            state += f", stated in {ground.others} other {'sentence' if ground.others == 1 else 'sentences'}"
    sentences = tuple(one for stated in content.wrong for one in stated.sentences)
    named = (decision.id, str(decision.kind), stored.left, stored.right, decision.reason, content.url)
    return Correction(*named, decision.revoked, state, (), sentences)


# --------------------------------------------------------------------------------------------------- what is meant


@dataclass(frozen=True, slots=True)
class _Graph:
    """The graph in which facts and entities are looked up, and what its schema allows."""

    database: Database
    schema: Schema
    name: str

    def facts(self, named: Sequence[str]) -> list[Row]:
        """Return the facts of one relationship, by its id or by names and type. Raises UsageError for none, or several."""
        if len(named) not in (1, 3):
            raise UsageError(
                'name a fact by its id, or as "A" TYPE "B"', hint="`kg show NAME` lists facts with their ids"
            )
        begins = named[0].lower()
        if len(named) == 3:
            ends = {"source": self.entity(named[0])["id"], "target": self.entity(named[2])["id"]}
            asked = {**ends, "type": self.relationship_type(named[1])}
            found = self.database.read(queries.get("corrections/fact_between"), graph=self.name, **asked)
            if not found:
                raise UsageError(
                    f"the graph {self.name!r} has no fact {' '.join(named)!r}", hint=f"kg show {named[0]!r}"
                )
            begins = found[0]["id"]
        elif len(begins) < SHORTEST_ID:
            raise UsageError(f"{named[0]!r} is too short: give six digits of the id", hint="`kg show NAME` lists ids")
        rows = self.database.read(queries.get("corrections/facts"), graph=self.name, id=begins, most=MOST_SENTENCES)
        drawn = {row["drawn"] for row in rows}
        if len(drawn) != 1:
            why = f"{len(drawn) or 'no'} facts of graph {self.name!r} have an id that begins with {named[0]!r}"
            raise UsageError(why, hint="`kg show NAME` lists facts with their ids")
        return rows

    def statement(self, row: Row) -> Statement:
        """Return what a fact states, with its sentences."""
        identity = tuple(
            str(row["properties"].get(each.name, "")) for each in self.schema.relationships if each.identity
        )
        types = sorted({_type(each[3]) for each in row["rows"] if each[3]} - {row["type"], ""})
        ends = (self._end(row["source_key"], row["source"]), self._end(row["target_key"], row["target"]))
        said = tuple(Sentence(*each[:3]) for each in row["rows"] if each[4] is None)
        return Statement(ends[0], row["type"], ends[1], identity, tuple(types), {}, said)

    def entity(self, name: str) -> Row:
        """Return the one entity that bears a name, or has the id."""
        rows = bearing(self.database, self.name, name)
        if by_id := self.database.read(queries.get("retrieve/entities"), graph=self.name, ids=[name]):
            return by_id[0]
        exact = [row for row in rows if normalise(name) in map(normalise, row["names"])]
        if len(exact) == 1 or len(rows) == 1:
            return (exact or rows)[0]
        if exact or rows:
            hint = ", ".join(f"{row['names'][0]} {row['id']}" for row in (exact or rows)[:5])
            raise UsageError(f"{len(exact or rows)} entities may be called {name!r}: name one by its id", hint=hint)
        raise UsageError(f"no entity of graph {self.name!r} is called {name!r}", hint=f"kg search {name!r}")

    def end(self, name: str, new_type: str) -> End:
        """Return an end of a fact by hand: an entity of the graph, or a new one of a type."""
        try:
            entity = self.entity(name)
        except UsageError as error:
            if not new_type:
                raise UsageError(str(error), hint="--source-type TYPE or --target-type TYPE adds it") from None
            text, type_ = _text(name, "name", LONGEST), self.node_type(new_type)
            return End(text, type_, mention_key(self.name, text, type_))
        return self.own_end(entity["id"], name)

    def own_end(self, entity: str, name: str) -> End:
        """Return an entity by a name that documents write; UsageError for one that shares its only name."""
        rows = self.database.read(queries.get("corrections/names"), graph=self.name, id=entity)
        ends = [self._end(row["key"], row["names"]) for row in rows]
        known = [each for each in ends if mention_key(self.name, each.name, each.type) == each.key]
        if not known:
            why = f"{name!r} is borne by several: no name means this one alone"
            raise UsageError(why, hint="`kg resolve --list` shows what parts them")
        return min(known, key=lambda each: (normalise(each.name) != normalise(name), each.key != entity, each.key))

    def _end(self, key: str, names: Sequence[Sequence[Any]]) -> End:
        """Return the name and type whose key this is: the most frequent one; of a namesake the one that it is shown with."""
        decisions = [each.decision for each in all_decisions(self.database, self.name)]
        shown = type_map(decisions).nodes
        ranked = sorted(names, key=lambda each: (-each[3], each[0], each[1]))
        for name, type_, written, _ in ranked:
            for each in (type_, _type(written), *(old for old, (new, _) in sorted(shown.items()) if new == type_)):
                if each and mention_key(self.name, name, each) == key:
                    return End(name, each, key)
        return End(ranked[0][0], ranked[0][1], key) if ranked else End("", "", key)

    def relationship_type(self, text: str) -> str:
        """Return a type of relationships. Raises UsageError for one that the schema does not allow."""
        return _allowed(text, self.schema.relationship_types, RESERVED_RELATIONSHIP_TYPES)

    def node_type(self, text: str) -> str:
        """Return a type of nodes. Raises UsageError for one that the schema does not allow."""
        return _allowed(text, self.schema.node_types)

    def values(self, given: Mapping[str, str], *, of_nodes: bool = False) -> dict[str, PropertyValue]:
        """Return values of the schema's columns as they are stored. Raises UsageError for what a column cannot hold."""
        columns = self.schema.node_properties if of_nodes else self.schema.relationship_properties
        known = {each.name: each for each in columns}
        if unknown := sorted(given.keys() - known.keys()):
            raise UsageError(f"the schema {self.schema.name!r} has no column {unknown[0]!r}", hint=", ".join(known))
        return {name: _value(text, known[name]) for name, text in sorted(given.items())}

    def identified(self, stated: Statement) -> Statement:
        """Return a statement with the values that are part of its identity."""
        columns = [each.name for each in self.schema.relationships if each.identity]
        return replace(stated, identity=tuple(str(stated.properties.get(name, "")) for name in columns))


def _wrong(graph: _Graph, fact: Sequence[str], because: str) -> StoredDecision:
    rows = graph.facts(fact)
    if by_hand := next((each[4] for row in rows for each in row["rows"] if each[4]), None):
        raise UsageError("this fact was stated by hand", hint=f"`kg fact undo {by_hand[:8]}` takes that back")
    content = Content(wrong=tuple(map(graph.statement, rows)))
    return correct(graph.name, DecisionKind.WRONG_FACT, content, _text(because, "because", LONGEST_REASON))


def _edited(
    graph: _Graph,
    fact: Sequence[str],
    because: str,
    parts: tuple[str | None, str | None, str | None],
    values: Mapping[str, str],
    url: str,
) -> Sequence[StoredDecision]:
    rows = graph.facts(fact)
    source, type_, target = parts
    by_hand = next((each[4] for row in rows for each in row["rows"] if each[4]), None)
    before = graph.statement(rows[0])
    properties = {each.name: rows[0]["properties"].get(each.name) for each in graph.schema.relationship_properties}
    properties |= graph.values({name: text for name, text in values.items() if text})
    kept = {name: each for name, each in properties.items() if each is not None and values.get(name, "-")}
    stated = replace(before, properties=kept, types=(), sentences=())
    if source is not None:
        stated = replace(stated, source=graph.end(source, ""))
    if target is not None:
        stated = replace(stated, target=graph.end(target, ""))
    if type_ is not None:
        stated = replace(stated, type=graph.relationship_type(type_))
    stated, reason = graph.identified(stated), _text(because, "because", LONGEST_REASON)
    url = _text(url, "source", LONGEST_REASON)
    if by_hand is None:
        content = Content(tuple(map(graph.statement, rows)), stated, url)
        return [correct(graph.name, DecisionKind.EDITED_FACT, content, reason)]
    own = next(each for each in all_decisions(graph.database, graph.name) if each.decision.id == by_hand)
    content = replace(content_of(own.decision.content), right=stated)
    made = correct(
        graph.name, own.decision.kind, replace(content, url=url or content.url), reason or own.decision.reason
    )
    return [made] if made.decision.id == by_hand else [revoked(own), made]


def _values(graph: _Graph, name: str, values: Mapping[str, str], because: str) -> list[StoredDecision]:
    if not values:
        raise UsageError("nothing is to be changed", hint="--name, --type or --set COLUMN=VALUE")
    entity = graph.entity(name)
    node, given = graph.own_end(entity["id"], name), dict(values)
    found: dict[str, PropertyValue] = {}
    if "name" in given:
        found["name"] = _text(given.pop("name"), "name", LONGEST)
    if "type" in given:
        found["type"] = graph.node_type(given.pop("type"))
    found |= graph.values(given, of_nodes=True)
    if empty := next((column for column, value in found.items() if value == ""), None):
        raise UsageError(f"{empty} has no value")
    reason = _text(because, "because", LONGEST_REASON)
    return [
        correct(graph.name, DecisionKind.EDITED_NODE, Content(node=node, column=column, value=value), reason)
        for column, value in sorted(found.items())
    ]


def _value(text: str, column: SchemaColumn) -> PropertyValue:
    try:
        if column.kind is ColumnKind.YEAR:
            return parse_year(text, column.name)
        if column.kind is ColumnKind.NUMBER:
            return parse_number(text, column)
        cleaned = clean_field(text, column.name, LONGEST_REASON)
        return parse_date(cleaned) if column.kind is ColumnKind.DATE else cleaned
    except ValueRefused as refused:
        raise UsageError(refused.detail) from None


def _allowed(text: str, types: Sequence[str], reserved: frozenset[str] = frozenset()) -> str:
    try:
        found = normalise_type(text, reserved)
    except ValueRefused as refused:
        raise UsageError(refused.detail) from None
    if types and found not in types:
        raise UsageError(f"the schema has no type {found}", hint=", ".join(types)[:LONGEST])
    return found


def _type(written: str | None) -> str:
    """Return a type as a model wrote it as the graph has it; empty for none."""
    try:
        return normalise_type(written or "")
    except ValueRefused:
        return ""


def _text(text: str, what: str, most: int) -> str:
    try:
        return clean_field(text, what, most)
    except ValueRefused as refused:
        raise UsageError(refused.detail) from None
