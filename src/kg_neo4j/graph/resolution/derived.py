"""What settling derives of names: sure joins, and aliases. Both are computed again from all evidence.

Joins are stored as decisions so that they can be listed, shown and taken back; a join that somebody took back is that
person's decision from then on. Loads in any order end with the same names, because what was derived before takes no
part in deriving.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Transaction, batches
from kg_neo4j.graph.documents import StoredDocument
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.replay import schema_of
from kg_neo4j.graph.resolution.aliases import aliases, changed_aliases
from kg_neo4j.graph.resolution.bearers import Mentioned
from kg_neo4j.graph.resolution.candidates import Sources
from kg_neo4j.graph.resolution.decisions import DecisionKind, components, decide
from kg_neo4j.graph.resolution.mentions import read_mentioned, read_sources
from kg_neo4j.graph.resolution.proposals import sure_joins
from kg_neo4j.graph.resolution.showing import StoredDecision, store, stored_decisions
from kg_neo4j.graph.settler import settle

PAGE = 2_000  # entities a transaction


@dataclass(frozen=True, slots=True)
class DerivedNames:
    """What deriving changed; all 0 on a repeat."""

    joins: int  # that came, changed or went
    changes: int  # of these, of what is folded again because of them, and of aliases


@dataclass(frozen=True, slots=True)
class _NameSources:
    """What names are derived from."""

    document: StoredDocument | None  # any: all were loaded with one schema
    mentioned: Sequence[Mentioned]
    decisions: Sequence[StoredDecision]
    aliases: Mapping[str, Sequence[str]]  # as stored, by entity
    sources: Sources
    titles: Sequence[str]


def derive_names(database: Database, graph: str, lease: Lease) -> DerivedNames:
    """Make the graph show what is surely one, with all names by which one can ask for it."""
    read = database.read_transaction(partial(_read, graph=graph))
    if read.document is None:
        return DerivedNames(0, 0)
    joins = changed_joins(graph, read.mentioned, read.sources, read.decisions)
    changes = len(joins)
    if joins:
        store(lease, joins)
        changes += settle(database, graph, schema_of(read.document), lease)
        if any(each.decision.revoked for each in joins):
            lease.write(queries.get("write/delete_decisions"), graph=graph)
        decisions, stored = database.read_transaction(partial(_read_shown, graph=graph))
        read = replace(read, decisions=decisions, aliases=stored)
    found = components(each.decision for each in read.decisions)
    rows = changed_aliases(read.aliases, aliases(read.mentioned, found, read.titles))
    for page in batches(rows, PAGE):
        lease.write(queries.get("write/write_aliases"), rows=list(page))
    return DerivedNames(len(joins), changes + len(rows))


def _read(transaction: Transaction, graph: str) -> _NameSources:
    document = None
    for row in transaction.stream(queries.get("write/documents"), graph=graph):
        document = document or StoredDocument(**row)
    titles = [row["title"] for row in transaction.stream(queries.get("write/document_titles"), graph=graph)]
    mentioned = read_mentioned(transaction, graph)
    sources = read_sources(transaction, graph, sure=mentioned)
    return _NameSources(document, mentioned, *_read_shown(transaction, graph), sources=sources, titles=titles)


def _read_shown(transaction: Transaction, graph: str) -> tuple[Sequence[StoredDecision], Mapping[str, Sequence[str]]]:
    rows = transaction.read(queries.get("write/alias_state"), graph=graph)
    return stored_decisions(transaction, graph), {row["id"]: row["aliases"] for row in rows}


def changed_joins(
    graph: str, mentioned: Iterable[Mentioned], sources: Sources, stored: Sequence[StoredDecision]
) -> tuple[StoredDecision, ...]:
    """Return the derived decisions to store: new or changed ones, and revoked ones that the evidence gives no more."""
    given = [each for each in stored if not each.derived]
    decided = {each.decision.id for each in given}
    wanted: dict[str, StoredDecision] = {}
    for each in sure_joins(mentioned, sources, [known.decision for known in given]):
        keys = (each.left.key, each.right.key)
        decision = decide(graph, DecisionKind.SAME, keys, each.rule, each.score, each.reason)
        left, right = sorted((each.left, each.right), key=lambda side: side.key)
        if decision.id not in decided:
            wanted[decision.id] = StoredDecision(decision, left.shown, right.shown, pending=True, derived=True)
    known = {each.decision.id: each for each in stored if each.derived}
    new = [each for name, each in wanted.items() if name not in known or replace(known[name], pending=True) != each]
    gone = [
        replace(each, decision=replace(each.decision, revoked=True), pending=True)
        for name, each in known.items()
        if name not in wanted
    ]
    return (*new, *gone)
