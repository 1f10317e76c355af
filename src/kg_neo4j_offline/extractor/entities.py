"""From names to entities: which spellings mean the same one within a chunk, and what type it has. Pure."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

from kg_neo4j_offline.extractor import lexicon as lex
from kg_neo4j_offline.extractor.lexicon import fold
from kg_neo4j_offline.extractor.parsed_text import ParsedSentence, TextItem

PERSON, PLACE, ORGANIZATION, DATE, OTHER = "PERSON", "PLACE", "ORGANIZATION", "DATE", "OTHER"
_ORDER = (PERSON, PLACE, ORGANIZATION, OTHER)
_LAST_OF_INSTITUTIONS = lex.HEADS - lex.SURNAME_HEADS
_FIRST_OF_INSTITUTIONS = (lex.HEADS - lex.HONORIFICS) | lex.ORGANIZATION_STARTS | lex.PLACE_STARTS
_OPENS_PLACES = lex.PLACE_STARTS | lex.SITE_STARTS
_BEFORE_PLACES = lex.PLACE_STARTS | lex.PLACE_HEADS | lex.DEMONYMS
_ROMAN = re.compile(r"[ivx]+")
_POST_NOMINALS = frozenset("FRS FRSE FBA OBE CBE MBE KBE DBE OM CH KCB GCB KG PC DSO VC PhD MD MP".split())
_CODE = re.compile(r"(?:\A|\s)[A-Z]{1,4}[-–]?\d[\w.-]*\Z")  # of a product or a version
_FEW = 3  # so often a surname may stand before the full name that explains it


@dataclass(frozen=True, slots=True)
class Topic:
    """Who or what a document is about."""

    name: str  # as the graph shows it
    forms: tuple[tuple[str, ...], ...]  # its names in full, in folded words; that of `name` first
    gender: str = ""  # "m", "f" or unknown; means something for people alone
    roles: frozenset[str] = frozenset()  # the nouns by which its definition says what it is


@dataclass(slots=True, eq=False)
class EntityDraft:
    """Somebody or something that the chunk names, while the rules gather what it says about it."""

    name: str
    words: tuple[str, ...]  # folded, without a title that can be left out
    titles: frozenset[str] = frozenset()
    mentions: list[tuple[ParsedSentence, TextItem]] = field(default_factory=list)
    votes: Counter[str] = field(default_factory=Counter)
    gender: str = ""  # "m", "f" or unknown
    type: str = OTHER
    role: str = ""
    location: str = ""
    birth_year: int | None = None
    death_year: int | None = None
    italic: bool = False
    the: bool = False  # stands with an article: "the Orinoco"
    defined_by: ParsedSentence | None = None  # the sentence that says what it is

    @property
    def single(self) -> bool:
        """True where the name is one word."""
        return len(self.words) == 1

    def note_year(self, event: str, year: int | None) -> None:
        """Note the year of the "birth" or "death"; the first one that is read stays."""
        if getattr(self, f"{event}_year") is None:
            setattr(self, f"{event}_year", year)


@dataclass(slots=True)
class RelationDraft:
    """A relationship that a sentence states. `start` and `end` bound the words that state it."""

    source: EntityDraft
    type: str
    target: EntityDraft
    sentence: ParsedSentence
    start: int
    end: int
    strength: int
    date: str = ""
    classified: bool = False  # by the model of relations, not by a rule
    stated: bool = True  # False: likely, but no sentence says it of these two
    phrase: str = ""  # the verb, of a relationship without a type of its own


@lru_cache(maxsize=20_000)
def split_name(text: str) -> tuple[str, tuple[str, ...], frozenset[str]]:
    """Return the display name, its folded words, and the titles that stood before it."""
    text = text.rstrip(".,;:!?'\"’”") or text
    parts = text.split()
    titles = []
    while len(parts) > 1 and fold(parts[0].rstrip(".")) in lex.HONORIFICS and fold(parts[1]) != "of":
        titles.append(fold(parts.pop(0).rstrip(".")))
    while len(parts) > 2 and parts[-1] in _POST_NOMINALS:
        parts.pop()
    words = tuple(fold(word.rstrip(".")) for part in parts for word in re.split(r"[-‐–]", part) if word)
    whole = len(parts) > 1 and parts[0] not in lex.PARTICLES
    if titles and not (whole and all(title in lex.DETACHABLE for title in titles)):
        return " ".join([*text.split()[: len(titles)], *parts]), words, frozenset(titles)
    return " ".join(parts), words, frozenset(titles)


def draft_entities(sentences: list[ParsedSentence], topic: Topic | None) -> list[EntityDraft]:
    """Return the entities of a chunk in the order of their first mention, and link every name item to its own.

    `topic` is what the document is about, where it says so: a short form then means it first of all.
    """
    drafts: dict[tuple[object, ...], EntityDraft] = {}
    _mark_ships(sentences)
    names = [(sentence, item) for sentence in sentences for item in sentence.items if item.kind == "name"]
    plain = {split_name(item.text)[1] for _, item in names if not item.italic}
    for _, item in names:  # in italics where somebody says it, and plain elsewhere: stressed, and no title
        item.italic = item.italic and not (item.quoted and split_name(item.text)[1] in plain)
    for sentence, item in names:
        name, words, titles = split_name(item.text)
        kept = titles - lex.DETACHABLE if len(words) > 1 else titles
        draft = drafts.setdefault((words, kept, item.italic), EntityDraft(name, words, titles))
        draft.titles |= titles
        draft.italic = item.italic
        draft.mentions.append((sentence, item))
        item.entity = draft
    _merge_short_forms(list(drafts.values()), topic)
    merged = dict.fromkeys(item.entity for _, item in names)
    for draft in merged:
        draft.mentions = []
    for sentence, item in names:
        item.entity.mentions.append((sentence, item))
    return list(merged)


def _mark_ships(sentences: list[ParsedSentence]) -> None:
    """Let the names of ships count as those of things, which no person bears: "the steamer Vane", then "the Vane".

    Of several words only what stands behind "steamer" is the ship: people bear such names, too.
    """
    pairs = (pair for sentence in sentences for pair in pairwise(sentence.items))
    ships = [item for before, item in pairs if item.kind == "name" and before.lower in lex.VESSELS]
    names = {words for item in ships if len(words := split_name(item.text)[1]) == 1}
    for item in (item for sentence in sentences for item in sentence.items if item.kind == "name"):
        item.italic = item.italic or item in ships or split_name(item.text)[1] in names


def _merge_short_forms(drafts: list[EntityDraft], topic: Topic | None) -> None:
    """Let "Curie" mean "Marie Curie" where the chunk, or what the document is about, leaves no doubt."""
    about = _claim(drafts, topic) if topic is not None else None
    longer = sorted((draft for draft in drafts if len(draft.words) > 1), key=lambda draft: -len(draft.words))
    by_word: defaultdict[str, set[EntityDraft]] = defaultdict(set)
    for draft in longer:
        by_word[draft.words[0]].add(draft)
        by_word[draft.words[-1]].add(draft)
    for draft in drafts:
        if draft is about or _owner(draft) is not draft:
            continue
        near = by_word[draft.words[0]] | by_word[draft.words[-1]]
        candidates = [other for other in longer if other in near and _may_mean(draft, other)]
        people = [other for other in candidates if not _is_short_institution(draft, other)]
        candidates = people or candidates
        widest = [other for other in candidates if all(_contains(other.words, each.words) for each in candidates)]
        best = [other for other in candidates if _owner(other) is about]
        if best or widest:
            _absorb(_owner((best or widest)[0]), draft)


def _owner(draft: EntityDraft) -> EntityDraft:
    """Return the draft that a draft was absorbed by, itself where it was not."""
    owner: EntityDraft = draft.mentions[0][1].entity
    return draft if owner is draft else _owner(owner)


def _claim(drafts: list[EntityDraft], topic: Topic) -> EntityDraft | None:
    """Give the topic's name to all drafts that mean it, so that chunks agree on one; return the one that stays."""
    full = topic.forms[0]
    others = {draft.words[0] for draft in drafts if len(draft.words) > 1 and not _means(draft, topic, frozenset())}
    meant = [draft for draft in drafts if _means(draft, topic, others)]
    if not meant:
        return None
    first = meant[0]
    for draft in meant[1:]:
        _absorb(first, draft)
    first.name, first.words = topic.name, full
    return first


