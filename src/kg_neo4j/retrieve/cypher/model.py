"""A query that a model writes from the schema of the graph, behind every guard, with one chance to mend it."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from kg_neo4j._models import prompts
from kg_neo4j._models.answer_text import find_object, without_thoughts
from kg_neo4j._models.cache import AnswerCache, key_of
from kg_neo4j._models.protocols import ChatModel, Completion
from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.errors import BadModelAnswer, ContentFiltered
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database
from kg_neo4j.records import CellParameter, Usage
from kg_neo4j.retrieve.cypher.guard import GuardedQuery, guard
from kg_neo4j.retrieve.cypher.run import Limits, QueryRows, run
from kg_neo4j.retrieve.cypher.schema import GraphSchema, describe, narrow, read_schema
from kg_neo4j.retrieve.cypher.tokens import LONGEST, LONGEST_TEXT, CypherRefused
from kg_neo4j.retrieve.interface import Scope
from kg_neo4j.retrieve.linking import Linked, can_link, link
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


@dataclass(slots=True)
class Writing:
    """One question's way to a query. `refused` has the reason for each query that was not run, in order."""

    model: ChatModel
    cache: AnswerCache | None = None
    limits: Limits = field(default_factory=Limits)
    usage: Usage = field(default_factory=Usage)
    refused: list[str] = field(default_factory=list)
    silent: str = ""  # why the model wrote no query at all
    seconds: float = 0.0  # of waiting for the model

    def write(
        self, database: Database, graph: str, question: Question, scope: Scope | None = None
    ) -> WrittenQuery | None:
        """Return the query that the model writes for `question`, run on `graph`; None where none came of it.

        With a `scope` it reads nothing else; the schema that the model is shown has the counts of the whole graph.

        Nothing of a refused query runs. Raises the model's errors, and the database's other than refusals.
        """
        schema = read_schema(database, graph)
        if scope is not None:
            schema, scope = narrow(schema), with_documents(database, graph, scope)
        entities, names = _names(database, graph, question, scope)
        complaint = ""
        for _ in range(ROUNDS):
            asked = self._ask(schema, names, question, complaint)
            if asked is None:
                return None
            text, given, keep = asked
            if not text.strip():
                self.silent = "the model found no query on this graph that answers the question"
                return None
            try:
                query = guard(text, {**check_parameters(given), **entities}, schema, graph, scope)
                rows = run(database, query, self.limits)
            except CypherRefused as refusal:
                self.refused.append(str(refusal))
                complaint = f"\n\nYour last query was refused: {refusal}\nIt was:\n{text[:LONGEST]}\nWrite another one."
                continue
            keep()
            return WrittenQuery(query, rows)
        return None

    def _ask(self, schema: GraphSchema, names: str, question: Question, complaint: str) -> Any:
        """Return (query, parameters, what keeps the answer in the cache) as the model wrote them; None for nothing."""
        shown = describe(schema)
        prompt = prompts.load("cypher")
        fence = hash_id("fence", shown, names, question.text)[:8]
        system, user = prompt.render(
            schema=shown, names=names, fence=fence, question=question.text, complaint=complaint
        )
        key = key_of(self.model.name, system, user, temperature=prompt.temperature, max_tokens=QUERY_TOKENS)
        said = self.cache.get(key) if self.cache else None
        if said is None:
            started = time.monotonic()
            try:
                said = self.model.complete(system, user, max_tokens=QUERY_TOKENS, temperature=prompt.temperature)
            except (ContentFiltered, BadModelAnswer) as error:
                self.usage += Usage(calls=1)
                self.silent = str(error)
                return None
            finally:
                self.seconds += time.monotonic() - started
            self.usage += said.usage
        text, given = read_answer(said.text)

        def keep(said: Completion = said) -> None:
            if self.cache:
                self.cache.put(key, said)

        return text, given, keep


def read_answer(text: str) -> tuple[str, Mapping[str, Any]]:
    """Return the query and the parameters in a model's answer: a JSON object, else a fenced block; else no query."""
    found = find_object(text, ("cypher",))
    if found is not None:
        query, given = found.get("cypher"), found.get("parameters")
        return query if isinstance(query, str) else "", given if isinstance(given, dict) else {}
    fenced = _FENCED.search(without_thoughts(text))
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
    if (
        isinstance(value, str)
        and len(value) <= LONGEST_TEXT
        and not any("\ud800" <= each <= "\udfff" for each in value)
    ):
        return value
    if isinstance(value, int | float) and math.isfinite(value) and abs(value) <= LARGEST:
        return value
    raise CypherRefused(f"${name} is no short text, number or truth")


def with_documents(database: Database, graph: str, scope: Scope) -> Scope:
    """Return a scope that names its documents: all of the graph, where filters do not choose among them."""
    if scope.documents is not None:
        return scope
    rows = database.read(queries.get("retrieve/sources"), graph=graph)
    return replace(scope, documents=tuple(sorted(row["id"] for row in rows)))


def _names(
    database: Database, graph: str, question: Question, scope: Scope | None
) -> tuple[dict[str, CellParameter], str]:
    """Return the entities that the question names as parameters, and these in words."""
    linked = link(database, graph, question, scope) if can_link(database, graph) else Linked()
    rows = database.read(queries.get("questions/names"), graph=graph, ids=list(linked.entities[:NAMED]))
    known = {row["Id"]: row for row in rows}
    entities: dict[str, CellParameter] = {}
    lines = []
    for entity in linked.entities[:NAMED]:
        if entity in known:
            name = f"entity{len(entities) + 1}"
            entities[name] = entity
            lines.append(f"${name}: {known[entity]['Name']} (:{known[entity]['Type'] or 'Entity'})")
    return entities, "\n".join(lines) or "none that the graph knows"
