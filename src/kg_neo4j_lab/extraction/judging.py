"""From extractions and annotated passages to the counts of every measure.

Names of measures: mentions.strict, mentions.span, entities, relations.gold_entities.within_sentence and .document,
relations.end_to_end.*, clusters.all.b_cubed, .ceaf_e, and clusters.shared.*. Where an extractor says itself where its
mentions are, these rest on that, which no model behind an API can say. So there are mentions.by_name.*,
entities.by_name, relations.end_to_end.by_name.* and clusters.by_name.* too, which rest on the names of node rows
whoever wrote them: extractors are compared by these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from kg_neo4j.extract.context import ChunkTask
from kg_neo4j.extract.interface import Extractor
from kg_neo4j.graph.identity import normalise
from kg_neo4j.records import Document, Extraction, NodeRow, RelationshipRow
from kg_neo4j_lab.answers.questions import Story, documents_of
from kg_neo4j_lab.extraction import matching
from kg_neo4j_lab.extraction.gold import GoldPassage
from kg_neo4j_lab.extraction.matching import Duplicates, Prediction, RelationMatch
from kg_neo4j_lab.extraction.offers import OffersMentions, OffersRelations, RelationClassifier
from kg_neo4j_lab.extraction.scores import Counts, PassageCounts, Score, score, shares
from kg_neo4j_lab.extraction.type_map import TypeMap
from kg_neo4j_offline.extractor.mentions import EntityMentions, ScoredRelation

GRAPH = "scorecard"  # names documents; nothing is stored under it
BY_NAME = "all exact occurrences of the names of node rows, as whole words"
BY_EXTRACTOR = "the places that the extractor gives itself"
BY_CLASSIFIER = "the classifier {name}, given the annotated entities, at its default threshold {threshold:g}"
BY_ROWS = "no classifier: relationship rows whose ends share a place with annotated entities"

BestThreshold = tuple[float, Score]  # the best F1 on the validation passages is there; the score of the others


@dataclass(slots=True)
class EvidenceCounts:
    """Accepted rows, how many quote words of the text, and how many of the quotes are in it."""

    rows: int = 0
    quoted: int = 0
    found: int = 0
    stated: int = 0  # right relations with evidence, where the annotation names the sentences that state them
    in_gold_sentence: int = 0  # of these: the evidence lies in such a sentence

    @property
    def share(self) -> float:
        """Share of the rows that quote words of the text, 0 to 1."""
        return self.found / self.rows if self.rows else 0.0


@dataclass(slots=True)
class Judged:
    """The counts of every passage, by measure, and what else was counted."""

    counts: dict[str, list[PassageCounts]] = field(default_factory=dict)
    basis: dict[str, str] = field(default_factory=dict)  # of "mentions" and "gold_entities": where scores come from
    best_threshold: dict[str, BestThreshold] = field(default_factory=dict)  # of a classifier, by measure
    duplicates: Duplicates = field(default_factory=Duplicates)
    right_facts: int = 0  # end to end, over the document
    evidence: EvidenceCounts = field(default_factory=EvidenceCounts)
    unscored: Counter[str] = field(default_factory=Counter)  # relationship types without a meaning in the annotation
    left_out: int = 0  # node rows whose type the map leaves out
    without_place: int = 0  # entities whose name the text does not have

    def add(self, measure: str, counts: PassageCounts) -> None:
        """Note the counts of one passage."""
        self.counts.setdefault(measure, []).append(counts)

    def add_entities(self, gold: GoldPassage, entities: Sequence[EntityMentions], by_name: str = "") -> Duplicates:
        """Note the mentions, entities and clusters of one passage; return the duplicates."""
        strict, span = matching.compare_mentions(gold, entities)
        right, duplicates = matching.compare_entities(gold, entities)
        self.add(f"mentions{by_name}.strict", strict)
        self.add(f"mentions{by_name}.span", span)
        self.add(f"entities{by_name}", right)
        for name, counts in matching.compare_clusters(gold, entities).items():
            if not by_name:
                self.add(f"clusters.{name}", {"": counts})
            elif name.startswith("all."):
                self.add(f"clusters{by_name}.{name.removeprefix('all.')}", {"": counts})
        return duplicates

    def add_relations(self, setting: str, match: RelationMatch) -> None:
        """Note the relations of one passage, "gold_entities", "end_to_end" or "end_to_end.by_name"."""
        self.add(f"relations.{setting}.within_sentence", match.within_sentence)
        self.add(f"relations.{setting}.document", match.document)


def judge(
    passages: Sequence[GoldPassage],
    extractions: Sequence[Sequence[Extraction]],
    types: TypeMap,
    extractor: Extractor,
    validation: Sequence[GoldPassage] = (),
) -> Judged:
    """Return the counts of `extractions`, one list a passage. `validation` is for choosing a classifier's threshold."""
    judged = Judged(basis={"mentions": BY_NAME, "gold_entities": BY_ROWS})
    evidence = judged.evidence
    for gold, of_one in zip(passages, extractions, strict=True):
        given_rows: list[NodeRow | RelationshipRow] = []
        for each in of_one:
            given_rows += [*each.nodes, *each.relationships]
        evidence.rows += len(given_rows)
        evidence.quoted += sum(bool(row.evidence) for row in given_rows)
        evidence.found += sum(row.span is not None for row in given_rows)
        rows = matching.from_extractions(of_one, types)
        judged.left_out += rows.left_out
        judged.without_place += rows.without_place
        judged.unscored.update(each.type for each in rows.relations if not types.claims(each.type))
        judged.add_entities(gold, rows.entities, ".by_name")
        judged.add_relations("end_to_end.by_name", _matched(gold, rows, types, typed=True))
        entities = rows.entities
        if isinstance(extractor, OffersMentions):
            judged.basis["mentions"] = BY_EXTRACTOR
            entities = _own_mentions(gold, of_one, extractor, types)
            rows = _with_places(rows, entities)
        judged.duplicates += judged.add_entities(gold, entities)
        match = _matched(gold, rows, types, typed=True)
        judged.add_relations("end_to_end", match)
        judged.right_facts += match.right
        evidence.stated += match.with_evidence
        evidence.in_gold_sentence += match.in_evidence
        if not isinstance(extractor, OffersRelations):
            judged.add_relations("gold_entities", _matched(gold, rows, types, typed=False))
    if isinstance(extractor, OffersRelations):
        classifier = extractor.relation_classifier
        classified = classify(classifier, passages)
        for match in classified.match(types, classifier.threshold):
            judged.add_relations("gold_entities", match)
        judged.basis["gold_entities"] = BY_CLASSIFIER.format(name=classifier.name, threshold=classifier.threshold)
        if validation:
            judged.best_threshold = at_best_threshold(classify(classifier, validation), classified, types)
    return judged


