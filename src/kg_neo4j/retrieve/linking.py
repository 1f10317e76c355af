"""Which entities and documents a question names: exactly, then by a part of their name, then nearly.

Names are compared in the form in which the graph compares them (`graph.identity.normalise`); a title counts without the
words in brackets that tell pages apart. The longest name wins where two overlap.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Reader, Row
from kg_neo4j.graph.identity import normalise
from kg_neo4j.organise import search_indexes
from kg_neo4j.retrieve.interface import Scope, Search, only
from kg_neo4j.retrieve.question import Question
from kg_neo4j.retrieve.words import fold, is_stop_word, word_spans

LONGEST = 10  # words of a name
MAX_PHRASES = 80  # a question of many names is looked up by its longest ones
BEARERS = 12  # entities, and documents, that are compared with one phrase
LOOKED_AT = 200  # of those that its words find, in all graphs together; where these are too few, all
SAME_NAME = 4  # entities that bear one name; more would drown the other names of the question
ALIKE = 0.85  # of the letters, from which on two spellings may be one name
_BRACKETS = re.compile(r"\s*\([^()]*\)\s*$")
_POSSESSIVE = re.compile(r"['’]s?$")


@dataclass(frozen=True, slots=True)
class Phrase:
    """A run of words of a question. Offsets count words."""

    first: int
    last: int  # inclusive
    text: str

    @property
    def size(self) -> int:
        """How many words it has."""
        return self.last - self.first + 1


@dataclass(frozen=True, slots=True)
class Linked:
    """What a question names. Ids, those of the longest names first, without repeats."""

    entities: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    names: tuple[str, ...] = ()  # as the question writes them

    def __bool__(self) -> bool:
        """Return whether anything is named."""
        return bool(self.entities or self.documents)


def link(reader: Reader, graph: str, question: Question, scope: Scope | None = None) -> Linked:
    """Return the entities and documents of `graph`, or of `scope`, that `question` names.

    One query, two where a name is unknown. A name that nothing bears exactly is looked for as a part of one ("Curie"),
    then with a letter or two otherwise.
    """
    phrases = _phrases(question)
    if not phrases:
        return Linked()
    found = look_up(reader, graph, [exact_query(each.text) for each in phrases], scope)
    exact = [(phrase, bearers(phrase.text, rows)) for phrase, rows in zip(phrases, found, strict=True)]
    chosen = _longest([(phrase, rows) for phrase, rows in exact if rows])
    unknown = _unknown(question, phrases, [phrase for phrase, _ in chosen])
    if unknown:
        near = look_up(reader, graph, [near_query(each.text) for each in unknown], scope)
        chosen += [
            (each, rows) for each, found in zip(unknown, near, strict=True) if (rows := nearly(each.text, found))
        ]
    return _linked(chosen)


def can_link(database: Database, graph: str) -> bool:
    """Return whether names can be looked up: the indexes over names are made with the first load.

    Raises SchemaConflict if they are missing and `graph` has something to find.
    """
    labels = ("Entity", "Document")
    names = {index.name for index in search_indexes.usable_indexes(database, graph, labels=labels)}
    return all(search_indexes.fulltext_index_name(label) in names for label in labels)


def named(reader: Reader, search: Search) -> Linked:
    """Return what the question of a search names, of what its filters leave; where that is nothing, of the graph.

    A walk may begin outside of the filters: somebody who is named elsewhere alone may lead to what is told here.
    """
    if search.words is None:
        return Linked()
    linked = link(reader, search.graph, search.question, search.scope)
    if linked or search.scope is None:
        return linked
    return link(reader, search.graph, search.question)


def own_documents(rows: Iterable[Row]) -> list[list[str]]:
    """Return [entity id, document id] where a title of the document is a name of the entity (`named_things`)."""
    titles: dict[str, list[str]] = {}
    entities: list[tuple[str, list[str]]] = []
    for row in rows:
        if row["kind"] == "document":
            for key in _keys(row["names"]):
                titles.setdefault(key, []).append(row["id"])
        else:
            entities.append((row["id"], row["names"]))
    pairs = {
        (entity, document) for entity, names in entities for key in _keys(names) for document in titles.get(key, ())
    }
    return [list(pair) for pair in sorted(pairs)]


def _phrases(question: Question) -> list[Phrase]:
    """Return the runs of words that may be names, longest first.

    Where the question writes names with capitals a name begins with one or with a digit; its first word is one only
    with another, because every sentence begins with a capital.
    """
    text = question.text
    spans = word_spans(text)
    words = [text[start:end] for start, end in spans]
    capitals = [word[0].isupper() or word[0].isdigit() for word in words]
    with_capitals = any(capitals[1:]) and not all(capitals)
    found = []
    for first in range(len(words)):
        if with_capitals and not capitals[first]:
            continue
        for last in range(first, min(first + LONGEST, len(words))):
            inner = words[first : last + 1]
            if last == first and (first == 0 and not words[0][0].isdigit() and len(words) > 1):
                continue
            if all(is_stop_word(fold(word)) for word in inner) or (is_stop_word(fold(inner[-1])) and len(inner) > 1):
                continue
            if not with_capitals and is_stop_word(fold(inner[0])):
                continue
            found.append(Phrase(first, last, text[spans[first][0] : spans[last][1]]))
    found.sort(key=lambda each: (-_weight(each, capitals), each.first))
    return found[:MAX_PHRASES]


def _weight(phrase: Phrase, capitals: Sequence[bool]) -> float:
    return sum(1.0 if capitals[index] else 0.5 for index in range(phrase.first, phrase.last + 1))


def look_up(reader: Reader, graph: str, phrases: Sequence[str], scope: Scope | None) -> list[list[Row]]:
    """Return for each full-text query the entities and documents that have its words in a name."""
    kept = only(scope, "entities", "documents")
    given = {"phrases": list(phrases), "fetch": BEARERS, "first": LOOKED_AT}
    rows = reader.read(queries.get("retrieve/link"), graph=graph, **given, **kept)
    found: list[list[Row]] = [[] for _ in phrases]
    for row in rows:
        found[row["place"]].append(row)
    return found


def exact_query(text: str) -> str:
    """Return the full-text query for the words of a name, one after the other."""
    words = [_POSSESSIVE.sub("", text[start:end]).lower() for start, end in word_spans(text)]
    return f'"{" ".join(words)}"'


def near_query(text: str) -> str:
    """Return the full-text query for the words of a name, each also with a letter or two otherwise."""
    words = [_POSSESSIVE.sub("", text[start:end]).lower() for start, end in word_spans(text)]
    return " AND ".join(f"({word} OR {word}~{2 if len(word) > 7 else 1})" if len(word) > 3 else word for word in words)


def _keys(names: Iterable[str]) -> set[str]:
    """Return the forms under which names are compared, titles also without their brackets."""
    return {key for name in names for key in (normalise(name), normalise(_BRACKETS.sub("", name))) if key}


def bearers(text: str, rows: Sequence[Row]) -> list[Row]:
    """Return the rows of which a name is `text`."""
    wanted = {normalise(text), normalise(_POSSESSIVE.sub("", text))}
    return [row for row in rows if wanted & _keys(row["names"])]


def nearly(text: str, rows: Sequence[Row]) -> list[Row]:
    """Return what has all words of `text` in a name, the best attested of each kind, else what is spelt nearly so."""
    wanted = normalise(_POSSESSIVE.sub("", text))
    parts = [row for row in rows if any(set(wanted.split()) <= set(key.split()) for key in _keys(row["names"]))]
    if not parts:
        parts = [row for row in rows if any(_alike(wanted, key) for key in _keys(row["names"]))]
    best: dict[str, Row] = {}
    for row in parts:
        if row["kind"] not in best or row["evidence"] > best[row["kind"]]["evidence"]:
            best[row["kind"]] = row
    return list(best.values())


def _alike(left: str, right: str) -> bool:
    return difflib.SequenceMatcher(None, left, right, autojunk=False).ratio() >= ALIKE


def _longest(found: Sequence[tuple[Phrase, list[Row]]]) -> list[tuple[Phrase, list[Row]]]:
    """Return the finds of the longest phrases, none of which shares a word with another."""
    taken: set[int] = set()
    chosen = []
    for phrase, rows in sorted(found, key=lambda each: (-each[0].size, each[0].first)):
        words = set(range(phrase.first, phrase.last + 1))
        if not words & taken:
            taken |= words
            chosen.append((phrase, rows))
    return chosen


def _unknown(question: Question, phrases: Sequence[Phrase], known: Sequence[Phrase]) -> list[Phrase]:
    """Return the names as the question writes them of which no word was linked."""
    taken = {index for phrase in known for index in range(phrase.first, phrase.last + 1)}
    runs = {" ".join(run) for run in question.full_names}
    free = [each for each in phrases if not taken & set(range(each.first, each.last + 1))]
    return [each for each in free if " ".join(fold(each.text[a:b]) for a, b in word_spans(each.text)) in runs]


def _linked(chosen: Sequence[tuple[Phrase, list[Row]]]) -> Linked:
    entities: dict[str, None] = {}
    documents: dict[str, None] = {}
    for _, rows in chosen:
        bearers = sorted(
            (row for row in rows if row["kind"] == "entity"), key=lambda row: (-row["evidence"], row["id"])
        )
        entities |= dict.fromkeys(row["id"] for row in bearers[:SAME_NAME])
        documents |= dict.fromkeys([row["id"] for row in rows if row["kind"] == "document"][:SAME_NAME])
    return Linked(tuple(entities), tuple(documents), tuple(phrase.text for phrase, _ in chosen))
