"""Relationships that a noun says: "harbourmaster of Ness", "its president, Akosua Brempong". By the parser. Pure.

The noun is the type, with its preposition; nouns of the table of rules have its types.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kg_neo4j.offline.extractor.entities import PERSON, PLACE, EntityDraft, RelationDraft
from kg_neo4j.offline.extractor.grammar import Grammar, Mode
from kg_neo4j.offline.extractor.lexicon import ROLE_NOUNS
from kg_neo4j.offline.extractor.relation_patterns import KIN, TRIGGERS
from kg_neo4j.offline.extractor.tree import SUBJECTS, WORKS, ParsedMention

_STRENGTH = 8
_RELATING = frozenset({"of", "at", "for", "to", "in"})
_NAMING = frozenset({"appos", "flat", "list", "parataxis"})
_BECOMING = frozenset({"become", "remain"})
_SERVING = frozenset({"serve", "work", "act", "employ", "engage", "appoint", "hire"})
_DEPUTIES = frozenset({"vice", "deputy", "assistant", "acting", "honorary"})
_PREFIXES = frozenset({"great", "half", "vice", "ex", "co"})
_BESIDE = frozenset({"POS", "RB", "DT", "PRP$", "JJ", "JJS", "JJR", "CD", "NN", "NNP", "HYPH"})
_NOUNS = ROLE_NOUNS | KIN.keys()


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
                found += _drafts(grammar, noun, [maker], WORKS[word], title.entities, title)
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
    return bool({_word(grammar, noun), grammar.words[noun]} & _NOUNS)


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


def _phrases(grammar: Grammar, noun: int) -> Iterator[tuple[str, int]]:
    """Yield the phrases of a noun, and those of what it is "of" where that has no name: "head of sales at Lind"."""
    for preposition, phrase in grammar.phrases(noun):
        yield preposition, phrase
        if preposition == "of" and not list(grammar.listed(phrase)):
            yield from ((word, at) for word, at in grammar.phrases(phrase) if word == "at")


def _of_noun(grammar: Grammar, noun: int, bearers: Sequence[ParsedMention]) -> Iterator[RelationDraft]:
    word = _word(grammar, noun)
    for preposition, phrase in _phrases(grammar, noun):
        if preposition == "from":
            origins = [each for each in grammar.listed(phrase) if each.item.kind == "name"]
            for origin in (each for each in origins if each.entities[0].type == PLACE):
                yield from _drafts(grammar, noun, bearers, "CAME_FROM", origin.entities, origin)
        trigger = TRIGGERS.get((word, preposition))
        if preposition not in _RELATING or (trigger is None and word in KIN and preposition != "of"):
            continue
        other = KIN[word][0] if word in KIN else f"{word}_{preposition}".replace("-", "_").upper()
        kind = trigger.type if trigger is not None and trigger.noun else other
        for owner in [*grammar.listed(phrase), *_owners(grammar, phrase)]:
            if owner.item.date is None and "," not in grammar.words[phrase : owner.first]:
                yield from _drafts(grammar, noun, bearers, kind, owner.entities, owner)
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
        for relation in _drafts(grammar, noun, people, kind, owner_item.entities, owner_item):
            relation.source.gender = relation.source.gender or gender
            if not back:
                relation.source, relation.target = relation.target, relation.source
            yield relation


def _drafts(
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
                    yield RelationDraft(one, kind, other, sentence, min(start, place), max(end, last), _STRENGTH)
