"""Bytes to text. What cannot be decoded for certain is refused with a reason: mojibake is never silent.

A byte order mark decides; then the encoding that the user names; a declared one, unless the bytes are UTF-8; UTF-16
without a mark; strict UTF-8. For the rest charset-normalizer proposes, and a text in Latin script, where most bytes
mean something in every encoding, is accepted only if its letters fit one alphabet and no other reading fits as well.
"""

from __future__ import annotations

import codecs
import contextlib
import difflib
import re
import unicodedata
from encodings.aliases import aliases

from kg_neo4j import data_files
from kg_neo4j._models.answer_text import without_surrogates
from kg_neo4j.errors import UnreadableSource, UsageError

_DATA = data_files.beside(__file__)
_MARKS, _MAGIC = (
    {begins.encode("latin-1"): what for begins, what in _DATA.table(name).items()} for name in ("marks", "formats")
)
_DECLARABLE = _DATA.word_set("declarable")
_NAMED = _DECLARABLE | _DATA.word_set("named")
_LABELS = _DATA.table("labels")
_NAME_IT = "name it, such as --encoding cp1252, or save the file as UTF-8"
_ISO_2022 = re.compile(rb"\x1b[$(][@ABJ]")  # switches of a Japanese encoding whose bytes are all ASCII
_CONTROLS = "".join(map(chr, (*range(9), *range(14, 32), 127)))
_CONTROL = re.compile(f"[{re.escape(_CONTROLS)}]")
_GUESS_BYTES = 200_000  # how much of a text the guess is made from
_MAX_MARKS = 30  # in a row, as in the Stream-Safe Text Format of Unicode's annex 15
_PERHAPS_MARKS = re.compile(rf"[^\w\s\x00-\u02ff]{{{_MAX_MARKS + 1},}}")  # combining marks are no part of \w
DAMAGED = "\ufffd"  # in place of bytes that cannot be read
_SPACES, _UNSEEN = (re.compile("|".join(_DATA.lines(name))) for name in ("spaces", "unseen"))
_JOINER = "\u034f"  # combining grapheme joiner: invisible, and no mark combines across it
_NEAR_CHAOS, _NEAR_COHERENCE = 0.05, 0.1  # a reading this near to the best one makes the best one unsure


def check_encoding(name: str) -> str:
    """Return Python's name of an encoding that the user names. Raises UsageError, with near names, if it is unknown."""
    label = name.strip().lower()
    try:
        found = codecs.lookup(_LABELS.get(label, label)).name
    except (LookupError, ValueError):
        found = ""
    if found in _NAMED:
        return found
    known = _NAMED | set(_LABELS) | {alias.replace("_", "-") for alias, codec in aliases.items() if codec in _NAMED}
    near = difflib.get_close_matches(label[:40], sorted(known), n=10)  # a message lists no more
    hint = ", ".join(sorted(near)) if near else 'such as "utf-8", "cp1252" or "koi8-r"'
    raise UsageError(f"{name[:40]!r} is no text encoding", hint=hint)


def decode(data: bytes, declared: str | None = None, encoding: str | None = None) -> str:
    """Return the text in `data`, newlines as they are, without a byte order mark.

    `declared` is an encoding that the file names itself (HTML); `encoding` one that the user names, as `check_encoding`
    returns it: it replaces detection, and a few bytes that do not fit it become U+FFFD. Stray control characters become
    spaces. Raises UnreadableSource for binary data, for text whose encoding is unsure, and for text that is not in the
    named encoding.
    """
    for mark, of_mark in _MARKS.items():
        if data.startswith(mark):
            rest = data[len(mark) :]
            return _checked(_strict(rest, of_mark) if encoding is None else _lenient(rest, of_mark))
    for magic, what in _MAGIC.items():
        if data.startswith(magic):
            raise UnreadableSource(f"binary ({what})")
    if encoding is not None:
        return _checked(_lenient(data, encoding))
    if declared is not None and (text := _declared_text(data, declared)) is not None:
        return _checked(text)
    if b"\0" in data[:_GUESS_BYTES]:
        return _checked(_unmarked_utf16(data))
    if _ISO_2022.search(data):
        return _checked(_strict(data, "iso2022_jp_2"))
    for errors in ("strict", "surrogatepass"):
        with contextlib.suppress(UnicodeDecodeError):
            return _checked(without_surrogates(data.decode("utf-8", errors)))
    _refuse_damaged_utf8(data)
    return _checked(_guessed(data))


