"""Which entities and documents a question, or a report, names: exactly, then by a part of their name, then nearly.

How a name fits is told by `name_fits`. The longest name wins where two overlap.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kg_neo4j import data_files
from kg_neo4j.errors import UsageError
from kg_neo4j.graph import canned_reports
from kg_neo4j.graph.canned_reports import Value
from kg_neo4j.graph.database import Database, Reader, Row
from kg_neo4j.graph.resolution.names import TITLES, take_apart
from kg_neo4j.graph.resolution.names import fold as fold_name
from kg_neo4j.organise import search_indexes
from kg_neo4j.retrieve.filtered import read_left
from kg_neo4j.retrieve.interface import Linked, Scope, Search
from kg_neo4j.retrieve.name_fits import NameFit, bearers, fit, keys, nearest, nearly, plain, say_missing
from kg_neo4j.retrieve.question import Question
from kg_neo4j.words import PARTICLES, fold, is_stop_word, split_words, word_spans

LONGEST = 10  # words of a name
MAX_PHRASES = 80  # a question of many names is looked up by its longest ones
BEARERS = 40  # entities, and documents, that are compared with one phrase
LOOKED_AT = 200  # of those that its words find, in all graphs together; where these are too few, all
SUGGESTIONS = 3  # unknown names of one question for which others are suggested
SAME_NAME = 4  # entities that bear one name; more would drown the other names of the question
EVERYBODY = "*"
_COMMON = PARTICLES | data_files.beside(__file__).word_set("nationalities")


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
    taken: set[int] = set()
    chosen = []
    for phrase, rows in sorted(exact, key=lambda each: (-each[0].size, each[0].first)):
        words = set(range(phrase.first, phrase.last + 1))
        if rows and not words & taken:  # of names that share a word the longest
            taken |= words
            chosen.append((phrase, rows))
    chosen = [each for each in chosen if _distinguishes(each[0].text)] or chosen  # "French" only where it is all
    if not chosen and question.text == question.text.lower():
        for phrase, rows in zip(phrases, found, strict=True):  # last names without any capital: "humboldt"
            if phrase.size == 1:
                known = [row for row in rows if fit(phrase.text, row) in (NameFit.FOLDED, NameFit.LAST)]
                chosen += [(phrase, people)] if (people := nearly(phrase.text, known)) else []
        return _linked(chosen)
    unknown = _unknown(question, phrases, taken)
    if unknown:
        near = look_up(reader, graph, [near_query(each.text) for each in unknown], scope)
        chosen += [
            (each, rows) for each, found in zip(unknown, near, strict=True) if (rows := nearly(each.text, found))
        ]
    return _linked(chosen)


def say_unknown(reader: Reader, search: Search) -> list[str]:
    """Return a sentence for each name of a question that nothing in the graph bears, with the nearest names."""
    if search.words is None:
        return []
    linked = named(reader, search)
    taken = {fold(word) for name in linked.names for word in split_words(name)}
    runs = {" ".join(run) for run in search.question.full_names if not taken & set(run)}
    unknown: dict[str, str] = {}
    for each in _phrases(search.question):
        folded = " ".join(map(fold, split_words(each.text)))
        if folded in runs and not any(char.isdigit() for char in folded):
            unknown.setdefault(folded, plain(each.text))
    return [say_missing(name, suggest(reader, search.graph, name)) for name in list(unknown.values())[:SUGGESTIONS]]


def suggest(reader: Reader, graph: str, name: str) -> tuple[str, ...]:
    """Return the names of entities that are spelt most like `name`, or its words with a capital; three at most."""
    name = " ".join(word for word in split_words(name) if word[0].isupper()) or name
    words = [word for word in _words(name) if len(word) > 2]
    if not words:
        return ()
    query = " OR ".join(f"{word} OR {word}~{2 if len(word) > 4 else 1}" for word in words)
    return nearest(name, look_up(reader, graph, [query], None)[0])


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
    if search.linked is not None:
        return search.linked
    if search.words is None:
        return Linked()
    linked = link(reader, search.graph, search.question, search.scope)
    return linked if linked or search.scope is None else link(reader, search.graph, search.question)


def own_documents(rows: Iterable[Row]) -> list[list[str]]:
    """Return [entity id, document id] where a title of the document is a name of the entity (`named_things`)."""
    titles: dict[str, list[str]] = {}
    entities: list[tuple[str, list[str]]] = []
    for row in rows:
        if row["kind"] == "document":
            for key in keys(row["names"]):
                titles.setdefault(key, []).append(row["id"])
        else:
            entities.append((row["id"], row["names"]))
    pairs = {
        (entity, document) for entity, names in entities for key in keys(names) for document in titles.get(key, ())
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
    weights = [1.0 if capital else 0.5 for capital in capitals]
    found.sort(key=lambda each: (-sum(weights[each.first : each.last + 1]), each.first))
    return found[:MAX_PHRASES]


def look_up(reader: Reader, graph: str, phrases: Sequence[str], scope: Scope | None) -> list[list[Row]]:
    """Return for each full-text query the entities and documents that have its words in a name."""
    given = {"phrases": list(phrases), "fetch": BEARERS, "first": LOOKED_AT}
    rows = read_left(reader, scope, "retrieve/link", graph=graph, **given)
    found: list[list[Row]] = [[] for _ in phrases]
    for row in rows:
        found[row["place"]].append(row)
    return found


def exact_query(text: str) -> str:
    """Return the full-text query for the words of a name, one after the other."""
    return f'"{" ".join(_words(text))}"'


def near_query(text: str) -> str:
    """Return the full-text query for the words of a name, each also with a letter or two otherwise; titles apart."""
    titles = take_apart(text).titles | {"the"}
    words = [word for word in _words(text) if fold_name(word) not in titles] or _words(text)
    return " AND ".join(f"({word} OR {word}~{2 if len(word) > 7 else 1})" if len(word) > 3 else word for word in words)


def _words(text: str) -> list[str]:
    """Return the words of a name as a full-text query takes them, its last one without 's: nothing in it is syntax."""
    words = [text[start:end].lower() for start, end in word_spans(text)]
    return [*words[:-1], *map(plain, words[-1:])]


