"""Names that a trained pipeline finds in a text: the user's own pipeline, or the package's, which knows English."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kg_neo4j_offline.extractor import lexicon as lex
from kg_neo4j_offline.extractor.entities import OTHER, PERSON, PLACE
from kg_neo4j_offline.extractor.name_cleanup import clean_names, tidy_names
from kg_neo4j_offline.extractor.parsed_text import mask, process
from kg_neo4j_offline.extractor.word_vectors import is_common
from kg_neo4j_offline.networks import trained
from kg_neo4j_offline.networks.mention_types import MentionSpan

if TYPE_CHECKING:
    from spacy.tokens import Doc

_ORGANIZATION = "ORGANIZATION"
_TYPES_OF_SPACY = {"PERSON": PERSON, "GPE": PLACE, "LOC": PLACE, "FAC": PLACE, "ORG": _ORGANIZATION, "NORP": ""}
_TYPES = {"PER": PERSON, "LOC": PLACE, "ORG": _ORGANIZATION, "MISC": OTHER}
_SMALL_WORDS = frozenset(
    "the of and in to a is was for on with as by at from that his her it were are had he she".split()
)
_SHARE = 0.12  # of small words; English prose has 0.23 to 0.42 of them, Polish at most 0.05
_READ = 4_000  # characters that are looked at
_FEW = 8  # words; of fewer nothing can be told
_NO_NAMES = lex.DEMONYMS | lex.COMMON_CAPITALISED | lex.HONORIFICS | lex.CALENDAR
_TITLES = re.compile(
    rf"\b(?:(?:{'|'.join(sorted(word.capitalize() for word in lex.HONORIFICS))})\b\.? (?:of (?:the )?)?)+\Z"
)
_INSIDE = re.compile(rf" (?:(?:{'|'.join(sorted(lex.PERSON_PARTICLES))}) )?")
_LONGEST_TITLES = 60  # characters
_NICKNAME = re.compile(r"""\s["“][^"“”]{1,40}["”]\s""")
_WORD = re.compile(r"[^\W\d_]+")
_COMPATRIOT = re.compile(r"(?:Dutch|English|French|Irish|Scots|Welsh|Cornish)(?:wo)?man")
_ROMAN = re.compile(r"[IVX]+\b")
_OF_HEAD = re.compile(r"\b([A-Z][a-z]+) of (?:the )?\Z")
_CAPITALISED = re.compile(r"\b[A-Z][a-z]+ \Z")
_ARTICLE = re.compile(r"\b(an?|[Tt]he)\s\Z", re.IGNORECASE)
_DESCRIBED = re.compile(r"\s([a-z]+)\b")
_OF_ORIGIN = re.compile(r"(?:ish|ese|an|ene|que|ic|ch|i)\Z")
_LISTED = sorted([*lex.KNOWN, *map(str.capitalize, lex.PLACES)], key=len, reverse=True)
_KNOWN = re.compile(rf"(?<![\w./@-])(?:{'|'.join(map(re.escape, _LISTED))})(?![\w/@-])")
_OPENING, _CLOSING = ('"', "'", "“", "‘"), ('"', "'", "”", "’")


@dataclass(frozen=True, slots=True)
class FoundNames:
    """What a pipeline found: (start, end, type) in the order of the text; "" leaves the type open."""

    spans: tuple[tuple[int, int, str], ...]
    complete: bool  # False: the capitalisation rules may add names
    doc: Doc | None = None  # where the package's pipeline found them: the text, tagged and parsed


NO_NAMES = FoundNames((), complete=False)


def find_by(spacy_model: str, text: str) -> FoundNames:
    """Return the names that an installed spaCy pipeline finds. Raises UsageError where it is not installed."""
    masked = mask(text)
    doc = process(masked, spacy_model)
    entities = [(entity.start_char, entity.end_char, entity.label_) for entity in doc.ents]
    spans = ((start, end, _TYPES_OF_SPACY[label]) for start, end, label in entities if label in _TYPES_OF_SPACY)
    return FoundNames(tuple(clean_names(masked, spans)), complete=True)


def find_trained(text: str) -> FoundNames:
    """Return the names that the package's pipeline finds, with the titles before them, without what is none for us.

    Those are single words that are no names by themselves: adjectives of origin, offices, months. A nickname in
    quotation marks is left out of its name. Raises ModelDamaged where the pipeline's files are not whole.
    """
    masked = mask(text)
    doc = trained.process(masked)
    spans: list[tuple[int, int, str]] = []
    marked = _joined(masked, tidy_names(doc))
    people = {masked[each.start : each.end] for each in marked if each.type == "PER"}
    for found in (_without_first(masked, _without_verb(doc, each), people) for each in marked):
        if found.type not in _TYPES or masked[found.start : found.end].lower() in _NO_NAMES:
            continue
        before, after = masked[max(0, found.start - 1) : found.start], masked[found.end : found.end + 2]
        is_said = before in _OPENING and after[:1] in ("?", "!") and after[1:] in _CLOSING  # “Nine thousand!”
        if (is_said and found.type != "PER") or _is_origin(masked, found):
            continue
        start = _with_titles(masked, found.start, found.type)
        titles = masked[start : found.start].split(maxsplit=1)
        is_person = bool(titles) and titles[0].lower() not in lex.HEADS - lex.HONORIFICS
        kind = PERSON if is_person else _TYPES[found.type]
        spans += [
            (first, last, kind)
            for first, last in _beside_nicknames(masked, start, found.end)
            if not set(masked[first:last].split(" and ")) <= lex.KNOWN.keys()  # "Chrome and Firefox" are two
        ]
    taken = [span[:2] for span in spans]
    for match in _KNOWN.finditer(masked):
        if not any(first < match.end() and match.start() < last for first, last in taken):
            kind = lex.KNOWN.get(match[0], PLACE)
            spans.append((*match.span(), kind if kind in (_ORGANIZATION, PLACE) else OTHER))
    return FoundNames(tuple(clean_names(masked, sorted(spans))), complete=False, doc=doc)


