"""Compares what was found in one passage with its annotation, measure by measure. Pure.

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

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from kg_neo4j.eval.extraction import clusters
from kg_neo4j.eval.extraction.gold import GoldPassage
from kg_neo4j.eval.extraction.prediction import FoundRelation, PredictedEntity
from kg_neo4j.eval.extraction.running_text import Place
from kg_neo4j.eval.extraction.scores import Counts, PassageCounts
from kg_neo4j.eval.extraction.type_map import Claim, TypeMap

Triple = tuple[int, str, int]  # ends: an annotated entity's index, or -1 - the index of a found one


@dataclass(frozen=True, slots=True)
class Duplicates:
    """Found entities that are right about some annotated entity, and how many of them only say one again."""

    matched: int = 0
    surplus: int = 0

    def __add__(self, other: Duplicates) -> Duplicates:
        """Add two counts."""
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


def compare_mentions(gold: GoldPassage, found: Sequence[PredictedEntity]) -> tuple[PassageCounts, PassageCounts]:
    """Return the counts of mentions, strict and by span alone (under one type, "")."""
    theirs = {(each.start, each.end, each.type) for entity in gold.entities for each in entity.mentions}
    ours = {(*place, entity.type) for entity in found for place in entity.mentions}
    strict = count(ours, theirs, lambda each: each[2])
    span = count({each[:2] for each in ours}, {each[:2] for each in theirs}, lambda _: "")
    return strict, span


def compare_entities(gold: GoldPassage, found: Sequence[PredictedEntity]) -> tuple[PassageCounts, Duplicates]:
    """Return the counts of entities, and the duplicates."""
    theirs = [{(each.start, each.end, each.type) for each in entity.mentions} for entity in gold.entities]
    ours = [{(*place, entity.type) for place in entity.mentions} for entity in found]
    pairs = clusters.assign([[len(one & other) for other in theirs] for one in ours])
    counts: Counter[tuple[str, int]] = Counter()
    counts.update((found[row].type, 0) for row, _ in pairs)
    counts.update((entity.type, 1) for entity in found)
    counts.update((gold.entities[column].type, 2) for _, column in pairs)
    counts.update((entity.type, 3) for entity in gold.entities)
    kinds = {kind for kind, _ in counts}
    matched = [index for index in align(gold, found, typed=True) if index is not None]
    return {kind: Counts(*(counts[kind, part] for part in range(4))) for kind in kinds}, Duplicates(
        len(matched), len(matched) - len(set(matched))
    )


def compare_clusters(gold: GoldPassage, found: Sequence[PredictedEntity]) -> Mapping[str, Counts]:
    """Return B-cubed and CEAF over all mentions, and over those that both sides have ("shared")."""
    theirs: list[frozenset[Hashable]] = [
        frozenset((each.start, each.end) for each in entity.mentions) for entity in gold.entities
    ]
    ours: list[frozenset[Hashable]] = [frozenset(entity.mentions) for entity in found if entity.mentions]
    ours_shared, theirs_shared = clusters.shared(ours, theirs)
    return {
        "all.b_cubed": clusters.b_cubed(ours, theirs),
        "all.ceaf_e": clusters.ceaf(ours, theirs),
        "shared.b_cubed": clusters.b_cubed(ours_shared, theirs_shared),
        "shared.ceaf_e": clusters.ceaf(ours_shared, theirs_shared),
    }


def align(gold: GoldPassage, found: Sequence[PredictedEntity], *, typed: bool) -> list[int | None]:
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
    found: Sequence[PredictedEntity],
    relations: Iterable[FoundRelation],
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
                triple = _settle(claim, source, target, theirs)
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


def _settle(claim: Claim, source: int, target: int, theirs: Collection[Triple]) -> Triple:
    """Return what a claim is held for: the first of its alternatives that the annotation has, else the first."""
    triples = [
        (target, each.type, source) if each.reversed else (source, each.type, target)
        for each in claim  # never empty
    ]
    return next((triple for triple in triples if triple in theirs), triples[0])


class _Nearness:
    """Says whether two ends are mentioned in one sentence."""

    def __init__(self, gold: GoldPassage, found: Sequence[PredictedEntity]) -> None:
        self._borders = gold.sentences
        self._annotated = [{each.sentence for each in entity.mentions} for entity in gold.entities]
        self._found = [{number for place in one.mentions for number in self.of_place(place)} for one in found]

    def is_near(self, triple: Triple, evidence: Place | None) -> bool:
        one, other = self._sentences(triple[0]), self._sentences(triple[2])
        if one and other:
            return bool(one & other)
        return evidence is not None and len(self.of_place(evidence)) == 1

    def of_place(self, place: Place) -> set[int]:
        """Return the sentences that a place touches."""
        return {number for number, (start, end) in enumerate(self._borders) if place[0] < end and start < place[1]}

    def _sentences(self, end: int) -> set[int]:
        return self._annotated[end] if end >= 0 else self._found[-1 - end]
