"""Relations that the package's model reads between the entities of English text, in addition to those of the rules."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from kg_neo4j import data_files
from kg_neo4j_offline.extractor.entities import DATE, ORGANIZATION, OTHER, PERSON, PLACE, EntityDraft, RelationDraft
from kg_neo4j_offline.extractor.lexicon import COUNTRIES, NATIONS
from kg_neo4j_offline.extractor.mentions import EntityMentions, Place, ScoredRelation
from kg_neo4j_offline.extractor.parsed_text import ParsedSentence
from kg_neo4j_offline.networks import relation_model, trained
from kg_neo4j_offline.networks.relation_model import JudgedPair, RelationModel

if TYPE_CHECKING:
    from spacy.tokens import Doc

_DATA = data_files.beside(__file__)
_SAME = _DATA.table("same")
NAMES = _DATA.table("names")
INVERSE = _DATA.table("inverse")
SINGLE = _DATA.word_set("single")
PLACING = dict.fromkeys(_DATA.words("places"), "place") | dict.fromkeys(_DATA.words("times"), "time")


_KINDS = {PERSON: "PER", PLACE: "LOC", ORGANIZATION: "ORG", OTHER: "MISC", DATE: "TIME"}
_REACH = 3  # sentences between two entities; what is further apart is seldom stated
_PASSAGE = 160  # words
_NEAR, _FAR = 0.55, 0.9  # probability of a row whose ends stand in one sentence, and in different ones
_PEOPLE = 0.65  # of a row between two people in one sentence: what rules read well, and errors hurt
_STRENGTH = 3, 8  # of a row, by its probability from the threshold to one


class PackagedRelations:
    """The model of the package as a `RelationClassifier`."""

    def __init__(self, model: RelationModel | None = None) -> None:
        self._model = model or relation_model.load()

    @property
    def name(self) -> str:
        """The lock's version names the weights."""
        return f"relations-{trained.read_lock(relation_model.LOCK).version}"

    @property
    def threshold(self) -> float:
        """Chosen on the validation split for a precision of 0.60."""
        return self._model.threshold

    def relate(
        self, text: str, sentences: Sequence[Place], entities: Sequence[EntityMentions]
    ) -> tuple[ScoredRelation, ...]:
        """Return relations of a probability of at least 0.01, with the sentence that each rests on."""
        given = [(entity.type, entity.mentions) for entity in entities]
        found = self._model.judge(trained.parse(text), sentences, given)
        return tuple(
            ScoredRelation(each.source, each.type, each.target, each.probability, sentences[each.sentence])
            for each in found
        )


def classify(doc: Doc, found: Sequence[ParsedSentence], drafts: Sequence[EntityDraft]) -> list[RelationDraft]:
    """Return what the model believes of `drafts` and of the dates of a parsed text, in its order.

    A long text is read a passage at a time, as long as those that the model learned from.
    """
    model = relation_model.load()
    best: dict[tuple[int, str, int], tuple[float, RelationDraft]] = {}
    dates: dict[str, EntityDraft] = {}
    nations = _nations(doc, drafts)
    for passage in _passages(found):
        entities, places = _named(passage, drafts, dates, nations)
        for each, relation in _read(model, doc, passage, entities, places):
            key = id(relation.source), relation.type, id(relation.target)
            if key not in best or each.probability > best[key][0]:
                best[key] = each.probability, relation
    kept = _plausible(sorted(best.values(), key=lambda each: (-each[0], each[1].start, each[1].type)))
    return sorted(kept, key=lambda each: (each.start, each.end, each.type))


