"""A person says which fact is wrong, states another one, gives an entity another value, and takes that back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from kg_neo4j._models.budget import Budget
from kg_neo4j.display import Readable
from kg_neo4j.errors import UsageError
from kg_neo4j.extract.schema import Schema
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.resolution.decisions import CORRECTIONS
from kg_neo4j.graph.resolution.decisions import DecisionKind as Kind
from kg_neo4j.graph.resolution.showing import StoredDecision, all_decisions
from kg_neo4j.pipeline.commands.resolve import SHORTEST_ID, Decided, decided
from kg_neo4j.pipeline.run import Run
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import LoadReport, PropertyValue
from kg_neo4j.rooms.corrections.applying import Ground, grounds
from kg_neo4j.rooms.corrections.lookup import LONGEST, Graph, stated_by_hand, text_of
from kg_neo4j.rooms.corrections.statements import BoundSentence, Content, StatedFact, content_of, corrections, revoked
from kg_neo4j.settings import Settings


@dataclass(frozen=True, slots=True)
class Correction(Readable):
    """A correction as people see it."""

    id: str
    kind: str  # "wrong-fact", "added-fact", "edited-fact" or "edited-node"
    what: str  # the statement; of a node its name and type
    becomes: str  # the right statement; of a node the column and its value; empty where nothing takes its place
    reason: str
    url: str
    revoked: bool
    state: str  # whether it is in force, and what became of its sentences
    sentences: tuple[BoundSentence, ...]


@dataclass(frozen=True, slots=True)
class CorrectionReport(Readable):
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

    def all(self) -> tuple[Correction, ...]:
        """Return all corrections by id, those that were taken back, too."""
        with connect(self.settings, self.progress) as database:
            return listed(database, self.settings.graph)

    def wrong(self, *fact: str, because: str = "") -> CorrectionReport:
        """Call a fact wrong: it is hidden from answers, reports and pictures, and kept."""
        return self._decide(lambda graph: [_wrong(graph, fact, because)])

    def add(
        self,
        source: str,
        type: str,
        target: str,
        *,
        because: str,
        url: str = "",
        values: Mapping[str, str] | None = None,
        new_types: tuple[str, str] = ("", ""),
    ) -> CorrectionReport:
        """State a fact, with values of columns. A name that no entity bears becomes one, of its type in `new_types`."""

        def work(graph: Graph) -> list[StoredDecision]:
            ends = (graph.end(source, new_types[0]), graph.end(target, new_types[1]))
            right = graph.values(values or {})
            stated = StatedFact(ends[0], graph.relationship_type(type), ends[1], properties=right)
            return [graph.decision(Kind.ADDED_FACT, Content(right=graph.identified(stated), url=url), because)]

        if not because.strip():
            raise UsageError("say why: a fact by hand has a reason", hint="--because TEXT")
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
        if not values and (source, type, target) == (None, None, None):
            raise UsageError("nothing is to be changed", hint="--from, --type, --to, --start or --set COLUMN=VALUE")
        parts = (source, type, target)
        return self._decide(lambda graph: _edited(graph, fact, parts, values or {}, (because, url)))

    def edit_node(self, name: str, values: Mapping[str, str], *, because: str = "") -> CorrectionReport:
        """Give an entity, by its name or id, another "name" or "type", or other values of the schema's columns."""
        if not values:
            raise UsageError("nothing is to be changed", hint="--name, --type or --set COLUMN=VALUE")
        return self._decide(lambda graph: _values(graph, name, values, because))

    def undo(self, id: str) -> CorrectionReport:
        """Take a correction back by its id, or how it begins; the graph is what it was without it."""

        def work(graph: Graph) -> list[StoredDecision]:
            begins = id.lower() if len(id) >= SHORTEST_ID else " "
            held = [each for each in graph.stored if each.decision.kind in CORRECTIONS and not each.decision.revoked]
            found = [each for each in held if each.decision.id.startswith(begins)]
            if len(found) != 1:
                why = f"{len(found) or 'no'} corrections of graph {graph.name!r} have an id that begins with {id!r}"
                raise UsageError(why, hint="`kg fact list` shows them; give six digits of the id at least")
            return [revoked(found[0])]

        return self._decide(work)

    def _decide(self, work: Callable[[Graph], Sequence[StoredDecision]]) -> CorrectionReport:
        """Store what `work` decides, and show it in the graph; what stands already changes nothing."""
        made: list[StoredDecision] = []

        def decide(run: Run, schema: Schema) -> Decided:
            run.settle(schema)  # what a killed run left
            graph = Graph(run.database, schema, self.settings.graph)
            number = max((each.decision.run for each in graph.stored), default=0) + 1
            standing = {each.decision.id: replace(each.decision, run=number) for each in graph.stored}
            for each in work(graph):
                if (decision := replace(each.decision, run=number)) != standing.get(decision.id):
                    made.append(replace(each, decision=decision))
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
    return Correction(*named, decision.revoked, state, sentences)


