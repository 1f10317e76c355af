"""From extractions and annotated passages to the counts of every measure.

Names of measures: mentions.strict, mentions.span, entities, relations.gold_entities.within_sentence and .document,
relations.end_to_end.*, clusters.all.b_cubed, .ceaf_e, and clusters.shared.*. Where an extractor says itself where its
mentions are, these rest on that, which no model behind an API can say. So there are mentions.by_name.*,
entities.by_name, relations.end_to_end.by_name.* and clusters.by_name.* too, which rest on the names of node rows
whoever wrote them: extractors are compared by these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from kg_neo4j.eval.extraction.documents import document_of
from kg_neo4j.eval.extraction.gold import GoldPassage
from kg_neo4j.eval.extraction.matching import (
    Duplicates,
    RelationMatch,
    align,
    compare_clusters,
    compare_entities,
    compare_mentions,
    compare_relations,
)
from kg_neo4j.eval.extraction.prediction import (
    FoundRelation,
    PredictedEntity,
    Prediction,
    from_extractions,
    from_mentions,
)
from kg_neo4j.eval.extraction.scores import Counts, PassageCounts, Score, score, shares
from kg_neo4j.eval.extraction.type_map import TypeMap
from kg_neo4j.extract.context import ChunkTask
from kg_neo4j.extract.interface import EntityMentions, Extractor, OffersMentions, OffersRelations, RelationClassifier
from kg_neo4j.graph.identity import normalise
from kg_neo4j.records import Extraction

BY_NAME = "all exact occurrences of the names of node rows, as whole words"
BY_EXTRACTOR = "the places that the extractor gives itself"
BY_CLASSIFIER = "the classifier {name}, given the annotated entities, at its default threshold {threshold:g}"
BY_ROWS = "no classifier: relationship rows whose ends share a place with annotated entities"


@dataclass(slots=True)
class Judged:
    """The counts of every passage, by measure, and what else was counted."""

    counts: dict[str, list[PassageCounts]] = field(default_factory=dict)
    basis: dict[str, str] = field(default_factory=dict)
    best_threshold: BestThreshold | None = None
    duplicates: Duplicates = field(default_factory=Duplicates)
    right_facts: int = 0
    stated: int = 0
    in_gold_sentence: int = 0
    unscored: Counter[str] = field(default_factory=Counter)
    left_out: int = 0
    without_place: int = 0

    def add(self, measures: Mapping[str, PassageCounts]) -> None:
        """Note the counts of one passage."""
        for name, counts in measures.items():
            self.counts.setdefault(name, []).append(counts)

    def add_relations(self, setting: str, match: RelationMatch) -> None:
        """Note the relations of one passage, "gold_entities", "end_to_end" or "end_to_end.by_name"."""
        self.add(
            {
                f"relations.{setting}.within_sentence": match.within_sentence,
                f"relations.{setting}.document": match.document,
            }
        )


def judge(
    passages: Sequence[GoldPassage],
    extractions: Sequence[Sequence[Extraction]],
    types: TypeMap,
    extractor: Extractor,
    validation: Sequence[GoldPassage] = (),
) -> Judged:
    """Return the counts of `extractions`, one list a passage. `validation` is for choosing a classifier's threshold."""
    judged = Judged(basis={"mentions": BY_NAME, "gold_entities": BY_ROWS})
    for gold, of_one in zip(passages, extractions, strict=True):
        rows = from_extractions(of_one, types)
        judged.left_out += rows.left_out
        judged.without_place += rows.without_place
        judged.unscored.update(each.type for each in rows.relations if not types.claims(each.type))
        entities: Sequence[PredictedEntity] = rows.entities
        _judge_by_name(judged, gold, rows, types)
        if isinstance(extractor, OffersMentions):
            entities = _own_mentions(gold, of_one, extractor, types)
            rows = _with_places(rows, entities)
        _judge_entities(judged, gold, entities)
        _judge_relations(judged, gold, rows, types, is_classified=isinstance(extractor, OffersRelations))
    if isinstance(extractor, OffersMentions):
        judged.basis["mentions"] = BY_EXTRACTOR
    if isinstance(extractor, OffersRelations):
        _judge_classifier(judged, passages, validation, types, extractor)
    return judged


