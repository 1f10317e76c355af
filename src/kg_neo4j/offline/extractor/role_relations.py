"""Relationships that a noun says: "harbourmaster of Ness", "its president, Akosua Brempong". By the parser. Pure.

The noun is the type, with its preposition; nouns of the table of rules have its types.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kg_neo4j.offline.extractor.entities import PERSON, EntityDraft, RelationDraft
from kg_neo4j.offline.extractor.grammar import Grammar, Mention, Mode
from kg_neo4j.offline.extractor.lexicon import ROLE_NOUNS
from kg_neo4j.offline.extractor.relation_patterns import KIN, TRIGGERS

_STRENGTH = 8
_RELATING = frozenset({"of", "at", "for", "to", "in"})
_NAMING = frozenset({"appos", "flat", "list", "parataxis"})
_NOUNS = ROLE_NOUNS | KIN.keys()


def role_relations(grammar: Grammar) -> list[RelationDraft]:
    """Return what nouns for people say of two names, in the order of the text."""
    found: list[RelationDraft] = []
    for noun, word in enumerate(grammar.words):
        if word not in _NOUNS or not grammar.tags[noun].startswith("NN") or noun in grammar.mentions:
            continue
        bearers = [each for each in _bearers(grammar, noun) if each.item.date is None]
        mode = grammar.mode(noun) if bearers and grammar.is_clause(noun) else Mode.STATED
        if bearers and mode is not Mode.DENIED:
            for relation in _of_noun(grammar, noun, bearers):
                relation.stated = mode is Mode.STATED
                found.append(relation)
    return found


def _bearers(grammar: Grammar, noun: int) -> list[Mention]:
    """Return who a noun is said of: its apposition, what it stands beside, its subject, or what it says "is" of."""
    own = grammar.named_by(noun)
    if own is not None:
        return [own]
    if any(grammar.deps[child] == "cop" for child in grammar.children[noun]):
        return grammar.subjects(noun)
    head, dep = grammar.heads[noun], grammar.deps[noun]
    mention = grammar.mentions.get(head)
    if mention is None:
        return []
    if dep in _NAMING or (dep == "compound" and noun < mention.first):
        return [mention]
    is_said = dep == "nsubj" and any(grammar.deps[child] == "cop" for child in grammar.children[head])
    return [mention] if is_said and grammar.mode(head) is Mode.STATED else []


def _of_noun(grammar: Grammar, noun: int, bearers: Sequence[Mention]) -> Iterator[RelationDraft]:
    word = grammar.words[noun]
    for preposition, phrase in grammar.phrases(noun):
        trigger = TRIGGERS.get((word, preposition))
        if preposition not in _RELATING or (trigger is None and word in KIN):
            continue
        kind = trigger.type if trigger is not None and trigger.noun else f"{word}_{preposition}".upper()
        for owner in grammar.listed(phrase):
            if owner.item.date is None:
                yield from _drafts(grammar, noun, bearers, kind, owner.entities, owner)
    for child in grammar.children[noun]:
        owner_item = grammar.owners.get(child)
        if grammar.deps[child] != "nmod:poss" or owner_item is None:
            continue
        kind, back, gender = KIN.get(word, (f"{word}_OF".upper(), True, ""))
        trigger = TRIGGERS.get((word, "of"))
        if word not in KIN and trigger is not None and trigger.noun:
            kind = trigger.type
        people = [each for each in bearers if each.entities[0].type == PERSON]
        for relation in _drafts(grammar, noun, people, kind, owner_item.entities, owner_item):
            relation.source.gender = relation.source.gender or gender
            if not back:
                relation.source, relation.target = relation.target, relation.source
            yield relation


def _drafts(
    grammar: Grammar,
    noun: int,
    sources: Sequence[Mention],
    kind: str,
    targets: Sequence[EntityDraft],
    owner: Mention,
) -> Iterator[RelationDraft]:
    sentence = grammar.sentence_at(noun)
    if sentence is None or not kind.isascii():
        return
    for source in sources:
        if source.sentence is not sentence or owner.sentence is not sentence:
            continue
        start, end = min(source.item.start, owner.item.start), max(source.item.end, owner.item.end)
        for one in source.entities:
            for other in targets:
                if one is not other:
                    place = grammar.starts[noun]
                    last = place + len(grammar.texts[noun])
                    yield RelationDraft(one, kind, other, sentence, min(start, place), max(end, last), _STRENGTH)
