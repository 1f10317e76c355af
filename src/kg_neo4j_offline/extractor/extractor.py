"""The built-in extractor: rules instead of a model, so that everything works without a key.

It finds names, their types and the relationships that a sentence states in plain words, and answers with the same CSV
as a model does. Modest on purpose: what it says stands in the text; much that stands in the text it does not see.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import lru_cache

from kg_neo4j.extract.context import ChunkTask
from kg_neo4j.extract.interface import FollowUp
from kg_neo4j.extract.rows import STATED
from kg_neo4j.extract.schema import ColumnKind, Schema, SchemaColumn
from kg_neo4j.records import ModelAnswer
from kg_neo4j_offline.extractor.capitalised_names import name_from_spans, name_sentences
from kg_neo4j_offline.extractor.clause_relations import role_relations, verb_relations
from kg_neo4j_offline.extractor.coreference import group_spans, places_of, unite_drafts
from kg_neo4j_offline.extractor.document_subject import topic_of
from kg_neo4j_offline.extractor.entities import (
    OTHER,
    PERSON,
    PLACE,
    EntityDraft,
    RelationDraft,
    Topic,
    draft_entities,
    type_entities,
)
from kg_neo4j_offline.extractor.grammar import Grammar, check
from kg_neo4j_offline.extractor.mentions import EntityMentions
from kg_neo4j_offline.extractor.name_evidence import NameEvidence
from kg_neo4j_offline.extractor.ner import NO_NAMES, FoundNames, find_by, find_trained, is_english
from kg_neo4j_offline.extractor.parsed_text import ParsedSentence, mask, sentences
from kg_neo4j_offline.extractor.pronouns import resolve_plurals, resolve_pronouns
from kg_neo4j_offline.extractor.relation_classifier import PackagedRelations, add_classified, classify
from kg_neo4j_offline.extractor.relation_types import give_types, plain
from kg_neo4j_offline.extractor.relations import kin_relations
from kg_neo4j_offline.extractor.table_facts import read_tables
from kg_neo4j_offline.extractor.type_votes import read_roles, vote, vote_family
from kg_neo4j_offline.extractor.word_vectors import guess_gender
from kg_neo4j_offline.networks import relation_model, trained

RULES_VERSION = 15  # raised with every change of the rules that changes answers
_EVIDENCE_WORDS = 20
_DESCRIPTION_CHARS = 300
_TRUST = 8  # votes for the type that a trained pipeline gives; a given name has five, a word such as "University" nine
_SURE_HOME = 5  # strength below which a relationship of the model says nothing about where somebody belongs
_HOME_TYPES = """
    LIVED_IN WORKED_IN BORN_IN GREW_UP_IN LOCATED_IN DIVISION_OF CAPITAL_OF HEADQUARTERS_LOCATION
    HEADQUARTERED_IN BASED_IN WORKED_AT WORK_LOCATION LOCATION LOCATED_IN_COUNTRY DIVISION_OF_COUNTRY COUNTRY
    COUNTRY_OF_CITIZENSHIP CITIZEN_OF DIED_IN COUNTRY_OF_ORIGIN""".split()


class OfflineExtractor:
    """Deterministic rules behind the `Extractor` protocol. Safe to call from several threads; picklable.

    Names in English text come from the trained pipeline of the package, elsewhere from capitalisation rules; where
    `spacy_model` names an installed spaCy pipeline, from that one.
    """

    def __init__(self, schema: Schema, *, spacy_model: str | None = None, as_read: bool = False) -> None:
        self._schema, self._spacy_model = schema, spacy_model
        self._as_read = as_read  # all names, and the types of rules and models: what scorecards compare
        self._by_rules: set[str] = set()  # ids of documents that no trained pipeline can read

    @property
    def name(self) -> str:
        """Stored with every answer."""
        return "offline-1"

    @property
    def config_hash(self) -> str:
        """Hash of the schema, the version of the rules and the pipeline that finds the names."""
        locks = trained.read_lock().version + trained.read_lock(relation_model.LOCK).version
        parts = (self._schema.hash, f"{RULES_VERSION} {self._as_read}", self._spacy_model or locks)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]

    @property
    def converses(self) -> bool:
        """Rules say everything at once."""
        return False

    @property
    def notes(self) -> tuple[str, ...]:
        """Say how many documents are in a language that the trained pipeline does not know."""
        count = len(self._by_rules)
        if not count:
            return ()
        return (f"{count} {'document' if count == 1 else 'documents'} not in English: names found by capitals alone",)

    def answer(self, task: ChunkTask, shown_text: str) -> ModelAnswer:
        """Return the CSV answer on `shown_text`; the same input gives the same answer.

        The document's title serves to recognise its subject's short name. Raises UsageError where the spaCy pipeline
        is not installed.
        """
        text = _csv_answer(self._schema, *self.written(task, shown_text), shown_text)
        return ModelAnswer(text=text, model=self.name, prompt_hash=self.config_hash, finish_reason="stop")

    def follow_up(self, task: ChunkTask, shown_text: str, question: FollowUp) -> ModelAnswer:
        """Answer again; never called, because `converses` is false."""
        return self.answer(task, shown_text)

    def keep(self, answer: ModelAnswer) -> None:
        """Nothing to do: answers cost nothing."""

    def find_mentions(self, task: ChunkTask, shown_text: str) -> tuple[EntityMentions, ...]:
        """Return everything that is named in `shown_text`, where: names, and in English dates and numbers as well."""
        if self._spacy_model is None and is_english(task.document.text or shown_text, task.document.language):
            return group_spans(shown_text, trained.names(mask(shown_text)))
        return places_of(self.written(task, shown_text)[0])

    def unfiltered(self) -> OfflineExtractor:
        """Return an extractor that writes all that it reads."""
        return OfflineExtractor(self._schema, spacy_model=self._spacy_model, as_read=True)

    @property
    def relation_classifier(self) -> PackagedRelations:
        """The package's model of relations, which reads English. Raises ModelDamaged."""
        return PackagedRelations()

    def written(self, task: ChunkTask, shown_text: str) -> tuple[list[EntityDraft], list[RelationDraft]]:
        """Return what is written: names of a certain type, and relationships of the table's types or the schema's."""
        if self._spacy_model is not None:
            found = find_by(self._spacy_model, shown_text)
        elif is_english(task.document.text or shown_text, task.document.language):
            found = find_trained(shown_text)
        else:
            self._by_rules.add(task.document.id)
            found = NO_NAMES
        drafts, relations = read(shown_text, sentences(shown_text), found, topic_of(task.document, task.chunk))
        if self._as_read:
            return drafts, relations
        evidence = NameEvidence(task.document.text or shown_text)
        for draft in drafts:
            if found.doc is not None and draft.mentions:
                if evidence.settle(draft):
                    relations = [each for each in relations if draft not in (each.source, each.target)]
            elif draft.type == OTHER and not self._schema.node_types:
                draft.type = ""
        give_types(relations, evidence.is_name)
        known = {draft.name: draft for draft in drafts if draft.type}
        rows, columns = read_tables(shown_text)
        for each in columns:
            each.source, each.target = (known.get(end.name, end) for end in (each.source, each.target))
        drafts, relations = drafts + [row for row in rows if row.name not in known], relations + columns
        if not self._schema.relationship_types:
            relations = plain(relations)
        relations = [each for each in relations if each.source.type and each.target.type]
        ends = {end for each in relations for end in (each.source, each.target)}
        return [draft for draft in drafts if draft.type and (draft.mentions or draft in ends)], relations


