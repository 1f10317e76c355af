"""Nouns for people: the gender that they tell of a name beside them, and people whom they alone name. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from kg_neo4j import data_files
from kg_neo4j.offline.extractor import lexicon as lex
from kg_neo4j.offline.extractor.entities import PERSON, EntityDraft
from kg_neo4j.offline.extractor.parsed_text import ParsedSentence, TextItem
from kg_neo4j.offline.extractor.relation_patterns import KIN, VERBS, is_subject
from kg_neo4j.offline.extractor.tree import IRREGULAR_PAST

Guess = Callable[[str], str]  # folded first name -> "m", "f" or ""

_DATA = data_files.beside(__file__)
MALE, FEMALE = _DATA.word_set("male"), _DATA.word_set("female")
BORN = _DATA.word_set("born")
REFLEXIVE = frozenset({"himself", "herself"})


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
                told.setdefault(id(subject), Counter())[lex.PRONOUNS[item.lower]] += 1
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
        lex.PRONOUNS[item.lower]
        for sentence in sentences
        for item in sentence.items
        if item.kind == "word" and item.lower in lex.PRONOUNS and not item.quoted
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
        if each.kind != "word" or each.possessive or each.lower in lex.STOPS:
            return ""
        if gender := noun_gender(each.lower):
            return gender
    return ""


_PEOPLE = (lex.ROLE_NOUNS | _DATA.word_set("people") | MALE | FEMALE) - _DATA.word_set("describing")
_NOT_AFTER = lex.BE | frozenset({"am", "as", "called", "elected", "appointed", "named", "like", "than"})
_ACTS = lex.BE | lex.PERSON_VERBS | VERBS | frozenset(IRREGULAR_PAST.values())
_AFTER = lex.BARRIERS | _ACTS | frozenset({"himself", "herself", "also", "then", "never", "just"})
_ADJECTIVES = 3  # between an article and its noun, at most


def unnamed_from(items: list[TextItem], index: int) -> int | None:
    """Return where the phrase begins that speaks of somebody without a name and ends at `index`, None where none does.

    Not where it says what somebody named is: "was a clerk", "Ada, the captain", "the captain, Ada".
    """
    item = items[index]
    bare = item.lower.removesuffix("-in-law").rpartition("-")[2]
    if item.kind != "word" or item.quoted or item.hidden or not (bare in _PEOPLE or (bare in KIN and bare[-1] != "s")):
        return None
    begin = _begin(items, index)
    if begin is None or _is_named(items, begin, index) or _is_aside(items, begin, index):
        return None
    return None if begin < index and _describes(items, index) else begin


def _begin(items: list[TextItem], index: int) -> int | None:
    """Return the place of the article or owner before a noun; of the noun where it serves as a name: "Mother won't"."""
    for position in range(index - 1, max(-1, index - 2 - _ADJECTIVES), -1):
        item = items[position]
        if item.possessive or item.lower in lex.DETERMINERS:
            owned = item.possessive and position > 0 and items[position - 1].lower in lex.DETERMINERS
            return position - 1 if owned else position
        if item.kind != "word" or item.lower in lex.STOPS or item.text[:1].isupper():
            break
    bare = items[index].text[:1].isupper() and items[index].lower in KIN and not items[index].possessive
    return index if bare and (index == 0 or items[index - 1].kind != "name") else None


def _describes(items: list[TextItem], index: int) -> bool:
    """Tell whether a noun rather describes the next one: "the first woman gymnast"."""
    if items[index].possessive or index + 1 == len(items) or items[index + 1].kind != "word":
        return False
    word = items[index + 1].lower
    return not (word in _AFTER or word.endswith(("ed", "ly", "'t")))


def _is_aside(items: list[TextItem], begin: int, index: int) -> bool:
    """Tell whether a phrase says what somebody is: "The son of a cooper, he learnt"; "a pilot and a widower"."""
    if begin and items[begin - 1].lower in ("and", "or") and items[begin].lower in ("a", "an", "the"):
        following = items[index + 1].lower if index + 1 < len(items) else ""
        return not (following in _ACTS or following.endswith("ed"))
    comma = next((place for place, item in enumerate(items) if item.text == ","), 0)
    if not index < comma < len(items) - 1:
        return False
    opening = any(item.lower in _ACTS or item.lower.endswith("ed") for item in items[:comma])
    return items[comma + 1].lower in lex.NOMINATIVE and not opening


def _is_named(items: list[TextItem], begin: int, index: int) -> bool:
    """Tell whether a name beside the phrase says who it is."""
    before = items[begin - 1] if begin else None
    if before is not None and before.lower in _NOT_AFTER:
        return True
    told = items[begin - 2] if before is not None and before.text == "," and begin > 1 else None
    if told is not None and (told.kind in ("name", "mark", "date") or told.text[0].isdigit()):
        return True
    if items[index].possessive:
        return False
    following = items[_after_of(items, index + 1) :][:5]
    if following[:1] and (following[0].kind == "name" or following[0].text in ("-", "–")):
        return True
    if following[:1] and (following[0].text in (",", ":", "(") or following[0].lower in lex.BE):
        for each in following[1:]:
            if each.kind == "name":
                return not each.possessive
            if each.kind != "word" or each.lower in lex.PREPOSITIONS:
                return False
    return bool(following[:1]) and following[0].lower in ("called", "named")


def _after_of(items: list[TextItem], index: int) -> int:
    """Return where "is" stands behind a phrase with "of", else `index`: "the president of the club was"."""
    if index < len(items) and items[index].lower == "of":
        for position in range(index + 1, min(index + 6, len(items))):
            if items[position].lower in lex.BE:
                return position
            if items[position].kind == "mark" or items[position].lower in lex.STOPS:
                break
    return index
