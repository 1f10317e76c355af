"""Whom a pronoun means: the only person of its gender named near before it, else whom the document is about. Pure.

Where two are named near before it, it means neither: a relationship of the wrong person is worse than none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from kg_neo4j import data_files
from kg_neo4j_offline.extractor import lexicon as lex
from kg_neo4j_offline.extractor.entities import PERSON, EntityDraft
from kg_neo4j_offline.extractor.parsed_text import ParsedSentence, TextItem, item_at
from kg_neo4j_offline.extractor.relation_patterns import KIN, is_subject

NEAR = 2  # sentences before that of the pronoun

_DATA = data_files.beside(__file__)
_MALE, _FEMALE = _DATA.word_set("male"), _DATA.word_set("female")


def resolve_pronouns(
    sentences: list[ParsedSentence], topic: EntityDraft | None, guess: Callable[[str], str] | None = None
) -> None:
    """Link he, she, his, her, him, himself and herself to the person they mean, outside direct speech.

    `topic` is what the document is about; only a person can be meant. `guess` tells the gender of a first name that
    is on no list.
    """
    topic = topic if topic is not None and topic.type == PERSON else None
    if topic is not None:
        topic.gender = topic.gender or _prevailing(sentences)
    named: list[tuple[int, EntityDraft]] = []  # number of the sentence, person
    for number, sentence in enumerate(sentences):
        for index, item in enumerate(sentence.items):
            if item.quoted:
                continue
            if item.kind == "name" and item.entity.type == PERSON:
                _read_gender(sentence.items, index, guess)
            elif item.kind == "word" and item.lower in lex.PRONOUNS:
                here = [each for at, each in named if at == number]
                near = [each for at, each in named if number - at <= NEAR]
                gender = lex.PRONOUNS[item.lower]
                item.entity = _only(gender, here) or _only(gender, near) or _about(gender, near, topic)
            if item.entity is not None and item.entity.type == PERSON:
                named.append((number, item.entity))


def _only(gender: str, people: list[EntityDraft]) -> EntityDraft | None:
    fitting = {each: True for each in people if each.gender in ("", gender)}
    return next(iter(fitting)) if len(fitting) == 1 else None


def _about(gender: str, near: list[EntityDraft], topic: EntityDraft | None) -> EntityDraft | None:
    """Return what the document is about, where it can mean no one else."""
    others = any(each.gender in ("", gender) for each in near)
    return topic if topic is not None and topic.gender in ("", gender) and not others else None


def _prevailing(sentences: list[ParsedSentence]) -> str:
    """Return the gender of most pronouns outside direct speech, or nothing."""
    words = (item for sentence in sentences for item in sentence.items if item.kind == "word" and not item.quoted)
    counts = Counter(lex.PRONOUNS[item.lower] for item in words if item.lower in lex.PRONOUNS)
    ranked = [*counts.most_common(2), ("", 0), ("", 0)]
    return ranked[0][0] if ranked[0][1] >= 2 * ranked[1][1] else ""


def _read_gender(items: list[TextItem], index: int, guess: Callable[[str], str] | None) -> None:
    """Set the gender of a person by a noun beside the name: "his mother Amina", "Kim Aro, a widow"; else by guess."""
    person: EntityDraft = items[index].entity
    before, other = item_at(items, index - 1).lower, item_at(items, index - 2).lower
    behind = item_at(items, index + 3).lower if item_at(items, index + 1).lower in (",", "is", "was") else ""
    told = (_noun_gender(noun) for noun in (other if before == "," else before, behind))
    person.gender = person.gender or next(filter(None, told), "")
    if not person.gender and guess is not None and person.words:
        guessed = guess(person.words[0])
        person.gender = guessed if guessed == "f" or not person.single else ""


def _noun_gender(noun: str) -> str:
    """Return "m" or "f" where a noun for a person tells it: "widow", "sister-in-law", "great-uncle"."""
    bare = noun.removesuffix("-in-law").rpartition("-")[2]
    if bare in KIN:
        return KIN[bare][2] if not bare.endswith("s") else ""
    return "m" if bare in _MALE else "f" if bare in _FEMALE else ""


def resolve_plurals(sentences: list[ParsedSentence]) -> None:
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
