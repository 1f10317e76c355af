"""Whom a pronoun means: the subject of its sentence, or of the one before. Pure."""

from __future__ import annotations

from collections import Counter

from kg_neo4j.extract.offline_entities import PERSON, EntityDraft
from kg_neo4j.extract.offline_subjects import is_subject
from kg_neo4j.extract.offline_text import Item, Sentence
from kg_neo4j.extract.offline_words import NOMINATIVE, POSSESSIVE, PRONOUNS


def resolve_pronouns(sentences: list[Sentence], subject: EntityDraft | None) -> None:
    """Link he, she, his, her and him to the person they mean: the sentence's own subject, or that of the one before."""
    focus: dict[str, EntityDraft] = {}
    if subject is not None and subject.type == PERSON:
        if not subject.gender:
            subject.gender = _prevailing(sentences)
        focus[subject.gender] = subject
    most_named = _most_named(sentences)
    paragraph = -1
    for sentence in sentences:
        if sentence.paragraph != paragraph and subject is not None and subject.type == PERSON:
            focus = {subject.gender: subject}
        paragraph = sentence.paragraph
        local = _resolve_in(sentence, focus, most_named)
        if sentence.items[0].lower in POSSESSIVE:
            continue  # "His father, ...": the text still speaks of the one before
        for gender, draft in local.items():
            focus[gender] = draft
            if not gender:
                focus.pop("m", None)
                focus.pop("f", None)


def _resolve_in(
    sentence: Sentence, focus: dict[str, EntityDraft], most_named: EntityDraft | None
) -> dict[str, EntityDraft]:
    """Link the pronouns of one sentence; return its subjects by gender, the first of each."""
    local: dict[str, EntityDraft] = {}
    for index, item in enumerate(sentence.items):
        if item.hidden or item.quoted:
            continue
        if item.kind == "name" and item.entity.type == PERSON:
            if is_subject(sentence.items, index):
                local.setdefault(item.entity.gender, item.entity)
        elif item.kind == "word" and item.lower == "him":
            item.entity = most_named if most_named and most_named.gender in ("m", "") else None
        elif item.kind == "word" and item.lower in PRONOUNS:
            item.entity = _referent(item, local, focus)
            if item.lower in NOMINATIVE and item.entity is not None:
                local.setdefault(item.entity.gender, item.entity)
    return local


def _most_named(sentences: list[Sentence]) -> EntityDraft | None:
    """Return the person whom a third of all names of persons mean: the one that "him" most likely means."""
    counts = Counter(
        item.entity for sentence in sentences for item in sentence.items if item.kind == "name" and _is_person(item)
    )
    if not counts:
        return None
    draft, count = counts.most_common(1)[0]
    return draft if count * 3 >= counts.total() else None


def _is_person(item: Item) -> bool:
    return item.entity is not None and item.entity.type == PERSON


def resolve_plurals(sentences: list[Sentence]) -> None:
    """Link "they" to two people who were the subject together, shortly before: in this paragraph or the last one."""
    pair: tuple[EntityDraft, ...] = ()
    seen = -2
    for sentence in sentences:
        items = sentence.items
        for index, item in enumerate(items):
            if item.lower == "they" and item.kind == "word" and not item.quoted and sentence.paragraph - seen <= 1:
                item.plural = pair
                seen = sentence.paragraph if pair else seen
            if index < 2 or item.kind != "name" or items[index - 1].lower != "and" or items[index - 2].kind != "name":
                continue
            both = (items[index - 2].entity, item.entity)
            if all(each.type == PERSON for each in both) and is_subject(items, index - 2) and not item.quoted:
                pair, seen = both, sentence.paragraph


def _referent(pronoun: Item, local: dict[str, EntityDraft], focus: dict[str, EntityDraft]) -> EntityDraft | None:
    gender = PRONOUNS[pronoun.lower]
    for known in (local, focus):
        draft = known.get(gender) or known.get("")
        if draft is not None:
            if not draft.gender and (pronoun.lower in NOMINATIVE or known is focus):
                draft.gender = gender
                known.pop("", None)
                known[gender] = draft
            return draft
    return None


def _prevailing(sentences: list[Sentence]) -> str:
    """Return the gender of most pronouns outside direct speech, or nothing."""
    counts = Counter(
        PRONOUNS[item.lower]
        for sentence in sentences
        for item in sentence.items
        if item.kind == "word" and item.lower in PRONOUNS and not item.quoted
    )
    ranked = counts.most_common(2)
    if not ranked or (len(ranked) > 1 and ranked[0][1] < 2 * ranked[1][1]):
        return ""
    return ranked[0][0]
