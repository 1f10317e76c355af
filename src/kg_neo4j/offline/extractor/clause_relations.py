"""Relationships that the parser finds: said by a clause's verb, or by a noun ("its president, Akosua Brempong"). Pure.

A verb's base form is the type, with the preposition where the object has one: REPLACE, DEPEND_ON. The passive is turned
round where the clause says by whom. A noun is the type with its preposition. The table of rules has types for some.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from kg_neo4j.offline.extractor.entities import DATE, PERSON, PLACE, EntityDraft, RelationDraft
from kg_neo4j.offline.extractor.grammar import LIGHT, OF_OBJECT, RELATING, Grammar, Mode
from kg_neo4j.offline.extractor.lexicon import ROLE_NOUNS
from kg_neo4j.offline.extractor.relation_patterns import KIN, TRIGGERS
from kg_neo4j.offline.extractor.relations import date_entity
from kg_neo4j.offline.extractor.tree import IRREGULAR_PARTICIPLE, IRREGULAR_PAST, SUBJECTS, WORKS, ParsedMention

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


_NOUN_STRENGTH = 8
_RELATING = frozenset({"of", "at", "for", "to", "in"})
_NAMING = frozenset({"appos", "flat", "list", "parataxis"})
_BECOMING = frozenset({"become", "remain"})
_SERVING = frozenset({"serve", "work", "act", "employ", "engage", "appoint", "hire"})
_DEPUTIES = frozenset({"vice", "deputy", "assistant", "acting", "honorary"})
_PREFIXES = frozenset({"great", "half", "vice", "ex", "co"})
_BESIDE = frozenset({"POS", "RB", "DT", "PRP$", "JJ", "JJS", "JJR", "CD", "NN", "NNP", "HYPH"})
_PEOPLE = ROLE_NOUNS | KIN.keys()


def role_relations(grammar: Grammar) -> list[RelationDraft]:
    """Return what nouns for people say of two names, in the order of the text."""
    found: list[RelationDraft] = []
    for noun, tag in enumerate(grammar.tags):
        if not tag.startswith("NN") or noun in grammar.mentions:
            continue
        bearers = _bearers(grammar, noun) if _is_role(grammar, noun) else _described(grammar, noun)
        bearers = [each for each in bearers if each.item.date is None]
        clause = noun if grammar.is_clause(noun) else _becoming(grammar, noun)
        mode = grammar.mode(clause) if bearers and clause is not None else Mode.STATED
        if bearers and mode is not Mode.DENIED:
            for relation in _of_noun(grammar, noun, bearers):
                relation.stated = mode is Mode.STATED
                found.append(relation)
    return found + _works(grammar)


def _works(grammar: Grammar) -> list[RelationDraft]:
    """Return what a work's noun says of its maker: "her novel, The Salt Road", "the play Exile by Otto Lind"."""
    found: list[RelationDraft] = []
    for noun, word in enumerate(grammar.words):
        title = grammar.named_by(noun) if word in WORKS and noun not in grammar.mentions else None
        if title is None or title.entities[0].type == PERSON:
            continue
        makers = [grammar.owners[child] for child in grammar.children[noun] if child in grammar.owners]
        makers += [each for word, at in grammar.phrases(noun) if word == "by" for each in grammar.listed(at)]
        makers += [each for word, at in grammar.phrases(title.head) if word == "by" for each in grammar.listed(at)]
        for maker in makers:
            if maker.item.date is None and maker.entities and maker.entities[0].type == PERSON:
                found += _noun_drafts(grammar, noun, [maker], WORKS[word], title.entities, title)
    return found


def _word(grammar: Grammar, noun: int) -> str:
    """Return a noun with what hyphens join to it: "sister-in-law", "great-grandmother"."""
    words = grammar.words
    after = "".join(words[noun + 1 : noun + 5])
    before = words[max(noun - 2, 0) : noun]
    word = f"{before[0]}-{words[noun]}" if before[1:] == ["-"] and before[0] in _PREFIXES else words[noun]
    if before[-1:] and before[-1] in _DEPUTIES:
        word = f"{before[-1]}-{word}"
    return word + after if after == "-in-law" else word


def _is_role(grammar: Grammar, noun: int) -> bool:
    return bool({_word(grammar, noun), grammar.words[noun]} & _PEOPLE)


def _becoming(grammar: Grammar, noun: int) -> int | None:
    """Return the verb that says that its subject became, or served as, what a noun says."""
    head = grammar.heads[noun]
    lemma = grammar.lemma(head) if grammar.tags[head].startswith("VB") else ""
    bare = grammar.deps[noun] in ("obj", "xcomp") and not grammar.preposition(noun)
    as_such = grammar.preposition(noun) == "as" and lemma in _SERVING
    return head if (lemma in _BECOMING and bare) or as_such else None


def _described(grammar: Grammar, noun: int) -> list[ParsedMention]:
    """Return the person whom a noun between commas, or between a name's comma and the full stop, says something of."""
    before = noun - 1
    if grammar.tags[noun].endswith("S") or noun + 1 in grammar.mentions:
        return []
    while before > 0 and (grammar.tags[before] in _BESIDE or grammar.words[before] == "-"):
        before -= 1
    sentence = grammar.sentence_at(noun)
    if grammar.words[before] != "," or sentence is None:
        return []
    before -= 1
    if grammar.tags[before] == "CD" and grammar.words[before - 1] == ",":
        before -= 2  # an age
    if grammar.words[before] == ")":
        before = next((token - 1 for token in range(before, max(before - 8, 0), -1) if grammar.words[token] == "("), 0)
    mention = grammar.mentions.get(before)
    if mention is None or mention.item.kind != "name" or mention.item.possessive:
        return []
    if grammar.deps[noun] in SUBJECTS and mention.first != grammar.opening(sentence):
        return []
    return [mention] if mention.entities[0].type == PERSON else []


