"""Schemas: small TOML files that drive the prompt, the parser, the validator and the writer alike.

A schema names the columns of the two CSV sections, what each column holds, how values from many chunks are folded into
one, which types are allowed (an empty list: any), which types are of one family, and a worked example that uses exactly
these columns.
"""

from __future__ import annotations

import csv
import enum
import hashlib
import io
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from kg_neo4j import data_files, plugins, resources
from kg_neo4j.errors import UsageError
from kg_neo4j.records import NodeRow, RelationshipRow

BUILT_IN = ("lean", "described", "wikipedia", "small")
EVIDENCE = ("sentences", "words", "none")
ASKED = "+claims"  # at the end of a schema's name, asks for what its file does with `claims = true`
CLAIMS = "kg_neo4j.rooms.claims.section"


class ColumnKind(enum.StrEnum):
    """What a column holds."""

    ID = "id"
    TYPE = "type"
    NAME = "name"
    SOURCE = "source"  # node_id of a relationship's first node
    TARGET = "target"  # node_id of its second node
    TEXT = "text"
    DATE = "date"  # ISO as far as it is certain, else text
    YEAR = "year"  # integer, negative for BC; "c. 570" gives 570
    NUMBER = "number"
    EVIDENCE = "evidence"  # words of the chunk


class FoldRule(enum.StrEnum):
    """How the values of one key, gathered from its evidence, become one. Ties: higher support, then smaller value."""

    MODE = "mode"
    MIN = "min"
    MAX = "max"
    UNION = "union"  # a sorted list without repeats
    JOIN = "join"  # texts in the order of evidence, without repeats


@dataclass(frozen=True)
class SchemaColumn:
    """One CSV column."""

    name: str
    kind: ColumnKind
    note: str  # shown to the model
    fold: FoldRule | None = None  # for text, year and number columns
    identity: bool = False  # the value is part of a relationship's identity
    minimum: float | None = None
    maximum: float | None = None
    year_of: str = ""  # the column whose year it is, for nodes of the type PERSON; such a column is never asked for

    @cached_property
    def is_property(self) -> bool:
        """True where the value is stored as a property of the node or relationship."""
        return self.kind in (ColumnKind.TEXT, ColumnKind.DATE, ColumnKind.YEAR, ColumnKind.NUMBER)