def normalise_text(text: str) -> str:
    r"""Return `text` with \r\n and \r as \n, and letters composed (NFC), so that one word is written in one way.

    Every space in a line is " "; soft hyphens and what else is not seen are left out, as decoding.toml has them. More
    than 30 combining marks in a row, which no language has, are parted by joiners (U+034F): linear in any text.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
    text = text if text.isascii() else _with_marks_parted(_UNSEEN.sub("", _SPACES.sub(" ", text)))
    return unicodedata.normalize("NFC", text)


def clean(text: str) -> str:
    """Return `text` with control characters as spaces and lone surrogates as U+FFFD, one for one."""
    text = _CONTROL.sub(" ", text)
    return text if text.isascii() else re.sub("[\ud800-\udfff]", "\ufffd", text)


def _with_marks_parted(text: str) -> str:
    """Return `text` with a joiner after every 30 combining marks in a row: sorting them takes quadratic time."""
    found = set("".join(_PERHAPS_MARKS.findall(text)))
    marks = "".join(char for char in found if unicodedata.combining(unicodedata.normalize("NFD", char)[0]))
    return re.sub(f"([{marks}]{{{_MAX_MARKS}}})(?=[{marks}])", rf"\1{_JOINER}", text) if marks else text


def _checked(text: str) -> str:
    """Return `text` cleaned; refuse what has more control characters than any text has."""
    controls = sum(map(text.count, _CONTROLS))
    if controls > max(2, 0.005 * len(text)):  # of the characters; two are always accepted
        raise UnreadableSource(f"binary ({controls} control characters among {len(text)})")
    return clean(text) if controls else text


def _strict(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        message = f"damaged {encoding.upper()}: byte {error.start} of {len(data)}"
        raise UnreadableSource(message, hint=f"--encoding {encoding.replace('_', '-')} reads the rest") from error


def _lenient(data: bytes, encoding: str) -> str:
    """Return text whose encoding is certain: what does not fit becomes U+FFFD. Refuse what does not fit at all."""
    if encoding == "iso8859-1":
        with contextlib.suppress(UnicodeDecodeError):  # as browsers read that name, where the bytes allow it
            return data.decode("cp1252")
    text = data.decode(encoding, "replace")
    damaged = text.count(DAMAGED)
    if damaged > max(1, 0.01 * len(text)):  # of the characters; one is always accepted
        message = f"{damaged:,} of {len(text):,} characters are not {encoding.upper()}"
        raise UnreadableSource(message, hint="name another encoding with --encoding, or leave it out")
    return text


def _declared_text(data: bytes, declared: str) -> str | None:
    """Return the text read as the file itself says, or as UTF-8 if it is that; None where it cannot be so read."""
    try:
        name = codecs.lookup(_LABELS.get(declared.lower(), declared)).name
        if name not in _DECLARABLE:
            return None
        if not data.isascii() and not name.startswith("utf-8"):
            with contextlib.suppress(UnicodeDecodeError):
                return data.decode("utf-8")  # a few letters in another encoding can look so; hardly more
            _refuse_damaged_utf8(data)
        return data.decode("cp1252" if name == "iso8859-1" else name)  # as browsers read that declaration
    except (LookupError, ValueError):
        return None


def _unmarked_utf16(data: bytes) -> str:
    """Return UTF-16 text without a mark: every other byte of Latin text is NUL."""
    sample = data[:_GUESS_BYTES]
    half = len(sample) // 2
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    for zeros, others, encoding in ((odd, even, "utf-16-le"), (even, odd, "utf-16-be")):
        if zeros > 0.4 * half and others < 0.01 * half:
            return _strict(data, encoding)
    raise UnreadableSource("binary (NUL bytes)")


def _refuse_damaged_utf8(data: bytes) -> None:
    """Raise where most of the bytes beyond ASCII are good UTF-8: any other reading would be mojibake."""
    text = data.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    if sum(1 for char in text if char > "\x7f") >= 2 * bad:
        message = f"damaged UTF-8: {bad} unreadable places, the first at byte {len(text.split(DAMAGED)[0].encode())}"
        raise UnreadableSource(message, hint="--encoding utf-8 reads the rest; or name another encoding")


def _guessed(data: bytes) -> str:
    """Return the text in a legacy encoding, or refuse."""
    from charset_normalizer import from_bytes

    sample = data[:_GUESS_BYTES]
    matches = list(from_bytes(sample))
    if not matches:
        raise UnreadableSource("binary, or text in an unknown encoding", hint=_NAME_IT)
    best, text = matches[0], str(matches[0])
    if _is_latin(text):
        encoding = _best_latin(sample, [match.encoding for match in matches])
    else:
        rivals = [
            match.encoding
            for match in matches[1:]
            if match.chaos - best.chaos < _NEAR_CHAOS
            and best.coherence - match.coherence < _NEAR_COHERENCE
            and str(match) != text
        ]
        encoding = None if rivals or best.chaos > _NEAR_CHAOS or not best.coherence else best.encoding
    if encoding is None:
        names = ", ".join(dict.fromkeys(match.encoding for match in matches[:3]))
        raise UnreadableSource(f"the encoding is unsure ({names}?)", hint=_NAME_IT)
    return _strict(data, encoding)


def _is_latin(text: str) -> bool:
    """Say whether most letters beyond ASCII are Latin ones, or there are none."""
    letters = [char for char in text if char > "\x7f" and char.isalpha()][:5_000]
    return 2 * sum(1 for char in letters if unicodedata.name(char, "").startswith("LATIN")) >= len(letters)


# ----------------------------------------------------------------------------------------------------- Latin scripts

# Almost every byte means something in each of these encodings, so the readings are judged by what they say: a letter
# must belong to one language's alphabet, capitals do not follow small letters, and signs do not stand within words.

_LATIN_ENCODINGS = ("cp1252", "cp1250", "iso8859-2", "iso8859-15", "cp1254", "cp1257", "mac_roman", "cp850", "cp852")

_ALPHABETS = _DATA.table("alphabets")
_WORDS_OF_ONE_LETTER = frozenset("àâáéèêíîóòôöåæøúùÀÁÂÉÈÊÍÓÖÅÆØÚ")
_OPENING = frozenset("“‘„‚«‹¿¡£€§°©®")
_SIGNS = frozenset("”’»›–—…•·¢¥½¼¾²³¹ºª™×÷±†‡¶\xa0\xad") | _OPENING
_NOT_BEFORE_A_LETTER = frozenset("¹²³½¼¾ºª×÷±¢¥¶")
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")


def _best_latin(data: bytes, proposed: list[str]) -> str | None:
    """Return the encoding whose reading of `data` fits, None where none or several different readings do."""
    readings: dict[str, str] = {}
    for encoding in dict.fromkeys([*_LATIN_ENCODINGS, *proposed]):
        try:
            readings.setdefault(data.decode(encoding), encoding)
        except (LookupError, UnicodeDecodeError):
            continue
    judged = sorted((_misfits(text), encoding) for text, encoding in readings.items())
    (least, best), *others = judged
    allowed = 0.01 * sum(1 for byte in data if byte > 127)
    return None if least > allowed or (others and others[0][0] <= 2 * least) else best


def _misfits(text: str) -> int:
    """Return how many characters beyond ASCII do not fit where they stand, judged by the alphabet that fits best."""
    letters: dict[str, int] = {}
    wrong = 0
    for number, match in enumerate(_BEYOND_ASCII.finditer(text)):
        if number == 20_000:  # places are enough
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