def _joined(grammar: Grammar, head: int) -> int | None:
    """Return the noun for a person to which "and" joins another: "master of the Ariel and a native of Bonn"."""
    if head in grammar.mentions:
        head = grammar.heads[grammar.mentions[head].head] if grammar.preposition(head) == "of" else head
    return head if _is_role(grammar, head) and head not in grammar.mentions else None


def _bearers(grammar: Grammar, noun: int, depth: int = 0) -> list[ParsedMention]:
    """Return who a noun is said of: its apposition, what it stands beside, its subject, or what it says "is" of."""
    last = noun + 4 if _word(grammar, noun).endswith("-in-law") else noun
    own = grammar.named_by(noun) or grammar.named_by(last)
    if own is not None:
        return [own]
    if any(grammar.deps[child] == "cop" for child in grammar.children[noun]):
        return grammar.subjects(noun)
    head, dep = grammar.heads[noun], grammar.deps[noun]
    is_owned = any(grammar.deps[child] == "nmod:poss" for child in grammar.children[noun])
    if dep == "conj" and depth < 3 and not is_owned:  # "and her son": somebody else
        joined = _joined(grammar, head)
        if joined is not None:
            return _bearers(grammar, joined, depth + 1)
    becoming = _becoming(grammar, noun)
    if becoming is not None:
        return grammar.subjects(becoming)
    mention = grammar.mentions.get(head)
    if mention is None:
        return _described(grammar, noun)
    if dep in _NAMING and head < noun:
        nearest = [each for each in _described(grammar, noun) if grammar.words[each.first - 1] != "of"]
        return nearest or [mention]
    if dep in _NAMING or (dep == "compound" and noun < mention.first):
        return [mention]
    is_said = dep == "nsubj" and any(grammar.deps[child] == "cop" for child in grammar.children[head])
    return [mention] if is_said and grammar.mode(head) is Mode.STATED else _described(grammar, noun)


def _owners(grammar: Grammar, phrase: int) -> list[ParsedMention]:
    """Return the name of "a pupil of Brandt's"."""
    owner = grammar.owners.get(phrase)
    after = grammar.tags[owner.last + 1 : owner.last + 3] if owner is not None else []
    is_last = after[:1] == ["POS"] and not after[-1].startswith(("NN", "JJ"))
    return [owner] if owner is not None and owner.item.kind == "name" and is_last else []


def _noun_phrases(grammar: Grammar, noun: int) -> Iterator[tuple[str, int]]:
    """Yield the phrases of a noun, and those of what it is "of" where that has no name: "head of sales at Lind"."""
    for preposition, phrase in grammar.phrases(noun):
        yield preposition, phrase
        if preposition == "of" and not list(grammar.listed(phrase)):
            yield from ((word, at) for word, at in grammar.phrases(phrase) if word == "at")


def _of_noun(grammar: Grammar, noun: int, bearers: Sequence[ParsedMention]) -> Iterator[RelationDraft]:
    word = _word(grammar, noun)
    for preposition, phrase in _noun_phrases(grammar, noun):
        if preposition == "from":
            origins = [each for each in grammar.listed(phrase) if each.item.kind == "name"]
            for origin in (each for each in origins if each.entities[0].type == PLACE):
                yield from _noun_drafts(grammar, noun, bearers, "CAME_FROM", origin.entities, origin)
        trigger = TRIGGERS.get((word, preposition))
        if preposition not in _RELATING or (trigger is None and word in KIN and preposition != "of"):
            continue
        other = KIN[word][0] if word in KIN else f"{word}_{preposition}".replace("-", "_").upper()
        kind = trigger.type if trigger is not None and trigger.noun else other
        for owner in [*grammar.listed(phrase), *_owners(grammar, phrase)]:
            if owner.item.date is None and "," not in grammar.words[phrase : owner.first]:
                yield from _noun_drafts(grammar, noun, bearers, kind, owner.entities, owner)
    for child in grammar.children[noun]:
        is_whose = grammar.words[child] == "whose"
        owner_item = grammar.before_relative(child) if is_whose else grammar.owners.get(child)
        if not (is_whose or grammar.deps[child] == "nmod:poss") or owner_item is None:
            continue
        kind, back, gender = KIN.get(word, (f"{word}_of".replace("-", "_").upper(), True, ""))
        trigger = TRIGGERS.get((word, "of"))
        if word not in KIN and trigger is not None and trigger.noun:
            kind = trigger.type
        people = [each for each in bearers if each.entities[0].type == PERSON]
        for relation in _noun_drafts(grammar, noun, people, kind, owner_item.entities, owner_item):
            relation.source.gender = relation.source.gender or gender
            if not back:
                relation.source, relation.target = relation.target, relation.source
            yield relation


def _noun_drafts(
    grammar: Grammar,
    noun: int,
    sources: Sequence[ParsedMention],
    kind: str,
    targets: Sequence[EntityDraft],
    owner: ParsedMention,
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
                    yield RelationDraft(one, kind, other, sentence, min(start, place), max(end, last), _NOUN_STRENGTH)
