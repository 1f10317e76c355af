"""What a field may hold. Pure: text from a model becomes a clean type, name, text, year or number, or is refused."""

from __future__ import annotations

import hashlib
import math
import re
import unicodedata

from kg_neo4j.extract.romanisation import romanise
from kg_neo4j.extract.schema import SchemaColumn
from kg_neo4j.records import RejectionReason

TYPE_PATTERN = re.compile(r"[A-Z][A-Z0-9_]{0,63}")
MAX_TYPE = 64  # characters
_LABEL = re.compile(r"[A-Z][A-Z0-9_]*")
RESERVED_LABELS = frozenset(
    (
        "DOCUMENT CHUNK ENTITY FACT ANSWER COMMUNITY SUMMARY DETAIL PASSAGE TREE TREENODE TREE_NODE "
        "DECISION LEASE UNSETTLED GRAPHSTATE GRAPH_STATE"
    ).split()
)
RESERVED_RELATIONSHIP_TYPES = frozenset(
    (
        "IN_DOCUMENT NEXT_CHUNK ANSWERS MENTIONED_IN STATED_IN IN_COMMUNITY CHILD_OF "
        "SUMMARISES DETAILS TREE_OF HAS_LEAF IN_TREE OVERLAPS"
    ).split()
)
MAX_ID = 100  # characters
MAX_NAME = 500  # Neo4j cannot index a key of 8,000 bytes; no name needs a tenth of that
MAX_TEXT = 4_000
MAX_NUMBER = 2**53  # beyond it, JSON readers and floats lose digits

_NOTHING = frozenset({"", "-", "–", "—", "?", "null", "none", "n/a", "unknown"})  # how models write an empty field
_FORBIDDEN = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")
_INVISIBLE = re.compile(
    "[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
# The joiners spell Persian and Indic words and join emoji; elsewhere they only hide differences.
_JOINED = "\u0600-\u1dff\u2190-\U0010ffff"
_STRAY_JOINER = re.compile(f"(?<![{_JOINED}])[\u200c\u200d]|[\u200c\u200d](?![{_JOINED}])")
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


def normalise_type(text: str, reserved: frozenset[str]) -> str:
    """Return a clean type in upper snake case that may become a label or a relationship type.

    Spaces, hyphens and changes of case part words ("bornIn" gives BORN_IN); letters of other languages are spelled in
    ASCII ("Miejscowość" gives MIEJSCOWOSC, "город" GOROD; scripts without a usual spelling give code points, "城" gives
    U57CE), and what is too long then is cut, with a hash. A name in `reserved` gets the suffix _TYPE. Raises
    ValueRefused (BAD_TYPE) for anything else that is not `[A-Z][A-Z0-9_]{0,63}`: quotes, brackets and back-quotes are
    never repaired.
    """
    plain = romanise(text)
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