def _means(draft: EntityDraft, topic: Topic, others: Collection[str]) -> bool:
    """Tell whether a draft is a name of the topic: one in full, its surname, or a first name that no other bears."""
    words = draft.words
    if words in topic.forms:
        return not draft.titles - lex.DETACHABLE or len(words) > 1
    long = [form for form in topic.forms if len(form) > 1 and not _is_institution(form)]
    if len(words) == 1 and words[0] in topic.roles and not draft.italic:
        return True  # "the Prophet"
    if draft.italic or not long:
        return False
    if len(words) > 1:
        known = {word for form in long for word in form}
        ends = any(words[0] == form[0] for form in long) and any(words[-1] == form[-1] for form in long)
        return ends and all(word in known for word in words)
    married = draft.titles <= {"mrs", "madame", "madam"} and topic.gender == "f"
    if (draft.titles - lex.DETACHABLE and not married) or words[0] in lex.PLACES:
        return False
    surname = any(words == _surname(form) for form in long)
    return surname or (not draft.titles and words[0] not in others and any(words[0] == form[0] for form in long))


def _surname(form: tuple[str, ...]) -> tuple[str, ...]:
    if _ROMAN.fullmatch(form[-1]):
        return ()
    return form[-2:-1] if form[-1] in ("jr", "sr") else form[-1:]


