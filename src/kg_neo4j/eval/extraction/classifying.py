"""Scores a classifier of relations on annotated entities, at its own threshold and at the best one of a validation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kg_neo4j.eval.extraction.gold import GoldPassage
from kg_neo4j.eval.extraction.matching import RelationMatch, compare_relations
from kg_neo4j.eval.extraction.prediction import FoundEntity, FoundRelation
from kg_neo4j.eval.extraction.scores import Counts, PassageCounts, Score, score, shares
from kg_neo4j.eval.extraction.type_map import TypeMap
from kg_neo4j.extract.annotation import EntityMentions, RelationClassifier


@dataclass(frozen=True, slots=True)
class BestThreshold:
    """The scores at the threshold with the best F1 on the validation passages, chosen for each measure by itself."""

    within_sentence: Score
    within_sentence_threshold: float
    document: Score
    document_threshold: float


@dataclass(frozen=True, slots=True)
class Classified:
    """What a classifier says about annotated passages."""

    passages: tuple[GoldPassage, ...]
    relations: tuple[tuple[FoundRelation, ...], ...]  # of each passage

    def match(self, types: TypeMap, threshold: float) -> list[RelationMatch]:
        """Return the counts of every passage for what is at least as likely as `threshold`."""
        return [
            compare_relations(
                gold,
                given(gold),
                [each for each in relations if each.probability >= threshold],
                types,
                range(len(gold.entities)),
            )
            for gold, relations in zip(self.passages, self.relations, strict=True)
        ]


def classify(classifier: RelationClassifier, passages: Sequence[GoldPassage]) -> Classified:
    """Ask a classifier about the annotated entities of passages."""
    found = []
    for gold in passages:
        entities = [EntityMentions(one.name, one.type, one.mentions) for one in given(gold)]
        found.append(
            tuple(
                FoundRelation(each.source, each.type, each.target, each.evidence, each.probability)
                for each in classifier.relate(gold.text, gold.sentences, entities)
            )
        )
    return Classified(tuple(passages), tuple(found))


def given(gold: GoldPassage) -> list[FoundEntity]:
    """Return the annotated entities as found ones."""
    return [
        FoundEntity(entity.name, entity.type, tuple((each.start, each.end) for each in entity.mentions))
        for entity in gold.entities
    ]


def at_best_threshold(validation: Classified, scored: Classified, types: TypeMap) -> BestThreshold:
    """Return the scores of `scored` at the thresholds that are best for `validation`, in steps of a hundredth."""
    steps = [step / 100 for step in range(1, 100)]
    matches = {step: validation.match(types, step) for step in steps}
    near = max(steps, key=lambda step: (_f1([each.within_sentence for each in matches[step]]), step))
    far = max(steps, key=lambda step: (_f1([each.document for each in matches[step]]), step))
    return BestThreshold(
        within_sentence=score([each.within_sentence for each in scored.match(types, near)]),
        within_sentence_threshold=near,
        document=score([each.document for each in scored.match(types, far)]),
        document_threshold=far,
    )


def _f1(passages: Sequence[PassageCounts]) -> float:
    return shares(sum((counts for passage in passages for counts in passage.values()), Counts())).f1
