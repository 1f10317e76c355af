"""What a line of an archive or export may say: labels, types, ends and values that kg-neo4j writes, and no others.

Values are exact: a list of floats is {"f32": BASE64} where 32 bits hold each of them, else {"f64": BASE64},
little-endian; a float that JSON lacks is {"float": "nan"}, "inf" or "-inf". Labels, relationship types and their ends
are fixed or match a pattern; properties that kg-neo4j reads are checked for their kind; other keys are words, as the
columns of a schema are. All checks raise ValueError.
"""

from __future__ import annotations

import base64
import math
import sys
from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from kg_neo4j import data_files
from kg_neo4j.extract.values import RESERVED_RELATIONSHIP_TYPES, TYPE_PATTERN
from kg_neo4j.graph.constraints import VectorSpace
from kg_neo4j.graph.database import present
from kg_neo4j.graph.queries import BASE_LABELS

MAX_NAME = 200  # characters of a graph, an id or a model
MAX_KEY = 100  # characters of a property key
MAX_DIMENSION = 4096
TREE_NODES = frozenset({"Leaf", "Summary", "Detail"})

_ALSO = {**dict.fromkeys(("Chunk", "Decision", "Entity", "Fact"), frozenset({"Unsettled"})), "TreeNode": TREE_NODES}
_DATA = data_files.beside(__file__)
_ENDS = {kind: (start, frozenset(ends.split())) for kind, start, ends in _DATA.rows("ends", 3)}
_KNOWN = _DATA.table("known")
_LISTS = "lw"
_KINDS: Mapping[str, tuple[str, tuple[type, ...]]] = {  # in words, and the types of a value or of those of a list
    "s": ("text", (str,)),
    "i": ("an integer", (int,)),
    "n": ("a number", (int, float)),
    "b": ("true or false", (bool,)),
    "l": ("a list of texts", (str,)),
    "w": ("a list of integers", (int,)),
}
_NOT_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}

Properties = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Header:
    """The first line of an archive; of a plain export, what can be said of it."""

    graph: str
    is_archive: bool
    vectors: VectorSpace | None = None
    state: Properties = field(default_factory=dict)  # of GraphState: what communities were computed from


@dataclass(frozen=True, slots=True)
class NodeLine:
    """One node. `base` is the label that has its id constraint."""

    base: str
    labels: tuple[str, ...]
    properties: Properties
    size: int  # bytes of its line


@dataclass(frozen=True, slots=True)
class RelationshipLine:
    """One relationship; its ends are ids of nodes."""

    type: str
    start: str
    end: str
    properties: Properties
    size: int


def own_labels(labels: list[str]) -> list[str]:
    """Return those of a node's labels that kg-neo4j writes, sorted."""
    base = next((label for label in labels if label in BASE_LABELS), "")
    return sorted(label for label in labels if label == base or _may_stand_by(label, base))


def own_relationship(type_: str, start: str, end: str | None) -> bool:
    """Return whether kg-neo4j writes relationships of this type between nodes of these base labels."""
    if type_ in RESERVED_RELATIONSHIP_TYPES:
        return _ENDS[type_][0] == start and end in _ENDS[type_][1]
    return start == end == "Entity" and TYPE_PATTERN.fullmatch(type_) is not None


def is_key(name: str) -> bool:
    """Return whether a property may have this key."""
    return name.isidentifier() and len(name) <= MAX_KEY


def encoded(value: Any) -> Any:
    """Return a property's value as JSON has it; None for a kind that kg-neo4j writes nowhere."""
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": repr(value)}
    if isinstance(value, str | bool | int | float):
        return value
    if not isinstance(value, list) or not all(isinstance(each, str | bool | int | float) for each in value):
        return None
    if not value or not isinstance(value[0], float):
        return value
    kept, name = array("d", value), "f64"
    if all(abs(each) <= 3e38 for each in value) and (single := array("f", value)).tolist() == value:
        kept, name = single, "f32"
    return {name: base64.b64encode(_little_endian(kept).tobytes()).decode()}


def node(value: Properties, header: Header, size: int) -> NodeLine:
    """Return the node that a line of `size` bytes holds."""
    labels = value.get("labels")
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        raise ValueError("labels: not a list of texts")
    bases = [label for label in labels if label in BASE_LABELS]
    if len(bases) != 1 or len(set(labels)) != len(labels):
        raise ValueError(f"not the labels of a node of kg-neo4j: {str(labels)[:200]}")
    if unknown := [label for label in labels if label != bases[0] and not _may_stand_by(label, bases[0])]:
        raise ValueError(f"not a label that kg-neo4j writes on {bases[0]}: {unknown[0][:80]!r}")
    found = properties(bases[0], value.get("properties"), header.vectors)
    check_text("id", found.get("id"))
    if found.get("graph") != header.graph:
        raise ValueError(f"a node of graph {str(found.get('graph'))[:80]!r}, not of {header.graph!r}")
    return NodeLine(bases[0], tuple(labels), found, size)


