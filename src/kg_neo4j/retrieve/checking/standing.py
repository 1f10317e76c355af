"""Whether what an answer cites is still there when the answer is given: a graph may change while a model thinks."""

from __future__ import annotations

from dataclasses import replace

from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database
from kg_neo4j.retrieve.checking.citations import quotes_are_in_place
from kg_neo4j.retrieve.checking.claims import Checked, split_claims, without
from kg_neo4j.retrieve.reply import Reply


def keep_standing(database: Database, graph: str, reply: Reply) -> tuple[Reply, tuple[str, ...]]:
    """Return the reply without citations of chunks that are there no more, and a note where there were any.

    A reply that cites nothing then has no text: nothing is left that it could be checked by.
    """
    if not reply.citations:
        return reply, ()
    ids = sorted({citation.chunk_id for citation in reply.citations})
    rows = database.read(queries.get("retrieve/cited_chunks"), graph=graph, ids=ids)
    texts = {row["id"]: row["text"] for row in rows}
    gone = frozenset(
        number for number, citation in enumerate(reply.citations, 1) if not quotes_are_in_place([citation], texts)
    )
    if not gone:
        return reply, ()
    note = f"{len(gone)} citations were removed: their documents were changed while the answer was made"
    if reply.path or len(split_claims(reply.text)) != len(reply.claims):
        return replace(reply, text="", citations=(), claims=(), short="", path=()), (f"{note}; ask again",)
    left = without(Checked(reply.text, reply.citations, reply.claims), gone)
    if not left.citations:
        return replace(reply, text="", citations=(), claims=(), short="", path=()), (f"{note}; ask again",)
    return replace(reply, text=left.text, citations=left.citations, claims=left.claims), (note,)