@dataclass(frozen=True)
class Schema:
    """A schema file, read. `hash` covers what it means: columns, their kinds, closed lists; no notes, no order."""

    name: str
    version: int
    description: str
    nodes: tuple[SchemaColumn, ...]
    relationships: tuple[SchemaColumn, ...]
    node_types: tuple[str, ...]  # empty: any type that can be named
    relationship_types: tuple[str, ...]
    example_text: str
    example_answer: str
    hash: str
    text: str  # of the file
    unasked: tuple[SchemaColumn, ...] = ()  # columns of relationships that no model is asked for
    unasked_nodes: tuple[SchemaColumn, ...] = ()  # columns of nodes, likewise: tables fill them
    years: tuple[SchemaColumn, ...] = ()  # columns of nodes that are made of others
    evidence: str = "none"  # what a row rests on: numbers of "sentences", copied "words", or "none" is asked
    preferred_node_types: tuple[tuple[str, str], ...] = ()  # with a meaning; others are allowed
    preferred_relationship_types: tuple[tuple[str, str], ...] = ()
    closed: bool = False  # no other types than the preferred ones are allowed
    families: tuple[tuple[str, str], ...] = ()  # node type and its family, where the file names one; others: built-in
    checks_ends: bool = False  # a row whose ends are of other types or families is turned round or flagged
    form: str = "sections"  # of an answer: two sections, or "facts", one row for each relationship with its ends
    sentences_a_call: int = 0  # for facts: how many a model is asked about together; 0: all of a chunk
    claims: bool = False  # an answer may have a third section

    @cached_property
    def node_header(self) -> tuple[str, ...]:
        """Column names of the node section, in order."""
        return tuple(column.name for column in self.nodes)

    @cached_property
    def relationship_header(self) -> tuple[str, ...]:
        """Column names of the relationship section, in order."""
        return tuple(column.name for column in self.relationships)

    @cached_property
    def node_columns(self) -> tuple[SchemaColumn, ...]:
        """All columns of nodes but years, those that no model is asked for last."""
        return (*self.nodes, *self.unasked_nodes)

    @cached_property
    def relationship_columns(self) -> tuple[SchemaColumn, ...]:
        """All columns of relationships, those that no model is asked for last."""
        return (*self.relationships, *self.unasked)

    @cached_property
    def facts(self) -> dict[str, ColumnKind]:
        """Columns of a row that is one fact, in order, and what they hold; none where the form is another."""
        more = {each.name: each.kind for each in self.relationships if each.is_property}
        return _FACT | more if self.form == "facts" else {}

    @cached_property
    def claim(self) -> dict[str, ColumnKind]:
        """Columns of a claim, in order, and what they hold; none where claims are not asked for."""
        return dict(resolve_name(f"{CLAIMS}:COLUMNS")) if self.claims else {}

    @cached_property
    def headers(self) -> tuple[str, ...]:
        """Header rows that a model is asked to write."""
        return tuple(map(",".join, [self.facts] if self.facts else [self.node_header, self.relationship_header]))

    @cached_property
    def counts_relationships(self) -> bool:
        """True where each relationship has an id of its own."""
        return any(column.kind is ColumnKind.ID for column in self.relationships)

    @property
    def quotes(self) -> bool:
        """True where a cited sentence stands for a description that no row has."""
        return self.evidence != "words"

    @cached_property
    def node_properties(self) -> tuple[SchemaColumn, ...]:
        """Columns stored as properties of nodes."""
        return (*(column for column in self.node_columns if column.is_property), *self.years)

    @cached_property
    def relationship_properties(self) -> tuple[SchemaColumn, ...]:
        """Columns stored as properties of relationships."""
        return tuple(column for column in self.relationship_columns if column.is_property)


_NODE_START = (("node_id", ColumnKind.ID), ("node_type", ColumnKind.TYPE), ("name", ColumnKind.NAME))
_RELATIONSHIP_START = (
    ("relationship_id", ColumnKind.ID),
    ("node_id_1", ColumnKind.SOURCE),
    ("relationship_type", ColumnKind.TYPE),
    ("node_id_2", ColumnKind.TARGET),
)
_FACT = {"sentence": ColumnKind.EVIDENCE, "first": ColumnKind.NAME, "first_type": ColumnKind.TYPE}
_FACT |= {"relationship": ColumnKind.TYPE, "second": ColumnKind.NAME, "second_type": ColumnKind.TYPE}
# Property names that the graph itself uses: a schema column of that name would overwrite them.
RESERVED_PROPERTIES = data_files.beside(__file__).word_set("reserved")


def load(name_or_path: str | Schema) -> Schema:
    """Return a built-in schema by name, or one from a TOML file; a schema as it is.

    Raises UsageError naming the file and what is wrong with it.
    """
    if isinstance(name_or_path, Schema):
        return name_or_path
    if name_or_path in BUILT_IN:
        return _built_in(name_or_path)
    path = Path(name_or_path)
    if name_or_path.endswith(ASKED):
        return parse(f"claims = true\n{load(name_or_path.removesuffix(ASKED)).text}", name_or_path)
    if not path.is_file():
        hint = f"the built-in ones are {', '.join(BUILT_IN)}; or give a TOML file"
        raise UsageError(f"no schema {name_or_path!r}", hint=hint)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read the schema {path}: {error}") from error
    return parse(text, str(path))


@cache
def _built_in(name: str) -> Schema:
    path = resources.folder("prompts") / "schemas" / f"{name}.toml"
    return parse(path.read_text(encoding="utf-8"), f"prompts/schemas/{name}.toml")


