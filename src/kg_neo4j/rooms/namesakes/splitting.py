"""A person says which documents mean another bearer of a name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from kg_neo4j._models.budget import Budget
from kg_neo4j.errors import UsageError
from kg_neo4j.extract.schema import Schema
from kg_neo4j.graph.documents import list_documents
from kg_neo4j.graph.identity import namesake_key, normalise
from kg_neo4j.graph.resolution.bearers import Mentioned
from kg_neo4j.graph.resolution.decisions import components
from kg_neo4j.graph.resolution.derived import read_mentioned
from kg_neo4j.graph.resolution.proposals import Proposal, ProposalVerdict
from kg_neo4j.graph.resolution.showing import finish, stored_decisions
from kg_neo4j.pipeline.commands.resolve import PERSON, Decided, ResolveReport, decided, new_decisions
from kg_neo4j.pipeline.run import Run
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.settings import Settings


def split_name(
    name: str,
    documents: Sequence[str],
    *,
    settings: Settings,
    reason: str = "a person decided",
    analytics: bool = True,
    budget: Budget | None = None,
    progress: Progress = SILENT,
) -> ResolveReport:
    """Give what some documents say of a name to another entity of that name; `undo` takes it back.

    `documents` are ids, keys, titles or sources. Raises UsageError for a name that no entity has, or several have, and
    where these documents are none or all that mention it; their titles are listed then.
    """

    def found(run: Run, schema: Schema) -> Decided:
        graph = settings.graph
        finish(run.database, graph, schema, run.lease)
        stored = stored_decisions(run.database, graph)
        shown = components(each.decision for each in stored)
        mentioned = read_mentioned(run.database, graph, schema)
        named = [each for each in mentioned if normalise(name) in set(map(normalise, each.spellings))]
        entities = {shown.entity(each.key) for each in named}
        if len(entities) != 1:
            hint = "`kg search NAME` lists entities" if not entities else "`kg resolve --list` shows what parts them"
            raise UsageError(f"{len(entities) or 'no'} entities of graph {graph!r} are called {name!r}", hint=hint)
        keys = [each for each in mentioned if shown.entity(each.key) in entities]
        places = {document for each in keys for document in each.documents}
        there = [each for each in list_documents(run.database, graph) if each.id in places]
        meant = [each for each in there if {each.id, each.key, each.title, each.source} & {*documents}]
        if not meant or len(meant) == len(there):
            hint = f"--document NAME, once for each: {', '.join(repr(each.title) for each in there)} mention {name}"
            raise UsageError(f"say which documents mean the other {name}", hint=hint)
        proposals = part(keys, [each.id for each in meant], PERSON, 1.0, reason)
        return Decided(proposals, new_decisions(graph, proposals, stored))

    return decided(found, settings, analytics, budget, progress)


def part(
    names: Iterable[Mentioned], documents: Sequence[str], rule: str, score: float, reason: str
) -> tuple[Proposal, ...]:
    """Return the proposals that some documents mean another bearer of these names, the same one in all of them."""
    why = (rule, score, reason)
    others = [
        Proposal(each, replace(each, key=namesake_key(each.key, document)), ProposalVerdict.SPLIT, *why, document)
        for each in names
        for document in documents
        if document in each.documents
    ]
    first, *rest = (each.right for each in others)
    return (*others, *(Proposal(first, each, ProposalVerdict.JOIN, *why) for each in rest))
