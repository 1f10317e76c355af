"""The leaves of a document's tree: its own chunks where they are short, else passages cut for the tree. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire.chunking import chunk as cut
from kg_neo4j.acquire.identity import hash_id, text_hash
from kg_neo4j.organise.tree.interface import Leaf, TreeOptions
from kg_neo4j.records import Document


@dataclass(frozen=True, slots=True)
class Leaves:
    """The leaves of one tree, in reading order. `overlaps`: of each passage, (chunk id, start, end) in that chunk."""

    leaves: tuple[Leaf, ...]
    are_passages: bool
    overlaps: Mapping[str, tuple[tuple[str, int, int], ...]]  # nothing for leaves that are chunks


def leaves_of(tree_id: str, chunks: Sequence[Leaf], tokeniser: Tokeniser, options: TreeOptions) -> Leaves:
    """Return the leaves over `chunks` of one document, in reading order: these themselves where none is too long."""
    most = options.leaf_tokens
    if all(each.token_count <= most for each in chunks):
        return Leaves(tuple(chunks), False, {})
    text = joined(chunks)
    document = Document(tree_id, "", "", "", "", "", text, text_hash(text))
    found = cut(document, tokeniser, max_tokens=most, limit=most)
    passages = tuple(Leaf(each.id, each.text, each.token_count, each.start, each.end) for each in found)
    return Leaves(passages, True, {each.id: _overlaps(each, chunks) for each in passages})


def joined(chunks: Sequence[Leaf]) -> str:
    """Return a document's text, put together from its chunks by their offsets; what no chunk has is white space."""
    parts: list[str] = []
    at = 0
    for each in sorted(chunks, key=lambda one: (one.start, one.end)):
        if each.start > at:
            parts.append("\n" * (each.start - at) if each.start > at + 1 else " ")  # between paragraphs, or within one
            at = each.start
        if each.end > at:
            parts.append(each.text[at - each.start :])
            at = each.end
    return "".join(parts)


def fingerprint(chunks: Sequence[tuple[str, int, int]]) -> str:
    """Return a hash of a document's chunks, each (id, start, end), in reading order: another one, other leaves."""
    return hash_id("leaves", *(f"{each} {start} {end}" for each, start, end in chunks))


def _overlaps(passage: Leaf, chunks: Sequence[Leaf]) -> tuple[tuple[str, int, int], ...]:
    shared = (
        (each.id, max(each.start, passage.start) - each.start, min(each.end, passage.end) - each.start)
        for each in chunks
    )
    return tuple(sorted((chunk, start, end) for chunk, start, end in shared if start < end))
