"""Questions that a canned query answers: recognised by their form, without a model. Pure.

Every form belongs to a query in cypher/questions. What it leaves open are names, kinds of things, years and verbs, as
the question writes them; `questions` looks them up in the graph. A form fits a whole question or not at all, so
that a condition it does not know ("... who lived in Berlin") is never left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from kg_neo4j.retrieve.words import family, fold, is_stop_word, same_word, split_words

FURTHEST = 9_999  # a year

EXAMPLES = (
    "Who is related to X?",
    "How are X and Y connected?",
    "What do X and Y have in common?",
    "What happened in 1804?",
    "When was X born?",
    "Who met X?",
    "How many people are there?",
    "Who is the most connected person?",
    "Which documents mention X?",
)


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


_X = r"(?P<x>\S.{0,200}?)"
_BOTH = rf"{_X}(?P<and> (?:and|with|to|i|z) )(?P<y>\S.{{0,200}})"
_IS = r"(?:is|are|was|were)"
_TIED = r"(?:related|connected|linked|tied|associated|involved)"
_TIE = r"(?:relationships?|connections?|relations?|links?|paths?|ways?|ties?)"
_TEXTS = r"(?:graph|texts?|documents?|corpus|database|sources?|data)"
_HERE = rf"(?: (?:in|of|by) (?:the|this|these|our|my|all) (?:whole )?{_TEXTS})"
_KIND = r"(?P<kind>\w[\w -]{0,60}?)"
_YEAR = r"(?P<{0}>\d{{1,4}})(?P<{0}_bc> ?(?:BCE?|B\.C\.(?:E\.)?))?(?: (?:AD|CE))?"
_IN_YEAR = rf"(?:in|during|around|of) (?:the year )?{_YEAR.format('from')}"
_IN_YEARS = rf"(?:between|from|in) {_YEAR.format('from')} ?(?:and|to|until|-|–) ?{_YEAR.format('to')}"
_HAPPENED = r"(?:what|which events?) (?:happened|took place|occurred|was going on)"

# (query, form); the first that fits is taken
_FORMS = tuple(
    (query, re.compile(form, re.IGNORECASE))
    for query, form in (
        ("in_common", rf"(?P<kind>what|who) (?:do|did|does) {_BOTH} (?:both )?(?:have|had|share)(?: in common)?"),
        ("in_common", rf"(?P<kind>what|who|which \w+) {_IS} {_TIED} (?:to|with) both {_BOTH}"),
        ("in_common", rf"(?P<kind>what|who|which \w+) (?:connects|links|joins) both {_BOTH}"),
        ("connections", rf"how {_IS} {_BOTH} {_TIED}(?: (?:to|with) each other)?"),
        ("connections", rf"how {_IS} {_X}(?P<and> {_TIED} (?:to|with) )(?P<y>\S.*)"),
        ("connections", rf"(?:what|which {_TIE}) (?:connects?|links?|relates?|joins?|ties?) {_BOTH}"),
        (
            "connections",
            rf"(?:(?:what|which) {_IS}|is there|are there|show(?: me)?|find) (?:an? |the |any |all )?(?:shortest )?"
            rf"{_TIE} (?:between|from|of) {_BOTH}",
        ),
        ("connections", rf"what (?:do|does|did|has|have|had) {_X}(?P<and> (?:have |got )?to do with )(?P<y>\S.*)"),
        ("connections", rf"(?:co|jak) (?:łączy|łączyło|są połączeni|są powiązani) {_BOTH}"),
        ("year", rf"{_HAPPENED} {_IN_YEARS}"),
        ("year", rf"{_HAPPENED} {_IN_YEAR}"),
        ("year", rf"{_HAPPENED} (?:to|with) {_X} {_IN_YEARS}"),
        ("year", rf"{_HAPPENED} (?:to|with) {_X} {_IN_YEAR}"),
        ("year", rf"what (?:did|was|were) {_X} (?:do|doing) {_IN_YEARS}"),
        ("year", rf"what (?:did|was|were) {_X} (?:do|doing) {_IN_YEAR}"),
        ("year", rf"(?:(?:list|show(?: me)?) )?(?:the |all (?:the )?)?events {_IN_YEARS}"),
        ("year", rf"(?:(?:list|show(?: me)?) )?(?:the |all (?:the )?)?events {_IN_YEAR}"),
        ("year", rf"co (?:się )?(?:wydarzyło|stało|zdarzyło)(?: się)? w (?:roku )?{_YEAR.format('from')}(?: roku)?"),
        ("life", rf"(?:when|in (?:which|what) year|what year) (?:was|were) {_X} (?P<born>born)"),
        ("life", rf"(?:when|in (?:which|what) year|what year) did {_X} (?P<died>die)"),
        ("life", rf"when did {_X} live"),
        ("number_related", rf"how many {_KIND} (?:is|are|was|were) {_X} {_TIED} (?:to|with)"),
        ("number_related", rf"how many {_KIND} (?:is|are|was|were) {_TIED} (?:to|with) {_X}"),
        ("number", rf"how many {_KIND} {_IS} (?:there|mentioned|named|known|spoken of){_HERE}?"),
        (
            "number",
            rf"how many {_KIND} (?:do|does) (?:the|this|these|our|my) {_TEXTS} (?:have|contain|know|mention|name|hold)",
        ),
        ("number", rf"(?:count|what is the number of|(?:the )?number of) (?:the |all (?:the )?)?{_KIND}{_HERE}?"),
        ("number", rf"how many {_KIND}{_HERE}?"),
        ("number", r"ile (?:jest )?(?P<kind>\w+)(?: jest)?(?: w (?:grafie|tekście|tekstach|dokumentach))?"),
        (
            "most_connected",
            rf"(?:who|what|which) {_IS} (?:the )?(?:most|best) (?:connected|central|linked)(?: {_KIND})?{_HERE}?",
        ),
        (
            "most_connected",
            rf"(?:who|what|which {_KIND}) (?:has|have) (?:the )?most (?:connections|relationships|relations|links)"
            rf"{_HERE}?",
        ),
        ("most_connected", rf"which {_KIND} {_IS} (?:the )?(?:most|best) (?:connected|central|linked){_HERE}?"),
        (
            "mentions",
            rf"(?:where|in (?:which|what) (?:documents?|texts?|sources?)) {_IS} {_X} (?:mentioned|named|spoken of)",
        ),
        ("mentions", rf"(?:which|what) (?:documents?|texts?|sources?|files?) (?:mentions?|names?|speaks? of) {_X}"),
        ("entities", rf"(?:list|show(?: me)?|name|give me) (?:all )?(?:of )?(?:the )?{_KIND}{_HERE}"),
        ("entities", rf"(?:list|name) (?:all )(?:of )?(?:the )?{_KIND}"),
        ("entities", rf"(?:which|what) {_KIND} {_IS} (?:there|mentioned|named|known){_HERE}?"),
        ("entities", rf"(?P<kind>who) (?:is|are|was|were) (?:mentioned|named|spoken of){_HERE}?"),
        ("entities", rf"(?P<kind>who) (?:is|are){_HERE}"),
        ("relations", rf"(?P<kind>who|what|which \w+) {_IS} {_TIED} (?:to|with) {_X}"),
        ("relations", rf"(?P<kind>who|what|which \w+) {_IS} {_X} {_TIED} (?:to|with)"),
        ("relations", rf"(?:to|with) (?P<kind>whom|what) {_IS} {_X} {_TIED}"),
        ("relations", rf"what (?:is|do (?:we|you)|does the graph) (?:known?|say) (?:about|of|on) {_X}"),
        ("relations", rf"what {_TIE} (?:does|do|did) {_X} have"),
        ("relations", rf"(?:list|show(?: me)?|find) (?:all )?(?:the )?(?:{_TIE}|neighbours|neighbors) (?:of|for) {_X}"),
        ("relations", rf"(?:z )?(?P<kind>kim|czym) (?:jest|był|była|było) (?:związan\w+|powiązan\w+|połączon\w+) {_X}"),
        ("relations", rf"co wiadomo o {_X}"),
        (
            "stated",
            rf"(?P<kind>who|whom|what|where|which \w+) (?:did|does|do|has|had|have) {_X} "
            r"(?P<out>\w+(?: (?:in|at|to|from|with|for|on|by))?)",
        ),
        ("stated", rf"(?:to|with|from|by) (?P<kind>whom|what|which \w+) (?:did|does|do|was|were|is) {_X} (?P<out>\w+)"),
        ("stated", rf"(?P<kind>where) (?:was|were|is|are) {_X} (?P<out>\w+)"),
        ("stated", rf"(?P<kind>who|what) (?:was|were|is|are) {_X} (?P<in>\w+) by"),
        ("stated", rf"(?P<kind>who) (?:is|are|was|were) (?:the |an? )?(?P<in>\w+(?: in law)?) of {_X}"),
        ("stated", rf"(?P<kind>who) (?:is|are|was|were) {_X}['’]s? (?P<in>\w+(?:[ -]in[ -]law)?)"),
        (
            "stated",
            r"(?P<kind>who) (?!is\b|are\b|was\b|were\b|did\b|does\b|do\b|has\b|had\b|have\b)(?P<in>\w+) "
            rf"(?:(?:in|at|to|from|with|for|on) )?{_X}",
        ),
    )
)


def recognise(question: str) -> tuple[Form, ...]:
    """Return the forms that `question` may have, the likeliest first; empty where none fits.

    There are several where a name may have an "and" of its own.
    """
    text = " ".join(question.split()).strip(" ?!.¿\"'“”")
    found: list[Form] = []
    for query, form in _FORMS:
        if match := form.fullmatch(text):
            found += _read(query, match)
    return tuple(dict.fromkeys(found))


def _read(query: str, match: re.Match[str]) -> list[Form]:
    parts = {name: value.strip() for name, value in match.groupdict().items() if value}
    kind = re.sub(r"^(?:which|what|all|the|different)\s", "", parts.get("kind", ""), flags=re.IGNORECASE)
    events = tuple(event for name, event in (("born", "BORN"), ("died", "DIED")) if name in parts)
    years = _years(parts)
    if query == "year" and years is None:
        return []
    verb, direction = next(((parts[way], way) for way in ("out", "in") if way in parts), ("", "both"))
    form = Form(
        query, kind=kind.casefold(), years=years, events=events or ("BORN", "DIED"), verb=verb, direction=direction
    )
    form = _with(form, parts.get("x", ""), parts.get("y", ""))
    return [form, *_other_splits(form, parts)] if "y" in parts else [form]


def _with(form: Form, x: str, y: str) -> Form:
    return Form(form.query, x, y, form.kind, form.years, form.events, form.verb, form.direction)


def _other_splits(form: Form, parts: dict[str, str]) -> list[Form]:
    """Return the form with the later places at which the names may be parted: "Simon and Garfunkel and Paul"."""
    joint = parts.get("and", "").strip()
    if " " in joint or joint.casefold() not in ("and", "i"):
        return []
    words = f"{form.x} {joint} {form.y}".split()
    places = [
        index for index, word in enumerate(words) if word.casefold() == joint.casefold() and 0 < index < len(words) - 1
    ]
    return [_with(form, " ".join(words[:place]), " ".join(words[place + 1 :])) for place in places[1:]]


def _years(parts: dict[str, str]) -> tuple[int, int] | None:
    if "from" not in parts:
        return None
    first = -int(parts["from"]) if "from_bc" in parts or ("to_bc" in parts) else int(parts["from"])
    last = first if "to" not in parts else -int(parts["to"]) if "to_bc" in parts else int(parts["to"])
    return (first, last) if -FURTHEST <= first <= last <= FURTHEST else None


# ------------------------------------------------------------------------------------------------ kinds and verbs

_KINDS = {
    "PERSON": "people person persons human humans individuals who whom whose men women ludzi osób osoby kim kto",
    "PLACE": "place places location locations where site sites miejsc miejsca",
    "ORGANIZATION": "organization organizations organisation organisations institution institutions company companies",
    "EVENT": "event events happenings wydarzeń wydarzenia",
    "DATE": "date dates year years",
}
_SAME_TYPE = {
    "PERSON": ("PERSON", "PEOPLE", "HUMAN", "CHARACTER"),
    "PLACE": (
        *(
            "PLACE",
            "LOCATION",
            "CITY",
            "TOWN",
            "VILLAGE",
            "SETTLEMENT",
            "COUNTRY",
            "REGION",
            "STATE",
            "PROVINCE",
            "CONTINENT",
        ),
        *("ISLAND", "MOUNTAIN", "CAVE", "RIVER", "LAKE", "SEA", "OCEAN", "DESERT", "BUILDING", "ADDRESS"),
    ),
    "ORGANIZATION": ("ORGANIZATION", "ORGANISATION", "INSTITUTION", "COMPANY"),
    "EVENT": ("EVENT",),
    "DATE": ("DATE", "YEAR"),
}
_EVERYTHING = frozenset("what thing things entity entities node nodes name names everything czym".split())
_BY_WORD = {word: _SAME_TYPE[kind] for kind, words in _KINDS.items() for word in words.split()}


def types_of(kind: str, known: Iterable[str]) -> tuple[str, ...] | None:
    """Return the types in `known` that a word means: "cities" CITY; () for "things"; None where it means none."""
    if not kind or kind in _EVERYTHING:
        return ()
    meant = set(_BY_WORD.get(kind, ()))
    own = {fold(kind), *_singulars(fold(kind))}
    found = tuple(sorted(each for each in known if each in meant or each.casefold().replace("_", " ") in own))
    return found or None


def _singulars(word: str) -> list[str]:
    if word.endswith("ies"):
        return [word[:-3] + "y", word[:-1]]
    return [word[:-2], word[:-1]] if word.endswith("es") else [word[:-1]] if word.endswith("s") else []


_PARTICLES = frozenset("of in to on at by with from for the a an was is has had as next".split())
_MUTUAL = frozenset(
    "met married sibling siblings brother sister spouse friend friends partner colleague related near".split()
)
_KIN = frozenset("father mother parent son daughter child brother sister".split())


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
