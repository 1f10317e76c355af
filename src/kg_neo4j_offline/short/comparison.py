"""Comparisons of two things: which was first, which is older, are both of one country.

"Which film has the director born later, A or B?" becomes a property (born on) of what a relation (director) leads to
from each of two names, and a rule to choose by. Both ways are shown as the path.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from kg_neo4j import data_files
from kg_neo4j.graph.identity import normalise
from kg_neo4j.retrieve.sentences import split_sentences
from kg_neo4j.retrieve.words import fold, is_stop_word, same_word, split_words
from kg_neo4j_offline.extractor.lexicon import NATIONS
from kg_neo4j_offline.short.following import ReachedValue, StatedStep, follow, steps_from
from kg_neo4j_offline.short.passage_reading import when_of
from kg_neo4j_offline.short.things import Things
from kg_neo4j_offline.short.wanted import NOUNS, AskedThing, read_thing

LONGEST = 500  # characters
UP = 3  # places within places that are climbed

_DATA = data_files.beside(__file__)
_PARTS = _DATA.parts("parts")
_PATTERNS = {name: re.compile(data_files.fill(each, _PARTS)) for name, each in _DATA.table("patterns").items()}
_SHARED = _DATA.table("shared")
_Pair = tuple[AskedThing, AskedThing]


@dataclass(frozen=True, slots=True)
class ComparisonQuestion:
    """What is compared. `rule` is "least", "most", "longest life", "count" (of `relations`), "same" or "both"."""

    rule: str
    relations: tuple[str, ...]  # from each of the two to the value; empty for "both"
    pairs: tuple[_Pair, ...]  # the two, read in each way that the question allows
    said: str = ""  # for "both": what both are said to be


def read_comparison(question: str) -> ComparisonQuestion | None:
    """Return what a question compares; None where it does not compare two names in a known form."""
    text = " ".join(question.split())
    if len(text) > LONGEST:
        return None
    found = _read_choice(text) or _read_same(text)
    for form in () if found else ("both", "both_of", "both_of_comma"):
        match = _PATTERNS[form].match(text)
        if match and "same" not in match["said"].split() and (pairs := _named(_plain(match["names"]), " and ")):
            return ComparisonQuestion("both", (), pairs, match["said"])
    return found


def _read_choice(text: str) -> ComparisonQuestion | None:
    match = _PATTERNS["choice"].match(text) or _PATTERNS["was_first"].match(text)
    if match is None or " or " not in match["rest"]:
        return None
    head = match["head"].lower()
    pairs = _named(match["rest"].rstrip(" ?"), " or ")
    if not pairs:
        return None
    between = _PATTERNS["via"].search(head)  # "whose director", "has the director who"
    via = (NOUNS[between["noun"]],) if between and between["noun"] in NOUNS else ()
    if "longer" in head and "liv" in head:
        return ComparisonQuestion("longest life", via, pairs)
    count = re.search(r"\b(?:more|most) (?P<noun>[a-z]+)\b", head)
    if count and count["noun"] in NOUNS and count["noun"].endswith("s"):
        return ComparisonQuestion("count", (NOUNS[count["noun"]],), pairs)
    last = re.search(rf"\b(?:{_PARTS['last']})\b", head)
    if not last and not re.search(rf"\b(?:{_PARTS['first']})\b", head):
        return None
    if re.search(r"\b(?:younger|youngest|older|oldest|born)\b", head):
        relation = "born on"
    elif re.search(r"\b(?:died|die|death)\b", head):
        relation = "died on"
    else:
        relation = "made on"
    return ComparisonQuestion("most" if last else "least", (*via, relation), pairs)


def _read_same(text: str) -> ComparisonQuestion | None:
    match = _PATTERNS["same"].match(text)
    if match is None:
        return None
    what = match["what"].lower().split()[-1]
    what = {"countries": "country", "nationalities": "nationality"}.get(what, what)
    relation = _SHARED.get(what) or NOUNS.get(what)
    if not relation:
        return None
    before = (NOUNS[match["via2"].lower()],) if match["via2"] and match["via2"].lower() in NOUNS else ()
    names = match["names"]
    both = _PATTERNS["of_both"].match(names)
    if both and both["noun"] in NOUNS and not re.search(rf"\band (?:the )?{both['noun']} ", both["rest"]):
        before, names = (NOUNS[both["noun"]],), both["rest"]

    def end(name: str) -> AskedThing:
        thing = read_thing(name)
        return AskedThing(thing.name, (*thing.relations, *before))

    pairs = tuple((end(left), end(right)) for left, right in _split(_plain(names), " and "))
    return ComparisonQuestion("same", (relation,), pairs, what) if pairs else None


def _plain(names: str) -> str:
    return _PATTERNS["classes"].sub("", re.sub(r"^both ", "", names, flags=re.IGNORECASE))


def _named(text: str, word: str) -> tuple[_Pair, ...]:
    return tuple((AskedThing(left), AskedThing(right)) for left, right in _split(text, word))


def _split(text: str, word: str) -> list[tuple[str, str]]:
    """Return every way to split a text at `word` in two names, that nearest to the middle first."""
    places = [match.start() for match in re.finditer(re.escape(word), text)]
    places.sort(key=lambda place: abs(place - len(text) / 2))
    pairs = [(_side(text[:place]), _side(text[place + len(word) :])) for place in places]
    return [(left, right) for left, right in pairs if left and right]


def _side(text: str) -> str:
    return _PATTERNS["side"].sub("", text.strip(" ,?")).strip(' ,?"“”')


# ------------------------------------------------------------------------------------------------------- answers


def compare(asked: ComparisonQuestion, things: Things) -> ReachedValue | None:
    """Return the answer; None where one of the names is not there, or what is compared is not said of both."""
    for pair in asked.pairs:
        if len(asked.pairs) > 1 and any(things.find(each.name, nearly_so=False) is None for each in pair):
            continue  # the split that the graph knows the names of
        if asked.rule == "same":
            return _same(asked, pair, things)
        return _both(asked.said, pair, things) if asked.rule == "both" else _chosen(asked, pair, things)
    return None


def _chosen(asked: ComparisonQuestion, pair: _Pair, things: Things) -> ReachedValue | None:
    sides = [_valued(asked, each.name, things) for each in pair]
    left, right = sides
    if left is None or right is None or left[0] == right[0]:
        return None
    is_left = left[0] < right[0] if asked.rule == "least" else left[0] > right[0]
    return ReachedValue(pair[0].name if is_left else pair[1].name, (*left[1], *right[1]))


_Side = tuple[tuple[int, ...], tuple[StatedStep, ...]]  # what is compared, and where it is said


def _valued(asked: ComparisonQuestion, name: str, things: Things) -> _Side | None:
    if asked.rule == "count":
        thing = things.find(name, nearly_so=False)
        steps = steps_from(thing, asked.relations[0]) if thing else []
        return ((len(steps),), tuple(steps)) if steps else None
    if asked.rule != "longest life":
        return _dated(name, asked.relations, things)
    born = _dated(name, (*asked.relations, "born on"), things)
    died = _dated(name, (*asked.relations, "died on"), things)
    if born is None or died is None:
        return None
    return (_days(died[0]) - _days(born[0]),), (*born[1], *died[1])


def _dated(name: str, relations: tuple[str, ...], things: Things) -> _Side | None:
    """Return the first date at the end of a path."""
    reached = follow(AskedThing(name, relations), things)
    return next(((when, each.steps) for each in reached if (when := when_of(each.value))), None)


def _days(when: tuple[int, ...]) -> int:
    year, month, day = (*when, 0, 0)[:3]
    return 372 * year + 31 * month + day


def _same(asked: ComparisonQuestion, pair: _Pair, things: Things) -> ReachedValue | None:
    sides = [_values(asked, each, things) for each in pair]
    left, right = sides
    if not left or not right:
        return None
    for mine in left:
        for theirs in right:
            if _key(mine.value) == _key(theirs.value):
                return ReachedValue("yes", (*mine.steps, *theirs.steps))
    return ReachedValue("no", (*left[0].steps, *right[0].steps))


def _values(asked: ComparisonQuestion, thing: AskedThing, things: Things) -> list[ReachedValue]:
    """Return what one side has of what may be shared; of a country, what it is a citizen of or lies in."""
    relations = ("citizenship", "country") if asked.said in ("country", "nationality") else asked.relations
    ways = (follow(AskedThing(thing.name, (*thing.relations, each)), things) for each in relations)
    found = next(filter(None, ways), [])
    if not found and (relations[-1] == "country" or asked.relations[0] == "location"):
        found = _climbed(thing, things, asked.relations[0])
    if asked.relations[0] == "location":
        found += [each for one in found for each in _climbed(AskedThing(one.value), things, "location")]
    return found


def _climbed(thing: AskedThing, things: Things, relation: str) -> list[ReachedValue]:
    """Return the places that a place lies in, further and further out, or the countries of these."""
    reached: list[ReachedValue] = []
    for depth in range(1, UP + 1):
        outer = follow(AskedThing(thing.name, (*thing.relations, *["location"] * depth)), things)
        if relation != "location":
            countries = [each for one in outer[:1] for each in follow(AskedThing(one.value, ("country",)), things)]
            if countries:
                return [ReachedValue(each.value, (*outer[0].steps, *each.steps)) for each in countries]
        reached += outer
    return reached


def _key(value: str) -> str:
    country = NATIONS.get(value, value)
    return normalise("United Kingdom" if country in ("England", "Scotland", "Wales") else country)


def _both(said: str, pair: _Pair, things: Things) -> ReachedValue | None:
    """Return whether both are what the question says: whether the first two sentences on each have all its words."""
    wanted = [word for each in split_words(said) if not is_stop_word(word := fold(each))]
    steps, answers = [], []
    for name in pair:
        thing = things.find(name.name, nearly_so=False)
        if thing is None or not thing.passages or not wanted:
            return None
        sentences = split_sentences(thing.passages[0].text)
        place = thing.passages[0].cite(sentences[0].start, sentences[:2][-1].end)
        words = [fold(word) for word in split_words(place.quote)]
        words += {fold(NATIONS.get(word.capitalize(), word)) for word in words}
        answers.append(all(any(same_word(word, other) for other in words) for word in wanted))
        steps.append(StatedStep(thing.title, "is" if answers[-1] else "is not said to be", said, place))
    return ReachedValue("yes" if all(answers) else "no", tuple(steps))
