"""Documents that may mean another bearer of a name, because they give another role and another place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.identity import namesake_key
from kg_neo4j.graph.resolution.bearers import Mentioned
from kg_neo4j.graph.resolution.proposals import ASKED, Proposal, ProposalVerdict
from kg_neo4j.words import fold, is_stop_word, split_words

STEM = 5  # letters by which words are compared: "merchant" and "merchants"


def conflicting(database: Database, graph: str, mentioned: Iterable[Mentioned]) -> Iterator[Proposal]:
    """Yield a question for each document that gives another place, and no role in common, than all before it."""
    keys = {each.key: each for each in mentioned}
    for row in database.read(queries.get("namesakes/said_of_names"), graph=graph):
        before: list[tuple[str, list[str], list[str]]] = []
        for document, title, roles, places in row["said"]:
            if before and all(may_be_two((roles, places), each[1:]) for each in before):
                known = keys[row["key"]]
                other = replace(known, key=namesake_key(known.key, document))
                first = before[0]
                reason = f"{_said(title, roles, places)}, {_said(*first)}: `kg resolve --split` parts them"
                yield Proposal(known, other, ProposalVerdict.ASK, "places", ASKED, reason, document)
            before.append((title, roles, places))


def may_be_two(one: tuple[Sequence[str], Sequence[str]], other: tuple[Sequence[str], Sequence[str]]) -> bool:
    """Return whether two documents, given by roles and places, share no place, and no role as far as both have one.

    Of pairs that were looked at, this leaves one of 20 joined namesakes without a question, and asks about 21 of 33
    names with one bearer (benchmarks/homonyms.py).
    """
    (roles, places), (other_roles, other_places) = ([_words(each) for each in of] for of in (one, other))
    return bool(places and other_places) and not places & other_places and not roles & other_roles


def _words(texts: Sequence[str]) -> set[str]:
    words = (fold(word) for text in texts for word in split_words(text))
    return {word[:STEM] for word in words if len(word) > 2 and not is_stop_word(word)}


def _said(title: str, roles: Sequence[str], places: Sequence[str]) -> str:
    return f"{' and '.join(map(repr, (*roles[:1], places[0])))} by {title!r}"
