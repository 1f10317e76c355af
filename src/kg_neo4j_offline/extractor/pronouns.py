"""Whom a pronoun means: the person who stands out most where it is read. Pure.

Everybody named gains weight by how they are named (subject, object, possessor) and loses half of it with every
sentence; what the document is about keeps some. A pronoun means the heaviest one of its gender that the grammar allows;
nobody where that one has no name ("the clerk") or another is as heavy.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

from kg_neo4j_offline.extractor import lexicon as lex
from kg_neo4j_offline.extractor.entities import PERSON, EntityDraft
from kg_neo4j_offline.extractor.parsed_text import ParsedSentence, TextItem, item_at
from kg_neo4j_offline.extractor.people_nouns import (
    BORN,
    REFLEXIVE,
    Guess,
    noun_gender,
    prevailing,
    read_genders,
    unnamed_from,
)
from kg_neo4j_offline.extractor.relation_patterns import KIN, VERBS, is_subject

_SUBJECT, _OBJECT, _POSSESSOR, _RELATIVE, _ASIDE = 180.0, 130.0, 100.0, 80.0, 40.0
_TOPIC = 110.0  # what the document is about has at least this
_NEW_PARAGRAPH = 160.0  # and this where a paragraph begins
_OPENING = 3  # words before a subject that opens a sentence, at most
_FADED = 12.0  # weight below which a person is not meant
_FADED_UNKNOWN = 44.0  # likewise, where the gender is not known
_RIVAL = 0.9  # of the heaviest one's weight: who has this may be meant as well
_PARALLEL = 60.0  # bonus of whom the sentence before opened with, for a pronoun that opens one
_CLAUSE_SUBJECT = 40.0  # bonus of the clause's own subject for "his" and "her"
_UNKNOWN = 0.75  # of the weight of somebody whose gender is not known
_BREAKS = lex.CONJUNCTIONS | lex.RELATIVES | frozenset({"that", "before", "after", "until", "since"})
_LINKS = lex.BE | frozenset({"became", "remained"})
_SAINTS = ("St ", "St. ", "Saint ")
_EMPTY = frozenset({"it", "that", "this", "there"})  # "that was her nephew"
_PARTICIPLES = frozenset({"born", "brought", "chosen", "found", "given", "held", "known", "seen", "sent", "taught"})
_ASKED = frozenset({"asked", "wondered"})
_NOT_OWNED = lex.PREPOSITIONS | lex.CONJUNCTIONS | {"a", "an", "the", "to"}  # after "her"
_VERBS = lex.BE | lex.PERSON_VERBS | VERBS | frozenset({"had", "has", "did", "would", "could", "also", "then", "later"})
_TURNS = frozenset({"before", "after", "until", "since"})  # a preposition where the pronoun follows directly
_REPORTS = frozenset(  # what scholars do in the present tense: it is others that they speak of
    """argues asserts believes claims comments concludes considers contends describes estimates explains maintains notes
    observes points remarks reports says speculates states suggests thinks writes""".split()
)
_FIRST_WORDS = frozenset({"when", "while", "as", "after", "before", "although", "though", "because", "since"})


def resolve_pronouns(sentences: list[ParsedSentence], topic: EntityDraft | None, guess: Guess | None = None) -> None:
    """Link he, she, his, her, him, himself and herself to the person they mean, outside direct speech.

    `topic` is what the document is about; only a person can be meant. `guess` tells the gender of a first name that
    is on no list.
    """
    if topic is not None and topic.type != PERSON:
        topic = None
    if topic is not None and not topic.gender:
        topic.gender = prevailing(sentences)
    read_genders(sentences, guess)
    people = _People(topic)
    paragraph = -1
    for sentence in sentences:
        people.begin_sentence(new_paragraph=sentence.paragraph != paragraph)
        paragraph = sentence.paragraph
        _Clauses(sentence.items, people).read()
    _leave_open(sentences)


class _People:
    """Who has been named so far, and how much they stand out."""

    def __init__(self, topic: EntityDraft | None) -> None:
        self._topic = topic
        self._weights: dict[EntityDraft, float] = {}
        self._unnamed: dict[str, EntityDraft] = {}
        self.opened: EntityDraft | None = None  # subject with which the sentence before opened
        self.opens: EntityDraft | None = None  # and this one

    def begin_sentence(self, *, new_paragraph: bool) -> None:
        """Let everybody fade."""
        self.opened, self.opens = None if new_paragraph else self.opens, None
        if new_paragraph:
            for person in self._unnamed.values():
                self._weights.pop(person, None)
        for person in self._weights:
            self._weights[person] /= 2
        if self._topic is not None:
            least = _NEW_PARAGRAPH if new_paragraph else _TOPIC
            self._weights[self._topic] = max(self._weights.get(self._topic, 0.0), least)

    def name(self, person: EntityDraft, weight: float) -> None:
        """Note a mention. The next one of a person in a sentence adds little."""
        known = self._weights.get(person, 0.0)
        self._weights[person] = max(known, weight) + 0.15 * min(known, weight)

    def meant(self, gender: str, bonus: dict[EntityDraft, float], barred: set[EntityDraft]) -> EntityDraft | None:
        """Return the heaviest person of `gender`; the one named last of equally heavy ones."""
        weights = [
            ((weight + bonus.get(person, 0.0)) * (1.0 if person.gender else _UNKNOWN), person)
            for person, weight in self._weights.items()
            if person not in barred and person.gender in (gender, "")
        ]
        if not weights:
            return None
        heaviest, best = max(reversed(weights), key=lambda each: each[0])
        if heaviest < (_FADED if best.gender else _FADED_UNKNOWN):
            return None
        rivals = (each for weight, each in weights if weight >= _RIVAL * heaviest and (each.gender or not best.gender))
        names = set(best.words) - lex.HONORIFICS  # one name may be the other in short: "Frau Lind" and "Ada Lind"
        others = (set(each.words) - lex.HONORIFICS for each in rivals)
        is_clear = best is self._topic or all(names <= other or other <= names for other in others)
        return best if is_clear else None

    def unnamed(self, noun: str) -> EntityDraft:
        """Return who is spoken of by a noun alone: somebody whom a pronoun may mean, and no name."""
        return self._unnamed.setdefault(noun, EntityDraft("", (f"the {noun}",), gender=noun_gender(noun), type=PERSON))


@dataclass(slots=True)
class _Clauses:
    """One sentence, read from left to right."""

    items: list[TextItem]
    people: _People
    subject: EntityDraft | None = None  # of the clause that is being read
    place: int = -1  # of that subject
    asked: EntityDraft | None = None  # who is asked something in it

    def read(self) -> None:
        """Link the sentence's pronouns, and note who is named."""
        for index, item in enumerate(self.items):
            if item.quoted:
                continue
            for each in item.plural:
                self.people.name(each, _POSSESSOR)
            if item.kind == "name" and item.entity.type == PERSON:
                self._name(index, item)
            elif item.kind == "word" and item.lower in lex.PRONOUNS:
                item.entity = self._referent(index, item)
                if item.entity is not None:
                    self._note(index, item)
                    item.entity = item.entity if item.entity.name else None
            elif item.text == ";":
                self.subject = None
            elif (begin := unnamed_from(self.items, index)) is not None:
                self._unnamed(begin, index)

    def _unnamed(self, begin: int, index: int) -> None:
        person = self.people.unnamed(self.items[index].lower)
        free = item_at(self.items, begin - 1).lower not in lex.PREPOSITIONS
        if self.items[index].possessive:
            self.people.name(person, _POSSESSOR)
        elif free and (self.items[begin].possessive or is_subject(self.items, begin)) and self._opens(index):
            self.people.name(person, _SUBJECT)
            self._begin_clause(person, index)
        else:
            self.people.name(person, _OBJECT)

    def _opens(self, index: int) -> bool:
        return self.subject is None or self._has_verb(index)

    def _name(self, index: int, item: TextItem) -> None:
        following = item_at(self.items, index + 1).lower
        if item.hidden or following in _REPORTS or item_at(self.items, index - 1).lower in BORN:
            weight = _ASIDE
        elif item.text.startswith(_SAINTS) and not is_subject(self.items, index):
            weight = 0.0  # rather a church: "the cellars of St. Anne"
        elif item.possessive:
            weight = _POSSESSOR
        elif self._is_relative(index):
            weight = _SUBJECT if self._has_verb(index) and following not in lex.BE | {","} else _RELATIVE
        elif is_subject(self.items, index) and self._opens(index):
            weight = _SUBJECT
            self._begin_clause(item.entity, index)
        else:
            weight = _OBJECT
            if self.items[index - 1].lower in _ASKED:
                self.asked = item.entity
        self.people.name(item.entity, weight)

    def _begin_clause(self, person: EntityDraft, index: int) -> None:
        self.subject, self.place = person, index
        if index <= _OPENING:
            joined = item_at(self.items, index - 1).lower == "and"
            aside = not person.name and self.items[0].lower in _FIRST_WORDS  # "When the teacher left, Rosa wept"
            self.people.opens = None if joined or aside else person

    def _is_relative(self, index: int) -> bool:
        """Tell whether a name only says who somebody's relative is: "his father, Georg Lind"."""
        position = index - 2 if item_at(self.items, index - 1).text == "," else index - 1
        owners = self.items[max(0, position - 3) : max(0, position)]
        is_kin = item_at(self.items, position).lower in KIN
        return is_kin and any(each.possessive or each.lower in lex.POSSESSIVE for each in owners)

    def _has_verb(self, index: int) -> bool:
        """Tell whether a verb follows a name, so that it begins a clause of its own."""
        following = self.items[index + 1 : index + 3]
        word = next((each.lower for each in following if each.kind == "word"), "")
        if not word or (following[0].kind == "mark" and following[0].text != ","):
            return False
        return word in _VERBS or (word.endswith("ed") and following[0].kind == "word") or word in lex.RELATIVES

    def _note(self, index: int, pronoun: TextItem) -> None:
        person = pronoun.entity
        if pronoun.lower in lex.NOMINATIVE:
            self._begin_clause(person, index)
            self.people.name(person, _SUBJECT)
        elif pronoun.lower in lex.POSSESSIVE:
            self.people.name(person, _POSSESSOR)
        elif pronoun.lower not in REFLEXIVE:
            self.people.name(person, _OBJECT)

    def _referent(self, index: int, pronoun: TextItem) -> EntityDraft | None:
        gender = lex.PRONOUNS[pronoun.lower]
        ahead = self._introduced(index, gender) or self._ahead(index, gender)
        if ahead is not None:
            return ahead
        subject = self.subject if self.subject is not None and self.subject.gender in (gender, "") else None
        if pronoun.lower in REFLEXIVE and subject is not None:
            return subject
        bonus: dict[EntityDraft, float] = {}
        opens = pronoun.lower in lex.NOMINATIVE and index <= _OPENING and self.subject is None
        if self.people.opened is not None and opens:
            bonus[self.people.opened] = _PARALLEL
        if self.asked is not None and self.items[index - 1].lower in ("whether", "if"):
            bonus[self.asked] = _SUBJECT
        possessive = self._is_possessive(index, pronoun)
        barred = self._barred(index, pronoun, possessive=possessive)
        if possessive and subject is not None and not barred:
            bonus[subject] = bonus.get(subject, 0.0) + _CLAUSE_SUBJECT
        person = self.people.meant(gender, bonus, barred)
        if person is not None and not person.gender and pronoun.lower in lex.NOMINATIVE:
            person.gender = gender
        return person

    def _barred(self, index: int, pronoun: TextItem, *, possessive: bool) -> set[EntityDraft]:
        """Return whom the pronoun does not mean: those in the same clause, or in the phrase that opens the sentence."""
        subject = {self.subject} if self.subject is not None else set()
        if pronoun.lower in lex.NOMINATIVE:
            later = self._named_later(index) if index < 3 else set()
            return later | self._named_before(index) | self._antecedent(index, ("whom", "whose"))
        if not possessive:
            barred = subject if subject and self._in_clause(self.place, index) else set()
            return barred | self._antecedent(index, ("who",))
        before, other = item_at(self.items, index - 1), item_at(self.items, index - 2)
        is_person = other.kind == "name" and other.entity.type == PERSON
        if before.text == "," and is_person and index + 1 < len(self.items):
            return {other.entity}  # an apposition: "Abu Talib, his guardian"
        following = [each.lower for each in self.items[index + 1 : index + 4]]
        linked = before.lower in _LINKS and self.items[index - 2].lower not in _EMPTY
        if subject and linked and any(word in KIN or word in lex.ROLE_NOUNS for word in following):
            return subject  # "became his closest friend"
        return self._head(index)

    def _named_before(self, index: int) -> set[EntityDraft]:
        """Return who is named in the phrase before a subject: "Accused by Otto, he"; "With Otto Lind he"."""
        first, before = self.items[0].lower, self.items[:index]
        acts = first.endswith(("ed", "ing")) or first in _PARTICIPLES
        plain = first in lex.PREPOSITIONS and not any(item.text == "," or item.lower in _BREAKS for item in before[:-1])
        if self.subject is not None or not (acts or plain) or not self.items[0].text[0].isupper():
            return set()
        named = [item for item in before if item.kind == "name" and not item.hidden]
        return {item.entity for item in named if acts or not item.possessive}

    def _antecedent(self, index: int, relatives: tuple[str, ...]) -> set[EntityDraft]:
        """Return whom the relative in the pronoun's clause means: "Otto, who had taught him", "Otto, whom he"."""
        for position in range(index - 1, 0, -1):
            if self.items[position].lower in relatives and self._in_clause(position, index):
                before = self.items[position - 2 if self.items[position - 1].text == "," else position - 1]
                return {before.entity} if before.kind == "name" else set()
        return set()

    def _head(self, index: int) -> set[EntityDraft]:
        """Return whom an apposition speaks of that ends in "of his": "Otto Lind, a student of his"."""
        if self.items[index - 1].lower == "of" and item_at(self.items, index + 1).kind in ("mark", "end"):
            for position in range(index - 2, 0, -1):
                if self.items[position].text == ",":
                    return {self.items[position - 1].entity}
                if self.items[position].kind != "word":
                    break
        return set()

    def _introduced(self, index: int, gender: str) -> EntityDraft | None:
        """Return who is named behind the pronoun: "She is called Ada Lind"."""
        words, item = [item.lower for item in self.items[index + 1 : index + 3]], item_at(self.items, index + 3)
        is_person = item.kind == "name" and item.entity.type == PERSON and item.entity.gender in (gender, "")
        return item.entity if is_person and words[0] in lex.BE and words[1] in ("called", "named") else None

    def _ahead(self, index: int, gender: str) -> EntityDraft | None:
        """Return the person named after the pronoun of an opening phrase: "In her last year Curie ..."."""
        first, pronoun = self.items[0].lower, self.items[index].lower
        clause = first in _FIRST_WORDS
        if (
            self.subject is not None
            or index > 8
            or not (clause or (first in lex.PREPOSITIONS and pronoun in lex.POSSESSIVE))
        ):
            return None
        for position in range(index + 1, min(index + 16, len(self.items))):
            item = self.items[position]
            if item.text in (";", ":") or item.quoted or item.lower in lex.NOMINATIVE or item.lower in lex.RELATIVES:
                return None
            if item.kind == "name" and item.entity.type == PERSON:
                opens = self.items[position - 1].text == "," or not clause
                fits = item.entity.gender == gender and not item.possessive
                return item.entity if opens and fits and is_subject(self.items, position) else None
        return None

    def _named_later(self, index: int) -> set[EntityDraft]:
        """Return who cannot be meant by a pronoun that opens a sentence: "She died when Maria was ten"."""
        first = self.items[0].lower
        later: set[EntityDraft] = set()
        if first in lex.PREPOSITIONS or first in _FIRST_WORDS:
            return later
        for item in self.items[index + 1 :]:
            if item.text == ";" or item.lower in lex.NOMINATIVE or item.quoted:
                break
            if item.kind == "name" and item.entity.type == PERSON and not item.possessive and not item.hidden:
                later.add(item.entity)
        return later

    def _is_possessive(self, index: int, pronoun: TextItem) -> bool:
        """Tell "her book" from "saw her"."""
        following = item_at(self.items, index + 1)
        if pronoun.lower != "her" or following.kind in ("mark", "end"):
            return pronoun.lower == "his"
        return following.kind == "name" or following.lower not in _NOT_OWNED

    def _in_clause(self, place: int, index: int) -> bool:
        """Tell whether nothing ends the clause between its subject and this place."""
        if self.items[place + 1].text == ",":  # "Otto, who runs the firm, praised him"
            place = next((each for each in range(place + 2, index) if self.items[each].text == ","), place)
        for position in range(place + 1, index):
            item = self.items[position]
            if item.lower in _TURNS and position + 1 == index:
                continue  # "called after her"
            if item.lower in _BREAKS or item.text in (",", ":", ";"):
                return False
            if item.lower.endswith("ing") and self.items[position - 1].lower not in lex.PREPOSITIONS:
                return False
        return True


def _leave_open(sentences: list[ParsedSentence]) -> None:
    """Unlink the pronouns of people whom pronouns of both genders mean."""
    said: defaultdict[EntityDraft, Counter[str]] = defaultdict(Counter)
    words = (item for sentence in sentences for item in sentence.items if item.kind == "word")
    linked = [item for item in words if item.entity is not None and item.lower in lex.PRONOUNS]
    for item in linked:
        said[item.entity][lex.PRONOUNS[item.lower]] += 1
    for item in linked:
        counts = said[item.entity]
        if 2 * counts[lex.PRONOUNS[item.lower]] <= counts.total():
            item.entity = None


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
