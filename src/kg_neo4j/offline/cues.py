"""Words and signs by which a sentence shows an aspect, where no model is asked. English alone. Pure.

The lists were made by hand for prose, from no one text. Other aspects have the cues of their file, in any language, or
the words of their name, title and question. What a sentence says within quotation marks is no narration: "I" there is
not the narrator.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from kg_neo4j import data_files
from kg_neo4j.acquire.sentences import sentences
from kg_neo4j.offline.embedder.static_words import FUNCTION_WORDS
from kg_neo4j.organise.tree.aspects import SHIPPED, load_aspects
from kg_neo4j.organise.tree.interface import Aspect

SHARE_OF_TYPICAL = 1.1  # cues of a cluster, against those of the whole text, from which it shows an aspect
NAME = 0.7  # weight of a name; a word of a list has 1
MOST_NAMES = 2  # that count in a sentence
FAINT = 0.3  # weight of what is a cue only beside others
LONG = 35  # words from which a sentence is a sign of style
FAINTEST = 0.1  # of the cues of other kinds of text: fewer are counted as so many
_STEM = 5  # letters that two forms of one word share at least

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_QUOTED = re.compile(
    r"“[^”]*(?:”|$)|(?<![\w.,!?;:])\"(?=\S)[^\"]*(?:\"|$)|«[^»]*(?:»|$)|(?<!\w)['‘](?=\w).*?(?:(?<=[.,!?;:—-])['’](?!\w)|$)",
    re.DOTALL,
)  # in British print a mark closes after a stop, so that an apostrophe closes nothing
_CLOSED = re.compile(r"\A.*?[.,!?;:—-]['’”\"»](?!\w)", re.DOTALL)  # the end of what was said in a sentence before
_PARAGRAPH = re.compile(r"(?:[^\n]|\n(?!\s*\n))+")
_SIMILE = re.compile(r"\b(?:as if|as though|like an? |as \w+ as|no more \w+ than|so \w+ that)\b", re.IGNORECASE)
_CONTRAST = re.compile(r"\b(?:not \w+ but|instead of|in spite of|on the contrary|of course|far from)\b", re.IGNORECASE)
_GENERAL = re.compile(
    r"\b(?:every (?:man|one|body|soul)|all men|mankind|humanity|human \w+|no man|fellow[- ]\w+|we (?:all|must|are))\b",
    re.IGNORECASE,
)
_SYMBOL = re.compile(
    r"\b(?:stands? for|token of|sign of|emblem|symbol\w*|image of|shape of|reminded of)\b", re.IGNORECASE
)
_CLOCK = re.compile(r"\b(?:o'clock|o’clock|midnight|noon|a\.m\.|p\.m\.|1[0-9]{3}|20[0-9]{2})\b", re.IGNORECASE)
_ABSTRACT = re.compile(r"\w{3,}(?:ness|ity|dom|hood|ship|ance|ence)$")
_ADJECTIVE = re.compile(r"\w{3,}(?:ous|ful|less|ish|ive|ic|able|ible)$")

_DATA = data_files.beside(__file__)
_PLOT = _DATA.word_set("plot")
_CHARACTER = _DATA.word_set("character")
_PRONOUNS = _DATA.word_set("pronouns")
_SETTING = _DATA.word_set("setting")
_PERSON = _DATA.word_set("person")
_TELLER = _DATA.word_set("teller")
_PERCEIVED = _DATA.word_set("perceived")
_STYLE = _DATA.word_set("style")
_THEME = _DATA.word_set("theme")
_IRONY = _DATA.word_set("irony")
_SYMBOLS = _DATA.word_set("symbols")
_TELLING = _DATA.word_set("telling")
_SETS = {name: (float(usual), float(typical)) for name, usual, typical in _DATA.rows("sets", 3)}


@dataclass(frozen=True, slots=True)
class CueSentence:
    """A sentence, and what of it counts."""

    text: str  # on one line
    words: tuple[str, ...]  # in lower case
    narrated: tuple[str, ...]  # those outside quotation marks
    names: tuple[str, ...]  # capitalised, not at the beginning; as written


@lru_cache(maxsize=256)
def sentences_of(text: str) -> tuple[CueSentence, ...]:
    """Return the sentences of a text, in its order."""
    said = _said(text)
    found = []
    for start, end in sentences(text, 0, len(text)):
        line = " ".join(text[start:end].split())
        written = _WORD.findall(line)
        if written:
            outside = "".join(char for place, char in enumerate(text[start:end], start) if not said[place])
            words = tuple(word.lower() for word in written)
            narrated = tuple(word.lower() for word in _WORD.findall(_CLOSED.sub(" ", outside)))
            names = tuple(word for word in written[1:] if _is_name(word))
            found.append(CueSentence(line, words, narrated, names))
    return tuple(found)


def _said(text: str) -> bytearray:
    """Return 1 for each character that stands within quotation marks; those that nothing closes end with the line."""
    said = bytearray(len(text))
    for paragraph in _PARAGRAPH.finditer(text):
        for match in _QUOTED.finditer(paragraph[0]):
            start, end = paragraph.start() + match.start(), paragraph.start() + match.end()
            said[start:end] = b"\1" * (end - start)
    return said


def weight(sentence: CueSentence, aspect: Aspect) -> float:
    """Return how many cues of an aspect a sentence has, weighted; 0: none, or an aspect without cues."""
    if aspect.cues:
        whole, begun = _listed_cues(aspect.cues)
        return float(sum(word in whole or word.startswith(begun) for word in sentence.words))
    known = _WEIGHERS.get(aspect.name)
    if known is not None:
        return known(sentence)
    words = _own_words(aspect)
    return float(sum(any(_is_same(word, other) for other in words) for word in sentence.words)) if words else 0.0


def _plot(sentence: CueSentence) -> float:
    return _listed(sentence.narrated, _PLOT) + FAINT * _named(sentence)


def _character(sentence: CueSentence) -> float:
    people = NAME * _named(sentence) + FAINT * min(3, _listed(sentence.narrated, _PRONOUNS))
    return _listed(sentence.words, _CHARACTER) + people


def _setting(sentence: CueSentence) -> float:
    return _listed(sentence.narrated, _SETTING) + len(_CLOCK.findall(sentence.text))


def _point_of_view(sentence: CueSentence) -> float:
    told = 2 * _listed(sentence.narrated, _PERSON) + _listed(sentence.narrated, _TELLER)
    return told + _listed(sentence.narrated, _PERCEIVED)


def _style(sentence: CueSentence) -> float:
    signs = sum(sentence.text.count(sign) for sign in "!;—") + sentence.text.count("--")
    figures = 2 * len(_SIMILE.findall(sentence.text))
    formed = sum(bool(_ADJECTIVE.match(word)) for word in sentence.words) * 0.7
    content = [word for word in sentence.words if word not in FUNCTION_WORDS]
    repeated = len(content) - len(set(content))
    long = len(sentence.words) >= LONG
    faint = FAINT * (min(signs, 5) + _listed(sentence.words, _STYLE))
    return figures + faint + formed + 0.5 * min(repeated, 4) + long


def _theme(sentence: CueSentence) -> float:
    formed = sum(word not in _THEME and bool(_ABSTRACT.match(word)) for word in sentence.words)
    return _listed(sentence.words, _THEME) + 0.7 * formed + 2 * len(_GENERAL.findall(sentence.text))


def _irony_and_symbol(sentence: CueSentence) -> float:
    turned = FAINT * _listed(sentence.words, _IRONY) + len(_CONTRAST.findall(sentence.text))
    standing = _listed(sentence.words, _SYMBOLS) + 2 * len(_SYMBOL.findall(sentence.text))
    return turned + standing + len(_SIMILE.findall(sentence.text)) * 0.5


_WEIGHERS: Mapping[str, Callable[[CueSentence], float]] = {
    "plot": _plot,
    "character": _character,
    "setting": _setting,
    "point_of_view": _point_of_view,
    "style": _style,
    "theme": _theme,
    "irony_and_symbol": _irony_and_symbol,
    "general": lambda _: 0.0,
}


@lru_cache(maxsize=256)
def _listed_cues(cues: tuple[str, ...]) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return cues that are words, and those that words begin with."""
    begun = tuple(cue[:-1] for cue in cues if cue.endswith("*"))
    return frozenset(cue for cue in cues if not cue.endswith("*")), begun