def read(
    text: str, parsed: list[ParsedSentence], found: FoundNames, topic: Topic | None
) -> tuple[list[EntityDraft], list[RelationDraft]]:
    """Return the entities and relationships that the rules find in a text; its sentences then know whom they mean."""
    name_from_spans(parsed, found.spans)
    if not found.complete:
        name_sentences(parsed)
    drafts = draft_entities(parsed, topic)
    _vote_spans(parsed, found.spans)
    vote(parsed)
    vote_family(drafts)
    type_entities(drafts)
    about = next((draft for draft in drafts if topic and draft.words == topic.forms[0]), None)
    drafts = unite_drafts(text, drafts, about)
    if about is not None and topic is not None and about.type == PERSON:
        about.gender = topic.gender or about.gender
    resolve_plurals(parsed)
    resolve_pronouns(parsed, about, guess_gender if found.doc is not None else None)
    read_roles(parsed, about)
    grammar = Grammar(found.doc, parsed) if found.doc is not None else None
    relations = _relations(parsed, grammar)
    if found.doc is not None and grammar is not None:
        joined = add_classified(relations, classify(found.doc, parsed, drafts))
        relations += check(grammar, joined[len(relations) :])
    _locate(relations)
    ends = (draft for relation in relations for draft in (relation.source, relation.target))
    return list(dict.fromkeys([*drafts, *ends])), relations


