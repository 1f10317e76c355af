"""Names as a graph wants them, out of what a recogniser marks: cut to the name, left out where there is none. Pure.

The recogniser marks "Miss Tarrow!", "But Miss Tarrow", "19/03 Police", "Oporto 21 March 1923" and "Prelude Op",
nationalities and languages; in texts unlike its own it takes common words for names. Tags and word lists tell most of
these apart. A name is what is left; no name ends in punctuation.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from kg_neo4j import data_files
from kg_neo4j.acquire.sentences import wrapped_breaks
from kg_neo4j_offline.extractor import lexicon as lex
from kg_neo4j_offline.extractor.lexicon import fold
from kg_neo4j_offline.networks import columns
from kg_neo4j_offline.networks.mention_types import MentionSpan

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

Span = tuple[int, int, str]  # start, end, type

_DATA = data_files.beside(__file__)
_BEFORE = _DATA.word_set("before")  # words that begin a sentence or a letter, and no name
_NEVER = _DATA.word_set("never")  # what is cited, abbreviated or said, and is nobody's name
_DAYS = _DATA.word_set("days") | lex.CALENDAR
_SPOKEN = _DATA.word_set("spoken")  # in a stretch with other small words these make a sentence of it
_EXCLAIMED = _DATA.word_set("exclaimed")
_SMALL = _DATA.word_set("small")  # words of a title that are written small
_GENERAL = _DATA.word_set("general")  # before a title without a name: "County Cllr"
_WORK_NUMBER = r"(?:[Oo]p|[Oo]pp|[Nn]o|[Nn]os|[Vv]ol|[Vv]ols|[Pp]p?|[Cc]h|[Ff]ig)"
_HALF = re.compile(rf"(?:\A|[\s,])(?:{_WORK_NUMBER})\Z")
_REST = re.compile(rf"\.?[ ]{{0,2}}\d{{1,4}}(?:,?\s{_WORK_NUMBER}\.?\s?\d{{1,3}})?(?!\w)")
_DIVIDERS = re.compile(r"\s*(?:[;!?|·£$€\"“”]|:(?=\s)|['’]:|\.(?=\s+\S))\s*|\s{3,}|[ \t]*\n[ \t]*")
_WRAPPED = 40  # characters of a line that a name may go beyond
_ABBREVIATED = re.compile(
    r"(?:\A|[\s.&-])(?:[^\W\d_]|[Ss]t|[Mm]rs?|[Mm]s|[Dd]r|[Pp]rof|[Cc]o|[Jj]r|[Ss]r|Capt|Col|Gen|Rev|Hon|Lt|Sgt|Mt)\Z"
)
_DATE = re.compile(rf"[\s,]+\d{{1,2}}(?:st|nd|rd|th)?\s(?:{'|'.join(lex.MONTHS)})\b.*\Z", re.IGNORECASE | re.DOTALL)
_ON_DATE = re.compile(
    rf"\s(?:on|since|until|till)\s(?:[^\W\d_]+\s)?(?:{'|'.join(sorted(_DAYS))})\b.*\Z", re.IGNORECASE | re.DOTALL
)
_PLURAL_TITLE = re.compile(r"(?:Cllrs|Councillors|Messrs|Drs|Profs|Mmes|P\.?S\.)\.?\s+(?=\S)")
_POSTCODE = re.compile(r"[\s,]+[A-Z]{1,2}\d[\dA-Z]?\s\d[A-Z]{2}\Z")
_SENTENCE_END = re.compile(r"(?:\A|[.!?:“\"‘']|\n)\s*\Z")
_OF_AGE = frozenset({"young", "old", "poor", "little"})
_COUNT = re.compile(r"\d+\sof\s")  # "740 of Northgate"
_CLOCK = re.compile(r"\d{1,2}[.:]\d{2}\b|\+\d")  # opening hours, telephone numbers
_CODE = re.compile(r"(?:[-–]?\d[\w]*(?:[-–.]\d+)*|[-–][A-Z]\d\w*)")  # of a product: DX-40, MK3
_FROM = re.compile(r"\sof\s(?=[^\W\d_a-z])")
_ITEM = re.compile(r"(?:\d{1,3}[/.]\d{1,3}|\d{1,3}\))[\s.]")  # the number of an item or a section
_YEAR = re.compile(r"[\s,]+\d{4}\Z")
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_INITIALS = re.compile(r"[^\W\d_]\.?(?:[ ][^\W\d_]\.?){0,2}")  # not "U.S.", which is a name
_HEADS = lex.HEADS | lex.HONORIFICS
_LETTER_MARKS = "'’ʿʾ"  # which may begin a name: 's-Hertogenbosch, ʿAbd
_PERSON, _PLACE, _ORGANIZATION, _TITLE = "PERSON", "PLACE", "ORGANIZATION", "OTHER"


def clean_names(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    """Yield the names of `text` that are in `spans`, cut to what they are, in their order."""
    for start, end, given in spans:
        for begin, after in _parts(text, start, end, given):
            first, last = _cut(text, begin, after, given)
            kind = given
            word = text[first:last].rsplit(" ", 1)[-1]
            code = _CODE.match(text, last) if word.isupper() and word.isalpha() else None
            if code is not None:  # "HP" of "HP-2", a thing
                last, kind = code.end(), _TITLE
            if is_none(text[first:last]) or (kind == _TITLE and _is_spoken(text[first:last])):
                continue
            title = _WORD.match(text, first) if first > begin else None
            if title is not None and fold(title[0]) in lex.HONORIFICS:
                kind = _PERSON  # words before a title were left out
            middle = _place_of(text, first, last, kind)
            tail = _FROM.match(text, middle, last)
            employer = tail is not None and _ends_as_institution(text[tail.end() : last])
            yield first, middle, _PERSON if employer else kind
            if tail is not None:
                yield tail.end(), last, _ORGANIZATION if employer else _PLACE


def _parts(text: str, start: int, end: int, kind: str) -> Iterator[tuple[int, int]]:
    """Yield what stands between marks that no name has within; a dot ends one only behind a whole word."""
    first = start
    for mark in _DIVIDERS.finditer(text, start, end):
        sign = mark[0].strip()
        if (sign == "." and _ABBREVIATED.search(text[start : mark.start()])) or (
            sign == ":" and kind == _TITLE and _is_title(text, first, mark, end)
        ):
            continue
        if mark[0].count("\n") == 1 and not sign and _is_wrapped(text, text.index("\n", mark.start())):
            continue
        yield first, mark.start()
        first = mark.end()
    yield first, end


def _is_title(text: str, start: int, colon: re.Match[str], end: int) -> bool:
    """Return whether words before and behind a colon are one title: "Twelve Years: A Study", not "Rosa: Slow tests"."""
    return " " in text[start : colon.start()].strip() and " " in text[colon.end() : end].strip()


def _is_wrapped(text: str, at: int) -> bool:
    """Return whether a name may go over the line break at `at`."""
    return at - text.rfind("\n", 0, at) > _WRAPPED or at in wrapped_breaks(text)


def _cut(text: str, start: int, end: int, kind: str) -> tuple[int, int]:
    """Return a name without what stands before and behind it; empty where nothing is left."""
    start, end = _without_marks(text, start, end)
    for form in (_COUNT, _PLURAL_TITLE):
        if found := form.match(text, start, end):
            start = found.end()
    while (word := _WORD.match(text, start, end)) and fold(word[0]) in _BEFORE:
        if not _may_go(text, word.end(), end, kind, is_small=word[0].islower()):
            break
        start, end = _without_marks(text, word.end(), end)
    if kind in (_ORGANIZATION, _PLACE) and text.startswith("The ", start, end):
        start += 4
    # no name begins with a small word, but for "von" and "l'Étoile"
    while (word := _WORD.match(text, start, end)) and word[0].islower() and word[0].isalpha():
        if word[0] in lex.PARTICLES or not any(map(str.isupper, text[word.end() : end])):
            break
        start, end = _without_marks(text, word.end(), end)
    if (word := _WORD.match(text, start, end)) and word[0].lower() in _OF_AGE and _SENTENCE_END.search(text, 0, start):
        start = word.end() + 1 if _may_go(text, word.end(), end, kind, is_small=False) else start
    for form in (_DATE, _ON_DATE, _POSTCODE, *([_YEAR] if kind == _PERSON else [])):
        if found := form.search(text, start, end):
            end = found.start()
    if half := _HALF.search(text[start:end]):
        rest = _REST.match(text, end) if half.start() > 0 else None
        end = rest.end() if rest else start + half.start()
    return _without_marks(text, start, end)


def _place_of(text: str, start: int, end: int, kind: str) -> int:
    """Return where "Ada Lind of Oslo" ends as a name: before "of", unless that belongs to it.

    A person has a first name and a surname before it; a firm is called without it elsewhere.
    """
    found = _FROM.search(text, start, end) if kind in (_PERSON, _ORGANIZATION) else None
    if found is None:
        return end
    words = [fold(word) for word in _WORD.findall(text, start, found.start())]
    words = words[1:] if words[:1] and words[0] in lex.SURE_TITLES else words
    if len(words) < 2 or words[0] in lex.HONORIFICS:
        return end
    if words[-1].rstrip("s") in _HEADS and words[-1] not in lex.FIRM_HEADS:
        return end
    if kind == _PERSON or (len(words) == 2 and _ends_as_institution(text[found.end() : end])):
        return end if re.fullmatch("[ivx]+", words[-1]) else found.start()
    alone = rf"(?<!\w){re.escape(text[start : found.start()])}(?! of\b)(?!\w)"
    return found.start() if words[-1] in lex.FIRM_HEADS or re.search(alone, text) else end


def _ends_as_institution(name: str) -> bool:
    return fold(name.rsplit(" ", 1)[-1]) in lex.ORGANIZATION_HEADS


def _is_spoken(name: str) -> bool:
    """Tell whether a stretch is something said and no title: "Have I", "God bless us"."""
    words = _WORD.findall(name)
    spoken = any(fold(word) in _SPOKEN for word in words)
    return spoken and (len(words) < 3 or any(word.islower() and word not in _SMALL for word in words))


def _may_go(text: str, start: int, end: int, kind: str, *, is_small: bool) -> bool:
    """Return whether what follows a first word is a name by itself: a person's, one with a title, or after "dear"."""
    following = _WORD.search(text, start, end)
    if following is None or not following[0][0].isupper():
        return False
    return kind == _PERSON or is_small or fold(following[0]) in lex.HONORIFICS


