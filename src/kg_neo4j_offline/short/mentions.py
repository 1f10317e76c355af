"""Where passages name somebody or something, and which of the names mean the one that is asked for. Pure; English.

A name means the one asked for only where no other bearer of its words is named: "Eddowes" means none of them where both
"Tom Eddowes" and "Desmond Eddowes" are there, unless the document is about one of them.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kg_neo4j import data_files
from kg_neo4j.records import Citation
from kg_neo4j.retrieve.sentences import split_sentences
from kg_neo4j.words import fold, is_stop_word, split_words

ALIKE = 0.85  # of the letters, from which on two spellings may be one word
LEAST = 4  # letters of a word that is looked for in a title without spaces
HEAD = 200  # characters of a chunk in which a first sentence says what its document is about
LONG = 5  # letters; a shorter word has one spelling

_DATA = data_files.beside(__file__)
TITLES = _DATA.word_set("titles")
_NO_NAMES = _DATA.word_set("no_names")
NAME = data_files.fill(_DATA.text("name"), _DATA.parts("parts"))
_NAME = re.compile(NAME)
_YEARS_OLD = re.compile(r"^(?:[\w]+-)+old$", re.IGNORECASE)
_PART = re.compile(r"\S+")
_FOOTNOTE = re.compile(r"\[[^\[\]]{1,16}\]")
_DEFINES = re.compile(r"^(?: ?\([^()]{0,200}\))?,? (?:was|is) (?:an?|the) ")
_POSSESSIVE = re.compile(r"['’]s?$")


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence of a passage, as it is read: on one line, without marks of footnotes and of emphasis."""

    text: str
    place: Citation
    chunk: str  # the whole text of its chunk

    @property
    def title(self) -> str:
        """The title of its document, folded, without spaces."""
        return "".join(fold(word) for word in re.findall(r"[^\W_]+", self.place.document))


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


def lines(chunks: Iterable[tuple[str, str, str]]) -> list[Line]:
    """Return the sentences of chunks (id, title of the document, text), without line ends and footnote marks."""
    found = []
    for chunk_id, document, text in chunks:
        for each in split_sentences(text):
            flat = " ".join(re.sub(r"[*_`#]", " ", _FOOTNOTE.sub("", each.text)).split())
            found.append(Line(flat, Citation(chunk_id, document, each.start, each.end, each.text), text))
    return found


def mentions(line: Line) -> list[SentenceName]:
    """Return the names in a sentence, in order."""
    found: list[SentenceName] = []
    for match in _NAME.finditer(line.text):
        parts = _PART.finditer(line.text, match.start(), match.end())
        found += _cut(line, [(fold(part[0].strip(".,")), part.start(), part.end()) for part in parts])
    return found


def _cut(line: Line, parts: list[tuple[str, int, int]]) -> Iterator[SentenceName]:
    """Yield the name of a run of words with capitals: without what begins a sentence, months, and titles."""
    while parts:
        word, start, end = parts[0]
        opens = (is_stop_word(word) or word in _NO_NAMES) and word not in TITLES
        if not opens and not _YEARS_OLD.match(line.text[start:end]):
            break
        parts = parts[1:]
    for index, (word, _, _) in enumerate(parts):
        if word in _NO_NAMES:
            yield from _cut(line, parts[:index])
            yield from _cut(line, parts[index + 1 :])
            return
    if not parts:
        return
    start = parts[0][1]
    words = tuple(word for word, _, _ in parts)
    titles = _titles(words)
    name = line.text[parts[titles][1] : parts[-1][2]]
    yield SentenceName(name, words[titles:], words[:titles], line, start, parts[-1][2])


def _titles(words: Sequence[str]) -> int:
    """Return with how many titles a name begins; the last word is none."""
    return next((count for count, word in enumerate(words[:-1]) if word not in TITLES), len(words) - 1)


@dataclass(frozen=True, slots=True)
class Bearers:
    """The names that mean the one who is asked for. None, where it is not clear who that is."""

    forms: frozenset[tuple[str, ...]]
    name: str = ""  # the longest of them, as it is written

    def has(self, mention: SentenceName) -> bool:
        """Return whether a mention is of the one asked for."""
        return mention.words in self.forms


def bearers(name: str, named: Sequence[SentenceName]) -> Bearers:
    """Return which of `named` mean `name`: those with its words, if they are one name in forms of different length."""
    asked = tuple(fold(_POSSESSIVE.sub("", word)) for word in split_words(name))
    while len(asked) > 1 and asked[0] in ("the", "a", "an", "late"):
        asked = asked[1:]
    if not asked:
        return Bearers(frozenset())
    titles, words = asked[: _titles(asked)], asked[_titles(asked) :]
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
    if len(words) == 1 and not titles:
        return Bearers(frozenset(whole), known.name)
    # "Ottilie Tarrow" is "Tarrow" and "Ottilie", where nobody else is
    parts = {each.words for each in named if set(each.words) < set(known.words) and each.words[-1] == known.words[-1]}
    parts |= {each.words for each in named if len(known.words) > 1 and each.words == known.words[:1]}
    for form in list(parts):
        alike = (each.words for each in named if each.words[-len(form) :] == form or each.words[:1] == form)
        if not all(_one(other, known.words) for other in alike):
            parts.remove(form)
    return Bearers(frozenset(whole | parts), known.name)


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
