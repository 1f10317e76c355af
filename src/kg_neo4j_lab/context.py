"""What carrying context over between chunks is worth (the graph article): one text, extracted with and without it.

Nothing is written to a database. Three counts tell how far a graph falls apart at the borders of chunks:

- components: connected parts of the graph; a pronoun that nobody resolves leaves its sentence unconnected;
- duplicates: nodes whose name is a part of another node's name of the same type ("Curie" beside "Marie Curie"), or
  a pronoun;
- pronoun links: relationships whose evidence names at most one of its ends and has a pronoun instead.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from kg_neo4j import factory
from kg_neo4j._models import tokens
from kg_neo4j.errors import UnreadableSource
from kg_neo4j.extract.context import DocumentJob
from kg_neo4j.extract.engine import extract_all
from kg_neo4j.graph.identity import mention_key, normalise
from kg_neo4j.graph.resolution.decisions import Union
from kg_neo4j.pipeline.options import LoadOptions, check_sources, cut_document, extraction_config
from kg_neo4j.pipeline.tally import Tally
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Extraction, NodeRow, Usage
from kg_neo4j.settings import Settings

PRONOUNS = re.compile(
    r"\b(?:he|she|it|they|him|her|them|his|hers|its|their|theirs|himself|herself|itself|themselves)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class ContextVariant:
    """One way to extract the text, and the graph that it gave."""

    wave: int  # chunks asked about together; 0: nothing is carried over
    chunks: int
    nodes: int
    relationships: int
    components: int
    largest: float  # share of the nodes that are in the largest component, 0 to 1
    duplicates: int
    pronoun_links: int
    usage: Usage


@dataclass(frozen=True, slots=True)
class ContextStudy:
    """The variants, side by side."""

    model: str
    uses_context: bool  # False for rules, which read each chunk by itself
    variants: tuple[ContextVariant, ...]


def study_context(
    sources: Sequence[str], *, settings: Settings, options: LoadOptions, progress: Progress = SILENT
) -> ContextStudy:
    """Extract `sources` without carry-over and with waves of `options.wave` chunks; compare the graphs.

    Raises UnreadableSource where there is nothing to read, and what a model raises.
    """
    tokeniser = tokens.load()
    documents = list(check_sources(sources, settings, options, Tally()).documents())
    if not documents:
        raise UnreadableSource(f"nothing to read in {', '.join(sources)}", hint="`kg load` says why")
    cut = [(document, cut_document(document, tokeniser, settings, options)) for document in documents]
    config = extraction_config(settings, options, factory.door(settings))
    variants = []
    for wave in (0, options.wave):
        progress.start("extract", sum(len(chunks) for _, chunks in cut))
        jobs = [DocumentJob(document, chunks, chunks) for document, chunks in cut]
        found = []
        for _, extraction in extract_all(jobs, replace(config, wave=wave)):
            found.append(extraction)
            progress.advance("extract")
        progress.finish("extract")
        variants.append(measure(found, wave, settings.graph))
    return ContextStudy(config.extractor.name, config.extractor.converses, tuple(variants))


def measure(extractions: Sequence[Extraction], wave: int, graph: str = "study") -> ContextVariant:
    """Return the counts for the graph that extractions give together."""
    names: dict[str, tuple[str, str]] = {}
    links: set[tuple[str, str]] = set()
    facts: set[tuple[str, str, str]] = set()
    pronoun_links = 0
    for extraction in extractions:
        nodes = {node.node_id: node for node in extraction.nodes}
        keys = {node_id: mention_key(graph, node.name, node.type) for node_id, node in nodes.items()}
        names |= {keys[node_id]: (normalise(node.name), node.type) for node_id, node in nodes.items()}
        for row in extraction.relationships:
            ends = keys[row.source_id], keys[row.target_id]
            links.add(ends)
            facts.add((ends[0], row.type, ends[1]))
            pronoun_links += is_pronoun_link(row.evidence or "", nodes[row.source_id], nodes[row.target_id])
    sizes = component_sizes(names, links)
    return ContextVariant(
        wave=wave,
        chunks=len(extractions),
        nodes=len(names),
        relationships=len(facts),
        components=len(sizes),
        largest=max(sizes, default=0) / max(len(names), 1),
        duplicates=count_duplicates(names.values()),
        pronoun_links=pronoun_links,
        usage=sum((extraction.usage for extraction in extractions), Usage()),
    )


def is_pronoun_link(evidence: str, source: NodeRow, target: NodeRow) -> bool:
    """Say whether the evidence of a relationship names at most one of its ends, and has a pronoun."""
    words = set(normalise(evidence).split())
    named = sum(bool(words & set(normalise(end.name).split())) for end in (source, target))
    return named < 2 and PRONOUNS.search(evidence) is not None


def component_sizes(nodes: Iterable[str], links: Iterable[tuple[str, str]]) -> list[int]:
    """Return how many nodes each connected component has, largest first."""
    union = Union()
    for one, other in links:
        union.join(one, other)
    return sorted(Counter(map(union.find, nodes)).values(), reverse=True)


def count_duplicates(names: Iterable[tuple[str, str]]) -> int:
    """Return how many names are a proper part of another name of the same type, word by word, or a pronoun."""
    by_type: dict[str, list[frozenset[str]]] = {}
    for name, kind in names:
        by_type.setdefault(kind, []).append(frozenset(name.split()))
    return sum(
        any(words < other for other in group) or PRONOUNS.fullmatch(" ".join(words)) is not None
        for group in by_type.values()
        for words in group
    )
