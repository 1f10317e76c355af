"""Questions that compare two things: which was first, which is older, are both of one country. Reading them is pure.

"Which film has the director born later, A or B?" becomes a property (born on) of what a relation (director) leads to
from each of two names, and a rule to choose by.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from kg_neo4j import data_files
from kg_neo4j.offline.short.relations import NOUNS
from kg_neo4j.offline.short.wanted import read_thing

LONGEST = 500  # characters


@dataclass(frozen=True, slots=True)
class ComparisonQuestion:
    """What is compared. `rule` is "least", "most", "longest life", "count" (of `relations`), "same" or "both"."""

    rule: str
    relations: tuple[str, ...]  # from each name to the value; empty for "both"
    pairs: tuple[tuple[str, str], ...]  # the two names, read in each way that the question allows
    said: str = ""  # for "both": what both are said to be
    paths: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = ()  # for each pair, relations from each name before


_FIRST = r"first|earlier|earliest|older|oldest|before|sooner"
_LAST = r"later|latest|last|younger|youngest|more recently|most recently|more recent|newer"
_COUNT = re.compile(r"\b(?:more|most) (?P<noun>[a-z]+)\b")
_CHOICE = re.compile(
    rf"^(?P<head>(?:which|who|what|between|of)\b.{{0,160}}?\b(?:{_FIRST}|{_LAST}|longer|longest|more \w+))"
    rf"(?:,? than the other)?(?: one)?\s*[,:?]?\s+(?P<rest>.+)$",
    re.IGNORECASE,
)
_WAS_FIRST = re.compile(
    rf"^(?:was|were|did|is) (?P<rest>.+? or .+?) (?P<head>(?:born|die|died|founded|released|established|formed|"
    rf"published|"
    rf"opened|created|come out|made)?\s*(?:{_FIRST}|{_LAST}))\??$",
    re.IGNORECASE,
)
_SAME = re.compile(
    r"^(?:are|were|is|was|do|does|did|have|has)\s+(?P<names>.+?),?\s+(?:both\s+)?(?:(?:that|which|who)\s+)?"
    r"(?:have the (?P<via2>\w+?)s? (?:that|who|which) (?:both )?)?"
    r"(?:from|of|share|shared|have|has|had|in|located in|located|situated in|situated|born in|members of|"
    r"belong to|based in|"
    r"come from|published in|headquartered in|citizens of|use|are from|is from|are of)?\s*"
    r"(?:both )?(?:located |situated |in |from |of )?(?:the |a )?(?:same|exact same)\s+(?P<what>[\w -]+?)\s*\??$",
    re.IGNORECASE,
)
_BOTH = (
    re.compile(
        r"^(?:are|were|is|was)\s+(?P<names>.+? and .+?),? both (?P<said>(?:an? )?[^,?]+?)\s*\??$", re.IGNORECASE
    ),
    re.compile(r"^(?:[Aa]re|[Ww]ere)\s+both\s+(?:(?:\w+), )?(?P<names>.+? and .+?),? (?P<said>[a-z][^,?]*?)\s*\??$"),
    re.compile(r"^(?:[Aa]re|[Ww]ere)\s+both\s+(?:(?:\w+), )?(?P<names>.+? and .+?), (?P<said>[^,?]*?)\s*\??$"),
)
_CLASSES = re.compile(r"^(?:both |the )*(?:films?|movies?|songs?|magazines?|bands?|books?|albums?)\s+(?=\S)")
_SHARED = data_files.beside(__file__).table("shared")


def read_comparison(question: str) -> ComparisonQuestion | None:
    """Return what a question compares; None where it does not compare two names in a known form."""
    text = " ".join(question.split()).strip()
    if len(text) > LONGEST:
        return None
    return _choice(text) or _same(text) or _both(text)


def _choice(text: str) -> ComparisonQuestion | None:
    match = _CHOICE.match(text) or _WAS_FIRST.match(text)
    if match is None or " or " not in match["rest"]:
        return None
    head = match["head"].lower()
    pairs = _split(match["rest"].rstrip(" ?"), " or ")
    if not pairs:
        return None
    via = _via(head)
    if "longer" in head and "liv" in head:
        return ComparisonQuestion("longest life", via, pairs)
    count = _COUNT.search(head)
    if count and count["noun"] in NOUNS and count["noun"].endswith("s"):
        return ComparisonQuestion("count", (NOUNS[count["noun"]],), pairs)
    last = re.search(rf"\b(?:{_LAST})\b", head)
    first = re.search(rf"\b(?:{_FIRST})\b", head)
    if not last and not first:
        return None
    if re.search(r"\b(?:younger|youngest|older|oldest|born)\b", head):
        relation = "born on"
    elif re.search(r"\b(?:died|die|death)\b", head):
        relation = "died on"
    else:
        relation = "made on"
    rule = "most" if last else "least"
    return ComparisonQuestion(rule, (*via, relation), pairs)


def _via(head: str) -> tuple[str, ...]:
    """Return the relation between: "whose director", "has the director who"."""
    match = re.search(r"\b(?:whose|has the|have the|had the|with the|has a) (?P<noun>[a-z-]+)", head)
    return (NOUNS[match["noun"]],) if match and match["noun"] in NOUNS else ()


def _same(text: str) -> ComparisonQuestion | None:
    match = _SAME.match(text)
    if match is None:
        return None
    what = match["what"].lower().split()[-1]
    what = {"countries": "country", "nationalities": "nationality"}.get(what, what)
    if what not in _SHARED and what not in NOUNS:
        return None
    relation = _SHARED.get(what) or NOUNS.get(what, "")
    if not relation:
        return None
    before = (NOUNS[match["via2"].lower()],) if match["via2"] and match["via2"].lower() in NOUNS else ()
    names = match["names"]
    both = re.match(r"^(?:both |the )*(?P<noun>[a-z]+?)s? (?:of|for|from) (?:the )?(?:both )?(?P<rest>.+)$", names)
    shared = both and both["noun"] in NOUNS and not re.search(rf"\band (?:the )?{both['noun']} ", both["rest"])
    if both and shared:
        before, names = (NOUNS[both["noun"]],), both["rest"]
    pairs = _split(_plain(names), " and ")
    paths = []
    things = []
    for left, right in pairs:
        ends = (read_thing(left), read_thing(right))
        things.append((ends[0].name, ends[1].name))
        paths.append(((*ends[0].relations, *before), (*ends[1].relations, *before)))
    return ComparisonQuestion("same", (relation,), tuple(things), what, tuple(paths)) if pairs else None


def _both(text: str) -> ComparisonQuestion | None:
    for pattern in _BOTH:
        match = pattern.match(text)
        if match and "same" not in match["said"].split():
            pairs = _split(_plain(match["names"]), " and ")
            if pairs:
                return ComparisonQuestion("both", (), pairs, match["said"])
    return None


def _plain(names: str) -> str:
    return _CLASSES.sub("", re.sub(r"^both ", "", names, flags=re.IGNORECASE))


def _split(text: str, word: str) -> tuple[tuple[str, str], ...]:
    """Return every way to split a text at `word` in two names, that nearest to the middle first."""
    places = [match.start() for match in re.finditer(re.escape(word), text)]
    middle = len(text) / 2
    places.sort(key=lambda place: abs(place - middle))
    pairs = [(_side(text[:place]), _side(text[place + len(word) :])) for place in places]
    return tuple((left, right) for left, right in pairs if left and right)


def _side(text: str) -> str:
    text = re.sub(
        r"^(?:both|either|the (?:films?|movies?|songs?)|films?|movies?|songs?) (?=[^\W\d_a-z])", "", text.strip(" ,?")
    )
    return text.strip(' ,?"“”')
