"""Lives, ranges of years and ages next to a name: "Perrin (1211–1290)", "Kalnrude, 51,". Pure; English.

What is read belongs to the name that it stands beside, and is an answer only where that name means the one asked for
(`mentions.bearers`). Two values that contradict each other are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from kg_neo4j import data_files
from kg_neo4j.words import family, fold, is_stop_word, same_word, split_words
from kg_neo4j_offline.extractor.lexicon import ROLE_NOUNS
from kg_neo4j_offline.short.dates_and_names import MONTH, when_of
from kg_neo4j_offline.short.mentions import NAME, SentenceName, bearers

OLDEST = 120  # years
SHORT = 16  # years; a shorter range beside a person may be a time in office
YOUNG = 45  # years; likewise where an office stands before the name
KIN = re.compile(
    r"^(?:.+?['’]s? )?(?:(?!(?:of|in|at|for|from|to|by|with|on)\b)[a-z-]+ )+(?=[^\W\d_a-z])"
)  # "Batista's sister Ragnhild", "the sculptor Rodin"
_ONES = "one two three four five six seven eight nine".split()
_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_NUMBER = rf"(?:(?:{'|'.join(_TENS)})(?:[- ](?:{'|'.join(_ONES)}))?|{'|'.join([*_TEENS, *_ONES])})"
_VALUES = {word: value for value, word in enumerate([*_ONES, *_TEENS], 1)}
_VALUES |= {word: 10 * value for value, word in enumerate(_TENS, 2)}
_DATA = data_files.beside(__file__)
_PARTS = _DATA.parts("parts", name=NAME, month=MONTH, number=_NUMBER)
_VERBS = frozenset({"was_born", "has_died", "she_died", "death_of", "birth_of"})


@cache
def _patterns(table: str) -> dict[str, re.Pattern[str]]:
    flags = re.IGNORECASE if table in ("office", "questions", "others") else 0
    return {name: re.compile(data_files.fill(each, _PARTS), flags) for name, each in _DATA.table(table).items()}


@dataclass(frozen=True, slots=True)
class StatedValue:
    """A value that a text states of somebody, and the mention next to it."""

    value: str
    relation: str
    mention: SentenceName


@dataclass(frozen=True, slots=True)
class Life:
    """A range of years next to a name; one of its ends may be missing."""

    start: str
    end: str
    mention: SentenceName
    of_event: bool = False  # "(1492 to 1496)", which is no way to write a life

    @property
    def is_of_person(self) -> bool:
        """Say whether it may be a life; "Binchy (2009–2017)" after "head" is a time in office."""
        dates = _dates(self.start, self.end)
        span = dates[1][0] - dates[0][0] if dates else OLDEST
        office = _patterns("office")
        in_office = span < SHORT and office["words"].search(self.mention.line.text)
        held = span < YOUNG and office["title"].search(
            self.mention.before
        )  # "its Chancellor, O. v. Bismarck (1862–90)"
        return not (self.of_event or in_office or held)


def asks_for_life(question: str) -> bool:
    """Return whether a question has one of the forms that `find_life` reads."""
    return _form(question) is not None


def _form(question: str) -> tuple[str, re.Match[str]] | None:
    text = " ".join(question.split())
    forms = ((kind, pattern.match(text)) for kind, pattern in _patterns("questions").items())
    return next(((kind, match) for kind, match in forms if match), None)


def find_life(question: str, named: Sequence[SentenceName]) -> list[StatedValue]:
    """Return what the texts state that a question about a life, a range or an age asks for; empty where it is unclear.

    `named` are the names in all sentences that are read.
    """
    form = _form(question)
    if form is None:
        return []
    kind, match = form
    who = bearers(KIN.sub("", match["np"]), named)
    own = [each for each in named if who.has(each)]
    if kind in ("began", "ended", "lasted", "in_year"):
        own += _literal(match["np"], named)
    if kind == "age":
        return _aged(match["cond"] or "", own)
    if kind in ("where_born", "where_died"):
        return _place_of(kind.removeprefix("where_"), own)
    return _of_life(match, kind, _lives(own))


def _literal(name: str, named: Sequence[SentenceName]) -> list[SentenceName]:
    """Return where sentences have a name word for word, in small letters, too: "the Jin dynasty"."""
    wanted = re.compile(rf"\b{re.escape(re.sub(r'^(?:the|a|an) ', '', name, flags=re.IGNORECASE))}\b", re.IGNORECASE)
    lines = {id(each.line): each.line for each in named}
    return [
        SentenceName(found[0], (), (), line, found.start(), found.end())
        for line in lines.values()
        for found in wanted.finditer(line.text)
    ]


def life_of(mention: SentenceName) -> Life | None:
    """Return the life next to a name: "(1211–1290)", "(b. 1898)", "died on 22 March"."""
    for name, pattern in _patterns("after").items():
        match = pattern.match(mention.after)
        if match is None or (name in _VERBS and not _is_subject(mention, name)):
            continue
        given = match.groupdict()
        start, end = given.get("from") or "", given.get("to") or ""
        if re.fullmatch(r"\d\d", end) and re.search(r"\d{4}", start):
            end = re.findall(r"\d{4}", start)[-1][:2] + end
        dates = _dates(start, end)
        if not (start and end and dates and dates[0][0] > dates[1][0]):
            start, end = (re.sub(r"^(?:ca?\.? ?|circa )(?=\d)", "c. ", each.strip()) for each in (start, end))
            return Life(start, end, mention, name == "range")
    return None


def _lives(mentions: Iterable[SentenceName]) -> list[Life]:
    return [life for each in mentions if (life := life_of(each))]


def _is_subject(mention: SentenceName, name: str = "") -> bool:
    """Return whether a verb behind a name is said of its bearer: not of the father in "The father of X died"."""
    others = _patterns("others")
    if name in ("death_of", "birth_of"):
        return others[name].search(mention.before) is not None
    if name == "she_died":
        return re.search(r"\b(?:was|is) (?:the )?$", mention.before) is not None
    if re.match(r"^,? who ", mention.after):
        return not others["kin"].search(mention.before)
    return not others["clause"].search(mention.before) and not others["object"].search(mention.before)


_When = tuple[int, ...]


def _dates(start: str, end: str) -> tuple[_When, _When] | None:
    first, last = when_of(start), when_of(end)
    return (first, last) if first and last else None


def _of_life(match: re.Match[str], kind: str, lives: Sequence[Life]) -> list[StatedValue]:
    """Return the beginning, the end, the length of a life or of an event, or whether a year is in it."""
    if kind in ("born", "died", "lived"):
        lives = [each for each in lives if each.is_of_person]
    if kind in ("born", "began"):
        return _agreed(StatedValue(each.start, kind, each.mention) for each in lives)
    if kind in ("died", "ended"):
        return _agreed(StatedValue(each.end, kind, each.mention) for each in lives)
    stated = []
    for life in lives:
        if dates := _dates(life.start, life.end):
            if kind == "in_year":
                value = "yes" if dates[0][0] <= int(match["year"]) <= dates[1][0] else "no"
            else:
                value = _length(life, dates, of_person=kind == "lived")
            stated.append(StatedValue(value, "years", life.mention))
    return _agreed(stated)


def _agreed(found: Iterable[StatedValue]) -> list[StatedValue]:
    """Return the fullest value, where all agree: "1871" and "14 February 1871" do, "1871" and "1875" do not."""
    given = [each for each in found if each.value]
    years = {(when_of(each.value) or (0,))[0] for each in given if re.search(r"\d{3}", each.value)}
    others = {each.value.casefold() for each in given if not re.search(r"\d{3}", each.value)}
    if len(years) > 1 or (not years and len(others) > 1):
        return []
    return sorted(given, key=lambda each: -len(each.value))[:1]


def _length(life: Life, dates: tuple[_When, _When], *, of_person: bool) -> str:
    """Return how long something lasted: "4 years, 1492–1496"; of a person whose birthday is not known "70 or 71"."""
    years = completed_years(*dates)
    span = dates[1][0] - dates[0][0] if years is None else years
    if of_person and years is None:
        return f"{span - 1} or {span} years, {life.start}–{life.end}"
    return f"{span} {'year' if span == 1 else 'years'}, {life.start}–{life.end}" if span else f"{life.start}–{life.end}"


def completed_years(first: _When, last: _When) -> int | None:
    """Return the completed years between two dates; None where only years are known and the day decides."""
    if len(first) == 3 and len(last) == 3:
        return last[0] - first[0] - (last[1:] < first[1:])
    if len(first) > 1 and len(last) > 1 and first[1] != last[1]:
        return last[0] - first[0] - (last[1] < first[1])
    return None


# ------------------------------------------------------------------------------------------------------------- ages


def _aged(condition: str, own: Sequence[SentenceName]) -> list[StatedValue]:
    """Return the age beside a name. A circumstance has to be in the sentence; a death may also end a life."""
    words = [fold(word) for word in split_words(condition)]
    wanted = [word for word in words if not is_stop_word(word) and not any(word in each.words for each in own)]
    at_death = [stated for each in own for stated in _ages(each, "death_ages")]
    if wanted and set(wanted) <= family("die"):  # not that of another: "when her father died"
        return _same_age(at_death) or _same_age(_spans(own))
    if words and not wanted:
        return []  # "when she did so"
    found = [stated for each in own for stated in (*_ages(each, "ages"), *_ages_before(each))]
    if wanted:
        return _same_age([each for each in found if has_words(each.mention.line.text, wanted)])
    # an age of some year is not that of today, nor of somebody who has died
    then = _patterns("others")["then"]
    dead = any(life.end for life in _lives(own))
    found = [each for each in found if not dead and not then.search(each.mention.before)]
    return _same_age(found or at_death)


def _ages(mention: SentenceName, table: str) -> list[StatedValue]:
    if _patterns("others")["kin"].search(mention.before):
        return []  # "Tom, son of X, 12, ..."
    if table == "death_ages" and not _is_subject(mention):
        return []
    return _possible(mention, (pattern.match(mention.after) for pattern in _patterns(table).values()))


def _ages_before(mention: SentenceName) -> list[StatedValue]:
    matches = (pattern.search(mention.before) for pattern in _patterns("ages_before").values())
    of_role = (each for each in matches if each and (not each["role"] or each["role"] in ROLE_NOUNS))
    return _possible(mention, of_role)


def _possible(mention: SentenceName, matches: Iterable[re.Match[str] | None]) -> list[StatedValue]:
    ages = [match["age"] for match in matches if match]
    return [StatedValue(age, "age", mention) for age in ages if 0 < number_of(age) <= OLDEST]


def _spans(own: Sequence[SentenceName]) -> list[StatedValue]:
    """Return the age that each life ends at."""
    found = []
    for life in _lives(own):
        dates = _dates(life.start, life.end) if life.is_of_person else None
        span = dates[1][0] - dates[0][0] if dates else 0
        if dates and 0 < span <= OLDEST:
            years = completed_years(*dates)
            found.append(StatedValue(str(years) if years is not None else f"{span - 1} or {span}", "age", life.mention))
    return found


def _same_age(found: Sequence[StatedValue]) -> list[StatedValue]:
    """Return the age where all agree; exact ones count before "70 or 71"."""
    exact = [each for each in found if " or " not in each.value] or found
    return list(exact[:1]) if len({number_of(each.value) for each in exact}) == 1 else []


def number_of(text: str) -> int:
    """Return the number that a text begins with, in digits or in words; 0 where it is none."""
    said = text.lower().replace("-", " ").split()
    if said and said[0].isdigit():
        return int(said[0])
    return sum(_VALUES.get(word, 0) for word in said[:2])


def has_words(sentence: str, wanted: Sequence[str]) -> bool:
    """Return whether a sentence has all of some folded words, in any form or as another part of speech."""
    said = [fold(word) for word in split_words(sentence)]
    return all(any(same_word(word, each) or each in family(word) for each in said) for word in wanted)


def _place_of(what: str, own: Sequence[SentenceName]) -> list[StatedValue]:
    """Return where somebody was "born" or "died", where all that is said agrees."""
    found = []
    for name in (f"{what}_where", f"{what}_beside"):
        pattern = _patterns("where")[name]
        for each in own:
            match = pattern.match(each.after)
            if match and (name.endswith("beside") or _is_subject(each)):
                place = match["place"] or match.groupdict().get("place_first") or ""
                found.append(StatedValue(place, f"{what} in", each))
    towns = {each.value.split(",")[0] for each in found}
    return sorted(found, key=lambda each: -len(each.value))[:1] if len(towns) == 1 else []
