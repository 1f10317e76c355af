"""What settling derives of names: sure joins, namesakes by their years, and aliases. All from all evidence, each time.

They are stored as decisions so that they can be listed, shown and taken back; one that somebody took back is that
person's decision from then on. Loads in any order end with the same names, because what was derived before takes no
part in deriving.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kg_neo4j.extract.schema import Schema
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Reader, Transaction, swept
from kg_neo4j.graph.documents import StoredDocument
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.replay import widest_schema
from kg_neo4j.graph.resolution.aliases import aliases
from kg_neo4j.graph.resolution.bearers import Gathered, Mentioned
from kg_neo4j.graph.resolution.candidates import Sources, WikiPage, related
from kg_neo4j.graph.resolution.decisions import DecisionKind, components, decide, tell_apart
from kg_neo4j.graph.resolution.proposals import ProposalVerdict, sure_proposals
from kg_neo4j.graph.resolution.rules import NEAR, asked_facts
from kg_neo4j.graph.resolution.showing import StoredDecision, store, stored_decisions
from kg_neo4j.graph.settler import settle

PAGE = 2_000  # entities a transaction
ASKED_PAGE = 500  # entities whose neighbours are asked for in one query
NEIGHBOURS = 20  # fetched for each entity: itself and those of other graphs are among them


@dataclass(frozen=True, slots=True)
class DerivedNames:
    """What deriving changed; all 0 on a repeat."""

    joins: int  # that came, changed or went
    changes: int  # of these, of what is folded again because of them, and of aliases


_Shown = tuple[Sequence[StoredDecision], Mapping[str, tuple[str, Sequence[str]]]]  # and name and aliases of entities


def derive_names(database: Database, graph: str, lease: Lease) -> DerivedNames:
    """Make the graph show what is surely one, with all names by which one can ask for it."""

    def read_shown(transaction: Transaction) -> _Shown:
        rows = transaction.run(queries.get("write/alias_state"), graph=graph)
        return stored_decisions(transaction, graph), {row["id"]: (row["name"], row["aliases"]) for row in rows}

    def read(
        transaction: Transaction,
    ) -> tuple[Sequence[StoredDocument], Sequence[str], Sequence[Mentioned], Sources, _Shown]:
        read_versions = transaction.run(queries.get("write/document_versions"), graph=graph)
        versions = [StoredDocument(**row) for row in read_versions]
        titles = [row["title"] for row in transaction.stream(queries.get("write/document_titles"), graph=graph)]
        decisions, stored = read_shown(transaction)
        # as if what was derived before were not: a document that means another bearer has the key of the name again
        split = components(each.decision for each in decisions if each.derived).namesakes
        keys = {other: key for (_, key), other in split.items()}
        mentioned = read_mentioned(transaction, graph, widest_schema(versions), keys) if versions else ()
        sources = read_sources(transaction, graph, sure=mentioned, keys=keys)
        return versions, titles, mentioned, sources, (decisions, stored)

    documents, titles, mentioned, sources, (decisions, stored) = database.read_transaction(read)
    if not documents:
        return DerivedNames(0, 0)
    mentioned, joins = changed_decisions(graph, mentioned, sources, decisions)
    changes = len(joins)
    if joins:
        store(lease, joins)
        changes += settle(database, graph, widest_schema(documents), lease)
        if any(each.decision.revoked for each in joins):
            swept(lease.write, queries.get("write/delete_decisions"), PAGE, graph=graph)
        decisions, stored = database.read_transaction(read_shown)
    named = {entity: name for entity, (name, _) in stored.items()}
    wanted = aliases(mentioned, components(each.decision for each in decisions), titles, named)
    rows = [
        {"id": entity, "aliases": wanted[entity] or None}
        for entity in sorted(stored.keys() & wanted.keys())
        if list(stored[entity][1]) != wanted[entity]
    ]
    lease.write_parts(queries.get("write/write_aliases"), "rows", rows, PAGE)
    return DerivedNames(len(joins), changes + len(rows))


def read_mentioned(reader: Reader, graph: str, schema: Schema, keys: Mapping[str, str] = {}) -> tuple[Mentioned, ...]:
    """Return what the evidence says of each mention key, by key; types are in the families of `schema`.

    `keys`, where given, are those to take for others.
    """
    gathered = Gathered(dict(schema.families))
    shared: dict[str, dict[str, Any]] = {key: {} for key in keys.values()}  # rows that are put together
    found = {}
    for row in reader.stream(queries.get("write/resolve_mentions"), graph=graph):
        key = keys.get(row["key"], row["key"])
        if (together := shared.get(key)) is None:
            found[key] = gathered.mentioned(**row)
        elif together:
            together |= {name: [*together[name], *row[name]] for name in ("names", "documents", "keys") if name in row}
        else:
            together.update(row, key=key)
    found |= {key: gathered.mentioned(**row) for key, row in shared.items() if row}
    return tuple(found[key] for key in sorted(found))


def read_sources(
    reader: Reader,
    graph: str,
    vector_index: str | None = None,
    sure: Iterable[Mentioned] | None = None,
    keys: Mapping[str, str] = {},
    *,
    by_graph: bool = False,
) -> Sources:
    """Return what the graph holds besides names; neighbours by meaning where a vector index over entities is given.

    `by_graph`: that index can be searched inside the graph. With `sure`, which are all keys, of
    facts only those that sure rules look at. `keys` as for `read_mentioned`.
    """
    pages = tuple(WikiPage(**row) for row in reader.read(queries.get("write/resolve_pages"), graph=graph))
    rows = reader.stream(queries.get("write/resolve_facts"), graph=graph)
    facts = ((*(keys.get(row[end], row[end]) for end in ("source", "target")), row["types"]) for row in rows)
    found = related(facts if sure is None else asked_facts(sure, facts))
    neighbours: dict[str, tuple[tuple[str, float], ...]] = {}
    asked = {"graph": graph, "index": vector_index, "limit": ASKED_PAGE, "fetch": NEIGHBOURS, "near": NEAR}
    query, after = queries.get("write/resolve_neighbours"), ""
    if by_graph and vector_index:
        query = query.searching({"index": vector_index})
    while vector_index and (near := reader.read(query, after=after, **asked)):
        after = near[-1]["id"]
        for row in near:
            if row["near"]:
                neighbours[row["id"]] = tuple((key, round(cosine, 4)) for key, cosine in sorted(row["near"]))
    return Sources(pages, found, neighbours)


def changed_decisions(
    graph: str, mentioned: Iterable[Mentioned], sources: Sources, stored: Sequence[StoredDecision]
) -> tuple[tuple[Mentioned, ...], tuple[StoredDecision, ...]]:
    """Return the keys after namesakes were told apart, and the derived decisions to store.

    These are new or changed ones, and revoked ones that the evidence gives no more.
    """
    given = [each.decision for each in stored if not each.derived]
    decided = {decision.id for decision in given}
    wanted: dict[str, StoredDecision] = {}
    keys, proposals = sure_proposals(mentioned, sources, given)
    for each in proposals:
        left, right = sorted((each.left, each.right), key=lambda side: side.key)
        how = (each.rule, each.score, each.reason)
        if each.verdict is ProposalVerdict.SPLIT:
            decision = tell_apart(graph, each.left.key, each.document, *how)
        else:
            decision = decide(graph, DecisionKind.SAME, (left.key, right.key), *how)
        if decision.id not in decided:
            wanted[decision.id] = StoredDecision(decision, left.shown, right.shown, pending=True, derived=True)
    known = {each.decision.id: each for each in stored if each.derived}
    new = [each for name, each in wanted.items() if name not in known or replace(known[name], pending=True) != each]
    gone = [
        replace(each, decision=replace(each.decision, revoked=True), pending=True)
        for name, each in known.items()
        if name not in wanted
    ]
    return keys, (*new, *gone)