def _vote_spans(found: list[ParsedSentence], spans: tuple[tuple[int, int, str], ...]) -> None:
    """Let the pipeline's types speak: as loudly for a name of many mentions as for one of a single mention."""
    types = {start: kind for start, _, kind in spans if kind}
    said: defaultdict[EntityDraft, Counter[str]] = defaultdict(Counter)
    for sentence in found:
        for item in sentence.items:
            if item.kind == "name" and item.start in types:
                said[item.entity][types[item.start]] += 1
    for draft, counts in said.items():
        for kind, count in counts.items():
            draft.votes[kind] += round(_TRUST * count / counts.total())


def _relations(found: list[ParsedSentence], grammar: Grammar | None) -> list[RelationDraft]:
    """Return all relationships once each, the strongest statement of equal ones."""
    best: dict[tuple[EntityDraft, str, EntityDraft], RelationDraft] = {}
    stated = [relation for sentence in found for relation in kin_relations(sentence)]
    if grammar is not None:
        stated = [*check(grammar, stated), *verb_relations(grammar), *role_relations(grammar)]
    for relation in sorted(stated, key=lambda each: each.start):
        key = (relation.source, relation.type, relation.target)
        known = best.get(key)
        if known is None or (relation.stated, relation.strength) > (known.stated, known.strength):
            best[key] = relation
    return list(best.values())


def _locate(relations: Iterable[RelationDraft]) -> None:
    """Set the place that an entity belongs to, from the relationships that say so, those that rules read first."""
    order = {kind: place for place, kind in enumerate(_HOME_TYPES)}
    for relation in sorted(relations, key=lambda each: (each.classified, order.get(each.type, len(order)))):
        if relation.source.type == OTHER or (relation.classified and relation.strength < _SURE_HOME):
            continue
        near = relation.type in _HOME_TYPES or (relation.type == "PART_OF" and relation.source.type == PLACE)
        if near and not relation.source.location and relation.target.type == PLACE:
            relation.source.location = relation.target.name


def _csv_answer(schema: Schema, entities: list[EntityDraft], relations: list[RelationDraft], text: str) -> str:
    ids = {entity: f"n{number}" for number, entity in enumerate(entities, start=1) if _type(entity, schema) is not None}
    buffer = io.StringIO()
    # A carriage return inside a value is quoted only where it is part of the line's end.
    writer = csv.writer(buffer, lineterminator="\r\n" if "\r" in text else "\n")
    writer.writerow(schema.node_header)
    for entity, number in ids.items():
        values = _node_values(entity, relations, text)
        special = {ColumnKind.ID: number, ColumnKind.TYPE: _type(entity, schema) or "", ColumnKind.NAME: entity.name}
        writer.writerow([_cell(column, special, values) for column in schema.nodes])
    buffer.write("\n")
    likely = [STATED] if any(not relation.stated for relation in relations) else []
    unasked = [column for column in schema.unasked if any(getattr(each, column.name, "") for each in relations)]
    writer.writerow([*schema.relationship_header, *(column.name for column in unasked), *likely])
    shown = [each for each in relations if each.type in schema.relationship_types or not schema.relationship_types]
    for count, relation in enumerate((each for each in shown if each.source in ids and each.target in ids), start=1):
        special = {
            ColumnKind.ID: f"r{count}",
            ColumnKind.SOURCE: ids[relation.source],
            ColumnKind.TYPE: relation.type,
            ColumnKind.TARGET: ids[relation.target],
        }
        values = {
            "start_date": relation.date,
            "description": _shorten(_plain(_text(text, relation.sentence))),
            "strength": str(relation.strength),
            "phrase": relation.phrase,
            "evidence": _evidence(text, relation.start, relation.end, relation.sentence),
        }
        cells = [_cell(column, special, values) for column in (*schema.relationships, *unasked)]
        writer.writerow([*cells, *(str(relation.stated).lower() for _ in likely)])
    return buffer.getvalue()


