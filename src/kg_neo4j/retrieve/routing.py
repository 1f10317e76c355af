"""The mode `auto`: which mode a question is put to, and why. By rule, without a model.

What the graph itself knows better than any text (how two are connected, how many there are) goes to a canned query of
the mode `cypher`, if it gives rows; a question about an aspect of a narrative to its tree, if a complete one is there;
one about the whole to the community reports, if they are written; one that names something in the graph to the walk
from there; any other one to the chunks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kg_neo4j import data_files
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Row
from kg_neo4j.records import Routing
from kg_neo4j.retrieve.cypher.questions import CannedRows, ask_canned
from kg_neo4j.retrieve.cypher.templates import recognise
from kg_neo4j.retrieve.interface import CYPHER, GLOBAL, LOCAL, NAIVE, TREE, Linked, Search
from kg_neo4j.retrieve.linking import exact_query, look_up, named
from kg_neo4j.retrieve.overview.report_selection import report_levels
from kg_neo4j.retrieve.question import Asks, Question, asked_terms
from kg_neo4j.retrieve.tree.asking import asked_cue
from kg_neo4j.retrieve.tree.search import read_trees
from kg_neo4j.words import fold, split_words

NAMES = 3  # that a reason tells of
TERMS = 12  # of a question without capitals that are looked up
CANNED = frozenset(  # queries of cypher/questions that count or connect; what sentences say is left to sentences
    "connections in_common year number number_related most_connected mentions entities relations".split()
)

_DATA = data_files.beside(__file__)
_WHOLE, _PARTS = (re.compile(_DATA.text(name), re.IGNORECASE) for name in ("whole", "parts"))
_POSSESSIVE = re.compile(r"['’]s?$")
_SINGLE, _REFERS = _DATA.word_set("single"), _DATA.word_set("refers")
_ONE = (Asks.TIME, Asks.AGE, Asks.MEASURE, Asks.YES_NO)  # asks for one thing, which a report on many tells badly


def route(database: Database, search: Search) -> tuple[Routing, Linked | None]:
    """Return the mode for a question, and what it names, None where that was not looked up: nothing is looked up twice.

    Of trees only those that `search.options` name are read.
    """
    forms = recognise(search.question.text)
    if listed := {form.query for form in forms if form.query in CANNED or form.is_list}:
        canned = ask_canned(database, search.graph, search.question, search.scope)
        if isinstance(canned, CannedRows) and canned.query in listed and canned.rows:
            return Routing(CYPHER, f"the canned query {canned.query} answers it"), None
    linked = named(database, search)
    if why := why_tree(database, search, linked, search.options.tree.name):
        return Routing(TREE, why), linked
    names = linked.names or _small_names(database, search)
    about_whole = is_about_the_whole(search.question) and not names
    levels = report_levels(database, search.graph, search.scope) if about_whole else ()
    return choose(search.question, names, reports=any(each.reports for each in levels)), linked


def why_tree(database: Database, search: Search, linked: Linked, name: str) -> str:
    """Return why a question is put to narrative trees; empty where it is about no aspect, or no good tree is there.

    What the question names has to be spoken of in a document with a tree; a question about the whole is put to trees
    only where every document has one.
    """
    cue = asked_cue(search.question)
    trees = read_trees(database, search.graph, name, search.scope) if cue else ()
    good = [each for each in trees if each.is_good]
    if not cue or not good or search.question.asks in _ONE:
        return ""
    if linked:
        ids = [*linked.entities, *linked.documents]
        query = queries.get("retrieve/spoken_of_in")
        rows = database.read(query, graph=search.graph, ids=ids, documents=[each.document_id for each in good])
        good = [each for each in good if each.document_id in {row["document"] for row in rows}]
    elif is_about_the_whole(search.question) and len(good) < len(trees):
        return ""
    if not good:
        return ""
    where = f"“{good[0].title}” has" if len(good) == 1 else f"{len(good)} documents have"
    return f"the question is about {cue}, and {where} a narrative tree"


def choose(question: Question, names: Sequence[str], *, reports: bool) -> Routing:
    """Return the mode for a question that names `names`, all in the graph. `reports`: there are community reports."""
    if names:
        shown = ", ".join(_POSSESSIVE.sub("", name) for name in names[:NAMES])
        more = f" and {len(names) - NAMES} more" if len(names) > NAMES else ""
        return Routing(LOCAL, f"the question names {shown}{more}")
    if not is_about_the_whole(question):
        return Routing(NAIVE, "no entity of the graph is named in the question")
    if reports:
        return Routing(GLOBAL, "the question is about the whole")
    return Routing(NAIVE, "the question is about the whole, and no reports are there: `kg communities --reports`")


def is_about_the_whole(question: Question) -> bool:
    """Return whether a question asks about all that there is, and not about something in it."""
    if question.names or question.asks in _ONE:
        return False
    if _WHOLE.search(question.text) or _PARTS.search(question.text):
        return True
    if _SINGLE.issuperset(question.terms) or _REFERS.intersection(question.terms):
        return False
    return not asked_terms(question)


def _small_names(database: Database, search: Search) -> tuple[str, ...]:
    """Return the words of a question without any capital that are parts of names in the graph: "humboldt"."""
    terms = [term for term in search.question.terms if not term.isdigit()][:TERMS]
    if search.words is None or not terms or search.question.text != search.question.text.lower():
        return ()
    rows = look_up(database, search.graph, [exact_query(term) for term in terms], search.scope)
    return tuple(term for term, found in zip(terms, rows, strict=True) if any(_bears(row, term) for row in found))


def _bears(row: Row, term: str) -> bool:
    words = [word for name in row["names"] for word in split_words(name)]
    return any(word[0].isupper() and fold(word) == term for word in words) and row["kind"] == "entity"
