"""The mode `local`: what the question names, what lies near it in the graph, and what matches by words and meaning."""

from __future__ import annotations

from collections.abc import Sequence

from kg_neo4j.graph.database import Database, Reader
from kg_neo4j.retrieve import naive
from kg_neo4j.retrieve.filtered import read_left
from kg_neo4j.retrieve.interface import CHUNKS, Found, FoundChunk, Linked, Search, read_chunk, read_entity, read_fact
from kg_neo4j.retrieve.linking import named
from kg_neo4j.retrieve.naive import fetched, rest_of
from kg_neo4j.retrieve.pagerank import EVERYTHING, Reached, spread
from kg_neo4j.retrieve.ranking import rank
from kg_neo4j.words import fold, split_words

SEEDS = 8  # entities to start from
FACTS = 16  # facts found by themselves
PER_SEED = 20  # facts around one entity: the bound that keeps hubs fast
HUB = 2_000  # relationships of one entity that are looked at for the best of them
REACHED = 6  # entities near to those that are named
FIRST = 3  # chunks to start from where nothing is named
FLAT = 12  # chunks that words and meaning find, beside what the walk reaches
WORDED = 1e-6  # score of a chunk that only its words bring


def retrieve(database: Database, search: Search, chunks: int = CHUNKS) -> Found:
    """Return entities, facts and chunks of the graph, in a handful of round trips.

    Where nothing in the question is named in the graph, the walk starts at the best chunks.
    """
    most = max(FLAT, chunks)
    best, linked = database.read_transaction(lambda each: (naive.retrieve(each, search, most), named(each, search)))
    flat = tuple(each.id for each in best.chunks)
    reached = Reached()
    if linked or flat:
        begin = _naming(search, linked, best.chunks) or (() if linked else flat[:FIRST])
        reached = spread(database, search.graph, linked, begin, search.scope)

    def read(reader: Reader) -> Found:
        ranked = rank(reader, search, reached.chunks, flat, best.worded)[:chunks]
        known = {each for each, _ in ranked}
        worded = [(each, WORDED) for each in best.worded[:chunks] if each not in known]
        return match(reader, search, linked, reached, ranked + worded)

    return database.read_transaction(read)


def _naming(search: Search, linked: Linked, chunks: Sequence[FoundChunk]) -> list[str]:
    """Return the best chunks that have a name of the question which no entity and no document bears."""
    taken = {fold(word) for name in linked.names for word in split_words(name)}
    names = [f" {' '.join(run)} " for run in search.question.full_names if not taken & set(run)]
    texts = [(each.id, f" {' '.join(map(fold, split_words(each.text)))} ") for each in chunks] if names else []
    return [each for each, text in texts if any(name in text for name in names)][:FIRST]


def match(
    reader: Reader, search: Search, linked: Linked, reached: Reached, ranked: Sequence[tuple[str, float]]
) -> Found:
    """Return what matches by words and meaning, one hop around it, and the `ranked` chunks.

    One query; two where filters leave too few of the best finds by words.
    """
    near = [each for each, _ in reached.entities if each not in linked.entities][:REACHED]
    given = {
        "graph": search.graph,
        "words": search.words,
        "vector": None if search.vector is None else list(search.vector),
        "terms": list(search.question.terms),
        "linked": list(linked.entities),
        "reached": near,
        "rest": rest_of(search),
        "ranked": [{"id": each, "score": score} for each, score in ranked],
        "seeds": SEEDS,
        "facts": FACTS,
        "per_seed": PER_SEED,
        "hub": HUB,
        "filtered": search.scope is not None,
    }
    row = read_left(reader, search.scope, "retrieve/local", fetch_words=fetched(search.scope, CHUNKS), **given)[0]
    if row["short"]:
        row = read_left(reader, search.scope, "retrieve/local", fetch_words=EVERYTHING, **given)[0]
    return Found(
        "local",
        tuple(read_chunk(chunk) for chunk in row["chunks"]),
        tuple(read_entity(entity) for entity in row["entities"]),
        tuple(read_fact(fact) for fact in row["facts"]),
    )
