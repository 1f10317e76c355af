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
from kg_neo4j.organise.tree.aspects import SHIPPED, load_aspects
from kg_neo4j.organise.tree.interface import Aspect
from kg_neo4j_offline.embedder.static_words import FUNCTION_WORDS

SHARE_OF_TYPICAL = 1.1  # cues of a cluster, against those of the whole text, from which it shows an aspect
NAME = 0.7  # weight of a name; a word of a list has 1
MOST_NAMES = 2  # that count in a sentence
FAINT = 0.3  # weight of what is a cue only beside others
LONG = 35  # words from which a sentence is a sign of style
FAINTEST = 0.1  # of the cues of other kinds of text: fewer are counted as so many
_STEM = 5  # letters that two forms of one word share at least

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_PARAGRAPH = re.compile(r"(?:[^\n]|\n(?!\s*\n))+")

_DATA = data_files.beside(__file__)
_PATTERNS = {name: re.compile(pattern) for name, pattern in _DATA.table("patterns").items()}
_WORDS = {
    name: _DATA.word_set(name)
    for name in (
        "plot character pronouns setting person teller perceived style theme irony symbols telling idle".split()
    )
}
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
    said = bytearray(len(text))  # 1: within quotation marks; those that nothing closes end with the paragraph
    for paragraph in _PARAGRAPH.finditer(text):
        for match in _PATTERNS["quoted"].finditer(paragraph[0]):
            start = paragraph.start() + match.start()
            said[start : start + len(match[0])] = b"\1" * len(match[0])
    found = []
    for start, end in sentences(text, 0, len(text)):
        line = " ".join(text[start:end].split())
        written = _WORD.findall(line)
        if written:
            outside = "".join(char for place, char in enumerate(text[start:end], start) if not said[place])
            narrated = _WORD.findall(_PATTERNS["closed"].sub(" ", outside))
            names = tuple(word for word in written[1:] if _is_name(word))
            found.append(CueSentence(line, _lower(written), _lower(narrated), names))
    return tuple(found)


def _lower(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(word.lower() for word in words)


def _is_name(word: str) -> bool:
    is_capitalised = unicodedata.category(word[0]) == "Lu" and word[1:].islower()
    return is_capitalised and word.lower() not in FUNCTION_WORDS and len(word) > 2


def weight(sentence: CueSentence, aspect: Aspect) -> float:
    """Return how many cues of an aspect a sentence has, weighted; 0: none, or an aspect without cues."""
    if aspect.cues:
        whole, begun = _listed_cues(aspect.cues)
        return float(sum(word in whole or word.startswith(begun) for word in sentence.words))
    known = _WEIGHERS.get(aspect.name)
    if known is not None:
        return known(sentence)
    words = _own_words(aspect)
    return float(sum(any(_is_same(word, other) for other in words) for word in sentence.words))


def _listed(words: tuple[str, ...], name: str) -> float:
    return float(sum(word in _WORDS[name] for word in words))


def _found(sentence: CueSentence, name: str) -> int:
    return len(_PATTERNS[name].findall(sentence.text))


def _named(sentence: CueSentence) -> int:
    return min(MOST_NAMES, len(sentence.names))


def _style(sentence: CueSentence) -> float:
    signs = sum(sentence.text.count(sign) for sign in "!;—") + sentence.text.count("--")
    formed = sum(bool(_PATTERNS["adjective"].match(word)) for word in sentence.words) * 0.7
    content = [word for word in sentence.words if word not in FUNCTION_WORDS]
    repeated = len(content) - len(set(content))
    faint = FAINT * (min(signs, 5) + _listed(sentence.words, "style"))
    long = len(sentence.words) >= LONG
    return 2 * _found(sentence, "simile") + faint + formed + 0.5 * min(repeated, 4) + long


def _theme(sentence: CueSentence) -> float:
    abstract = _PATTERNS["abstract"]
    formed = sum(word not in _WORDS["theme"] and bool(abstract.match(word)) for word in sentence.words)
    return _listed(sentence.words, "theme") + 0.7 * formed + 2 * _found(sentence, "general")


_WEIGHERS: Mapping[str, Callable[[CueSentence], float]] = {
    "plot": lambda said: _listed(said.narrated, "plot") + FAINT * _named(said),
    "character": lambda said: (
        _listed(said.words, "character")
        + (NAME * _named(said) + FAINT * min(3, _listed(said.narrated, "pronouns")))  # people
    ),
    "setting": lambda said: _listed(said.narrated, "setting") + _found(said, "clock"),
    "point_of_view": lambda said: (
        2 * _listed(said.narrated, "person") + _listed(said.narrated, "teller") + _listed(said.narrated, "perceived")
    ),
    "style": _style,
    "theme": _theme,
    "irony_and_symbol": lambda said: (
        (FAINT * _listed(said.words, "irony") + _found(said, "contrast"))  # what turns
        + (_listed(said.words, "symbols") + 2 * _found(said, "symbol"))  # what stands for something
        + _found(said, "simile") * 0.5
    ),
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
    return frozenset(word for word in written if len(word) > 3) - FUNCTION_WORDS - _WORDS["idle"]


def _is_same(word: str, other: str) -> bool:
    """Say whether two words are one, or one is the other with another ending."""
    short, long = sorted((word, other), key=len)
    if short == long or long in (short + "s", short + "es", short + "ed", short + "ing"):
        return True
    return len(short) >= _STEM and long.startswith(short)


def typical_densities(texts: Sequence[str], aspects: Sequence[Aspect]) -> Mapping[str, float]:
    """Return, for each aspect, the cues for each word of all texts together: what `cued_clusters` compares with."""
    sentences = [sentence for text in texts for sentence in sentences_of(text)]
    words = sum(len(sentence.words) for sentence in sentences) or 1
    cues = {aspect.name: sum(weight(sentence, aspect) for sentence in sentences) for aspect in aspects}
    return {name: round(each / words, 9) for name, each in cues.items()}


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
    return sum(_listed(sentence.words, "telling") for sentence in every) / words


def cued_clusters(
    texts: Sequence[str], aspects: Sequence[Aspect], typical: Mapping[str, float]
) -> tuple[tuple[str, ...], ...]:
    """Return the aspects of which each text has more cues than is typical, in the order of the set; at least one.

    `typical` comes from `typical_densities` of all leaves. The word lists are English: in another language only names
    and signs count. A text without any cue shows the first aspect. Large clusters are all near to what is typical:
    there an aspect that no text shows enough of goes to the text with most cues of it, if any has.
    """
    shares = []  # of each text, the cues of each aspect compared with what is typical
    for text in texts:
        found = typical_densities([text], aspects)
        shares.append({name: each / typical[name] if typical.get(name) else 0.0 for name, each in found.items()})
    named = [{aspect.name for aspect in aspects if each[aspect.name] >= SHARE_OF_TYPICAL} for each in shares]
    for names, each in zip(named, shares, strict=True):
        if not names:
            names.update(aspect.name for aspect in sorted(aspects, key=lambda aspect: -each[aspect.name])[:1])
    for aspect in aspects if len(texts) > 1 else ():
        best = max(range(len(texts)), key=lambda place: shares[place][aspect.name])
        if shares[best][aspect.name] > 0 and not any(aspect.name in names for names in named):
            named[best].add(aspect.name)
    return tuple(tuple(aspect.name for aspect in aspects if aspect.name in names) for names in named)
