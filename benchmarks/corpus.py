"""The extraction result that all writers get: 22,000 nodes and 107,600 relationships in 2,000 chunks.

Plain tuples, so that every writer's environment can read them without the others' packages.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

NODES, RELATIONSHIPS, CHUNKS = 22_000, 107_600, 2_000
NODE_TYPES = [f"TYPE_{n}" for n in range(10)]
RELATIONSHIP_TYPES = [f"RELATION_{n}" for n in range(60)]  # W1 found 63
STRENGTH = 5.0  # of every relationship, 1 to 10


@dataclass(frozen=True)
class ChunkRows:
    """What one chunk says: nodes (name, type, role, description), relationships (source, type, target, description).

    Every description is a sentence of the text; `quote` gives the words that it rests on.
    """

    index: int
    text: str
    nodes: list[tuple[str, str, str, str]]
    relationships: list[tuple[str, str, str, str]]


def chunk_rows(chunks: int = CHUNKS, seed: int = 1) -> Iterator[ChunkRows]:
    """Yield the first `chunks` chunks: 11 nodes each, named nowhere else, and 53 or 54 relationships between them."""
    draw = random.Random(seed)
    size = NODES // CHUNKS
    for index in range(chunks):
        names = [f"Name {index * size + n}" for n in range(size)]
        nodes = [
            (name, draw.choice(NODE_TYPES), f"role of {name}", f"{name} is spoken of in chunk {index} of the text.")
            for name in names
        ]
        seen: set[tuple[str, str, str]] = set()
        while len(seen) < _relationships_up_to(index + 1) - _relationships_up_to(index):
            source, target = draw.sample(names, 2)
            seen.add((source, draw.choice(RELATIONSHIP_TYPES), target))
        relationships = [
            (source, kind, target, f"{source} is tied to {target} in chunk {index}.")
            for source, kind, target in sorted(seen)
        ]
        text = " ".join(dict.fromkeys(row[3] for row in (*nodes, *relationships)))
        yield ChunkRows(index, text, nodes, relationships)


def counts(chunks: int = CHUNKS) -> tuple[int, int]:
    """Return how many nodes and relationships the first `chunks` chunks have."""
    return NODES // CHUNKS * chunks, _relationships_up_to(chunks)


def quote(description: str) -> str:
    """Return the words of the chunk's text that a row with this description rests on."""
    return description.partition(" in chunk ")[0]


def _relationships_up_to(chunks: int) -> int:
    return RELATIONSHIPS * chunks // CHUNKS