def _cell(column: SchemaColumn, special: dict[ColumnKind, str], values: dict[str, str]) -> str:
    if column.kind is ColumnKind.EVIDENCE:
        return values["evidence"]
    return special.get(column.kind) or values.get(column.name, "")


def _type(entity: EntityDraft, schema: Schema) -> str | None:
    """Return the entity's type as the schema names it, or None where the schema has no place for it."""
    if not schema.node_types or entity.type in schema.node_types:
        return entity.type
    for other in {PLACE: ("LOCATION",), "ORGANIZATION": ("ORGANISATION", "GROUP")}.get(entity.type, ()):
        if other in schema.node_types:
            return other
    return OTHER if OTHER in schema.node_types else None


def _node_values(entity: EntityDraft, relations: list[RelationDraft], text: str) -> dict[str, str]:
    if entity.mentions:
        sentence, item = entity.mentions[0]
        start, end = item.start, item.end
    else:
        relation = next(each for each in relations if entity in (each.source, each.target))
        sentence, start, end = relation.sentence, relation.start, relation.end
    person = entity.type == PERSON
    title = next((title for title in sorted(entity.titles) if len(title) > 4), "") if person else ""
    born, died = ("" if year is None or not person else str(year) for year in (entity.birth_year, entity.death_year))
    return {
        **dict.fromkeys(("birth_year", "start_date"), born),
        **dict.fromkeys(("death_year", "end_date"), died),
        "role": entity.role or title,
        "location": entity.location,
        "description": _shorten(_plain(_text(text, _best_sentence(entity, relations) or sentence))),
        "evidence": _evidence(text, start, end, sentence),
    }


def _best_sentence(entity: EntityDraft, relations: list[RelationDraft]) -> ParsedSentence | None:
    """Return the sentence that says most about an entity: what it is, else most relationships, else the first."""
    if entity.defined_by is not None:
        return entity.defined_by
    counts: Counter[ParsedSentence] = Counter()
    for relation in relations:
        if entity in (relation.source, relation.target):
            counts[relation.sentence] += 2 if entity is relation.source else 1
    said = (relation.sentence for relation in relations if relation.sentence in counts)
    return max(said, key=lambda each: (counts[each], -each.start), default=None)


@lru_cache(maxsize=1_000)  # a sentence describes several entities and relationships
def _plain(sentence: str) -> str:
    shown = re.sub(r"\s+", " ", mask(sentence)).strip()
    return re.sub(r"\s+([,.;:!?)])", r"\1", shown)


def _text(text: str, sentence: ParsedSentence) -> str:
    return text[sentence.start : sentence.end]


@lru_cache(maxsize=1_000)
def _words(sentence: str) -> tuple[tuple[int, int], ...]:
    return tuple(match.span() for match in re.finditer(r"\S+", sentence))


def _shorten(text: str) -> str:
    if len(text) <= _DESCRIPTION_CHARS:
        return text
    return text[:_DESCRIPTION_CHARS].rsplit(" ", 1)[0].rstrip(",;:") + " …"


def _evidence(text: str, start: int, end: int, sentence: ParsedSentence) -> str:
    """Return the exact words between two offsets; a single name gets the words around it, at most twenty in all."""
    words = _words(_text(text, sentence))
    inside = [
        number
        for number, (first, last) in enumerate(words)
        if sentence.start + last > start and sentence.start + first < end
    ]
    if not inside:
        return text[start:end]
    first, last = inside[0], inside[-1]
    spare = _EVIDENCE_WORDS - (last - first + 1)
    if spare < 0:
        return text[sentence.start + words[first][0] : sentence.start + words[first + _EVIDENCE_WORDS - 1][1]]
    if last == first or spare > 12:
        last = min(len(words) - 1, last + min(spare, 8))
        first = max(0, first - min(_EVIDENCE_WORDS - (last - first + 1), 4))
    return text[sentence.start + words[first][0] : sentence.start + words[last][1]]