def _passages(found: Sequence[ParsedSentence]) -> list[list[ParsedSentence]]:
    """Return the sentences in groups of some hundred words, cut between paragraphs where that is possible."""
    groups: list[list[ParsedSentence]] = []
    words = 0
    for sentence in _bounded(found):
        is_new = bool(groups) and groups[-1][-1].paragraph != sentence.paragraph
        if not groups or words > _PASSAGE or (is_new and words > _PASSAGE // 2):
            groups.append([])
            words = 0
        groups[-1].append(sentence)
        words += len(sentence.items)
    return groups


def _bounded(found: Sequence[ParsedSentence]) -> Iterator[ParsedSentence]:
    """Yield the sentences, those that are longer than two passages in parts: lists, texts without full stops."""
    size = _PASSAGE + 1  # so that no other part joins it
    for sentence in found:
        if len(sentence.items) <= 2 * _PASSAGE:
            yield sentence
            continue
        starts = [item.start for item in sentence.items[::size]]
        borders = pairwise([sentence.start, *starts[1:], sentence.end])
        for number, (start, end) in enumerate(borders):
            items = sentence.items[number * size : (number + 1) * size]
            yield ParsedSentence(start, end, sentence.paragraph, items)


def _named(
    passage: Sequence[ParsedSentence],
    drafts: Sequence[EntityDraft],
    dates: dict[str, EntityDraft],
    nations: dict[Place, EntityDraft],
) -> tuple[list[EntityDraft], list[list[Place]]]:
    """Return the entities that a passage names, and where: those of `drafts`, dates, and countries by an adjective."""
    known = {id(draft) for draft in drafts}
    places: dict[tuple[int, str], list[Place]] = {}
    entities: dict[tuple[int, str], EntityDraft] = {}
    for sentence in passage:
        for item in sentence.items:
            draft = item.entity if item.kind == "name" and id(item.entity) in known else None
            word = ""
            if item.date is not None and item.date.year is not None:
                draft = dates.setdefault(item.text, EntityDraft(item.text, (item.lower,), type=DATE))
            elif (item.start, item.end) in nations:
                draft, word = nations[item.start, item.end], item.lower
                if not draft.mentions:
                    draft.mentions.append((sentence, item))
            if draft is not None:
                entities[id(draft), word] = draft
                places.setdefault((id(draft), word), []).append((item.start, item.end))
    return list(entities.values()), [places[key] for key in entities]


def _nations(doc: Doc, drafts: Sequence[EntityDraft]) -> dict[Place, EntityDraft]:
    """Return the countries that adjectives of origin mean, by the place of the word."""
    known = {draft.name: draft for draft in drafts if draft.type == PLACE}
    found: dict[Place, EntityDraft] = {}
    for entity in doc.ents:
        country = NATIONS.get(entity.text) if entity.label_ == "LOC" else None
        if country is not None:
            draft = known.setdefault(country, EntityDraft(country, tuple(country.lower().split()), type=PLACE))
            found[entity.start_char, entity.end_char] = draft
    return found


def _read(
    model: RelationModel,
    doc: Doc,
    passage: Sequence[ParsedSentence],
    entities: Sequence[EntityDraft],
    places: Sequence[Sequence[Place]],
) -> list[tuple[JudgedPair, RelationDraft]]:
    given = [(_KINDS[draft.type], spans) for draft, spans in zip(entities, places, strict=True)]
    borders = [(sentence.start, sentence.end) for sentence in passage]
    judged = model.judge(doc, borders, given, reach=_REACH, least=min(_NEAR, _FAR))
    believed = [each for each in judged if _is_believed(each, entities)]
    drafts = []
    for each in _one_way(believed):
        relation = _draft(each, entities, places, passage[each.sentence])
        is_within = relation.type in PLACING | NAMES and {relation.source.name, relation.target.name} <= COUNTRIES
        if relation.source is not relation.target and not is_within:  # no country lies in another
            drafts.append((each, relation))
    return drafts


def _is_believed(judged: JudgedPair, entities: Sequence[EntityDraft]) -> bool:
    """Tell whether a row is worth writing: where things are has to be said in one sentence."""
    if not judged.distance:
        is_between_people = entities[judged.source].type == entities[judged.target].type == PERSON
        return judged.probability >= (_PEOPLE if is_between_people else _NEAR)
    return judged.probability >= _FAR and judged.type not in PLACING


def _plausible(ranked: Sequence[tuple[float, RelationDraft]]) -> list[RelationDraft]:
    """Return the relations without those that more likely ones exclude: a second place of birth, say."""
    kept = []
    taken: set[tuple[int, str]] = set()
    pairs: set[tuple[int, str, int]] = set()
    for _, relation in ranked:
        source, target = id(relation.source), id(relation.target)
        if relation.type in SINGLE and (source, relation.type) in taken:
            continue
        group = PLACING.get(relation.type, "")
        if group and ((source, group, target) in pairs or (target, group, source) in pairs):
            continue
        taken.add((source, relation.type))
        pairs.add((source, group, target))
        kept.append(relation)
    return kept


def add_classified(stated: Sequence[RelationDraft], classified: Iterable[RelationDraft]) -> list[RelationDraft]:
    """Return the rules' relations and those of the model that they do not state already."""
    known: dict[tuple[int, int], set[str]] = {}
    dates = {draft.target.name: draft.target for draft in stated if draft.target.type == DATE}
    single = {(id(draft.source), draft.type) for draft in stated if draft.type in SINGLE}
    for draft in stated:
        known.setdefault((id(draft.source), id(draft.target)), set()).add(draft.type)
    joined = list(stated)
    for draft in classified:
        if draft.target.type == DATE:
            draft.target = dates.setdefault(draft.target.name, draft.target)
        forth = known.get((id(draft.source), id(draft.target)), set())
        back = known.get((id(draft.target), id(draft.source)), set())
        same = _SAME.get(draft.type, "").split()  # what means the same, with ^ from the other end
        if draft.type in forth or any((each[1:] in back) if each[0] == "^" else (each in forth) for each in same):
            continue
        draft.type = NAMES.get(draft.type, draft.type)
        if (id(draft.source), draft.type) in single:
            continue
        draft.classified = True
        joined.append(draft)
    return joined


def _one_way(judged: Sequence[JudgedPair]) -> list[JudgedPair]:
    """Leave out what another relation of two entities already says, also from the other end."""
    said: dict[tuple[int, int], set[str]] = {}
    for each in judged:
        said.setdefault((each.source, each.target), set()).add(each.type)
    kept = []
    for each in judged:
        back = said.get((each.target, each.source), set())
        main = INVERSE.get(each.type)
        if main == each.type:  # says the same both ways: the one from the entity named first stays
            if each.source > each.target and main in back:
                continue
        elif main is not None and main in back:
            continue
        kept.append(each)
    return kept


def _draft(
    judged: JudgedPair,
    entities: Sequence[EntityDraft],
    places: Sequence[Sequence[Place]],
    sentence: ParsedSentence,
) -> RelationDraft:
    ends = [_nearest(places[number], sentence) for number in (judged.source, judged.target)]
    inside = [end for end in ends if sentence.start <= end[0] < sentence.end]
    start, end = (min(inside)[0], max(last for _, last in inside)) if inside else (sentence.start, sentence.end)
    low, high = _STRENGTH
    strength = low + round((high - low) * (judged.probability - _NEAR) / (1 - _NEAR))
    source, target = entities[judged.source], entities[judged.target]
    return RelationDraft(source, judged.type, target, sentence, start, end, strength)


def _nearest(places: Sequence[Place], sentence: ParsedSentence) -> Place:
    """Return the mention inside a sentence, else the last one before it."""
    number = bisect_right(places, (sentence.start, -1))
    return places[number] if number < len(places) and places[number][0] < sentence.end else places[max(0, number - 1)]