def _matched(gold: GoldPassage, rows: Prediction, types: TypeMap, *, typed: bool) -> RelationMatch:
    """Compare relations: between entities of the right type, else those alone whose ends are annotated entities."""
    aligned = matching.align(gold, rows.entities, typed=typed)
    return matching.compare_relations(gold, rows.entities, rows.relations, types, aligned, only_aligned=not typed)


def document_of(passage: GoldPassage, number: int = 0) -> Document:
    """Return a passage as a document; `number` tells passages of one title apart."""
    story = Story(f"{number}/{passage.title}", passage.title, lambda: passage.text, "")
    return next(documents_of([story], GRAPH))


def _own_mentions(
    gold: GoldPassage, extractions: Sequence[Extraction], extractor: OffersMentions, types: TypeMap
) -> tuple[EntityMentions, ...]:
    document = document_of(gold)
    chunks = [each.chunk for each in extractions]
    found = [extractor.find_mentions(ChunkTask(document, chunk), chunk.text) for chunk in chunks]
    return matching.from_mentions(zip(chunks, found, strict=True), types)


def _with_places(rows: Prediction, entities: Sequence[EntityMentions]) -> Prediction:
    """Return the rows' entities with the places that the extractor gives itself, where it names the same entity."""
    places = {(normalise(one.name), one.type): one.mentions for one in entities}
    own = (replace(one, mentions=places.get((normalise(one.name), one.type), one.mentions)) for one in rows.entities)
    return replace(rows, entities=tuple(own))


@dataclass(frozen=True, slots=True)
class Classified:
    """What a classifier says about annotated passages."""

    passages: Sequence[GoldPassage]
    relations: Sequence[Sequence[ScoredRelation]]  # of each passage

    def match(self, types: TypeMap, threshold: float) -> list[RelationMatch]:
        """Return the counts of every passage for what is at least as likely as `threshold`."""
        matches = []
        for gold, relations in zip(self.passages, self.relations, strict=True):
            likely = [each for each in relations if each.probability >= threshold]
            matches.append(matching.compare_relations(gold, given(gold), likely, types, range(len(gold.entities))))
        return matches


def classify(classifier: RelationClassifier, passages: Sequence[GoldPassage]) -> Classified:
    """Ask a classifier about the annotated entities of passages."""
    return Classified(passages, [classifier.relate(one.text, one.sentences, given(one)) for one in passages])


def given(gold: GoldPassage) -> list[EntityMentions]:
    """Return the annotated entities in the form of extracted entities."""
    return [
        EntityMentions(entity.name, entity.type, tuple((each.start, each.end) for each in entity.mentions))
        for entity in gold.entities
    ]


def at_best_threshold(validation: Classified, scored: Classified, types: TypeMap) -> dict[str, BestThreshold]:
    """Return the scores of `scored`, by measure, at the threshold that is best for `validation`, in hundredths."""
    steps = [step / 100 for step in range(1, 100)]
    matches = {step: validation.match(types, step) for step in steps}
    near = max(steps, key=lambda step: (_f1([each.within_sentence for each in matches[step]]), step))
    far = max(steps, key=lambda step: (_f1([each.document for each in matches[step]]), step))
    return {
        "within_sentence": (near, score([each.within_sentence for each in scored.match(types, near)])),
        "document": (far, score([each.document for each in scored.match(types, far)])),
    }


def _f1(passages: Sequence[PassageCounts]) -> float:
    return shares(sum((counts for passage in passages for counts in passage.values()), Counts())).f1