def parse(text: str, where: str) -> Schema:
    """Read a schema file's text; UsageError names `where` and the fault."""
    try:
        data = tomllib.loads(text)
        (nodes, others), (asked, unasked) = (
            [tuple(_column(column) for column in data[section] if _asked(column) is wanted) for wanted in (True, False)]
            for section in ("nodes", "relationships")
        )
        years = tuple(each for each in others if each.year_of)
        unasked_nodes = tuple(each for each in others if not each.year_of)
        preferred = [_meanings(data.get(f"preferred_{kind}_types", {})) for kind in ("node", "relationship")]
        closed = bool(data.get("closed", False))
        types = [
            tuple(map(str, data.get(f"{kind}_types", ()) if names else data[f"{kind}_types"]))
            or (tuple(name for name, _ in names) if closed else ())
            for kind, names in zip(("node", "relationship"), preferred, strict=True)
        ]
        families = [(str(each), family) for family, members in data.get("families", {}).items() for each in members]
        if len(dict(families)) < len(families) or not all(name.isupper() for name, _ in families):
            raise ValueError("families: a type is upper case and is in one family")
        evidence = str(data.get("evidence", "words" if _has_evidence(nodes) or _has_evidence(asked) else "none"))
        form, calls = str(data.get("form", "sections")), int(data.get("sentences_a_call", 0))
        if claims := bool(data.get("claims", False)):
            plugins.need("kg_neo4j.rooms.claims", f"{where}: claims cannot be read", "install kg-neo4j again")
            unasked += resolve_name(f"{CLAIMS}:stored")((*asked, *unasked), form, evidence)
        meaning = [
            sorted(repr(replace(each, note="")) for each in columns)
            for columns in (nodes, years, asked, unasked, *[unasked_nodes][: len(unasked_nodes)])
        ]
        meaning += [[form, str(calls)]] * (form != "sections")
        schema = Schema(
            name=str(data["name"]),
            version=int(data["version"]),
            description=str(data["description"]),
            nodes=nodes,
            relationships=asked,
            unasked=unasked,
            unasked_nodes=unasked_nodes,
            years=years,
            node_types=types[0],
            relationship_types=types[1],
            example_text=str(data["example"]["text"]).strip(),
            example_answer=str(data["example"]["answer"]).strip() + "\n",
            evidence=evidence,
            preferred_node_types=preferred[0],
            preferred_relationship_types=preferred[1],
            closed=closed,
            families=tuple(families),
            checks_ends=bool(data.get("check_ends", False)),
            form=form,
            sentences_a_call=calls,
            claims=claims,
            hash=hashlib.sha256(repr((meaning, *map(sorted, types), evidence)).encode()).hexdigest()[:32],
            text=text,
        )
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
        raise UsageError(f"{where} is not a schema: {type(error).__name__}: {error}") from error
    _check(schema, where)
    return schema


def _asked(column: dict[str, Any]) -> bool:
    return column.get("asked", True) and "year_of" not in column


def _column(data: dict[str, Any]) -> SchemaColumn:
    if unknown := set(data) - {"name", "kind", "note", "fold", "identity", "minimum", "maximum", "asked", "year_of"}:
        raise ValueError(f"column {data.get('name')}: unknown keys {sorted(unknown)}")
    return SchemaColumn(
        name=str(data["name"]),
        kind=ColumnKind(data["kind"]),
        note=str(data["note"]),
        fold=FoldRule(data["fold"]) if "fold" in data else None,
        identity=bool(data.get("identity", False)),
        minimum=data.get("minimum"),
        maximum=data.get("maximum"),
        year_of=str(data.get("year_of", "")),
    )


def _has_evidence(columns: Sequence[SchemaColumn]) -> bool:
    return any(column.kind is ColumnKind.EVIDENCE for column in columns)


