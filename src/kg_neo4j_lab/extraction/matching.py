"""What extractions say of one passage, and how that compares with its annotation, measure by measure. Pure.

A row of the CSV gives a name, not places: its mentions are all exact occurrences of the name, as whole words, in the
chunk that the row is about. Where a longer name of another row covers an occurrence, the longer one has it ("York" in
"New York"). Rows of one normalised name and type are one entity, as they are in the graph.

- mentions: the same place and type ("strict"), or the same place ("span").
- entities: aligned one to one so that most mentions are shared; right where at least one mention is shared, with its
  type. A second entity for the same annotated one is not right; it is counted as a duplicate.
- relations, end to end: each end shares a mention, with its type, with the annotated end, and the relation is the same.
- relations, gold entities: a classifier is given the annotated entities. Where the extractor has none, those of its
  relations are taken both of whose ends share a place with annotated entities; the others are left out.
- within a sentence: of all relations those whose ends are both mentioned in one sentence, by the annotation where an
  end is annotated, else by its own places; for ends without places the evidence decides.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from kg_neo4j.graph.identity import normalise
from kg_neo4j.records import Chunk, Extraction, NodeRow
from kg_neo4j_lab.extraction.gold import GoldPassage
from kg_neo4j_lab.extraction.scores import Counts, PassageCounts, assign, b_cubed, ceaf, shared
from kg_neo4j_lab.extraction.type_map import TypeMap
from kg_neo4j_offline.extractor.mentions import EntityMentions, Place, ScoredRelation

Triple = tuple[int, str, int]  # ends: an annotated entity's index, or -1 - the index of a found one


@dataclass(frozen=True, slots=True)
class Prediction:
    """What was found in one passage."""

    entities: tuple[EntityMentions, ...]
    relations: tuple[ScoredRelation, ...]
    left_out: int = 0  # node rows whose type the map leaves out
    without_place: int = 0  # entities whose name the text does not have


def from_extractions(extractions: Sequence[Extraction], types: TypeMap) -> Prediction:
    """Return what the CSV rows of all chunks of one passage say."""
    index: dict[tuple[str, str], int] = {}  # normalised name and type -> place in the next two
    names: list[NodeRow] = []
    places: list[set[Place]] = []
    relations: dict[Triple, ScoredRelation] = {}
    left_out = 0
    for extraction in extractions:
        start = extraction.chunk.start
        kept = [node for node in extraction.nodes if types.node_type(node.type) is not None]
        left_out += len(extraction.nodes) - len(kept)
        rows: dict[str, int] = {}
        for node, found in zip(kept, occurrences([node.name for node in kept], extraction.chunk.text), strict=True):
            rows[node.node_id] = number = index.setdefault((normalise(node.name), node.type), len(names))
            if number == len(names):
                names.append(node)
                places.append(set())
            places[number].update((start + first, start + last) for first, last in found)
        for row in extraction.relationships:
            if row.source_id in rows and row.target_id in rows:
                ends = rows[row.source_id], row.type, rows[row.target_id]
                span = None if row.span is None else (start + row.span.start, start + row.span.end)
                relations.setdefault(ends, ScoredRelation(*ends, 1.0, span))
    entities = tuple(
        EntityMentions(node.name, types.node_type(node.type) or "", tuple(sorted(found)))
        for node, found in zip(names, places, strict=True)
    )
    return Prediction(entities, tuple(relations.values()), left_out, sum(not each.mentions for each in entities))


def from_mentions(
    chunks: Iterable[tuple[Chunk, Sequence[EntityMentions]]], types: TypeMap
) -> tuple[EntityMentions, ...]:
    """Return the entities that an extractor knows the places of itself, chunk by chunk, as `EntityMentions`."""
    merged: dict[tuple[str, str], tuple[str, set[Place]]] = {}
    for chunk, entities in chunks:
        for entity in entities:
            kind = types.node_type(entity.type)
            if kind is not None:
                _, places = merged.setdefault((normalise(entity.name), kind), (entity.name, set()))
                places.update((chunk.start + first, chunk.start + last) for first, last in entity.mentions)
    return tuple(EntityMentions(name, key[1], tuple(sorted(places))) for key, (name, places) in merged.items())


def occurrences(names: Sequence[str], text: str) -> list[tuple[Place, ...]]:
    """Return where each name is in `text` as whole words, less what a longer name of another spelling covers.

    A name matches with its own spelling; any white space stands for any other.
    """
    found: list[list[Place]] = []
    for name in names:
        words = r"\s+".join(re.escape(word) for word in name.split())
        found.append([match.span() for match in re.finditer(rf"(?<!\w){words}(?!\w)", text)] if words else [])
    spans = sorted({span for each in found for span in each}, key=lambda span: (span[0] - span[1], span))
    taken = bytearray(len(text))
    kept: set[Place] = set()
    for start, end in spans:
        if not any(taken[start:end]):
            taken[start:end] = b"\1" * (end - start)
            kept.add((start, end))
    return [tuple(span for span in each if span in kept) for each in found]


@dataclass(frozen=True, slots=True)
class Duplicates:
    """Found entities that are right about some annotated entity, and how many of them only say one again."""

    matched: int = 0
    surplus: int = 0

    def __add__(self, other: Duplicates) -> Duplicates:
        return Duplicates(self.matched + other.matched, self.surplus + other.surplus)

    @property
    def rate(self) -> float:
        """Share of the matched entities that are surplus, 0 to 1."""
        return self.surplus / self.matched if self.matched else 0.0


@dataclass(frozen=True, slots=True)
class RelationMatch:
    """Relations of one passage."""

    within_sentence: PassageCounts
    document: PassageCounts
    right: int  # annotated facts that were found
    with_evidence: int  # of these: annotated with the sentences that state them, and found with evidence
    in_evidence: int  # of these: the evidence lies in such a sentence


def compare_mentions(gold: GoldPassage, found: Sequence[EntityMentions]) -> tuple[PassageCounts, PassageCounts]:
    """Return the counts of mentions, strict and by span alone (under one type, "")."""
    theirs = {(each.start, each.end, each.type) for entity in gold.entities for each in entity.mentions}
    ours = {(*place, entity.type) for entity in found for place in entity.mentions}
    strict = count(ours, theirs, lambda each: each[2])
    span = count({each[:2] for each in ours}, {each[:2] for each in theirs}, lambda _: "")
    return strict, span


def compare_entities(gold: GoldPassage, found: Sequence[EntityMentions]) -> tuple[PassageCounts, Duplicates]:
    """Return the counts of entities, and the duplicates."""
    theirs = [{(each.start, each.end, each.type) for each in entity.mentions} for entity in gold.entities]
    ours = [{(*place, entity.type) for place in entity.mentions} for entity in found]
    pairs = assign([[len(one & other) for other in theirs] for one in ours])
    right, all_found = Counter(found[row].type for row, _ in pairs), Counter(entity.type for entity in found)
    covered = Counter(gold.entities[column].type for _, column in pairs)
    wanted = Counter(entity.type for entity in gold.entities)
    kinds = right.keys() | all_found.keys() | covered.keys() | wanted.keys()
    counts = {kind: Counts(right[kind], all_found[kind], covered[kind], wanted[kind]) for kind in kinds}
    matched = [index for index in align(gold, found, typed=True) if index is not None]
    return counts, Duplicates(len(matched), len(matched) - len(set(matched)))


def compare_clusters(gold: GoldPassage, found: Sequence[EntityMentions]) -> Mapping[str, Counts]:
    """Return B-cubed and CEAF over all mentions, and over those that both sides have ("shared")."""
    theirs: list[frozenset[Hashable]] = [
        frozenset((each.start, each.end) for each in entity.mentions) for entity in gold.entities
    ]
    ours: list[frozenset[Hashable]] = [frozenset(entity.mentions) for entity in found if entity.mentions]
    sides = {"all": (ours, theirs), "shared": shared(ours, theirs)}
    measures = {"b_cubed": b_cubed, "ceaf_e": ceaf}
    return {f"{side}.{name}": measure(*sides[side]) for side in sides for name, measure in measures.items()}


def align(gold: GoldPassage, found: Sequence[EntityMentions], *, typed: bool) -> list[int | None]:
    """Return for each found entity the annotated one with which it shares most mentions; None where there is none.

    `typed` asks for the type too. Of several with equally many the first one counts.
    """
    owners: dict[tuple[int, int, str], set[int]] = {}
    for index, entity in enumerate(gold.entities):
        for each in entity.mentions:
            owners.setdefault((each.start, each.end, each.type if typed else ""), set()).add(index)
    aligned: list[int | None] = []
    for one in found:
        votes = Counter(
            index for place in one.mentions for index in owners.get((*place, one.type if typed else ""), ())
        )
        aligned.append(min(votes, key=lambda index: (-votes[index], index)) if votes else None)
    return aligned


def compare_relations(
    gold: GoldPassage,
    found: Sequence[EntityMentions],
    relations: Iterable[ScoredRelation],
    types: TypeMap,
    aligned: Sequence[int | None],
    *,
    only_aligned: bool = False,
) -> RelationMatch:
    """Return the counts of relations whose ends are `found` entities, `aligned` to annotated ones.

    With `only_aligned` relations to anything else are left out.
    """
    theirs = {(each.source, each.type, each.target): each for each in gold.relations}
    near = _Nearness(gold, found)
    ours: dict[Triple, Place | None] = {}
    for relation in relations:
        ends = aligned[relation.source], aligned[relation.target]
        if only_aligned and None in ends:
            continue
        source = -1 - relation.source if ends[0] is None else ends[0]
        target = -1 - relation.target if ends[1] is None else ends[1]
        if source != target:
            for claim in types.claims(relation.type):
                meant = [
                    (target, each.type, source) if each.reversed else (source, each.type, target) for each in claim
                ]
                triple = next((each for each in meant if each in theirs), meant[0])  # a claim is never empty
                ours[triple] = ours.get(triple) or relation.evidence
    right = ours.keys() & theirs.keys()
    stated = [(theirs[each].evidence, evidence) for each in right if (evidence := ours[each]) and theirs[each].evidence]
    return RelationMatch(
        within_sentence=count(
            {each for each, evidence in ours.items() if near.is_near(each, evidence)},
            {each for each in theirs if near.is_near(each, None)},
            lambda each: each[1],
        ),
        document=count(ours.keys(), theirs.keys(), lambda each: each[1]),
        right=len(right),
        with_evidence=len(stated),
        in_evidence=sum(any(sentence in near.of_place(place) for sentence in sentences) for sentences, place in stated),
    )


def count(ours: Collection[Hashable], theirs: Collection[Hashable], kind: Callable[..., str]) -> dict[str, Counts]:
    """Return the counts of two sets by the kind of their members."""
    found, wanted = Counter(map(kind, ours)), Counter(map(kind, theirs))
    right = Counter(map(kind, set(ours) & set(theirs)))
    return {each: Counts(right[each], found[each], right[each], wanted[each]) for each in found.keys() | wanted.keys()}


class _Nearness:
    """Says whether two ends are mentioned in one sentence."""

    def __init__(self, gold: GoldPassage, found: Sequence[EntityMentions]) -> None:
        self._borders = gold.sentences
        self._annotated = [{each.sentence for each in entity.mentions} for entity in gold.entities]
        self._found = [{number for place in one.mentions for number in self.of_place(place)} for one in found]

    def is_near(self, triple: Triple, evidence: Place | None) -> bool:
        one, other = self._sentences(triple[0]), self._sentences(triple[2])
        if one and other:
            return bool(one & other)
        return evidence is not None and len(self.of_place(evidence)) == 1

    def of_place(self, place: Place) -> set[int]:
        return {number for number, (start, end) in enumerate(self._borders) if place[0] < end and start < place[1]}

    def _sentences(self, end: int) -> set[int]:
        return self._annotated[end] if end >= 0 else self._found[-1 - end]
