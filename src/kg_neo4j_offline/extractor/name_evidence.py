"""Whether something is a name, and of what: a node needs evidence for both. Pure.

No name is a common word with a capital, a heading, a role, code, or initials alone. Evidence is a place inside a
sentence, where a capital marks a name, or a form that common words do not have. The type needs evidence as well:
where there is none, there is no node, and the words are still found.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from kg_neo4j import data_files
from kg_neo4j_offline.extractor import lexicon as lex
from kg_neo4j_offline.extractor.capitalised_names import starts
from kg_neo4j_offline.extractor.entities import ORGANIZATION, OTHER, PERSON, PLACE, EntityDraft, split_name
from kg_neo4j_offline.extractor.lexicon import fold
from kg_neo4j_offline.extractor.parsed_text import ParsedSentence, TextItem, item_at
from kg_neo4j_offline.extractor.word_vectors import guess_gender, is_common

WORK, PRODUCT = "WORK", "PRODUCT"

_DATA = data_files.beside(__file__)
_HEADS = {word: kind for kind, words in _DATA.table("heads").items() for word in words.split()}
_NOUNS = {word: kind for kind, words in _DATA.table("nouns").items() for word in words.split()}
_INSTITUTIONS = _DATA.word_set("institutions")
_PLACING = _DATA.word_set("placing")
_EMPLOYING = _DATA.word_set("employing")
_PATTERNS = {name: re.compile(pattern) for name, pattern in _DATA.table("patterns").items()}
_PROSE_WORDS = 2  # in lower case, of a sentence that is one
_OFTEN = 2  # mentions
_JOINING = frozenset("of the and for on in to at & de".split())
_TITLE_WORDS = _JOINING | frozenset("a an with from by or".split())
_ONLY_WITH_OF = frozenset({"code", "conduct"})
_MOST_WORDS = 8  # of a name
_MOST_CAMEL = 12  # different words in CamelCase; of a text with more they are code


class NameEvidence:
    """What a document tells of the names in it."""

    def __init__(self, text: str) -> None:
        """`text` is the document's."""
        self._small, self._large, self._code = _counts(text)
        self._is_on_code = len(set(_PATTERNS["camel"].findall(text))) > _MOST_CAMEL

    def settle(self, draft: EntityDraft) -> bool:
        """Set the type of a name, "" for none; return whether it was cut from a phrase that a sentence speaks of."""
        if draft.name.removeprefix("The ") in lex.KNOWN:
            draft.name = draft.name.removeprefix("The ")
        led = None if draft.name in lex.KNOWN else _PATTERNS["led"].fullmatch(draft.name)
        opens = led is not None and all(starts(each.items, each.items.index(item)) for each, item in draft.mentions)
        if led is not None and (opens or fold(led["second"]) in lex.GIVEN_NAMES):
            draft.name, draft.words = led["rest"], split_name(led["rest"])[1]  # "Nominating Rosa Lindqvist"
        draft.type = self._type_of(draft)
        known = {part for part in re.findall(r"[\w.+-]+", draft.name) if part in lex.KNOWN}
        is_cut = not draft.type and " " in draft.name and len(known) == 1
        if is_cut:  # "Add Docker"
            draft.name = known.pop()
            draft.words, draft.type = split_name(draft.name)[1], lex.KNOWN[draft.name]
        if draft.type == ORGANIZATION:
            draft.name = draft.name.removeprefix("The ")
        return is_cut

    def is_name(self, draft: EntityDraft) -> bool:
        """Tell whether something is a name, of whatever type: it has a capital, and a word that is no common one."""
        parts = [part for part in draft.name.split() if part[:1].isupper()]
        no_name = _PATTERNS["no_name"].search(draft.name) or _PATTERNS["capitals"].fullmatch(draft.name)
        return not no_name and any(not self._is_plain(part.strip(".,")) for part in parts)

    def _type_of(self, draft: EntityDraft) -> str:
        name, parts = draft.name, draft.name.split()
        if _PATTERNS["no_name"].search(name) or len(parts) > _MOST_WORDS:
            return ""
        small = {part for part in parts if part.islower() and part.isalpha()} - lex.PARTICLES
        if draft.italic and len(parts) > 1 and small <= _TITLE_WORDS and (len(parts) > 2 or self.is_name(draft)):
            return WORK
        if draft.type != PERSON and (told := _told_by(draft)):
            return told
        if not small <= _JOINING or name in self._code:
            return lex.KNOWN.get(name, "")
        return self._of_one(draft) if len(parts) == 1 else self._of_several(draft)

    def _is_plain(self, word: str) -> bool:
        """Tell whether a word is a common one: by itself, or because the document has it in small letters as well."""
        plain = fold(word)
        if plain in lex.GIVEN_NAMES or plain in lex.PLACES:
            return False
        return is_common(word.lower()) or plain in lex.ROLE_NOUNS or self._small[plain] > self._large[plain] // 2

    def _of_one(self, draft: EntityDraft) -> str:
        name, word, kind = draft.name, draft.words[0], draft.type
        inside = any(_is_inside(*mention) for mention in draft.mentions)
        often = inside or len(draft.mentions) >= _OFTEN
        known = lex.KNOWN.get(name.replace(".", "") if name.isupper() else name)
        if known is not None and kind != PLACE:
            return known if often or not is_common(name.lower()) else ""
        if word in lex.PLACES and kind != PERSON:
            return PLACE
        if _PATTERNS["capitals"].fullmatch(name):
            return ""
        if _PATTERNS["made"].search(name):  # CamelCase, Node.js, V8
            is_firm = _is_employer(draft)
            return ORGANIZATION if is_firm else PRODUCT if inside and not self._is_on_code else ""
        if self._is_plain(name) or not often or not name[0].isupper():
            return ""
        if _speaks(draft):
            return PERSON
        is_sure = inside or draft.titles or word in lex.GIVEN_NAMES
        return kind if is_sure and kind != OTHER else ""

    def _is_person(self, draft: EntityDraft, parts: Sequence[str], words: Sequence[str], plain: Sequence[str]) -> bool:
        """Tell whether several words are a person's name: a common word is one behind a known first name alone."""
        no_surnames = _INSTITUTIONS if words[0] in lex.GIVEN_NAMES else _INSTITUTIONS | lex.ROLE_NOUNS  # "Ada Baker"
        if words[-1] in no_surnames - lex.SURNAME_HEADS or any(part.isupper() and len(part) > 2 for part in parts):
            return False
        is_noble = words[0] in lex.GIVEN_NAMES and not lex.PARTICLES.isdisjoint(draft.name.split())  # "Ada von Lind"
        if is_noble or (draft.type == PERSON and (words[0] in lex.GIVEN_NAMES or draft.titles)):
            return words[-1] not in _HEADS
        return not plain and (draft.type == PERSON or (draft.type == OTHER and guess_gender(words[0]) != ""))

    def _of_several(self, draft: EntityDraft) -> str:
        if known := lex.KNOWN.get(draft.name.removeprefix("Project "), PLACE if draft.name in lex.COUNTRIES else ""):
            return known
        owned = draft.name.rpartition("’s " if "’s " in draft.name else "'s ")[2]  # "GitHub's Code of Ethics"
        parts = [word for word in owned.split() if word not in _JOINING and word not in lex.PARTICLES]
        words = [fold(part.strip(".,")) for part in parts]
        if not words:
            return ""
        plain = [part for part in parts if self._is_plain(part.strip(".,"))]
        inside = any(_is_inside(*mention) for mention in draft.mentions)
        if _PATTERNS["person"].fullmatch(owned) and self._is_person(draft, parts, words, plain):
            return PERSON
        before, of, _ = owned.partition(" of ")
        head = fold(before.split()[-1]) if of else words[-1]
        is_institution = head in lex.FIRM_HEADS or head in _INSTITUTIONS
        if len(plain) == len(parts) and not inside and not (is_institution and len(parts) > 2):
            return ""  # common words in capitals: a heading
        if is_institution:
            return ORGANIZATION
        if head in _HEADS and (of or head not in _ONLY_WITH_OF):
            return _HEADS[head]
        if len(plain) == len(parts) or lex.KNOWN.get(parts[0]):
            return ""  # "GitHub users": a name before a noun
        if draft.type == PLACE and (head in lex.PLACE_HEADS or words[-1] in lex.PLACES or (inside and not plain)):
            return PLACE
        if draft.type == ORGANIZATION and inside and (head in lex.ORGANIZATION_HEADS or not plain):
            return ORGANIZATION
        if _PATTERNS["numbered"].fullmatch(owned):
            return WORK  # "RFC 2119"
        return PRODUCT if _PATTERNS["version"].search(owned) else ""


