"""Ontologies become schemas: classes are types of nodes, object properties types of relationships.

A table has the columns type, family, source, target and note, in any order; a row with a source or a target is a
relationship, any other one a type of nodes.
"""

from __future__ import annotations

import csv
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from kg_neo4j.errors import UsageError
from kg_neo4j.extract import schema as schemas
from kg_neo4j.extract.schema import Schema
from kg_neo4j.extract.values import RESERVED_RELATIONSHIP_TYPES, ValueRefused, normalise_type

if TYPE_CHECKING:
    from rdflib import Graph
    from rdflib.term import Node

COLUMNS = frozenset({"type", "family", "source", "target", "note"})
TABLES = {".csv": ",", ".tsv": "\t"}
NOTE_CHARACTERS, MANY = 120, 100  # of a comment, and types: all are in every prompt
_LOCAL = re.compile(r"[^/#:]+$")


@dataclass(frozen=True, slots=True)
class Ontology:
    """What a file says of types, in the order of their names."""

    nodes: tuple[tuple[str, str], ...]  # type and what it means
    relationships: tuple[tuple[str, str], ...]  # type and "SOURCE to TARGET: what it means"
    families: tuple[tuple[str, str], ...]  # type and family, of those that are in a larger one
    left_out: tuple[str, ...]  # in words


def read(path: Path) -> Ontology:
    """Read an ontology or a table of types. Raises UsageError for a file that is none, or that has no types."""
    if not path.is_file():
        raise UsageError(f"there is no file {path}")
    try:
        found = _table(path) if path.suffix.lower() in TABLES else _ontology(path)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UsageError(f"cannot read {path}: {error}") from error
    if not found.nodes:
        raise UsageError(f"{path} names no type of nodes", hint="classes of OWL or RDFS, or a table: see the docs")
    return found


def as_schema(found: Ontology, base: Schema, name: str, *, closed: bool = False) -> str:
    """Return the text of a schema file with these types, and with the columns and the example of `base`."""
    made = replace(
        base,
        name=re.sub(r"\W+", "_", name) or "ontology",
        description=f"Types of an ontology: {len(found.nodes)} of nodes, {len(found.relationships)} of relationships.",
        preferred_node_types=found.nodes,
        preferred_relationship_types=found.relationships,
        families=found.families,
        closed=closed,
        checks_ends=True,
    )
    written = schemas.write(made, ["Types from an ontology; columns and example from the schema " + base.name])
    schemas.parse(written, name)  # refuses what no load could read
    return written


# --------------------------------------------------------------------------------------------------- OWL, RDFS


def _ontology(path: Path) -> Ontology:
    try:
        from rdflib import Graph
        from rdflib.util import guess_format
    except ImportError as error:
        raise UsageError("ontologies need rdflib", hint="pip install 'kg-neo4j[ontology]'") from error
    graph = Graph()
    try:
        with warnings.catch_warnings():  # of its own code
            warnings.simplefilter("ignore", DeprecationWarning)
            graph.parse(str(path), format=guess_format(str(path)) or "turtle")
    except Exception as error:  # each of its parsers raises errors of its own
        why = " ".join(str(error).split())[:200]
        raise UsageError(f"{path} is no ontology that rdflib reads: {why}") from error
    return _Read(graph).found()