def relationship(value: Properties, size: int) -> RelationshipLine:
    """Return the relationship that a line of `size` bytes holds; its ends are not looked up."""
    type_, start, end = value.get("type"), value.get("start"), value.get("end")
    if not isinstance(type_, str) or not (type_ in _ENDS or TYPE_PATTERN.fullmatch(type_)):
        raise ValueError(f"not a type of relationship that kg-neo4j writes: {str(type_)[:80]!r}")
    check_text("start", start)
    check_text("end", end)
    return RelationshipLine(type_, str(start), str(end), properties(type_, value.get("properties"), None), size)


def _may_stand_by(label: str, base: str) -> bool:
    """Return whether kg-neo4j writes `label` on nodes whose base label is `base`."""
    return label in _ALSO.get(base, ()) or (base == "Entity" and TYPE_PATTERN.fullmatch(label) is not None)


def check_text(what: str, value: object) -> None:
    """Check that `value` can be a name or an id."""
    if not isinstance(value, str) or not value or len(value) > MAX_NAME:
        raise ValueError(f"{what}: not a text of 1 to {MAX_NAME} characters: {str(value)[:80]!r}")
    value.encode()  # a lone surrogate is no character


def properties(of: str, found: Any, vectors: VectorSpace | None) -> Properties:
    """Return the properties of a node or relationship, decoded and checked; empty ones are left out."""
    if not isinstance(found, dict):
        raise ValueError("properties: not an object")
    decoded, kinds = {}, known(of)
    for name, value in found.items():
        if not is_key(name):
            raise ValueError(f"not a property key: {name[:80]!r}")
        decoded[name] = _decoded(name, value)
        if name in kinds:
            _check_kind(name, decoded[name], kinds[name][0], vectors)
    kept = present(decoded)
    if missing := [name for name, (_, is_needed) in kinds.items() if is_needed and name not in kept]:
        raise ValueError(f"{of} without {', '.join(missing)}")
    return kept


def _check_kind(name: str, value: Any, kind: str, vectors: VectorSpace | None) -> None:
    if kind == "v":
        if vectors is None or type(value) is not list or len(value) != vectors.dimension or type(value[0]) is not float:
            raise ValueError(f"{name}: not a vector of {vectors.dimension if vectors else 0} numbers")
        return
    words, types = _KINDS[kind]
    if kind in _LISTS:
        if type(value) is not list or not all(type(each) in types for each in value):
            raise ValueError(f"{name}: not {words}")
    elif type(value) not in types:
        raise ValueError(f"{name}: not {words}: {str(value)[:80]!r}")


@cache
def known(of: str) -> Mapping[str, tuple[str, bool]]:
    """Return the properties that kg-neo4j reads: key -> kind, needed."""
    words = (word.partition(":") for word in _KNOWN.get(of, "").split())
    return {name: (kind[0], kind.endswith("!")) for name, _, kind in words}


def _decoded(name: str, value: Any) -> Any:
    """Return a property's value; ValueError for one that Neo4j cannot hold."""
    if isinstance(value, dict):
        return _decoded_float(name, value)
    for each in value if isinstance(value, list) else (value,):
        if type(each) is str:
            each.encode()
        elif type(each) is int:
            if not -(2**63) <= each < 2**63:
                raise ValueError(f"{name}: an integer beyond 64 bits")
        elif type(each) is not bool and (type(each) is not float or not math.isfinite(each)):
            raise ValueError(f"{name}: not a value of a property: {str(each)[:80]!r}")
    if isinstance(value, list) and len({type(each) for each in value}) > 1:
        raise ValueError(f"{name}: a list of different kinds")
    return value


def _decoded_float(name: str, value: Properties) -> float | list[float]:
    """Return a float that JSON lacks, or the floats of a list."""
    ((kind, text),) = value.items() if len(value) == 1 else (("", ""),)
    if kind not in ("float", "f32", "f64") or not isinstance(text, str):
        raise ValueError(f"{name}: not a value of a property: {str(value)[:80]!r}")
    if kind == "float":
        if text not in _NOT_FINITE:
            raise ValueError(f"{name}: not a number: {text[:80]!r}")
        return _NOT_FINITE[text]
    numbers = array("f" if kind == "f32" else "d", base64.b64decode(text, validate=True))
    return _little_endian(numbers).tolist()


def _little_endian(numbers: array[float]) -> array[float]:
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
