"""The canned reports of cypher/reports/: listed, run in READ mode, or printed for Neo4j Browser.

Outside, a report's name has hyphens ("most-connected"); its file has underscores. Here values are parameters; for
Browser, which runs one statement at a time, they are literals in the same text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from kg_neo4j import plugins
from kg_neo4j.display import near
from kg_neo4j.errors import UsageError
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.queries import Parameter, Query
from kg_neo4j.graph.report_format import Report

Value = str | int | float

_NAMES = "name or alias"  # how the note of a parameter begins that names an entity
_LOWEST = re.compile(r">= (-?\d+)")  # in a parameter's note
_PARAMETER = re.compile(r"\$(\w+)")
_INTEGERS = range(-(2**63), 2**63)  # Neo4j's
_ESCAPES = {"\\": r"\u005c\u005c", "'": r"\'", "\n": r"\n", "\r": r"\r", "\t": r"\t"}


def list_reports() -> tuple[Query, ...]:
    """Return all reports, ordered by name.

    Raises UsageError for one of another package that bears a name of ours, or may write.
    """
    own = {name: queries.get(name) for name in queries.names("reports")}
    added = []
    for name, entry in plugins.found(plugins.REPORTS).items():
        try:
            query = queries.parse(plugins.load(entry), f"reports/{name.replace('-', '_')}")
        except (TypeError, AttributeError, ValueError) as error:
            raise UsageError(f"the report {name!r} of {entry.value} cannot be read: {error}") from error
        if query.name in own or query.mode != "read":
            why = "there is one of that name" if query.name in own else "a report only reads"
            raise UsageError(f"the report {name!r} of {entry.value} is refused: {why}")
        added.append(query)
    return tuple(sorted([*own.values(), *added], key=lambda query: query.name))


def outside_name(query: Query) -> str:
    """Return a report's name as people write it: "reports/most_connected" is "most-connected"."""
    return query.name.removeprefix("reports/").replace("_", "-")


def check(name: str, parameters: Mapping[str, Value]) -> None:
    """Raise the UsageError that `run` would raise, without a database."""
    _values(_find(name), "main", parameters)


def naming_parameters(name: str) -> tuple[str, ...]:
    """Return the parameters of report `name` that name an entity. Raises UsageError for an unknown report."""
    return tuple(each.name for each in _find(name).params if each.note.startswith(_NAMES))


def run(database: Database, name: str, *, graph: str, parameters: Mapping[str, Value]) -> Report:
    """Run report `name` on `graph` and return what it found; nothing in the database is changed.

    Values given as text are converted to the declared type; those left out take their default. Raises UsageError for
    an unknown report or parameter, one that is missing, or a value that does not fit.
    """
    query = _find(name)
    found = database.read(query, **_values(query, graph, parameters))
    columns = tuple(column.name for column in query.columns)
    rows = ((row[column] for column in columns) for row in found)
    cells = tuple(tuple(tuple(each) if isinstance(each, list) else each for each in row) for row in rows)
    return Report(outside_name(query), query.title, columns, cells)


def browser_text(name: str, graph: str, parameters: Mapping[str, Value]) -> str:
    """Return report `name` as one statement for pasting into Neo4j Browser. Raises UsageError like `run`."""
    query = _find(name)
    return with_literals(query, {each: literal(value) for each, value in _values(query, graph, parameters).items()})


def with_literals(query: Query, literals: Mapping[str, str]) -> str:
    """Return the text of `query` with each parameter replaced by a Cypher literal; comments stay as they are."""
    return "\n".join(
        line if line.startswith("//") else _PARAMETER.sub(lambda found: literals[found[1]], line)
        for line in query.text.split("\n")
    )


def _find(name: str) -> Query:
    known = {outside_name(query): query for query in list_reports()}
    if name in known:
        return known[name]
    raise UsageError(f"there is no report {name[:80]!r}", hint=near(name[:80].replace("_", "-"), known))


def _values(query: Query, graph: str, parameters: Mapping[str, Value]) -> dict[str, Value]:
    """Return a value for every parameter of `query`, in the header's order."""
    where = f"report {outside_name(query)}"
    declared = {parameter.name: parameter for parameter in query.params if parameter.name != "graph"}
    takes = ", ".join(declared) or "none"
    if unknown := sorted(set(parameters) - set(declared)):
        hint = "choose the graph with --graph NAME" if unknown[0] == "graph" else f"it takes: {takes}"
        raise UsageError(f"{where} has no parameter {unknown[0][:80]!r}", hint=hint)
    values: dict[str, Value] = {"graph": graph}
    for name, parameter in declared.items():
        if (value := parameters.get(name, parameter.default)) is None:
            raise UsageError(f"{where} needs {name}: {parameter.note}", hint=f"--set {name}=VALUE")
        values[name] = _converted(parameter, value, where)
    return values


def _converted(parameter: Parameter, value: Value, where: str) -> Value:
    hint = f"{parameter.name} is {parameter.type}: {parameter.note}"
    refused = UsageError(f"{where}: {parameter.name} cannot be {str(value)[:80]!r}", hint=hint)
    if parameter.type == "STRING":
        if re.search("[\ud800-\udfff]", text := str(value)):
            raise refused
        return text
    try:
        number = int(value) if parameter.type == "INTEGER" else float(value)
    except (ValueError, OverflowError) as error:
        raise refused from error
    lowest = _LOWEST.search(parameter.note)
    whole = not isinstance(number, int) or number in _INTEGERS
    exact = isinstance(value, str) or number == value
    if not (whole and exact and math.isfinite(number)) or (lowest and number < int(lowest[1])):
        raise refused
    return number


def literal(value: Value) -> str:
    """Return `value` as a Cypher literal; a backslash goes by its code, which Cypher decodes before all else."""
    if not isinstance(value, str):
        return repr(value)
    return "'" + "".join(_ESCAPES.get(char, char) for char in value) + "'"
