"""Where passages name somebody or something, and which of the names mean the one that is asked for. Pure; English.

A name means the one asked for only where no other bearer of its words is named: "Eddowes" is nobody where both
"Tom Eddowes" and "Desmond Eddowes" are there, unless the document is about one of them.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kg_neo4j import data_files
from kg_neo4j.data_files import fill
from kg_neo4j.offline.short.following import WordPlace
from kg_neo4j.retrieve.sentences import split_sentences
from kg_neo4j.retrieve.words import fold, is_stop_word, split_words

ALIKE = 0.85  # of the letters, from which on two spellings may be one word
LEAST = 4  # letters of a word that is looked for in a title without spaces
HEAD = 200  # characters of a chunk in which a first sentence says what its document is about
LONG = 5  # letters; a shorter word has one spelling

_DATA = data_files.beside(__file__)
TITLES = _DATA.word_set("titles")
_NO_NAMES = _DATA.word_set("no_names")
_PARTS = _DATA.parts("parts")
NAME = fill(_DATA.table("patterns")["name"], _PARTS)
_NAME = re.compile(NAME)
_YEARS_OLD = re.compile(_DATA.table("patterns")["years_old"], re.IGNORECASE)
_FOOTNOTE = re.compile(r"\[[^\[\]]{1,16}\]")
_DEFINES = re.compile(r"^(?: ?\([^()]{0,200}\))?,? (?:was|is) (?:an?|the) ")
_POSSESSIVE = re.compile(r"['’]s?$")


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence of a passage, as it is read: on one line, without marks of footnotes and of emphasis."""

    text: str
    place: WordPlace
    chunk: str  # the whole text of its chunk

    @property
    def title(self) -> str:
        """The title of its document, folded, without spaces."""
        return squashed(self.place.document)


@dataclass(frozen=True, slots=True)
class SentenceName:
    """A name in a sentence. `words` are folded and without titles, `titles` those before them."""

    name: str
    words: tuple[str, ...]
    titles: tuple[str, ...]
    line: Line
    start: int
    end: int

    @property
    def before(self) -> str:
        """The sentence up to the name and its titles."""
        return self.line.text[: self.start]

    @property
    def after(self) -> str:
        """The sentence from the name on."""
        return self.line.text[self.end :]


def squashed(text: str) -> str:
    """Return the letters and digits of a text, folded, without anything between them."""
    return "".join(fold(word) for word in re.findall(r"[^\W_]+", text))


def lines(chunks: Iterable[tuple[str, str, str]]) -> list[Line]:
    """Return the sentences of chunks (id, title of the document, text), without line ends and footnote marks."""
    found = []
    for chunk_id, document, text in chunks:
        for each in split_sentences(text):
            flat = " ".join(re.sub(r"[*_`#]", " ", _FOOTNOTE.sub("", each.text)).split())
            found.append(Line(flat, WordPlace(chunk_id, document, each.start, each.end, each.text), text))
    return found


def mentions(line: Line) -> list[SentenceName]:
    """Return the names in a sentence, in order."""
    found: list[SentenceName] = []
    for match in _NAME.finditer(line.text):
        at, parts = match.start(), []
        for part in re.finditer(r"\S+", match[0]):
            parts.append((fold(part[0].strip(".,")), at + part.start(), at + part.end()))
        found += _cut(line, parts)
    return found


def _cut(line: Line, parts: list[tuple[str, int, int]]) -> Iterable[SentenceName]:
    """Yield the name of a run of words with capitals: without what begins a sentence, months, and titles."""
    while parts and (_opens(parts[0][0]) or _YEARS_OLD.match(line.text[parts[0][1] : parts[0][2]])):
        parts = parts[1:]
    for index, (word, _, _) in enumerate(parts):
        if word in _NO_NAMES:
            yield from _cut(line, parts[:index])
            yield from _cut(line, parts[index + 1 :])
            return
    start = parts[0][1] if parts else 0
    titles = []
    while len(parts) > 1 and parts[0][0] in TITLES:
        titles.append(parts[0][0])
        parts = parts[1:]
    if parts:
        end = parts[-1][2]
        words = tuple(word for word, _, _ in parts)
        yield SentenceName(line.text[parts[0][1] : end], words, tuple(titles), line, start, end)


