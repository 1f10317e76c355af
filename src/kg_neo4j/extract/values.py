"""What a field may hold. Pure: text from a model becomes a clean type, name, text, year or number, or is refused."""

from __future__ import annotations

import hashlib
import html
import math
import re
import unicodedata
from calendar import monthrange
from functools import lru_cache

from kg_neo4j import data_files
from kg_neo4j.extract.schema import SchemaColumn
from kg_neo4j.records import RejectionReason
from kg_neo4j.words import MONTHS, fold, split_words

TYPE_PATTERN = re.compile(r"[A-Z][A-Z0-9_]{0,63}")
MAX_TYPE = 64  # characters
_LABEL = re.compile(r"[A-Z][A-Z0-9_]*")
_DATA = data_files.beside(__file__)
RESERVED_RELATIONSHIP_TYPES = _DATA.word_set("relationship_types")
MAX_ID = 100  # characters
MAX_NAME = 500  # Neo4j cannot index a key of 8,000 bytes; no name needs a tenth of that
MAX_TEXT = 4_000
MAX_NUMBER = 2**53  # beyond it, JSON readers and floats lose digits

_FORBIDDEN = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")
_INVISIBLE = re.compile(
    "[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
# The joiners spell Persian and Indic words and join emoji; elsewhere they only hide differences.
_JOINED = "\u0600-\u1dff\u2190-\U0010ffff"
_STRAY_JOINER = re.compile(f"(?<![{_JOINED}])[\u200c\u200d]|[\u200c\u200d](?![{_JOINED}])")
_ENTITY = re.compile(r"&(?:amp;)*(#?\w{1,31};)")  # also escaped twice; "AT&T" has none
_NOTHING = frozenset(_DATA.lines("nothing")) | {""}  # how models write an empty field
_AROUND = re.compile("|".join(_DATA.lines("around_names")))
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_GAP = re.compile(r"[ _-]+")
_NUMBER = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")


class ValueRefused(ValueError):
    """A field cannot be used; `reason` and `detail` go into the row's Rejection."""

    def __init__(self, reason: RejectionReason, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


def clean(text: str) -> str:
    """Return `text` in NFC, trimmed, with white space collapsed and invisible characters removed.

    Raises ValueRefused (BAD_CHARACTER) for NUL, other control characters and lone surrogates. A second call changes
    nothing.
    """
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    if found := _FORBIDDEN.search(text):
        raise ValueRefused(RejectionReason.BAD_CHARACTER, f"U+{ord(found[0]):04X} at character {found.start() + 1}")
    visible = _STRAY_JOINER.sub("", _INVISIBLE.sub("", text))
    return " ".join(unicodedata.normalize("NFC", visible).split())


def clean_field(text: str, what: str, limit: int) -> str:
    """Return the clean text, or "" where the model wrote one of the usual words for nothing.

    Raises ValueRefused for bad characters, or more than `limit` characters (TOO_LONG); `what` names the column.
    """
    if len(text) > 4 * limit:  # before any work on it
        raise ValueRefused(RejectionReason.TOO_LONG, f"{what} has {len(text)} characters; at most {limit}")
    try:
        cleaned = clean(text)
    except ValueRefused as refused:
        raise ValueRefused(refused.reason, f"{what}: {refused.detail}") from None
    if len(cleaned) > limit:
        raise ValueRefused(RejectionReason.TOO_LONG, f"{what} has {len(cleaned)} characters; at most {limit}")
    return "" if cleaned.casefold() in _NOTHING else cleaned


def unmarked(text: str, is_name: bool) -> str:
    """Return a field with entities of HTML as characters, a name also without the marks around the whole of it."""
    text = _ENTITY.sub(lambda entity: html.unescape(f"&{entity[1]}"), text).strip()
    while is_name and (found := _AROUND.fullmatch(text)):
        text = found[found.lastindex or 0]
    return text


def normalise_type(text: str, reserved: frozenset[str] = frozenset()) -> str:
    """Return a clean type in upper snake case that may become a label or a relationship type.

    Spaces, hyphens and changes of case part words ("bornIn" gives BORN_IN). Letters of other languages are spelled in
    ASCII ("Miejscowość" gives MIEJSCOWOSC, "город" GOROD, "城" CHENG); what is too long then is cut, with a hash.
    A name in `reserved` gets the suffix _TYPE. Raises ValueRefused (BAD_TYPE) for anything else that is not
    `[A-Z][A-Z0-9_]{0,63}`: quotes, brackets and back-quotes are never repaired.
    """
    plain = text
    if not text.isascii():
        composed = unicodedata.normalize("NFC", text).translate(_DASHES)
        plain = " ".join(_word(word) for word in composed.split(" "))
    worded = plain if plain.isupper() else _CAMEL.sub("_", plain)  # H2O is one word, bornIn two
    parted = _GAP.sub("_", worded).strip("_").upper()
    if not text.isascii() and len(parted) > MAX_TYPE and len(text) <= MAX_TYPE and _LABEL.fullmatch(parted):
        parted = f"{parted[: MAX_TYPE - 9]}_{hashlib.sha256(parted.encode()).hexdigest()[:8].upper()}"
    if not TYPE_PATTERN.fullmatch(parted):
        raise ValueRefused(
            RejectionReason.BAD_TYPE, f"{text[:80]!r} does not become a type: letters, digits, _; 64 at most"
        )
    return f"{parted}_TYPE" if parted in reserved else parted


def parse_number(text: str, column: SchemaColumn) -> int | float:
    """Return the number; whole ones as int. Raises ValueRefused (BAD_VALUE) outside the column's range."""
    if not _NUMBER.fullmatch(text):
        raise ValueRefused(RejectionReason.BAD_VALUE, f"{column.name}: {text[:80]!r} is not a number")
    value = float(text)
    lowest = -MAX_NUMBER if column.minimum is None else column.minimum
    highest = MAX_NUMBER if column.maximum is None else column.maximum
    if not math.isfinite(value) or not lowest <= value <= highest:
        raise ValueRefused(
            RejectionReason.BAD_VALUE, f"{column.name}: {text[:80]} is not between {lowest:g} and {highest:g}"
        )
    return int(value) if value.is_integer() else value


# ------------------------------------------------------------------------------------------------- years

MIN_YEAR, MAX_YEAR = -9999, 9999

_PARTS = _DATA.parts("years")
_PARTS["second"] = _PARTS["year"].replace("<year", "<second")
_YEAR_FORMS = tuple(re.compile(data_files.fill(form, _PARTS)) for form in _DATA.lines("year_forms"))
MONTHS_A_YEAR = 12
_RANGE = re.compile(r"\d\s*[-–—/]\s*\d")
_ISO_DAY = re.compile(r"[-−]?\d{3,4}-(?P<month>\d{2})(?:-(?P<day>\d{2}))?(?!\d)")
_DAY_FIRST = re.compile(r"(?<!\d)(?P<day>\d{1,2})(?P<mark>[./-])(?P<month>\d{1,2})(?P=mark)\d{4}(?!\d)")
_DAY = re.compile(r"(?<![\d.,])(\d{1,2})(?![\d,]\d)")
_REMARK = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*$")


def parse_year(text: str, what: str) -> int:
    """Return the year, negative for BC: "c. 570" gives 570, "4 BC" gives -4, "1990-05-01" gives 1990.

    Of a range the first year counts. Raises ValueRefused (BAD_VALUE) where no year can be read, or outside -9999 to
    9999; `what` names the column.
    """
    if len(text) <= 80:  # characters; no date is longer
        plain = unicodedata.normalize("NFKC", text).casefold().strip()
        latin = "".join(str(int(char)) if char.isdecimal() else char for char in plain)
        shortened = _REMARK.sub("", latin) or latin.strip("()[]")
        for form in _YEAR_FORMS:
            if match := form.fullmatch(shortened):
                found = match.groupdict()
                year = int(found["year"].replace("−", "-"))
                before = found.get("year_bc") or (found.get("second_bc") and "-" not in found["year"])
                return -abs(year) if before else year
    raise ValueRefused(
        RejectionReason.BAD_VALUE, f"{what}: {text[:80]!r} is not a year between {MIN_YEAR} and {MAX_YEAR}"
    )


def parse_date(text: str) -> str:
    """Return a date as ISO 8601 has it, as exact as it certainly is: 1867-11-07, 1867-11, 1867, -44 for 44 BC.

    "7 November 1867", "12-12-1996" and "d. 632" are read; of "3/4/1996" the year alone is certain. What names no
    certain year ("6th century", "11 AH") stays as it is.
    """
    try:
        year = parse_year(text, "")
    except ValueRefused:
        return text
    found = _ISO_DAY.match(text) or _DAY_FIRST.search(text)
    if found:
        day, month = int(found["day"] or 0), int(found["month"])
        if found.re is _DAY_FIRST and found["mark"] == "/" and day != month:
            day, month = (0, 0) if max(day, month) <= MONTHS_A_YEAR else (max(day, month), min(day, month))
    elif _RANGE.search(text):
        month = day = 0
    else:
        words = [fold(word) for word in split_words(text)]
        month = next((MONTHS[word] for word in words if word in MONTHS), 0)
        day = next((int(each) for each in _DAY.findall(text) if month), 0)
    if not 1 <= month <= MONTHS_A_YEAR:
        return str(year)
    return f"{year}-{month:02d}" + (f"-{day:02d}" if 1 <= day <= monthrange(2000, month)[1] else "")


# ------------------------------------------------------------------------------------------------- letters in ASCII

# For the labels that types become; the original type is kept with it.
_DASHES = str.maketrans(dict.fromkeys("\u00a0\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"))


def _word(word: str) -> str:
    """Return a word with every letter and digit in ASCII; capitals stay capitals where one letter becomes several."""
    spelled = "".join(map(_letter, word))
    return spelled.upper() if word.isupper() else spelled


@lru_cache(maxsize=4096)
def _letter(char: str) -> str:
    from anyascii import anyascii

    if char.isascii() or unicodedata.category(char)[0] not in "LMN":
        return char
    latin = "".join(filter(str.isalnum, anyascii(char)))  # the mark of a long vowel is left out
    return latin.capitalize() if char.isupper() else latin.lower()
