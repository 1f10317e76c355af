"""Relationships that the parser finds: said by a clause's verb, or by a noun ("its president, Akosua Brempong"). Pure.

A verb's base form is the type, with the preposition where the object has one: REPLACE, DEPEND_ON. The passive is turned
round where the clause says by whom. A noun is the type with its preposition. The table of rules has types for some.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kg_neo4j_offline.extractor.entities import PERSON, PLACE, RelationDraft
from kg_neo4j_offline.extractor.grammar import LIGHT, OF_OBJECT, RELATING, Grammar, Mode
from kg_neo4j_offline.extractor.lexicon import ROLE_NOUNS
from kg_neo4j_offline.extractor.parsed_text import TextItem
from kg_neo4j_offline.extractor.relation_patterns import KIN, TRIGGERS
from kg_neo4j_offline.extractor.tree import IRREGULAR_PARTICIPLE, IRREGULAR_PAST, SUBJECTS, WORKS, ParsedMention

_VERB_STRENGTH, _NOUN_STRENGTH = 6, 8
_PEOPLE = ROLE_NOUNS | KIN.keys()  # "met the son of": somebody else, nothing that they have
_NEAR = 6  # words between a verb and its object
_MUTUAL = frozenset("marry wed divorce meet".split())  # "Ada and Otto married"
_GIVING = frozenset("sell give lend award present donate bequeath dedicate".split())
_SENDING = frozenset("send bring move transfer appoint exile banish annex".split())  # who does it stays
_PARTLESS = frozenset("be become have".split())
_OF_WORK = frozenset("at in with for".split())
_LIFE = {"bear": "birth", "die": "death"}
_EMPTY = LIGHT | frozenset("call title entitle nickname dub".split())  # these give a thing its name
_TYPE = re.compile(r"[A-Z][A-Z_]*")
_DOUBLED = re.compile(r"[^aeiou][aeiou][bdgmnprt]")
_OF_ROLES = frozenset("of at for to in".split())
_NAMING = frozenset("appos flat list parataxis".split())
_BECOMING = frozenset("become remain".split())
_SERVING = frozenset("serve work act employ engage appoint hire".split())
_DEPUTIES = frozenset("vice deputy assistant acting honorary".split())
_PREFIXES = frozenset("great half vice ex co".split())
_BESIDE = frozenset("POS RB DT PRP$ JJ JJS JJR CD NN NNP HYPH".split())


def verb_relations(grammar: Grammar) -> list[RelationDraft]:
    """Return what the verbs of a text state or let expect of two names, or of a name and a date, in its order."""
    found: list[RelationDraft] = []
    for verb in grammar.verbs():
        lemma = grammar.lemma(verb)
        subjects = grammar.subjects(verb) if lemma and lemma.isascii() else []  # of "[" the pipeline makes no base form
        mode = grammar.mode(verb) if subjects else Mode.DENIED
        if mode is not Mode.DENIED:
            for relation in _VerbClause(grammar, verb, lemma, subjects).relations():
                relation.stated = mode is Mode.STATED
                found.append(relation)
    return found


class _VerbClause:
    def __init__(self, grammar: Grammar, verb: int, lemma: str, subjects: Sequence[ParsedMention]) -> None:
        self.grammar, self.verb, self.lemma, self.subjects = grammar, verb, lemma, subjects
        particles = [grammar.words[each] for each in grammar.children[verb] if grammar.deps[each] == "compound:prt"]
        self.particle = "".join(particles[:1])
        self.own_passive = grammar.is_passive(verb)
        self.passive = self.own_passive or grammar.words[verb] == "born"
        self.active_type = _active(lemma, self.particle, "")
        self.objects = [] if self.passive else grammar.objects(verb)
        if len(self.objects) > 1 and self.active_type == lemma.upper():
            self.objects = self.objects[1:]  # "bought her a ring" says nothing of him and her, "awarded" does

    def relations(self) -> Iterator[RelationDraft]:
        """Yield what the verb says of its subjects."""
        made = self.lemma == "make" and self.own_passive
        if self.lemma not in _EMPTY or self.particle or made:  # "took over" says something
            yield from self._of_objects()
            yield from self._of_phrases()
        if self.lemma not in _PARTLESS:
            yield from self._of_parts()

    def _of_objects(self) -> Iterator[RelationDraft]:
        for token in self.objects:
            if not self.grammar.preposition(token):
                named = [each for each in self.grammar.listed(token) if each.item.date is None]
                yield from self._drafts(self.subjects, self.active_type, named)
        if self.lemma in _MUTUAL and len(self.subjects) > 1 and not self.objects:
            yield from self._drafts(self.subjects[:1], _active(self.lemma, "", ""), self.subjects[1:])

    def _of_phrases(self) -> Iterator[RelationDraft]:
        """Yield what the verb says with a preposition, and in the passive who does it."""
        for preposition, token in self._phrases():
            meant = list(self.grammar.listed(token))
            if _is_date(meant):
                self._note_year(meant[0].item)
                continue
            if not meant or preposition not in RELATING:
                if self.passive and preposition == "by" and token > self.verb:
                    yield from self._drafts(meant, self.active_type, self.subjects)
                continue
            if self.passive:
                kind = _passive(self.grammar.words[self.verb], self.particle, preposition)
            else:
                kind = _active(self.lemma, self.particle, preposition, self._thing(self.objects))
            is_given = preposition == "to"
            given = [each for thing in self.objects if is_given for each in self.grammar.listed(thing)]
            if not (given and self.lemma in _SENDING):
                yield from self._drafts(self.subjects, kind, meant)
            if self.lemma in _GIVING | _SENDING:  # "sold the Ariel to Lind", "sent Lind to Rome"
                participle = IRREGULAR_PARTICIPLE.get(self.lemma) or _past(self.lemma)
                yield from self._drafts(given, _passive(participle, "", "to"), meant)

    def _note_year(self, date: TextItem) -> None:
        """Note the year of a birth or death with who was born or died."""
        year = date.date.year if date.date is not None and self.lemma in _LIFE else None
        for entity in [entity for subject in self.subjects for entity in subject.entities]:
            entity.note_year(_LIFE.get(self.lemma, "birth"), year)

    def _phrases(self) -> Iterator[tuple[str, int]]:
        """Yield the phrases of the verb, and those of its object that may as well be the verb's: "teaches botany at".

        In the passive also a doer behind a date or place: "built in 1901 by".
        """
        grammar = self.grammar
        for preposition, token in grammar.phrases(self.verb):
            yield preposition, token
            if preposition == "as":  # "worked as a clerk with"
                yield from ((word, phrase) for word, phrase in grammar.phrases(token) if word in _OF_WORK)
            host = grammar.mentions.get(token)
            if self.passive and host is not None and (host.item.date is not None or host.item.entity.type == PLACE):
                yield from ((word, phrase) for word, phrase in grammar.phrases(host.head) if word == "by")
        for token in self.objects:
            if grammar.named_by(token) is None:
                yield from ((word, phrase) for word, phrase in grammar.phrases(token) if word in OF_OBJECT)

    def _thing(self, objects: Sequence[int]) -> str:
        """Return the noun of the only object, where it is no name: "birth" of "gave birth to"."""
        token, words = objects[0] if len(objects) == 1 else -1, self.grammar.words
        if token < 0 or self.grammar.named_by(token) is not None or self.grammar.tags[token] not in ("NN", "NNS"):
            return ""
        is_far = words[token] in _PEOPLE | {"one"} or abs(token - self.verb) > _NEAR
        is_word = words[token].isalpha() and words[token + 1 : token + 2] != ["-"]
        return words[token] if is_word and not is_far else ""

    def _of_parts(self) -> Iterator[RelationDraft]:
        """Yield what is done to what a name has, or held at it: "keeps the papers of Lind", "holds a chair at"."""
        grammar = self.grammar
        for token in [] if self.own_passive else grammar.objects(self.verb):
            thing = self._thing([token])
            if not thing:
                continue
            owners = [grammar.owners.get(child) for child in grammar.children[token]]
            whose = [("of", [each]) for each in owners if each is not None and each.item.kind == "name"]
            for preposition, phrase in grammar.phrases(token):
                meant = list(grammar.listed(phrase)) if preposition == "of" else []
                if meant:
                    whose.append(("of", meant))
                elif preposition == "of":
                    within = [(word, at) for word, at in grammar.phrases(phrase) if word in ("at", "in")]
                    whose += [(word, list(grammar.listed(at))) for word, at in within]
            for word, meant in whose:
                if not _is_date(meant):
                    kind = "_".join(filter(None, (self.lemma, self.particle, thing, word))).upper()
                    yield from self._drafts(self.subjects, kind, meant)

    def _drafts(
        self, sources: Sequence[ParsedMention], kind: str, targets: Sequence[ParsedMention]
    ) -> Iterator[RelationDraft]:
        grammar = self.grammar
        if not _TYPE.fullmatch(kind):
            return
        dates = [grammar.mentions.get(token) for word, token in grammar.phrases(self.verb) if word in ("in", "on")]
        when = next((each.item.text for each in dates if each is not None and each.item.date is not None), "")
        for source in sources:
            if source.item.date is None:
                whole = [target for target in targets if not grammar.is_divided(source, target)]
                for relation in _drafts(grammar, self.verb, [source], kind, whole, _VERB_STRENGTH):
                    relation.date = when
                    yield relation


def _is_date(meant: Sequence[ParsedMention]) -> bool:
    return bool(meant) and meant[0].item.date is not None


def _active(lemma: str, particle: str, preposition: str, thing: str = "") -> str:
    words = [word for word in (lemma, particle, preposition) if word]
    past = IRREGULAR_PAST.get(lemma) or _past(lemma)
    trigger = TRIGGERS.get((past, *words[1:]))
    if trigger is None and len(words) == 1:
        turned = TRIGGERS.get((past, "by"))  # "invited by" points back: the active verb has the same type
        return turned.type if turned is not None and turned.back else lemma.upper()
    if trigger is not None and not trigger.noun and not trigger.back:
        return trigger.type
    return "_".join(word for word in (lemma, particle, thing, preposition) if word).upper()


def in_past(kind: str) -> str:
    """Return a type with its verb in the past: "WORKED_FOR" for "WORK_FOR"; a mark before it stays."""
    verb, _, rest = kind.lstrip("^").lower().partition("_")
    past = "_".join(filter(None, (IRREGULAR_PAST.get(verb) or _past(verb), rest))).upper()
    return f"^{past}" if kind.startswith("^") else past


def _past(lemma: str) -> str:
    if lemma.endswith("e"):
        return lemma + "d"
    if lemma.endswith("y") and lemma[-2:-1] not in "aeiou":
        return lemma[:-1] + "ied"
    doubled = lemma + lemma[-1] + "ed"
    return doubled if _DOUBLED.fullmatch(lemma[-3:]) and (doubled,) in TRIGGERS else lemma + "ed"


def _passive(participle: str, particle: str, preposition: str) -> str:
    trigger = None if particle else TRIGGERS.get((participle, preposition))
    if trigger is not None and not trigger.noun and not trigger.back:
        return trigger.type
    return "_".join(filter(None, (participle, particle, preposition))).upper()


def _drafts(
    grammar: Grammar,
    token: int,
    sources: Sequence[ParsedMention],
    kind: str,
    targets: Sequence[ParsedMention],
    strength: int,
) -> Iterator[RelationDraft]:
    """Yield what a word says of each source and each target; only those that stand in the sentence of the word."""
    sentence, place = grammar.sentence_at(token), grammar.starts[token]
    for source in sources:
        for target in targets:
            if sentence is None or source.sentence is not sentence or target.sentence is not sentence:
                continue
            start = min(source.item.start, target.item.start, place)
            end = max(source.item.end, target.item.end, place + len(grammar.texts[token]))
            for one in source.entities:
                for other in target.entities if target.item.date is None else ():
                    if one is not other:
                        yield RelationDraft(one, kind, other, sentence, start, end, strength)


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
        for preposition, phrase in [*grammar.phrases(noun), *grammar.phrases(title.head)]:
            makers += grammar.listed(phrase) if preposition == "by" else ()
        for maker in makers:
            if maker.item.date is None and maker.entities and maker.entities[0].type == PERSON:
                found += _drafts(grammar, noun, [maker], WORKS[word], [title], _NOUN_STRENGTH)
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


def _bearers(grammar: Grammar, noun: int, depth: int = 0) -> list[ParsedMention]:
    """Return who a noun is said of: its apposition, what it stands beside, its subject, or what it says "is" of."""
    last = noun + 4 if _word(grammar, noun).endswith("-in-law") else noun
    own = grammar.named_by(noun) or grammar.named_by(last)
    if own is not None and grammar.preposition(own.head) != "of":
        return [own]
    if grammar.has_child(noun, "cop"):
        return grammar.subjects(noun)
    head, dep = grammar.heads[noun], grammar.deps[noun]
    if dep == "conj" and depth < 3 and not grammar.has_child(noun, "nmod:poss"):  # "and her son": somebody else
        is_of = head in grammar.mentions and grammar.preposition(head) == "of"
        joined = grammar.heads[grammar.mentions[head].head] if is_of else head
        if _is_role(grammar, joined) and joined not in grammar.mentions:  # "master of the Ariel and a native of Bonn"
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
    is_said = dep == "nsubj" and grammar.has_child(head, "cop") and grammar.mode(head) is Mode.STATED
    is_beside = dep in _NAMING or (dep == "compound" and noun < mention.first)
    return [mention] if is_beside or is_said else _described(grammar, noun)


def _owners(grammar: Grammar, phrase: int) -> list[ParsedMention]:
    """Return the name of "a pupil of Brandt's"."""
    owner = grammar.owners.get(phrase)
    after = grammar.tags[owner.last + 1 : owner.last + 3] if owner is not None else []
    is_last = after[:1] == ["POS"] and not after[-1].startswith(("NN", "JJ"))
    return [owner] if owner is not None and owner.item.kind == "name" and is_last else []


def _role_phrases(grammar: Grammar, noun: int) -> Iterator[tuple[str, int]]:
    """Yield the phrases of a noun, and those of what it is "of" where that has no name: "head of sales at Lind"."""
    for preposition, phrase in grammar.phrases(noun):
        yield preposition, phrase
        if preposition == "of" and not list(grammar.listed(phrase)):
            yield from ((word, at) for word, at in grammar.phrases(phrase) if word == "at")


def _of_noun(grammar: Grammar, noun: int, bearers: Sequence[ParsedMention]) -> Iterator[RelationDraft]:
    word = _word(grammar, noun)
    for preposition, phrase in _role_phrases(grammar, noun):
        if preposition == "from":
            origins = [each for each in grammar.listed(phrase) if each.item.kind == "name"]
            for origin in (each for each in origins if each.entities[0].type == PLACE):
                yield from _drafts(grammar, noun, bearers, "CAME_FROM", [origin], _NOUN_STRENGTH)
        trigger = TRIGGERS.get((word, preposition))
        if preposition not in _OF_ROLES or (trigger is None and word in KIN and preposition != "of"):
            continue
        other = KIN[word][0] if word in KIN else f"{word}_{preposition}".replace("-", "_").upper()
        kind = trigger.type if trigger is not None and trigger.noun else other
        for owner in [*grammar.listed(phrase), *_owners(grammar, phrase)]:
            if owner.item.date is None and "," not in grammar.words[phrase : owner.first] and kind.isascii():
                yield from _drafts(grammar, noun, bearers, kind, [owner], _NOUN_STRENGTH)
    yield from _of_owners(grammar, noun, [each for each in bearers if each.entities[0].type == PERSON])


def _of_owners(grammar: Grammar, noun: int, people: Sequence[ParsedMention]) -> Iterator[RelationDraft]:
    """Yield what a noun says of who has it: "her son Otto", "Lind, whose son"."""
    word = _word(grammar, noun)
    trigger = TRIGGERS.get((word, "of"))
    named = trigger.type if trigger is not None and trigger.noun else f"{word}_of".replace("-", "_").upper()
    kind, back, gender = KIN.get(word, (named, True, ""))
    for child in grammar.children[noun]:
        is_whose = grammar.words[child] == "whose"
        owner = grammar.before_relative(child) if is_whose else grammar.owners.get(child)
        is_owner = is_whose or grammar.deps[child] == "nmod:poss"
        if not is_owner or owner is None or owner.item.date is not None or not kind.isascii():
            continue
        for relation in _drafts(grammar, noun, people, kind, [owner], _NOUN_STRENGTH):
            relation.source.gender = relation.source.gender or gender
            if not back:
                relation.source, relation.target = relation.target, relation.source
            yield relation
