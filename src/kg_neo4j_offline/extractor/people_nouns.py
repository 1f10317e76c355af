"""Nouns for people: the gender that they tell of a name beside them, and people whom they alone name. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable

from kg_neo4j import data_files
from kg_neo4j_offline.extractor import lexicon as lex
from kg_neo4j_offline.extractor.entities import PERSON, EntityDraft
from kg_neo4j_offline.extractor.parsed_text import ParsedSentence, TextItem, item_at
from kg_neo4j_offline.extractor.relation_patterns import KIN, VERBS, is_subject
from kg_neo4j_offline.extractor.tree import IRREGULAR_PAST

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
    told: defaultdict[EntityDraft, set[str]] = defaultdict(set)
    for sentence in sentences:
        items = sentence.items
        subject: EntityDraft | None = None
        for index, item in enumerate(items):
            if item.kind == "name" and item.entity.type == PERSON:
                _read_gender(items, index, guess)
                if is_subject(items, index) and not item.quoted:
                    subject = item.entity
            elif item.lower in REFLEXIVE and subject is not None and not subject.gender:
                told[subject].add(lex.PRONOUNS[item.lower])
    for person, genders in told.items():
        if len(genders) == 1 and not person.gender:
            (person.gender,) = genders


def _read_gender(items: list[TextItem], index: int, guess: Guess | None) -> None:
    person: EntityDraft = items[index].entity
    if not person.gender:
        before, other = item_at(items, index - 1).lower, item_at(items, index - 2).lower
        is_kin = before == "," and other in KIN  # "his sister, Kim"; else "the actress Kim Aro"
        person.gender = noun_gender(other if is_kin else before) or _told_after(items, index)
    if not person.gender and guess is not None and person.words:
        guessed = guess(person.words[0])
        person.gender = guessed if guessed == "f" or not person.single else ""


def prevailing(sentences: list[ParsedSentence]) -> str:
    """Return the gender of most pronouns outside direct speech, or nothing."""
    words = (item for sentence in sentences for item in sentence.items if item.kind == "word" and not item.quoted)
    counts = Counter(lex.PRONOUNS[item.lower] for item in words if item.lower in lex.PRONOUNS)
    ranked = [*counts.most_common(2), ("", 0), ("", 0)]
    return ranked[0][0] if ranked[0][1] >= 2 * ranked[1][1] else ""


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

    Not where it says what somebody named is: "was a clerk", "Ada, the captain", "the captain, Ada". Nor where it rather
    describes the next noun: "the first woman gymnast".
    """
    item, following = items[index], item_at(items, index + 1)
    bare = item.lower.removesuffix("-in-law").rpartition("-")[2]
    if item.kind != "word" or item.quoted or item.hidden or not (bare in _PEOPLE or (bare in KIN and bare[-1] != "s")):
        return None
    begin = _begin(items, index)
    if begin is None or _is_named(items, begin, index) or _is_aside(items, begin, index):
        return None
    is_free = following.kind != "word" or following.lower in _AFTER or following.lower.endswith(("ed", "ly", "'t"))
    return begin if begin == index or is_free or item.possessive else None


def _begin(items: list[TextItem], index: int) -> int | None:
    """Return the place of the article or owner before a noun; of the noun where it serves as a name: "Mother won't"."""
    for position in range(index - 1, max(-1, index - 2 - _ADJECTIVES), -1):
        item = items[position]
        if item.possessive or item.lower in lex.DETERMINERS:
            owned = item.possessive and item_at(items, position - 1).lower in lex.DETERMINERS
            return position - 1 if owned else position
        if item.kind != "word" or item.lower in lex.STOPS or item.text[:1].isupper():
            break
    noun = items[index]
    bare = noun.text[:1].isupper() and noun.lower in KIN and not noun.possessive
    return index if bare and item_at(items, index - 1).kind != "name" else None


def _is_aside(items: list[TextItem], begin: int, index: int) -> bool:
    """Tell whether a phrase says what somebody is: "The son of a cooper, he learnt"; "a pilot and a widower"."""
    if item_at(items, begin - 1).lower in ("and", "or") and items[begin].lower in ("a", "an", "the"):
        return not _acts(item_at(items, index + 1))
    comma = next((place for place, item in enumerate(items) if item.text == ","), 0)
    if not index < comma < len(items) - 1:
        return False
    return items[comma + 1].lower in lex.NOMINATIVE and not any(map(_acts, items[:comma]))


def _acts(item: TextItem) -> bool:
    return item.lower in _ACTS or item.lower.endswith("ed")


def _is_named(items: list[TextItem], begin: int, index: int) -> bool:
    """Tell whether a name beside the phrase says who it is."""
    before, told = item_at(items, begin - 1), item_at(items, begin - 2)
    if before.lower in _NOT_AFTER:
        return True
    if before.text == "," and (told.kind in ("name", "mark", "date") or told.text[:1].isdigit()):
        return True
    if items[index].possessive:
        return False
    first, *others = [*items[_after_of(items, index + 1) :][:5], item_at(items, -1)]
    if first.kind == "name" or first.text in ("-", "–"):
        return True
    if first.text in (",", ":", "(") or first.lower in lex.BE:
        for each in others:
            if each.kind == "name":
                return not each.possessive
            if each.kind != "word" or each.lower in lex.PREPOSITIONS:
                return False
    return first.lower in ("called", "named")


def _after_of(items: list[TextItem], index: int) -> int:
    """Return where "is" stands behind a phrase with "of", else `index`: "the president of the club was"."""
    if item_at(items, index).lower == "of":
        for position in range(index + 1, min(index + 6, len(items))):
            if items[position].lower in lex.BE:
                return position
            if items[position].kind == "mark" or items[position].lower in lex.STOPS:
                break
    return index