def _may_mean(short: EntityDraft, full: EntityDraft) -> bool:
    """Tell whether `short` may be another form of `full`: its first or last words, and no title against it."""
    if short is full or short.italic != full.italic or len(short.words) >= len(full.words):
        return False
    if not short.titles and _is_short_institution(short, full):
        return True
    if short.titles - lex.DETACHABLE or _gender_of(short) + _gender_of(full) in ("mf", "fm"):
        return False
    if _is_institution(full.words) or _ROMAN.fullmatch(full.words[-1]):
        return False
    if short.single and short.words[0] in lex.PLACES:
        return False
    count = len(short.words)
    introduced = full.mentions[0][1].start <= short.mentions[0][1].start and not _has_article(full)
    if full.words[-count:] == short.words:
        return full.words[0] not in lex.PLACE_STARTS and (introduced or len(short.mentions) <= _FEW)
    return introduced and full.words[:count] == short.words


def _is_short_institution(short: EntityDraft, full: EntityDraft) -> bool:
    """Tell whether a word may stand for an institution named before: "Infirmary", "Norvane" of "Norvane Systems"."""
    if not short.single or "of" in full.words or full.mentions[0][1].start > short.mentions[0][1].start:
        return False
    head = full.words[-1]
    ends = short.words[0] == head and head in lex.ORGANIZATION_HEADS and head not in lex.SURNAME_HEADS
    return ends or (short.words[0] == full.words[0] and head in lex.FIRM_HEADS and short.words[0] not in lex.PLACES)


def _has_article(draft: EntityDraft) -> bool:
    """Tell whether "the" stands before a name: no person's, so that its first word does not mean it."""
    return any(
        before.lower == "the"
        for sentence, item in draft.mentions
        for before, each in pairwise(sentence.items)
        if each is item
    )


def _contains(longer: tuple[str, ...], words: tuple[str, ...]) -> bool:
    """Tell whether all of `words` occur in `longer`, in this order (Alexander Humboldt, Alexander von Humboldt)."""
    rest = iter(longer)
    return all(word in rest for word in words)


def _is_institution(words: tuple[str, ...]) -> bool:
    return words[-1] in _LAST_OF_INSTITUTIONS or words[0] in _FIRST_OF_INSTITUTIONS or "of" in words


def _absorb(full: EntityDraft, short: EntityDraft) -> None:
    for _, item in short.mentions:
        item.entity = full
    full.titles |= short.titles
    full.votes.update(short.votes)


