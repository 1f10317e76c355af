"""The annotated passages of Re-DocRED with their entities and relations, and passages without annotation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from training.ner.passages import unannotated as texts
from training.split import part

from kg_neo4j_lab.extraction import gold
from kg_neo4j_offline.extractor.coreference import group_spans
from kg_neo4j_offline.extractor.mentions import EntityMentions
from kg_neo4j_offline.networks import trained
from kg_neo4j_offline.networks.mention_types import MentionSpan

LABELS = ("PER", "LOC", "ORG", "MISC", "TIME", "NUM")
Place = tuple[int, int]


@dataclass(frozen=True)
class Passage:
    """Running text with entities, and the relations between them where they are known."""

    title: str
    text: str
    sentences: tuple[Place, ...]
    entities: tuple[EntityMentions, ...]
    relations: tuple[tuple[int, int, int], ...] = ()  # source, number of the relation, target

    def sentences_of(self, entity: EntityMentions) -> list[int]:
        """Return the numbers of the sentences in which an entity is named, ascending."""
        found = {
            number
            for number, (first, last) in enumerate(self.sentences)
            if any(start < last and first < end for start, end in entity.mentions)
        }
        return sorted(found)


def relations(data: Path) -> dict[str, str]:
    """Return the names of all relations by id; their places in it are their numbers."""
    names = gold.read(data / "redocred" / "dev_revised.json").relation_names
    return {kind: names[kind] for kind in sorted(names, key=lambda each: int(each[1:]))}


def annotated(data: Path, *parts: str) -> list[Passage]:
    """Return the passages of Re-DocRED whose titles fall into `parts`."""
    numbers = {each: place for place, each in enumerate(relations(data))}
    passages = gold.read(data / "redocred" / "dev_revised.json").passages
    return [_passage(each, numbers) for each in passages if part(each.title) in parts]


def unannotated(data: Path) -> list[Passage]:
    """Return the passages of the multi-hop sets with the entities that the shipped pipeline finds; none of the test."""
    return [own(each.title, each.text) for each in texts(data)]


def own(title: str, text: str) -> Passage:
    """Return a text with the entities and sentences that the shipped pipeline finds."""
    doc = trained.process(text)
    spans = [MentionSpan(each.start_char, each.end_char, each.label_) for each in doc.ents]
    kinds = {(each.start, each.end): each.type for each in spans}
    entities = tuple(
        EntityMentions(each.name, kinds[each.mentions[0]], each.mentions) for each in group_spans(text, spans)
    )
    return Passage(title, text, tuple((each.start_char, each.end_char) for each in doc.sents), entities)


def _passage(read: gold.GoldPassage, numbers: dict[str, int]) -> Passage:
    entities = tuple(
        EntityMentions(each.name, each.type, tuple((one.start, one.end) for one in each.mentions))
        for each in read.entities
    )
    relations = tuple((each.source, numbers[each.type], each.target) for each in read.relations)
    return Passage(read.title, read.text, read.sentences, entities, relations)
