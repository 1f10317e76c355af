"""Whether two statements tie the same two names by the same word the other way round. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from kg_neo4j.retrieve.checking.statement import MONTHS, Statement
from kg_neo4j.retrieve.words import same_word

_SYMMETRIC = frozenset(
    """married marry wed met meet brother sister sibling siblings brothers sisters cousin friend friends colleague
    border borders bordered allied joined between and near twin rival rivals collaborated worked spouse""".split()
)
_DETERMINERS = frozenset("a an the his her its their this that".split())
_BE = frozenset("is was are were be been being got".split())
REACH = 12  # words between a name and the word that ties it


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
    return (after, before) if is_passive or _of_after(statement, place) else (before, after)


def _of_after(statement: Statement, place: int) -> bool:
    """Return whether the word is a noun with "of": "the teacher of B was A" ties A to B as "A was the teacher of B"."""
    before = statement.order[max(0, place - 2) : place]
    starts = place <= 2 and "the" in before
    return starts and statement.order[place + 1 : place + 2] == ("of",)