def _is_origin(text: str, span: MentionSpan) -> bool:
    """Tell whether a single word says where somebody is from: "a Swede", "the Angolan banker" of unknown countries."""
    word = text[span.start : span.end]
    before = _ARTICLE.search(text, max(0, span.start - 6), span.start)
    if span.type != "LOC" or before is None or not word.isalpha() or word.lower() in lex.PLACES:
        return False
    described = _DESCRIBED.match(text, span.end)
    return before[1].lower() in ("a", "an") or bool(
        described and described[1] not in lex.BARRIERS and _OF_ORIGIN.search(word)
    )


def _without_verb(doc: Doc, span: MentionSpan) -> MentionSpan:
    """Return a span without the verb of a command that opens a sentence: "Tell Ada that", of which Ada is named."""
    words = doc.char_span(span.start, span.end, alignment_mode="expand")
    if words is None or len(words) < 2 or not words[0].is_sent_start or words[0].pos_ != "VERB":
        return span
    named = next((word for word in words[1:] if not word.is_lower), words[0])
    return MentionSpan(named.idx, span.end, "PER") if named.pos_ == "PROPN" and named.i > words[0].i else span


def _without_first(text: str, span: MentionSpan, people: set[str]) -> MentionSpan:
    """Return a span without a word that opens the sentence, or says where the person is from: "the Serb Goran Ilić"."""
    first, _, rest = text[span.start : span.end].partition(" ")
    person = MentionSpan(span.end - len(rest), span.end, "PER")
    if span.type == "PER" or not rest:
        return span
    if first.lower() in lex.OPENERS and rest in people:
        return person
    words = rest.lower().split()
    nation = first.lower() in lex.DEMONYMS or _COMPATRIOT.fullmatch(first) is not None
    named = len(words) == 2 and words[-1] not in lex.HEADS and not any(map(is_common, words)) and rest.istitle()
    return person if nation and named and _ARTICLE.search(text, max(0, span.start - 6), span.start) else span


def _joined(text: str, spans: tuple[MentionSpan, ...]) -> list[MentionSpan]:
    """Join the parts of one person's name: nothing but a space, or a particle, stands between them."""
    joined: list[MentionSpan] = []
    for span in spans:
        before = joined[-1] if joined else None
        if before is not None and before.type == span.type == "PER" and _INSIDE.fullmatch(text, before.end, span.start):
            joined[-1] = MentionSpan(before.start, span.end, "PER")
        else:
            joined.append(span)
    return joined


def _with_titles(text: str, start: int, kind: str) -> int:
    """Return where a name starts with the titles before it: Mrs. Dalloway, Duke of Sussex."""
    if _ROMAN.match(text, start) and (name := _CAPITALISED.search(text, max(0, start - 30), start)):
        start = name.start()  # "IV" of "Christian IV"
    head = _OF_HEAD.search(text, max(0, start - 30), start)
    if head is not None and head[1].lower() in lex.HEADS and kind != "PER":
        return head.start()  # "Isle of Bute"
    before = _TITLES.search(text, max(0, start - _LONGEST_TITLES), start)
    if before is None:
        return start
    office = kind == "LOC" and re.search(r" of (?:the )?$", before[0])
    sure = before[0].split()[-1].rstrip(".").lower() in lex.SURE_TITLES
    return before.start() if kind == "PER" or office or sure else start


def _beside_nicknames(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the parts of a name outside quotation marks; the whole of one that begins with them."""
    for quoted in _NICKNAME.finditer(text, start + 1, end):
        yield start, quoted.start()
        start = quoted.end()
    if start < end:
        yield start, end


def is_english(text: str, language: str | None) -> bool:
    """Tell whether a text is English: by its language's code, else by script and small words; of a few words yes."""
    if language:
        return language.lower().split("-")[0] in ("en", "simple")
    words = [word.lower() for word in _WORD.findall(text[:_READ])]
    letters = "".join(words)
    if 2 * sum(letter.isascii() for letter in letters) < len(letters):
        return False
    return len(words) < _FEW or sum(word in _SMALL_WORDS for word in words) >= _SHARE * len(words)
