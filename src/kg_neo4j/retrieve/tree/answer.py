"""A question answered from narrative trees: what is read are nodes of all levels, what is cited are words of chunks."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import list_documents
from kg_neo4j.organise import search_indexes
from kg_neo4j.records import Answer, Filters, KindShare
from kg_neo4j.retrieve.ask import NOT_FOUND, prepare
from kg_neo4j.retrieve.checking.standing import keep_standing
from kg_neo4j.retrieve.filters import resolve
from kg_neo4j.retrieve.interface import FoundNode
from kg_neo4j.retrieve.means import Means
from kg_neo4j.retrieve.nearest import nearest
from kg_neo4j.retrieve.question import read
from kg_neo4j.retrieve.reply import AnswerFromSources
from kg_neo4j.retrieve.tree.choice import MODE, TreeChoice
from kg_neo4j.retrieve.tree.search import retrieve


def ask_tree(
    database: Database,
    question: str,
    graph: str,
    how: Means,
    choice: TreeChoice | None = None,
    filters: Filters | None = None,
) -> Answer:
    """Answer `question` from the narrative trees of `graph`; `found` is False where they hold no answer.

    `choice` says which nodes are read. With `filters` nothing is read that rests on a chunk which they do not leave.
    Raises UsageError for an empty question, an aspect that no tree has or a filter value that matches nothing, and the
    model's and the database's errors.
    """
    started = time.monotonic()
    asked = read(question)
    search, notes = prepare(database, asked, graph, how.embedder, how.tokeniser, search_indexes.WORDED)
    search = replace(search, scope=resolve(database, graph, filters or Filters()))
    if search.scope is not None:
        notes.append(f"filtered by {search.scope.said}: {search.scope.counted}")
    found = retrieve(database, search, choice or TreeChoice(), how.tokeniser, how.max_context_tokens)
    notes += found.notes
    if not found.nodes and not found.notes:
        is_empty = not list_documents(database, graph)
        hint = "is empty: load something first, for example kg load FILE"
        nothing = f"nothing in the trees of graph {graph!r} can be read within {how.max_context_tokens:,} tokens"
        notes.append(f"graph {graph!r} {hint}" if is_empty else nothing)
    retrieved = time.monotonic()
    said = how.door.do(AnswerFromSources(asked, found, how))
    said, gone = keep_standing(database, graph, said)
    ways = [said.ways.get(each, found.way(each.chunk_id, each.start, each.end)) for each in said.citations]
    return Answer(
        question=asked.text,
        mode=MODE,
        answer=said.text or NOT_FOUND,
        found=bool(said.text),
        citations=said.citations,
        evidence=said.evidence,
        usage=said.usage,
        seconds=time.monotonic() - started,
        notes=(*notes, *said.notes, *gone),
        claims=said.claims,
        short=said.short,
        retrieval_seconds=retrieved - started,
        model_seconds=said.model_seconds,
        descents=tuple(ways),
        shares=shares(found.nodes),
        nearest=() if said.text else nearest(asked, found),
    )


def shares(nodes: Sequence[FoundNode]) -> tuple[KindShare, ...]:
    """Return how much of what was read is of each kind, the most first."""
    counts = Counter((node.kind, node.aspect) for node in nodes)
    ranked = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    return tuple(KindShare(kind, aspect, count, count / len(nodes)) for (kind, aspect), count in ranked)
