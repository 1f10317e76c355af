"""Which gender the words around a name tell: "his mother Amina", "Kim Aro, a widow", "Ayrton ... herself". Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from kg_neo4j import data_files
from kg_neo4j.offline.extractor.entities import PERSON, EntityDraft
from kg_neo4j.offline.extractor.grammatical_subject import is_subject
from kg_neo4j.offline.extractor.lexicon import BE, CONJUNCTIONS, PREPOSITIONS, PRONOUNS, RELATIVES
from kg_neo4j.offline.extractor.parsed_text import ParsedSentence, TextItem
from kg_neo4j.offline.extractor.relation_patterns import KIN

Guess = Callable[[str], str]  # folded first name -> "m", "f" or ""

_DATA = data_files.beside(__file__)
MALE, FEMALE = _DATA.word_set("male"), _DATA.word_set("female")
BORN = _DATA.word_set("born")
REFLEXIVE = frozenset({"himself", "herself"})
_STOPS = BE | CONJUNCTIONS | RELATIVES | PREPOSITIONS


def noun_gender(noun: str) -> str:
    """Return "m" or "f" where a noun for a person tells it: "widow", "sister-in-law", "great-uncle"."""
    bare = noun.removesuffix("-in-law").rpartition("-")[2]
    if bare in KIN:
        return KIN[bare][2] if not bare.endswith("s") else ""
    return "m" if bare in MALE else "f" if bare in FEMALE else ""


def read_genders(sentences: list[ParsedSentence], guess: Guess | None) -> None:
    """Set the gender of people whose names do not tell it: "his mother Amina"; "Ayrton ... herself"."""
    told: dict[int, Counter[str]] = {}
    people: dict[int, EntityDraft] = {}
    for sentence in sentences:
        items = sentence.items
        subject: EntityDraft | None = None
        for index, item in enumerate(items):
            if item.kind == "name" and item.entity.type == PERSON:
                _read_gender(items, index, guess)
                if is_subject(items, index) and not item.quoted:
                    subject = item.entity
            elif item.lower in REFLEXIVE and subject is not None and not subject.gender:
                people[id(subject)] = subject
                told.setdefault(id(subject), Counter())[PRONOUNS[item.lower]] += 1
    for key, counts in told.items():
        if len(counts) == 1 and not people[key].gender:
            people[key].gender = next(iter(counts))


def _read_gender(items: list[TextItem], index: int, guess: Guess | None) -> None:
    person: EntityDraft = items[index].entity
    if person.gender:
        return
    told = _told_before(items, index) or _told_after(items, index)
    if told:
        person.gender = told
    elif guess is not None and person.words:
        guessed = guess(person.words[0])
        person.gender = guessed if guessed == "f" or not person.single else ""


def prevailing(sentences: list[ParsedSentence]) -> str:
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


def _told_before(items: list[TextItem], index: int) -> str:
    """Return the gender that the noun before a name tells: "the actress Kim Aro", "his sister, Kim"."""
    if not index or items[index - 1].text != ",":
        return noun_gender(items[index - 1].lower) if index else ""
    before = items[index - 2].lower if index > 1 else ""
    return noun_gender(before) if before in KIN else ""


def _told_after(items: list[TextItem], index: int) -> str:
    """Return the gender that the words behind a name tell: "Kim Aro, a widow", "Kim Aro was the son of", "née"."""
    following = items[index + 1 : index + 7]
    begins = [*(each.lower for each in following[:3]), "", "", ""]
    if begins[0] in BORN or (begins[0] == "," and begins[1] in BORN):
        return "f"
    if begins[0] not in (",", "is", "was") or begins[1] not in ("a", "an", "the"):
        return noun_gender(begins[1]) if begins[0] == "," and begins[2] == "of" else ""
    for each in following[2:]:
        if each.kind != "word" or each.possessive or each.lower in _STOPS:
            return ""
        if gender := noun_gender(each.lower):
            return gender
    return ""
