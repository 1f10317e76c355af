"""What a question wants, as a path: "the place of birth of the director of film X" is born in (director (X)). Pure.

English forms alone; a question of another form has no path, and is answered otherwise.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from kg_neo4j import data_files
from kg_neo4j.data_files import fill
from kg_neo4j.offline.short.relations import NOUNS, RELATIONS, VERBS

LONGEST = 400  # characters of a question that may have a path
DEEPEST = 4  # relations within each other


@dataclass(frozen=True, slots=True)
class AskedThing:
    """A thing by its name, or what relations lead to from there."""

    name: str
    relations: tuple[str, ...] = ()  # names of relations, the first one first

    @property
    def is_path(self) -> bool:
        """Say whether a relation has to be followed."""
        return bool(self.relations)


_NOUN = "|".join(sorted(map(re.escape, NOUNS), key=len, reverse=True))
_CLASS = (
    r"(?:the )?(?:\d{4} )?(?:films?|movies?|songs?|albums?|books?|novels?|television series|tv series|tv shows?|"
    r"shows?|series|plays?|"
    r"operas?|poems?|magazines?|bands?|singles?|companies|company|person|people|director|actor|"
    r"actress)\s+(?=[^\W\d_a-z\"“\d])"
)
_POSSESSIVE = re.compile(rf"^(?P<of>.+?)(?:['’]s|(?<=s)['’]|['’])\s+(?P<noun>{_NOUN})$")
_OF = re.compile(rf"^(?:the |a |an )?(?P<noun>{_NOUN})s? (?:of|for|to|from|behind|in) (?P<of>.+)$")
_WHO = re.compile(
    rf"^the (?:person|man|woman|one|people|individual|actor|actress|band|group|company|artist|singer|writer|[a-z]+) "
    rf"(?:who|that|which) (?P<verb>{'|'.join(VERBS.values())}) (?P<of>.+)$"
)
_WHERE = re.compile(
    r"^(?:the |a )?(?P<kind>country|city|state|place|town|county|region|province|village|location|area|district|"
    r"territory)"
    r"(?:,? (?:where|in which|that|which))? (?P<of>.+?) (?P<how>was born|were born|is from|was from|comes from|"
    r"died|passed away|"
    r"was buried|is buried|is located|was located|is found|is situated|is located in|was born in|died in|is in|"
    r"is)(?: in)?$"
)
_HOW = {"born": "born in", "from": "citizenship", "died": "died in", "away": "died in", "buried": "buried in"}


def read_thing(text: str, depth: int = 0) -> AskedThing:
    """Return what a noun phrase means: "Ada's father" is father (Ada); anything else is a name."""
    text = " ".join(text.split()).strip(" ,?.!")
    plain = _without_class(text)
    if plain != text or depth >= DEEPEST or len(text) > LONGEST:
        return AskedThing(_name(plain))
    for pattern in (_OF, _POSSESSIVE):
        match = pattern.match(text)
        if match and match["of"].strip():
            return _then(read_thing(match["of"], depth + 1), NOUNS[match["noun"]])
    match = _WHO.match(text)
    if match:
        verb = next(name for name, verbs in VERBS.items() if match["verb"] in verbs.split("|"))
        return _then(read_thing(match["of"], depth + 1), verb)
    match = _WHERE.match(text)
    if match:
        how = next((name for word, name in _HOW.items() if word in match["how"]), "")
        if not how or (how == "citizenship" and match["kind"] != "country"):
            how = "country" if match["kind"] == "country" else "location"
        return _then(read_thing(match["of"], depth + 1), how)
    return AskedThing(_name(text))


def _then(inner: AskedThing, relation: str) -> AskedThing:
    steps = RELATIONS[relation].chain or (relation,)
    return AskedThing(inner.name, (*inner.relations, *steps))


def _without_class(text: str) -> str:
    return re.sub(rf"^{_CLASS}", "", text)


def _name(text: str) -> str:
    return re.sub(r"^(?:the )(?=[^\W\d_a-z])", "", text).strip(" \"“”'")


_DATA = data_files.beside(__file__)


@cache
def _forms() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the relations that questions ask for, each with a form of the question."""
    parts = _DATA.parts("parts")
    rows = [line.split(": ", 1) for line in _DATA.lines("forms")]
    return tuple((name, re.compile(rf"^{_form(fill(form, parts))}\??$", re.IGNORECASE)) for name, form in rows)


def _form(form: str) -> str:
    return form.replace("(", "(?:").replace("NP", "(?P<np>.+?)")


_VERB_FORMS = tuple(
    (name, re.compile(rf"^who (?:\w+ly )?(?:{verbs}) (?P<np>.+?)\??$", re.IGNORECASE)) for name, verbs in VERBS.items()
)
_WHAT_IS = re.compile(r"^(?:what|who|which|where|when) (?:is|was|are|were|does|did) (?P<np>.+?)\??$", re.IGNORECASE)


def read_wanted(question: str) -> AskedThing | None:
    """Return the path that a question asks for; None where it has none of the known forms."""
    text = " ".join(question.split()).strip()
    if len(text) > LONGEST:
        return None
    for relation, pattern in (*_forms(), *_VERB_FORMS):
        match = pattern.match(text)
        if match:
            thing = read_thing(match["np"])
            if thing.name:
                return _then(thing, relation)
    match = _WHAT_IS.match(text)
    if match:
        thing = read_thing(match["np"])
        return thing if thing.is_path and thing.name else None
    return None