def _unknown(question: Question, phrases: Sequence[Phrase], taken: set[int]) -> list[Phrase]:
    """Return the names as the question writes them of which no word was linked; `taken` are the places of those."""
    runs = {" ".join(run) for run in question.full_names}
    free = [each for each in phrases if not taken & set(range(each.first, each.last + 1))]
    weak = _COMMON | TITLES if taken else _COMMON  # "King" is a part of many names, and asked for only by itself
    free = [each for each in free if _distinguishes(each.text, weak)]
    return [each for each in free if " ".join(fold(each.text[a:b]) for a, b in word_spans(each.text)) in runs]


def _distinguishes(name: str, weak: frozenset[str] = _COMMON) -> bool:
    """Return whether a name has a word that is none of `weak`; these are particles and nationalities."""
    words = (fold(word) for word in split_words(name))
    return any(weak.isdisjoint((word, word.removesuffix("s"))) for word in words)


def _linked(chosen: Sequence[tuple[Phrase, list[Row]]]) -> Linked:
    entities: dict[str, None] = {}
    documents: dict[str, None] = {}
    for _, rows in chosen:
        bearers = [row for row in rows if row["kind"] == "entity"]
        bearers.sort(key=lambda row: (-row["evidence"], row["id"]))
        entities |= dict.fromkeys(row["id"] for row in bearers[:SAME_NAME])
        documents |= dict.fromkeys([row["id"] for row in rows if row["kind"] == "document"][:SAME_NAME])
    return Linked(tuple(entities), tuple(documents), tuple(phrase.text for phrase, _ in chosen))


def known_names(
    database: Database, graph: str, report: str, values: Mapping[str, Value]
) -> tuple[dict[str, Value], list[str]]:
    """Return `values` with each entity by the name that the graph gives it, and notes on what a name was taken to mean.

    A name fits that is the entity's, without its accents, article or title, or the last one of a person's.
    Raises UsageError, with the nearest names, where nothing bears it, and for an unknown report.
    """
    named = [name for name in canned_reports.naming_parameters(report) if values.get(name, EVERYBODY) != EVERYBODY]
    if not named or not can_link(database, graph):
        return dict(values), []
    found, notes = dict(values), []
    for name in named:
        text = str(values[name])
        bearers = bearing(database, graph, text)
        if not bearers:
            raise UsageError(say_missing(text, suggest(database, graph, text)), hint="kg report most-connected")
        if fit(text, bearers[0]) is not NameFit.SAME:
            found[name] = bearers[0]["names"][0]
            others = list(dict.fromkeys(row["names"][0] for row in bearers[1:4]))
            also = f"; it may also be {', '.join(others)}" if others else ""
            notes.append(f"{text!r} was taken to mean {found[name]}{also}")
    return found, notes


def bearing(database: Database, graph: str, text: str) -> list[Row]:
    """Return the entities that bear a name, those that it fits best first, then the best attested."""
    queries = [query for query in (exact_query(text), near_query(text)) if query.strip('" ')]
    rows = {row["id"]: row for found in look_up(database, graph, queries, None) for row in found} if queries else {}
    fits = {each: fit(text, row) for each, row in rows.items() if row["kind"] == "entity"}
    bearing = [(how, -rows[each]["evidence"], each) for each, how in fits.items() if how is not None]
    return [rows[each] for how, _, each in sorted(bearing) if how <= NameFit.LAST]