def _opens(word: str) -> bool:
    return (is_stop_word(word) or word in _NO_NAMES) and word not in TITLES


@dataclass(frozen=True, slots=True)
class Bearers:
    """The names that mean the one who is asked for. None, where it is not clear who that is."""

    forms: frozenset[tuple[str, ...]]
    name: str = ""  # the longest of them, as it is written

    def has(self, mention: SentenceName) -> bool:
        """Return whether a mention is of the one asked for."""
        return mention.words in self.forms


def asked_words(name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the titles and the words of a name in a question, folded."""
    words = [fold(_POSSESSIVE.sub("", word)) for word in split_words(name)]
    while len(words) > 1 and words[0] in ("the", "a", "an", "late"):
        words = words[1:]
    first = 0
    while first < len(words) - 1 and words[first] in TITLES:
        first += 1
    return tuple(words[:first]), tuple(words[first:])


def bearers(name: str, named: Sequence[SentenceName]) -> Bearers:
    """Return which of `named` mean `name`: those with its words, if they are one name in forms of different length."""
    titles, words = asked_words(name)
    if not words:
        return Bearers(frozenset())
    fitting = [each for each in named if _within(words, each.words)]
    fitting = fitting or [each for each in named if _nearly(words, each.words)]
    if titles and (titled := [each for each in fitting if set(titles) & set(each.titles)]):
        fitting = titled
    whole = {each.words for each in fitting}
    longest = [form for form in whole if not any(form != other and set(form) <= set(other) for other in whole)]
    if len(longest) > 1:
        longest = [form for form in longest if any(_titled(form, each) for each in fitting)]
        whole = {form for form in whole if longest and all(_one(form, other) for other in longest)}
    if not longest or (len(longest) > 1 and not all(_one(longest[0], form) for form in longest)):
        return Bearers(frozenset())
    known = max((each for each in fitting if each.words in whole), key=lambda each: len(each.words))
    parts = {each.words for each in named if set(each.words) < set(known.words) and each.words[-1] == known.words[-1]}
    parts |= {each.words for each in named if len(known.words) > 1 and each.words == known.words[:1]}
    if len(words) > 1 or titles:  # "Ottilie Tarrow" is "Tarrow" and "Ottilie", where nobody else is
        alone = {form: [each.words for each in named if _ends(each, form) or each.words[:1] == form] for form in parts}
        parts = {form for form in parts if all(_one(other, known.words) for other in alone[form])}
    else:
        parts = set()
    return Bearers(frozenset(whole | parts), known.name)


def _ends(mention: SentenceName, form: tuple[str, ...]) -> bool:
    return mention.words[-len(form) :] == form


def _within(words: tuple[str, ...], form: tuple[str, ...]) -> bool:
    """Return whether a name has the words asked for, in order, and begins or ends as they do."""
    if form[-1] != words[-1] and form[0] != words[0]:
        return False
    rest = iter(form)
    return all(word in rest for word in words)


def _nearly(words: tuple[str, ...], form: tuple[str, ...]) -> bool:
    return len(words) == len(form) and all(
        mine == theirs
        or (min(len(mine), len(theirs)) >= LONG and difflib.SequenceMatcher(None, mine, theirs).ratio() >= ALIKE)
        for mine, theirs in zip(words, form, strict=True)
    )


def _one(left: tuple[str, ...], right: tuple[str, ...]) -> bool:
    """Return whether two forms may be of one name: one has all words of the other."""
    return set(left) <= set(right) or set(right) <= set(left)


def _titled(form: tuple[str, ...], mention: SentenceName) -> bool:
    """Return whether the document of a mention is about the bearer of a name."""
    if not _one(form, mention.words):
        return False
    ends = (form[0], form[-1])
    if len(form) > 1 and all(len(word) >= LEAST and word in mention.line.title for word in ends):
        return True
    first = len(form) > 1 and not mention.before and mention.line.place.start < HEAD and mention.words == form
    return first and _DEFINES.match(mention.after) is not None