def _gender_of(draft: EntityDraft) -> str:
    for titles, gender in ((lex.FEMALE_TITLES, "f"), (lex.MALE_TITLES, "m")):
        if draft.titles & titles:
            return gender
    first = draft.words[0]
    if (first in lex.FEMALE_NAMES) != (first in lex.MALE_NAMES):
        return "f" if first in lex.FEMALE_NAMES else "m"
    return "f" if "bint" in draft.words else "m" if "ibn" in draft.words else ""


def type_entities(drafts: list[EntityDraft]) -> None:
    """Set each draft's type and gender from its votes and its own words."""
    for draft in drafts:
        votes = draft.votes + name_votes(draft)
        best = max(_ORDER, key=lambda each: (votes[each], -_ORDER.index(each)))
        draft.type = best if votes[best] > 0 else OTHER
        draft.gender = draft.gender or (_gender_of(draft) if draft.type == PERSON else "")


def name_votes(draft: EntityDraft) -> Counter[str]:
    """Return what the name itself says about its type."""
    if draft.italic:
        return Counter({OTHER: 30})
    words = draft.words
    votes = _head_votes(draft) + _place_votes(draft)
    if draft.titles or (words[0] in lex.HONORIFICS and "of" in words):
        votes[PERSON] += 8
    first = draft.name.split()[0]
    if first.isupper() and (len(first) > 2 or draft.single):
        votes[ORGANIZATION] += 4
    if " & " in draft.name:
        votes[ORGANIZATION] += 12
    if _CODE.search(draft.name):
        votes[OTHER] += 12
    if draft.single and (words[0] in lex.CONCEPTS or re.search(r"..(?:ism|ity)$", words[0])):
        votes[OTHER] += 12
    votes[PERSON] += _person_vote(words, draft.name)
    if draft.the and draft.votes[PERSON] < 6:
        votes[PERSON] -= 4
    return votes


def _head_votes(draft: EntityDraft) -> Counter[str]:
    """Return what the word says that names a kind: University, Sea, Treaty."""
    words, votes = draft.words, Counter[str]()
    head = words[words.index("of") - 1] if "of" in words else words[-1]
    weight = 5 if draft.single else 12 if head in lex.FIRM_HEADS else 9 if head in lex.SURNAME_HEADS else 10
    if not (head in lex.SURNAME_HEADS and words[0] in lex.GIVEN_NAMES):
        votes[ORGANIZATION] += weight * (head in lex.ORGANIZATION_HEADS)
        votes[PLACE] += weight * (head in lex.PLACE_HEADS)
        votes[OTHER] += weight * (head in lex.OTHER_HEADS)
    if words[0] in lex.ORGANIZATION_STARTS and not draft.single:
        votes[ORGANIZATION] += 9
    return votes


def _place_votes(draft: EntityDraft) -> Counter[str]:
    words, votes = draft.words, Counter[str]()
    first, last = words[0], words[-1]
    if len(words) > 1 and first in _OPENS_PLACES and not draft.titles - {"saint", "st"}:
        votes[PLACE] += 12 if first in lex.SITE_STARTS else 6
    if first in lex.PLACE_ARTICLES and len(words) == 2:
        votes[PLACE] += 2
    if last in lex.PLACES and (draft.single or first in _BEFORE_PLACES):
        votes[PLACE] += 9
    return votes


def _person_vote(words: tuple[str, ...], name: str) -> int:
    vote = 0
    if words[0] in lex.GIVEN_NAMES:
        full = len(words) > 1 and not _is_institution(words) and words[0] not in lex.PLACES
        vote += 8 if full else 5 if len(words) > 1 else 3
    if set(words[:-1]) & lex.PERSON_PARTICLES or re.search(r"\ba[a-z]{1,2}-[A-Z]", name):
        vote += 4
    if re.match(r"(?:[A-Z]\.\s?)+\w", name) or _ROMAN.fullmatch(words[-1]):
        vote += 4
    parts = [part for part in re.split(r"[\s-]", name) if part not in lex.PARTICLES]
    capitals = " " in name and all(part[:1].isupper() for part in parts)
    if not vote and capitals and len(words) <= 4 and "of" not in words and not _is_institution(words):
        vote = 1
    return vote
