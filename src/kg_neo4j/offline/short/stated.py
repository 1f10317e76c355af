"""Short answers next to a name: lives, ages, offices. They come before what a path or a sentence may give."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kg_neo4j.offline.short.following import StatedStep, steps_from
from kg_neo4j.offline.short.lives import StatedValue, asks_for_life, find_stated
from kg_neo4j.offline.short.mentions import Line, SentenceName, lines, mentions
from kg_neo4j.offline.short.relations import MADE
from kg_neo4j.offline.short.roles import asks_for_role, find_roles
from kg_neo4j.offline.short.short_answer import Short
from kg_neo4j.offline.short.things import Things
from kg_neo4j.retrieve.interface import Found
from kg_neo4j.retrieve.words import PERSON, family, fold, same_word, split_words

MOST = 8  # works of one person that an answer lists
_VERBS = "|".join(MADE.values())
_MADE = re.compile(rf"^what (?:did|has) (?P<np>.+?) (?P<verb>{_VERBS})(?:ed|d)?\??$", re.IGNORECASE)

_EVENT = re.compile(r"\b(?:War|Wars|Battle|Treaty|Revolution|Uprising|Siege|Age|Era|Period|Dynasty|Crisis)\b")


def find_beside(question: str, names: Sequence[str], found: Found, things: Things) -> Short | None:
    """Return the short answer next to a name; None where there is none, or it is not clear whose it is.

    `names` are those of the graph that the question has; what `found` has is read, and the passages about them.
    """
    text = " ".join(question.split())
    if made := _MADE.match(text):
        return _made(made, things)
    for asks, find in ((asks_for_life, find_stated), (asks_for_role, find_roles)):
        stated = find(text, read_names(names, found, things)) if asks(text) else []
        stated = [each for each in stated if each.value != each.mention.name or _may_be_person(each, things)]
        if stated:
            return Short(_together([each.value for each in stated]), tuple(_step(each) for each in stated))
    return None


def _made(made: re.Match[str], things: Things) -> Short | None:
    """Return all that somebody wrote or founded, by facts whose words have a form of the verb."""
    relation = next(name for name, verbs in MADE.items() if made["verb"].lower() in verbs.split("|"))
    thing = things.find(made["np"], nearly_so=False)
    steps = [step for step in steps_from(thing, relation) if _says(step.place.quote, made["verb"])] if thing else []
    return Short(_together([step.target for step in steps[:MOST]]), tuple(steps[:MOST])) if steps else None


def _says(quote: str, verb: str) -> bool:
    words = {fold(word) for word in split_words(quote)}
    return bool(words & family(fold(verb))) or any(same_word(fold(verb), word) for word in words)


def read_names(names: Sequence[str], found: Found, things: Things) -> list[SentenceName]:
    """Return the names in the sentences that were found, and in the passages about what the question names."""
    return [mention for line in read_lines(names, found, things) for mention in mentions(line)]


def read_lines(names: Sequence[str], found: Found, things: Things) -> list[Line]:
    """Return the sentences that were found, and those of the passages about what the question names."""
    chunks = {each.id: (each.id, each.document, each.text) for each in found.chunks}
    for thing in [thing for name in names if (thing := things.find(name))]:
        for each in thing.passages:
            chunks.setdefault(each.chunk_id, (each.chunk_id, each.document, each.text))
    return lines(chunks.values())


def _may_be_person(stated: StatedValue, things: Things) -> bool:
    kinds = things.kinds(stated.value)
    return PERSON in kinds if kinds else " " in stated.value and not _EVENT.search(stated.value)


def _together(values: Sequence[str]) -> str:
    return values[0] if len(values) == 1 else f"{', '.join(values[:-1])} and {values[-1]}"


def _step(stated: StatedValue) -> StatedStep:
    """Return what a sentence says of a name; where a name is asked for, of that name."""
    value = "" if stated.value == stated.mention.name else stated.value
    return StatedStep(
        stated.mention.name, stated.relation, value or stated.mention.line.text, stated.mention.line.place
    )
