"""Questions that a canned query answers: recognised by their form, without a model. Pure.

Every form belongs to a query in cypher/questions. What it leaves open are names, kinds of things, years and verbs, as
the question writes them; `questions` looks them up in the graph. A form fits a whole question or not at all, so
that a condition it does not know ("... who lived in Berlin") is never left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache

from kg_neo4j import data_files
from kg_neo4j.data_files import fill
from kg_neo4j.words import family, fold, is_stop_word, same_word, split_words

FURTHEST = 9_999  # a year
PLACED = "located lived happened"  # verbs of what is somewhere

_DATA = data_files.beside(__file__)
EXAMPLES = _DATA.lines("examples")


@dataclass(frozen=True, slots=True)
class Form:
    """A question, recognised: the name of a query in cypher/questions, and what it is asked with."""

    query: str
    x: str = ""  # words that name an entity
    y: str = ""
    kind: str = ""  # word for a kind of things: "people"; empty: every kind
    years: tuple[int, int] | None = None  # first and last
    events: tuple[str, ...] = ()  # BORN, DIED
    verb: str = ""  # words that a relationship type may be made of
    direction: str = "both"  # of that relationship: "out" from X, "in" to X
    is_list: bool = False  # asks for all of a place or of some years, which sentences seldom name together


@cache
def _forms() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the forms with the names of their queries; the first that fits is taken."""
    parts = _DATA.parts("parts")
    return tuple(
        (query, re.compile(fill(form, parts), re.IGNORECASE))
        for query, forms in _DATA.lists("forms").items()
        for form in forms
    )


def recognise(question: str) -> tuple[Form, ...]:
    """Return the forms that `question` may have, the likeliest first; empty where none fits.

    There are several where a name may have an "and" of its own.
    """
    text = " ".join(question.split()).strip(" ?!.¿\"'“”")
    matches = ((query, match) for query, form in _forms() if (match := form.fullmatch(text)))
    return tuple(dict.fromkeys(each for found in matches for each in _read(*found)))


def _read(query: str, match: re.Match[str]) -> list[Form]:
    parts = {name: value.strip() for name, value in match.groupdict().items() if value}
    kind = re.sub(r"^(?:which|what|all|the|different)\s", "", parts.get("kind", ""), flags=re.IGNORECASE)
    events = tuple(event for name, event in (("born", "BORN"), ("died", "DIED")) if name in parts)
    years = _years(parts)
    if query == "year" and years is None:
        return []
    verb, direction = next(((parts[way], way) for way in ("out", "in") if way in parts), ("", "both"))
    if "placed" in parts:
        verb, direction = PLACED, "in"
    names = (parts.get("x", ""), parts.get("y", ""))
    is_list = "placed" in parts or (query == "stated" and years is not None)
    form = Form(query, *names, kind.casefold(), years, events or ("BORN", "DIED"), verb, direction, is_list)
    return [form, *_other_splits(form, parts)] if "y" in parts else [form]


def _other_splits(form: Form, parts: dict[str, str]) -> list[Form]:
    """Return the form with the later places at which the names may be parted: "Simon and Garfunkel and Paul"."""
    joint = parts.get("and", "").strip()
    if " " in joint or joint.casefold() not in ("and", "i"):
        return []
    words = f"{form.x} {joint} {form.y}".split()
    places = [
        index for index, word in enumerate(words) if word.casefold() == joint.casefold() and 0 < index < len(words) - 1
    ]
    return [replace(form, x=" ".join(words[:place]), y=" ".join(words[place + 1 :])) for place in places[1:]]


def _years(parts: dict[str, str]) -> tuple[int, int] | None:
    if "from" not in parts:
        return None
    first = -int(parts["from"]) if "from_bc" in parts or ("to_bc" in parts) else int(parts["from"])
    if "since" in parts:
        return first, FURTHEST
    last = first if "to" not in parts else -int(parts["to"]) if "to_bc" in parts else int(parts["to"])
    return (first, last) if -FURTHEST <= first <= last <= FURTHEST else None


# ------------------------------------------------------------------------------------------------ kinds and verbs

_SAME_TYPE = {kind: tuple(types.split()) for kind, types in _DATA.table("same_type").items()}
_EVERYTHING, _PARTICLES, _MUTUAL, _KIN = map(_DATA.word_set, ("everything", "particles", "mutual", "kin"))
_BY_WORD = {word: _SAME_TYPE[kind] for kind, words in _DATA.table("kinds").items() for word in words.split()}


def types_of(kind: str, known: Iterable[str]) -> tuple[str, ...] | None:
    """Return the types in `known` that a word means: "cities" CITY; () for "things"; None where it means none."""
    if not kind or kind in _EVERYTHING:
        return ()
    meant = set(_BY_WORD.get(kind, ()))
    plural = fold(kind)
    own = {plural, plural.removesuffix("s"), plural.removesuffix("es")}  # and the singulars that it may have
    if plural.endswith("ies"):
        own = {plural, plural[:-1], plural[:-3] + "y"}
    found = tuple(sorted(each for each in known if each in meant or each.casefold().replace("_", " ") in own))
    return found or None


def relationships_of(verb: str, direction: str, known: Iterable[str]) -> tuple[tuple[str, ...], str]:
    """Return the relationship types of a graph that the words of a question name, and the direction to ask them in.

    Every word of a type, small ones apart, must be said: "study" STUDIED_AT, but not FATHER_IN_LAW_OF for "father".
    A mutual type (MARRIED_TO) is asked in both directions.
    """
    said = [fold(word) for word in split_words(verb) if fold(word) not in _PARTICLES]
    found = []
    for each in sorted(set(known)):
        words = [word for word in each.casefold().split("_") if word not in _PARTICLES]
        if words and said and all(any(_same(word, other) for other in said) for word in words):
            found.append(each)
    parts = {word for each in found for word in each.casefold().split("_")}
    mutual = bool(parts & _MUTUAL) or "with" in parts
    return tuple(found), "both" if mutual else direction


def _same(word: str, other: str) -> bool:
    if word == other or (not is_stop_word(word) and same_word(word, other)):
        return True
    return other in family(word) and not _KIN & family(word)
