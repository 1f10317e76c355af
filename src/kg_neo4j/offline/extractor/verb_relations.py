"""Relationships that a clause's own verb says: subject, verb, object, by the parser. Pure.

The verb's base form is the type, with the preposition where the object has one: REPLACE, DEPEND_ON. Verbs of the table
of rules have its types. The passive is turned round where the clause says by whom.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from kg_neo4j.offline.extractor.entities import DATE, PLACE, EntityDraft, RelationDraft
from kg_neo4j.offline.extractor.events import date_entity
from kg_neo4j.offline.extractor.grammar import LIGHT, OF_OBJECT, RELATING, Grammar, Mode
from kg_neo4j.offline.extractor.lexicon import ROLE_NOUNS
from kg_neo4j.offline.extractor.relation_patterns import KIN, TRIGGERS
from kg_neo4j.offline.extractor.tree import IRREGULAR_PARTICIPLE, IRREGULAR_PAST, ParsedMention

_STRENGTH = 6
_DATING = frozenset({"in", "on", "since", "from", "until", "around"})
_ORDER = frozenset({"bear", "succeed", "precede", "follow"})  # "was succeeded in 1901": somebody else came then
_MUTUAL = frozenset({"marry", "wed", "divorce", "meet"})  # "Ada and Otto married"
_PEOPLE = ROLE_NOUNS | KIN.keys()  # "met the son of": somebody else, nothing that they have
_NEAR = 6  # words between a verb and its object
_GIVING = frozenset("sell give lend award present donate bequeath dedicate".split())
_SENDING = frozenset("send bring move transfer appoint exile banish annex".split())  # who does it stays
_PARTLESS = frozenset({"be", "become", "have"})
_OF_WORK = frozenset({"at", "in", "with", "for"})
_LIFE = frozenset({"bear", "die"})  # events.py reads when
_EMPTY = LIGHT | {"call", "title", "entitle", "nickname", "dub"}  # these give a thing its name
_TYPE = re.compile(r"[A-Z][A-Z_]*")
_DOUBLED = re.compile(r"[^aeiou][aeiou][bdgmnprt]")


def verb_relations(grammar: Grammar) -> list[RelationDraft]:
    """Return what the verbs of a text state or let expect of two names, or of a name and a date, in its order."""
    found: list[RelationDraft] = []
    for verb in grammar.verbs():
        lemma = grammar.lemma(verb)
        made = lemma == "make" and grammar.is_passive(verb)
        is_empty = lemma in _EMPTY and not _particle(grammar, verb) and not made  # "took over" says something
        subjects = grammar.subjects(verb) if lemma.isascii() else []
        if not subjects:
            continue
        mode = grammar.mode(verb)
        if mode is Mode.DENIED:
            continue
        found_here = [] if is_empty else list(_of_verb(grammar, verb, lemma, subjects))
        if lemma not in _PARTLESS:
            found_here += _parts(grammar, verb, lemma, subjects)
        for relation in found_here:
            relation.stated = mode is Mode.STATED
            found.append(relation)
    return found


def _of_verb(grammar: Grammar, verb: int, lemma: str, subjects: Sequence[ParsedMention]) -> Iterator[RelationDraft]:
    particle = _particle(grammar, verb)
    passive = _is_passive(grammar, verb)
    objects = [] if passive else grammar.objects(verb)
    if len(objects) > 1 and _active(lemma, particle, "") == lemma.upper():
        objects = objects[1:]  # "bought her a ring" says nothing of him and her; "awarded her a medal" does
    if not passive:
        for token in objects:
            if not grammar.preposition(token):
                yield from _drafts(grammar, verb, subjects, _active(lemma, particle, ""), _named(grammar, token))
    if lemma in _MUTUAL and len(subjects) > 1 and not objects:
        yield from _drafts(grammar, verb, subjects[:1], _active(lemma, "", ""), subjects[1:])
    yield from _of_phrases(grammar, verb, lemma, subjects, objects)


def _of_phrases(
    grammar: Grammar, verb: int, lemma: str, subjects: Sequence[ParsedMention], objects: Sequence[int]
) -> Iterator[RelationDraft]:
    """Yield what a verb says with a preposition, and in the passive who does it."""
    particle, passive = _particle(grammar, verb), _is_passive(grammar, verb)
    for preposition, token in _phrases(grammar, verb, objects, passive):
        meant = list(grammar.listed(token))
        if not meant or (preposition not in RELATING and not _is_date(meant)):
            if passive and preposition == "by" and token > verb:
                yield from _drafts(grammar, verb, meant, _active(lemma, particle, ""), subjects)
            continue
        if _is_date(meant) and (preposition not in _DATING or lemma in (_ORDER if passive else _LIFE)):
            continue
        if passive:
            kind = _passive(grammar.words[verb], particle, preposition)
        else:
            kind = _active(lemma, particle, preposition, _thing(grammar, verb, objects))
        given = [each for thing in objects for each in grammar.listed(thing)] if preposition == "to" else []
        if not (given and lemma in _SENDING):
            yield from _drafts(grammar, verb, subjects, kind, meant)
        if lemma in _GIVING | _SENDING:  # "sold the Ariel to Lind", "sent Lind to Rome"
            yield from _drafts(grammar, verb, given, _passive(_participle(lemma), "", "to"), meant)


def _named(grammar: Grammar, token: int) -> list[ParsedMention]:
    return [each for each in grammar.listed(token) if each.item.date is None]


def _is_passive(grammar: Grammar, verb: int) -> bool:
    return grammar.is_passive(verb) or grammar.words[verb] == "born"


def _participle(lemma: str) -> str:
    return IRREGULAR_PARTICIPLE.get(lemma) or _past(lemma)


def _thing(grammar: Grammar, verb: int, objects: Sequence[int]) -> str:
    """Return the noun of the only object, where it is no name: "birth" of "gave birth to"."""
    token = objects[0] if len(objects) == 1 else -1
    if token < 0 or grammar.named_by(token) is not None or grammar.tags[token] not in ("NN", "NNS"):
        return ""
    if grammar.words[token] in _PEOPLE | {"one"} or abs(token - verb) > _NEAR:
        return ""
    is_word = grammar.words[token].isalpha() and grammar.words[token + 1 : token + 2] != ["-"]
    return grammar.words[token] if is_word else ""


def _parts(grammar: Grammar, verb: int, lemma: str, subjects: Sequence[ParsedMention]) -> Iterator[RelationDraft]:
    """Yield what is done to what a name has, or held at it: "keeps the papers of Lind", "holds a chair of law at"."""
    for token in [] if grammar.is_passive(verb) else grammar.objects(verb):
        thing = _thing(grammar, verb, [token])
        if not thing:
            continue
        noun = "_".join(filter(None, (_particle(grammar, verb), thing)))
        owners = [grammar.owners.get(child) for child in grammar.children[token]]
        whose = [("of", [each]) for each in owners if each is not None and each.item.kind == "name"]
        for preposition, phrase in grammar.phrases(token):
            meant = list(grammar.listed(phrase))
            if preposition == "of" and not meant:
                within = [(word, at) for word, at in grammar.phrases(phrase) if word in ("at", "in")]
                whose += [(word, list(grammar.listed(at))) for word, at in within]
            elif preposition == "of":
                whose.append(("of", meant))
        for word, meant in whose:
            if not _is_date(meant):
                yield from _drafts(grammar, verb, subjects, f"{lemma}_{noun}_{word}".upper(), meant)


def _particle(grammar: Grammar, verb: int) -> str:
    particles = [grammar.words[each] for each in grammar.children[verb] if grammar.deps[each] == "compound:prt"]
    return "".join(particles[:1])


def _phrases(grammar: Grammar, verb: int, objects: Sequence[int], passive: bool) -> Iterator[tuple[str, int]]:
    """Yield the phrases of a verb, and those of its object that may as well be the verb's: "teaches botany at".

    In the passive also a doer behind a date or place: "built in 1901 by".
    """
    for preposition, token in grammar.phrases(verb):
        yield preposition, token
        if preposition == "as":  # "worked as a clerk with"
            yield from ((word, phrase) for word, phrase in grammar.phrases(token) if word in _OF_WORK)
        host = grammar.mentions.get(token)
        if passive and host is not None and (host.item.date is not None or host.item.entity.type == PLACE):
            yield from ((word, phrase) for word, phrase in grammar.phrases(host.head) if word == "by")
    for token in objects:
        if grammar.named_by(token) is None:
            for preposition, phrase in grammar.phrases(token):
                if preposition in OF_OBJECT:
                    yield preposition, phrase


def _is_date(meant: Sequence[ParsedMention]) -> bool:
    return bool(meant) and meant[0].item.date is not None


def _active(lemma: str, particle: str, preposition: str, thing: str = "") -> str:
    words = [word for word in (lemma, particle, preposition) if word]
    past = IRREGULAR_PAST.get(lemma) or _past(lemma)
    trigger = TRIGGERS.get((past, *words[1:]))
    named = "_".join(word for word in (lemma, particle, thing, preposition) if word).upper()
    if trigger is None and len(words) == 1:
        turned = TRIGGERS.get((past, "by"))  # "invited by" points back: the active verb has the same type
        return turned.type if turned is not None and turned.back else lemma.upper()
    return trigger.type if trigger is not None and not trigger.noun and not trigger.back else named


def _past(lemma: str) -> str:
    if lemma.endswith("e"):
        return lemma + "d"
    if lemma.endswith("y") and lemma[-2:-1] not in "aeiou":
        return lemma[:-1] + "ied"
    doubled = lemma + lemma[-1] + "ed"
    return doubled if _DOUBLED.fullmatch(lemma[-3:]) and (doubled,) in TRIGGERS else lemma + "ed"


def _passive(participle: str, particle: str, preposition: str) -> str:
    if particle:
        return f"{participle}_{particle}_{preposition}".upper()
    trigger = TRIGGERS.get((participle, preposition))
    if trigger is not None and not trigger.noun and not trigger.back:
        return trigger.type
    return f"{participle}_{preposition}".upper()


def _drafts(
    grammar: Grammar, verb: int, sources: Sequence[ParsedMention], kind: str, targets: Sequence[ParsedMention]
) -> Iterator[RelationDraft]:
    """Yield a relationship from each source to each target; only those whose words stand in one sentence."""
    sentence = grammar.sentence_at(verb)
    place = grammar.starts[verb]
    if sentence is None or not _TYPE.fullmatch(kind):
        return
    when = _date(grammar, verb)
    for source in sources:
        for target in targets:
            if source.sentence is not sentence or target.sentence is not sentence or source.item.date is not None:
                continue
            if grammar.is_divided(source, target):
                continue
            start = min(source.item.start, target.item.start, place)
            end = max(source.item.end, target.item.end, place + len(grammar.texts[verb]))
            for one in source.entities:
                for other in _meant(target):
                    if one is not other:
                        date = other.name if other.type == DATE else when
                        yield RelationDraft(one, kind, other, sentence, start, end, _STRENGTH, date)


def _date(grammar: Grammar, verb: int) -> str:
    """Return when a clause says that it was, "" where it does not."""
    found = [grammar.mentions.get(token) for preposition, token in grammar.phrases(verb) if preposition in ("in", "on")]
    return next((each.item.text for each in found if each is not None and each.item.date is not None), "")


def _meant(mention: ParsedMention) -> Sequence[EntityDraft]:
    return (date_entity(mention.item),) if mention.item.date is not None else mention.entities


def group_by_sentence(relations: Iterable[RelationDraft]) -> dict[int, list[RelationDraft]]:
    """Return relationships by the identity of their sentence."""
    groups: dict[int, list[RelationDraft]] = {}
    for relation in relations:
        groups.setdefault(id(relation.sentence), []).append(relation)
    return groups
