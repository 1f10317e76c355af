"""The parts of a name that tell whether two spellings can mean one thing. Pure.

These forms make candidates only; the mention key knows nothing of them, so each of them can be undone.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from kg_neo4j import data_files
from kg_neo4j.graph.identity import normalise

_DATA = data_files.beside(__file__)
LETTERS = str.maketrans(_DATA.table("letters"))
_QUALIFIER = re.compile(r"\s*\(([^()]+)\)\s*$")
_ROMAN = re.compile(r"(?=[ivx]{2})x{0,3}(?:ix|iv|v?i{0,3})")  # of two letters and more
_SOUNDS = tuple((re.compile(pattern), sound) for pattern, sound in _DATA.table("sounds").items())

MALE, FEMALE, RANKS = _DATA.word_set("male"), _DATA.word_set("female"), _DATA.word_set("ranks")
SHARED_TITLES = _DATA.word_set("married") | RANKS | {"st", "saint"}  # with one, a name may be a relative's
TITLES = MALE | FEMALE | RANKS | _DATA.word_set("titles")
_BEFORE = TITLES | {"the"}
_GENERATIONS = _DATA.table("generations")
_COMPANIES = _DATA.word_set("companies")
PATRONYMS = _DATA.word_set("patronyms")
_NONE: frozenset[str] = frozenset()  # one for all names
SMALL_WORDS = _DATA.word_set("small")
SEVERAL = frozenset("and et und y e i oraz & of".split())  # "Pierre-et-Marie-Curie", "House of Curie"


@dataclass(frozen=True, slots=True)
class NameForm:
    """One name, taken apart. All parts are folded: lower case, without accents, apostrophes and punctuation."""

    words: tuple[str, ...]  # all of it but the qualifier
    core: tuple[str, ...]  # without titles before it, generation after it, article and kind of company
    titles: frozenset[str]
    generation: str  # "jr", "sr", a regnal number such as "ii", or empty
    qualifier: str  # what stands in parentheses at the end
    numbers: frozenset[str]  # numbers within it: "apollo 11" is not "apollo 12"

    @property
    def initials(self) -> tuple[bool, ...]:
        """For each word of `core`, whether it is an initial."""
        return tuple(len(word) == 1 for word in self.core)

    @property
    def squashed(self) -> str:
        """All words in one, for names that differ in spaces, hyphens or accents alone."""
        return "".join(self.words)


def fold(text: str) -> str:
    """Return `text` normalised, without accents and with plain letters for special ones."""
    plain = normalise(text)
    if not plain.isascii():
        decomposed = unicodedata.normalize("NFKD", plain.translate(LETTERS))
        plain = "".join(char for char in decomposed if not unicodedata.combining(char))
    return " ".join(plain.split())


@lru_cache(maxsize=65536)
def take_apart(name: str) -> NameForm:
    """Return the parts of a name. A name that is nothing but a title keeps it as its core."""
    found = _QUALIFIER.search(name)
    qualifier = fold(found[1]) if found else ""
    folded = fold(name[: found.start()] if found else name) or fold(name)
    words = tuple(map(sys.intern, folded.split()))  # names share words: a graph has very many names
    core, generation = words, ""
    for size in (2, 1):
        tail = " ".join(words[-size:])
        if len(words) > size and not generation and (tail in _GENERATIONS or (size == 1 and _ROMAN.fullmatch(tail))):
            core, generation = words[:-size], _GENERATIONS.get(tail, tail)
    start = 0
    while start < len(core) - 1 and core[start] in _BEFORE:
        start += 1
    titles = frozenset(core[:start]) - {"the"} or _NONE
    core = core[start:]
    while ends := [n for n in range(1, min(len(core), 5)) if "_".join(core[-n:]) in _COMPANIES]:
        core = core[: -ends[-1]]
    numbers = frozenset(word for word in core if any(map(str.isdigit, word)) or _ROMAN.fullmatch(word)) or _NONE
    return NameForm(words, core, titles, generation, qualifier, numbers)


def sounds(words: tuple[str, ...]) -> str:
    """Return a form in which transliterations of one name agree: "Quraysh" and "Quraish", "Khadijah" and "Khadija"."""
    text = " ".join(words)
    for pattern, sound in _SOUNDS:
        text = pattern.sub(sound, text)
    return text


def consonants(words: tuple[str, ...]) -> str:
    """Return a coarse key under which misspellings and free transliterations meet: first letters and consonants."""
    return " ".join(sorted(word[0] + re.sub(r"[aeiouwh]", "", word[1:]) for word in sounds(words).split() if word))


def acronyms(words: tuple[str, ...]) -> frozenset[str]:
    """Return the acronyms of a name of two or more words: "World Health Organization" gives "who"."""
    short = "".join(word[0] for word in words if word not in SMALL_WORDS)
    full = "".join(word[0] for word in words)
    return frozenset(each for each in (short, full) if 2 <= len(each) <= 8) if len(words) > 1 else frozenset()


def is_acronym(name: str) -> bool:
    """Return True for a single word of two to eight capitals, with or without dots."""
    plain = name.replace(".", "").strip()
    return 2 <= len(plain) <= 8 and plain.isalpha() and plain.isupper()


def fits_initials(short: NameForm, long: NameForm) -> bool:
    """Return True where the given names of `short` are initials, or left out, of those of `long`, in their order.

    The last names are the same and the first given names agree. "M. Curie" fits "Marie Curie"; "George W. Bush" does
    not fit "George H. W. Bush".
    """
    mine, theirs = short.core, long.core
    if len(mine) < 2 or len(mine) > len(theirs) or mine[-1] != theirs[-1] or not _agree(mine[0], theirs[0]):
        return False
    if len(mine) == len(theirs):
        return all(map(_agree, mine[1:-1], theirs[1:-1]))
    rest = iter(theirs[1:-1])
    return all(len(one) > 1 and one in rest for one in mine[1:-1])  # whole middle names, some of them left out


def _agree(short: str, long: str) -> bool:
    return short == long or (len(short) == 1 and long.startswith(short))
