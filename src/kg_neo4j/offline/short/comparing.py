"""Answers comparisons: follows both names to what is compared, and chooses. Both ways are shown as the path."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kg_neo4j.graph.identity import normalise
from kg_neo4j.offline.extractor.lexicon import NATIONS
from kg_neo4j.offline.short.comparison import ComparisonQuestion
from kg_neo4j.offline.short.following import ReachedValue, StatedStep, WordPlace, follow, place_of, steps_from
from kg_neo4j.offline.short.passage_patterns import MONTHS
from kg_neo4j.offline.short.things import Thing, Things
from kg_neo4j.offline.short.wanted import AskedThing
from kg_neo4j.retrieve.sentences import split_sentences
from kg_neo4j.retrieve.words import fold, is_stop_word, same_word, split_words

_NUMBER = re.compile(r"\d+")
_UP = 3  # places within places that are climbed


@dataclass(frozen=True, slots=True)
class ComparisonAnswer:
    """The answer to a comparison, and what it rests on."""

    value: str
    steps: tuple[StatedStep, ...]


def compare(asked: ComparisonQuestion, things: Things) -> ComparisonAnswer | None:
    """Return the answer; None where one of the names is not there, or what is compared is not said of both."""
    for place, pair in enumerate(asked.pairs):
        found = [things.find(name, nearly_so=False) for name in pair]
        if len(asked.pairs) > 1 and None in found:
            continue  # the split that the graph knows the names of
        paths = asked.paths[place] if asked.paths else ((), ())
        if asked.rule == "same":
            return _same(asked, pair, paths, things)
        if asked.rule == "both":
            return _both(asked, pair, things)
        return _chosen(asked, pair, things)
    return None


def _chosen(asked: ComparisonQuestion, pair: tuple[str, str], things: Things) -> ComparisonAnswer | None:
    if asked.rule == "longest life":
        sides = [_life(asked, name, things) for name in pair]
    elif asked.rule == "count":
        sides = [_count(asked, name, things) for name in pair]
    else:
        sides = [_dated(AskedThing(name, asked.relations), things, last=asked.rule == "most") for name in pair]
    left, right = sides
    if left is None or right is None or left[0] == right[0]:
        return None
    least = asked.rule == "least"
    first = left[0] < right[0] if least else left[0] > right[0]
    name = pair[0] if first else pair[1]
    return ComparisonAnswer(name, (*left[1], *right[1]))


_Side = tuple[tuple[int, ...], tuple[StatedStep, ...]]


def _dated(wanted: AskedThing, things: Things, *, last: bool) -> _Side | None:
    """Return the date at the end of a path as numbers; where a path has several ends, the one that counts."""
    found = [(when, each.steps) for each in follow(wanted, things) if (when := when_of(each.value))]
    if not found:
        return None
    if len(wanted.relations) == 1:
        return found[0]
    return found[0]


def _life(asked: ComparisonQuestion, name: str, things: Things) -> _Side | None:
    born = _dated(AskedThing(name, (*asked.relations, "born on")), things, last=False)
    died = _dated(AskedThing(name, (*asked.relations, "died on")), things, last=False)
    if born is None or died is None:
        return None
    return (_days(died[0]) - _days(born[0]),), (*born[1], *died[1])


def _days(when: tuple[int, ...]) -> int:
    year, month, day = (*when, 0, 0)[:3]
    return 372 * year + 31 * month + day


def _count(asked: ComparisonQuestion, name: str, things: Things) -> _Side | None:
    thing = things.find(name, nearly_so=False)
    steps = steps_from(thing, asked.relations[0]) if thing else []
    return ((len(steps),), tuple(steps)) if steps else None


def when_of(text: str) -> tuple[int, ...] | None:
    """Return (year, month, day) of a date, as much of it as is said; negative years BC."""
    numbers = [int(number) for number in _NUMBER.findall(text) if len(number) < 10]
    years = [number for number in numbers if number > 31] or numbers[-1:]
    if not years:
        return None
    year = -years[-1] if re.search(r"\bB\.?C", text) else years[-1]
    month = next((place for place, name in enumerate(MONTHS, 1) if name in text), 0)
    days = [number for number in numbers if number <= 31 and number != years[-1]]
    if not month:
        return (year,)
    return (year, month, days[0]) if days else (year, month)


def _same(
    asked: ComparisonQuestion, pair: tuple[str, str], paths: tuple[tuple[str, ...], tuple[str, ...]], things: Things
) -> ComparisonAnswer | None:
    sides = [_values(asked, name, before, things) for name, before in zip(pair, paths, strict=True)]
    left, right = sides
    if not left or not right:
        return None
    for mine in left:
        for theirs in right:
            if _key(mine.value) == _key(theirs.value):
                return ComparisonAnswer("yes", (*mine.steps, *theirs.steps))
    return ComparisonAnswer("no", (*left[0].steps, *right[0].steps))


def _values(asked: ComparisonQuestion, name: str, before: Sequence[str], things: Things) -> list[ReachedValue]:
    """Return what one side has of what may be shared; of a country, what it is a citizen of or lies in."""
    relations = ("citizenship", "country") if asked.said in ("country", "nationality") else asked.relations
    found: list[ReachedValue] = []
    for relation in relations:
        found = follow(AskedThing(name, (*before, relation)), things)
        if found:
            break
    if (relations[-1] == "country" and not found) or asked.relations[0] == "location":
        found = found or _climbed(AskedThing(name, tuple(before)), things, asked.relations[0])
    if asked.relations[0] == "location":
        found += [each for one in found for each in _climbed(AskedThing(one.value), things, "location")]
    return found


def _climbed(wanted: AskedThing, things: Things, relation: str) -> list[ReachedValue]:
    """Return the places that a place lies in, further and further out, or the countries of these."""
    reached: list[ReachedValue] = []
    for depth in range(1, _UP + 1):
        outer = follow(AskedThing(wanted.name, (*wanted.relations, *["location"] * depth)), things)
        if relation != "location":
            countries = [each for one in outer[:1] for each in follow(AskedThing(one.value, ("country",)), things)]
            if countries:
                return [ReachedValue(each.value, (*outer[0].steps, *each.steps)) for each in countries]
        reached += outer
    return reached


def _key(value: str) -> str:
    country = NATIONS.get(value, value)
    home = {"England", "Scotland", "Wales"}
    return normalise("United Kingdom" if country in home else country)


def _both(asked: ComparisonQuestion, pair: tuple[str, str], things: Things) -> ComparisonAnswer | None:
    """Return whether both are what the question says: whether the first sentence on each has all its words."""
    wanted = [fold(word) for word in split_words(asked.said)]
    wanted = [word for word in wanted if not is_stop_word(word)]
    found = [things.find(name, nearly_so=False) for name in pair]
    steps = []
    answers = []
    for thing in found:
        if thing is None or not thing.passages or not wanted:
            return None
        place = _definition(thing)
        words = [fold(word) for word in split_words(place.quote)]
        nations = {fold(NATIONS.get(word.capitalize(), word)) for word in words}
        answers.append(
            all(any(word == other or same_word(word, other) for other in (*words, *nations)) for word in wanted)
        )
        relation = "is" if answers[-1] else "is not said to be"
        steps.append(StatedStep(thing.title, relation, asked.said, place))
    return ComparisonAnswer("yes" if all(answers) else "no", tuple(steps))


def _definition(thing: Thing) -> WordPlace:
    passage = thing.passages[0]
    sentences = split_sentences(passage.text)
    first = sentences[0]
    last = sentences[min(1, len(sentences) - 1)]
    return place_of(passage, first.start, last.end)