@lru_cache(maxsize=256)
def _own_words(aspect: Aspect) -> frozenset[str]:
    """Return the words of an aspect without cues that say something."""
    written = _WORD.findall(f"{aspect.name.replace('_', ' ')} {aspect.title} {aspect.question}".lower())
    return frozenset(word for word in written if len(word) > 3 and word not in FUNCTION_WORDS and word not in _IDLE)


_IDLE = frozenset("text does what which this that story passage about kind kinds other more than said says".split())


def _is_same(word: str, other: str) -> bool:
    """Say whether two words are one, or one is the other with another ending."""
    short, long = sorted((word, other), key=len)
    if short == long or long in (short + "s", short + "es", short + "ed", short + "ing"):
        return True
    return len(short) >= _STEM and long.startswith(short)


def _listed(words: tuple[str, ...], listed: frozenset[str]) -> float:
    return float(sum(word in listed for word in words))


def _named(sentence: CueSentence) -> int:
    return min(MOST_NAMES, len(sentence.names))


def _is_name(word: str) -> bool:
    rest = word[1:]
    return (
        unicodedata.category(word[0]) == "Lu"
        and rest.islower()
        and word.lower() not in FUNCTION_WORDS
        and len(word) > 2
    )


def typical_densities(texts: Sequence[str], aspects: Sequence[Aspect]) -> Mapping[str, float]:
    """Return, for each aspect, the cues for each word of all texts together: what `cued_clusters` compares with."""
    sentences = [sentence for text in texts for sentence in sentences_of(text)]
    words = sum(len(sentence.words) for sentence in sentences) or 1
    return {
        aspect.name: round(sum(weight(sentence, aspect) for sentence in sentences) / words, 9) for aspect in aspects
    }


