"""The mode `auto`: which mode a question is put to, and why. By rule, without a model.

A question about the whole goes to the community reports, where they are written; one that names something in the graph
goes to the walk from what it names; any other one to the chunks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kg_neo4j.graph.database import Database
from kg_neo4j.records import Routing
from kg_neo4j.retrieve.interface import Search
from kg_neo4j.retrieve.linking import Linked, named
from kg_neo4j.retrieve.question import Asks, Question
from kg_neo4j.retrieve.report_extracts import asked_terms
from kg_neo4j.retrieve.report_selection import report_levels

NAMES = 3  # that a reason tells of

_WHOLE = re.compile(
    r"\b(overall|in general|generally|altogether|on the whole|as a whole|the whole|the entire|in total|in short|"
    r"across (all|the|these)|throughout|in all (of )?(the|these)|of (all )?(the|these) (texts?|documents?|stories|"
    r"articles?|books?|sources?|collection|corpus|material|notes)|(these|the) (texts?|documents?|articles?|sources?|"
    r"collection|corpus|data|material)|summar(y|ise|ize)|overview|gist|outline|themes?|topics?|motifs?|"
    r"w całości|ogólnie|podsumuj|streść|streszcz\w*)\b",
    re.IGNORECASE,
)
_PARTS = re.compile(
    r"\b(main|major|most important|key|central|principal|chief|biggest|common|recurring|dominant|prominent|different|"
    r"various|główn\w+|najważniejs\w+)\s+(?:\w+\s+)?(\w+s|people|ideas|wątki|tematy|osoby)\b",
    re.IGNORECASE,
)
_ONE = (Asks.TIME, Asks.AGE, Asks.MEASURE, Asks.YES_NO)  # asks for one thing, which a report on many tells badly


@dataclass(frozen=True, slots=True)
class Routed:
    """A choice, and what the question names: it is not looked up twice."""

    routing: Routing
    linked: Linked | None = None  # None: not looked up


def route(database: Database, search: Search, *, reports: bool = True) -> Routed:
    """Return the mode for a question. `reports`: whether "global" may be chosen. Two round trips at most."""
    linked = named(database, search)
    about_whole = is_about_the_whole(search.question) and not linked.names
    has_reports = about_whole and reports and any(each.reports for each in report_levels(database, search.graph))
    return Routed(choose(search.question, linked.names, reports=has_reports), linked)


def choose(question: Question, names: Sequence[str], *, reports: bool) -> Routing:
    """Return the mode for a question that names `names`, all in the graph. `reports`: there are community reports."""
    if names:
        more = f" and {len(names) - NAMES} more" if len(names) > NAMES else ""
        return Routing("local", f"the question names {', '.join(names[:NAMES])}{more}")
    if not is_about_the_whole(question):
        return Routing("naive", "the question names nothing in the graph")
    if reports:
        return Routing("global", "the question is about the whole")
    return Routing(
        "naive",
        "the question is about the whole, and there are no reports on it: `kg communities --reports` writes them",
    )


def is_about_the_whole(question: Question) -> bool:
    """Return whether a question asks about all that there is, and not about something in it."""
    if question.names or question.asks in _ONE:
        return False
    return not asked_terms(question) or bool(_WHOLE.search(question.text) or _PARTS.search(question.text))