def _judge_by_name(judged: Judged, gold: GoldPassage, rows: Prediction, types: TypeMap) -> None:
    strict, span = compare_mentions(gold, rows.entities)
    right, _ = compare_entities(gold, rows.entities)
    judged.add({"mentions.by_name.strict": strict, "mentions.by_name.span": span, "entities.by_name": right})
    clusters = compare_clusters(gold, rows.entities)
    judged.add({f"clusters.by_name.{name}": {"": clusters[f"all.{name}"]} for name in ("b_cubed", "ceaf_e")})
    aligned = align(gold, rows.entities, typed=True)
    match = compare_relations(gold, rows.entities, rows.relations, types, aligned)
    judged.add_relations("end_to_end.by_name", match)


def _judge_entities(judged: Judged, gold: GoldPassage, entities: Sequence[PredictedEntity]) -> None:
    strict, span = compare_mentions(gold, entities)
    right, duplicates = compare_entities(gold, entities)
    judged.add({"mentions.strict": strict, "mentions.span": span, "entities": right})
    judged.add({f"clusters.{name}": {"": counts} for name, counts in compare_clusters(gold, entities).items()})
    judged.duplicates += duplicates


def _judge_relations(
    judged: Judged, gold: GoldPassage, rows: Prediction, types: TypeMap, *, is_classified: bool
) -> None:
    aligned = align(gold, rows.entities, typed=True)
    match = compare_relations(gold, rows.entities, rows.relations, types, aligned)
    judged.add_relations("end_to_end", match)
    judged.right_facts += match.right
    judged.stated += match.with_evidence
    judged.in_gold_sentence += match.in_evidence
    if not is_classified:
        aligned = align(gold, rows.entities, typed=False)
        match = compare_relations(gold, rows.entities, rows.relations, types, aligned, only_aligned=True)
        judged.add_relations("gold_entities", match)


def _judge_classifier(
    judged: Judged,
    passages: Sequence[GoldPassage],
    validation: Sequence[GoldPassage],
    types: TypeMap,
    extractor: OffersRelations,
) -> None:
    classifier = extractor.relation_classifier
    classified = classify(classifier, passages)
    for match in classified.match(types, classifier.threshold):
        judged.add_relations("gold_entities", match)
    judged.basis["gold_entities"] = BY_CLASSIFIER.format(name=classifier.name, threshold=classifier.threshold)
    if validation:
        chosen_on = classify(classifier, validation)
        judged.best_threshold = at_best_threshold(chosen_on, classified, types)


def _own_mentions(
    gold: GoldPassage, extractions: Sequence[Extraction], extractor: OffersMentions, types: TypeMap
) -> tuple[PredictedEntity, ...]:
    document = document_of(gold)
    chunks = [each.chunk for each in extractions]
    tasks = [ChunkTask(document, chunk) for chunk in chunks]
    found = [extractor.find_mentions(task, task.chunk.text) for task in tasks]
    return from_mentions(zip(chunks, found, strict=True), types)


def _with_places(rows: Prediction, entities: Sequence[PredictedEntity]) -> Prediction:
    """Return the rows' entities with the places that the extractor gives itself, where it names the same entity."""
    places = {(normalise(one.name), one.type): one.mentions for one in entities}
    own = tuple(
        replace(one, mentions=places.get((normalise(one.name), one.type), one.mentions)) for one in rows.entities
    )
    return replace(rows, entities=own)


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


def given(gold: GoldPassage) -> list[PredictedEntity]:
    """Return the annotated entities in the form of extracted entities."""
    return [
        PredictedEntity(entity.name, entity.type, tuple((each.start, each.end) for each in entity.mentions))
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
