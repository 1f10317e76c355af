"""Resolve: find entities that are one, decide, store the decisions and make the graph show them; and undo that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from pkgutil import resolve_name

from kg_neo4j import factory
from kg_neo4j._models.budget import Budget
from kg_neo4j.display import Readable
from kg_neo4j.errors import UsageError
from kg_neo4j.extract.schema import Schema
from kg_neo4j.graph import queries
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.constraints import vector_index_name
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import list_documents
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.replay import widest_schema
from kg_neo4j.graph.resolution.decisions import Components, Decision, DecisionKind, components, decide, tell_apart
from kg_neo4j.graph.resolution.derived import read_mentioned, read_sources
from kg_neo4j.graph.resolution.judgement import CompareEntities
from kg_neo4j.graph.resolution.link_files import read_links
from kg_neo4j.graph.resolution.proposals import Proposal, ProposalVerdict, judged, propose
from kg_neo4j.graph.resolution.showing import StoredDecision, finish, store, stored_decisions
from kg_neo4j.graph.settler import settle
from kg_neo4j.organise.search_indexes import SearchIndex, usable_indexes
from kg_neo4j.pipeline.budget import budget_of
from kg_neo4j.pipeline.run import Run
from kg_neo4j.pipeline.tally import Tally
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import LoadReport
from kg_neo4j.settings import Settings

SHORTEST_ID = 6  # digits of a decision's id that name it; fewer are the number of a run
PERSON = "person"  # the rule of a decision on one pair; of a file of links it is "file"
NAMESAKES = "kg_neo4j.rooms.namesakes"
MODEL_SCORE = 0.8  # of what a model decided: no more than that of a rule that decides alone


@dataclass(frozen=True, slots=True)
class ResolveOptions:
    """How to resolve."""

    dry_run: bool = False  # show what rules propose; ask nobody, write nothing
    must_link: Path | None = None  # a file of links
    cannot_link: Path | None = None  # likewise
    analytics: bool = True
    budget_usd: float | None = None  # asking stops before it would cost more; None: no limit


@dataclass(frozen=True, slots=True)
class ResolveReport(Readable):
    """What resolving, or undoing, found and did."""

    run: int  # number of this run in its graph; 0 where nothing was stored
    proposals: tuple[Proposal, ...]  # with what became of each
    decisions: tuple[StoredDecision, ...]  # stored or revoked now
    skipped: tuple[StoredDecision, ...]  # in force, but against a stronger one
    unknown: tuple[str, ...]  # names in files of links that the graph does not know
    nodes_before: int
    graph: LoadReport  # totals afterwards, changes, cost, time and notes, as a load reports them


@dataclass(frozen=True, slots=True)
class Decided:
    """What there is to decide, and what was decided."""

    proposals: tuple[Proposal, ...] = ()
    decisions: tuple[StoredDecision, ...] = ()
    unknown: tuple[str, ...] = ()


def resolve(*, settings: Settings, options: ResolveOptions | None = None, progress: Progress = SILENT) -> ResolveReport:
    """Find entities of one graph that are one; decide by files, rules and, where there is one, a model; merge them.

    Aliases, evidence and properties are kept, and `undo` gives the former graph. What neither a rule nor a model
    decides stays apart and is listed. A repeat proposes only what is new. Raises UsageError for a graph without
    documents or a bad file of links, LeaseHeld, and ModelRefused; nothing is written then. Where the budget is reached,
    what is not asked stays open, and a note says so.
    """
    options, tally = options or ResolveOptions(), Tally()
    if options.dry_run:
        with connect(settings, progress) as database:
            schema = graph_schema(database, settings.graph)
            before = _nodes(database, settings.graph)
            found = _propose(database, settings, schema, options, tally, progress)
            return _report(database, settings.graph, found, before, tally)

    def proposed(run: Run, schema: Schema) -> Decided:
        settle(run.database, settings.graph, schema, run.lease, progress)  # what a killed run left
        return _propose(run.database, settings, schema, options, tally, progress, run.budget)

    return decided(proposed, settings, options.analytics, budget_of(options.budget_usd), progress, tally)


def decide_pair(
    keys: tuple[str, str],
    *,
    is_one: bool,
    settings: Settings,
    reason: str = "a person decided",
    analytics: bool = True,
    budget: Budget | None = None,
    progress: Progress = SILENT,
) -> ResolveReport:
    """Store whether two mention keys are one, as a person says, and make the graph show it until `undo`.

    A second time nothing changes. Raises UsageError for a key that no mention bears, or one and itself, and LeaseHeld.
    """

    def told(run: Run, schema: Schema) -> Decided:
        finish(run.database, settings.graph, schema, run.lease)
        known = {each.key: each for each in read_mentioned(run.database, settings.graph, schema)}
        if keys[0] == keys[1] or not all(key in known for key in keys):
            raise UsageError("a decision is on two names that the graph has", hint="they may have changed since")
        verdict = ProposalVerdict.JOIN if is_one else ProposalVerdict.APART
        said = Proposal(known[keys[0]], known[keys[1]], verdict, PERSON, 1.0, reason)
        return Decided((said,), new_decisions(settings.graph, [said], stored_decisions(run.database, settings.graph)))

    return decided(told, settings, analytics, budget, progress)


def undo(
    name: str, *, settings: Settings, analytics: bool = True, budget: Budget | None = None, progress: Progress = SILENT
) -> ResolveReport:
    """Revoke one decision, named by its id or how it begins, or all decisions of a run, named by its number.

    The graph is then what it was without them, byte for byte in the export. They are remembered, so that no rule makes
    them again. Raises UsageError where no decision, or several, bear that name.
    """

    def revoked(run: Run, schema: Schema) -> Decided:
        finish(run.database, settings.graph, schema, run.lease)
        named = _named(name, stored_decisions(run.database, settings.graph), settings.graph)
        taken_back = (replace(each, decision=replace(each.decision, revoked=True), derived=False) for each in named)
        return Decided(decisions=tuple(taken_back))

    return decided(revoked, settings, analytics, budget, progress)


def decisions(*, settings: Settings, progress: Progress = SILENT) -> tuple[StoredDecision, ...]:
    """Return all decisions of a graph, revoked ones too, by run and id."""
    with connect(settings, progress) as database:
        return stored_decisions(database, settings.graph)


def decided(
    decide: Callable[[Run, Schema], Decided],
    settings: Settings,
    analytics: bool,
    budget: Budget | None,
    progress: Progress,
    tally: Tally | None = None,
) -> ResolveReport:
    """Store the decisions, make the graph show them, and bring up to date what is derived from it."""
    tally, graph = tally or Tally(), settings.graph
    with connect(settings, progress, to_write=True) as database:
        schema, before = graph_schema(database, graph), _nodes(database, graph)
        with Lease(database, graph) as lease:
            run = Run(database, lease, settings, tally, progress, "resolve", budget)
            found = decide(run, schema)
            store(lease, found.decisions)
            tally.changes += len(found.decisions)
            run.settle(schema)
            if found.decisions:
                run.derive(analytics=analytics)
        return _report(database, graph, found, before, tally)


def graph_schema(database: Database, graph: str) -> Schema:
    """Return the schema of a graph. Raises UsageError where it holds no documents."""
    if not (documents := list_documents(database, graph)):
        raise UsageError(f"graph {graph!r} holds no documents", hint="`kg load` first, or name another with --graph")
    return widest_schema(documents)


def _nodes(database: Database, graph: str) -> int:
    return int(database.read(queries.get("write/count_graph"), graph=graph)[0]["nodes"])


def _propose(
    database: Database,
    settings: Settings,
    schema: Schema,
    options: ResolveOptions,
    tally: Tally,
    progress: Progress,
    budget: Budget | None = None,
) -> Decided:
    """Read the graph, and return proposals with the decisions that they come to."""
    progress.start("resolve")
    graph = settings.graph
    stored = stored_decisions(database, graph)
    mentioned = read_mentioned(database, graph, schema)
    said: list[Proposal] = []
    unknown: list[str] = []
    for path, verdict in ((options.must_link, ProposalVerdict.JOIN), (options.cannot_link, ProposalVerdict.APART)):
        if path:
            links = read_links(path, verdict, mentioned)
            said.extend(links.proposals)
            unknown.extend(links.unknown)
    near = _entity_vectors(database, settings)
    sources = read_sources(database, graph, near.name if near else None, by_graph=bool(near and near.by_graph))
    given = [each.decision for each in (*stored, *new_decisions(graph, said, stored))]

    def ask(asked: Sequence[Proposal], shown: Components) -> dict[tuple[str, str], tuple[bool, str]]:
        if options.dry_run or not asked:
            return {}
        door = factory.door(settings, budget=budget)
        found = door.do(CompareEntities(database, graph, shown, asked))
        tally.usage += found.usage
        tally.notes.extend(found.notes)
        if found.rejected:
            tally.notes.append(f"{found.rejected} rows of the model's answers were not as asked; their pairs stay open")
        return {pair: (same, f"{door.name}: {reason}") for pair, (same, reason) in found.decided.items()}

    near = resolve_name(f"{NAMESAKES}.near:with_near_names")(mentioned, propose(mentioned, sources, given))
    proposed = judged(near, ask(near.open, components(each.decision for each in stored)), MODEL_SCORE)
    conflicts = resolve_name(f"{NAMESAKES}.conflicts:conflicts")
    proposals = (*said, *proposed.proposals, *conflicts(database, graph, mentioned, given, ask, MODEL_SCORE))
    progress.finish("resolve")
    made = () if options.dry_run else new_decisions(graph, proposals, stored)
    return Decided(proposals, made, tuple(unknown))


def _entity_vectors(database: Database, settings: Settings) -> SearchIndex | None:
    """Return the vector index over entities; None where there is none, and for the built-in embedder.

    Its vectors put the same words near each other, which the rules of spelling see already, and names of one kind.
    """
    if factory.embeds_built_in(settings):
        return None
    model = factory.embedding_model(settings)
    name = vector_index_name("Entity", model)
    usable = usable_indexes(database, settings.graph, model, ["Entity"])
    return next((each for each in usable if each.name == name), None)


def new_decisions(
    graph: str, proposals: Iterable[Proposal], stored: Sequence[StoredDecision]
) -> tuple[StoredDecision, ...]:
    """Return the decisions that proposals come to, without those that stand already, as the next run of the graph."""
    standing = {each.decision.id for each in stored if not each.decision.revoked}
    run = max((each.decision.run for each in stored), default=0) + 1
    made: dict[str, StoredDecision] = {}
    for each in proposals:
        if each.verdict is ProposalVerdict.ASK:
            continue
        decision = _decision(graph, each)
        left, right = sorted((each.left, each.right), key=lambda side: side.key)
        if decision.id not in standing:
            pending = not decision.revoked
            made.setdefault(decision.id, StoredDecision(replace(decision, run=run), left.shown, right.shown, pending))
    return tuple(made.values())


def _decision(graph: str, proposal: Proposal) -> Decision:
    how = (proposal.rule, proposal.score, proposal.reason)
    if proposal.document:  # one bearer: as a split that was taken back
        split = tell_apart(graph, proposal.left.key, proposal.document, *how)
        return replace(split, revoked=proposal.verdict is not ProposalVerdict.SPLIT)
    joined = DecisionKind.MUST_LINK if proposal.rule in ("file", PERSON) else DecisionKind.SAME
    kind = joined if proposal.verdict is ProposalVerdict.JOIN else DecisionKind.CANNOT_LINK
    return decide(graph, kind, (proposal.left.key, proposal.right.key), *how)


def _named(name: str, stored: Sequence[StoredDecision], graph: str) -> tuple[StoredDecision, ...]:
    held = [each for each in stored if not each.decision.revoked]
    if name.isdecimal() and len(name) < SHORTEST_ID:
        found = [each for each in held if each.decision.run == int(name)]
    else:
        found = [each for each in held if len(name) >= SHORTEST_ID and each.decision.id.startswith(name.lower())]
        if len(found) > 1:
            raise UsageError(f"{len(found)} decisions begin with {name!r}", hint="give more of the id")
    if not found:
        raise UsageError(f"no decision or run {name!r} is in graph {graph!r}", hint="`kg resolve --list` shows them")
    return tuple(found)


def _report(database: Database, graph: str, found: Decided, before: int, tally: Tally) -> ResolveReport:
    stored = stored_decisions(database, graph)
    against = {each.id for each in components(each.decision for each in stored).skipped}
    return ResolveReport(
        run=max((each.decision.run for each in found.decisions), default=0),
        proposals=found.proposals,
        decisions=found.decisions,
        skipped=tuple(each for each in stored if each.decision.id in against),
        unknown=found.unknown,
        nodes_before=before,
        graph=tally.report(database, graph, 0),
    )
