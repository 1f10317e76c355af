"""The registry of cypher/: one query a file, its name is its path ("reports/most_connected").

Every file starts with a header that says what it is for and what it takes and gives; a contract test compares the
header with what the real server says of the query. Text from outside never becomes Cypher: values are parameters, and
where a relationship type must stand in a statement, `Query.for_type` puts an allow-listed one in its placeholder.

Filters hold a query by conditions from the folder left/. Where a query has `true /* left: chunk c */`,
`Query.held_to` puts the conditions of the files left/chunk_*.cypher that the filters need, with `c` for `this`. As a
query stands in its file it is the one without filters.

Vector indexes are asked with `CALL db.index.vector.queryNodes($index, $fetch, VECTOR) YIELD node, score`, as Neo4j 5.26
does. `Query.searching` puts SEARCH there, and `Query.by_graph` makes indexes for it (Cypher 25).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from kg_neo4j import resources
from kg_neo4j.errors import UsageError
from kg_neo4j.extract.values import TYPE_PATTERN

TYPE_PLACEHOLDER = "`TYPE_PLACEHOLDER`"
BASE_LABELS = ("Answer", "Chunk", "Community", "Decision", "Document", "Entity", "Fact", "Passage", "Tree", "TreeNode")

OWN = "Kg"  # begins the label that each node of ours has beside its public one, as KgChunk beside Chunk

_LEFT = re.compile(r"true /\* left: (?P<kind>[a-z]+) (?P<name>\w+) \*/")
_CONDITION = re.compile(r"\nWHERE (?P<text>.+)\nRETURN ", re.DOTALL)

_NEAREST = re.compile(r"CALL db\.index\.vector\.queryNodes\(\$(\w+), \$fetch, ([$\w.]+)\) YIELD node, score")
_INSIDE = "MATCH (node) SEARCH node IN (VECTOR INDEX %s FOR %s WHERE node.graph = $graph LIMIT $fetch) SCORE AS score"
_INDEX_NAME = re.compile(r"[a-z]\w*", re.ASCII)

_FIELDS = ("title", "purpose", "mode", "params", "columns", "order", "source")
_HEADER_LINE = re.compile(r"// ([a-z]+): +(.*)")
_CONTINUATION = re.compile(r"// {2,}(\S.*)")
_PARAM = re.compile(r"\$(?P<name>\w+) (?P<type>[A-Z]+(?:<[A-Z]+>)?) \((?P<note>[^()]*)\)")
_COLUMN = re.compile(r"(?P<name>\w+) (?P<type>[A-Z]+(?:<[A-Z]+>)?)(?: \((?P<note>[^()]*)\))?")
_DEFAULT = re.compile(r"default (.+)$")


@dataclass(frozen=True, slots=True)
class Column:
    """A result column as the header declares it."""

    name: str
    type: str  # STRING, INTEGER, FLOAT, BOOLEAN, LIST<STRING>, MAP, ...
    note: str = ""


@dataclass(frozen=True, slots=True)
class Parameter(Column):
    """A parameter as the header declares it. `default` is None where it must be given."""

    default: str | int | float | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """A query file, read. `text` is the file's text, unchanged."""

    name: str
    title: str
    purpose: str
    mode: str  # "read", "write" or "schema"
    params: tuple[Parameter, ...]
    columns: tuple[Column, ...]
    order: str
    source: str
    text: str

    def for_type(self, relationship_type: str) -> Query:
        """Return the query with `relationship_type` in its placeholder.

        Raises ValueError for a type outside the allow-list `[A-Z][A-Z0-9_]{0,63}`, or a query without a placeholder.
        """
        check_type(relationship_type)
        if TYPE_PLACEHOLDER not in self.text:
            raise ValueError(f"{self.name} has no place for a type")
        return replace(self, text=self.text.replace(TYPE_PLACEHOLDER, f"`{relationship_type}`"))

    def for_label(self, label: str) -> Query:
        """Return the query with our own label in addition to the public one, such as "Chunk", in its placeholder.

        Raises ValueError for a label without an id constraint.
        """
        if label not in BASE_LABELS:
            raise ValueError(f"not a label with an id constraint: {label[:80]!r}")
        return replace(self, text=self.text.replace(TYPE_PLACEHOLDER, f"`{OWN}{label}`"))

    def statement(self, **values: Any) -> str:
        """Return the Cypher in one line, without its header, to show: with `values`, our own, for parameters."""
        text = " ".join(line.strip() for line in self.text.splitlines() if not line.startswith("//"))
        return re.sub(r"\$(\w+)", lambda found: str(values[found[1]]), text)

    def held_to(self, conditions: tuple[str, ...]) -> Query:
        """Return the query held to what filters leave, by the `conditions` that they need: `ids`, `types`, ...

        With no conditions it is the query as it stands.
        """
        return _held_to(self, conditions) if conditions else self

    def searching(self, indexes: Mapping[str, str]) -> Query:
        """Return the query with SEARCH, inside one graph, for vector indexes made `by_graph`: parameter -> name.

        Others it asks as it stands. Raises ValueError for a name that needs quotes: in SEARCH it cannot be a parameter.
        """
        if bad := [name for name in indexes.values() if not _INDEX_NAME.fullmatch(name)]:
            raise ValueError(f"not a name of an index: {bad[0][:80]!r}")

        def search(asked: re.Match[str]) -> str:
            return _INSIDE % (indexes[asked[1]], asked[2]) if asked[1] in indexes else asked[0]

        return replace(self, text="CYPHER 25 " + _NEAREST.sub(search, self.text)) if indexes else self

    def by_graph(self) -> Query:
        """Return a statement that makes a vector index with the graph of each node in it, to search inside a graph."""
        return replace(self, text="CYPHER 25 " + self.text.replace("\nOPTIONS", " WITH [n.graph]\nOPTIONS"))


