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
class LeafSource:
    """A chunk of the document, as far as leaves are made of it."""

    id: str
    text: str
    token_count: int
    start: int  # in the document's text, as `end`
    end: int


@dataclass(frozen=True, slots=True)
class Leaves:
    """The leaves of one tree, in reading order. `overlaps`: of each passage, (chunk id, start, end) in that chunk."""

    leaves: tuple[Leaf, ...]
    are_passages: bool
    overlaps: Mapping[str, tuple[tuple[str, int, int], ...]]  # nothing for leaves that are chunks


def leaves_of(tree_id: str, chunks: Sequence[LeafSource], tokeniser: Tokeniser, options: TreeOptions) -> Leaves:
    """Return the leaves over `chunks` of one document, which come in reading order.

    The chunks themselves, where each has at most `options.most_leaf_tokens`; else passages of at most so many.
    """
    most = options.most_leaf_tokens
    if all(each.token_count <= most for each in chunks):
        return Leaves(tuple(Leaf(*_values(each)) for each in chunks), False, {})
    text = joined(chunks)
    document = Document(tree_id, "", "", "", "", "", text, text_hash(text))
    found = cut(document, tokeniser, max_tokens=options.leaf_tokens, limit=most)
    passages = tuple(Leaf(each.id, each.text, each.token_count, each.start, each.end) for each in found)
    return Leaves(passages, True, {each.id: _overlaps(each, chunks) for each in passages})


def joined(chunks: Sequence[LeafSource]) -> str:
    """Return a document's text, put together from its chunks by their offsets; what no chunk has is white space."""
    parts: list[str] = []
    at = 0
    for each in sorted(chunks, key=lambda one: (one.start, one.end)):
        if each.start > at:
            parts.append(_gap(each.start - at))
            at = each.start
        if each.end > at:
            parts.append(each.text[at - each.start :])
            at = each.end
    return "".join(parts)


def fingerprint(chunks: Sequence[tuple[str, int, int]]) -> str:
    """Return a hash of a document's chunks, each (id, start, end), in reading order: another one, other leaves."""
    return hash_id("leaves", *(f"{each} {start} {end}" for each, start, end in chunks))


def _gap(length: int) -> str:
    """Return white space: a line break or two between paragraphs, a space within one."""
    return " " if length == 1 else "\n" * length


def _overlaps(passage: Leaf, chunks: Sequence[LeafSource]) -> tuple[tuple[str, int, int], ...]:
    shared = (
        (each.id, max(each.start, passage.start) - each.start, min(each.end, passage.end) - each.start)
        for each in chunks
    )
    return tuple(sorted((chunk, start, end) for chunk, start, end in shared if start < end))


def _values(chunk: LeafSource) -> tuple[str, str, int, int, int]:
    return chunk.id, chunk.text, chunk.token_count, chunk.start, chunk.end