def _without_marks(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and not (text[start].isalnum() or _begins_word(text, start, end)):
        start += 1
    while end > start and not (text[end - 1].isalnum() or _ends_word(text, start, end)):
        end -= 1
    return start, end


def _begins_word(text: str, start: int, end: int) -> bool:
    if text[start] == "(":
        return ")" in text[start:end]
    is_letter = text[start] in _LETTER_MARKS and text[start + 1 : end][:1].isalpha()
    return is_letter and text.count("'", start, end) == 1


def _ends_word(text: str, start: int, end: int) -> bool:
    """Tell whether a sign belongs to the word before it: the marks of Indian scripts, C#, C++, a closed bracket."""
    sign = text[end - 1]
    return sign == "#" or unicodedata.category(sign)[0] in "MS" or (sign == ")" and "(" in text[start:end])


def is_none(name: str) -> bool:
    """Return whether a text is no name: a number, initials alone, a word of citations, an item's number."""
    words = [fold(word).replace(".", "") for word in _WORD.findall(name)]
    if not any(char.isalpha() for char in name) or _ITEM.match(name) or _CLOCK.search(name):
        return True
    if all(word in _NEVER or word in lex.HONORIFICS or word.isdigit() for word in words):
        return True
    if all(word in _DAYS or word.rstrip("s") in _DAYS or word.isdigit() for word in words):
        return True
    if len(words) > 1 and all(word in _EXCLAIMED for word in words):
        return True
    if words[0] in lex.CALENDAR and re.fullmatch(r"(?: [^\W\d_]+)+", rest := name[len(words[0]) :]) and rest.islower():
        return True  # "Easter week"
    if words[-1] in lex.HONORIFICS and all(word in _GENERAL or word in lex.HONORIFICS for word in words):
        return True
    return bool(_INITIALS.fullmatch(name)) or all(word in _BEFORE for word in words)


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
_CRIES = frozenset("!?;")
_WITHIN_PEOPLE = lex.PARTICLES | {"of", "the"}
_OFFICES = lex.ROLE_NOUNS - lex.FEMALE_NAMES - lex.MALE_NAMES


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
        for tokens, label in _token_parts(list(entity), entity.label_, people):
            kept = _trim(tokens, label)
            if kept and not _is_common(kept, label, known, common):
                last = kept[-1]
                is_people = label == "LOC" and last.tag_ in ("NNPS", "NNS") and _PEOPLE.match(last.lower_)
                found.append(MentionSpan(kept[0].idx, last.idx + len(last), "ORG" if is_people else label))
    return tuple(found)


def _token_parts(tokens: list[Token], kind: str, people: set[str]) -> Iterator[tuple[list[Token], str]]:
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
    if token.text in _CRIES:
        return True
    if token.text == "to" and token.i + 1 < len(token.doc) and token.nbor().is_lower:
        return kind != "MISC"  # "Treasurer to pay"
    if kind == "PER":
        return token.text in ("(", ")") or (token.is_lower and token.lower_ not in _WITHIN_PEOPLE)
    return kind == "LOC" and (token.text == "to" or (token.is_lower and token.tag_ in ("VBD", "VBZ", "VBP", "MD")))


def _trim(tokens: list[Token], kind: str) -> list[Token]:
    first, last = 0, len(tokens)
    while first < last and _is_before(tokens, first, kind):
        first += 1
    while last > first and _is_behind(tokens[first:last], kind):
        last -= 1
    return tokens[first:last]


def _is_before(tokens: list[Token], place: int, kind: str) -> bool:
    token = tokens[place]
    if token.lower_ in lex.PARTICLES or len(tokens) - place == 1:
        return False
    following = tokens[place + 1]
    if kind == "PER":
        named = following.text[:1].isupper()
        office = token.lower_ in _OFFICES and following.tag_ != "IN"
        return token.tag_ in _NO_FIRST or (
            named and (office or token.lower_ in lex.DEMONYMS or token.tag_ in ("DT", "JJR"))
        )
    if token.text == "the" or (kind == "LOC" and token.lower_ == "the"):
        return True
    return token.tag_ in _NO_FIRST and not (kind == "MISC" and token.is_title and following.is_title)


def _is_behind(tokens: list[Token], kind: str) -> bool:
    token = tokens[-1]
    if token.tag_ in _MARKS or not any(char.isalnum() for char in token.text):
        return True
    if len(tokens) == 1 or not token.is_lower or tokens[-2].lower_ in lex.PARTICLES:
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
    return all(token.tag_ in ("JJ", "JJR", "VBN", "VBG", "RB") or fold(token.text) in lex.DEMONYMS for token in tokens)
