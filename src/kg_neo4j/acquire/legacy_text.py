"""Which single-byte encoding a text in Latin script was written in. Pure.

Almost every byte means something in each of them, so the readings are judged by what they say: a letter must belong to
one language's alphabet, small letters are not followed by capital ones, signs do not stand within words.
"""

from __future__ import annotations

import re

from kg_neo4j import data_files

ENCODINGS = ("cp1252", "cp1250", "iso8859-2", "iso8859-15", "cp1254", "cp1257", "mac_roman", "cp850", "cp852")

_ALPHABETS = data_files.beside(__file__).table("alphabets")
_WORDS_OF_ONE_LETTER = frozenset("àâáéèêíîóòôöåæøúùÀÁÂÉÈÊÍÓÖÅÆØÚ")
_OPENING = frozenset("“‘„‚«‹¿¡£€§°©®")
_SIGNS = frozenset("”’»›–—…•·¢¥½¼¾²³¹ºª™×÷±†‡¶\xa0\xad") | _OPENING
_NOT_BEFORE_A_LETTER = frozenset("¹²³½¼¾ºª×÷±¢¥¶")
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")
_MAX_PLACES = 20_000
_MAX_MISFIT_SHARE = 0.01


def best_latin(data: bytes, proposed: list[str]) -> str | None:
    """Return the encoding whose reading of `data` fits, None where none or several different readings do."""
    readings: dict[str, str] = {}
    for encoding in dict.fromkeys([*ENCODINGS, *proposed]):
        try:
            readings.setdefault(data.decode(encoding), encoding)
        except (LookupError, UnicodeDecodeError):
            continue
    judged = sorted((misfits(text), encoding) for text, encoding in readings.items())
    (least, best), *others = judged
    allowed = _MAX_MISFIT_SHARE * sum(1 for byte in data if byte > 127)
    if least > allowed or (others and others[0][0] <= 2 * least):
        return None
    return best


def misfits(text: str) -> int:
    """Return how many characters beyond ASCII do not fit where they stand, judged by the alphabet that fits best."""
    letters: dict[str, int] = {}
    wrong = 0
    for number, match in enumerate(_BEYOND_ASCII.finditer(text)):
        if number == _MAX_PLACES:
            break
        char, place = match[0], match.start()
        before, after = text[place - 1 : place], text[place + 1 : place + 2]
        if not char.isalpha() or char in "ºª":
            wrong += _sign_misfits(char, before, after)
            continue
        letters[char.lower()] = letters.get(char.lower(), 0) + 1
        wrong += _letter_misfits(char, before, after)
    total = sum(letters.values())
    covered = max(sum(letters.get(letter, 0) for letter in alphabet) for alphabet in _ALPHABETS.values())
    return wrong + total - covered


def _letter_misfits(char: str, before: str, after: str) -> bool:
    if char.isupper() and before.islower():
        return True
    alone = not before.isalpha() and not after.isalpha()
    beside_digit = before.isdigit() or after.isdigit()
    return (alone and char not in _WORDS_OF_ONE_LETTER) or beside_digit


def _sign_misfits(char: str, before: str, after: str) -> bool:
    if char not in _SIGNS or (char in _NOT_BEFORE_A_LETTER and after.isalpha()):
        return True
    if char in _OPENING:
        return before.isalpha() and after.isalpha()
    return before.isalpha() and after.isalpha() and char not in "’—–…\xad·"
