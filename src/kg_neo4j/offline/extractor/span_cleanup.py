"""Names as a graph wants them, out of what a recogniser marks: cut to the name, and left out where they are none. Pure.

The recogniser learned to mark nationalities, languages and whatever annotators marked; its borders are off by a word at
times, and in texts unlike its own it takes common words for names. The tags of the words tell most of these apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kg_neo4j.offline.extractor.lexicon import DEMONYMS, FEMALE_NAMES, MALE_NAMES, PARTICLES, ROLE_NOUNS, fold
from kg_neo4j.offline.networks import columns
from kg_neo4j.offline.networks.agreement import MentionSpan

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_NAMED = frozenset({"PER", "LOC", "ORG", "MISC"})
_PROPER = frozenset({"NNP", "NNPS"})
_NO_FIRST = frozenset("IN CC WRB PRP PRP$ MD VB VBD VBP VBZ UH RB EX WP TO , . : '' `` -LRB- -RRB- HYPH NFP".split())
_NO_LAST = _NO_FIRST | frozenset({"DT", "POS", "WDT"})
_MARKS = frozenset(", . : '' `` -LRB- -RRB- HYPH NFP POS".split())
_SENTENCE = frozenset({"PRP", "MD", "VBP", "VBZ", "VBD", "VBG", "VB"})  # of words in lower case: no name
_PEOPLE = re.compile(
    r".+(?:an|ite|ist|ard|ene|[cn]i|ian)s\Z|(?:swede|dane|pole|turk|finn|czech|scot|serb|croat|briton|slovak|greek)s\Z"
)  # Meccans, Canaanites
_NAMING = _PROPER | {"FW", "CD"}  # words in lower case that a title may have: "La note bleue"
_OPENING = frozenset("\"“‘'(.!?:;—–")  # a capital behind these says nothing
_EXCLAIMED = frozenset("!?;")
_WITHIN_PEOPLE = PARTICLES | {"of", "the"}
_OFFICES = ROLE_NOUNS - FEMALE_NAMES - MALE_NAMES


def tidy_names(doc: Doc) -> tuple[MentionSpan, ...]:
    """Return the names of `doc` as spans of its text; a people is ORG, and two places that "to" joins are two."""
    texts, tags = columns.strings(doc, "ORTH"), columns.strings(doc, "TAG")
    known = {text for text, tag in zip(texts, tags, strict=True) if tag in _PROPER}
    common = {text for text, is_lower in zip(texts, columns.numbers(doc, "IS_LOWER").tolist(), strict=True) if is_lower}
    people = {token.text for entity in doc.ents if entity.label_ == "PER" for token in entity[-1:]}
    found: list[MentionSpan] = []
    for entity in doc.ents:
        if entity.label_ not in _NAMED:
            continue
        for tokens, label in _parts(list(entity), entity.label_, people):
            kept = _cut(tokens, label)
            if kept and not _is_common(kept, label, known, common):
                kind = _kind(kept, label)
                found.append(MentionSpan(kept[0].idx, kept[-1].idx + len(kept[-1]), kind))
    return tuple(found)


def _parts(tokens: list[Token], kind: str, people: set[str]) -> Iterator[tuple[list[Token], str]]:
    """Yield the parts of a name that words which no name of its kind has stand between, each with its kind."""
    part: list[Token] = []
    for token in tokens:
        owner = kind == "MISC" and token.tag_ == "POS" and bool(part) and part[-1].text in people
        if owner or _divides(token, kind):
            yield part, "PER" if owner else kind
            part = []
        else:
            part.append(token)
    yield part, kind


def _divides(token: Token, kind: str) -> bool:
    """Return whether a word ends a name and begins another: "Ada left Oslo", "Ada's pupil Otto", "Poor soul! Ada"."""
    if token.text in _EXCLAIMED:
        return True
    if token.text == "to" and token.i + 1 < len(token.doc) and token.nbor().is_lower:
        return kind != "MISC"  # "Treasurer to pay"
    if kind == "PER":
        return token.text in ("(", ")") or (token.is_lower and token.lower_ not in _WITHIN_PEOPLE)
    return kind == "LOC" and (token.text == "to" or (token.is_lower and token.tag_ in ("VBD", "VBZ", "VBP", "MD")))


def _cut(tokens: list[Token], kind: str) -> list[Token]:
    """Return a name without the words around it that do not belong to it."""
    first, last = 0, len(tokens)
    while first < last and _is_before(tokens, first, kind):
        first += 1
    while last > first and _is_behind(tokens[first:last], kind):
        last -= 1
    return tokens[first:last]


def _is_before(tokens: list[Token], place: int, kind: str) -> bool:
    token = tokens[place]
    if token.lower_ in PARTICLES or len(tokens) - place == 1:
        return False
    following = tokens[place + 1]
    if kind == "PER":
        named = following.text[:1].isupper()
        office = token.lower_ in _OFFICES and following.tag_ != "IN"
        return token.tag_ in _NO_FIRST or (
            named and (office or token.lower_ in DEMONYMS or token.tag_ in ("DT", "JJR"))
        )
    if token.text == "the" or (kind == "LOC" and token.lower_ == "the"):
        return True
    return token.tag_ in _NO_FIRST and not (kind == "MISC" and token.is_title and following.is_title)


def _is_behind(tokens: list[Token], kind: str) -> bool:
    token = tokens[-1]
    if token.tag_ in _MARKS or not any(char.isalnum() for char in token.text):
        return True
    if len(tokens) == 1 or not token.is_lower or tokens[-2].lower_ in PARTICLES:
        return False
    return kind != "MISC" or token.tag_ in _NO_LAST


def _is_common(tokens: list[Token], kind: str, known: set[str], common: set[str]) -> bool:
    """Tell whether what is left is no name: an adjective, a word that stands in lower case as well, a sentence."""
    last = tokens[-1]
    if len(tokens) == 1:
        if not any(char.isalpha() for char in last.text) or last.is_lower:
            return True
        if last.lower_ in common and (last.is_sent_start or last.tag_ not in _PROPER or last.i == 0):
            return True
        return last.text not in known and last.tag_ not in ("NN", "NNS", "FW", "LS", "XX")
    if all(token.is_lower or not token.is_alpha for token in tokens) and any(token.is_lower for token in tokens):
        return True
    if kind == "MISC":
        if not any(token.is_title or token.tag_ in _NAMING for token in tokens[1:]) and tokens[0].tag_ not in _NAMING:
            return tokens[0].is_sent_start or tokens[0].i == 0 or tokens[0].nbor(-1).text in _OPENING
        capitals = sum(not token.is_lower for token in tokens)
        spoken = any(token.is_lower and token.tag_ in _SENTENCE for token in tokens)
        return spoken and 2 * capitals < len(tokens) + 1
    return all(token.tag_ in ("JJ", "JJR", "VBN", "VBG", "RB") or fold(token.text) in DEMONYMS for token in tokens)


def _kind(tokens: list[Token], kind: str) -> str:
    if kind == "LOC" and tokens[-1].tag_ in ("NNPS", "NNS") and _PEOPLE.match(tokens[-1].lower_):
        return "ORG"
    return kind