def check_type(name: str) -> str:
    """Return `name`, a label or relationship type from outside; ValueError where it is outside the allow-list."""
    if not TYPE_PATTERN.fullmatch(name):
        raise ValueError(f"not an allow-listed type: {name[:80]!r}")
    return name


@lru_cache(maxsize=1024)
def _held_to(query: Query, conditions: tuple[str, ...]) -> Query:
    text = _LEFT.sub(lambda found: _condition(found["kind"], found["name"], conditions), query.text)
    return replace(query, text=text)


def _condition(kind: str, name: str, conditions: tuple[str, ...]) -> str:
    """Return the condition for what is called `name` to be left; the folder left/ has one file for each part of it."""
    files = [each for part in ("any", *conditions) if (each := f"left/{kind}_{part}") in names("left")]
    parts = []
    for each in files:
        if (found := _CONDITION.search(get(each).text)) is None:
            raise ValueError(f"{each}: no WHERE in a line of its own, followed by RETURN")
        text = re.sub(r"\bthis(?=\b|_)", name, found["text"])
        parts.append(_LEFT.sub(lambda inner: _condition(inner["kind"], inner["name"], conditions), text))
    return f"({' AND '.join(f'({part})' for part in parts)})" if parts else "true"


def parse(text: str, name: str) -> Query:
    """Read the text of a query file; ValueError names the file and what is wrong with its header."""
    fields: dict[str, str] = {}
    last = ""
    for line in text.splitlines():
        if match := _HEADER_LINE.fullmatch(line):
            last = match[1]
            fields[last] = match[2].strip()
        elif last and (more := _CONTINUATION.fullmatch(line)):
            fields[last] += " " + more[1].strip()
        else:
            break
    if tuple(fields) != _FIELDS:
        raise ValueError(f"{name}: the header has {list(fields)}, it needs {list(_FIELDS)} in this order")
    if fields["mode"] not in ("read", "write", "schema"):
        raise ValueError(f"{name}: mode is read, write or schema, not {fields['mode']!r}")
    taken = _declared(_PARAM, fields["params"], ";", f"{name}: a parameter is `$name TYPE (note)`")
    given = _declared(_COLUMN, fields["columns"], ",", f"{name}: a column is `Name TYPE` or `Name TYPE (note)`")
    parameters = []
    for each in taken:
        default = _DEFAULT.search(each["note"])
        read = {"INTEGER": int, "FLOAT": float}.get(each["type"], str)
        parameters.append(Parameter(each["name"], each["type"], each["note"], read(default[1]) if default else None))
    columns = tuple(Column(each["name"], each["type"], each["note"] or "") for each in given)
    said = {each: fields[each] for each in ("purpose", "mode", "order", "source")}
    return Query(name, fields["title"].rstrip("."), params=tuple(parameters), columns=columns, text=text, **said)


def _declared(form: re.Pattern[str], text: str, separator: str, expected: str) -> list[re.Match[str]]:
    """Match what stands between separators outside parentheses; "none" is the empty list."""
    matches = []
    for part in re.split(rf"{separator}(?![^()]*\))", text) if text != "none" else ():
        if (match := form.fullmatch(part.strip())) is None:
            raise ValueError(f"{expected}, not {part.strip()!r}")
        matches.append(match)
    return matches


@cache
def get(name: str) -> Query:
    """Return the query in cypher/`name`.cypher.

    Raises UsageError where there is no such file; the name never leaves the folder.
    """
    if not re.fullmatch(r"[a-z]+/[a-z0-9_]+", name):
        raise UsageError(f"not a query name: {name[:80]!r}")
    path = resources.folder("cypher") / f"{name}.cypher"
    if not path.is_file():
        raise UsageError(f"there is no query {name}", hint=f"cypher/{name.partition('/')[0]}/ lists what there is")
    return parse(path.read_text(encoding="utf-8"), name)


@cache
def names(area: str = "") -> list[str]:
    """Return all query names, sorted; only those of one folder of cypher/ where `area` is given."""
    root: Path = resources.folder("cypher")
    found = (path.relative_to(root).with_suffix("").as_posix() for path in root.rglob("*.cypher"))
    return sorted(name for name in found if not area or name.startswith(f"{area}/"))
