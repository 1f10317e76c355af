"""Letters of other scripts in ASCII, for the labels that types become. Pure; the original type is kept with it.

Cyrillic and Greek by a table of usual spellings, kana and Hangul by the names that Unicode gives their syllables; other
scripts (Han, Arabic, Devanagari, ...) have no such names, so each letter becomes u and its code point: ugly, but never
lost, and never the label of another word.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

_LETTERS = str.maketrans(
    {"ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "ı": "i", "ß": "ss", "ẞ": "SS"}
    | {"æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "þ": "th", "Þ": "TH", "ħ": "h", "Ħ": "H", "ŋ": "ng", "Ŋ": "NG"}
    | dict.fromkeys("\u00a0\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
)
_CYRILLIC = (
    "а a б b в v г g д d е e ё yo ж zh з z и i й y к k л l м m н n о o п p р r с s т t у u ф f х kh ц ts ч ch ш sh "
    "щ shch ъ - ы y ь - э e ю yu я ya є ye і i ї yi ґ g ў u ђ dj ј j љ lj њ nj ћ c џ dz ѓ gj ќ kj ѕ dz ә a ғ gh қ q "
    "ң ng ө o ұ u ү u һ h"
)
_GREEK = "α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s ς s τ t υ y φ f χ ch ψ ps ω o"
_LONG_VOWEL = "ー"  # in kana
_SYLLABLES = ("HIRAGANA LETTER ", "KATAKANA LETTER ", "HANGUL SYLLABLE ")


def _pairs(table: str) -> dict[str, str]:
    words = table.split()
    return {letter: "" if latin == "-" else latin for letter, latin in zip(words[::2], words[1::2], strict=True)}


_TABLE = _pairs(_CYRILLIC) | _pairs(_GREEK)


def romanise(text: str) -> str:
    """Return `text` with every letter and digit in ASCII; other characters stay as they are, accents go."""
    if text.isascii():
        return text
    composed = unicodedata.normalize("NFC", text).translate(_LETTERS)
    return " ".join(_word(word) for word in composed.split(" "))


def _word(word: str) -> str:
    """Return one word; capitals stay capitals also where one letter becomes several."""
    spelled = "".join(map(_letter, word))
    return spelled.upper() if word.isupper() else spelled


@lru_cache(maxsize=4096)
def _letter(char: str) -> str:
    """Return the spelling of one character."""
    if char.isascii():
        return char
    if latin := _TABLE.get(char.lower()):
        return latin if char.islower() else latin.capitalize()
    if char.lower() in _TABLE or char == _LONG_VOWEL:  # a sign without a sound of its own
        return ""
    name = unicodedata.name(char, "")
    for prefix in _SYLLABLES:
        if name.startswith(prefix):
            return name.removeprefix(prefix).removeprefix("SMALL ").lower()
    parts = unicodedata.normalize("NFKD", char)
    if parts != char:
        return "".join(map(_letter, parts))
    category = unicodedata.category(char)
    if category == "Mn":
        return "" if _is_accent(char) else _code(char)
    return _code(char) if category[0] in "LMN" else char


def _is_accent(char: str) -> bool:
    """Say whether a mark only adds to a letter; vowel signs of Indic scripts and points of others are letters."""
    return unicodedata.name(char, "").startswith("COMBINING ")


def _code(char: str) -> str:
    return f"_u{ord(char):04x}"
