"""Narrative trees for tests: stories are recorded without extraction, trees are built of them.

The scripted model names all seven aspects, and summarises with sentences of what it is shown: as a plan assumes it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from corpus import document, record_document
from kg_neo4j._models import tokens
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import LoadConfiguration
from kg_neo4j.graph.export import lines
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.queries import Query
from kg_neo4j.organise.tree.aspects import GENERAL, load_aspects
from kg_neo4j.organise.tree.leaves import fingerprint
from kg_neo4j.organise.tree.written import shorter
from kg_neo4j_offline import tree_texts

CHECKOUT = Path(__file__).resolve().parents[1]
TOKENISER = tokens.load("approximate-1")
ASPECTS = load_aspects()
NAMES = [aspect.name for aspect in ASPECTS]
CONFIGURATION = LoadConfiguration("c0", "described", "s0", TOKENISER.name)
SUMMARY_TOKENS = 200

_TEXT = re.compile(r"^=+ begin (\w+) =+\n(.*?)\n=+ end \1 =+$", re.DOTALL | re.MULTILINE)
_ASPECT = re.compile(r"with regard to one aspect alone: (.*)\.$", re.MULTILINE)
_OF_NOTE = re.compile(r"of one aspect alone into a note: (.*)\.$", re.MULTILINE)
_NOTE = re.compile(r"^- (.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class TreeState:
    """Whether a tree can be searched, and whether it is of the text that its document has now."""

    id: str
    name: str
    document_id: str
    title: str  # of the document
    complete: bool
    stale: bool  # the document's chunks are not those that it was built from


def tree_states(database: Database, graph: str) -> tuple[TreeState, ...]:
    """Return the state of every tree of `graph`, by title and name."""
    about = ("id", "name", "document_id", "title", "complete")
    return tuple(
        TreeState(**{name: row[name] for name in about}, stale=row["fingerprint"] != fingerprint(row["chunks"]))
        for row in database.read(queries.get("tree/trees"), graph=graph)
    )


@cache
def story(name: str = "the_lamp_at_skarnes") -> tuple[str, ...]:
    """Return the paragraphs of an example, the heading left out."""
    text = (CHECKOUT / "examples" / f"{name}.md").read_text("utf-8")
    return tuple(" ".join(part.split()) for part in text.split("\n\n") if part.strip() and part[0] != "#")


def saga() -> tuple[str, ...]:
    """Return the paragraphs of two stories and an article: enough for several levels."""
    return tuple(
        each for name in ("the_lamp_at_skarnes", "the_bell_of_orlen", "alexander_von_humboldt") for each in story(name)
    )


def tell(database: Database, graph: str, name: str, paragraphs: Sequence[str]) -> str:
    """Record a story, or what it has become, one chunk a paragraph; return its document's id."""
    found, chunks = document(graph, name, list(paragraphs))
    with Lease(database, graph) as lease:
        record_document(database, lease, found, chunks, CONFIGURATION)
    return found.id


def kind_of(prompt: str) -> str:
    """Return what a prompt asks for."""
    if "You say which aspects passages of a text show" in prompt:
        return "aspects"
    if "You condense a passage of a text into a note" in prompt:
        return "detail"
    return "summary" if "You are an expert in summarisation" in prompt else "other"


def aspect_of(prompt: str) -> str:
    """Return the name of the aspect that a summary is asked for."""
    found = _ASPECT.search(prompt)
    return next(aspect.name for aspect in ASPECTS if found and aspect.title == found[1]) if found else "general"


def aspect_of_note(prompt: str) -> str:
    """Return the aspect that a note is asked for; empty for another question."""
    found = _OF_NOTE.search(prompt)
    return next(aspect.name for aspect in ASPECTS if aspect.title == found[1]) if found else ""


def shown_text(user: str) -> str:
    """Return the text that a prompt shows."""
    found = _TEXT.search(user)
    assert found
    return found[2]


def say(prompt: str, user: str) -> str:
    """Return what the scripted model says."""
    kind, text = kind_of(prompt), shown_text(user)
    if kind == "aspects":
        return "\n".join(NAMES)
    if kind == "detail":
        before = _NOTE.findall(user.rpartition("There are notes already")[2])
        return tree_texts.note(text, len(before), TOKENISER, shorter(text, TOKENISER, SUMMARY_TOKENS))
    named = {aspect.name: aspect for aspect in (*ASPECTS, GENERAL)}
    return tree_texts.summary(text, named[aspect_of(prompt)], TOKENISER, SUMMARY_TOKENS)


def say_some(prompt: str, user: str) -> str:
    """Return, for a note on an aspect, something of two aspects where the text is of odd length, else nothing."""
    aspect = aspect_of_note(prompt)
    if not aspect:
        return say(prompt, user)
    text = shown_text(user)
    return f"{aspect}: {' '.join(text.split()[:4])}" if aspect in NAMES[:2] and len(text) % 2 else "NONE"


def dump(database: Database, graph: str) -> str:
    """Return the export."""
    return "\n".join(lines(database, graph))


def read(database: Database, text: str, **params: Any) -> list[Mapping[str, Any]]:
    """Run a query that only tests need."""
    return list(database.read(Query("test", "test", "test", "read", (), (), "none", "test", text), **params))


def change(database: Database, text: str, **params: Any) -> None:
    """Run a write that only tests need."""
    database.write(Query("test", "test", "test", "write", (), (), "none", "test", text), **params)


def count(database: Database, graph: str, label: str) -> int:
    """Return how many nodes of a label the graph has."""
    text = f"MATCH (n:{label}) WHERE n.graph = $graph RETURN count(n) AS nodes"
    return int(read(database, text, graph=graph)[0]["nodes"])