def fits(texts: Sequence[str]) -> Mapping[str, float]:
    """Return how well the cues of each set that ships fit texts, the best first.

    On a logarithmic scale: with 1 there are as many cues a word as is typical of its own kind of text, with 0 as many
    as other kinds have.
    """
    found = {}
    for name, (usual, typical) in _SETS.items():
        density = max(set_density(name, texts), usual * FAINTEST)
        found[name] = round(math.log(density / usual) / math.log(typical / usual), 2)
    return dict(sorted(found.items(), key=lambda each: -each[1]))


def set_density(name: str, texts: Sequence[str]) -> float:
    """Return the cues a word of all aspects of a set that ships.

    Of narrative text the words of `telling` count: its seven aspects can be seen in any prose.
    """
    if name != SHIPPED[0]:
        return sum(typical_densities(texts, load_aspects(name)).values())
    every = [sentence for text in texts for sentence in sentences_of(text)]
    words = sum(len(sentence.words) for sentence in every) or 1
    return sum(_listed(sentence.words, _TELLING) for sentence in every) / words


def cued_clusters(
    texts: Sequence[str], aspects: Sequence[Aspect], typical: Mapping[str, float]
) -> tuple[tuple[str, ...], ...]:
    """Return the aspects of which each text has more cues than is typical, in the order of the set; at least one.

    `typical` comes from `typical_densities` of all leaves. The word lists are English: in another language only names
    and signs count. A text without any cue shows the first aspect. Large clusters are all near to what is typical:
    there an aspect that no text shows enough of goes to the text with most cues of it, if any has.
    """
    shares = [_shares(text, aspects, typical) for text in texts]
    named = [set(_shown(each, aspects)) for each in shares]
    for aspect in aspects if len(texts) > 1 else ():
        best = max(range(len(texts)), key=lambda place: shares[place][aspect.name])
        if shares[best][aspect.name] > 0 and not any(aspect.name in names for names in named):
            named[best].add(aspect.name)
    return tuple(tuple(aspect.name for aspect in aspects if aspect.name in names) for names in named)


def _shown(shares: Mapping[str, float], aspects: Sequence[Aspect]) -> tuple[str, ...]:
    names = tuple(aspect.name for aspect in aspects if shares[aspect.name] >= SHARE_OF_TYPICAL)
    return names or tuple(aspect.name for aspect in sorted(aspects, key=lambda aspect: -shares[aspect.name])[:1])


def _shares(text: str, aspects: Sequence[Aspect], typical: Mapping[str, float]) -> dict[str, float]:
    """Return the cues of each aspect beside what is typical."""
    found = typical_densities([text], aspects)
    return {name: density / typical[name] if typical.get(name) else 0.0 for name, density in found.items()}