def _told_by(draft: EntityDraft) -> str:
    """Return what a noun tells of a name: "the novel X", "X is a comedy film"; "" where none does."""
    nouns = [_before(*mention) for mention in draft.mentions] + draft.role.split()[-1:]
    return next((_NOUNS[noun] for noun in nouns if noun in _NOUNS), "")


def _speaks(draft: EntityDraft) -> bool:
    """Tell whether a name stands before what is said, more than once: "Rosa: the tests are slow"."""
    said = [
        item
        for sentence, item in draft.mentions
        if starts(sentence.items, place := sentence.items.index(item))
        and item_at(sentence.items, place + 1).text == ":"
    ]
    return len(said) >= _OFTEN


def _is_inside(sentence: ParsedSentence, item: TextItem) -> bool:
    """Tell whether a name stands where a capital marks a name: in prose, and not at its beginning."""
    items = sentence.items
    place = items.index(item)
    if starts(items, place) and not item.possessive:
        return False
    before = item_at(items, place - 1)
    return (before.kind != "mark" or before.text in ",(-&") and _is_prose(items)


def _is_prose(items: Sequence[TextItem]) -> bool:
    return sum(item.kind == "word" and item.text.islower() for item in items) >= _PROSE_WORDS


def _before(sentence: ParsedSentence, item: TextItem) -> str:
    """Return the word before a name, in small letters; before "the" that before it."""
    place = sentence.items.index(item)
    word = item_at(sentence.items, place - 1).lower
    return item_at(sentence.items, place - 2).lower if word == "the" else word


def _is_employer(draft: EntityDraft) -> bool:
    """Tell whether a sentence speaks of a name as of a firm: "at GitHub", "GitHub's employees", "GitHub announced"."""
    for sentence, item in draft.mentions:
        following = item_at(sentence.items, sentence.items.index(item) + 1).lower
        if _before(sentence, item) == "at" or following in _EMPLOYING:
            return True
    return False


@lru_cache(maxsize=64)
def _counts(text: str) -> tuple[Counter[str], Counter[str], frozenset[str]]:
    """Return how often a text has each word in small letters, and with a capital inside a sentence; and its code."""
    small, large = Counter[str](), Counter[str]()
    end = 0
    for match in _PATTERNS["word"].finditer(text):
        if match[0].islower():
            small[fold(match[0])] += 1
        elif text[end : match.start()] == " ":
            large[fold(match[0])] += 1
        end = match.end()
    return small, large, frozenset(match["code"].strip() for match in _PATTERNS["code"].finditer(text))
