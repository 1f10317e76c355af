"""Where what an answer cites stands: in a chunk that is still there when the answer is given, and on which page."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database
from kg_neo4j.records import Answer, Citation
from kg_neo4j.retrieve.checking.citations import quotes_are_in_place
from kg_neo4j.retrieve.checking.claims import Checked, split_claims, without
from kg_neo4j.retrieve.reply import Reply


def keep_standing(database: Database, graph: str, reply: Reply) -> tuple[Reply, tuple[str, ...]]:
    """Return the reply without citations of chunks that are there no more, and a note where there were any.

    The graph may have changed while a model was thinking. A reply that cites nothing then has no text: nothing is left
    that it could be checked by.
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


def with_pages(database: Database, graph: str, answer: Answer) -> Answer:
    """Return an answer whose citations of PDFs have their pages."""
    if not answer.citations and not answer.nearest:
        return answer
    ids = sorted({citation.chunk_id for citation in (*answer.citations, *answer.nearest)})
    rows = database.read(queries.get("retrieve/cited_pages"), graph=graph, ids=ids)
    known = {row["id"]: (row["start"], row["pages"]) for row in rows}

    def paged(citations: Sequence[Citation]) -> tuple[Citation, ...]:
        return tuple(
            replace(each, page=bisect_right(known[each.chunk_id][1], known[each.chunk_id][0] + each.start))
            if each.chunk_id in known
            else each
            for each in citations
        )

    return replace(answer, citations=paged(answer.citations), nearest=paged(answer.nearest)) if known else answer
