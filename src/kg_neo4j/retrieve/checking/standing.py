"""Where what an answer cites stands: in a chunk that is still there when the answer is given, and on which page."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Row
from kg_neo4j.graph.identity import normalise
from kg_neo4j.records import Answer, Citation, Claim
from kg_neo4j.retrieve.checking.citations import ShownSource, quotes_are_in_place
from kg_neo4j.retrieve.checking.claims import CheckedClaims, split_claims, without
from kg_neo4j.retrieve.checking.support import CONTRADICTED
from kg_neo4j.retrieve.filtered import read_left
from kg_neo4j.retrieve.interface import FoundChunk, Scope, read_chunk, read_corrections


@dataclass(frozen=True, slots=True)
class CitedThing:
    """An entity, a fact or a chunk, and where chunks speak of it; at least one place."""

    id: str
    kind: str  # "entity", "fact" or "chunk"
    name: str
    places: tuple[ShownSource, ...]


def read_cited(
    database: Database, scope: Scope | None, query: str, graph: str, ids: Sequence[str], most: int
) -> dict[str, CitedThing]:
    """Return what `ids` are, each with `most` places at most, as far as a chunk, of those of `scope`, speaks of it."""
    rows = read_left(database, scope, query, graph=graph, ids=ids, limit=most) if ids else []
    return {
        row["id"]: CitedThing(row["id"], row["kind"], row["name"] or "", tuple(map(_source, row["places"])))
        for row in rows
        if row["places"]
    }


def _source(place: Row) -> ShownSource:
    """Return the words of a place; the whole chunk where it has none."""
    chunk = read_chunk({**place, "id": place["chunk_id"], "score": None, "language": None})
    start, end = place["start"], place["end"]
    is_within = start is not None and end is not None and 0 <= start < end <= len(chunk.text)
    return ShownSource("", chunk, *((start, end) if is_within else (0, len(chunk.text))))


def keep_standing(database: Database, graph: str, answer: Answer) -> Answer:
    """Return the answer with the pages of PDFs, without citations of chunks that are gone, which a note reports.

    The graph may have changed while a model was thinking. An answer that cites nothing then has no text: nothing is
    left that it could be checked by. What sentences alone say against a correction is marked as contradicted.
    """
    shown = [each.citation for each in answer.passages]
    if not answer.citations and not shown:
        return answer
    rows = _chunks(database, graph, [*answer.citations, *shown])
    texts = {each: row["text"] for each, row in rows.items()}
    citations = _paged(answer.citations, rows)
    reach = [(len(each.before) + 1, len(each.after) + 1) for each in answer.passages]
    passages = tuple(
        replace(each, citation=place, section=each.section if place.document == each.citation.document else "")
        for each, place in zip(answer.passages, _paged(shown, rows, reach), strict=True)
        if quotes_are_in_place([place], texts)
    )
    answer = _corrected(replace(answer, citations=citations, passages=passages))
    gone = frozenset(number for number, each in enumerate(citations, 1) if not quotes_are_in_place([each], texts))
    if not gone:
        return answer
    note = f"{len(gone)} citations were removed: their documents were changed while the answer was made"
    left = CheckedClaims("", (), ())
    if not answer.path and len(split_claims(answer.answer)) == len(answer.claims):
        left = without(CheckedClaims(answer.answer, citations, answer.claims), gone)
    if not left.citations:
        notes = (*answer.notes, f"{note}; ask again")
        return replace(
            answer, answer="", found=False, citations=(), claims=(), descents=(), short="", path=(), notes=notes
        )
    steps = dict(zip(citations, answer.descents, strict=False))  # of a tree alone
    return replace(
        answer,
        answer=left.text,
        citations=left.citations,
        claims=left.claims,
        descents=tuple(steps[each] for each in left.citations if each in steps),
        notes=(*answer.notes, note),
    )


def with_corrections(database: Database, graph: str, chunks: Sequence[FoundChunk]) -> tuple[FoundChunk, ...]:
    """Return chunks with what a person corrected in them."""
    rows = database.read(queries.get("retrieve/cited_chunks"), graph=graph, ids=[each.id for each in chunks])
    found = {row["id"]: read_corrections(row["corrections"]) for row in rows}
    return tuple(replace(each, corrections=found.get(each.id, ())) for each in chunks)


def _corrected(answer: Answer) -> Answer:
    """Mark the claims of an answer without a model that rest on corrected words; of no others, it is no answer.

    Steps of the graph are right: what a person called wrong is not drawn.
    """
    if answer.usage.calls or not any(each.correction for each in answer.citations):
        return answer
    short, by_graph = normalise(answer.short), {each.citation for each in answer.path if not each.relation.islower()}
    wrong: dict[Claim, str] = {}
    for claim in answer.claims:
        said = next((text for n in claim.citations if (text := answer.citations[n - 1].correction)), "")
        is_drawn = claim.judged_by == "path" and by_graph.issuperset(claim.citations)
        if said and not is_drawn and short in normalise(said):
            wrong[claim] = said
    if not wrong:
        return answer
    if len(wrong) == len(answer.claims):
        notes = (*answer.notes, *dict.fromkeys(wrong.values()))
        return replace(answer, answer="", found=False, citations=(), claims=(), short="", path=(), notes=notes)
    marked = {each: replace(each, support=CONTRADICTED, reason=said) for each, said in wrong.items()}
    return replace(answer, claims=tuple(marked.get(each, each) for each in answer.claims), short="", path=())


def paged(database: Database, graph: str, citations: Sequence[Citation]) -> tuple[Citation, ...]:
    """Return citations with the pages of PDFs and the lines of tables."""
    return _paged(citations, _chunks(database, graph, citations))


def _chunks(database: Database, graph: str, citations: Sequence[Citation]) -> dict[str, Row]:
    ids = sorted({citation.chunk_id for citation in citations})
    query = queries.get("retrieve/cited_chunks")
    rows = database.read(query, graph=graph, ids=ids) if ids else []
    return {row["id"]: row for row in rows if row["text"] is not None}  # None: deleted while it was read


def _paged(
    citations: Sequence[Citation], rows: Mapping[str, Row], reach: Sequence[tuple[int, int]] = ()
) -> tuple[Citation, ...]:
    """Return citations with the page on which each begins, or the line of a table, from 1, and what was corrected.

    With `reach`, also what was corrected so many characters before and after each.
    """
    paged = []
    for each, (before, after) in zip(citations, reach or [(0, 0)] * len(citations), strict=True):
        chunk = rows.get(each.chunk_id)
        has_pages = chunk is not None and chunk["pages"]
        page = bisect_right(chunk["pages"], chunk["start"] + each.start) if chunk and has_pages else None
        said = read_corrections(chunk["corrections"]) if chunk else ()
        here = [text for start, end, text in said if start < each.end + after and each.start - before < end]
        row = chunk["row"] if chunk else None  # of another graph: named as there
        line = chunk["line"] if chunk and row is None else None
        named = each.document if row is None else f"{each.document} {row}"
        paged.append(replace(each, document=named, page=page, line=line, correction="; ".join(dict.fromkeys(here))))
    return tuple(paged)