def _meanings(table: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple((str(name), str(meaning)) for name, meaning in table.items())


def _check(schema: Schema, where: str) -> None:
    if schema.evidence not in EVIDENCE:
        raise UsageError(f"{where}: evidence {schema.evidence!r}", hint=f"one of {', '.join(EVIDENCE)}")
    quoting = [
        [column.name for column in columns if column.kind is ColumnKind.EVIDENCE]
        for columns in (schema.nodes, schema.relationships)
    ]
    is_numbered = quoting == [["sentences"]] * 2
    if is_numbered is not (schema.evidence == "sentences") or any(quoting) is (schema.evidence == "none"):
        hint = 'with evidence = "sentences" both sections have one column of this kind, named sentences'
        raise UsageError(f"{where}: the columns of kind evidence do not fit evidence = {schema.evidence!r}", hint=hint)
    relationship_start = _RELATIONSHIP_START if schema.counts_relationships else _RELATIONSHIP_START[1:]
    dates = {column.name for column in schema.nodes if column.kind in (ColumnKind.TEXT, ColumnKind.DATE)}
    for column in schema.years:
        if column.kind is not ColumnKind.YEAR or column.year_of not in dates:
            hint = 'a column with year_of is of kind "year", and names one of kind "date"'
            raise UsageError(f"{where}: the column {column.name} is never filled", hint=hint)
    for columns, start, section in (
        ((*schema.node_columns, *schema.years), _NODE_START, "nodes"),
        (schema.relationship_columns, relationship_start, "relationships"),
    ):
        others = [
            column for column in columns if schema.evidence != "sentences" or column.kind is not ColumnKind.EVIDENCE
        ]
        if tuple((column.name, column.kind) for column in others[: len(start)]) != start:
            raise UsageError(f"{where}: {section} must begin with {', '.join(name for name, _ in start)}")
        names = [column.name for column in columns]
        if len(set(names)) != len(names):
            raise UsageError(f"{where}: a column of {section} stands twice")
        for column in others[len(start) :]:
            _check_property(column, f"{where}: {section}")
    _check_facts(schema, where)
    known = {line for line in schema.example_answer.splitlines() if line}
    for header in schema.headers:
        if header not in known:
            raise UsageError(f"{where}: the worked example lacks the header row {header}")


def _check_facts(schema: Schema, where: str) -> None:
    more = [each.name for each in schema.nodes if each.is_property]
    more += [each.name for each in schema.relationships if each.name in ("relationship_id", *_FACT)]
    is_right = schema.facts and schema.sentences_a_call >= 0 and schema.evidence == "sentences" and not more
    if (schema.form, schema.sentences_a_call) != ("sections", 0) and not is_right:
        given = f"form = {schema.form!r}, sentences_a_call = {schema.sentences_a_call}, columns: {', '.join(more)}"
        hint = 'form = "facts" needs evidence = "sentences"; such columns need asked = false'
        raise UsageError(f"{where}: {given}", hint=hint)


def _check_property(column: SchemaColumn, where: str) -> None:
    if not column.name.isidentifier() or column.name != column.name.lower():
        raise UsageError(f"{where}: a column name is one lower-case word: {column.name!r}")
    if column.kind is ColumnKind.EVIDENCE:
        return
    if not column.is_property:
        raise UsageError(f"{where}: column {column.name} cannot be a second {column.kind}")
    if column.name in RESERVED_PROPERTIES:
        raise UsageError(f"{where}: column {column.name} has a name that the graph itself uses")
    if column.fold is None:
        raise UsageError(f"{where}: column {column.name} needs a fold rule")


def widest(versions: Iterable[Schema]) -> Schema:
    """Return the version that asks for most columns, with the columns of all that no model is asked for."""
    found = [*versions]
    wide = max(found, key=lambda each: len((*each.nodes, *each.years, *each.relationships)))
    more = [{each.name: each for own in found for each in own.unasked_nodes}]
    more.append({each.name: each for own in found for each in own.unasked})
    nodes, relationships = (
        tuple(each for name, each in sorted(own.items()) if name not in header)
        for own, header in zip(more, (wide.node_header, wide.relationship_header), strict=True)
    )
    return replace(wide, unasked_nodes=nodes, unasked=relationships)


# ------------------------------------------------------------------------------------------------- schemas as text

_NO_TEXT = re.compile("[\ud800-\udfff]")  # lone surrogates are no characters


def write(schema: Schema, remarks: Sequence[str]) -> str:
    """Return the text of a schema file; remarks are comments at its top."""
    data: dict[str, Any] = {"name": schema.name, "version": 1, "description": schema.description}
    data |= {"evidence": schema.evidence, "closed": schema.closed, "check_ends": schema.checks_ends}
    data |= {"form": "facts", "sentences_a_call": schema.sentences_a_call} if schema.facts else {}
    data |= {"claims": True} if schema.claims else {}
    for section in ("node_types", "relationship_types"):
        data[section] = [] if schema.closed else [*getattr(schema, section)]
    for section in ("preferred_node_types", "preferred_relationship_types"):
        data |= {section: dict(table)} if (table := getattr(schema, section)) else {}
    for node_type, family in schema.families:
        data.setdefault("families", {}).setdefault(family, []).append(node_type)
    for section, columns in (
        ("nodes", (*schema.node_columns, *schema.years)),
        ("relationships", schema.relationship_columns),
    ):
        given = (
            {name: value for name, value in asdict(each).items() if value not in (None, False, "")} for each in columns
        )
        data[section] = [
            each | ({"asked": False} if own in (*schema.unasked, *schema.unasked_nodes) else {})
            for each, own in zip(given, columns, strict=True)
        ]
    data["example"] = {"text": f"\n{schema.example_text}", "answer": f"\n{schema.example_answer}"}
    return as_toml(data, remarks)


def as_toml(data: Mapping[str, Any], remarks: Sequence[str]) -> str:
    """Return data as TOML, below remarks; what a file cannot hold, such as a lone surrogate, becomes U+FFFD."""
    import tomli_w

    comments = ("".join(char if char.isprintable() else " " for char in remark) for remark in remarks)
    written = tomli_w.dumps(data, multiline_strings="\\r" not in repr(data))
    return "".join(f"# {each}\n" for each in comments) + _NO_TEXT.sub("\ufffd", written)


def answer_of(
    schema: Schema,
    nodes: Sequence[NodeRow],
    relationships: Sequence[RelationshipRow],
    offsets: Sequence[tuple[int, int]] = (),
) -> str:
    """Return accepted rows as the two-section CSV of `schema`, with ids n1, n2, ... and r1, r2, ...

    `offsets` are those of the numbered sentences; without them a row quotes its words. With facts there is one section.
    """
    ids = {node.node_id: f"n{number}" for number, node in enumerate(nodes, 1)}
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    if schema.facts:
        ends = {node.node_id: (node.name, node.type) for node in nodes}
        writer.writerow(schema.facts)
        for row in relationships:
            more = (str(row.properties.get(name, "")) for name in list(schema.facts)[len(_FACT) :])
            writer.writerow((_cited(row, offsets), *ends[row.source_id], row.type, *ends[row.target_id], *more))
        return file.getvalue()
    writer.writerow(schema.node_header)
    for node in nodes:
        special = {ColumnKind.ID: ids[node.node_id], ColumnKind.TYPE: node.type, ColumnKind.NAME: node.name}
        special[ColumnKind.EVIDENCE] = _cited(node, offsets)
        writer.writerow([special.get(each.kind) or str(node.properties.get(each.name, "")) for each in schema.nodes])
    file.write("\n")
    writer.writerow(schema.relationship_header)
    for number, row in enumerate(relationships, 1):
        special = {ColumnKind.SOURCE: ids[row.source_id], ColumnKind.TARGET: ids[row.target_id]}
        special |= {ColumnKind.ID: f"r{number}", ColumnKind.TYPE: row.type, ColumnKind.EVIDENCE: _cited(row, offsets)}
        values = row.properties
        writer.writerow([special.get(each.kind) or str(values.get(each.name, "")) for each in schema.relationships])
    return file.getvalue()


def _cited(row: NodeRow | RelationshipRow, offsets: Sequence[tuple[int, int]]) -> str:
    at = (row.span.start, row.span.end) if row.span else (0, 0)
    numbers = (str(each) for each, (start, end) in enumerate(offsets, 1) if start < at[1] and at[0] < end)
    return " ".join(numbers) if offsets else row.evidence or ""