class _Read:
    """The types of a graph of statements."""

    def __init__(self, graph: Graph) -> None:
        from rdflib import OWL, RDF, RDFS

        self.graph = graph
        self.left_out: list[str] = []
        self.above = [(one, other) for one, other in graph.subject_objects(RDFS.subClassOf) if self._is_own(other)]
        properties = {each for kind in (OWL.ObjectProperty, RDF.Property) for each in graph.subjects(RDF.type, kind)}
        self.ends = {
            each: [self._ends(each, RDFS.domain), self._ends(each, RDFS.range)]
            for each in properties
            if self._is_own(each)
        }
        classes = {each for kind in (OWL.Class, RDFS.Class) for each in graph.subjects(RDF.type, kind)}
        classes |= {each for pair in self.above for each in pair}
        classes |= {each for of in self.ends.values() for found in of for each in found}
        self.classes = self._named({each for each in classes if self._is_own(each)})
        values = {each for each, of in self.ends.items() if of[1] and not any(map(self._is_own, of[1]))}
        values |= {each for each in graph.subjects(RDF.type, OWL.DatatypeProperty) if self._is_own(each)}
        if values:
            self.left_out.append(f"{len(values)} properties whose values are no nodes")
        self.properties = self._named(self.ends.keys() - values, RESERVED_RELATIONSHIP_TYPES)

    def found(self) -> Ontology:
        """Return the types with what they mean."""
        relationships: dict[str, str] = {}
        for each, name in self.properties.items():
            ends = (sorted({self.classes[end] for end in of if end in self.classes}) for of in self.ends[each])
            source, target = (" or ".join(names) or "any" for names in ends)
            relationships.setdefault(name, ": ".join(filter(None, (f"{source} to {target}", self._note(each)))))
        parents: dict[str, set[str]] = {}
        for one, other in self.above:
            if one in self.classes and other in self.classes:
                parents.setdefault(self.classes[one], set()).add(self.classes[other])
        nodes = {name: self._note(each) for each, name in reversed(self.classes.items())}
        return Ontology(_sorted(nodes), _sorted(relationships), _families(parents, len(nodes)), tuple(self.left_out))

    def _ends(self, owner: Node, end: Node) -> list[Node]:
        """Return the classes of one end of a property, those of a union one by one."""
        from rdflib import OWL
        from rdflib.collection import Collection

        found: list[Node] = []
        for each in self.graph.objects(owner, end):
            unions = list(self.graph.objects(each, OWL.unionOf))
            found += [one for union in unions for one in Collection(self.graph, union)] if unions else [each]
        return found

    def _is_own(self, node: Node) -> bool:
        """Return whether a node has a name that is not one of the languages of ontologies."""
        from rdflib import OWL, RDF, RDFS, XSD, URIRef

        return isinstance(node, URIRef) and not str(node).startswith((str(OWL), str(RDF), str(RDFS), str(XSD)))

    def _named(self, nodes: Iterable[Node], reserved: frozenset[str] = frozenset()) -> dict[Node, str]:
        """Return the types that nodes are called, by label or else by the end of their address."""
        found = {}
        for each in sorted(nodes, key=str):
            local = _LOCAL.search(str(each))
            try:
                found[each] = normalise_type(self._text(each, "label") or (local[0] if local else ""), reserved)
            except ValueRefused:
                self.left_out.append(f"{each}: no name for a type")
        return found

    def _note(self, node: Node) -> str:
        return _short(self._text(node, "comment"))

    def _text(self, node: Node, kind: str) -> str:
        """Return a label or comment: an English one, or else the first without a language, or any."""
        from rdflib import RDFS

        order = {"en": "0", None: "1"}
        given = self.graph.objects(node, RDFS[kind])
        texts = sorted((order.get(getattr(each, "language", None), "2"), str(each)) for each in given)
        return texts[0][1] if texts else ""


def _families(parents: Mapping[str, set[str]], types: int) -> tuple[tuple[str, str], ...]:
    """Return the top above each type, of several ways up that with the smallest names; a top of most types is none."""
    ways = {name: [name] for name in parents}
    for way in ways.values():
        while above := parents.get(way[-1], set()) - {*way}:
            way.append(min(above))
    for top, count in Counter(way[-1] for way in ways.values()).items():
        if count > max(MANY, types / 2):
            ways = {name: way[:-1] if way[-1] == top and len(way) > 1 else way for name, way in ways.items()}
    found = {name: way[-1] for name, way in ways.items() if way[-1] != name or name in parents}
    return _sorted({**found, **{top: top for top in found.values()}})


# ------------------------------------------------------------------------------------------------------ tables


def _table(path: Path) -> Ontology:
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file, delimiter=TABLES[path.suffix.lower()])
        if "type" not in (reader.fieldnames or ()) or set(reader.fieldnames or ()) - COLUMNS:
            hint = f"its columns are of {', '.join(sorted(COLUMNS))}; type is needed"
            raise UsageError(f"{path} is no table of types", hint=hint)
        nodes: dict[str, str] = {}
        relationships: dict[str, str] = {}
        families: dict[str, str] = {}
        for row in reader:
            given = {name: (row.get(name) or "").strip() for name in COLUMNS}
            try:
                ends = [given["source"], given["target"]]
                if not any(ends):
                    name = normalise_type(given["type"])
                    nodes[name] = _short(given["note"])
                    families |= {name: normalise_type(given["family"])} if given["family"] else {}
                    continue
                source, target = (_either(end) for end in ends)
                name = normalise_type(given["type"], RESERVED_RELATIONSHIP_TYPES)
                relationships[name] = ": ".join(filter(None, (f"{source} to {target}", _short(given["note"]))))
            except ValueRefused as error:
                raise UsageError(f"{path}, line {reader.line_num}: {error.detail}") from error
        return Ontology(_sorted(nodes), _sorted(relationships), _sorted(families), ())


def _either(written: str) -> str:
    names = [normalise_type(each) for each in re.split(r"\s*\|\s*|\s+or\s+", written) if each]
    return " or ".join(names) or "any"


def _sorted(found: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(found.items()))


def _short(text: str) -> str:
    """Return a text in one line; what is too long ends at a word."""
    line = " ".join(text.split())
    return line if len(line) <= NOTE_CHARACTERS else f"{line[:NOTE_CHARACTERS].rsplit(' ', 1)[0]} ..."
