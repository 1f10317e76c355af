"""Whether one statement denies what another one says, says its opposite, or turns round who did it to whom. Pure."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from kg_neo4j import data_files
from kg_neo4j.retrieve.checking.statement import Statement
from kg_neo4j.words import MONTHS, family, is_stop_word, same_word

REACH = 12  # words between a name and the word that ties it
SCOPE = 4  # words after a denial that it reaches
_DATA = data_files.beside(__file__)
DENIALS = _DATA.word_set("denials")
_SYMMETRIC, _DETERMINERS, _BE = (_DATA.word_set(key) for key in ("symmetric", "determiners", "be"))
_FAILURES, _BOUNDS = _DATA.word_set("failures"), _DATA.word_set("bounds")
_OPPOSED, _INVERSE = (
    [(frozenset(left.split()), frozenset(right.split())) for left, right in _DATA.rows(key, 2)]
    for key in ("opposites", "inverse")
)
OPPOSITES = (*_OPPOSED, *_INVERSE)
_FROM_THE_OTHER_END = frozenset(_INVERSE)


def turned_round(said: Statement, windows: Sequence[Statement]) -> str:
    """Return what is turned round: "A taught B" where the windows say "B taught A"; empty where nothing is."""
    for verb in said.content - frozenset(said.names) - _SYMMETRIC:
        mine = ends(said, verb)
        if mine is None or not all(mine):
            continue
        for each in windows:
            form = next((word for word in each.order if word == verb or same_word(word, verb)), None)
            theirs = ends(each, form) if form else None
            if theirs is None or mine[0] & theirs[0] or mine[1] & theirs[1]:
                continue
            if mine[0] & theirs[1] or mine[1] & theirs[0]:
                return f"the cited text says {said.written[verb]!r} the other way round"
    return ""


def ends(statement: Statement, verb: str) -> tuple[frozenset[str], frozenset[str]] | None:
    """Return (who, whom): the names before and after `verb`, exchanged in the passive; None where neither is named."""
    place = statement.order.index(verb)
    noun = bool(_DETERMINERS & frozenset(statement.order[max(0, place - 1) : place]))
    if noun and statement.order[place + 1 : place + 2] != ("of",):
        return None  # "a species after B": it is no verb, and no role of anybody
    names = frozenset(statement.names) - MONTHS.keys()
    before = frozenset(statement.order[max(0, place - REACH) : place]) & names
    after = frozenset(statement.order[place + 1 : place + 1 + REACH]) & names
    if not (before or after) or before & after:
        return None
    with_be = bool(_BE & frozenset(statement.order[max(0, place - 3) : place]))
    is_passive = "by" in statement.order[place + 1 : place + (9 if with_be else 3)]  # "a film directed by B"
    # "the teacher of B was A" ties A to B as "A was the teacher of B"
    is_role = place <= 2 and "the" in statement.order[:place] and statement.order[place + 1 : place + 2] == ("of",)
    return (after, before) if is_passive or is_role else (before, after)


def denied(said: Statement, windows: Sequence[Statement]) -> str:
    """Return why the windows deny the claim, or the claim what they say; empty where neither does."""
    mine = denied_words(said)
    for word in said.content:
        against = _against(word) if word in mine else frozenset()
        places = [each for each in windows if _has_form(word, each.words) or against & each.words]
        if not places:
            continue
        theirs = [_denies(each, word) or bool(against & each.words) for each in places]
        if word in mine and not any(theirs):
            return f"it denies {said.written[word]!r}, the cited text does not"
        if word not in mine and not mine and all(theirs):
            return f"the cited text denies {said.written[word]!r}"
    if mine and not any(denied_words(each) or _against(*mine) & each.words for each in windows):
        return "it denies what the cited text does not deny"
    return ""


def opposite(said: Statement, windows: Sequence[Statement]) -> str:
    """Return which word of the claim stands against its opposite in the windows; empty where none does."""
    there = frozenset().union(*(each.words for each in windows))
    mine_denied = denied_words(said)
    for pair in OPPOSITES:
        for mine, theirs in (pair, pair[::-1]):
            used = (said.words & mine) - mine_denied
            if used and not (mine & there) and theirs & there and not (theirs & said.words):
                if any(_has_form(word, there) for word in used):
                    continue
                if pair in _FROM_THE_OTHER_END and _from_the_other_end(said, min(used), windows, theirs):
                    continue
                word = min(used)
                return f"it says {word!r} where the cited text says {min(theirs & there)!r}"
    return ""


def denied_words(statement: Statement) -> frozenset[str]:
    """Return the content words that stand within reach of a denial."""
    found: set[str] = set()
    for index, word in enumerate(statement.order):
        if word in DENIALS or word in _FAILURES:
            after = itertools.takewhile(
                lambda each: each not in _BOUNDS, statement.order[index + 1 : index + 1 + SCOPE]
            )
            found.update(each for each in after if not is_stop_word(each))
            if word in _FAILURES:
                found.add(word)
    return frozenset(found)


def _has_form(word: str, words: frozenset[str]) -> bool:
    return word in words or any(same_word(word, other) for other in words)


def _denies(statement: Statement, word: str) -> bool:
    """Return whether every use of `word` is within reach of a denial."""
    forms = {other for other in statement.words if other == word or same_word(word, other) or other in family(word)}
    return bool(forms) and forms <= denied_words(statement)


def _against(*words: str) -> frozenset[str]:
    """Return the words that say the opposite of any of `words`."""
    found: set[str] = set()
    for left, right in OPPOSITES:
        found |= right if left.intersection(words) else left if right.intersection(words) else frozenset()
    return frozenset(found)


def _from_the_other_end(said: Statement, word: str, windows: Sequence[Statement], theirs: frozenset[str]) -> bool:
    """Return whether "A is the father of B" stands against "B is the son of A", which is the same."""
    mine = ends(said, word)
    for each in windows:
        for other in each.words & theirs:
            their = ends(each, other)
            if mine and their and (mine[0] & their[0] or mine[1] & their[1]):
                return False
    return True
