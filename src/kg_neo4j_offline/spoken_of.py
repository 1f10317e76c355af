"""Of whom and what a question and its answer speak: entities of the graph, each a person, a place, a date or a thing.

Whether a person is a woman or a man is told by what the graph states (SISTER_OF, a role), by a title, by a first name
that is on a list or near to those that are (`offline.extractor.word_vectors`); else by nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Row
from kg_neo4j.records import Answer
from kg_neo4j.retrieve.interface import Linked
from kg_neo4j.retrieve.linking import can_link, link
from kg_neo4j.retrieve.question import read
from kg_neo4j.rooms.chat.turns import Turn, TurnMention
from kg_neo4j.words import fold, kind_of, split_words, word_spans
from kg_neo4j_offline.extractor.lexicon import FEMALE_NAMES, FEMALE_TITLES, MALE_NAMES, MALE_TITLES
from kg_neo4j_offline.extractor.word_vectors import guess_gender

MENTIONS = 24  # of one turn

_WOMEN = FEMALE_TITLES | frozenset("woman girl wife widow mother daughter sister queen princess actress nun".split())
_MEN = MALE_TITLES | frozenset("man boy husband widower father son brother king prince actor monk".split())
_SHE = frozenset("she her hers herself".split())
_HE = frozenset("he his him himself".split())
_KIN = {
    **dict.fromkeys(("DAUGHTER_OF", "MOTHER_OF", "SISTER_OF", "WIFE_OF", "WIDOW_OF"), "f"),
    **dict.fromkeys(("SON_OF", "FATHER_OF", "BROTHER_OF", "HUSBAND_OF", "WIDOWER_OF"), "m"),
}


def turn_of(database: Database, graph: str, answer: Answer) -> Turn:
    """Return an answered question as a turn of a conversation. Three round trips at most."""
    named = link(database, graph, read(answer.question)) if can_link(database, graph) else Linked()
    text, before, after = answer.answer if answer.citations else "", "", ""
    if text and answer.passages and not answer.found:  # its neighbours were shown with it
        before, after = f"{answer.passages[0].before} ", f" {answer.passages[0].after}"
    places = [
        {"chunk": each.chunk_id, "start": each.start - len(before), "end": each.end + len(after)}
        for each in answer.citations
    ]
    text = f"{before}{text}{after}"
    rows = database.read(
        queries.get("chat/spoken_of"), graph=graph, named=list(named.entities), places=places if text else []
    )
    asked, told = [], []
    for row in rows:
        at, said = _in_question(row, answer.question)
        if said:
            asked.append((at, _mention(row, said)))
            continue
        words = split_words(row["name"])
        parts = [words[-1], words[0]] if row["cited"] and words else []  # stand for it in the very words cited alone
        names = (row["name"], *row["aliases"], *parts)
        found = (re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name in names)
        if first := next(filter(None, found), None):
            told.append((first.start(), _mention(row, "")))
    if not answer.found:  # a passage: whom the question names is meant, where somebody there would fit as well
        named_kinds = {(each.kind, each.gender) for _, each in asked}
        told = [each for each in told if (each[1].kind, each[1].gender) not in named_kinds]
    asked += _unknown(answer.question, [each.said for _, each in asked])
    mentions = [each for some in (asked, told) for _, each in sorted(some, key=lambda pair: (pair[0], pair[1].name))]
    return Turn(answer.question, text, _different(mentions)[:MENTIONS])


def _gender(name: str, after: str) -> str:
    """Return "f" or "m" by a first name, else by the first pronouns of a text; "" where these tell nothing.

    `after` is the text from where somebody is mentioned first.
    """
    first = _first_word(name)
    if (first in FEMALE_NAMES) != (first in MALE_NAMES):
        return "f" if first in FEMALE_NAMES else "m"
    if guessed := guess_gender(first):
        return guessed
    words = [fold(word) for word in split_words(after)[:50]]
    she, he = sum(word in _SHE for word in words), sum(word in _HE for word in words)
    return "f" if she > 2 * he else "m" if he > 2 * she else ""


def _stated_gender(name: str, role: str, kin: Sequence[str]) -> str:
    """Return "f" or "m" by kinship, a title or a role; "" where these tell nothing."""
    sides = {_KIN[each] for each in kin if each in _KIN}
    if len(sides) == 1:
        return sides.pop()
    first = _first_word(name)
    if first in FEMALE_TITLES or first in MALE_TITLES:
        return "f" if first in FEMALE_TITLES else "m"
    said = {fold(word) for word in split_words(role)}
    if bool(said & _WOMEN) != bool(said & _MEN):
        return "f" if said & _WOMEN else "m"
    return ""


def _first_word(name: str) -> str:
    return next(map(fold, split_words(name)), "")


def _mention(row: Row, said: str) -> TurnMention:
    """Return a mention; one by a part of a name keeps it, because others may have that part, too."""
    kind = kind_of(row["type"] or "")
    stated = _stated_gender(row["name"], row["role"], row["kin"]) if kind == "person" else ""
    gender = stated or (_gender(row["name"], row["after"]) if kind == "person" else "")
    in_full = not said or said.casefold() in {each.casefold() for each in (row["name"], *row["aliases"])}
    return TurnMention(row["name"] if in_full else said, kind, gender, said, bool(stated))


def _different(mentions: Sequence[TurnMention]) -> tuple[TurnMention, ...]:
    """Return mentions without repeats, and without those of the answer that are parts of one of the question."""
    asked = [each.name for each in mentions if each.said]
    kept = [each for each in mentions if each.said or not any(each.name in name for name in asked)]
    first: dict[str, TurnMention] = {}
    for each in kept:
        first.setdefault(each.name, each)
    return tuple(first.values())


def _in_question(row: Row, question: str) -> tuple[int, str]:
    """Return where a question names an entity, and how: the longest of its names, or a part of one; -1 and ""."""
    for name in sorted([row["name"], *row["aliases"]], key=len, reverse=True):
        match = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", question, re.IGNORECASE)
        if match:
            return match.start(), match[0]
    if not row["named"]:
        return -1, ""
    words = {fold(word) for word in split_words(row["name"])}
    named = [(start, end) for start, end in word_spans(question) if fold(question[start:end]) in words]
    spans = [span for span in named if question[span[0]].isupper()]
    if not spans:
        return -1, ""
    start = end = spans[-1][0]
    for left, right in spans:
        start, end = (left, right) if not end or left - end > 1 else (start, right)
    return start, re.sub(r"['’]s?$", "", question[start:end])


def _unknown(question: str, known: Sequence[str]) -> list[tuple[int, TurnMention]]:
    """Return the names of a question that the graph does not know."""
    found = []
    words = [(start, end, fold(question[start:end])) for start, end in word_spans(question)]
    taken = {fold(word) for each in known for word in split_words(each)}
    for run in read(question).full_names:
        if taken & set(run):
            continue
        for index in range(len(words)):
            if tuple(word for _, _, word in words[index : index + len(run)]) == run:
                start, end = words[index][0], words[index + len(run) - 1][1]
                name = re.sub(r"['’]s?$", "", question[start:end])
                found.append((start, TurnMention(name, "", "", name)))
                break
    return found