def _wrong(graph: Graph, fact: Sequence[str], because: str) -> StoredDecision:
    rows = graph.facts(fact)
    if by_hand := stated_by_hand(rows):
        raise UsageError("this fact was stated by hand", hint=f"`kg fact undo {by_hand[:8]}` takes that back")
    return graph.decision(Kind.WRONG_FACT, Content(tuple(map(graph.statement, rows))), because)


def _edited(
    graph: Graph,
    fact: Sequence[str],
    parts: tuple[str | None, str | None, str | None],
    values: Mapping[str, str],
    why: tuple[str, str],  # reason and address
) -> list[StoredDecision]:
    rows = graph.facts(fact)
    (source, type_, target), (because, url) = parts, why
    before = graph.statement(rows[0])
    known = {each.name: rows[0]["properties"].get(each.name) for each in graph.schema.relationship_properties}
    known |= graph.values({name: text for name, text in values.items() if text})
    kept = {name: each for name, each in known.items() if each is not None and values.get(name, "-")}
    stated = graph.identified(
        StatedFact(
            before.source if source is None else graph.end(source),
            before.type if type_ is None else graph.relationship_type(type_),
            before.target if target is None else graph.end(target),
            properties=kept,
        )
    )
    by_hand = stated_by_hand(rows)
    if by_hand is None:
        content = Content(tuple(map(graph.statement, rows)), stated, url)
        return [graph.decision(Kind.EDITED_FACT, content, because)]
    own = next(each for each in graph.stored if each.decision.id == by_hand)
    content = content_of(own.decision.content)
    content = replace(content, right=stated, url=url or content.url)
    made = graph.decision(own.decision.kind, content, because or own.decision.reason)
    return [made] if made.decision.id == by_hand else [revoked(own), made]


def _values(graph: Graph, name: str, values: Mapping[str, str], because: str) -> list[StoredDecision]:
    ends, given = graph.ends(name), dict(values)
    node = min(ends, key=lambda each: each.key)
    nodes = {each.key: each for each in ends}
    before = {  # what was decided of it under one of its keys is decided again
        each.decision.right_key: nodes[each.decision.left_key]
        for each in graph.stored
        if each.decision.kind is Kind.EDITED_NODE and not each.decision.revoked and each.decision.left_key in nodes
    }
    found: dict[str, PropertyValue] = {}
    if "name" in given:
        found["name"] = text_of(given.pop("name"), "name", LONGEST)
    if "type" in given:
        found["type"] = graph.node_type(given.pop("type"))
    found |= graph.values(given, of_nodes=True)
    if empty := next((column for column, value in found.items() if value == ""), None):
        raise UsageError(f"{empty} has no value")
    return [
        graph.decision(Kind.EDITED_NODE, Content(node=before.get(column, node), column=column, value=value), because)
        for column, value in sorted(found.items())
    ]
