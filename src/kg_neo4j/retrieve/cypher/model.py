"""A query that a model writes from the schema of the graph, behind every guard, with one chance to repair it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from kg_neo4j._models.answer_text import find_object
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Complaint, Prompted
from kg_neo4j.graph.database import Database
from kg_neo4j.records import CellParameter
from kg_neo4j.retrieve.cypher.guard import GuardedQuery, guard
from kg_neo4j.retrieve.cypher.questions import named_rows
from kg_neo4j.retrieve.cypher.run import QueryRows, run
from kg_neo4j.retrieve.cypher.schema import GraphSchema, describe, narrow, read_schema
from kg_neo4j.retrieve.cypher.tokens import LONGEST, LONGEST_TEXT, CypherRefused
from kg_neo4j.retrieve.filtered import IdsLeft, all_left
from kg_neo4j.retrieve.interface import Linked, Search
from kg_neo4j.retrieve.linking import can_link, link
from kg_neo4j.retrieve.question import Question

ROUNDS = 2  # the query, and one more after the reason for which the first was refused
QUERY_TOKENS = 900  # room for the model's answer
MOST_PARAMETERS = 20
MOST_VALUES = 100  # of a list
NAMED = 8  # entities of the question that are offered as parameters
LARGEST = 2**53

_FENCED = re.compile(r"```(?:cypher)?\s*\n(?P<query>.*?)```", re.DOTALL | re.IGNORECASE)
_PARAMETER = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,40}")


@dataclass(frozen=True, slots=True)
class WrittenQuery:
    """A query that a model wrote and that ran, and its rows."""

    query: GuardedQuery
    rows: QueryRows


@dataclass(frozen=True, slots=True)
class WriteCypher(Prompted[WrittenQuery]):
    """Asks for a query and runs it behind every guard; a refusal is the complaint. Nothing of a refused query runs."""

    kind: ClassVar[str] = "cypher"
    rounds: ClassVar[int] = ROUNDS
    max_tokens = QUERY_TOKENS
    database: Database
    graph: str
    question: Question
    left: IdsLeft | None  # nothing else is read
    schema: GraphSchema
    entities: Mapping[str, CellParameter]  # that the question names, as parameters
    names: str  # these, in words
    refused: list[str] = field(default_factory=list)  # gets the reason for each query that was not run, in order

    def values(self) -> dict[str, str]:
        """Return the schema, the entities and the question."""
        shown = describe(self.schema, self.question.terms)
        return {"schema": shown, "names": self.names, "question": self.question.text}

    def complain(self, complaint: str) -> str:
        """Return why the query before was refused."""
        return f"\n\nYour last query was refused: {complaint}\nWrite another one." if complaint else ""

    def accept(self, said: Completion) -> WrittenQuery | Complaint[WrittenQuery]:
        """Return the query with its rows. Raises the database's errors other than refusals."""
        text, given = read_answer(said.text)
        if not text.strip():
            return Complaint("the model found no query on this graph that answers the question", repeats=False)
        try:
            query = guard(text, {**check_parameters(given), **self.entities}, self.schema, self.graph, self.left)
            return WrittenQuery(query, run(self.database, query))
        except CypherRefused as refusal:
            self.refused.append(str(refusal))
            return Complaint(f"{refusal}\nIt was:\n{text[:LONGEST]}")


def to_write(database: Database, search: Search) -> WriteCypher:
    """Return the task to write a query for a question; the schema that it shows has the counts of the whole graph."""
    schema = read_schema(database, search.graph)
    left = None
    if search.scope is not None:
        schema, left = narrow(schema), all_left(database, search.graph, search.scope)
    return WriteCypher(database, search.graph, search.question, left, schema, *_names(database, search))


def read_answer(text: str) -> tuple[str, Mapping[str, Any]]:
    """Return the query and the parameters in a model's answer: a JSON object, else a fenced block; else no query."""
    found = find_object(text, ("cypher",))
    if found is not None:
        query, given = found.get("cypher"), found.get("parameters")
        return query if isinstance(query, str) else "", given if isinstance(given, dict) else {}
    fenced = _FENCED.search(text)
    return (fenced["query"], {}) if fenced else ("", {})


def check_parameters(given: Mapping[str, Any]) -> dict[str, CellParameter]:
    """Return the parameters that a model gave; CypherRefused for what is no text, number, truth or list of these."""
    if len(given) > MOST_PARAMETERS:
        raise CypherRefused(f"at most {MOST_PARAMETERS} parameters")
    checked: dict[str, CellParameter] = {}
    for name, value in given.items():
        if not _PARAMETER.fullmatch(name) or name == "graph":
            raise CypherRefused(f"a parameter cannot be called {name[:40]!r}")
        if isinstance(value, list):
            if len(value) > MOST_VALUES:
                raise CypherRefused(f"${name} has more than {MOST_VALUES} values")
            checked[name] = [_scalar(name, each) for each in value]  # type: ignore[assignment]
        else:
            checked[name] = _scalar(name, value)
    return checked


def _scalar(name: str, value: Any) -> str | int | float | bool | None:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str) and len(value) <= LONGEST_TEXT and not re.search("[\ud800-\udfff]", value):
        return value
    if isinstance(value, int | float) and math.isfinite(value) and abs(value) <= LARGEST:
        return value
    raise CypherRefused(f"${name} is no short text, number or truth")


def _names(database: Database, search: Search) -> tuple[dict[str, CellParameter], str]:
    """Return the entities that the question names as parameters, and these in words."""
    graph, linked = search.graph, Linked()
    if can_link(database, graph):
        linked = link(database, graph, search.question, search.scope)
    known = named_rows(database, graph, linked.entities[:NAMED])
    entities: dict[str, CellParameter] = {}
    lines = []
    for entity in linked.entities[:NAMED]:
        if entity in known:
            name = f"entity{len(entities) + 1}"
            entities[name] = entity
            lines.append(f"${name}: {known[entity]['Name']} (:{known[entity]['Type'] or 'Entity'})")
    return entities, "\n".join(lines) or "none that the graph knows"
